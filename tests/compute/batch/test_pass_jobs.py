"""Passes over very many samples by workers: the digits of threads of one process, and how they end."""

import numpy as np
import pytest

from mvexplorer.compute.batch.pass_jobs import SpanJob, on_workers
from mvexplorer.compute.remote.remote import Threads
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import three_passes
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.three_passes import in_passes
from mvexplorer.errors import ComputeError


def stages_of(task=None):
    rng = np.random.default_rng(0)
    flat = rng.random((500, 2))
    data = MultiView([np.cos(flat @ rng.standard_normal((2, 5)) * 2 + i) for i in range(2)])
    kernels = [parse_kernel("landmarks-40")] * 2
    return Stages(data, (0, 1), (0.3, 0.3), {"n_components": 3, "eta": 0.2}, kernels=kernels, task=task)


def solved(stages, workers=None):
    form = get_method("multiview").landmark_form(stages)
    return in_passes(stages, form, None if workers is None else on_workers(workers, stages))


@pytest.fixture(autouse=True)
def short_spans(monkeypatch):
    monkeypatch.setattr(three_passes, "SPAN", 100)


def test_workers_find_the_digits_of_one_thread():
    alone = solved(stages_of())
    with Threads(2) as workers:
        found = solved(stages_of(), workers)
    np.testing.assert_array_equal(found.eigenvalues, alone.eigenvalues)
    for mine, theirs in zip(found.blocks, alone.blocks, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_workers_stop_where_the_answer_is_no_longer_wanted(monkeypatch):
    task, begun = Task(), []
    real = SpanJob.run

    def counted(self, cache, own):
        begun.append(1)
        if len(begun) == 3:
            task.cancel()
        return real(self, cache, own)

    monkeypatch.setattr(SpanJob, "run", counted)
    with Threads(1) as workers, pytest.raises(Cancelled):
        solved(stages_of(task), workers)
    assert len(begun) <= 5


def test_what_a_job_ended_with_is_raised(monkeypatch):
    def failing(self, cache, task):
        raise ComputeError("The file is gone.", "Open it again.")

    monkeypatch.setattr(SpanJob, "run", failing)
    with Threads(2) as workers, pytest.raises(ComputeError, match=r"The file is gone\. Open it again"):
        solved(stages_of(), workers)
