"""Data frames of any library, AnnData, MuData and sparse matrices where Python takes data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.decomposition import PCA

import mvexplorer as mvx
from mvexplorer.errors import DataError, DataWarning

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(12, 4)), RNG.normal(size=(12, 3))
IDS = [f"patient {i}" for i in range(12)]
CLASSES = np.array(["ill", "well"] * 6)
THIN = np.where(RNG.random((12, 30)) < 0.7, 0.0, RNG.normal(size=(12, 30)))


class Stream:
    """Nothing but a stream of Arrow, as a database hands it over."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def frames(kind: str) -> list[Any]:
    """The two views, the first with its classes and ids in the way of each library; the rows of the second turned."""
    if kind == "pandas":
        pd = pytest.importorskip("pandas")
        first = pd.DataFrame(A, index=IDS, columns=list("abcd")).assign(label=pd.Categorical(CLASSES))
        return [first, pd.DataFrame(B, index=IDS, columns=list("efg")).iloc[::-1]]
    ids = {"id": IDS}
    first = pl.DataFrame({**ids, **{name: A[:, i] for i, name in enumerate("abcd")}, "label": CLASSES})
    second = pl.DataFrame({**ids, **{name: B[:, i] for i, name in enumerate("efg")}})[::-1]
    if kind == "arrow":
        pytest.importorskip("pyarrow")
    return {
        "polars": lambda: [first, second],
        "stream": lambda: [Stream(first), Stream(second)],
        "arrow": lambda: [first.to_arrow(), second.to_arrow()],
    }[kind]()


@pytest.mark.parametrize("kind", ["pandas", "polars", "stream", "arrow"])
def test_load_reads_frames_as_it_reads_files(kind: str) -> None:
    data = mvx.load(dict(zip(("first", "second"), frames(kind), strict=True)))
    assert data.view_names == ("first", "second")
    np.testing.assert_array_equal(data.Xs[0], A)
    np.testing.assert_array_equal(data.Xs[1], B)
    assert data.labels.tolist() == CLASSES.tolist()
    assert list(data.sample_ids) == IDS
    assert data.feature_names == (tuple("abcd"), tuple("efg"))


def test_columns_keep_their_names_in_a_multiview() -> None:
    frame = pl.DataFrame({"a": A[:, 0], "b": A[:, 1]})
    data = mvx.MultiView([Stream(frame), B])
    np.testing.assert_array_equal(data.Xs[0], A[:, :2])
    assert mvx.MultiView([frame, B]).feature_names == (("a", "b"), None)
    for single in (frame, Stream(frame), sparse.csr_array(THIN)):
        with pytest.raises(DataError, match="A single table is given"):
            mvx.MultiView(single)
    assert mvx.MultiViewEmbedding("single").fit(Stream(frame)).coordinates_.shape == (12, 2)


def test_a_sparse_matrix_is_reduced_or_refused() -> None:
    matrix = sparse.csr_array(THIN)
    for take in (mvx.load, lambda X: mvx.MultiView([X, A])):
        with pytest.raises(DataError, match="is sparse") as caught:
            take(matrix)
        assert 'preprocess="pca:' in caught.value.hint
    data = mvx.load(matrix, preprocess="pca:3")
    np.testing.assert_allclose(np.abs(data.Xs[0]), np.abs(PCA(3, svd_solver="full").fit_transform(THIN)), atol=1e-9)


def annotated(rows: slice = slice(None)) -> Any:
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    data = anndata.AnnData(A[rows], obs=pd.DataFrame({"cell_type": CLASSES, "age": np.arange(12.0)}, index=IDS)[rows])
    data.obsm["X_umap"], data.obsm["X_pca"] = B[rows, :2], THIN[rows]
    return data


def test_anndata_everywhere() -> None:
    data = mvx.MultiView(annotated())
    assert data.view_names == ("X", "X_pca")
    assert list(data.sample_ids) == IDS
    np.testing.assert_array_equal(data.columns["age"], np.arange(12.0))
    np.testing.assert_array_equal(data.coordinates["umap"], B[:, :2])
    loaded = mvx.load(annotated(), labels="cell_type", views=["X"])
    assert (loaded.view_names, loaded.labels.tolist()) == (("X",), CLASSES.tolist())
    expected = mvx.embed([A, THIN], epsilon=30.0).coordinates
    np.testing.assert_allclose(mvx.embed(annotated(), epsilon=30.0).coordinates, expected)
    model = mvx.MultiViewEmbedding(epsilon=30.0).fit(annotated())
    known = mvx.MultiViewEmbedding(epsilon=30.0).fit([A, THIN])
    np.testing.assert_allclose(model.transform(annotated(slice(4))), known.transform([A[:4], THIN[:4]]))


def test_mudata_with_and_without_gaps() -> None:
    mudata = pytest.importorskip("mudata")
    import anndata
    import pandas as pd

    def joined(count: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            second = anndata.AnnData(B[:count], obs=pd.DataFrame(index=IDS[:count]))
            return mudata.MuData({"rna": annotated(), "protein": second})

    data = mvx.MultiView(joined(12))
    assert data.view_names == ("rna", "rna:X_pca", "protein")
    np.testing.assert_array_equal(data.Xs[2], B)
    with pytest.raises(DataError, match="lack 3 of 12 samples") as caught:
        mvx.embed(joined(9))
    assert "mvx.load(data)" in caught.value.hint
    with pytest.warns(DataWarning, match="without protein: 3"):
        assert mvx.load(joined(9)).n_samples == 9
    united = mvx.load(joined(9), samples="union")
    assert (united.columns["filled in"] == "protein").tolist() == [False] * 9 + [True] * 3
