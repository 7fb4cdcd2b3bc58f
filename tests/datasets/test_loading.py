"""`load`: samples by name, files by path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mvexplorer.datasets.loading import load, load_source
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.errors import DataError
from mvexplorer.state.document.fresh import initial_state
from mvexplorer.state.session.session import save_session


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("helix-a", "a.csv", "b.csv"):
        Path(name).write_text("x,w\n1,2\n3,4\n5,7\n")
    return tmp_path


def test_sample_by_name() -> None:
    loaded = load_source("helix-a")
    assert loaded.manifest is not None
    assert loaded.manifest.id == "helix-a"
    assert loaded.sources == ("helix-a",)
    assert loaded.notes == ()
    assert load(["helix-a"]).fingerprint == loaded.data.fingerprint


def test_sample_with_its_views_and_preprocessing() -> None:
    data = load("uci-digits", views=["mor", "fou"])
    assert data.view_names == ("mor", "fou")
    assert data.preprocess == ("zscore", "zscore")
    assert data.images is not None
    assert load("uci-digits", views=["mor"], preprocess="none").preprocess == ("none",)
    assert any("mor 112" in note for note in load_source("uci-digits").notes)


def test_columns_of_a_sample_as_labels_and_names() -> None:
    data = load("gaussian-mixture", labels="cluster2", ids="cluster1")
    np.testing.assert_array_equal(data.labels, data.latent["cluster2"])
    assert data.sample_ids[0] == "0"
    with pytest.raises(DataError, match="no column called “kind”"):
        load("gaussian-mixture", labels="kind")


def test_unknown_view_of_a_sample() -> None:
    with pytest.raises(DataError, match="no view called “faces”") as caught:
        load("uci-digits", views=["faces"])
    assert "fou" in caught.value.hint


def test_sample_wins_over_a_file_of_that_name(folder: Path) -> None:
    assert load("helix-a").n_samples == 600
    with pytest.raises(DataError, match="without an ending"):
        load("./helix-a")
    with pytest.raises(DataError, match="without an ending"):
        load(Path("helix-a"))


def test_files(folder: Path) -> None:
    assert load("a.csv").view_names == ("a",)
    loaded = load_source(["a.csv", Path("b.csv")], views=["b"], preprocess="zscore")
    assert loaded.data.view_names == ("b",)
    assert loaded.manifest is None
    assert loaded.sources == (str(folder / "a.csv"), str(folder / "b.csv"))


@pytest.mark.parametrize(
    ("source", "hint"),
    [
        ("helix", "Did you mean the sample helix-a or helix-b?"),
        ("UCI-Digits", "Did you mean the sample uci-digits"),
        ("zzzz.csv", "Check the path; the samples are helix-a, uci-digits"),
        (["a.csv", "gone.csv"], "Check the path"),
    ],
)
def test_unknown_source(folder: Path, source: str | list[str], hint: str) -> None:
    with pytest.raises(DataError, match="There is no sample or file called") as caught:
        load(source)
    assert hint in caught.value.hint


def test_samples_do_not_mix_with_files(folder: Path) -> None:
    with pytest.raises(DataError, match="The sample “uci-digits” cannot be joined with files"):
        load(["a.csv", "uci-digits"])


def test_nothing() -> None:
    with pytest.raises(DataError, match="No file was given"):
        load([])


def test_a_sample_of_recordings_opens_as_sonograms_and_a_session_says_why_not(tmp_path):
    """A sample is recorded at 40 samples a second; of a session nobody knows."""
    found = load("seismic-events", sonograms="seismic-events")
    expected = waveform_views(load("seismic-events"), 40.0, "seismic-events")
    assert [X.shape for X in found.Xs] == [X.shape for X in expected.Xs]
    assert np.array_equal(found.Xs[0], expected.Xs[0])
    path, sample = tmp_path / "a.mvx", load("circles")
    save_session(path, initial_state(sample, ("circles",), None), sample, "1.0")
    with pytest.raises(DataError, match="How many samples a second these recordings have is not known"):
        load(path, sonograms="seismic-events")
    with pytest.raises(DataError, match="How many samples a second these recordings have is not known"):
        load("rotating-icons", sonograms="seismic-events")
