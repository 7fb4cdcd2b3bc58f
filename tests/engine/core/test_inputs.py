"""What is given in other shapes: masks, complex numbers, tables with an index, labels with gaps, estimators."""

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.jobs.runner import run_scores
from mvexplorer.engine import metrics
from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError, DataWarning, MissingValuesError
from mvexplorer.state.pictures.colouring import resolve_colouring

X, Y = dense.views(30, 2)[0]


class Frame:
    """As little of a pandas table (or column) as is asked for."""

    def __init__(self, values, index):
        self.values, self.index = np.asarray(values), np.asarray(index)

    def to_numpy(self):
        return self.values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    def __len__(self):
        return len(self.values)


def pandas_table(values, index):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(values, index=index) if np.ndim(values) == 2 else pandas.Series(values, index=index)


IDS = [f"p{i}" for i in range(30)]
ORDER = np.random.default_rng(0).permutation(30)


# --- masks and imaginary parts --------------------------------------------------------------------------------------


def test_masked_numbers_are_missing_numbers():
    masked = np.ma.masked_array(X, mask=np.zeros_like(X, dtype=bool))
    np.testing.assert_array_equal(mvx.MultiView([masked]).Xs[0], X)
    masked[3, 1] = masked[7, 0] = np.ma.masked
    with pytest.raises(MissingValuesError, match="2 of 30 rows hold missing") as caught:
        mvx.MultiView([masked, Y])
    assert caught.value.rows == (3, 7)
    with pytest.raises(DataError, match="missing"):
        mvx.embed([X], "single", epsilon=1.0).transform([masked])
    whole = np.ma.masked_array(X.astype(int), mask=np.arange(60).reshape(30, 2) == 4)
    with pytest.raises(MissingValuesError):
        mvx.MultiView([whole])


def test_missing_objects_are_missing_numbers():
    for missing in (None, float("nan"), "<NA>"):
        given = X.astype(object)
        given[4, 0] = missing
        with pytest.raises(MissingValuesError, match="1 of 30 rows"):
            mvx.MultiView([given])
    with pytest.raises(DataError, match="holds text"):
        mvx.MultiView([np.where(X[4, 0] == X, "many", X.astype(object))])


def test_imaginary_parts_are_refused_and_real_ones_taken():
    np.testing.assert_array_equal(mvx.MultiView([X + 0j]).Xs[0], X)
    for given in (X + 1e-300j, [[1, 2], [3, 4j], [5, 6]]):
        with pytest.raises(DataError, match=r"View “view1” holds complex numbers with imaginary parts\."):
            mvx.MultiView([given])
    with pytest.raises(DataError, match="imaginary"):
        mvx.embed([X], "single", epsilon=1.0).transform([X + 1j])


def test_bursts_are_read_as_views_are():
    bursts = np.repeat(X[:, None, :], 4, axis=1)
    with pytest.raises(DataError, match="imaginary"):
        mvx.MultiView([X], bursts=[bursts + 1j])
    with pytest.raises(DataError, match="missing"):
        mvx.MultiView([X], bursts=[np.ma.masked_array(bursts, mask=bursts == bursts[0, 0, 0])])


# --- tables with an index -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [Frame, pandas_table])
def test_rows_are_paired_by_their_index(table):
    first, second = table(X, IDS), table(Y[ORDER], np.array(IDS)[ORDER])
    labels, height = np.arange(30) % 3, np.linspace(0, 1, 30)
    data = mvx.MultiView(
        [first, second],
        labels=table(labels[ORDER], np.array(IDS)[ORDER]),
        columns={"height": table(height[::-1], IDS[::-1])},
    )
    np.testing.assert_array_equal(data.Xs[0], X)
    np.testing.assert_array_equal(data.Xs[1], Y)
    np.testing.assert_array_equal(data.labels, labels)
    np.testing.assert_array_equal(data.columns["height"], height)
    assert data.sample_ids == tuple(IDS)
    fitted = mvx.embed([first, second], "multiview", epsilon=1.0)
    np.testing.assert_allclose(fitted.transform([first, second]), fitted.coordinates, atol=1e-9)


@pytest.mark.parametrize("table", [Frame, pandas_table])
def test_indices_that_differ_are_refused_with_counts(table):
    other = [f"q{i}" for i in range(10)] + IDS[:20]
    with pytest.raises(
        DataError, match=r"view “view1” and view “view2” differ: 20 names are in both, 10 only in .* 10"
    ):
        mvx.MultiView([table(X, IDS), table(Y, other)])
    with pytest.raises(DataError, match=r"the views and the labels differ"):
        mvx.MultiView([table(X, IDS)], labels=table(np.arange(30), other))
    twice = [*IDS[:29], IDS[0]]
    with pytest.raises(DataError, match="several times"):
        mvx.MultiView([table(X, twice), table(Y[::-1], twice[::-1])])
    with pytest.warns(DataWarning, match="One id stands for several samples"):  # the same, in the same order
        assert mvx.MultiView([table(X, twice), table(Y, twice)]).n_samples == 30


def test_tables_without_an_index_are_in_the_order_of_the_others():
    data = mvx.MultiView([X, Frame(Y[ORDER], np.array(IDS)[ORDER])], labels=ORDER)
    np.testing.assert_array_equal(data.Xs[0], X)
    np.testing.assert_array_equal(data.Xs[1], Y[ORDER])
    assert data.sample_ids == tuple(np.array(IDS)[ORDER])


def test_whole_numbers_in_another_order_are_an_index_too():
    data = mvx.MultiView([Frame(X, range(30)), Frame(Y[ORDER], ORDER)])
    np.testing.assert_array_equal(data.Xs[1], Y)


# --- labels with gaps -----------------------------------------------------------------------------------------------

CLASSES = np.arange(30) // 10
GAPS = np.arange(30) % 4 == 3
UNLABELLED = {
    "numbers": np.where(GAPS, np.nan, CLASSES.astype(float)),
    "text": np.where(GAPS, "", CLASSES.astype(str)),
    "objects": [float("nan") if gap else str(c) for c, gap in zip(CLASSES, GAPS, strict=True)],
    "None": np.array([None if gap else str(c) for c, gap in zip(CLASSES, GAPS, strict=True)], dtype=object),
    "objects of numbers": np.array([None if gap else c for c, gap in zip(CLASSES, GAPS, strict=True)], dtype=object),
    "masked": np.ma.masked_array(CLASSES, mask=GAPS),
}


@pytest.mark.parametrize("kind", UNLABELLED)
def test_samples_without_a_label_are_left_out_everywhere(kind):
    """Scores, class rules and the legend see the very same labelled samples as if the others were not there."""
    Z = np.random.default_rng(1).standard_normal((30, 2)) + CLASSES[:, None]
    data = mvx.MultiView([Z], labels=UNLABELLED[kind])
    np.testing.assert_array_equal(labelled(data.labels), ~GAPS)
    known, classes = Z[~GAPS], CLASSES[~GAPS]
    for score in (metrics.nmi, metrics.accuracy, metrics.knn_accuracy, metrics.silhouette, metrics.calinski_harabasz):
        assert score(Z, data.labels).value == pytest.approx(score(known, classes).value, rel=1e-12), score
    assert metrics.roc_auc(dense.squared(Z), data.labels) == metrics.roc_auc(dense.squared(known), classes)
    assert scorable(data.labels)
    assert run_scores(Z, data.labels, Task()).knn == metrics.knn_accuracy(known, classes)
    for rule in ("class-geometric", "class-spectral"):
        low = {"low": 1e-2, "high": 2.0}
        unit, own_unit = (mvx.select_epsilon([W], "median")[0] for W in (known, Z))
        task = Task()
        alone = mvx.select_epsilon(mvx.MultiView([known], labels=classes), rule, task=task, **low)[0]
        scaled = {name: value * unit / own_unit for name, value in low.items()}
        assert mvx.select_epsilon(data, rule, task=task, **scaled)[0] == pytest.approx(alone, rel=1e-5)
    colours = resolve_colouring("labels", data, {})
    assert colours.classes == ("0", "1", "2", "unlabelled")
    np.testing.assert_array_equal(colours.values, np.where(GAPS, 3, CLASSES))


def test_labels_of_numbers_in_between_are_still_no_classes():
    assert not scorable(np.linspace(0, 1, 30))
    assert not scorable(np.where(GAPS, np.nan, np.linspace(0, 1, 30)))
    assert not scorable(np.full(30, np.nan))
    with pytest.raises(DataError, match="only one class"):
        metrics.nmi(X, np.full(30, np.nan))


# --- fit, then transform --------------------------------------------------------------------------------------------

THREE = [*dense.views(30, 3)[0]]
GIVEN = {
    "list": THREE,
    "mapping": {"a": THREE[0], "b": THREE[1], "c": THREE[2]},
    "MultiView": mvx.MultiView(THREE, preprocess="zscore"),
    "stack": np.stack([THREE[0], THREE[0] + 1, THREE[0] - 1]),
    "tables": [Frame(Z, IDS) for Z in THREE],
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize(
    "method", ["single", "kernel-cca", "multiview", "kernel-sum", "alternating", "pca", "cca", "mgc"]
)
def test_transform_takes_what_fit_took(method, given):
    Xs = GIVEN[given]
    estimator = mvx.MultiViewEmbedding(method, epsilon="2*median", n_components=2)
    placed = estimator.fit(Xs).transform(Xs)
    np.testing.assert_allclose(placed, estimator.coordinates_, atol=1e-7)
    np.testing.assert_allclose(estimator.fit_transform(Xs), estimator.coordinates_, atol=1e-12)


def test_only_the_views_used_will_do_and_the_others_may_be_anything():
    found = mvx.embed(THREE, "single", view="view2", epsilon="median")
    for new in ([THREE[1]], THREE, [None, THREE[1], None], {"view2": THREE[1]}):
        np.testing.assert_allclose(found.transform(new), found.coordinates, atol=1e-9)
    both = mvx.embed(THREE, "kernel-sum", views=("view3", "view1"), epsilon="median")
    for new in (THREE, [THREE[2], THREE[0]]):
        np.testing.assert_allclose(both.transform(new), both.coordinates, atol=1e-9)


def test_new_views_must_be_of_the_same_samples():
    found = mvx.embed(THREE, "kernel-sum", epsilon="median")
    with pytest.raises(DataError, match="different numbers of rows: view1 has 30, view2 has 29, view3 has 30"):
        found.transform([THREE[0], THREE[1][:29], THREE[2]])
    with pytest.raises(DataError, match=r"2 views are given\. Give 3, in the order"):
        found.transform(THREE[:2])


def test_an_array_that_nobody_can_write_to_is_not_copied():
    """Readers seal theirs: a large table would take its memory twice, and the time of a copy."""
    own = np.arange(12.0).reshape(4, 3).copy()
    own.flags.writeable = False
    assert mvx.MultiView([own]).Xs[0] is own
    assert np.shares_memory(mvx.MultiView([own[1:]]).Xs[0], own)
    changeable = np.arange(12.0).reshape(4, 3)
    window = changeable[:]
    window.flags.writeable = False
    kept = mvx.MultiView([window]).Xs[0]
    changeable[:] = 0.0
    assert kept[3, 2] == 11.0
    assert mvx.MultiView([own.astype(np.float32)]).Xs[0].dtype == np.float64
    assert mvx.MultiView([own[:, ::2]]).Xs[0].flags.c_contiguous


# --- texts that cannot be encoded -----------------------------------------------------------------------------------


@pytest.mark.parametrize("as_given", [list, lambda texts: np.array(texts, dtype=object)])
def test_texts_that_no_file_could_hold_are_made_readable(as_given):
    lost = ["\udce9", "\ud800x", *map(str, range(28))]
    data = mvx.MultiView(
        {"\udce9": X}, labels=as_given(lost), label_name="k\udce9", sample_ids=lost,
        columns={"c\udce9": as_given(lost)}, coordinates={"m\udce9": X}, feature_names=[["f\udce9", "g"]],
    )  # fmt: skip
    known = ["\\xe9", "\\ud800x", *map(str, range(28))]
    assert (data.view_names, data.label_name, data.feature_names) == (("\\xe9",), "k\\xe9", (("f\\xe9", "g"),))
    assert data.labels.tolist() == data.columns["c\\xe9"].tolist() == list(data.sample_ids) == known
    assert list(data.coordinates) == ["m\\xe9"]
    assert not data.labels.flags.writeable
