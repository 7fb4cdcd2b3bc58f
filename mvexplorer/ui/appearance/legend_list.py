"""The legend: the classes, or a scale, and how much of each is selected."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.style.palettes import colours_of, markers_of, scale_kind, scale_limits
from mvexplorer.ui.widgets.class_list import ROW, ClassList
from mvexplorer.ui.widgets.plain_text import retire
from mvexplorer.ui.widgets.plots.legend import ScaleBar

MARGIN = 4
LEAST_ROWS = 6
"""Rows that stay in sight at the usual type, however little room there is."""


class LegendList(QWidget):
    """The legend of one colouring; `chosen` carries the classes to show, none for all."""

    chosen = Signal(tuple)
    picked = Signal(object, str, str)
    """Rows of samples to select, how they are combined with those selected, and the class in words."""
    named = Signal(bool)
    """The classes' names are to stand on the pictures, or not."""

    def __init__(self) -> None:
        super().__init__()
        self.classes = ClassList()
        self.classes.taken.connect(self._taken)
        self.classes.all_wanted.connect(lambda: self.chosen.emit(()))
        self.classes.picked.connect(self._picked)
        self.on_map = QAction("Class names on the map", self, checkable=True)
        self.on_map.triggered.connect(self.named)
        self.classes.also.append(self.on_map)
        self.scale: ScaleBar | None = None
        self._visible: tuple[str, ...] = ()
        self._shown: object = None
        self._counted: tuple[Colouring | None, tuple[int, ...]] = (None, ())
        self._column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=0)
        self._column.addWidget(self.classes)
        self._set_height(0, 0)

    @property
    def names(self) -> tuple[str, ...]:
        """The classes shown."""
        return tuple(self.classes.classes.names)

    def show_colouring(self, colouring: Colouring | None, visible: tuple[str, ...], selection: tuple[int, ...]) -> None:
        """Show a colouring, which classes are visible (none: all), and which samples are selected."""
        key = None if colouring is None else (_meaning(colouring), theme.current().name, theme.scale())
        if key != self._shown:
            self._shown, self._counted = key, (None, ())
            self._rebuild(colouring)
        if visible != self._visible:
            self._visible = visible
            self.classes.classes.show_visible(frozenset(visible))
        before, chosen = self._counted
        if colouring is not None and (colouring is not before or selection != chosen):
            self._counted = (colouring, selection)
            self._count(colouring, np.array(selection, dtype=np.intp))

    def _count(self, colouring: Colouring, selection: npt.NDArray[np.intp]) -> None:
        values = colouring.values[selection[selection < len(colouring.values)]]
        if self.scale is not None:
            self.scale.set_selected(values)
        else:
            counts = np.bincount(values, minlength=len(colouring.classes)).tolist() if len(values) else None
            self.classes.classes.show_selected(counts)

    def _rebuild(self, colouring: Colouring | None) -> None:
        if self.scale is not None:
            retire(self.scale)
            self.scale = None
        classes = () if colouring is None else colouring.classes
        self.classes.setVisible(bool(classes))
        if colouring is None or not classes:
            self.classes.classes.show((), ())
            scale = 44
            height = 0 if colouring is None else theme.px(scale)
            self._set_height(height, height)
            if colouring is not None:
                self.scale = ScaleBar(colouring)
                self._column.addWidget(self.scale)
        else:
            colours, markers = colours_of(colouring, theme.current().name), markers_of(colouring)
            self.classes.show_classes(classes, colouring.counts, colours, markers)
            highest = 1 << 20  # more pixels than any screen has; Qt allows a widget only so many
            self._set_height(0, min(highest, theme.px(ROW) * len(classes) + MARGIN))
            self.set_least(LEAST_ROWS)

    def set_least(self, rows: int) -> None:
        """Keep at least so many rows in sight, where there are as many classes."""
        if self.names:
            least = int(ROW * rows / theme.scale() ** 2)  # large type leaves room for fewer rows
            self.setMinimumHeight(min(self.maximumHeight(), least + MARGIN))

    def _set_height(self, least: int, most: int) -> None:
        self.setMinimumHeight(least)
        self.setMaximumHeight(most)

    def _picked(self, row: int, how: str) -> None:
        colouring = self._counted[0]
        if colouring is not None and row < len(colouring.classes):
            rows = np.flatnonzero(colouring.values == row)
            self.picked.emit(rows.tolist(), how, f"{colouring.title} {colouring.classes[row]}")

    def _taken(self, row: int, toggle: bool) -> None:
        name = self.names[row]
        if not toggle:
            self.chosen.emit(() if self._visible == (name,) else (name,))
            return
        shown = set(self._visible or self.names) ^ {name}
        kept = tuple(n for n in self.names if n in shown)
        self.chosen.emit(() if len(kept) == len(self.names) else kept)


def _meaning(colouring: Colouring) -> object:
    """Return all that a legend shows of a colouring: equal where two colourings have the same legend."""
    if colouring.classes:
        return colouring.classes, colouring.counts, colouring.colours
    return colouring.title, scale_kind(colouring), scale_limits(colouring)
