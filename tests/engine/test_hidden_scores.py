"""Scores against a hidden variable, by formulas of their own; and what cannot be scored."""

import cmath
import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr
from sklearn.neighbors import KNeighborsRegressor

from mvexplorer.engine.hidden_scores import first_spearman, knn_r2, knn_resultant, ring_gap, ring_order
from mvexplorer.engine.metrics import knn_accuracy
from mvexplorer.errors import DataError


@pytest.fixture
def cloud():
    """Coordinates (80, 3) that tell a variable and an angle, both noisily."""
    rng = np.random.default_rng(4)
    angle = rng.uniform(0, 2 * np.pi, 80)
    Y = np.column_stack([np.cos(angle), np.sin(angle), rng.normal(size=80)])
    return Y + 0.1 * rng.normal(size=Y.shape), angle, 3.0 * Y[:, 2] + 0.5 * rng.normal(size=80) - 7.0


def left_out(Y, i):
    return np.delete(Y, i, axis=0)


@pytest.mark.parametrize("k", [1, 4, 10])
def test_r2_is_that_of_scikit_learns_regression_one_sample_left_out_at_a_time(cloud, k):
    Y, _, values = cloud
    guessed = [
        KNeighborsRegressor(k, algorithm="brute").fit(left_out(Y, i), left_out(values, i)).predict(Y[i : i + 1])[0]
        for i in range(len(Y))
    ]
    wrong = sum((v - g) ** 2 for v, g in zip(values, guessed, strict=True))
    expected = 1.0 - wrong / sum((v - values.mean()) ** 2 for v in values)
    assert knn_r2(Y, values, n_neighbors=k).value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("k", [1, 4, 10])
def test_the_resultant_is_the_length_of_the_mean_direction(cloud, k):
    Y, angle, _ = cloud
    lengths = []
    for i in range(len(Y)):
        others = [j for j in range(len(Y)) if j != i]
        near = sorted(others, key=lambda j: float(((Y[i] - Y[j]) ** 2).sum()))[:k]
        c, s = (sum(f(angle[j]) for j in near) / k for f in (np.cos, np.sin))
        lengths.append(np.hypot(c, s))
    assert knn_resultant(Y, angle, n_neighbors=k).value == pytest.approx(sum(lengths) / len(Y), abs=1e-10)


def test_the_rank_correlation_is_scipys(cloud):
    Y, _, values = cloud
    rounded = np.round(values)  # many ties
    for seen in (values, rounded, -values):
        assert first_spearman(Y, seen).value == pytest.approx(abs(spearmanr(Y[:, 0], seen).statistic), abs=1e-10)


def on_a_ring(Y):
    """Angles as METHODS has them, sample by sample: centred, both axes scaled to equal range, the range centred."""
    columns = []
    for k in (0, 1):
        x = [y - sum(Y[:, k]) / len(Y) for y in Y[:, k]]
        x = [value / (max(x) - min(x)) for value in x]
        columns.append([value - (max(x) + min(x)) / 2 for value in x])
    return [math.atan2(y, x) for x, y in zip(*columns, strict=True)]


def test_the_order_round_a_ring_and_its_widest_gap_are_those_of_plain_loops(cloud):
    Y, angle, _ = cloud
    places, M = on_a_ring(Y), len(Y)
    ranks, truth = rankdata(places), rankdata(angle)
    each = [
        abs(sum(cmath.exp(2j * math.pi * (r - sign * a) / M) for r, a in zip(ranks, truth, strict=True))) / M
        for sign in (1, -1)
    ]
    assert ring_order(Y, angle).value == pytest.approx(max(each), abs=1e-10)
    assert ring_order(Y * [1.0, -1.0, 1.0], angle).value == pytest.approx(max(each), abs=1e-10)
    assert 0.9 < max(each) < 1.0
    sorted_places = sorted(places)
    gaps = [b - a for a, b in pairwise(sorted_places)] + [sorted_places[0] + 2 * math.pi - sorted_places[-1]]
    assert ring_gap(Y).value == pytest.approx(max(gaps), abs=1e-10)


def test_a_ring_that_is_cut_open_has_a_wide_gap_and_keeps_its_order():
    around = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    whole, torn = (np.column_stack([np.cos(a), np.sin(a)]) for a in (around, 0.7 * around))
    assert ring_gap(whole).value == pytest.approx(2 * np.pi / 200, rel=0.05)
    assert ring_gap(torn).value > 1.5
    behind = 0.7 * (around - np.pi)  # open where angles jump from π to -π
    assert ring_gap(np.column_stack([np.cos(behind), np.sin(behind)])).value > 1.3
    assert ring_order(torn, around).value > 0.95
    assert ring_order(whole, np.random.default_rng(0).permutation(around)).value < 0.2


@pytest.mark.nightly
def test_the_spread_is_the_standard_error_over_the_samples(cloud):
    """Against the spread of scores of random halves, which is as large; those of neighbours against their formulas."""
    Y, angle, values = cloud
    rng = np.random.default_rng(0)
    for score, truth in ((ring_order, angle), (first_spearman, Y[:, 0] + rng.normal(size=80))):
        drawn = [score(Y[rows], truth[rows]).value for rows in (rng.permutation(80)[:40] for _ in range(300))]
        assert 0.5 < score(Y, truth).spread / np.std(drawn) < 2.0
    guessed = [
        KNeighborsRegressor(10, algorithm="brute").fit(left_out(Y, i), left_out(values, i)).predict(Y[i : i + 1])[0]
        for i in range(80)
    ]
    errors, around = (values - guessed) ** 2, (values - values.mean()) ** 2
    drawn = [1.0 - errors[rows].sum() / around[rows].sum() for rows in rng.integers(0, 80, (2000, 80))]
    assert knn_r2(Y, values).spread == pytest.approx(np.std(drawn), rel=0.25)
    found = knn_accuracy(Y, values > 0.0)
    assert found.spread == pytest.approx(np.sqrt(found.value * (1.0 - found.value) / 79), abs=1e-12)


def test_a_ring_needs_two_coordinates_and_may_lie_on_a_line():
    for score in (ring_gap, lambda Y: ring_order(Y, np.arange(9.0))):
        with pytest.raises(DataError, match=r"These numbers need 2 coordinates, and r is 1\. Make r larger"):
            score(np.zeros((9, 1)))
    assert ring_gap(np.zeros((9, 2))).value == pytest.approx(2 * np.pi)
    assert ring_gap(np.column_stack([np.arange(9.0), np.zeros(9)])).value == pytest.approx(np.pi)


def test_a_turn_of_the_angle_or_another_unit_changes_nothing(cloud):
    Y, angle, values = cloud
    assert knn_resultant(Y, angle + 2.0).value == pytest.approx(knn_resultant(Y, angle).value, abs=1e-12)
    assert knn_r2(Y, 1e6 * values - 3.0).value == pytest.approx(knn_r2(Y, values).value, abs=1e-10)
    assert first_spearman(Y, np.exp(values)) == first_spearman(Y, values)


@pytest.mark.parametrize("score", [knn_r2, knn_resultant, first_spearman])
def test_samples_without_a_value_are_left_out(cloud, score):
    Y, _, values = cloud
    holes = values.copy()
    holes[::7] = np.nan
    holes[3] = np.inf
    known = np.isfinite(holes)
    assert score(Y, holes).value == pytest.approx(score(Y[known], values[known]).value, abs=1e-12)


def test_samples_at_one_place_tell_each_others_values():
    place = np.repeat(np.arange(5.0), 12)[:, None]
    assert knn_r2(place, place[:, 0]).value == 1.0
    assert knn_resultant(place, place[:, 0]).value == pytest.approx(1.0)
    with_noise = place[:, 0] + np.tile([-0.1, 0.1], 30)
    assert 0.9 < knn_r2(place, with_noise, n_neighbors=11).value < 1.0


def test_neighbours_at_random_tell_nothing():
    rng = np.random.default_rng(0)
    Y, values, angle = rng.normal(size=(3000, 3)), rng.normal(size=3000), rng.uniform(0, 2 * np.pi, 3000)
    assert knn_r2(Y, values).value == pytest.approx(-0.1, abs=0.06)  # the variance of a mean of ten
    assert knn_resultant(Y, angle).value == pytest.approx(0.28, abs=0.02)
    assert first_spearman(Y, values).value < 0.06
    assert first_spearman(np.ones((40, 2)), values[:40]).value == 0.0


@pytest.mark.parametrize("score", [knn_r2, knn_resultant, first_spearman])
@pytest.mark.parametrize("values", [np.full(20, 3.0), np.full(20, np.nan), np.zeros(20, dtype=int)])
def test_a_variable_that_does_not_vary_is_refused(score, values):
    with pytest.raises(DataError, match="The variable is the same for every sample"):
        score(np.arange(40.0).reshape(20, 2), values)


@pytest.mark.parametrize("score", [knn_r2, knn_resultant])
def test_too_few_samples_are_refused(score):
    Y = np.arange(20.0).reshape(10, 2)
    with pytest.raises(DataError, match="10 neighbours cannot be found among 10 samples"):
        score(Y, Y[:, 0])
    with pytest.raises(DataError, match="0 neighbours"):
        score(Y, Y[:, 0], n_neighbors=0)
    assert score(Y, Y[:, 0], n_neighbors=9).value <= 1.0


@pytest.mark.parametrize("score", [knn_r2, knn_resultant, first_spearman])
def test_words_are_no_numbers(score):
    with pytest.raises(DataError, match="not made of numbers"):
        score(np.arange(6.0).reshape(3, 2), ["a", "b", "c"])


def test_ties_tell_nothing_and_samples_without_coordinates_are_left_out(cloud):
    Y, angle, _ = cloud
    around = np.sort(angle)
    assert ring_order(np.zeros((80, 2)), around).value < 1e-9
    assert ring_order(np.column_stack([np.sign(Y[:, 0]), np.zeros(80)]), around).value < 0.7
    torn = Y.copy()
    torn[7] = np.nan
    kept = np.delete(np.arange(80), 7)
    assert ring_order(torn, angle) == ring_order(Y[kept], angle[kept])
    assert ring_gap(torn) == ring_gap(Y[kept])
    with pytest.raises(DataError, match="No sample has coordinates here"):
        ring_gap(np.full((5, 2), np.nan))


def test_of_few_samples_there_is_no_spread(cloud):
    """It would be next to nothing, and the best of panels would be one by chance."""
    Y, angle, values = (each[:7] for each in cloud)
    scores = (ring_order(Y, angle), ring_gap(Y), first_spearman(Y, values), knn_r2(Y, values, n_neighbors=3))
    assert all(score.spread is None for score in scores)
