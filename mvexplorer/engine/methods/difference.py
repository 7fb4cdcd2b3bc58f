"""Where two views differ: the eigenvectors of the difference of their walks, at both ends of its spectrum.

Nothing is prepared between anchors, as for a walk: 1 is no eigenvalue and the constant not the first vector, both ends
are drawn, and the second view's ε follows from a search at every place. Drags start from both ends at the anchors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import MATCHED_REACH, Notice, doubt
from mvexplorer.engine.core.params import N_COMPONENTS, Param, Value
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.kernels.operators import Float32Kernel, KernelMatrix, LowRankOperator, ThreadedOperator
from mvexplorer.engine.methods.diffusion import divide_by_values
from mvexplorer.engine.methods.shared.families import SHARED_BY_VIEWS
from mvexplorer.engine.pipeline.ingredients import DOUBLY_STOCHASTIC, NORMALISATION, SELF_LOOPS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling import CoarseKernelError
from mvexplorer.engine.pipeline.scaling_notices import notices_of_views
from mvexplorer.engine.pipeline.solve import search_of
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.twins import twins_of
from mvexplorer.engine.pipeline.view_kernel import cross_kernel, kernel_of
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition, eigenpairs_beside, fix_signs
from mvexplorer.errors import ComputeError
from mvexplorer.wording import number

MATCH_REACH = Param(
    "match_reach",
    "",
    True,
    "Move the second view's ε until a step meets as many samples in both views. Without, a difference in reach alone "
    "looks like one of the views.",
    kind="flag",
    title="Match the reach",
)
MATCHED_EPSILON = "matched_epsilon"
"""The ε of the second view at which its steps meet as many samples as the first view's."""
UNEVEN_REACH = "uneven-reach"
UNEVEN = 1.3
"""Times as many samples that a step meets in one view are told."""


def doubly_stochastic(stages: Stages) -> Stages:
    """The same computation with doubly stochastic kernels whose steps never stay, as far as these can be told."""
    loops = any(kernel.landmarks for kernel in stages.kernels)
    form: dict[str, Value] = {NORMALISATION.name: DOUBLY_STOCHASTIC, SELF_LOOPS.name: loops}
    return stages.with_params({**stages.params, **form})


# Reach ------------------------------------------------------------------------------------------------------------


def samples_met(W: KernelMatrix) -> float:
    """The samples that a step of a doubly stochastic walk (M, M) meets: M / Σ W², a harmonic mean."""
    if isinstance(W, LowRankOperator):
        left, right = (side if W.root is None else side @ W.root for side in (W.left, W.right))
        squares = float(np.sum((left.T @ left) * (right.T @ right), dtype=np.float64))
    else:
        stored: Any = W.stored if isinstance(W, Float32Kernel) else W
        entries = stored if isinstance(stored, np.ndarray) else stored.data[None]
        squares = sum(
            float(np.square(entries[start : start + BLOCK_ROWS], dtype=np.float64).sum())
            for start in range(0, len(entries), BLOCK_ROWS)
        )
    return W.shape[0] / squares


def _reach(stages: Stages, i: int) -> float:
    """The reach of view i; its kernel is made for nothing else, unless it is there."""
    return stages.of_kernel(i, "reach", compute=lambda: samples_met(kernel_of(stages.forgetting("kernel"), i)))


def matched_pair(stages: Stages) -> Stages:
    """The two doubly stochastic walks, the second at the ε at which it reaches as far as the first."""
    walks = doubly_stochastic(stages)
    if not stages.params.get(MATCH_REACH.name) or not stages.kernels[1].kind.uses_epsilon:
        return walks
    return walks.at((walks.epsilon[0], _matched(walks)))


def matched_walks(stages: Stages) -> tuple[Stages, list[KernelMatrix]]:
    """The same computation as `matched_pair` gives it, and the walks (M, M) of both views."""
    try:
        pair = matched_pair(stages)
        return pair, [kernel_of(pair, i) for i in range(2)]
    except CoarseKernelError:
        raise
    except ComputeError as error:
        raise ComputeError(error.message, "Enlarge ε.") from None


def _matched(walks: Stages) -> float:
    """The second view's ε; while a slider moves that of the last rest, moved along with the first view's."""
    if walks.interactive:
        former = walks.in_float64().alike("matched reach", walks.view_keys())
        if former:
            first, second = former[-1]
            return float(second * (walks.epsilon[0] / first if walks.kernels[0].kind.uses_epsilon else 1.0))
    first = walks.epsilon[0] if walks.kernels[0].kind.uses_epsilon else None
    key = StageKey("matched reach", walks.view_keys(), settings=(walks.kernels, first, walks.random_state))
    return walks.in_float64().memo(key, lambda: (walks.epsilon[0], _search_reach(walks.in_float64())))[1]


def _search_reach(walks: Stages) -> float:
    """The second view's ε by the secant of log reach over log ε, kept between what is too small and too large.

    Where no ε reaches as far, as of a graph of few neighbours, the least moved one of those that come nearest.
    """
    trial = walks.forgetting("reach").forgetting("scaling")
    aim, near, most = np.log(_reach(trial, 0)), np.log(1.02), 40
    low, high = -np.inf, np.inf
    place, slope = 0.0, 1.0  # places are logarithms of a factor on the ε that is given
    best, former = (np.inf, 0.0, place), None
    flat, many = 0, 4  # clusters make a plateau, which ends; a graph's has no end
    for _ in range(most):
        try:
            off = float(np.log(_reach(trial.at((walks.epsilon[0], walks.epsilon[1] * float(np.exp(place)))), 1)) - aim)
        except ComputeError:  # so small an ε that samples have no neighbours
            off = -np.inf
        if abs(off) <= near:
            return walks.epsilon[1] * float(np.exp(place))
        best = min(best, (round(abs(off), 3), abs(place), place))
        flat = flat + 1 if former is not None and abs(off - former[1]) < 1e-3 < abs(place - former[0]) else 0
        if flat >= many or high - low < 1e-6:
            break
        low, high = (place, high) if off < 0.0 else (low, place)
        if former is not None and np.isfinite(off) and abs(place - former[0]) > 0.0:
            slope = max((off - former[1]) / (place - former[0]), 0.1)
        former = (place, off) if np.isfinite(off) else former
        step = np.clip(-off / slope, -3.0, 3.0)
        further = place + float(step)
        inside = low < further < high
        place = further if inside else 0.5 * (low + high)
    return walks.epsilon[1] * float(np.exp(best[2]))


# The difference ---------------------------------------------------------------------------------------------------


def solve(stages: Stages) -> Decomposition:
    """Eigenpairs of W¹ - W² of largest modulus: + is kept by a step in the first view only, - by one in the second."""
    (pair, walks), r = matched_walks(stages), stages.n_vectors - 1
    first, second = (ThreadedOperator(W, stages.task) for W in walks)
    constant = np.full((stages.n_samples, 1), 1.0 / np.sqrt(stages.n_samples), dtype=stages.precision)
    ends = []

    def halved(V: Array) -> Array:  # so that no eigenvalue is above 1
        return np.asarray(0.5 * (first @ V - second @ V))

    def reversed_sign(V: Array) -> Array:
        return -halved(V)

    for which, apply in enumerate((halved, reversed_sign)):
        search = replace(search_of(stages, which), k=min(r, stages.n_samples - 1))
        ends.append(eigenpairs_beside(apply, constant, search, stages.task))
    (up, ups, _), (down, downs, _) = ends
    rounding = 1e-14
    above, below = up >= -rounding, down > rounding
    values = 2.0 * np.concatenate([up[above], -down[below]])
    order = np.argsort(-np.abs(values), kind="stable")[:r]
    vectors = np.column_stack([ups[:, above], downs[:, below]])[:, order]
    info, notices = {MATCHED_EPSILON: pair.epsilon[1]}, Diagnostics()
    if not stages.interactive and stages.precision == "float64":
        notices = (*_notices_on_reach(stages, pair), *notices_of_views(pair, range(2)))
    return Decomposition(
        values[order],
        (fix_signs(vectors) * np.sqrt(stages.n_samples),),
        info,
        notices,
        bases=tuple(basis for _, _, basis in ends),
    )


def _notices_on_reach(stages: Stages, pair: Stages) -> Diagnostics:
    """The notice about the ε that was moved, or about steps that meet more samples in one view than in the other."""
    reaches = [_reach(pair, i) for i in range(2)]
    names = [stages.view_name(i) for i in range(2)]
    even = max(reaches) <= UNEVEN * min(reaches)
    if pair.epsilon[1] != stages.epsilon[1] and even:
        times = number(pair.epsilon[1] / stages.epsilon[1], 2)
        text = (
            f"ε of {names[1]} is {number(pair.epsilon[1])} here, {times} times its own, so that a step meets as many "
            f"samples as in {names[0]}: {reaches[0]:.0f}."
        )
        return ((MATCHED_REACH, Notice(MATCHED_REACH, text, (names[1],))),)
    if even:
        return ()
    cure = "Match the reach."
    if stages.params[MATCH_REACH.name]:
        cure = f"No ε of {names[1]} evens that: give both views one kernel, and leave out samples far from all others."
    text = (
        f"A step meets {reaches[0]:.0f} samples in {names[0]} and {reaches[1]:.0f} in {names[1]}: part of what is "
        f"drawn is that, no difference of the views. {cure}"
    )
    return ((UNEVEN_REACH, doubt(UNEVEN_REACH, text, tuple(names))),)


def _coordinates(decomposition: Decomposition, params: Mapping[str, Value]) -> tuple[Array, ...]:
    r = int(cast("int", params["n_components"]))
    return (decomposition.blocks[0][:, :r] * np.abs(decomposition.eigenvalues[:r]),)


def _extend(stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """The difference of a step in either view from the new sample, divided by the eigenvalue."""
    pair = matched_pair(stages)
    if not pair.form.loops:
        pair = pair.with_twins(twins_of(stages, new_Xs))
    V = decomposition.blocks[0]
    first, second = (np.asarray(cross_kernel(pair, i, X) @ V, np.float64) for i, X in enumerate(new_Xs))
    return (divide_by_values(first - second, decomposition.eigenvalues),)


METHODS = (
    Method(
        id="difference",
        title="Difference",
        formula="(W¹ − W²) v = wv,   W doubly stochastic, of equal reach",
        latex=(r"(W^1 - W^2) \, v = w \, v, \qquad \mathrm{reach} = M \, / \sum_{ij} W_{ij}^2",),
        summary="Where two views differ: what one of them joins and the other tears apart.",
        family=SHARED_BY_VIEWS,
        source="The plain form of what Coifman, Hirn: Diffusion maps for changing data (2014) measure between graphs",
        params=(N_COMPONENTS, MATCH_REACH),
        solve=solve,
        coordinates=_coordinates,
        memory_class="products",
        extend=_extend,
        min_views=2,
        max_views=2,
        first_component=0,
        signs_name_views=True,
        warm_starts=True,
        no_null="No shuffle tests it: two views whose rows are in different orders differ everywhere.",
        assumes="The views agree nearly everywhere, and differ in few places: one tears, folds or joins what the other "
        "does not.",
        cost="Two kernels, made some seven times to match their reach, and both ends of the spectrum.",
        remarks=(
            "Coordinates come with a sign: + is kept by a step in the first view and mixed by one in the second, − the "
            "reverse. Across a tear a coordinate jumps from one sign to the other: the torn view keeps it, the other "
            "one joins both sides.",
        ),
        misleads=(
            "The same view at ε and 2ε would look different, too: the reach is matched first.",
            "It is not for own variables: where each view has one, they differ everywhere, and this says nothing. Take "
            "view-specific then.",
        ),
    ),
)
