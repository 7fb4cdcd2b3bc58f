"""What is selected: the samples sort, ring and leave as CSV; what sets them apart stands above."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from mvexplorer.ui.window.contents import ContentsDialog

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def dialog(window, rest):
    window.editor.select((3, 20, 17, 40), "replace", "lasso in <b>Multi-view</b> 2-D")
    window.actions_table.actions["Describe selection …"].trigger()
    rest(window)
    return next(d for d in window.findChildren(ContentsDialog) if d.isVisible())


def ids(dialog) -> list[str]:
    model = dialog.samples.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_it_follows_sorts_rings_and_exports(window, dialog, rest, tmp_path, monkeypatch, qtbot):
    assert dialog.head.text() == "4 of 48 samples"
    assert ids(dialog) == ["s03", "s17", "s20", "s40"]
    assert dialog.separation.table.model().rowCount() > 3
    dialog.samples.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert ids(dialog)[0] == "s40"
    QTest.mouseClick(dialog.samples.viewport(), LEFT, pos=dialog.samples.visualRect(
        dialog.samples.model().index(0, 0)).center())  # fmt: skip
    assert window.hover.kept == 40
    path = tmp_path / "chosen.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    dialog.export.click()
    qtbot.waitUntil(lambda: "Saved chosen.csv." in window.banners.texts())
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["id", "label", "batch", "angle (true)"]
    assert sorted(row[0] for row in rows[1:]) == ["s03", "s17", "s20", "s40"]
    window.editor.select((1,))
    rest(window)
    assert ids(dialog) == ["s01"]
    window.editor.select(())
    assert not dialog.export.isEnabled()
    window.editor.select_all()
    assert "no others" in dialog.separation.words.text()
    dialog.close()
