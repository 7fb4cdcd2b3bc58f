"""Clusters of a panel beside the classes: a table whose cells select their samples, and the Hungarian accuracy."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from mvexplorer.engine.analysis.clusters import WAYS
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.colourings.class_comparison import ClassComparison, compare_with_classes
from mvexplorer.state.colourings.cluster_colouring import NO_PLACE, cluster_groups, cluster_source, default_number
from mvexplorer.state.document.colour_titles import MAX_CLASSES, clusters_of
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, NameBox, retire, sentence
from mvexplorer.ui.widgets.text_table import Index, TextModel, TextTable
from mvexplorer.wording import counted


class ContingencyModel(TextModel):
    """A row per class, a column per cluster, agreement on the diagonal; below each column the whole cluster."""

    def __init__(self, clusters: Colouring, compared: ClassComparison | None) -> None:
        super().__init__()
        self.contingency = None if compared is None else compared.found
        self.classes = () if compared is None else compared.found.classes
        sizes = {k: size for k, size in enumerate(clusters.counts) if clusters.classes[k] != NO_PLACE}
        self.order = tuple(sizes) if compared is None else compared.found.order
        self._sizes = [sizes[k] for k in self.order]
        title = "cluster" if compared is None else f"{compared.title} / cluster"
        self.heads = (title, *(str(k + 1) for k in self.order))
        self.meanings = (title, *(self._of_whole(column) for column in range(1, len(self.heads))))
        self.right = frozenset(range(1, len(self.heads)))

    def n_rows(self) -> int:
        return len(self.classes) + 1

    def count(self, row: int, column: int) -> int:
        """Return the number of samples in a cell."""
        if self.contingency is None or row == len(self.classes):
            return int(self._sizes[column - 1])
        return int(self.contingency.table[row, self.order[column - 1]])

    def cell(self, row: int, column: int) -> str:
        if column:
            return f"{self.count(row, column):,}"
        return self.classes[row] if row < len(self.classes) else "whole cluster"

    def _of_whole(self, column: int) -> str:
        size = counted(self._sizes[column - 1], "sample")
        return f"Cluster {self.order[column - 1] + 1}: {size}. Click selects them, whatever their labels."

    def about(self, row: int, column: int) -> str:
        if self.contingency is None or row == len(self.classes):
            return self._of_whole(column) if column else "All samples of each cluster, whatever their labels."
        size = int(self.contingency.table[row].sum())
        if not column:
            return f"{self.classes[row]}: {counted(size, 'sample')}. Click selects them."
        cluster = self.order[column - 1]
        meant = ", the cluster assigned to it" if self.contingency.cluster_of[row] == cluster else ""
        return (
            f"{self.count(row, column):,} of {counted(size, 'sample')} of {self.classes[row]} lie in cluster "
            f"{cluster + 1}{meant}. Click selects them."
        )

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.FontRole and column and self.contingency is not None and row < len(self.classes):
            return theme.font(bold=self.contingency.cluster_of[row] == self.order[column - 1])
        if role == Qt.ItemDataRole.ForegroundRole and row == len(self.classes):
            return theme.current().color("muted")
        return super().data(index, role)


class ClustersDialog(QDialog):
    """A dialog that leaves the window usable, and the points in their colours until others are asked for."""

    def __init__(self, workbench: Workbench, panel: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Clusters and classes")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("dialog")
        self.resize(680, 500)
        self._bench, self._document, self._editor = workbench, workbench.document, workbench.editor
        self.compared: ClassComparison | None = None
        self._shown: Colouring | None = None
        """The clusters that the table is of."""
        self._first, self._source = panel, ""
        column = spaced(QVBoxLayout(self), 16, 16, 16, 16, spacing=8)
        self._make_choices(column)
        self.words = Label(wraps=True)
        column.addWidget(self.words)
        self._room = QVBoxLayout()
        column.addLayout(self._room, 1)
        self.table: TextTable | None = None
        self._make_buttons(column)
        workbench.derived.changed.connect(self._arrived)
        self._document.changed.connect(self._followed)
        self._begin()

    def _make_choices(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.setSpacing(8)
        self.panel, self.how, self.number = NameBox(240), NameBox(200), QSpinBox()
        data = self._document.data
        self.number.setRange(2, MAX_CLASSES if data is None else max(2, min(MAX_CLASSES, data.n_samples)))
        for words, widget, name in (
            ("Panel", self.panel, "Panel whose samples are clustered"),
            ("by", self.how, "How they are clustered"),
            ("into", self.number, "How many clusters"),
        ):
            widget.setAccessibleName(name)
            row.addWidget(QLabel(words))
            row.addWidget(widget)
        for how, words in WAYS.items():
            self.how.addItem(words, how)
        row.addStretch(1)
        self.panel.activated.connect(self._ask)
        self.how.activated.connect(self._ask)
        self.number.valueChanged.connect(self._ask)

    def _make_buttons(self, column: QVBoxLayout) -> None:
        row = QHBoxLayout()
        column.addLayout(row)
        row.addStretch(1)
        self.save, self.colour, close = QPushButton("Save as selections"), QPushButton("Colour by them"), QPushButton()
        self.save.setToolTip("Each cluster becomes a named selection in a colour of its own; the points keep theirs")
        self.colour.setToolTip("Colour the points of all panels by these clusters")
        close.setText("Close")
        self.save.clicked.connect(self._save)
        self.colour.clicked.connect(lambda: self._editor.colour_by(self._source))
        close.clicked.connect(self.close)
        for button in (self.save, self.colour, close):
            button.setAutoDefault(False)  # Return belongs to the number of clusters
            row.addWidget(button)

    def _begin(self) -> None:
        """Show the clusters that colour the points, or ask for the usual ones."""
        kind, _, rest = self._document.state.colour.partition(":")
        request, data = clusters_of(rest) if kind == "clusters" else None, self._document.data
        self._offer()
        if data is None:
            return
        panel, how, number = request or (self._first, "kmeans", default_number(data))
        self.panel.setCurrentIndex(max(0, self.panel.findData(panel)))
        self.how.choose(how)
        self.number.blockSignals(True)
        self.number.setValue(number)
        self.number.blockSignals(False)
        self._ask()

    def _offer(self) -> None:
        """The panels there are, by their titles."""
        present = self.panel.name
        self.panel.clear()
        for id, title in panel_titles(self._document.state).items():
            self.panel.addItem(sentence(title, 60), id)
        self.panel.choose(present)

    def show_panel(self, panel: str) -> None:
        """Show the clusters of another panel."""
        self.panel.choose(panel)
        self._ask()

    def _ask(self) -> None:
        former = self._source
        if self.panel.name:
            self._source = cluster_source(self.panel.name, self.how.name, self.number.value())
        if former != self._source:
            self._bench.derived.let_go(former)  # else each number that was tried stays a column of the samples
        self._show()

    def done(self, result: int) -> None:
        self._bench.derived.changed.disconnect(self._arrived)
        self._document.changed.disconnect(self._followed)
        self._bench.derived.let_go(self._source)
        super().done(result)

    def _arrived(self, source: str) -> None:
        if source == self._source:
            self._show()

    def _followed(self, change: Change) -> None:
        if change.samples_changed:
            self.close()
        elif change.data_changed:
            self._clear()
            self._show()
        elif change.before.panels != change.after.panels:
            self._offer()
        elif change.before.selection != change.after.selection and self.table is not None:
            self.table.clearSelection()  # what is lit is what is selected

    # What is shown ----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        data, colouring = self._document.data, self._clusters
        for button in (self.save, self.colour):
            button.setEnabled(colouring is not None)
        if data is None:
            return
        problem = self._bench.derived.problem(self._source)
        if problem is not None or colouring is None:
            self._clear()
            self.words.setText(sentence(str(problem or "The clusters are computed once the panel has its picture …")))
        elif self.table is None or colouring is not self._shown:
            self._compare(colouring, data)

    @property
    def _clusters(self) -> Colouring | None:
        """The clusters that are chosen, once they are computed."""
        return self._bench.derived.resolve(self._source) if self._source else None

    def _save(self) -> None:
        """Keep the clusters as named selections."""
        if (clusters := self._clusters) is not None:
            self._editor.keep_groups(clusters.title, cluster_groups(clusters))

    def _compare(self, colouring: Colouring, data: MultiView) -> None:
        self._clear()
        self._shown = colouring
        try:
            self.compared = compare_with_classes(colouring, data)
            words = self.compared.words
        except DataError as error:
            words = f"{colouring.title}. {error}"
        self.words.setText(sentence(words))
        model = ContingencyModel(colouring, self.compared)
        names, cell = 120, 44
        widths = [names, *[cell] * len(model.order)]
        self.table = TextTable(model, "Classes and clusters", widths, -1)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.table.menus = frozenset(range(len(widths)))
        self.table.acted.connect(lambda index: self._pick(index.row(), index.column()))
        head = self.table.horizontalHeader()
        head.setSectionsClickable(True)
        head.sectionClicked.connect(lambda column: self._pick(model.n_rows() - 1, column))
        self._room.addWidget(self.table, 1)

    def _clear(self) -> None:
        """Take the table away."""
        self.compared = self._shown = None
        if self.table is not None:
            self._room.removeWidget(self.table)
            retire(self.table)
            self.table = None

    def _pick(self, row: int, column: int) -> None:
        """Select the samples of a cell, of a class by its name, or of a whole cluster, and light what was picked."""
        if self.table is None or self._shown is None:
            return
        model = self.table.texts
        assert isinstance(model, ContingencyModel)
        last = model.n_rows() - 1
        cluster = model.order[column - 1] if column else None
        rows, columns = (row, row), (column, column)
        if row < last and self.compared is not None:
            picked, words = self.compared.samples(row, cluster)
            samples = tuple(picked)
            columns = columns if column else (0, len(model.order))
        elif cluster is not None:
            words, samples = [*cluster_groups(self._shown).items()][cluster]
            rows = (0, last)
        else:
            return
        self._editor.select(samples, origin=words)
        lit = QItemSelection(model.index(rows[0], columns[0]), model.index(rows[1], columns[1]))
        self.table.selectionModel().select(lit, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def show_clusters(workbench: Workbench, panel: PanelState | None, parent: QWidget) -> None:
    """Show the clusters of a panel, by default of the first one, beside the classes."""
    id = panel.id if panel is not None else ""
    dialog = next((each for each in parent.findChildren(ClustersDialog) if each.isVisible()), None)
    if dialog is None:
        dialog = ClustersDialog(workbench, id, parent)
    else:
        dialog.show_panel(id)
    dialog.show()
    dialog.activateWindow()
