"""Names of samples that are numbers, or are written in two ways: matched, or asked about, never overlooked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pytest

from mvexplorer.errors import RowsError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

RNG = np.random.default_rng(12)
M = 40
X, Y = RNG.normal(size=(M, 3)), RNG.normal(size=(M, 2))
ORDER = RNG.permutation(M)
BELOW = [int(i) for i in RNG.permutation(900)[:M] - 450]
VERSIONS = [f"{i}.{j}" for i in range(1, 9) for j in (1, 10, 2, 20, 3)]
RANKS = [int(i) for i in RNG.permutation(M) + 1]


def shuffled(folder: Path, ids: Sequence[object], names: tuple[str, str], other: Sequence[object] = ()) -> list[Path]:
    """Two files, the second in another order; `other` names its rows otherwise."""
    paths = [folder / "a.csv", folder / "b.csv"]
    given = zip(paths, names, (X, Y), (ids, other or ids), (range(M), ORDER), strict=True)
    for path, name, numbers, own, order in given:
        lines = [",".join([str(own[i]), *map(repr, numbers[i].tolist())]) for i in order]
        header = ",".join([name, *(f"{path.stem}{j}" for j in range(numbers.shape[1]))])
        path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return paths


@pytest.mark.parametrize("ids", [BELOW, VERSIONS], ids=["below zero", "1.1 and 1.10"])
@pytest.mark.parametrize("names", [("who", "who"), ("who", "Kürzel")], ids=["one name", "two names"])
def test_numbers_that_nothing_marks_are_matched_and_doubted(tmp_path, ids, names):
    paths = shuffled(tmp_path, ids, names)
    found = inspect_files(paths)
    np.testing.assert_array_equal(found.loaded.data.Xs[1], Y)
    assert found.loaded.data.sample_ids == tuple(map(str, ids))
    [doubt] = [note for note in found.doubts if note.code == "numbers-as-names"]
    assert doubt.subjects == tuple(dict.fromkeys(names))
    assert [dict(offer.options) for offer in offers_of(doubt)] == [{"ids": "who"}, {"join": "position"}]
    by_name = inspect_files(paths, found.loaded.options.__class__(ids="who"))
    np.testing.assert_array_equal(by_name.loaded.data.Xs[1], Y)
    assert not by_name.doubts


def test_numbers_called_ids_are_taken_without_a_doubt(tmp_path):
    found = inspect_files(shuffled(tmp_path, BELOW, ("id", "sample_id")))
    np.testing.assert_array_equal(found.loaded.data.Xs[1], Y)
    assert not found.doubts


@pytest.mark.parametrize("names", [("rank", "rank"), ("rank", "place")])
@pytest.mark.parametrize("start", [0, 1, -20])
def test_ranks_reorder_nothing_unless_they_are_called_ids(tmp_path, names, start):
    ranks = [rank - 1 + start for rank in RANKS]
    unrelated = [ranks[i] for i in RNG.permutation(M)]
    with pytest.raises(RowsError, match="in another order") as caught:
        read_files(shuffled(tmp_path, ranks, names, unrelated))
    assert [dict(offer.options) for offer in caught.value.offers] == [{"ids": "rank"}, {"join": "position"}]
    named = read_files(shuffled(tmp_path, ranks, ("id", "patient_id")))
    np.testing.assert_array_equal(named.data.Xs[1], Y)


def test_whole_numbers_are_one_with_and_without_a_fraction(tmp_path):
    paths = shuffled(tmp_path, BELOW, ("id", "id"), [f"{i}.0" for i in BELOW])
    np.testing.assert_array_equal(read_files(paths).data.Xs[1], Y)


def test_letters_of_one_and_of_two_characters_are_the_same(tmp_path):
    one = [f"Müller é{i}" for i in range(M)]
    paths = shuffled(tmp_path, [normalize("NFD", name) for name in one], ("who", "who"), one)
    data = read_files(paths).data
    np.testing.assert_array_equal(data.Xs[1], Y)
    assert data.sample_ids == tuple(normalize("NFD", name) for name in one)  # as the first file writes them


def test_measurements_in_digits_of_any_number_stay_features(tmp_path):
    (tmp_path / "a.csv").write_text("u,v\n" + "".join(f"{i}.{'5' * (i % 3 + 1)}0,{i % 7}.10\n" for i in range(M)))
    assert read_files([tmp_path / "a.csv"]).data.feature_names == (("u", "v"),)


def test_an_infinite_number_may_name_a_sample(tmp_path):
    """It has no rest, of which NumPy would say so."""
    path = tmp_path / "t.npz"
    np.savez(path, x=X[:4], ids=np.array([1.0, np.inf, 3.0, 4.5]))
    assert read_files([path]).data.sample_ids[1] == "inf"
