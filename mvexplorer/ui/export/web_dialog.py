"""The dialog for what a web page holds beside the panels, and whether the samples' ids are in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from mvexplorer.state.session.settings import PageChoice
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.export_dialog import ExportCard
from mvexplorer.ui.widgets.plain_text import Label, line
from mvexplorer.wording import counted


@dataclass(frozen=True)
class PageOffer:
    """The things there are to ask about; of a kind that is not there, nothing is asked."""

    ids: Sequence[str] = ()
    """The samples' ids, unless they are mere numbers."""
    colourings: bool = False
    """Whether there are others than the present one."""
    selections: int = 0
    snapshots: int = 0
    live: bool = False
    """Whether there are panels that can follow ε."""
    eta: bool = False
    """Whether there are some that have an η."""
    larger: Callable[[bool, bool], int] = lambda _solid, _eta: 0
    """About how many bytes it takes that they follow, in three dimensions as well, and at other η."""

    @property
    def asks(self) -> bool:
        """Whether there is anything to ask."""
        return bool(self.ids or self.colourings or self.selections or self.snapshots or self.live)


class WebPageDialog(ExportCard):
    """Ids, colourings, selections, snapshots and ε; `chosen` carries the choice, and whether ids are kept."""

    chosen = Signal(object, bool)

    def __init__(self, offer: PageOffer, present: PageChoice, parent: QWidget) -> None:
        super().__init__("Export web page", parent)
        self._offer = offer
        self._make(present)
        self._lay_out()
        self.ids.currentIndexChanged.connect(self._show)
        self.save.clicked.connect(self._take)
        self._show()
        self._show_live()

    def _make(self, present: PageChoice) -> None:
        offer = self._offer
        self.ids, self.colourings = QComboBox(), QComboBox()
        self.ids.addItems(["Keep them in the page", "Leave them out"])
        self.ids.setAccessibleName("Sample ids")
        self.told = Label(role="muted", wraps=True)
        self.colourings.addItems(["All in a menu, with their values", "This one only"])
        self.colourings.setCurrentIndex(0 if present.all_colourings else 1)
        self.colourings.setAccessibleName("Colourings")
        self.selections = QCheckBox(_with(offer.selections, "named selection"))
        self.snapshots = QCheckBox(_with(offer.snapshots, "snapshot"))
        self.live = QCheckBox("Its reader can move ε")
        self.live.setChecked(present.live)
        self.live.setToolTip("All panels follow in any browser. Their pictures over the range of ε are computed before")
        self.live_eta, self.live_3d = QCheckBox("And choose η, in stops"), QCheckBox("And see them in 3-D")
        self.live_eta.setChecked(present.live_eta)
        self.live_eta.setToolTip("Of the panels that have an η. Each stop takes as long as the rest of their pictures")
        self.live_3d.setChecked(present.live_3d)
        self.live_3d.setToolTip("A third coordinate of each panel, which the reader turns on")
        self.larger = Label(role="muted", wraps=True)
        self.selections.setChecked(present.selections)
        self.snapshots.setChecked(present.snapshots)
        self.snapshots.setToolTip("Each with its panels, which are computed before the file is written")

    def _lay_out(self) -> None:
        offer = self._offer
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        column.addWidget(Label("Export web page", "section"))
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        column.addLayout(form)
        form.addRow("Sample ids", self.ids)
        form.addRow(self.told)
        form.addRow("Colourings", self.colourings)
        form.addRow(self.selections)
        form.addRow(self.snapshots)
        form.addRow(self.live)
        form.addRow(self.live_3d)
        form.addRow(self.live_eta)
        form.addRow(self.larger)
        for one in (self.live, self.live_3d, self.live_eta):
            one.toggled.connect(self._show_live)
        self._form = form
        ids, counts = bool(offer.ids), (offer.selections, offer.snapshots)
        rows = ids, ids, offer.colourings, *(count > 0 for count in counts), offer.live
        for row, there in enumerate(rows):
            form.setRowVisible(row, there)
        buttons = QHBoxLayout()
        column.addLayout(buttons)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        self.setFixedWidth(360)

    def _show_live(self) -> None:
        """Offer what goes with a live ε only where that is wanted, and say what it takes."""
        wanted = self._offer.live and self.live.isChecked()
        for row, there in ((self.live_3d, True), (self.live_eta, self._offer.eta), (self.larger, True)):
            self._form.setRowVisible(row, wanted and there)
        eta = self._offer.eta and self.live_eta.isChecked()
        megabytes = max(0.1, self._offer.larger(self.live_3d.isChecked(), eta) / 1e6)
        self.larger.setText(f"Up to about {megabytes:.1f} MB more in the file.")
        self.adjustSize()

    @property
    def keeps_ids(self) -> bool:
        """Whether ids are to be in the file."""
        return self.ids.currentIndex() == 0

    @property
    def choice(self) -> PageChoice:
        """The present choice, but for ids, which are asked about each time."""
        return PageChoice(
            all_colourings=self.colourings.currentIndex() == 0,
            selections=self.selections.isChecked(),
            snapshots=self.snapshots.isChecked(),
            live=self.live.isChecked(),
            live_eta=self.live_eta.isChecked(),
            live_3d=self.live_3d.isChecked(),
        )

    def _show(self) -> None:
        if not self._offer.ids:
            return
        more = len(self._offer.ids) - 1
        first = f"“{line(self._offer.ids[0], 40)}”{f' and {more:,} more' if more else ''}"
        if self.keeps_ids:
            self.told.setText(f"{first} can be read by everybody who has the file.")
        else:
            self.told.setText(f"{first} will not be in the file.")

    def _take(self) -> None:
        choice, keeps_ids = self.choice, self.keeps_ids
        self.close()
        self.chosen.emit(choice, keeps_ids)


def _with(count: int, noun: str) -> str:
    return f"With the {noun if count == 1 else counted(count, noun)}"
