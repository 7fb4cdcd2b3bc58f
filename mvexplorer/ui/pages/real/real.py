"""Is it real? Null tests, stability, independent coordinates and neighbourhoods of the panel in focus."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from mvexplorer.figures import Figure
from mvexplorer.state.batches.check_words import page_words, reason_against, shuffles
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.pages.check_card import ChoiceBox, scrolled
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.real.coordinates_card import CoordinatesCard
from mvexplorer.ui.pages.real.neighbours_card import NeighboursCard
from mvexplorer.ui.pages.real.null_card import NullCard
from mvexplorer.ui.pages.real.stability_card import StabilityCard
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, sentence


class RealPage(QWidget):
    """Four questions about one panel side by side; where there is no room for all they scroll sideways."""

    id, title, place = "real", "Is it real?", "validate"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self._controller, self._checks = workbench.controller, workbench.checks
        self._column = spaced(QVBoxLayout(self), 12, 6, 12, 6, spacing=6)
        self._make_head(self._column)
        self._built = False
        self.soon = Soon(self, milliseconds=60, do=self.refresh)
        for signal in (self._checks.changed, self._controller.panel_changed, self._editor.focus_changed):
            signal.connect(self._changed)
        workbench.neighbours.changed.connect(self.soon.ask)

    def _make_head(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.panel = ChoiceBox("Panel that is examined", {}, 240)
        self.panel.setMinimumWidth(180)
        self.panel.activated.connect(lambda _: self._editor.focus(self.panel.value))
        self.words = Label(role="muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(120, 3)
        row.addWidget(QLabel("Panel"))
        row.addWidget(self.panel)
        row.addWidget(self.words, 1)
        row.addWidget(self.bar)
        self.bar.hide()

    def _make_cards(self) -> None:
        """Make the cards when the page is first shown, so that a new window opens sooner."""
        self._built = True
        self.null = NullCard(self._editor, self._checks)
        self.stability = StabilityCard(self._editor, self._checks)
        self.coordinates = CoordinatesCard(self._editor)
        self.neighbours = NeighboursCard(self._editor, self._workbench.neighbours)
        inside = QWidget()
        row = spaced(QHBoxLayout(inside), 0, 0, 0, 0, spacing=20)
        for card, stretch in ((self.null, 4), (self.stability, 3), (self.coordinates, 2), (self.neighbours, 3)):
            row.addWidget(card, stretch)
        self._column.addWidget(scrolled(inside, sideways=True), 1)

    def sizeHint(self) -> QSize:
        return QSize(900, 218)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._built:
            self._make_cards()
        self.refresh()

    def apply_theme(self) -> None:
        """Use the current theme's colours."""
        if self._built:
            for card in (self.null, self.stability, self.coordinates, self.neighbours):
                card.apply_theme()
            self.soon.ask()

    def compute_all(self) -> None:
        """Ask all questions that have buttons."""
        self.null.ask()
        self.stability.ask()
        self.neighbours.ask()

    # What is shown ------------------------------------------------------------------------------------------

    @property
    def examined(self) -> PanelState | None:
        """The panel in focus, else the first one."""
        state = self._editor.state
        return state.find_panel(self._editor.focused or "") or next(iter(state.shown), None)

    def follow(self, change: Change) -> None:
        """Follow panels, views and choices, at rest only."""
        if not change.interactive:
            self.soon.ask()

    def _changed(self, _panel: str | None) -> None:
        if self.isVisible():
            self.soon.ask()

    def refresh(self) -> None:
        """Show what is known of the panel in focus."""
        if not self._built or not self.isVisible():
            return
        state, panel = self._editor.state, self.examined
        data = self._workbench.document.data
        self.panel.offer({p.id: panel_titles(state)[p.id] for p in state.shown})
        self.panel.setEnabled(panel is not None)
        if panel is None or data is None:
            self._show_nothing()
            return
        self.panel.show_value(panel.id)
        result, checks = self._controller.result(panel.id), self._checks.of(panel.id)
        reason = reason_against(panel, result)
        self.null.show_panel(panel, result, reason, shuffles(data))
        self.stability.show_panel(panel, result, reason)
        self.coordinates.show_panel(panel, result)
        self.neighbours.show_table(state, "")
        self.words.setText(sentence(page_words(checks)))
        self.bar.setRange(0, max(1, checks.total))
        self.bar.setValue(checks.done)
        self.bar.setVisible(checks.running)

    def figures(self) -> tuple[Figure, ...]:
        """The answers that are drawn: strips and eigenvalues of the null test, bars of coordinates, the table."""
        cards = (self.null, self.coordinates, self.neighbours) if self._built else ()
        return tuple(figure for card in cards if card.answered for figure in card.figures())

    def _show_nothing(self) -> None:
        self.words.setText("Open data and show a panel: this page tells whether its picture is more than chance.")
        self.bar.hide()
        for card in (self.null, self.stability, self.coordinates, self.neighbours):
            card.show_empty("No panel is open.")
