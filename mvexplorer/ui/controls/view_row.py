"""One view in the left side: its tick, its kernel and its bandwidth."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from mvexplorer.engine.bandwidth.table import Bandwidth, bandwidth_rules, parse_bandwidth
from mvexplorer.engine.core.multiview import PREPROCESS, MultiView
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, kernel_kinds, parse_kernel
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.fields import ElidedLabel, NumberField
from mvexplorer.ui.widgets.plain_text import Label, NameCheck, line, tip
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider
from mvexplorer.ui.widgets.slope_curve import SlopeCurve

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction

    from mvexplorer.compute.runner import ViewCurves
    from mvexplorer.engine.bandwidth.rule import Rule
    from mvexplorer.engine.core.params import Param
    from mvexplorer.state.controller import Controller
    from mvexplorer.state.editor import Editor
    from mvexplorer.state.model import ViewState

DECADES = (-4.0, 2.0)
"""The bandwidth axis: log10 of ε over the view's median squared distance, the same for every view."""
PREPROCESS_WORDS = {"none": "raw", "centre": "centred", "zscore": "z-scored"}
NEIGHBOUR_CHOICES = (5, 7, 10, 15, 30, 64, 100)
RULE_NUMBERS = range(1, 11)
"""Dimensions offered for a rule with a dimension parameter."""


class ViewRow(QWidget):
    """One view: tick, name, shape, bandwidth slider with the rules on its track."""

    curves_wanted = Signal(str)
    """Requests this view's slope curve: the slider was unfolded."""

    def __init__(self, name: str, editor: Editor) -> None:
        super().__init__()
        self.name = name
        self._editor = editor
        self._marks: dict[str, str] = {}
        self._treatment: tuple[str, str] | None = None
        self._key: object = None
        self._rule = "max-min"
        self._scale = 1.0
        self._median: float | None = None
        self._values: dict[str, float | str] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 3, 0, 4)
        column.setSpacing(2)
        column.addLayout(self._make_head())
        self._lower = QWidget()
        lower = QVBoxLayout(self._lower)
        lower.setContentsMargins(0, 0, 0, 0)
        lower.setSpacing(2)
        self.slider = self._make_slider()
        self.slope = SlopeCurve(self.slider)
        self.slope.hide()
        lower.addWidget(self.slope)
        lower.addWidget(self.slider)
        column.addWidget(self._lower)
        self._without = Label()
        self._without.setProperty("role", "muted")
        column.addWidget(self._without)
        lower.addLayout(self._make_foot())
        self._fold(False)

    def _make_head(self) -> QHBoxLayout:
        """Tick, name, shape, and preprocessing of the features."""
        row = QHBoxLayout()
        row.setSpacing(4)
        self.check = NameCheck()
        self.check.set_words(self.name)
        self.check.setStyleSheet("font-weight: 600;")
        self.check.toggled.connect(lambda on: self._editor.enable_view(self.name, on))
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
        self.unfold.setAccessibleName(f"Slope curve of {self.name}")
        self.unfold.toggled.connect(self._fold)
        row.addWidget(self.check)
        row.addWidget(self.unfold)
        row.addStretch(1)
        row.addWidget(self._shape)
        row.addWidget(self.how)
        return row

    def _make_slider(self) -> Slider:
        slider = Slider(Scale(10 ** DECADES[0], 10 ** DECADES[1]), 1.0, f"Bandwidth ε of {self.name}")
        slider.setToolTip(
            "Bandwidth ε relative to the view's median squared distance: from 10⁻⁴ to 10² of it.\n"
            "Arrow keys move by 5 %, with Shift by 1 %, page keys by a factor of 2. Double click returns to the rule."
        )
        slider.moved.connect(self._slid)
        slider.released.connect(self._editor.end_drag)
        slider.reset.connect(lambda: self._editor.set_epsilon(self.name, self._rule))
        slider.mark_clicked.connect(lambda letter: self._editor.set_epsilon(self.name, self._marks[letter]))
        return slider

    def _make_foot(self) -> QHBoxLayout:
        """ε as a number, σ, the rule, and the link to the master slider."""
        row = QHBoxLayout()
        row.setSpacing(6)
        self.field = NumberField(f"Bandwidth ε of {self.name}", 78)
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
        self.link.clicked.connect(lambda on: self._editor.set_linked(self.name, on))
        row.addWidget(QLabel("ε"))
        row.addWidget(self.field)
        row.addWidget(self._sigma, 1)
        row.addWidget(self.rule)
        row.addWidget(self.link)
        return row

    def show_state(self, view: ViewState, shape: str, controller: Controller) -> None:
        """Show everything about the view; do nothing if none of it has changed."""
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
        # Hide the bandwidth of an unticked view or a kernel without one: it has no effect.
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
            self.curves_wanted.emit(self.name)

    def show_curves(self, curves: ViewCurves | None) -> None:
        """Show the curve above the slider, once it is computed."""
        self.slope.show_curves(curves)

    def _show_treatment(self, view: ViewState) -> None:
        """Show the view's preprocessing and kernel."""
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
                menu,
                PREPROCESS_WORDS[how],
                how == view.preprocess,
                partial(self._editor.set_preprocess, self.name, how),
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
                    sub, words, choice == kernel, partial(self._editor.set_kernel, self.name, choice.text)
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
                # A click gives the rule's ε times the master's factor.
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
            value = float(f"{position * self._median:.4g}") / self._scale
            self._editor.set_epsilon(self.name, value, interactive=True)

    def _typed(self, text: str) -> None:
        """Set the typed ε; a number includes the master's factor."""
        given: float | str = text.strip() or self._rule
        with suppress(ValueError):
            given = float(given) / self._scale
        self.field.set_wrong(not self._editor.set_epsilon(self.name, given))

    def _choose_rule(self) -> None:
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for rule in bandwidth_rules():
            value = self._values.get(rule.id)
            if isinstance(value, float):
                shown = f"ε {numbers.number(value)}"
            else:
                shown = "not available" if value else "not computed yet"
            usable = isinstance(value, float) or not value
            action = menu.addAction(f"Use {rule.title.lower()}\t{shown}")
            action.setToolTip(tip(rule.summary if usable else str(value)))
            action.setEnabled(usable)
            action.triggered.connect(lambda _=False, r=rule.id: self._editor.set_epsilon(self.name, r))
            for param in rule.params:
                if param.kind == "int" and param.default is None and usable:
                    self._add_values(menu, rule, param)
        menu.popup(self.rule.mapToGlobal(self.rule.rect().bottomLeft()))

    def _add_values(self, menu: QMenu, rule: Rule, param: Param) -> None:
        """Add choices for a number that the rule else determines itself; others can be typed."""
        sub = menu.addMenu(f"Use {rule.title.lower()} with {param.symbol} …")
        sub.setToolTipsVisible(True)
        for count in RULE_NUMBERS:
            chosen = Bandwidth(1.0, rule.id, ((param.name, count),)).given
            action = self._add_choice(
                sub,
                f"{param.symbol} = {count}",
                chosen == self._rule,
                partial(self._editor.set_epsilon, self.name, chosen),
            )
            action.setToolTip(param.help)


def shape_text(data: MultiView | None, view: str) -> str:
    """Samples and features of a view, as in “2,000 × 76”."""
    if data is None or view not in data.view_names:
        return ""
    return " × ".join(f"{n:,}" for n in data.Xs[data.view_index(view)].shape)


def _heading(menu: QMenu, words: str) -> None:
    menu.addAction(words).setEnabled(False)
