"""What the colours mean and how much of each is selected: a row per class, or a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import colours_of, markers_of, scale_kind, scale_limits
from mvexplorer.ui.widgets.legend import LegendRow, ScaleBar
from mvexplorer.ui.widgets.plain_text import LINE, line, retire

if TYPE_CHECKING:
    from mvexplorer.state.colouring import Colouring

ROW = 20
MARGIN = 4
LEAST_ROWS = 6
"""Rows that stay in sight at the usual type, however little room there is."""
SCALE = 44


class LegendList(QScrollArea):
    """The legend of one colouring; `chosen` carries the classes to show, none for all."""

    chosen = Signal(tuple)
    picked = Signal(object, str, str)
    """Rows of samples to select, how they are combined with those selected, and the class in words."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows: dict[str, LegendRow] = {}
        self.scale: ScaleBar | None = None
        self._visible: tuple[str, ...] = ()
        self._shown: object = None
        self._counted: tuple[Colouring | None, tuple[int, ...]] = (None, ())
        inside = QWidget()
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addStretch(1)
        self.setWidget(inside)
        self._set_height(0, 0)

    def show_colouring(self, colouring: Colouring | None, visible: tuple[str, ...], selection: tuple[int, ...]) -> None:
        """Show a colouring, which classes are visible (none: all), and which samples are selected."""
        key = None if colouring is None else (_meaning(colouring), theme.current().name, theme.scale())
        if key != self._shown:
            self._shown, self._counted = key, (None, ())
            self._rebuild(colouring)
        self._visible = visible
        for name, row in self.rows.items():
            row.set_on(not visible or name in visible)
        before, chosen = self._counted
        if colouring is not None and (colouring is not before or selection != chosen):
            self._counted = (colouring, selection)
            self._count(colouring, np.array(selection, dtype=np.intp))

    def _count(self, colouring: Colouring, selection: npt.NDArray[np.intp]) -> None:
        values = colouring.values[selection[selection < len(colouring.values)]]
        if self.scale is not None:
            self.scale.set_selected(values)
        counts = np.bincount(values, minlength=len(self.rows)).tolist() if self.rows and len(values) else []
        for i, row in enumerate(self.rows.values()):
            row.set_selected(counts[i] if counts else None)

    def _rebuild(self, colouring: Colouring | None) -> None:
        for widget in (*self.rows.values(), *([] if self.scale is None else [self.scale])):
            retire(widget)
        self.rows, self.scale = {}, None
        if colouring is None:
            self._set_height(0, 0)
        elif not colouring.classes:
            self.scale = ScaleBar(colouring)
            self._column.insertWidget(0, self.scale)
            self._set_height(theme.px(SCALE), theme.px(SCALE))
        else:
            self._add_rows(colouring)
            row = theme.px(ROW)
            whole = row * len(self.rows) + MARGIN
            self._set_height(0, whole)
            self.set_least(LEAST_ROWS)

    def _add_rows(self, colouring: Colouring) -> None:
        colors = colours_of(colouring, theme.current().name)
        markers = markers_of(colouring)
        names = [line(name, 4 * LINE) for name in colouring.classes]
        each = zip(colouring.classes, colouring.counts, colors, markers, strict=True)
        for i, (name, count, rgb, form) in enumerate(each, start=1):
            row = LegendRow(name, count, QColor(*(int(c) for c in rgb)), int(form), names, i)
            row.clicked.connect(self._clicked)
            row.doubled.connect(lambda: self.chosen.emit(()))
            row.picked.connect(self._picked)
            self.rows[name] = row
            self._column.insertWidget(i - 1, row)

    def set_least(self, rows: int) -> None:
        """Have so many rows in sight at least, where there are as many classes."""
        if self.rows:
            least = int(ROW * rows / theme.scale() ** 2)  # large type leaves room for fewer rows
            self.setMinimumHeight(min(self.maximumHeight(), least + MARGIN))

    def _set_height(self, least: int, most: int) -> None:
        self.setMinimumHeight(least)
        self.setMaximumHeight(most)

    def _picked(self, name: str, how: str) -> None:
        colouring = self._counted[0]
        if colouring is not None and name in colouring.classes:
            rows = np.flatnonzero(colouring.values == colouring.classes.index(name))
            self.picked.emit(rows.tolist(), how, f"{colouring.title} {name}")

    def _clicked(self, name: str, toggle: bool) -> None:
        if not toggle:
            self.chosen.emit(() if self._visible == (name,) else (name,))
            return
        shown = set(self._visible or self.rows) ^ {name}
        self.chosen.emit(() if len(shown) == len(self.rows) else tuple(n for n in self.rows if n in shown))


def _meaning(colouring: Colouring) -> object:
    """What a legend shows of a colouring: equal for colourings that have the same one."""
    if colouring.classes:
        return colouring.classes, colouring.counts, colouring.colours
    return colouring.title, scale_kind(colouring), scale_limits(colouring)
