"""Whether pictures are real: null tests and stability of the panels, run by run, as the user asks for them.

Lives on the document's thread. Each run is a job in the scheduler, so that a test can be watched and stopped; what was
found for a former request of a panel is kept and marked, until it is asked for again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from psygnal import Signal

from mvexplorer.compute.jobs.analysis_jobs import NullJob, StabilityJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.analysis.null_band import LABELS, NullBand, Real, ShuffledRun, band_of
from mvexplorer.engine.analysis.null_test import check_has_null, check_runs
from mvexplorer.engine.analysis.scored import Measure, of_variable
from mvexplorer.engine.analysis.stability import Ghost, Kind, Stability, runs_of, stability_of
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.shuffles import Shuffle
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.batch import Batch, BatchRunner, BatchStep
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import numbered_title
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.scoring import truth

CheckJob: TypeAlias = NullJob | StabilityJob
RUNS = 10
"""Shuffles of each view that are computed first."""
WORKERS = max(1, min(2, os.cpu_count() or 1))
"""Runs computed at a time."""


@dataclass(frozen=True, eq=False)
class Found:
    """The findings of one panel, by all runs so far."""

    null: Mapping[str, NullBand] = field(default_factory=dict)
    """The null test of each view; the key is empty where labels were shuffled."""
    stability: Mapping[Kind, Stability] = field(default_factory=dict)
    done: int = 0
    """Runs that have ended, of those asked for last."""
    total: int = 0
    computing: frozenset[str] = frozenset()
    """The tests whose runs are still to come: ``null`` and the kinds of stability."""
    problem: str = ""
    """Why there are none, or not all, in a sentence or two; empty where all is well."""
    outdated: bool = False
    """All this was found for a former request of the panel: for another ε, say."""
    shuffle: str = "rows"
    """How views were shuffled: ``rows``, ``circular``, or ``bursts:`` and a column of names."""
    rescored: bool = False
    """The null tests are of another score than the panel has now."""
    fits: bool = True
    """The panel's picture answers the request that all this was found for: one still being computed does not."""

    @property
    def running(self) -> bool:
        """Whether runs are still to come."""
        return bool(self.computing)

    @property
    def present(self) -> bool:
        """Whether it may stand beside the panel's picture, or lie on it: that of other views has other columns."""
        return self.fits and not self.outdated


NOTHING = Found()


@dataclass(eq=False)
class _Series(Batch):
    """The runs of one panel, called `name`: those to come, and what the others found."""

    slot: str
    name: str
    request: Request | None = None
    measure: Measure | None = None
    shuffle: str = "rows"
    real: Real | None = None
    runs: dict[str, list[ShuffledRun]] = field(default_factory=dict)
    ghosts: dict[Kind, dict[int, Ghost]] = field(default_factory=dict)
    stability: dict[Kind, Stability] = field(default_factory=dict)
    open: dict[CheckJob, BatchStep] = field(default_factory=dict)
    """All that have not ended, those that wait among them."""
    waiting: list[BatchStep] = field(default_factory=list)
    done: int = 0
    total: int = 0
    problem: str = ""
    outdated: bool = False
    rescored: bool = False
    fits: bool = False
    changed: Callable[[], None] = lambda: None

    @property
    def title(self) -> str:
        """The name of what is computed first."""
        return self._title(next(iter(self.open)))

    def _title(self, job: CheckJob) -> str:
        return f"{'Permutation test' if isinstance(job, NullJob) else 'Stability'} of {self.name}"

    def found(self) -> Found:
        name = "" if self.measure is None else self.measure.name
        real = self.real
        null = {} if real is None else {v: band_of(v, name, real, runs) for v, runs in self.runs.items() if runs}
        computing = frozenset("null" if isinstance(job, NullJob) else job.kind for job in self.open)
        return Found(
            null,
            dict(self.stability),
            self.done,
            self.total,
            computing,
            self.problem,
            self.outdated,
            self.shuffle,
            self.rescored,
            self.fits,
        )

    def add(self, jobs: Sequence[CheckJob]) -> None:
        """Have further jobs wait; all that have not ended are counted anew."""
        for job in jobs:
            self.open[job] = step = BatchStep(job, self._title(job), partial(self._arrived, job))
            self.waiting.append(step)
        self.done, self.total = 0, len(self.open)

    def drop_alike(self, alike: Callable[[CheckJob], bool]) -> None:
        """Wait no longer for some of the jobs."""
        for job in [job for job in self.open if alike(job)]:
            self.open.pop(job).wanted = False
        self.waiting = [step for step in self.waiting if step.wanted]

    def drop(self) -> None:
        """Wait no longer for any."""
        self.drop_alike(lambda job: True)

    def next(self) -> BatchStep | None:
        """The first that waits."""
        if not self.waiting:
            return None
        step, under_way = self.waiting.pop(0), len(self.open) - len(self.waiting)
        step.title = f"{step.title}: run {self.done + under_way} of {self.total}"
        return step

    def rest(self) -> list[BatchStep]:
        """All that wait; none waits for another."""
        steps, self.waiting = self.waiting, []
        return steps

    def take_back(self, steps: Sequence[BatchStep]) -> None:
        """Have them wait again, before the others."""
        self.waiting = [*steps, *self.waiting]

    def _arrived(self, job: CheckJob, answer: Any) -> None:
        self.done += 1
        del self.open[job]
        if isinstance(answer, MVExplorerError):
            self.problem = str(answer)
            self.drop_alike(partial(_alike, job))
        elif isinstance(answer, Real):
            self.real = answer
        elif isinstance(answer, ShuffledRun):
            self.runs.setdefault(answer.view, []).append(answer)
        elif isinstance(job, StabilityJob) and job.shown is not None:
            ghosts = self.ghosts.setdefault(job.kind, {})
            ghosts[job.number] = answer
            name = "" if self.measure is None else self.measure.name
            each = [ghosts[number] for number in sorted(ghosts)]
            self.stability[job.kind] = stability_of(job.shown, job.kind, each, name)
        self.total = self.done + len(self.open)
        self.changed()


class Checks:
    """Null tests and stability of panels."""

    changed = Signal(str)
    """The panel whose findings are others than before."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._series: dict[str, _Series] = {}
        self._runner = BatchRunner(controller, controller.background, WORKERS)
        self._runner.stopped.connect(self._stopped)
        controller.panel_changed.connect(self._panel_changed)
        controller.document.changed.connect(self._document_changed)

    def of(self, panel: str) -> Found:
        """The findings of a panel; empty ones where no test was asked for."""
        return self._series[panel].found() if panel in self._series else NOTHING

    def drawn(self, panel: str) -> Stability | None:
        """The stability drawn onto a panel's picture by the document's choices; None where none is."""
        answers, choices = self.of(panel), self._controller.document.state.checks
        return answers.stability.get(choices.kind) if answers.present and choices.overlay != "off" else None

    def null_test(self, panel: str, view: str | None = None, n: int = RUNS, shuffle: str = "rows") -> None:
        """Shuffle a view of a panel, or each in turn, until there are `n` runs of each.

        Further runs add to those known. `shuffle` is ``rows``, ``circular``, or ``bursts:`` and a column of names.
        """
        series = self._begin(panel, shuffle)
        request = series.request
        if request is None:
            return
        try:
            check_runs(n)
            order, views = order_of(shuffle, self._controller.document.data), _views(request, view, series.measure)
        except MVExplorerError as error:
            series.problem = str(error)
            self.changed.emit(panel)
            return
        there = {(job.view, job.number) for job in series.open if isinstance(job, NullJob)}
        there |= {(run.view, run.number) for runs in series.runs.values() for run in runs}
        wanted: list[tuple[str | None, int]] = [(each, number) for number in range(n) for each in views]
        first = [(None, 0)] if series.real is None else []
        self._start(
            panel, series, [NullJob(request, series.measure, order, *one) for one in first + wanted if one not in there]
        )

    def stability(self, panel: str, kind: Kind = "parts", n: int = RUNS) -> None:
        """Compute a panel again on random parts, with noise, or without each of its views."""
        series = self._begin(panel, None)
        request, shown = series.request, self._controller.result(panel)
        if request is None:
            return
        if shown.result is None or shown.status != "ready":
            series.problem = "The picture is not there yet. Wait until it is computed."
            self.changed.emit(panel)
            return
        series.drop_alike(lambda job: isinstance(job, StabilityJob) and job.kind == kind)
        series.stability.pop(kind, None)
        series.ghosts.pop(kind, None)
        numbers, drawn = range(runs_of(kind, n, request.plan)), shown.result.embedding.coordinates
        jobs = [StabilityJob(request, kind, series.measure, number, shown=drawn) for number in numbers]
        self._start(panel, series, jobs)

    def stop(self, panel: str) -> None:
        """Stop the runs of a panel; keep what they found so far."""
        if panel in self._series:
            self._runner.stop(self._series[panel])
            self.changed.emit(panel)

    # Runs -------------------------------------------------------------------------------------------------

    def _begin(self, panel: str, shuffle: str | None) -> _Series:
        """The panel's series, emptied where its request, what is scored or the shuffle are others than before."""
        state, data = self._controller.document.state, self._controller.document.data
        shown = state.find_panel(panel)
        former = self._series.get(panel) or self._new(panel)
        try:
            request = None if shown is None else self._controller.request_for(shown)
        except MVExplorerError as error:
            return self._failed(panel, former, error)
        measure = None if data is None else measure_of_state(state, data)
        if former.request != request or not _same(former.measure, measure):
            self.stop(panel)
            former = self._series[panel] = self._new(panel)
            former.request, former.measure = request, measure
        former.rescored = False
        if shuffle is not None and shuffle != former.shuffle:
            self.stop(panel)
            former.shuffle, former.real, former.runs = shuffle, None, {}
        former.name, former.problem = self._name(panel), ""
        former.outdated, former.fits = False, self._fits(panel, former)
        return former

    def _new(self, panel: str) -> _Series:
        return _Series(f"check:{panel}", self._name(panel), changed=partial(self.changed.emit, panel))

    def _name(self, panel: str) -> str:
        state = self._controller.document.state
        shown = state.find_panel(panel)
        return "" if shown is None else numbered_title(state, shown)

    def _fits(self, panel: str, series: _Series) -> bool:
        shown = self._controller.result(panel).result
        return shown is not None and shown.request == series.request

    def _failed(self, panel: str, former: _Series, error: MVExplorerError) -> _Series:
        former.problem, former.request = str(error), None
        self._series[panel] = former
        self.changed.emit(panel)
        return former

    def _start(self, panel: str, series: _Series, jobs: Sequence[CheckJob]) -> None:
        series.add(jobs)
        self.changed.emit(panel)
        self._runner.run(series)

    # Following the document -------------------------------------------------------------------------------

    def _panel_changed(self, panel: str) -> None:
        """Stop what is computed for a former request of the panel, and mark what is not of its picture."""
        series, shown = self._series.get(panel), self._controller.document.state.find_panel(panel)
        if series is None or series.request is None or shown is None:
            return
        try:
            outdated = self._controller.request_for(shown) != series.request
        except MVExplorerError:
            outdated = True
        former, now = (series.outdated, series.fits), (outdated, self._fits(panel, series))
        if now != former:
            series.outdated, series.fits = now
            if outdated and not former[0]:
                self.stop(panel)
            else:
                self.changed.emit(panel)

    def _stopped(self, batch: _Series) -> None:
        batch.changed()

    def _document_changed(self, change: Change) -> None:
        if change.kept_in is not None:
            change.kept_in[self] = {**self._series}
        gone = set(self._series) - {panel.id for panel in change.after.panels}
        for panel in set(self._series) if change.data_changed else gone:
            self.stop(panel)
            del self._series[panel]
            self.changed.emit(panel)
        if change.brought is not None:
            self._series.update(change.brought.get(self, {}))
            for panel in [*self._series]:
                self._panel_changed(panel)
                self.changed.emit(panel)
        if change.before.colour != change.after.colour:  # a column that points are coloured by may be the score's
            self._look_at_measure(change.after)

    def _look_at_measure(self, state: DocumentState) -> None:
        """Mark the null tests of a score that the panels no longer have."""
        data = self._controller.document.data
        if data is None:
            return
        for panel, series in list(self._series.items()):
            rescored = not _same(series.measure, measure_of_state(state, data))
            if rescored != series.rescored:
                series.rescored = rescored
                self.changed.emit(panel)


def order_of(shuffle: str, data: MultiView | None) -> Shuffle:
    """The shuffle as jobs take it: for bursts, the name (M,) of each sample's burst."""
    prefix = "bursts:"
    column = shuffle.removeprefix(prefix)
    if data is None or not shuffle.startswith(prefix):
        return shuffle
    if column not in data.columns:
        raise MVExplorerError(f"There is no column called “{column}”.", "Choose one that names each sample's burst.")
    return data.columns[column]


def measure_of_state(state: DocumentState, data: MultiView) -> Measure | None:
    """The measure that pictures are scored by: of classes where there are some, else of the hidden variable."""
    labels, hidden = truth(state, data)
    if labels is not None:
        return Measure("nmi", "NMI", labels)
    return None if hidden is None else of_variable(hidden.name, hidden.values, "resultant" if hidden.angle else "r2")


def _same(one: Measure | None, other: Measure | None) -> bool:
    return (one is None and other is None) or (
        one is not None and other is not None and (one.id, one.name) == (other.id, other.name)
    )


def _views(request: Request, view: str | None, measure: Measure | None) -> tuple[str, ...]:
    """The views that are shuffled; the labels where the picture has one view only."""
    used = request.plan.views
    check_has_null(request.plan.method)
    if len(used) > 1:
        if view and view not in used:
            raise MVExplorerError(f"This picture is not made of {view}.", f"It is made of {', '.join(used)}.")
        return (view,) if view else used
    if measure is None:
        raise MVExplorerError(
            "A picture of one view is compared with chance labels, and there is nothing to score it against.",
            "Open data with labels of at least two samples per class, or colour the points by a column of numbers.",
        )
    return (LABELS,)


def _alike(job: CheckJob, other: CheckJob) -> bool:
    """True if another job fails, too: of a null test all where the picture itself failed, else those of its view."""
    if isinstance(job, NullJob):
        return isinstance(other, NullJob) and (job.view is None or job.view == other.view)
    return isinstance(other, StabilityJob) and job.kind == other.kind
