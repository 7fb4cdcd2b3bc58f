"""Other cores: a sweep of UCI digits in two processes against one process with one thread, the same jobs in turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from comparison import Limit

if TYPE_CHECKING:
    from mvexplorer.compute.remote import Workers

METHODS = ("multiview", "kernel-sum", "kernel-product", "concatenation", "laplacian-mean", "single")
FACTORS = np.geomspace(0.25, 4.0, 13)


def swept(data: Any, workers: Workers, factors: Any = FACTORS, resamples: int = 1) -> tuple[float, float, list[Any]]:
    """Wall and CPU seconds of this process, and the rows."""
    from mvexplorer.state.grid_sweep import GridSweep

    settings = {id: {"epsilon": "median"} for id in METHODS}
    made = GridSweep(data, settings, {"epsilon_scale": factors}, resamples=resamples)
    wall, cpu = perf_counter(), process_time()
    made.run(workers)
    return perf_counter() - wall, process_time() - cpu, made.rows()


def two_processes() -> Mapping[str, float]:
    """How many times as fast, and how much more work, everything counted."""
    from mvexplorer.compute.remote import Threads
    from mvexplorer.compute.remote_dask import DaskWorkers, workers_at
    from mvexplorer.datasets.loading import load

    data, small = load("uci-digits"), load("circles")
    with Threads(1) as alone:
        swept(small, alone, FACTORS[:1], 0)
        wall, cpu, rows = swept(data, alone)
    with workers_at("local:2") as both:
        assert isinstance(both, DaskWorkers)
        swept(small, both, FACTORS[:1], 3)  # imports
        before = sum(both._client.run(process_time).values())
        wall_2, cpu_2, rows_2 = swept(data, both)
        cpu_2 += sum(both._client.run(process_time).values()) - before
    return {"x": wall / wall_2, "overhead %": 100.0 * (cpu_2 / cpu - 1.0), "s alone": wall, "s together": wall_2,
            "rows that differ": float(sum(a != b for a, b in zip(rows, rows_2, strict=True)))}  # fmt: skip


def comparisons() -> Iterator[Limit]:
    goals = {"overhead %": 5.0, "rows that differ": 0.0}
    yield Limit("sweep: uci 13 ε x 6 methods x 2, two processes", goals, two_processes, 1, {"x": 1.7})
