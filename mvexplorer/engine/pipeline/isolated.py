"""The sentence about samples that no step reaches, where steps may not stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    missing = ~kept.reshape(-1, stages.n_samples)
    counts = {name: int(rows.sum()) for name, rows in zip(names, missing, strict=False) if rows.any()}
    has_epsilon = with_epsilon(stages, [i for i in range(stages.n_views) if stages.view_name(i) in counts])
    here = " at this ε" if has_epsilon else ""
    if left < needed:
        raise ComputeError(
            f"Only {left:,} samples have neighbours{here}; r = {stages.n_vectors - 1} coordinates need {needed}.",
            f"{enlarge(has_epsilon)}, or keep the self-loops (self_loops=true).",
        )
    count = int(missing.any(axis=0).sum())
    have, it = ("sample has", "it is") if count == 1 else ("samples have", "they are")
    cure = f"{enlarge(has_epsilon)}, or keep the self-loops"
    text = f"{count:,} {have} no neighbours{_where(counts, count)}{here}: {it} left out. {cure}."
    return ((NO_NEIGHBOURS, doubt(NO_NEIGHBOURS, text, tuple(counts))),)


def enlarge(has_epsilon: bool) -> str:
    """The cure where samples have too few neighbours, in words."""
    return "Enlarge ε" if has_epsilon else "Choose another kernel"


def with_epsilon(stages: Stages, views: Sequence[int] = ()) -> bool:
    """Whether an ε takes part in the kernels of these views, by default of any, so that a larger one joins samples."""
    return any(stages.kernels[i].kind.uses_epsilon for i in views or range(stages.n_views))


def _where(counts: Mapping[str, int], count: int) -> str:
    """The views in which samples have no neighbours, with the number in each where these are not the same samples."""
    if all(each == count for each in counts.values()):
        return f" in {listed(list(counts))}" if counts else ""
    return f" in some view ({', '.join(f'{name} {each:,}' for name, each in counts.items())})"
