"""Outliers and pieces: the graphs of the views in a table, and buttons for what helps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.figures import Figure
from mvexplorer.state.batches.check_rules import RULES, CheckLine
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.pages.check_card import CheckCard
from mvexplorer.ui.pages.validate.rows_table import RowsTable
from mvexplorer.ui.panels.cures import cures
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.cure_card import Cure
from mvexplorer.ui.widgets.plain_text import caption, retire, tip
from mvexplorer.wording import in_percent

Subject = Literal["outliers", "pieces"]
HEADS: Mapping[Subject, tuple[str, ...]] = {
    "outliers": ("View", "Samples alone", "Far from all others"),
    "pieces": ("View", "Pieces", "Neighbours of a sample"),
}
MOST_CURES = 3


class ViewsCard(CheckCard):
    """A row for each view of the picture; the cures stand above it where the check is in doubt."""

    def __init__(self, subject: Subject, editor: Editor, controller: Controller) -> None:
        self._subject: Subject = subject
        self._editor, self._controller = editor, controller
        self.buttons: list[QPushButton] = []
        self._bar = QWidget()
        self._row = spaced(QHBoxLayout(self._bar), 0, 0, 0, 0, spacing=8)
        self.table = RowsTable(f"{RULES[subject][0]}, view by view", HEADS[subject])
        super().__init__("", RULES[subject][1], (self._bar,), self.table, 280)

    def show_panel(
        self, panel: PanelState, result: PanelResult, check: CheckLine, regimes: Mapping[str, Regime]
    ) -> None:
        """Show the views of a picture, and what helps it."""
        embedding = None if result.result is None else result.result.embedding
        helps = check.standing == "doubtful" and (self._subject == "outliers" or result.in_pieces)
        offered = cures(panel, result, self._editor, self._controller) if helps else []
        self._offer([*self._far(regimes), *offered][:MOST_CURES])
        if embedding is None:
            self.show_empty(f"{check.result[:1].upper()}{check.result[1:]}.")
            return
        epsilon = dict(zip(embedding.views, embedding.epsilon, strict=False))
        rows = [self._cells(view, regimes.get(view), epsilon.get(view, float("nan"))) for view in embedding.views]
        self.table.show_rows(rows)
        self.show_answer(f"{check.result[:1].upper()}{check.result[1:].rstrip('.')}.", outdated=result.stale)

    def _cells(self, view: str, regime: Regime | None, epsilon: float) -> tuple[str, ...]:
        """A view's row: facts that depend on ε only where they are of the picture's own."""
        if regime is None:
            return view, "–", "–"
        facts = regime.facts
        own = not np.isfinite(epsilon) or bool(np.isclose(facts.epsilon, epsilon))
        if self._subject == "outliers":
            return view, in_percent(facts.alone) if own else "–", ", ".join(facts.names) or "none"
        return view, str(facts.pieces) if own else "–", numbers.number(facts.neighbours, 2) if own else "–"

    def _far(self, regimes: Mapping[str, Regime]) -> list[Cure]:
        """A button that selects the samples far from all others."""
        rows = sorted({sample for regime in regimes.values() for sample in regime.facts.far})
        if not rows or self._subject != "outliers":
            return []
        words = "Selects the samples that lie far from all others in some view, in every picture."
        return [
            ("Select those far from all others", words, lambda: self._editor.select(rows, origin="far from others"))
        ]

    def _offer(self, offered: Sequence[Cure]) -> None:
        """Offer what helps; the buttons stay, and keep the focus, while it is the same."""
        if [button.text() for button in self.buttons] != [caption(words) for words, _, _ in offered]:
            for button in self.buttons:
                retire(button)
            self.buttons = [QPushButton() for _ in offered]
            for button in self.buttons:
                self._row.addWidget(button)
        self._do: list[Callable[[], object]] = [do for _, _, do in offered]
        for place, (button, (words, why, _)) in enumerate(zip(self.buttons, offered, strict=True)):
            if not button.text():
                button.setText(caption(words))
                button.clicked.connect(lambda _=False, place=place: self._do[place]())
            button.setToolTip(tip(why))
        self._bar.setVisible(bool(offered))

    def figures(self) -> tuple[Figure, ...]:
        """The table."""
        title = f"{RULES[self._subject][0]} of the views"
        return (Figure(title, self.table.body, self.words.toolTip()),)
