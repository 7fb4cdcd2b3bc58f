"""A message takes one line or two small ones and goes with its cause; an offer stays until it is taken or untrue."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.datasets.catalogue import samples
from mvexplorer.private import user_folder
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.banner import ICONS, Banners

pytestmark = pytest.mark.panels(3)

LONG = "The file measurements_of_the_second_campaign_2024_final_v3.csv has 12 rows, but the other views have 2000. " * 2


@pytest.fixture
def banners(app, qtbot):
    """A line of messages in a window of usual width."""
    window = QWidget()
    qtbot.addWidget(window)
    window.setStyleSheet(theme.style_sheet())
    made = Banners()
    column = QVBoxLayout(window)
    column.addWidget(made)
    column.addStretch(1)
    window.resize(800, 300)
    window.show()
    yield made
    window.close()


def on_screen(banners: Banners) -> list[str]:
    return [b.text for b in banners._shown() if b.isVisible()]


def test_messages_take_one_line_and_the_others_are_listed_by_key(banners, qtbot):
    banners.show_message("info", "first")
    one = banners.sizeHint().height()
    banners.show_message("warning", LONG)
    banners.show_message("info", "third")
    qtbot.wait(0)
    assert on_screen(banners) == ["third"]
    assert banners.sizeHint().height() <= one + 4
    head = banners._shown()[0]
    assert head.others.text() == "2 more"
    head.others.setFocus()
    QTest.keyClick(head.others, Qt.Key.Key_Space)
    assert len(on_screen(banners)) == 3
    assert banners._shown()[1].words.text().strip() == LONG.strip()
    QTest.keyClick(head.others, Qt.Key.Key_Space)
    assert on_screen(banners) == ["third"]


def test_a_long_message_is_cut_and_can_be_read_whole(banners, qtbot):
    made = banners.show_message("warning", LONG, "Give one file for each view.")
    qtbot.wait(0)
    assert made.words.text().endswith("…")
    first, second = made.words.text().split("\n")
    assert max(map(made.words.fontMetrics().horizontalAdvance, (first, second))) <= made.words.width()
    assert 2 * made.words.fontMetrics().height() <= made.words.height()
    assert LONG.strip() in made.words.toolTip()
    assert made.others.isVisible()
    made.others.click()
    assert "Give one file for each view." in made.words.text()


def test_an_offer_is_not_pushed_away_by_later_notices(banners):
    taken = []
    banners.show_message("warning", "scales differ", more=[("z-score", lambda: taken.append(1))])
    for k in range(20):
        banners.show_message("info", f"notice {k}")
    assert on_screen(banners) == ["scales differ"]
    failure = banners.show_message("error", "no such ε", cause="edit")
    assert on_screen(banners) == ["no such ε"]
    banners.forget(failure)
    assert on_screen(banners) == ["scales differ"]
    banners._shown()[0].buttons[0].click()
    assert taken
    assert on_screen(banners) == ["notice 19"]
    assert len(banners.texts()) <= Banners.LIMIT


def test_the_open_list_keeps_its_lines_when_an_offer_is_taken(banners):
    banners.show_message("info", LONG, more=[("Split into a, b", lambda: None)])
    banners.show_message("info", f"{LONG} No label.", more=[("Use “kind” as the label", lambda: None)])
    banners.show_message("warning", "scales differ", more=[("z-score", lambda: None)])
    banners.toggle_list()
    QApplication.processEvents()
    (*_, last) = banners._shown()
    whole = last.height()
    assert whole > 1.5 * last.fontMetrics().height() + 8
    banners._shown()[1].buttons[0].click()
    banners._shown()[0].buttons[0].click()
    QApplication.processEvents()
    assert banners._shown() == [last]
    assert last.height() >= whole  # narrower beside the button of the list


def test_a_message_has_its_own_buttons_only(banners, qtbot):
    def in_sight():
        return [button.text() for button in banners.findChildren(QPushButton) if button.isVisible()]

    taken = []
    label = [(f"Use “{name}” as the label", lambda n=name: taken.append(n)) for name in ("kind", "site")]
    banners.show_message("info", "no label", more=label)
    one = banners.sizeHint().height()
    banners.show_message("error", "cannot write a.png", cause="export")
    qtbot.wait(0)
    assert on_screen(banners) == ["cannot write a.png"]
    assert in_sight() == []
    assert banners.sizeHint().height() <= one + 4
    banners.toggle_list()  # each with its own sentence
    assert in_sight() == ["Use “kind” as the label", "Use “site” as the label"]
    banners.toggle_list()
    banners.withdraw("export")
    assert in_sight() == ["Use “kind” as the label", "Use “site” as the label"]
    QTest.mouseClick(banners._shown()[0].buttons[1], Qt.MouseButton.LeftButton)
    assert taken == ["site"]
    assert not banners.isVisible()


def test_what_helps_against_a_doubt_comes_before_other_offers(banners):
    banners.show_message("warning", "scales differ", more=[("z-score", lambda: None)])
    banners.show_message("info", "no label", more=[("Use “site” as the label", lambda: None)])
    assert on_screen(banners) == ["scales differ"]


def test_a_cause_has_one_message_and_takes_it_away(banners):
    banners.show_message("error", "cannot write a.png", cause="export")
    banners.show_message("error", "cannot write b.png", cause="export")
    assert banners.texts() == ["cannot write b.png"]
    banners.withdraw("export")
    assert banners.texts() == []
    assert not banners.isVisible()


def test_levels_differ_by_form_and_by_word(app, banners):
    def form(level: str) -> np.ndarray:
        picture = theme.pixmap(ICONS[level][0], "text", 32).toImage()
        return np.array([[picture.pixelColor(x, y).alpha() > 99 for x in range(32)] for y in range(32)])

    forms = [form(level) for level in ICONS]
    assert min((a != b).sum() for i, a in enumerate(forms) for b in forms[:i]) > 60
    spoken = {banners.show_message(level, "same").words.accessibleName() for level in ICONS}
    assert spoken == {"Note: same", "Warning: same", "Error: same"}


def uneven(folder):
    """A file whose columns differ in scale, without a label."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=60), 1e6 * rng.normal(size=60), rng.normal(size=60)])
    file = folder / "uneven.csv"
    np.savetxt(file, rows, delimiter=",", header="a,b,c", comments="")
    return file


@pytest.mark.nightly
def test_the_offer_to_scale_goes_once_the_view_is_scaled_and_with_its_data(window, rest, tmp_path, qtbot):
    window.library.open_source((str(uneven(tmp_path)),))
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)
    rest(window)
    (offer,) = [b for b in window.banners._shown() if b.buttons]
    assert "z-score" in offer.button.text()
    window.editor.set_preprocess(window.document.data.view_names[0], "zscore")
    assert offer.text not in window.banners.texts()
    window.document.undo()
    (offer,) = [b for b in window.banners._shown() if b.buttons]
    (keep,) = [b for b in offer.buttons if b.text() == "Keep these scales"]
    keep.click()
    assert window.banners.texts() == []
    window.document.undo()
    assert [b.text for b in window.banners._shown()] == [offer.text]
    window.steps.keep_scales()  # by the strip's button
    assert window.banners.texts() == []
    window.document.undo()
    window.document.undo()
    assert window.banners.texts() == []  # the former data is back
    rest(window)


def grouped(folder):
    """A file whose columns form two groups, with two columns that could be the label."""
    rows = np.random.default_rng(1).normal(size=(40, 6)).round(4).tolist()
    heads = ["kind", "site", *(f"{group}_{k}" for group in ("wt", "mu") for k in range(3))]
    lines = [",".join(map(str, ["ab"[i % 2], "cde"[i % 3], *row])) for i, row in enumerate(rows)]
    file = folder / "grouped.csv"
    file.write_text("\n".join([",".join(heads), *lines]))
    return file


def test_undo_and_redo_bring_what_was_told_of_the_data(window, rest, tmp_path, qtbot):
    def click(words):
        next(b for each in window.banners._shown() for b in each.buttons if b.text() == words).click()

    def told():
        return sorted(window.banners.texts())

    window.library.open_source((str(grouped(tmp_path)),))
    qtbot.waitUntil(lambda: "No column is the label: scores of classes are left out." in told(), timeout=PATIENCE_MS)
    first = told()
    assert len(first) == 3  # and what was opened
    click("Use “kind” as the label")
    without = told()
    assert without == [text for text in first if "label" not in text]
    click("Split into wt, mu")
    qtbot.waitUntil(lambda: window.document.data.n_views == 2, timeout=PATIENCE_MS)
    split = told()
    assert not any("could be views" in text for text in split)
    window.document.undo()
    assert told() == without
    window.document.undo()
    assert told() == first
    click("Use “site” as the label")
    assert told() == without
    window.document.undo()
    assert told() == first
    window.banners._shown()[0].cross.click()
    left = told()
    window.document.undo()
    assert told() == []
    window.document.redo()
    assert told() == left  # what was dismissed by hand stays away
    rest(window)


def test_a_complaint_goes_with_any_edit_undo_included(window):
    window.editor.set_param("eta", 0.4)
    window.editor.set_epsilon("plain", "-3")
    assert len(window.banners.texts()) == 1
    window.document.undo()
    assert window.banners.texts() == []


@pytest.mark.panels(6)
def test_a_complaint_goes_when_its_panel_is_closed(window):
    for _ in range(7):
        window.editor.add_panel("single")
    assert "already 12 panels" in window.banners.texts()[0]
    window.editor.close_panel(window.document.state.panels[-1].id)
    assert window.banners.texts() == []


def test_messages_about_data_go_with_it(window):
    window.banners.show_message("info", "assumed: rows are samples")
    window.banners.show_message("warning", "not about the data", lasting=True)
    show_data(window, small_data(36), 3)
    assert window.banners.texts() == ["not about the data"]
    window.banners._shown()[0].dismiss()  # the next test has the same window


def test_that_preferences_cannot_be_kept_is_withdrawn_once_they_can(make_window, home):
    home.write_text("")
    window = make_window(keep=True)
    window.workbench.change_settings(animate=True)
    assert any("preferences" in text for text in window.banners.texts())
    home.unlink()
    window.workbench.change_settings(animate=False)
    assert not any("preferences" in text for text in window.banners.texts())
    assert (user_folder() / "settings.json").exists()


def test_where_a_file_is_stands_until_the_next_edit(window, tmp_path):
    window.editor.saved.emit(tmp_path / "picture.png")
    assert window.banners.texts() == ["Saved picture.png."]
    window.editor.set_param("t", 2)
    assert window.banners.texts() == []


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.id)
def test_the_sentence_of_a_sample_is_whole_beside_its_button(banners, sample):
    """In the strip above the panels, at 1440 pixels, where the right side is unfolded."""
    banners.window().resize(660, 300)
    also = sample.open.also
    offer = None if also is None else (also.button, lambda: None)
    words = sample.look if also is None else f"{sample.look} {also.words}"
    shown = banners.show_message("info", words, action=offer)
    QApplication.processEvents()
    assert shown.width() <= 630
    assert shown.words.text().replace("\n", " ") == words
    assert not shown.others.isVisible()
