"""The left side: the views with their bandwidths, and the shared parameters of the methods on show."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.compute.runner import ViewCurves
from mvexplorer.engine.bandwidth.table import Bandwidth, Rule, bandwidth_rules, parse_bandwidth
from mvexplorer.engine.core.multiview import PREPROCESS, MultiView
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, kernel_kinds, parse_kernel
from mvexplorer.state.commands import SCALE_RANGE
from mvexplorer.state.controller import Controller
from mvexplorer.state.model import DocumentState, ParamSection, ViewState, param_sections
from mvexplorer.ui.controls.parameter_rows import ParamRow, Section
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.fields import ElidedLabel, NumberField
from mvexplorer.ui.widgets.plain_text import Label, NameCheck, line, retire, tip
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider
from mvexplorer.ui.widgets.slope_curve import SlopeCurve

DECADES = (-4.0, 2.0)
"""The bandwidth axis: log10 of ε over the view's median squared distance, the same for every view."""
SLIDER_TOP = {"t": 64.0, "n_components": 40.0}
"""Where a slider ends although the parameter does not; typing goes further."""
PREPROCESS_WORDS = {"none": "raw", "centre": "centred", "zscore": "z-scored"}
NEIGHBOUR_CHOICES = (5, 7, 10, 15, 30, 64, 100)
RULE_NUMBERS = range(1, 11)
"""Dimensions offered for a rule that asks for one."""
NARROWEST = 240
FEW_PARAMS = 9
"""More parameters than this fold away by method, and only those that most methods share stay open."""


@dataclass(frozen=True)
class SideActions:
    """What the left side can ask of the window."""

    tick: Callable[[str, bool], None]
    tick_all: Callable[[], None]
    preprocess: Callable[[str, str], None]
    kernel: Callable[[str, str], bool]
    epsilon: Callable[[str, float | str, bool], bool]
    explain: Callable[[str], None]
    linked: Callable[[str, bool], None]
    scale: Callable[[float, bool], bool]
    param: Callable[[str, object, bool], bool]
    rest: Callable[[], None]


class ViewRow(QWidget):
    """One view: tick, name, shape, bandwidth slider with the rules on its track."""

    focused = Signal(str)

    def __init__(self, name: str, actions: SideActions) -> None:
        super().__init__()
        self.name = name
        self._do = actions
        self._marks: dict[str, str] = {}
        self._treatment: tuple[str, str] | None = None
        self._key: object = None
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 3, 0, 4)
        column.setSpacing(2)
        top = QHBoxLayout()
        top.setSpacing(4)
        self.check = NameCheck()
        self.check.set_words(name)
        self.check.setStyleSheet("font-weight: 600;")
        self.check.toggled.connect(lambda on: self._do.tick(name, on))
        self._shape = Label()
        self._shape.setProperty("role", "muted")
        self.how = QToolButton()
        self.how.setProperty("role", "small")
        self.how.setToolTip("What is done to the features before distances are taken, and the kernel on them")
        self.how.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.unfold = QToolButton()
        self.unfold.setCheckable(True)
        self.unfold.setIconSize(QSize(14, 14))
        self.unfold.setFixedSize(22, 22)
        self.unfold.setToolTip("Unfold the slider into its slope curve: the dimension seen at each bandwidth (C)")
        self.unfold.setAccessibleName(f"Slope curve of {name}")
        self.unfold.toggled.connect(self._fold)
        top.addWidget(self.check)
        top.addWidget(self.unfold)
        top.addStretch(1)
        top.addWidget(self._shape)
        top.addWidget(self.how)
        column.addLayout(top)
        self.slider = Slider(Scale(10 ** DECADES[0], 10 ** DECADES[1]), 1.0, f"Bandwidth ε of {name}")
        self.slider.setToolTip(
            "Bandwidth ε relative to the view's median squared distance: from 10⁻⁴ to 10² of it.\n"
            "Arrow keys move by 5 %, with Shift by 1 %, page keys by a factor of 2. Double click returns to the rule."
        )
        self.slider.moved.connect(self._slid)
        self.slider.released.connect(self._do.rest)
        self.slider.reset.connect(lambda: self._do.epsilon(self.name, self._rule, False))
        self.slider.mark_clicked.connect(lambda letter: self._do.epsilon(self.name, self._marks[letter], False))
        self._lower = QWidget()
        lower = QVBoxLayout(self._lower)
        lower.setContentsMargins(0, 0, 0, 0)
        lower.setSpacing(2)
        self.slope = SlopeCurve(self.slider)
        self.slope.hide()
        lower.addWidget(self.slope)
        lower.addWidget(self.slider)
        column.addWidget(self._lower)
        self._without = Label()
        self._without.setProperty("role", "muted")
        column.addWidget(self._without)
        bottom = QHBoxLayout()
        bottom.setSpacing(6)
        symbol = QLabel("ε")
        self.field = NumberField(f"Bandwidth ε of {name}", 78)
        self.field.setToolTip("A number, a rule, or a multiple such as 2*median or median/9")
        self.field.entered.connect(self._typed)
        self.slider.typed.connect(self.field.begin)
        self._sigma = ElidedLabel()
        self._sigma.setProperty("role", "muted")
        self._sigma.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.rule = QToolButton()
        self.rule.setProperty("role", "small")
        self.rule.setToolTip("Bandwidth rules: choose one to use it")
        self.rule.clicked.connect(self._choose_rule)
        self.link = QToolButton()
        self.link.setCheckable(True)
        self.link.setFixedSize(22, 22)
        self.link.clicked.connect(lambda on: self._do.linked(name, on))
        bottom.addWidget(symbol)
        bottom.addWidget(self.field)
        bottom.addWidget(self._sigma, 1)
        bottom.addWidget(self.rule)
        bottom.addWidget(self.link)
        lower.addLayout(bottom)
        self._fold(False)
        self._rule = "max-min"
        self._scale = 1.0
        self._median: float | None = None
        self._values: dict[str, float | str] = {}

    def show_state(self, view: ViewState, shape: str, controller: Controller) -> None:
        """Everything about the view; nothing is done while a drag moves another one."""
        scale = controller.document.state.epsilon_scale
        key = (view, shape, scale, controller.summaries.get(self.name), theme.current().name)
        if key == self._key:
            return
        self._key = key
        self._rule = view.rule
        self.check.blockSignals(True)
        self.check.setChecked(view.enabled)
        self.check.blockSignals(False)
        self.check.setToolTip(tip(view.title or view.name))
        self._shape.setText(shape)
        self._show_treatment(view)
        self.link.setChecked(view.linked)
        self.link.setIcon(theme.icon("link" if view.linked else "unlink", "accent" if view.linked else "muted"))
        self.link.setToolTip(
            "The master slider moves this ε" if view.linked else "The master slider leaves this ε alone"
        )
        self.link.setAccessibleName(f"Link ε of {self.name} to the master slider")
        summaries = controller.summaries.get(self.name)
        self._values = summaries.rules if summaries else {}
        self._median = controller.median(self.name)
        kind = parse_kernel(view.kernel).kind
        # The bandwidth of a view left out moves nothing, nor does that of a kernel without one.
        self._lower.setVisible(view.enabled and kind.uses_epsilon)
        self.unfold.setVisible(view.enabled and kind.uses_epsilon)
        self._without.setVisible(view.enabled and not kind.uses_epsilon)
        self._without.setText(f"{kind.title}: no bandwidth to choose")
        self._without.setToolTip(kind.summary)
        self._show_epsilon(view, controller)

    def _fold(self, unfolded: bool) -> None:
        self.slope.setVisible(unfolded)
        self.unfold.setIcon(theme.icon("chevron-down" if unfolded else "chevron-right", "muted"))
        if unfolded:
            self._do.explain(self.name)

    def show_curves(self, curves: ViewCurves | None) -> None:
        """The curve above the slider, once it is known."""
        self.slope.show_curves(curves)

    def _show_treatment(self, view: ViewState) -> None:
        """Preprocessing and kernel: what becomes of the features before anything else."""
        kernel = parse_kernel(view.kernel)
        word = PREPROCESS_WORDS[view.preprocess]
        text = f"{word if kernel == GAUSSIAN else kernel.text} ▾"
        if (text, view.preprocess) == self._treatment:
            return
        self._treatment = (text, view.preprocess)
        self.how.setText(text)
        self.how.setAccessibleName(f"Features {word}, {kernel.kind.title} kernel")
        menu = QMenu(self.how)
        menu.setToolTipsVisible(True)
        _heading(menu, "Features")
        for how in PREPROCESS:
            self._add_choice(
                menu, PREPROCESS_WORDS[how], how == view.preprocess, partial(self._do.preprocess, self.name, how)
            )
        menu.addSeparator()
        _heading(menu, "Kernel")
        for kind in kernel_kinds():
            counts = NEIGHBOUR_CHOICES if kind.neighbours is not None else (None,)
            sub = menu if kind.neighbours is None else menu.addMenu(kind.title)
            for count in counts:
                choice = Kernel(kind, count)
                words = kind.title if count is None else f"{count} neighbours"
                action = self._add_choice(
                    sub, words, choice == kernel, partial(self._do.kernel, self.name, choice.text)
                )
                action.setToolTip(f"{kind.formula}\n{kind.summary}")
        old = self.how.menu()
        self.how.setMenu(menu)
        if old is not None:
            old.deleteLater()

    @staticmethod
    def _add_choice(menu: QMenu, words: str, chosen: bool, do: Callable[[], object]) -> QAction:
        action = menu.addAction(words)
        action.setCheckable(True)
        action.setChecked(chosen)
        action.triggered.connect(lambda _=False: do())
        return action

    def _show_epsilon(self, view: ViewState, controller: Controller) -> None:
        epsilon = controller.epsilon(self.name)
        given = parse_bandwidth(view.epsilon)
        scale = controller.document.state.factor(self.name)
        self._scale = scale
        times = f" × {scale:.3g}" if scale != 1.0 else ""
        name = given.words if given.params else line(str(view.epsilon), 16)
        self.rule.setText(f"{name}{times} ▾" if given.rule else "rule ▾")
        if epsilon is None or self._median is None:
            self.field.show_text("…")
            self._sigma.set_words("")
            return
        effective = epsilon * scale
        self.field.show_text(numbers.editable(effective))
        self._sigma.set_words(f"σ {numbers.number(effective**0.5)}")
        self._sigma.setToolTip(
            f"ε in use {numbers.number(effective)} = σ², σ = {numbers.number(effective**0.5)}; "
            f"{numbers.number(effective / self._median)} of the median squared distance"
        )
        self._show_marks(effective / self._median)

    def _show_marks(self, position: float) -> None:
        assert self._median is not None
        marks = []
        self._marks = {}
        for rule in bandwidth_rules():
            value = self._values.get(rule.id)
            if isinstance(value, float):
                # Where a click leads: the master's factor is on top of the rule.
                value *= self._scale
                text = f"{rule.title}: ε {numbers.number(value)}. {rule.summary} Click to use it."
                marks.append(Mark(value / self._median, rule.letter, text))
                self._marks[rule.letter] = rule.id
        values = [position, *(m.value for m in marks)]
        self.slider.set_scale(Scale(min(10 ** DECADES[0], *values), max(10 ** DECADES[1], *values)))
        self.slider.set_marks(tuple(marks))
        self.slider.set_value(position)
        self.slope.update()

    def _slid(self, position: float) -> None:
        if self._median is not None:
            self._do.epsilon(self.name, float(f"{position * self._median:.4g}") / self._scale, True)

    def _typed(self, text: str) -> None:
        """What is typed as a number is the ε in use, the master's factor included."""
        given: float | str = text.strip() or self._rule
        with suppress(ValueError):
            given = float(given) / self._scale
        self.field.set_wrong(not self._do.epsilon(self.name, given, False))

    def _choose_rule(self) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for rule in bandwidth_rules():
            value = self._values.get(rule.id)
            known = isinstance(value, float)
            shown = f"ε {numbers.number(value)}" if known else "not available" if value else "not computed yet"
            action = menu.addAction(f"Use {rule.title.lower()}\t{shown}")
            action.setToolTip(tip(rule.summary if known or not value else str(value)))
            action.setEnabled(known or not value)
            action.triggered.connect(lambda _=False, r=rule.id: self._do.epsilon(self.name, r, False))
            for param in rule.params:
                if param.kind == "int" and param.default is None and (known or not value):
                    self._add_values(menu, rule, param)
        menu.popup(self.rule.mapToGlobal(self.rule.rect().bottomLeft()))

    def _add_values(self, menu: QMenu, rule: Rule, param: Param) -> None:
        """A number that the rule else decides by itself; more than these can be typed."""
        sub = menu.addMenu(f"Use {rule.title.lower()} with {param.symbol} …")
        sub.setToolTipsVisible(True)
        for count in RULE_NUMBERS:
            chosen = Bandwidth(1.0, rule.id, ((param.name, count),)).given
            action = self._add_choice(
                sub,
                f"{param.symbol} = {count}",
                chosen == self._rule,
                partial(self._do.epsilon, self.name, chosen, False),
            )
            action.setToolTip(param.help)


def _shape(data: MultiView | None, view: str) -> str:
    """Samples and features of a view, as in “2,000 × 76”."""
    if data is None or view not in data.view_names:
        return ""
    return " × ".join(f"{n:,}" for n in data.Xs[data.view_index(view)].shape)


class ControlsDock(QWidget):
    """The left side of the window."""

    def __init__(self, controller: Controller, actions: SideActions) -> None:
        super().__init__()
        self.setObjectName("side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._controller = controller
        self._do = actions
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
        inner.setMinimumWidth(NARROWEST)  # what does not fit gives way: it must not push the sliders out
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
        self.use_all.clicked.connect(self._do.tick_all)
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
        self.master.moved.connect(lambda value: self._do.scale(_snapped(value), True))
        self.master.released.connect(self._do.rest)
        self.master.typed.connect(self.master_field.begin)
        self.master.reset.connect(lambda: self._do.scale(1.0, False))
        self.master.mark_clicked.connect(lambda _: self._do.scale(1.0, False))
        column.addWidget(self.master)
        return whole

    def _typed_scale(self, text: str) -> None:
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        self.master_field.set_wrong(not self._do.scale(value, False))

    def show_state(self, state: DocumentState) -> None:
        """Views and parameters of the state."""
        data = self._controller.document.data
        names = [v.name for v in state.views]
        if list(self.rows) != names:
            self._rebuild_views(names)
        for view in state.views:
            self.rows[view.name].show_state(view, _shape(data, view.name), self._controller)
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
            self.rows[name] = ViewRow(name, self._do)
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
        row.released.connect(self._do.rest)
        self.params[param.name] = row
        return row

    def _param_moved(self, name: str, value: object, interactive: bool) -> None:
        self.params[name].set_wrong(not self._do.param(name, value, interactive))

    def begin_param(self, name: str) -> None:
        """Give the keys to a parameter, if it is still offered."""
        if name in self.params:
            self.params[name].take_focus()

    def begin_epsilon(self, view: str) -> None:
        """Give the keys to the bandwidth of a view, if that is still there."""
        if view in self.rows:
            self.rows[view].field.setFocus()

    def show_note(self, text: str) -> None:
        """A remark under the parameters, such as the true within-view probability."""
        self._note.setText(text)

    def show_summary(self, view: str) -> None:
        """A view's median or rules became known."""
        state = self._controller.document.state
        if view in self.rows and view in {v.name for v in state.views}:
            data = self._controller.document.data
            self.rows[view].show_state(state.view(view), _shape(data, view), self._controller)


def _heading(menu: QMenu, words: str) -> None:
    menu.addAction(words).setEnabled(False)


def _snapped(value: float) -> float:
    """A factor within 2 % of 1 is 1."""
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
