"""A column or variable is what it is told to be, in every format and in one file of several."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import polars as pl
import pytest
from scipy.io import savemat

from mvexplorer.datasets.loading import load
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

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


@pytest.mark.parametrize(("options", "words"), [
    ({"labels": "kind", "roles": {"stage": "label"}}, "“kind” and “stage” are both given as the label. Choose one"),
    ({"ids": "kind", "roles": {"t.csv:stage": "id"}}, "“kind” and “t.csv:stage” are both given as the samples' names."),
    ({"labels": "kind", "ids": "kind"}, "“kind” is given as the label and as the samples' names."),
    ({"labels": "kind", "roles": {"kind": "ignore"}}, "“kind” is given as the label, and the role “ignore”."),
    ({"half": "train"}, "“t.csv” does not hold a training and a test half. Leave out half=."),
    ({"roles": {"a": "kernel"}}, "“a” is one column of “t.csv”, where a kernel is a whole table."),
    ({"roles": {"t": "kernel"}}, "“t” in “t.csv” is 8 x 2, so that it is no kernel."),
    ({"split": {"x": ("wt_*",)}}, "No column fits the pattern “wt_*”. There are a, b."),
    ({"drop_missing": True, "missing": "knn"}, "cannot be dropped and filled in (knn) at the same time"),
])  # fmt: skip
def test_options_that_contradict_are_told(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    rows = [f"{i},{i * i},{'xy'[i % 2]},{'uvw'[i % 3]}" for i in range(8)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,kind,stage", *rows]))
    with pytest.raises(MVExplorerError) as caught:
        load(tmp_path / "t.csv", **options)
    assert words in str(caught.value)


def test_a_table_of_text_can_be_a_kernel(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(8, 3))
    text = "\n".join([",".join(f"s{i}" for i in range(8)), *(",".join(map(repr, row)) for row in (X @ X.T).tolist())])
    (tmp_path / "k.csv").write_text(text)
    (doubt,) = inspect_files([tmp_path / "k.csv"]).doubts
    data = load(tmp_path / "k.csv", **offers_of(doubt)[0].options)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    np.testing.assert_allclose(((data.Xs[0][:, None] - data.Xs[0]) ** 2).sum(axis=2), squares, atol=1e-9)
