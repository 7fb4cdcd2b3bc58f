"""A sweep's cells start from the answers between which they lie, and leave theirs for others."""

from dataclasses import replace

import numpy as np
import pytest

from mvexplorer.compute.batch import sweep_path
from mvexplorer.compute.batch.sweep_path import SweepPath
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import anchors_for, run_request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.datasets import make_helix_a
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError

DATA = make_helix_a(n_samples=600, random_state=0)


def at(epsilon, method="multiview"):
    return Request(DATA, plan(get_method(method), DATA, epsilon=epsilon, params={"n_components": 4}))


@pytest.mark.parametrize("method", ["multiview", "kernel-sum"])
def test_answers_of_a_sweep_are_anchors_for_what_comes_after_it(method):
    cache, task = StageCache(), Task()
    assert anchors_for(at(1.2, method), cache) == ()
    SweepPath((at(1.0, method), at(2**0.5, method))).run(cache, task)
    before, behind = anchors_for(at(1.2, method), cache)
    assert sorted(float(np.exp(a.position[0])) for a in (before, behind)) == pytest.approx([1.0, 2**0.5])
    assert anchors_for(at(5.0, method), cache) == ()


def test_a_cell_between_anchors_needs_fewer_products_for_the_same_answer():
    cache = StageCache()
    SweepPath((at(1.0), at(2**0.5))).run(cache, Task())
    (found,) = SweepPath((at(1.2),)).run(cache, Task())
    anchored = replace(at(1.2), start=anchors_for(at(1.2), cache))
    between, cold = (run_request(request, StageCache(), Task()) for request in (anchored, at(1.2)))
    assert between.products < 0.7 * cold.products
    np.testing.assert_allclose(between.embedding.eigenvalues, cold.embedding.eigenvalues, atol=1e-9)
    np.testing.assert_allclose(found.start.eigenvalues, cold.embedding.eigenvalues, atol=1e-9)


def test_cells_of_resamplings_leave_no_anchors():
    cache = StageCache()
    SweepPath((at(1.0), at(2**0.5)), whole=False).run(cache, Task())
    assert anchors_for(at(1.2), cache) == ()


def test_a_path_takes_as_long_as_its_cells_and_as_much_as_the_largest():
    requests = at(1.0, "single"), at(1.0, "multiview")
    each = [request.plan.cost(1 << 30) for request in requests]
    whole = SweepPath(requests).cost(1 << 30)
    assert whole.bytes == max(cost.bytes for cost in each)
    assert whole.seconds == pytest.approx(sum(cost.seconds for cost in each))
    assert SweepPath(requests, stability=True).cost(1 << 30).seconds == pytest.approx(3.0 * whole.seconds)


def test_a_cell_keeps_its_scores_where_there_is_no_picture_at_another_epsilon(monkeypatch):
    run = sweep_path.run_request

    def fails(request, *rest):
        if request.epsilon != at(1.0).epsilon:
            raise ParameterError("There is no picture.", "Raise ε.")
        return run(request, *rest)

    monkeypatch.setattr(sweep_path, "run_request", fails)
    (found,) = SweepPath((at(1.0),), stability=True).run(StageCache(), Task())
    (alone,) = SweepPath((at(1.0),)).run(StageCache(), Task())
    assert found.scores == alone.scores
    assert found.scores.stability is None
