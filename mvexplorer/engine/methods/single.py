"""The diffusion map of one view."""

from __future__ import annotations

from mvexplorer.engine.core.params import Param
from mvexplorer.engine.methods.diffusion import COMMON, diffusion_coordinates, kernel_extension, solve_kernel
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of

VIEW = Param("view", "l", None, "Which view to embed; by default the first of the views in use.", kind="view")

METHODS = (
    Method(
        id="single",
        title="Single view",
        formula="P = D⁻¹K,   K_ij = exp(−|x_i − x_j|² / 2ε)",
        summary="Diffusion map of one view alone: what the other views have to improve on.",
        source="Coifman, Lafon: Diffusion maps (2006); multi-view diffusion maps, (1)-(4)",
        params=(VIEW, *COMMON),
        solve=lambda stages: solve_kernel(stages, kernel_of(stages, 0)),
        coordinates=diffusion_coordinates,
        memory_class="products",
        max_views=1,
        extend=kernel_extension(
            lambda stages, new_Xs: cross_kernel(stages, 0, new_Xs[0]), lambda stages: kernel_of(stages, 0).sum(axis=1)
        ),
        warm_starts=True,
        assumes="The samples lie near a smooth surface of low dimension, and ε joins neighbours but no strangers.",
        cost="One kernel of M² affinities per ε, and a few dozen products with it.",
        remarks=(
            "At very large ε the picture is that of principal components; at very small ε the graph falls apart.",
        ),
    ),
)
