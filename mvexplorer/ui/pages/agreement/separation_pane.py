"""The pane of what sets the selected samples apart: one sentence, and a table to go on from."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import CIRCULAR, MEANING, Separation
from mvexplorer.state.questions.separator import Separator
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, sentence
from mvexplorer.ui.widgets.separation_table import P, Q, SeparationTable


class SeparationPane(QWidget):
    """The separator's answer about the present selection."""

    def __init__(self, separator: Separator) -> None:
        super().__init__()
        self.tells_doubt = False
        """Whether there is room to say that p is too small where samples were chosen in a picture."""
        self._separator = separator
        self._shown: Separation | None = None
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=4)
        self.words = Label(wraps=True)
        self.words.setMinimumWidth(80)
        self.words.setToolTip(MEANING)
        self.doubt = Label(CIRCULAR, "muted", wraps=True)
        self.doubt.hide()
        self.table = SeparationTable()
        self.table.chosen.connect(separator.follow)
        column.addWidget(self.words)
        column.addWidget(self.doubt)
        column.addWidget(self.table, 1)
        column.addStretch(0)

    @property
    def rows(self) -> tuple[Contrast, ...]:
        """The differences that are shown, the largest effect first."""
        return () if self._shown is None else self._shown.rows

    def sizeHint(self) -> QSize:
        return QSize(360, 200)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room_for_p, room_for_q = 560, 420  # in less room than this the effects stand without their p, or q
        self.table.setColumnHidden(P, self.width() < theme.px(room_for_p))
        self.table.setColumnHidden(Q, self.width() < theme.px(room_for_q))

    def show_selection(self, before: str = "") -> None:
        """Ask about the present selection, and show the answer; `before` stands there while nothing is selected."""
        self._separator.ask()
        separation = self._separator.found
        self.words.setText(sentence((not self._separator.selected and before) or self._separator.words))
        self.words.setProperty("role", "" if separation is not None else "muted")
        self.words.style().polish(self.words)
        self.table.setVisible(separation is not None)
        self.doubt.setVisible(self.tells_doubt and separation is not None and self._separator.is_circular)
        if separation is not self._shown:
            self._shown = separation
            self.table.show_rows(() if separation is None else separation.rows)
