"""Jobs that wait for a large library to be imported: nothing stops an import, so they stop right after it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.jobs.jobs import ImportJob, ScoreJob
from mvexplorer.compute.jobs.runner import Hidden
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.task import Cancelled, Task

ANGLES = np.linspace(0.0, 6.0, 40)
RING = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def closed_while_it_waits(job: Job) -> BaseException | None:
    """How a worker's job ends that was cancelled while another thread imports."""
    task = Task()
    with ThreadPoolExecutor(1) as pool:
        with IMPORTS:
            running = pool.submit(job.run, StageCache(), task)
            task.cancel()
        return running.exception()


def test_no_import_begins_that_nobody_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_in_vain.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert isinstance(closed_while_it_waits(ImportJob(("imported_in_vain",))), Cancelled)
    assert "imported_in_vain" not in sys.modules


@pytest.mark.parametrize("angle", [False, True])
def test_scores_of_a_hidden_variable_are_not_computed_to_the_end(angle: bool) -> None:
    embedding = mvx.embed([RING, RING**2], "multiview", epsilon=1.0)
    job = ScoreJob(embedding, None, Hidden("angle", ANGLES, angle))
    assert isinstance(closed_while_it_waits(job), Cancelled)
