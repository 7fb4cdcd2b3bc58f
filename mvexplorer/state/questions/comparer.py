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
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.scoring import SCORES

AUTOMATIC = 20_000
"""With more samples than this, panels are compared on request only: it may take minutes."""

BEST_BY = ("nmi", "knn", "r2", "resultant", "spearman", "trustworthiness")
"""The scores by which two panels are compared first, where the user chose none: the first there is."""


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
        self._kept: tuple[tuple[str, ...], tuple[str, str]] | None = None
        """The panels on show when the two best were found, and these."""
        self._step = 0
        """The step that was asked for before there was anything to go through."""
        self.watched = False
        """Whether somebody looks at the comparison: only then lines lie between the panels."""
        self._answers.answered.connect(self._go_on)
        self._document.changed.connect(self._forget)

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
        """The panels compared: those the user chose, while both are there; else the two best."""
        chosen = self.choices.pair
        return chosen if self._is_pair(chosen) else self._default_pair()

    @property
    def pair_words(self) -> str:
        """Why these two, where the user did not choose them, and nothing where they are merely the first."""
        if self._is_pair(self.choices.pair):
            return ""
        best, words = self._best_pair()
        return words if best is not None and best == self.pair else ""

    def _is_pair(self, pair: tuple[str, str] | None) -> bool:
        return pair is not None and pair[0] != pair[1] and all(self._document.state.find_panel(id) for id in pair)

    def _default_pair(self) -> tuple[str, str] | None:
        """The two best panels, the same ones until others are shown, so that none jumps away when ε moves a score."""
        shown, comparable = tuple(panel.id for panel in self._document.state.shown), self.comparable
        if self._kept is not None and self._kept[0] == shown and set(self._kept[1]) <= set(comparable):
            return self._kept[1]
        best, _ = self._best_pair()
        if best is not None and all(self._controller.result(id).scores is not None for id in comparable):
            self._kept = shown, best
        return best or ((comparable[0], comparable[1]) if len(comparable) > 1 else None)

    def _best_pair(self) -> tuple[tuple[str, str] | None, str]:
        """The two panels of the highest score, the earlier one first, and why; none where a third is as good."""
        scores = {id: own for id in self.comparable if (own := self._controller.result(id).scores) is not None}
        each = {id: own.each() for id, own in scores.items()}
        score = next((name for name in BEST_BY if sum(name in own for own in each.values()) > 1), None)
        if score is None:
            return None, ""
        values = {id: round(own[score].value, 2) for id, own in each.items() if score in own}  # as in the badges
        first, second, *others = sorted(values, key=lambda id: -values[id])
        if others and values[others[0]] == values[second]:
            return None, ""
        pair = (first, second) if list(values).index(first) < list(values).index(second) else (second, first)
        hidden = next((own.hidden.variable for own in scores.values() if own.hidden is not None), "")
        return pair, f"the two best by {SCORES[score].of(hidden).title}"

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

    def _forget(self, change: Change) -> None:
        if change.data_changed:
            self._kept = None

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
