"""Recordings from file to views, by Python and by command: cut where that is asked for, and as sonograms."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.sonograms import SEISMIC_EVENTS, sonogram
from mvexplorer.errors import DataError, RowsError
from mvexplorer.io.reading.questions import offers_of

REAL = pytest.mark.filterwarnings("ignore")  # what ObsPy and what it stands on have to say is not about this program


def wav(path: Path, values: np.ndarray, *, rate: int = 40) -> Path:
    """A WAV file of one channel."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(values.astype("<i2").tobytes())
    return path


def long_wavs(folder: Path, n_files: int = 4) -> list[Path]:
    folder.mkdir(exist_ok=True)
    tones = [(3000 * np.sin(np.arange(2000 + 10 * i) * (0.1 + 0.2 * i))).astype(int) for i in range(n_files)]
    return [wav(folder / f"e{i}.wav", tone) for i, tone in enumerate(tones)]


def miniseeds(folder: Path, n_files: int = 4) -> list[Path]:
    obspy = pytest.importorskip("obspy")
    folder.mkdir(exist_ok=True)
    for i in range(n_files):
        signal = (1000 * np.random.default_rng(i).standard_normal(2000 + 10 * i)).astype(np.int32)
        stats = {"channel": "EHZ", "station": "ABC", "sampling_rate": 40.0}
        obspy.Trace(signal, header=stats).write(str(folder / f"e{i}.mseed"), format="MSEED")
    return sorted(folder.iterdir())


@REAL
@pytest.mark.parametrize("write", [long_wavs, miniseeds])
def test_recordings_become_sonograms_on_the_way_in(tmp_path: Path, write: Any) -> None:
    paths = write(tmp_path / "shots")
    with pytest.raises(RowsError, match="from 2,000 to 2,030 samples") as caught:
        load_source(paths)
    assert [offer.in_shell for offer in caught.value.offers] == ["--truncate"]
    waves = load_source(paths, truncate=True)
    assert waves.data.Xs[0].shape == (4, 2000)
    assert any("were cut" in note for note in waves.notes)
    (told,) = [note for note in waves.notes if note.code == "waveforms"]
    assert [offer.options["sonograms"] for offer in offers_of(told)] == ["seismic-events", "seismic-manifold"]
    loaded = load_source(paths, truncate=True, sonograms="seismic-events")
    expected = sonogram(waves.data.Xs[0], 40.0, **SEISMIC_EVENTS).features
    np.testing.assert_allclose(loaded.data.Xs[0], expected)
    assert any("as sonograms" in note for note in loaded.notes)
    assert mvx.load(paths, truncate=True, sonograms="seismic-events").fingerprint == loaded.data.fingerprint


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    """A folder of recordings in folders, with a picture and a table beside them."""
    for kind, n_files in (("quakes", 3), ("blasts", 4)):
        (tmp_path / "all" / kind).mkdir(parents=True)
        for i in range(n_files):
            wav(tmp_path / "all" / kind / f"e{8 + i}.wav", 100 * n_files + np.arange(6) + i)
    (tmp_path / "all" / "cover.png").write_bytes(b"no picture")
    (tmp_path / "all" / "notes.csv").write_text("1,2\n")
    return tmp_path / "all"


IDS = [*(f"blasts/e{8 + i}" for i in range(4)), *(f"quakes/e{8 + i}" for i in range(3))]
KINDS = ["blasts"] * 4 + ["quakes"] * 3


def test_a_folder_of_recordings_has_its_folders_as_label(classes: Path) -> None:
    loaded = load_source(classes)
    assert list(loaded.data.sample_ids) == IDS
    assert (loaded.data.view_names, loaded.data.n_samples) == (("channel 1",), 7)
    assert loaded.data.labels is not None
    assert loaded.data.labels.tolist() == KINDS
    np.testing.assert_array_equal(loaded.data.Xs[0][:, 0] * 2**15, [400, 401, 402, 403, 300, 301, 302])
    assert loaded.sources == (str(classes),)
    for words in (
        "all: 7 recordings, with channel 1 at 40 Hz: compare", "all: the names of the folders were taken as the label.",
        "all: 2 other files are no recordings and left out.",
    ):  # fmt: skip
        assert any(words in note for note in loaded.notes), words
    coloured = load_source(classes, roles={"folder": "colour"}).data
    assert coloured.labels is None
    assert coloured.columns["folder"].tolist() == KINDS
    assert not load_source(classes, roles={"folder": "ignore"}).data.columns
    waves = mvx.read_waveforms([classes])
    assert np.asarray(waves.data.labels).tolist() == KINDS
    assert load_source(classes / "quakes").data.labels is None


def test_several_folders_of_recordings_are_classes(classes: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(classes)
        for paths in ([classes / "blasts", classes / "quakes"], ["blasts", "quakes"]):
            loaded = load_source(paths)
            assert list(loaded.data.sample_ids) == IDS
            assert loaded.data.labels is not None
            assert loaded.data.labels.tolist() == KINDS
    assert any("blasts: the first of 2 folders of 7 recordings, with channel 1" in note for note in loaded.notes)
    files = [*sorted((classes / "blasts").glob("*.wav")), classes / "quakes" / "e8.wav"]
    assert load_source(files).data.columns["folder"].tolist() == ["blasts"] * 4 + ["quakes"]


def test_a_folder_for_each_recording_is_no_class(tmp_path: Path) -> None:
    for i in range(4):
        (tmp_path / "all" / f"event{i}").mkdir(parents=True)
        wav(tmp_path / "all" / f"event{i}" / "west.wav", np.arange(6) + i)
    data = load_source(tmp_path / "all").data
    assert (data.labels, data.sample_ids[1]) == (None, "event1/west")


def test_recordings_in_folders_that_do_not_fit_are_told_by_name(classes: Path) -> None:
    wav(classes / "quakes" / "long.wav", np.arange(9))
    with pytest.raises(RowsError, match=r"The recordings of channel 1 have from 6 to 9 samples.*truncate=True"):
        load_source(classes)
    assert load_source(classes, truncate=True).data.Xs[0].shape == (8, 6)
    wav(classes / "quakes" / "fast.wav", np.arange(9), rate=100)
    with pytest.raises(DataError, match=r"at 40 to 100 Hz: “blasts/e8” at 40 Hz and “quakes/fast” at 100 Hz.*Resample"):
        load_source(classes)


@REAL
@pytest.mark.parametrize("write", [long_wavs, miniseeds])
def test_recordings_become_sonograms_by_command(tmp_path: Path, write: Any, capsys: pytest.CaptureFixture[str]) -> None:
    from mvexplorer.cli.entry import main

    paths = [str(path) for path in write(tmp_path / "shots")]
    assert main(["import", *paths, "--json"]) == 2
    assert "--truncate" in "".join(capsys.readouterr())
    assert main(["import", *paths, "--truncate", "--sonograms", "seismic-events", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["samples"] == 4
    assert found["views"][0]["shape"][1] % 12 == 0
    assert main(["import", *paths, "--truncate"]) == 0
    assert "--sonograms seismic-events" in "".join(capsys.readouterr())
