"""From a plan to the stages of its computation, and how that is carried out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from mvexplorer.engine.api.cost import check_memory
from mvexplorer.engine.api.plan import NO_EFFECT, Plan
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Indices, subsample_of, subsample_rows
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.jointly_smooth import COMMON_BAND
from mvexplorer.engine.pipeline.magnitudes import in_range
from mvexplorer.engine.pipeline.stages import Memo, Stages, compute_always
from mvexplorer.engine.spectral.warm_start import PreviousSolution, parameter_point, start_at


@dataclass(frozen=True, eq=False)
class EmbedOptions:
    """How a plan is carried out.

    `task` stops the computation and receives its progress and warnings; `memo` remembers its stages. `random_state` is
    the seed of a random part and of methods that draw. `start` are former answers, such as those of the same drag, the
    latest last. With `interactive` a draft suffices, because a slider moves.
    """

    task: Task
    memo: Memo = compute_always
    random_state: int = 0
    start: Sequence[Embedding | PreviousSolution] = ()
    interactive: bool = False


def solution_of(former: Embedding) -> PreviousSolution:
    """Return the solution of a draft or exact answer that another computation can start from.

    It has no bases where the embedding has been stripped of its decomposition.
    """
    position = parameter_point(former.epsilon, get_method(former.method).params, former.params)
    decomposition = former.decomposition
    if decomposition is None:
        return PreviousSolution(position, ())
    walks = decomposition.walks
    wanted = len(walks[0]) - 1 if walks else int(cast("int", former.params["n_components"]))
    return PreviousSolution(
        position,
        decomposition.bases,
        decomposition.smallest(),
        decomposition.unsearched,
        decomposition.exact,
        wanted,
        np.real(former.eigenvalues),
        former.info.get(COMMON_BAND, np.nan),
    )


def _of_use(start: Sequence[Embedding | PreviousSolution], planned: Plan) -> list[PreviousSolution]:
    """Keep those former answers that are of use: by the same method, on as many samples."""
    wanted = planned.method.id, planned.subsample
    return [
        former if isinstance(former, PreviousSolution) else solution_of(former)
        for former in start
        if isinstance(former, PreviousSolution) or (former.method, former.info.get("random_part")) == wanted
    ]


def solved_on(planned: Plan, data: MultiView, options: EmbedOptions) -> tuple[MultiView, Indices | None]:
    """Return the samples on which a plan's method is solved, and their positions (m,), None where they are all."""
    if planned.subsample is None:
        return data, None
    views = [data.view_index(name) for name in planned.views]
    whole = Stages(data, views, kernels=planned.kernels_used, task=options.task, memo=options.memo)
    for i in range(whole.n_views):  # samples outside the part are placed last, and are known by name here
        whole.check_directions(i)
    rows = subsample_rows(data.n_samples, planned.subsample, options.random_state)
    return subsample_of(data, rows, options.memo, options.random_state), rows


def prepare(planned: Plan, data: MultiView, options: EmbedOptions, *, chosen_on: MultiView | None = None) -> Stages:
    """Turn a plan into the stages of a computation on `data`: every ε becomes a number.

    `chosen_on` are the samples by which rules choose an ε, by default those solved on. DataError where the computation
    does not fit the memory, or a rule finds no ε; ParameterError where an ε that has an effect is not a positive
    number.
    """
    method, values, task, memo = planned.method, planned.params, options.task, options.memo
    for notice in planned.notices:
        task.warn(notice.code, str(notice))
    if not (method.epsilon_matters(values) or method.keeps_units):
        data = in_range(data)
    check_memory(method, data.n_samples, planned.n_features, planned.kernels_used, values, task.memory)
    # Rules look at every view offered: Algorithm 1 compares pairs even where a method then uses one view.
    indices = tuple(data.view_index(name) for name in planned.offered)
    everywhere = Stages(
        data if chosen_on is None else chosen_on, indices, kernels=planned.kernels, task=task, memo=memo
    )
    numbers = tuple(
        _without_effect(planned.asked[i]) if bandwidth == NO_EFFECT else bandwidth.value(everywhere, i)
        for i, bandwidth in enumerate(planned.epsilon[: planned.n_used])
    )
    return Stages(
        _weighted(data, planned, everywhere),
        indices[: planned.n_used],
        numbers,
        values,
        kernels=planned.kernels_used,
        random_state=options.random_state,
        task=task,
        memo=memo,
        interactive=options.interactive,
        start=start_at(parameter_point(numbers, method.params, values), _of_use(options.start, planned)),
    )


def _without_effect(bandwidth: Bandwidth) -> float:
    return bandwidth.factor if bandwidth.rule is None and bandwidth.factor > 0.0 else math.nan


def _weighted(data: MultiView, planned: Plan, everywhere: Stages) -> MultiView:
    """The data with the feature weights of those rules that choose weights as well as an ε."""
    weights_of = {everywhere.views[i]: b.weights(everywhere, i) for i, b in enumerate(planned.epsilon)}
    chosen = {i: weights for i, weights in weights_of.items() if weights is not None}
    if not chosen:
        return data
    return data.replace(feature_weights=[chosen.get(i, given) for i, given in enumerate(data.feature_weights)])
