"""Other cores: a sweep of UCI digits in two processes against one process with one thread, the same jobs in turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from comparison import SAMPLE, Limit, sized

if TYPE_CHECKING:
    from mvexplorer.compute.remote.remote import Workers

METHODS = ("multiview", "kernel-sum", "kernel-product", "concatenation", "laplacian-mean", "single")[: sized(6, 1)]
FACTORS = np.geomspace(0.25, 4.0, sized(13, 2))


def swept(data: Any, workers: Workers, factors: Any = FACTORS, resamples: int = 1) -> tuple[float, float, list[Any]]:
    """Wall and CPU seconds of this process, and the rows."""
    from mvexplorer.state.batches.grid_sweep import GridSweep

    settings = {id: {"epsilon": "median"} for id in METHODS}
    made = GridSweep(data, settings, {"epsilon_scale": factors}, resamples=resamples)
    wall, cpu = perf_counter(), process_time()
    made.run(workers)
    return perf_counter() - wall, process_time() - cpu, made.rows()


def on_processes(data: Any, small: Any, count: int) -> tuple[float, float, list[Any]]:
    """Wall seconds, CPU seconds of all processes, and the rows."""
    from mvexplorer.compute.remote.remote_dask import DaskWorkers, workers_at

    with workers_at(f"local:{count}") as workers:
        assert isinstance(workers, DaskWorkers)
        swept(small, workers, FACTORS[:1], 3)  # imports
        before = sum(workers._client.run(process_time).values())
        wall, cpu, rows = swept(data, workers)
        return wall, cpu + sum(workers._client.run(process_time).values()) - before, rows


def in_one_process() -> tuple[float, float, list[Any]]:
    """The same of a process with one thread, as fresh as those: one that has swept before has its memory already."""
    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)  # Dask leaves it there, and a tenth of the time would go into it
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        return fresh.submit(in_a_thread).result()


def in_a_thread() -> tuple[float, float, list[Any]]:
    from mvexplorer.compute.remote.remote import Threads
    from mvexplorer.datasets.loading import load

    with Threads(1) as alone:
        swept(load("circles"), alone, FACTORS[:1], 0)
        return swept(load(SAMPLE), alone)


def two_processes() -> Mapping[str, float]:
    """How many times as fast two are; how much more CPU time one takes than a thread: what the seam itself costs.

    Two take more, since each computes the distances of each view and resampling once.
    """
    from mvexplorer.datasets.loading import load

    data, small = load(SAMPLE), load("circles")
    # In turns: a machine is not equally fast for minutes.
    wall, cpu, rows = in_one_process()
    _, cpu_1, rows_1 = on_processes(data, small, 1)
    wall_again, cpu_again, _ = in_one_process()
    wall_2, cpu_2, rows_2 = on_processes(data, small, 2)
    wall, cpu = (wall + wall_again) / 2, (cpu + cpu_again) / 2
    differ = sum(not a == b == c for a, b, c in zip(rows, rows_1, rows_2, strict=True))
    more, more_2 = (100.0 * (each / cpu - 1.0) for each in (cpu_1, cpu_2))
    return {"x": wall / wall_2, "overhead %": more, "overhead of two %": more_2, "s alone": wall, "s together": wall_2,
            "rows that differ": float(differ)}  # fmt: skip


def comparisons() -> Iterator[Limit]:
    goals = {"overhead %": 5.0, "rows that differ": 0.0}
    yield Limit("sweep: uci 13 ε x 6 methods x 2, two processes", goals, two_processes, 3, {"x": 1.7})
