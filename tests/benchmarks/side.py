"""One side of one row, in an interpreter of its own: side.py MODULE ROW ours|rival|measure prints a line of JSON."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from time import perf_counter, process_time
from typing import Any

from comparison import Prepared


def libraries() -> str:
    """The numerical libraries loaded, and their threads."""
    import numpy as np
    from threadpoolctl import threadpool_info

    blas = {f"{i['internal_api']} {i.get('version') or ''} {i['num_threads']}t" for i in threadpool_info()}
    versions = [f"{n} {sys.modules[n].__version__}" for n in ("scipy", "sklearn", "numba") if n in sys.modules]
    python = ".".join(map(str, sys.version_info[:3]))
    return ", ".join([f"Python {python}", f"numpy {np.__version__}", *versions, *sorted(blas)])


def timed(prepare: Any) -> dict[str, Any]:
    """Seconds of the work alone, after one call that warms up."""
    made = prepare()
    job = made if isinstance(made, Prepared) else Prepared(prepare, warm_up=lambda: None)
    (job.warm_up or job.work)()
    wall, cpu = perf_counter(), process_time()
    found = job.work()
    cpu, wall = process_time() - cpu, perf_counter() - wall
    values = None if job.values is None else [float(v) for v in job.values(found)]
    return {"wall": wall / job.pieces, "cpu": cpu / job.pieces, "values": values}


def main(module: str, row: int, side: str) -> None:
    chosen = list(import_module(module).comparisons())[row]
    found = {"measured": dict(chosen.measure())} if side == "measure" else timed(getattr(chosen, side))
    print("\n" + json.dumps({**found, "libraries": libraries()}), flush=True)
    # Windows and pools are left as they are: how they end is not what is measured.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
