"""Figures that tell how the picture of the panel in focus came about, one at a time, or two where there is room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.diagnostics_choices import FIGURES, FigureId
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.pages.check_card import ChoiceBox
from mvexplorer.ui.pages.diagnostics.figure_card import ABOUT, FigureCard
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import tip


class DiagnosticsPage(QWidget):
    """A list of figures, and the one chosen; beside it the one before, where the page is wide enough."""

    id, title, place = "diagnostics", "Diagnostics", "inside"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self.cards: dict[FigureId, FigureCard] = {}
        self._row = spaced(QHBoxLayout(self), 12, 6, 12, 6, spacing=20)
        self._make_side(self._row)
        self.soon = Soon(self, milliseconds=80, do=self.refresh)
        for signal in (workbench.controller.panel_changed, self._editor.focus_changed, workbench.derived.changed):
            signal.connect(self._told)
        workbench.diagnostics.changed.connect(self._told)

    def _make_side(self, row: QHBoxLayout) -> None:
        side = QVBoxLayout()
        row.addLayout(side)
        side.setSpacing(6)
        wide = 176  # width of the list of figures
        self.panel = ChoiceBox("Panel that is examined", {}, wide)
        self.panel.setFixedWidth(theme.px(wide))
        self.panel.activated.connect(lambda _: self._editor.focus(self.panel.value))
        self.list = QListWidget()
        self.list.setAccessibleName("Figures")
        self.list.setFixedWidth(theme.px(wide))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for id, name in FIGURES.items():
            item = QListWidgetItem(name, self.list)
            item.setToolTip(tip(ABOUT[id]))
            item.setSizeHint(QSize(1, theme.px(26)))
        self.list.currentRowChanged.connect(self._choose)
        side.addWidget(self.panel)
        side.addWidget(self.list, 1)

    def sizeHint(self) -> QSize:
        return QSize(720, 218)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.soon.ask()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        for card in self.cards.values():
            card.view.apply_theme()

    def compute_all(self) -> None:
        """Do nothing: what is looked at is computed."""

    # What is shown ------------------------------------------------------------------------------------------

    def follow(self, change: Change) -> None:
        """Follow panels and choices, at rest only."""
        if not change.interactive:
            self.soon.ask()

    def _told(self, _: object = None) -> None:
        if self.isVisible():
            self.soon.ask()

    @property
    def shown(self) -> tuple[FigureId, ...]:
        """The figures on show, the chosen one first."""
        choices = self._editor.state.diagnostics
        two_from = 900  # pixels of the page from which two figures stand side by side
        two = self.width() >= theme.px(two_from) and choices.beside != choices.figure
        return (choices.figure, choices.beside) if two else (choices.figure,)

    def refresh(self) -> None:
        """Show what is known of the figures on show; ask for what is not."""
        if not self.isVisible():
            return
        state, panel = self._editor.state, self._workbench.diagnostics.panel
        titles = panel_titles(state)
        self.panel.offer({p.id: titles[p.id] for p in state.shown})
        self.panel.setEnabled(panel is not None)
        if panel is not None:
            self.panel.show_value(panel.id)
        self.list.blockSignals(True)
        self.list.setCurrentRow(list(FIGURES).index(state.diagnostics.figure))
        self.list.blockSignals(False)
        shown = self.shown
        for place, id in enumerate(shown, start=1):
            if id not in self.cards:
                self.cards[id] = FigureCard(id, self._workbench)
            if self._row.indexOf(self.cards[id]) != place:
                self._row.insertWidget(place, self.cards[id], 1)
        result = None if panel is None else self._workbench.controller.result(panel.id)
        for id, card in self.cards.items():
            card.setVisible(id in shown)
            if id in shown:
                card.show_known(result)

    def figures(self) -> tuple[Figure, ...]:
        """The figures on show."""
        shown = (self.cards[id] for id in self.shown if id in self.cards)
        return tuple(card.view.figure for card in shown if card.answered and card.view.figure is not None)

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._editor.choose_diagnostics(figure=list(FIGURES)[row])
