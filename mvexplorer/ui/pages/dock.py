"""Under the panels: the eigenvalue spectra that explain them, and the tasks under way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil

import pyqtgraph as pg
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.scheduler import Progress
from mvexplorer.engine.core.multiview import Array
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours
from mvexplorer.ui.widgets.legend import Key
from mvexplorer.ui.widgets.plain_text import Label, Name, retire

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p", "h")
FLOOR = 1e-12


class Spectrum(QWidget):
    """Eigenvalues of all panels, overlaid; the curves are kept and only their data change."""

    log_toggled = Signal(bool)
    shown = Signal()
    """It can be seen again: what changed in the meantime was not drawn."""

    def __init__(self, log: bool) -> None:
        super().__init__()
        self._curves: dict[str, pg.PlotDataItem] = {}
        self._keys: dict[str, Key] = {}
        self._longest = 0
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 12, 4)
        row.setSpacing(12)
        self.plot = pg.PlotWidget(background=None)
        self.plot.setStyleSheet("background: transparent; border: none;")
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(x=False, y=False)
        self.plot.setLabel("bottom", "index k")
        self.plot.setLabel("left", "eigenvalue λ")
        self.plot.setAccessibleName("Eigenvalue spectra of all panels")
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        row.addWidget(self.plot, 1)
        side = QVBoxLayout()
        self.log = QCheckBox("Logarithmic")
        self.log.setToolTip("Show eigenvalues on a logarithmic axis: decay becomes slope")
        self.log.setChecked(log)
        self.log.toggled.connect(self._set_log)
        self._legend = QVBoxLayout()
        self._legend.setSpacing(1)
        side.addWidget(self.log)
        names = QWidget()
        listed = QVBoxLayout(names)
        listed.setContentsMargins(0, 0, 0, 0)
        listed.addLayout(self._legend)
        listed.addStretch(1)
        area = QScrollArea()
        area.setWidget(names)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFixedWidth(210)
        names.setMinimumWidth(1)
        side.addWidget(area, 1)
        row.addLayout(side)
        self._set_log(log)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Axis colours of the theme in force."""
        t = theme.current()
        for name in ("left", "bottom"):
            axis = self.plot.getAxis(name)
            axis.setPen(pg.mkPen(t.hairline))
            axis.setTextPen(pg.mkPen(t.muted))
            axis.setStyle(tickFont=theme.font(theme.SMALL_PX), tickLength=-4)
            axis.label.setFont(theme.font(theme.SMALL_PX))

    def _set_log(self, on: bool) -> None:
        self.plot.setLogMode(y=on)
        self.log_toggled.emit(on)

    def show_spectra(self, spectra: Mapping[str, tuple[str, Array]]) -> None:
        """Panel id -> (title, eigenvalues (k,))."""
        if list(spectra) != list(self._curves):
            self._rebuild(spectra)
        longest = max((len(values) for _, values in spectra.values()), default=1)
        if longest != self._longest:
            self._longest = longest
            step = max(1, ceil(longest / 26))
            self.plot.getAxis("bottom").setTicks([[(k, str(k)) for k in range(0, longest, step)]])
        for id, (title, values) in spectra.items():
            color = class_colours(8)[_place(id)]
            self._curves[id].setData(range(len(values)), values.clip(FLOOR) if self.log.isChecked() else values)
            gap = numbers.number(float(values[0] - values[1])) if len(values) > 1 else "–"
            self._keys[id].show_key(title, f"{title}: first gap {gap}", QColor(*(int(c) for c in color)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def _rebuild(self, spectra: Mapping[str, tuple[str, Array]]) -> None:
        self.plot.clear()
        for label in self._keys.values():
            retire(label)
        self._curves, self._keys = {}, {}
        for id in spectra:
            color = tuple(int(c) for c in class_colours(8)[_place(id)])
            self._curves[id] = self.plot.plot(
                pen=pg.mkPen(color, width=1.6, style=_STYLES[_place(id) % 2]),
                symbol=SYMBOLS[_place(id) % len(SYMBOLS)],
                symbolSize=6,
                symbolPen=None,
                symbolBrush=pg.mkBrush(color),
                dynamicRangeLimit=None,  # else every change of the axes makes all symbols anew
            )
            self._keys[id] = Key()
            self._legend.addWidget(self._keys[id])

    def sizeHint(self) -> QSize:
        return QSize(600, 180)


_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
"""Every other curve is dashed: de Sa's and multi-view's coincide for two views, and both should show."""


def _place(id: str) -> int:
    """Which colour a panel keeps as long as it lives, from the number in its id."""
    digits = "".join(c for c in id if c.isdigit())
    return (int(digits or 1) - 1) % 8


def waits_for(task: Progress) -> str:
    """Why a task does not run yet."""
    return "waiting for memory" if task.held_up else "waiting"


class Tasks(QWidget):
    """What is being computed, how far it is, and a cross to stop it."""

    def __init__(self, cancel: Callable[[str], None]) -> None:
        super().__init__()
        self._cancel = cancel
        self._tasks: tuple[Progress, ...] = ()
        self._rows: dict[str, tuple[QWidget, Name, QProgressBar]] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(2)
        self.memory = Label()
        self.memory.setProperty("role", "muted")
        self._nothing = Label("Nothing is being computed.")
        self._nothing.setProperty("role", "muted")
        area = QScrollArea()
        area.setWidgetResizable(True)
        inner = QWidget()
        self._list = QVBoxLayout(inner)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(2)
        self._list.addWidget(self._nothing)
        self._list.addStretch(1)
        area.setWidget(inner)
        column.addWidget(area, 1)
        column.addWidget(self.memory)

    def show_tasks(self, tasks: tuple[Progress, ...]) -> None:
        """Running ones first, then those that wait."""
        self._tasks = tasks
        if self.isVisible():  # behind another tab rows would come and go sixty times a second
            self._show_rows(tasks)

    def showEvent(self, event: QShowEvent) -> None:
        self._show_rows(self._tasks)
        super().showEvent(event)

    def _show_rows(self, tasks: tuple[Progress, ...]) -> None:
        slots = {t.slot for t in tasks}
        for slot in set(self._rows) - slots:
            row, _, _ = self._rows.pop(slot)
            self._list.removeWidget(row)
            retire(row)
        for task in tasks:
            if task.slot not in self._rows:
                self._add(task.slot)
            _, words, bar = self._rows[task.slot]
            words.set_words(task.title if task.running else f"{task.title} ({waits_for(task)})")
            bar.setValue(int(1000 * task.fraction) if task.running else 0)
        self._nothing.setVisible(not tasks)

    def _add(self, slot: str) -> None:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        words, bar, cross = Name(), QProgressBar(), QToolButton()
        bar.setRange(0, 1000)
        bar.setTextVisible(False)
        bar.setFixedWidth(180)
        cross.setIcon(theme.icon("x"))
        cross.setToolTip("Cancel this task")
        cross.setAccessibleName("Cancel this task")
        cross.clicked.connect(lambda: self._cancel(slot))
        line.addWidget(words, 1)
        line.addWidget(bar)
        line.addWidget(cross)
        self._list.insertWidget(self._list.count() - 1, row)
        self._rows[slot] = (row, words, bar)


class PageDock(QWidget):
    """One tab at a time, its height remembered; a click on the open tab folds it to the tab bar."""

    folded_changed = Signal(bool)

    def __init__(self, pages: Mapping[str, QWidget], tasks: Tasks) -> None:
        super().__init__()
        self.setObjectName("bottom")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.tasks = tasks
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName("Below the panels")
        self.stack = QStackedWidget()
        for title, page in {**pages, "Tasks": tasks}.items():
            self.tabs.addTab(title)
            self.stack.addWidget(page)
        column.addWidget(self.tabs)
        column.addWidget(self.stack, 1)
        self.tabs.tabBarClicked.connect(self._clicked)
        self.tabs.currentChanged.connect(self.stack.setCurrentIndex)
        self.folded = False

    def _clicked(self, index: int) -> None:
        self.fold(not self.folded if index == self.tabs.currentIndex() else False)

    def fold(self, folded: bool) -> None:
        """Show the tab bar only, or the open tab as well."""
        self.folded = folded
        self.stack.setVisible(not folded)
        self.setMaximumHeight(self.tabs.sizeHint().height() + 2 if folded else 16777215)
        self.folded_changed.emit(folded)

    def show_page(self, page: QWidget) -> None:
        """Open a page."""
        self.tabs.setCurrentIndex(self.stack.indexOf(page))
        self.fold(False)

    def show_tasks(self, tasks: tuple[Progress, ...]) -> None:
        """Task list and their number on the tab."""
        self.tasks.show_tasks(tasks)
        last = self.tabs.count() - 1
        self.tabs.setTabText(last, f"Tasks {len(tasks)}" if tasks else "Tasks")
