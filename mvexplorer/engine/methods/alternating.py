"""Alternating diffusion: one step in the first view, one in the second, and so on."""

from __future__ import annotations

from collections.abc import Sequence

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.methods.diffusion import (
    COMMON,
    alpha_of,
    averaged,
    diffusion_coordinates,
    divide_by_values,
    walk_of_kernel,
)
from mvexplorer.engine.pipeline.landmark_form import LandmarkForm, kernels_apart
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of, operator_of
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.diagnostics import walk_diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.nonsymmetric import general_eigenpairs
from mvexplorer.errors import ParameterError


def _walk(stages: Stages, i: int) -> tuple[Apply, Array]:
    """Products with the row-stochastic P of view i, and the weights (M,) its density normalisation puts on samples."""
    K = operator_of(stages, i)
    weight = K.sum(axis=1) ** -alpha_of(stages)
    degrees = K @ weight

    def step(V: Array) -> Array:
        return K @ (weight[:, None] * V) / degrees[:, None]

    return step, weight


def solve(stages: Stages) -> Decomposition:
    """Right eigenvectors of P¹P², by descending modulus; ψ_0 = 1, the others of root mean square 1.

    The product of two walks is not symmetric: an eigenvalue may come as a complex pair, which then gives two
    coordinates, the real and the imaginary part, both with the modulus as their eigenvalue.
    """
    first, second = (_walk(stages, i)[0] for i in range(2))
    degrees = kernel_of(stages, 0).sum(axis=1)
    values, vectors, twisted, basis = general_eigenpairs(
        lambda V: first(second(V)), degrees, search_of(stages), stages.task
    )
    diagnostics = walk_diagnostics(values, vectors)
    if twisted:
        text = f"{twisted} eigenvalues are complex: their coordinates turn around each other in pairs."
        diagnostics = (*diagnostics, ("complex", text))
    return Decomposition(values, (vectors,), warnings=diagnostics, bases=(basis,))


def _form(stages: Stages) -> LandmarkForm:
    return LandmarkForm(tuple((kernel,) for kernel in kernels_apart(stages, (1.0, 1.0))), "turns")


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """One step from the new sample in view 1, one among the known samples in view 2, divided by λ."""
    if any(code == "complex" for code, _ in decomposition.warnings):
        raise ParameterError(
            "Alternating diffusion cannot place new samples where eigenvalues are complex.", "Change ε."
        )
    _, weight = _walk(stages, 0)
    second, _ = _walk(stages, 1)
    stepped = weight[:, None] * second(decomposition.blocks[0])
    step = averaged(cross_kernel(stages, 0, new_Xs[0]), stepped, weight)
    return (divide_by_values(step, decomposition.eigenvalues),)


def _walk_of_both(stages: Stages) -> Walk:
    """P¹P², one step in each view: of a distribution the first view's comes first."""
    first, second = (walk_of_kernel(stages, kernel_of(stages, i)) for i in range(2))
    return Walk(
        lambda V: second.back(first.back(V)), stages.n_samples, 1, lambda sample: second.back(first.first(sample))
    )


METHODS = (
    Method(
        id="alternating",
        title="Alternating diffusion",
        formula="P¹P²ψ = λψ,   Pˡ = D⁻¹Kˡ",
        latex=(r"P^1 P^2 \psi = \lambda \psi, \qquad P^l = (D^l)^{-1} K^l",),
        summary="A walk that takes turns between two views: what only one of them knows is averaged away.",
        source="Lederman, Talmon: Learning the geometry of common latent variables (2018)",
        params=COMMON,
        solve=solve,
        coordinates=diffusion_coordinates,
        memory_class="products",
        extend=_extend,
        walk=_walk_of_both,
        landmark_form=_form,
        warm_starts=True,
        min_views=2,
        max_views=2,
        assumes="Each view sees the common variable and nuisances of its own, independent of the other's.",
        cost="Two kernels and two products per step; the walk is not symmetric and needs about twice the steps.",
        remarks=(
            "Bound to the views' order: the picture is that of the first step's view.",
            "Where a view only weakly depends on the common variable it fails before local CCA does.",
        ),
    ),
)
