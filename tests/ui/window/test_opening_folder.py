"""Folders of pictures or recordings, chosen in the dialog of the File menu."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QTreeView, QWidget

from mvexplorer.ui.widgets import file_dialogs
from mvexplorer.ui.window.opening import OpenDialogs


@pytest.mark.parametrize("names", [("quakes",), ("blasts", "quakes")])
def test_the_chosen_folders_are_opened(
    qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """They are selected in the dialog itself, as by a pointer with Ctrl."""
    window, opened = QWidget(), []
    qtbot.addWidget(window)
    opening = OpenDialogs(
        window,
        SimpleNamespace(open_files=opened.append, imports=SimpleNamespace()),
        SimpleNamespace(),
        SimpleNamespace(),
    )
    monkeypatch.setattr(file_dialogs, "_last", tmp_path)
    for name in ("blasts", "noise", "quakes"):
        (tmp_path / name).mkdir()

    selected: list[list[str]] = []

    def answer() -> None:
        dialog, view = window.findChild(QFileDialog), window.findChild(QTreeView, "treeView")
        model, root, selection = view.model(), view.rootIndex(), view.selectionModel()
        try:
            qtbot.waitUntil(lambda: model.rowCount(root) == 3)
            for index in [model.index(row, 0, root) for row in range(3)]:
                if index.data() in names:
                    selection.select(index, selection.SelectionFlag.Select | selection.SelectionFlag.Rows)
            selected.append(dialog.selectedFiles())
        finally:
            dialog.accept()

    QTimer.singleShot(0, answer)
    opening.choose_folders()
    assert sorted(selected[0]) == [str(tmp_path / name) for name in names]
    assert opened == [tuple(selected[0])]
    QTimer.singleShot(0, lambda: window.findChild(QFileDialog).reject())
    opening.choose_folders()
    assert len(opened) == 1
