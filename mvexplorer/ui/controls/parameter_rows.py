"""The form of the shared parameters: one row each, made from its declaration, in sections that fold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.core.params import Param, Value
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, Name, retire, tip
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider


class SliderRow(QWidget):
    """A name and an editor, with a slider below them, or between them where there is little height."""

    def __init__(self) -> None:
        super().__init__()
        self.compact = False
        """Whether the row takes one line."""
        self.slider: Slider | None = None
        self._column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=0)
        self.head = QHBoxLayout()
        self._column.addLayout(self.head)
        self.head.setSpacing(6)
        self.head.addStrut(24)
        self._given_way: QWidget | None = None
        self._marks: tuple[Mark, ...] = ()

    def add_slider(self, slider: Slider, instead_of: QWidget | None, marks: tuple[Mark, ...] = ()) -> None:
        """Add the slider below, with marks on its track; on one line it takes the place of a widget of the head."""
        self.slider, self._given_way, self._marks = slider, instead_of, marks
        slider.set_marks(marks)
        self._column.addWidget(slider)

    def set_compact(self, compact: bool) -> None:
        """Put the slider on the line of name and editor, without marks, or below it."""
        if compact == self.compact or self.slider is None:
            return
        self.compact = compact
        self.slider.set_marks(() if compact else self._marks)
        if self._given_way is not None:
            self._given_way.setVisible(not compact)
        if compact:
            self.head.insertWidget(self.head.count() - 1, self.slider, 1)  # before the editor
        else:
            self._column.addWidget(self.slider)


class ParamRow(SliderRow):
    """One shared parameter: its label, and the editor for its kind."""

    moved = Signal(str, object, bool)
    """Name, value, and whether the drag goes on."""
    released = Signal()

    def __init__(self, param: Param, high: float) -> None:
        super().__init__()
        self.param = param
        self.field: NumberField | None = None
        self._symbol: Label | None = None
        self._words: Name | None = None
        if param.kind == "flag":
            self._flag = QCheckBox(param.label)
            self._flag.setToolTip(param.help)
            self._flag.toggled.connect(lambda on: self.moved.emit(param.name, on, False))
            self.head.addWidget(self._flag, 1)
        else:
            self._add_name()
            self.head.addWidget(self._make_choice() if param.kind == "choice" else self._make_field())
        scale = _scale(param, high)
        if scale is not None:
            self.add_slider(self._make_slider(scale), instead_of=self._words)

    def _add_name(self) -> None:
        """Add the symbol, by which users find a row, then the words."""
        self._words = Name()
        self._words.setProperty("role", "muted")
        self._words.setMinimumWidth(60)
        if self.param.symbol:
            self._symbol = Label(self.param.symbol)
            self._symbol.setStyleSheet("Label { font-weight: 600; }")
            self._symbol.setMinimumWidth(12)
            self.head.addWidget(self._symbol)
        self.head.addWidget(self._words, 1)
        self.show_note("")

    def show_note(self, text: str, sentence: str = "") -> None:
        """Show a remark after the parameter's name, and in the tooltip the whole sentence."""
        if self._words is not None:
            title = self.param.title or self.param.name.replace("_", " ")
            self._words.set_words(", ".join(filter(None, (f"{title[0].upper()}{title[1:]}", text))))
            about = tip(" ".join(filter(None, (self.param.help, sentence or text))))
            for label in filter(None, (self._symbol, self._words)):  # on one line the symbol stands for the words
                label.setToolTip(about)

    def set_used(self, used: bool) -> None:
        """Dim the row while no panel shows a method with this parameter; it keeps its place."""
        if used != self.isEnabled():
            self.setEnabled(used)
            self.show_note("" if used else "not in use", "" if used else "No panel shows a method with it.")

    def _make_choice(self) -> QComboBox:
        self._choice = QComboBox()
        self._choice.addItems(self.param.choices)
        self._choice.setAccessibleName(self.param.label)
        self._choice.setToolTip(self.param.help)
        self._choice.textActivated.connect(lambda text: self.moved.emit(self.param.name, text, False))
        return self._choice

    def _make_field(self) -> NumberField:
        self.field = NumberField(self.param.label, 64)
        text = self.param.range_text
        empty = f"; empty means {self.param.empty}" if self.param.default is None else ""
        self.field.setToolTip(f"{text[0].upper()}{text[1:]}{empty}")
        if self.param.default is None:
            self.field.setPlaceholderText(self.param.empty)
        self.field.entered.connect(lambda typed: self.moved.emit(self.param.name, self._typed(typed), False))
        return self.field

    def _make_slider(self, scale: Scale) -> Slider:
        param = self.param
        slider = Slider(scale, float(param.default or scale.low), param.label)
        slider.setToolTip(param.help)
        slider.moved.connect(lambda value: self.moved.emit(param.name, self._cast(value), True))
        slider.released.connect(self.released)
        if self.field is not None:
            slider.typed.connect(self.field.begin)
        slider.reset.connect(lambda: self.moved.emit(param.name, param.default, False))
        return slider

    def _typed(self, text: str) -> str | None:
        """An emptied field means "decided from the data" where a parameter allows that."""
        return None if text.strip() in ("", self.param.empty) and self.param.default is None else text

    def _cast(self, value: float) -> float | int:
        if self.param.kind == "int":
            return round(value)
        return float(f"{value:.4g}") if self.param.log else round(value, 4)

    def take_focus(self) -> None:
        """Start editing; the row's section unfolds."""
        body = self.parentWidget()
        section = body.parentWidget() if body is not None else None
        if isinstance(section, Section):
            section.head.setChecked(True)
        editor = self.field or (self._flag if self.param.kind == "flag" else self._choice)
        editor.setFocus()

    def show_quick(self, ranges: tuple[tuple[float, float], ...]) -> None:
        """Underline the ranges in which a drag is quick."""
        if self.slider is not None:
            self.slider.set_quick(ranges)

    def set_wrong(self, wrong: bool) -> None:
        """Mark an invalid value."""
        if self.field is not None:
            self.field.set_wrong(wrong)

    def show_value(self, value: Value, high: float) -> None:
        """Show the shared value."""
        if self.param.kind == "flag":
            self._flag.blockSignals(True)
            self._flag.setChecked(bool(value))
            self._flag.blockSignals(False)
        elif self.param.kind == "choice":
            self._choice.setCurrentText(str(value))
        elif self.field is not None:
            text = "" if value is None else value if isinstance(value, str) else f"{value:.4g}"
            self.field.show_text(text)
        if self.slider is not None and isinstance(value, int | float):
            scale = _scale(self.param, max(high, float(value)))
            if scale is not None and scale != self.slider.scale:
                self.slider.set_scale(scale)
            self.slider.set_value(float(value))


def _scale(param: Param, high: float) -> Scale | None:
    """The slider's axis; None for a parameter that has no natural range."""
    top = min(param.high, high)
    if param.kind not in ("int", "float") or param.low == float("-inf") or top == float("inf"):
        return None
    if param.default is None:
        return None
    if param.kind == "int":
        return Scale(param.low, top, "int")
    if param.log:
        return Scale(param.low, top) if param.low > 0.0 else None
    return Scale(param.low, top, "linear")


def named(names: Sequence[str], room: float, width: Callable[[str], float]) -> str:
    """Name as many as there is room for, at least the first, and count the rest."""
    whole = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    cut = (f"{', '.join(names[:n])} and {len(names) - n} more" for n in range(len(names) - 1, 0, -1))
    fitting = (text for text in (whole, *cut) if width(text) <= room)
    return next(fitting, f"{names[0]} and {len(names) - 1} more" if names[1:] else names[0])


class Section(QWidget):
    """Rows under a head that folds them away: the methods' names, or the symbols of parameters of most methods."""

    def __init__(self, title: str, rows: Sequence[ParamRow], open_: bool, toggled: Callable[[bool], None]) -> None:
        super().__init__()
        column = spaced(QVBoxLayout(self), 0, 0, 0, 0, spacing=2)
        self.head = QToolButton()
        self.head.setObjectName("fold")
        self._names = title.split(", ") if title else []
        symbols = ", ".join(row.param.symbol or row.param.label.lower() for row in rows)
        self.head.setText("" if title else f"More: {symbols}")
        self.head.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.head.setCheckable(True)
        self.head.setChecked(open_)
        self.head.setToolTip(f"Parameters of {title or 'most methods, seldom changed'}")
        self.head.setAccessibleName(f"Parameters of {title}" if title else f"More parameters: {symbols}")
        self._body = QWidget()
        body = spaced(QVBoxLayout(self._body), 0, 0, 0, 4, spacing=2)
        for row in rows:
            body.addWidget(row)
        column.addWidget(self.head)
        column.addWidget(self._body)
        self._fold(open_)
        self.head.toggled.connect(self._fold)
        self.head.toggled.connect(toggled)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._names:
            room = self.width() - self.head.iconSize().width() - theme.px(16)  # beside the icon and the words
            self.head.setText(named(self._names, room, self.head.fontMetrics().horizontalAdvance))

    def _fold(self, open_: bool) -> None:
        self._body.setVisible(open_)
        self.head.setIcon(theme.icon("chevron-down" if open_ else "chevron-right", "muted"))


class Folds(QScrollArea):
    """Sections one below the other, as high as their unfolded content up to a limit, beyond which they scroll."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inner = QWidget()
        self._column = spaced(QVBoxLayout(inner), 12, 2, 12, 0, spacing=2)
        self._sections: list[Section] = []
        self.setWidget(inner)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def offer(self, sections: Sequence[Section]) -> None:
        """Show these sections instead of the former ones."""
        # Not by the layout's items: a wrapper of one outlives it, and is taken for whatever is put at its address.
        for section in self._sections:
            self._column.removeWidget(section)
            retire(section)
        self._sections = list(sections)
        for section in sections:
            self._column.addWidget(section)
            section.show()  # of a form on show, a hidden one would count as nothing in `fit`

    def fit(self, most: int) -> None:
        """Take the height of the unfolded content, at most `most` pixels."""
        self.setFixedHeight(min(self._column.sizeHint().height(), most))
