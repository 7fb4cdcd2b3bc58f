"""Masks that say which views have which samples, in files of NumPy, HDF5 and omics."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

from mvexplorer.errors import DataError
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.reading.inspection import inspect_files
from mvexplorer.io.reading.questions import offers_of

M = 24
RNG = np.random.default_rng(3)
A, B, C = (RNG.normal(size=(M, width)) + 5 for width in (4, 6, 5))
PRESENT = np.ones((M, 3), dtype=bool)
PRESENT[[2, 9], 0] = PRESENT[[5, 9], 1] = PRESENT[20, 2] = False
WHOLE = PRESENT.all(axis=1)
LABELS = np.arange(M) % 3


def npz(path: Path, arrays: dict[str, Any]) -> Path:
    np.savez(path.with_suffix(".npz"), **arrays)
    return path.with_suffix(".npz")


def hdf(path: Path, arrays: dict[str, Any]) -> Path:
    h5py = pytest.importorskip("h5py")
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return path.with_suffix(".h5")


def mat(path: Path, arrays: dict[str, Any]) -> Path:
    savemat(path.with_suffix(".mat"), arrays)
    return path.with_suffix(".mat")


def h5ad(path: Path, arrays: dict[str, Any]) -> Path:
    anndata = pytest.importorskip("anndata")
    arrays = dict(arrays)
    made = anndata.AnnData(X=arrays.pop("a"), obs={"label": arrays.pop("label").astype(str)})
    made.obsm.update(arrays)
    made.write_h5ad(path.with_suffix(".h5ad"))
    return path.with_suffix(".h5ad")


def h5mu(path: Path, arrays: dict[str, Any]) -> Path:
    anndata, mudata = pytest.importorskip("anndata"), pytest.importorskip("mudata")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about what mudata will do differently one day
        made = mudata.MuData({name: anndata.AnnData(X=arrays[name]) for name in "abc"})
    made.obs["label"] = arrays["label"].astype(str)
    made.obsm.update({name: X for name, X in arrays.items() if name not in (*"abc", "label")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.write(path.with_suffix(".h5mu"))
    return path.with_suffix(".h5mu")


def lacking(filler: float) -> list[np.ndarray]:
    """The views with rows of `filler` where they lack a sample."""
    return [np.where(has[:, None], X, filler) for X, has in zip((A, B, C), PRESENT.T, strict=True)]


def check(path: Path | list[Path]) -> None:
    paths = path if isinstance(path, list) else [path]
    loaded = read_files(paths)
    assert loaded.data.n_views == 3
    assert any(f"{WHOLE.sum()} of {M} samples are in all views" in note for note in loaded.notes)
    for X, expected in zip(loaded.data.Xs, (A, B, C), strict=True):
        np.testing.assert_allclose(X, expected[WHOLE])
    assert loaded.data.labels is not None
    assert loaded.data.labels.astype(int).tolist() == LABELS[WHOLE].tolist()
    united = read_files(paths, samples="union").data
    assert united.n_samples == M
    assert (united.columns["filled in"] == "no view").tolist() == WHOLE.tolist()
    np.testing.assert_allclose(united.Xs[0][PRESENT[:, 0]], A[PRESENT[:, 0]])


@pytest.mark.parametrize("write", [npz, hdf, h5ad, h5mu])
@pytest.mark.parametrize(
    ("name", "mask", "filler"),
    [
        ("mask", PRESENT.astype("u1"), 0.0),
        ("mask", PRESENT, 7.0),
        ("missing", ~PRESENT, 7.0),
        ("W", PRESENT.astype("f8"), np.nan),
    ],
)
def test_a_mask_beside_the_views(tmp_path: Path, write: Any, name: str, mask: np.ndarray, filler: float) -> None:
    if name == "W" and write in (h5ad, h5mu):
        pytest.skip("only its name tells a key of obsm to be a mask")
    a, b, c = lacking(filler)
    path = write(tmp_path / "set", {"a": a, "b": b, "c": c, "label": LABELS, name: mask})
    check(path)
    found = inspect_files([path])
    assert [view.name for view in found.views][1:] == ["b", "c"]


@pytest.mark.parametrize("write", [npz, hdf])
def test_a_mask_across_and_lists_of_row_numbers(tmp_path: Path, write: Any) -> None:
    a, b, c = lacking(np.nan)
    check(write(tmp_path / "across", {"a": a, "b": b, "c": c, "label": LABELS, "ind": PRESENT.T}))
    for first in (0, 1):
        gone = np.flatnonzero(~WHOLE) + first
        check(write(tmp_path / f"list{first}", {"a": a, "b": b, "c": c, "label": LABELS, "gone": gone}))


@pytest.mark.parametrize("write", [npz, hdf])
def test_a_mask_in_a_file_of_its_own(tmp_path: Path, write: Any) -> None:
    data = write(tmp_path / "set", dict(zip((*"abc", "label"), (*lacking(5.5), LABELS), strict=True)))
    check([data, write(tmp_path / "set_mask", {"present": PRESENT})])
    np.save(tmp_path / "mask.npy", PRESENT)
    check([data, tmp_path / "mask.npy"])
    np.save(tmp_path / "mask.npy", PRESENT[:8])
    with pytest.raises(DataError, match="is 8 x 3 for 24 samples and 3 views"):
        read_files([data, tmp_path / "mask.npy"])


def test_what_is_no_mask_stays_a_view(tmp_path: Path) -> None:
    binary = RNG.random((M, 6)) < 0.5
    binary[:2] = True
    path = npz(tmp_path / "set", {"a": A, "b": B, "c": C, "bits": binary, "label": LABELS})
    assert read_files([path]).data.view_names == ("a", "b", "c", "bits")
    path = npz(tmp_path / "set", {"a": A, "b": B, "c": C, "mask": PRESENT, "label": LABELS})
    assert read_files([path], roles={"mask": "view"}).data.n_views == 4
    assert read_files([path], views=("a", "mask")).data.view_names == ("a", "mask")
    np.save(tmp_path / "model.npy", binary)
    assert read_files([tmp_path / "model.npy"]).data.view_names == ("model",)


@pytest.mark.parametrize("name", ["mask", "a_mask"])
@pytest.mark.parametrize("write", [npz, hdf, h5ad, mat])
def test_a_mask_that_fits_no_views_is_left_out(tmp_path: Path, write: Any, name: str) -> None:
    """Such as one of the numbers of a view; an offer takes it as a view."""
    mask = np.zeros((M, 7), dtype=np.uint8)
    mask[4] = 1
    path = write(tmp_path / "set", {"a": A, "b": B, "label": LABELS, name: mask})
    loaded = read_files([path])
    assert loaded.data.n_views == 2
    (note,) = [note for note in loaded.notes if note.code == "left-out"]
    assert f"“{name}” (24 x 7) looks like a mask, but does not say which views have which samples" in note
    (offer,) = offers_of(note)
    assert name in read_files([path], **offer.options).data.view_names
