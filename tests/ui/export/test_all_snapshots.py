"""All snapshots at once: the contact sheet, and the folder with the picture of each."""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS

from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.ui.export.contact_sheet import CELL, ContactSheet, SnapshotCell
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.window.exports.table import find_export

pytestmark = pytest.mark.panels(2)

HOSTILE = "</text><script>alert(1)</script>../..\x00\u202e\n&amp; \"'"


@pytest.fixture
def three(window, rest):
    """Snapshots “ring” with a note, one whose method is gone, and one with a name that means harm."""
    for factor, name in ((1.0, "ring"), (2.0, "gone"), (3.0, HOSTILE)):
        window.editor.set_scale(factor)
        rest(window)
        window.workbench.walk.keep()
        kept = window.document.state.snapshots.kept
        note = "It opens where ε is half of it." if name == "ring" else HOSTILE
        changes = {"name": name, "note": note}
        if name == "gone":
            panels = [{**panel, "method": "umap"} for panel in kept[-1].state["panels"]]
            changes["state"] = {**kept[-1].state, "panels": panels}
        after = Snapshots(kept=(*kept[:-1], updated(kept[-1], changes)))
        window.document.apply("Name it", lambda state, after=after: state.model_copy(update={"snapshots": after}))
    return window


def export(window, qtbot, monkeypatch, name, path):
    """Export to a path as its dialog would name it; returns the paths saved."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(path))
    saved, failed = [], []
    editor = window.workbench.editor
    editor.saved.connect(saved.append)
    editor.failed.connect(failed.append)
    window.editor.export_wanted.emit(name)
    qtbot.waitUntil(lambda: bool(saved or failed), timeout=PATIENCE_MS)
    editor.saved.disconnect(saved.append)
    editor.failed.disconnect(failed.append)
    return saved, failed


@pytest.mark.nightly
def test_a_contact_sheet_has_every_snapshot_with_its_words_as_text(three, qtbot, monkeypatch, tmp_path):
    before = three.document.state
    (path,), _ = export(three, qtbot, monkeypatch, "contact sheet", tmp_path / "all.svg")
    text = path.read_text("utf-8")
    words = re.findall(r">([^<]+)</text>", text)
    assert "ring" in words
    assert "It opens where ε is half of it." in "".join(words)  # Greek is a run of its own
    assert "3 snapshots" in words
    assert any(word.startswith("NMI ") for word in words)
    assert "Single · plain" in words
    assert any("cannot be shown" in word for word in words)
    assert text.count("<image") == 4  # of two panels in two snapshots
    assert "<script" not in text
    assert three.document.state is before
    assert "Saved all.svg." in three.banners.texts()


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_a_contact_sheet_is_a_page_that_is_read_back(three, qtbot, monkeypatch, tmp_path, ending):
    (path,), _ = export(three, qtbot, monkeypatch, "contact sheet", tmp_path / f"all.{ending}")
    cells = [SnapshotCell(1, "", "", (), "", "")] * 3
    size = ContactSheet("", cells).size
    if ending == "pdf":
        (box,) = re.findall(rb"/MediaBox \[([^\]]+)\]", path.read_bytes())
        wide, high = (float(each) * 96 / 72 for each in box.split()[2:])
        assert (wide, high) == pytest.approx((size.width(), size.height()), abs=1)
        return
    image = QImage(str(path))
    assert image.size() == 2 * size
    kept = json.loads(image.text("mvexplorer"))["snapshots"]
    assert [each["number"] for each in kept] == [1, 2, 3]
    assert [each["name"] for each in kept] == ["ring", "gone", HOSTILE]
    assert "umap" in kept[1]["problem"]
    assert "Multi-view" in kept[0]["caption"] or "Single" in kept[0]["caption"]


def test_hundreds_of_snapshots_fit_one_picture():
    sheet = ContactSheet("many", [SnapshotCell(i, "", "", (), "", "") for i in range(200)])
    assert 0.6 < sheet.size.width() / sheet.size.height() < 1.6
    assert sheet.columns * CELL.width() < sheet.size.width()
    assert ContactSheet("one", sheet.cells[:1]).columns == 1


@pytest.mark.nightly
def test_figures_of_all_lie_in_a_folder_in_their_order(three, qtbot, monkeypatch, tmp_path):
    folder = tmp_path / "figures"
    folder.mkdir()
    export(three, qtbot, monkeypatch, "figures of snapshots", folder)
    names = sorted(path.name for path in folder.iterdir())
    assert names[:2] == ["01-ring.pdf", "01-ring.png"]
    assert len(names) == 4  # none of the one that cannot be shown
    assert all(re.fullmatch(r"03-[^/\\<>:\"*?|\x00]+\.(pdf|png)", name) for name in names[2:])
    record = json.loads(QImage(str(folder / "01-ring.png")).text("mvexplorer"))
    assert len(record["panels"]) == 2
    assert (folder / "01-ring.pdf").read_bytes().startswith(b"%PDF")
    texts = " ".join(three.banners.texts())
    assert "2 figures in figures" in texts
    assert "No figure of “gone”: they cannot be shown." in texts


def test_figures_that_are_there_already_are_asked_about(three, qtbot, monkeypatch, tmp_path):
    questions = []
    monkeypatch.setattr(dialogs, "choose", lambda parent, title, text, choices: questions.append((title, text)))
    (tmp_path / "01-ring.png").write_bytes(b"mine")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    find_export("figures of snapshots").ask(three.behaviour.scene)
    assert questions == [("Replace 1 file?", "There already: 01-ring.png.")]
    assert (tmp_path / "01-ring.png").read_bytes() == b"mine"
    assert "snapshots" not in {task.slot for task in three.controller.tasks()}


@pytest.mark.nightly
def test_other_data_stops_it_and_says_so(three, monkeypatch, tmp_path, rest):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "all.png"), ""))
    three.editor.export_wanted.emit("contact sheet")
    three.library.open_source(("circles",))
    rest(three)
    assert not (tmp_path / "all.png").exists()


def test_an_ending_that_is_no_picture_is_refused_before_anything_is_computed(three, qtbot, monkeypatch, tmp_path):
    saved, (error,) = export(three, qtbot, monkeypatch, "contact sheet", tmp_path / "all.gif")
    assert not saved
    assert ".png, .svg or .pdf" in error.hint


def test_the_pane_offers_both_once_there_are_snapshots(window, three):
    pane = window.bottom.show_page("snapshots")
    assert pane.all.isVisible()
    wanted = []
    window.editor.export_wanted.connect(wanted.append)
    for action in [each for each in pane.menu().actions() if each.text().endswith("…")]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
            patch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
            action.trigger()
    assert wanted == ["contact sheet", "figures of snapshots"]
    window.editor.export_wanted.disconnect(wanted.append)
    window.bottom.status.shut()


@pytest.mark.nightly
def test_the_sheet_has_the_colours_of_the_theme(three, qtbot, monkeypatch, tmp_path):
    three.workbench.change_settings(theme="dark")
    assert theme.current() is theme.DARK
    (path,), _ = export(three, qtbot, monkeypatch, "contact sheet", tmp_path / "all.png")
    assert QImage(str(path)).pixelColor(2, 2) == theme.DARK.color("window")
