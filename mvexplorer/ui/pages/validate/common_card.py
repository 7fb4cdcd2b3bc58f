"""Shared structure: how far the kernels of every two views agree, and whether that is chance."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from mvexplorer.engine.analysis.common import InCommon, short_p
from mvexplorer.figures import Figure
from mvexplorer.state.batches.check_rules import RULES, CheckLine
from mvexplorer.state.batches.common_structure import CommonStructure
from mvexplorer.ui.pages.check_card import CheckCard
from mvexplorer.ui.pages.validate.rows_table import RowsTable
from mvexplorer.ui.style.formatting import fraction

NAME, RULE = RULES["common"]


class CommonCard(CheckCard):
    """A row for every pair of views."""

    def __init__(self, common: CommonStructure) -> None:
        self._common, self._panel = common, ""
        self.run = QPushButton("Run")
        self.table = RowsTable(f"{NAME}, pair by pair", ("Views", "CKA", "p"))
        super().__init__("", RULE, (self.run,), self.table, 280)
        self.run.clicked.connect(self.click)

    def show_panel(self, panel: str, check: CheckLine) -> None:
        """Show what is known of a panel's views."""
        self._panel = panel
        self.run.setText(check.button or "Run")
        self.run.setEnabled(bool(check.button))
        present, former = self._common.of(panel), self._common.former(panel)
        answer = present if isinstance(present, InCommon) else former
        if answer is None or check.standing not in ("passed", "doubtful", "stale"):
            what = (
                "Whether views share anything: for every two, how far their kernels agree, beside 199 shuffles of one "
                "view's rows. Rows that are paired wrongly share nothing. It needs no labels."
            )
            self.show_empty(what if check.result == "not run" else f"{check.result[:1].upper()}{check.result[1:]}.")
            return
        self.table.show_rows([(" – ".join(pair.views), fraction(pair.cka), short_p(pair.p)) for pair in answer.pairs])
        words = (
            f"CKA: agreement of two kernels, 0 for views that share nothing, 1 for equal ones. p by {answer.n} "
            "shuffles of one view's rows, made as in the permutation test."
        )
        self.show_answer(words, outdated=check.standing == "stale")

    def figures(self) -> tuple[Figure, ...]:
        """The table."""
        return (Figure(f"{NAME} of the views", self.table.body, self.words.toolTip()),)

    def ask(self) -> None:
        """Run, unless it runs or is known."""
        if self.run.isEnabled() and not self._common.running(self._panel):
            self._common.ask(self._panel)

    def click(self) -> None:
        """Run, or stop."""
        if self._common.running(self._panel):
            self._common.stop(self._panel)
        else:
            self._common.ask(self._panel)
