"""Computes the small multiples: the nearest to the present values first, each laid onto its neighbour."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

from psygnal import Signal

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.compute.batch.sweep_path import Swept
from mvexplorer.compute.batch.sweeping import SweepLine
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Result, Scores, scores_as_drawn
from mvexplorer.engine.analysis.stability import FACTORS
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import align
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.batches.batch import BatchRunner
from mvexplorer.state.batches.draft_round import DraftRound, Place
from mvexplorer.state.batches.sweep_batch import SweepBatch
from mvexplorer.state.document.axis import present_value
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.multiples import METHODS, PANELS
from mvexplorer.state.document.multiples_grid import MultiplesGrid, grid_of, subject_of
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import draw, leading_drawn, turned
from mvexplorer.state.pictures.panel_result import Drawing, PanelResult
from mvexplorer.state.pictures.requests import request_of, warmed
from mvexplorer.state.pictures.scoring import (
    STABILITY,
    drawn_by,
    hidden_source,
    hidden_variable,
    metrics_to_score,
    truth,
    views_to_score,
)

SLOT = "multiples"
WORKERS = max(1, min(4, os.cpu_count() or 1))
"""Pictures computed at a time."""
LONG = 120.0
"""Seconds beyond which a grid begins only on request."""
AT_ONCE = 0.02
"""Seconds for which drafts are drawn without a pause: about a frame."""


@dataclass
class _Picture:
    """One picture of the grid."""

    panel: PanelState
    request: Request | None
    found: PanelResult = field(default_factory=PanelResult)
    fresh: Drawing = field(default_factory=Drawing)
    """How it was drawn before it was laid onto its neighbour."""


class SmallMultiples:
    """The pictures of the document's grid, as far as they are computed: at most `workers` at a time.

    Its slots in the scheduler and in the task list have names that begin with `slot`.
    """

    changed = Signal()
    """Another grid, or the computation went on, stopped or ended."""
    arrived = Signal(int, int)
    """A picture came, failed, or was laid otherwise: its row and column."""

    def __init__(self, controller: Controller, workers: int = WORKERS, slot: str = SLOT) -> None:
        self._controller, self._slot = controller, slot
        self._runner = BatchRunner(controller, controller.scheduler, workers)
        self._state = controller.document.state
        self._onto: Sequence[Array | None] = ()
        self.grid: MultiplesGrid | None = None
        self.problem: MVExplorerError | None = None
        """Why there is no grid."""
        self._variable = ""
        """The hidden variable that is scored, as a colouring names it."""
        self.asked: Estimate | None = None
        """The cost of the grid, where it is high and nobody has agreed to it yet."""
        self._pictures: dict[Place, _Picture] = {}
        self._known: dict[Request, Swept | MVExplorerError] = {}
        self._undrawn: list[Place] = []
        """The pictures of which it was not yet looked whether they can be drawn at once, the next one last."""
        self._batch: SweepBatch | None = None
        self._round: DraftRound | None = None
        self._behind = False
        """Whether a drag went on while the drafts of an earlier step of it are made."""
        self._dragged = False
        """Whether drafts stand where exact pictures are due."""
        self.neighbours: tuple[tuple[str, ...], tuple[tuple[str, str], ...]] = (), ()
        """The views by whose neighbours pictures with other ingredients are scored, and their metrics."""
        self._agreed = self._stability = False
        """Whether a long computation was agreed to; whether it is told how far samples move with ε."""
        self._runner.stopped.connect(lambda batch: self.changed.emit())
        controller.document.changed.connect(self._document_changed)

    @property
    def running(self) -> bool:
        """Whether pictures are still to come."""
        return self._batch is not None and self._batch.running

    @property
    def missing(self) -> int:
        """How many different pictures are not computed."""
        return len({p.request for p in self._pictures.values() if p.request and p.request not in self._known})

    @property
    def total(self) -> int:
        """How many different pictures there are."""
        return len({p.request for p in self._pictures.values() if p.request})

    @property
    def drawn(self) -> bool:
        """Whether any picture is there."""
        return any(shown.drawing.points is not None for _, shown in self.each())

    def panel(self, row: int, column: int) -> PanelState | None:
        """A picture as a panel."""
        picture = self._pictures.get((row, column))
        return None if picture is None else picture.panel

    def result(self, row: int, column: int) -> PanelResult:
        """Return the result of a picture, empty while there is none."""
        picture = self._pictures.get((row, column))
        return PanelResult() if picture is None else picture.found

    def each(self, *, drafts: bool = True) -> Iterator[tuple[PanelState, PanelResult]]:
        """All pictures as panels with their results, row by row; without `drafts` these are empty."""
        for _, picture in sorted(self._pictures.items()):
            shown = drafts or picture.found.status != "computing"
            yield picture.panel, picture.found if shown else PanelResult()

    def is_present(self, column: int) -> bool:
        """True if the panel whose ingredients are shown is as this picture is."""
        picture, state = self._pictures.get((0, column)), self._controller.document.state
        if picture is None or picture.request is None or not state.shown:
            return False
        return picture.request == self._controller.result(subject_of(state).id).request

    def flat(self, row: int) -> bool:
        """Whether the values make no difference to a row."""
        requests = [picture.request for (i, _), picture in self._pictures.items() if i == row]
        return len(requests) > 1 and len(set(requests)) == 1

    def refresh(self, *, interactive: bool = False) -> None:
        """Follow the document: compute the pictures that its grid lacks, where it is shown."""
        state = self._controller.document.state
        if not state.multiples.shown or self._controller.document.data is None:
            self._stop_all()
            self.grid, self._undrawn = None, []
        elif interactive and self._round is not None and self._round.running:
            self._behind = True  # nothing is made ready for steps that nobody will see
        else:
            self.ask(state, interactive=interactive)

    def ask(
        self,
        state: DocumentState,
        *,
        agreed: bool = False,
        onto: Sequence[Array | None] = (),
        interactive: bool = False,
    ) -> None:
        """Compute the pictures that the grid of a state lacks.

        With `agreed` it begins however long that takes. Each row is laid onto the picture in `onto`, where it has
        one, in place of its panel. With `interactive` pictures with other ingredients become drafts.
        """
        self._state, self._onto = state, onto
        data = self._controller.document.data
        try:
            grid, self.problem = grid_of(state, data, self._rule_values(state)), None
        except MVExplorerError as error:
            self._stop_all()
            self.grid, self.problem, self._pictures, self._undrawn = None, error, {}, []
            self.changed.emit()
            return
        pictures = {(i, j): self._asked(panel) for i, row in enumerate(grid.panels) for j, panel in enumerate(row)}
        if interactive and self._same_subject(grid):
            self._drag(grid, pictures)
            return
        variable = "" if data is None else hidden_source(state, data)
        self._stability, before = state.multiples.score == STABILITY, self._stability
        former, self.neighbours = self.neighbours, self._neighbours_of(state, grid)
        same = grid == self.grid and self.neighbours == former and not self._dragged
        if same and _requests(pictures) == _requests(self._pictures) and self._stability <= before:
            if variable != self._variable:
                self._variable = variable
                self._take_known()  # those of the former one go
            return
        self._variable = variable
        self._stop_all()
        if self._same_subject(grid):
            self._keep_drawings(pictures)
        self.grid, self._pictures, self._agreed = grid, pictures, agreed
        wanted = set(_requests(pictures).values())
        self._known = {
            request: answer
            for request, answer in self._known.items()
            if request in wanted and (before or not self._stability) and self.neighbours == former
        }
        self._take_known()
        self._undrawn = sorted(self._pictures, key=lambda place: (abs(place[1] - self.centre), place), reverse=True)
        self.draft()
        self.go_on()

    def go_on(self, *, agreed: bool = False) -> None:
        """Compute what is missing; what takes long only once it was agreed to."""
        self._agreed = self._agreed or agreed
        lines = self._lines()
        cost = self._cost()
        large = 0.25  # part of the memory beyond which a grid begins only on request, for the pictures it keeps
        long = cost.seconds > LONG or cost.bytes > large * self._controller.scheduler.memory
        self.asked = cost if lines and long and not self._agreed else None
        if lines and self.asked is None:
            self._batch = SweepBatch(lines, self._came, slot=self._slot, drawn=True)
            self._runner.run(self._batch)
        self.changed.emit()

    def stop(self) -> None:
        """Stop; keep the pictures so far."""
        self._stop_all()
        self.changed.emit()

    def _stop_all(self) -> None:
        self._runner.stop_all()
        self._round, self._behind, self._dragged = None, False, False

    # What to compute ----------------------------------------------------------------------------------------

    def _asked(self, panel: PanelState) -> _Picture:
        try:
            return _Picture(panel, request_of(self._state, self._controller.document.data, panel))
        except MVExplorerError as error:
            return _Picture(panel, None, PanelResult(status="failed", error=error))

    def _cost(self) -> Estimate:
        """The time of the missing pictures, and the memory of all that are kept."""
        each = {p.request for p in self._pictures.values() if p.request is not None}
        memory = self._controller.scheduler.memory
        seconds = sum(request.plan.cost(memory).seconds for request in each - self._known.keys())
        kept = sum(8.0 * r.data.n_samples * int(r.plan.params.get("n_components") or 2) for r in each)
        return Estimate(kept, seconds * (1 + len(FACTORS) if self._stability else 1))

    def _lines(self) -> list[SweepLine]:
        """The missing pictures of each row, with the turns of each; first those that nothing is drawn of."""
        grid, data = self.grid, self._controller.document.data
        if grid is None or data is None:
            return []
        (labels, hidden), begun = truth(self._state, data), set[object]()
        views = views_to_score(self._state, data) if labels is None and hidden is None else ()
        views, metrics = self.neighbours if grid.of_ingredients else (views, ())
        lines = list[SweepLine]()
        for i, columns in self._paths(grid):
            at = [j for j in columns if self._lacks(i, j, begun)]
            requests = tuple(r for j in at if (r := self._pictures[i, j].request) is not None)
            begun |= set(requests)
            if requests:
                drawn = (self._drawn_at_once(self._pictures[i, j]) for j in at)
                turns = tuple(self._turn(i, j) + there * grid.size for j, there in zip(at, drawn, strict=True))
                own = drawn_by(self._pictures[i, at[0]].panel, hidden)
                line = SweepLine(grid.titles[i], requests, hidden=own, turns=turns, views=views)
                lines.append(replace(line, metrics=metrics, stability=self._stability))
        return lines

    def _turn(self, row: int, column: int) -> int:
        """How soon a picture comes: as one reads them, or with its distance from the present values."""
        assert self.grid is not None
        down = self.grid.down
        present = None if down is None else self.present(down)
        if down is None or present is None or not self.grid.rows:
            return abs(column - self.centre)
        nearest = min(self.grid.rows, key=lambda value: abs(value - present))
        return abs(column - self.centre) + abs(row - self.grid.rows.index(nearest))

    def _paths(self, grid: MultiplesGrid) -> list[tuple[int, list[int]]]:
        """Row and columns of the pictures that follow one another: of ingredients those with the same kernels."""
        paths: dict[object, tuple[int, list[int]]] = {}
        for (i, j), picture in sorted(self._pictures.items()):
            kernels = picture.request.kernels if grid.of_ingredients and picture.request is not None else ()
            paths.setdefault((i, kernels), (i, []))[1].append(j)
        return list(paths.values())

    def _rule_values(self, state: DocumentState) -> dict[str, float]:
        """The value of each view's last rule, where it was evaluated."""
        summaries = self._controller.summaries
        rules = {v.name: parse_bandwidth(v.rule).rule_text or "" for v in state.views if v.name in summaries}
        values = {view: summaries[view].rules.get(rule) for view, rule in rules.items()}
        return {view: value for view, value in values.items() if isinstance(value, float)}

    def _neighbours_of(
        self, state: DocumentState, grid: MultiplesGrid
    ) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The views by whose neighbours ingredients are scored, and the metrics of the panel whose they are.

        The Euclidean one of a panel that has no picture because of its metric.
        """
        data = self._controller.document.data
        if data is None or not grid.of_ingredients:
            return (), ()
        views, panel = views_to_score(state, data), subject_of(state)
        failed = self._controller.result(panel.id).error is not None
        return views, () if failed else metrics_to_score(state, panel, data, views)

    def _drawn_at_once(self, picture: _Picture) -> bool:
        request = picture.request
        drawn = 0 if request is None else leading_drawn(picture.panel, request.plan)
        return request is not None and self._controller.prepared.covers(request, drawn)

    def _lacks(self, i: int, j: int, begun: set[object]) -> bool:
        request = self._pictures[i, j].request
        return request is not None and request not in self._known and request not in begun

    @property
    def centre(self) -> int:
        """The column nearest to the document's present value: the others are laid onto it, outwards."""
        assert self.grid is not None
        if self.grid.of_ingredients:
            return 0
        axis, columns = self.grid.across, self.grid.columns
        present = self.present(axis)
        place = axis.place(present) if present is not None and (present > 0.0 or not axis.log) else 0.0
        return min(range(len(columns)), key=lambda j: abs(axis.place(columns[j]) - place)) if columns else 0

    def present(self, axis: Axis) -> float | None:
        """Where the document stands on an axis; None where that is no number."""
        if axis.view is not None:
            return self._controller.effective_epsilon(axis.view)
        value = present_value(self._controller.document.state, axis)
        return float(value) if isinstance(value, int | float) else None

    # What comes ---------------------------------------------------------------------------------------------

    def _came(self, line: SweepLine, place: int, answer: Swept | MVExplorerError) -> None:
        self._known[line.requests[place]] = answer
        self._take_known(line.requests[place])
        self.changed.emit()

    def draft(self) -> bool:
        """Draw a few of those that lie between anchors, until the exact pictures come; tell whether to call again."""
        start = perf_counter()
        while self._undrawn and perf_counter() - start < AT_ONCE:
            place = self._undrawn.pop()
            picture = self._pictures[place]
            request = picture.request
            if request is None or request in self._known or picture.found.result is not None:
                continue
            answer = self._controller.prepared.answer(request, leading_drawn(picture.panel, request.plan))
            if answer is not None:
                picture.found = PanelResult("computing", request, answer)
                draw(picture.panel, picture.found, how="none")
                picture.fresh = picture.found.drawing
                self._lay_from(*place)
        return bool(self._undrawn)

    def _take_known(self, only: Request | None = None) -> None:
        """Draw the pictures that were computed, by default all."""
        for place, picture in sorted(self._pictures.items()):
            answer = self._known.get(picture.request) if picture.request is not None else None
            if answer is not None and (only is None or only == picture.request):
                self._draw(picture, answer)
                self._lay_from(*place)

    def _draw(self, picture: _Picture, answer: Swept | MVExplorerError) -> None:
        if isinstance(answer, MVExplorerError):
            picture.found = PanelResult("failed", picture.request, error=answer)
            return
        picture.found = PanelResult("ready", picture.request, answer.result, scores=self._scores_of(picture, answer))
        draw(picture.panel, picture.found, how="none")
        picture.fresh = picture.found.drawing

    def _scores_of(self, picture: _Picture, answer: Swept) -> Scores:
        """The scores of an answer: of a hidden variable only while it is scored, and on the axes of this picture."""
        scored, data = answer.scores.hidden, self._controller.document.data
        hidden = (
            None if data is None else drawn_by(picture.panel, hidden_variable(self._controller.document.state, data))
        )
        if scored is None or answer.result is None:
            return answer.scores
        if hidden is None or scored.variable != hidden.name:
            return replace(answer.scores, hidden=None)
        if scored.drawn == (hidden.show, hidden.axes):
            return answer.scores
        return replace(answer.scores, hidden=scores_as_drawn(scored, answer.result.embedding, hidden))

    def _lay_from(self, row: int, column: int) -> None:
        """Lay a picture onto its neighbour towards the present value, and those beyond onto it."""
        assert self.grid is not None
        centre = self.centre
        rows = range(row, len(self.grid.panels)) if column == centre else (row,)
        for i in rows:
            beyond = range(column, len(self.grid.columns)) if column >= centre else range(column, -1, -1)
            self._lay(i, beyond, -1 if column >= centre else 1)
            if column == centre:
                self._lay(i, range(centre - 1, -1, -1), 1)

    def _lay(self, row: int, columns: range, inwards: int) -> None:
        for column in columns:
            picture = self._pictures[row, column]
            onto = self._neighbour(row, column, inwards)
            fresh = picture.fresh
            if fresh.points is not None:
                if onto is not None and onto.shape == fresh.points.shape:
                    fresh = turned(fresh, align(fresh.points, onto))
                picture.found.draw(fresh)
            self.arrived.emit(row, column)

    def _neighbour(self, row: int, column: int, inwards: int) -> Array | None:
        """Return the drawing onto which a picture is laid: the next one inwards, at the present value the panel's.

        That of the row above where there is no such panel.
        """
        centre = self.centre
        between = range(column + inwards, centre + inwards, inwards) if column != centre else ()
        places, panel = [(row, j) for j in between], self._onto_panel(row)
        places += [] if panel is not None else [(i, centre) for i in range(row - 1, -1, -1)]
        drawings = [self._pictures[place].found.drawing.points for place in places] + [panel]
        return next((drawn for drawn in drawings if drawn is not None), None)

    def _onto_panel(self, row: int) -> Array | None:
        """Return what the panel of a row draws now, so that its pictures are turned as that is; None without one."""
        if row < len(self._onto):
            return self._onto[row]
        state, picture = self._state, self._pictures[row, self.centre]
        if state.multiples.rows == PANELS:
            panels = state.shown[row : row + 1]
        elif state.multiples.rows == METHODS:
            own = picture.panel.method, picture.panel.view
            panels = tuple(panel for panel in state.shown if (panel.method, panel.view) == own)
        else:  # values of one panel: the rows below lie on the first one
            panels = (subject_of(state),) if row == 0 else ()
        fresh = picture.fresh.points
        each = (self._controller.result(panel.id).drawing.points for panel in panels)
        return next((Y for Y in each if Y is not None and (fresh is None or Y.shape == fresh.shape)), None)

    # Drags --------------------------------------------------------------------------------------------------

    def _same_subject(self, grid: MultiplesGrid) -> bool:
        """True if the pictures on show are the same panel with the same ingredients, at other values."""
        if self.grid is None or not grid.of_ingredients or grid.captions != self.grid.captions:
            return False
        one, other = grid.panels[0][0], self.grid.panels[0][0]
        return updated(one, {"pins": {}, "epsilon_scale": 1.0}) == updated(other, {"pins": {}, "epsilon_scale": 1.0})

    def _keep_drawings(self, pictures: dict[Place, _Picture]) -> None:
        """Show what is drawn until the pictures that replace it come."""
        for place, picture in pictures.items():
            before = self._pictures[place].found
            if picture.request is not None and before.result is not None:
                drawn = before.drawing
                picture.found = PanelResult("computing", picture.request, before.result, drawing=drawn)
                picture.fresh = drawn

    def _drag(self, grid: MultiplesGrid, pictures: dict[Place, _Picture]) -> None:
        """Draft the pictures at a step of a drag."""
        self._stop_all()
        former = self._pictures
        moved = {place: p.request for place, p in pictures.items() if p.request and p.request != former[place].request}
        if not moved:
            return
        self._keep_drawings({place: pictures[place] for place in moved})
        self.grid, self._dragged = grid, True
        self._pictures = {place: p if place in moved else former[place] for place, p in pictures.items()}
        answers = {place: former[place].found.result for place in moved}
        requests = {p: warmed(r, [a] if (a := answers[p]) else [], interactive=True) for p, r in moved.items()}
        self._round = DraftRound(requests, self._drafted, slot=self._slot)
        self._runner.run(self._round)
        self.changed.emit()

    def _drafted(self, place: Place, answer: Result | MVExplorerError) -> None:
        picture = self._pictures[place]
        if isinstance(answer, Result):
            picture.found = PanelResult("computing", picture.request, answer, drawing=picture.found.drawing)
            draw(picture.panel, picture.found, how="similarity")
            picture.fresh = picture.found.drawing
            self.arrived.emit(*place)
        if self._behind and self._round is not None and not self._round.running:
            self.refresh(interactive=True)

    # Following ----------------------------------------------------------------------------------------------

    def _document_changed(self, change: Change) -> None:
        if not change.data_changed:
            return
        self._stop_all()
        if change.kept_in is not None:
            change.kept_in[self] = self._known, self.neighbours, self._stability
        self.grid, self._pictures, self._known, self._undrawn = None, {}, {}, []
        if change.brought is not None and self in change.brought:
            self._known, self.neighbours, self._stability = change.brought[self]
        self.changed.emit()


def _requests(pictures: dict[Place, _Picture]) -> dict[Place, Request | None]:
    return {place: picture.request for place, picture in pictures.items()}
