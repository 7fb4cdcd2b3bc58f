"""Whom one sample sees at an ε, against loops over its affinities."""

import numpy as np
import pytest

from mvexplorer.engine.analysis.reach import affinities_at, by_distance, reach, takers
from mvexplorer.engine.kernels.affinities import parse_kernel

SQUARED = np.concatenate([[0.0], np.random.default_rng(0).gamma(2.0, size=99)])


def affinity(kernel, d2, epsilon):
    """The kernel's own formula."""
    if kernel.startswith("laplacian"):
        return np.exp(-np.sqrt(d2) / np.sqrt(epsilon))
    return np.exp(-d2 / (2.0 * epsilon))


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "laplacian-l2", "correlation"])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 4.0, 1e4])
@pytest.mark.parametrize("sample", [0, 57])
def test_the_nearest_that_take_nearly_all_of_a_step(kernel, epsilon, sample):
    squared = SQUARED.copy()
    squared[0], squared[sample] = squared[sample], 0.0
    found = reach(squared, sample, parse_kernel(kernel), epsilon)
    others = sorted((d2, affinity(kernel, d2, epsilon)) for i, d2 in enumerate(squared) if i != sample)
    whole, taken, count = sum(a for _, a in others), 0.0, 0
    while taken < 0.95 * whole * (1 - 1e-12):
        taken += others[count][1]
        count += 1
    assert found.takes == count
    assert found.farthest == pytest.approx(others[count - 1][0])
    assert found.within == sum(d2 <= epsilon for d2, _ in others)
    expected = [affinity(kernel, d2, epsilon) for d2 in squared]
    np.testing.assert_allclose(found.affinities, expected, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1e4])
@pytest.mark.parametrize("most", [5, 60, 1000])
def test_the_takers_are_those_nearest_ones(kernel, epsilon, most):
    squared = SQUARED.copy()
    squared[0], squared[57] = squared[57], 0.0
    count = reach(squared, 57, parse_kernel(kernel), epsilon).takes
    nearest = [i for i in np.argsort(squared, kind="stable") if i != 57][: min(count, most)]
    assert takers(squared, 57, parse_kernel(kernel), epsilon, most).tolist() == nearest
    assert takers(np.zeros(1), 0, parse_kernel(kernel), epsilon, most).tolist() == []


def test_where_all_affinities_vanish_their_shares_do_not():
    found = reach(np.array([0.0, 1.0, 1.0, 9.0]), 0, parse_kernel("gaussian"), 1e-5)
    assert (found.takes, found.within, found.farthest) == (2, 0, 1.0)
    assert found.affinities[1:].max() < 1e-300


def test_a_wide_kernel_sees_nineteen_of_twenty():
    assert reach(SQUARED, 0, parse_kernel("gaussian"), 1e9).takes == pytest.approx(0.95 * 99, abs=1)


def test_a_sample_alone_sees_nobody():
    assert reach(np.zeros(1), 0, parse_kernel("gaussian"), 1.0).takes == 0


def test_only_kernels_of_the_distance_are_looked_at():
    kinds = {"gaussian": True, "laplacian": True, "correlation": True, "knn-5": False, "landmarks-5": False}
    kinds |= {"self-tuning": False, "precomputed": False}
    assert {text: by_distance(parse_kernel(text)) for text in kinds} == kinds
    assert affinities_at(np.array([2.0]), parse_kernel("gaussian"), 1.0) == pytest.approx([np.exp(-1.0)])
