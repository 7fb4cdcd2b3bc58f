"""The samples that come with the program."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from mvexplorer import datasets, embed
from mvexplorer.datasets import catalogue
from mvexplorer.datasets.catalogue import find_sample, open_sample, samples
from mvexplorer.errors import DataError
from mvexplorer.io.reading.manifest import FileData, GeneratedData
from mvexplorer.resources import sample_folder

IDS = [
    "helix-a",
    "uci-digits",
    "helix-b",
    "gap-rolls",
    "rotated-rolls",
    "coupled-circles",
    "gaussian-mixture",
    "toy-train",
    "noisy-digits",
    "touching-rolls",
    "pendulums",
    "shared-latent",
    "tori",
    "rotating-icons",
    "blobs",
    "circles",
    "noisy-swiss-roll",
    "rotated-digit",
    "spiral-classes",
    "two-squares",
    "seismic-events",
]


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A sample folder of the test's own, with UCI digits in it."""
    shutil.copytree(sample_folder() / "uci-digits", tmp_path / "uci-digits")
    monkeypatch.setattr(catalogue, "sample_folder", lambda: tmp_path)
    samples.cache_clear()
    yield tmp_path
    samples.cache_clear()


def test_order_and_completeness() -> None:
    assert [manifest.id for manifest in samples()] == IDS
    assert sorted(path.name for path in sample_folder().iterdir() if path.is_dir()) == sorted(IDS)


@pytest.mark.parametrize("sample_id", IDS)
def test_manifest_matches_its_data(sample_id: str) -> None:
    manifest = find_sample(sample_id)
    assert manifest is not None
    data = open_sample(sample_id)
    assert manifest.id == sample_id
    assert data.view_names == manifest.view_names
    assert data.preprocess == tuple(view.preprocess for view in manifest.views)
    assert (data.labels is None) == (manifest.labels is None)
    colour = manifest.open.colour
    assert {"labels": data.labels is not None}.get(
        colour, colour.removeprefix("latent:") in data.latent or colour in data.columns
    )


@pytest.mark.parametrize("sample_id", IDS)
def test_every_sample_has_its_licence(sample_id: str) -> None:
    text = (sample_folder() / sample_id / "LICENCE.txt").read_text(encoding="utf-8")
    manifest = find_sample(sample_id)
    assert manifest is not None
    assert manifest.licence.split(" ")[0].rstrip(",") in text


@pytest.mark.parametrize("sample_id", IDS)
def test_only_files_named_in_the_manifest_are_shipped(sample_id: str) -> None:
    manifest = find_sample(sample_id)
    assert manifest is not None
    expected = {"manifest.json", "LICENCE.txt"}
    if isinstance(manifest.data, FileData):
        expected.add(manifest.data.file)
    assert {path.name for path in (sample_folder() / sample_id).iterdir()} == expected


@pytest.mark.parametrize("sample_id", IDS)
def test_every_sample_opens_with_a_picture(sample_id: str) -> None:
    """Every ticked view has a bandwidth at which its first coordinates are numbers that differ."""
    manifest = find_sample(sample_id)
    assert manifest is not None
    data = open_sample(sample_id)
    rows = np.arange(0, data.n_samples, max(1, data.n_samples // 400))
    few = data.take(rows).replace(bursts=None)
    for view in manifest.open.views:
        epsilon = manifest.open.epsilon_of(view)
        assert epsilon is not None
        found = embed(few, "single", view=view, epsilon=epsilon).coordinates
        assert np.isfinite(found).all()
        assert (np.ptp(found, axis=0) > 1e-9).all()


def test_generated_samples_are_the_defaults_of_their_generators() -> None:
    """A manifest spells the defaults out; the figures it promises are those of the defaults."""
    for manifest in samples():
        if isinstance(manifest.data, GeneratedData):
            make = getattr(datasets, manifest.data.generator)
            usual = {name: p.default for name, p in inspect.signature(make).parameters.items() if name != "n_samples"}
            given = {k: tuple(v) if isinstance(v, list) else v for k, v in manifest.data.params.items()}
            assert {**usual, **given} == usual, manifest.id
            assert set(given) == set(usual), manifest.id


def test_opening_bandwidths() -> None:
    helix_a, helix_b, digits = (find_sample(i) for i in ("helix-a", "helix-b", "uci-digits"))
    assert helix_a is not None
    assert helix_b is not None
    assert digits is not None
    touching, digit, squares = (find_sample(i) for i in ("touching-rolls", "rotated-digit", "two-squares"))
    assert touching is not None
    assert digit is not None
    assert squares is not None
    assert [touching.open.epsilon_of(v) for v in touching.view_names] == [2.0, 2.0]
    assert digit.open.epsilon_of("digit") == 5.0
    assert squares.open.epsilon_of("points") == 1.0
    assert [helix_a.open.epsilon_of(v) for v in helix_a.view_names] == [0.36, 0.36]
    assert [helix_b.open.epsilon_of(v) for v in helix_b.view_names] == [1.0, 1.0]
    assert helix_a.open.colour == "latent:a"
    assert digits.open.views == ("fou", "fac")
    assert digits.open.epsilon_of("mor") == "median"
    assert digits.open.also is not None
    assert digits.open.also.views == digits.view_names
    assert digits.open.also.epsilon == "median/9"


def test_uci_digits() -> None:
    data = open_sample("uci-digits")
    assert [X.shape for X in data.Xs] == [(2000, d) for d in (76, 216, 64, 240, 47, 6)]
    assert data.view_names == ("fou", "fac", "kar", "pix", "zer", "mor")
    np.testing.assert_array_equal(data.labels, np.repeat(np.arange(10), 200))
    assert set(data.preprocess) == {"zscore"}
    # The first and the last line of the published tables.
    np.testing.assert_array_equal(data.Xs[5][0], (1, 0, 0, 133.15, 1.3117, 1620.2))
    np.testing.assert_array_equal(data.Xs[1][0][:6], (98, 236, 531, 673, 607, 647))


def test_uci_thumbnails_show_digits() -> None:
    data = open_sample("uci-digits")
    assert data.images is not None
    assert data.images.shape == (2000, 16, 15)
    zeros, ones = (data.images[k * 200 : (k + 1) * 200].mean(axis=0) for k in (0, 1))
    # White ink on black, upright: a zero has a hole in its middle, and a one does not.
    assert zeros[6:10, 6:9].mean() < 60
    assert ones[6:10, 6:9].mean() > 150
    sevens = data.images[1400:1600].mean(axis=0)
    assert sevens[:3].mean() > sevens[-3:].mean() + 20  # the bar of a seven is at the top
    np.testing.assert_array_equal(data.images[0].ravel(), np.round(data.Xs[3][0] * 255 / 6))


def test_unknown_sample_names_the_others() -> None:
    assert find_sample("helix") is None
    with pytest.raises(DataError, match="There is no sample called “helix”") as caught:
        open_sample("helix")
    assert "helix-a" in caught.value.hint


def test_changed_file_is_refused(own_folder: Path) -> None:
    path = own_folder / "uci-digits" / "data.npz"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DataError, match="is not the one its manifest describes"):
        open_sample("uci-digits")


def test_lost_file_is_refused(own_folder: Path) -> None:
    (own_folder / "uci-digits" / "data.npz").unlink()
    with pytest.raises(DataError, match="cannot be read: no such file"):
        open_sample("uci-digits")


def test_array_missing_in_the_file(own_folder: Path) -> None:
    path = own_folder / "uci-digits" / "manifest.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"labels": "digit"', '"labels": "letter"'))
    samples.cache_clear()
    with pytest.raises(DataError, match="lacks its array 'letter'"):
        open_sample("uci-digits")
