"""Finds what sets the selected samples apart from the others, in the background and on request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from psygnal import Signal

from mvexplorer.compute.jobs.cost import cost_of_separation
from mvexplorer.compute.jobs.separation_job import SeparationJob
from mvexplorer.errors import ComputeError, MVExplorerError
from mvexplorer.state.pictures.colouring import resolve_colouring

if TYPE_CHECKING:
    from mvexplorer.compute.run.scheduler import Outcome
    from mvexplorer.engine.analysis.contrasts import Contrast
    from mvexplorer.engine.analysis.separation import Separation
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.document.document import Change
    from mvexplorer.state.pictures.controller import Controller
    from mvexplorer.state.pictures.editor import Editor

SLOT = "separation"


@dataclass(frozen=True)
class _Asked:
    """The samples that a question is about, and the answer, or why there is none."""

    data: MultiView
    rows: tuple[int, ...]
    found: Separation | None = None
    error: MVExplorerError | None = None

    def is_about(self, data: MultiView | None, rows: tuple[int, ...]) -> bool:
        """Whether the question is about these samples."""
        return self.data is data and self.rows == rows


class Separator:
    """Compares the selected samples of a document with the others."""

    changed = Signal()
    """The answer has come."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._controller, self._document, self._editor = controller, controller.document, editor
        self._known: _Asked | None = None
        self._pending: _Asked | None = None
        controller.cancelled.connect(self._stopped)
        self._document.changed.connect(self._document_changed)

    @property
    def _now(self) -> _Asked | None:
        data, rows = self._document.data, self._document.state.selection
        return self._known if self._known is not None and self._known.is_about(data, rows) else None

    @property
    def found(self) -> Separation | None:
        """The comparison of the samples that are selected now with the others; None while that is not known."""
        return None if self._now is None else self._now.found

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
        if self._now is None:
            return "Looking for what sets the selected samples apart …"
        error = self._now.error
        return (
            f"{error.message} {error.hint}"
            if error is not None
            else self._now.found.sentence
            if self._now.found
            else ""
        )

    def ask(self) -> None:
        """Compare the selected samples with the others, unless that is known or under way."""
        data, rows = self._document.data, self._document.state.selection
        if data is None or not 0 < len(rows) < data.n_samples or self._now is not None:
            return
        if self._pending is not None and self._pending.is_about(data, rows):
            return
        question = self._pending = _Asked(data, rows)

        def arrived(outcome: Outcome) -> None:
            self._pending = None
            self._known = _Asked(question.data, question.rows, outcome.value, outcome.error)
            self.changed.emit()

        self._controller.background.submit(
            SLOT,
            SeparationJob(data, rows),
            arrived,
            title="What sets the selected samples apart",
            cost=cost_of_separation(data),
        )

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

    def _stopped(self, slot: str) -> None:
        if slot == SLOT and self._pending is not None:
            error = ComputeError("The comparison was stopped.", "Select again to begin it anew.")
            self._known, self._pending = _Asked(self._pending.data, self._pending.rows, None, error), None
            self.changed.emit()

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:  # its job was cancelled
            self._pending = None
        if change.samples_changed:
            self._known = None
