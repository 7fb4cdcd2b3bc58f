"""Large data: seconds from the features and the peak of memory, in a fresh process, on all cores as in the window."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial
from time import perf_counter

from comparison import Limit, sized
from views import drag, tori


def measure(n_samples: int, features: int, kernel: str) -> Mapping[str, float]:
    import resource

    from mvexplorer.compute.run.blocks import BlockExecutor
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.core.task import Task

    first, second = tori(n_samples, features)
    start = perf_counter()
    task = Task(run_all=BlockExecutor(os.cpu_count() or 2).run_all)
    embed({"a": first, "b": second}, "multiview", kernel=kernel, epsilon=drag(0), n_components=10, task=task)
    seconds = perf_counter() - start
    return {"s": seconds, "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9}


def comparisons() -> Iterator[Limit]:
    goals = {"s": 3.0, "GB": 3.0}
    for n_samples, features, kernel, bars in (
        (20_000, 10, "knn-64", goals),
        (20_000, 50, "knn-64", goals),
        (20_000, 10, "landmarks-1000", goals),
        (20_000, 50, "landmarks-1000", goals),
        (20_000, 784, "landmarks-1000", goals),
        (20_000, 784, "knn-64", {"s": 20.0, "GB": 3.0}),
        (20_000, 10, "gaussian", {}),
        (40_000, 784, "landmarks-1000", {}),
        (40_000, 784, "knn-64", {}),
        (200_000, 10, "landmarks-1000", {}),
        (200_000, 10, "knn-64", {}),
    ):
        name = f"large, two views, cold, all cores: M {n_samples:,}, D {features}, {kernel}"
        work = partial(measure, sized(n_samples, 300), features, sized(kernel, kernel.replace("1000", "50")))
        yield Limit(name, bars, work, 3 if bars else 1)
