"""Where the user stands among the snapshots, and the ways from there: to keep a state, to go to one, to step on."""

from __future__ import annotations

from collections.abc import Callable

from psygnal import Signal

from mvexplorer.errors import ParameterError
from mvexplorer.state.document.document import Change, Document
from mvexplorer.state.document.snapshots import Staging
from mvexplorer.state.pictures.editor import Editor


class SnapshotWalk:
    """Remembers the snapshot that was kept or gone to last, as a talk goes on from there whatever was edited since."""

    changed = Signal()
    """The user stands at another one, or there are others."""
    wanted = Signal(str)
    """A snapshot is to be shown: its name."""
    comparison_wanted = Signal(str, tuple)
    """Two snapshots are to be compared: how ("wipe" or "morph"), and their names."""

    def __init__(self, document: Document, editor: Editor) -> None:
        self._document, self._editor = document, editor
        self.at = ""
        """The name of the snapshot the user stands at; nothing before the first one."""
        self.before = ""
        """The one where the user stood before."""
        self.marks: dict[str, str] = {}
        """The snapshots marked A and B."""
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

    # Two of them ----------------------------------------------------------------------------------------------

    def mark(self, letter: str, name: str) -> None:
        """Mark a snapshot as A or B, in place of the one that was; where it is that already, take the mark back."""
        others = {each: marked for each, marked in self.marks.items() if each != letter and marked != name}
        self.marks = others if self.marks.get(letter) == name else others | {letter: name}
        self.changed.emit()

    def mark_next(self, name: str) -> None:
        """Mark a snapshot with the letter that is free, or take its mark back; the two marked last are A and B."""
        letter = next((each for each, marked in self.marks.items() if marked == name), "")
        if not letter and len(self.marks) == 2:
            self.marks = {"A": self.marks["B"]}
        self.mark(letter or ("B" if "A" in self.marks else "A"), name)

    @property
    def pair(self) -> tuple[str, str] | None:
        """The two to be compared: those marked, else the one where the user stands, and the one before."""
        a, b = self.marks.get("A", ""), self.marks.get("B") or self._present
        if a == b:  # one stands at the only one that is marked
            return self._before(self.before if self.before in self.names else b, a)
        return self._before(b, a)

    @property
    def last_two(self) -> tuple[str, str] | None:
        """The one where the user stood before, and the present one: a talk compares what the hall has just seen."""
        return self._before(self._present)

    @property
    def _present(self) -> str:
        """The one where the user stands, else the last one."""
        return self.at or (self.names[-1] if self.names else "")

    def _before(self, b: str, a: str = "") -> tuple[str, str] | None:
        """Two snapshots of which the latter is `b`: `a`, or the one before it in time, or in the order."""
        if b not in self.names or len(self.names) < 2:
            return None
        place = self.names.index(b)
        beside = self.names[place - 1] if place else self.names[1]
        return next(each for each in (a, self.before, beside) if each in self.names and each != b), b

    def compare(self, how: str, *, marked: bool = True) -> None:
        """Compare the two that are marked, or those that were shown last; ParameterError where there are none."""
        pair = self.pair if marked else self.last_two
        if pair is None:
            raise ParameterError("There are no two snapshots to compare.", "Keep a second state first (K).")
        self.comparison_wanted.emit(how, pair)

    def _stand_at(self, name: str) -> None:
        if name != self.at:
            self.before, self.at = self.at, name
        self.changed.emit()

    def _follow(self, change: Change) -> None:
        """Stay at a snapshot that was given another name, and leave one that is gone."""
        before, after = change.before.snapshots.names, change.after.snapshots.names
        if before == after:
            return
        renamed = dict(zip(before, after, strict=True)) if len(after) == len(before) else {}

        def now(name: str) -> str:
            return name if name in after else renamed.get(name, "")

        self.at, self.before = now(self.at), now(self.before)
        self.marks = {letter: there for letter, name in self.marks.items() if (there := now(name))}
        self.changed.emit()
