"""Recipes: each one's explicit values, what wins over them, and what they leave as it is."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api.approximation import approximation_error
from mvexplorer.engine.api.recipe_table import METHODS_MEASURED, TABLE
from mvexplorer.engine.api.recipes import KEEP_LOOPS, takes_kernels, with_recipe
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import ParameterError

M = 40
LAPLACIANS = [m.id for m in methods() if any(p.name == "graph" for p in m.params)]
COMPUTED = [m for m in methods() if not m.shows_given]


@pytest.fixture
def data():
    """Three views of five, four and two columns, in two groups."""
    drawn = np.random.default_rng(5)
    groups = 2.0 * (np.arange(M) % 2)[:, None]
    signs = np.array([1.0, -1.0, 0.5, 2.0, -2.0])
    Xs = [drawn.normal(size=(M, D)) + groups * signs[:D] for D in (5, 4, 2)]
    return mvx.MultiView(Xs, view_names=["a", "b", "c"])


def with_a_constant_row(data):
    X = np.array(data.Xs[1])
    X[7] = 3.0
    return data.replace(Xs=[data.Xs[0], X, data.Xs[2]])


@pytest.mark.parametrize("method", COMPUTED, ids=lambda m: m.id)
def test_a_recipe_names_only_parameters_that_the_method_has(method, data):
    own = {p.name for p in method.params}
    for recipe in mvx.recipes():
        values = recipe.values(method, data)
        assert set(values) - {"kernel"} <= own
        assert ("kernel" in values) == takes_kernels(method)


@pytest.mark.parametrize("method", COMPUTED, ids=lambda m: m.id)
def test_as_in_the_paper_is_every_default(method, data):
    values = mvx.recipes()["paper"].values(method, data)
    defaults = {p.name: p.default for p in method.params}
    assert {n: v for n, v in values.items() if n != "kernel"} == {n: defaults[n] for n in values if n != "kernel"}
    assert set(values.get("kernel", {}).values()) <= {"gaussian"}
    plain, named = (mvx.embed(data, method.id, recipe=recipe) for recipe in (None, "paper"))
    np.testing.assert_array_equal(plain.coordinates, named.coordinates)
    assert (plain.params, plain.kernels) == (named.params, named.kernels)


def test_on_the_sphere_has_unit_rows_and_no_loops_but_where_a_method_loses_by_it(data):
    sphere = mvx.recipes()["sphere"]
    assert sphere.values("kernel-sum", data) == {
        "kernel": {"a": "gaussian", "b": "gaussian", "c": "gaussian"},
        "self_loops": False, "normalisation": "walk", "unit_rows": True, "t": 0,
    }  # fmt: skip
    for id in KEEP_LOOPS:
        assert sphere.values(id, data)["self_loops"] is None
    assert sphere.values("pca", data) == {"unit_rows": True}
    assert sphere.values("given", data) == {}


@pytest.mark.parametrize("method", LAPLACIANS)
def test_a_graph_of_neighbours_has_no_loops_to_leave_out(method, data):
    recipe = mvx.recipes()["sphere"]
    assert recipe.values(method, data)["self_loops"] is None
    settings, _ = with_recipe("sphere", get_method(method), data, {"graph": "kernel"})
    assert settings["self_loops"] is False


@pytest.mark.parametrize("method", ["laplacian-mean", "co-regularized"])
def test_the_graph_of_neighbours_is_that_of_the_metric(method, data):
    by_recipe = mvx.embed(data, method, recipe="neighbours", views=["a", "b"])
    by_metric = mvx.embed(data, method, metric="correlation", unit_rows=True, views=["a", "b"])
    euclidean = mvx.embed(data, method, unit_rows=True, views=["a", "b"])
    np.testing.assert_array_equal(by_recipe.eigenvalues, by_metric.eigenvalues)
    assert not np.allclose(by_recipe.eigenvalues, euclidean.eigenvalues)


def test_neighbours_walk_to_ten_by_correlation(data):
    recipe = mvx.recipes()["neighbours"]
    assert recipe.values("kernel-sum", data)["kernel"] == {
        "a": "knn-10@correlation", "b": "knn-10@correlation", "c": "knn-10",
    }  # fmt: skip
    embedding = mvx.embed(data, "kernel-sum", epsilon=0.2, recipe="neighbours", views=["a", "b"])
    np.testing.assert_allclose(np.linalg.norm(embedding.coordinates, axis=1), 1.0)
    expected = _walk(data, 0.2)
    np.testing.assert_allclose(embedding.eigenvalues[1:3], expected, atol=1e-10)
    assert embedding.kernels == ("knn-10@correlation",) * 2
    assert "recipe" not in embedding.params


def _walk(data, epsilon):
    """The two largest eigenvalues below 1 of the sum of Gaussians on 10 neighbours by correlation, without loops."""
    total = np.zeros((M, M))
    for X in data.Xs[:2]:
        Z = X - X.mean(axis=1, keepdims=True)
        Z /= np.linalg.norm(Z, axis=1, keepdims=True)
        d2 = np.maximum(2.0 - 2.0 * Z @ Z.T, 0.0)
        np.fill_diagonal(d2, np.inf)
        near = np.zeros((M, M), dtype=bool)
        for i in range(M):
            near[i, np.argsort(d2[i])[:10]] = True
        total += np.where(near | near.T, np.exp(-d2 / (2.0 * epsilon)), 0.0)
    root = np.sqrt(total.sum(axis=1))
    return np.linalg.eigvalsh(total / np.outer(root, root))[::-1][1:3]


def test_a_recipe_is_the_call_with_its_values(data):
    for recipe in mvx.recipes():
        for method in ("single", "kernel-product", "multiview", "alternating", "jade"):
            named = mvx.embed(data, method, recipe=recipe.id)
            explicit = mvx.embed(data, method, **recipe.values(method, data))
            np.testing.assert_array_equal(named.coordinates, explicit.coordinates)
            assert (named.params, named.kernels) == (explicit.params, explicit.kernels)


def test_views_that_cannot_have_the_metric_stay_euclidean_and_a_notice_says_which(data):
    told = dict(mvx.embed(data, "kernel-sum", recipe="neighbours").warnings)["recipe"]
    assert told == "View “c” stays Euclidean: the metric correlation needs at least 3 columns."
    assert told.level == "info"
    constant = with_a_constant_row(data)
    embedding = mvx.embed(constant, "kernel-sum", recipe="neighbours")
    assert embedding.kernels == ("knn-10@correlation", "knn-10", "knn-10")
    said = dict(embedding.warnings)["recipe"]
    assert said.startswith("View “b” stays Euclidean: some samples have the same value in every column")
    assert said.endswith("View “c” stays Euclidean: the metric correlation needs at least 3 columns.")


def test_a_row_that_preprocessing_makes_differ_is_not_constant(data):
    constant = with_a_constant_row(data).replace(preprocess="zscore")
    assert mvx.recipes()["neighbours"].values("kernel-sum", constant)["kernel"]["b"] == "knn-10@correlation"


def test_only_views_that_are_used_are_spoken_of(data):
    assert not any(key.startswith("recipe") for key, _ in mvx.embed(data, "single", recipe="neighbours").warnings)
    told = dict(mvx.embed(data, "single", view="c", recipe="neighbours").warnings)
    assert "recipe" in told


def test_what_is_given_wins(data):
    given = {"views": ["a", "b"], "epsilon": "median", "recipe": "neighbours"}
    assert mvx.embed(data, "kernel-sum", t=1, **given).params["t"] == 1
    assert mvx.embed(data, "kernel-sum", self_loops=True, **given).params["self_loops"] is None
    kernels = {
        "gaussian": ("gaussian@correlation",) * 2,
        "laplacian@cosine": ("laplacian@cosine",) * 2,
        "a:self-tuning": ("self-tuning@correlation", "knn-10@correlation"),
        "a:correlation": ("correlation", "knn-10@correlation"),
    }
    for kernel, expected in kernels.items():
        assert mvx.embed(data, "kernel-sum", kernel=kernel, **given).kernels == expected
    assert mvx.embed(data, "kernel-sum", kernel=["gaussian", "knn-5"], **given).kernels == (
        "gaussian@correlation", "knn-5@correlation",
    )  # fmt: skip
    assert mvx.embed(data, "kernel-sum", metric="euclidean", **given).kernels == ("knn-10",) * 2
    assert mvx.embed(data, "kernel-sum", metric={"a": "cosine"}, **given).kernels == (
        "knn-10@cosine", "knn-10@correlation",
    )  # fmt: skip


def test_a_kernel_of_its_own_distances_keeps_them(data):
    table = np.exp(-(np.subtract.outer(np.arange(M), np.arange(M)) ** 2) / 50.0)
    both = mvx.MultiView([data.Xs[0], table], view_names=["a", "table"])
    embedding = mvx.embed(both, "kernel-sum", kernel={"table": "precomputed"}, recipe="neighbours")
    assert embedding.kernels == ("knn-10@correlation", "precomputed")
    assert dict(embedding.warnings)["recipe"] == "View “table” keeps the distances of its own kernel."


def test_landmarks_keep_their_loops(data):
    embedding = mvx.embed(data, "kernel-sum", kernel="landmarks-20", recipe="sphere", views=["a", "b"])
    assert embedding.params["self_loops"] is None
    assert embedding.params["unit_rows"] is True
    assert dict(embedding.warnings)["recipe"] == "Views “a” and “b” by landmarks: self-loops are kept."


def test_the_metric_matters_where_a_method_sees_one_view_only(data):
    single = mvx.embed(data, "single", view="b", views=["a"], recipe="neighbours")
    assert (single.views, single.kernels) == (("b",), ("knn-10@correlation",))


def test_an_unknown_recipe_is_refused_with_those_there_are(data):
    with pytest.raises(ParameterError, match="There is no recipe called “neighbors”") as refused:
        mvx.embed(data, "kernel-sum", recipe="neighbors")
    assert "paper, sphere, neighbours. Did you mean neighbours?" in str(refused.value)


def test_everything_that_embeds_takes_recipes(data):
    given = {"views": ["a", "b"], "epsilon": "median"}
    values = mvx.recipes()["sphere"].values("kernel-sum", data, ["a", "b"])
    model = mvx.MultiViewEmbedding("kernel-sum", recipe="sphere", **given).fit(data)
    np.testing.assert_array_equal(model.coordinates_, mvx.embed(data, "kernel-sum", **values, **given).coordinates)
    assert mvx.MultiViewEmbedding("kernel-sum", recipe="sphere", t=2, **given).fit(data).embedding_.params["t"] == 2
    labelled = data.replace(labels=np.arange(M) % 2)
    calls = {
        "sweep": lambda **k: mvx.sweep(labelled, "kernel-sum", {"n_components": [2, 3]}, scores=["knn"], **k).rows(),
        "tune": lambda **k: [step.epsilon for step in mvx.tune(data, "kernel-sum", **k)],
        "null_test": lambda **k: [b.real for b in mvx.null_test(labelled, "kernel-sum", score="knn", n=2, **k).views],
        "stability": lambda **k: mvx.stability(data, "kernel-sum", n=2, **k).number,
        "spectrum": lambda **k: mvx.spectrum(data, "kernel-sum", [0.5, 1.0], n_components=3, **k).eigenvalues.tolist(),
        "approximation": lambda **k: approximation_error(data, "kernel-sum", subsample=30, **k).describe(),
    }  # fmt: skip
    for name, call in calls.items():
        assert call(recipe="sphere", **given) == call(**values, **given), name


def test_a_sweep_says_what_a_recipe_leaves_and_its_grid_wins(data):
    labelled = data.replace(labels=np.arange(M) % 2)
    with pytest.warns(UserWarning, match="View “c” stays Euclidean"):
        frame = mvx.sweep(labelled, ["kernel-sum", "multiview"], {"t": [0, 1]}, scores=["knn"], recipe="neighbours")
    assert frame["t"].to_list() == [0, 1, 0, 1]


def test_the_table_has_a_row_for_every_recipe():
    assert [row.recipe for row in TABLE if row.recipe] == [recipe.id for recipe in mvx.recipes()]
    assert all(len(row.scores) == len(METHODS_MEASURED) for row in TABLE)


def test_digits_are_told_apart_better_by_neighbours_than_as_in_the_paper():
    digits = mvx.load("uci-digits").take(np.arange(0, 2000, 4))
    paper, neighbours = (
        mvx.metrics.nmi(
            mvx.embed(digits, "kernel-sum", recipe=recipe, n_components=9).coordinates, digits.labels
        ).value
        for recipe in ("paper", "neighbours")
    )  # fmt: skip
    assert neighbours >= 0.84
    assert neighbours > paper + 0.02
