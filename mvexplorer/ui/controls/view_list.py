"""The views' rows, which scroll; where there is little room, only the row in use is whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import accumulate

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from mvexplorer.state.bench.epsilon_advice import Advice, EpsilonAdvice
from mvexplorer.state.document.model import DocumentState, ViewState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.weights_on_show import WeightsOnShow
from mvexplorer.state.questions.verdicts import ViewVerdict
from mvexplorer.ui.controls.view_row import ViewRow, row_height
from mvexplorer.ui.controls.weight_line import WeightLine
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.long_column import FEW, SPARE, LongColumn
from mvexplorer.ui.widgets.plain_text import LINE, line, retire

MARGIN = 12
LONGEST_NAME, LONGEST_INLINE = 94, 64
"""Most pixels of a name, with its tick, in a row on one line, without a weight on it and with one."""


class ViewList(QScrollArea):
    """The rows of the views, below the widgets `top`, which scroll with them.

    All rows are whole if they fit. Otherwise one is, that of the focused view: the view whose row was pressed, or
    reached by a key, last. Nothing moves under the pointer: a row pressed becomes whole downwards, one whose slider is
    pressed waits, and the others fold once the pointer has left the list.
    """

    curves_wanted = Signal(str)
    """Requests a view's slope curve: its slider was unfolded."""

    def __init__(self, controller: Controller, editor: Editor, advice: EpsilonAdvice, top: tuple[QWidget, ...]) -> None:
        super().__init__()
        self._controller, self._editor, self._advice = controller, editor, advice
        self._judged: dict[str, ViewVerdict] = {}
        """What is known of the ε of the views in use."""
        self._advised: dict[str, Advice] = {}
        """The ε that is recommended for them."""
        self._top = top
        self._names: tuple[str, ...] = ()
        self._state: DocumentState | None = None
        self._weighed: frozenset[str] = frozenset()
        """The views whose weights are shown."""
        self._on_show = WeightsOnShow()
        self._ahead: dict[str, ViewRow] = {}
        """Rows built for views that are about to be shown."""
        self._quick: tuple[str, tuple[tuple[float, float], ...]] = ("", ())
        self.focused = ""
        """The view whose row is whole where not all are."""
        self._crowded = False
        """Whether the rows do not all fit when they are whole."""
        self._inline = False
        """Whether weights stand beside ε: with lines of their own not even rows on one line would all fit."""
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        inner.setMinimumWidth(240)  # text that does not fit is cut: it must not push the sliders out
        self.setWidget(inner)
        self._column = spaced(QVBoxLayout(inner), MARGIN, 8, MARGIN, 8, spacing=0)
        for widget in top:
            self._column.addWidget(widget)
        self._views = LongColumn(self, self._make, keeps=self._keeps)
        self._column.addWidget(self._views)
        self._column.addStretch(1)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    @property
    def rows(self) -> dict[str, ViewRow]:
        """The rows that are there, by view: of many views, those in sight."""
        return self._views.rows

    @property
    def weights(self) -> dict[str, WeightLine]:
        """The lines of weights below the rows that are there, as soon as views are weighed."""
        return {name: row.weight for name, row in self.rows.items() if row.weight is not None}

    def show_state(self, state: DocumentState) -> None:
        """Show the views of the state."""
        names = tuple(view.name for view in state.views)
        fresh = self._views.names != names
        if fresh:  # while all of it is of the former state: Qt tells the list meanwhile that the pointer has left it
            self._views.hide()  # in sight, every row that comes would lay out all that are there
            self._views.show_names((), ())
        weighed = frozenset(state.enabled if state.weighing and len(state.enabled) > 1 else ())
        moved = weighed != self._weighed
        self._state, self._weighed = state, weighed
        self._judge()
        if self.focused not in state.enabled:
            self.focused = next(iter(state.enabled), "")
        if fresh:
            self._names = tuple(line(name, 4 * LINE) for name in names)  # as their rows show them
            self._rebuild(names)
        else:
            for row in self.rows.values():
                self._fill(row)
        if fresh or moved or self._left_alone:
            self.settle()

    def show_view(self, name: str) -> None:
        """Show new facts about a view."""
        if name in self.rows:
            self._fill(self.rows[name])

    def show_verdicts(self) -> None:
        """Show what became known of the views' bandwidths."""
        self._judge()
        for row in self.rows.values():
            self._show_verdict(row)

    def _judge(self) -> None:
        self._judged = self._advice.verdicts.now()
        self._advised = self._advice.now(self._judged)

    def _show_verdict(self, row: ViewRow) -> None:
        verdict, advice = self._judged.get(row.name, ViewVerdict()), self._advised.get(row.name)
        row.show_verdict(verdict, advice, only_view=len(self._judged) < 2)

    def show_quick(self, along: str, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline where a drag of one view's ε is quick, and clear the others."""
        self._quick = along, ranges
        for name, row in self.rows.items():
            row.show_quick(self._quick_of(name))
            if row.weight is not None:
                row.weight.slider.set_quick(ranges if along == f"weight:{name}" else ())

    def _quick_of(self, name: str) -> tuple[tuple[float, float], ...]:
        along, ranges = self._quick
        return ranges if along == f"epsilon:{name}" else ()

    def steps_to(self, state: DocumentState) -> list[Callable[[], None]]:
        """List steps to take before `show_state` shows other views: build their rows, one a turn of the event loop."""
        names = tuple(view.name for view in state.views)
        soon = names if len(names) <= FEW else names[: self.viewport().height() // theme.px(ViewRow.LINE) + SPARE]
        return [partial(self._prepare, state, name) for name in (soon if names != self._views.names else ())]

    def _prepare(self, state: DocumentState, name: str) -> None:
        """Build a view's row ahead, out of sight: all rows in one turn would take longer than a frame."""
        row = self._ahead[name] = self._ahead.get(name) or self._bare(name)
        row.setParent(self._views)
        row.hide()
        row.show_state(state.view(name), self._controller)
        for widget in (row, *row.findChildren(QWidget)):
            widget.ensurePolished()  # styling is most of the cost of first showing it

    def _rebuild(self, names: tuple[str, ...]) -> None:
        self._look_for_room()
        self._views.show_names(names, self._heights())
        self._views.show()
        for row in self._ahead.values():
            retire(row)
        self._ahead = {}

    def _make(self, name: str) -> ViewRow:
        row = self._ahead.pop(name) if name in self._ahead else self._bare(name)
        self._fill(row)
        row.show_quick(self._quick_of(name))
        self._set_form(row, self._name_width)
        return row

    def _set_form(self, row: ViewRow, name_width: int) -> None:
        row.set_compact(self._crowded and row.name != self.focused, name_width, inline=self._inline)

    def _bare(self, name: str) -> ViewRow:
        row = ViewRow(name, self._editor)
        row.curves_wanted.connect(self.curves_wanted)
        row.advice_wanted.connect(self._advice.ask)
        row.whole_wanted.connect(lambda: self.look_at(name))
        return row

    def _fill(self, row: ViewRow) -> None:
        assert self._state is not None
        view = self._state.view(row.name)
        row.show_state(view, self._controller)
        row.check.set_among(self._names)
        self._show_weight(row)
        self._show_verdict(row)

    def show_weights(self, on_show: WeightsOnShow) -> None:
        """Show the weights in effect where the views are weighed by equal volume, and their shares in a step."""
        if on_show != self._on_show:
            self._on_show = on_show
            for row in self.rows.values():
                self._show_weight(row)

    def _show_weight(self, row: ViewRow) -> None:
        if self._state is None or row.name not in self._weighed:
            row.show_weight(None)
            return
        weight = self._state.view(row.name).view_weight
        if self._state.equal_volume:
            weight = float(f"{self._on_show.weights.get(row.name, weight):.3g}")
        row.show_weight(weight, self._on_show.shares.get(row.name), self._on_show.title)

    def _heights(self) -> list[int]:
        """Estimate the heights of rows that are not there."""
        return [
            self._height(view, compact=self._crowded and view.name != self.focused, inline=self._inline)
            for view in (self._state.views if self._state is not None else ())
        ]

    def _height(self, view: ViewState, *, compact: bool, inline: bool) -> int:
        return row_height(view, compact=compact, weighed=view.name in self._weighed, inline=inline)

    def _keeps(self, row: ViewRow) -> bool:
        return row.name == self.focused or row.unfold.isChecked()

    # Whole and compact rows -----------------------------------------------------------------------------------

    def look_at(self, view: str) -> ViewRow | None:
        """Focus a view and make its row whole; None where the view is not shown: new data is, in steps."""
        if view not in self._views.names:
            return None
        self.focused = view
        row = self._views.reach(view)
        if self._left_alone:
            self.settle()
        else:
            self._set_form(row, self._name_width)
        return row

    def settle(self) -> None:
        """Give every row its form."""
        self._look_for_room()
        width = self._name_width
        for row in self.rows.values():
            self._set_form(row, width)
        self._views.expect(self._heights())

    def _look_for_room(self) -> None:
        """Find out whether all rows fit when they are whole, and else whether they do with a line for each weight."""
        margins = self._column.contentsMargins()
        room = self.viewport().height() - margins.top() - margins.bottom()
        room -= sum(widget.sizeHint().height() for widget in self._top if not widget.isHidden())
        views = self._state.views if self._state is not None else ()

        def fit(but: str | None) -> bool:
            heights = (self._height(v, compact=but not in (None, v.name), inline=False) for v in views)
            return not any(taken > room for taken in accumulate(heights))

        self._crowded = not fit(None)
        self._inline = bool(self._weighed) and self._crowded and not fit(self.focused)

    @property
    def _name_width(self) -> int:
        most = theme.px(LONGEST_INLINE if self._inline else LONGEST_NAME)
        if len(self._views.names) > FEW:
            return most  # the same whichever rows are there
        return min(most, max((row.check.sizeHint().width() for row in self.rows.values()), default=0))

    @property
    def _left_alone(self) -> bool:
        """True if the pointer is not in the list: nothing may move under it."""
        pressed = QApplication.mouseButtons() != Qt.MouseButton.NoButton
        return not pressed and not (self.underMouse() and self.isVisible())

    def _focus_moved(self, _: QWidget | None, now: QWidget | None) -> None:
        row = next((row for row in self.rows.values() if now is not None and row.holds(now)), None)
        if row is None:
            return
        self.focused = row.name
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.settle()  # it was moved by a key
            self._bring_into_sight(row)
        elif now is not row.slider:
            self.look_at(row.name)

    def _bring_into_sight(self, row: ViewRow) -> None:
        self._column.activate()
        self.ensureWidgetVisible(row, 0, 8)

    def leaveEvent(self, event: QEvent) -> None:
        self.settle()
        super().leaveEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        row, sight = self.rows.get(self.focused), QRect(QPoint(), event.oldSize())
        seen = row is not None and sight.intersects(QRect(row.mapTo(self.viewport(), QPoint()), row.size()))
        super().resizeEvent(event)
        # The scroll bar stands in the margin, so that fields keep in line with those of the parameters below.
        bar = self.width() - self.viewport().width()
        self._column.setContentsMargins(MARGIN, 8, max(2, MARGIN - bar), 8)
        self.settle()
        if row is not None and seen:  # less height does not hide the view in use
            self._bring_into_sight(row)
