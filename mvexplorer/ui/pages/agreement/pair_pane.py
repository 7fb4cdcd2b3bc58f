"""Two panels compared: how many samples changed their neighbours by how much, and what to do about it."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.comparison import FEWEST
from mvexplorer.state.document.comparison import MOST as MOST_NEIGHBOURS
from mvexplorer.ui.panels.pair_lines import MOST
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, Name
from mvexplorer.ui.widgets.plots.share_histogram import ShareHistogram

NEXT, BACK = "Next most changed sample", "Previous most changed sample"
"""The actions that go through the samples in the order of disagreement."""


class PairPane(QWidget):
    """The histogram of the pair's disagreement, brushable, and the ways on from it."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench, self._comparer, self._editor = workbench, workbench.comparer, workbench.editor
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=2)
        self.title = Name(role="section")
        self.why, self.about = Name(role="muted"), Name(role="muted")
        self.histogram = ShareHistogram("Samples by disagreement: fraction of neighbours not shared")
        self.histogram.setToolTip("Drag over bars to select their samples")
        self.histogram.brushed.connect(self._brush)
        for widget in (self.title, self.why, self.about):
            column.addWidget(widget)
        column.addWidget(self.histogram, 1)
        self._make_ways(column)

    def _make_ways(self, column: QVBoxLayout) -> None:
        first, second = spaced(QHBoxLayout(), 0, 0, 0, 0, spacing=8), spaced(QHBoxLayout(), 0, 0, 0, 0, spacing=8)
        for row in (first, second):
            column.addLayout(row)
        self.colour = QPushButton("Colour by disagreement")
        self.colour.setToolTip("Colour the points of all panels by the disagreement of this pair")
        self.colour.clicked.connect(lambda: self._editor.colour_by(self._comparer.colour_source))
        self.next = QPushButton(NEXT)
        keyed_tip(self.next, "Select the sample with the next highest disagreement in all panels", NEXT)
        self.next.clicked.connect(lambda: self._comparer.step(1))
        self.lines = QCheckBox("Lines")
        self.lines.clicked.connect(self._show_lines)
        self.k = NumberField("Neighbours compared", 48)
        self.k.entered.connect(self._set_k)
        neighbours = Label("k")
        for each in (neighbours, self.k):
            each.setToolTip("Nearest neighbours of each sample that are compared, on all coordinates of a panel")
        first.addWidget(self.colour)
        first.addWidget(self.lines)
        first.addStretch(1)
        second.addWidget(self.next)
        second.addStretch(1)
        second.addWidget(neighbours)
        second.addWidget(self.k)

    # What is shown ------------------------------------------------------------------------------------------

    def show_pair(self) -> None:
        """Bring everything up to date."""
        comparer, state = self._comparer, self._workbench.document.state
        pair, values, agreement = comparer.pair, comparer.values, comparer.agreement
        self.title.set_words(" and ".join(comparer.titles[id] for id in pair) if pair else "")
        self.why.set_words(comparer.pair_words)
        self.why.setVisible(bool(comparer.pair_words))
        self.about.set_words(self._words())
        compared = pair is not None and values is not None and agreement is not None
        self.histogram.setEnabled(compared)
        for button in (self.colour, self.next):
            button.setEnabled(compared)
        self.histogram.words = f"fraction of {comparer.n_neighbours} nearest neighbours not shared"
        parts = comparer.n_neighbours if agreement is None else agreement.k
        rows = np.array(state.selection, dtype=np.intp)
        shares = np.empty(0) if values is None else values
        self.histogram.show_values(shares, parts, rows[rows < len(shares)])
        self.histogram.show_stretch(comparer.brushed())
        self.lines.setChecked(comparer.choices.lines)
        self.k.show_text(str(comparer.choices.k))
        many = len(state.selection) > MOST
        also = f": the {MOST} of {len(state.selection):,} with the highest disagreement" if many else ""
        self.lines.setToolTip(f"Join each selected sample in both panels by a line{also}")

    def figure(self) -> Figure | None:
        """The histogram for a file; None where nothing is compared."""
        if not self.histogram.isEnabled():
            return None
        title = f"Disagreement of {self.title.accessibleName()}"
        return Figure(title, self.histogram.curves(), self._words())

    def _words(self) -> str:
        """The pair in a sentence, or why there is nothing to say."""
        comparer = self._comparer
        values, agreement, pair = comparer.values, comparer.agreement, comparer.pair
        if pair is not None and agreement is not None and values is None:
            missing = [id for id in pair if id not in comparer.comparable]
            titles = " and ".join(comparer.titles[id] for id in missing)
            return f"{titles} has no picture to compare." if missing else "Comparing …"
        if values is None or agreement is None:
            return "Comparing …"
        mean, chance = numbers.fraction(float(np.nanmean(values))), numbers.fraction(agreement.by_chance)
        stale = "out of date: " if comparer.stale else ""
        return f"{stale}mean disagreement {mean}, by chance {chance}"

    # Commands -----------------------------------------------------------------------------------------------

    def _brush(self, first: int, last: int) -> None:
        low, high = self.histogram.ends(first, last)
        rows = self._comparer.between(low, high)
        shares = [numbers.fraction(value) for value in (max(0.0, low), min(1.0, high))]
        origin = f"disagreement of {self.title.accessibleName()}, {shares[0]} to {shares[1]}"
        self._editor.select(rows.tolist(), origin=origin)
        self.show_pair()

    def _show_lines(self, on: bool) -> None:
        self._editor.change_comparison("Join two panels by lines" if on else "No lines between panels", lines=on)

    def _set_k(self, text: str) -> None:
        number = int(text) if text.strip().isdigit() else 0
        possible = FEWEST <= number <= MOST_NEIGHBOURS
        self.k.set_wrong(not possible)
        if possible:
            self._editor.change_comparison(f"Compare {number} neighbours", k=number)
