"""Clusters beside the classes: the accuracy, cells that select samples, and clusters that become selections."""

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


def test_cells_select_their_samples_and_the_points_keep_their_colours(window, dialog, rest):
    panel = window.editor.focused
    assert window.document.state.colour == "labels"
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
    assert window.document.state.colour == "labels"
    QTest.mouseClick(dialog.colour, LEFT)
    assert window.document.state.colour == f"clusters:{panel}:kmeans:5"
    window.document.undo()
    assert window.document.state.colour == "labels"
    dialog.close()


def test_clusters_become_named_selections_in_their_own_colours_by_one_click(window, dialog, rest):
    panel = window.editor.focused
    window.editor.select((1, 2))
    window.editor.keep_selection("mine")
    before = window.document.state
    dialog.how.choose("density")
    dialog.how.activated.emit(dialog.how.currentIndex())
    rest(window)
    QTest.mouseClick(dialog.save, LEFT)
    state = window.document.state
    assert state.colour == "labels"
    Y = window.controller.result(panel).result.embedding.coordinates
    found = mvx.clusters(Y, 3, "density")
    _, *saved = state.selections.named
    assert [each.samples for each in saved] == [tuple(np.flatnonzero(found == k).tolist()) for k in range(3)]
    assert [each.name.partition(" of ")[0] for each in saved] == ["cluster 1", "cluster 2", "cluster 3"]
    assert all(each.name.endswith(" (density peaks)") for each in saved)
    assert len({each.colour for each in state.selections.named}) == 4
    QTest.mouseClick(dialog.save, LEFT)
    assert window.document.state == state, "what is saved is not saved again"
    assert "are saved already" in window.banners.texts()[-1]
    window.document.undo()
    assert window.document.state == before
    dialog.close()


def test_clusters_without_labels_are_saved_as_well(window, rest):
    show_fresh(window, small_data(labels=False), 3)
    rest(window)
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    bare = next(d for d in window.findChildren(ClustersDialog) if d.isVisible())
    assert bare.words.text().startswith("8 clusters of ")
    assert "Without a label there are no classes" in bare.words.text()
    QTest.mouseClick(bare.save, LEFT)
    assert len(window.document.state.selections.named) == 8
    bare.close()


def test_labels_for_some_are_said(window, dialog, rest):
    labels = np.array(["a", "b", ""] * 16, dtype=object)
    some = small_data().replace(labels=labels)
    show_fresh(window, some, 3)
    rest(window)
    dialog.close()
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    again = next(d for d in window.findChildren(ClustersDialog) if d.isVisible())
    assert "16 samples without a label are left out" in again.words.text()
    assert again.table.model().rowCount() == 2
    again.close()
