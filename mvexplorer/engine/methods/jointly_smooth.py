"""Jointly smooth functions: smooth on every view, found by canonical correlation of the views' eigenfunctions.

There is no one walk to prepare between anchors: a drag starts the eigensolver of each view's own walk from them, and
the small eigenproblem that joins the views follows anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import SHIFTED
from mvexplorer.engine.core.shuffles import circular_shifts, order_maker, shifts_apart
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.methods.diffusion import COMMON, alpha_of, diffusion_coordinates
from mvexplorer.engine.methods.shared.families import SHARED_BY_VIEWS
from mvexplorer.engine.methods.shared.neighbourhoods import each_ordered_in_time
from mvexplorer.engine.methods.shared.smooth import (
    N_SMOOTH,
    SmoothFunctions,
    checked_count,
    kept_functions,
    most_functions,
    notices_of_functions,
    smooth_functions,
)
from mvexplorer.engine.pipeline.footprint import PeakMemory, Size, kernels, solver
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition, fix_signs

CANDIDATES = (5, 10, 15, 20, 30, 40, 60, 80)
"""Numbers of smooth functions among which "auto" chooses."""
COMMON_BAND = "common_band"
"""The largest γ that chance alone has."""
SHUFFLES = 19
"""Orders of the rows among which chance is looked for."""


def solve(stages: Stages) -> Decomposition:
    """Left singular vectors of the views' bases side by side, and γ = (σ² - 1) / (L - 1), 1 for the constant.

    Drafts know the edge of free subspaces in place of the band of shuffles.
    """
    count, each = _functions(stages)
    gammas, F = common_functions([f.varying for f in each])
    band, notices, in_time = _line(stages, count), Diagnostics(), False
    if not stages.interactive and stages.precision == "float64":
        band, in_time = shuffled_band(stages, [f.varying for f in each]), shifts_in_time(stages)
        notices = *notices_of_functions(stages, each), *_notices(stages, gammas, band, count)
    above = float(np.sum(gammas > band))
    info = {"common_functions": above, COMMON_BAND: band, "common_band_by_shifts": float(in_time)}
    values, F = gammas[: stages.n_vectors - 1], F[:, : stages.n_vectors - 1]
    psi = np.column_stack([np.ones(stages.n_samples), fix_signs(F) * np.sqrt(stages.n_samples)])
    return Decomposition(
        np.append(1.0, values),
        (psi,),
        {"n_smooth": float(count), **info},
        notices,
        bases=tuple(f.carried for f in each),
        walks=tuple(np.append(f.values, f.next_value) for f in each),
    )


def common_functions(bases: Sequence[Array]) -> tuple[Array, Array]:
    """γ (k,), descending, and orthonormal functions (M, k), from bases (M, d - 1) without the constant."""
    side_by_side = np.hstack(bases)
    squares, turns = np.linalg.eigh(side_by_side.T @ side_by_side)
    squares, turns = squares[::-1], turns[:, ::-1]
    kept = squares >= 1e-8  # what is smaller is rounding, and in no view's span
    return _gamma(squares[kept], len(bases)), side_by_side @ (turns[:, kept] / np.sqrt(squares[kept]))


def _gamma(squares: Array | float, n_views: int) -> Array:
    return np.asarray((squares - 1.0) / (n_views - 1))


def _functions(stages: Stages) -> tuple[int, list[SmoothFunctions]]:
    """How many smooth functions stand for each view, and these."""
    count = smooth_count(stages)
    return count, [smooth_functions(stages, i, count) for i in range(stages.n_views)]


def smooth_count(stages: Stages) -> int:
    """How many smooth functions stand for each view."""
    given = stages.params["n_smooth"]
    if given != "auto":
        return checked_count(stages, int(cast("int", given)))
    if stages.interactive:  # the number chosen where the hand last rested
        former = stages.in_float64().alike("smooth count", stages.view_keys())
        return int(former[-1]) if former else checked_count(stages, int(cast("int", N_SMOOTH.default)))
    settings = *stages.kernel_settings(), stages.random_state, alpha_of(stages)
    key = StageKey("smooth count", stages.view_keys(), settings=settings)
    return stages.memo(key, lambda: best_count(stages.in_float64()))


def best_count(stages: Stages) -> int:
    """The number of smooth functions with which most is in common beyond chance: the largest Σ max(γ - band, 0)."""
    most = checked_count(stages, min(most_functions(stages), CANDIDATES[-1]))
    bases = [smooth_functions(stages, i, most).varying for i in range(stages.n_views)]
    candidates = [count for count in CANDIDATES if count <= most] or [most]
    own = _gram(bases)
    shuffled = [_gram(each) for each in _shuffled(stages, bases, 5)]

    def excess(count: int) -> float:
        values = _values_within(own, len(bases), count)
        band = max(_values_within(G, len(bases), count)[0] for G in shuffled)
        return float(np.maximum(values - band, 0.0).sum())

    return max(candidates, key=excess)


def _gram(bases: Sequence[Array]) -> Array:
    side_by_side = np.hstack(bases)
    return np.asarray(side_by_side.T @ side_by_side)


def _values_within(gram: Array, n_views: int, count: int) -> Array:
    """γ, descending, of the first `count` functions of each view, from the products of more of them."""
    width = len(gram) // n_views
    some = (width * np.arange(n_views)[:, None] + np.arange(count - 1)).ravel()
    return _gamma(np.linalg.eigvalsh(gram[np.ix_(some, some)])[::-1], n_views)


def _line(stages: Stages, count: int) -> float:
    """The largest γ that L free subspaces have on average: the edge of free projections, (L = 2) the paper's."""
    n_views, share = stages.n_views, (count - 1) / (stages.n_samples - 1)
    edge = 1.0 + (n_views - 2) * share + 2.0 * np.sqrt((n_views - 1) * share * (1.0 - share))
    return float((min(edge, n_views) - 1.0) / (n_views - 1))


def shuffled_band(stages: Stages, bases: Sequence[Array]) -> float:
    """The largest γ among shuffles of the rows of all views but the first."""
    most = max(np.linalg.eigvalsh(_gram(each))[-1] for each in _shuffled(stages, bases, SHUFFLES))
    return float(_gamma(most, len(bases)))


def _shuffled(stages: Stages, bases: Sequence[Array], repeats: int) -> Iterator[list[Array]]:
    """The bases with the rows of all but the first in other orders, which keep what is ordered in time together."""
    others, n, seed = bases[1:], stages.n_samples, stages.random_state
    in_time = shifts_in_time(stages)
    orders = [order_maker("rows", n, np.arange(n), seed + i) for i in range(1, len(bases))]
    for number in range(repeats):
        stages.task.checkpoint()
        if in_time:
            shifts = shifts_apart(n, len(others), number, seed)
            yield [bases[0], *(np.roll(basis, shift, axis=0) for basis, shift in zip(others, shifts, strict=True))]
        else:
            yield [bases[0], *(basis[order(number)] for basis, order in zip(others, orders, strict=True))]


def shifts_in_time(stages: Stages) -> bool:
    """True if the samples are ordered in time, so that shuffled rows would make everything seem common."""
    n_samples = stages.n_samples
    comparable = all(kernel.kind.metric != "none" for kernel in stages.kernels)
    if not comparable or n_samples > MANY_SAMPLES or len(circular_shifts(n_samples)) < SHUFFLES:
        return False
    key = StageKey("ordered in time", stages.view_keys())
    return stages.memo(key, lambda: each_ordered_in_time(stages))


def _notices(stages: Stages, gammas: Array, band: float, count: int) -> Diagnostics:
    notices = Diagnostics()
    given, above = stages.params["n_smooth"], int(np.sum(gammas > band))
    if given not in ("auto", count):
        text = (
            f"{stages.n_samples:,} samples in {stages.n_views} views allow {count} smooth functions each, not {given}."
        )
        notices = (("n-smooth", text),)
    much = 1.4  # times what free subspaces have in common
    if shifts_in_time(stages):
        beyond = "none is" if not above else f"{above} {'is' if above == 1 else 'are'}"
        text = (
            "The samples are ordered in time, where all that changes slowly seems common. Of its functions "
            f"{beyond} more common than in views shifted in time; of periodic samples no shift tells anything."
        )
        return (*notices, (SHIFTED, text))
    if band >= much * _line(stages, count):
        text = "A view's leading functions sit on single samples, so that chance finds much in common: ε is too small."
        return (*notices, ("single-samples", text))
    if not above:
        text = (
            "No function is common to the views beyond chance: what is drawn may be that of any views of these sizes."
        )
        return (*notices, ("nothing-common", text))
    return notices


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """Mean of the views' own extensions, divided by the share μ of a function that the views' spans have on average.

    Of the views that a sample has: a row of NaN is a view that it lacks.
    """
    F, values, count = decomposition.blocks[0], decomposition.eigenvalues, int(decomposition.info["n_smooth"])
    total, views = np.zeros((len(new_Xs[0]), F.shape[1])), np.zeros(len(new_Xs[0]))
    for i, X in enumerate(new_Xs):
        there = np.isfinite(X).all(axis=1)
        if not there.any():
            continue
        functions = kept_functions(decomposition, i, count)
        total[there] += functions.at_new(stages, i, functions.basis.T @ F, X[there])
        views += there
    share = (1.0 + (len(new_Xs) - 1.0) * values) / len(new_Xs)
    return (total / views[:, None] / share,)


def held_with_bases(size: Size) -> PeakMemory:
    """The views' kernels, a solver, and the smooth functions of each view."""
    given = size.params.get("n_smooth")
    count = CANDIDATES[-1] if given == "auto" else int(given or 0)
    carried = 12  # vectors that an eigensolver carries beyond those asked for
    return kernels(size) + solver(size) + PeakMemory(own=size.vectors(4 * len(size.features) * (count + carried)))


METHODS = (
    Method(
        id="jointly-smooth",
        title="Jointly smooth",
        formula="[W¹ … Wᴸ] = FΣVᵀ,   γ = (σ² − 1) / (L − 1)",
        latex=(
            r"[\, W^1 \; \cdots \; W^L \,] = F \Sigma V^{\mathsf T}, \qquad"
            r" \gamma_k = \frac{\sigma_k^2 - 1}{L - 1}",
        ),
        summary="Functions of the samples that are smooth on every view: what all know, whatever else each one knows.",
        family=SHARED_BY_VIEWS,
        source="Dietrich, Yair, Mulayoff, Talmon, Kevrekidis: Spectral discovery of jointly smooth features for "
        "multimodal data (2022), algorithms 1-3",
        params=(*COMMON, N_SMOOTH),
        solve=solve,
        coordinates=diffusion_coordinates,
        memory_class="products",
        footprint=held_with_bases,
        extend=_extend,
        extends_by_any_view=True,
        min_views=2,
        warm_starts=True,
        assumes="What views share is smooth in each of them, and among the first d eigenfunctions of each.",
        cost="d eigenvectors per view, as in pictures of the views alone, and a small eigenproblem.",
        remarks=(
            "γ tells how common a function is: 1 in every view's span, 0 in one only; of three views, 1/2 in two.",
            "A variable in common comes with its square, its cube, an angle with its multiples: the number of common "
            "functions is no dimension.",
        ),
        misleads=(
            "Too small a d leaves what is common out of the spans, too large a d finds something by chance: compare γ "
            "with the band of shuffled rows.",
            "What merely runs in time is common to all views: of samples in time the band is that of shifts, and of "
            "periodic ones no shift tells anything.",
            "A view of noise lowers every γ: leave it out, and see what rises.",
        ),
    ),
)
