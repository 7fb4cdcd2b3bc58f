"""Where the user stands among the snapshots, and the ways from there: to keep a state, to go to one, to step on."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal

from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.document.snapshots import Staging
from mvexplorer.state.pictures.editor import Editor


class SnapshotWalk:
    """Remembers the snapshot that was kept or gone to last, as a talk goes on from there whatever was edited since."""

    changed = Signal()
    """The user stands at another one, or there are others."""
    wanted = Signal(str)
    """A snapshot is to be shown: its name."""

    def __init__(self, document: Document, editor: Editor) -> None:
        self._document, self._editor = document, editor
        self.at = ""
        """The name of the snapshot the user stands at; nothing before the first one."""
        self.staging: Callable[[], Staging] = Staging
        """Returns how the window shows the present state."""
        document.changed.connect(self._follow)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the snapshots, in their order."""
        return self._document.state.snapshots.names

    @property
    def place(self) -> int:
        """The place in the order at which the user stands, -1 before the first snapshot."""
        return self.names.index(self.at) if self.at in self.names else -1

    def keep(self) -> None:
        """Keep the present state as the last snapshot, under the first free name."""
        if self._editor.keep_snapshot(staging=self.staging()):
            self._stand_at(self.names[-1])

    def retake(self, name: str) -> None:
        """Put the present state into a snapshot."""
        if self._editor.retake_snapshot(name, self.staging()):
            self._stand_at(name)

    def go(self, name: str) -> None:
        """Go to a snapshot. One that cannot be shown is stood at as well: the next step leads past it."""
        self._stand_at(name)
        self.wanted.emit(name)

    def go_to_place(self, place: int) -> None:
        """Go to the snapshot at a place in the order, if there is one."""
        if 0 <= place < len(self.names):
            self.go(self.names[place])

    def step(self, by: int) -> None:
        """Go to the next snapshot or the one before; past either end, nothing happens."""
        self.go_to_place(self.place + by if self.place >= 0 else 0)

    def _stand_at(self, name: str) -> None:
        self.at = name
        self.changed.emit()

    def _follow(self, change: Change) -> None:
        """Stay at a snapshot that was given another name, and leave one that is gone."""
        before, after = change.before.snapshots.names, change.after.snapshots.names
        if before == after:
            return
        if self.at in before and self.at not in after:
            self.at = after[before.index(self.at)] if len(after) == len(before) else ""
        self.changed.emit()
