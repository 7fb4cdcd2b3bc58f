"""All rules on all views, side by side on several threads."""

import threading

import numpy as np
import pytest

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.bandwidth import table
from mvexplorer.engine.bandwidth.survey import evaluate_rules
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey, remember_once

RULES = [rule.id for rule in bandwidth_rules()]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    names = np.repeat(["ape", "bee", "cat"], 30)
    X = 3.0 * np.eye(3)[np.arange(90) // 30] + rng.standard_normal((90, 3))
    return MultiView({"a": X, "b": X[:, :2] + 1.0, "c": X**2, "flat": np.ones((90, 2))}, labels=names)


@pytest.fixture
def pool():
    pool = BlockExecutor(3)
    yield pool
    pool.shutdown()


def test_threads_change_no_value_and_mix_up_no_notes(data, pool):
    alone = evaluate_rules(data, RULES)
    assert evaluate_rules(data, RULES, task=Task(run_all=pool.run_all)) == alone
    assert all(f"“{view}”" in alone[view]["manifold"].note for view in "abc")
    assert list(alone) == ["a", "b", "c", "flat"]
    assert list(alone["b"]) == RULES


def test_views_are_looked_at_side_by_side(data, pool, monkeypatch):
    together = threading.Barrier(3, timeout=300)
    median = table.get_rule("median").compute

    def meet(stages, i, params):
        together.wait()
        return median(stages, i, params)

    monkeypatch.setattr(table, "rule_value", lambda stages, i, *others: meet(stages, i, {}))
    told = []
    views = MultiView({n: data.Xs[k] for k, n in enumerate("abc")})
    evaluate_rules(views, ["median"], task=Task(run_all=pool.run_all), say=told.append)
    assert sorted(told) == [pytest.approx(k / 3) for k in (1, 2, 3)]


def test_who_interrupts_one_view_interrupts_all(data, pool):
    task, told = Task(run_all=pool.run_all), []

    def interrupted(fraction):
        told.append(fraction)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_rules(data, RULES, task=task, say=interrupted)
    assert task.cancelled
    assert len(told) <= 3


def test_what_one_thread_computes_others_wait_for():
    memo, key, begun, go = remember_once(), StageKey("slow", "view"), threading.Event(), threading.Event()
    calls, found = [], []

    def slow():
        calls.append(0)
        begun.set()
        assert go.wait(300)
        return 7

    threads = [threading.Thread(target=lambda: found.append(memo(key, slow))) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(300)
    assert memo(StageKey("other", "view"), lambda: 8) == 8
    go.set()
    for thread in threads:
        thread.join()
    assert (len(calls), found) == (1, [7, 7, 7])
