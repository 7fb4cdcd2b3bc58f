"""Coordinates written to files and read again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mvexplorer as mvx
from mvexplorer.engine.api.export import table_bytes, write_embedding
from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import read_files

C = np.random.default_rng(0).normal(size=(5, 2))
IDS = ["a", "b", "c", "ü,1", 'say "x"']


def write(path: Path, **changes: Any) -> Path:
    keywords: dict[str, Any] = {"column_names": ["psi1", "psi2"], "sample_ids": IDS, "labels": [0, 1, 1, 0, 2]}
    return write_embedding(path, changes.pop("coordinates", C), **{**keywords, **changes})


@pytest.mark.parametrize("name", ["e.csv", "e.CSV", "e.npz"])
def test_can_be_loaded_again(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    data = read_files([path]).data
    np.testing.assert_array_equal(data.Xs[0], C)
    assert data.sample_ids == tuple(IDS)
    np.testing.assert_array_equal(data.labels, [0, 1, 1, 0, 2])
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_npz_keeps_everything(tmp_path: Path) -> None:
    path = write(tmp_path / "e.npz", eigenvalues=[1.0, 0.5], meta={"method": "multiview", "ε": ".36"})
    with np.load(path, allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["eigenvalues"], [1, 0.5])
        assert json.loads(stored["meta"].item()) == {"method": "multiview", "ε": ".36"}
        assert stored["column_names"].tolist() == ["psi1", "psi2"]


def test_parquet(tmp_path: Path) -> None:
    import polars as pl

    path = write(tmp_path / "e.parquet", labels=np.array(["x", "y", "x", "y", "z"]), meta={"t": "1"})
    frame = pl.read_parquet(path)
    assert frame.columns == ["id", "label", "psi1", "psi2"]
    np.testing.assert_array_equal(frame["psi2"].to_numpy(), C[:, 1])
    assert pl.read_parquet_metadata(path)["t"] == "1"


def test_without_labels(tmp_path: Path) -> None:
    text = write(tmp_path / "e.csv", labels=None).read_text(encoding="utf-8")
    assert text.splitlines()[0] == "id,psi1,psi2"


@pytest.mark.parametrize("name", ["e.xlsx", "e", "e.csv.gz"])
def test_other_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=f"Coordinates cannot be written as “{name}”") as caught:
        write(tmp_path / name)
    assert ".csv, .npz, .parquet" in caught.value.hint


@pytest.mark.parametrize("suffix", [".csv", ".npz", ".parquet"])
def test_unwritable_paths(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(DataError, match="cannot be written: no such file or directory"):
        write(tmp_path / "no" / f"e{suffix}")
    (tmp_path / f"d{suffix}").mkdir()
    with pytest.raises(DataError, match="cannot be written: is a directory"):
        write(tmp_path / f"d{suffix}")
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written: not a directory"):
        write(tmp_path / "file" / f"e{suffix}")
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([f"d{suffix}", "file"])


@pytest.mark.parametrize(
    "changes",
    [
        {"column_names": ["one"]},
        {"column_names": ["one", "one"]},
        {"column_names": ["id", "two"]},
        {"sample_ids": ["a"]},
        {"labels": [1, 2]},
    ],
)
def test_parts_that_do_not_fit(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="do not fit coordinates of shape"):
        write(tmp_path / "e.csv", **changes)


@settings(deadline=None, derandomize=True, max_examples=50)
@example(np.diag([0.0, -1.79e308, 1.79e308]), ".csv")
@example(np.array([[-1.79e308, 1.0], [1.79e308, 1.0], [0.5, 1.0]]), ".csv")
@given(
    coordinates=arrays(
        np.float64,
        st.tuples(st.integers(3, 6), st.integers(1, 4)),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    ),
    suffix=st.sampled_from([".csv", ".npz"]),
)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, coordinates: np.ndarray, suffix: str) -> None:
    rows, columns = coordinates.shape
    path = write_embedding(
        tmp_path_factory.mktemp("export") / f"e{suffix}",
        coordinates,
        column_names=[f"psi{i}" for i in range(columns)],
        sample_ids=[f"s{i}" for i in range(rows)],
    )
    np.testing.assert_array_equal(read_files([path]).data.Xs[0], coordinates)


def test_texts_that_are_formulas_are_escaped_and_numbers_are_not(tmp_path: Path) -> None:
    frame = pl.DataFrame({"=a": ["=1", None, 'b,"c"'], "'=a": [-1.5, 2.0, None], "-5": ["-5", "@x", ""]})
    rows = bytes(table_bytes(frame, True, {}, csv_safe=True)).decode().splitlines()
    assert rows == ["'=a,'=a,-5", "'=1,-1.5,-5", ",2.0,'@x", '"b,""c""",,""']
    assert bytes(table_bytes(frame, True, {})).decode().splitlines()[0] == "=a,'=a,-5"
    found = mvx.embed({"a": np.random.default_rng(0).normal(size=(5, 3))}, "pca", n_components=1)
    kept = replace(found, sample_ids=("=1", "b", "c", "d", "e"))
    assert kept.save(tmp_path / "a.csv", csv_safe=True).read_text("utf-8").splitlines()[1].startswith("'=1,")
    assert kept.save(tmp_path / "b.csv").read_text("utf-8").splitlines()[1].startswith("=1,")
