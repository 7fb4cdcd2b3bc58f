"""Shared by the diffusion methods: coordinates λᵗψ and the Nyström extension of one kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import DENSITY, DIFFUSION_TIME, N_COMPONENTS, TRUNCATION, Value
from mvexplorer.engine.kernels.forms import least_row_sum
from mvexplorer.engine.kernels.operators import KernelMatrix, ThreadedOperator
from mvexplorer.engine.pipeline.ingredients import INGREDIENTS
from mvexplorer.engine.pipeline.isolated import without_neighbours
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.steps_that_stay import stays_in_kernel
from mvexplorer.engine.pipeline.view_kernel import far_from_all
from mvexplorer.engine.pipeline.walk import Walk, kernel_walk
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition, density_normalised, diffusion_decomposition
from mvexplorer.engine.spectral.isolated import Kept, among, search_among, spread_out, with_neighbours
from mvexplorer.engine.spectral.reduced import Pencil

COMMON = (N_COMPONENTS, DIFFUSION_TIME, TRUNCATION, DENSITY)
OF_WALK = (*COMMON, *INGREDIENTS)
"""The parameters of methods whose kernels may be taken without self-loops, or doubly stochastic."""

SOURCE = "Lindenbaum, Yeredor, Salhov, Averbuch: Multi-view diffusion maps (2015)"


def diffusion_weights(values: Array, params: Mapping[str, Value]) -> Array:
    """Weights λ_k^t, k = 1..r(δ, t), of the non-trivial coordinates; multi-view diffusion maps, (2) and (4)."""
    t = int(cast("int", params["t"]))
    weights = values[1:] ** t
    kept = np.abs(weights) > float(cast("float", params["delta"])) * abs(weights[0]) if len(weights) else weights > 0
    # r(δ, t) is the largest index above the threshold; at δ = 0 nothing is dropped, not even an exact zero.
    count = int(np.flatnonzero(kept)[-1]) + 1 if kept.any() and params["delta"] else len(weights)
    return weights[:count]


def diffusion_coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """Coordinates λ_k^t ψ_k, one array (M, r) per block; multi-view diffusion maps, (2) and (21)."""
    out = []
    for i, psi in enumerate(decomposition.blocks):
        weights = diffusion_weights(decomposition.values_of(i), params)
        out.append(psi[:, 1 : len(weights) + 1] * weights)
    return tuple(out)


def alpha_of(stages: Stages) -> float:
    """The density normalisation α asked for; 0 where the method has none."""
    return float(cast("float", stages.params.get("alpha") or 0.0))


def pencil_of_kernel(stages: Stages, K: KernelMatrix, n_terms: int = 1, **about: Any) -> Pencil:
    """The walk of one kernel matrix (M, M), which may be the sum of several."""
    shared = ThreadedOperator(K, stages.task)
    return pencil_of(stages, shared.__matmul__, shared.sum(axis=1), least_row_sum(K, n_terms), **about)


def pencil_of(
    stages: Stages,
    apply: Apply,
    degrees: Array,
    least: float = 0.0,
    *,
    names: Sequence[str] = (),
    warnings: Diagnostics = (),
    **about: Any,
) -> Pencil:
    """The walk of one kernel, normalised by density: its products with blocks (M, m), its row sums (M,).

    Where steps may not stay, states whose row sums are at most `least` have no neighbours and are left out; `names` are
    those of the copies of the samples, where there are several.
    """
    kept = None if stages.form.loops else with_neighbours(degrees, least)
    if kept is not None:
        warnings = (*warnings, *without_neighbours(stages, kept, names))
        apply = among(apply, kept)
        degrees = apply(np.ones((int(kept.sum()), 1), degrees.dtype)).ravel()
    normalised = density_normalised(apply, degrees.astype(stages.precision, copy=False), alpha_of(stages))
    return Pencil(*normalised, kept=kept, warnings=warnings, **about)


def walk_of_kernel(
    stages: Stages,
    K: KernelMatrix,
    neighboured: Callable[[], Kept | None] | None = None,
    n_terms: int = 1,
    *,
    plain: Callable[[Stages], KernelMatrix] | None = None,
) -> Walk:
    """The random walk of one kernel matrix (M, M), which may be the sum of several.

    `neighboured` tells the samples it is on, by default by itself. `plain` gives the same kernel with its self-loops,
    not scaled, of which the share of steps that stay is told.
    """
    shared, alpha = ThreadedOperator(K, stages.task), alpha_of(stages)

    def kept() -> Kept | None:
        return None if stages.form.loops else with_neighbours(shared.sum(axis=1), least_row_sum(K, n_terms))

    walk = kernel_walk(
        shared.__matmul__,
        lambda sample: shared.column(sample)[:, None],
        lambda: shared.sum(axis=1),
        alpha,
        (1, stages.n_samples),
        neighboured or kept,
    )
    if plain is None:
        return walk
    return replace(walk, share_that_stays=lambda: stays_in_kernel(ThreadedOperator(plain(stages), stages.task), alpha))


def solve_pencil(stages: Stages, pencil: Pencil, operator: int = 0) -> Decomposition:
    """The diffusion map of a walk, which is the method's only one, or one of several operators."""
    search = search_among(search_of(stages, operator), pencil.kept)
    solved = diffusion_decomposition(pencil.apply, pencil.degrees, search, stages.task, copies=pencil.n_blocks)
    whole = spread_out(solved, pencil.kept)
    return replace(whole, info=pencil.info(), warnings=(*whole.warnings, *pencil.warnings))


def nystrom(stages: Stages, weights: KernelMatrix, decomposition: Decomposition, density: Array | None = None) -> Array:
    """Right eigenvectors (n, k) at new points from their kernel rows (n, M): the walk's step, divided by λ.

    `density` (M,) divides the weight of each known sample; that of the new ones cancels in the row sums.
    """
    psi = decomposition.blocks[0]
    ones = np.ones(len(psi)) if density is None else 1.0 / density
    return divide_by_values(averaged(stages, weights, ones[:, None] * psi, ones), decomposition.eigenvalues)


def averaged(stages: Stages, weights: KernelMatrix, values: Array, ones: Array) -> Array:
    """The sums `weights` @ `values` (n, k) at new points, divided by `weights` @ `ones`; the rows of a kernel (n, M).

    In the precision of the kernel: that of one which is made anew while a slider moves is single. Known samples without
    neighbours, whose values are NaN, count nothing; a new sample that is one of them is NaN, too.
    """
    if stages.twins is not None:
        absent = np.asarray(np.isnan(values).any(axis=1))
        values, ones = np.where(absent[:, None], 0.0, values), np.where(absent, 0.0, ones)
    both = weights @ np.column_stack([values, ones]).astype(getattr(weights, "dtype", np.float64), copy=False)
    totals = both[:, -1].astype(np.float64)
    empty = ~(totals > 0.0)
    if stages.twins is not None:
        totals = np.where(empty & (stages.twins >= 0), np.nan, totals)
        empty &= stages.twins < 0
    if empty.any():
        raise far_from_all(int(np.count_nonzero(empty)))
    return both[:, :-1] / totals[:, None]


def positive(degrees: Array) -> Array:
    """Row sums (n,), with 1 for those of states without neighbours: nothing is divided by 0."""
    return np.where(degrees > 0.0, degrees, 1.0)


SMALLEST_VALUE = 1e-12
"""Eigenvalues of this modulus and below are rounding."""


def divide_by_values(step: Array, values: Array, smallest: float = SMALLEST_VALUE) -> Array:
    """`step` / λ, column by column, with NaN where an eigenvalue is too small to be divided by."""
    usable = np.abs(values) > smallest
    return cast("Array", np.where(usable, step / np.where(usable, values, 1.0), np.nan))


def extend_by_kernel(
    stages: Stages, decomposition: Decomposition, rows: KernelMatrix, degrees: Callable[[Stages], Array]
) -> tuple[Array]:
    """Out-of-sample extension of a walk on one kernel: its rows (n, M) at new samples, its row sums at known ones."""
    alpha = alpha_of(stages)
    return (nystrom(stages, rows, decomposition, positive(degrees(stages)) ** alpha if alpha else None),)
