"""Paired benchmarks: ours and a rival, in turns, in one process; medians and ratios.

    OPENBLAS_NUM_THREADS=1 python tests/benchmarks/run.py [NAME ...]

Every module beside this one offers `comparisons()`; NAME picks those whose name contains it.
"""

from __future__ import annotations

import importlib
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]


@dataclass(frozen=True)
class Comparison:
    """Two ways to do the same work, and the ratio of their times that is promised."""

    name: str
    goal: float
    ours: Callable[[], object]
    rival: Callable[[], object]
    rival_name: str
    pairs: int = 10


def all_comparisons() -> Iterator[Comparison]:
    for path in sorted(HERE.glob("bench_*.py")):
        yield from importlib.import_module(path.stem).comparisons()


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def main(wanted: list[str]) -> None:
    import numpy as np

    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]
    threads = os.environ["OPENBLAS_NUM_THREADS"]
    print(f"{platform.machine()}, {os.cpu_count()} cores, numpy {np.__version__}, {blas}, {threads} thread(s)\n")
    print("| work | rival | ours | rival's | ratio | goal | |\n|---|---|---|---|---|---|---|")
    for c in all_comparisons():
        if wanted and not any(word in c.name for word in wanted):
            continue
        c.ours(), c.rival()  # imports and caches
        pairs = [(timed(c.ours), timed(c.rival)) for _ in range(c.pairs)]
        ours, rival = (statistics.median(times) for times in zip(*pairs, strict=True))
        ratio = statistics.median(r / o for o, r in pairs)
        met = "met" if ratio >= c.goal else "missed"
        print(
            f"| {c.name} | {c.rival_name} | {1e3 * ours:.1f} ms | {1e3 * rival:.1f} ms | {ratio:.1f}x "
            f"| {c.goal:g}x | {met} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
