"""Large arrays that stand as they are within a file are mapped there; what happens to an open file is no crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.engine.core import maps
from mvexplorer.engine.core.maps import is_map
from mvexplorer.errors import DataError
from mvexplorer.io import hdf5, mapping, matvars
from mvexplorer.io.files import read_files

X = np.random.default_rng(0).normal(size=(60, 5))
LABELS = np.arange(60) % 3


@pytest.fixture(autouse=True)
def everything_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Maps of a few rows at a time, for the smallest of files."""
    monkeypatch.setattr(mapping, "MAP_FROM", 0)
    for module in (hdf5, matvars):  # another process would not know of it
        monkeypatch.setattr(module, "in_child", lambda function, room: function(room))
    monkeypatch.setattr(maps, "BLOCK_BYTES", 8 * 5 * 7)


def npz(path: Path, **arrays: Any) -> Path:
    np.savez(path.with_suffix(".npz"), **arrays)
    return path.with_suffix(".npz")


def hdf(path: Path, **arrays: Any) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        for name, array in arrays.items():
            file[f"group/{name}"] = array
    return path.with_suffix(".h5")


def mat73(path: Path, **arrays: Any) -> Path:
    h5py = pytest.importorskip("h5py")
    path = path.with_suffix(".mat")
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, array in arrays.items():
            file[name] = np.atleast_2d(array).T.astype(float) if array.ndim == 2 else array[None].astype(float)
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
    return path


WRITERS = [npz, hdf, mat73]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_arrays_within_files_are_mapped(tmp_path: Path, write: Any, dtype: str) -> None:
    table = X.astype("f8" if write is mat73 else dtype)
    data = read_files([write(tmp_path / "set", X=table, Y=LABELS)]).data
    assert is_map(data.Xs[0])
    np.testing.assert_array_equal(data.Xs[0], table)
    assert data.labels is not None
    assert data.labels.astype(int).tolist() == LABELS.tolist()


def test_folded_arrays_are_read(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", X=X)
    assert not is_map(read_files([tmp_path / "a.npz"]).data.Xs[0])
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("X", data=X, chunks=(10, 5), compression="gzip")
        file.create_dataset("Z", data=X.astype(">f8"))
    for view in read_files([tmp_path / "b.h5"]).data.Xs:
        assert not is_map(view)
        np.testing.assert_array_equal(view, X)


@pytest.mark.parametrize("write", [npz, hdf])
def test_a_file_that_ends_early_is_a_sentence(tmp_path: Path, write: Any) -> None:
    path = write(tmp_path / "set", X=X)
    path.write_bytes(path.read_bytes()[:1500])
    with pytest.raises(DataError, match="damaged"):
        read_files([path])


CUT = """
import os, sys
from mvexplorer.engine.core import maps
from mvexplorer.errors import DataError
from mvexplorer.io import hdf5, mapping, matvars
mapping.MAP_FROM = 0
import mvexplorer as mvx
data = mvx.load(sys.argv[1])
assert maps.is_map(data.Xs[0])
os.truncate(sys.argv[1], 3000)
for use in (lambda: mvx.embed(data, "single"), lambda: data.fingerprint):
    try:
        use()
    except DataError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be cut off there")
@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_a_file_that_is_cut_off_while_it_is_open_is_a_sentence(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    table = np.random.default_rng(0).normal(size=(400, 50))
    np.save(path, table) if kind == "npy" else np.savez(path, a=table)
    done = subprocess.run([sys.executable, "-c", CUT, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("was cut off while it was open") == 2, done.stdout
