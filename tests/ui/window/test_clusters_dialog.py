"""Clusters beside the classes: the dialog colours by them, tells the accuracy, and its cells select samples."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog
from windows import show_fresh, small_data

import mvexplorer as mvx
from mvexplorer.ui.window.clusters import ClustersDialog

pytestmark = pytest.mark.panels(3)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window, rest):
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    return next(d for d in window.findChildren(QDialog) if isinstance(d, ClustersDialog) and d.isVisible())


def test_cells_select_their_samples_and_choices_are_undone(window, dialog, rest, qtbot):
    panel = window.editor.focused
    assert window.document.state.colour == f"clusters:{panel}:kmeans:3"
    Y = window.controller.result(panel).result.embedding.coordinates
    expected = mvx.contingency(window.document.data.labels, mvx.clusters(Y, 3))
    model = dialog.table.model()
    assert [model.index(r, 0).data() for r in range(3)] == ["a", "b", "c"]
    diagonal = sum(int(model.index(r, r + 1).data()) for r in range(3))
    assert diagonal / 48 == pytest.approx(expected.accuracy)
    assert f"{expected.accuracy:.3f}" in dialog.words.text()
    QTest.mouseClick(dialog.table.viewport(), LEFT, pos=dialog.table.visualRect(model.index(1, 2)).center())
    cluster = expected.order[1]
    inside = (window.document.data.labels == "b") & (mvx.clusters(Y, 3) == cluster)
    assert window.document.state.selection == tuple(np.flatnonzero(inside).tolist())
    assert window.document.state.selections.origin.startswith(f"label b in cluster {cluster + 1} of 3 clusters of")
    dialog.number.setValue(5)
    rest(window)
    assert dialog.table.model().columnCount() == 6
    window.document.undo()
    rest(window)
    assert window.document.state.colour.endswith(":3")
    assert dialog.table.model().columnCount() == 4
    window.editor.colour_by("labels")
    assert dialog.table is None
    assert "something else" in dialog.words.text()


def test_labels_for_some_and_for_none_are_said(window, dialog, rest):
    labels = np.array(["a", "b", ""] * 16, dtype=object)
    some = small_data().replace(labels=labels)
    show_fresh(window, some, 3)
    rest(window)
    assert "something else" in dialog.words.text()
    dialog.close()
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    again = next(d for d in window.findChildren(ClustersDialog) if d.isVisible())
    assert "16 samples without a label are left out" in again.words.text()
    assert again.table.model().rowCount() == 2
    again.close()
    show_fresh(window, small_data(labels=False), 3)
    rest(window)
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    bare = next(d for d in window.findChildren(ClustersDialog) if d.isVisible())
    assert "Without a label there are no classes" in bare.words.text()
    bare.close()
