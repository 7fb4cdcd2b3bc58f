"""The null test of a picture, its runs side by side: on this computer or on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, cast

from mvexplorer.compute.batch.gathering import gather
from mvexplorer.compute.jobs.analysis_jobs import NullJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.engine.analysis.null_band import NullBand, Real, ShuffledRun, band_of
from mvexplorer.engine.analysis.null_test import NullTest, check_runs, views_to_shuffle
from mvexplorer.engine.analysis.rerun import check_used
from mvexplorer.engine.analysis.scored import Measure, measure_of
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.recipes import plan_by
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.shuffles import Shuffle
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method


def null_test(
    data: Data,
    method: str = "multiview",
    *,
    view: str | None = None,
    n: int = 19,
    score: str | None = None,
    shuffle: Shuffle = "rows",
    on_run: Callable[[NullBand], None] | None = None,
    cluster: str | None = None,
    allow_plain_tcp: bool = False,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    kernel: Any = None,
    metric: Any = None,
    rule_params: Mapping[str, Any] | None = None,
    recipe: str | None = None,
    random_state: int = 0,
    subsample: int | None = None,
    task: Task | None = None,
    **params: Any,
) -> NullTest:
    """Test whether a view adds to a picture beyond chance: it is made again with that view's rows shuffled.

    Every ε stays the number that the picture has, and known kernels are permuted, not computed anew. A picture of a
    single view is compared with chance labels instead.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows, if possible with labels or a latent to score against. Without, eigenvalues and neighbours alone
        are compared.
    method : str
        A method's id, see `methods`.
    view : str, optional
        The view to shuffle, by default each in turn.
    n : int
        Shuffles of each view. p can reach 1 / (1 + n).
    score : str, optional
        ``nmi`` or ``knn`` of the labels; ``r2``, ``resultant`` or ``spearman`` of the first latent; a latent's or
        column's name; ``none``. By default NMI, else the first latent.
    shuffle : "rows", "circular" or array (M,)
        Any order of the rows; for samples in time one shifted round by at least a tenth of them; or whole bursts, by
        the name of each sample's burst.
    on_run : function, optional
        Called with the `NullBand` of a view after each of its runs.
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
    NullTest
        `views` holds a `NullBand` for each view: `real`, `shuffled`, `p`, eigenvalues, and `words`.

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do.

    References
    ----------
    B. Phipson, G. K. Smyth, "Permutation P-values should never be zero" (2010).

    Examples
    --------
    >>> found = mvx.null_test(mvx.load("circles"), "kernel-sum", score="knn", n=3)
    >>> [(band.view, band.p) for band in found.views]
    [('view1', 0.25), ('view2', 0.25)]
    """
    check_runs(n)
    data, task = as_multiview(data), task or Task()
    measure = measure_of(data, score)
    planned = plan_by(recipe, get_method(method), data, views, kernel, epsilon, params, subsample, rule_params, metric)
    if view is not None:
        check_used(planned.method, view, planned.views)
    chosen = views_to_shuffle(planned.method, planned.views, measure, view)
    request = Request(data, planned, random_state)
    jobs = [NullJob(request, measure, shuffle)]
    jobs += [NullJob(request, measure, shuffle, each, number) for number in range(n) for each in chosen]
    bands = _Bands(method, measure, chosen, n, on_run, task)
    with (
        workers_at(cluster, allow_plain_tcp=allow_plain_tcp) as workers,
        closing(gather(workers, jobs, task)) as answers,
    ):
        for arrived in answers:
            bands.take(arrived)
    return bands.all()


class _Bands:
    """The picture itself, which comes first, and its runs so far."""

    def __init__(
        self,
        method: str,
        measure: Measure | None,
        views: Sequence[str],
        n: int,
        on_run: Callable[[NullBand], None] | None,
        task: Task,
    ) -> None:
        self._method, self._measure, self._on_run, self._task = method, measure, on_run, task
        self._total, self._done = n * len(views), 0
        self._real: Real | None = None
        self._runs: dict[str, list[ShuffledRun]] = {view: [] for view in views}

    def take(self, arrived: Real | ShuffledRun) -> None:
        """Tell of one more run."""
        if isinstance(arrived, Real):
            self._real = arrived
            return
        self._runs[arrived.view].append(arrived)
        self._done += 1
        self._task.progress(self._done / self._total)
        if self._on_run is not None:
            self._on_run(self._band(arrived.view))

    def _band(self, view: str) -> NullBand:
        name = "" if self._measure is None else self._measure.name
        return band_of(view, name, cast("Real", self._real), self._runs[view])

    def all(self) -> NullTest:
        """The test, once all runs are there."""
        id = None if self._measure is None else self._measure.id
        return NullTest(self._method, id, tuple(self._band(view) for view in self._runs))
