"""One small picture: its points, its score in the corner, or the sentence about why it is missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, sentence, tip
from mvexplorer.ui.widgets.plots.pair_matrix import DEEPEST, ink_on, mixed


class Cell(QWidget):
    """A picture that a click, or Return, makes a panel."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setMinimumSize(72, 52)
        self._drawn: np.ndarray | None = None
        self._written: tuple[object, ...] = ()
        self._column = column = spaced(QVBoxLayout(self), 1, 1, 1, 1)
        self.canvas = EmbeddingCanvas()
        self.canvas.setMinimumSize(40, 24)
        self.canvas.picked.connect(lambda _: self.chosen.emit())
        self.caption = Label(wraps=True)
        self.details = Label(role="muted")
        for label in (self.caption, self.details):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            label.hide()
        self._strip = QWidget()
        column.addWidget(self.caption)
        column.addWidget(self._strip)
        column.addWidget(self.canvas, 1)
        column.addWidget(self.details)
        self.words = Label()
        self.words.setParent(self)
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.score = QLabel(self)
        shown_over: tuple[QLabel, ...] = (self.words, self.score)
        for over in shown_over:
            over.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            over.hide()

    def show_words(self, caption: str, lines: int, details: Sequence[str], *, present: bool) -> None:
        """Write a caption above the picture, on so many lines, and below it the first of the details that fits.

        That of the `present` picture is bold.
        """
        words = caption, lines, details, present, self.width(), theme.current()
        if words == self._written:
            return  # style sheets take milliseconds, and a drag asks at every step
        self._written = words
        small = f"font-size: {theme.px(theme.SMALL_PX)}px;"
        room, metrics = self.width() - 4, theme.metrics(theme.font(theme.px(theme.SMALL_PX)))
        fitting = [text for text in details if metrics.horizontalAdvance(text) <= room]
        for label, text, rows in (
            (self.caption, caption, lines),
            (self.details, next(iter(fitting), "…" if details else ""), 1),
        ):
            label.setStyleSheet(f"{small} font-weight: {600 if present and label is self.caption else 400};")
            label.setFixedHeight(round(rows * metrics.lineSpacing()) + 2)
            label.setText(text)
            label.setVisible(bool(caption))

    def show_result(self, meaning: str, result: PanelResult, *, waiting: bool, click: str = "") -> None:
        """Show a result; `meaning` describes the picture, `waiting` is True while it is still to come.

        `click` says what a click does, where it does not make a panel.
        """
        points = result.drawing.points
        if points is not self._drawn:
            was_3d, self._drawn = self.canvas.is_3d, points
            self.canvas.show_points(points, unplaced=result.drawing.unplaced)
            if self.canvas.is_3d != was_3d:
                self.canvas.fit()
        problem = "" if result.error is None else f"{result.error.message} {result.error.hint}"
        said = sentence(problem) if problem else ("" if points is not None else "…" if waiting else "not computed")
        color = theme.current().red if problem else theme.current().muted
        self.words.setStyleSheet(f"color: {color}; font-size: {theme.px(theme.SMALL_PX)}px;")
        self.words.setText(said)
        self.words.setVisible(bool(said))
        doubts = "\n".join(result.diagnostics)
        ending = problem or doubts or ((click or "Click to make it a panel.") if points is not None else "")
        self.setToolTip(tip("\n".join(filter(None, (meaning, ending)))))
        self.setAccessibleName(", ".join(filter(None, (*meaning.splitlines(), problem))))
        self._place()

    def show_score(self, text: str, share: float, *, best: bool) -> None:
        """Show a score (empty: none) in the corner, its ground as deep as its share of the range of all."""
        ground = mixed(theme.current().color("surface"), theme.current().color("accent"), DEEPEST * share)
        weight = 600 if best else 400
        self.score.setStyleSheet(
            f"background: {ground.name()}; color: {ink_on(ground).name()}; border-radius: 3px; padding: 1px 4px;"
            f"font-size: {theme.px(theme.SMALL_PX)}px; font-weight: {weight};"
        )
        self.score.setText(text)
        self.score.setVisible(bool(text))
        self._place()

    def _place(self) -> None:
        above = self.caption.height() if self.caption.isVisibleTo(self) else 0
        self.words.setGeometry(self.rect().adjusted(8, 4 + above, -8, -4))
        self.score.adjustSize()
        gap, below = 4, self.details.height() if self.details.isVisibleTo(self) else 0
        # The points are in a square: where that leaves no room beside it the score stands above them.
        beside = (self.width() - (self.height() - above - below)) // 2 >= self.score.width() + gap
        lifted = self.score.isVisibleTo(self) and not beside
        strip = self.score.height() + 1 if lifted else 0
        if strip != self._strip.height():
            self._strip.setFixedHeight(strip)
            self._column.activate()  # at once: not a frame later than the score
        self.score.move(self.width() - self.score.width() - gap, (1 if lifted else gap) + above)

    def hasHeightForWidth(self) -> bool:
        return False  # the caption that wraps has a fixed height: without this the points' wish decides

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QEvent) -> None:
        self._show_focus(True)

    def focusOutEvent(self, event: QEvent) -> None:
        self._show_focus(False)

    def _show_focus(self, focused: bool) -> None:
        self.setProperty("focused", focused)
        self.style().unpolish(self)
        self.style().polish(self)

    def clear(self) -> None:
        """Reset the cell for use as another picture."""
        self.hide()
        self._drawn, self._written = None, ()
        self.canvas.clear()
        for label in (self.score, self.words, self.caption, self.details):
            label.hide()


def score_of(result: PanelResult, chosen: str) -> tuple[str, str, float] | None:
    """A picture's chosen score, or its first where it has no such: its id, its number in words, and its value."""
    each = {} if result.scores is None else result.scores.each()
    id = chosen if chosen in each else next(iter(each), None)
    return None if id is None else (id, numbers.fraction(each[id].value), each[id].value)
