"""Scores along an axis: every method on show (or every one there is), at a dozen factors on all ε or values of η.

All methods go forward together, from coarse to fine: a fifth of the way through, every curve spans the whole range.
Lives on the document's thread; each point is one job in the scheduler, so that a sweep can be watched and stopped.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from psygnal import Signal

from mvexplorer.compute.batch.axes import EPSILON_SCALE, SCALE, Axis, axes, find_axis
from mvexplorer.compute.batch.sweep_path import Swept
from mvexplorer.compute.batch.sweep_table import Row, columns_of, row_of
from mvexplorer.compute.batch.sweeping import SweepLine
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.batch import BatchRunner
from mvexplorer.state.batches.sweep_batch import SweepBatch
from mvexplorer.state.document.axis import at_value
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.fresh import new_panel
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.titles import numbered, panel_title
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.pictures.scoring import SCORES, STABILITY, available_scores, drawn_by, truth, views_to_score

SLOT = "sweep"
WORKERS = max(1, min(4, os.cpu_count() or 1))
"""Cells of a sweep computed at a time."""


@dataclass
class Curve:
    """One method's scores: keys are the value on the axis and the resampling, 0 for all samples."""

    title: str
    panel: PanelState
    """The panel swept, or one like it."""
    points: dict[tuple[float, int], Scores] = field(default_factory=dict)
    epsilon: dict[tuple[float, int], dict[str, float]] = field(default_factory=dict)
    """The ε at each of these points."""
    flat: bool = False
    """The axis has no effect on the method: one computation is enough for all values."""
    views: tuple[str, ...] = ()
    """The views used, once the first point is there."""

    @property
    def method(self) -> str:
        """The method's id."""
        return self.panel.method

    def scores(self, score: str, resample: int = 0) -> dict[float, Score]:
        """Value on the axis -> the score of this id, ascending."""
        each = {f: scores.each() for (f, r), scores in sorted(self.points.items()) if r == resample}
        return {factor: scores[score] for factor, scores in each.items() if score in scores}

    def values(self, score: str, resample: int = 0) -> list[tuple[float, float]]:
        """(value on the axis, score) pairs, ascending."""
        return [(factor, each.value) for factor, each in self.scores(score, resample).items()]

    def band(self, score: str) -> list[tuple[float, float, float]]:
        """(value on the axis, lowest, highest) over the resamplings; empty without them."""
        by_factor: dict[float, list[float]] = {}
        for resample in sorted({r for _, r in self.points if r}):
            for factor, value in self.values(score, resample):
                by_factor.setdefault(factor, []).append(value)
        return [(factor, min(values), max(values)) for factor, values in sorted(by_factor.items())]


class Sweeper:
    """Runs one sweep at a time, and at most `workers` of its cells."""

    changed = Signal()

    def __init__(self, controller: Controller, workers: int = WORKERS) -> None:
        self._controller = controller
        self._runner = BatchRunner(controller, controller.scheduler, workers)
        self.curves: list[Curve] = []
        self.problems: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        """The scores of this sweep: id -> title."""
        self.axis: Axis = SCALE
        self.values: tuple[float, ...] = ()
        self._batch: SweepBatch | None = None
        self._runner.stopped.connect(lambda batch: self.changed.emit())
        controller.document.changed.connect(self._document_changed)

    @property
    def total(self) -> int:
        """Computations of this sweep."""
        return 0 if self._batch is None else self._batch.total

    @property
    def done(self) -> int:
        """Computations that have ended."""
        return 0 if self._batch is None else self._batch.done

    @property
    def running(self) -> bool:
        """Whether computations are still to come."""
        return self._batch is not None and self._batch.running

    def axes(self, *, every_method: bool = False) -> dict[str, Axis]:
        """Return the axes along which the panels on show, or all methods, can be swept, by name."""
        state = self._controller.document.state
        shown = [get_method(id) for id in dict.fromkeys(panel.method for panel in state.panels)]
        return axes(methods() if every_method else shown, state.enabled)

    def start(
        self,
        values: tuple[float, ...],
        axis: str = EPSILON_SCALE,
        *,
        every_method: bool = False,
        resamples: int = 0,
        stability: bool = False,
    ) -> None:
        """Sweep the panels on show, or every method the data admits; MVExplorerError where nothing can be scored.

        With `stability` it is told at each value how far samples move with ε, by two more pictures.
        """
        state, data = self._controller.document.state, self._controller.document.data
        titles = {} if data is None else {id: w.title for id, w in available_scores(state, data).items()}
        if data is None or not titles:
            raise MVExplorerError(
                "There is nothing to score against.",
                "Open data with labels of at least two samples per class, or colour the points by a column of numbers.",
            )
        self.axis, self.titles = find_axis(axis, self.axes(every_method=every_method)), titles
        self._runner.stop_all()
        self.curves, self.problems, self.values = [], {}, values
        if stability:
            self.titles = {**titles, STABILITY: SCORES[STABILITY].title}
        lines = self._lines(state, data, _every_method(state) if every_method else state.panels, stability)
        every = [*lines, *(line.resampled(r) for r in range(1, resamples + 1) for line in lines)]
        curves = dict(zip((id(line) for line in every), self.curves * (resamples + 1), strict=True))

        def arrived(line: SweepLine, place: int, answer: Swept | MVExplorerError) -> None:
            self._arrived(curves[id(line)], line, place, answer)

        self._batch = SweepBatch(every, arrived, slot=SLOT)
        self._runner.run(self._batch)
        self.changed.emit()

    def stop(self) -> None:
        """Stop; keep the scores so far."""
        self._runner.stop_all()
        self.changed.emit()

    def _arrived(self, curve: Curve, line: SweepLine, place: int, answer: Swept | MVExplorerError) -> None:
        if isinstance(answer, Swept):
            curve.views = answer.views
            for at, first in enumerate(line.firsts):
                if first == place and (at == place or not curve.flat):
                    key = self.values[at], line.resample
                    curve.points[key], curve.epsilon[key] = answer.scores, dict(answer.epsilon)
        else:
            self.problems[curve.title] = str(answer)
        self.changed.emit()

    def _document_changed(self, change: Change) -> None:
        if not change.data_changed:
            return
        self.stop()
        if change.kept_in is not None:
            change.kept_in[self] = self.curves, self.problems, self.titles, self.axis, self.values, self._batch
        if change.samples_changed:
            self.curves, self.problems, self._batch = [], {}, None
            if change.brought is not None and self in change.brought:
                self.curves, self.problems, self.titles, self.axis, self.values, self._batch = change.brought[self]
            self.changed.emit()

    def _lines(
        self, state: DocumentState, data: MultiView, panels: tuple[PanelState, ...], stability: bool
    ) -> list[SweepLine]:
        """A curve for each panel, and its request at each value."""
        lines, (labels, hidden) = list[SweepLine](), truth(state, data)
        views = views_to_score(state, data) if labels is None and hidden is None else ()
        states = [at_value(state, self.axis, value) for value in self.values]
        for panel in panels:
            title = self._fresh_title(state, panel)
            try:
                requests = tuple(request_of(there, data, panel) for there in states)
            except MVExplorerError as error:
                self.problems[title] = str(error)
                continue
            line = SweepLine(title, requests, hidden=drawn_by(panel, hidden), views=views, stability=stability)
            self.curves.append(Curve(title, panel, flat=line.flat))
            lines.append(line)
        return lines

    def _fresh_title(self, state: DocumentState, panel: PanelState) -> str:
        """The panel's title; numbered where that is taken."""
        title, taken = _title(state, panel), {*(c.title for c in self.curves), *self.problems}
        return title if title not in taken else numbered(title, taken)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `table`; with the curves' titles only where methods and views are not enough."""
        subjects = [(curve.method, curve.views) for curve in self.curves if curve.points]
        extra = ("title",) if len(set(subjects)) < len(subjects) else ()
        return (*columns_of((self.axis.name,), self.titles), *extra)

    def table(self) -> list[Row]:
        """One row per value, resampling and curve, as far as they are computed; equal ones of a flat curve as well."""
        columns = self.columns
        return [
            row_of(
                (value,),
                curve.method,
                resample,
                Swept(scores, curve.views, curve.epsilon[at, resample]),
                columns,
                title=curve.title,
            )
            for curve in self.curves
            for (at, resample), scores in sorted(curve.points.items(), key=lambda item: (item[0][1], item[0][0]))
            for value in (self.values if curve.flat else (at,))
        ]


def _every_method(state: DocumentState) -> tuple[PanelState, ...]:
    """One panel for each method, the single view one for each ticked view."""
    panels = [new_panel("single", f"sweep-{v}").model_copy(update={"view": v}) for v in state.enabled]
    return (*panels, *(new_panel(m.id, f"sweep-{m.id}") for m in methods() if m.id != "single" and not m.shows_given))


def _title(state: DocumentState, panel: PanelState) -> str:
    method = get_method(panel.method)
    return panel_title(state, panel) if method.max_views == 1 else method.title
