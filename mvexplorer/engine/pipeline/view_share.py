"""The share of each view in a step of a joint walk, and the warning that one view holds nearly all of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import doubt
from mvexplorer.engine.kernels.operators import ThreadedOperator
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import operator_of
from mvexplorer.engine.pipeline.view_weights import by_volume, row_sums
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.isolated import density_weights, with_neighbours

SHARE = "view_share:"
"""Begins the name, among a result's numbers, of a view's share in a step; the view's name follows."""
DROWNS = "view-drowns"


def told_shares(stages: Stages, shares: Iterable[float]) -> dict[str, float]:
    """The shares of the views used as named numbers about a result; walks in passes over large data go without."""
    return {f"{SHARE}{stages.view_name(i)}": float(share) for i, share in enumerate(shares)}


def shares_in_sum(stages: Stages, weights: Sequence[float], alpha: float) -> Array:
    """The probability (L,) that a step of the walk on Σ w_l K^l is taken by view l, on the mean over the samples."""
    parts = np.stack([w * row_sums(stages, i) for i, w in enumerate(weights)])
    if alpha:
        total = parts.sum(axis=0)
        density = density_weights(total, alpha, None if stages.form.loops else with_neighbours(total))
        parts = np.stack([operator_of(stages, i, w) @ density.astype(parts.dtype) for i, w in enumerate(weights)])
    return _mean_shares(parts)


def shares_of_hops(kernels: Sequence[ThreadedOperator], weight: Array, eta: float) -> Array:
    """The share (L,) of the multi-view walk's steps that arrive in view m: the mean of Σ_j P̂_(l,i),(m,j) over (l, i).

    `kernels` are those of the views times their weights, `weight` (L·M,) that of the density, 0 for what has no
    neighbours. At η = 0 no step arrives where it began, so that no share exceeds (L - 1)/L.
    """
    n_views = len(kernels)
    densities = np.split(weight, n_views)
    arriving = np.stack([K @ density for K, density in zip(kernels, densities, strict=True)], axis=1)
    share = np.full((n_views, n_views), (1.0 - eta) / (n_views - 1), arriving.dtype)
    np.fill_diagonal(share, eta)
    leaving = [(K @ (arriving * row))[w > 0.0] for K, row, w in zip(kernels, share, densities, strict=True)]
    each = [_mean_shares(steps.T) for steps in leaving]
    return np.asarray(np.mean(each, axis=0))


def _mean_shares(parts: Array) -> Array:
    """Each part's share (L,) in the sums of all parts (L, M), on the mean over the samples that have neighbours."""
    parts = parts[:, (total := parts.sum(axis=0)) > 0.0].astype(np.float64)
    return np.asarray((parts / total[total > 0.0]).mean(axis=1))


def drowning_view(stages: Stages, info: Mapping[str, float]) -> Diagnostics:
    """The warning about a view that takes nearly every step, so that the picture is little more than its own."""
    holds = 0.8  # The share of a step, of the largest that a view can have, beyond which the others hardly count.
    if "graph" in stages.params and not by_volume(stages):  # there the weights alone decide, which were given
        return ()
    names = [stages.view_name(i) for i in range(stages.n_views)]
    shares = [info.get(f"{SHARE}{name}", 0.0) for name in names]
    largest, hops = int(np.argmax(shares)), stages.params.get("eta") == 0.0
    share = shares[largest] * (len(names) / (len(names) - 1) if hops else 1.0)
    if share <= holds:
        return ()
    name, part = names[largest], f"{100.0 * share:.0f} %"
    text = f"{name} holds {part} of every step: the other views hardly count."
    if hops:
        text = f"From the other views {part} of the steps lead to {name}: the others hardly count."
    return ((DROWNS, doubt(DROWNS, f"{text} {_cure(stages, largest)}", (name,))),)


def _cure(stages: Stages, i: int) -> str:
    if "graph" in stages.params:
        return "Choose more equal view weights."
    scaled = stages.kernels[i].kind.uses_epsilon
    if by_volume(stages):
        return f"{'Change its ε' if scaled else 'Choose another kernel'}, or leave it out."
    return f"Use equal-volume view weights, or {'change its ε' if scaled else 'choose another kernel'}."
