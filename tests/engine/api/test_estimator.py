"""The estimator is one of scikit-learn's: what that promises of transformers holds, with one view and with several."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import mvexplorer as mvx
from mvexplorer.errors import DataError, ParameterError

DIGITS = mvx.load("uci-digits", views=["mor", "kar", "zer"])
ROWS = np.random.default_rng(0).permutation(DIGITS.n_samples)[:180]
SAMPLE = DIGITS.take(ROWS).replace(preprocess="none")
X = np.hstack(SAMPLE.Xs)
SIZES = [Z.shape[1] for Z in SAMPLE.Xs]
EPSILON = (2.0e6, 60.0, 3.0e4)


@pytest.fixture
def model():
    return mvx.MultiViewEmbedding("multiview", epsilon=EPSILON, n_components=3, eta=0.2, view_sizes=SIZES)


@parametrize_with_checks([mvx.MultiViewEmbedding(), mvx.MultiViewEmbedding("single")])
def test_what_scikit_learn_checks(estimator, check):
    check(estimator)


def views(table):
    return np.split(table, np.cumsum(SIZES)[:-1], axis=1)


def test_one_table_is_cut_into_views(model):
    expected = mvx.embed(list(SAMPLE.Xs), "multiview", epsilon=EPSILON, n_components=3, eta=0.2)
    np.testing.assert_array_equal(model.fit_transform(X), expected.coordinates)
    np.testing.assert_array_equal(model.transform(X[:7] + 0.01), expected.transform(views(X[:7] + 0.01)))
    assert (model.view_sizes_, model.n_features_in_) == (tuple(SIZES), sum(SIZES))
    assert list(model.get_feature_names_out()) == [f"view{v}_psi{k}" for v in (1, 2, 3) for k in (1, 2, 3)]


def test_without_sizes_a_table_is_one_view():
    found = mvx.MultiViewEmbedding("single").fit(X)
    np.testing.assert_array_equal(found.coordinates_, mvx.embed([X], "single").coordinates)
    assert list(found.get_feature_names_out()) == ["psi1", "psi2"]


def test_the_usual_method_is_multiview_and_for_one_view_single():
    for given, views, method in (
        ([X], None, "single"),
        (X, None, "single"),
        (SAMPLE, None, "multiview"),
        (SAMPLE, ["kar"], "single"),
    ):
        model = mvx.MultiViewEmbedding(epsilon="median", views=views).fit(given)
        assert (model.method, model.method_, model.embedding_.method) == (None, method, method)
    with pytest.raises(ParameterError):
        mvx.MultiViewEmbedding("").fit(SAMPLE)


def test_the_first_argument_of_fit_is_called_X_and_by_its_former_name_with_a_warning(model):
    with pytest.warns(DeprecationWarning, match=r"fit\(Xs=...\) is now fit\(X=...\)"):
        former = clone(model).fit(Xs=X)
    np.testing.assert_array_equal(former.coordinates_, clone(model).fit(X=X).coordinates_)
    with pytest.raises(TypeError):
        model.fit(X, Xs=X)


def test_routing_asks_for_nothing(model):
    with config_context(enable_metadata_routing=True):
        asked = model.get_metadata_routing()
        assert all(not getattr(asked, call).requests for call in ("fit", "transform", "fit_transform"))


def test_a_list_of_views_fits_and_a_table_is_placed():
    fitted = mvx.MultiViewEmbedding("kernel-sum", epsilon="median").fit(SAMPLE)
    assert fitted.embedding_.views == ("mor", "kar", "zer")
    assert fitted.n_features_in_ == X.shape[1]
    np.testing.assert_array_equal(fitted.transform(X[:5]), fitted.transform(views(X[:5])))


@pytest.mark.parametrize(
    "sizes", [[1, 2], [], [0, sum(SIZES)], [sum(SIZES), 1], "ab", [float("nan"), 3], [1.5, sum(SIZES) - 1]]
)
def test_sizes_must_cut_the_table(sizes):
    with pytest.raises(ParameterError, match=f"does not cut a table of {X.shape[1]} columns"):
        mvx.MultiViewEmbedding(view_sizes=sizes).fit(X)


def test_a_number_for_sizes_is_refused_and_numbers_for_names_are_names():
    with pytest.raises(ParameterError, match="view_sizes=3 is no sequence of numbers"):
        mvx.MultiViewEmbedding(view_sizes=3).fit(X)
    fitted = mvx.MultiViewEmbedding("kernel-sum", epsilon="median").fit({1: X[:, :6], 2: X[:, 6:]})
    assert fitted.embedding_.views == ("1", "2")
    new = {2: X[:3, 6:], 1: X[:3, :6]}
    np.testing.assert_array_equal(fitted.transform(new), fitted.transform([new[1], new[2]]))
    with pytest.raises(DataError, match="1 view is given"):
        fitted.transform([X])


@pytest.mark.parametrize(
    ("as_given", "kind"),
    [(list, "list"), (tuple, "tuple"), (lambda Xs: dict(enumerate(Xs)), "dict"), (mvx.MultiView, "MultiView")],
)
def test_sizes_beside_views_are_refused_in_a_sentence_that_names_both(as_given, kind, model):
    given = as_given([X[:, :3], X[:, 3:]])
    said = (
        rf"view_sizes=\[{', '.join(map(str, SIZES))}\] cuts one table into views, but .*: 2 views in a {kind}\. Leave"
    )
    for call in (model.fit, model.fit(X).transform):
        with pytest.raises(ParameterError, match=said):
            call(given)
    assert clone(model).fit(list(X)).embedding_.views == ("view1", "view2", "view3")


@pytest.mark.parametrize(
    ("given", "asked"), [({}, {}), ({"t": 2, "method_params": {"delta": 0.1}}, {"t": 2, "delta": 0.1})]
)
def test_none_is_the_methods_default(given, asked):
    about = {"views": ("view1", "view3"), "epsilon": "median"}
    fitted = mvx.MultiViewEmbedding("multiview", view_sizes=SIZES, **about, **given)
    expected = mvx.embed(list(SAMPLE.Xs), "multiview", **about, **asked)
    np.testing.assert_array_equal(fitted.fit_transform(X), expected.coordinates)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "multivew"}, "Did you mean multiview"),
        ({"method_params": {"dleta": 1}}, "Did you mean delta"),
        ({"method": "single", "eta": 0.1}, "Single view has no parameter called eta"),
        ({"n_components": 0}, "Coordinates"),
        ({"epsilon": "maxmin"}, "Did you mean max-min"),
        ({"epsilon": -1.0}, "bandwidth ε"),
        ({"rule_params": {"dimenson": 2}}, "Did you mean dimension"),
        ({"views": ("view9",)}, "no view called “view9”"),
        ({"views": "view1"}, "views='view1' is no sequence of names"),
        ({"views": 3}, "views=3 is no sequence of names"),
        ({"method": 3}, "no method called “3”"),
        ({"method_params": [1]}, "method_params is a mapping, not list"),
        ({"rule_params": [1]}, "rule_params is a mapping, not list"),
    ],
)
def test_what_is_wrong_is_told_by_fit(given, said):
    made = mvx.MultiViewEmbedding(**{"method": "multiview", **given})
    with pytest.raises(ValueError, match=said):
        made.fit(list(SAMPLE.Xs))


def test_before_fit_there_is_nothing_to_know(model):
    for ask in (lambda: model.transform(X), model.get_feature_names_out):
        with pytest.raises(NotFittedError, match="Call fit first"):
            ask()
    with pytest.raises(DataError):
        model.set_params(view_sizes=None).fit([X[:5], X[:6]])


def test_clone_and_pickle(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "embedding_")
    back = pickle.loads(pickle.dumps(model.fit(X)))
    np.testing.assert_array_equal(back.transform(X[:9]), model.transform(X[:9]))


def test_output_can_be_a_frame(model):
    frame = model.set_output(transform="polars").fit_transform(X)
    assert frame.columns == list(model.get_feature_names_out())


def test_search_over_bandwidths_of_several_views_before_a_classifier(model):
    """Every score against one computed by `embed` and `transform` alone, fold by fold."""
    folds, neighbours = StratifiedKFold(3), KNeighborsClassifier(3)
    choices = [tuple(factor * e for e in EPSILON) for factor in (0.1, 1.0, 10.0)]
    search = GridSearchCV(make_pipeline(model, neighbours), {"multiviewembedding__epsilon": choices}, cv=folds)
    search.fit(X, SAMPLE.labels)
    for epsilon, found in zip(choices, search.cv_results_["mean_test_score"], strict=True):
        scores = []
        for known, new in folds.split(X, SAMPLE.labels):
            e = mvx.embed(views(X[known]), "multiview", epsilon=epsilon, n_components=3, eta=0.2)
            classifier = clone(neighbours).fit(e.coordinates, SAMPLE.labels[known])
            scores.append(classifier.score(e.transform(views(X[new])), SAMPLE.labels[new]))
        assert found == pytest.approx(np.mean(scores), abs=1e-12)
    assert 0.5 < search.best_score_ <= 1.0


def test_a_search_chooses_how_many_functions_stand_for_each_view_auto_among_them():
    """Of real digits, before a classifier: every score against one computed by `embed` and `transform` alone."""
    X, labels, folds = np.hstack(SAMPLE.Xs[:2]), SAMPLE.labels, StratifiedKFold(2)
    model = mvx.MultiViewEmbedding("jointly-smooth", view_sizes=SIZES[:2], n_components=4, preprocess="zscore")
    choices = [{"n_smooth": d} for d in (5, "auto")]
    pipeline = make_pipeline(model, KNeighborsClassifier(3))
    search = GridSearchCV(pipeline, {"multiviewembedding__method_params": choices}, cv=folds, error_score="raise")
    search.fit(X, labels)
    for given, found in zip(choices, search.cv_results_["mean_test_score"], strict=True):
        scores = []
        for known, new in folds.split(X, labels):
            data = mvx.MultiView([X[known, : SIZES[0]], X[known, SIZES[0] :]], preprocess="zscore")
            e = mvx.embed(data, "jointly-smooth", n_components=4, **given)
            classifier = KNeighborsClassifier(3).fit(e.coordinates, labels[known])
            scores.append(classifier.score(e.transform([X[new, : SIZES[0]], X[new, SIZES[0] :]]), labels[new]))
        assert found == pytest.approx(np.mean(scores), abs=1e-12)
    assert search.best_score_ > 0.3  # of ten digits


@pytest.mark.parametrize("method", ["jointly-smooth", "view-specific", "difference"])
def test_what_compares_views_is_a_transformer_as_others_are(method):
    model = mvx.MultiViewEmbedding(method, view_sizes=SIZES[:2], preprocess="zscore", n_components=3)
    X = np.hstack(SAMPLE.Xs[:2])
    untouched, params = X.copy(), model.get_params()
    Y = model.fit_transform(X)
    assert (Y.shape, model.n_features_in_, model.get_params()) == ((len(X), 3), X.shape[1], params)
    np.testing.assert_array_equal(X, untouched)
    np.testing.assert_array_equal(clone(model).fit(X).coordinates_, Y)
    np.testing.assert_allclose(model.transform(X), Y, atol=1e-7 * np.abs(Y).max())
    np.testing.assert_allclose(model.transform(X[5:9]), model.transform(X)[5:9], atol=1e-9 * np.abs(Y).max())
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(X[:9]), model.transform(X[:9]))
    assert model.set_output(transform="polars").transform(X).columns == list(model.get_feature_names_out())
    with pytest.raises(ValueError, match=r"columns|features"):
        model.transform(X[:, 1:])


@pytest.mark.nightly
def test_searches_take_words_for_the_ingredients_of_a_walk():
    rng = np.random.default_rng(4)
    labels = np.arange(60) % 3
    X = np.repeat(rng.standard_normal((1, 8)), 60, axis=0) * (1.0 + labels[:, None]) + rng.standard_normal((60, 8))
    model = make_pipeline(mvx.MultiViewEmbedding("kernel-sum", view_sizes=[4, 4]), KNeighborsClassifier(3))
    words = {
        "metric": ["euclidean", "correlation"],
        "kernel": ["gaussian", "knn-10"],
        "self_loops": [True, False],
        "normalisation": ["walk", "doubly-stochastic"],
        "unit_rows": [True, False],
    }
    grid = {f"multiviewembedding__{name}": values for name, values in words.items()}
    search = GridSearchCV(model, grid, cv=StratifiedKFold(2), error_score="raise").fit(X, labels)
    assert len(search.cv_results_["params"]) == 32
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
