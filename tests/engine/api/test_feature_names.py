"""New samples name the features that the known ones do, or are refused in one sentence."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import mvexplorer as mvx
from mvexplorer.errors import DataError

RNG = np.random.default_rng(15)
A, B = RNG.normal(size=(14, 3)), RNG.normal(size=(14, 2))


def frames(a="abc", b="pq", rows=slice(None)):
    return [pl.DataFrame(A[rows], schema=list(a)), pl.DataFrame(B[rows], schema=list(b))]


@pytest.fixture(scope="module")
def known():
    return mvx.embed(frames(), "single", epsilon=9.0, views=["view1"])


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("abx", "“view1” are not those it was fitted on: the new samples lack “c” and have besides “x”"),
        ("acb", "“view1” stand in another order than those it was fitted on"),
    ],
)
def test_other_names_or_another_order_are_refused(known, names, says):
    with pytest.raises(DataError, match=says) as caught:
        known.transform(frames(names))
    assert caught.value.hint == "Give the columns “a”, “b”, “c”, in this order."
    with pytest.raises(DataError, match=says):
        known.transform(mvx.MultiView(frames(names)))
    with pytest.raises(DataError, match=says):
        known.transform(dict(zip(("view1", "view2"), frames(names), strict=True)))


def test_the_same_names_or_none_are_placed(known):
    expected = known.coordinates[:4]
    for new in (frames(rows=slice(4)), [A[:4], B[:4]], [A[:4]], frames(b="xy", rows=slice(4))):
        np.testing.assert_allclose(known.transform(new), expected)
    nameless = mvx.embed([A, B], "single", epsilon=9.0, views=["view1"])
    np.testing.assert_allclose(nameless.transform(frames("xyz", rows=slice(4))), expected)


def test_the_estimator_and_anndata_are_held_to_names_as_well():
    anndata = pytest.importorskip("anndata")
    import pandas as pd

    def held(names, rows=slice(None)):
        ids = [f"s{i}" for i in range(14)][rows]
        return anndata.AnnData(A[rows], obs=pd.DataFrame(index=ids), var=pd.DataFrame(index=list(names)))

    model = mvx.MultiViewEmbedding("single", epsilon=9.0).fit(held("abc"))
    np.testing.assert_allclose(model.transform(held("abc", slice(4))), model.coordinates_[:4])
    with pytest.raises(DataError, match="lack “c” and have besides “x”"):
        model.transform(held("abx", slice(4)))
    many = [pl.DataFrame(RNG.normal(size=(14, 9)), schema=[f"{stem}{i}" for i in range(9)]) for stem in "fg"]
    with pytest.raises(DataError, match=r"lack “f0”, “f1”, “f2”, “f3”, “f4” and 4 more and have"):
        mvx.embed([many[0]], "single", epsilon=9.0).transform([many[1]])
