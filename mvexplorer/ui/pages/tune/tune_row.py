"""A view's row: what its ε does along the axis of all views, and its pairs with the views above it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, NameButton, tip
from mvexplorer.ui.widgets.plots.bandwidth_plot import BandwidthPlot
from mvexplorer.ui.widgets.plots.pair_surface import PairMap
from mvexplorer.ui.widgets.plots.plot_cell import Beside

LOWEST, HIGHEST = 64, 112
"""Heights of a row in pixels: letters of rules, and a curve that can be read below them."""


class ViewButton(NameButton):
    """A view's name; pressed, its details stand below the rows."""

    BESIDE = 12

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setToolTip("Show the details of this view below")

    def _shown(self, words: str) -> str:
        return words.replace("&", "&&")


class TuneRow(Beside):
    """Name, ε and verdict of a view, its curve, and a small map of each pair with one of the views `above`."""

    chosen = Signal()

    def __init__(self, view: str, above: Sequence[str], columns: int) -> None:
        self._told: tuple[object, ...] = ()
        self.view, self.maps = view, {name: PairMap() for name in above}
        self.plot = BandwidthPlot(f"Slope of log S of {view}", axis=False)
        super().__init__(self.plot, _in_columns([*self.maps.values()], view, columns))
        self.name, self.epsilon = ViewButton(), Label(role="muted")
        self.name.set_words(view)
        self.name.setAccessibleName(f"Show the details of {view}")
        self.name.clicked.connect(self.chosen)
        self.verdict, self.advice = Name(), Name()
        head = spaced(QHBoxLayout(), 0, 0, 0, 0, spacing=6)
        head.addWidget(self.name)
        head.addStretch(1)
        head.addWidget(self.epsilon)
        self.column.addLayout(head)
        for words in (self.verdict, self.advice):
            words.setProperty("role", "muted")
            self.column.addWidget(words)
        self.column.addStretch(1)

    def show_words(self, epsilon: str, verdict: str, about: str, advice: str, why: str, *, alarming: bool) -> None:
        """Show its ε, what that does to the view in short and at length, and which is recommended, and why."""
        told = (epsilon, verdict, about, advice, why, alarming)
        if told == self._told:  # at each step of a drag most rows stay as they are
            return
        self._told = told
        self.epsilon.setText(epsilon)
        self.verdict.set_words(verdict)
        self.verdict.setToolTip(tip(about))
        self.verdict.set_role("amber" if alarming else "muted")
        self.advice.set_words(advice)
        if why:
            self.advice.setToolTip(tip(why))

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        for plot in (self.plot, *self.maps.values()):
            plot.apply_theme()


def _in_columns(maps: Sequence[QWidget], name: str, columns: int) -> QWidget:
    """The maps side by side, the name of the view after the last: it is that of the column below as well.

    It begins where the last map ends and the next column does.
    """
    row = QWidget()
    side = spaced(QHBoxLayout(row), 4, 0, 4, 0, spacing=2)
    heading = Name()
    heading.set_words(name)
    heading.setProperty("role", "muted")
    heading.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
    heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    for each in (*maps, heading):
        side.addWidget(each, 1)
    for _ in range(columns - len(maps) - 1):
        side.addWidget(QWidget(), 1)
    return row
