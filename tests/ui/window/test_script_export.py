"""The session as Python, from the window's menu: the file makes what the window shows."""

import json

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS, show_fresh, submenus

from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.api.result import Embedding
from mvexplorer.state.document import commands


def export(window, qtbot, monkeypatch, action, file):
    """Export to a file as its dialog would name it; returns the paths saved and the errors told."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    saved, failed = [], []
    editor = window.workbench.editor
    editor.saved.connect(saved.append)
    editor.failed.connect(failed.append)
    window.actions_table.actions[action].trigger()
    qtbot.waitUntil(lambda: bool(saved or failed), timeout=PATIENCE_MS)
    editor.saved.disconnect(saved.append)
    editor.failed.disconnect(failed.append)
    return saved, failed


@pytest.fixture
def opened(window, rest, tmp_path):
    """The window with a file, a selection and one panel."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b,c", comments="")
    found = load_source(str(tmp_path / "x.csv"))
    window.document.reset(commands.initial_state(found.data, found.sources, None), found.data)
    commands.select(window.document, (3, 5))
    window.show_opened()
    rest(window)
    return window


def test_both_stand_in_the_menu(window):
    titles = [a.text() for a in submenus(window.actions_table.menus["File"])["Export"].actions()]
    assert {"Python script …", "Notebook …"} <= {*titles}


def test_the_script_makes_what_the_panels_show(opened, qtbot, monkeypatch, tmp_path):
    saved, failed = export(opened, qtbot, monkeypatch, "Export script …", tmp_path / "mine")
    assert ([path.name for path in saved], failed) == (["mine.py"], [])
    assert any("Saved mine.py." in text for text in opened.banners.texts())
    text = saved[0].read_text("utf-8")
    space = {"__file__": str(saved[0])}
    exec(compile(text, "mine.py", "exec"), space)
    (made,) = (value for value in space.values() if isinstance(value, Embedding))
    (shown,) = opened.controller.results.values()
    np.testing.assert_allclose(made.coordinates, shown.result.embedding.coordinates, rtol=0, atol=1e-10)
    assert space["selection"].tolist() == [3, 5]


def test_the_notebook_has_the_caption_of_each_panel(opened, qtbot, monkeypatch, tmp_path):
    saved, failed = export(opened, qtbot, monkeypatch, "Export notebook …", tmp_path / "mine.ipynb")
    assert ([path.name for path in saved], failed) == (["mine.ipynb"], [])
    words = ["".join(cell["source"]) for cell in json.loads(saved[0].read_text("utf-8"))["cells"]]
    (panel,) = (text for text in words if text.startswith("## Single"))
    assert "Gaussian kernel" in panel
    assert "by robust" in panel


@pytest.mark.nightly
def test_what_cannot_be_written_is_said_in_the_window(window, opened, qtbot, monkeypatch, tmp_path, data):
    (tmp_path / "folder.py").mkdir()
    for file, words in (("folder.py", "folder.py cannot be written"), ("mine.txt", "cannot be written as “mine.txt”")):
        saved, (error,) = export(opened, qtbot, monkeypatch, "Export script …", tmp_path / file)
        assert saved == []
        assert words in error.message
        assert error.hint
    show_fresh(window, data)
    saved, (error,) = export(window, qtbot, monkeypatch, "Export notebook …", tmp_path / "mine.ipynb")
    assert "came from no file, so that no script can load it" in error.message
