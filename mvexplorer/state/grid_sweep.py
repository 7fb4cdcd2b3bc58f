"""Scores over a grid of parameters, without a window: for scripts, and for the command line."""

from __future__ import annotations

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from mvexplorer.compute.axes import EPSILON_SCALE, OF_VIEW, OF_WEIGHT, Axis, axes, find_axis
from mvexplorer.compute.blocks import BlockExecutor
from mvexplorer.compute.request import Request
from mvexplorer.compute.scheduler import Scheduler
from mvexplorer.compute.sweep_table import Row, columns_of, frame_of, row_of
from mvexplorer.compute.sweeping import SweepLine, SweepRun
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import KEYWORDS, NO_EFFECT, plan
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.params import named_values, unknown_params
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.view_weights import NAME
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.model import DocumentState
from mvexplorer.state.scoring import SCORES, available_scores, hidden_variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import polars as pl

    from mvexplorer.compute.sweep_path import Swept
    from mvexplorer.engine.api.plan import Plan
    from mvexplorer.engine.api.subsample import Data
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.pipeline.method import Method

Cell: TypeAlias = tuple[float, ...]
"""One value of each axis, in the grid's order."""
OF_CLASSES = frozenset({"nmi", "knn"})
"""The scores that compare with classes; the others compare with a hidden variable."""


def sweep(
    data: Data,
    methods: str | Sequence[str],
    grid: Mapping[str, Sequence[float]],
    *,
    scores: Sequence[str] | None = None,
    resamples: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    views: Sequence[str] | None = None,
    epsilon: Any = "max-min",
    kernel: Any = "gaussian",
    rule_params: Mapping[str, Any] | None = None,
    subsample: int | None = None,
    **params: Any,
) -> pl.DataFrame:
    """Scores of methods at every cell of a grid of parameters.

    Parameters
    ----------
    data : MultiView, list of arrays (M, D_l), or mapping name -> array
        Samples as rows, with labels or a latent to score against.
    methods : str or sequence of str
        Ids of methods, see `methods`.
    grid : mapping name -> sequence of numbers
        What changes: ``epsilon_scale`` (a factor on all ε), ``epsilon:VIEW`` (the ε of one view),
        ``view_weight:VIEW``, ``eta``, ``t``, ``n_components`` or any other numeric parameter; several names make every
        combination.
    scores : sequence of str, optional
        Of ``nmi``, ``knn``, ``r2``, ``resultant`` and ``spearman``, by default all that the data has.
    resamples : int
        Repeat everything on so many random parts of 80 % of the samples.
    random_state : int
        Seed of methods that draw random numbers.
    n_jobs : int, optional
        Cells computed at a time; by default as many as there are processors.
    views, epsilon, kernel, rule_params, subsample
        As `embed` takes them.
    **params
        Parameters of the methods; each takes those it has.

    Returns
    -------
    polars.DataFrame
        One row per cell: the grid's values, `method`, `views`, `epsilon` (a list of numbers, empty where it has no
        effect), `resample` (0 for all samples), and the scores; NMI is followed by its standard deviation `nmi_sd`.

    Raises
    ------
    DataError, ParameterError, ComputeError
        Each with one sentence on what to do.

    Warns
    -----
    UserWarning
        Cells that have no scores, since their method failed there: they have no row.

    Notes
    -----
    Each cell is solved from the answers of its neighbours on the grid, as exactly as `embed` solves it; what does not
    depend on the grid is computed once.

    Examples
    --------
    >>> found = mvx.sweep(mvx.load("circles"), ["kernel-sum", "multiview"], {"eta": [0.0, 0.5]}, scores=["knn"])
    >>> found.columns
    ['eta', 'method', 'views', 'epsilon', 'resample', 'knn']
    >>> found["method"].to_list()
    ['kernel-sum', 'kernel-sum', 'multiview', 'multiview']
    """
    each = [methods] if isinstance(methods, str) else list(methods)
    shared = {
        "views": views, "epsilon": epsilon, "kernel": kernel, "rule_params": rule_params, "subsample": subsample,
    }  # fmt: skip
    chosen = [get_method(id) for id in each]
    known = dict.fromkeys(p.name for method in chosen for p in method.params)
    unknown_params(params, list(known), "No method of this sweep has a parameter", "Their parameters", KEYWORDS)
    settings = {m.id: {**shared, **{p.name: params[p.name] for p in m.params if p.name in params}} for m in chosen}
    made = GridSweep(as_multiview(data), settings, grid, scores, resamples, random_state)
    made.run(n_jobs)
    for text in made.problems():
        warnings.warn(text, UserWarning, stacklevel=2)
    return made.frame()


class GridSweep:
    """A sweep over a grid: checked when it is made, run once, and read as far as it has come.

    Parameters
    ----------
    data : MultiView
    settings : mapping method id -> keywords of `embed`
    grid, scores, resamples, random_state
        As `sweep` takes them.
    """

    def __init__(
        self, data: MultiView, settings: Mapping[str, Mapping[str, Any]], grid: Mapping[str, Sequence[float]],
        scores: Sequence[str] | None = None, resamples: int = 0, random_state: int = 0,
    ) -> None:  # fmt: skip
        self._methods = [get_method(id) for id in settings]
        if not self._methods:
            raise ParameterError("There is no method to sweep.", "Name at least one.")
        if resamples < 0:
            raise ParameterError(f"There cannot be {resamples} resamplings.", "Give 0, or how many there should be.")
        self._grid = _checked(grid, self._methods, data.view_names)
        self._scores = _wanted(scores, data)
        self.columns = columns_of([axis.name for axis in self._grid], self._scores)
        self.notes: dict[str, None] = {}
        self._settings, self._data, self._random_state = settings, data, random_state
        self._found: dict[tuple[str, int, Cell], Swept] = {}
        self._failed: dict[str, list[MVExplorerError]] = {}
        hidden = hidden_variable(DocumentState(), data) if set(self._scores) - OF_CLASSES else None
        whole = [
            (method.id, cells, SweepLine(method.title, requests, hidden=hidden))
            for method in self._methods for cells, requests in self._paths(method)
        ]  # fmt: skip
        self._lines: list[SweepLine] = []
        self._cells: dict[int, tuple[str, list[Cell]]] = {}
        for resample in range(resamples + 1):
            for id_, cells, line in whole:
                self._lines.append(line.resampled(resample) if resample else line)
                self._cells[id(self._lines[-1])] = id_, cells

    def _paths(self, method: Method) -> Iterator[tuple[list[Cell], tuple[Request, ...]]]:
        """The cells of each path, and their requests: along the grid's longest axis, at all values of the others."""
        names = [axis.name for axis in self._grid]
        along = max(self._grid, key=lambda axis: (not axis.whole, len(self._grid[axis])))
        for fixed in product(*(values if axis is not along else (None,) for axis, values in self._grid.items())):
            cells = [
                tuple(value if other is None else other for other in fixed) for value in self._grid[along]
            ]  # fmt: skip
            yield cells, tuple(self._request(method, dict(zip(names, cell, strict=True))) for cell in cells)

    def _request(self, method: Method, at: Mapping[str, float]) -> Request:
        given: dict[str, Any] = {
            "views": None,
            "epsilon": "max-min",
            "kernel": "gaussian",
            "rule_params": None,
            "subsample": None,
        }
        given |= {name: value for name, value in self._settings[method.id].items() if name in given}
        own = {name: value for name, value in self._settings[method.id].items() if name not in given}
        own |= {param.name: at[param.name] for param in method.params if param.name in at}
        if any(param.of_views for param in method.params):
            own |= _weights(own.get(NAME), at)
        made = plan(
            method, self._data, given["views"], given["kernel"], given["epsilon"], own, given["subsample"],
            given["rule_params"],
        )  # fmt: skip
        self.notes |= dict.fromkeys(str(notice) for notice in made.notices)
        return Request(self._data, replace(made, epsilon=_bandwidths(made, at)), self._random_state)

    def run(self, n_jobs: int | None = None, report: Callable[[float], None] | None = None) -> None:
        """Compute all cells, `n_jobs` at a time; what has arrived remains, if it is broken off."""
        from threadpoolctl import threadpool_limits

        workers = _workers(n_jobs)
        # Outcomes are handled on this thread, so that Ctrl+C ends it at once.
        inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        rows = BlockExecutor(workers)
        scheduler = Scheduler(ThreadPoolExecutor(workers, "sweep"), inbox.put, run_all=rows.run_all)
        labelled = bool(OF_CLASSES & set(self._scores))
        going = SweepRun(scheduler, self._lines, self._arrived, workers=workers, labelled=labelled)
        with threadpool_limits(1, "blas"):  # one per cell: small products on several threads wait for each other
            try:
                going.go_on()
                while going.running:
                    inbox.get()()
                    if report is not None:
                        report(going.done / going.total)
            finally:
                going.stop()
                scheduler.shutdown()
                rows.shutdown()
        if self._failed and not self._found:
            raise next(iter(self._failed.values()))[0]

    def rows(self) -> list[Row]:
        """One row per cell as far as they are computed: by method, then by resampling, then in the grid's order."""
        found = []
        for method in self._methods:
            for resample in dict.fromkeys(line.resample for line in self._lines):
                for values in product(*self._grid.values()):
                    cell = self._found.get((method.id, resample, values))
                    if cell is not None:
                        found.append(row_of(values, method.id, resample, cell, self.columns))
        return found

    def frame(self) -> pl.DataFrame:
        """The rows as a table."""
        return frame_of(self.columns, self.rows())

    def problems(self) -> Iterable[str]:
        """A sentence about each method that failed in some cells."""
        for method, errors in self._failed.items():
            count = f"{len(errors)} computation{'s' * (len(errors) != 1)}"
            has = "has" if len(errors) == 1 else "have"
            yield f"{get_method(method).title} failed in {count}, which {has} no row: {errors[0]}"

    def _arrived(self, line: SweepLine, place: int, found: Swept | MVExplorerError) -> None:
        method, cells = self._cells[id(line)]
        if isinstance(found, MVExplorerError):
            self._failed.setdefault(method, []).append(found)
            return
        for values, first in zip(cells, line.firsts, strict=True):
            if first == place:
                self._found[method, line.resample, values] = found


def _checked(
    grid: Mapping[str, Sequence[float]], methods: Sequence[Method], views: Sequence[str]
) -> dict[Axis, tuple[float, ...]]:
    """The grid's axes with their values, each of which is allowed."""
    if not grid:
        raise ParameterError("The grid is empty.", "Name what changes and its values, such as eta from 0 to 1.")
    known, found = axes(methods, views), {}
    for name, values in grid.items():
        axis = find_axis(name, known)
        numbers = [axis.check(value) for value in np.atleast_1d(np.asarray(values, dtype=np.float64)).tolist()]
        if not numbers:
            raise ParameterError(f"The grid has no values of {name}.", "Give at least one.")
        found[axis] = tuple(dict.fromkeys(numbers))
    return found


def _wanted(scores: Sequence[str] | None, data: MultiView) -> tuple[str, ...]:
    """The ids of the scores asked for, by default of all that the data has."""
    there = tuple(available_scores(DocumentState(), data))
    if scores is None:
        if not there:
            raise ParameterError(
                "There is nothing to score against.", "Give labels of at least two samples per class, or a latent."
            )
        return there
    wanted = (scores,) if isinstance(scores, str) else tuple(dict.fromkeys(scores))
    unknown_params(wanted, list(SCORES), "There is no score", "Scores")
    missing = [id for id in wanted if id not in there]
    if missing or not wanted:
        raise ParameterError(
            f"This data cannot be scored by {', '.join(missing) or 'nothing'}.", f"It has {', '.join(there) or 'none'}."
        )
    return wanted


def _weights(given: Any, at: Mapping[str, float]) -> dict[str, Any]:
    """The weights of the views at a cell, where any is swept; the others as they were given by name."""
    swept = {name.removeprefix(OF_WEIGHT): value for name, value in at.items() if name.startswith(OF_WEIGHT)}
    others = named_values(given) or {}
    if swept and not hasattr(others, "items"):
        raise ParameterError(
            "One view's weight is swept, and the others are given by their places.",
            "Name the views, such as view_weights=fou:2,fac:1.",
        )
    return {NAME: {**others, **swept}} if swept else {}


def _bandwidths(made: Plan, at: Mapping[str, float]) -> tuple[Bandwidth, ...]:
    """The ε of the views at a cell; one that has no effect stays as it is."""
    factor = at.get(EPSILON_SCALE, 1.0)
    found = []
    for name, given in zip(made.offered, made.epsilon, strict=True):
        own = at.get(f"{OF_VIEW}{name}")
        used = given if own is None or given == NO_EFFECT else Bandwidth(own)
        found.append(replace(used, factor=used.factor * factor))
    return tuple(found)


def _workers(n_jobs: int | None) -> int:
    if n_jobs is not None and n_jobs != -1 and n_jobs < 1:
        raise ParameterError(
            f"{n_jobs} cells cannot be computed at a time.", "Give at least 1, or -1 for all processors."
        )
    return n_jobs if n_jobs is not None and n_jobs > 0 else os.cpu_count() or 1
