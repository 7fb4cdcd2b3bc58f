"""Finds what sets the selected samples apart from the others, in the background and on request."""

from __future__ import annotations

import numpy as np

from mvexplorer.compute.jobs.cost import cost_of_separation
from mvexplorer.compute.jobs.separation_job import SeparationJob
from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import Separation
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.pictures.answers import Answer, Answers, Question
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor


def separation_question(data: MultiView, rows: tuple[int, ...], title: str, slot: str) -> Question:
    """Ask for the contrasts between the samples `rows` and all others."""
    return Question("", (data, rows), SeparationJob(data, rows), title, cost_of_separation(data), slot)


class Separator:
    """Compares the selected samples of a document with the others."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._document, self._editor = controller.document, editor
        self._answers = Answers(controller, stopped=("The comparison was stopped.", "Select again to restart it."))
        self.changed = self._answers.changed

    @property
    def _question(self) -> Question | None:
        data, rows = self._document.data, self._document.state.selection
        if data is None or not 0 < len(rows) < data.n_samples:
            return None
        return separation_question(data, rows, "What sets the selected samples apart", "separation")

    @property
    def _answer(self) -> Answer | None:
        question = self._question
        return None if question is None else self._answers.current("", question.basis)

    @property
    def found(self) -> Separation | None:
        """The comparison of the samples that are selected now with the others; None while that is not known."""
        answer = self._answer
        return None if answer is None else answer.value

    @property
    def selected(self) -> bool:
        """Whether any sample is selected."""
        return bool(self._document.state.selection)

    @property
    def words(self) -> str:
        """The answer in a sentence, or what is in its way."""
        data, rows = self._document.data, self._document.state.selection
        if not rows:
            return "Select samples: here stands what sets them apart from the others."
        if data is not None and len(rows) == data.n_samples:
            return "All samples are selected, and there are no others to compare with."
        answer = self._answer
        if answer is None:
            return "Looking for what sets the selected samples apart …"
        return answer.value.sentence if answer.error is None else f"{answer.error.message} {answer.error.hint}"

    def ask(self) -> None:
        """Compare the selected samples with the others, unless that is known or under way."""
        if (question := self._question) is not None:
            self._answers.ask(question)

    def follow(self, row: Contrast) -> None:
        """Show what a row is about: select the samples of its class, or colour by its numbers."""
        data = self._document.data
        coloured = None if data is None or not row.source else resolve_colouring(row.source, data, {})
        if coloured is None:
            return
        if row.kind == "class" and row.value in coloured.classes:
            members = np.flatnonzero(coloured.values == coloured.classes.index(row.value))
            self._editor.select(members.tolist(), origin=row.name)
        else:
            self._editor.colour_by(row.source)
