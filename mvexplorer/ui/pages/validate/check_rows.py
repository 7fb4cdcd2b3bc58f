"""The check list: a row a check, with a sign, a name, the result on one line, and what can be run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QPushButton, QSizePolicy, QWidget

from mvexplorer.state.batches.check_rules import KIND_NAMES, RULES, CheckId, CheckLine, Standing
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Sentence, tip

ROW = 22
"""Pixels of a row's height: seven fit below the head of a page in the lowest window."""
SIGN_WORDS: dict[Standing, str] = {
    "passed": "Passed",
    "doubtful": "In doubt",
    "running": "Running",
    "open": "Not run",
    "stale": "Out of date",
    "inapplicable": "Does not apply",
}


class CheckSign(QWidget):
    """How a check stands, by form and colour: a check, a triangle, a ring, a dotted ring, a filling one, a dash."""

    def __init__(self) -> None:
        super().__init__()
        self._standing: Standing = "open"
        self._share = 0.0

    def show_standing(self, standing: Standing, share: float) -> None:
        """Show how it stands, and which share of the runs has ended."""
        if (standing, share) != (self._standing, self._share):
            self._standing, self._share = standing, share
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(16), theme.px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, side = QPainter(self), theme.px(16)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        icons = {"passed": ("circle-check", "green"), "doubtful": ("triangle-alert", "amber")}
        if self._standing in icons:
            theme.icon(*icons[self._standing]).paint(painter, QRect(0, (self.height() - side) // 2, side, side))
            return
        edge = 0.2 * side
        box = QRectF(edge, 0.5 * (self.height() - side) + edge, side - 2 * edge, side - 2 * edge)
        muted = theme.current().color("muted")
        if self._standing == "inapplicable":
            painter.setPen(QPen(muted, 1.5))
            painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))
            return
        painter.setPen(QPen(muted, 1.5, Qt.PenStyle.DotLine if self._standing == "stale" else Qt.PenStyle.SolidLine))
        painter.drawEllipse(box)
        if self._standing == "running":
            sixteenths = -round(5760 * max(0.05, self._share))  # clockwise from the top
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.current().color("accent"))
            painter.drawPie(box, 1440, sixteenths)


class CheckRow(QWidget):
    """One check; clicks beside its button go to the list."""

    run = Signal()

    def __init__(self, id: CheckId) -> None:
        super().__init__()
        self.id: CheckId = id
        row = spaced(QHBoxLayout(self), 6, 0, 4, 0, spacing=8)
        self.sign, self.name, self.result, self.button = CheckSign(), Label(), Sentence(role="muted"), QPushButton()
        self.result.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.sign.setFixedWidth(theme.px(16))
        names = [*(name for name, _ in RULES.values()), *KIND_NAMES.values()]
        self.name.ensurePolished()
        self.name.setFixedWidth(max(map(self.name.fontMetrics().horizontalAdvance, names)) + theme.px(4))
        self.button.setProperty("role", "line")
        self.button.setFixedSize(theme.px(96), theme.px(20))
        self.button.clicked.connect(self.run.emit)
        self.nothing = Label("–", "muted")
        for widget, stretch in ((self.sign, 0), (self.name, 0), (self.result, 1), (self.button, 0), (self.nothing, 0)):
            row.addWidget(widget, stretch)

    def show_line(self, check: CheckLine, share: float) -> None:
        """Show how the check stands."""
        self.sign.show_standing(check.standing, share)
        self.name.setText(check.name or RULES[self.id][0])
        self.result.set_words(check.result)
        self.button.setText(check.button)
        self.button.setVisible(bool(check.button))
        self.nothing.setVisible(not check.button)
        self.button.setAccessibleName(f"{check.button}: {self.name.text()}")
        self.button.setToolTip(
            tip("Stop; what is found so far stays" if check.button == "Stop" else self.spoken(check))
        )
        for widget in (self, self.result):
            widget.setToolTip(tip(self.spoken(check)))

    def spoken(self, check: CheckLine) -> str:
        """The row in words, and its rule."""
        return f"{self.name.text()}: {SIGN_WORDS[check.standing].lower()}. {check.result}. {RULES[self.id][1]}"


class CheckRows(QListWidget):
    """The rows; up and down move, Return goes into the detail."""

    run = Signal(str)
    """Run this check, or stop it."""
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("checks")
        self.setAccessibleName("Checks of this panel")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.rows: dict[CheckId, CheckRow] = {}
        for id in RULES:
            self._add(id)

    def _add(self, id: CheckId) -> None:
        row, item = CheckRow(id), QListWidgetItem(self)
        item.setSizeHint(QSize(1, theme.px(ROW)))
        self.setItemWidget(item, row)
        row.run.connect(lambda: self.run.emit(id))
        self.rows[id] = row

    def show_lines(self, lines: Sequence[CheckLine], share: float) -> None:
        """Show how the checks stand; without any, that none can be made."""
        by_id = {check.id: check for check in lines}
        for place, (id, row) in enumerate(self.rows.items()):
            check = by_id.get(id, CheckLine(id, "open", "no panel is open"))
            row.show_line(check, share)
            self.item(place).setData(Qt.ItemDataRole.AccessibleTextRole, row.spoken(check))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.doItemsLayout()  # Qt keeps rows as wide as they once were

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)
