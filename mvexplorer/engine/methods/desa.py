"""de Sa's spectral clustering with two views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import N_COMPONENTS, Value
from mvexplorer.engine.methods.diffusion import SOURCE
from mvexplorer.engine.methods.multiview import (
    extend_views,
    form_of_views,
    pencil_of_views,
    solve_two_views,
    walk_of_views,
)
from mvexplorer.engine.methods.shared.families import WALKS
from mvexplorer.engine.pipeline.ingredients import INGREDIENTS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.spectral.eigenpairs import Decomposition


def spectral_coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """The N_C = r leading vectors, the trivial one included, rows scaled to length 1; (11) with a square root.

    The symmetric eigenvectors differ from ψ by a factor per row, which the row scaling removes.
    """
    count = int(cast("int", params["n_components"]))
    blocks = (psi[:, :count] for psi in decomposition.blocks)
    return tuple(psi / np.linalg.norm(psi, axis=1, keepdims=True) for psi in blocks)


METHODS = (
    Method(
        id="de-sa",
        title="de Sa",
        formula="Ā = D̄^-½ [0 W; Wᵗ 0] D̄^-½,   W = K¹K²",
        latex=(
            r"\bar{A} = \bar{D}^{-1/2} \begin{bmatrix} 0 & W \\ W^{\mathsf T} & 0 \end{bmatrix} \bar{D}^{-1/2}",
            r"W = K^1 K^2",
        ),
        summary="Spectral clustering on the bipartite graph of two views; every sample is put on the unit sphere.",
        family=WALKS,
        source=f"de Sa: Spectral clustering with two views (2005); {SOURCE}, (9)-(11)",
        params=(N_COMPONENTS, *INGREDIENTS),
        solve=solve_two_views,
        coordinates=spectral_coordinates,
        memory_class="products",
        extend=extend_views,
        walk=walk_of_views,
        pencil=pencil_of_views,
        landmark_form=form_of_views,
        min_views=2,
        max_views=2,
        per_view=True,
        first_component=0,
        keeps_trivial=True,
        has_unit_rows=True,
        warm_starts=True,
        assumes="The views cluster alike; the number of coordinates r is the number of clusters looked for.",
        cost="As multi-view with two views: two kernels, four products per step.",
        remarks=(
            "Its matrix is the symmetric form of the multi-view walk at η = 0: same eigenvalues, other coordinates.",
            "Rows are scaled to length 1: right for k-means, but distances no longer mean diffusion distances.",
        ),
    ),
)
