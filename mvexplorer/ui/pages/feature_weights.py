"""Feature weights of a view: learn, show, sort and apply them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.bandwidth.rules.manifold import estimate_text
from mvexplorer.engine.core.preprocessing import components
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, line, sentence

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.workbench import Workbench

SHARE = Qt.ItemDataRole.UserRole
CHANGED = "The view has changed since its features were weighed: learn again."


class _Bar(QStyledItemDelegate):
    """A bar as long as the feature's share of the largest weighted spread, with the number on it."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t, share = theme.current(), float(index.data(SHARE) or 0.0)
        room = QRectF(option.rect).adjusted(4, 5, -4, -5)
        painter.save()
        painter.fillRect(
            QRectF(room.left(), room.top(), max(1.0, share * room.width()), room.height()), t.color("accent", 90)
        )
        painter.setPen(t.color("text"))
        painter.drawText(room.adjusted(4, -3, 0, 3), Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        painter.restore()


class _Number(QTableWidgetItem):
    def __init__(self, value: float, text: str) -> None:
        super().__init__(text)
        self.value = value
        self.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return self.value < other.value if isinstance(other, _Number) else super().__lt__(other)


class WeightsPanel(QDialog):
    """A dialog that leaves the window usable; the table sorts by any column."""

    def __init__(self, view: str, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Feature weights of {line(view)}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 520)
        self._view, self._document = view, workbench.document
        self._analyser, self._editor = workbench.analyser, workbench.editor
        self._waiting = False
        column = QVBoxLayout(self)
        self.words = Label()
        self.words.setWordWrap(True)
        column.addWidget(self.words)
        row = QHBoxLayout()
        row.addWidget(QLabel("Dimension d̂"))
        self.dimension = NumberField("Dimension of the manifold", 96)
        self.dimension.setPlaceholderText("estimated")
        self.learn = QPushButton("Learn again")
        self.learn.clicked.connect(self._learn)
        row.addWidget(self.dimension)
        row.addWidget(self.learn)
        row.addStretch(1)
        column.addLayout(row)
        self.table = QTableWidget(0, 4)
        self.table.setHorizontalHeaderLabels(["Feature", "Weighted spread", "Weight", "Follows the embedding"])
        self.table.setItemDelegateForColumn(1, _Bar(self.table))
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().hide()
        self.table.setAccessibleName(f"Feature weights of {view}")
        for column_, width in enumerate((150, 210, 90)):
            self.table.setColumnWidth(column_, width)
        self.table.horizontalHeader().setStretchLastSection(True)
        column.addWidget(self.table, 1)
        buttons = QHBoxLayout()
        self.apply, self.remove = QPushButton("Apply to the view"), QPushButton("Take weights away")
        self.apply.setProperty("role", "primary")
        self.apply.clicked.connect(self._apply)
        self.remove.clicked.connect(lambda: self._editor.apply_weights(view, None))
        buttons.addStretch(1)
        buttons.addWidget(self.remove)
        buttons.addWidget(self.apply)
        column.addLayout(buttons)
        self._analyser.changed.connect(self._explained)
        self._learn()

    def open_beside(self) -> None:
        """Show the panel; the window stays usable."""
        self.setModal(False)
        self.show()

    def done(self, result: int) -> None:
        self._analyser.changed.disconnect(self._explained)
        super().done(result)

    def _learn(self) -> None:
        text = self.dimension.text().strip()
        wrong = bool(text) and not text.isdigit()
        self.dimension.set_wrong(wrong)
        if not wrong:
            self._analyser.of(self._view).scaling = None
            self._waiting = True
            self._analyser.ask_weights(self._view, int(text) if text else None)
            self._show(None, "")

    def _explained(self, view: str) -> None:
        if view == self._view:
            found = self._analyser.of(view)
            self._waiting = self._waiting and found.scaling is None and not found.problem
            self._show(found.scaling, found.problem)

    def _show(self, found: ManifoldScaling | None, problem: str) -> None:
        data = self._document.data
        if found is not None and len(found.weights) != self._width():
            found = None
        self.apply.setEnabled(found is not None)
        if found is None or data is None:
            here = "Learning which features belong to one manifold …" if self._waiting else CHANGED
            self.words.setText(sentence(problem) or here)
            return
        self.words.setText(
            f"Dimension {found.dimension}, ε {numbers.number(found.epsilon)} for the weighted view, learnt from "
            f"{found.learnt_on} samples. Features with a short bar hardly count."
            + (f" Estimated: {estimate_text(found)}" if found.estimates else "")
        )
        weighted = found.weights * found.spread
        self.table.setSortingEnabled(False)
        self.table.setRowCount(len(weighted))
        top = float(weighted.max()) or 1.0
        for row, (extent, weight, score) in enumerate(zip(weighted, found.weights, found.scores, strict=True)):
            bar = _Number(float(extent), numbers.number(float(extent)))
            bar.setData(SHARE, float(extent) / top)
            name = line(_feature_name(data, self._view, row))
            cells = (_Number(row, name), bar, _Number(float(weight), numbers.number(float(weight))),
                     _Number(float(score), f"{score:.2f}"))  # fmt: skip
            for k, cell in enumerate(cells):
                self.table.setItem(row, k, cell)
        self.table.setSortingEnabled(True)
        self.table.sortItems(1, Qt.SortOrder.DescendingOrder)

    def _apply(self) -> None:
        found = self._analyser.of(self._view).scaling
        if found is not None:
            self._editor.apply_weights(self._view, found.weights.tolist(), found.epsilon)

    def _width(self) -> int:
        """How many features the view has once it is preprocessed; 0 if it is gone."""
        data = self._document.data
        return data.width(data.view_index(self._view)) if data is not None and self._view in data.view_names else 0


def open_weights(workbench: Workbench, view: str, window: QWidget) -> None:
    """Learn and show the feature weights of a view, without blocking the window."""
    data = workbench.document.data
    if data is not None and view in data.view_names:
        WeightsPanel(view, workbench, window).open_beside()


def _feature_name(data: MultiView, view: str, feature: int) -> str:
    """A feature's name, or its number where it has none."""
    index = data.view_index(view)
    named = data.feature_names[index] or components(data.preprocess[index])
    return data.prepared_title(index, feature) if named else str(feature + 1)
