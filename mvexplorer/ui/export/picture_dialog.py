"""The dialog for a picture's content and caption, in the same card as its format and size."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from mvexplorer.errors import MVExplorerError
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.export.figure_layout import INCH
from mvexplorer.ui.export.figure_sheet import OF_STABILITY
from mvexplorer.ui.export.paper_bundle import BUNDLE
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.export_dialog import FORMATS, RESOLUTIONS, UNIT_DPI, ExportDialog, number_in
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, line, tip


@dataclass(frozen=True)
class FigureTicks:
    """The parts of a figure that are chosen anew each time: panels by their places, kinds of overlays."""

    panels: tuple[int, ...]
    overlays: frozenset[str] = frozenset()


@dataclass(frozen=True)
class OfferedParts:
    """The parts of a figure that can be chosen: titles of panels, and overlays by their kinds."""

    panels: Sequence[str] = ()
    overlays: Mapping[str, str] = field(default_factory=dict)


class PictureDialog(ExportDialog):
    """The card of `ExportDialog`, with what is shown (all panels, the focused one, the window), as what, and captions.

    `size_of` gives the size of the picture that is chosen, of a figure in tenths of a point; MVExplorerError says why
    there is none. `copied` asks for it on the clipboard, at a scale.
    """

    copied = Signal(float)
    formats = MappingProxyType({**FORMATS, "Paper bundle": BUNDLE})

    def __init__(
        self,
        size_of: Callable[[PictureChoice, FigureTicks], QSize],
        focused: str,
        present: PictureChoice,
        dpi: float,
        parent: QWidget,
        offered: OfferedParts = OfferedParts(),
    ) -> None:
        self._ready = False
        self._problem = ""
        self._screen_dpi = dpi
        super().__init__(QSize(UNIT_DPI, UNIT_DPI), dpi, parent)
        self._size_of = size_of
        self._make(focused, present)
        self._make_parts(present, offered)
        self._add()
        self._take_target(present.type_size, present.figure_dpi)
        self._ready = True
        self._resize()

    def _make(self, focused: str, present: PictureChoice) -> None:
        self.what, self.target, self.palette_box = QComboBox(), QComboBox(), QComboBox()
        self.what.setAccessibleName("What the picture shows")
        self.what.addItem("All panels", "sheet")
        if focused:
            self.what.addItem(line(focused, 28), "panel")
        self.what.addItem("The window", "window")
        self.what.setCurrentIndex(max(0, self.what.findData(present.what)))
        self.target.setAccessibleName("What the picture is for")
        self.target.addItem("As on screen", "screen")
        for name, target in TARGETS.items():
            self.target.addItem(target.title, name)
        self.target.setCurrentIndex(self.target.findData(present.target))
        self.format.setCurrentIndex([*self.formats.values()].index(present.ending))
        self.format.setItemData(
            self.format.count() - 1,
            "Into a folder: PNG, SVG and PDF, the script that makes them again, the caption, and the coordinates drawn",
            Qt.ItemDataRole.ToolTipRole,
        )
        self.caption, self.beside = QCheckBox("Caption below the picture"), QCheckBox("Caption as separate .txt")
        self.caption.setToolTip("Method, views, kernels, ε, parameters, preprocessing, scores, seed and version")
        self.caption.setChecked(present.caption)
        self.beside.setChecked(present.beside)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Put the picture and its caption on the clipboard")

    def _make_parts(self, present: PictureChoice, offered: OfferedParts) -> None:
        self.type_pt = NumberField("Size of type in pt")
        self.type_pt.setToolTip("Of titles; the rest is smaller, but nothing smaller than 6 pt")
        self.palette_box.setAccessibleName("Palette")
        self.palette_box.addItem("As on screen", "screen")
        self.palette_box.addItem("Safe in grey, and for colour blindness", "safe")
        self.palette_box.setCurrentIndex(self.palette_box.findData(present.palette))
        self.panels, self.overlays = QListWidget(), QListWidget()
        self.panels.setAccessibleName("Panels of the figure")
        self.overlays.setAccessibleName("What lies on the pictures")
        for ticks in (self.panels, self.overlays):
            ticks.setObjectName("ticks")
            ticks.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # views differ at their ends
        for title in offered.panels:
            _add_tick(self.panels, title, "", on=True)
        for kind, words in offered.overlays.items():
            _add_tick(self.overlays, words, kind, on=kind not in OF_STABILITY)
        self.letters = QCheckBox("Letters a, b, c")
        self.letters.setChecked(present.letters)
        self.why_grey = Label("Type, palette, panels and letters can be chosen for a target.", "muted", wraps=True)

    def _add(self) -> None:
        self.rows.insertRow(0, "Picture", self.what)
        self.rows.insertRow(1, "Target", self.target)
        self.rows.addRow("Type (pt)", self.type_pt)
        self.rows.addRow("Palette", self.palette_box)
        self.rows.addRow(self.caption)
        self.rows.addRow(self.beside)
        self.buttons.insertWidget(0, self.copy)
        parts = spaced(QVBoxLayout(), spacing=8)
        self.across.addSpacing(16)
        self.across.addLayout(parts, 1)
        parts.addWidget(Label("Panels"))
        parts.addWidget(self.panels)
        parts.addWidget(self.letters)
        if self.overlays.count():
            parts.addWidget(Label("On the pictures"))
            parts.addWidget(self.overlays)
        parts.addWidget(self.why_grey)
        parts.addStretch(1)
        for ticks in (self.panels, self.overlays):
            rows = min(6, ticks.count())
            ticks.setFixedHeight(rows * max(1, ticks.sizeHintForRow(0)) + 2 * ticks.frameWidth())
            ticks.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedWidth(theme.px(660))
        for box in (self.what, self.palette_box):
            box.currentIndexChanged.connect(self._resize)
        self.target.currentIndexChanged.connect(lambda _: self._take_target(None, None))
        for check in (self.caption, self.letters):
            check.toggled.connect(self._resize)
        for ticks in (self.panels, self.overlays):
            ticks.itemChanged.connect(self._resize)
        self.type_pt.textChanged.connect(self._resize)
        self.copy.clicked.connect(self._copy)

    def _take_target(self, type_size: float | None, dpi: float | None) -> None:
        """Show a target's type and resolution, by default those that are usual there."""
        ready, self._ready = self._ready, False
        target = TARGETS.get(self.target.currentData())
        if target is not None:
            self.type_pt.show_text(f"{type_size or target.type_size:g}")
        self.dpi.show_text(f"{self._screen_dpi if target is None else dpi or target.dpi:g}")
        self._ready = ready
        self._resize()

    @property
    def choice(self) -> PictureChoice:
        """The present choice; None stands for what is usual at its target, or where a field holds no fitting number."""
        target = TARGETS.get(self.target.currentData())
        own: dict[str, float | None] = {}
        if target is not None:
            size, dpi = number_in(self.type_pt, *target.types), number_in(self.dpi, *RESOLUTIONS)
            own = {
                "type_size": None if size == target.type_size else size,
                "figure_dpi": None if dpi == target.dpi else dpi,
            }
        return PictureChoice(
            what=self.what.currentData(),
            ending=self.ending,
            caption=self.caption.isChecked(),
            beside=self.beside.isChecked(),
            target=self.target.currentData(),
            letters=self.letters.isChecked(),
            palette=self.palette_box.currentData(),
            **own,
        )

    @property
    def ticks(self) -> FigureTicks:
        """The parts that are ticked."""
        overlays = frozenset(item.data(Qt.ItemDataRole.UserRole) for item in _ticked(self.overlays))
        return FigureTicks(tuple(self.panels.row(item) for item in _ticked(self.panels)), overlays)

    @property
    def is_raster(self) -> bool:
        return self.ending in (".png", BUNDLE)

    def _resize(self) -> None:
        if not self._ready:
            return
        self._problem = ""
        choice = self.choice
        try:
            self.set_size(self._size_of(choice, self.ticks), INCH if choice.is_figure else UNIT_DPI)
        except MVExplorerError as error:
            self._problem = str(error)
            self._show()

    def _show(self) -> None:
        super()._show()
        if not self._ready:
            return
        choice, alone = self.choice, self.what.currentData() == "panel"
        self.target.setEnabled(choice.what != "window")
        self.panels.setEnabled(choice.is_figure and not alone)
        for widget in (self.type_pt, self.palette_box, self.letters, self.overlays):
            widget.setEnabled(choice.is_figure)
        self.why_grey.setVisible(not choice.is_figure)
        self.width_cm.setEnabled(self.is_raster and not choice.is_figure)
        self.beside.setEnabled(self.ending != BUNDLE)
        target = TARGETS.get(choice.target)
        if choice.is_figure and target is not None and number_in(self.type_pt, *target.types) is None:
            self._problem = "Type of {:g} to {:g} pt".format(*target.types)
        self.save.setEnabled(self.save.isEnabled() and not self._problem)
        self.copy.setEnabled(self.scale is not None and not self._problem)
        words = self._problem or self.pixels.text()
        if choice.is_figure and not self._problem:
            wide, high = (25.4 * side / INCH for side in (self._size.width(), self._size.height()))
            words = f"{wide:.0f} × {high:.0f} mm" + (f", {words}" if self.is_raster else "")
        self.pixels.setText(words)
        self.pixels.set_role("error" if self._problem else "muted")

    def _copy(self) -> None:
        scale = self.scale or 1.0
        self.close()
        self.copied.emit(scale)


def _add_tick(ticks: QListWidget, words: str, kind: str, *, on: bool) -> None:
    item = QListWidgetItem(line(words, 48), ticks)
    item.setToolTip(tip(words))
    item.setData(Qt.ItemDataRole.UserRole, kind)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)


def _ticked(ticks: QListWidget) -> list[QListWidgetItem]:
    items = [ticks.item(row) for row in range(ticks.count())]
    return [item for item in items if item.checkState() == Qt.CheckState.Checked]
