"""Large arrays that stand as they are within a file are mapped there; what happens to an open file is no crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mvexplorer.engine.core import maps
from mvexplorer.engine.core.maps import is_map
from mvexplorer.errors import DataError
from mvexplorer.io.arrays import hdf5
from mvexplorer.io.base import mapping
from mvexplorer.io.matlab import matvars
from mvexplorer.io.reading.files import read_files

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


CHANGES = {
    "cut off": "os.truncate(path, 3000)",
    "saved again": "shutil.copyfile(path + '.other', path)",
    "replaced": "os.replace(path + '.other', path)",
}
USES = {
    "passes": "mvx.embed(data, 'multiview', kernel='landmarks-20')",
    "one view": "mvx.embed(data, 'single', epsilon=9.0)",
    "bandwidth": "mvx.select_epsilon(data)",
    "fingerprint": "data.replace(labels=None).fingerprint",
    "preprocessing": "data.replace(preprocess='log1p')",
    "samples": "data.take([0, 200, 399])",
    "quality": "describe_quality(data)",
    "numbers": "np.asarray(data.Xs[0])",
}
CHANGED = """
import os, shutil, sys
import numpy as np
import mvexplorer as mvx
from mvexplorer.engine.core.maps import is_map
from mvexplorer.errors import DataError
from mvexplorer.io.base import mapping
from mvexplorer.io.reading.quality import describe_quality
mapping.MAP_FROM = 0
path = sys.argv[1]
data = mvx.load([path, path.replace("a.", "b.")])
assert is_map(data.Xs[0])
for _ in range(2):
    try:
        USE
    except DataError as error:
        print(error)
    if not os.path.exists(path + ".changed"):
        open(path + ".changed", "x").close()
        CHANGE
"""


def outcome(path: Path, change: str, use: str) -> tuple[int, str, str]:
    """What became of a process that uses a table before and after its file is changed."""
    tables = np.random.default_rng(0).uniform(size=(3, 400, 50))
    save = np.save if path.suffix == ".npy" else np.savez
    for name, table in zip((path, path.with_name(f"b{path.suffix}"), path.with_name("other.npy")), tables, strict=True):
        save(name, table)
    written = path.with_name("other.npy" if path.suffix == ".npy" else "other.npy.npz")
    written.rename(f"{path}.other")
    os.utime(path, ns=(5, 5))
    script = CHANGED.replace("USE", USES[use]).replace("CHANGE", CHANGES[change])
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be changed there")
@pytest.mark.parametrize(
    ("change", "kind", "use"),
    [
        pytest.param(change, kind, use, marks=[] if use in often else [pytest.mark.nightly])
        for change, kind, often in (
            ("cut off", "npy", {"passes", "one view", "preprocessing", "numbers"}),
            ("saved again", "npz", {"passes", "numbers"}),
            ("replaced", "npy", {"passes", "numbers"}),
        )
        for use in USES
    ],
)
def test_a_file_that_is_changed_while_it_is_open_is_a_sentence(
    tmp_path: Path, change: str, kind: str, use: str
) -> None:
    code, out, errors = outcome(tmp_path / f"a.{kind}", change, use)
    assert (code, out) == (0, f"“a.{kind}” was changed by another program. Open it again.\n"), errors


WHILE = """
import os, sys
import mvexplorer as mvx
from mvexplorer.engine.core.task import Task
from mvexplorer.io.base import mapping
mapping.MAP_FROM = 0
data = mvx.load(sys.argv[1])
try:
    mvx.embed(
        data, "single", kernel="landmarks-20", epsilon=9.0,
        task=Task(lambda part: os.truncate(sys.argv[1], 3000) if part > 0.4 else None),
    )
except mvx.errors.DataError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be cut off there")
def test_a_file_that_is_cut_off_while_it_is_computed_with_is_a_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(5000, 50)))
    done = subprocess.run(
        [sys.executable, "-c", WHILE, str(tmp_path / "a.npy")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "“a.npy” was changed by another program. Open it again.\n"), (
        done.stderr
    )
