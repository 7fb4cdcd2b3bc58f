"""Clusters beside the classes: the accuracy, cells that select samples, and clusters that become selections."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
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


def click(dialog, row: int, column: int) -> None:
    table = dialog.table
    QTest.mouseClick(table.viewport(), LEFT, pos=table.visualRect(table.model().index(row, column)).center())


def lit(dialog) -> set[tuple[int, int]]:
    return {(index.row(), index.column()) for index in dialog.table.selectedIndexes()}


def cluster_columns(window) -> list[str]:
    window.workbench.samples.refresh()
    sources = window.workbench.samples.by_source
    return [source for source in sources if source.startswith("clusters:")]


def test_what_is_lit_is_what_is_selected(window, dialog):
    click(dialog, 1, 2)
    assert lit(dialog) == {(1, 2)}
    click(dialog, 1, 0)
    assert lit(dialog) == {(1, column) for column in range(4)}
    assert window.document.state.selection == tuple(range(16, 32))
    window.editor.select((1, 2, 3))
    assert lit(dialog) == set()
    dialog.close()


def test_the_head_of_a_cluster_selects_all_of_it_and_so_does_the_cell_below(window, dialog, rest):
    Y = window.controller.result(window.editor.focused).result.embedding.coordinates
    found = mvx.clusters(Y, 3)
    cluster = dialog.table.texts.order[1]
    whole = tuple(np.flatnonzero(found == cluster).tolist())
    head = dialog.table.horizontalHeader()
    assert f"Cluster {cluster + 1}: {len(whole)} samples" in dialog.table.model().headerData(
        2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
    )
    at = QPoint(head.sectionViewportPosition(2) + head.sectionSize(2) // 2, head.height() // 2)
    QTest.mouseClick(head.viewport(), LEFT, pos=at)
    assert window.document.state.selection == whole
    assert window.document.state.selections.origin.startswith(f"cluster {cluster + 1} of Single")
    assert lit(dialog) == {(row, 2) for row in range(4)}
    window.editor.select(())
    click(dialog, 3, 2)
    assert window.document.state.selection == whole
    assert int(dialog.table.model().index(3, 2).data()) == len(whole)
    dialog.close()


def test_a_number_that_was_only_tried_leaves_no_column(window, dialog, rest):
    panel = window.editor.focused
    assert cluster_columns(window) == [f"clusters:{panel}:kmeans:3"]
    dialog.number.setValue(2)
    rest(window)
    assert cluster_columns(window) == [f"clusters:{panel}:kmeans:2"]
    QTest.mouseClick(dialog.save, LEFT)
    dialog.number.setValue(4)
    rest(window)
    QTest.mouseClick(dialog.colour, LEFT)
    dialog.number.setValue(5)
    rest(window)
    kept = {f"clusters:{panel}:kmeans:{number}" for number in (2, 4)}
    assert {*cluster_columns(window)} == kept | {f"clusters:{panel}:kmeans:5"}
    dialog.close()
    assert {*cluster_columns(window)} == kept, "saved as selections, or on show"


def test_another_panel_is_shown_in_the_dialog_that_is_open(window, dialog, rest):
    other = window.document.state.panels[1].id
    window.editor.focus(other)
    window.actions_table.actions["Clusters and classes …"].trigger()
    rest(window)
    assert [each for each in window.findChildren(ClustersDialog) if each.isVisible()] == [dialog]
    assert dialog.panel.name == other
    dialog.close()


def test_cells_select_their_samples_and_the_points_keep_their_colours(window, dialog, rest):
    panel = window.editor.focused
    assert window.document.state.colour == "labels"
    Y = window.controller.result(panel).result.embedding.coordinates
    expected = mvx.contingency(window.document.data.labels, mvx.clusters(Y, 3))
    model = dialog.table.model()
    assert [model.index(r, 0).data() for r in range(4)] == ["a", "b", "c", "whole cluster"]
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
    assert "are saved already" in window.banners.texts()[0]
    assert f"Saved 3 selections: {saved[0].origin}." in window.banners.texts()
    window.document.undo()
    assert window.document.state == before
    assert not any(text.startswith("Saved") for text in window.banners.texts())
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
    assert bare.table.model().rowCount() == 1, "the clusters themselves can still be picked"
    click(bare, 0, 3)
    assert window.document.state.selection == window.document.state.selections.named[2].samples
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
    assert again.table.model().rowCount() == 3
    again.close()
