"""Verdicts about the bandwidths of some views, for the Python API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.bandwidth.regimes import Regime, judged, view_facts
from mvexplorer.engine.bandwidth.table import parse_epsilon, with_rule_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import parse_kernels
from mvexplorer.engine.pipeline.stages import Memo, Stages, remember_once


def regimes(
    data: Data,
    epsilon: Any = "max-min",
    *,
    views: Sequence[str] | None = None,
    kernel: Any = "gaussian",
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    task: Task | None = None,
    memo: Memo | None = None,
) -> tuple[Regime, ...]:
    """Judge the bandwidths of views: whether each joins its samples, tells them apart, and how widely it looks.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows; the views have the same samples in the same order.
    epsilon, views, kernel, rule_params, random_state
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
    names = data.view_names if views is None else tuple(views)
    memo, task = memo or remember_once(), task or Task()
    indices, kernels = [data.view_index(name) for name in names], parse_kernels(kernel, names)
    everywhere = Stages(data, indices, kernels=kernels, random_state=random_state, task=task, memo=memo)
    bandwidths = with_rule_params(parse_epsilon(epsilon, names), rule_params or {})
    numbers = tuple(bandwidth.value(everywhere, i) for i, bandwidth in enumerate(bandwidths))
    stages = Stages(data, indices, numbers, kernels=kernels, random_state=random_state, task=task, memo=memo)
    return judged([view_facts(stages, i) for i in range(stages.n_views)])
