"""Rows and columns that look alike and are not: paired rightly, told apart, or refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import mvexplorer as mvx
from mvexplorer.cli.reading import _split
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files

RNG = np.random.default_rng(5)
M = 40
A = pd.DataFrame(RNG.normal(size=(M, 3)), columns=["a", "b", "c"])
B = pd.DataFrame(RNG.normal(size=(M, 2)), columns=["p", "q"])
ORDER = RNG.permutation(M)


def test_an_index_in_another_order_pairs_the_rows_of_one_that_only_counts() -> None:
    data = mvx.load([A, B.iloc[ORDER]])
    np.testing.assert_array_equal(data.Xs[0], A.to_numpy())
    np.testing.assert_array_equal(data.Xs[1], B.to_numpy())
    assert data.sample_ids == tuple(str(i) for i in range(M))
    part = mvx.load([A.iloc[:30], B.iloc[10:]], join="intersect")
    np.testing.assert_array_equal(np.hstack(part.Xs), np.hstack([A.iloc[10:30], B.iloc[10:30]]))
    with pytest.raises(DataError):
        mvx.load([A.iloc[:30], B.iloc[10:]])


@pytest.mark.parametrize("names", [["1.1", "1.10"], ["1e3000", "2e3001"]])
def test_names_that_are_one_number_stay_two(names: list[str], tmp_path: Path) -> None:
    who = [*names, *(f"{i}.5" for i in range(3, M + 1))]
    for name, table, order in (("x", A, np.arange(M)), ("y", B, ORDER)):
        made = table.iloc[order].copy()
        made.insert(0, "id", [who[i] for i in order])
        made.to_csv(tmp_path / f"{name}.csv", index=False)
    data = read_files([tmp_path / "x.csv", tmp_path / "y.csv"]).data
    np.testing.assert_allclose(data.Xs[1], B.to_numpy())


def test_columns_of_one_name_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("v,v,kind,kind\n" + "".join(f"{i},{i * i},a{i % 2},b{i % 3}\n" for i in range(M)))
    data = read_files([tmp_path / "t.csv"]).data
    assert data.feature_names == (("v", "v-2"),)
    assert list(data.columns) == ["kind", "kind-2"]
    with pytest.raises(DataError, match="Two columns of a table have the same name"):
        mvx.load(pa.table([A["a"].to_numpy(), A["b"].to_numpy()], names=["a", "a"]))


@pytest.mark.parametrize("columns", [["a"], ["a", "b", "c", "p"]])
def test_coordinates_of_a_wrong_number_are_refused_not_a_fault(columns: list[str], tmp_path: Path) -> None:
    pd.concat([A, B], axis=1).to_csv(tmp_path / "t.csv", index=False)
    found = inspect_files([tmp_path / "t.csv"], ReadOptions(roles=dict.fromkeys(columns, "coordinates")))
    assert isinstance(found.error, DataError) or found.loaded is not None
    assert len(found.items) == 5


def test_a_pattern_may_hold_an_equals_sign() -> None:
    assert _split(["w=f*,v=f1"]) == {"w": ("f*", "v=f1")}


@pytest.mark.parametrize(("names", "told"), [
    (("\u00e9", "e\u0301"), "names “\u00e9” twice in column “id”, whose spellings look alike: 1 and 2 characters"),
    (("1", "1.0"), "names “1” twice in column “id”, spelt “1”, “1.0”"),
])  # fmt: skip
def test_spellings_of_one_name_are_told(names: tuple[str, str], told: str, tmp_path: Path) -> None:
    who = [*names, *(f"k{i}" for i in range(2, M))]
    for name, table, ids in (("x", A, who), ("y", B, ["z", *who[1:]])):
        made = table.copy()
        made.insert(0, "id", ids)
        made.to_csv(tmp_path / f"{name}.csv", index=False)
    with pytest.raises(DataError, match=re.escape(told)):
        read_files([tmp_path / "x.csv", tmp_path / "y.csv"])
