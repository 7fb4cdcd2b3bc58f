"""A plot beside its title and legend; until there is something to draw, a word about what is being computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, sentence, tip

HEAD = "Name { font-weight: 600; }"


@dataclass(frozen=True)
class CurveKey:
    """An entry of a plot's legend: a curve's colour and glyph, its short name, and what it means."""

    color: str
    name: str
    meaning: str
    glyph: str = "●"


class Beside(QWidget):
    """A plot between what stands on its left and on its right: plots of several lie over one another."""

    def __init__(self, plot: QWidget, right: QWidget | None = None) -> None:
        super().__init__()
        left, body = QWidget(), QWidget()
        self.left, self.right = left, right or QWidget()
        self.column = spaced(QVBoxLayout(left), 8, 2, 8, 2, spacing=2)
        """All on the left, one below another."""
        self._waiting = Label(role="muted")
        self._waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._waiting.setWordWrap(True)
        self._plot = plot
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self._waiting)
        self._stack.addWidget(plot)
        row = spaced(QHBoxLayout(self), 0, 0, 0, 0, spacing=0)
        row.addWidget(left)
        row.addWidget(body, 1)
        row.addWidget(self.right)

    def align(self, left: int, right: int) -> None:
        """Give both sides their widths in pixels."""
        self.left.setFixedWidth(left)
        self.right.setFixedWidth(right)

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


class PlotCell(Beside):
    """A plot with its title and its legend on the left."""

    def __init__(
        self, plot: QWidget, title: str, about: str, keys: Sequence[CurveKey], right: QWidget | None = None
    ) -> None:
        super().__init__(plot, right)
        self.head = Name()
        self._about = about
        self.show_title(title)
        self.head.setStyleSheet(HEAD)
        self.column.addWidget(self.head)
        self.keys: dict[str, Name] = {}
        self._glyphs: dict[str, Label] = {}
        for key in keys:
            self._add_key(key)

    def _add_key(self, key: CurveKey) -> None:
        glyph, name, row = Label(key.glyph), Name(), spaced(QHBoxLayout(), 0, 0, 0, 0, spacing=4)
        name.set_words(key.name)
        name.setProperty("role", "muted")
        for label in (glyph, name):
            label.setToolTip(tip(key.meaning))
        row.addWidget(glyph)
        row.addWidget(name, 1)
        self.column.addLayout(row)
        self.keys[key.name], self._glyphs[key.name] = name, glyph
        self.color_key(key.name, key.color)

    def show_title(self, title: str) -> None:
        """Show another title."""
        self.head.set_words(title)
        self.head.setToolTip(tip(f"{title}\n{self._about}"))

    def show_key(self, name: str, shown: bool) -> None:
        """Show or hide the entry of a curve, which may not be computed yet."""
        for label in (self.keys[name], self._glyphs[name]):
            label.setVisible(shown)

    def color_key(self, name: str, color: str) -> None:
        """Give the entry of a curve another colour."""
        self._glyphs[name].setStyleSheet(f"Label {{ color: {color}; }}")
