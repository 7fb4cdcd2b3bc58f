"""The gallery: a card for every figure and table of the papers that is computed anew, in place of the panels."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.experiments.experiment import GROUPS, Verdict
from mvexplorer.experiments.table import EXPERIMENTS
from mvexplorer.ui.gallery.experiment_card import WIDTH, ExperimentCard
from mvexplorer.ui.gallery.words import found_by
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, Name, NameBox
from mvexplorer.wording import counted

GAP, MARGIN = 8, 24


class GalleryPage(QWidget):
    """Cards paper by paper, as many across as there is room for."""

    chosen = Signal(str)
    """The id of the experiment to be opened."""
    left = Signal()

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        super().__init__()
        self.setAccessibleName("Gallery of the papers")
        self._across = 0
        self.cards = {e.id: self._make_card(e.id, ExperimentCard(e)) for e in EXPERIMENTS}
        column = spaced(QVBoxLayout(self), MARGIN, 16, 0, 0, spacing=16)
        self._make_head(column)
        inner = QWidget()
        rows = spaced(QVBoxLayout(inner), 0, 0, MARGIN, MARGIN, spacing=GAP)
        self._parts = {paper: self._make_part(title, rows) for paper, title in GROUPS.items()}
        self.nothing = Label("No figure is called so. Search for other words, or in all papers.")
        rows.addWidget(self.nothing)
        rows.addStretch(1)
        self.area = QScrollArea()
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inner)
        column.addWidget(self.area, 1)
        self.show_verdicts(verdicts)
        self._arrange()

    def _make_card(self, id: str, card: ExperimentCard) -> ExperimentCard:
        card.clicked.connect(lambda: self.chosen.emit(id))
        card.stepped.connect(lambda dx, dy: self._step(card, dx, dy))
        return card

    def _make_head(self, column: QVBoxLayout) -> None:
        row, words = QHBoxLayout(), QVBoxLayout()
        column.addLayout(row)
        row.addLayout(words, 1)
        row.setContentsMargins(0, 0, MARGIN, 0)
        row.setSpacing(GAP)
        words.setSpacing(0)
        title, lead = Name(), Name()
        title.set_words("The papers as a gallery")
        lead.set_words("Each opens as a document that you can turn, with what to look for beside it.")
        title.setProperty("role", "headline")
        lead.setProperty("role", "muted")
        words.addWidget(title)
        words.addWidget(lead)
        self.papers, self.search, self.back = NameBox(220), Field(), QPushButton("Back")
        self.papers.addItem("All papers", "")
        for id, name in GROUPS.items():
            self.papers.addItem(name, id)
        self.papers.setAccessibleName("Paper")
        self.papers.currentIndexChanged.connect(self._arrange)
        self.search.setPlaceholderText("Search the figures")
        self.search.setAccessibleName("Search the figures")
        self.search.setClearButtonEnabled(True)
        self.search.setFixedWidth(200)
        self.search.textChanged.connect(self._arrange)
        self.search.returnPressed.connect(self._open_first)
        self.back.setToolTip("Back to where you were (Esc)")
        self.back.clicked.connect(self.left)
        for widget in (self.papers, self.search, self.back):
            row.addWidget(widget)

    def _make_part(self, title: str, rows: QVBoxLayout) -> tuple[Label, QGridLayout]:
        head, grid = Label(title), QGridLayout()
        head.setProperty("role", "section")
        grid.setSpacing(GAP)
        head.setContentsMargins(0, GAP if rows.count() else 0, 0, 0)
        rows.addWidget(head)
        rows.addLayout(grid)
        return head, grid

    # What is shown ------------------------------------------------------------------------------------------

    def show_verdicts(self, verdicts: Mapping[str, Verdict]) -> None:
        """Show the verdicts of runs."""
        for id, card in self.cards.items():
            card.show_verdict(verdicts.get(id))

    def apply_theme(self) -> None:
        """Draw the pictures in the theme's colours."""
        for card in self.cards.values():
            card.apply_theme()

    @property
    def shown(self) -> list[ExperimentCard]:
        """The cards that the paper and the words leave, in their order."""
        paper, text = self.papers.name, self.search.text()
        return [
            card
            for card in self.cards.values()
            if paper in ("", card.experiment.group) and found_by(text, card.experiment)
        ]

    def _arrange(self) -> None:
        shown = self.shown
        for paper, (head, grid) in self._parts.items():
            here = [card for card in shown if card.experiment.group == paper]
            head.setText(f"{GROUPS[paper]} · {counted(len(here), 'figure')}")
            head.setVisible(bool(here))
            for card in (c for c in self.cards.values() if c.experiment.group == paper):
                grid.removeWidget(card)
                card.setVisible(card in here)
            for place, card in enumerate(here):
                grid.addWidget(card, *divmod(place, self._columns))
            grid.setColumnStretch(self._columns, 1)
        self.nothing.setVisible(not shown)

    def _open_first(self) -> None:
        """Open the first figure that the words leave."""
        if self.search.text().strip() and self.shown:
            self.shown[0].click()

    @property
    def _columns(self) -> int:
        return max(1, (self.width() - 2 * MARGIN - 10 + GAP) // (WIDTH + GAP))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._columns != self._across:
            for _, grid in self._parts.values():
                grid.setColumnStretch(self._across, 0)
            self._across = self._columns
            self._arrange()

    def _step(self, card: ExperimentCard, dx: int, dy: int) -> None:
        """Give the keys to the card beside this one, or to the nearest of the next row."""
        shown = self.shown
        if dx:
            place = shown.index(card) + dx
            target = shown[min(max(place, 0), len(shown) - 1)]
        else:
            ahead = [c for c in shown if (c.y() - card.y()) * dy > 0]
            if not ahead:
                return
            target = min(ahead, key=lambda c: (abs(c.y() - card.y()), abs(c.x() - card.x())))
        target.setFocus(Qt.FocusReason.OtherFocusReason)
        self.area.ensureWidgetVisible(target, 0, GAP)
