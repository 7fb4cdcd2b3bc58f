"""The strip below a picture, in which no word is cut: there are shorter ones, or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from mvexplorer.ui.widgets.plain_text import Label


@runtime_checkable
class Stepwise(Protocol):
    """A widget that gives way in steps; after the last one it is gone."""

    def n_steps(self) -> int:
        """How many forms it has."""

    def step_width(self, step: int) -> int:
        """The width in pixels of a form; 0 after the last one."""

    def show_step(self, step: int) -> None:
        """Show a form."""


class ShorteningLabel(Label):
    """Words with shorter forms."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.wordings: tuple[str, ...] = ("",)

    def show_words(self, *wordings: str) -> None:
        """Show the first of these forms, or a shorter one where there is no room."""
        self.wordings = wordings
        self.setText(wordings[0])
        self.setVisible(bool(wordings[0]))

    def n_steps(self) -> int:
        return len(self.wordings)

    def show_step(self, step: int) -> None:
        self.setText(self.wordings[step])

    def step_width(self, step: int) -> int:
        if step >= len(self.wordings):
            return 0
        beside = self.sizeHint().width() - self.fontMetrics().horizontalAdvance(self.text())
        return beside + self.fontMetrics().horizontalAdvance(self.wordings[step])


class Rest(ShorteningLabel):
    """Words in the room that all others leave: the longest that fit there, or none."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_words(self, *wordings: str) -> None:
        if wordings != self.wordings:
            self.wordings = wordings
            self._fit()

    def _fit(self) -> None:
        room = self.contentsRect().width()
        fitting = (words for words in self.wordings if self.fontMetrics().horizontalAdvance(words) <= room)
        self.setText(next(fitting, ""))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class Footer(QWidget):
    """A row whose widgets have their full width; where they do not fit, some shorten, and go as a whole."""

    yielding: Sequence[QWidget] = ()
    """The widgets that yield where there is no room, the first one first; those with several forms once for each."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        row = self.layout()
        if row is None:
            return
        margins = row.contentsMargins()
        # Not by the layout's items: Qt frees them, and Python would take what comes to their place for them.
        children = self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        each = sorted((w for w in children if row.indexOf(w) >= 0), key=row.indexOf)
        shown = [widget for widget in each if not widget.isHidden()]
        rigid = [w for w in shown if w.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored]
        lacking = margins.left() + margins.right() + row.spacing() * (len(shown) - 1) - self.width()
        unbounded = 16777215  # the maximum width of a widget that has none
        for widget in rigid:
            # What has gone counts as if it were there: it comes back where there is room again.
            most = unbounded if widget in self.yielding else widget.maximumWidth()
            lacking += min(most, _width(widget, 0))
        steps = self._shortened(lacking, rigid)
        for widget, step in steps.items():
            n_steps = widget.n_steps() if isinstance(widget, Stepwise) else 1
            widget.setMaximumWidth(unbounded if step < n_steps else 0)
            if isinstance(widget, Stepwise) and step < n_steps:
                widget.show_step(step)

    def _shortened(self, lacking: int, rigid: Sequence[QWidget]) -> dict[QWidget, int]:
        """Find the steps of shortening of each yielding widget that gain `lacking` pixels."""
        steps = dict.fromkeys(self.yielding, 0)
        for widget in self.yielding:
            if lacking > 0 and widget in rigid and _width(widget, steps[widget]) > 0:
                lacking -= _width(widget, steps[widget]) - _width(widget, steps[widget] + 1)
                steps[widget] += 1
        for widget in reversed(self.yielding):  # what gave way before something wider may fit after all
            more = _width(widget, steps[widget] - 1) - _width(widget, steps[widget]) if steps[widget] else 0
            if 0 < more <= -lacking:
                steps[widget] -= 1
                lacking += more
        return steps


def _width(widget: QWidget, step: int) -> int:
    """Return a widget's width in pixels after that many steps of shortening."""
    if isinstance(widget, Stepwise):
        return widget.step_width(step)
    return 0 if step else widget.sizeHint().width()
