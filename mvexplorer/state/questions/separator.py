"""Finds what sets the selected samples apart from the others, in the background and on request."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.jobs.cost import cost_of_separation
from mvexplorer.compute.jobs.separation_job import SeparationJob
from mvexplorer.engine.analysis.contrasts import Contrast, years_of
from mvexplorer.engine.analysis.separation import Separation, two_groups
from mvexplorer.engine.core.dates import moments_of
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import FileChangedError
from mvexplorer.state.document.selections import NamedSelection, is_circular
from mvexplorer.state.pictures.answers import Answer, Answers, Question
from mvexplorer.state.pictures.colouring import resolve_colouring
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor


def separation_question(
    data: MultiView, rows: tuple[int, ...], title: str, slot: str, against: NamedSelection | None = None
) -> Question:
    """Ask for the contrasts between the samples `rows` and all others, or those of the selection `against`."""
    second, name = (None, "") if against is None else (against.samples, against.name)
    job = SeparationJob(data, rows, second, name)
    return Question("", (data, rows, second, name), job, title, cost_of_separation(data), slot)


@dataclass(frozen=True, eq=False)
class TwoGroups:
    """The values of one row of a comparison, among the selected samples and among the others.

    Numbers are as given, without those that are missing. Of a class, `first` and `second` are its shares.
    """

    title: str
    first: npt.NDArray[np.float64]
    second: npt.NDArray[np.float64]
    of_class: bool = False


class Separator:
    """Compares the selected samples of a document with the others, or with a named selection."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._document, self._editor = controller.document, editor
        self._answers = Answers(controller, stopped=("The comparison was stopped.", "Select again to restart it."))
        self.changed = self._answers.changed
        self._against: tuple[str, tuple[int, ...]] = "", ()
        """What to compare with, and the samples for which that was chosen: others begin with the rest."""

    @property
    def against(self) -> str:
        """The named selection that the samples are compared with; empty for all others."""
        name, samples = self._against
        return name if name and samples == self._document.state.selection and name in self.possible else ""

    @property
    def possible(self) -> tuple[str, ...]:
        """The named selections that the present one can be compared with: those of other samples."""
        state = self._document.state
        return state.selections.others_than(state.selection)

    def compare_with(self, name: str) -> None:
        """Compare the present selection with a named one, or (empty) with all others."""
        before, self._against = self.against, (name, self._document.state.selection)
        if name != before:
            self.changed.emit("")

    @property
    def others(self) -> str:
        """The group that the selection is compared with, in words."""
        return self.against or "rest"

    @property
    def is_circular(self) -> bool:
        """Whether one of the groups was chosen in a picture, which is made of what is compared."""
        state = self._document.state
        against = state.selections.find(self.against)
        origins = [state.selections.origin_of(tuple(sorted(state.selection)))]
        return any(map(is_circular, origins if against is None else [*origins, against.origin]))

    @property
    def _second(self) -> NamedSelection | None:
        return self._document.state.selections.find(self.against)

    @property
    def _question(self) -> Question | None:
        data, rows, second = self._document.data, self._document.state.selection, self._second
        if data is None or not rows or (second is None and len(rows) == data.n_samples):
            return None
        return separation_question(data, rows, "What sets the selected samples apart", "separation", second)

    @property
    def _answer(self) -> Answer | None:
        question = self._question
        return None if question is None else self._answers.current("", question.basis)

    @property
    def found(self) -> Separation | None:
        """The comparison of the samples that are selected now with the others; None while that is not known."""
        answer = self._answer
        return None if answer is None else answer.value

    def groups_of(self, row: Contrast) -> TwoGroups | None:
        """The values of a row in both groups; None where it has no source, or its numbers cannot be read."""
        data = self._document.data
        if row.value:
            return TwoGroups(row.name, np.array([row.inside]), np.array([row.outside]), of_class=True)
        if row.dated and data is not None:
            return self._dates_of(row, data)
        try:
            coloured = None if data is None or not row.source else resolve_colouring(row.source, data, {})
        except FileChangedError:
            return None
        if data is None or coloured is None or coloured.classes:
            return None
        inside, outside = self._sides(data)
        values = coloured.values.astype(np.float64)
        finite = np.isfinite(values)
        return TwoGroups(row.name, values[inside & finite], values[outside & finite])

    def _dates_of(self, row: Contrast, data: MultiView) -> TwoGroups | None:
        """The dates of both groups, in years."""
        kind, _, name = row.source.partition(":")
        moments = moments_of((data.latent if kind == "latent" else data.columns)[name])
        if moments is None:
            return None
        years = years_of(moments)
        (inside, outside), there = self._sides(data), np.isfinite(years)
        return TwoGroups(f"{row.name}, in years", years[inside & there], years[outside & there])

    def _sides(self, data: MultiView) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """The samples (M,) of both groups."""
        second = self._second
        inside, outside = np.zeros((2, data.n_samples), dtype=bool)
        inside[list(self._document.state.selection)] = True
        outside[:] = ~inside
        if second is not None:
            outside[:] = False
            outside[list(second.samples)] = True
            inside, outside = two_groups(inside, outside)
        return inside, outside

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
        if data is not None and len(rows) == data.n_samples and not self.against:
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
