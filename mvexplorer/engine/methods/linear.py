"""Linear baselines: principal components of all views side by side, and canonical correlations of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import N_COMPONENTS, Param, Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods.shared.cca import canonical, check_squares, forced, principal_by_blocks, whiten
from mvexplorer.engine.methods.shared.families import LINEAR
from mvexplorer.engine.pipeline.footprint import EIGH, NUMBER, PeakMemory, Size
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.eigenpairs import Decomposition, fix_signs

RIDGE = Param(
    "ridge",
    "",
    0.01,
    "Added to every view's covariance, as a part of its largest variance: directions weaker than that count little.",
    low=0.0,
    high=1.0,
    title="Ridge",
    source="Yair, Talmon (2017), section III, regularised",
)

Diagnostics = tuple[tuple[str, str], ...]


def linear_coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    """The leading r coordinates (M, r) as they are."""
    count = int(cast("int", params["n_components"]))
    return tuple(block[:, :count] for block in decomposition.blocks)


def _padded(A: Array, count: int) -> Array:
    """The first `count` columns of A, with zeros where it has fewer."""
    A = A[..., :count]
    return np.concatenate([A, np.zeros((*A.shape[:-1], count - A.shape[-1]))], axis=-1)


def _missing(varying: int, count: int, why: str) -> Diagnostics:
    if varying >= count:
        return ()
    return (("rank", f"Only {varying} of the {count} coordinates vary, the others are 0: {why}."),)


def _linear_map(X: Array, coordinates: Array, task: Task) -> Array:
    """The shortest linear map (D, r) that takes the centred samples (M, D) to their coordinates (M, r)."""
    left, sizes, axes = principal_by_blocks(X, task)
    return (axes / np.where(sizes > 0.0, sizes, 1.0)) @ (left.T @ coordinates)


# Principal components ------------------------------------------------------------------------------------------


def _side_by_side(stages: Stages) -> tuple[Array, Array]:
    """The views' features side by side (M, ΣD), centred, and their means (ΣD,)."""
    X = np.hstack([stages.view(i) for i in range(stages.n_views)])
    check_squares(X)
    stages.task.checkpoint()
    mean = X.mean(axis=0)
    return X - mean, mean


def _held_by_pca(size: Size) -> PeakMemory:
    """The features centred, turned both ways, and the products of the smaller side."""
    square = NUMBER * min(size.n, sum(size.features)) ** 2
    passing = 4.0 * size.table + (2.0 + EIGH) * square
    return PeakMemory(0.0, 2.0 * size.table + size.vectors(2 * size.r), passing)


def _held_by_cca(size: Size) -> PeakMemory:
    """As for principal components, view by view; the turned features of both are kept."""
    square = NUMBER * min(size.n, max(size.features)) ** 2
    passing = 2.0 * size.table + (2.0 + EIGH) * square
    return PeakMemory(0.0, 1.5 * size.table + size.vectors(4 * size.r), passing)


def _solve_pca(stages: Stages) -> Decomposition:
    """Principal components: eigenvalues = explained variances (divided by M - 1), descending."""
    X, _ = _side_by_side(stages)
    parts = principal_by_blocks(X, stages.task)
    count = int(cast("int", stages.params["n_components"]))
    variances = np.square(parts.sizes) / (len(X) - 1)
    total = float(variances.sum())
    info = {"explained_variance": float(variances[:count].sum()) / total if total > 0.0 else 0.0}
    scores = fix_signs(_padded(parts.left * parts.sizes, count))
    diagnostics = _missing(int(np.count_nonzero(parts.sizes)), count, "the features have no further direction")
    return Decomposition(_padded(variances, count), (scores,), info, diagnostics)


def _extend_pca(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    X, mean = _side_by_side(stages)
    new = np.hstack([stages.prepared(i, new) for i, new in enumerate(new_Xs)])
    return ((new - mean) @ _linear_map(X, decomposition.blocks[0], stages.task),)


PCA = Method(
    id="pca",
    title="PCA",
    formula="cov[x¹; …; xᴸ] v = λv,   coordinates vᵗ(x − x̄)",
    latex=(
        r"\mathrm{cov}\left[ x^1; \dots; x^L \right] v = \lambda v",
        r"\mathrm{coordinates} \;\; v^{\mathsf T} (x - \bar{x})",
    ),
    summary="Principal components of the views' features side by side: the linear baseline of everything else.",
    family=LINEAR,
    source="Hotelling: Analysis of a complex of statistical variables into principal components (1933)",
    params=(N_COMPONENTS,),
    solve=_solve_pca,
    footprint=_held_by_pca,
    coordinates=linear_coordinates,
    memory_class="features",
    extend=_extend_pca,
    requires="features",
    uses_epsilon=False,
    keeps_units=True,
    first_component=0,
    assumes="What matters varies most, along straight lines, in features measured in comparable units.",
    cost="One product of the features with themselves and one eigenproblem of its size, min(M, ΣD).",
    remarks=(
        "A view whose numbers are larger than the others' decides alone; z-score the views to give each a say.",
        "It does not know that there are several views: what they share and what only one has count equally.",
    ),
)

# Canonical correlations ----------------------------------------------------------------------------------------


def _centred(stages: Stages, i: int) -> tuple[Array, Array]:
    """View i, centred, and its mean (D_i,)."""
    X = stages.view(i)
    check_squares(X)
    mean = X.mean(axis=0)
    return X - mean, mean


def _solve_cca(stages: Stages) -> Decomposition:
    """Canonical variates, of variance 1 (less under a ridge); eigenvalues = squared canonical correlations."""
    ridge, count = float(cast("float", stages.params["ridge"])), int(cast("int", stages.params["n_components"]))
    views = [whiten(principal_by_blocks(_centred(stages, i)[0], stages.task), ridge=ridge) for i in range(2)]
    stages.task.checkpoint()
    turn, rho, back = canonical(views[0], views[1])
    scale = np.sqrt(stages.n_samples - 1)
    variates = [scale * view.samples @ _padded(turns, count) for view, turns in zip(views, (turn, back), strict=True)]
    # Both vectors of a pair get one sign, so that they correlate positively.
    first, second = np.split(fix_signs(np.vstack(variates)), 2)
    varying = min(int(view.rank) for view in views)
    diagnostics = _missing(varying, count, "a view has no further direction")
    if forced(rho, views[0].rank, views[1].rank, stages.n_samples):
        diagnostics = (*diagnostics, _forced_doubt(stages))
    return Decomposition(
        np.square(_padded(rho, count)), (first, second), {"canonical_correlation": float(rho[0])}, diagnostics
    )


def _forced_doubt(stages: Stages) -> tuple[str, str]:
    n_features = max(stages.view(i).shape[1] for i in range(2))
    text = (
        f"With {stages.n_samples} samples in {n_features} dimensions every canonical correlation is 1 but for "
        "the ridge, of related views or not. Raise the ridge, or use more samples or fewer features."
    )
    return ("full-rank", text)


def _extend_cca(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    out = []
    for i, (new, block) in enumerate(zip(new_Xs, decomposition.blocks, strict=True)):
        X, mean = _centred(stages, i)
        out.append((stages.prepared(i, new) - mean) @ _linear_map(X, block, stages.task))
    return tuple(out)


CCA = Method(
    id="cca",
    title="CCA",
    formula="Σ₁₁⁻¹Σ₁₂Σ₂₂⁻¹Σ₂₁p = ρ²p,   coordinates pᵗ(x − x̄)",
    latex=(
        r"\Sigma_{11}^{-1} \Sigma_{12} \Sigma_{22}^{-1} \Sigma_{21} \, p = \rho^2 p",
        r"\mathrm{coordinates} \;\; p^{\mathsf T} (x - \bar{x})",
    ),
    summary="Pairs of directions, one in each view, along which the samples correlate most.",
    family=LINEAR,
    source="Hotelling: Relations between two sets of variates (1936); Yair, Talmon (2017), (4)-(6)",
    params=(N_COMPONENTS, RIDGE),
    solve=_solve_cca,
    footprint=_held_by_cca,
    coordinates=linear_coordinates,
    memory_class="features",
    extend=_extend_cca,
    min_views=2,
    max_views=2,
    requires="features",
    uses_epsilon=False,
    first_component=0,
    per_view=True,
    assumes="What the views share is a linear function of the features of each, and there are many more samples.",
    cost="One product per view with itself, one between the views, and eigenproblems of the smaller of M and D.",
    remarks=(
        "With as many features as samples any two views correlate perfectly; the ridge holds weak directions back.",
        "Units of the features do not matter, but for the ridge.",
    ),
)

METHODS = (PCA, CCA)
