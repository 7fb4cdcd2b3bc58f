"""Files that come in and go out: dropped, chosen, exported, saved, closed."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY, LEFT, RIGHT, SHIFT, canvas, drag, drop
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS

from mvexplorer.state.document import commands
from mvexplorer.ui.widgets.export_dialog import ExportDialog

pytestmark = pytest.mark.panels(3)


def urls(*paths) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(p)) for p in paths])
    return mime


def two_tables(folder):
    rng = np.random.default_rng(0)
    paths = [folder / "left.csv", folder / "right.csv"]
    for path, header in zip(paths, ("a,b,c", "u,v,w"), strict=True):
        np.savetxt(path, rng.normal(size=(25, 3)), delimiter=",", header=header, comments="")
    return paths


@pytest.mark.parametrize("onto", ["window", "canvas"])
def test_files_dropped_anywhere_are_opened(window, qtbot, rest, tmp_path, onto):
    paths = two_tables(tmp_path)
    mime = urls(*paths)
    assert drop(window if onto == "window" else canvas(window).viewport(), mime)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 25, timeout=PATIENCE_MS)
    assert window.document.data.view_names == ("left", "right")
    assert "left.csv" in window.windowTitle()
    rest(window)
    panels = window.document.state.panels
    assert all(window.controller.result(panel.id).status == "ready" for panel in panels)
    window.document.undo()
    assert window.document.data.n_samples == 48


def test_other_things_cannot_be_dropped(window):
    mime = QMimeData()
    mime.setText("words")
    assert not drop(window, mime)


def test_files_chosen_in_the_dialog(make_window, qtbot, monkeypatch, tmp_path):
    window = make_window()
    paths = [str(p) for p in two_tables(tmp_path)]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, **k: (paths, ""))
    QTest.keyClick(window, KEY.Key_O, CONTROL)
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    assert window.document.data.n_views == 2
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *a, **k: ([], ""))
    window.opening.choose_files()
    assert window.document.data.n_views == 2


def export_dialog(window):
    QTest.keyClick(window, KEY.Key_E, CONTROL)
    return window.findChild(ExportDialog)


@pytest.mark.parametrize(("format", "name"), [("PNG", "picture.png"), ("SVG", "picture"), ("PDF", "picture.pdf")])
def test_exporting_a_picture(window, monkeypatch, tmp_path, format, name):
    path = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    dialog = export_dialog(window)
    dialog.format.setCurrentIndex(dialog.format.findText(format, Qt.MatchFlag.MatchStartsWith))
    QTest.keyClick(dialog, KEY.Key_Return)
    written = path if path.suffix else path.with_suffix(".svg")
    head = written.read_bytes()[:400]
    assert head.startswith((b"\x89PNG", b"%PDF")) or b"<svg" in head
    assert window.banners.texts() == [f"Saved {written.name}."]
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    QTest.mouseClick(window.banners._shown()[0].button, LEFT)
    assert opened == [str(tmp_path)]


def test_size_and_resolution_are_asked_once(window, monkeypatch, tmp_path):
    path = tmp_path / "picture.png"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    dialog = export_dialog(window)
    dialog.width_cm.setText("10")
    dialog.dpi.setText("no number")
    assert not dialog.save.isEnabled()
    dialog.dpi.setText("254")
    assert dialog.pixels.text().startswith("1,000 × ")
    QTest.mouseClick(dialog.save, LEFT)
    image = QImage(str(path))
    assert abs(image.width() - 1000) <= 1
    assert abs(image.dotsPerMeterX() - 10_000) < 100
    assert export_dialog(window).dpi.text() == "254"


def test_a_picture_that_cannot_be_written_is_a_message(window, monkeypatch, tmp_path):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "no" / "p.png"), ""))
    QTest.mouseClick(export_dialog(window).save, LEFT)
    assert len(window.banners.texts()) == 1
    assert "cannot be written" in window.banners.texts()[0]


def test_sessions_keep_everything_the_cameras_too(make_window, rest, qtbot, monkeypatch, tmp_path):
    window = make_window()
    window.library.open_source(tuple(str(p) for p in two_tables(tmp_path)))
    qtbot.waitUntil(lambda: window.document.data is not None, timeout=PATIENCE_MS)
    window.editor.set_all_dims(3)
    commands.set_param(window.document, "t", 2)
    commands.select(window.document, (3, 4))
    rest(window)
    drag(canvas(window).viewport(), [(50, 50), (60, 60), (90, 80)], button=RIGHT)
    path = tmp_path / "mine.mvx.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "mine"), ""))
    assert window.windowTitle().endswith("*")
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert path.is_file()
    assert not window.document.dirty
    assert window.windowTitle().endswith("· mine")
    commands.set_param(window.document, "t", 3)
    assert window.windowTitle().endswith("· mine*")
    window.document.undo()
    assert not window.windowTitle().endswith("*")
    other = make_window()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a, **k: (str(path), ""))
    QTest.keyClick(other, KEY.Key_O, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: other.document.data is not None, timeout=PATIENCE_MS)
    rest(other)
    assert other.document.state == window.document.state
    assert other.library.session_name == "mine"
    for id, camera in other.grid.cameras().items():
        assert np.allclose(camera.rotation, window.grid.cameras()[id].rotation)
    assert not other.document.dirty
    assert other.document.undo_label is None


def test_saving_without_a_name_or_a_folder_loses_nothing(window, monkeypatch, tmp_path):
    commands.set_param(window.document, "t", 2)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: ("", ""))
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert window.document.dirty
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(tmp_path / "file" / "x"), ""))
    QTest.keyClick(window, KEY.Key_S, CONTROL)
    assert window.document.dirty
    assert "cannot be saved" in window.banners.texts()[0]


@pytest.mark.parametrize(
    ("answer", "closes"),
    [(None, False), (1, True), (0, True)], ids=["cancel", "discard", "save"],
)  # fmt: skip
def test_closing_asks_before_losing_work(window, monkeypatch, tmp_path, answer, closes):
    commands.set_param(window.document, "t", 2)
    path = tmp_path / "kept.mvx.json"
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.choose", lambda *a, **k: answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(path), ""))
    window.close()
    assert window.isVisible() is not closes
    assert path.exists() is (answer == 0)


@pytest.mark.nightly
def test_closing_without_changes_asks_nothing(window):
    window.close()
    assert not window.isVisible()


def test_opening_a_session_asks_before_losing_work(window, monkeypatch, tmp_path):
    path = tmp_path / "a.mvx.json"
    assert window.library.write(path)
    commands.set_param(window.document, "t", 2)
    asked = []
    monkeypatch.setattr("mvexplorer.ui.widgets.dialogs.choose", lambda *a, **k: asked.append(1))
    window.library.open_session(path)
    assert asked
    assert window.document.state.params["t"] == 2
    assert "open" not in {task.slot for task in window.controller.tasks()}
