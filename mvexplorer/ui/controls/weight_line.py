"""The weight of one view: a slider and its number, on one line or in those of its row."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from mvexplorer.state.document.view_weights import WEIGHT_RANGE
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, tip
from mvexplorer.ui.widgets.slider import Mark, Scale, Slider


class WeightLine(QWidget):
    """The weight of a view: live while it is dragged, 1 again by a double click; `bare`: no symbol, no margins."""

    HEIGHT = 31
    """In pixels, below a row."""
    BESIDE = (22, 0, 28, 4)
    """Margins that bring the symbol below the view's name, and the number below its ε."""

    def __init__(self, view: str, editor: Editor, *, bare: bool = False) -> None:
        super().__init__()
        self._view, self._editor = view, editor
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(*((0, 0, 0, 0) if bare else self.BESIDE))
        row.setSpacing(6)
        symbol, self.sign = Label("ω", "muted"), Label("ω", "muted")
        about = (
            "ω, the weight of this view: how much it counts beside the others in sums, products, concatenation, the "
            "multi-view walk and the means of Laplacians. Only ratios matter. Double click: 1."
        )
        for label in (symbol, self.sign):
            label.setToolTip(about)
        self.sign.hide()
        self._line: QHBoxLayout | None = None
        symbol.setHidden(bare)
        self.share = Label("", "muted")
        self.share.hide()
        self.slider = Slider(Scale(*WEIGHT_RANGE), 1.0, f"Weight ω of {view}")
        self.slider.setToolTip(about)
        self.slider.setMinimumWidth(48)
        self.slider.set_marks((Mark(1.0, "", "Weight 1, as views without weights"),))
        self.slider.setFixedHeight(22)
        self.field = NumberField(f"Weight ω of {view}", 64)
        self.field.setToolTip(f"{about} Any number above 0 can be typed.")
        for widget, stretch in ((symbol, 0), (self.share, 0), (self.slider, 1), (self.field, 0)):
            row.addWidget(widget, stretch)
        self.slider.moved.connect(self._slid)
        self.slider.released.connect(editor.end_drag)
        self.slider.reset.connect(lambda: editor.set_view_weight(view, 1.0))
        self.slider.typed.connect(self.field.begin)
        self.field.entered.connect(self._typed)

    def stand(self, line: QHBoxLayout | None, before: QWidget) -> None:
        """Stand on a line of its own or, where room is short, with the number on that of ε, before a widget."""
        if line is self._line:
            return
        self._line = line
        if line is not None:
            for part in (self.sign, self.field):
                line.insertWidget(line.indexOf(before), part)
        else:
            self._row.addWidget(self.field)
        self._row.setContentsMargins(*((0, 0, 0, 0) if line is not None else self.BESIDE))
        self.field.set_least(64 if line is None else 40)

    def show_weight(self, weight: float) -> None:
        """Show the view's weight."""
        self.slider.set_value(weight)
        self.field.show_text(numbers.editable(weight))

    def show_share(self, share: float | None, title: str) -> None:
        """Show how much of a step in a panel of that title this view takes; None where that is not known."""
        self.share.setVisible(share is not None)
        if share is not None:
            self.share.setText(f"{100.0 * share:.0f} %")
            about = f"{self._view} takes {100.0 * share:.1f} % of a step in {title}, on the mean over the samples."
            self.share.setToolTip(tip(about))

    def _slid(self, value: float) -> None:
        near_one = 0.03  # a slider within this of 1 is at 1
        weight = 1.0 if abs(value - 1.0) < near_one else value
        self._editor.set_view_weight(self._view, weight, interactive=True)

    def _typed(self, text: str) -> None:
        try:
            weight = float(text or 1.0)
        except ValueError:
            weight = float("nan")
        self.field.set_wrong(not self._editor.set_view_weight(self._view, weight))
