"""The parameter that a sweep varies, from where to where, in how many values: part of the sweep's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from mvexplorer.compute.batch.axes import SCALE, Axis
from mvexplorer.ui.pages.tune.sweep_words import factor_text
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import ShortBox, line, tip
from mvexplorer.wording import as_typed

VALUES = (3, 60)


class AxisChoice(QObject):
    """A list of axes with two ends and a number of values, which follow the axis chosen."""

    changed = Signal()

    def __init__(
        self, present: Callable[[Axis], float | None], counts: tuple[int, int] = VALUES, usual: int | None = None
    ) -> None:
        super().__init__()
        self._present, self._counts, self._usual = present, counts, usual
        self._axes: dict[str, Axis] = {}
        self.widgets: tuple[QWidget, ...] = ()
        """The fields with the words between them."""
        self.list = ShortBox()
        self.list.setAccessibleName("What is swept")
        self.list.setToolTip("What changes from one value to the next; all else stays as it is")
        self.low, self.high = NumberField("Smallest value", 60), NumberField("Largest value", 60)
        self.values = NumberField("Number of values", 44)
        self.values.setToolTip(f"A whole number from {counts[0]} to {counts[1]}")
        for number in (self.low, self.high, self.values):
            number.editingFinished.connect(number.refill)
        self.offer({SCALE.name: SCALE})
        self.list.currentIndexChanged.connect(lambda _: self._chosen())

    def fill(self, row: QHBoxLayout, spacing: int = 8) -> None:
        """Add the fields to a row: from, to, and how many values."""
        row.setSpacing(spacing)
        self.widgets = (self.low, QLabel("to"), self.high, QLabel("in"), self.values)
        for piece in self.widgets:
            row.addWidget(piece)
        row.addStretch(1)

    @property
    def axis(self) -> Axis:
        """The axis chosen."""
        return self._axes.get(self.list.currentData(), SCALE)

    def show_values(self, axis: Axis, values: Sequence[float]) -> None:
        """Show an axis that is offered, its ends and how many values there are."""
        self.list.blockSignals(True)
        self.list.setCurrentIndex(max(self.list.findData(axis.name), 0))
        self.list.blockSignals(False)
        for field, end in zip((self.low, self.high), (min(values), max(values)), strict=True):
            field.show_text(factor_text(end) if axis == SCALE else numbers.editable(end))
        self.values.show_text(str(len(values)))

    def choose(self, axis: Axis) -> None:
        """Choose one of the axes that are offered, from where to where it is usually swept."""
        self.list.setCurrentIndex(max(self.list.findData(axis.name), 0))
        self._chosen()

    def offer(self, axes: Mapping[str, Axis]) -> None:
        """Offer these axes; the one chosen stays, if it is among them."""
        if dict(axes) == self._axes:
            return
        chosen, self._axes = self.axis.name, dict(axes)
        self.list.blockSignals(True)
        self.list.clear()
        longest = 30  # most characters of an axis in the list
        for name, axis in axes.items():
            self.list.addItem(line(axis.title, longest), name)
            self.list.setItemData(self.list.count() - 1, tip(axis.title), Qt.ItemDataRole.ToolTipRole)
        self.list.setCurrentIndex(max(self.list.findData(chosen), 0))
        self.list.blockSignals(False)
        if self.axis.name != chosen or not self.low.text():
            self._chosen()

    def _chosen(self) -> None:
        """Fill the fields with where this axis is usually swept."""
        for field, end in zip((self.low, self.high), self._span(), strict=True):
            field.show_text(factor_text(end) if self.axis == SCALE else numbers.editable(end))
            field.set_wrong(False)
        usual = {SCALE.name: 15}  # how many values to start with; 13 for other axes
        self.values.show_text(str(self._usual or usual.get(self.axis.name, 13)))
        self.changed.emit()

    def _span(self) -> tuple[float, float]:
        low, high = self.axis.span
        unit = (self._present(self.axis) or 1.0) if self.axis.view is not None else 1.0
        return (low * unit, high * unit)

    def ends(self) -> tuple[float, float]:
        """The two ends; where they make no sense a red outline, and where the axis is usually swept."""
        axis, (low, high) = self.axis, (_number(field.text()) for field in (self.low, self.high))
        least = 0.0 if axis.of_epsilon or axis.log else axis.low - 1e-12
        largest = 1e9
        good = max(least, axis.low if axis.whole else least) <= low < high <= min(axis.high, largest) and low != least
        for field in (self.low, self.high):
            field.set_wrong(not good)
        return (low, high) if good else self._span()

    def chosen_values(self) -> tuple[float, ...] | None:
        """The values to sweep; None, and a red outline, where their number makes no sense."""
        count = whole_number(self.values, *self._counts)
        return None if count is None else self.axis.between(*self.ends(), count, log=self.axis.log)


def whole_number(field: NumberField, low: int, high: int) -> int | None:
    """The whole number in a field; without one in range None, and a red outline."""
    text = field.text().strip()
    good = text.isdigit() and low <= int(text) <= high
    field.set_wrong(not good)
    return int(text) if good else None


def _number(text: str) -> float:
    """A number, or a fraction such as 1/30; NaN where it is neither."""
    above, _, below = as_typed(text).partition("/")
    try:
        return float(above) / float(below or 1.0)
    except (ValueError, ZeroDivisionError):
        return nan
