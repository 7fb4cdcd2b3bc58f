"""Scores against the bandwidth: every method on show (or every one there is), at a dozen factors on all ε.

Lives on the document's thread; each point is one job in the scheduler, so that a sweep can be watched and stopped.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from psygnal import Signal

from mvexplorer.compute.cost import cost_of_request
from mvexplorer.compute.jobs import SweepJob
from mvexplorer.compute.runner import Scores, scorable
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.commands import new_panel
from mvexplorer.state.requests import request_of
from mvexplorer.state.titles import panel_title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mvexplorer.compute.request import Request
    from mvexplorer.compute.scheduler import Outcome
    from mvexplorer.engine.core.multiview import MultiView
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
    method: str
    points: dict[tuple[float, int], Scores] = field(default_factory=dict)
    flat: bool = False
    """The bandwidth has no effect on the method: one computation is enough for all factors."""

    def values(self, score: str, resample: int = 0) -> list[tuple[float, float]]:
        """(factor, score) pairs, ascending; `score` is nmi or knn."""
        found = [(f, getattr(s, score).value) for (f, r), s in self.points.items() if r == resample]
        return sorted(found)

    def band(self, score: str) -> list[tuple[float, float, float]]:
        """(factor, lowest, highest) over the resamplings; empty without them."""
        factors = sorted({f for f, r in self.points if r})
        rows = [(f, [getattr(s, score).value for (g, r), s in self.points.items() if g == f and r]) for f in factors]
        return [(f, min(values), max(values)) for f, values in rows]


@dataclass(frozen=True)
class _Point:
    curve: Curve
    request: Request
    factor: float
    resample: int


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
        self.total = 0
        self.done = 0
        self.running = False
        controller.cancelled.connect(self._cancelled)
        controller.document.changed.connect(self._document_changed)

    def start(self, factors: tuple[float, ...], *, every_method: bool = False, resamples: int = 0) -> None:
        """Sweep the panels on show, or every method the data admits; MVExplorerError where nothing can be scored."""
        state, data = self._controller.document.state, self._controller.document.data
        if data is None or not scorable(data.labels):
            raise MVExplorerError(
                "There are no classes to score against.", "Open data with labels of at least two samples per class."
            )
        panels = _every_method(state) if every_method else state.panels
        self.curves, self.problems, self.done = [], {}, 0
        points = list(self._points(state, data, panels, factors, resamples))
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
        self, state: DocumentState, data: MultiView, panels: tuple[PanelState, ...], factors: tuple[float, ...],
        resamples: int,
    ) -> Iterator[_Point]:  # fmt: skip
        subsets = [data, *(_resampled(data, r) for r in range(resamples))]
        for panel in panels:
            title = self._fresh_title(state, panel)
            try:
                requests = [request_of(_scaled(state, factor), data, panel) for factor in factors]
            except MVExplorerError as error:
                self.problems[title] = str(error)
                continue
            # Where ε has no effect, or is pinned, the requests of all factors are equal.
            flat = len(requests) > 1 and all(request == requests[0] for request in requests)
            curve = Curve(title, panel.method, flat=flat)
            self.curves.append(curve)
            for resample, subset in enumerate(subsets):
                for factor, request in list(zip(factors, requests, strict=True))[: 1 if flat else None]:
                    yield _Point(curve, replace(request, data=subset), factor, resample)

    def _fresh_title(self, state: DocumentState, panel: PanelState) -> str:
        """The panel's title; with its place among the panels where that is taken."""
        title, taken = _title(state, panel), {*(c.title for c in self.curves), *self.problems}
        return title if title not in taken else f"{title} ({panel.id})"

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
                point.curve.points[point.factor, point.resample] = outcome.value
            self._next(points)
            self.changed.emit()

        title = f"Sweep {self.done + 1} of {self.total}: {point.curve.title}"
        scheduler = self._controller.scheduler
        cost = cost_of_request(point.request, scheduler.memory)
        scheduler.submit(SLOT, SweepJob(point.request), arrived, title=title, cost=cost)

    def table(self) -> list[tuple[str, str, float, int, float, float, float]]:
        """(title, method, factor, resample, NMI, s.d. of NMI, k-NN), one row per point."""
        return [
            (c.title, c.method, f, r, s.nmi.value, s.nmi.spread or 0.0, s.knn.value)
            for c in self.curves for (f, r), s in sorted(c.points.items(), key=lambda item: (item[0][1], item[0][0]))
        ]  # fmt: skip


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


def _resampled(data: MultiView, seed: int) -> MultiView:
    kept = random_rows(data.n_samples, int(KEPT * data.n_samples), seed)
    return data.take(kept)
