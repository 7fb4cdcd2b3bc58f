"""The dialog for numbers to a file: their kinds, panels and form, in one card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.state.session.settings import NumbersChoice
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.export_dialog import ExportCard
from mvexplorer.ui.widgets.plain_text import Label, caption, line

FORMS = {
    "csv": ("CSV tables", ".csv"),
    "parquet": ("Parquet tables", ".parquet"),
    "npz": ("NPZ arrays (numpy)", ".npz"),
    "obsm": ("obsm of a copy of the file (AnnData)", ""),
    "points": ("Points for Embedding Atlas", ".parquet"),
}
"""The forms with their words and endings; that of the copy is its file's."""
TABLES = ("csv", "parquet", "npz")
"""The forms for which the kinds of numbers are chosen."""
KINDS = {
    "coordinates": ("Coordinates", "One row per sample: id, label, and all computed coordinates"),
    "scores": ("Scores", "One row per panel: method, views, ε, parameters, every score"),
    "spectrum": ("Spectrum", "The computed eigenvalues, the trivial one first"),
    "selection": ("Selection", "The selected samples: id, label, row"),
    "neighbours": ("Neighbours", "The 15 nearest samples of each in the computed coordinates, and their distances"),
    "distances": ("Distances from", "The distance of every sample from one: in a diffusion map the diffusion distance"),
}
"""The kinds with their words and what they hold."""


@dataclass(frozen=True)
class Offered:
    """The numbers there are to write: of the focused panel or all panels, and the samples, named and selected."""

    focused: str
    panels: int
    sample_ids: Sequence[str]
    selection: Sequence[int]
    copied: str
    """The name of the AnnData or MuData file that the data came from; empty where it came from anything else."""
    refused: str
    """Why there can be no copy, in a sentence."""
    formulas: bool = False
    """Whether some ids, labels or names are formulas for a spreadsheet."""


class NumbersDialog(ExportCard):
    """Kinds of numbers, panels and form; `chosen` carries the choice and the row from which distances are taken."""

    chosen = Signal(object, int)

    def __init__(self, offered: Offered, present: NumbersChoice, parent: QWidget) -> None:
        super().__init__("Export numbers", parent)
        self._offered = offered
        self._rows = {id: row for row, id in reversed([*enumerate(offered.sample_ids)])}
        self._make(present)
        self._lay_out()
        for box in (self.form, self.panels):
            box.currentIndexChanged.connect(self._show)
        for check in (*self.kinds.values(), self.csv_safe):
            check.toggled.connect(self._show)
        self.sample.textChanged.connect(self._show)
        self.save.clicked.connect(self._take)
        self._show()

    def _make(self, present: NumbersChoice) -> None:
        offered = self._offered
        self.form, self.panels = QComboBox(), QComboBox()
        self.form.addItems([words for words, _ in FORMS.values()])
        self.form.setCurrentIndex(list(FORMS).index(present.form))
        self.form.setAccessibleName("Format")
        self.panels.addItem(f"All {offered.panels} panels" if offered.panels > 1 else "The panel")
        if offered.focused:
            self.panels.addItem(line(offered.focused, 36))
            self.panels.setCurrentIndex(0 if present.all_panels else 1)
        self.panels.setAccessibleName("Panels")
        self._make_kinds(present)
        self.csv_safe = QCheckBox("Apostrophe before = + - @")
        about = (
            "Spreadsheets take ids, labels and names that begin with = + - or @ for formulas. With an apostrophe "
            "before them they do not; but they no longer pair with the names in other files. For all CSV files that "
            "the window writes."
        )
        self.csv_safe.setToolTip(about)
        self.csv_safe.setChecked(present.csv_safe)
        self.told = Label(wraps=True)
        self.told.setMinimumHeight(48)
        self.told.setAlignment(Qt.AlignmentFlag.AlignTop)

    def _make_kinds(self, present: NumbersChoice) -> None:
        offered = self._offered
        self.kinds = {kind: QCheckBox(words) for kind, (words, _) in KINDS.items()}
        for kind, check in self.kinds.items():
            check.setToolTip(KINDS[kind][1])
            check.setChecked(kind in present.kinds)
        if offered.selection:
            self.kinds["selection"].setText(f"Selection ({len(offered.selection):,})")
        first = offered.selection[0] if offered.selection else 0
        self.sample = QLineEdit(caption(offered.sample_ids[first]) if offered.sample_ids else "")
        self.sample.setAccessibleName("Sample from which distances are taken")
        self.sample.setCursorPosition(0)

    def _lay_out(self) -> None:
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        heading = Label("Export numbers", "section")
        column.addWidget(heading)
        self._form_layout(column)
        column.addSpacing(8)
        self._kinds_layout(column)
        column.addWidget(self.csv_safe)
        column.addSpacing(8)
        column.addWidget(self.told)
        buttons = QHBoxLayout()
        column.addLayout(buttons)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        self.setFixedWidth(400)

    def _form_layout(self, column: QVBoxLayout) -> None:
        form = QFormLayout()
        column.addLayout(form)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        for name, box in (("Format", self.form), ("Panels", self.panels)):
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            form.addRow(name, box)

    def _kinds_layout(self, column: QVBoxLayout) -> None:
        grid = QGridLayout()
        column.addLayout(grid)
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        for place, kind in enumerate(k for k in KINDS if k != "distances"):
            grid.addWidget(self.kinds[kind], place // 2, place % 2)
        grid.addWidget(self.kinds["distances"], 3, 0)
        grid.addWidget(self.sample, 3, 1)

    @property
    def choice(self) -> NumbersChoice:
        """The present choice."""
        kinds = tuple(kind for kind, check in self.kinds.items() if check.isChecked())
        every, safe = self.panels.currentIndex() == 0, self.csv_safe.isChecked()
        return NumbersChoice(form=self._form, kinds=kinds, all_panels=every, csv_safe=safe)

    @property
    def _form(self) -> str:
        return list(FORMS)[self.form.currentIndex()]

    def _wanted(self) -> list[str]:
        """The kinds that will be written: chosen, and there."""
        return [kind for kind in self.choice.kinds if kind != "selection" or self._offered.selection]

    def _show(self) -> None:
        of_tables = self._form in TABLES
        for kind, check in self.kinds.items():
            check.setEnabled(of_tables and (kind != "selection" or bool(self._offered.selection)))
        self.sample.setEnabled(of_tables and self.kinds["distances"].isChecked())
        self.csv_safe.setEnabled(self._form == "csv")
        problem = self._problem()
        self.told.setText(problem or self._words())
        self.told.set_role("error" if problem else "muted")
        self.save.setEnabled(not problem)

    def _problem(self) -> str:
        """Tell in a sentence why this cannot be written; empty if it can."""
        if self._form == "obsm":
            return self._offered.refused
        if self._form in TABLES:
            if not self._wanted():
                only = self.choice.kinds == ("selection",)
                return "Nothing is selected: select samples first, or tick something else." if only else "Tick a kind."
            if self.kinds["distances"].isChecked() and self.sample.text() not in self._rows:
                return "No sample has this name: type its id as the point card shows it."
        return ""

    def _words(self) -> str:
        """Tell in a sentence what will be written."""
        count = self._offered.panels if self.choice.all_panels else 1
        if self._form == "obsm":
            return line(f"A copy of {self._offered.copied}: X_mvx_… in obsm, NaN for samples left out.", 90)
        if self._form == "points":
            files = "One file" if count == 1 else f"{count} files"
            return f"{files} with x, y, label, id, selected and neighbors, which jupyter-scatter takes as well."
        if self._form == "npz":
            return "One file, read by numpy.load without pickle."
        per_panel = sum(kind in ("coordinates", "distances", "neighbours") for kind in self._wanted())
        tables = count * per_panel + len(self._wanted()) - per_panel
        words = "One table" if tables == 1 else f"{tables} files with a common prefix"
        if self._form == "csv" and self._offered.formulas and not self.csv_safe.isChecked():
            return f"{words} and a .json file. Some names begin with = + - or @: formulas for a spreadsheet."
        return f"{words}. Parameters are saved in {'a .json file' if self._form == 'csv' else 'their metadata'}."

    def _take(self) -> None:
        choice, row = self.choice, self._rows.get(self.sample.text(), 0)
        self.close()
        self.chosen.emit(choice, row)
