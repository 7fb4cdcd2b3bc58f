"""The menus of the check list, and the last line of the import page: how far reading is, open or cancel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.session.settings import MEBIBYTE
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Sentence
from mvexplorer.wording import counted

Choice = tuple[str, Any]
CHOICES: dict[str, tuple[Choice, ...]] = {
    "join": (
        ("automatically", None),
        ("by id", "id"),
        ("by position", "position"),
        ("by id, shared only", "intersect"),
    ),
    "half": (("both halves", "both"), ("training half", "train"), ("test half", "test")),
    "samples": (("all samples", None), ("samples in all views", "intersection"), ("samples in any view", "union")),
}
TIPS = {
    "join": "How the rows of several files are matched",
    "half": "Which samples of a file with a training and a test half",
    "samples": "Which samples are kept where a view has not all of them",
}
TITLES = {"join": "Join rows", "half": "Halves", "samples": "Samples"}


class OptionBox(QComboBox):
    """One option of reading, by name."""

    def __init__(self, name: str, choices: Sequence[Choice], importing: Importing) -> None:
        super().__init__()
        self.name, self._importing = name, importing
        for words, value in choices:
            self.addItem(words, value)
        self.setToolTip(TIPS[name])
        self.setAccessibleName(TITLES[name])
        self.activated.connect(self._chosen)

    def refresh(self) -> None:
        """Show the present value."""
        index = self.findData(getattr(self._importing.options, self.name))
        self.setCurrentIndex(max(0, index))

    def _chosen(self, index: int) -> None:
        words, value = self.itemText(index), self.itemData(index)
        self._importing.choose(f"{TITLES[self.name]} {words}", **{self.name: value})


def option_boxes(importing: Importing) -> dict[str, OptionBox]:
    """The menus of the pairing's card."""
    return {name: OptionBox(name, choices, importing) for name, choices in CHOICES.items()}


class ChoicesBar(QWidget):
    """Follows an `Importing`; the page follows its buttons."""

    def __init__(self, importing: Importing) -> None:
        super().__init__()
        self._importing = importing
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=8)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, 100)
        self.progress.setFixedHeight(4)
        self.progress.setAccessibleName("Reading")
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps)
        column.addWidget(self.progress)
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.words = Sentence()
        self.words.setProperty("role", "muted")
        row.addWidget(self.words, 1)
        self._add_buttons(row)
        importing.progressed.connect(self.show_progress)

    def _add_buttons(self, row: QHBoxLayout) -> None:
        self.stop = QPushButton("Stop")
        self.stop.setToolTip("Stop reading; what was found before stays")
        self.stop.clicked.connect(self._stop_or_go_on)
        self.cancel = QPushButton("Cancel")
        self.cancel.setToolTip("Leave the window as it is (Esc)")
        self.open = QPushButton("Open")
        self.open.setProperty("role", "primary")
        self.open.setToolTip("Show these samples (Ctrl+Return)")
        self.open.setShortcut("Ctrl+Return")
        self.open.clicked.connect(lambda: self._importing.open())
        for button in (self.stop, self.cancel, self.open):
            button.setMinimumWidth(80)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def _stop_or_go_on(self) -> None:
        if self._importing.state == "reading":
            self._importing.stop()
        else:
            self._importing.read()

    def refresh(self) -> None:
        """Show the present choices and how far reading is."""
        importing, reading = self._importing, self._importing.state == "reading"
        self.progress.setVisible(reading)
        self.show_progress()
        self.stop.setVisible(importing.state != "ready")
        self.stop.setText("Stop" if reading else "Read again")
        self.open.setEnabled(importing.can_open)
        self.open.setText("Opens when read" if importing.opens_soon else "Open")
        words = self._words()
        self.words.set_words(words)

    def show_progress(self) -> None:
        """Show how much is read; a bar that moves to and fro until that is known."""
        fraction = self._importing.fraction
        self.progress.setRange(0, 100 if fraction > 0 else 0)
        self.progress.setValue(round(100 * fraction))

    def _words(self) -> str:
        importing, inspection = self._importing, self._importing.inspection
        if importing.state == "reading":
            return "Reading …"
        if importing.state == "stopped":
            return "Reading was stopped." if importing.problem is None else "The files could not be read."
        if inspection is None:
            return ""
        if inspection.loaded is None:
            return "These files cannot be opened yet; the check list says why."
        count = "" if inspection.n_samples is None else counted(inspection.n_samples, "sample")
        memory = f"up to {numbers.size(inspection.memory)}" if inspection.memory >= MEBIBYTE else ""
        return " · ".join(filter(None, (count, memory)))
