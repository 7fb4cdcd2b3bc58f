"""A plot under its title and legend; until there is something to draw, a word about what is being computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QMenu, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, NameButton, sentence, tip

HEAD = """
Name, NameButton { font-weight: 600; }
NameButton { padding: 0; border: none; }
"""


@dataclass(frozen=True)
class CurveKey:
    """An entry of a plot's legend: a curve's colour and glyph, its short name, and what it means."""

    color: str
    name: str
    meaning: str
    glyph: str = "●"


class PlotCell(QWidget):
    """Title and legend take one line each in every cell, so that cells side by side stand on one line.

    With a menu the title opens it.
    """

    def __init__(
        self, plot: QWidget, title: str, about: str, keys: Sequence[CurveKey], menu: QMenu | None = None
    ) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=0)
        self.head = Name() if menu is None else _opening(menu)
        self._about = about
        self.show_title(title)
        self.head.setStyleSheet(HEAD)
        line_height = 16
        self.head.setFixedHeight(line_height)
        column.addWidget(self.head, 0, Qt.AlignmentFlag.AlignLeft)
        legend = QWidget()
        legend.setFixedHeight(line_height)
        row = spaced(QHBoxLayout(legend), 0, 0, 0, 0, spacing=4)
        self.keys: dict[str, Name] = {}
        self._glyphs: dict[str, Label] = {}
        for key in keys:
            self._add_key(row, key)
        row.addStretch(1)
        column.addWidget(legend)
        self._waiting = Label(role="muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._waiting.setWordWrap(True)
        self._plot, body = plot, QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._waiting)
        self._stack.addWidget(plot)
        column.addWidget(body, 1)

    def _add_key(self, row: QHBoxLayout, key: CurveKey) -> None:
        glyph, name = Label(key.glyph), Name()
        name.set_words(key.name)
        name.setProperty("role", "muted")
        for label in (glyph, name):
            label.setToolTip(tip(key.meaning))
        row.addWidget(glyph)
        row.addWidget(name)
        row.addSpacing(6)
        self.keys[key.name], self._glyphs[key.name] = name, glyph
        self.color_key(key.name, key.color)

    def show_title(self, title: str) -> None:
        """Show another title."""
        self.head.set_words(title)
        self.head.setToolTip(tip(self._about))

    def show_key(self, name: str, shown: bool) -> None:
        """Show or hide the entry of a curve, which may not be computed yet."""
        for label in (self.keys[name], self._glyphs[name]):
            label.setVisible(shown)

    def color_key(self, name: str, color: str) -> None:
        """Give the entry of a curve another colour."""
        self._glyphs[name].setStyleSheet(f"Label {{ color: {color}; }}")

    def show_plot(self) -> None:
        """Show the plot."""
        self._stack.setCurrentWidget(self._plot)

    def show_waiting(self, text: str) -> None:
        """Show these words in the plot's place."""
        self._waiting.setText(sentence(text))
        self._stack.setCurrentWidget(self._waiting)

    @property
    def waiting(self) -> str:
        """The words in the plot's place; empty where the plot is shown."""
        return self._waiting.text() if self._stack.currentWidget() is self._waiting else ""


def _opening(menu: QMenu) -> NameButton:
    """A title that opens a menu."""
    head = NameButton()
    head.BESIDE = 10  # the arrow alone: the title stands at the left edge
    head.setMenu(menu)
    head.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return head
