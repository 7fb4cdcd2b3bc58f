"""A folder of pictures, chosen in the dialog of the File menu."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QFileDialog, QWidget

from mvexplorer.ui.window.opening import Opening


def test_the_chosen_folder_is_opened(qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window, opened = QWidget(), []
    qtbot.addWidget(window)
    library = SimpleNamespace(open_files=opened.append, imports=SimpleNamespace())
    opening = Opening(window, library, SimpleNamespace())
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    opening.choose_folder()
    assert opened == [(str(tmp_path),)]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    opening.choose_folder()
    assert len(opened) == 1
