"""The diffusion map of one view."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.methods.diffusion import (
    OF_WALK,
    diffusion_coordinates,
    extend_by_kernel,
    pencil_of_kernel,
    solve_pencil,
    walk_of_kernel,
)
from mvexplorer.engine.methods.shared.families import ONE_VIEW
from mvexplorer.engine.pipeline.landmark_form import LandmarkForm, kernels_apart
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of, plain_kernel_of
from mvexplorer.engine.pipeline.walk import Walk
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.reduced import Pencil

VIEW = Param("view", "l", None, "Which view to embed; by default the first of the views in use.", kind="view")


def _pencil(stages: Stages) -> Pencil:
    return pencil_of_kernel(stages, kernel_of(stages, 0), warnings=notices_of_views(stages, [0]))


def solve(stages: Stages) -> Decomposition:
    """Diffusion map of the view's kernel."""
    return solve_pencil(stages, _pencil(stages))


def _form(stages: Stages) -> LandmarkForm:
    return LandmarkForm((kernels_apart(stages, (1.0,)),))


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    return extend_by_kernel(stages, decomposition, cross_kernel(stages, 0, new_Xs[0]), _degrees)


def _degrees(stages: Stages) -> Array:
    return kernel_of(stages, 0).sum(axis=1)


def _walk(stages: Stages) -> Walk:
    return walk_of_kernel(stages, kernel_of(stages, 0), plain=partial(plain_kernel_of, i=0))


METHODS = (
    Method(
        id="single",
        title="Single view",
        short="Single",
        formula="P = D⁻¹K,   K_ij = exp(−|x_i − x_j|² / 2ε)",
        latex=(r"P = D^{-1} K, \qquad K_{ij} = \exp\left( -\frac{\| x_i - x_j \|^2}{2 \varepsilon} \right)",),
        summary="Diffusion map of one view alone: what the other views have to improve on.",
        family=ONE_VIEW,
        source="Coifman, Lafon: Diffusion maps (2006); multi-view diffusion maps, (1)-(4)",
        params=(VIEW, *OF_WALK),
        solve=solve,
        coordinates=diffusion_coordinates,
        memory_class="products",
        max_views=1,
        extend=_extend,
        walk=_walk,
        pencil=_pencil,
        landmark_form=_form,
        warm_starts=True,
        assumes="The samples lie near a smooth surface of low dimension, and ε joins neighbours but no strangers.",
        cost="One kernel of M² affinities per ε, and a few dozen products with it.",
        remarks=(
            "At very large ε coordinates have the directions of principal components, not their spreads: those go with "
            "the variance, to the power t. At very small ε the graph falls apart.",
        ),
    ),
)
