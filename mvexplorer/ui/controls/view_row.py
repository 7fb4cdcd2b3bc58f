"""One view in the left side: its tick, its kernel and its bandwidth."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from math import isclose

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from mvexplorer.compute.jobs.runner import ViewCurves
from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.bandwidth.table import DEFAULT_RULE, Bandwidth, bandwidth_rules, parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Param
from mvexplorer.engine.kernels.affinities import GAUSSIAN, parse_kernel
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.state.bench.epsilon_advice import Advice
from mvexplorer.state.document.ingredients.words import kernel_words
from mvexplorer.state.document.model import ViewState
from mvexplorer.state.document.titles import preprocess_words
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions.verdicts import ViewVerdict
from mvexplorer.ui.controls.treatment_menu import TreatmentMenu, add_choice
from mvexplorer.ui.controls.verdict_dot import ROLES, VerdictDot
from mvexplorer.ui.controls.weight_line import WeightLine
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import show_in_place
from mvexplorer.ui.widgets.fields import NumberField, RoomLabel
from mvexplorer.ui.widgets.keyed_tip import keyed_tip
from mvexplorer.ui.widgets.plain_text import Label, NameButton, NameCheck, line, tip
from mvexplorer.ui.widgets.plots.slope_curve import SlopeCurve
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider

EPSILON = "ε, the kernel's bandwidth: the larger, the farther apart samples still count as neighbours in this view."


class ViewRow(QWidget):
    """One view: tick, name, shape, bandwidth slider with the rules on its track."""

    curves_wanted = Signal(str)
    """Requests this view's slope curve: the slider was unfolded."""

    advice_wanted = Signal(str)
    """Requests what is recommended for this view: its rules or its verdict were asked for."""

    whole_wanted = Signal()
    """The row was pressed beside its slider, or its slope curve asked for: it is to be shown whole."""

    LINE, INLINE, WHOLE = 28, 54, 88
    """Heights in pixels of a row on one line, of one with its rule below, and of a whole one, without weight and slope
    curve."""
    BARE, LETTERED = 22, 34
    """Heights of a slider without and with the letters of the rules below its track."""

    def __init__(self, name: str, editor: Editor) -> None:
        super().__init__()
        self.name = name
        self.compact = False
        """Whether the row takes one line: tick, slider, ε and link."""
        self.inline = False
        """Whether the weight stands beside ε, and the slider beside the name, until the slope curve is unfolded."""
        self._name_width = 0
        self._editor = editor
        self._enabled = self._uses_epsilon = True
        self._pointed_at = self._has_keys = False
        self._form: object = None
        self._marks: dict[str, str] = {}
        self._letters: tuple[Mark, ...] = ()
        self._treatment: tuple[str, str, int] | None = None
        self._shown: object = None
        self._bandwidth: tuple[float | str, str, float] | None = None
        self._alarm = ""
        self._weighed = False
        self._rule = DEFAULT_RULE
        self._scale = 1.0
        self._quick: tuple[tuple[float, float], ...] = ()
        self._median: float | None = None
        self._values: dict[str, float | str] = {}
        self._advice: Advice | None = None
        self._labelled = self._several = False
        """Whether the data have labels, and other views: without them some rules cannot apply."""
        self._menu: QMenu | None = None
        """The rules, while they are on show."""
        self.weight: WeightLine | None = None
        self._make_parts()
        self.slider = self._make_slider()
        self.slider.setMinimumWidth(48)  # on one line with a long name and a long number
        self.slope = SlopeCurve(self.slider)
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        self._make_head(column)
        column.addWidget(self.slope)
        column.addWidget(self.slider)
        self._make_foot(column)
        self._arrange()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    def _make_parts(self) -> None:
        """Make what stands beside the name and below the slider."""
        self.check = NameCheck()
        self.check.set_words(self.name)
        self.check.setStyleSheet("NameCheck { font-weight: 600; }")
        self.check.toggled.connect(lambda on: self._editor.enable_view(self.name, on))
        self.check.name_pressed.connect(self._press_name)
        self.unfold = QToolButton()
        self.unfold.setCheckable(True)
        theme.square(self.unfold)
        about = "Unfold the slope of log S: intrinsic dimension seen at each ε"
        keyed_tip(self.unfold, about, "Slope curve of a bandwidth")
        self.unfold.setAccessibleName(f"Slope curve of {self.name}")
        self.unfold.toggled.connect(self._fold)
        self._shape, self._sigma, self._without = RoomLabel(), Label(), Label()
        for label in (self._shape, self._sigma, self._without):
            label.setProperty("role", "muted")
        self.how, self.rule = NameButton(), NameButton()
        for button in (self.how, self.rule):
            button.setProperty("role", "small")
        self.how.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.rule.clicked.connect(self._choose_rule)
        self.field = NumberField(f"Bandwidth ε of {self.name}", 64)
        self.field.setToolTip(f"{EPSILON} Type a number, a rule, or a multiple such as 2*median or median/9.")
        self.field.entered.connect(self._typed)
        self.dot = VerdictDot(self.name, self._editor)
        self.dot.opened.connect(lambda: self.advice_wanted.emit(self.name))
        self.verdict = NameButton()
        self.verdict.LEAST = 240  # an alarm is read whole: what stands beside it gives way
        self.verdict.setProperty("role", "alarm")
        self.verdict.clicked.connect(self.dot.open)
        self.verdict.hide()
        self.link = QToolButton()
        self.link.setCheckable(True)
        theme.square(self.link)
        self.link.clicked.connect(lambda on: self._editor.set_linked(self.name, on))

    def _make_head(self, column: QVBoxLayout) -> None:
        """The line that a compact row consists of; nothing in it moves when the row becomes whole."""
        row = self._head = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(4)
        self._symbol = QLabel("ε")
        self._symbol.setToolTip(EPSILON)
        row.addWidget(self.check)
        row.addWidget(self.unfold)
        row.addWidget(self._shape, 1)
        for widget in (self.dot, self._symbol, self.field, self.link):
            row.addWidget(widget)
        row.addStrut(24)

    def _make_slider(self) -> Slider:
        slider = Slider(Scale(10 ** DECADES[0], 10 ** DECADES[1]), 1.0, f"Bandwidth ε of {self.name}")
        slider.setToolTip(
            f"{EPSILON} The track runs from 10⁻⁴ to 10² of the median squared distance.\n"
            "Arrow keys move by 5 %, with Shift by 1 %, page keys by a factor of 2. Double click returns to the rule."
        )
        slider.typed.connect(self.field.begin)
        slider.moved.connect(self._slid)
        slider.released.connect(self._editor.end_drag)
        slider.reset.connect(lambda: self._editor.set_epsilon(self.name, self._rule))
        slider.mark_clicked.connect(lambda letter: self._editor.set_rule(self.name, self._marks[letter]))
        return slider

    def _make_foot(self, column: QVBoxLayout) -> None:
        """σ, the rule, and what is done to the features."""
        row = self._foot = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(4)
        for widget in (self._sigma, self.verdict, self._without):
            row.addWidget(widget)
        row.addStretch(1)
        row.addWidget(self.rule)
        row.addWidget(self.how)

    def set_compact(self, compact: bool, name_width: int, *, inline: bool = False) -> None:
        """Show the row on one line, its name cut to a width that all rows share, or whole.

        `inline` puts its weight beside ε.
        """
        if (compact, name_width, inline) != (self.compact, self._name_width, self.inline):
            self.compact, self._name_width, self.inline = compact, name_width, inline
            self._arrange()

    @property
    def _one_line(self) -> bool:
        """Whether the slider stands beside the name."""
        return self.compact or (self.inline and not self.unfold.isChecked())

    def _arrange(self) -> None:
        """Show the parts of the row's present form, each in its place."""
        enabled, has_epsilon = self._enabled, self._enabled and self._uses_epsilon
        one_line = self._one_line and has_epsilon
        looks = (self.unfold.isChecked(), self._name_width, theme.scale())
        form = (enabled, has_epsilon, one_line, self.compact, self.inline, looks)
        if form == self._form:
            return
        self._form = form
        self.check.setMinimumWidth(self._name_width if one_line else 0)
        unlimited = 16777215  # Qt's largest width of a widget
        self.check.setMaximumWidth(self._name_width if one_line else unlimited)
        if one_line:
            self._head.insertWidget(1, self.slider, 1)
        else:
            self._column.insertWidget(2, self.slider)
        (self._foot if enabled else self._head).addWidget(self.how)
        self.slider.set_marks(() if one_line else self._letters)
        # Letters that arrive move nothing.
        self.slider.setFixedHeight(theme.px(self.BARE if one_line else self.LETTERED))
        whole = has_epsilon and not one_line
        _show(has_epsilon, self.slider, self.field, self.dot)
        _show(whole, self._symbol)
        _show(has_epsilon and not self.compact, self.rule)
        self._place_weight()
        self._show_foot()
        _show(not one_line, self._shape)
        self._show_seldom()
        self.slope.setVisible(whole and self.unfold.isChecked())
        self._without.setVisible(enabled and not has_epsilon)

    def _show_seldom(self) -> None:
        """Show chevron, link and treatment at hand, or where they tell what is not usual: six times all are a wall."""
        has_epsilon, one_line = self._enabled and self._uses_epsilon, self._one_line and self._uses_epsilon
        at_hand, usual = self._pointed_at or self._has_keys, self._treatment is None or self._treatment[0] == "raw"
        unfolded, unlinked = self.unfold.isChecked(), not self.link.isChecked()
        show_in_place(self.unfold, possible=has_epsilon and not one_line, at_hand=at_hand or unfolded)
        room = not (one_line and self.inline)  # the weight takes it, unless there is something to tell
        show_in_place(self.link, possible=has_epsilon and (room or unlinked), at_hand=at_hand or unlinked)
        on_foot = not (self.compact and self._uses_epsilon and self._enabled)
        show_in_place(self.how, possible=on_foot, at_hand=at_hand or not usual)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._pointed_at = True
        self._show_seldom()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed_at = False
        self._show_seldom()
        super().leaveEvent(event)

    def _focus_moved(self, _: QWidget | None, now: QWidget | None) -> None:
        has_keys = now is not None and self.isAncestorOf(now)
        if has_keys != self._has_keys:
            self._has_keys = has_keys
            self._show_seldom()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.whole_wanted.emit()
        super().mousePressEvent(event)

    def show_state(self, view: ViewState, controller: Controller) -> None:
        """Show everything about the view but its weight; do nothing if none of it has changed."""
        shape = shape_text(controller.document.data, self.name)
        summary = controller.summaries.get(self.name)
        settings = (view.title, view.enabled, view.linked, view.preprocess, view.kernel)
        rest = (settings, shape, summary, theme.current().name, theme.scale())
        # The bandwidth of an unticked view is hidden: it need not follow the master slider.
        factor = controller.document.state.factor(self.name) if view.enabled else 1.0
        bandwidth = (view.epsilon, view.rule, factor)
        if rest != self._shown:
            self._show_rest(view, shape, controller)
        elif bandwidth == self._bandwidth:
            return
        self._shown, self._bandwidth = rest, bandwidth
        self._show_epsilon(view, controller)
        self._arrange()

    def _show_rest(self, view: ViewState, shape: str, controller: Controller) -> None:
        """Show everything but ε, which moves sixty times a second in a drag."""
        self.check.blockSignals(True)
        self.check.setChecked(view.enabled)
        self.check.blockSignals(False)
        name = ", ".join(filter(None, (view.title or view.name, shape)))
        self.check.setToolTip(tip(f"{name}\nThe box uses the view or leaves it out; the name unfolds its slope curve."))
        self._shape.set_words(shape)
        self._show_treatment(view, controller.document.data)
        self._show_chevron()
        self.link.setChecked(view.linked)
        self._show_seldom()
        self.link.setIcon(theme.icon("link" if view.linked else "unlink", "accent" if view.linked else "muted"))
        self.link.setToolTip(
            "The master slider moves this ε" if view.linked else "The master slider leaves this ε alone"
        )
        self.link.setAccessibleName(f"Link ε of {self.name} to the master slider")
        summaries = controller.summaries.get(self.name)
        self._values = summaries.rules if summaries else {}
        self.dot.show_rules(self._values)
        data = controller.document.data
        self._labelled = data is not None and data.labels is not None
        self._several = data is not None and data.n_views > 1
        self._median = controller.median(self.name)
        kind = parse_kernel(view.kernel).kind
        self._without.setText(f"{kind.title}: no bandwidth to choose")
        self._without.setToolTip(kind.summary)
        # The bandwidth of an unticked view or of a kernel without one has no effect and is hidden.
        self._enabled, self._uses_epsilon = view.enabled, kind.uses_epsilon

    def show_verdict(self, verdict: ViewVerdict, advice: Advice | None, *, only_view: bool) -> None:
        """Show what the view's ε does to it: on the track, in the dot, and in words where it is an alarm."""
        self.slider.set_stretches(tuple((low, high, ROLES[word]) for low, high, word in verdict.track))
        rule = parse_bandwidth(self._bandwidth[0]).rule_text or "" if self._bandwidth else ""
        self.dot.show_verdict(verdict, rule, self._scale, advice, only_view=only_view)
        if advice != self._advice:
            self._advice = advice
            if self._menu is not None:
                self._fill_rules(self._menu)
        if verdict.regime is not None or verdict.word not in ("isolated", "flat"):  # while ε moves the words stay
            regime = verdict.regime
            self._alarm = regime.short if regime is not None and regime.alarming else ""
            self.verdict.set_words(self._alarm)
            self.verdict.setToolTip(self.dot.toolTip())
        self._show_foot()

    def _show_foot(self) -> None:
        """Where there is an alarm it stands where σ does, and so does the slider of a weight beside ε."""
        whole = self._enabled and self._uses_epsilon and not self.compact
        self._sigma.setVisible(whole and not self._alarm and not self.inline)
        self.verdict.setVisible(whole and bool(self._alarm))

    def _press_name(self) -> None:
        if self._enabled:
            self.unfold.setChecked(True)

    def _show_chevron(self) -> None:
        self.unfold.setIcon(theme.icon("chevron-down" if self.unfold.isChecked() else "chevron-right", "muted"))

    def _fold(self, unfolded: bool) -> None:
        self._show_chevron()
        self._arrange()
        if unfolded:
            self.whole_wanted.emit()
            self.curves_wanted.emit(self.name)

    def show_weight(self, weight: float | None, share: float | None = None, title: str = "") -> None:
        """Show the view's weight below the rest, with its share in a panel's steps; None: the views are not weighed."""
        if self.weight is None and weight is not None:
            self.weight = WeightLine(self.name, self._editor)
        self._weighed = weight is not None
        self._place_weight()
        if self.weight is not None and weight is not None:
            self.weight.show_weight(weight)
            self.weight.show_share(share, title)

    def _place_weight(self) -> None:
        """Put the weight below the rest, or its number beside ε and its slider beside the rule."""
        if self.weight is None:
            return
        if self.inline:
            self._foot.insertWidget(0, self.weight, 9)  # nearly all that the words leave
        else:
            self._column.addWidget(self.weight)
        self.weight.stand(self._head if self.inline else None, self.link)
        _show(self._weighed, self.weight.field)
        _show(self._weighed and self.inline, self.weight.sign)
        self.weight.setVisible(self._weighed and not (self.inline and (self.compact or not self._uses_epsilon)))

    def holds(self, widget: QWidget) -> bool:
        """True if a widget is one of the row's own; its weight, which is there in either form, is not."""
        return self.isAncestorOf(widget) and not (
            self.weight is not None and widget in (self.weight.slider, self.weight.field)
        )

    def show_curves(self, curves: ViewCurves | None) -> None:
        """Show the curve above the slider, once it is computed."""
        self.slope.show_curves(curves)

    def _show_treatment(self, view: ViewState, data: MultiView | None) -> None:
        """Show the view's preprocessing and kernel."""
        present = data is not None and self.name in data.view_names
        most = min(data.Xs[data.view_index(self.name)].shape) if data is not None and present else 0
        kernel = parse_kernel(view.kernel)
        word = preprocess_words(view.preprocess)
        words = [kernel_words(kernel), *([] if kernel.metric == EUCLIDEAN else [kernel.metric])]
        text = word if kernel == GAUSSIAN else ", ".join(words)
        if (text, view.preprocess, most) == self._treatment:
            return
        self._treatment = (text, view.preprocess, most)
        self.how.set_words(text)
        self.how.setToolTip("What is done to the features before distances are taken, and the kernel on them")
        self.how.setAccessibleName(f"Features {word}, {kernel.kind.title} kernel")
        menu = TreatmentMenu(self.how, self._editor, view, most)
        old = self.how.menu()
        self.how.setMenu(menu)
        if old is not None:
            old.deleteLater()

    def _show_epsilon(self, view: ViewState, controller: Controller) -> None:
        self._rule = view.rule
        epsilon = controller.epsilon(self.name)
        given = parse_bandwidth(view.epsilon)
        scale = controller.document.state.factor(self.name)
        self._scale = scale
        times = f" × {numbers.factor(scale)}" if scale != 1.0 else ""
        name = given.words if given.params else line(str(view.epsilon), 16)
        if scale != 1.0 and isclose(given.factor * scale, 1.0, rel_tol=1e-3):
            name, times = given.words, ""
        self.rule.set_words(f"{name}{times}" if given.rule else "rule")
        self.rule.setToolTip("The rule that ε follows, or a number of its own; click to choose a rule")
        self.slider.set_known(epsilon is not None and self._median is not None)
        if epsilon is None or self._median is None:
            self.field.show_text("…")
            self._sigma.setText("")
            return
        effective = epsilon * scale
        self.field.show_text(numbers.editable(effective))
        self._sigma.setText(f"σ {numbers.number(effective**0.5)}")
        meaning = "σ, the square root of ε: how far the kernel reaches, as a distance between samples."
        self._sigma.setToolTip(
            f"{meaning} ε in use {numbers.number(effective)} = σ², σ = {numbers.number(effective**0.5)}; "
            f"{numbers.number(effective / self._median)} of the median squared distance."
        )
        self._show_marks(effective / self._median)

    def _show_marks(self, position: float) -> None:
        assert self._median is not None
        marks = []
        self._marks = {}
        for rule in bandwidth_rules():
            value = self._values.get(rule.id)
            if isinstance(value, float):
                text = f"{rule.title}: ε {numbers.number(value)}. {rule.summary} Click to use it."
                marks.append(Mark(value / self._median, rule.letter, text))
                self._marks[rule.letter] = rule.id
        values = [position, *(m.value for m in marks)]
        self.slider.set_scale(Scale(min(10 ** DECADES[0], *values), max(10 ** DECADES[1], *values)))
        self._letters = tuple(marks)
        self.slider.set_marks(() if self._one_line else self._letters)
        self._show_quick()
        self.slider.set_value(position)
        self.slider.tell_by(partial(_spoken, self._median), self._median)
        self.slope.update()

    def show_quick(self, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline the ranges of the view's own ε, without the master's factor, in which a drag is quick."""
        self._quick = ranges
        self._show_quick()

    def _show_quick(self) -> None:
        if self._median is not None:
            unit = self._scale / self._median
            self.slider.set_quick(tuple((unit * low, unit * high) for low, high in self._quick))

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
        menu = self._menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.destroyed.connect(self._forget_menu)
        self._fill_rules(menu)
        menu.popup(self.rule.mapToGlobal(self.rule.rect().bottomLeft()))
        self.advice_wanted.emit(self.name)

    def _forget_menu(self) -> None:
        self._menu = None

    def _fill_rules(self, menu: QMenu) -> None:
        """Offer the rules that can apply, with the recommended one marked; without one a number that is recommended."""
        menu.clear()
        advice = self._advice
        best = "" if advice is None else advice.rule
        if advice is not None:
            heading = menu.addAction(advice.short)
            heading.setToolTip(tip(advice.why))
            heading.setEnabled(False)
            menu.addSeparator()
            if not (best or advice.here or advice.tuned):
                action = menu.addAction(f"Use ε {numbers.number(advice.value)} (recommended)\tno rule is as good")
                action.triggered.connect(lambda: self._editor.set_epsilon(self.name, advice.value / self._scale))
        for rule in bandwidth_rules():
            if (rule.needs_labels and not self._labelled) or (rule.compares_views and not self._several):
                continue
            value = self._values.get(rule.id)
            if isinstance(value, float):
                shown = f"ε {numbers.number(value)}"
            else:
                shown = "not available" if value else "computed when chosen"
            usable = isinstance(value, float) or not value
            marked = " (recommended)" if rule.id == best else ""
            letter = f"{rule.letter} · " if isinstance(value, float) else ""  # as on the slider and the curves
            action = menu.addAction(f"Use {rule.title.lower()}{marked}\t{letter}{shown}")
            action.setToolTip(tip(rule.summary if usable else str(value)))
            action.setEnabled(usable)
            action.triggered.connect(lambda _=False, r=rule.id: self._editor.set_rule(self.name, r))
            for param in rule.params:
                if param.kind == "int" and param.default is None and usable:
                    self._add_values(menu, rule, param)

    def _add_values(self, menu: QMenu, rule: Rule, param: Param) -> None:
        """Add choices for a number that the rule else determines itself; others can be typed."""
        sub = menu.addMenu(f"Use {rule.title.lower()} with {param.symbol} …")
        sub.setToolTipsVisible(True)
        for count in range(1, 11):  # dimensions offered for a rule with a dimension parameter
            chosen = Bandwidth(1.0, rule.id, ((param.name, count),)).rule_text or rule.id
            action = add_choice(
                sub,
                f"{param.symbol} = {count}",
                chosen == parse_bandwidth(self._rule).rule_text,
                partial(self._editor.set_rule, self.name, chosen),
            )
            action.setToolTip(param.help)


def _spoken(median: float, position: float) -> str:
    """Tell ε and σ at a place on the track, which is the multiple of the median."""
    epsilon = median * position
    return f"{numbers.editable(epsilon)}, σ {numbers.number(epsilon**0.5)}, {numbers.number(position)} × median"


def row_height(view: ViewState, *, compact: bool, weighed: bool, inline: bool = False) -> int:
    """The height in pixels of a view's row, with its slope curve folded; `inline`: with its weight beside ε."""
    lines = ViewRow.LINE
    if view.enabled and not parse_kernel(view.kernel).kind.uses_epsilon:
        lines = 2 * ViewRow.LINE
    elif view.enabled and not compact:
        lines = ViewRow.INLINE if inline else ViewRow.WHOLE
    return theme.px(lines) + (theme.px(WeightLine.HEIGHT) if weighed and not inline else 0)


def shape_text(data: MultiView | None, view: str) -> str:
    """Samples and features of a view, as in “2,000 × 76”."""
    if data is None or view not in data.view_names:
        return ""
    return " × ".join(f"{n:,}" for n in data.Xs[data.view_index(view)].shape)


def _show(visible: bool, *widgets: QWidget) -> None:
    for widget in widgets:
        widget.setVisible(visible)
