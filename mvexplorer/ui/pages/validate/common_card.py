"""Shared structure: how far the kernels of every two views agree, and whether that is chance."""

from __future__ import annotations

import numpy as np
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
            self.show_empty(what if check.result == "not run" else _sentence(check.result))
            return
        self.table.show_rows([(" – ".join(pair.views), _cka(pair.cka), short_p(pair.p)) for pair in answer.pairs])
        doubt = f"{_sentence(check.result, answer.views)} " if check.standing == "doubtful" else ""
        words = (
            f"{doubt}CKA is 0 for views that share nothing, and 1 for equal kernels; p by {answer.n} shuffles of one "
            "view's rows, made as in the permutation test."
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


def _cka(value: float) -> str:
    """An alignment without a sign where it is 0, and a dash where there is none."""
    return fraction(round(value, 2) + 0.0) if np.isfinite(value) else "–"


def _sentence(words: str, names: tuple[str, ...] = ()) -> str:
    """The words as a sentence; a name at its beginning stays as it is written."""
    first = words[:1] if names and words.startswith(names) else words[:1].upper()
    return f"{first}{words[1:].rstrip('.')}{'' if words.endswith('?') else '.'}"
