"""The document: one current state, the states before and after it, and a signal when it changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from psygnal import Signal

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState

UNDO_DEPTH = 300


@dataclass(frozen=True)
class Change:
    """A change: the states before and after, and whether the user is still dragging.

    `samples_changed` says that samples or views were replaced: old indices and names are invalid. Whoever holds what
    was computed puts it into `kept_in` by itself as key, where the document goes away, and finds it in `brought` when
    that comes back.
    """

    before: DocumentState
    after: DocumentState
    data_changed: bool
    interactive: bool = False
    samples_changed: bool = False
    kept_in: dict[object, Any] | None = None
    brought: Mapping[object, Any] | None = None


@dataclass(frozen=True)
class _Step:
    label: str
    state: DocumentState
    data: MultiView | None
    merge: str | None = field(default=None)


@dataclass(frozen=True, eq=False)
class SetAside:
    """A document with its history, and what was computed of it, put away while something else is shown."""

    state: DocumentState
    data: MultiView | None
    undo: tuple[_Step, ...]
    redo: tuple[_Step, ...]
    saved: DocumentState | None
    forgets: bool
    computed: dict[object, Any] = field(default_factory=dict)
    """What those hold who computed it, by themselves."""


class Document:
    """The only mutable part of the program's state. Every edit goes through `apply` and can be undone."""

    changed = Signal(Change)

    def __init__(self) -> None:
        self.state = DocumentState()
        self.data: MultiView | None = None
        self._undo: list[_Step] = []
        self._redo: list[_Step] = []
        self._merge: str | None = None
        self._saved: DocumentState | None = self.state
        self.forgets = False
        """Whether there were more steps than are kept."""

    @property
    def dirty(self) -> bool:
        """Whether there are changes that no saved session holds."""
        return self.state != self._saved

    def mark_saved(self, state: DocumentState | None = None) -> None:
        """Declare a state saved, by default the present one."""
        self._saved = self.state if state is None else state

    def apply(
        self,
        label: str,
        edit: Callable[[DocumentState], DocumentState] | DocumentState,
        *,
        data: MultiView | None = None,
        merge: str | None = None,
        interactive: bool = False,
    ) -> None:
        """Make one edit, labelled for the undo menu, for example "ε of fou to 0.36"; `data` comes with the new state.

        Successive edits with the same key `merge` are one undo step, until `end_merge`. With `interactive` the user is
        dragging: more edits like this one will follow.
        """
        after = edit if isinstance(edit, DocumentState) else edit(self.state)
        if after == self.state and data is None:
            return
        if merge is None or merge != self._merge or not self._undo:
            self._undo.append(_Step(label, self.state, self.data, merge))
            self.forgets = self.forgets or len(self._undo) > UNDO_DEPTH
            del self._undo[:-UNDO_DEPTH]
        else:
            self._undo[-1] = replace(self._undo[-1], label=label)  # of a drag, the value at its end
        self._redo.clear()
        self._merge = merge
        self._set(after, self.data if data is None else data, interactive)

    def end_merge(self) -> None:
        """The drag ended: the next edit is a new undo step."""
        self._merge = None

    def reset(self, state: DocumentState, data: MultiView | None) -> None:
        """Replace everything and forget the history (a session was opened)."""
        self._begin(state)
        self._set(state, data, False)

    def _begin(self, state: DocumentState) -> None:
        self._undo.clear()
        self._redo.clear()
        self._merge = None
        self._saved, self.forgets = state, False

    def set_aside(self, state: DocumentState, data: MultiView) -> SetAside:
        """Show another document in the place of this one, all of which `bring_back` gives back."""
        aside = SetAside(self.state, self.data, tuple(self._undo), tuple(self._redo), self._saved, self.forgets)
        self._begin(state)
        self._set(state, data, False, kept_in=aside.computed)
        return aside

    def bring_back(self, aside: SetAside) -> None:
        """Show again what was set aside, with the history that it had."""
        self._undo, self._redo, self._merge = [*aside.undo], [*aside.redo], None
        self._saved, self.forgets = aside.saved, aside.forgets
        self._set(aside.state, aside.data, False, brought=aside.computed)

    @property
    def undo_label(self) -> str | None:
        """The edit that undo would take back, or None."""
        return self._undo[-1].label if self._undo else None

    @property
    def redo_label(self) -> str | None:
        """The edit that redo would make again, or None."""
        return self._redo[-1].label if self._redo else None

    @property
    def steps(self) -> tuple[str, ...]:
        """The labels of all edits that can be undone or done again, in their order."""
        return tuple(step.label for step in (*self._undo, *reversed(self._redo)))

    @property
    def position(self) -> int:
        """How many of the steps are done."""
        return len(self._undo)

    def held_data(self) -> tuple[MultiView, ...]:
        """The present data, and all that undo and redo bring back."""
        held = (self.data, *(step.data for step in (*self._undo, *self._redo)))
        return tuple({id(data): data for data in held if data is not None}.values())

    def undo(self) -> None:
        """Return to the state before the last edit."""
        self.go_to(self.position - 1)

    def redo(self) -> None:
        """Make the edit last undone again."""
        self.go_to(self.position + 1)

    def go_to(self, position: int) -> None:
        """Undo or redo until so many of the steps are done: one change, whatever lies between."""
        position = min(max(position, 0), len(self._undo) + len(self._redo))
        if position == self.position:
            return
        state, data = self.state, self.data
        while position != self.position:
            source, target = (self._undo, self._redo) if position < self.position else (self._redo, self._undo)
            step = source.pop()
            target.append(_Step(step.label, state, data))
            state, data = step.state, step.data
        self._merge = None
        self._set(state, data, False)

    def _set(
        self,
        state: DocumentState,
        data: MultiView | None,
        interactive: bool,
        *,
        kept_in: dict[object, Any] | None = None,
        brought: Mapping[object, Any] | None = None,
    ) -> None:
        before, former = self.state, self.data
        self.state, self.data = state, data
        differ = before.source != state.source or not _same_samples(former, data)
        other = data is not former and (differ or kept_in is not None or brought is not None)
        self.changed.emit(Change(before, state, data is not former, interactive, other, kept_in, brought))


def _same_samples(former: MultiView | None, data: MultiView | None) -> bool:
    """Whether views and samples have the same names."""
    if former is None or data is None:
        return former is data
    return former.view_names == data.view_names and former.sample_ids == data.sample_ids
