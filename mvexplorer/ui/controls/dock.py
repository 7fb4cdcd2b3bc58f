"""The left side: the views with their bandwidths, and the shared parameters of the methods shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QVBoxLayout, QWidget

from mvexplorer.state.commands import SCALE_RANGE
from mvexplorer.state.model import DocumentState, ParamSection, param_sections
from mvexplorer.ui.controls.parameter_rows import ParamRow, Section
from mvexplorer.ui.controls.view_row import ViewRow, shape_text
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, retire
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider

if TYPE_CHECKING:
    from mvexplorer.engine.core.params import Param
    from mvexplorer.state.controller import Controller
    from mvexplorer.state.editor import Editor

SLIDER_TOP = {"t": 64.0, "n_components": 40.0}
"""Upper end of a slider whose parameter has none; larger values can be typed."""
NARROWEST = 240
FEW_PARAMS = 9
"""Beyond this number, parameters fold away by method; those that most methods share stay open."""


class ControlsDock(QWidget):
    """The left side of the window."""

    curves_wanted = Signal(str)
    """Requests a view's slope curve: its slider was unfolded."""

    def __init__(self, controller: Controller, editor: Editor) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._controller = controller
        self._editor = editor
        self.rows: dict[str, ViewRow] = {}
        self.params: dict[str, ParamRow] = {}
        self._sections: tuple[ParamSection, ...] = ()
        self._open: dict[str, bool] = {}
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        outer.addWidget(area)
        inner = QWidget()
        inner.setMinimumWidth(NARROWEST)  # text that does not fit is cut: it must not push the sliders out
        area.setWidget(inner)
        self._column = QVBoxLayout(inner)
        self._column.setContentsMargins(12, 8, 12, 8)
        self._column.setSpacing(2)
        head = QHBoxLayout()
        head.addWidget(_section("Views and bandwidths (ε)"), 1)
        self.use_all = QToolButton()
        self.use_all.setText("use all")
        self.use_all.setProperty("role", "small")
        self.use_all.setToolTip("Tick every view")
        self.use_all.setAccessibleName("Tick every view")
        self.use_all.clicked.connect(self._editor.enable_all_views)
        head.addWidget(self.use_all)
        self._column.addLayout(head)
        self._column.addWidget(self._make_master())
        self._views = QVBoxLayout()
        self._views.setSpacing(0)
        self._column.addLayout(self._views)
        self._column.addSpacing(6)
        self._column.addWidget(_line())
        self._column.addSpacing(6)
        self._column.addWidget(_section("Method parameters, shared by all panels"))
        self._rows = QVBoxLayout()
        self._rows.setSpacing(6)
        self._column.addLayout(self._rows)
        self._note = Label()
        self._note.setProperty("role", "muted")
        self._note.setWordWrap(True)
        self._column.addWidget(self._note)
        self._column.addStretch(1)

    def _make_master(self) -> QWidget:
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(0)
        top = QHBoxLayout()
        words = QLabel("All ε ×")
        words.setToolTip("Multiplies ε of every linked view. Double click returns to 1.")
        self.master_field = NumberField("Factor on all ε")
        self.master_field.entered.connect(self._typed_scale)
        top.addWidget(words, 1)
        top.addWidget(self.master_field)
        column.addLayout(top)
        self.master = Slider(Scale(*SCALE_RANGE), 1.0, "All ε: factor on every linked bandwidth")
        self.master.setToolTip(words.toolTip())
        self.master.set_marks((Mark(1.0, "1", "Every view at its own ε"),))
        self.master.moved.connect(lambda value: self._editor.set_scale(_snapped(value), interactive=True))
        self.master.released.connect(self._editor.end_drag)
        self.master.typed.connect(self.master_field.begin)
        self.master.reset.connect(lambda: self._editor.set_scale(1.0))
        self.master.mark_clicked.connect(lambda _: self._editor.set_scale(1.0))
        column.addWidget(self.master)
        return whole

    def _typed_scale(self, text: str) -> None:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        self.master_field.set_wrong(not self._editor.set_scale(value))

    def show_state(self, state: DocumentState) -> None:
        """Show the views and parameters of the state."""
        data = self._controller.document.data
        names = [v.name for v in state.views]
        if list(self.rows) != names:
            self._rebuild_views(names)
        for view in state.views:
            self.rows[view.name].show_state(view, shape_text(data, view.name), self._controller)
        self.use_all.setVisible(not all(v.enabled for v in state.views))
        self.master.set_value(state.epsilon_scale)
        self.master_field.show_text(f"{state.epsilon_scale:.3g}")
        self._show_params(state)

    def _rebuild_views(self, names: list[str]) -> None:
        for row in self.rows.values():
            self._views.removeWidget(row)
            retire(row)
        self.rows = {}
        for name in names:
            self.rows[name] = ViewRow(name, self._editor)
            self.rows[name].curves_wanted.connect(self.curves_wanted)
            self._views.addWidget(self.rows[name])

    def _show_params(self, state: DocumentState) -> None:
        sections = param_sections(tuple(p.method for p in state.panels))
        if sections != self._sections:
            self._rebuild_params(sections)
        for name, row in self.params.items():
            row.show_value(state.params.get(name, row.param.default), self._top(name))

    def _top(self, name: str) -> float:
        data = self._controller.document.data
        top = SLIDER_TOP.get(name, float("inf"))
        return min(top, max(2, data.n_samples - 2)) if name == "n_components" and data is not None else top

    def _rebuild_params(self, sections: tuple[ParamSection, ...]) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                retire(widget)
        self._sections, self.params = sections, {}
        few = sum(len(section.params) for section in sections) <= FEW_PARAMS
        for section in sections:
            rows = [self._make_row(param) for param in section.params]
            if not section.title:
                for row in rows:
                    self._rows.addWidget(row)
                continue
            self._rows.addWidget(
                Section(section.title, rows, self._open.get(section.title, few), partial(self._remember, section.title))
            )

    def _remember(self, title: str, open_: bool) -> None:
        self._open[title] = open_

    def _make_row(self, param: Param) -> ParamRow:
        row = ParamRow(param, self._top(param.name))
        row.moved.connect(self._param_moved)
        row.released.connect(self._editor.end_drag)
        self.params[param.name] = row
        return row

    def _param_moved(self, name: str, value: object, interactive: bool) -> None:
        self.params[name].set_wrong(not self._editor.set_param(name, value, interactive=interactive))

    def begin_param(self, name: str) -> None:
        """Focus a parameter's field, if it is still offered."""
        if name in self.params:
            self.params[name].take_focus()

    def begin_epsilon(self, view: str) -> None:
        """Focus a view's bandwidth field, if the view still exists."""
        if view in self.rows:
            self.rows[view].field.setFocus()

    def show_note(self, text: str) -> None:
        """Show a remark under the parameters, such as the true within-view probability."""
        self._note.setText(text)

    def show_summary(self, view: str) -> None:
        """Show a view's newly computed median or rules."""
        state = self._controller.document.state
        if view in self.rows and view in {v.name for v in state.views}:
            data = self._controller.document.data
            self.rows[view].show_state(state.view(view), shape_text(data, view), self._controller)


def _snapped(value: float) -> float:
    """The factor, or 1 if it is within 2 % of 1."""
    return 1.0 if abs(value - 1.0) < 0.02 else float(f"{value:.3g}")


def _section(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("role", "section")
    label.setContentsMargins(0, 4, 0, 2)
    return label


def _line() -> QFrame:
    line = QFrame()
    line.setFixedHeight(1)
    line.setObjectName("hairline")
    return line
