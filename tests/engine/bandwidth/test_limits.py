"""The places on a slider at which a verdict changes, against the verdicts on either side of them."""

from itertools import pairwise

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.bandwidth.curves import MOST_ALONE
from mvexplorer.engine.bandwidth.facts import view_facts
from mvexplorer.engine.bandwidth.limits import limits
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.kernels.affinities import parse_kernels
from mvexplorer.engine.pipeline.stages import Stages, remember_once

RANDOM = np.random.default_rng(4)
CLOUD = RANDOM.standard_normal((150, 3)) * [3.0, 1.0, 1.0]


def limits_of(X, kernel="gaussian"):
    data = MultiView([X])
    return limits(Stages(data, [0], (1.0,), kernels=parse_kernels(kernel, data.view_names), memo=remember_once()), 0)


def facts_at(X, epsilon, kernel):
    data = MultiView([X])
    stages = Stages(data, [0], (epsilon,), kernels=parse_kernels(kernel, data.view_names), memo=remember_once())
    return view_facts(stages, 0)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "laplacian-l2", "correlation", "landmarks-60"])
def test_the_verdict_changes_where_they_say(kernel):
    found = limits_of(CLOUD, kernel)
    assert 0.0 < found.isolated_below < found.wide_above < np.inf
    for factor, isolated in ((0.9, True), (1.1, False)):
        assert (facts_at(CLOUD, factor * found.isolated_below, kernel).alone > MOST_ALONE) == isolated
    if kernel != "landmarks-60":  # of those an approximation is judged at rest, whose tails are rougher
        for factor, wide in ((0.9, False), (1.1, True)):
            facts = facts_at(CLOUD, factor * found.wide_above, kernel)
            assert (facts.neighbours > facts.others / 3) == wide
    at = facts_at(CLOUD, 2.5, kernel)
    assert found.contrast(2.5) == pytest.approx(at.contrast, rel=1e-12)


def test_few_nearest_neighbours_are_never_wide_but_may_be_isolated():
    found = limits_of(CLOUD, "knn-8")
    assert found.wide_above == np.inf
    assert limits_of(CLOUD, "knn-80").wide_above < np.inf
    assert facts_at(CLOUD, 0.8 * found.isolated_below, "knn-8").alone > MOST_ALONE
    assert facts_at(CLOUD, 1.2 * found.isolated_below, "knn-8").alone <= MOST_ALONE


def test_a_view_is_flat_above_an_epsilon_that_depends_on_the_view_beside_it():
    data = MultiView({"a": CLOUD, "b": CLOUD[:, ::-1] * 2.0})
    found = limits_of(CLOUD)
    beside = mvx.regimes(data, {"a": 1.0, "b": "median/9"})[1].facts.contrast
    border = found.flat_above(beside)
    for factor, flat in ((0.97, False), (1.03, True)):
        regime = mvx.regimes(data, {"a": factor * border, "b": "median/9"})[0]
        assert (regime.regime == "flat") == flat
    assert found.flat_above(0.0) == np.inf


def test_stretches_go_from_end_to_end_without_two_alike_in_a_row():
    found = limits_of(CLOUD)
    ranges = found.ranges(5.0, 1e-4, 1e4)
    assert [word for *_, word in ranges] == ["isolated", "local", "wide", "flat"]
    assert ranges[0][0] == 1e-4
    assert ranges[-1][1] == 1e4
    assert all(one[1] == other[0] for one, other in pairwise(ranges))
    assert [found.word((a * b) ** 0.5, found.flat_above(5.0)) for a, b, _ in ranges] == [w for *_, w in ranges]
