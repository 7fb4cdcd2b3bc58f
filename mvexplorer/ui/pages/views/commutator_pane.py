"""How far the walks of every two views are from commuting, beside the views: a number for two, a matrix for more."""

from __future__ import annotations

from math import floor, log10

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.engine.core.multiview import Array
from mvexplorer.figures import Figure, Matrix
from mvexplorer.state.questions.view_additions import Additions
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, tip
from mvexplorer.ui.widgets.plots.pair_matrix import NAMES, PairMatrix

MEANING = (
    "0: a step in one view and one in the other lead to the same samples in either order. "
    "1: the two orders differ as much as either is large."
)
ABOUT = "|WW′ − W′W| / |WW′| of two views' doubly stochastic walks, 0 with one common eigenbasis."
MISLEADS = "It is small, too, where each view has a variable of its own that the other knows nothing of."
DARKEST = 0.1
"""The least number that has the darkest shade."""


class CommutatorPane(QWidget):
    """A number for every two views, and what 0 and 1 mean; the words stay in sight where a matrix has to scroll."""

    def __init__(self) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 8, 0, 8, 0, spacing=2)
        self.head = Label(role="muted")
        self.head.setFixedHeight(theme.px(20))
        self.number = Label()
        self.number.setProperty("role", "title")
        self.matrix = PairMatrix("Commutators", "commutator of two views", "–", words_of, DARKEST)
        self.matrix.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setWidget(self.matrix)
        self.words = Label(role="muted", wraps=True)
        self.setToolTip(tip(f"{ABOUT} {MISLEADS}"))
        for widget in (self.head, self.number, self.area, self.words):
            column.addWidget(widget, int(widget is self.area))
        column.addStretch(0)
        self._column = column

    def sizeHint(self) -> QSize:
        return QSize(theme.px(316), theme.px(160))

    def show_found(self, additions: Additions) -> None:
        """Show the commutators of the views; while they are computed, or where a walk has none, why there are none."""
        apart, views, problem = additions.commutators, additions.views, additions.commutator_problem
        number = "" if apart is None or len(apart) > 2 else words_of(float(apart[0, 1]))
        self.head.setText("Commutator" if number else "Commutators")
        self.number.setText(number)
        self.number.setVisible(bool(number))
        several = apart is not None and not number
        self.area.setVisible(several)
        self._column.setStretch(self._column.count() - 1, int(not several))
        if apart is not None and several:
            self._show_matrix(apart, views)
        self.words.setText(MEANING if apart is not None else problem or "Computing …")
        self.setAccessibleName(self.head.text())
        figure = commutators_figure(additions)
        self.setAccessibleDescription(self.words.text() if figure is None else figure.words)

    def _show_matrix(self, apart: Array, views: tuple[str, ...]) -> None:
        width, height = 28, 14  # pixels of a cell that can be read
        names, head, n = theme.px(NAMES), theme.px(16), len(views)
        self.matrix.setMinimumSize(names + n * theme.px(width), head + n * theme.px(height))
        self.matrix.show_matrix(views, apart, None)


def words_of(value: float) -> str:
    """Two digits of a number that is mostly far below 1, without its leading zero."""
    digits = max(2, min(3, 1 - floor(log10(value)))) if value > 0.0 else 2
    least = 0.0005  # what is smaller would read as 0
    return "<.001" if 0.0 < value < least else f"{value:.{digits}f}".replace("0.", ".", 1)


def commutators_figure(additions: Additions) -> Figure | None:
    """How far every two views are from commuting, as a matrix; None where that is not known."""
    apart, views = additions.commutators, additions.views
    if apart is None:
        return None
    i, j = np.unravel_index(int(apart.argmax()), apart.shape)
    names = tuple(((k + 0.5) / len(views), name) for k, name in enumerate(views))
    words = f"{ABOUT} {MEANING} Largest {words_of(float(apart[i, j]))}: {views[i]}, {views[j]}"
    columns = {"view": np.array(views), **{f"with {name}": apart[:, k] for k, name in enumerate(views)}}
    body = Matrix(apart, "commutator of two views", names=names, limits=(0.0, max(float(apart.max()), DARKEST)))
    return Figure("Commutators", body, words, columns)
