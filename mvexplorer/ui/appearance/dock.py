"""The right side: what the colours mean, how the points look, what is selected, and the card of one sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.state.colouring import Colouring, colour_sources, feature_sources
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours, class_markers
from mvexplorer.ui.widgets.legend import LegendRow, ScaleBar
from mvexplorer.ui.widgets.plain_text import line, retire
from mvexplorer.ui.widgets.sample_card import SampleCard
from mvexplorer.ui.widgets.slider import Scale, Slider

if TYPE_CHECKING:
    from collections.abc import Callable

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.model import DocumentState

MAX_FEATURES = 300
"""Features offered per view in the list of colourings."""
MAX_COORDINATES = 6
"""Coordinates offered per panel: the leading ones of the first view."""


class AppearanceDock(QWidget):
    """The right side of the window."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._editor = editor
        self._state: DocumentState | None = None
        self._data: MultiView | None = None
        self._offered: tuple[MultiView | None, dict[str, str]] | None = None
        self._places: dict[str, int] = {}
        self._legend_key: object = None
        self.rows: dict[str, LegendRow] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(_heading("Colour points by"))
        self.sources = QComboBox()
        self.sources.setAccessibleName("Colour points by")
        self.sources.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.sources.setMaxVisibleItems(24)
        self.sources.activated.connect(lambda i: self._editor.colour_by(str(self.sources.itemData(i))))
        column.addWidget(self.sources)
        self._legend = QWidget()
        self._legend_column = QVBoxLayout(self._legend)
        self._legend_column.setContentsMargins(0, 0, 0, 0)
        self._legend_column.setSpacing(0)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setWidget(self._legend)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column.addWidget(self._area, 3)
        column.addWidget(self._make_style())
        column.addWidget(self._make_selection())
        column.addWidget(_heading("Sample"))
        self.card = SampleCard()
        self._nothing = QLabel("Point at a sample, click to keep its card here.")
        self._nothing.setProperty("role", "muted")
        self._nothing.setWordWrap(True)
        column.addWidget(self._nothing)
        column.addWidget(self.card)
        self.card.hide()
        column.addStretch(1)

    def _make_style(self) -> QWidget:
        whole = QWidget()
        grid = QGridLayout(whole)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        self.point_size = Slider(Scale(1.0, 20.0, "linear"), 5.0, "Point size")
        self.opacity = Slider(Scale(0.05, 1.0, "linear"), 0.9, "Point opacity")
        for row, (text, slider, name, default) in enumerate(
            (("Size", self.point_size, "point_size", 5.0), ("Opacity", self.opacity, "opacity", 0.9))
        ):
            slider.moved.connect(lambda v, n=name: self._editor.style_points(**{n: round(v, 2)}))
            slider.reset.connect(lambda n=name, d=default: self._editor.style_points(**{n: d}))
            slider.released.connect(self._editor.end_drag)
            grid.addWidget(QLabel(text), row, 0)
            grid.addWidget(slider, row, 1)
        return whole

    def _make_selection(self) -> QWidget:
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(4)
        column.addWidget(_heading("Selection"))
        self.count = QLabel()
        column.addWidget(self.count)
        row = QHBoxLayout()
        self.invert = QPushButton("Invert")
        self.invert.setToolTip("Select the others instead (Ctrl+I)")
        self.invert.clicked.connect(self._editor.invert_selection)
        self.clear = QPushButton("Clear")
        self.clear.setToolTip("Select nothing (Esc)")
        self.clear.clicked.connect(lambda: self._editor.select(()))
        row.addWidget(self.invert)
        row.addWidget(self.clear)
        row.addStretch(1)
        column.addLayout(row)
        return whole

    def sizeHint(self) -> QSize:
        return QSize(220, 400)

    # What is shown ------------------------------------------------------------------------------------------

    def show_state(
        self, state: DocumentState, data: MultiView | None, colouring: Colouring | None, panels: dict[str, str]
    ) -> None:
        """Show legend, sliders and selection; `panels` maps panel ids to the titles of those with coordinates."""
        self._state, self._data = state, data
        self._offer_sources(state.colour, data, panels)
        key = (
            id(data),
            state.colour,
            theme.current().name,
            None if colouring is None else (colouring.classes, colouring.counts),
        )
        if key != self._legend_key or colouring is None or not colouring.classes:
            self._legend_key = key
            self._rebuild_legend(colouring)
        for name, row in self.rows.items():
            row.set_on(not state.visible_classes or name in state.visible_classes)
        self.point_size.set_value(state.point_size)
        self.opacity.set_value(state.opacity)
        total = 0 if data is None else data.n_samples
        chosen = len(state.selection)
        self.count.setText(f"{chosen:,} of {total:,} selected" if chosen else f"none of {total:,}: drag a lasso")
        self.clear.setEnabled(chosen > 0)
        self.invert.setEnabled(total > 0)

    def _offer_sources(self, colour: str, data: MultiView | None, panels: dict[str, str]) -> None:
        if (data, panels) != self._offered:
            self._offered = (data, panels)
            offered = _sources(data, panels)
            self._places = {source: i for i, source in enumerate(offered)}
            self.sources.clear()
            for source, title in offered.items():
                self.sources.addItem(line(title), source)
        self.sources.setCurrentIndex(self._places.get(colour, 0))

    def _rebuild_legend(self, colouring: Colouring | None) -> None:
        while (item := self._legend_column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                retire(widget)
        self.rows = {}
        if colouring is None:
            self._area.setMaximumHeight(4)
            return
        if colouring.classes:
            colors, markers = (
                class_colours(len(colouring.classes), theme.current().name),
                class_markers(len(colouring.classes)),
            )
            for name, count, rgb, form in zip(colouring.classes, colouring.counts, colors, markers, strict=True):
                row = LegendRow(name, count, QColor(*(int(c) for c in rgb)), int(form))
                row.clicked.connect(self._clicked)
                row.doubled.connect(lambda: self._editor.show_classes(()))
                self.rows[name] = row
                self._legend_column.addWidget(row)
            self._area.setMaximumHeight(20 * len(colouring.classes) + 4)
        else:
            self._legend_column.addWidget(ScaleBar(colouring))
            self._area.setMaximumHeight(40)
        self._legend_column.addStretch(1)

    def _clicked(self, name: str, toggle: bool) -> None:
        assert self._state is not None
        visible_classes = self._state.visible_classes
        if toggle:
            shown = set(visible_classes or self.rows) ^ {name}
            self._editor.show_classes(() if len(shown) == len(self.rows) else tuple(n for n in self.rows if n in shown))
        else:
            self._editor.show_classes(() if visible_classes == (name,) else (name,))

    def show_card(self, index: int, colouring: Colouring | None) -> None:
        """Keep the card of a sample here; -1 for none."""
        data = self._data if self._data is not None and 0 <= index < self._data.n_samples else None
        self.card.setVisible(data is not None)
        self._nothing.setVisible(data is None)
        if data is not None:
            self.card.show_sample(data, index, colouring)


class FoldedStrip(QWidget):
    """Replaces the folded right side: a button that brings it back."""

    def __init__(self, icon: str, tip: str, do: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = icon
        column = QVBoxLayout(self)
        column.setContentsMargins(3, 8, 3, 8)
        self.button = QToolButton()
        self.button.setFixedSize(26, 26)
        self.button.setToolTip(tip)
        self.button.setAccessibleName(tip)
        self.button.clicked.connect(do)
        column.addWidget(self.button)
        column.addStretch(1)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the icon in the theme's colour."""
        self.button.setIcon(theme.icon(self._icon))


def _sources(data: MultiView | None, panels: dict[str, str]) -> dict[str, str]:
    """The sources that points can be coloured by, with their titles."""
    offered = {"": "one colour"}
    if data is None:
        return offered
    offered |= dict(colour_sources(data))
    for id, title in panels.items():
        offered |= {f"coordinate:{id}:{k}": f"{title}, coordinate {k + 1}" for k in range(MAX_COORDINATES)}
    return offered | feature_sources(data, MAX_FEATURES)


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "section")
    return label
