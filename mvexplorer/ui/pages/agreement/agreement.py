"""Where panels differ: all of them in one matrix, and two of them sample by sample."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.questions.most_changed import MostChanged
from mvexplorer.ui.pages.agreement.morph import Morph
from mvexplorer.ui.pages.agreement.pair_pane import PairPane
from mvexplorer.ui.pages.agreement.separation_pane import SeparationPane
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, sentence
from mvexplorer.ui.widgets.plots.pair_matrix import PairMatrix


class AgreementPage(QWidget):
    """Matrix, pair, morph and what separates the selected samples, side by side; it computes at rest only."""

    id, title, place = "agreement", "Agreement", "compare"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._comparer = workbench, workbench.comparer
        row = spaced(QHBoxLayout(self), 12, 6, 12, 8)
        self.whole = QWidget()
        inside = spaced(QHBoxLayout(self.whole), 0, 0, 0, 0, spacing=16)
        missing = "not compared, a picture is missing"
        self.matrix = PairMatrix("Disagreement of every two panels", "share", missing)
        self.matrix.chosen.connect(self._choose)
        self.pair, self.morph = PairPane(workbench), Morph(workbench)
        self.separation = SeparationPane(workbench.separator)
        inside.addWidget(self.matrix)
        inside.addWidget(self.pair, 3)
        inside.addWidget(self.morph, 2)
        inside.addWidget(self.separation, 4)
        row.addWidget(self.whole, 1)
        row.addWidget(self._make_nothing(), 1)
        self.soon = Soon(self, milliseconds=100, do=self.refresh)
        workbench.controller.panel_changed.connect(self._something_changed)
        workbench.derived.changed.connect(self._something_changed)
        self._comparer.changed.connect(self._something_changed)
        workbench.separator.changed.connect(self._something_changed)
        self._most_changed = MostChanged(workbench.controller, self._comparer)
        self._most_changed.changed.connect(self._something_changed)
        self.apply_theme()

    def _make_nothing(self) -> QWidget:
        self.nothing = QWidget()
        column = QVBoxLayout(self.nothing)
        column.addStretch(1)
        self.words = Label(role="muted")
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.words.setWordWrap(True)
        self.start = QPushButton("Compare the panels")
        self.start.clicked.connect(self.compute_all)
        column.addWidget(self.words)
        column.addWidget(self.start, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        return self.nothing

    def sizeHint(self) -> QSize:
        return QSize(600, 200)

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        self.morph.apply_theme()
        self.soon.start()

    def compute_all(self) -> None:
        """Compare the panels, however many samples there are."""
        self._comparer.ask(anyway=True)
        self.soon.start()

    # Following ----------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow the document, at rest."""
        self.soon.start()

    def _something_changed(self, *_: object) -> None:
        if self.isVisible():
            self.soon.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._comparer.watch(True)
        self.soon.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._comparer.watch(False)

    def refresh(self) -> None:
        """Compare what has changed, and show what is known."""
        if not self.isVisible():
            return
        comparer = self._comparer
        comparer.ask()
        problem, waits = comparer.problem, comparer.waits
        words = "Comparing so many samples may take minutes." if waits and not problem else problem
        self.words.setText(sentence(words))
        self.start.setVisible(waits and not problem)
        self.whole.setVisible(not words)
        self.nothing.setVisible(bool(words))
        if not words:
            self._show_matrix()
            self.pair.show_pair()
            self.morph.show_pair()
            self.separation.show_selection(self._most_changed.words())

    def figures(self) -> tuple[Figure, ...]:
        """The matrix of the panels, and of the pair the histogram and what lies between its pictures."""
        if not self.isVisible() or self.whole.isHidden():
            return ()
        return tuple(f for f in (self.matrix.figure(), self.pair.figure(), self.morph.figure()) if f is not None)

    def _show_matrix(self) -> None:
        comparer = self._comparer
        shown = [panel.id for panel in self._workbench.document.state.shown]
        agreement, pair = comparer.agreement, comparer.pair
        matrix = None if agreement is None or agreement.names != tuple(shown) else agreement.matrix
        places = (shown.index(pair[0]), shown.index(pair[1])) if pair is not None and set(pair) <= set(shown) else None
        self.matrix.show_matrix([comparer.titles[id] for id in shown], matrix, places)

    def _choose(self, i: int, j: int) -> None:
        shown = [panel.id for panel in self._workbench.document.state.shown]
        self._workbench.editor.compare(shown[i], shown[j])
