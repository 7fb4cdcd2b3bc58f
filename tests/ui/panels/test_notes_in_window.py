"""Notes in the window: written by keys, dragged, changed, deleted and undone, and the same in exported files."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from gestures import KEY, LEFT, NONE, RIGHT, canvas, close_popups, drag, texts
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from mvexplorer.state.session.settings import PictureChoice
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.command_palette import CommandPalette
from mvexplorer.ui.window.exports.picture_export import picture_of

pytestmark = pytest.mark.panels(2)
HOSTILE = "<script>alert('&')</script> \u202e<b>&amp;"


def field(window, id="p1"):
    return window.grid.panels[id].notes.field


def write(window, text, rows=(3, 4, 5), key=KEY.Key_Return):
    """Write a note by keys alone, about these samples."""
    window.editor.select(rows)
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_A)
    if text.isascii():
        QTest.keyClicks(field(window), text)
    else:
        field(window).insert(text)
    QTest.keyClick(field(window), key)


def boxes(window, id="p1"):
    panel = window.grid.panels[id]
    return panel.annotations.note_boxes(panel.canvas)


def notes(window):
    return window.document.state.notes


def find(window, typed):
    """Find something by Ctrl+K and do the first."""
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, CommandPalette)
    QTest.keyClicks(palette.search, typed)
    rows = [palette.list.item(i).text() for i in range(palette.list.count())]
    QTest.keyClick(palette.search, KEY.Key_Return)
    return rows


def said(window):
    """The messages on show."""
    return " ".join(window.banners.texts())


def at_hand(window, id="p1"):
    return window.grid.panels[id].annotations.at_hand


def test_a_note_is_written_changed_moved_and_deleted_by_keys(window, rest):
    write(window, "closes")
    (note,) = notes(window)
    assert (note.text, note.panel, note.samples) == ("closes", "p1", (3, 4, 5))
    assert field(window) is None
    (box,) = boxes(window)
    target = canvas(window).position_of(4)
    assert box.target == target, "the middle one of three neighbours"
    assert box.arrow.p2() != box.arrow.p1()
    assert 0 < np.hypot(*(box.arrow.p2() - target).toTuple()) < 8
    seen = [canvas(window).position_of(i) for i in range(48)]
    assert not any(box.rect.contains(place) for place in seen), "a new note covers no sample"
    rest(window)
    find(window, "note: closes")
    assert at_hand(window) == 0
    panel = window.grid.panels["p1"]
    for _ in range(3):
        QTest.keyClick(panel, KEY.Key_Left)
    assert notes(window)[0].place[0] == pytest.approx(note.place[0] - 0.06, abs=1e-3)
    assert window.document.undo_label == "Move note closes"
    QTest.keyClick(panel, KEY.Key_Return)
    QTest.keyClick(field(window), KEY.Key_End)
    QTest.keyClicks(field(window), " here, d")
    QTest.keyClick(field(window), KEY.Key_Return)
    assert notes(window)[0].text == "closes here, d"
    find(window, "note: closes here")
    QTest.keyClick(panel, KEY.Key_Delete)
    assert notes(window) == ()
    assert "p1" in window.grid.panels, "Del went to the note"
    for label in ("Delete note closes here, d", "Change note to closes here, d", "Move note closes"):
        assert window.document.undo_label == label
        window.document.undo()
    assert notes(window) == (note,)


def test_escape_leaves_a_note_unwritten_and_lets_one_go(window):
    write(window, "no", key=KEY.Key_Escape)
    assert notes(window) == ()
    assert field(window) is None
    assert window.document.state.selection, "Esc was the field's"
    write(window, "yes")
    find(window, "note: yes")
    QTest.keyClick(window.grid.panels["p1"], KEY.Key_Escape)
    assert at_hand(window) == -1
    assert window.document.state.selection


def test_without_samples_a_note_says_what_to_do(window):
    window.editor.select(())
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_A)
    assert field(window) is None
    assert "nothing for a note to point at" in said(window)


def test_a_kept_sample_gets_a_note(window, rest):
    window.editor.select(())
    window.editor.keep_sample(9)
    window.behaviour.focus_panel(0)
    QTest.keyClick(window, KEY.Key_A)
    QTest.keyClicks(field(window), "this one")
    QTest.keyClick(field(window), KEY.Key_Return)
    assert notes(window)[0].samples == (9,)
    window.editor.keep_sample(None)


def test_the_mouse_drags_a_note_in_one_step_and_selects_nothing(window, rest):
    write(window, "closes")
    rest(window)
    (box,), before = boxes(window), notes(window)
    start, view = box.rect.center(), canvas(window).viewport()
    way = [start, start + QPointF(12, 8), start + QPointF(30, 14)]
    drag(view, [each.toTuple() for each in way])
    (moved,) = boxes(window)
    assert moved.rect.center().toTuple() == pytest.approx((start + QPointF(30, 14)).toTuple(), abs=1.5)
    assert moved.target == box.target
    assert window.document.state.selection == (3, 4, 5)
    assert at_hand(window) == 0
    window.document.undo()
    assert notes(window) == before
    QTest.mouseDClick(view, LEFT, NONE, start.toPoint())
    assert field(window).text() == "closes"
    QTest.keyClick(field(window), KEY.Key_Escape)
    QTest.mousePress(view, RIGHT, NONE, start.toPoint())
    QTest.mouseRelease(view, RIGHT, NONE, start.toPoint())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert list(texts(menu)) == ["Edit", "Delete"]
    texts(menu)["Delete"].trigger()
    close_popups()
    assert notes(window) == ()


def test_a_note_keeps_through_turns_and_sizes(window, rest):
    write(window, "closes")
    place = notes(window)[0].place
    window.editor.set_dims("p1", 3)
    rest(window)
    before = boxes(window)[0]
    canvas(window).set_camera(canvas(window).camera.turned(0.3, 0.2))
    after = boxes(window)[0]
    assert after.target != before.target
    away = [(b.rect.center() - b.target).toTuple() for b in (before, after)]
    assert away[0] == pytest.approx(away[1], abs=0.5)
    assert notes(window)[0].place == place
    window.document.undo()
    rest(window)


def test_a_note_of_a_closed_panel_says_so_and_comes_back(window, rest):
    write(window, "closes")
    window.editor.close_panel("p1")
    rest(window)
    rows = find(window, "note: closes")
    assert rows[0] == "Note: closes (not drawn: its panel is not on show)"
    assert "This note is not drawn: its panel is not on show." in said(window)
    window.document.undo()
    rest(window)
    assert len(boxes(window)) == 1


def test_class_names_are_switched_in_the_legend_and_by_name(window, rest):
    panel = window.grid.panels["p1"]
    assert panel.annotations.class_names(panel.canvas) == []
    find(window, "class names on")
    names = panel.annotations.class_names(panel.canvas)
    assert [each.name for each in names] == ["a", "b", "c"]
    for each in names:
        rows = range(16 * each.code, 16 * each.code + 16)
        near = min(np.hypot(*(panel.canvas.position_of(i) - each.rect.center()).toTuple()) for i in rows)
        assert near < 2.0, "each lies on a sample of its class"
    menu = window.points.legend.classes.menu(0)
    (entry,) = [a for a in menu.actions() if a.text() == "Class names on the map"]
    assert entry.isChecked()
    window.editor.show_classes(("b",))
    assert [each.name for each in panel.annotations.class_names(panel.canvas)] == ["b"]
    window.editor.show_classes(())
    entry.trigger()
    assert panel.annotations.class_names(panel.canvas) == []
    menu.close()
    window.document.undo()
    assert window.document.state.class_names
    assert not any(panel.annotations.class_names(panel.canvas) == [] for panel in window.grid.panels.values())


def test_files_have_what_the_window_has(window, rest, tmp_path):
    window.editor.name_classes(True)
    plain = window.behaviour.scene.sheet()
    write_picture(plain, tmp_path / "plain.png")
    write(window, "It closes where both views agree about it")
    write(window, HOSTILE, (20,))
    window.editor.select(())
    rest(window)
    sheet = window.behaviour.scene.sheet()
    for ending in ("png", "svg", "pdf"):
        write_picture(sheet, tmp_path / f"noted.{ending}")
    root = ElementTree.parse(tmp_path / "noted.svg").getroot()
    runs = [("".join(node.itertext()), node) for node in root.iter() if node.tag.endswith("text")]
    words = re.sub(r"\s", "", "".join(text for text, _ in runs))
    assert "Itcloseswherebothviewsagreeaboutit" in words
    assert "<script>alert('&')</script><b>&amp;" in words
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    assert "\u202e" not in words
    assert words.count("a") > 2
    images = [QImage(str(tmp_path / f"{name}.png")) for name in ("plain", "noted")]
    pixels = [np.frombuffer(i.constBits(), np.uint8).reshape(i.height(), -1) for i in images]
    assert pixels[0].shape == pixels[1].shape
    assert (pixels[0] != pixels[1]).sum() > 4000
    assert (tmp_path / "noted.pdf").read_bytes().startswith(b"%PDF")
    caption = picture_of(window.behaviour.scene, PictureChoice(what="sheet")).sheet.record["caption"]
    assert "Notes: “It closes where both views agree about it”; “<script>" in caption
    assert "class names at their centres" in caption


@pytest.mark.nightly
def test_a_note_of_a_talk_has_the_size_of_the_talk(window, rest):
    write(window, "closes")
    (usual,) = boxes(window)
    window.showFullScreen = lambda: None
    window.behaviour.present(True)
    try:
        rest(window)
        (large,) = boxes(window)
        assert large.rect.height() / usual.rect.height() == pytest.approx(theme.scale(), rel=0.15)
        QTest.keyClick(window, KEY.Key_A)
        window.editor.select((1, 2))
        QTest.keyClick(window, KEY.Key_A)
        QTest.keyClicks(field(window), "2")
        QTest.keyClick(field(window), KEY.Key_Return)
        assert [note.text for note in notes(window)] == ["closes", "2"], "digits go to the field, not to snapshots"
    finally:
        window.behaviour.present(False)
        del window.showFullScreen
