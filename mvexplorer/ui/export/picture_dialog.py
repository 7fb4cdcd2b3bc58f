"""The dialog for a picture's content and caption, in the same card as its format and size."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QPushButton, QWidget

from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.widgets.export_dialog import FORMATS, ExportDialog
from mvexplorer.ui.widgets.plain_text import line


class PictureDialog(ExportDialog):
    """The card of `ExportDialog`, with what is shown (all panels, the focused one, the window) and the caption.

    `size_of` gives the size of the picture that is chosen. `copied` asks for it on the clipboard, at a scale.
    """

    copied = Signal(float)

    def __init__(
        self,
        size_of: Callable[[PictureChoice], QSize],
        focused: str,
        present: PictureChoice,
        dpi: float,
        parent: QWidget,
    ) -> None:
        self._ready = False
        super().__init__(size_of(present), dpi, parent)
        self._size_of = size_of
        self._make(focused, present)
        self._add()
        self._ready = True
        self._resize()

    def _make(self, focused: str, present: PictureChoice) -> None:
        self.what = QComboBox()
        self.what.setAccessibleName("What the picture shows")
        self.what.addItem("All panels", "sheet")
        if focused:
            self.what.addItem(line(focused, 28), "panel")
        self.what.addItem("The window", "window")
        self.what.setCurrentIndex(max(0, self.what.findData(present.what)))
        self.format.setCurrentIndex([*FORMATS.values()].index(present.ending))
        self.caption, self.beside = QCheckBox("Caption below the picture"), QCheckBox("Caption as separate .txt")
        self.caption.setToolTip("Method, views, kernels, ε, parameters, preprocessing, scores, seed and version")
        self.caption.setChecked(present.caption)
        self.beside.setChecked(present.beside)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Put the picture and its caption on the clipboard")

    def _add(self) -> None:
        self.rows.insertRow(0, "Picture", self.what)
        self.rows.addRow(self.caption)
        self.rows.addRow(self.beside)
        self.buttons.insertWidget(0, self.copy)
        self.setFixedWidth(320)
        self.what.currentIndexChanged.connect(self._resize)
        self.caption.toggled.connect(self._resize)
        self.copy.clicked.connect(self._copy)

    @property
    def choice(self) -> PictureChoice:
        """The present choice."""
        return PictureChoice(
            what=self.what.currentData(),
            ending=self.ending,
            caption=self.caption.isChecked(),
            beside=self.beside.isChecked(),
        )

    def _resize(self) -> None:
        self.set_size(self._size_of(self.choice))

    def _show(self) -> None:
        super()._show()
        if self._ready:
            self.copy.setEnabled(self.scale is not None)

    def _copy(self) -> None:
        scale = self.scale or 1.0
        self.close()
        self.copied.emit(scale)
