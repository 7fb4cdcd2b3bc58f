"""A lesson as a page shows it: all its pictures at every ε of a range, and its bars measured at places in between.

A page computes nothing but lines between what is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.live import LivePanel, LivePanels, LiveRange, MovingPicture
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.moving_frames import STEPS
from mvexplorer.errors import ComputeError
from mvexplorer.state.bench.headless import ComputedPanels, compute
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.export.live_panels import LivePanelsJob
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.teaching.acts import act_done, after
from mvexplorer.teaching.bars import Value
from mvexplorer.teaching.checking import Meter
from mvexplorer.teaching.lesson import Check, Lesson, LessonAct, LessonStep
from mvexplorer.teaching.offers import StepOffer, at_scale, step_offers
from mvexplorer.teaching.staging import Opened, open_source, start_of, step_source

BEYOND = 1.5
"""The factor by which the range goes beyond every ε of the lesson."""
FEW, MANY = 1_000, 25
"""With up to so many samples, a bar is measured at so many places."""
SPARSE = 9
"""With more samples, at so many."""
VERDICTS = 97
"""A regime takes no picture, and reasons take none either: they are told at so many places."""


@dataclass(frozen=True, eq=False)
class PagedScene:
    """One document; `panels` are the names of its pictures among those of the lesson."""

    computed: ComputedPanels
    panels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PagedOffer:
    """One document to choose: its scene, its bar at each of the step's places, and which wrong act is done where.

    `reasons` are steps of ε from which on a wrong act (from 0) is the nearest, -1 where none is.
    """

    words: str
    scene: int
    values: tuple[Value, ...]
    reasons: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class PagedStep:
    """One step: the scene and the ε in which it begins, and in a *Do* what can be chosen and measured."""

    step: LessonStep
    scene: int
    place: float
    """The step of the range at which ε begins."""
    check: Check | None = None
    """What is measured: that of the *Do* it belongs to."""
    doing: int = -1
    """The place of that *Do* among the steps."""
    places: tuple[int, ...] = ()
    """The steps of ε at which bars are measured; none where it is measured once."""
    offers: tuple[PagedOffer, ...] = ()


@dataclass(frozen=True, eq=False)
class PagedLesson:
    """A lesson with all that its page holds."""

    lesson: Lesson
    scenes: tuple[PagedScene, ...]
    live: LivePanels
    steps: tuple[PagedStep, ...]


def paged(lesson: Lesson, task: Task | None = None) -> PagedLesson:
    """Compute all that a lesson's page shows; ComputeError where a picture of it cannot be computed."""
    return _Pager(lesson, task or Task()).paged()


@dataclass(frozen=True, eq=False)
class _Begun:
    """A step as it begins, with what can be chosen there."""

    step: LessonStep
    opened: Opened
    start: DocumentState
    offers: tuple[StepOffer, ...]

    @property
    def ends(self) -> list[tuple[DocumentState, tuple[LessonAct, ...]]]:
        """The documents to which the solution and what is wrong lead, the solution's first."""
        each = [self.step.solution, *(wrong.acts for wrong in self.step.wrong)] if self.step.check else []
        return [(after(self.start, self.opened.data, acts), acts) for acts in each]


@dataclass(eq=False)
class _Pooled:
    """A picture that any number of scenes show."""

    request: Request
    panel: PanelState
    data: MultiView
    state: DocumentState
    """A document of it alone, at the ε at which its axes lie as the window draws them."""
    result: PanelResult | None = None
    live: LivePanel | None = None
    why_still: str = ""


@dataclass(eq=False)
class _Scene:
    state: DocumentState
    opened: Opened
    shared: list[int] = field(default_factory=list)


class _Pager:
    """Gathers what a lesson shows, then computes each picture and each bar once."""

    def __init__(self, lesson: Lesson, task: Task) -> None:
        self._lesson, self._task, self._cache = lesson, task, StageCache()
        self._opened: dict[tuple[str, ...], Opened] = {}
        self._meters: dict[int, Meter] = {}
        self._shared: list[_Pooled] = []
        self._scenes: list[_Scene] = []
        self._begun = [self._begin(number) for number in range(len(lesson.steps))]
        self._range = self._whole_range()
        for begun in self._begun:
            for state, _ in [*begun.ends, (begun.start, ())]:
                self._scene(state, begun.opened)
            for offer in begun.offers:
                self._scene(offer.state, begun.opened)
        self._settle()
        self._done, self._total = 0.0, self._amount()

    # What there is ------------------------------------------------------------------------------------------

    def _begin(self, number: int) -> _Begun:
        lesson = self._lesson
        step, source = lesson.steps[number], step_source(lesson, number)
        if source not in self._opened:
            self._opened[source] = open_source(source, self._task.beside())
        opened = self._opened[source]
        start = start_of(lesson, number, opened)
        offers = () if step.check is None else step_offers(step, start, opened.data)
        return _Begun(step, opened, start, offers)

    def _whole_range(self) -> LiveRange:
        """All ε of the lesson, and as much to either side that none is an end."""
        states = [state for begun in self._begun for state in (begun.start, *(end for end, _ in begun.ends))]
        factors = [1.0, *(state.epsilon_scale for state in states)]
        return LiveRange.around(min(factors) / BEYOND, max(factors) * BEYOND)

    def _scene(self, state: DocumentState, opened: Opened) -> int:
        """The place of a document's scene, which is a new one for a document that differs in more than ε."""
        plain = at_scale(state, 1.0)
        for place, scene in enumerate(self._scenes):
            if scene.opened is opened and scene.state == plain:
                return place
        shared = [self._share(panel, state, opened.data) for panel in state.shown]
        self._scenes.append(_Scene(plain, opened, shared))
        return len(self._scenes) - 1

    def _share(self, panel: PanelState, state: DocumentState, data: MultiView) -> int:
        request = request_of(at_scale(state, 1.0), data, panel)
        drawn = panel.show, panel.axes, panel.dims, panel.trim
        for place, one in enumerate(self._shared):
            there = one.panel
            if one.request == request and drawn == (there.show, there.axes, there.dims, there.trim):
                return place
        self._shared.append(_Pooled(request, panel, data, updated(state, {"panels": (panel,)})))
        return len(self._shared) - 1

    def _settle(self) -> None:
        """Have each picture's axes lie as the window draws them where a solution leads to it: words are about that."""
        settled = set[int]()
        for begun in self._begun:
            for state, _ in begun.ends[:1]:
                here = set(self._scenes[self._scene(state, begun.opened)].shared)
                for place in here - settled:
                    self._shared[place].state = at_scale(self._shared[place].state, state.epsilon_scale)
                settled |= here
        for shared in self._shared:  # on a step of the range, where the picture begins to move
            shared.state = at_scale(shared.state, self._range.factor_at(self._step_at(shared.state)))

    def _step_at(self, state: DocumentState) -> int:
        return round(self._range.step_of(state.epsilon_scale))

    # Computing ----------------------------------------------------------------------------------------------

    def paged(self) -> PagedLesson:
        for place in range(len(self._shared)):
            self._draw(place)
            self._tell(MANY)
        steps = [self._step(number) for number in range(len(self._begun))]
        return PagedLesson(self._lesson, tuple(map(self._paged_scene, self._scenes)), self._live(), tuple(steps))

    def _amount(self) -> float:
        """How many pictures there are to compute, roughly."""
        bars = sum(len(begun.offers) * len(self._places(begun)) for begun in self._begun)
        return MANY * len(self._shared) + bars

    def _tell(self, amount: float) -> None:
        self._done += amount
        self._task.progress(self._done / self._total)

    def _draw(self, place: int) -> None:
        """Compute a picture at its own ε, and over the range."""
        shared = self._shared[place]
        range_, factor = self._range, shared.state.epsilon_scale
        result = compute(shared.state, shared.data, cache=self._cache, task=self._task).results[shared.panel.id]
        if result.result is None:
            raise ComputeError(f"The lesson “{self._lesson.title}” cannot be written: {result.error}")
        shared.result = result
        around = LiveRange(range_.low / factor, range_.high / factor, self._step_at(shared.state))
        results = {shared.panel.id: replace(result, scores=None)}  # bars are measured beside, where a step asks
        live = LivePanelsJob(shared.state, shared.data, results, around).run(self._cache, self._task.beside())
        shared.live = live.panels.get(shared.panel.id)
        shared.why_still = live.left_out.get(shared.panel.id, "")
        if shared.live is not None and live.t != self._t:
            shared.live = _with_own_steps(shared.live, live.t)

    @property
    def _t(self) -> float:
        return float(self._begun[0].start.params.get("t") or 1.0)

    def _live(self) -> LivePanels:
        named = {self._name(place): shared for place, shared in enumerate(self._shared)}
        panels = {name: shared.live for name, shared in named.items() if shared.live is not None}
        left = {name: shared.why_still for name, shared in named.items() if shared.why_still}
        return LivePanels(self._range, self._t, panels, left)

    def _name(self, place: int) -> str:
        return f"picture{place + 1}"

    def _paged_scene(self, scene: _Scene) -> PagedScene:
        results = dict[str, PanelResult]()
        for panel, place in zip(scene.state.shown, scene.shared, strict=True):
            result = self._shared[place].result
            assert result is not None
            results[panel.id] = replace(result, scores=None)
        computed = ComputedPanels(scene.state, scene.opened.data, results)
        return PagedScene(computed, tuple(map(self._name, scene.shared)))

    # Steps --------------------------------------------------------------------------------------------------

    def _step(self, number: int) -> PagedStep:
        begun = self._begun[number]
        scene, place = self._scene(begun.start, begun.opened), self._range.step_of(begun.start.epsilon_scale)
        doing = self._doing(number)
        check = None if doing < 0 else self._begun[doing].step.check
        places, reasons = self._places(begun), self._reasons(begun)
        offers = tuple(
            PagedOffer(offer.words, self._scene(offer.state, begun.opened), self._values(begun, offer, places), why)
            for offer, why in zip(begun.offers, reasons, strict=True)
        )
        return PagedStep(begun.step, scene, place, check, doing, places, offers)

    def _doing(self, number: int) -> int:
        """The *Do* that a step belongs to: a *Why* to the one before it, others to the next; -1 where there is none."""
        kinds = [each.kind for each in self._lesson.steps]
        way: Sequence[int] = range(number, -1, -1) if kinds[number] == "Why" else range(number, len(kinds))
        return next((each for each in way if kinds[each] == "Do"), -1)

    def _places(self, begun: _Begun) -> tuple[int, ...]:
        """The steps of ε at which a step's bar is measured, those of its acts among them."""
        check = begun.step.check
        if check is None or check.bar == "p":
            return ()
        few = MANY if begun.opened.data.n_samples <= FEW else SPARSE
        equal = np.linspace(0, STEPS, VERDICTS if check.bar == "regime" else few).round().astype(int).tolist()
        own = [begun.start, *(state for state, _ in begun.ends)]
        return tuple(sorted({*equal, *map(self._step_at, own)}))

    def _values(self, begun: _Begun, offer: StepOffer, places: Sequence[int]) -> tuple[Value, ...]:
        """A bar at each place; a test's outcome is one, of the ε at which the step begins."""
        check, meter = begun.step.check, self._meter(begun.opened)
        assert check is not None
        if check.bar == "p":
            return (meter.read(check, at_scale(offer.state, begun.start.epsilon_scale), offer.tests)[0],)
        values = list[Value]()
        for place in places:
            values.append(meter.read(check, at_scale(offer.state, self._range.factor_at(place)), ())[0])
            self._tell(1)
        return tuple(values)

    def _meter(self, opened: Opened) -> Meter:
        return self._meters.setdefault(id(opened), Meter(opened, self._task.beside()))

    def _reasons(self, begun: _Begun) -> list[tuple[tuple[int, int], ...]]:
        """For each offer from which place on which wrong act is the nearest."""
        return [self._reasons_of(begun, offer) for offer in begun.offers]

    def _reasons_of(self, begun: _Begun, offer: StepOffer) -> tuple[tuple[int, int], ...]:
        changes = list[tuple[int, int]]()
        for place in np.linspace(0, STEPS, VERDICTS).round().astype(int).tolist():
            reason = self._reason(begun, offer, place)
            if not changes or changes[-1][1] != reason:
                changes.append((place, reason))
        return tuple(changes)

    def _reason(self, begun: _Begun, offer: StepOffer, place: int) -> int:
        for number, wrong in enumerate(begun.step.wrong):
            if offer.tests and offer.tests == tuple(act for act in wrong.acts if act.runs):
                return number
        if offer.tests:
            return -1
        state = at_scale(offer.state, self._range.factor_at(place))
        near = self._range.step_of(begun.start.epsilon_scale)
        if abs(place - near) < STEPS / VERDICTS and offer.is_for(begun.start, ()):
            return -1  # nothing was done
        reason = act_done(begun.step, begun.start, state, begun.opened.data, lambda view, rule: None)
        return next((n for n, wrong in enumerate(begun.step.wrong) if wrong.reason == reason), -1)


def _with_own_steps(panel: LivePanel, t: float) -> LivePanel:
    """The panel with a number of steps that is not that of the page."""
    picture = panel.picture
    if not isinstance(picture, MovingPicture) or picture.t is not None:
        return panel
    return replace(panel, picture=replace(picture, t=t))
