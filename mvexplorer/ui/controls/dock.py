"""The left side: the views with their bandwidths, and the shared parameters of the methods shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from mvexplorer.engine.core.params import Param
from mvexplorer.state.bench.epsilon_advice import EpsilonAdvice
from mvexplorer.state.document.commands import SCALE_RANGE
from mvexplorer.state.document.model import DocumentState, ParamSection, param_owners, param_sections, shared_params
from mvexplorer.state.document.view_weights import without_weights
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.weights_on_show import WeightsOnShow
from mvexplorer.ui.controls.ingredient_chips import IngredientChips
from mvexplorer.ui.controls.parameter_rows import Folds, ParamRow, Section, SliderRow
from mvexplorer.ui.controls.view_list import ViewList
from mvexplorer.ui.controls.view_row import EPSILON, ViewRow
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, Name, tip
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider
from mvexplorer.wording import listed


class ControlsDock(QWidget):
    """The left side of the window: the views scroll, η, t and r stay in sight below them, the rest unfolds."""

    curves_wanted = Signal(str)
    """Requests a view's slope curve: its slider was unfolded."""

    def __init__(self, controller: Controller, editor: Editor, advice: EpsilonAdvice) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._controller = controller
        self._editor = editor
        self.params: dict[str, ParamRow] = {}
        self._sections: tuple[ParamSection, ...] = ()
        self._open: dict[str, bool] = {}
        self._compact = False
        """Whether sliders stand on the lines of their names: there is little height."""
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=0)
        top = self._make_heading(), self._make_weighing(), self._make_master()
        self.views = ViewList(controller, editor, advice, top)
        self.views.curves_wanted.connect(self.curves_wanted)
        column.addWidget(self.views, 1)
        column.addWidget(_line())
        self.ingredients = IngredientChips(editor, controller)
        column.addWidget(self.ingredients)
        column.addWidget(self._make_shared())
        self._folds = Folds()
        column.addWidget(self._folds)
        column.addSpacing(8)

    @property
    def rows(self) -> dict[str, ViewRow]:
        """The views' rows by name: of many views, those in sight."""
        return self.views.rows

    def _make_heading(self) -> QWidget:
        whole = QWidget()
        row = spaced(QHBoxLayout(whole), 0, 0, 0, 0)
        words = _section("Views")
        words.setToolTip(EPSILON)
        row.addWidget(words, 1)
        self.use_all = QToolButton()
        self.use_all.setText("Select all views")
        self.use_all.setProperty("role", "small")
        self.use_all.setToolTip("Tick every view, so that all methods use it")
        self.use_all.setAccessibleName("Select all views")
        self.use_all.clicked.connect(self._editor.enable_all_views)
        row.addWidget(self.use_all)
        self.weigh = QToolButton()
        self.weigh.setText("View weights")
        self.weigh.setCheckable(True)
        self.weigh.setProperty("role", "small")
        self.weigh.setToolTip("A slider for the weight of each view. Off: all views count equally.")
        self.weigh.setAccessibleName("View weights")
        self.weigh.clicked.connect(lambda on: self._editor.weigh_views(on))
        row.addWidget(self.weigh)
        return whole

    def _make_weighing(self) -> QWidget:
        """The kind of view weights, below the heading as long as they are on."""
        self._weighing = QWidget()
        row = spaced(QHBoxLayout(self._weighing), 0, 0, 0, 2, spacing=8)
        self.volume = QToolButton()
        self.volume.setText("Equal volume")
        self.volume.setCheckable(True)
        self.volume.setProperty("role", "small")
        about = "Divide each view by the sum of its affinities, so that none dominates. Off: all views count equally."
        self.volume.setToolTip(tip(about))
        self.volume.setAccessibleName("Equal-volume view weights")
        self.volume.clicked.connect(lambda on: self._editor.weigh_by_volume(on))
        self.unweighed = Name(role="muted")
        row.addWidget(self.volume)
        row.addWidget(self.unweighed, 1)
        row.addStretch()
        return self._weighing

    def _show_weighing(self, state: DocumentState) -> None:
        """Offer weights where there are several views, and say which methods on show take none."""
        self.weigh.setVisible(len(state.views) > 1)
        self.weigh.setChecked(state.weighing)
        without = without_weights(state) if state.weighing else []
        self._weighing.setVisible(state.weighing and len(state.views) > 1)
        self.volume.setChecked(state.equal_volume)
        self.unweighed.setVisible(bool(without))
        kind = "equal-volume view weights" if state.equal_volume else "view weights"
        words = f"{listed(without)} {'has' if len(without) == 1 else 'have'} no {kind}"
        self.unweighed.set_words(words)
        self.unweighed.setToolTip(tip(f"{words}: all views count equally."))

    def _make_shared(self) -> QWidget:
        """The parameters that are always in sight."""
        whole = QWidget()
        column = spaced(QVBoxLayout(whole), 12, 6, 12, 2, spacing=2)
        self._shared_title = _section("Parameters, shared by all panels")
        column.addWidget(self._shared_title)
        self._shared_rows = whole
        self._shared = [self._make_row(param) for param in shared_params()]
        for row in self._shared:
            column.addWidget(row)
        return whole

    def _make_master(self) -> QWidget:
        self._master_row = row = SliderRow()
        row.setContentsMargins(0, 0, 0, 2)
        words = QLabel("Scale all ε by")
        words.setToolTip("One factor on the ε of every linked view. Double click: 1.")
        self.master_field = NumberField("Factor on all ε", 64)
        self.master_field.entered.connect(self._typed_scale)
        room = QWidget()
        row.head.addWidget(words)
        row.head.addWidget(room, 1)
        row.head.addWidget(self.master_field)
        self.master = Slider(Scale(*SCALE_RANGE), 1.0, "Scale all ε by: factor on every linked bandwidth")
        self.master.setToolTip(words.toolTip())
        self.master.moved.connect(lambda value: self._editor.set_scale(_snapped(value), interactive=True))
        self.master.released.connect(self._editor.end_drag)
        self.master.typed.connect(self.master_field.begin)
        self.master.reset.connect(lambda: self._editor.set_scale(1.0))
        self.master.mark_clicked.connect(lambda _: self._editor.set_scale(1.0))
        row.add_slider(self.master, instead_of=room, marks=(Mark(1.0, "1", "Every view at its own ε"),))
        return row

    def _typed_scale(self, text: str) -> None:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        self.master_field.set_wrong(not self._editor.type_scale(value))

    def steps_to(self, state: DocumentState) -> list[Callable[[], None]]:
        """List steps to take before `show_state` shows other views: build their rows, one a turn of the event loop."""
        return self.views.steps_to(state)

    def show_state(self, state: DocumentState) -> None:
        """Show the views and parameters of the state."""
        self.use_all.setVisible(not all(v.enabled for v in state.views))
        self._show_weighing(state)
        self.views.show_state(state)
        self.master.set_value(state.epsilon_scale)
        self.master_field.show_text(numbers.factor(state.epsilon_scale))
        data = self._controller.document.data
        self.ingredients.show_state(state, 0 if data is None else data.n_samples)
        self._show_params(state)

    def _show_params(self, state: DocumentState) -> None:
        shown = tuple(p.method for p in state.panels)
        sections, owners = param_sections(shown), param_owners(shown)
        if sections != self._sections:
            self._rebuild_params(sections)
        for row in self._shared:
            row.set_used(row.param.name in owners)
        for name, row in self.params.items():
            row.show_value(state.params.get(name, row.param.default), self._top(name))

    def _top(self, name: str) -> float:
        data = self._controller.document.data
        # Upper end of a slider whose parameter has none; larger values can be typed.
        slider_top = {"t": 64.0, "n_components": 40.0}
        top = slider_top.get(name, float("inf"))
        return min(top, max(2, data.n_samples - 2)) if name == "n_components" and data is not None else top

    def _rebuild_params(self, sections: tuple[ParamSection, ...]) -> None:
        self._sections = sections
        self.params = {row.param.name: row for row in self._shared}
        few_params = 9  # beyond this number, methods' own parameters start folded
        few = sum(len(section.params) for section in sections) <= few_params
        widgets = []
        for section in sections:
            rows = [self._make_row(param) for param in section.params]
            open_ = self._open.get(section.title, few and bool(section.title))
            widgets.append(Section(section.title, rows, open_, partial(self._remember, section.title)))
        self._folds.offer(widgets)
        self._fit_folds()

    def _remember(self, title: str, open_: bool) -> None:
        self._open[title] = open_
        self._fit_folds()

    def _fit_folds(self) -> None:
        unfolded = 1 / 3  # most of the dock's height that unfolded parameters take; beyond it they scroll
        self._folds.fit(int(unfolded * self.height()))

    def _fit_rows(self) -> None:
        """Put sliders on the lines of their names, without a title, where height is little: the views' ε stay in sight.

        Parameters that unfold keep two lines: few know those by their symbols.
        """
        low = 530  # pixels, of which rows of two lines leave six views too few
        compact = self.height() < theme.px(low)
        if compact == self._compact:
            return
        self._compact = compact
        for row in (self._master_row, *self._shared):
            row.set_compact(compact)
            _lay_out_anew(row)
        self._shared_title.setVisible(not compact)
        for parent in (self._shared_rows, self):
            _lay_out_anew(parent)
        self.views.settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_rows()
        self._fit_folds()
        super().resizeEvent(event)

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
        row = self.views.look_at(view)
        if row is not None:
            row.field.setFocus()

    def show_quick(self, along: str, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline where a drag is quick on the one slider where that is known, and clear the others."""
        self.master.set_quick(ranges if along == "epsilon_scale" else ())
        self.params["eta"].show_quick(ranges if along == "eta" else ())
        self.views.show_quick(along, ranges)

    def show_verdicts(self) -> None:
        """Show what became known of the views' bandwidths."""
        self.views.show_verdicts()

    def show_weights(self, on_show: WeightsOnShow) -> None:
        """Show what a panel tells of its views' weights and shares."""
        self.views.show_weights(on_show)

    def show_note(self, text: str, sentence: str = "") -> None:
        """Show a remark beside η, such as the true within-view probability, and the whole sentence in its tooltip."""
        self.params["eta"].show_note(text, sentence)

    def show_summary(self, view: str) -> None:
        """Show a view's newly computed median or rules."""
        if self._controller.document.state.find_view(view) is not None:
            self.views.show_view(view)


def _snapped(value: float) -> float:
    """The factor, or 1 if it is within 2 % of 1."""
    return 1.0 if abs(value - 1.0) < 0.02 else float(f"{value:.3g}")


def _section(text: str) -> QLabel:
    label = Label(text, "section")
    label.setContentsMargins(0, 4, 0, 2)
    return label


def _lay_out_anew(widget: QWidget) -> None:
    """Lay a widget's content out, and let its parent know its new size, now rather than in the next turns."""
    layout = widget.layout()
    if layout is not None:
        layout.invalidate()
        layout.activate()


def _line() -> QFrame:
    line = QFrame()
    line.setFixedHeight(1)
    line.setObjectName("hairline")
    return line
