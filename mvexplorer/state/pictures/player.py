"""Plays one slider through its values, as a hand would drag it: one step of undo, whatever it plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from psygnal import Signal

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.state.document.axis import as_before, present_value
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor

Way = Literal["once", "loop", "to and fro"]


class Player:
    """Goes from value to value of an axis, one at each call of `step`; the caller has the clock.

    The slider is moved through the editor, so that alignment and anchors are those of a drag.
    """

    changed = Signal()
    """It began, went on, or stopped."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        self._controller, self._editor = controller, editor
        self.axis: Axis = SCALE
        self.values: tuple[float, ...] = ()
        self.way: Way = "once"
        self.place = 0
        """Which of the values the slider stands at, or stood last."""
        self.playing = False
        self._forward, self._own, self._late = True, False, 0
        self._began: dict[Axis, DocumentState] = {}
        """The document as it was before an axis was first played."""
        controller.document.changed.connect(self._document_changed)

    def choose(self, axis: Axis, values: Sequence[float]) -> None:
        """Play these values of an axis, from the one nearest to the present value."""
        self.stop()
        self.axis, self.values, self._forward = axis, tuple(values), True
        self.place = self._nearest()
        self.changed.emit()

    def start(self) -> None:
        """Begin; a play that had reached the end begins anew."""
        if self._controller.document.data is None or not self.values:
            return
        self._editor.end_drag()
        self.place = self._nearest()
        if self.way == "once" and self.place == len(self.values) - 1:
            self.place = -1
        self.playing, self._late = True, 0
        self.changed.emit()

    def stop(self) -> None:
        """Stop where it stands, which is computed exactly then."""
        if self.playing:
            self.playing = False
            self._editor.end_drag()
            self.changed.emit()

    def keep(self) -> None:
        """Let what was played stay where it is."""
        self._began.clear()

    def go_back(self) -> None:
        """Stop, and bring all that was played back to where it began, as one edit."""
        self.stop()
        before = self._editor.state
        for axis, state in self._began.items():
            before = as_before(before, axis, state)
        self._began.clear()
        self._controller.document.apply("Back from the play", before)

    def step(self) -> None:
        """Go to the next value, once the panels have drawn this one."""
        if not self.playing:
            return
        self._late += 1
        patience = 10  # steps that a panel may be late before the play goes on without it
        if self._late <= patience and any(
            shown.status == "computing"
            for id, shown in self._controller.results.items()
            if id not in self._controller.hidden
        ):
            return
        following = self._following()
        if following is None:
            self.stop()
        else:
            self._late = 0
            self.scrub(following)

    def scrub(self, place: int) -> None:
        """Go to one of the values."""
        self.place = min(max(0, place), len(self.values) - 1)
        self._began.setdefault(self.axis, self._editor.state)
        with self._moving():
            done = self._move(self.values[self.place])
        if not done:
            self.stop()
        self.changed.emit()

    def _following(self) -> int | None:
        last = len(self.values) - 1
        following = self.place + (1 if self._forward else -1)
        if 0 <= following <= last:
            return following
        if self.way == "once":
            return None
        if self.way == "loop":
            return 0
        self._forward = not self._forward
        return min(max(0, self.place + (1 if self._forward else -1)), last)

    @contextmanager
    def _moving(self) -> Iterator[None]:
        self._own = True
        try:
            yield
        finally:
            self._own = False

    def _move(self, value: float) -> bool:
        axis, editor = self.axis, self._editor
        if axis.view is not None:
            return editor.set_epsilon(axis.view, value / editor.state.factor(axis.view), interactive=True)
        if axis.weighs is not None:
            return editor.set_view_weight(axis.weighs, value, interactive=True)
        if axis.of_epsilon:
            return editor.set_scale(value, interactive=True)
        return editor.set_param(axis.name, value, interactive=True)

    def present(self, axis: Axis) -> float | None:
        """Where the document stands on an axis; None where that is no number."""
        if axis.view is not None:
            return self._controller.effective_epsilon(axis.view)
        value = present_value(self._editor.state, axis)
        return float(value) if isinstance(value, int | float) else None

    def _nearest(self) -> int:
        present = self.present(self.axis)
        if present is None or not self.values or (self.axis.log and present <= 0.0):
            return 0
        there = self.axis.place(present)
        return min(range(len(self.values)), key=lambda k: abs(self.axis.place(self.values[k]) - there))

    def _document_changed(self, change: Change) -> None:
        if change.data_changed:
            self._began.clear()
        elif not self._own:  # what another hand has moved since then stays
            state = change.after
            self._began = {a: s for a, s in self._began.items() if as_before(state, a, change.before) == state}
        if self.playing and not self._own:
            self.playing = False
            self.changed.emit()
