"""Exact answers on either side of the present one, made while the hand rests: between them the next drag is quick.

They are made outwards along what was dragged last, each from the one before it, at idle priority, and kept in the
cache, where the steps of a drag find them (`compute/jobs/runner.py`). Lives on the document's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from math import log2

from psygnal import Signal

from mvexplorer.compute.batch.axes import EPSILON_SCALE
from mvexplorer.compute.jobs.cost import cost_of_draft
from mvexplorer.compute.jobs.jobs import AnchorJob, EmbedJob
from mvexplorer.compute.jobs.prepared import BetweenJob, Ends, is_prepared, prepared_key
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import anchor_key
from mvexplorer.compute.run.buffers import KEPT_AT_REST
from mvexplorer.compute.run.scheduler import Job, Outcome, Post, Scheduler, call_directly
from mvexplorer.engine.api.between import Between, can_be_prepared
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.plan import drafted_on_part
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.warm_start import PreviousSolution
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.commands import SCALE_RANGE
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.requests import request_of, warmed

SLOT = "anchors"
ETA, WEIGHT = "eta", "weight:"


@dataclass(frozen=True)
class _Stop:
    value: float
    requests: dict[str, Request]
    """The request of each panel there."""


class Anchors:
    """Makes anchors for the panels on show, one at a time.

    Workers `post` closures to the document's thread; `begin` is called first on theirs. `Controller.wait_idle` does not
    wait for the executor, by default one thread: nobody waits for anchors.
    """

    changed = Signal()
    """Anchors were made, or the present ones no longer belong to the document."""

    def __init__(
        self,
        controller: Controller,
        post: Post = call_directly,
        begin: Callable[[], None] | None = None,
        executor: Executor | None = None,
    ) -> None:
        self._controller = controller
        workers = executor or ThreadPoolExecutor(1, "anchors", begin)
        self._scheduler = Scheduler(workers, post, self._go_on, controller.rows.run_all, cache=controller.cache)
        self.along = EPSILON_SCALE
        """The slider dragged last: ``epsilon_scale``, ``epsilon:VIEW``, ``weight:VIEW`` or ``eta``."""
        self.enabled = True
        """Whether anything is made while the hand rests: it warms a laptop."""
        self.with_bases = True
        """Whether steps between anchors are prepared as well, so that they need no kernel."""
        self._resting = False
        self._stops: dict[int, _Stop] = {}
        """By their number, 0 nearest to the present value."""
        self._known: dict[float, dict[str, Request]] = {}
        """The panels' requests at each value of `along` at which they were looked up before."""
        self._waiting: Iterator[tuple[int, str | None]] | None = None
        """Stops and panels whose anchor is to be made after the next one; without a panel, what is prepared between a
        stop and the one further in. None before they are chosen."""
        self._next: tuple[int, str | None] | None = None
        self._rehearsals: list[Request] | None = None
        """First steps of a drag, to be taken once the nearest anchors are there; None before that."""
        controller.document.changed.connect(self._document_changed)
        controller.tasks_changed.connect(self._others_moved)

    @property
    def reach(self) -> tuple[tuple[float, float], ...]:
        """The ranges of `along` within which the steps of a drag are quick in all panels on show."""
        cache = self._controller.cache
        ready = {n for n, stop in self._stops.items() if all(anchor_key(r) in cache for r in stop.requests.values())}
        ways = (n for n in sorted(ready) if n + 1 in ready and not self._unprepared(n, n + 1))
        return tuple((self._stops[n].value, self._stops[n + 1].value) for n in ways)

    def between(self, panel: str) -> tuple[tuple[float, float, Between | None], ...]:
        """Neighbouring values of `along`, and what is prepared of a panel between them: None where nothing can be."""
        cache, found = self._controller.cache, []
        for number, low in sorted(self._stops.items()):
            high = self._stops.get(number + 1)
            if high is not None and panel in low.requests and panel in high.requests:
                key = prepared_key(low.requests[panel], high.requests[panel])
                if key in cache:
                    found.append((low.value, high.value, cache.find(key)))
        return tuple(found)

    def rest(self) -> None:
        """The hand rests: make anchors as soon as nothing else is computed."""
        self._resting, self._waiting = self.enabled, None
        self._go_on()

    def stop(self) -> None:
        """Make nothing until the hand rests again: nobody looks."""
        self._resting = False
        self._scheduler.cancel(SLOT)

    def shutdown(self) -> None:
        """Stop for good."""
        self._resting = False
        self._controller.document.changed.disconnect(self._document_changed)
        self._controller.tasks_changed.disconnect(self._others_moved)
        self._scheduler.shutdown()

    def _document_changed(self, change: Change) -> None:
        self._resting, self._waiting = False, None
        self._scheduler.cancel(SLOT)
        dragged, former = _dragged(change.before, change.after), self.along
        if dragged is not None and change.interactive:
            self.along = dragged
        before, after = (_asked(moved(state, former, 1.0)) for state in (change.before, change.after))
        if self.along != former or before != after or change.data_changed:
            self._stops, self._known = {}, {}
            self.changed.emit()

    def _others_moved(self) -> None:
        if self._controller.idle:
            self._go_on()
        elif not self._scheduler.idle:
            self._scheduler.cancel(SLOT)

    def _go_on(self) -> None:
        """Make the next anchor, if nothing else is computed."""
        cache = self._controller.cache
        if not (self._resting and self._controller.idle and self._scheduler.idle):
            return
        if self._waiting is None:
            self._waiting, self._rehearsals = self._choose(), None
            self._next = next(self._waiting, None)
        while self._next is not None and (self._rehearsals == [] or abs(self._next[0]) <= 1):
            number, panel = self._next
            if panel is None and (pairs := self._unprepared(*sorted((number, _inwards(number))))):
                self._prepare(pairs)
                return
            if panel is not None and anchor_key(request := self._stops[number].requests[panel]) not in cache:
                self._make(replace(request, start=self._start(number, panel)))
                return
            self._next = next(self._waiting, None)
        if self._rehearsals is None:
            self._rehearsals = self._rehearse()
            self._go_on()
            return
        if self._rehearsals:
            request = self._rehearsals.pop(0)
            cost = cost_of_draft(request, self._scheduler.memory)
            self._submit("Rehearsal", EmbedJob(request), cost, lambda _: None)
            return
        self._resting = False
        self._controller.cache.buffers.release(KEPT_AT_REST)
        self.changed.emit()

    def _make(self, request: Request) -> None:
        self._submit("Anchor", AnchorJob(request), request.plan.cost(self._scheduler.memory), self._made)

    def _prepare(self, pairs: list[Ends]) -> None:
        costs = [first.plan.cost(self._scheduler.memory) for first, _ in pairs]
        largest = max(costs, key=lambda cost: cost.bytes)
        self._submit("Bases between anchors", BetweenJob(tuple(pairs)), largest, self._made)

    def _made(self, outcome: Outcome) -> None:
        if self._waiting is not None:
            self._next = next(self._waiting, None)
        self.changed.emit()

    def _unprepared(self, low: int, high: int) -> list[Ends]:
        """The requests of each panel at two stops between which nothing is prepared yet, and could be."""
        if not (self.with_bases and low in self._stops and high in self._stops):
            return []
        ends = ((self._stops[low].requests.get(id), r) for id, r in self._stops[high].requests.items())
        return [
            (first, second)
            for first, second in ends
            if first is not None
            and can_be_prepared(first.plan)
            and not is_prepared((first, second), self._controller.cache)
        ]

    def _submit(self, title: str, job: Job, cost: Estimate, arrived: Callable[[Outcome], None]) -> None:
        self._scheduler.submit(SLOT, job, arrived, title=title, cost=cost)

    def _start(self, number: int, panel: str) -> tuple[PreviousSolution, ...]:
        """The panel's anchors one and two stops further in, the nearer one last."""
        inwards = _inwards(number) - number
        further = (self._stops.get(number + steps * inwards) for steps in (2, 1))
        solutions = (
            self._controller.cache.find(anchor_key(stop.requests[panel])) for stop in further if stop is not None
        )
        return tuple(anchor for anchor in solutions if anchor is not None)

    # What to make -------------------------------------------------------------------------------------------

    def _rehearse(self) -> list[Request]:
        """The first step of a drag in each panel on show, whose answer nobody needs.

        It makes what all steps share, such as distances in single precision; the first real one then is as quick.
        """
        controller, requests = self._controller, []
        state = controller.document.state
        present = state.params.get(ETA) or 0.0 if self.along == ETA else self._present(state)
        if present is None:
            return []
        step = 0.99 * float(present) + (0.01 if self.along == ETA else 0.0)
        there = moved(state, self.along, step)
        for panel in sorted(there.panels, key=lambda p: p.id != controller.focused):
            result = controller.result(panel.id)
            if result.status == "ready" and panel.id not in controller.hidden:
                with suppress(MVExplorerError):
                    exact = request_of(there, controller.document.data, panel)
                    request = warmed(exact, result.former, interactive=True)
                    if request.interactive and exact != result.request:
                        requests.append(request)
        return requests

    def _present(self, state: DocumentState) -> float | None:
        """Where the slider of ε or of a weight stands; None until a rule is evaluated."""
        if self.along == EPSILON_SCALE:
            return state.epsilon_scale
        if self.along.startswith(WEIGHT):
            view = state.find_view(self.along.removeprefix(WEIGHT))
            return None if view is None or not view.view_weight else view.view_weight
        return self._controller.epsilon(self.along.removeprefix("epsilon:"))

    def _choose(self) -> Iterator[tuple[int, str | None]]:
        """Go outwards from the present value, at each stop through the panels, the one in focus first; then between.

        A stop is looked at when its turn comes: all of them at once would take longer than a frame.
        """
        values = self._values()
        outwards = sorted(values, key=lambda n: (abs(n), -n))
        here, beside = ([self._asked_at(values[n]) for n in outwards[:2]] + [{}, {}])[:2]
        moving = [id for id in self._drawn_quickly() if here.get(id) != beside.get(id)]
        self._stops = {n: self._stop(values[n], moving) for n in outwards if values[n] in self._known and moving}
        for n in outwards if moving else ():
            self._stops[n] = self._stop(values[n], moving)
            yield from ((n, panel) for panel in self._stops[n].requests)
            if n:
                yield n, None

    def _stop(self, value: float, panels: list[str]) -> _Stop:
        requests = self._asked_at(value)
        return _Stop(value, {panel: requests[panel] for panel in panels if panel in requests})

    def _drawn_quickly(self) -> list[str]:
        """The panels on show whose steps anchors can help, the one in focus first."""
        controller = self._controller
        panels = sorted(controller.document.state.panels, key=lambda panel: panel.id != controller.focused)
        return [p.id for p in panels if controller.result(p.id).status == "ready" and p.id not in controller.hidden]

    def _asked_at(self, value: float) -> dict[str, Request]:
        """The requests, at a value of `along`, of the panels whose steps anchors help."""
        if value not in self._known:
            document, requests = self._controller.document, self._known.setdefault(value, {})
            there = moved(document.state, self.along, value)
            for panel in there.panels:
                with suppress(MVExplorerError):
                    request = request_of(there, document.data, panel)
                    drafted = get_method(panel.method).warm_starts and drafted_on_part(request.plan) is None
                    if drafted or can_be_prepared(request.plan):
                        requests[panel.id] = request
        return self._known[value]

    def _values(self) -> dict[int, float]:
        """Values of `along`, numbered outwards from the one nearest to the present: the same ones wherever that is."""
        state = self._controller.document.state
        if self.along == ETA:
            parts = 20
            nearest = round(parts * float(state.params.get(ETA) or 0.0))
            inside = 0.002  # at η = 0 and 1 the operator is another one
            return {i - nearest: min(max(i / parts, inside), 1.0 - inside) for i in range(parts + 1)}
        present = self._present(state)
        if present is None:
            return {}
        nearest, (low, high) = round(2.0 * log2(present)), SCALE_RANGE
        half_octaves = 6  # to either side of the present value: a factor of 8
        values = {n: 2.0 ** (0.5 * (nearest + n)) for n in range(-half_octaves, half_octaves + 1)}
        return {n: value for n, value in values.items() if self.along != EPSILON_SCALE or low <= value <= high}


def _inwards(number: int) -> int:
    """The stop before this one, as seen from the present value."""
    return number - 1 if number > 0 else number + 1


def moved(state: DocumentState, along: str, value: float) -> DocumentState:
    """The state with the slider `along` (``epsilon_scale``, ``epsilon:VIEW``, ``weight:VIEW`` or ``eta``) at `value`.

    The same state where there is no such view.
    """
    if along.startswith(WEIGHT):
        return state.with_view(along.removeprefix(WEIGHT), view_weight=value)
    if along == EPSILON_SCALE:
        return state.model_copy(update={EPSILON_SCALE: value})
    if along == ETA:
        return state.model_copy(update={"params": {**state.params, ETA: value}})
    return state.with_view(along.removeprefix("epsilon:"), epsilon=value)


def _dragged(before: DocumentState, after: DocumentState) -> str | None:
    """The slider that was moved between two states, if it was one that anchors are made for."""
    if before.epsilon_scale != after.epsilon_scale:
        return EPSILON_SCALE
    if before.params.get(ETA) != after.params.get(ETA):
        return ETA
    former = {view.name: view for view in before.views}
    for view in after.views:
        if view.epsilon != former.get(view.name, view).epsilon:
            return f"epsilon:{view.name}"
        if view.view_weight != former.get(view.name, view).view_weight:
            return f"{WEIGHT}{view.name}"
    return None


def _asked(state: DocumentState) -> tuple[object, ...]:
    """All of a state on which answers depend."""
    return state.views, state.epsilon_scale, state.params, state.panels, state.random_state, state.subsample
