"""Validate: a check list about the panel in focus, and beside it the detail of the check that is selected."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.figures import Figure
from mvexplorer.state.batches.check_rules import CheckId, CheckLine
from mvexplorer.state.batches.check_words import reason_against, shuffles
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.pages.check_card import ChoiceBox
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.pages.validate.check_rows import CheckRows
from mvexplorer.ui.pages.validate.common_card import CommonCard
from mvexplorer.ui.pages.validate.coordinates_card import CoordinatesCard
from mvexplorer.ui.pages.validate.neighbours_card import NeighboursCard
from mvexplorer.ui.pages.validate.null_card import NullCard
from mvexplorer.ui.pages.validate.stability_card import StabilityCard
from mvexplorer.ui.pages.validate.views_card import ViewsCard
from mvexplorer.ui.style.layouts import spaced


class ValidatePage(QWidget):
    """Seven checks of one panel, a line each; the selected one's picture, choices and words stand beside them."""

    id, title, place = "validate", "Validate", "validate"

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._editor = workbench, workbench.editor
        self._controller, self._checks = workbench.controller, workbench.checks
        self._lines: tuple[CheckLine, ...] = ()
        self._column = spaced(QVBoxLayout(self), 12, 4, 12, 4, spacing=4)
        self._make_head(self._column)
        self._built = False
        self.soon = Soon(self, milliseconds=60, do=self.refresh)
        for signal in (self._checks.changed, self._controller.panel_changed, self._editor.focus_changed):
            signal.connect(self._changed)
        for signal in (workbench.common.changed, workbench.neighbours.changed, workbench.verdicts.changed):
            signal.connect(self._changed)

    def _make_head(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.panel = ChoiceBox("Panel that is examined", {}, 240)
        self.panel.setMinimumWidth(180)
        self.panel.activated.connect(lambda _: self._editor.focus(self.panel.value))
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(120, 3)
        self.bar.setAccessibleName("Runs that have ended")
        self.run_all = QPushButton("Run all")
        self.run_all.clicked.connect(self.compute_all)
        row.addWidget(QLabel("Panel"))
        row.addWidget(self.panel)
        row.addStretch(1)
        row.addWidget(self.bar)
        row.addWidget(self.run_all)
        self.bar.hide()

    def _make_cards(self) -> None:
        """Make the list and the details when the page is first shown, so that a new window opens sooner."""
        self._built = True
        self.list, self.detail = CheckRows(), QStackedWidget()
        self.null = NullCard(self._editor, self._checks)
        self.common = CommonCard(self._workbench.common)
        self.stability = StabilityCard(self._editor, self._checks)
        self.coordinates = CoordinatesCard(self._editor)
        self.neighbours = NeighboursCard(self._editor, self._workbench.neighbours)
        self.outliers, self.pieces = (ViewsCard(s, self._editor, self._controller) for s in ("outliers", "pieces"))
        self.cards = dict(
            zip(
                self.list.rows,
                (self.null, self.common, self.stability, self.coordinates, self.neighbours, self.outliers, self.pieces),
                strict=True,
            )
        )
        for card in self.cards.values():
            self.detail.addWidget(card)
        row = spaced(QHBoxLayout(), spacing=20)
        self._column.addLayout(row, 1)
        row.addWidget(self.list, 45)
        row.addWidget(self.detail, 55)
        self.list.setCurrentRow(list(self.cards).index(self._workbench.settings.check))
        self._show_detail()
        self.list.currentRowChanged.connect(self._choose)
        self.list.run.connect(self._run)
        self.list.entered.connect(self._enter)

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
            for card in self.cards.values():
                card.apply_theme()
            self.soon.ask()

    # The list and its detail ------------------------------------------------------------------------------------

    @property
    def selected(self) -> CheckId:
        """The check whose detail is on show."""
        return list(self.cards)[max(0, self.list.currentRow())]

    def _choose(self, row: int) -> None:
        if row >= 0:
            self._workbench.change_settings(check=self.selected)
            self._show_detail()

    def _show_detail(self) -> None:
        self.detail.setCurrentWidget(self.cards[self.selected])

    def _enter(self) -> None:
        """Give the focus to the first control of the detail."""
        card = self.cards[self.selected]
        wanted = Qt.FocusPolicy.TabFocus
        inside = (w for w in card.findChildren(QWidget) if w.isVisible() and w.isEnabled() and w.focusPolicy() & wanted)
        first = next(inside, None)
        if first is not None:
            first.setFocus(Qt.FocusReason.TabFocusReason)

    def _run(self, id: CheckId) -> None:
        """Run a check by its row's button, or stop it."""
        runs = {
            "permutation": self.null.click,
            "common": self.common.click,
            "stability": self.stability.click,
            "neighbours": self.neighbours.click,
        }
        self.list.setCurrentRow(list(self.cards).index(id))
        runs[id]()

    def compute_all(self) -> None:
        """Run all that was not run for the present picture, or by too few runs to tell."""
        if self._built:
            self.null.ask()
            self.common.ask()
            if "stability" in self._lacking():
                self.stability.ask()
            self.neighbours.ask()

    def _lacking(self) -> set[CheckId]:
        """The checks that *Run all* runs."""
        lacking = {check.id for check in self._lines if check.button and check.standing in ("open", "stale")}
        permutation = next((c for c in self._lines if c.id == "permutation"), None)
        few = permutation is not None and permutation.answered and self.null.lacks
        return lacking | {"permutation"} if few else lacking

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

    def _changed(self, _: object) -> None:
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
        reason, check_list = reason_against(panel, result), self._workbench.check_list
        self._lines = check_list.of(panel.id)
        by_id, regimes = {check.id: check for check in self._lines}, check_list.regimes(result)
        self.null.show_panel(panel, result, reason, shuffles(data))
        self.common.show_panel(panel.id, by_id["common"])
        self.stability.show_panel(panel, result, reason)
        self.coordinates.show_panel(panel, result)
        self.neighbours.show_table(state, "")
        self.outliers.show_panel(panel, result, by_id["outliers"], regimes)
        self.pieces.show_panel(panel, result, by_id["pieces"], regimes)
        self.list.show_lines(self._lines, checks.done / max(1, checks.total))
        self.bar.setRange(0, max(1, checks.total))
        self.bar.setValue(checks.done)
        self.bar.setVisible(checks.running)
        lacking = self._lacking()
        self.run_all.setEnabled(bool(lacking))
        what = (
            "Run every check that was not run for the present picture"
            if lacking
            else "All that can be run has been run"
        )
        self.run_all.setToolTip(what)

    def figures(self) -> tuple[Figure, ...]:
        """The answers that are drawn, those of the details behind the selected one as well."""
        cards = self.cards.values() if self._built else ()
        return tuple(figure for card in cards if card.answered for figure in card.figures())

    def _show_nothing(self) -> None:
        self._lines = ()
        self.bar.hide()
        self.run_all.setEnabled(False)
        self.list.show_lines((), 0.0)
        for card in self.cards.values():
            card.show_empty("No panel is open.")
