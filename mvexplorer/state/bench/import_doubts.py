"""The doubts of the import report about the present data, until the user has answered them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from psygnal import Signal

from mvexplorer.engine.core.notices import Notice
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.inspection import DOUBTS
from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.document.model import DocumentState

Reading: TypeAlias = "tuple[tuple[str, ...], ReadOptions]"


class ImportDoubts:
    """Kept by how the files are read: undo leads back to the doubts of a former reading.

    Reading the files otherwise answers a doubt, and so does closing its message.
    """

    accepted = Signal()
    """One was answered, and not by another reading."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._of: dict[Reading, tuple[Notice, ...]] = {}
        self._accepted: set[Notice] = set()
        document.changed.connect(self._follow)

    @property
    def unanswered(self) -> tuple[Notice, ...]:
        """Those about the present data."""
        doubts = self._of.get(reading_of(self._document.state), ())
        return tuple(doubt for doubt in doubts if doubt not in self._accepted)

    def put(self, state: DocumentState, notes: Sequence[Notice]) -> None:
        """Keep those among the notes about data that is about to be shown."""
        self._of[reading_of(state)] = tuple(note for note in notes if note.code in DOUBTS)

    def accept(self, text: str) -> None:
        """Take the doubts in a text for answered: the user has read and closed it."""
        self._accepted.update(doubt for doubt in self.unanswered if doubt in text)
        self.accepted.emit()

    def _follow(self, change: Change) -> None:
        before, after = reading_of(change.before), reading_of(change.after)
        if before[0] == after[0] and after not in self._of:  # an edit such as the choice of a label
            self._of[after] = self._of.get(before, ())


def reading_of(state: DocumentState) -> Reading:
    """The data's source and the options it was read with."""
    return state.source, state.reading
