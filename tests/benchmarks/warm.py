"""Warm steps of a drag, as the window makes them: distances in the cache, the two former steps to start from."""

from __future__ import annotations

from typing import Any

import numpy as np
from comparison import THREADS, Prepared
from views import STEPS, drag

TIMED = 5
"""Steps timed together: some need one block of products more than others."""


def warm_step(
    Xs: list[np.ndarray], method: str, *, draft: bool, moving: str = "epsilon", start_at: float = 0.1, **fixed: Any
) -> Prepared:
    """The last steps of a drag of ε, or of another parameter by .02 from `start_at`, with `fixed` as it is."""
    from mvexplorer.compute.run.blocks import BlockExecutor
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.api.result import Embedding
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task

    data, cache, pool = MultiView(Xs), StageCache(4 << 30), BlockExecutor(THREADS)

    former: list[Embedding] = []

    def step(k: int) -> Embedding:
        value = drag(k) if moving == "epsilon" else start_at + 0.02 * k
        task = Task(run_all=pool.run_all)
        found = embed(
            data, method, task=task, memo=cache.memo(task), start=former[-2:], interactive=draft and bool(former),
            **{"n_components": 10, "epsilon": drag(0), **fixed, moving: value},
        )  # fmt: skip
        former.append(found)
        return found

    def work() -> Embedding:
        first, *_ = [step(STEPS - 1 + k) for k in range(TIMED)]
        return first

    for k in range(STEPS - 1):
        step(k)
    return Prepared(work, lambda: None, lambda found: found.eigenvalues, TIMED)
