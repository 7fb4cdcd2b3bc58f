"""A column or variable is what it is told to be, in every format and in one file of several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

from mvexplorer.errors import DataError
from mvexplorer.io.files import read_files
from mvexplorer.io.inspection import inspect_files
from mvexplorer.io.options import ReadOptions

M = 12
RNG = np.random.default_rng(5)
COLUMNS: dict[str, np.ndarray] = {
    "id": RNG.permutation(M) + 100,
    "width": RNG.normal(size=M),
    "label": RNG.normal(size=M),
    "stage": np.arange(M) % 3,
    "length": RNG.normal(size=M),
    "kind": np.array([f"k{i}" for i in range(M)]),
}
TOLD = {"id": "colour", "width": "view", "label": "view", "stage": "label", "length": "ignore", "kind": "id"}


def hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        for name, values in COLUMNS.items():
            file[name] = values.astype("S") if values.dtype.kind == "U" else values


def mat(path: Path) -> None:
    cells = {"kind": COLUMNS["kind"].astype(object)[:, None]}
    savemat(path, {name: cells.get(name, values[:, None]) for name, values in COLUMNS.items()})


FORMATS: dict[str, Callable[[Path], object]] = {
    "csv": lambda path: pl.DataFrame(COLUMNS).write_csv(path),
    "parquet": lambda path: pl.DataFrame(COLUMNS).write_parquet(path),
    "arrow": lambda path: pl.DataFrame(COLUMNS).write_ipc(path),
    "npz": lambda path: np.savez(path, **COLUMNS),
    "mat": mat,
    "h5": hdf5,
}


@pytest.mark.parametrize("suffix", FORMATS)
def test_roles_mean_the_same_in_every_format(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.{suffix}"
    FORMATS[suffix](path)
    found = inspect_files([path], ReadOptions(roles=TOLD))  # type: ignore[arg-type]
    assert found.error is None
    assert {item.name: item.role for item in found.items} == TOLD
    data = found.loaded.data
    read = dict(zip(data.view_names, data.Xs, strict=True))  # a table is one view, arrays are one each
    both = read["t"] if "t" in read else np.hstack([read["width"], read["label"]])
    np.testing.assert_array_equal(both, np.stack([COLUMNS["width"], COLUMNS["label"]], axis=1))
    assert data.labels.tolist() == COLUMNS["stage"].tolist()
    assert data.sample_ids == tuple(COLUMNS["kind"])
    assert data.columns["id"].tolist() == COLUMNS["id"].tolist()
    assert "length" not in data.columns
    with pytest.raises(DataError, match=r"called “lenght”\. Did you mean length"):
        read_files([path], roles={**TOLD, "lenght": "ignore"})


def test_a_role_may_be_that_of_one_file(tmp_path: Path) -> None:
    for stem in "ab":
        frame = pl.DataFrame(COLUMNS).select("kind", "width", pl.col("stage") + (stem == "b"), "length")
        frame.write_csv(tmp_path / f"{stem}.csv")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    told = {"b.csv:stage": "label", "a.csv:stage": "ignore", "length": "ignore"}
    found = inspect_files(paths, ReadOptions(roles=told))  # type: ignore[arg-type]
    assert found.loaded.data.labels.tolist() == (COLUMNS["stage"] + 1).tolist()
    assert [X.shape for X in found.loaded.data.Xs] == [(M, 1), (M, 1)]
    roles = {(Path(item.file).stem, item.name): item.role for item in found.items}
    assert roles["a", "stage"] == roles["a", "length"] == roles["b", "length"] == "ignore"
    assert roles["b", "stage"] == "label"


def test_names_told_for_each_file_join_them(tmp_path: Path) -> None:
    frame = pl.DataFrame(COLUMNS).select("kind", "id", "width")
    frame.write_csv(tmp_path / "a.csv")
    rows = RNG.permutation(M)
    frame[rows.tolist()].rename({"id": "number", "width": "depth"}).write_csv(tmp_path / "b.csv")
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    data = read_files(paths, roles={"id": "id", "number": "id", "kind": "ignore"}).data
    assert data.sample_ids == tuple(map(str, COLUMNS["id"]))
    np.testing.assert_array_equal(data.Xs[0], data.Xs[1])
