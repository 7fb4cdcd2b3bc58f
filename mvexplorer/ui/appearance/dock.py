"""The right side: what the colours mean, how the points look, what is selected, and the card of one sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QLabel,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring, SourceGroup, colour_groups
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import Drawing
from mvexplorer.ui.appearance.colour_box import ColourBox
from mvexplorer.ui.appearance.legend_list import LEAST_ROWS, LegendList
from mvexplorer.ui.appearance.marks_key import MarksKey, marks_on_show
from mvexplorer.ui.appearance.point_card import PointCard
from mvexplorer.ui.appearance.selection_box import SelectionBox
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label
from mvexplorer.ui.widgets.slider import Scale, Slider

MOST = 2000
"""About how many sources of all groups the arrow keys and the wheel go through."""
ROOM = (
    (LEAST_ROWS, 96, True, True, 8),
    (LEAST_ROWS, 96, True, True, 4),
    (LEAST_ROWS, 96, True, False, 4),
    (4, 80, True, False, 4),
    (2, 64, True, False, 4),
    (2, 44, False, False, 4),
)
"""Least rows of the legend, least pixels of the card, whether size and opacity, and the key to the marks, are there,
and most rows of the named selections in sight: the first that fits."""


class AppearanceDock(QWidget):
    """The right side of the window."""

    def __init__(self, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._editor = editor
        self._data: MultiView | None = None
        self._panels: dict[str, str] = {}
        self._derived: Sequence[SourceGroup] = ()
        self._offered = False
        column = spaced(QVBoxLayout(self), 12, 8, 12, 8, spacing=6)
        column.addWidget(Label("Colour points by", "section"))
        listed = 50  # sources of each group that the list of colourings shows until a name is typed
        self.sources = ColourBox(lambda text: self._groups(text, listed))
        self.sources.activated.connect(lambda i: self._editor.colour_by(str(self.sources.itemData(i))))
        column.addWidget(self.sources)
        self.legend = LegendList()
        self.legend.chosen.connect(self._editor.show_classes)
        self.legend.picked.connect(self._editor.select)
        self.legend.named.connect(self._editor.name_classes)
        column.addWidget(self.legend, 100)
        self.marks = MarksKey()
        column.addWidget(self.marks)
        self._style = self._make_style()
        column.addWidget(self._style)
        self.selections = box = SelectionBox(editor)
        self.count, self.clear = box.count, box.clear
        column.addWidget(box)
        column.addWidget(Label("Sample", "section"))
        self.point = PointCard(editor)
        self.card = self.point.sample
        self._nothing = Label("Point at a sample, click to keep its card here.", "muted", wraps=True)
        column.addWidget(self._nothing)
        self._card_area = CardArea(self.point)
        self.point.resized.connect(self._card_area.fit)
        column.addWidget(self._card_area, 60)
        self._card_area.hide()
        column.addStretch(1)

    def _make_style(self) -> QWidget:
        whole = QWidget()
        grid = spaced(QGridLayout(whole), 0, 0, 0, 0)
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

    def sizeHint(self) -> QSize:
        return QSize(220, 400)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shrink legend and card, and hide key and style of the points, where the side is too low for all of them."""
        column = self.layout()
        assert column is not None
        for rows, card, style, key, named in ROOM:
            self.selections.list.show_rows(named)
            self.selections.updateGeometry()  # else the column knows its height only in the next turn
            self.legend.set_least(rows)
            self._card_area.least = card
            self._card_area.fit()
            self._style.setVisible(style)
            self.marks.setVisible(key and bool(self.marks.text()))
            if column.minimumSize().height() <= self.height():
                return

    # What is shown ------------------------------------------------------------------------------------------

    def show_state(
        self,
        state: DocumentState,
        data: MultiView | None,
        colouring: Colouring | None,
        panels: dict[str, str],
        derived: Sequence[SourceGroup] = (),
        drawings: Sequence[Drawing] = (),
    ) -> None:
        """Show legend, sliders and selection; `panels` maps panel ids to the titles of those with coordinates.

        `drawings` are what these panels show.
        """
        self._offer_sources(data, panels, derived)
        self.sources.choose(state.colour, "" if colouring is None else colouring.title)
        self.legend.show_colouring(colouring, state.visible_classes, state.selection)
        self.legend.on_map.setChecked(state.class_names)
        self.marks.show_marks(marks_on_show(state, drawings))
        self.point_size.set_value(state.point_size)
        self.opacity.set_value(state.opacity)
        self.selections.show_state(state, 0 if data is None else data.n_samples)
        self._fit()

    def _offer_sources(self, data: MultiView | None, panels: dict[str, str], derived: Sequence[SourceGroup]) -> None:
        if not self._offered or (data, panels, derived) != (self._data, self._panels, self._derived):
            self._offered, self._data, self._panels, self._derived = True, data, panels, derived
            stepped = 300  # sources of each group that the arrow keys and the wheel go through
            groups = self._groups("", stepped)
            self.sources.offer({source: title for group in groups for source, title in group.sources.items()})

    def _groups(self, text: str, most: int) -> tuple[SourceGroup, ...]:
        """List the colourings offered: at most `most` of each group, fewer where there are hundreds of views."""
        n_views = 1 if self._data is None else len(self._data.view_names)
        return colour_groups(self._data, self._panels, text, max(1, min(most, MOST // n_views)), self._derived)

    def show_card(self, index: int, colouring: Colouring | None) -> None:
        """Keep the card of a sample here; -1 for none."""
        data = self._data if self._data is not None and 0 <= index < self._data.n_samples else None
        self._card_area.setVisible(data is not None)
        self._nothing.setVisible(data is None)
        if data is not None:
            self.card.show_sample(data, index, colouring)
        self._fit()


class CardArea(QScrollArea):
    """The card in the room that the legend leaves: it scrolls where that is too little."""

    def __init__(self, card: PointCard) -> None:
        super().__init__()
        self._card, self.least = card, ROOM[0][1]
        self.setWidget(card)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click in the card frames no field
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def fit(self) -> None:
        """Take no more room than the card needs."""
        whole = max(0, self._card.heightForWidth(self.viewport().width()))
        self.setMinimumHeight(min(self.least, whole))
        self.setMaximumHeight(whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


class FoldedStrip(QWidget):
    """Replaces the folded right side: a button that brings it back."""

    def __init__(self, icon: str, tip: str, do: Callable[[], None]) -> None:
        super().__init__()
        self.setObjectName("points")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = icon
        column = spaced(QVBoxLayout(self), 3, 8, 3, 8)
        self.button = QToolButton()
        theme.square(self.button, 26, 16)
        self.button.setToolTip(tip)
        self.button.setAccessibleName(tip)
        self.button.clicked.connect(do)
        column.addWidget(self.button)
        column.addStretch(1)
        self.apply_theme()

    def apply_theme(self) -> None:
        """Draw the icon in the theme's colour."""
        self.button.setIcon(theme.icon(self._icon))
