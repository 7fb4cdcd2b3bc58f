"""Numbers near the largest float32 and float64 are read as they are, without a word of NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from scipy.io import savemat

from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files

Array = npt.NDArray[np.float64]
SIDES = np.random.default_rng(0).uniform(-1.0, 1.0, (8, 6))
LARGEST = {"float32": 3.4e38, "float64": 1.79e308}


def _hdf5(path: Path, X: Array) -> None:
    with h5py.File(path, "w") as file:
        file["x"] = X


def _tables(X: Array) -> pl.DataFrame:
    return pl.DataFrame(X.astype(np.float64), schema=[f"f{i}" for i in range(X.shape[1])])


WRITERS: dict[str, Callable[[Path, Array], object]] = {
    "npy": np.save,
    "npz": lambda path, X: np.savez(path, x=X),
    "mat": lambda path, X: savemat(path, {"x": X, "labels": np.arange(8) % 2}),
    "h5": _hdf5,
    "csv": lambda path, X: _tables(X).write_csv(path),
    "parquet": lambda path, X: _tables(X).write_parquet(path),
}


@pytest.fixture(params=LARGEST)
def X(request: pytest.FixtureRequest) -> Array:
    return np.asarray((SIDES * LARGEST[request.param]).astype(request.param))


@pytest.mark.parametrize("ending", WRITERS)
def test_every_kind_of_file(tmp_path: Path, X: Array, ending: str) -> None:
    WRITERS[ending](path := tmp_path / f"x.{ending}", X)
    np.testing.assert_array_equal(read_files([path], transpose=False).data.Xs[0], X)
    (view,) = inspect_files([path], ReadOptions(transpose=False, preprocess="zscore")).views
    assert np.isfinite(view.median_scale) == (X.dtype == np.float32)  # the square of a larger one is none
    assert np.isfinite(view.prepared_scale)


def test_pictures(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    X = np.linspace(-3.4e38, 3.4e38, 24, dtype=np.float32).reshape(4, 2, 3)
    for i, values in enumerate(X):
        image.fromarray(values).save(tmp_path / f"{i}.tif")
    data = read_files([tmp_path]).data
    np.testing.assert_allclose(data.Xs[0].ravel(), np.linspace(0.0, 255.0, 24), rtol=1e-6)


@pytest.mark.parametrize("missing", ["median", "knn"])
def test_gaps_are_filled_in(tmp_path: Path, X: Array, missing: str) -> None:
    holed = X.copy()
    holed[2, 3] = np.nan
    np.save(tmp_path / "x.npy", holed)
    np.save(tmp_path / "small.npy", SIDES + 0.0 * holed)
    large, small = (read_files([tmp_path / name], missing=missing).data.Xs[0] for name in ("x.npy", "small.npy"))
    known = np.isfinite(holed)
    np.testing.assert_array_equal(large[known], X[known])
    np.testing.assert_allclose(large / large[0, 0], small / small[0, 0], rtol=1e-6)


def test_a_kernel(tmp_path: Path) -> None:
    kernel = SIDES @ SIDES.T
    for name, unit in (("small", 1.0), ("large", 1.7e308 / np.abs(kernel).max())):
        np.savez(tmp_path / f"{name}.npz", k=kernel * unit)
    small, large = (
        read_files([tmp_path / f"{name}.npz"], roles={"k": "kernel"}).data.Xs[0] for name in ("small", "large")
    )
    np.testing.assert_allclose(large / np.abs(large).max(), small / np.abs(small).max(), atol=1e-9)
