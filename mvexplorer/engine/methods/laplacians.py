"""Means of the views' Laplacians: arithmetic, of squares, harmonic."""

from __future__ import annotations

from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.methods.joint import (
    COMMON,
    FIRST,
    PAPER,
    UNION,
    VIEW_WEIGHTS,
    filtered,
    held_by_graphs,
    joint_decomposition,
    relative,
    weighted_graphs,
)
from mvexplorer.engine.methods.shared.graphs import smallest_eigenpairs, smallest_eigenpairs_of_laplacian, weighted_mean
from mvexplorer.engine.pipeline.footprint import EIGH, PeakMemory, Size
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_share import SHARE
from mvexplorer.engine.pipeline.view_weights import told_weights, with_volume
from mvexplorer.engine.spectral.eigenpairs import DENSE_LIMIT, Decomposition
from mvexplorer.engine.spectral.inverse import inverse_of_positive

HARMONIC_ALPHA = Param(
    "harmonic_alpha",
    "α",
    0.01,
    "Added to the Laplacians' eigenvalues before they are inverted; it decides the result: small keeps what all views "
    "join, large approaches the plain mean.",
    low=1e-6,
    high=100.0,
    log=True,
    title="Regulariser",
    source=f"{PAPER}, (9)-(10)",
)

WEIGHED = tuple(with_volume(param) if param is VIEW_WEIGHTS else param for param in COMMON)
"""The parameters of a mean, whose views can be weighed by equal volume."""


def solve_mean(stages: Stages) -> Decomposition:
    """Bottom eigenvectors of Σ ω_l L_l / Σ ω_l.

    They are those of the mean of the views' normalised walks, a step of which view l takes with probability ω_l / Σ ω.
    """
    graphs, weights = weighted_graphs(stages)
    shares = {f"{SHARE}{name}": float(w) / len(weights) for name, w in zip(graphs, weights, strict=True)}
    mean = weighted_mean(graphs.laplacians, weights)
    values, vectors = smallest_eigenpairs_of_laplacian(mean, stages.n_vectors, stages.task)
    return joint_decomposition(stages, values, vectors, graphs, told_weights(stages, weights) | shares)


def solve_squared(stages: Stages) -> Decomposition:
    """Bottom eigenvectors of Σ ω_l L_lᵀL_l / Σ ω_l, (6); the eigenvalues are their roots, in units of a Laplacian's."""
    graphs, weights = weighted_graphs(stages)
    shares = weights / weights.sum()

    def apply(V: Array) -> Array:
        pairs = zip(graphs.values(), shares, strict=True)
        return cast("Array", sum(w * (g.laplacian @ (g.laplacian @ V)) for g, w in pairs))

    values, vectors = smallest_eigenpairs(apply, graphs.n_samples, stages.n_vectors, 4.0, stages.task)
    values = np.sqrt(np.maximum(values, 0.0))
    return joint_decomposition(stages, values, vectors, graphs, told_weights(stages, weights))


def solve_harmonic(stages: Stages) -> Decomposition:
    """Bottom eigenvectors of the regularised harmonic mean, (10): top ones of S = Σ ω_l (L_l + αI)⁻¹ / Σ ω_l.

    The eigenvalues are 1/s - α, in units of a Laplacian's: where all views are the same they are the view's own.
    """
    graphs, weights = weighted_graphs(stages)
    alpha = float(cast("float", stages.params["harmonic_alpha"]))
    shares = weights / weights.sum()

    def inverse_sum() -> Array:
        total = np.zeros((graphs.n_samples, graphs.n_samples))
        for i, (g, w) in enumerate(zip(graphs.values(), shares, strict=True)):
            A = g.laplacian.copy() if isinstance(g.laplacian, np.ndarray) else g.laplacian.toarray()
            A[np.diag_indices_from(A)] += alpha
            part = inverse_of_positive(A, stages.task)
            part *= w
            total += part
            stages.task.progress(0.5 * (i + 1) / len(graphs))
        return total

    names = ("graph", "graph_neighbours", "edge_weights", "view_weights", "harmonic_alpha")
    S = stages.fused("harmonic", *(stages.params[name] for name in names), compute=inverse_sum)
    # αS has its spectrum in (0, 1], crowded at 0 where the Laplacians' is crowded at 2.
    values, vectors = smallest_eigenpairs(
        lambda V: -alpha * (S @ V), graphs.n_samples, stages.n_vectors, 0.0, stages.task
    )
    values = alpha * (1.0 / -values - 1.0)
    return joint_decomposition(stages, values, vectors, graphs, told_weights(stages, weights))


def _held_by_squares(size: Size) -> PeakMemory:
    return held_by_graphs(size) + filtered(size, size.r + 1)


def _held_by_inverses(size: Size) -> PeakMemory:
    """The sum of the inverses, and blocks of a Laplacian while it is inverted; crowded values are solved densely."""
    passing = (1.0 + EIGH if size.n <= DENSE_LIMIT else 4.0) * size.matrix
    return held_by_graphs(size) + filtered(size, size.r + 1) + PeakMemory(size.matrix, 0.0, passing)


METHODS = (
    relative(
        id="laplacian-mean",
        title="Mean Laplacian",
        formula="L̄ = Σ_l ω_l L_l",
        latex=(r"\bar{L} = \sum_{l} \omega_l L_l",),
        summary="Joins what any view joins: smooth vectors of the average of the views' graph Laplacians.",
        source=f"Ma, Lee: Anchor shot detection by multi-modal spectral clustering (2008); {PAPER}, section 3",
        params=WEIGHED,
        solve=solve_mean,
        assumes="Each view's graph joins what belongs together; what one of them misses another supplies.",
        cost="A graph per view and some hundred products with sparse matrices.",
        remarks=(UNION, "Agrees nearly everywhere with joint diagonalisation, at a fraction of the cost.", FIRST),
    ),
    relative(
        id="squared-mean",
        title="Mean of squared Laplacians",
        formula="L̄² = Σ_l ω_l L_lᵀL_l",
        latex=(r"\bar{L}^2 = \sum_{l} \omega_l L_l^{\mathsf T} L_l",),
        summary="One view's dissent counts most: vectors that every view's Laplacian nearly maps to zero.",
        source=f"{PAPER}, (6)",
        params=WEIGHED,
        solve=solve_squared,
        footprint=_held_by_squares,
        assumes="Some vectors are nearly null vectors of every view's Laplacian: clusters that all views keep apart.",
        cost="As the mean Laplacian, with twice the products.",
        remarks=(
            UNION,
            "Squares single out the view in which a vector is rough: one dissenting view counts more than in the mean.",
            FIRST,
        ),
    ),
    relative(
        id="harmonic-mean",
        title="Harmonic mean of Laplacians",
        formula="L̄ = (Σ_l ω_l (L_l + αI)⁻¹)⁻¹",
        latex=(r"\bar{L} = \biggl( \sum_{l} \omega_l (L_l + \alpha I)^{-1} \biggr)^{-1}",),
        summary="Joins only what all views join: a false shortcut of one view is cut, the smaller α the more.",
        source=f"Cai, Nie, Huang, Kamangar: Heterogeneous image feature integration (2011); {PAPER}, (8)-(10)",
        params=(*WEIGHED, HARMONIC_ALPHA),
        solve=solve_harmonic,
        footprint=_held_by_inverses,
        assumes="Every view joins what belongs together; a false shortcut is made by one view only.",
        cost="One dense inverse per view and α: about half a second per view at 2000 samples.",
        remarks=(
            "At small α it acts on the intersection of the views' graphs: one view's false shortcut is cut.",
            "α decides the result, and without it the harmonic mean does not exist: look at several.",
            FIRST,
        ),
    ),
)
