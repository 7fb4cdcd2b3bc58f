"""Eigenvalues over ε and η: against dense eigenvalues by LAPACK at every value, and whatever is refused."""

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.api import spectrum as engine
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.errors import ParameterError

N = 90
FACTORS = np.geomspace(0.25, 4.0, 40)
COUNT = 5


def given(n_views, n=N):
    Xs, epsilon = dense.views(n, n_views)
    return mvx.MultiView(Xs), epsilon


WALKS = {
    "single": (1, dense.single),
    "kernel-sum": (2, dense.kernel_sum),
    "kernel-product": (2, dense.kernel_product),
    "concatenation": (2, dense.concatenation),
    "multiview": (2, dense.multiview),
    "three views": (3, dense.multiview),
}


@pytest.mark.parametrize("name", WALKS)
def test_over_epsilon_they_are_those_of_the_dense_walk(name):
    n_views, solve = WALKS[name]
    data, epsilon = given(n_views)
    method = "multiview" if name == "three views" else name
    found = mvx.spectrum(data, method, FACTORS, epsilon=list(epsilon), n_components=COUNT)
    assert (found.method, found.parameter, found.views) == (method, "epsilon_scale", data.view_names)
    np.testing.assert_array_equal(found.values, FACTORS)
    np.testing.assert_allclose(found.epsilon, np.outer(FACTORS, epsilon), rtol=1e-12)
    expected = np.array([solve(data.Xs, factor * np.array(epsilon)).values[0][: COUNT + 1] for factor in FACTORS])
    np.testing.assert_allclose(found.eigenvalues[found.certified], expected[found.certified], atol=1e-3)
    assert found.certified.mean() > 0.25
    np.testing.assert_allclose(found.eigenvalues[[0, -1]], expected[[0, -1]], atol=1e-8)  # solved, not read


@pytest.mark.parametrize("n_views", [2, 3])
def test_over_eta_they_are_those_of_the_dense_walk(n_views):
    data, epsilon = given(n_views)
    found = mvx.spectrum(data, "multiview", None, "eta", epsilon=list(epsilon), n_components=COUNT)
    np.testing.assert_allclose(found.values, np.linspace(0.0, 1.0, 101))
    np.testing.assert_allclose(found.epsilon, np.tile(epsilon, (101, 1)))
    expected = [dense.multiview(data.Xs, epsilon, float(eta)).values for eta in found.values]
    joined = np.array([-np.sort(-np.concatenate(v))[: COUNT + 1] for v in (expected[-1],)])
    expected = np.vstack([[v[0][: COUNT + 1] for v in expected[:-1]], joined])
    np.testing.assert_allclose(found.eigenvalues[found.certified], expected[found.certified], atol=1e-3)
    assert found.certified.mean() > 0.9
    assert found.certified[[0, -1]].all()


def test_rules_choose_an_epsilon_once_and_factors_multiply_it():
    data, _ = given(2)
    found = mvx.spectrum(data, "kernel-sum", [0.5, 2.0], epsilon={"view1": "median/9", "view2": "std"})
    median, std = mvx.select_epsilon(data, "median")[0], mvx.select_epsilon(data, "std")[1]
    np.testing.assert_allclose(found.epsilon, np.outer([0.5, 2.0], [median / 9, std]))


def test_a_view_whose_kernel_has_no_epsilon_shows_none():
    data, _ = given(2)
    found = mvx.spectrum(data, "kernel-sum", [1.0, 2.0], kernel={"view2": "self-tuning"}, n_components=2)
    assert np.isfinite(found.epsilon[:, 0]).all()
    assert np.isnan(found.epsilon[:, 1]).all()


@pytest.mark.parametrize("method", ["alternating", "kernel-cca", "diffusion-representation"])
def test_methods_without_a_symmetric_pencil_are_solved_at_every_value(method):
    data, epsilon = given(2, 40)
    factors = np.geomspace(0.5, 2.0, 12)
    found = mvx.spectrum(data, method, factors, epsilon=list(epsilon), n_components=3)
    assert found.certified.all()
    for factor, values in zip(factors, found.eigenvalues, strict=True):
        each = [factor * value for value in epsilon[: len(found.views)]]
        exact = mvx.embed(data, method, views=found.views, epsilon=each, n_components=3).eigenvalues
        np.testing.assert_allclose(values, np.real(exact), atol=1e-8)


def test_of_jointly_smooth_functions_the_largest_of_chance_goes_with_every_value():
    data, epsilon = given(2, 60)
    factors = [0.5, 1.0, 2.0]
    found = mvx.spectrum(data, "jointly-smooth", factors, epsilon=list(epsilon), n_components=3, n_smooth=8)
    for factor, values, chance in zip(factors, found.eigenvalues, found.chance, strict=True):
        there = [factor * each for each in epsilon]
        exact = mvx.embed(data, "jointly-smooth", epsilon=there, n_components=3, n_smooth=8)
        np.testing.assert_allclose(values, exact.eigenvalues, atol=1e-8)
        assert chance == pytest.approx(exact.info["common_band"], abs=1e-8)
    assert found.to_frame()["chance"].to_list() == found.chance.tolist()
    other = mvx.spectrum(data, "kernel-sum", factors, epsilon=list(epsilon), n_components=3)
    assert (other.chance, "chance" in other.columns()) == (None, False)


def test_few_values_and_more_components_than_can_be_read_are_solved(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(engine, "Projection", never)
    data, epsilon = given(1)
    few = mvx.spectrum(data, "single", [0.5, 1.0, 2.0], epsilon=epsilon[0])
    many = mvx.spectrum(data, "single", np.geomspace(0.9, 1.1, 20), epsilon=epsilon[0], n_components=30)
    assert few.certified.all()
    assert many.certified.all()
    assert many.eigenvalues.shape == (20, 31)


@pytest.mark.parametrize("fails", ["between.residual_bounds", "between.interval_of", "spectrum.eigenvalues_between"])
def test_where_no_small_matrix_can_be_solved_the_walk_is(monkeypatch, fails):
    def singular(*_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(f"mvexplorer.engine.api.{fails}", singular)
    data, epsilon = given(1)
    found = mvx.spectrum(data, "single", np.geomspace(0.9, 1.1, 9), epsilon=epsilon[0], n_components=3)
    expected = [dense.single(data.Xs, value).values[0][:4] for value in found.epsilon]
    assert found.certified.all()
    np.testing.assert_allclose(found.eigenvalues, expected, atol=1e-8)


def test_what_is_read_without_certainty_says_so(monkeypatch):
    read = engine.eigenvalues_between
    monkeypatch.setattr(engine, "eigenvalues_between", lambda *given: (*read(*given)[:2], False))
    data, epsilon = given(1)
    found = mvx.spectrum(data, "single", np.geomspace(0.9, 1.1, 9), epsilon=epsilon[0], n_components=3)
    assert found.certified.tolist() == [True, *[False] * 7, True]


def test_the_default_grid_and_components():
    data, epsilon = given(1, 40)
    found = mvx.spectrum(data, "single", epsilon=epsilon[0])
    np.testing.assert_allclose(found.values, np.geomspace(1 / 8, 8, 200))
    assert found.eigenvalues.shape == (200, 13)
    few = mvx.MultiView([X[:6] for X in data.Xs])
    assert mvx.spectrum(few, "single", [1.0], epsilon=1.0).eigenvalues.shape == (1, 5)


def test_values_are_sorted_and_each_is_there_once():
    data, _ = given(1, 20)
    found = mvx.spectrum(data, "single", [2, 0.5, 2, 1], n_components=2)
    assert found.values.tolist() == [0.5, 1.0, 2.0]


def test_no_kernel_is_kept_for_other_values():
    kept = []

    def memo(key, compute):
        kept.append(key.stage)
        return compute()

    data, _ = given(2, 30)
    mvx.spectrum(data, "kernel-product", FACTORS, n_components=3, memo=memo)
    assert "distances" in kept
    assert not set(kept) & {"kernel", "product", "decomposition", "draft"}
    mvx.spectrum(data, "multiview", None, "eta", n_components=3, memo=memo)
    assert "kernel" in kept  # the same at every η


def test_it_tells_how_far_it_is_and_stops():
    data, _ = given(1, 30)
    seen = []
    mvx.spectrum(data, "single", FACTORS, n_components=3, task=Task(seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    task = Task(lambda fraction: task.cancel())
    with pytest.raises(Cancelled):
        mvx.spectrum(data, "single", FACTORS, n_components=3, task=task)


def test_a_table():
    data, epsilon = given(2, 30)
    frame = mvx.spectrum(data, "kernel-sum", FACTORS, epsilon=list(epsilon), n_components=2).to_frame()
    assert frame.columns == [
        "epsilon_scale", "epsilon:view1", "epsilon:view2", "lambda0", "lambda1", "lambda2", "certified",
    ]  # fmt: skip
    np.testing.assert_allclose(frame["epsilon:view2"].to_numpy(), FACTORS * epsilon[1])
    assert frame["certified"].to_list()[0] is True


def test_gaps_are_the_largest_steps_beside_the_trivial_eigenvalue():
    values = np.array([[1.0, 0.4, 0.3, 0.0], [1.0, 0.9, 0.2, 0.1]])
    over = engine.SpectrumOver("single", "eta", np.arange(2.0), np.ones((2, 1)), values, np.ones(2, bool), ("a",))
    after, sizes = over.gaps
    assert after.tolist() == [2, 1]
    np.testing.assert_allclose(sizes, [0.3, 0.7])
    lone = engine.SpectrumOver("single", "eta", np.arange(2.0), np.ones((2, 1)), values[:, :2], np.ones(2, bool))
    assert [each.tolist() for each in lone.gaps] == [[0, 0], [0.0, 0.0]]


def test_the_trivial_eigenvalue_that_a_method_keeps_is_none_to_look_at():
    data, epsilon = given(2)
    grid, other = FACTORS[::13], {"epsilon": list(epsilon), "n_components": COUNT}
    walk, kept = (mvx.spectrum(data, method, grid, **other) for method in ("multiview", "de-sa"))
    np.testing.assert_allclose(kept.eigenvalues[:, 0], 1.0)
    assert (walk.first, kept.first) == (1, 1)
    assert kept.gaps[0].tolist() == walk.gaps[0].tolist()


REFUSED = {
    "a parameter": (("single", [1.0], "t"), {}, "There is no spectrum over “t”. Choose epsilon_scale or eta."),
    "η of a method without": (("single", [0.5], "eta"), {}, "Single view has no parameter η. Choose multiview"),
    "η twice": (("multiview", [0.5], "eta"), {"eta": 0.1}, "A spectrum over η has no single η. Leave eta out"),
    "no effect": (("pca", [1.0]), {}, "The bandwidth ε has no effect on PCA here."),
    "a kernel without": (
        ("single", [1.0]),
        {"kernel": "self-tuning"},
        "The bandwidth ε has no effect on Single view here",
    ),
    "no values": (("single", []), {}, "The grid of a spectrum is not a list of numbers. Give numbers above 0."),
    "one number": (("single", 1.0), {}, "The grid of a spectrum is not a list of numbers."),
    "words": (("single", ["a"]), {}, "The grid of a spectrum holds more than numbers. Give numbers above 0."),
    "nothing among them": (("single", [None, {}]), {}, "The grid of a spectrum holds more than numbers."),
    "NaN": (("single", [1.0, np.nan]), {}, "A factor on all ε cannot be nan. Give numbers above 0."),
    "zero": (("single", [0.0, 1.0]), {}, "A factor on all ε cannot be 0."),
    "infinity": (("single", [np.inf]), {}, "A factor on all ε cannot be inf."),
    "below η": (("multiview", [-0.1, 0.5], "eta"), {}, "η cannot be -0.1. Give numbers from 0 to 1."),
    "above η": (("multiview", [0.5, 1.1], "eta"), {}, "η cannot be 1.1."),
    "NaN as η": (("multiview", [np.nan], "eta"), {}, "η cannot be nan."),
    "a method": (("best", [1.0]), {}, "There is no method called “best”."),
    "coordinates": (("single", [1.0]), {"n_components": 40}, "r = 40 coordinates are too many for 20 samples."),
    "an option": (("single", [1.0]), {"subsample": 10}, "subsample"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    arguments, settings, sentence = REFUSED[name]
    with pytest.raises(ParameterError) as refused:
        mvx.spectrum(given(2, 20)[0], *arguments, **settings)
    assert sentence in str(refused.value)


def test_a_method_without_eigenvalues_is_refused(monkeypatch):
    solve = engine.carry_out

    def without(*arguments):
        from dataclasses import replace

        return replace(solve(*arguments), eigenvalues=np.empty(0))

    monkeypatch.setattr(engine, "carry_out", without)
    with pytest.raises(ParameterError, match="Single view has no eigenvalues"):
        mvx.spectrum(given(1, 20)[0], "single", [1.0])
