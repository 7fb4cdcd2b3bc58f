"""The permutation test of one view in every usual panel of UCI digits at once, as the window has it done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from queue import SimpleQueue
from time import perf_counter, process_time
from typing import Any

from comparison import SAMPLE, Limit, sized

N = sized(19, 3)


def null_tests() -> Mapping[str, float]:
    from mvexplorer.datasets.loading import load
    from mvexplorer.state.bench.workbench import Workbench
    from mvexplorer.state.document import commands
    from mvexplorer.state.session.settings import Settings

    inbox: SimpleQueue[Any] = SimpleQueue()
    bench = Workbench(Settings(), inbox.put, keeps_settings=False)
    data = load(SAMPLE)
    bench.document.reset(commands.initial_state(data, (SAMPLE,), None), data)
    panels = [panel.id for panel in bench.document.state.panels]
    while any(bench.controller.result(id).status not in ("ready", "failed") for id in panels):
        inbox.get()()
    wall, cpu = perf_counter(), process_time()
    for id in panels:
        used = bench.controller.result(id).result
        bench.checks.null_test(id, None if used is None else used.embedding.views[0], N)
    while any(bench.checks.of(id).running for id in panels):
        inbox.get()()
    told = {"s": perf_counter() - wall, "CPU s": process_time() - cpu, "panels": float(len(panels))}
    bench.controller.shutdown()
    return told


def comparisons() -> Iterator[Limit]:
    yield Limit("null test of one view in all usual panels, UCI digits, n 19", {"s": 30.0}, null_tests, 1)
