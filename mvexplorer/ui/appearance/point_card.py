"""The card of the kept sample: what it is, what is near it, where walks go from it, how far others are."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.appearance.point_sections import (
    DistanceSection,
    KeptSample,
    NeighbourSection,
    SpreadSection,
    WalkSection,
)
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.sample_card import SampleCard

Section = NeighbourSection | WalkSection | DistanceSection | SpreadSection


class PointCard(QWidget):
    """Sections that fold, under the card of the sample.

    `pointed` carries the sample under the pointer (-1: none), `spread` the number of samples to spread.
    """

    pointed = Signal(int)
    spread = Signal(int)
    resized = Signal()
    """The card needs more or less room."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self._editor = editor
        self._about: KeptSample | None = None
        self.setMinimumWidth(1)  # the side's width is the user's: nothing in the card widens it
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=6)
        self.sample = SampleCard()
        column.addWidget(self.sample)
        self.neighbours = NeighbourSection(editor)
        self.walk = WalkSection(editor)
        self.distances = DistanceSection(editor)
        self.spreading = SpreadSection(editor)
        self.sections: dict[str, Section] = {
            "neighbours": self.neighbours,
            "walk": self.walk,
            "distances": self.distances,
            "spread": self.spreading,
        }
        for name, section in self.sections.items():
            section.folded.connect(partial(self._fold, name))
            column.addWidget(section)
        self.neighbours.pointed.connect(self.pointed)
        self.walk.pointed.connect(self.pointed)
        self.spreading.wanted.connect(self.spread)
        column.addStretch(1)

    def _fold(self, name: str, folded: bool) -> None:
        present = self._editor.state.point.unfolded
        unfolded = tuple(n for n in self.sections if (n in present and n != name) or (n == name and not folded))
        title = self.sections[name].head.text()
        self._editor.change_point(f"{'Fold' if folded else 'Unfold'} {title}", unfolded=unfolded)

    def show_about(self, about: KeptSample) -> None:
        """Show what is known of a sample."""
        self._about = about
        for name, section in self.sections.items():
            section.unfold(name in about.state.point.unfolded)
            if section.head.isChecked():
                section.show_about(about)
        self.resized.emit()

    def compare_with(self, sample: int) -> None:
        """Tell the distances to another sample (-1: to the nearest)."""
        if self._about is not None and self.distances.head.isChecked() and self.isVisible():
            self.distances.compare_with(self._about, sample)
