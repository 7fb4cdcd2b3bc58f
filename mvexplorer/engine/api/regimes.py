"""Verdicts about the bandwidths of some views, for the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.bandwidth.facts import view_facts
from mvexplorer.engine.bandwidth.regimes import Regime, judged
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import Memo, remember_once


def regimes(
    data: Data,
    epsilon: Any = "robust",
    *,
    views: Sequence[str] | None = None,
    kernel: Any = "gaussian",
    rule_params: Mapping[str, Any] | None = None,
    metric: Any = "euclidean",
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
) -> tuple[Regime, ...]:
    """Judge the bandwidths of views: whether each joins its samples, tells them apart, and how widely it looks.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows; the views have the same samples in the same order.
    epsilon, views, kernel, metric, rule_params, random_state
        As `embed` takes them; a view is flat beside the others named here.
    task, memo
        How to stop and report, and how to remember intermediate results.

    Returns
    -------
    tuple of Regime
        One for each view: ``regime`` is ``isolated``, ``flat``, ``wide`` or ``local``, ``sentence`` says why, ``cure``
        what to do, ``facts`` have the numbers. More than 5,000 samples are judged by a random part of them.

    Raises
    ------
    DataError, ParameterError
        As `embed` does.

    Examples
    --------
    >>> [one.regime for one in mvx.regimes(mvx.load("helix-a"), "median/30")]
    ['local', 'local']
    >>> mvx.regimes(mvx.load("helix-a"), 1e-6)[0].sentence
    'Isolated: 100 % of the samples of view1 have no neighbours, or only in pieces of fewer than 5.'
    """
    data = as_multiview(data)
    # As a method has its views that uses each: with the feature weights of a rule that chooses those, too.
    method = get_method("kernel-sum" if len(data.view_names if views is None else views) > 1 else "single")
    planned = plan(method, data, views, kernel, epsilon, {}, None, rule_params, metric)
    stages = prepare(planned, data, EmbedOptions(task or Task(), memo or remember_once(), random_state))
    return judged([view_facts(stages, i) for i in range(stages.n_views)])
