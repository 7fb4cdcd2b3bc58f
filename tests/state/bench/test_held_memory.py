"""What the memory is made of: every kind once, and all of it."""

import os
import sys

import numpy as np
import pytest

from mvexplorer.children import resident
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey
from mvexplorer.state.bench.held_memory import memory_by_kind
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands
from mvexplorer.state.session.settings import Settings


@pytest.fixture
def bench():
    made = Workbench(Settings(), keeps_settings=False)
    yield made
    made.controller.shutdown()


def table(bench, **more):
    return {held.kind: held.bytes for held in memory_by_kind(bench, **more)}


def store(cache, stage, length):
    cache.memo(Task())(StageKey(stage, (stage,)), lambda: np.ones(length))


def test_kept_results_are_told_by_kind(bench):
    cache = bench.controller.cache
    for stage, length in (("kernel", 1000), ("product", 500), ("distances", 300), ("draft", 200), ("median", 10)):
        store(cache, stage, length)
    found = table(bench)
    assert found["Kernels and their products"] == 12_000
    assert found["Distances"] == 2400
    assert found["Embeddings, with those of a drag's steps"] == 1600
    assert found["Other intermediate results"] == 80


def test_data_counts_once_with_all_that_undo_brings_back(bench):
    X = np.random.default_rng(0).normal(size=(40, 3))
    first, second = MultiView([X, X[:, :2]]), MultiView([X[:, :1], X])
    for data in (first, second):
        commands.open_data(bench.document, data, commands.initial_state(data, ("memory",), None, False))
    expected = sum(X.nbytes for data in (first, second) for X in data.Xs)
    assert table(bench)["Data, with what undo brings back"] == expected
    bench.document.undo()
    assert table(bench)["Data, with what undo brings back"] == expected


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_all_kinds_sum_up_to_what_the_process_holds(bench):
    found = table(bench, pictures=5_000_000)
    assert found["Pictures on screen"] == 5_000_000
    assert found["Code of the program and its libraries"] > 10_000_000
    assert sum(found.values()) == pytest.approx(resident(os.getpid()), rel=0.05)
