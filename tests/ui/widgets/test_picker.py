"""Samples and methods are chosen from lists: found by typing, in groups, by keys or mouse, with a line about each."""

import pytest
from gestures import KEY, LEFT
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from mvexplorer.datasets.catalogue import samples
from mvexplorer.engine.methods import methods
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.command_palette import CommandPalette
from mvexplorer.ui.widgets.picker import ABOUT, HEADING, Pick, Picker

pytestmark = pytest.mark.panels(2)


@pytest.fixture
def fruit(qtbot):
    """A list of three choices in two groups, given out of order, and what was chosen."""
    window, chosen = QWidget(), []
    qtbot.addWidget(window)
    window.resize(900, 700)
    window.show()
    given = (
        Pick("Pear", "Grows on trees.", lambda: chosen.append("pear"), "Trees", "conference"),
        Pick("Strawberry", "Creeps on the ground.", lambda: chosen.append("strawberry"), "Herbs"),
        Pick("Apple", "Grows on trees, too.", lambda: chosen.append("apple"), "Trees"),
    )
    picker = Picker(given, "Choose fruit", "Type a fruit", window)
    picker.open_at()
    return picker, chosen


def rows(picker):
    return [picker.list.item(row).text() for row in range(picker.list.count())]


def current(picker):
    return picker.list.currentItem().text()


def picker_of(window, text):
    window.actions_table.actions[text].trigger()
    found = QApplication.activePopupWidget()
    assert isinstance(found, Picker)
    return found


def test_choices_of_a_group_stand_together_under_its_heading(fruit):
    picker, _ = fruit
    assert rows(picker) == ["Trees", "Pear", "Apple", "Herbs", "Strawberry"]
    assert [bool(picker.list.item(row).data(HEADING)) for row in range(5)] == [True, False, False, True, False]
    assert current(picker) == "Pear"


def test_the_arrows_pass_over_headings_and_stop_at_the_ends(fruit):
    picker, chosen = fruit
    QTest.keyClick(picker.search, KEY.Key_Up)
    assert current(picker) == "Pear"
    for _ in range(2):
        QTest.keyClick(picker.search, KEY.Key_Down)
    assert current(picker) == "Strawberry"
    QTest.keyClick(picker.search, KEY.Key_Down)
    assert current(picker) == "Strawberry"
    QTest.keyClick(picker.search, KEY.Key_PageUp)
    assert current(picker) == "Pear"
    QTest.keyClick(picker.search, KEY.Key_PageDown)
    assert current(picker) == "Strawberry"
    assert picker.search.accessibleDescription() == "Strawberry. Creeps on the ground."
    QTest.keyClick(picker.search, KEY.Key_Return)
    assert chosen == ["strawberry"]


def test_typing_finds_titles_lines_groups_and_other_words(fruit):
    picker, chosen = fruit
    for typed, left in (
        ("app", ["Trees", "Apple"]), ("creeps", ["Herbs", "Strawberry"]), ("conf", ["Trees", "Pear"]),
        ("trees", ["Trees", "Pear", "Apple"]), ("", ["Trees", "Pear", "Apple", "Herbs", "Strawberry"]),
    ):  # fmt: skip
        picker.search.setText(typed)
        assert rows(picker) == left, typed
    picker.search.setText("zzz")
    assert rows(picker) == ["Nothing is called “zzz”."]
    QTest.keyClick(picker.search, KEY.Key_Return)
    assert picker.isVisible()
    assert chosen == []


def test_a_click_chooses_and_a_heading_cannot_be_clicked(fruit):
    picker, chosen = fruit
    places = [picker.list.visualItemRect(picker.list.item(row)).center() for row in range(5)]
    QTest.mouseClick(picker.list.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, places[3])
    assert picker.isVisible()
    QTest.mouseClick(picker.list.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, places[2])
    assert chosen == ["apple"]
    assert QApplication.activePopupWidget() is None


def test_the_list_is_as_high_as_what_it_shows_and_its_top_stays(fruit):
    picker, _ = fruit
    top, height = picker.y(), picker.height()
    picker.search.setText("pear")
    assert picker.y() == top
    assert picker.height() < height


def test_esc_closes_the_list_changes_nothing_and_gives_the_keys_back(window):
    window.behaviour.focus_panel(1)
    before, panels = window.focusWidget(), window.document.state.panels
    picker = picker_of(window, "Add panel …")
    assert picker.focusWidget() is picker.search
    QTest.keyClick(picker.search, KEY.Key_Escape)
    assert QApplication.activePopupWidget() is None
    assert window.focusWidget() is before
    assert window.document.state.panels == panels


def test_every_method_stands_under_its_family_with_a_line_of_its_own(window):
    picker = picker_of(window, "Add panel …")
    items = [picker.list.item(row) for row in range(picker.list.count())]
    offered = [method for method in methods() if not method.shows_given]
    assert {item.text() for item in items if item.data(HEADING)} == {method.family for method in offered}
    assert len({item.data(ABOUT) for item in items if not item.data(HEADING)}) == len(offered)
    heading, families = "", {}
    for item in items:
        heading = item.text() if item.data(HEADING) else heading
        families[item.text()] = heading
    assert all(families[method.title] == method.family for method in offered)
    # The three means differ from the first words of their lines on.
    lines = {item.text(): item.data(ABOUT) for item in items}
    means = [lines[name] for name in lines if "ean" in name and "Laplacian" in name]
    assert [each.partition(":")[0] for each in means] == [
        "Joins what any view joins", "One view's dissent counts most", "Joins only what all views join",
    ]  # fmt: skip
    picker.close()


def test_a_method_is_added_by_its_button_and_a_few_letters(window, rest):
    button = next(b for b in window.findChildren(QToolButton) if b.text() == "Add panel ▾")
    QTest.mouseClick(button, LEFT)
    picker = QApplication.activePopupWidget()
    assert window.geometry().contains(picker.geometry())
    QTest.keyClicks(picker.search, "cca")
    assert current(picker) == "CCA"
    QTest.keyClick(picker.search, KEY.Key_Return)
    rest(window)
    assert window.document.state.panels[-1].method == "cca"
    assert window.editor.focused == window.document.state.panels[-1].id


def test_a_sample_is_opened_by_what_it_shows(window, qtbot):
    picker = picker_of(window, "Open sample …")
    assert rows(picker) == [sample.title for sample in samples()]
    QTest.keyClicks(picker.search, "nothing but noise")
    assert rows(picker) == ["A swiss roll among columns of noise"]
    picker.search.setText("blobs")
    QTest.keyClick(picker.search, KEY.Key_Return)
    qtbot.waitUntil(lambda: window.document.data is not None and window.document.data.n_samples == 180)


@pytest.mark.parametrize("scale", [1.0, 1.25])
@pytest.mark.parametrize("text", ["Add panel …", "Open sample …"])
def test_nothing_is_cut_off_in_a_small_window(window, text, scale):
    window.resize(1280, 720)
    window.behaviour.zoom(scale)
    try:
        picker = picker_of(window, text)
        room = picker.list.viewport().width() - 2 * theme.px(12)
        small = theme.metrics(theme.font(theme.px(theme.SMALL_PX)))
        for row in range(picker.list.count()):
            about = picker.list.item(row).data(ABOUT) or ""
            assert small.horizontalAdvance(about) <= room, about
        assert picker.height() <= window.height()
        picker.close()
    finally:
        window.behaviour.zoom(None)


def test_samples_and_methods_are_still_found_in_the_palette(window):
    window.behaviour.find_anything()
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, CommandPalette)
    for typed, wanted in (
        ("toy train", "Open sample: Toy train: two cameras that miss frames (toy-train)"),
        ("harmonic mean", "Add panel: Harmonic mean of Laplacians"),
        ("open sample", "Open sample"),
        ("add panel", "Add panel"),
    ):
        palette.search.setText(typed)
        assert rows(palette)[0] == wanted
    palette.close()
