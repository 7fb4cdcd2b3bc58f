"""A file of one kind under the ending of another is called what it is, with one sentence and what to do."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import DataError

X = np.random.default_rng(0).normal(size=(12, 3))
ENDINGS = (
    ".npy",
    ".npz",
    ".mat",
    ".h5",
    ".h5ad",
    ".h5mu",
    ".parquet",
    ".feather",
    ".xlsx",
    ".xls",
    ".mseed",
    ".csv",
    ".dat",
)
PLAIN = {".npy", ".npz"}
HDF = {".h5", ".h5ad", ".h5mu", ".mat"}
SHEETS = {".xlsx", ".xls"}
COLUMNAR = {".parquet", ".feather"}


def written(write: Callable[[io.BytesIO], object]) -> bytes:
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def picture(stream: io.BytesIO) -> None:
    pytest.importorskip("PIL.Image").fromarray(np.zeros((8, 8), np.uint8)).save(stream, "PNG")


def workbook(stream: io.BytesIO) -> None:
    made = pytest.importorskip("openpyxl").Workbook()
    made.active.append([1.0, 2.0])
    made.save(stream)


def hdf(stream: io.BytesIO) -> None:
    with pytest.importorskip("h5py").File(stream, "w") as file:
        file["X"] = X


def sound(stream: io.BytesIO) -> None:
    with wave.open(stream, "wb") as file:
        file.setparams((1, 2, 40, 0, "NONE", ""))
        file.writeframes(bytes(400))


KINDS: dict[str, tuple[Callable[[io.BytesIO], object], set[str]]] = {
    "a Parquet file": (lambda s: pl.DataFrame(X).write_parquet(s), COLUMNAR),
    "an Arrow file": (lambda s: pl.DataFrame(X).write_ipc(s), COLUMNAR),
    "an array of NumPy": (lambda s: np.save(s, X), PLAIN),
    "an NPZ file": (lambda s: np.savez(s, X=X), PLAIN),
    "an HDF5 file": (hdf, HDF),
    "an Excel workbook": (workbook, SHEETS),
    "a picture": (picture, set()),
    "a sound": (sound, {".mseed"}),
}


@cache
def content(kind: str) -> bytes:
    return written(KINDS[kind][0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_wrong_ending_is_told(tmp_path: Path, kind: str, ending: str) -> None:
    if ending in KINDS[kind][1]:
        return  # its reader knows the kind
    path = tmp_path / f"file{ending}"
    path.write_bytes(content(kind))
    if ending == ".mseed":
        pytest.importorskip("obspy")
    with pytest.raises(DataError) as caught:
        load_source(path)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    if kind != "a sound":
        assert f"“file{ending}” is {kind}" in caught.value.message


@pytest.mark.parametrize("ending", [".mat", ".h5", ".hdf5"])
@pytest.mark.parametrize(("kind", "right"), [("anndata", ".h5ad"), ("MuData", ".h5mu")])
def test_a_file_of_omics_keeps_its_labels(tmp_path: Path, kind: str, right: str, ending: str) -> None:
    """It would be read as any HDF5 file, without them."""
    with pytest.importorskip("h5py").File(tmp_path / f"file{ending}", "w") as file:
        file.attrs["encoding-type"] = kind
        file["X"] = X
    with pytest.raises(DataError, match=f"is a file of {kind}, whatever its name says") as caught:
        load_source(tmp_path / f"file{ending}")
    assert f"“file{right}”" in caught.value.hint
