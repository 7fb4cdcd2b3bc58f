"""The stability of a picture, made anew several times, side by side: on this computer or on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from mvexplorer.compute.batch.gathering import gather
from mvexplorer.compute.jobs.analysis_jobs import StabilityJob, WholeJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.engine.analysis.scored import measure_of
from mvexplorer.engine.analysis.stability import (
    Ghost,
    Kind,
    Stability,
    check_number,
    checked_share,
    runs_of,
    stability_of,
)
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError


def stability(
    data: Data,
    method: str = "multiview",
    *,
    n: int = 10,
    kept: float = 0.8,
    noise: float | None = None,
    drop_views: bool = False,
    scale_epsilon: bool = False,
    score: str | None = None,
    cluster: str | None = None,
    allow_plain_tcp: bool = False,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    kernel: Any = None,
    recipe: str | None = None,
    metric: Any = None,
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    subsample: int | None = None,
    task: Task | None = None,
    **params: Any,
) -> Stability:
    """Measure how far samples move when a picture is made of other samples, of noisy views, or without one view.

    Every ε stays the number that the picture has. Each new picture is laid onto the whole by an orthogonal map.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows.
    method : str
        A method's id, see `methods`.
    n : int
        Number of random parts, or of noises; views and ε have as many pictures as there are.
    kept : float
        Share of the samples in each random part.
    noise : float, optional
        Add noise instead, with this share of each view's spread as its standard deviation.
    drop_views : bool
        Leave out each view in turn instead.
    scale_epsilon : bool
        Compute it at .7 and 1.3 times every ε instead.
    score : str, optional
        As `null_test` takes it; `scores` of the result are those of the new pictures.
    cluster, allow_plain_tcp
        As `sweep` takes them.
    views, epsilon, kernel, metric, recipe, rule_params, random_state, subsample
        As `embed` takes them. With `subsample` that random part alone is looked at.
    task : Task, optional
        Stops and reports.
    **params
        The method's own parameters.

    Returns
    -------
    Stability
        Above all `number`: the median spread over the rms radius of the picture.

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do.

    References
    ----------
    The stability of clusters under resampling: U. von Luxburg, "Clustering stability: an overview" (2010).

    Examples
    --------
    >>> found = mvx.stability(mvx.load("circles"), "kernel-sum", n=3)
    >>> found.number < 0.5, len(found.ghosts), found.ellipses.shape[1:]
    (True, 3, (2, 2))
    """
    check_number(n)
    changes: dict[Kind, bool] = {"epsilon": scale_epsilon, "views": drop_views, "noise": noise is not None}
    if sum(changes.values()) > 1:
        raise ParameterError(
            "Only one thing is changed at a time.", "Give one of noise, drop_views and scale_epsilon, or none."
        )
    kind: Kind = next((kind for kind, asked in changes.items() if asked), "parts")
    share = checked_share(kind, noise if noise is not None else kept)
    data, task = as_multiview(data), task or Task()
    planned = plan_by(recipe, get_method(method), data, views, kernel, epsilon, params, subsample, rule_params, metric)
    measure, count = measure_of(data, score), runs_of(kind, n, planned)
    request, ghosts = Request(data, planned, random_state), list[Ghost]()
    runs = [StabilityJob(request, kind, measure, number, share) for number in range(count)]
    with (
        workers_at(cluster, allow_plain_tcp=allow_plain_tcp) as workers,
        closing(gather(workers, [WholeJob(request), *runs], task)) as answers,
    ):
        whole = next(answers)
        for ghost in answers:
            ghosts.append(ghost)
            task.progress(len(ghosts) / count)
    return stability_of(whole, kind, ghosts, "" if measure is None else measure.name)
