"""Coordinates that came with the data: shown as they are, told where they cannot do what methods do."""

import pickle

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.cost import estimate
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.errors import DataError, ParameterError

RNG = np.random.default_rng(0)
UMAP, TSNE = RNG.normal(size=(30, 2)), RNG.normal(size=(30, 3))
DATA = MultiView(
    [RNG.normal(size=(30, 4)), RNG.normal(size=(30, 3))], coordinates={"umap": UMAP, "tsne": TSNE}, labels=[0, 1] * 15
)


@pytest.mark.validates("given")
@pytest.mark.parametrize(("name", "expected"), [(None, UMAP), ("umap", UMAP), ("tsne", TSNE)])
def test_they_are_shown_as_they_are(name, expected):
    found = mvx.embed(DATA, "given", coordinates=name)
    np.testing.assert_array_equal(found.coordinates, expected)
    assert (found.views, found.epsilon, found.view_coordinates, found.warnings) == ((), (), (), ())
    assert found.eigenvalues.shape == (0,)
    assert found.params == {"coordinates": name or "umap"}
    assert found.column_names == tuple(f"{name or 'umap'}{k}" for k in range(1, expected.shape[1] + 1))
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.coordinates, expected)


def test_it_is_exported_like_any_other(tmp_path):
    found = mvx.embed(DATA, "given")
    assert found.to_frame().columns == ["id", "label", "umap1", "umap2"]
    for ending in ("csv", "npz", "parquet"):
        assert found.save(tmp_path / f"g.{ending}").is_file()
    assert "<svg" in found._repr_html_()


def test_what_it_cannot_do_is_told():
    found = mvx.embed(DATA, "given")
    with pytest.raises(ParameterError, match="Given coordinates cannot place new samples"):
        found.transform(DATA)
    with pytest.raises(ParameterError, match="No coordinates came with the data"):
        mvx.embed(MultiView(DATA.Xs), "given")
    with pytest.raises(ParameterError, match="The data came with umap, tsne"):
        mvx.embed(DATA, "given", coordinates="pca")
    with pytest.raises(ParameterError, match="Given coordinates has no parameter called n_components, t"):
        mvx.embed(DATA, "given", n_components=3, t=2)


def test_settings_of_kernels_have_no_effect():
    found = mvx.embed(DATA, "given", epsilon=3.0, kernel="knn-5", views=["view2"], subsample=10, interactive=True)
    np.testing.assert_array_equal(found.coordinates, UMAP)
    with pytest.raises(DataError, match="no view called “x”"):
        mvx.embed(DATA, "given", views=["x"])


def test_other_data_is_never_answered_from_memory():
    memo = remember_once()
    mvx.embed(DATA, "given", memo=memo)
    other = DATA.replace(coordinates={"umap": UMAP + 1.0})
    np.testing.assert_array_equal(mvx.embed(other, "given", memo=memo).coordinates, UMAP + 1.0)


def test_a_cancel_is_heard():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        mvx.embed(DATA, "given", task=task)


def test_it_costs_nothing():
    assert estimate(get_method("given"), 10**6, (), ()).bytes < 100e6


# In the data ------------------------------------------------------------------------------------------------------


def test_they_survive_what_data_goes_through():
    part = DATA.take([4, 2, 9])
    np.testing.assert_array_equal(part.coordinates["tsne"], TSNE[[4, 2, 9]])
    assert list(DATA.replace(preprocess="zscore").coordinates) == ["umap", "tsne"]
    back = pickle.loads(pickle.dumps(DATA))
    np.testing.assert_array_equal(back.coordinates["umap"], UMAP)
    assert not DATA.coordinates["umap"].flags.writeable
    assert not MultiView(DATA.Xs).coordinates


@pytest.mark.parametrize(("given", "words"), [
    (np.zeros((30, 4)), r"Coordinates “a” have shape \(30, 4\) for 30 samples. Give two or three numbers per sample."),
    (np.zeros((29, 2)), r"have shape \(29, 2\) for 30 samples"),
    (np.full((30, 2), np.nan), "Coordinates “a” hold missing or infinite values"),
    ([["x", "y"]] * 30, "Coordinates “a” holds text where numbers belong"),
])  # fmt: skip
def test_bad_coordinates_are_refused(given, words):
    with pytest.raises(DataError, match=words):
        DATA.replace(coordinates={"a": given})
