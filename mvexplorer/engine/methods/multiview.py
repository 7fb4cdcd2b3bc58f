"""Multi-view diffusion maps: a random walk that hops between the views at every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import VIEWS_APART, doubt
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.forms import least_row_sum
from mvexplorer.engine.kernels.operators import ThreadedOperator
from mvexplorer.engine.methods.diffusion import (
    OF_WALK,
    SMALLEST_VALUE,
    SOURCE,
    alpha_of,
    averaged,
    diffusion_coordinates,
    divide_by_values,
    pencil_of,
    positive,
    solve_pencil,
)
from mvexplorer.engine.methods.shared.families import WALKS
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size, kernels, solver
from mvexplorer.engine.pipeline.isolated import NO_NEIGHBOURS, without_neighbours
from mvexplorer.engine.pipeline.landmark_form import LandmarkForm, kernels_apart
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.steps_that_stay import stays_between_kernels
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of, operator_of
from mvexplorer.engine.pipeline.view_share import shares_of_hops, told_shares
from mvexplorer.engine.pipeline.view_weights import (
    NAME,
    VOLUME_WEIGHTS,
    by_volume,
    given_weights,
    plain_operators_of,
    told_weights,
    weights_of,
)
from mvexplorer.engine.pipeline.walk import Walk, kernel_walk
from mvexplorer.engine.spectral.diagnostics import Diagnostics, walk_diagnostics
from mvexplorer.engine.spectral.eigenpairs import (
    Decomposition,
    right_eigenvectors,
    singular_vectors,
)
from mvexplorer.engine.spectral.isolated import Kept, density_weights, with_neighbours
from mvexplorer.engine.spectral.reduced import Pencil
from mvexplorer.wording import listed, number

ETA = Param(
    "eta",
    "η",
    0.0,
    "Weight of steps that stay within a view: 0 always hops to another view, 1 leaves every view on its own.",
    low=0.0,
    high=1.0,
    title="Within-view weight",
    source="(49)",
)

UNRESOLVED = 1e-7
"""Singular values below this are rounding: B Bᵀ resolves their squares no better than 1e-16."""


def solve(stages: Stages) -> Decomposition:
    """Decomposition of P̂ = D̂⁻¹K̂, blocks w_l w_m K^l K^m off the diagonal and η w_l² (K^l)² on it."""
    eta = float(stages.params.get("eta") or 0.0)
    two_alone = eta == 0.0 and stages.n_views == 2
    if not two_alone and (pencil := pencil_of_views(stages, shares=not stages.interactive)) is not None:
        found = solve_pencil(stages, pencil)
        blocks = tuple(np.split(found.blocks[0], stages.n_views))
        notices = _views_apart(blocks, found.eigenvalues, found.info["within_view_probability"])
        return replace(found, blocks=blocks, warnings=(*found.warnings, *notices))
    decomposition = solve_two_views(stages) if two_alone else _solve_decoupled(stages, _operators(stages))
    return replace(decomposition, warnings=(*_notes(stages, eta), *decomposition.warnings))


def _notes(stages: Stages, eta: float) -> tuple[tuple[str, str], ...]:
    """Warn that η, or view weights, have no effect."""
    two_alone = eta == 0.0 and stages.n_views == 2
    independent = "At η = 1 the views are independent: each is embedded by its own (Kˡ)²."
    apart = (("decoupled", independent),) if eta == 1.0 else ()
    if stages.params.get(NAME) is None or not (two_alone or apart):
        return apart
    text = "View weights have no effect at η = 1: every view is embedded by itself."
    if two_alone:
        text = "View weights have no effect on two views at η = 0: every step changes the view, whatever the weights."
    return (*apart, ("weights", text))


def _operators(stages: Stages) -> list[ThreadedOperator]:
    return [operator_of(stages, i) for i in range(stages.n_views)]


def _weighed(stages: Stages) -> list[ThreadedOperator]:
    """The kernels times their views' weights: of them all blocks w_l w_m K^l K^m are made."""
    return [operator_of(stages, i, w) for i, w in enumerate(weights_of(stages))]


def _block_product(kernels: Sequence[ThreadedOperator], V: Array, eta: float) -> Array:
    """K̂ V with 2L products instead of L²: out_l = K_l [(1-η)/(L-1) (s - u_l) + η u_l], u_m = K_m v_m."""
    n_views, n = len(kernels), kernels[0].shape[0]
    parts = [K @ V[i * n : (i + 1) * n] for i, K in enumerate(kernels)]
    total = np.sum(parts, axis=0)
    across = (1.0 - eta) / (n_views - 1)
    return np.concatenate([K @ (across * (total - u) + eta * u) for K, u in zip(kernels, parts, strict=True)])


def pencil_of_views(stages: Stages, *, shares: bool = True) -> Pencil | None:
    """The walk P̂ on the samples in each view, which de Sa's graph is at η = 0; none at η = 1, where it decouples.

    Without `shares` the views' shares in a step are not told: they would take a fifth of a draft's time.
    """
    eta = float(stages.params.get("eta") or 0.0)
    if eta == 1.0:
        return None
    weights = weights_of(stages)
    kernels = [operator_of(stages, i, w) for i, w in enumerate(weights)]
    degrees = _remembered_degrees(stages, kernels, eta)

    def info() -> dict[str, float]:
        weight = density_weights(degrees, alpha_of(stages), _neighboured(stages, degrees, eta))
        within = _within_view_probability(kernels, weight, eta) if eta else 0.0
        numbers = {"within_view_probability": within}
        if eta == 0.0 and stages.n_views == 2:  # whatever they weigh, every other step is in either view
            return numbers
        numbers |= told_weights(stages, weights)
        if shares:
            numbers |= told_shares(stages, shares_of_hops(kernels, weight, eta))
        return numbers

    return pencil_of(
        stages,
        lambda V: _block_product(kernels, V, eta),
        degrees,
        least=_least_row_sum(stages),
        names=[stages.view_name(i) for i in range(stages.n_views)],
        n_blocks=stages.n_views,
        two_sided=stages.n_views == 2 and eta == 0.0,
        linear=() if alpha_of(stages) else ("eta",),
        info=info,
        warnings=(*_notes(stages, eta), *notices_of_views(stages, range(stages.n_views))),
    )


def _least_row_sum(stages: Stages) -> float:
    return max(least_row_sum(kernel_of(stages, i)) for i in range(stages.n_views))


def _neighboured(stages: Stages, degrees: Array, eta: float) -> Kept | None:
    """The nodes (L·M,) of row sums `degrees` that have neighbours, None where all do; at η = 1 view by view."""
    if stages.form.loops:
        return None
    least = _least_row_sum(stages)
    if eta < 1.0:
        return with_neighbours(degrees, least)
    each = [(part, with_neighbours(part, least)) for part in np.split(degrees, stages.n_views)]
    return np.concatenate([np.ones(len(part), bool) if kept is None else kept for part, kept in each])


def _degrees(kernels: Sequence[ThreadedOperator], eta: float) -> Array:
    """Row sums (L·M,) of K̂."""
    first = kernels[0]
    return _block_product(kernels, np.ones((len(kernels) * first.shape[0], 1), dtype=first.dtype), eta).ravel()


def _remembered_degrees(stages: Stages, kernels: Sequence[ThreadedOperator], eta: float) -> Array:
    """The same, remembered once the hand rests: what is told of the walk needs them as well."""
    if stages.interactive:
        return _degrees(kernels, eta)
    return stages.fused("walk degrees", eta, weights_of(stages), compute=lambda: _degrees(kernels, eta))


def walk_of_views(stages: Stages) -> Walk:
    """The walk P̂ on the samples in each view, (14) and (49); at η = 0 it leaves its view at every step."""
    eta = float(stages.params.get("eta") or 0.0)
    kernels, alpha = _weighed(stages), alpha_of(stages)

    def columns(sample: int) -> Array:
        """K̂ at the sample: blocks K^l k^m of the kernels' own columns, left out where their weight is 0."""
        own = np.stack([K.column(sample) for K in kernels], axis=1)
        share = np.full((len(kernels), len(kernels)), (1.0 - eta) / (len(kernels) - 1))
        np.fill_diagonal(share, eta)
        out = np.zeros((len(kernels), *own.shape), own.dtype)
        for K, s, block in zip(kernels, share, out, strict=True):
            block[:, s > 0.0] = s[s > 0.0] * (K @ own[:, s > 0.0])
        return np.concatenate(out)

    def degrees() -> Array:
        return _remembered_degrees(stages, kernels, eta)

    def apply(V: Array) -> Array:
        return _block_product(kernels, V, eta)

    def kept() -> Kept | None:
        return None if stages.form.loops else _neighboured(stages, degrees(), eta)

    walk = kernel_walk(apply, columns, degrees, alpha, (len(kernels), stages.n_samples), kept)
    if any(kernel.landmarks for kernel in stages.kernels):
        return walk
    return replace(walk, share_that_stays=lambda: _share_that_stays(stages, eta))


def _share_that_stays(stages: Stages, eta: float) -> float:
    """The share of steps that stay where self-loops are kept, and kernels not scaled."""
    kernels = plain_operators_of(stages)
    degrees = _remembered_degrees(stages, kernels, eta) if stages.form.plain else _degrees(kernels, eta)

    def apply(V: Array) -> Array:
        return _block_product(kernels, V, eta)

    return stays_between_kernels(kernels, apply, degrees, eta, alpha_of(stages))


def _within_view_probability(kernels: Sequence[ThreadedOperator], weight: Array, eta: float) -> float:
    """Mean probability that a step stays in its view, `weight` (L·M,) being that of the density.

    Equal to η only where the row sums agree.
    """
    parts = np.split(weight, len(kernels))
    within = np.concatenate([w * (K @ (K @ w)) for K, w in zip(kernels, parts, strict=True)])
    total = weight * _block_product(kernels, weight[:, None], eta).ravel()
    steps = total > 0.0
    return float(np.mean(eta * within[steps] / total[steps]))


def _views_apart(blocks: Sequence[Array], values: Array, within: float) -> Diagnostics:
    """The notice about leading coordinates that are level in each view, and so tell nothing of the samples.

    Where all row sums agree, the walk between L views has the eigenvalue (L p - 1) / (L - 1), L - 1 times, p the
    probability to stay in a view: it leads as soon as the samples' own are smaller.
    """
    leading, level = 3, 0.9  # coordinates looked at, and the part of one that is the same all over a view
    told = []
    for k in range(1, min(leading + 1, len(values))):
        means = np.array([np.nanmean(Y[:, k]) for Y in blocks])
        size = np.sqrt(np.mean([np.nanmean(np.square(Y[:, k])) for Y in blocks]))
        if means.std() > level * size > 0.0:
            told.append(k)
    if not told:
        return ()
    names = listed(["ψ" + "₀₁₂₃"[k] for k in told])
    tell = "tells" if len(told) == 1 else "tell"
    text = (
        f"{names} (λ {number(float(values[told[0]]), 2)}) {tell} the views apart, not the samples: a step stays in its "
        f"view with probability {number(within, 2)}. A smaller η brings the samples forward."
    )
    return ((VIEWS_APART, doubt(VIEWS_APART, text)),)


def _solve_decoupled(stages: Stages, kernels: Sequence[ThreadedOperator]) -> Decomposition:
    """η = 1: the walk never leaves a view; each has its own trivial vector and is embedded by itself."""

    def embed_alone(i: int, K: ThreadedOperator) -> Decomposition:
        least, names = least_row_sum(kernel_of(stages, i)), [stages.view_name(i)]
        pencil = pencil_of(stages, lambda V: K @ (K @ V), K @ K.sum(axis=1), least, names=names)
        return solve_pencil(stages, pencil, i)

    each = [embed_alone(i, K) for i, K in enumerate(kernels)]
    values = np.sort(np.concatenate([d.eigenvalues for d in each]))[::-1]
    diagnostics = tuple(w for d in each for w in d.warnings if w[0] != NO_NEIGHBOURS)[:1]
    kept = np.isfinite(np.concatenate([d.blocks[0][:, 0] for d in each]))
    if not kept.all():
        names = [stages.view_name(i) for i in range(stages.n_views)]
        diagnostics = (*diagnostics, *without_neighbours(stages, kept, names))
    diagnostics = (*diagnostics, *notices_of_views(stages, range(stages.n_views)))
    return Decomposition(
        values,
        tuple(d.blocks[0] for d in each),
        {"within_view_probability": 1.0},
        diagnostics,
        tuple(d.eigenvalues for d in each),
        tuple(basis for d in each for basis in d.bases),
    )


def solve_two_views(stages: Stages) -> Decomposition:
    """L = 2, η = 0 through B Bᵀ, B = D_r^-1/2 K¹K² D_c^-1/2: half the size, and ±σ for free.

    The multi-view walk and de Sa's graph have it in common: side by side they solve it once. So do drafts between
    anchors, which are the same for both; other drafts start where their own panel was last.
    """
    if not stages.form.loops and (pencil := pencil_of_views(stages)) is not None and pencil.kept is not None:
        solved = solve_pencil(stages, pencil)
        return replace(solved, blocks=tuple(np.split(solved.blocks[0], 2)))
    if stages.interactive and not stages.start.anchored:
        return _solve_two_views(stages)
    stage = "anchored draft" if stages.interactive else "decomposition"
    settings = stages.n_vectors, alpha_of(stages), stages.random_state
    return stages.fused(stage, *settings, compute=lambda: _solve_two_views(stages))


def _solve_two_views(stages: Stages) -> Decomposition:
    first, second, search = operator_of(stages, 0), operator_of(stages, 1), search_of(stages)
    if search.start is not None:  # of both views; the second follows from the first
        search = replace(search, start=search.start[: stages.n_samples])
    rows, columns = (search.rounded(K @ other.sum(axis=1)) for K, other in ((first, second), (second, first)))
    weight_rows = weight_columns = np.ones_like(rows)
    alpha = alpha_of(stages)
    if alpha:  # the density normalisation
        weight_rows, weight_columns = rows**-alpha, columns**-alpha
        rows = weight_rows * (first @ (second @ weight_columns))
        columns = weight_columns * (second @ (first @ weight_rows))
    scale_rows, scale_columns = (weight_rows / np.sqrt(rows))[:, None], (weight_columns / np.sqrt(columns))[:, None]

    def forward(V: Array) -> Array:
        return scale_rows * (first @ (second @ (scale_columns * V)))

    def backward(U: Array) -> Array:
        return scale_columns * (second @ (first @ (scale_rows * U)))

    left, basis, in_single = singular_vectors(forward, backward, (rows, columns), search, stages.task)
    k, root = left.shape[1], np.sqrt(rows)[:, None]
    # An exact answer may be an anchor: then the further vectors are needed in both views, too.
    solved = left if stages.interactive else np.column_stack([left, basis[:, k - 1 :] * (root / np.linalg.norm(root))])
    right = backward(solved.astype(rows.dtype)).astype(np.float64)
    # σ as the length of Bᵀu, not as the root of an eigenvalue of B Bᵀ: exact to rounding for small σ as well.
    values = np.linalg.norm(right, axis=0)
    right = right / np.where(values > UNRESOLVED, values, np.inf)
    if not stages.interactive:
        basis = np.vstack([basis, right[:, 1:] * (np.linalg.norm(root) / np.sqrt(columns)[:, None])])
    # Below the resolution of B Bᵀ their order is rounding, too.
    order = np.concatenate([[0], 1 + np.argsort(-values[1:k], kind="stable")])
    values, left, right = values[order], left[:, order], right[:, order]
    values = np.minimum(values, 1.0)
    values[0] = 1.0
    degrees = np.concatenate([rows, columns]).astype(np.float64)
    psi = right_eigenvectors(np.vstack([left, right]) / np.sqrt(2.0), degrees)
    n = stages.n_samples
    diagnostics = (*walk_diagnostics(values, psi, copies=2), *notices_of_views(stages, range(2)))
    lost = int(np.count_nonzero(values <= UNRESOLVED))
    if lost:
        text = (
            f"The last {lost} of {len(values) - 1} coordinates are below rounding: choose a smaller ε or fewer of them."
        )
        diagnostics = (*diagnostics, ("unresolved", text))
    info = {"within_view_probability": 0.0}
    return Decomposition(
        values, (psi[:n], psi[n:]), info, diagnostics, bases=(basis,), squared=True, in_single=in_single
    )


def form_of_views(stages: Stages) -> LandmarkForm:
    """The walk P̂ on kernels of landmarks."""
    eta = float(stages.params.get("eta") or 0.0)
    factors = tuple((kernel,) for kernel in kernels_apart(stages, given_weights(stages)))
    return LandmarkForm(factors, "hops", eta, notes=_notes(stages, eta), by_volume=by_volume(stages))


def extend_views(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """Nyström extension (39)-(43), with the new point's own row sum as normaliser.

    Numerator and row sum share the same weights: η w_l within view l, w_m (1-η)/(L-1) across; w of its own cancels.
    """
    eta, n_views = float(stages.params.get("eta") or 0.0), stages.n_views
    kernels = _weighed(stages)
    across = (1.0 - eta) / (n_views - 1)
    density = np.split(positive(_degrees(kernels, eta)) ** -alpha_of(stages), n_views)
    smallest = UNRESOLVED if eta == 0.0 and n_views == 2 else SMALLEST_VALUE
    blocks = decomposition.blocks
    if not stages.form.loops:  # nodes without neighbours count nothing
        density = [np.where(np.isnan(psi[:, 0]), 0.0, w) for w, psi in zip(density, blocks, strict=True)]
        blocks = tuple(np.nan_to_num(psi) for psi in blocks)
    stepped = [K @ (w[:, None] * psi) for K, w, psi in zip(kernels, density, blocks, strict=True)]
    sums = [K @ w for K, w in zip(kernels, density, strict=True)]
    out = []
    for i, X in enumerate(new_Xs):
        weights = cross_kernel(stages, i, X)
        others = [m for m in range(n_views) if m != i]
        step = eta * stepped[i] + across * np.sum([stepped[m] for m in others], axis=0)
        total = eta * sums[i] + across * np.sum([sums[m] for m in others], axis=0)
        out.append(divide_by_values(averaged(stages, weights, step, total), decomposition.values_of(i), smallest))
    return tuple(out)


def _held(size: Size) -> PeakMemory:
    """At η = 0 the solver's vectors span one of two views; otherwise they span all views."""
    spans = 1 if len(size.features) == 2 and size.params["eta"] == 0.0 else len(size.features)
    return kernels(size) + solver(size, spans)


METHODS = (
    Method(
        id="multiview",
        title="Multi-view",
        formula="K̂ = [Kˡ Kᵐ]_{l≠m},   P̂ = D̂⁻¹K̂",
        latex=(
            r"\hat{K}_{lm} = \begin{cases} \eta \, (K^l)^2 & \text{if } l = m \\"
            r" \frac{1 - \eta}{L - 1} K^l K^m & \text{if } l \neq m \end{cases}",
            r"\hat{P} = \hat{D}^{-1} \hat{K}",
        ),
        summary="A random walk that changes view at every step: a link in one view is enough to join two samples.",
        family=WALKS,
        source=f"{SOURCE}, (13)-(14), (21)-(23), (49)",
        params=(*OF_WALK, ETA, VOLUME_WEIGHTS),
        solve=solve,
        coordinates=diffusion_coordinates,
        memory_class="products",
        footprint=_held,
        extend=extend_views,
        walk=walk_of_views,
        pencil=pencil_of_views,
        landmark_form=form_of_views,
        min_views=2,
        per_view=True,
        warm_starts=True,
        assumes="No view joins what does not belong together: a gap in one view is bridged by the others, and so is a "
        "shortcut of one view a shortcut for all.",
        cost="One kernel per view and 2L products per step, never a product of kernels; with two views and η = 0 half.",
        remarks=(
            "A sample near one of two in one view and near the other in the next joins them, and every sample is near "
            "itself: only the kernel product asks all views.",
            "Wins at small ε, where single views fall apart; at large ε the kernel sum is often as good or better.",
            "η is the probability of staying in a view only where the row sums agree; the true one is shown.",
        ),
    ),
)
