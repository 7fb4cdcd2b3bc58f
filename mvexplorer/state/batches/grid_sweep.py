"""Scores over a grid of parameters, without a window: for scripts, and for the command line."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from mvexplorer.compute.batch.axes import OF_ALL_VIEWS, Axis
from mvexplorer.compute.batch.gathering import Inbox, wait_for
from mvexplorer.compute.batch.sweep_path import Resample, SweepPath, Swept
from mvexplorer.compute.batch.sweep_table import Row, columns_of, frame_of, row_of
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.remote.remote import Handle, Workers
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.compute.remote.remote_task import name_of
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.stability import FACTORS
from mvexplorer.engine.api.embedding import as_multiview
from mvexplorer.engine.api.plan import KEYWORDS, plan
from mvexplorer.engine.api.recipes import with_recipe
from mvexplorer.engine.api.subsample import Data
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import unknown_params
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.view_weights import NAME
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.batches.grid_checks import bandwidths_at, checked_grid, wanted_scores, weights_at
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.scoring import STABILITY, UNLABELLED, hidden_variable, views_to_score

if TYPE_CHECKING:
    import polars as pl

Cell: TypeAlias = tuple[Any, ...]
"""One value of each axis, in the grid's order."""
Key: TypeAlias = tuple[str, int, Cell]
"""A row's method, resampling and cell."""
OF_CLASSES = frozenset({"nmi", "knn"})
"""The scores that compare with classes; the others compare with a hidden variable."""


def sweep(
    data: Data,
    methods: str | Sequence[str],
    grid: Mapping[str, Sequence[Any]],
    *,
    scores: Sequence[str] | None = None,
    resamples: int = 0,
    random_state: int = 0,
    n_jobs: int | None = None,
    cluster: str | None = None,
    allow_plain_tcp: bool = False,
    recipe: str | None = None,
    views: Sequence[str] | None = None,
    epsilon: Any = "robust",
    kernel: Any = None,
    metric: Any = None,
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
    grid : mapping name -> sequence of numbers, words or bools
        What changes: ``epsilon_scale`` (a factor on all ε), ``epsilon:VIEW`` (the ε of one view),
        ``view_weight:VIEW``, ``eta``, ``t``, ``n_components`` or any other parameter that is a number, one of several
        words, or true or false, such as ``{"unit_rows": [True, False]}``; also words, ``kernel`` and ``metric`` of all
        views. Several names make every combination.
    scores : sequence of str, optional
        Of ``nmi`` and ``knn`` where there are classes; of a latent ``r2`` and ``spearman``, of an angle ``resultant``
        and ``largest_gap``, of both ``order``; ``trustworthiness``, ``neighbours_kept``, ``agreement`` and ``gap``,
        which need neither: by default the first of these that the data has. ``stability`` takes two more pictures a
        cell.
    resamples : int
        Repeat everything on so many random parts of 80 % of the samples.
    random_state : int
        Seed of methods that draw random numbers.
    n_jobs : int, optional
        Paths along the grid's longest axis computed at a time; by default as many as there are processors.
    cluster : str, optional
        Compute elsewhere: in ``local:4`` processes of this computer, or on the Dask cluster whose scheduler has this
        address (``tls://HOST:PORT``, ``tcp://HOST:PORT``) or wrote this file. In a script, call it below
        ``if __name__ == "__main__":``, since processes read the script again.
    allow_plain_tcp : bool
        Whether an address is meant that is neither encrypted nor on this computer: whoever can reach that network can
        read the data and run programs on all these machines.
    views, epsilon, kernel, metric, recipe, rule_params, subsample
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
        Cells that have no scores, since their method failed there: they have no row. A cluster that was lost, so that
        the rest was computed here. Views that a recipe leaves as they are.

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
        "views": views,
        "epsilon": epsilon,
        "kernel": kernel,
        "metric": metric,
        "rule_params": rule_params,
        "subsample": subsample,
    }
    chosen = [get_method(id) for id in each]
    names = dict.fromkeys(p.name for method in chosen for p in method.params)
    unknown_params(params, list(names), "No method of this sweep has a parameter", "Their parameters", KEYWORDS)
    settings = {m.id: {**shared, **{p.name: params[p.name] for p in m.params if p.name in params}} for m in chosen}
    data = as_multiview(data)
    settings, notices = by_recipe(recipe, settings, data)
    grid_sweep = GridSweep(data, settings, grid, scores, resamples, random_state)
    lost: list[str] = [str(notice) for notice in notices]
    with workers_at(cluster, n_jobs=n_jobs, allow_plain_tcp=allow_plain_tcp) as workers:
        grid_sweep.run(workers, say=lost.append)
    for text in (*lost, *grid_sweep.problems()):
        warnings.warn(text, UserWarning, stacklevel=2)
    return grid_sweep.frame()


def by_recipe(
    recipe: str | None, settings: Mapping[str, Mapping[str, Any]], data: MultiView
) -> tuple[dict[str, dict[str, Any]], tuple[Notice, ...]]:
    """Each method's settings with those of a recipe that are not given, and what it leaves as it is."""
    each = {id: with_recipe(recipe, get_method(id), data, given) for id, given in settings.items()}
    notices = dict.fromkeys(notice for _, said in each.values() for notice in said)
    return {id: values for id, (values, _) in each.items()}, tuple(notices)


class GridSweep:
    """A sweep over a grid: checked when it is made, run once, and read as far as it has come.

    `settings` maps each method's id to keywords of `embed`; all else is as `sweep` takes it.
    """

    def __init__(
        self,
        data: MultiView,
        settings: Mapping[str, Mapping[str, Any]],
        grid: Mapping[str, Sequence[Any]],
        scores: Sequence[str] | None = None,
        resamples: int = 0,
        random_state: int = 0,
    ) -> None:
        self._methods = [get_method(id) for id in settings]
        if not self._methods:
            raise ParameterError("There is no method to sweep.", "Name at least one.")
        if resamples < 0:
            raise ParameterError(f"There cannot be {resamples} resamplings.", "Give 0, or how many there should be.")
        self._grid = checked_grid(grid, self._methods, data.view_names)
        self._scores = wanted_scores(scores, data)
        self.columns = columns_of([axis.name for axis in self._grid], self._scores)
        self.notes: dict[str, None] = {}
        self._settings, self._data, self._random_state, self._resamples = settings, data, random_state, resamples
        self._found: dict[Key, Row] = {}
        self._failed: dict[str, list[MVExplorerError]] = {}
        self._asked: dict[int, tuple[str, int, list[list[Cell]]]] = {}
        """The method, the resampling and the cells of each place, for each job under way."""
        of_numbers = set(self._scores) - OF_CLASSES - {*UNLABELLED, STABILITY}
        self._hidden = hidden_variable(DocumentState(), data) if of_numbers else None
        each = {method: self._time_of(method) for method in self._methods}
        self._seconds = sum(each.values())
        self._slowest_first = sorted(each, key=lambda method: -each[method])
        """Begun in this order, paths end at about the same time."""

    @property
    def count(self) -> int:
        """The number of cells."""
        return len(self._methods) * (self._resamples + 1) * math.prod(len(values) for values in self._grid.values())

    def seconds(self, threads: int) -> float:
        """About how long the cells that are left take on so many threads; only paths can go side by side."""
        along = 1 if self._along is None else len(self._grid[self._along])
        left = (self.count - len(self._found)) / len(self._methods)
        side_by_side = max(1, min(threads, self.count // along))
        cores = 2  # for which times are estimated
        return self._seconds * left * cores / side_by_side

    def _time_of(self, method: Method) -> float:
        """Estimated seconds of one cell; an error here says what is wrong at an end of an axis."""
        words = [[(axis.name, v) for v in values] for axis, values in self._grid.items() if axis.parse is not None]
        numbers = {axis: values for axis, values in self._grid.items() if axis.parse is None}
        first = {axis.name: values[0] for axis, values in numbers.items()}
        ends = [first | {axis.name: pick(values)} for axis, values in numbers.items() for pick in (min, max)]
        every = [at | dict(chosen) for chosen in product(*words) for at in (first, *ends)]
        costs = [self._request(method, at).plan.cost(DEFAULT_MEMORY) for at in every]
        pictures = 1 + len(FACTORS) if STABILITY in self._scores else 1
        return pictures * sum(cost.seconds for cost in costs) / len(costs)

    @property
    def _along(self) -> Axis | None:
        """The axis along which paths go: the grid's longest one of numbers, if there is one."""
        numbers = [axis for axis in self._grid if axis.parse is None]
        return max(numbers, key=lambda axis: (not axis.whole, len(self._grid[axis])), default=None)

    def _jobs(self, processes: int) -> Iterator[Job]:
        """The paths; made as they are wanted, since there may be very many."""
        labelled = bool(OF_CLASSES & set(self._scores))
        views = views_to_score(DocumentState(), self._data) if set(UNLABELLED) & set(self._scores) else ()
        for number, (resample, method, cells) in enumerate(self._paths(processes)):
            names = [axis.name for axis in self._grid]
            each: dict[Request, list[Cell]] = {}
            for cell in cells:
                each.setdefault(self._request(method, dict(zip(names, cell, strict=True))), []).append(cell)
            self._asked[number] = method.id, resample, list(each.values())
            home = self._home(resample, processes)
            stability = STABILITY in self._scores
            path = SweepPath(
                tuple(each), self._hidden, labelled, alone=True, home=home, views=views, stability=stability
            )
            yield Resample(path, resample, path.home) if resample else path

    def _home(self, resample: int, processes: int) -> int | None:
        """One process computes the distances of a resampling, unless others would have nothing to do."""
        full = (self._resamples + 1) // processes * processes
        return resample % processes if resample < full else None

    def _paths(self, processes: int) -> Iterator[tuple[int, Method, list[Cell]]]:
        """The cells of each path that are not computed yet: along the grid's longest axis, at all values of the others.

        Those of all samples come first, beside as many resamplings as there are processes.
        """
        along, each = self._along, range(self._resamples + 1)
        others = [values if axis is not along else (None,) for axis, values in self._grid.items()]
        for first in each[::processes]:
            beside = each[first : first + processes]
            for method, fixed, resample in product(self._slowest_first, product(*others), beside):
                steps = (None,) if along is None else self._grid[along]
                cells = [tuple(value if at is None else at for at in fixed) for value in steps]
                if left := [cell for cell in cells if (method.id, resample, cell) not in self._found]:
                    yield resample, method, left

    def _request(self, method: Method, at: Mapping[str, Any]) -> Request:
        given: dict[str, Any] = {
            "views": None,
            "epsilon": "robust",
            "kernel": None,
            "metric": None,
            "rule_params": None,
            "subsample": None,
        }
        given |= {name: value for name, value in self._settings[method.id].items() if name in given}
        own = {name: value for name, value in self._settings[method.id].items() if name not in given}
        given |= {name: at[name] for name in OF_ALL_VIEWS if name in at}
        own |= {param.name: at[param.name] for param in method.params if param.name in at}
        if any(param.of_views for param in method.params):
            own |= weights_at(own.get(NAME), at)
        planned = plan(
            method,
            self._data,
            given["views"],
            given["kernel"],
            given["epsilon"],
            own,
            given["subsample"],
            given["rule_params"],
            given["metric"],
        )
        self.notes |= dict.fromkeys(str(notice) for notice in planned.notices)
        return Request(self._data, replace(planned, epsilon=bandwidths_at(planned, at)), self._random_state)

    def run(
        self,
        workers: Workers,
        report: Callable[[float], None] = lambda done: None,
        say: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Compute all cells that are not known; if the run is broken off, what has arrived remains.

        `report` is called with the share that is done, from 0 to 1, whenever cells have arrived; `say` with a sentence,
        where the workers were lost.
        """

        def begin(box: Inbox) -> Handle:
            heard = box.here(self._ended), box.here(self._arrived), box.here(say)
            return workers.run(self._jobs(workers.processes), *heard, on_end=box.end)

        wait_for(Inbox(), begin, lambda: report((len(self._found) + sum(map(len, self._failed.values()))) / self.count))
        if self._failed and not self._found:
            raise next(iter(self._failed.values()))[0]

    def rows(self) -> list[Row]:
        """One row per cell as far as they are computed: by method, then by resampling, then in the grid's order."""
        places = [{value: place for place, value in enumerate(values)} for values in self._grid.values()]
        order = {method.id: place for place, method in enumerate(self._methods)}

        def place_of(key: Key) -> tuple[Any, ...]:
            method, resample, cell = key
            return order[method], resample, *(each[value] for each, value in zip(places, cell, strict=True))

        return [self._found[key] for key in sorted(self._found, key=place_of)]

    def about(self) -> dict[str, str]:
        """The settings that tell this sweep from others, by name: all on which a row depends."""
        grid = {axis.name: values for axis, values in self._grid.items()}
        said = f"{dict(self._settings)!r}, random state {self._random_state}, {self._resamples} resamplings"
        hidden = "" if self._hidden is None else self._hidden.name
        return {
            "grid": repr(grid),
            "data": f"{name_of(self._data)} {hidden}",
            "settings": said,
            "scores": ",".join(self._scores),
        }

    def __len__(self) -> int:
        """The number of cells that are known."""
        return len(self._found)

    def known(self, rows: Iterable[Row]) -> None:
        """Take rows of this sweep as computed; ParameterError where one belongs to another grid."""
        self._found |= self.fits(rows)

    def fits(self, rows: Iterable[Row]) -> dict[Key, Row]:
        """Rows by their cells; ParameterError where one belongs to another grid."""
        grid = [dict(zip(values, values, strict=True)) for values in self._grid.values()]
        methods, computed = {method.id for method in self._methods}, {}
        for row in rows:
            cell = tuple(values[value] for values, value in zip(grid, row, strict=False) if value in values)
            method, resample = row[len(grid)], row[len(grid) + 3]
            if len(cell) < len(grid) or method not in methods:
                at = ", ".join(axis.said(value) for axis, value in zip(self._grid, row, strict=False))
                raise ParameterError(f"It has a row of {method} at {at}.", "This grid has no such cell.")
            computed[method, resample, cell] = (*cell, *row[len(grid) :])
        return computed

    @property
    def axes(self) -> dict[str, Axis]:
        """The grid's axes by name."""
        return {axis.name: axis for axis in self._grid}

    def frame(self) -> pl.DataFrame:
        """The rows as a table."""
        return frame_of(self.columns, self.rows())

    def problems(self) -> Iterable[str]:
        """A sentence about each method that failed in some cells."""
        for method, errors in self._failed.items():
            count = f"{len(errors)} computation{'s' * (len(errors) != 1)}"
            has = "has" if len(errors) == 1 else "have"
            yield f"{get_method(method).title} failed in {count}, which {has} no row: {errors[0]}"

    def _arrived(self, number: int, piece: tuple[int, Swept | MVExplorerError]) -> None:
        """Keep one cell of a path; it comes again if the path had to begin again."""
        place, answer = piece
        if isinstance(answer, Swept) and number in self._asked:  # the end of its path may arrive before it
            method, resample, each = self._asked[number]
            for cell in each[place]:
                self._found[method, resample, cell] = row_of(cell, method, resample, answer, self.columns)

    def _ended(self, number: int, answer: tuple[Swept | MVExplorerError, ...] | MVExplorerError) -> None:
        """Keep the whole path, and why cells of it are missing."""
        method, _, each = self._asked[number]
        cells = (answer,) * len(each) if isinstance(answer, MVExplorerError) else answer
        for piece in enumerate(cells):
            self._arrived(number, piece)
        errors = [cell for cell in cells if isinstance(cell, MVExplorerError)]
        if errors:
            self._failed.setdefault(method, []).extend(errors)
        del self._asked[number]
