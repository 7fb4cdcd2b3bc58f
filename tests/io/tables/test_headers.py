"""Headers that are names of their own, and columns under a label's name that hold measurements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of
from mvexplorer.io.tables.headers import colons_divide, numbers_as_names

M = 20
X = np.random.default_rng(0).normal(size=(M, 4)).round(4)


def table(folder: Path, *header: str, rows: np.ndarray = X) -> Path:
    lines = [",".join(map(str, row)) for row in rows[:, : len(header)].tolist()]
    (folder / "t.csv").write_text("\n".join([",".join(header), *lines]))
    return folder / "t.csv"


@pytest.mark.parametrize(("header", "views"), [
    (("09:00", "10:00", "11:00"), ("09", "10", "11")),
    (("chr1:100", "chr1:200", "chr2:100", "chr2:300"), ("chr1", "chr2")),
])  # fmt: skip
def test_colons_before_numbers_end_no_views_name(
    tmp_path: Path, header: tuple[str, ...], views: tuple[str, ...]
) -> None:
    """It is told, and an offer divides them after all."""
    path = table(tmp_path, *header)
    loaded = read_files([path])
    assert (loaded.data.view_names, loaded.data.feature_names) == (("t",), (header,))
    (note,) = [note for note in loaded.notes if note.code == "possible-split"]
    assert f"such as “{header[0]}”, were taken as part of them; they could divide views" in note
    (offer,) = offers_of(note)
    assert read_files([path], **offer.options).data.view_names == views


def test_colons_divide_where_they_name_or_count() -> None:
    assert colons_divide(["left:a", "left:b", "right:a"])
    assert colons_divide(["left:0", "left:1", "right:0", "right:1"])
    assert colons_divide(["rna:TP53", "rna:9"])
    assert not colons_divide(["09:00", "09:30"])
    assert not colons_divide(["a", "b"])
    assert colons_divide(["rna:a", "dna:b"])
    assert colons_divide(["rna:a", "rna:b", "age"])
    assert not colons_divide(["fractal: dim", "a", "b"])
    assert not colons_divide(["rna:a", "dna:b", "age"])
    assert not colons_divide(["rna:a", "rna:b", "age", "height"])


def test_one_colon_leaves_the_other_columns_in_the_view(tmp_path: Path) -> None:
    """It is told, and an offer makes it a view of its own."""
    path = table(tmp_path, "a", " fractal: dim ", "c", "d")
    loaded = read_files([path])
    assert loaded.data.feature_names == (("a", "fractal: dim", "c", "d"),)
    (note,) = [note for note in loaded.notes if note.code == "possible-split"]
    (offer,) = offers_of(note)
    assert read_files([path], **offer.options).data.view_names == ("fractal", "t")


def test_columns_beside_those_of_views_could_be_one(tmp_path: Path) -> None:
    path = table(tmp_path, "rna:a", "rna:b", "rna:c", "age")
    loaded = read_files([path])
    assert (loaded.data.view_names, list(loaded.data.columns)) == (("rna",), ["age"])
    (note,) = [note for note in loaded.notes if note.code == "no-view"]
    (offer,) = offers_of(note)
    assert read_files([path], **offer.options).data.view_names == ("rna", "t")


@pytest.mark.parametrize(("first", "rows", "named"), [
    (["patient", "2001", "2002"], [[0.5, 1.5], [0.25, 0.75]], True),
    (["dose", "10", "20", "30"], [[3, 1, 2], [4, 8, 1]], True),
    (["a", "1", "5"], [[2, 6], [3, 9]], False),
    (["a", "1990", "2003", "7000"], [[2, 6, 4], [3, 9, 5]], False),
    (["a", "5", "1"], [[0.5, 1.5], [0.25, 0.75]], False),
    (["a", "b", "c", "5", "7"], [[0.5, 1.5], [0.25, 0.75]], False),
])  # fmt: skip
def test_rising_numbers_name_columns(first: list[str], rows: list[list[float]], named: bool) -> None:
    words = [cell for cell in first if not cell.isdigit()]
    numbers = [[np.nan] * len(words) + row for row in [[float(c) for c in first if c.isdigit()], *rows]]
    assert (numbers_as_names(first, np.array(numbers)) is not None) == named


def test_fractions_under_y_are_measurements_however_few(tmp_path: Path) -> None:
    """Whole numbers and repeated fractions are classes."""
    for values, label in ((X[:, 2], False), (np.arange(M) % 3, True), (np.arange(M) % 2 / 2, True)):
        found = inspect_files([table(tmp_path, "a", "b", "y", rows=np.column_stack([X[:, :2], values]))])
        assert (found.loaded.data.labels is not None) == label
