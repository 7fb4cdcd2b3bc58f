"""The views' rows, which scroll; where there is little room, only the row in use is whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.ui.controls.view_row import ViewRow
from mvexplorer.ui.controls.weight_line import WeightLine
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import retire

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from mvexplorer.state.controller import Controller
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.model import DocumentState, ViewState

MARGIN = 12
NARROWEST = 240
LONGEST_NAME = 106
"""Most pixels of a name, with its tick, in a row on one line."""


class ViewList(QScrollArea):
    """The rows of the views below a few others.

    All rows are whole if they fit. Otherwise one is, that of the focused view: the view whose row was pressed, or
    reached by a key, last. Nothing moves under the pointer: a row pressed becomes whole downwards, one whose slider
    is pressed waits, and the others fold once the pointer has left the list.

    Parameters
    ----------
    top : widgets
        What stands above the rows and scrolls with them.
    """

    curves_wanted = Signal(str)
    """Requests a view's slope curve: its slider was unfolded."""

    def __init__(self, editor: Editor, top: tuple[QWidget, ...]) -> None:
        super().__init__()
        self._editor = editor
        self._top = top
        self.rows: dict[str, ViewRow] = {}
        self.weights: dict[str, WeightLine] = {}
        """Lines below the rows, as soon as views are weighed."""
        self._ahead: dict[str, ViewRow] = {}
        """Rows built for views that are about to be shown."""
        self.focused = ""
        """The view whose row is whole where not all are."""
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        inner.setMinimumWidth(NARROWEST)  # text that does not fit is cut: it must not push the sliders out
        self.setWidget(inner)
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(MARGIN, 8, MARGIN, 8)
        self._column.setSpacing(0)
        for widget in top:
            self._column.addWidget(widget)
        self._box = QWidget()
        self._views = QVBoxLayout(self._box)
        self._views.setContentsMargins(0, 0, 0, 0)
        self._views.setSpacing(0)
        self._column.addWidget(self._box)
        self._column.addStretch(1)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    def show_state(self, state: DocumentState, shapes: dict[str, str], controller: Controller) -> None:
        """Show the views of the state."""
        names = [view.name for view in state.views]
        fresh = list(self.rows) != names
        if fresh:
            self._rebuild(names)
        for view in state.views:
            self.rows[view.name].show_state(view, shapes[view.name], controller)
        moved = self._show_weights(state)
        if self.focused not in state.enabled:
            self.focused = next(iter(state.enabled), "")
        if fresh or moved or self._left_alone:
            self.settle()

    def _show_weights(self, state: DocumentState) -> bool:
        """Show a weight below each ticked row while views are weighed; whether lines came or went."""
        before = {name for name, line in self.weights.items() if not line.isHidden()}
        shown = set(state.enabled) if state.weighing and len(state.enabled) > 1 else set[str]()
        for view in state.views:
            if view.name in shown and view.name not in self.weights:
                line = self.weights[view.name] = WeightLine(view.name, self._editor)
                self._views.insertWidget(self._views.indexOf(self.rows[view.name]) + 1, line)
            if view.name in self.weights:
                self.weights[view.name].show_weight(view.view_weight)
                self.weights[view.name].setVisible(view.name in shown)
        return before != shown

    def prepare(self, view: ViewState, shape: str, controller: Controller) -> None:
        """Build a view's row ahead, out of sight: all rows in one turn would take longer than a frame."""
        row = self._ahead[view.name] = self._ahead.get(view.name) or self._make(view.name)
        row.setParent(self._box)
        row.hide()
        row.show_state(view, shape, controller)
        for widget in (row, *row.findChildren(QWidget)):
            widget.ensurePolished()  # styling is most of the cost of first showing it

    def _rebuild(self, names: list[str]) -> None:
        for row in (*self.rows.values(), *self.weights.values()):
            self._views.removeWidget(row)
            retire(row)
        self.weights = {}
        self.rows = {name: self._ahead.pop(name) if name in self._ahead else self._make(name) for name in names}
        for row in self._ahead.values():
            retire(row)
        self._ahead = {}
        self._box.hide()  # in sight, every row that comes would lay out all that are there
        for row in self.rows.values():
            self._views.addWidget(row)
            row.show()
        self._box.show()

    def _make(self, name: str) -> ViewRow:
        row = ViewRow(name, self._editor)
        row.curves_wanted.connect(self.curves_wanted)
        row.whole_wanted.connect(lambda: self.look_at(name))
        return row

    # Whole and compact rows -----------------------------------------------------------------------------------

    def look_at(self, view: str) -> None:
        """Make a view the focused one, and its row whole."""
        self.focused = view
        if self._left_alone:
            self.settle()
        else:
            self.rows[view].set_compact(False, self._name_width)

    def settle(self) -> None:
        """Give every row its form."""
        margins = self._column.contentsMargins()
        needed = margins.top() + margins.bottom() + sum(widget.sizeHint().height() for widget in self._top)
        needed += sum(line.sizeHint().height() for line in self.weights.values() if not line.isHidden())
        crowded = needed + sum(row.least_height for row in self.rows.values()) > self.viewport().height()
        width = self._name_width
        for name, row in self.rows.items():
            row.set_compact(crowded and name != self.focused, width)

    @property
    def _name_width(self) -> int:
        return min(theme.px(LONGEST_NAME), max((row.check.sizeHint().width() for row in self.rows.values()), default=0))

    @property
    def _left_alone(self) -> bool:
        """Whether no hand is in the list, under which nothing may move."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        return not pressed and not (self.underMouse() and self.isVisible())

    def _focus_moved(self, _: QWidget | None, now: QWidget | None) -> None:
        row = next((row for row in self.rows.values() if now is not None and row.isAncestorOf(now)), None)
        if row is None or now is None:
            return
        self.focused = row.name
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.settle()  # it was moved by a key
            self._views.activate()
            self._column.activate()
            self.ensureWidgetVisible(row, 0, 8)
        elif now is not row.slider:
            self.look_at(row.name)

    def leaveEvent(self, event: QEvent) -> None:
        self.settle()
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The scroll bar stands in the margin, so that fields keep in line with those of the parameters below.
        bar = self.width() - self.viewport().width()
        self._column.setContentsMargins(MARGIN, 8, max(2, MARGIN - bar), 8)
        self.settle()
