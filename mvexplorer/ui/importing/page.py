"""The import page: left what is in the files and the first samples, right the check list and the views."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.io.reading.check_list import TREATMENTS, ImportCheck
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.state.bench.import_preview import SampleTable, sample_table
from mvexplorer.state.bench.importing import Importing
from mvexplorer.ui.importing.cards import ImportChecks
from mvexplorer.ui.importing.choices import ChoicesBar, OptionBox, option_boxes
from mvexplorer.ui.importing.items import LETTERS, ROLE_TIPS, ROLE_WORDS, ItemTable
from mvexplorer.ui.importing.sample_heads import SampleHeads
from mvexplorer.ui.importing.views import ViewTable
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import Field
from mvexplorer.ui.widgets.plain_text import Label, Name, sentence, tip
from mvexplorer.ui.widgets.text_table import TextModel, TextTable


class SampleModel(TextModel):
    """The first samples."""

    def __init__(self) -> None:
        super().__init__()
        self._table = SampleTable()

    def show_samples(self, table: SampleTable) -> None:
        """Show these samples."""
        if table != self._table:
            self.beginResetModel()
            self._table, self.heads = table, table.heads
            self.endResetModel()

    def n_rows(self) -> int:
        """How many samples are shown."""
        return len(self._table.rows)

    def cell(self, row: int, column: int) -> str:
        """The text of a cell."""
        return self._table.rows[row][column]


class ImportPage(QWidget):
    """Stands in the window's centre until the files are opened or left."""

    files_wanted = Signal()
    """More files are to be chosen."""
    left = Signal()
    """The page is to be closed, and nothing opened."""

    def __init__(self, importing: Importing) -> None:
        super().__init__()
        self.importing = importing
        self._shown: Inspection | None = None
        self.setAccessibleName("How the files are read")
        self.setObjectName("window")
        column = spaced(QVBoxLayout(self), 16, 16, 16, 8, spacing=8)
        self._make_head(column)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setHandleWidth(16)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self._make_left())
        halves.addWidget(self._make_right())
        halves.setSizes([760, 488])
        halves.setStretchFactor(0, 1)
        halves.setStretchFactor(1, 1)
        column.addWidget(halves, 1)
        self.bar = ChoicesBar(importing)
        self.bar.cancel.clicked.connect(self.left)
        column.addWidget(self.bar)
        importing.changed.connect(self.refresh)
        self.refresh()
        self._hand_keys()

    def close_page(self) -> None:
        """Stop following the files: the page goes."""
        self.importing.changed.disconnect(self.refresh)
        self.importing.progressed.disconnect(self.bar.show_progress)

    def apply_theme(self) -> None:
        """Draw signs and rows in the theme's colours and size."""
        self.checks.apply_theme()
        for table in (self.items, self.views, self.samples):
            table.fit_type()

    # Construction -------------------------------------------------------------------------------------------

    def _make_head(self, column: QVBoxLayout) -> None:
        row, words = QHBoxLayout(), QVBoxLayout()
        column.addLayout(row)
        row.addLayout(words, 1)
        row.setSpacing(8)
        words.setSpacing(0)
        self.title = Name(role="headline")
        lead = Label("Assign a role to each column. The current data stay open until you press Open.", "muted")
        words.addWidget(self.title)
        words.addWidget(lead)
        add = QPushButton("Add files …")
        add.setToolTip("Read more files together with these; files can also be dropped here")
        add.clicked.connect(self.files_wanted)
        row.addWidget(add, 0, Qt.AlignmentFlag.AlignTop)

    def _make_left(self) -> QWidget:
        self.items = ItemTable(self.importing)
        side, column = _column()
        self._make_find(column)
        column.addWidget(self.items, 3)
        self._make_roles(column)
        self.sample_words = Label("", "section")
        self.samples = TextTable(SampleModel(), "The first samples", (), -1)
        self.samples.setHorizontalHeader(SampleHeads(self.samples))
        column.addWidget(self.sample_words)
        column.addWidget(self.samples, 2)
        self.items.selectionModel().selectionChanged.connect(self._show_chosen)
        self.items.model_.modelReset.connect(self._show_chosen)
        return side

    def _make_find(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.count = Label("", "section")
        self.finder = Field()
        self.finder.setPlaceholderText("Find columns")
        self.finder.setAccessibleName("Find columns")
        self.finder.setToolTip("Show only columns and variables whose name holds these letters")
        self.finder.setClearButtonEnabled(True)
        self.finder.setMaximumWidth(200)
        self.finder.textChanged.connect(self.items.model_.filter)
        row.addWidget(self.count, 1)
        row.addWidget(self.finder)

    def _make_roles(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.chosen = Label(role="muted")
        row.addWidget(self.chosen, 1)
        self.roles: dict[str, QPushButton] = {}
        for key, role in LETTERS.items():
            button = self.roles[role] = QPushButton(ROLE_WORDS[role])
            button.setToolTip(tip(f"{ROLE_TIPS[role]} ({key})"))
            button.setAccessibleName(f"Make the selected rows: {ROLE_WORDS[role]}")
            button.clicked.connect(partial(self._choose_role, role))
            row.addWidget(button)
        self.mover = QPushButton("Move to view ▾")
        self.mover.setToolTip("Make the selected columns part of a view, which may be new")
        self.mover.clicked.connect(self._open_views)
        row.addWidget(self.mover)

    def _make_right(self) -> QWidget:
        side, column = _column()
        widest = 760  # pixels: lines of more words are hard to read
        side.setMaximumWidth(theme.px(widest))
        self.checks = ImportChecks()
        self.checks.taken.connect(self.importing.take)
        self.menus = option_boxes(self.importing)
        for menu in self.menus.values():
            menu.setParent(side)
            menu.hide()
        column.addWidget(Label("Check list", "section"))
        column.addWidget(self.checks, 3)
        self.views = ViewTable(self.importing)
        self.turner = QPushButton("Transpose")
        self.turner.setToolTip("Take the columns of the selected view's files as samples, or its rows again")
        self.turner.clicked.connect(self._turn)
        row = QHBoxLayout()
        column.addLayout(row)
        row.addWidget(Label("Views", "section"), 1)
        row.addWidget(self.turner)
        column.addWidget(self.views, 1)
        return side

    # Following the choices ----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show what was chosen and what it leads to."""
        importing = self.importing
        self.title.set_words(f"How {importing.title} is read" if len(importing.files) == 1 else importing.title)
        self.bar.refresh()
        self.views.model_.show_views()
        if importing.inspection is not self._shown:
            self._shown = importing.inspection
            self.items.show_items()
            self.views.fit_height(2)
        self._show_samples()
        self._show_checks()
        self._show_chosen()

    def _show_samples(self) -> None:
        importing, inspection = self.importing, self._shown
        table = sample_table(inspection, importing.prepared)
        model = self.samples.texts
        assert isinstance(model, SampleModel)
        model.show_samples(table)
        n = inspection.n_samples if inspection is not None else None
        nothing = "The samples appear here once the files can be read together."
        shown = f"First {len(table.rows)} of {n:,} samples" if table.rows and n else nothing
        waits = bool(table.rows) and any(map(importing.shown_raw, importing.views))
        self.sample_words.setText(f"{shown}, before preprocessing" if waits else shown)
        self.samples.setVisible(bool(table.rows))
        self.samples.fit_height(3)

    def _show_checks(self) -> None:
        """Show the check list; the keys go to *Open* once the last question was settled by a button."""
        focused = QApplication.focusWidget()
        inside = focused is not None and self.checks.isAncestorOf(focused)
        checks = self.importing.checks
        said = " ".join(remark.text for card in checks for remark in card.remarks)
        assumed = self._shown.notes if self._shown is not None else ()
        notes = [str(note) for note in assumed if note.code not in TREATMENTS and str(note) not in said]
        menus = self._menus_for(checks)
        self.checks.show_checks(checks, sentence("\n".join(dict.fromkeys(notes)), 20_000), menus)
        for menu in self.menus.values():
            menu.refresh()
            menu.setVisible(menu in menus)
        if (inside and not isinstance(focused, OptionBox)) or focused is self.bar.open:
            self._hand_keys()

    def _menus_for(self, checks: Sequence[ImportCheck]) -> tuple[OptionBox, ...]:
        """The menus of the pairing's card: those that mean anything here, and that no choice of ways says already."""
        answers = [one for card in checks for one in card.remarks if one.chosen is not None]
        covered = {name for one in answers for offer in one.offers for name in offer.options} - {"join"}
        return tuple(m for m in self.menus.values() if self.importing.asks(m.name) and m.name not in covered)

    def _hand_keys(self) -> None:
        """Give the keys to *Open* where that is possible, else to the table."""
        (self.bar.open if self.importing.can_open else self.items).setFocus()

    def _show_chosen(self) -> None:
        n, all_ = len(self.items.rows()), len(self.importing.items)
        self.count.setText(f"{all_:,} columns and variables" if all_ else "Nothing found yet")
        self.chosen.setText(f"{n:,} selected" if n else "Select rows to say what they are")
        buttons: list[QPushButton] = [*self.roles.values(), self.mover]
        for button in buttons:
            button.setEnabled(n > 0)
        self.turner.setEnabled(bool(self.importing.views))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.importing.can_open:
            self.importing.open()
        else:
            super().keyPressEvent(event)

    # Doing --------------------------------------------------------------------------------------------------

    def _choose_role(self, role: str, _: bool = False) -> None:
        self.items.choose_role(role)

    def _open_views(self) -> None:
        menu = self.items.view_menu(self)
        menu.popup(self.mover.mapToGlobal(self.mover.rect().bottomLeft()))

    def _turn(self) -> None:
        view = self.views.view()
        if view is not None:
            self.importing.turn_view(view)


def _column() -> tuple[QWidget, QVBoxLayout]:
    side = QWidget()
    column = spaced(QVBoxLayout(side), 0, 0, 0, 0, spacing=8)
    return side, column
