"""Exact answers on either side of the present one, made while the hand rests: between them the next drag is quick.

They are made outwards along what was dragged last, an octave at a time, at idle priority, and kept in the cache, where
the steps of a drag find them (`compute/jobs/runner.py`, `compute/jobs/prepared.py`). An octave in which a panel is not
certified is cut in two. Lives on the document's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from math import log2

from psygnal import Signal

from mvexplorer.compute.batch.axes import EPSILON_SCALE
from mvexplorer.compute.jobs.cost import cost_of_draft
from mvexplorer.compute.jobs.jobs import AnchorJob, EmbedJob
from mvexplorer.compute.jobs.prepared import BetweenJob, prepared_key
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import anchor_key
from mvexplorer.compute.run.buffers import KEPT_AT_REST
from mvexplorer.compute.run.scheduler import Job, Outcome, Post, Scheduler, call_directly
from mvexplorer.engine.api.between import Between, can_be_prepared
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.plan import drafted_on_part
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.stages import StageKey
from mvexplorer.engine.spectral.warm_start import PreviousSolution
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.commands import SCALE_RANGE
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import leading_drawn
from mvexplorer.state.pictures.requests import request_of, warmed

SLOT = "anchors"
ETA, WEIGHT = "eta", "weight:"
OCTAVES = 3
"""Octaves to either side of the present value, about, in which anchors are made."""
PARTS_OF_ETA = 20
"""Steps from η = 0 to 1 in which anchors are made; two of them are what an octave of ε is."""
INSIDE = 0.002
"""Of the first and the last step of η: at 0 and 1 the operator is another one."""

Way = tuple[int, int]
"""The numbers of two stops, neighbours or an octave apart. Those of octaves' ends are even, wherever the slider is."""
Work = tuple[str, Job, Estimate]
"""What is submitted: a title, a job, and what it costs."""


class Anchors:
    """Makes anchors for the panels on show, one at a time.

    Workers `post` closures to the document's thread; `begin` is called first on theirs. `Controller.wait_idle` does not
    wait for the executor, by default one thread: nobody waits for anchors.
    """

    changed = Signal()
    """Anchors were made, or the present ones no longer belong to the document."""
    finished = Signal()
    """All that can be prepared around the present place is."""

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
        self._known: dict[int, dict[str, Request]] = {}
        """The panels' requests at each stop of `along` at which they were looked up before."""
        self._keys: dict[tuple[Way, str], StageKey] = {}
        """Under which a panel's answers between two stops are kept; looked up at each change."""
        self._panels: list[str] = []
        """The panels that `along` moves, once they are known."""
        self._left: Iterator[Work] | None = None
        """What is to be made after the next; None before that is chosen."""
        self._next: Work | None = None
        controller.document.changed.connect(self._document_changed)
        controller.tasks_changed.connect(self._others_moved)

    @property
    def reach(self) -> tuple[tuple[float, float], ...]:
        """The ranges of `along` within which the steps of a drag are quick in all panels on show."""
        halves = (half for octave in self._looked_at() for half in _halves(octave) if self._panels)
        quick = (half for half in halves if all(self._reached(half, panel) for panel in self._panels))
        return tuple((self._value(low), self._value(high)) for low, high in quick)

    def between(self, panel: str) -> tuple[tuple[float, float, Between | None], ...]:
        """Neighbouring values of `along`, and what is prepared of a panel between them: None where nothing can be."""
        cache, found = self._controller.cache, list[tuple[float, float, Between | None]]()
        for octave in self._looked_at():
            cut = [half for half in _halves(octave) if self._made(half, panel)]
            whole = self._made(octave, panel) and (len(cut) < len(_halves(octave)) or self._whole(octave, panel))
            for way in [octave] if whole else cut:
                found.append((self._value(way[0]), self._value(way[1]), cache.find(self._keys[way, panel])))
        return tuple(found)

    def solved(self, panel: str) -> tuple[tuple[float, PreviousSolution], ...]:
        """Ascending values of `along` at which a panel's exact answer is there, and as much of it as is kept."""
        answers = list[tuple[float, PreviousSolution]]()
        for number in sorted(self._known):
            request = self._known[number].get(panel)
            anchor = None if request is None else self._controller.cache.find(anchor_key(request))
            if anchor is not None and anchor.exact and len(anchor.eigenvalues):
                answers.append((self._value(number), anchor))
        return tuple(answers)

    def rest(self) -> None:
        """The hand rests: make anchors as soon as nothing else is computed."""
        self._resting, self._left, self._next = self.enabled, None, None
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
        self._resting = False
        self._scheduler.cancel(SLOT)
        dragged, former = _dragged(change.before, change.after), self.along
        if dragged is not None and change.interactive:
            self.along = dragged
        before, after = (_asked(moved(state, former, 1.0)) for state in (change.before, change.after))
        if self.along != former or before != after or change.data_changed:
            self._known, self._keys, self._panels = {}, {}, []
            self.changed.emit()

    def _others_moved(self) -> None:
        if self._controller.idle:
            self._go_on()
        elif not self._scheduler.idle:
            self._scheduler.cancel(SLOT)

    def _go_on(self) -> None:
        """Make what is next, if nothing else is computed."""
        if not (self._resting and self._controller.idle and self._scheduler.idle):
            return
        if self._left is None:
            self._left = self._work()
        self._next = self._next or next(self._left, None)
        if self._next is None:
            self._resting = False
            self._controller.cache.buffers.release(KEPT_AT_REST)
            self.changed.emit()
            self.finished.emit()
            return
        title, job, cost = self._next
        self._scheduler.submit(SLOT, job, self._done, title=title, cost=cost)

    def _done(self, outcome: Outcome) -> None:
        self._next = None
        self.changed.emit()

    # What to make -------------------------------------------------------------------------------------------

    def _work(self) -> Iterator[Work]:
        """All that is to be made, the nearest octaves first; each is looked for once what was before it is there."""
        octaves = self._octaves()
        if octaves:
            ends = [self._requests(n) for n in octaves[0]]
            self._panels = [id for id in self._drawn_quickly() if ends[0].get(id) != ends[1].get(id)]
        here, cut = self._here() or 0.0, set[tuple[bool, str]]()
        for count, octave in enumerate(octaves if self._panels else ()):
            if count == 2:
                yield from self._rehearsals()
            above = octave[0] + 1 > here
            yield from self._octave(octave, [id for id in self._panels if (above, id) not in cut])
            # Where one was cut, those further out will be as well.
            cut |= {(above, id) for id in self._panels if not self._whole(octave, id)}
            yield from self._halves(octave, [id for id in self._panels if (above, id) in cut])

    def _octave(self, octave: Way, panels: list[str]) -> Iterator[Work]:
        """Anchors at both ends of an octave, and what is prepared between them."""
        yield from self._way(
            octave, [id for id in panels if not all(self._quick(half, id) for half in _halves(octave))]
        )

    def _halves(self, octave: Way, panels: list[str]) -> Iterator[Work]:
        """The same in each half, for panels not certified in the whole, or of which nothing can be prepared."""
        for half in sorted(_halves(octave), key=lambda half: self._distance(half[0] + 0.5)):
            yield from self._way(half, [id for id in panels if not self._quick(half, id)])

    def _way(self, way: Way, panels: Sequence[str]) -> Iterator[Work]:
        """Anchors at both ends of a way, the nearer one first, and what is prepared between them."""
        cache = self._controller.cache
        for number in sorted(way, key=self._distance) if panels else ():
            requests = self._requests(number)
            for id in panels:
                if id in requests and anchor_key(requests[id]) not in cache:
                    request = replace(requests[id], start=self._start(number, id))
                    yield "Anchor", AnchorJob(request), request.plan.cost(self._scheduler.memory)
        if not (panels and self.with_bases):
            return
        first, second = (self._requests(number) for number in way)
        both = [(first[id], second[id]) for id in panels if id in first and id in second]
        ends = [pair for pair in both if can_be_prepared(pair[0].plan) and prepared_key(*pair) not in cache]
        if ends:
            costs = [one.plan.cost(self._scheduler.memory) for one, _ in ends]
            yield "Bases between anchors", BetweenJob(tuple(ends)), max(costs, key=lambda cost: cost.bytes)

    def _start(self, number: int, panel: str) -> tuple[PreviousSolution, ...]:
        """The panel's two anchors nearest to a stop, the nearer one last."""
        nearest = sorted(self._known, key=lambda other: abs(other - number))
        requests = (self._known[other].get(panel) for other in nearest)
        anchors = (self._controller.cache.find(anchor_key(request)) for request in requests if request is not None)
        return tuple(islice((anchor for anchor in anchors if anchor is not None and anchor.exact), 2))[::-1]

    def _rehearsals(self) -> Iterator[Work]:
        """The first step of a drag in each panel on show, whose answer nobody needs.

        It makes what all steps share, such as distances in single precision; the first real one then is as quick.
        """
        controller = self._controller
        state = controller.document.state
        present = self._present(state)
        if present is None:
            return
        there = moved(state, self.along, 0.99 * present + (0.01 if self.along == ETA else 0.0))
        for panel in sorted(there.panels, key=lambda p: p.id != controller.focused):
            result = controller.result(panel.id)
            if result.status == "ready" and panel.id not in controller.hidden:
                with suppress(MVExplorerError):
                    exact = request_of(there, controller.document.data, panel)
                    request = warmed(exact, result.former, interactive=True)
                    if request.interactive and exact != result.request:
                        yield "Rehearsal", EmbedJob(request), cost_of_draft(request, self._scheduler.memory)

    def _drawn_quickly(self) -> list[str]:
        """The panels on show whose steps anchors can help, the one in focus first."""
        controller = self._controller
        panels = sorted(controller.document.state.panels, key=lambda panel: panel.id != controller.focused)
        return [p.id for p in panels if controller.result(p.id).status == "ready" and p.id not in controller.hidden]

    # What is there ------------------------------------------------------------------------------------------

    def _reached(self, half: Way, panel: str) -> bool:
        """Whether a panel's steps between two neighbouring stops are quick."""
        if self._whole(_octave_of(half[0]), panel):
            return True
        ends = [self._known[number][panel] for number in half] if self._quick(half, panel) else []
        anchors = [self._controller.cache.find(anchor_key(request)) for request in ends]
        return bool(anchors) and all(anchor is not None and anchor.exact for anchor in anchors)

    def _quick(self, way: Way, panel: str) -> bool:
        """Whether all is made by which a panel's steps between two neighbouring stops can be quick."""
        if self._whole(_octave_of(way[0]), panel):
            return True
        cache, ends = self._controller.cache, [self._known.get(number, {}).get(panel) for number in way]
        if any(request is None or anchor_key(request) not in cache for request in ends):
            return False
        first = ends[0]
        return not self.with_bases or first is None or not can_be_prepared(first.plan) or self._made(way, panel)

    def _whole(self, octave: Way, panel: str) -> bool:
        """Whether a panel's answers are certified in a whole octave, as far as they are drawn, and its eigenvalues."""
        key, state = self._key(octave, panel), self._controller.document.state.find_panel(panel)
        between = None if key is None or not self.with_bases else self._controller.cache.find(key)
        if between is None or state is None:
            return False
        drawn = leading_drawn(state, self._known[octave[0]][panel].plan)
        return bool(between.interval.certified(drawn) and between.interval.values_certified(between.interval.count))

    def _made(self, way: Way, panel: str) -> bool:
        """Whether a panel's answers between two stops were prepared, or found not to exist."""
        key = self._key(way, panel)
        return key is not None and key in self._controller.cache

    def _key(self, way: Way, panel: str) -> StageKey | None:
        """Under which a panel's answers between two stops are kept; None where one of them was not looked up yet."""
        if (way, panel) not in self._keys:
            ends = [self._known.get(number, {}).get(panel) for number in way]
            if ends[0] is None or ends[1] is None:
                return None
            self._keys[way, panel] = prepared_key(ends[0], ends[1])
        return self._keys[way, panel]

    def _requests(self, number: int) -> dict[str, Request]:
        """The requests, at a stop of `along`, of the panels whose steps anchors help.

        Made when a stop's turn comes: those of all stops at once would take longer than a frame.
        """
        if number not in self._known:
            document, requests = self._controller.document, self._known.setdefault(number, {})
            there = moved(document.state, self.along, self._value(number))
            for panel in there.panels:
                with suppress(MVExplorerError):
                    request = request_of(there, document.data, panel)
                    drafted = get_method(panel.method).warm_starts and drafted_on_part(request.plan) is None
                    if drafted or can_be_prepared(request.plan):
                        requests[panel.id] = request
        return self._known[number]

    # Where stops are ----------------------------------------------------------------------------------------

    def _present(self, state: DocumentState) -> float | None:
        """Where the slider stands; None until a rule is evaluated."""
        if self.along == EPSILON_SCALE:
            return state.epsilon_scale
        if self.along == ETA:
            return float(state.params.get(ETA) or 0.0)
        if self.along.startswith(WEIGHT):
            view = state.find_view(self.along.removeprefix(WEIGHT))
            return None if view is None or not view.view_weight else view.view_weight
        return self._controller.epsilon(self.along.removeprefix("epsilon:"))

    def _value(self, number: int) -> float:
        """The value of `along` at a stop."""
        if self.along == ETA:
            return min(max(number / PARTS_OF_ETA, INSIDE), 1.0 - INSIDE)
        return float(2.0 ** (0.5 * number))

    def _here(self) -> float | None:
        """The number, a fraction, that a stop at the present value would have."""
        present = self._present(self._controller.document.state)
        if present is None:
            return None
        return PARTS_OF_ETA * present if self.along == ETA else 2.0 * log2(present)

    def _distance(self, number: float) -> float:
        return abs(number - (self._here() or 0.0))

    def _looked_at(self) -> list[Way]:
        """The octaves of which a stop was looked up."""
        return sorted({_octave_of(n) for known in self._known for n in (known - 1, known)})

    def _octaves(self) -> list[Way]:
        """The octaves around the present value, the nearest ones first: the same ones wherever that is."""
        here = self._here()
        if here is None:
            return []
        nearest, far = 2 * round(here / 2.0), 2 * OCTAVES
        lows = range(0, PARTS_OF_ETA, 2) if self.along == ETA else range(nearest - far - 2, nearest + far + 1, 2)
        near = (n for n in lows if self.along == ETA or abs(n + 1 - here) <= far)
        ways = [(n, n + 2) for n in near if self._allowed(n) and self._allowed(n + 2)]
        return sorted(ways, key=lambda way: (self._distance(way[0] + 1), -way[0]))

    def _allowed(self, number: int) -> bool:
        low, high = SCALE_RANGE
        return self.along != EPSILON_SCALE or low <= self._value(number) <= high


def _octave_of(number: int) -> Way:
    """The octave whose first or middle stop this is."""
    low = number - number % 2
    return low, low + 2


def _halves(octave: Way) -> tuple[Way, Way]:
    low, high = octave
    return (low, low + 1), (low + 1, high)


def moved(state: DocumentState, along: str, value: float) -> DocumentState:
    """The state with the slider `along` (``epsilon_scale``, ``epsilon:VIEW``, ``weight:VIEW`` or ``eta``) at `value`.

    The same state where there is no such view.
    """
    if along.startswith(WEIGHT):
        there = state.with_view(along.removeprefix(WEIGHT), view_weight=value)
        return there.model_copy(update={"equal_volume": False})
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
