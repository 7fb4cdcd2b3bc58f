"""Alternating diffusion: one step in the first view, one in the second, and so on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.forms import least_row_sum
from mvexplorer.engine.kernels.operators import ThreadedOperator
from mvexplorer.engine.methods.diffusion import (
    OF_WALK,
    alpha_of,
    averaged,
    diffusion_coordinates,
    divide_by_values,
    pencil_of,
    solve_pencil,
    walk_of_kernel,
)
from mvexplorer.engine.methods.shared.families import WALKS
from mvexplorer.engine.pipeline.ingredients import SYMMETRIC
from mvexplorer.engine.pipeline.isolated import without_neighbours
from mvexplorer.engine.pipeline.landmark_form import LandmarkForm, kernels_apart
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling import CoarseKernelError
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.steps_that_stay import stays_in_turns
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of, operator_of, plain_kernel_of
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.diagnostics import walk_diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.isolated import Kept, among, on_all, search_among, spread_out, with_neighbours
from mvexplorer.engine.spectral.nonsymmetric import general_eigenpairs
from mvexplorer.engine.spectral.reduced import Pencil
from mvexplorer.errors import ComputeError, ParameterError


def _walk(stages: Stages, i: int, kept: Kept | None = None) -> tuple[Apply, Array]:
    """Products with the row-stochastic P of view i, and the weights (M,) its density normalisation puts on samples.

    Of all samples, or of those `kept`.
    """
    K = operator_of(stages, i)
    apply = K.__matmul__ if kept is None else among(K.__matmul__, kept)
    ones = np.ones(stages.n_samples if kept is None else int(kept.sum()), K.dtype)
    weight = apply(ones) ** -alpha_of(stages)
    degrees = apply(weight)

    def step(V: Array) -> Array:
        return apply(weight[:, None] * V) / degrees[:, None]

    return step, weight


def _with_neighbours_in_both(stages: Stages) -> Kept | None:
    """The samples that have neighbours in both views, among those that do; None where they are all."""
    if stages.form.loops:
        return None
    kept = np.ones(stages.n_samples, dtype=bool)
    while True:
        before = int(kept.sum())
        for i in range(2):
            K = operator_of(stages, i)
            degrees = np.where(kept, K @ kept.astype(K.dtype), 0.0)
            there = with_neighbours(degrees, least_row_sum(kernel_of(stages, i)))
            kept &= there if there is not None else True
        if int(kept.sum()) == before:
            return None if kept.all() else kept


def solve(stages: Stages) -> Decomposition:
    """Right eigenvectors of P¹P², by descending modulus; ψ_0 = 1, the others of root mean square 1.

    The product of two walks is not symmetric: an eigenvalue may come as a complex pair, which then gives two
    coordinates, the real and the imaginary part, both with the modulus as their eigenvalue. The symmetric one has real
    eigenvalues, by their signed value.
    """
    if (pencil := _pencil(stages)) is not None:
        return solve_pencil(stages, pencil)
    kept = _with_neighbours_in_both(stages)
    left_out = () if kept is None else without_neighbours(stages, kept)
    first, second = (_walk(stages, i, kept)[0] for i in range(2))
    degrees = kernel_of(stages, 0).sum(axis=1)
    values, vectors, twisted, basis = general_eigenpairs(
        lambda V: first(second(V)),
        degrees if kept is None else degrees[kept],
        search_among(search_of(stages), kept),
        stages.task,
    )
    diagnostics = (*walk_diagnostics(values, vectors), *left_out, *notices_of_views(stages, range(2)))
    if twisted:
        text = f"{twisted} eigenvalues are complex: their coordinates turn around each other in pairs."
        diagnostics = (*diagnostics, ("complex", text))
    return spread_out(Decomposition(values, (vectors,), warnings=diagnostics, bases=(basis,)), kept)


def _pencil(stages: Stages) -> Pencil | None:
    """The mean of both orders of two doubly stochastic walks; None where one order is taken."""
    if not stages.params.get(SYMMETRIC.name):
        return None
    try:
        first, second = (operator_of(stages, i) for i in range(2))
    except CoarseKernelError:
        raise
    except ComputeError as error:  # another normalisation has no effect with it
        raise ComputeError(error.message, "Enlarge ε, keep the self-loops, or leave symmetric off.") from None

    def apply(V: Array) -> Array:
        return np.asarray(0.5 * (first @ (second @ V) + second @ (first @ V)))

    degrees = apply(np.ones((stages.n_samples, 1), first.dtype)).ravel()
    return pencil_of(stages, apply, degrees, warnings=notices_of_views(stages, range(2)))


def _form(stages: Stages) -> LandmarkForm:
    return LandmarkForm(tuple((kernel,) for kernel in kernels_apart(stages, (1.0, 1.0))), "turns")


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """One step from the new sample in view 1, one among the known samples in view 2, divided by λ."""
    if any(code == "complex" for code, _ in decomposition.warnings):
        raise ParameterError(
            "Alternating diffusion cannot place new samples where eigenvalues are complex.", "Change ε."
        )
    psi, kept = decomposition.blocks[0], _with_neighbours_in_both(stages)
    if stages.params.get(SYMMETRIC.name):
        steps = [operator_of(stages, i) @ psi for i in range(2)]
        rows = [cross_kernel(stages, i, X) for i, X in enumerate(new_Xs)]
        both = np.asarray(0.5 * (rows[0] @ steps[1] + rows[1] @ steps[0]), dtype=np.float64)
        return (divide_by_values(both, decomposition.eigenvalues),)
    _, weight = _walk(stages, 0, kept)
    second, _ = _walk(stages, 1, kept)
    stepped = weight[:, None] * second(psi if kept is None else psi[kept])
    if kept is not None:
        stepped, weight = on_all(stepped, kept, np.nan), on_all(weight, kept, 0.0)
    step = averaged(stages, cross_kernel(stages, 0, new_Xs[0]), stepped, weight)
    return (divide_by_values(step, decomposition.eigenvalues),)


def _walk_of_both(stages: Stages) -> Walk:
    """P¹P², one step in each view: of a distribution the first view's comes first."""
    kept = cache(partial(_with_neighbours_in_both, stages))
    first, second = (walk_of_kernel(stages, kernel_of(stages, i), kept) for i in range(2))
    walk = Walk(
        lambda V: second.back(first.back(V)), stages.n_samples, 1, lambda sample: second.back(first.first(sample))
    )
    if stages.params.get(SYMMETRIC.name):

        def back(V: Array) -> Array:
            return np.asarray(0.5 * (second.back(first.back(V)) + first.back(second.back(V))))

        walk = replace(
            walk,
            back=back,
            first=lambda sample: 0.5 * (second.back(first.first(sample)) + first.back(second.first(sample))),
        )
    if any(kernel.landmarks for kernel in stages.kernels):
        return walk

    def share_that_stays() -> float:
        first, second = (ThreadedOperator(plain_kernel_of(stages, i), stages.task) for i in range(2))
        return stays_in_turns(first, second, alpha_of(stages))

    return replace(walk, share_that_stays=share_that_stays)


METHODS = (
    Method(
        id="alternating",
        title="Alternating diffusion",
        formula="P¹P²ψ = λψ,   Pˡ = D⁻¹Kˡ",
        latex=(
            r"P^1 P^2 \psi = \lambda \psi, \qquad P^l = (D^l)^{-1} K^l",
            r"\mathrm{symmetric:} \quad \frac{1}{2} (W^1 W^2 + W^2 W^1) \, \psi = \lambda \psi",
        ),
        summary="A walk that takes turns between two views: what only one of them knows is averaged away.",
        family=WALKS,
        source="Lederman, Talmon: Learning the geometry of common latent variables (2018)",
        params=(*OF_WALK, SYMMETRIC),
        solve=solve,
        coordinates=diffusion_coordinates,
        memory_class="products",
        extend=_extend,
        walk=_walk_of_both,
        pencil=_pencil,
        pencil_if=(SYMMETRIC.name, True),
        landmark_form=_form,
        warm_starts=True,
        min_views=2,
        max_views=2,
        assumes="Each view sees the common variable and nuisances of its own, independent of the other's.",
        cost="Two kernels and two products per step; the walk is not symmetric and needs about twice the steps.",
        remarks=(
            "Symmetric, it is the mean of both orders of doubly stochastic kernels: real, orthogonal, no view first.",
        ),
        misleads=(
            "Unless symmetric, it is bound to the views' order: the picture is that of the first step's view.",
            "Where a view only weakly depends on the common variable it fails before local CCA does; symmetric, it "
            "fails later.",
        ),
    ),
)
