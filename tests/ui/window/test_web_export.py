"""The session as a web page, from the window's menu."""

from pathlib import Path
from threading import Event

from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS, submenus

from mvexplorer.state.document import commands
from mvexplorer.state.export import live_panels
from mvexplorer.state.session.settings import PageChoice
from mvexplorer.ui.export.web_dialog import WebPageDialog


def export(window, qtbot, monkeypatch, file):
    """Export to a file as its dialog would name it; returns the paths saved and the errors told."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    saved, failed = [], []
    editor = window.workbench.editor
    editor.saved.connect(saved.append)
    editor.failed.connect(failed.append)
    window.actions_table.actions["Export web page …"].trigger()
    window.findChild(WebPageDialog).save.click()
    qtbot.waitUntil(lambda: bool(saved or failed), timeout=PATIENCE_MS)
    editor.saved.disconnect(saved.append)
    editor.failed.disconnect(failed.append)
    return saved, failed


def test_the_menu_writes_what_the_window_shows_and_tells_where(window, qtbot, monkeypatch, tmp_path):
    commands.select(window.document, (3, 5))
    assert "Web page …" in [a.text() for a in submenus(window.actions_table.menus["File"])["Export"].actions()]
    saved, failed = export(window, qtbot, monkeypatch, tmp_path / "mine")
    assert ([p.name for p in saved], failed) == (["mine.html"], [])
    text = saved[0].read_text("utf-8")
    assert '"selection":[3,5]' in text
    assert text.count('"dims":2') == len(window.document.state.panels)
    assert any("Saved mine.html." in text for text in window.banners.texts())


def test_what_cannot_be_written_is_said_in_the_window(window, qtbot, monkeypatch, tmp_path):
    (tmp_path / "folder.html").mkdir()
    saved, (error,) = export(window, qtbot, monkeypatch, Path(tmp_path / "folder.html"))
    assert saved == []
    assert "directory" in error.message
    assert error.hint


def test_a_live_page_that_is_stopped_leaves_the_file_and_says_so(window, qtbot, monkeypatch, tmp_path, rest):
    there = tmp_path / "mine.html"
    there.write_text("what was there")
    begun, go_on, usual = Event(), Event(), live_panels.usual_range

    def held(*about):
        begun.set()
        go_on.wait()
        return usual(*about)

    monkeypatch.setattr(live_panels, "usual_range", held)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(there), ""))
    window.actions_table.actions["Export web page …"].trigger()
    card = window.findChild(WebPageDialog)
    card.live.setChecked(True)
    card.live_eta.setChecked(True)
    card.save.click()
    qtbot.waitUntil(begun.is_set, timeout=PATIENCE_MS)
    assert any("Making mine.html" in text for text in window.banners.texts())
    window.behaviour.cancel_all()
    go_on.set()
    rest(window)
    assert [text for text in window.banners.texts() if "mine.html" in text] == [
        "Writing mine.html was stopped: nothing is half-written. Export again to have it."
    ]
    assert there.read_text() == "what was there"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.html"]
    window.workbench.change_settings(page=PageChoice())
