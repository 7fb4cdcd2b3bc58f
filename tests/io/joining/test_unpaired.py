"""Files of which nothing says that row i of each is the same sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mvexplorer.errors import RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

X = np.random.default_rng(2).normal(size=(30, 6)).round(4)


def table(path: Path, columns: str, n_rows: int = 30, names: str = "") -> Path:
    made = pd.DataFrame(X[:n_rows, : len(columns)], columns=list(columns))
    if names:
        made.insert(0, "name", [f"{names}{i}" for i in range(n_rows)])
    made.to_csv(path, index=False)
    return path


def test_names_that_share_nothing_are_asked_about(tmp_path: Path) -> None:
    files = [table(tmp_path / "a.csv", "xyz", names="p"), table(tmp_path / "b.csv", "uv", names="q")]
    (doubt,) = inspect_files(files, ReadOptions()).doubts
    assert doubt.code == "by-position"
    assert "Column “name” of a.csv and column “name” of b.csv could name the samples and share no value" in doubt
    (offer,) = offers_of(doubt)
    assert "by-position" not in {note.code for note in read_files(files, **offer.options).notes}


@pytest.mark.parametrize(("n_rows", "asked", "n_offers"), [(30, {"samples": "union"}, 1), (20, {}, 0)])
def test_what_names_of_other_samples_exclude_is_refused(
    tmp_path: Path, n_rows: int, asked: dict[str, str], n_offers: int
) -> None:
    files = [table(tmp_path / "a.csv", "xyz", names="p"), table(tmp_path / "b.csv", "uv", n_rows, names="q")]
    with pytest.raises(RowsError, match=r"Column “name” of a\.csv .* share no value") as caught:
        read_files(files, **asked)
    assert len(caught.value.offers) == n_offers


@pytest.mark.parametrize("names", ["", "pq"])
@pytest.mark.parametrize("asked", [{}, {"join": "position"}])
def test_parts_of_one_table_are_told(tmp_path: Path, names: str, asked: dict[str, str]) -> None:
    """They are not turned either: both have three columns, and would fit."""
    files = [
        table(tmp_path / "train.csv", "xyz", names=names[:1]),
        table(tmp_path / "test.csv", "xyz", 17, names=names[1:]),
    ]
    with pytest.raises(
        RowsError, match=r"“train.csv” and “test.csv” have the same columns and different rows \(30 and"
    ):
        read_files(files, **asked)


def test_tables_of_the_same_samples_in_columns_are_turned(tmp_path: Path) -> None:
    for name, rows in (("a", 9), ("b", 7)):
        made = pd.DataFrame(X[:rows], columns=["s1", "s2", "s3", "s4", "s5", "s6"])
        made.insert(0, "gene", [f"{name}{i}" for i in range(rows)])
        made.to_csv(tmp_path / f"{name}.csv", index=False)
    assert read_files([tmp_path / "a.csv", tmp_path / "b.csv"]).data.n_samples == 6
