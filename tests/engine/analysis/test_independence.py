"""Independent coordinates: against a loop, against another package's numbers, and on a strip that is known."""

import json
import pickle
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import mvexplorer as mvx
from mvexplorer.engine.analysis.independence import residuals_of
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.distances import median_squared_distance
from mvexplorer.engine.pipeline.magnitudes import to_unit

RNG = np.random.default_rng(0)
DATAFOLD = Path(__file__).parents[2] / "data" / "datafold-residuals.json"


def looped(Y):
    """The residuals by one weighted least squares problem per sample."""
    n, r = Y.shape
    found = np.ones(r)
    for k in range(1, r):
        X = Y[:, :k]
        squared = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
        epsilon = (np.median(np.sqrt(squared[np.triu_indices(n, 1)])) / 3.0) ** 2
        predicted = np.empty(n)
        for i in range(n):
            weights = np.exp(-squared[i] / epsilon)
            weights[i] = 0.0
            root = np.sqrt(weights)[:, None]
            plane = np.column_stack([np.ones(n), X - X[i]])
            predicted[i] = np.linalg.lstsq(plane * root, Y[:, k] * root[:, 0], rcond=None)[0][0]
        found[k] = np.sqrt(((Y[:, k] - predicted) ** 2).sum() / (Y[:, k] ** 2).sum())
    return found


def modes():
    x, y = (axis.ravel() for axis in np.meshgrid((np.arange(40) + 0.5) / 40, (np.arange(10) + 0.5) / 10))
    along, across = np.cos(np.pi * x), np.cos(np.pi * y)
    return np.column_stack(
        [along, np.cos(2 * np.pi * x), np.cos(3 * np.pi * x), across, along * across, np.cos(4 * np.pi * x)]
    )


@pytest.mark.parametrize("name", ["independent", "on a curve", "of unlike sizes"])
def test_residuals_are_those_of_a_loop(name):
    u = RNG.uniform(size=150)
    Y = {
        "independent": RNG.normal(size=(150, 5)),
        "on a curve": np.column_stack([np.cos(np.pi * k * u) for k in range(1, 7)]),
        "of unlike sizes": RNG.normal(size=(150, 4)) * [1.0, 1e-6, 1e3, 1.0],
    }[name]
    np.testing.assert_allclose(mvx.independence(Y).residuals, looped(Y), atol=1e-10)


def test_residuals_agree_with_another_package():
    """It has a wider ε, and keeps the sample itself in its own regression, so that it finds a little less."""
    published = json.loads(DATAFOLD.read_text(encoding="utf-8"))["residuals"]
    residuals = residuals_of(to_unit(modes()), lambda squared: median_squared_distance(squared) / 3.0, Task())
    np.testing.assert_allclose(residuals, published, atol=0.02)


def test_on_a_strip_the_bends_have_the_residuals_of_the_authors_bandwidth():
    """With the median of the squared distances over three, which is three times wider, they are .18, .35 and .40."""
    strip = np.random.default_rng(5).uniform(size=(500, 2)) * [6.0, 1.0]
    picture = mvx.embed([strip], "single", n_components=8)
    np.testing.assert_allclose(mvx.independence(picture.coordinates).residuals[1:4], [0.06, 0.09, 0.06], atol=0.01)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("epsilon", ["median/10", "median/30"])
def test_a_short_side_is_no_bend(epsilon, seed):
    """Local planes tell up to two thirds of the coordinate across a strip, and nearly all of a bend."""
    g = np.random.default_rng(seed)
    strip = g.uniform(size=(600, 2)) * [2.5, 1.0]
    picture = mvx.embed([strip], "single", epsilon=epsilon, n_components=8)
    facts = mvx.independence(picture.coordinates)
    axis = facts.next_axis(0)
    assert abs(np.corrcoef(picture.coordinates[:, axis], strip[:, 1])[0, 1]) > 0.6
    assert facts.bends[0] == 1


def test_what_bends_is_told_from_what_is_new():
    found = mvx.independence(modes())
    assert found.bends == (1, 2, 4, 5)
    assert (found.next_axis(), found.next_axis(after=3)) == (3, None)
    assert np.array_equal(pickle.loads(pickle.dumps(found)).residuals, found.residuals)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_on_a_noisy_strip_the_short_side_is_found(seed):
    g = np.random.default_rng(seed)
    strip = np.column_stack([g.uniform(0.0, 5.0, 1000), g.uniform(0.0, 1.0, 1000), np.zeros(1000)])
    found = mvx.embed([strip + 0.1 * g.normal(size=strip.shape)], "single", epsilon="median/10", n_components=8)
    told = mvx.independence(found.coordinates)
    assert {1, 2, 3} <= set(told.bends)
    assert told.residuals[1] < 0.1
    axis = told.next_axis(0)
    assert abs(np.corrcoef(found.coordinates[:, axis], strip[:, 1])[0, 1]) > 0.7
    assert abs(np.corrcoef(found.coordinates[:, 1], strip[:, 1])[0, 1]) < 0.1


def test_what_says_nothing_has_no_residual():
    Y = RNG.normal(size=(60, 4))
    Y[:, 2] = 7.0
    Y[:, 3] = Y[:, 1]
    Y[5] = np.nan
    told = mvx.independence(Y)
    assert told.n_samples == 59
    assert np.isnan(told.residuals[2])
    assert told.residuals[3] < 1e-10
    assert told.bends == (3,)
    few = mvx.independence(RNG.normal(size=(5, 8))).residuals
    assert np.isfinite(few[:3]).all()
    assert np.isnan(few[3:]).all()
    assert np.isnan(mvx.independence(np.ones((9, 3))).residuals).all()
    with pytest.raises(mvx.errors.DataError, match="at least three samples"):
        mvx.independence(Y[:2])


def test_a_twin_or_a_far_sample_takes_no_other_with_it():
    """A plane through one neighbour only has no slope, instead of one of rounding."""
    Y = RNG.normal(size=(80, 3))
    Y[0] = 1e6
    Y[1:40] = Y[1]
    assert np.isfinite(mvx.independence(Y).residuals).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("units", [1e200, 1e-200, (1.0, 1e-50, 1e-200)])
def test_residuals_do_not_depend_on_units(units):
    Y = np.random.default_rng(0).normal(size=(50, 3))
    first = mvx.independence(Y if np.isscalar(units) else Y * [1.0, 1e-50, 1e-100]).residuals
    np.testing.assert_allclose(mvx.independence(Y * units).residuals, first, rtol=1e-6)


def test_of_many_samples_a_random_part_is_looked_at():
    Y = RNG.normal(size=(3000, 2))
    Y[:, 1] = Y[:, 0] ** 2 - 1.0
    first, second = (mvx.independence(Y, random_state=seed) for seed in (0, 1))
    assert first.n_samples == 1000
    assert first.residuals[1] != second.residuals[1]
    assert first.residuals[1] == pytest.approx(second.residuals[1], abs=0.05)
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        mvx.independence(Y, task=task)


@pytest.mark.timing
def test_eight_coordinates_take_a_tenth_of_a_second():
    """On a machine that is slow just then twenty medians of as many distances: seven are among what it computes."""
    Y = RNG.normal(size=(1000, 8))
    taken, control = [], []
    for _ in range(15):
        for work, times in ((lambda: mvx.independence(Y), taken), (lambda: np.median(pdist(Y)), control)):
            start = time.thread_time()
            work()
            times.append(time.thread_time() - start)
    assert min(taken) < max(0.1, 20 * min(control))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 7])
def test_the_median_distance_is_that_of_numpy(n):
    D = np.square(np.subtract.outer(np.arange(n) ** 1.5, np.arange(n) ** 1.5))
    assert median_squared_distance(D) == (1.0 if n == 1 else np.median(D[np.triu_indices(n, 1)]))


def test_groups_far_from_each_other_are_no_shape_that_bends():
    """Any coordinate that is level in each of three groups follows from another one that is."""
    random = np.random.default_rng(3)
    corners = np.array([[0.0, 0.0], [1.0, 0.2], [0.4, 1.0]])
    triangle = np.repeat(corners, 60, axis=0) + 0.02 * random.standard_normal((180, 2))
    found = mvx.independence(triangle - triangle.mean(axis=0))
    assert found.bends == (1,)
    assert (found.grouped, found.harmonics) == ((1,), ())
    u = np.linspace(0.0, np.pi, 180)
    horseshoe = np.column_stack([np.cos(u), np.cos(2.0 * u)]) + 0.02 * random.standard_normal((180, 2))
    found = mvx.independence(horseshoe)
    assert (found.harmonics, found.grouped) == ((1,), ())
    lone = np.vstack([horseshoe, [[5.0, 5.0]]])  # one sample is no group
    assert mvx.independence(lone).grouped == ()


@pytest.mark.parametrize("spread", [0.03, 0.1, 0.2])
@pytest.mark.parametrize("rule", ["robust", "median/10"])
def test_no_drawn_coordinate_of_three_clusters_in_a_triangle_is_a_harmonic(spread, rule):
    """A plane fitted around each sample joins two clusters: its residual says how far these are from each other."""
    random = np.random.default_rng(1)
    corners = np.repeat(np.array([[0.0, 0.0], [1.0, 0.1], [0.45, 0.9]]), 60, axis=0)
    picture = mvx.embed([corners + spread * random.normal(size=(180, 2))], "single", epsilon=rule, n_components=6)
    assert 1 not in mvx.independence(picture.coordinates).harmonics


def test_nor_are_those_of_the_six_clusters_of_blobs():
    data = mvx.load("blobs")
    for picture in (mvx.embed(data, "single", views=["view1"]), mvx.embed(data, "kernel-product")):
        told = mvx.independence(picture.coordinates)
        assert 1 in told.bends
        assert told.harmonics == ()


def test_a_ring_with_gaps_is_no_cluster():
    """It lies in arcs far from each other, and its second frequency runs up and down in each."""
    angle = np.linspace(0.0, 2.0 * np.pi, 400)
    angle = angle[(angle % np.pi) > 0.5]
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.cos(2.0 * angle)])
    told = mvx.independence(ring - ring.mean(axis=0))
    assert (told.harmonics, told.grouped) == ((2,), ())
