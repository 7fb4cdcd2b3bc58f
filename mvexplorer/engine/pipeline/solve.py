"""From a method and its stages to a remembered decomposition: which eigenpairs, in which precision, how exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.pipeline.footprint import Size, goes_in_passes
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.scaling import CoarseKernelError
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.staying import staying_views
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY, notice_of_stays, share_that_stays
from mvexplorer.engine.pipeline.three_passes import in_passes
from mvexplorer.engine.pipeline.twins import metrics_of, twins_of
from mvexplorer.engine.pipeline.view_kernel import far_from_all, magnitude_of
from mvexplorer.engine.pipeline.view_share import drowning_view
from mvexplorer.engine.spectral.davidson import SHOWN
from mvexplorer.engine.spectral.eigenpairs import ANGLE_EXACT, ANGLE_WARM, Decomposition, Search
from mvexplorer.errors import ParameterError

WORTH_BOTH = 1000
"""Samples from which on it pays to hold a kernel in both precisions."""


def decompose(method: Method, stages: Stages) -> Decomposition:
    """Compute the method's decomposition, remembered under everything it depends on; drafts apart from exact ones.

    Every ε is a number. Where the stages are interactive a draft suffices, if the method makes drafts; it carries its
    own warnings, so that they are repeated where it is reused.
    """
    if method.shows_given:
        return method.solve(stages)
    settings = method.id, *stages.kernel_settings(), stages.random_state, method.operator_params(stages.params)
    exact_key = StageKey("decomposition", stages.view_keys(), settings=settings)
    if method.landmark_form is not None and _goes_in_passes(stages):
        _check_passes(stages)
        form, passes = method.landmark_form(stages), stages.task.passes
        carry = None if passes is None else passes(stages)
        return stages.memo(exact_key, lambda: in_passes(stages, form, carry))
    draft_key = exact_key._replace(stage="draft")
    if stages.interactive and method.warm_starts:
        return stages.memo(draft_key, lambda: _drafted(method, stages))
    exact = stages.memo(exact_key, lambda: _told_of_staying(method, stages, _exact(method, stages)))
    if method.warm_starts:  # for a drag that starts here, or that needs no new solution
        stages.memo(draft_key, lambda: exact)
    return exact


def _check_passes(stages: Stages) -> None:
    if stages.form.scaled:
        raise ParameterError(
            "Doubly stochastic kernels of so many samples would take a pass over all of them at every step.",
            "Take normalisation=walk, fewer landmarks, a random part, or allow more memory.",
        )


def _goes_in_passes(stages: Stages) -> bool:
    """True if all kernels are those of landmarks, and samples too many for their affinities, or in files, are read."""
    if any(is_map(stages.data.Xs[i]) for i in stages.views):
        return all(kernel.landmarks for kernel in stages.kernels)
    size = Size(stages.n_samples, (), stages.kernels, memory=stages.task.memory)
    return goes_in_passes(size)


def extend(method: Method, stages: Stages, decomposition: Decomposition, new_Xs: Sequence[Array]) -> tuple[Array, ...]:
    """The vectors (n, k) of new samples, given by all views (n, D_l), raw; DataError where some are far from all."""
    if decomposition.place is None:
        assert method.extend is not None  # checked before anything was computed
        if not stages.form.loops:
            twins = _remembered_twins(stages, new_Xs)
            placed = method.extend(stages.with_twins(twins), decomposition, new_Xs)
            return tuple(_left_out(Y, psi, twins) for Y, psi in zip(placed, decomposition.blocks, strict=True))
        return method.extend(stages, decomposition, new_Xs)
    blocks, lost = decomposition.place(new_Xs)
    if lost:
        raise far_from_all(lost)
    return blocks


def _remembered_twins(stages: Stages, new_Xs: Sequence[Array]) -> npt.NDArray[np.intp]:
    """The known samples that new ones are; in a drag, which places the same ones at every step, looked for once."""
    if stages.placed is None:
        return twins_of(stages, new_Xs)
    data, first = stages.placed
    subject = stages.view_keys(), tuple(data.view_key(view) for view in stages.views), first
    return stages.memo(StageKey("twins", subject, settings=metrics_of(stages)), lambda: twins_of(stages, new_Xs))


def _left_out(placed: Array, known: Array, twins: npt.NDArray[np.intp]) -> Array:
    """Vectors (n, k) of new samples, NaN for known ones without neighbours, however little joins them to others."""
    absent = (twins >= 0) & np.isnan(known[twins, 0])
    return np.where(absent[:, None], np.nan, placed) if absent.any() else placed


def _drafted(method: Method, stages: Stages) -> Decomposition:
    """A draft with its warnings, and the number of drafts since one searched for eigenvectors its start lacked."""
    with stages.task.overheard() as heard:
        draft = _draft(method, stages)
    warnings = (*draft.warnings, *heard.items())
    return replace(draft, warnings=warnings, unsearched=stages.start.unsearched_next, exact=False)


def _draft(method: Method, stages: Stages) -> Decomposition:
    """Solve in single precision, unless the data is beyond its range or eigenvalues come too near its rounding."""
    # Smaller eigenvalues need double precision. For two views at η = 0 these are B's singular values; B Bᵀ is solved.
    resolved_in_float32 = 0.05
    # The same where two exact answers hold the vectors already, so that rounding cannot mislead a search for them.
    resolved_between_anchors = 1e-6
    least = resolved_between_anchors if stages.start.anchored else resolved_in_float32
    if not fits_float32(method, stages) or stages.start.smallest < least:
        return method.solve(stages)
    try:
        draft = method.solve(stages.in_float32())
    except CoarseKernelError:
        return method.solve(stages)
    if stages.start.bases:
        return draft if draft.smallest() >= least else method.solve(stages)
    # Of a first picture the coordinates that are drawn have to be right. What rounding left of them is no start.
    return draft if draft.smallest(SHOWN + 1) >= draft.in_single else method.solve(stages)


def _exact(method: Method, stages: Stages) -> Decomposition:
    """Solve in double precision; from nowhere most of the way in single, where a product costs less than half."""
    # Kernels that are 1 on the diagonal: the row sums of others may underflow.
    walk = method.warm_starts and method.memory_class == "products"
    cold = walk and not stages.start.bases and stages.n_samples >= WORTH_BOTH
    if not cold or not fits_float32(method, stages):
        return method.solve(stages)
    return method.solve(stages.starting_from(method.solve(stages.in_float32())))


def fits_float32(method: Method, stages: Stages) -> bool:
    """True if the data is within the range of single precision."""
    low, high = 1e-30, 1e30  # Range of typical squared distances around which single precision has enough room.
    return method.epsilon_matters(stages.params) and all(
        low < magnitude_of(stages, i) < high for i in range(stages.n_views)
    )


def _told_of_staying(method: Method, stages: Stages, decomposition: Decomposition) -> Decomposition:
    """Add the share of steps that stay, and notices about it, and about a view that adds nearly all.

    Views that add nothing leave all to others: that needs another cure than weights. Drafts go without: the exact
    answer follows.
    """
    alone, share = staying_views(method, stages), share_that_stays(method, stages)
    info = decomposition.info if share is None else {**decomposition.info, STEPS_THAT_STAY: share}
    # Views whose samples neighbour only themselves are the strongest form of both others.
    notices = alone or (*drowning_view(stages, info), *notice_of_stays(method, stages, share))
    return replace(decomposition, info=info, warnings=(*decomposition.warnings, *notices))


def search_of(stages: Stages, operator: int = 0) -> Search:
    """Which eigenpairs to compute of one of a method's operators, from which start, and how exactly."""
    bases = stages.start.bases
    start = bases[operator] if operator < len(bases) else None
    sparse = any(kernel.kind.sparse for kernel in stages.kernels)
    near = start is not None or any(kernel.kind.approximates_gaussian for kernel in stages.kernels)
    if stages.interactive and start is not None and stages.start.anchored:
        anchored = 5e-2  # Radians of the vectors shown: such drafts start from no draft, so that errors never add up.
        return Search(stages.n_vectors, start, anchored, sparse, stages.precision, judged=SHOWN)
    angle = ANGLE_WARM if near else ANGLE_EXACT
    if stages.interactive:
        # Radians by which a vector may be off while a slider moves: the error is not visible. Those drawn first in a
        # first picture have no predecessor behind whose errors theirs could hide.
        preview, first = 2e-2, 5e-3
        angle = first if start is None or stages.start.searched else preview
    elif stages.precision == "float32":
        angle = 1e-4  # where double precision takes over from single
    look = stages.interactive and stages.start.looks
    searched = stages.start.searched
    return Search(stages.n_vectors, start, angle, sparse, stages.precision, look, searched=searched)
