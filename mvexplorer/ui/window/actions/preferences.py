"""The preferences of the program: each takes effect at once, and all windows to come have it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QSpinBox

from mvexplorer.ui.widgets.dialogs import Dialog
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.ui.window.behaviour import WindowBehaviour

THEMES = {"system": "Follow the system", "light": "Light", "dark": "Dark"}
SIZES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5)
"""Sizes of type and points that are offered, as parts of the default."""


class Preferences(Dialog):
    """Theme, size of type, how pictures move, and what computations may take."""

    def __init__(self, b: WindowBehaviour) -> None:
        super().__init__(b.window, "Preferences")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._b = b
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(8)
        self.column.addLayout(form)
        self.theme, self.type_size, self.memory = QComboBox(), QComboBox(), QSpinBox()
        self._fill_look()
        self.boxes: dict[str, QCheckBox] = {}
        self._tick("animate", "Pictures", "Glide from one picture to the next")
        self._tick("align", "", "Align embeddings while they move")
        self._tick("link_zoom", "", "Zoom and pan all 2-D panels together")
        self._tick("link_cameras", "", "Turn all 3-D panels together")
        self._tick("prepare", "Computing", "Prepare drags while the hand rests")
        self._ask_memory()
        self.add_buttons_row()
        self.add_button("Close", self.accept, default=True)

    def _fill_look(self) -> None:
        settings = self._b.workbench.settings
        for key, title in THEMES.items():
            self.theme.addItem(title, key)
        self.theme.setCurrentIndex(list(THEMES).index(settings.theme))
        self.theme.currentIndexChanged.connect(lambda _: self._change("theme", self.theme.currentData()))
        self.theme.setAccessibleName("Theme")
        self._form.addRow("Theme", self.theme)
        for size in sorted({*SIZES, settings.zoom}):
            self.type_size.addItem("Default size" if size == 1.0 else f"{size:.0%}", size)
        self.type_size.setCurrentIndex(self.type_size.findData(settings.zoom))
        self.type_size.currentIndexChanged.connect(lambda _: self._resize(self.type_size.currentData()))
        self.type_size.setAccessibleName("Size of type and points")
        self._form.addRow("Type and points", self.type_size)

    def _tick(self, name: str, title: str, text: str) -> None:
        """A box to tick, which takes effect as soon as it is ticked."""
        box = self.boxes[name] = QCheckBox(text)
        box.setChecked(getattr(self._b.workbench.settings, name))
        box.toggled.connect(lambda on: self._change(name, on))
        self._form.addRow(title, box)

    def _ask_memory(self) -> None:
        least, most, step = 64, 1 << 20, 256
        self.memory.setRange(least, most)
        self.memory.setSingleStep(step)
        self.memory.setSuffix(" MB")
        self.memory.setMinimumHeight(self.theme.sizeHint().height())
        self.memory.setKeyboardTracking(False)  # a number half typed is no limit
        self.memory.setValue(self._b.workbench.settings.memory_mebibytes)
        self.memory.valueChanged.connect(lambda value: self._change("memory_mebibytes", value))
        self.memory.setAccessibleName("Memory limit in megabytes")
        self._form.addRow("Memory limit", self.memory)
        about = "For the matrices of a computation, and for results kept for the next one."
        self._form.addRow("", Label(about, "muted", wraps=True))

    def _change(self, name: str, value: object) -> None:
        if name == "prepare":
            self._b.prepare(bool(value))  # it begins at once
        else:
            self._b.workbench.change_settings(**{name: value})

    def _resize(self, size: float) -> None:
        self._change("zoom", size)
        self._b.fit_type()
