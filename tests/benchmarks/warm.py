"""One warm step of a drag, as the window makes it: distances in the cache, the two former steps to start from."""

from __future__ import annotations

from typing import Any

import numpy as np
from comparison import THREADS, Prepared
from views import STEPS, drag


def warm_step(
    Xs: list[np.ndarray], method: str, *, draft: bool, moving: str = "epsilon", start_at: float = 0.1, **fixed: Any
) -> Prepared:
    """The last step of a drag of ε, or of another parameter by .02 from `start_at`, with `fixed` as it is."""
    from mvexplorer.compute.cache import StageCache
    from mvexplorer.compute.rows import RowPool
    from mvexplorer.engine.embedding import Embedding, embed
    from mvexplorer.engine.multiview import MultiView
    from mvexplorer.engine.task import Task

    data, cache, pool = MultiView(Xs), StageCache(4 << 30), RowPool(THREADS)

    def step(k: int, former: list[Embedding]) -> Embedding:
        value = drag(k) if moving == "epsilon" else start_at + 0.02 * k
        task = Task(run_all=pool.run_all)
        return embed(
            data, method, task=task, memo=cache.memo(task), start=former[-2:], draft=draft and bool(former),
            **{"n_components": 10, "epsilon": drag(0), **fixed, moving: value},
        )  # fmt: skip

    former: list[Embedding] = []
    for k in range(STEPS - 1):
        former.append(step(k, former))
    return Prepared(lambda: step(STEPS - 1, former), lambda: None, lambda found: found.eigenvalues)
