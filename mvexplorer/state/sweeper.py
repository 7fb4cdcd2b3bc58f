"""Scores against the bandwidth: every method on show (or every one there is), at a dozen factors on all ε.

All methods go forward together, from coarse to fine: a fifth of the way through, every curve spans the whole range.
Lives on the document's thread; each point is one job in the scheduler, so that a sweep can be watched and stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from psygnal import Signal

from mvexplorer.compute.cost import cost_of_request
from mvexplorer.compute.jobs import SweepJob
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.commands import new_panel
from mvexplorer.state.requests import request_of
from mvexplorer.state.scoring import available_scores, hidden_variable
from mvexplorer.state.titles import numbered, panel_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mvexplorer.compute.request import Request
    from mvexplorer.compute.runner import Hidden, Scores
    from mvexplorer.compute.scheduler import Outcome
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.metrics import Rows, Score
    from mvexplorer.state.controller import Controller
    from mvexplorer.state.document import Change
    from mvexplorer.state.model import DocumentState, PanelState

SLOT = "sweep"
KEPT = 0.8
"""Share of the samples in each resampling."""


@dataclass
class Curve:
    """One method's scores: keys are the factor on all ε and the resampling, 0 for all samples."""

    title: str
    panel: PanelState
    """The panel swept, or one like it."""
    points: dict[tuple[float, int], Scores] = field(default_factory=dict)
    epsilon: dict[tuple[float, int], dict[str, float]] = field(default_factory=dict)
    """The ε at each of these points."""
    flat: bool = False
    """The bandwidth has no effect on the method: one computation is enough for all factors."""

    @property
    def method(self) -> str:
        """The method's id."""
        return self.panel.method

    def scores(self, score: str, resample: int = 0) -> dict[float, Score]:
        """Factor -> the score of this id, ascending."""
        each = {f: found.each() for (f, r), found in sorted(self.points.items()) if r == resample}
        return {factor: found[score] for factor, found in each.items() if score in found}

    def values(self, score: str, resample: int = 0) -> list[tuple[float, float]]:
        """(factor, score) pairs, ascending."""
        return [(factor, found.value) for factor, found in self.scores(score, resample).items()]

    def band(self, score: str) -> list[tuple[float, float, float]]:
        """(factor, lowest, highest) over the resamplings; empty without them."""
        found: dict[float, list[float]] = {}
        for resample in sorted({r for _, r in self.points if r}):
            for factor, value in self.values(score, resample):
                found.setdefault(factor, []).append(value)
        return [(factor, min(values), max(values)) for factor, values in sorted(found.items())]


@dataclass(frozen=True)
class _Point:
    curve: Curve
    request: Request
    factor: float
    resample: int
    hidden: Hidden | None


class Sweeper:
    """Runs one sweep at a time.

    Parameters
    ----------
    controller : Controller
    """

    changed = Signal()

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self.curves: list[Curve] = []
        self.problems: dict[str, str] = {}
        self.titles: dict[str, str] = {}
        """The scores of this sweep: id -> title."""
        self.factors: tuple[float, ...] = ()
        self.total = 0
        self.done = 0
        self.running = False
        controller.cancelled.connect(self._cancelled)
        controller.document.changed.connect(self._document_changed)

    def start(self, factors: tuple[float, ...], *, every_method: bool = False, resamples: int = 0) -> None:
        """Sweep the panels on show, or every method the data admits; MVExplorerError where nothing can be scored."""
        state, data = self._controller.document.state, self._controller.document.data
        titles = {} if data is None else {id: w.title for id, w in available_scores(state, data).items()}
        if data is None or not titles:
            raise MVExplorerError(
                "There is nothing to score against.",
                "Open data with labels of at least two samples per class, or colour the points by a column of numbers.",
            )
        panels = _every_method(state) if every_method else state.panels
        self.curves, self.problems, self.done = [], {}, 0
        self.titles, self.factors = titles, factors
        points = self._points(state, data, panels, resamples)
        self.total = len(points)
        self.running = bool(points)
        self._next(iter(points))
        self.changed.emit()

    def stop(self) -> None:
        """Stop; keep the scores so far."""
        self._controller.scheduler.cancel(SLOT)
        self.running = False
        self.changed.emit()

    def _cancelled(self, slot: str) -> None:
        if slot == SLOT and self.running:
            self.running = False
            self.changed.emit()

    def _document_changed(self, change: Change) -> None:
        if not change.data_changed:
            return
        if change.samples_changed:
            self.curves, self.problems, self.total, self.done = [], {}, 0, 0
        self.stop()

    def _points(
        self, state: DocumentState, data: MultiView, panels: tuple[PanelState, ...], resamples: int
    ) -> list[_Point]:
        """All points in the order in which they are computed: coarse to fine, resamplings last, methods side by side.

        Methods at one ε share its kernels.
        """
        rows = [None, *(_resampled(data, r) for r in range(resamples))]
        hidden = hidden_variable(state, data)
        parts = [(data, hidden) if kept is None else (data.take(kept), hidden and hidden.take(kept)) for kept in rows]
        asked = self._asked(state, data, panels)
        return [
            _Point(curve, replace(requests[i], data=part), self.factors[i], resample, known)
            for resample, (part, known) in enumerate(parts)
            for i in coarse_to_fine(len(self.factors))
            for curve, requests in asked
            if not curve.flat or i == 0
        ]

    def _asked(
        self, state: DocumentState, data: MultiView, panels: tuple[PanelState, ...]
    ) -> list[tuple[Curve, list[Request]]]:
        """A curve for each panel, and its request at each factor."""
        found = []
        for panel in panels:
            title = self._fresh_title(state, panel)
            try:
                requests = [request_of(_scaled(state, factor), data, panel) for factor in self.factors]
            except MVExplorerError as error:
                self.problems[title] = str(error)
                continue
            # Where ε has no effect, or is pinned, the requests of all factors are equal.
            flat = len(requests) > 1 and all(request == requests[0] for request in requests)
            self.curves.append(Curve(title, panel, flat=flat))
            found.append((self.curves[-1], requests))
        return found

    def _fresh_title(self, state: DocumentState, panel: PanelState) -> str:
        """The panel's title; numbered where that is taken."""
        title, taken = _title(state, panel), {*(c.title for c in self.curves), *self.problems}
        return title if title not in taken else numbered(title, taken)

    def _next(self, points: Iterator[_Point]) -> None:
        point = next(points, None)
        if point is None:
            self.running = False
            self.changed.emit()
            return

        def arrived(outcome: Outcome) -> None:
            self.done += 1
            if outcome.error is not None:
                self.problems[point.curve.title] = str(outcome.error)
            else:
                point.curve.points[point.factor, point.resample] = outcome.value.scores
                point.curve.epsilon[point.factor, point.resample] = outcome.value.epsilon
            self._next(points)
            self.changed.emit()

        title = f"Sweep {self.done + 1} of {self.total}: {point.curve.title}"
        scheduler = self._controller.scheduler
        cost = cost_of_request(point.request, scheduler.memory)
        scheduler.submit(SLOT, SweepJob(point.request, point.hidden), arrived, title=title, cost=cost)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `table`."""
        views = (f"epsilon:{view}" for view in self._views)
        return ("title", "method", "factor", "resample", *self._score_columns, *views)

    @property
    def _views(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(view for c in self.curves for used in c.epsilon.values() for view in used))

    @property
    def _score_columns(self) -> tuple[str, ...]:
        return tuple(name for id in self.titles for name in ((id, f"{id}_sd") if id == "nmi" else (id,)))

    def table(self) -> list[tuple[str | float | int | None, ...]]:
        """(title, method, factor, resample, each score, each ε), one row per point; NMI is followed by its s.d.

        The ε of a view is None where the method does not use it.
        """
        rows: list[tuple[str | float | int | None, ...]] = []
        for c in self.curves:
            for (factor, resample), scores in sorted(c.points.items(), key=lambda item: (item[0][1], item[0][0])):
                each, epsilon = scores.each(), c.epsilon.get((factor, resample), {})
                values = {id: found.value for id, found in each.items()}
                values |= {f"{id}_sd": found.spread or 0.0 for id, found in each.items()}
                scored, used = map(values.get, self._score_columns), map(epsilon.get, self._views)
                rows.append((c.title, c.method, factor, resample, *scored, *used))
        return rows


def coarse_to_fine(count: int) -> list[int]:
    """The indices 0 to count - 1: both ends, the middle, and then ever finer parts of the whole."""
    found: dict[int, None] = {}
    for level in range(count.bit_length() + 1):
        found |= dict.fromkeys(round(i * (count - 1) / 2**level) for i in range(2**level + 1))
    return list(found)


def _scaled(state: DocumentState, factor: float) -> DocumentState:
    """The state with the master slider at `factor`: the axis of a sweep is that slider's own."""
    return state.model_copy(update={"epsilon_scale": factor})


def _every_method(state: DocumentState) -> tuple[PanelState, ...]:
    """One panel for each method, the single view one for each ticked view."""
    panels = [new_panel("single", f"sweep-{v}").model_copy(update={"view": v}) for v in state.enabled]
    return (*panels, *(new_panel(m.id, f"sweep-{m.id}") for m in methods() if m.id != "single"))


def _title(state: DocumentState, panel: PanelState) -> str:
    method = get_method(panel.method)
    return panel_title(state, panel) if method.max_views == 1 else method.title


def _resampled(data: MultiView, seed: int) -> Rows:
    return random_rows(data.n_samples, int(KEPT * data.n_samples), seed)
