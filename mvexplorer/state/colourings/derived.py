"""Colourings that a background job computes from the panels' results, and anew when these change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from psygnal import Signal

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.cost import NOTHING
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import FileChangedError, MVExplorerError
from mvexplorer.state.colourings.cluster_colouring import CLUSTERS
from mvexplorer.state.colourings.deriving import ColouringRequest, Ground, Kind, settled
from mvexplorer.state.colourings.difference_colouring import DIFFERENCE
from mvexplorer.state.colourings.distance_colouring import DISTANCE
from mvexplorer.state.colourings.pair_colouring import DISAGREEMENT
from mvexplorer.state.colourings.spread_colouring import SPREAD
from mvexplorer.state.colourings.walk_colouring import WALKS
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.answers import Answer, Answers, Question, same
from mvexplorer.state.pictures.colouring import (
    Colouring,
    SourceGroup,
    as_in_whole,
    colour_by_selections,
    resolve_colouring,
)
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.panel_result import PanelResult

KINDS: dict[str, Kind] = {
    "disagreement": DISAGREEMENT,
    "clusters": CLUSTERS,
    "distance": DISTANCE,
    "spread": SPREAD,
    "walks": WALKS,
    "difference": DIFFERENCE,
}
"""The kinds of derived colourings, by what their sources begin with. A new one is one row here."""
SELECTIONS = "selections"
"""The source of the colouring by named selections, which needs no job."""
KEPT = 24
"""Colourings that are kept at once."""


def find_kind(source: str) -> tuple[Kind | None, str]:
    """The kind of a source, None where its values need no job; and the rest of the source."""
    name, _, rest = source.partition(":")
    return KINDS.get(name), rest


def derived_groups(ground: Ground) -> tuple[SourceGroup, ...]:
    """The derived colourings to choose from, source -> title, by kind."""
    groups = [SourceGroup("Selections", {SELECTIONS: "selections"})] if ground.state.selections.named else []
    for name, kind in KINDS.items():
        rests = kind.offered(ground)
        if rests:
            titles = {f"{name}:{rest}": kind.title(ground.state, ground.data, rest) for rest in rests}
            groups.append(SourceGroup(kind.group, titles))
    return tuple(groups)


def coloured_now(state: DocumentState, data: MultiView, result_of: Callable[[str], PanelResult]) -> Colouring | None:
    """The colouring of a state whose panels are computed, derived or not, at once: for work without a window."""
    kind, rest = find_kind(state.colour)
    ground = Ground(state, data, result_of)
    if state.colour == SELECTIONS:
        return colour_by_selections(state.selections, data.n_samples)
    if kind is None:
        results = {panel.id: ground.shown(panel.id) for panel in state.panels}
        coordinates = {id: r.embedding.coordinates for id, r in results.items() if r is not None}
        return as_in_whole(resolve_colouring(state.colour, data, coordinates), state.whole_classes)
    question = kind.ask(ground, rest)
    return (
        None
        if question is None
        else _named(question.colouring(question.job.run(StageCache(), Task())), kind.title(state, data, rest))
    )


def coloured_or_why(
    state: DocumentState, data: MultiView, result_of: Callable[[str], PanelResult]
) -> tuple[Colouring | None, MVExplorerError | None]:
    """As `coloured_now`, or the reason why the colouring cannot be computed and the points are grey."""
    try:
        return coloured_now(state, data, result_of), None
    except MVExplorerError as problem:
        return None, problem


@dataclass(frozen=True, eq=False)
class AtHand:
    """A derived colouring that is there: its source, its title, what it comes from, and how it is made."""

    source: str
    title: str
    basis: tuple[Any, ...]
    make: Callable[[], Colouring]


class Derived:
    """Derived colourings by their source, computed by a job once the panels they come from are at rest."""

    changed = Signal(str)
    """The colouring of this source has come, or may be out of date: whoever shows it asks for it again."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._document = controller, controller.document
        self._answers = Answers(
            controller, controller.scheduler,  # not in the background, behind scores and rules: the user waits for it
            stopped=("It was stopped.", "It is computed again when a panel changes."), most=KEPT,
        )  # fmt: skip
        self._answers.changed.connect(self.changed.emit)
        self._shown: Answer | None = None
        """The colouring without a job that was asked for last."""
        self._wanted: dict[str, None] = {}
        """The sources that were asked for last, also those that had nothing to come from."""
        controller.panel_changed.connect(self._panel_changed)
        self._document.changed.connect(self._document_changed)

    @property
    def ground(self) -> Ground | None:
        """The ground that colourings are derived from now; None without data."""
        data = self._document.data
        return None if data is None else Ground(self._document.state, data, self._controller.result)

    def colouring(self, source: str) -> Colouring | None:
        """The colouring of a source; while it is computed the former one, or None."""
        kind, rest = find_kind(source)
        ground = self.ground
        if kind is None or ground is None:
            return None
        self._wanted.pop(source, None)
        self._wanted = dict.fromkeys([*self._wanted, source][-KEPT:])
        question = kind.ask(ground, rest)
        if question is None:
            self._answers.forget(source)
            return None
        if self._at_rest(question.panels):
            self._answers.ask(self._question(source, question))
        answer = self._answers.of(source)
        if answer is None or answer.value is None or len(answer.value.values) != ground.data.n_samples:
            return None
        return _named(answer.value, kind.title(ground.state, ground.data, rest))

    def let_go(self, source: str) -> None:
        """Forget a colouring that was only looked at: none on show, or whose classes were saved as selections."""
        kind, rest = find_kind(source)
        state, data = self._document.state, self._document.data
        if kind is None or source == state.colour:
            return
        title = kind.title(state, data, rest)
        if all(each.origin != title for each in state.selections.named):
            self._wanted.pop(source, None)
            self._answers.forget(source)
            self.changed.emit(source)

    def at_hand(self) -> list[Callable[[], Colouring]]:
        """Functions that make the derived colourings that are there, but for the one on show."""
        return [each.make for each in self.made_at_hand() if each.source != self._document.state.colour]

    def made_at_hand(self) -> list[AtHand]:
        """The derived colourings that are there, or come from what is there at no cost."""
        ground = self.ground
        if ground is None:
            return []
        offered = [f"{name}:{rest}" for name, kind in KINDS.items() for rest in kind.offered(ground)]
        each = (self._at_hand(source, ground) for source in dict.fromkeys([*self._wanted, *offered]))
        return [at_hand for at_hand in each if at_hand is not None]

    def _at_hand(self, source: str, ground: Ground) -> AtHand | None:
        kind, rest = find_kind(source)
        request = None if kind is None else kind.ask(ground, rest)
        if kind is None or request is None or not self._at_rest(request.panels):
            return None
        title, basis = kind.title(ground.state, ground.data, rest), self._basis(request)
        answer = self._answers.current(source, basis)
        if answer is not None:
            make = partial(_named, answer.value, title)
            return None if answer.value is None else AtHand(source, title, basis, make)
        if request.cost is not NOTHING:
            return None
        job, colouring = request.job, request.colouring
        return AtHand(source, title, basis, lambda: _named(colouring(job.run(StageCache(), Task())), title))

    def problem(self, source: str) -> MVExplorerError | None:
        """Why a source could not be computed from what the panels show now."""
        answer = self._answers.of(source)
        return None if answer is None else answer.error

    def resolve(self, source: str) -> Colouring | None:
        """The colouring of any source, derived or not."""
        data = self._document.data
        if data is not None and source == SELECTIONS:
            return colour_by_selections(self._document.state.selections, data.n_samples)
        if data is None or find_kind(source)[0] is not None:
            return self.colouring(source)
        return self._plain(source, data)

    def _plain(self, source: str, data: MultiView) -> Colouring | None:
        """The colouring of a source that needs no job: the same one until the numbers it shows change."""
        coordinates, whole = self._controller.coordinates(), self._document.state.whole_classes
        kind, _, rest = source.partition(":")
        shown = coordinates.get(rest.rpartition(":")[0]) if kind == "coordinate" else None
        basis = source, data, tuple(whole.items()), shown
        if self._shown is None or not same(self._shown.basis, basis):
            try:
                self._shown = Answer(basis, as_in_whole(resolve_colouring(source, data, coordinates), whole))
            except FileChangedError as error:  # a feature's numbers are read here
                self._shown = Answer(basis, None, error)
                self._controller.failed.emit(error)
        colouring: Colouring | None = self._shown.value
        return colouring

    def _basis(self, question: ColouringRequest) -> tuple[Any, ...]:
        return *(self._controller.result(panel).result for panel in question.panels), *question.settings

    def _at_rest(self, panels: tuple[str, ...]) -> bool:
        return all(settled(self._controller.result(panel)) for panel in panels)

    def _question(self, source: str, request: ColouringRequest) -> Question:
        words = source_words(source, self._document.state, self._document.data)
        return Question(
            source, self._basis(request), request.job, f"{words[:1].upper()}{words[1:]}", request.cost,
            request.slot or f"derived:{source}", request.colouring,
        )  # fmt: skip

    def _panel_changed(self, panel: str) -> None:
        self._announce()

    def _announce(self) -> None:
        """Announce the sources that can be computed, but were computed from something else."""
        ground = self.ground
        for source in [*self._wanted]:
            kind, rest = find_kind(source)
            question = None if kind is None or ground is None else kind.ask(ground, rest)
            if question is None:
                if self._answers.of(source) is not None:
                    self.changed.emit(source)
            elif self._at_rest(question.panels) and self._lacks(source, question):
                self.changed.emit(source)

    def _lacks(self, source: str, question: ColouringRequest) -> bool:
        return self._answers.freshness(source, self._basis(question)) != "current"

    def _document_changed(self, change: Change) -> None:
        if change.samples_changed:
            self._wanted.clear()
        elif not change.interactive:
            self._announce()


def _named(colouring: Colouring, title: str) -> Colouring:
    """The colouring under the title that its panels have now."""
    return colouring if colouring.title == title else replace(colouring, title=title)
