"""Each view's ε tuned in turn by a score of the picture, without a window; and the judges of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mvexplorer.compute.batch.tuning import Judge, TuneJob, TuneStep, tunable
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import unknown_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.scoring import (
    SCORES,
    STABILITY,
    UNLABELLED,
    available_scores,
    truth,
    views_to_score,
)

BY_DEFAULT = "trustworthiness"
"""The score that chooses an ε where none is named: it needs no labels."""
OF_CLASSES = ("nmi", "knn")
CANNOT_CHOOSE = ("gap", "largest_gap", "order")
"""Scores without a spread, or of what is drawn alone."""


def scores_to_choose_by(state: DocumentState, data: MultiView) -> dict[str, str]:
    """The titles of the scores that can choose an ε, by id: first those that need no labels."""
    free = (*UNLABELLED, STABILITY) if views_to_score(state, data) else ()
    titles = {id: SCORES[id].title for id in free} | {
        id: words.title for id, words in available_scores(state, data).items()
    }
    return {id: title for id, title in titles.items() if id not in CANNOT_CHOOSE}


def judge_of(state: DocumentState, data: MultiView, score: str = BY_DEFAULT) -> Judge:
    """Make the judge of pictures by a score; ParameterError where the data has no such score that can choose."""
    titles = scores_to_choose_by(state, data)
    if not titles:
        raise ParameterError("No score can choose an ε of this data.", "Give labels, a latent, or a view of features.")
    unknown_params((score,), list(SCORES), "There is no score", "Scores")
    if score not in titles:
        others = ", ".join(titles) or "none"
        raise ParameterError(f"No ε of this data can be chosen by {score}.", f"It can by {others}.")
    labels, hidden = truth(state, data)
    of_variable = score not in (*UNLABELLED, *OF_CLASSES, STABILITY)
    return Judge(
        score,
        titles[score],
        hidden if of_variable else None,
        score in OF_CLASSES,
        views_to_score(state, data) if score in UNLABELLED else (),
        (labels is not None, hidden),
    )


def tune(
    data: Data,
    method: str = "multiview",
    *,
    score: str = BY_DEFAULT,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    kernel: Any = None,
    rule_params: Mapping[str, Any] | None = None,
    metric: Any = None,
    recipe: str | None = None,
    random_state: int = 0,
    subsample: int | None = None,
    task: Task | None = None,
    **params: Any,
) -> tuple[TuneStep, ...]:
    """Choose one view's ε after another by a score of the picture, only where that gains more than its spread and .01.

    Nine ε of each view are tried, from .03 to 3.2 times the median of its squared distances, while those of the others
    stay. Where the walk falls into pieces a place is not chosen.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows.
    method : str
        A method's id, see `methods`.
    score : str
        The id of a score, as `sweep` takes it. By default ``trustworthiness``, which needs no labels: a modest guide,
        that misses where curves of several classes meet.
    views, epsilon, kernel, metric, recipe, rule_params, random_state, subsample
        As `embed` takes them; `epsilon` is where it starts.
    task : Task, optional
        Stops and reports.
    **params
        The method's own parameters.

    Returns
    -------
    tuple of TuneStep
        One for each view that has an ε: its `view`, the `epsilon` chosen and the `former` one, the picture's score
        `before` and `after`, its `spread`, a `sentence`, and all that was `tried`. `given` is
        the ε as `embed` takes it: of a rule that weighs features a multiple of that rule.

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods" (2001), for trustworthiness.

    Examples
    --------
    >>> data = mvx.load("helix-a")
    >>> steps = mvx.tune(data, "kernel-sum")
    >>> [step.view for step in steps]
    ['view1', 'view2']
    >>> tuned = mvx.embed(data, "kernel-sum", epsilon=[step.given for step in steps])
    """
    data, task = as_multiview(data), task or Task()
    judge = judge_of(DocumentState(), data, score)
    planned = plan_by(recipe, get_method(method), data, views, kernel, epsilon, params, subsample, rule_params, metric)
    request = Request(data, planned, random_state)
    check_tunable(request)
    tables = {
        name for name, kernel in zip(planned.offered, planned.kernels, strict=True) if kernel.kind.metric == "none"
    }
    judge = replace(judge, views=tuple(name for name in judge.views if name not in tables))
    if judge.score in UNLABELLED and not judge.views:
        raise ParameterError("No view has features to choose by.", "Choose by a score of labels.")
    return TuneJob(request, judge).run(StageCache(), task)


def check_tunable(request: Request) -> None:
    """Refuse a request in which no view has an ε of its own."""
    if not tunable(request):
        raise ParameterError(
            f"{request.plan.method.title} has no ε of single views to tune.",
            "Choose a method and kernels that have, such as multiview and gaussian.",
        )
