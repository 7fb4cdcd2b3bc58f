"""Manifold-based vector scaling against the algorithm written out, and its bars."""

import dense
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from mvexplorer.datasets import make_noisy_swiss_roll
from mvexplorer.engine.bandwidth import manifold_scaling as module
from mvexplorer.engine.bandwidth.manifold_scaling import (
    correlation_scores,
    drawn,
    learn,
    manifold_scaling,
    max_min,
    standard_deviations,
)
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.dimension import log_sum as growth_module
from mvexplorer.engine.dimension.log_sum import log_sum_at, log_sum_range
from mvexplorer.engine.kernels.distances import squared_distances
from mvexplorer.errors import DataError, MissingValuesError, ParameterError


def sheet(n_samples=60, n_noise=3, seed=0):
    """A bent sheet seen through four features of different units, and columns of noise."""
    rng = np.random.default_rng(seed)
    u, v = rng.uniform(-1, 1, (2, n_samples))
    signal = np.column_stack((3 * u, 2 * v + u**2, 50 * np.sin(2 * u), u + v))
    return np.hstack([signal, 0.5 * rng.standard_normal((n_samples, n_noise))])


# --- the algorithm, written out -----------------------------------------------------------------------------------


def implied_dimension(D, epsilon):
    """(3.12) on the whole matrix, the diagonal included."""
    K = np.exp(-D / (2 * epsilon))
    return (D * K).sum() / (epsilon * K.sum())


def largest_dimension(Z):
    """max_ε d_ε and its place: a fine grid, and a search next to its best point."""
    D = dense.squared(Z)
    t = np.log(np.median(D[D > 0])) + np.arange(-14, 6, 0.1)
    top = t[np.argmax([implied_dimension(D, e) for e in np.exp(t)])]
    found = minimize_scalar(
        lambda s: -implied_dimension(D, np.exp(s)), bounds=(top - 0.1, top + 0.1), method="bounded",
        options={"xatol": 1e-6},
    )  # fmt: skip
    return -found.fun, np.exp(found.x)


def algorithm_3_2(X, order, d):
    """Columns, not distances; weights, final ε and implied dimensions, with the features in the given order."""
    deviation = X.std(axis=0)
    block, implied = (X[:, order[:d]] - X[:, order[:d]].mean(axis=0)) / deviation[order[:d]], {}
    for k in order[d:]:
        unit = np.sqrt(np.mean(block.std(axis=0) ** 2)) / deviation[k]
        tries = []
        for hypothesis in [10 ** (-2 + i / 4) for i in range(9)]:
            candidate = np.column_stack((block, X[:, k] * unit * hypothesis))
            tries.append((*largest_dimension(candidate), candidate))
        best = min(abs(top - d) for top, _, _ in tries)
        top, epsilon, candidate = next(t for t in reversed(tries) if abs(t[0] - d) <= best + 0.05)
        block, implied[k] = candidate / np.sqrt(epsilon), top
    weights = np.empty(len(order))
    weights[order] = block.std(axis=0) / deviation[order]
    return weights, implied


def algorithm_3_3(X, d):
    """Scores (3.14) with the max-min embedding, C = 2."""
    D = dense.squared(X)
    epsilon = 2 * max(min(r for r in row if r > 0) for row in D)
    values, psi = dense.walk(np.exp(-D / (2 * epsilon)))
    coordinates = values[1 : d + 1] * psi[:, 1 : d + 1]
    return np.array([sum(abs(np.corrcoef(x, y)[0, 1]) for y in coordinates.T) for x in X.T])


@pytest.mark.validates("rule:manifold")
@pytest.mark.parametrize(("d", "seed"), [(1, 0), (2, 0), (2, 1), (3, 2)])
def test_weights_against_the_algorithm(d, seed):
    X = sheet(seed=seed)
    found = manifold_scaling(X, dimension=d)
    weights, implied = algorithm_3_2(X, found.order, d)
    np.testing.assert_allclose(found.weights, weights, rtol=1e-3)
    assert np.isnan(found.implied[found.order[:d]]).all()
    np.testing.assert_allclose([found.implied[k] for k in found.order[d:]], list(implied.values()), rtol=1e-5)
    assert found.epsilon == pytest.approx(log_sum_range(dense.squared(X * weights)).epsilon_0, rel=1e-3)
    assert found.dimension == d
    assert found.learnt_on == 60
    np.testing.assert_array_equal(found.scale(X[:5]), X[:5] * found.weights)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("n_samples", [60, 300])
def test_order_against_the_algorithm(n_samples, d):
    X = np.vstack([sheet(n_samples), sheet(n_samples)[:5]])  # with duplicates, which max-min ignores
    scores = algorithm_3_3(X, d)
    np.testing.assert_allclose(correlation_scores(X, d, Task()), scores, rtol=1e-5)
    found = manifold_scaling(X, dimension=d)
    np.testing.assert_allclose(found.scores, scores, rtol=1e-5)
    assert list(found.order) == list(np.argsort(-scores))


def test_largest_weight_among_equals():
    """Three of nine hypotheses are within .05 of the best: the largest of them is taken."""
    found = {}

    def steepest(pairs, n_samples, task, precision):
        weight = float(np.sqrt(pairs[0]))  # the block is 0, the feature 1
        at = round(4 * np.log10(weight)) + 8
        found[at] = [2.5, 2.06, 2.04, 2.01, 1.98, 1.95, 1.9, 1.5, 2.2][at]
        return 7.0 + at, growth_module.LogSum(0.0, 0.5 * found[at], 0.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "steepest", steepest)
        patch.setattr(module, "largest_slope", lambda *given: steepest(*given, 0.0)[1].slope)
        step = module.best_step(np.zeros(1), np.ones(1), 2, 2, Task())
    assert len(found) == 9
    assert (step.weight, step.epsilon) == (pytest.approx(10**-0.75), 12.0)
    assert step.implied == 1.95


# --- what it must not depend on -----------------------------------------------------------------------------------


def same_scaling(found, expected, factor=1.0, rtol=1e-6):
    np.testing.assert_allclose(found.weights * factor, expected.weights, rtol=rtol)
    assert found.epsilon == pytest.approx(expected.epsilon, rel=rtol)
    assert list(found.order) == list(expected.order)


@pytest.mark.parametrize("factor", [3.0, 1e-180, 1e150])
def test_unit_and_position(factor):
    X = sheet()
    expected = manifold_scaling(X, dimension=2)
    same_scaling(manifold_scaling(factor * X, dimension=2), expected, factor)
    same_scaling(manifold_scaling(factor * (X + 10), dimension=2), expected, factor, rtol=1e-4)


@pytest.mark.parametrize("learn_on", [40, 500])
def test_order_of_samples_and_repetition(learn_on):
    X = sheet(80)
    expected = manifold_scaling(X, dimension=2, learn_on=learn_on)
    shuffled = X[np.random.default_rng(3).permutation(80)]
    same_scaling(manifold_scaling(shuffled, dimension=2, learn_on=learn_on), expected)
    again = manifold_scaling(X, dimension=2, learn_on=learn_on)
    assert again.weights.tolist() == expected.weights.tolist()
    assert again.epsilon == expected.epsilon


def test_learning_on_a_part():
    """The weights come from the samples drawn alone, the bandwidth from all."""
    X = sheet(200)
    rows = drawn(X, 50, 4)
    assert len(set(rows)) == 50
    found = manifold_scaling(X, dimension=2, learn_on=50, random_state=4)
    np.testing.assert_allclose(found.weights, manifold_scaling(X[rows], dimension=2).weights, rtol=1e-9)
    assert found.learnt_on == 50
    assert found.epsilon == log_sum_range(squared_distances(found.scale(X))).epsilon_0
    assert set(drawn(X, 50, 5)) != set(rows)
    assert set(drawn(X, 500, 5)) == set(range(200))


def test_constant_features_weigh_nothing():
    """Also those that rounding, or a number too small to be inverted, makes look varied."""
    X = sheet()
    expected = manifold_scaling(X, dimension=2)
    rng = np.random.default_rng(0)
    nearly = [np.full(60, 0.1), np.full(60, -3e8), 1 + 1e-15 * rng.random(60), 1e-300 * rng.random(60), np.zeros(60)]
    found = manifold_scaling(np.column_stack((nearly[0], X, *nearly[1:])), dimension=2)
    np.testing.assert_allclose(found.weights[1:8], expected.weights, rtol=1e-6)
    assert np.all(np.delete(found.weights, range(1, 8)) == 0)
    assert np.all(np.delete(found.scores, range(1, 8)) == 0)
    assert list(found.order) == [*(expected.order + 1), 0, 8, 9, 10, 11]
    assert found.epsilon == pytest.approx(expected.epsilon, rel=1e-6)
    np.testing.assert_allclose(standard_deviations(X), X.std(axis=0), rtol=1e-13)


def test_no_more_features_than_dimensions():
    """Then there is nothing to try: the features are z-scored."""
    X = sheet()[:, :2]
    found = manifold_scaling(X, dimension=2)
    np.testing.assert_allclose(found.weights, 1 / X.std(axis=0), rtol=1e-12)
    assert np.isnan(found.implied).all()
    one = manifold_scaling(X[:, 0], dimension=1)
    assert one.weights == pytest.approx(1 / X[:, 0].std())


def test_features_of_few_values():
    """The block may start with pairs at distance 0, and hold nothing else but 0 and 1."""
    rng = np.random.default_rng(0)
    X = np.column_stack((rng.integers(0, 2, 80), rng.integers(0, 3, 80), rng.random(80), rng.random(80)))
    for dimension in (1, 2, 3):
        found = manifold_scaling(X, dimension=dimension)
        assert np.all(found.weights > 0)
        assert np.isfinite(found.weights).all()
        assert 0 < found.epsilon < np.inf


# --- how much it costs --------------------------------------------------------------------------------------------


def test_few_bandwidths_per_hypothesis(monkeypatch):
    passes = []
    monkeypatch.setattr(growth_module, "log_sum_at", lambda *args: passes.append(args) or log_sum_at(*args))
    X = sheet(100, 20)
    learn(X / X.std(axis=0), np.arange(24), 2, Task())
    assert 9 * 22 <= len(passes) <= 9 * 22 * 8


def cancelled_after(end):
    task = Task(lambda fraction: task.cancel() if fraction > end else None)
    return task


def test_progress_and_cancelling():
    X, seen = sheet(), []
    manifold_scaling(X, task=Task(seen.append))
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (pytest.approx(0, abs=0.1), 1.0)
    for end in (0.05, 0.12, 0.5, 0.9):
        with pytest.raises(Cancelled):
            manifold_scaling(X, task=cancelled_after(end))


# --- the dimension, given or estimated ----------------------------------------------------------------------------


def test_estimated_dimension():
    """DANCo's, on the samples drawn; columns that are constant do not disturb it."""
    task = Task()
    roll = make_noisy_swiss_roll(noise=0).Xs[0]
    found = manifold_scaling(roll, task=task)
    assert found.dimension == 2
    assert found.weights[:10].min() > 0
    assert np.all(found.weights[10:] == 0)
    assert not task.warnings


def test_a_doubtful_estimate_is_told():
    task = Task()
    found = manifold_scaling(make_noisy_swiss_roll().Xs[0], task=task)
    assert found.dimension > 5
    (code, text), *rest = task.warnings
    assert code == "dimension"
    assert f"DANCo finds {found.dimension} on 500 samples" in text
    assert not rest


def test_the_highest_estimate_is_told():
    """Noise of 30 dimensions looks the same at every scale, and not at all like the ten that are tried."""
    task, X = Task(), np.random.default_rng(0).standard_normal((250, 30))
    assert manifold_scaling(X, task=task).dimension == 10
    assert "the most it tries" in dict(task.warnings)["dimension"]
    quiet = Task()
    assert manifold_scaling(X[:, :10], dimension=10, task=quiet).dimension == 10
    assert not quiet.warnings


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9])
def test_all_samples_equal(constant):
    with pytest.raises(DataError, match=r"No feature varies.*Leave the view out"):
        manifold_scaling(np.full((50, 3), constant))


def test_parameters_are_checked():
    X = np.hstack([sheet(), np.ones((60, 4))])
    with pytest.raises(ParameterError, match=r"d̂ = 8 exceeds the number of features that vary, 7. Give at most 7"):
        manifold_scaling(X, dimension=8)
    with pytest.raises(ParameterError, match=r"5 samples are too few for 4 coordinates"):
        manifold_scaling(X, dimension=4, learn_on=5)
    for arguments in (
        {"dimension": 0}, {"dimension": 1.5}, {"dimension": "two"}, {"learn_on": 2}, {"random_state": -1},
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=r"Give a whole number"):
            manifold_scaling(X, **arguments)
    assert manifold_scaling(X, dimension=None).dimension == 2


def test_too_few_samples_for_an_estimate():
    for X in (sheet(8), np.repeat(sheet(8), 10, axis=0)):
        with pytest.raises(DataError, match=r"DANCo looks at 11 neighbours.*give the dimension yourself"):
            manifold_scaling(X)
        assert np.isfinite(manifold_scaling(X, dimension=2).epsilon)


def test_missing_values():
    X = sheet()
    X[0, 0] = np.inf
    with pytest.raises(MissingValuesError):
        manifold_scaling(X)


def test_max_min_by_hand():
    """Points 0, 1, 3, 7: the loneliest is 7, at 4 from its neighbour; C = 2, and duplicates are not neighbours."""
    X = np.array([[0.0], [1.0], [3.0], [7.0], [7.0]])
    assert max_min(squared_distances(X), Task()) == pytest.approx(32.0, rel=1e-12)


# --- bars ---------------------------------------------------------------------------------------------------------


def weight_of_noise(seed, learn_on):
    """Mean weight of the noisy roll's ten columns of noise over that of its ten signals."""
    weights = manifold_scaling(make_noisy_swiss_roll(random_state=seed).Xs[0], dimension=2, learn_on=learn_on).weights
    return weights[10:].mean() / weights[:10].mean()


@pytest.mark.nightly
@pytest.mark.parametrize("seeds", [1, pytest.param(9, marks=pytest.mark.slow)])
def test_noise_weighs_little_where_all_samples_are_learnt_from(seeds):
    """With half of them the weight, a thing of the features' units, is up to .4 for some seeds; the s.d. is not."""
    assert max(weight_of_noise(seed, 1000) for seed in range(seeds)) <= 0.3


@pytest.mark.nightly
def test_bins_choose_the_weights_that_exact_slopes_would(monkeypatch):
    passes, choose = [], module.steepest
    monkeypatch.setattr(module, "steepest", lambda *given: passes.append(0) or choose(*given))
    rng, taken = np.random.default_rng(0), set()
    for _ in range(60):
        d, n = int(rng.integers(1, 5)), 60
        block = dense.squared(rng.standard_normal((n, d)))[np.triu_indices(n, 1)]
        feature = dense.squared(rng.standard_normal((n, 1)) ** int(rng.integers(1, 4)))[np.triu_indices(n, 1)]
        step = module.best_step(block, feature, n, d, Task())
        exact = [2.0 * choose(block + w**2 * feature, n, Task())[1].slope for w in module.HYPOTHESES]
        misses = np.abs(np.array(exact) - d)
        best = int(np.flatnonzero(misses <= misses.min() + module.ABOUT_EQUAL)[-1])
        assert step.weight == module.HYPOTHESES[best]
        assert step.implied == pytest.approx(exact[best], abs=1e-6)
        taken.add(best)
    assert len(taken) > 3
    assert len(passes) < 0.6 * 60 * len(module.HYPOTHESES)
