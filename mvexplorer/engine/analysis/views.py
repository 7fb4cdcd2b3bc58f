"""The part of each view in a picture of several: the picture without it, at the same bandwidths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvexplorer.engine import metrics
from mvexplorer.engine.analysis.agreement import NEIGHBOURS, agreement
from mvexplorer.engine.analysis.rerun import check_left_out
from mvexplorer.engine.api.embedding import as_multiview, carry_out, embed
from mvexplorer.engine.api.plan import Plan, plan
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.hidden_scores import knn_r2
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import Memo, remember_once
from mvexplorer.engine.pipeline.view_weights import EQUAL_VOLUME, NAME
from mvexplorer.errors import MVExplorerError, ParameterError


@dataclass(frozen=True, eq=False)
class WithoutView:
    """A picture without one of its views.

    `embedding` is that of the others, None where there is none, and `problem` says why. `disagreement` (M,) is the
    share of each sample's nearest neighbours that the whole picture has and this one has not. `score` is None where
    there is nothing to score against.
    """

    view: str
    embedding: Embedding | None
    disagreement: Array
    score: float | None = None
    problem: str = ""

    @property
    def change(self) -> float:
        """Mean disagreement with the whole picture; NaN where there is none."""
        finite = self.disagreement[np.isfinite(self.disagreement)]
        return float(finite.mean()) if len(finite) else float("nan")


@dataclass(frozen=True, eq=False)
class ViewContributions:
    """A picture, and the same without each of its views, in their order; computed by `leave_one_view_out`.

    `score` is that of the whole, and `score_name` is empty where nothing is scored.
    """

    whole: Embedding
    score_name: str
    score: float | None
    without: tuple[WithoutView, ...]


def leave_one_view_out(
    data: Data,
    method: str = "multiview",
    *,
    score: Callable[[Array], float] | None = None,
    k: int = NEIGHBOURS,
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
    **options: Any,
) -> ViewContributions:
    """Compute a picture without each of its views, every ε being that of the whole.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows.
    method : str
        A method of several views. Where one view is left, which is too few for it, the single view's diffusion map
        takes its place.
    score : function of coordinates (M, r), optional
        A number, the larger the better; by default NMI where there are classes, else R² of the first latent.
    k : int
        Neighbours by which pictures are compared.
    random_state, task, memo
        As `embed` takes them.
    **options
        What `embed` takes besides.

    Returns
    -------
    ViewContributions
        With `without`, one for each view: its `embedding`, `score` and `disagreement` (M,) with the whole.

    Raises
    ------
    DataError, ParameterError, ComputeError
        As `embed` does for the whole; ParameterError where the method uses one view. A failure without a view is told
        in its `problem`.

    Examples
    --------
    >>> contributions = mvx.leave_one_view_out(mvx.load("helix-a"), "kernel-sum", epsilon=0.36)
    >>> [(each.view, each.embedding.views) for each in contributions.without]
    [('view1', ('view2',)), ('view2', ('view1',))]
    """
    data, task, memo = as_multiview(data), task or Task(), memo or remember_once()
    whole = embed(data, method, random_state=random_state, task=task, memo=memo, **options)
    check_several(method, whole.views)
    name, rate = ("score", score) if score is not None else usual_score(data)
    subsample = options.get("subsample")
    planned = plan(
        get_method(method), data, whole.views, whole.kernels or "gaussian", whole.epsilon, whole.params, subsample
    )
    alike, contributions = EmbedOptions(task, memo, random_state), []
    for i, view in enumerate(whole.views):
        task.progress(i / len(whole.views))
        contributions.append(_without(planned, data, whole, view, rate, k, alike))
    return ViewContributions(whole, name, None if rate is None else rate(whole.coordinates), tuple(contributions))


def _without(
    planned: Plan,
    data: MultiView,
    whole: Embedding,
    view: str,
    rate: Callable[[Array], float] | None,
    k: int,
    options: EmbedOptions,
) -> WithoutView:
    try:
        answer = carry_out(plan_without(planned, data, view, whole.epsilon), data, options)
    except MVExplorerError as error:
        return WithoutView(view, None, np.full(data.n_samples, np.nan), problem=str(error))
    apart = agreement([whole.coordinates, answer.coordinates], k, task=options.task).disagreement(0, 1)
    return WithoutView(view, answer, apart, None if rate is None else rate(answer.coordinates))


def check_several(method: str, views: Sequence[str]) -> None:
    """Refuse a picture of one view, from which none can be left out."""
    if len(views) < 2:
        raise ParameterError(
            f"{get_method(method).title} shows one view: there is none to leave out.",
            "Choose a method of several views.",
        )


def plan_without(planned: Plan, data: MultiView, view: str, epsilon: Sequence[float]) -> Plan:
    """Plan the picture without one of its views, by the ε of each view used as numbers: no rule is evaluated anew.

    One view that is left is planned by the single view's diffusion map; ParameterError where the method needs more
    views and has no counterpart for one.
    """
    kept = [i for i, name in enumerate(planned.views) if name != view]
    rest = [planned.views[i] for i in kept]
    method, params = planned.method, dict(planned.params)
    if method.compares_one_view:
        check_left_out(method, view, planned.views)
        params |= {p.name: None for p in method.params if p.kind == "views"}
    if params.get(NAME) not in (None, EQUAL_VOLUME):
        weights = str(params[NAME]).split(",")
        params[NAME] = ",".join(weights[i] for i in kept)
    if len(rest) < method.min_views:
        if "t" not in params:
            raise ParameterError(
                f"Without {view} one view is left, and {method.title} needs {method.min_views}.",
                "Tick another view to see what each adds.",
            )
        method = get_method("single")
        params = {p.name: params[p.name] for p in method.params if p.name in params} | {"view": rest[0]}
    kernels = [planned.kernels_used[i] for i in kept]
    fewer = plan(method, data, rest, kernels, [epsilon[i] for i in kept], params, planned.subsample)
    return replace(fewer, notices=())


def usual_score(data: MultiView) -> tuple[str, Callable[[Array], float] | None]:
    """Return the name and function of the default score of pictures of this data; "" and None without one."""
    labels = data.labels
    if labels is not None and 2 <= len(set(map(str, labels))) <= data.n_samples // 2:
        return "NMI", lambda Y: metrics.nmi(Y, labels).value
    for name, values in data.latent.items():
        if values.dtype.kind in "fiu" and np.ptp(values) > 0:
            return f"R² of {name}", lambda Y, truth=values: knn_r2(Y, truth).value
    return "", None
