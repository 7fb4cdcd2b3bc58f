"""Figures: what is seen goes to a file or the clipboard, with a caption that its readers find as text."""

import json
import os
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QImageReader
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QWidget

from mvexplorer.state.session.settings import NumbersChoice, PictureChoice
from mvexplorer.ui.cloud.encoding import KEY
from mvexplorer.ui.export.picture_dialog import PictureDialog
from mvexplorer.ui.export.web_dialog import WebPageDialog
from mvexplorer.ui.widgets import dialogs, saving
from mvexplorer.ui.window.exports import numbers_export
from mvexplorer.ui.window.exports.picture_export import _save, picture_of
from mvexplorer.ui.window.exports.table import find_export
from mvexplorer.version import __version__


def needed(tool, found):
    if not found:
        if os.environ.get("MVEXPLORER_REQUIRE_WINDOW"):
            pytest.fail(f"{tool} is not installed")
        pytest.skip(f"{tool} is not installed")


def spaceless(text):
    return "".join(text.split())


def of_pdf(path):
    needed("pdftotext", shutil.which("pdftotext"))
    done = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True)
    return spaceless(done.stdout)


def of_pypdf(path):
    pypdf = pytest.importorskip("pypdf")
    return spaceless("".join(page.extract_text() for page in pypdf.PdfReader(path).pages))


def of_svg(path):
    root = ElementTree.parse(path).getroot()
    return spaceless("".join("".join(n.itertext()) for n in root.iter() if n.tag.endswith("text")))


def export(window, monkeypatch, path, button="save", **choice):
    """The way by the card; returns what the banners say."""
    window.workbench.change_settings(picture=PictureChoice(ending=path.suffix, **choice))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    window.actions_table.actions["Export picture …"].trigger()
    dialog = next(d for d in window.findChildren(PictureDialog) if d.isVisible())
    getattr(dialog, button).click()
    return " ".join(banner.text for banner in window.banners._shown())


@pytest.mark.parametrize(("ending", "read"), [(".pdf", of_pdf), (".pdf", of_pypdf), (".svg", of_svg)])
def test_title_legend_and_caption_are_text(window, monkeypatch, tmp_path, ending, read):
    path = tmp_path / f"a{ending}"
    assert f"Saved a{ending}." in export(window, monkeypatch, path, caption=True)
    found = read(path)
    wanted = [window.library.data_title, "Multi-view of plain and wavy (raw, Gaussian kernel", "a (16)",
              "normalised mutual information", f"seed 0; mvexplorer {__version__}"]  # fmt: skip
    assert [text for text in wanted if spaceless(text) not in found] == []


def test_one_panel_is_exported_alone_with_its_own_caption(window, monkeypatch, tmp_path):
    panels = window.document.state.panels
    place = next(i for i, p in enumerate(panels) if p.method == "multiview")
    window.behaviour.focus_panel(place)
    export(window, monkeypatch, tmp_path / "a.svg", what="panel", caption=True, beside=True)
    found = of_svg(tmp_path / "a.svg")
    assert "Multi-view" in found
    assert "Kernelproduct" not in found
    caption = (tmp_path / "a.svg.txt").read_text("utf-8").strip()
    assert caption.startswith("Multi-view of plain and wavy (raw, Gaussian kernel, ε = ")
    assert spaceless(caption) in found
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    record = json.loads(next(node.text for node in root if node.tag.endswith("desc")))
    assert record["caption"] == caption
    assert [p["method"] for p in record["panels"]] == ["multiview"]


def test_the_window_is_exported_as_it_is_seen(window, monkeypatch, tmp_path):
    window.workbench.change_settings(export_dpi=96.0)
    seen = window.grab().toImage()  # before a banner says that it was saved
    export(window, monkeypatch, tmp_path / "a.png", what="window")
    image = QImage(str(tmp_path / "a.png"))
    assert image.size() == seen.size() == window.size()
    spots = [(x, y) for x in range(20, 1400, 60) for y in range(20, 880, 40)]
    assert sum(image.pixel(*s) == seen.pixel(*s) for s in spots) > 0.95 * len(spots)
    assert "Multi-view of plain" in json.loads(QImageReader(str(tmp_path / "a.png")).text(KEY))["caption"]
    export(window, monkeypatch, tmp_path / "b.pdf", what="window", caption=True)
    found = of_pdf(tmp_path / "b.pdf")
    assert "Scaleallεby" in found
    assert "Validate" in found
    assert spaceless("Multi-view of plain and wavy (raw, Gaussian kernel") in found


def test_the_clipboard_gets_picture_and_caption(window, monkeypatch, tmp_path):
    told = export(window, monkeypatch, tmp_path / "a.png", "copy", caption=True)
    assert told == "The picture is on the clipboard."
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.hasImage()
    assert "Multi-view of plain" in mime.text()
    size = picture_of(window.behaviour.scene, PictureChoice(caption=True)).size
    image = QGuiApplication.clipboard().image()
    assert image.width() / image.height() == pytest.approx(size.width() / size.height(), rel=0.01)
    assert not list(tmp_path.glob("a.*"))


def test_the_focused_panel_is_copied_from_its_menu(window):
    QGuiApplication.clipboard().clear()
    window.behaviour.focus_panel(0)
    window.actions_table.refresh()  # as when a menu opens
    window.actions_table.actions["Copy as picture"].trigger()
    mime = QGuiApplication.clipboard().mimeData()
    assert mime.hasImage()
    assert mime.text().startswith("Single view of plain (raw")


def test_the_card_is_as_it_was_left_and_tells_the_size_of_what_is_chosen(app, qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    sizes = {"sheet": QSize(1200, 800), "panel": QSize(400, 400), "window": QSize(960, 480)}
    present = PictureChoice(what="window", ending=".pdf", beside=True)
    dialog = PictureDialog(lambda choice, _: sizes[choice.what], "Multi-view", present, 96.0, parent)
    assert dialog.choice == present
    dialog.format.setCurrentIndex(0)
    assert dialog.pixels.text() == "960 × 480 pixels"
    dialog.what.setCurrentIndex(1)
    assert dialog.pixels.text() == "400 × 400 pixels"
    dialog.width_cm.setText("x")
    assert not dialog.copy.isEnabled()


def test_a_text_beside_is_not_replaced_unasked(window, monkeypatch, tmp_path):
    for name in ("a.txt", "a.svg.txt"):
        (tmp_path / name).write_text("mine")
    monkeypatch.setattr(dialogs, "choose", lambda *_: None)
    export(window, monkeypatch, tmp_path / "a.svg", beside=True)
    assert not (tmp_path / "a.svg").exists()
    monkeypatch.setattr(dialogs, "choose", lambda *_: 0)
    export(window, monkeypatch, tmp_path / "a.svg", beside=True)
    assert "Multi-view of plain" in (tmp_path / "a.svg.txt").read_text("utf-8")
    monkeypatch.undo()
    (tmp_path / "a.svg.txt").write_text("of the former picture")
    assert "Saved a.svg." in export(window, monkeypatch, tmp_path / "a.svg", beside=True)
    assert "Multi-view of plain" in (tmp_path / "a.svg.txt").read_text("utf-8")
    assert (tmp_path / "a.txt").read_text() == "mine"


@pytest.mark.parametrize("popup", [True, False])
def test_return_in_a_box_of_choices_presses_no_button(app, qtbot, popup):
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = PictureDialog(lambda *_: QSize(1200, 800), "Multi-view", PictureChoice(), 96.0, parent)
    pressed = []
    dialog.save.clicked.connect(lambda: pressed.append(1))
    dialog.open_over(parent)
    dialog.format.setFocus()
    if popup:
        dialog.format.showPopup()
        QTest.keyClick(dialog.format.view(), Qt.Key.Key_Down)
        QTest.keyClick(dialog.format.view(), Qt.Key.Key_Return)
        assert dialog.ending == ".svg"
    QTest.keyClick(dialog.format, Qt.Key.Key_Return)
    assert pressed == []
    dialog.save.setFocus()
    QTest.keyClick(dialog.save, Qt.Key.Key_Return)
    assert pressed == [1]


@pytest.mark.parametrize(("session", "what", "name"), [
    ("study", "sheet", "study.png"), ("", "sheet", "comparison.png"), ("study", "panel", "Multi-view.png"),
])  # fmt: skip
def test_a_picture_is_called_as_what_it_shows(window, monkeypatch, session, what, name):
    asked = []
    monkeypatch.setattr(type(window.library), "session_name", session)
    monkeypatch.setattr(saving, "save_file", lambda _, __, name, ___: asked.append(name))
    panels = window.document.state.panels
    window.behaviour.focus_panel(next(i for i, p in enumerate(panels) if p.method == "multiview"))
    _save(window.behaviour.scene, PictureChoice(what=what), ".png", 1.0, 96.0)
    assert asked == [name]


def test_files_are_called_after_the_session(window, monkeypatch):
    asked = []
    monkeypatch.setattr(type(window.library), "session_name", "study")
    monkeypatch.setattr(saving, "save_file", lambda _, __, name, ___: asked.append(name))
    for name in ("web page", "script"):
        find_export(name).ask(window.behaviour.scene)
        if name == "web page":
            window.findChild(WebPageDialog).save.click()
    numbers_export._write(window.behaviour.scene, NumbersChoice(form="npz"), 0)
    assert asked == ["study.html", "study.py", "study-numbers.npz"]


def test_a_folder_that_is_gone_is_told(window, monkeypatch, tmp_path):
    gone = tmp_path / "gone" / "b.pdf"
    assert "b.pdf cannot be written" in export(window, monkeypatch, gone)
