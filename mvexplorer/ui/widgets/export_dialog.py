"""The dialog for a picture's size, which comes before that for its file."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QDialog, QFormLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label

FORMATS = {"PNG, pixels": ".png", "SVG, vectors": ".svg", "PDF, vectors": ".pdf"}
NUMBERS = {"CSV, numbers": ".csv", "JSON, numbers": ".json"}
UNIT_DPI = 96
"""Units of a sheet to the inch."""
CM = 2.54
RESOLUTIONS = (50.0, 1200.0)
MOST_PIXELS = 16_000
"""Most pixels along one side."""


class ExportCard(QDialog):
    """A card of questions with *Save …* and *Cancel*: Return in a box of choices chooses there, and presses neither."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("card")
        self.setAccessibleName(name)
        self.save, self.cancel = QPushButton("Save …"), QPushButton("Cancel")
        self.save.setDefault(True)
        self.cancel.clicked.connect(self.close)

    def open_over(self, window: QWidget) -> None:
        """Show the card in the middle of a window, with the keys on its button."""
        self.adjustSize()
        self.move(window.mapToGlobal(window.rect().center()) - self.rect().center())
        self.show()
        self.save.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        choosing = isinstance(self.focusWidget(), QComboBox)
        if not (choosing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)


class ExportDialog(ExportCard):
    """Format, width and resolution of a picture; `chosen` carries its ending, pixels per unit and dpi."""

    chosen = Signal(str, float, float)
    heading = "Export picture"
    formats: Mapping[str, str] = FORMATS

    def __init__(self, size: QSize, dpi: float, parent: QWidget) -> None:
        super().__init__(self.heading, parent)
        self._size = size
        self.format = QComboBox()
        self.format.addItems(list(self.formats))
        self.format.setAccessibleName("Format")
        self.width_cm, self.dpi = NumberField("Width in cm"), NumberField("Resolution in dpi")
        self.width_cm.show_text(f"{size.width() / UNIT_DPI * CM:.2f}")
        self.dpi.show_text(f"{dpi:g}")
        self.pixels = Label(role="muted")
        self._lay_out()
        self.format.currentIndexChanged.connect(self._show)
        for field in (self.width_cm, self.dpi):
            field.textChanged.connect(self._show)
        self.save.clicked.connect(self._take)
        self._show()

    def _lay_out(self) -> None:
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        heading = Label(self.heading, "section")
        column.addWidget(heading)
        self.across = QHBoxLayout()
        column.addLayout(self.across)
        self.rows = form = QFormLayout()
        self.across.addLayout(form)
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        form.addRow("Format", self.format)
        form.addRow("Width (cm)", self.width_cm)
        form.addRow("Resolution (dpi)", self.dpi)
        column.addWidget(self.pixels)
        self.buttons = buttons = QHBoxLayout()
        column.addLayout(buttons)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        self.setFixedWidth(280)

    def set_size(self, size: QSize, units: int = UNIT_DPI) -> None:
        """Use the size of another picture, with so many units to the inch, and keep the resolution."""
        self._size = size
        self.width_cm.show_text(f"{size.width() / units * CM:.2f}")
        self._show()

    @property
    def ending(self) -> str:
        """The ending of the format chosen."""
        return self.formats[self.format.currentText()]

    @property
    def scale(self) -> float | None:
        """Pixels per unit; None where a field holds no fitting number."""
        width, dpi = number_in(self.width_cm, 4.0, 120.0), number_in(self.dpi, *RESOLUTIONS)
        if width is None or dpi is None:
            return None
        scale = width / CM * dpi / self._size.width()
        return scale if scale * max(self._size.width(), self._size.height()) <= MOST_PIXELS else None

    @property
    def is_raster(self) -> bool:
        """Whether the file that is chosen has pixels."""
        return self.ending == ".png"

    def _show(self) -> None:
        raster, scale = self.is_raster, self.scale
        for field in (self.width_cm, self.dpi):
            field.setEnabled(raster)  # a row that went would move the buttons, and a press beside them closes the card
        self.save.setEnabled(scale is not None or not raster)
        if not raster:
            words = "All its numbers" if self.ending in NUMBERS.values() else "Sharp at any size"
        elif scale is None:
            words = f"At most {MOST_PIXELS:,} pixels a side"
        else:
            words = f"{round(self._size.width() * scale):,} × {round(self._size.height() * scale):,} pixels"
        self.pixels.setText(words)
        self.adjustSize()

    def _take(self) -> None:
        ending, scale, dpi = self.ending, self.scale, number_in(self.dpi, *RESOLUTIONS)
        self.close()
        self.chosen.emit(ending, scale or 1.0, dpi or UNIT_DPI)


def number_in(field: NumberField, low: float, high: float) -> float | None:
    """The number in a field; without one in range None, and a red outline."""
    try:
        value = float(field.text().replace(",", "."))
    except ValueError:
        value = 0.0
    field.set_wrong(not low <= value <= high)
    return value if low <= value <= high else None
