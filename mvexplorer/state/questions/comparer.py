"""The answers of the page “Agreement”: how far all panels agree, and where two of them do not.

Lives on the document's thread and needs no Qt. Jobs begin when they are asked for, once all panels are at rest.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_neighbours
from mvexplorer.compute.jobs.pair_jobs import AgreementJob
from mvexplorer.engine.analysis.agreement import Agreement
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import Aligned, lay_onto
from mvexplorer.errors import DataError
from mvexplorer.state.colourings.deriving import Ground, settled
from mvexplorer.state.document.comparison import Comparison
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor

AUTOMATIC = 20_000
"""With more samples than this, panels are compared on request only: it may take minutes."""


class Comparer:
    """Compares the panels of a document."""

    stepped = Signal(int)
    """The user went to this sample: it is to be looked at."""
    watched_changed = Signal()
    """Somebody looks at the comparison, or no longer."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._controller, self._document, self._editor = controller, controller.document, editor
        self._answers = Answers(
            controller, stopped=("The comparison was stopped.", "It begins again when a panel changes.")
        )
        self.changed = self._answers.changed
        self._step = 0
        """The step that was asked for before there was anything to go through."""
        self.watched = False
        """Whether somebody looks at the comparison: only then lines lie between the panels."""
        self._answers.answered.connect(self._go_on)

    # What is compared ---------------------------------------------------------------------------------------

    @property
    def choices(self) -> Comparison:
        """The document's choices."""
        return self._document.state.comparison

    @property
    def titles(self) -> dict[str, str]:
        """The titles of the panels by their ids."""
        return panel_titles(self._document.state)

    @property
    def comparable(self) -> tuple[str, ...]:
        """The panels that show a picture of the present samples."""
        ground = self._ground
        if ground is None:
            return ()
        return tuple(panel.id for panel in ground.state.shown if ground.shown(panel.id) is not None)

    @property
    def pair(self) -> tuple[str, str] | None:
        """The panels compared: those chosen, while both are there; else the first two with a picture."""
        chosen, state = self.choices.pair, self._document.state
        if chosen is not None and chosen[0] != chosen[1] and all(state.find_panel(id) for id in chosen):
            return chosen
        first, second = (*self.comparable[:2], None, None)[:2]
        return None if first is None or second is None else (first, second)

    @property
    def _ground(self) -> Ground | None:
        data = self._document.data
        return None if data is None else Ground(self._document.state, data, self._controller.result)

    @property
    def n_neighbours(self) -> int:
        """k, or as many others as a sample has."""
        data = self._document.data
        return min(self.choices.k, max(1, 1 if data is None else data.n_samples - 1))

    # What is known ------------------------------------------------------------------------------------------

    @property
    def agreement(self) -> Agreement | None:
        """How far the panels agree, names being their ids; while that is computed anew, the former answer."""
        answer, data = self._answers.of(""), self._document.data
        agreement: Agreement | None = None if answer is None else answer.value
        present = agreement is not None and data is not None and agreement.n_samples == data.n_samples
        return agreement if present else None

    @property
    def stale(self) -> bool:
        """Whether the answer is about former pictures."""
        return self._answers.freshness("", self._basis()) == "stale"

    @property
    def problem(self) -> str:
        """Why there is nothing to show, as a sentence; empty where there is, or will be."""
        if self._document.data is None or not self._document.state.panels:
            return "Nothing is compared: open data, and two panels."
        answer = self._answers.current("", self._basis())
        if answer is not None and answer.error is not None:
            return f"{answer.error.message} {answer.error.hint}"
        if len(self.comparable) < 2 and self._at_rest():
            return "Two pictures are needed to compare them: add a panel, or fix the one that failed."
        return ""

    @property
    def waits(self) -> bool:
        """Whether there are so many samples that the comparison waits until the user asks for it."""
        data = self._document.data
        many = data is not None and data.n_samples > AUTOMATIC
        return many and not self._answers.waits("") and self._answers.freshness("", self._basis()) != "current"

    @property
    def values(self) -> Array | None:
        """The disagreement (M,) of the pair at each sample."""
        agreement, pair = self.agreement, self.pair
        if agreement is None or pair is None or not set(pair) <= set(agreement.names):
            return None
        values = agreement.disagreement(*pair)
        return values if np.isfinite(values).any() else None

    @property
    def colour_source(self) -> str:
        """The pair's disagreement as a colouring; empty without a pair."""
        return "" if self.pair is None else "disagreement:{}:{}".format(*self.pair)

    def laid(self) -> Aligned:
        """The first of the pair's pictures laid onto the second, as both are drawn.

        DataError where a picture is missing, or too few samples are selected to align by.
        """
        pair, state = self.pair, self._document.state
        drawn = [self._controller.result(id).drawing.points for id in pair or ()]
        if len(drawn) < 2 or drawn[0] is None or drawn[1] is None or len(drawn[0]) != len(drawn[1]):
            raise DataError("One of the two pictures is missing.", "Wait for it, or choose two others.")
        if self.choices.alignment == "selected":
            return lay_onto(drawn[0], drawn[1], "similarity", np.array(state.selection, dtype=np.intp))
        return lay_onto(drawn[0], drawn[1], self.choices.alignment)

    # Commands -----------------------------------------------------------------------------------------------

    def ask(self, *, anyway: bool = False) -> None:
        """Compare the panels, if they are at rest and have changed; many samples only `anyway`."""
        ground = self._ground
        if ground is None or len(self.comparable) < 2 or not self._at_rest():
            return
        if ground.data.n_samples <= AUTOMATIC or anyway:
            self._answers.ask(agreement_question(ground, self.n_neighbours))

    def _go_on(self) -> None:
        """The answer has come: take the step that was asked for before."""
        step, self._step = self._step, 0
        if step:
            self.step(step)

    def watch(self, watched: bool) -> None:
        """Somebody looks at the comparison, or no longer does."""
        if watched != self.watched:
            self.watched = watched
            self.watched_changed.emit()

    def step(self, by: int) -> None:
        """Go to the sample that comes next (1) or before (-1) in the order of disagreement, after the one selected."""
        values, selection = self.values, self._document.state.selection
        if values is None:
            self._step = by
            self.ask(anyway=True)
            return
        order = most_changed(values)
        here = np.flatnonzero(order == selection[0]) if len(selection) == 1 else np.array([], dtype=np.intp)
        place = min(max(0, int(here[0]) + by if len(here) else 0), len(order) - 1)
        index = int(order[place])
        first, second = (self.titles[id] for id in self.pair or ())
        self._editor.select((index,), origin=f"number {place + 1} of what changes between {first} and {second}")
        self.stepped.emit(index)

    def between(self, low: float, high: float) -> npt.NDArray[np.intp]:
        """The samples whose disagreement lies within two values, both included."""
        values = self.values
        if values is None:
            return np.array([], dtype=np.intp)
        rounding = 1e-9  # of a share of neighbours
        return np.flatnonzero((values >= low - rounding) & (values <= high + rounding))

    def brushed(self) -> tuple[float, float] | None:
        """The least and largest disagreement of the selected samples, where these are all between the two."""
        values, selection = self.values, self._document.state.selection
        if values is None or not selection or selection[-1] >= len(values):
            return None
        chosen = values[list(selection)]
        if not np.isfinite(chosen).all():
            return None
        low, high = float(chosen.min()), float(chosen.max())
        return (low, high) if len(self.between(low, high)) == len(selection) else None

    def joined(self, most: int) -> npt.NDArray[np.intp]:
        """The selected samples that lines join: of many those that the two pictures disagree about most."""
        rows = np.array(self._document.state.selection, dtype=np.intp)
        values = self.values
        if not (self.watched and self.choices.lines) or values is None or (len(rows) and rows[-1] >= len(values)):
            return rows[:0]
        order = np.argsort(-np.nan_to_num(values[rows], nan=-1.0), kind="stable")
        chosen: npt.NDArray[np.intp] = np.sort(rows[order[:most]])
        return chosen

    # Following the document -----------------------------------------------------------------------------------

    def _basis(self) -> tuple[object, ...]:
        return () if self._ground is None else _basis(self._ground, self.n_neighbours)

    def _at_rest(self) -> bool:
        return all(settled(self._controller.result(panel.id)) for panel in self._document.state.shown)


def agreement_question(ground: Ground, k: int) -> Question:
    """How far the panels' pictures agree about the `k` nearest of each sample."""
    shown = {panel.id: ground.shown(panel.id) for panel in ground.state.shown}
    pictures = {id: None if r is None else r.embedding.coordinates for id, r in shown.items()}
    widths = sum(Y.shape[1] for Y in pictures.values() if Y is not None)
    cost = cost_of_neighbours(ground.data.n_samples, widths, k * len(pictures))
    return Question("", _basis(ground, k), AgreementJob(pictures, k), "Agreement of the panels", cost, "agreement")


def _basis(ground: Ground, k: int) -> tuple[object, ...]:
    ids = tuple(panel.id for panel in ground.state.shown)
    return ids, k, *(ground.shown(id) for id in ids)


def most_changed(values: Array) -> npt.NDArray[np.intp]:
    """The samples from the largest disagreement (M,) to the least, those without one left out."""
    finite = np.flatnonzero(np.isfinite(values))
    order: npt.NDArray[np.intp] = finite[np.argsort(-values[finite], kind="stable")]
    return order
