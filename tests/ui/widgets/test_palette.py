"""Ctrl+K finds things by the words people type, the best first; shortcuts can be changed, and are told as they are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton
from windows import PATIENCE_MS

from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.widgets.command_palette import KEYS, CommandPalette
from mvexplorer.ui.widgets.searched_list import PaletteEntry, ranked
from mvexplorer.ui.window.actions.shortcuts import ShortcutsDialog

pytestmark = pytest.mark.panels(3)

KEY, CONTROL, SHIFT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def entries(*texts: str) -> list[PaletteEntry]:
    return [PaletteEntry(text, "", lambda: None) for text in texts]


def palette_of(window) -> CommandPalette:
    window.behaviour.find_anything()
    found = QApplication.activePopupWidget()
    assert isinstance(found, CommandPalette)
    return found


def first(palette: CommandPalette, query: str) -> str:
    palette.search.setText(query)
    return palette.list.item(0).text()


def test_starts_come_before_words_before_parts_before_letters():
    made = entries("xsavey", "s-a-v-e", "Export, save", "Save session")
    assert [e.text for e in ranked("save", made, [])] == ["Save session", "Export, save", "xsavey", "s-a-v-e"]
    assert ranked("zzz", made, []) == []


def test_the_whole_name_of_a_thing_comes_before_names_it_is_a_part_of():
    made = entries("Add panel: Local CCA", "CCA local", "Add panel: CCA")
    assert [e.text for e in ranked("cca", made, [])] == ["Add panel: CCA", "CCA local", "Add panel: Local CCA"]


def test_what_was_used_last_comes_first_among_equals():
    made = entries("Save a", "Save b", "Save c")
    assert [e.text for e in ranked("save", made, ["Save c", "Save b"])] == ["Save c", "Save b", "Save a"]
    assert ranked("", made, ["Save b"])[0].text == "Save b"


MEANT = [
    ("dark", "Dark theme"), ("night", "Dark theme"), ("save picture", "Export picture"), ("png", "Export picture"),
    ("copy", "Copy as Python|Duplicate panel"), ("python", "Copy as Python"),
    ("python script", "Export script"), ("jupyter", "Export notebook"),
    ("compare", "Export picture|Duplicate panel"),
    ("export", "Export picture"), ("rename", "Save session as"), ("shortcuts", "Keyboard shortcuts|Mouse and keys"),
    ("full screen", "Presentation"), ("sigma", "Smaller ε|Larger ε|Views and parameters"),
    ("stop", "Cancel all tasks"),
    ("bandwidth", "Set bandwidth ε of plain|Smaller ε|Slope curve of a bandwidth|Page: Bandwidth"),
    ("undo", "Undo"), ("trim", "Trim to 1–99 %"), ("outliers", "Trim to 1–99 %"), ("color", "Points"),
    ("cca", "Add panel: CCA"), ("pca", "Add panel: PCA"), ("kernel cca", "Add panel: Kernel CCA"),
]  # fmt: skip


def test_words_people_type_find_what_they_mean(window):
    window.editor.set_param("t", 2)
    window.actions_table.refresh()
    for typed, found in MEANT:
        palette = palette_of(window)
        assert palette.list.count() <= 60
        assert any(first(palette, typed).startswith(each) for each in found.split("|")), typed
        palette.close()


def test_shortcuts_stand_in_a_column_and_disabled_actions_are_not_offered(window):
    palette = palette_of(window)
    palette.search.setText("export picture")
    assert palette.list.item(0).data(KEYS) == "Ctrl+E"
    assert "Ctrl" not in palette.list.item(0).text()
    picture = palette.list.grab().toImage()
    ground = picture.pixel(picture.width() // 2, 12)
    right = [x for x in range(picture.width() // 2, picture.width() - 4) if picture.pixel(x, 12) != ground]
    assert right
    assert picture.width() - right[-1] < 40
    palette.search.setText("redo")
    assert not any(palette.list.item(i).text() == "Redo" for i in range(palette.list.count()))
    palette.close()


@pytest.fixture
def dialog(window):
    window.actions_table.actions["Keyboard shortcuts …"].trigger()
    found = next(d for d in window.findChildren(ShortcutsDialog) if d.isVisible())
    yield found
    found.reset_all.click()
    found.close()


def choose(dialog: ShortcutsDialog, text: str) -> None:
    row = next(r for r in range(dialog.table.rowCount()) if dialog.table.item(r, 0).text().endswith(text))
    dialog.table.setCurrentCell(row, 0)


def press(dialog: ShortcutsDialog, keys: str) -> None:
    dialog.keys.setKeySequence(QKeySequence(keys))
    dialog.keys.editingFinished.emit()


def test_new_keys_work_are_kept_and_told_everywhere(window, dialog):
    choose(dialog, "Find anything …")
    press(dialog, "Ctrl+P")
    assert window.settings.shortcuts == {"Find anything …": "Ctrl+P"}
    assert Settings.model_validate_json(window.settings.model_dump_json()).shortcuts == window.settings.shortcuts
    assert window.actions_table.actions["Find anything …"].shortcut() == QKeySequence("Ctrl+P")
    button = window.menuBar().cornerWidget().findChild(QToolButton, "find")
    assert "Ctrl+P" in button.text()
    assert "Ctrl+P" in button.toolTip()
    palette = palette_of(window)
    palette.search.setText("Find anything")
    assert palette.list.item(0).data(KEYS) == "Ctrl+P"
    palette.close()
    dialog.reset.click()
    assert window.settings.shortcuts == {}
    assert "Ctrl+K" in button.text()


def test_keys_of_another_action_are_refused_in_a_sentence(window, dialog):
    choose(dialog, "Undo")
    press(dialog, "Ctrl+S")
    assert dialog.problem.text() == "Ctrl+S belongs to “Save session”: press other keys, or change that one first."
    assert window.settings.shortcuts == {}


def test_the_table_of_shortcuts_is_searched(dialog):
    dialog.search.setText("dark")
    seen = [dialog.table.item(r, 0).text() for r in range(dialog.table.rowCount()) if not dialog.table.isRowHidden(r)]
    assert seen == ["View: Dark theme"]


def test_keys_pressed_in_the_field_are_taken(window, dialog, qtbot):
    choose(dialog, "Select all")
    dialog.keys.setFocus()
    QTest.keyClick(dialog.keys, KEY.Key_J, CONTROL | SHIFT)
    qtbot.waitUntil(lambda: window.settings.shortcuts == {"Select all": "Ctrl+Shift+J"}, timeout=PATIENCE_MS)


def test_samples_are_named_whole_where_the_list_has_room(window):
    palette = palette_of(window)
    assert first(palette, "helix-a") == "Open sample: Helix A: a ring that no single view closes (helix-a)"
    room = palette.list.viewport().width()
    assert palette.list.sizeHintForColumn(0) <= room
    palette.close()
