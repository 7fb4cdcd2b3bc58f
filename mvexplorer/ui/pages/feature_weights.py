"""Feature weights of a view: learn, show, sort and apply them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.bandwidth.manifold_scaling import ManifoldScaling
from mvexplorer.engine.bandwidth.rules.manifold import estimate_text
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.preprocessing import components
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.fields import NumberField
from mvexplorer.ui.widgets.plain_text import Label, line, sentence
from mvexplorer.ui.widgets.text_table import Index, TextModel, TextTable

FEATURE, SPREAD, WEIGHT, SCORE = range(4)
SHARE = Qt.ItemDataRole.UserRole


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


class WeightModel(TextModel):
    """A row for each feature; sorted by any column."""

    heads = ("Feature", "Weighted spread", "Weight", "Follows the embedding")
    right = frozenset({0, 1, 2, 3})

    def __init__(self) -> None:
        super().__init__()
        self._columns: tuple[Array, ...] = ()
        self._names: Callable[[int], str] = str
        self._order: npt.NDArray[np.intp] = np.arange(0)
        self._sorted = SPREAD, Qt.SortOrder.DescendingOrder

    def show(self, scaling: ManifoldScaling, names: Callable[[int], str]) -> None:
        """Show the weights learnt for features with these names."""
        self.beginResetModel()
        weighted = scaling.weights * scaling.spread
        self._columns = np.arange(float(len(weighted))), weighted, scaling.weights, scaling.scores
        self._names = names
        self._put_in_order()
        self.endResetModel()

    def _put_in_order(self) -> None:
        column, order = self._sorted
        values = self._columns[column]
        self._order = np.argsort(values if order == Qt.SortOrder.AscendingOrder else -values, kind="stable")

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.beginResetModel()
        self._sorted = column, order
        if self._columns:
            self._put_in_order()
        self.endResetModel()

    def n_rows(self) -> int:
        return len(self._order)

    def cell(self, row: int, column: int) -> str:
        feature = int(self._order[row])
        if column == FEATURE:
            return self._names(feature)
        value = float(self._columns[column][feature])
        return f"{value:.2f}" if column == SCORE else numbers.number(value)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == SHARE and index.column() == SPREAD:
            weighted = self._columns[SPREAD]
            return float(weighted[self._order[index.row()]]) / (float(weighted.max()) or 1.0)
        return super().data(index, role)


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
        self.words = Label(wraps=True)
        column.addWidget(self.words)
        row = QHBoxLayout()
        column.addLayout(row)
        row.addWidget(QLabel("Dimension d̂"))
        self.dimension = NumberField("Dimension of the manifold", 96)
        self.dimension.setPlaceholderText("estimated")
        self.learn = QPushButton("Learn again")
        self.learn.clicked.connect(self._learn)
        row.addWidget(self.dimension)
        row.addWidget(self.learn)
        row.addStretch(1)
        self.features = WeightModel()
        self.table = TextTable(self.features, f"Feature weights of {view}", (150, 210, 90, 150), SCORE)
        self.table.setItemDelegateForColumn(SPREAD, _Bar(self.table))
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(SPREAD, Qt.SortOrder.DescendingOrder)
        column.addWidget(self.table, 1)
        buttons = QHBoxLayout()
        column.addLayout(buttons)
        self.apply, self.remove = QPushButton("Apply to the view"), QPushButton("Remove weights")
        self.apply.setProperty("role", "primary")
        self.apply.clicked.connect(self._apply)
        self.remove.clicked.connect(lambda: self._editor.apply_weights(view, None))
        buttons.addStretch(1)
        buttons.addWidget(self.remove)
        buttons.addWidget(self.apply)
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
            self._waiting = True
            self._analyser.ask_weights(self._view, int(text) if text else None)
            self._show(None, "")

    def _explained(self, view: str) -> None:
        if view == self._view:
            explanation = self._analyser.of(view)
            self._waiting = self._analyser.learns(view)
            self._show(explanation.scaling, explanation.problem)

    def _show(self, scaling: ManifoldScaling | None, problem: str) -> None:
        data = self._document.data
        if scaling is not None and len(scaling.weights) != self._width():
            scaling = None
        self.apply.setEnabled(scaling is not None)
        if scaling is None or data is None:
            changed = "The view has changed since its feature weights were learnt: learn again."
            here = "Learning which features belong to one manifold …" if self._waiting else changed
            self.words.setText(sentence(problem) or here)
            return
        self.words.setText(
            f"Dimension {scaling.dimension}, ε {numbers.number(scaling.epsilon)} for the weighted view, learnt from "
            f"{scaling.learnt_on} samples. Features with a short bar hardly count."
            + (f" Estimated: {estimate_text(scaling)}" if scaling.estimates else "")
        )
        self.features.show(scaling, partial(_feature_name, data, self._view))

    def _apply(self) -> None:
        scaling = self._analyser.of(self._view).scaling
        if scaling is not None:
            self._editor.apply_weights(self._view, scaling.weights.tolist(), scaling.epsilon)

    def _width(self) -> int:
        """Count the view's features after preprocessing; 0 if the view is gone."""
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
