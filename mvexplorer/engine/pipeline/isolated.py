"""The sentence about samples that no step reaches, where steps may not stay."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mvexplorer.engine.core.notices import doubt
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.isolated import Kept
from mvexplorer.errors import ComputeError
from mvexplorer.wording import listed

NO_NEIGHBOURS = "no-neighbours"


def without_neighbours(stages: Stages, kept: Kept, names: Sequence[str] = ()) -> Diagnostics:
    """The notice about states that are left out; ComputeError where too few are left for the coordinates asked for.

    `kept` (n,) tells which are left, of the samples or of copies of them by these names.
    """
    left, needed = int(np.count_nonzero(kept)), stages.n_vectors + 1
    if left < needed:
        raise ComputeError(
            f"Only {left:,} samples have neighbours at this ε; r = {stages.n_vectors - 1} coordinates need {needed}.",
            "Enlarge ε, or keep the self-loops (self_loops=true).",
        )
    missing = ~kept.reshape(-1, stages.n_samples)
    count = int(missing.any(axis=0).sum())
    have = "sample has" if count == 1 else "samples have"
    where = [name for name, rows in zip(names, missing, strict=False) if rows.any()]
    seen = f" in {listed(where)}" if where else ""
    it = "it is" if count == 1 else "they are"
    text = f"{count:,} {have} no neighbours{seen} at this ε: {it} left out. Enlarge ε, or keep the self-loops."
    return ((NO_NEIGHBOURS, doubt(NO_NEIGHBOURS, text, tuple(where))),)
