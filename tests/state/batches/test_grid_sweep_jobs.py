"""Which paths of a grid go where: those of one resampling to one process, which then has its distances at hand."""

import pytest

from mvexplorer.compute.batch.sweep_path import Resample
from mvexplorer.datasets.loading import load
from mvexplorer.state.batches.grid_sweep import GridSweep

METHODS = "single", "kernel-sum"


def told(processes: int, resamples: int) -> list[tuple[int, int | None]]:
    """Resampling and home of each path, in the order of beginning."""
    settings = {id: {"epsilon": "median"} for id in METHODS}
    made = GridSweep(load("circles"), settings, {"epsilon_scale": [0.5, 1.0]}, resamples=resamples)
    return [(job.number if isinstance(job, Resample) else 0, job.home) for job in made._jobs(processes)]


def test_one_process_takes_one_resampling_after_the_other():
    assert told(1, 2) == [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0), (2, 0)]


def test_as_many_resamplings_as_processes_go_side_by_side():
    assert told(2, 3) == [(0, 0), (1, 1), (0, 0), (1, 1), (2, 0), (3, 1), (2, 0), (3, 1)]


@pytest.mark.parametrize(("processes", "resamples"), [(2, 0), (4, 2)])
def test_no_process_has_nothing_to_do_for_the_sake_of_distances(processes, resamples):
    assert {home for _, home in told(processes, resamples)} == {None}


def test_those_left_over_go_to_whoever_is_free():
    assert told(2, 2)[-2:] == [(2, None), (2, None)]
