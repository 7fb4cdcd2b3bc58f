"""The strip above the panels: the next step in words, the message over it, and nothing that moves a panel."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest
from doubles import FunctionJob
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QLabel, QPushButton
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.bench.importing import SLOT
from mvexplorer.ui.export.picture_dialog import PictureDialog
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.banner import ICONS, Banner
from mvexplorer.ui.window.main_window import MainWindow
from mvexplorer.ui.window.start import reading_line
from mvexplorer.ui.window.strip.step_strip import SIGNS

pytestmark = pytest.mark.panels(3)

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
LONG = "The file measurements_of_the_second_campaign.csv has 12 rows, but the other views have 2000. " * 3
LABELS = [(f"Use “{name}” as the label", lambda: None) for name in ("kind", "site", "a_very_long_name_of_a_column" * 3)]


def places(window: MainWindow) -> dict[str, QRect]:
    """Where the panels are in the window, and the pages below them."""
    QApplication.processEvents()
    parts = (
        {"pages": window.bottom} | window.grid.panels | {f"{k} points": p.canvas for k, p in window.grid.panels.items()}
    )
    return {name: QRect(part.mapTo(window, QPoint()), part.size()) for name, part in parts.items()}  # fmt: skip


def words(window: MainWindow) -> list[str]:
    """The words on the steps' buttons."""
    icon = Qt.ToolButtonStyle.ToolButtonIconOnly
    return ["" if b.toolButtonStyle() == icon else b.text() for b in window.step_strip.buttons]


def step(window: MainWindow, id: str):
    """The button of a step."""
    return next(b for b in window.step_strip.buttons if b.step.id == id)


@pytest.fixture
def messages(window):
    """The messages of the window, none of which stays for the next test."""
    yield window.banners
    window.docks.messages.close_list()
    for banner in window.banners._shown():
        banner.dismiss()


# Nothing moves ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
def test_no_message_moves_a_panel(window, rest, messages, size):
    window.resize(*size)
    rest(window)
    before = places(window)
    assert window.step_strip.isVisible()
    for level in ICONS:
        for text in ("Saved a.png.", LONG):
            for buttons in ([], LABELS[:1], LABELS):
                messages.show_message(level, text, "Do something about it.", more=buttons, cause=f"{level}{text[:5]}")
                assert places(window) == before
    messages.toggle_list()
    assert places(window) == before
    assert window.docks.messages.height() > 3 * window.step_strip.height()
    messages.toggle_list()
    assert places(window) == before
    messages.clear()
    assert not window.docks.messages.isVisible()
    assert places(window) == before


def test_no_reading_of_files_moves_a_panel(window, messages, monkeypatch, qtbot):
    monkeypatch.setattr(reading_line, "AFTER_MS", 50)
    window.reading._long.setInterval(50)
    before, go = places(window), Event()
    window.controller.open(FunctionJob(lambda task: (task.progress(0.25), go.wait(60))), lambda outcome: None)
    qtbot.waitUntil(window.reading.isVisible, timeout=PATIENCE_MS)
    assert not any(button.isVisible() for button in window.step_strip.buttons)
    assert places(window) == before
    messages.show_message("info", LONG)
    assert places(window) == before
    assert window.reading.stop.isVisible()
    window.controller.cancel(SLOT)
    go.set()
    qtbot.waitUntil(lambda: not window.reading.isVisible(), timeout=PATIENCE_MS)
    assert places(window) == before
    assert all(button.isVisible() for button in window.step_strip.buttons)


def test_what_is_under_the_pointer_stays_there(window, messages, monkeypatch):
    before = words(window)
    monkeypatch.setattr(window.step_strip._left, "underMouse", lambda: True)
    messages.show_message("info", LONG)
    assert words(window) == before
    monkeypatch.undo()
    window.step_strip.leaveEvent(None)
    assert words(window) != before


@pytest.mark.parametrize(
    "size", [(1280, 720), *(pytest.param(s, marks=pytest.mark.nightly) for s in ((1440, 900), (2560, 1440)))]
)
def test_a_presentation_has_no_steps_and_its_panels_and_titles_stay_as_well(
    window, rest, messages, qtbot, size, monkeypatch
):
    monkeypatch.setattr(window, "showFullScreen", lambda: window.resize(*size))
    window.behaviour.present(True)
    rest(window)
    assert not window.step_strip.isVisible()
    window.grab()  # polishes and lays out all that still has to be
    seen = [places(window)]
    qtbot.waitUntil(lambda: seen.append(places(window)) or seen[-1] == seen[-2], timeout=PATIENCE_MS)
    before = seen[-1]
    heads = [part for panel in window.grid.panels.values() for part in (panel.header, window.strip)]
    titles = [QRect(part.mapTo(window, QPoint()), part.size()) for part in heads]
    seen_titles = [window.grab(title).toImage() for title in titles]
    for text in ("Saved a.png.", LONG):
        for buttons in ([], LABELS):
            messages.show_message("error", text, more=buttons)
            assert places(window) == before
            sheet = window.docks.messages
            covered = QRect(sheet.mapTo(window, QPoint()), sheet.size())
            assert sheet.isVisible()
            assert window.rect().contains(covered)
            assert not any(covered.intersects(title) for title in titles)
            assert [window.grab(title).toImage() for title in titles] == seen_titles
    messages.toggle_list()
    assert places(window) == before
    assert window.docks.messages.height() > covered.height()
    assert window.docks.messages.mapTo(window, QPoint()).y() < covered.y()
    window.behaviour.present(False)
    rest(window)
    assert window.step_strip.isVisible()


# Words --------------------------------------------------------------------------------------------------------------


def test_all_steps_have_words_without_a_message_and_the_next_one_with_it(window, messages):
    assert [each.split("  ")[0] for each in words(window)] == list("123456")
    assert words(window)[2:4] == ["3  Check ε", "4  Validate"]
    messages.show_message("warning", LONG, more=LABELS)
    assert words(window) == ["", "", "", "4  Validate", "", ""]
    window.resize(2560, 1440)
    QApplication.processEvents()
    assert all(words(window))


def test_a_message_gives_way_before_the_steps_do(window, rest, messages):
    window.resize(1280, 720)
    rest(window)
    messages.show_message("info", LONG)
    assert words(window)[3:] == ["4  Validate", "5  Name the finding", "6  Export"]  # what is left to do comes first
    (banner,) = messages._shown()
    assert "…" in banner.words.text()
    assert banner.others.isVisible()
    messages.show_message("info", LONG[:-2], more=LABELS[:1])
    QApplication.processEvents()
    assert words(window)[3] == "4  Validate"
    assert messages._shown()[0].button.isVisible()
    messages.clear()
    messages.show_message("info", "Saved a.png.")
    assert all(words(window))


def test_scales_in_doubt_can_be_kept_beside_the_step_that_evens_them_out(window, rest, messages):
    show_data(window, MultiView({"one": small_data(30).Xs[1] * np.array([1.0, 1e7, 1.0])}), 3)
    rest(window)
    window.resize(1280, 720)
    rest(window)
    keep = window.step_strip.keep
    assert words(window)[1] == "2  z-score one"
    assert keep.isVisible()
    assert keep.x() > step(window, "scale").x()
    assert keep.x() < step(window, "check").x()
    messages.show_message("warning", LONG, more=LABELS)
    assert (words(window)[1], keep.isVisible(), keep.text()) == ("2  z-score one", True, "Keep these scales")
    assert keep.geometry().right() < window.step_strip._slot.x()
    keep.setFocus()
    QTest.keyClick(keep, KEY.Key_Space)
    assert step(window, "scale").step.state == "done"
    assert not keep.isVisible()
    assert window.document.data.preprocess == ("none",)
    window.document.undo()
    assert keep.isVisible()
    rest(window)


def test_a_step_tells_title_state_and_what_to_do(window):
    names = [button.accessibleName() for button in window.step_strip.buttons]
    assert names[2].startswith("3. Check ε: done. ")
    assert names[3].startswith("4. Validate: to do. The next step. Could the score of ")
    for button in window.step_strip.buttons:
        assert button.step.sentence in button.accessibleName()
        assert button.step.sentence in button.toolTip()
        assert not button.icon().isNull()
    assert len({button.property("next") for button in window.step_strip.buttons}) == 2


def test_the_states_differ_by_form(app):
    def form(name: str) -> np.ndarray:
        picture = theme.pixmap(name, "text", 32).toImage()
        return np.array([[picture.pixelColor(x, y).alpha() > 99 for x in range(32)] for y in range(32)])

    forms = [form(name) for name, _ in SIGNS.values()]
    assert min((a != b).sum() for i, a in enumerate(forms) for b in forms[:i]) > 60


def cut(widget: QLabel | QAbstractButton) -> bool:
    """Whether not all of a text is shown: by its own dots, or for want of room."""
    icon = Qt.ToolButtonStyle.ToolButtonIconOnly
    if getattr(widget, "toolButtonStyle", lambda: None)() == icon or widget.text() == "":
        return isinstance(widget, QAbstractButton)
    across = max(map(widget.fontMetrics().horizontalAdvance, widget.text().split("\n")))
    return "…" in widget.text() or across > widget.width()


@pytest.mark.parametrize(
    ("scale", "listed"),
    [
        (1.0, True),
        (1.5, False),
        *(pytest.param(*each, marks=pytest.mark.nightly) for each in ((1.0, False), (1.5, True))),
    ],
)
def test_nothing_is_cut_at_1280_without_a_tooltip(window, rest, messages, scale, listed):
    window.resize(1280, 720)
    window.workbench.change_settings(zoom=scale)
    window.behaviour.fit_type()
    messages.show_message("info", "Saved a.png.", more=LABELS[:1])
    messages.show_message("info", "There is no label to score by.", more=LABELS)
    messages.show_message("warning", LONG, "Give one file for each view.", more=LABELS)
    if listed:
        messages.toggle_list()
    rest(window)
    QApplication.processEvents()
    room = QRect(QPoint(), window.docks.messages.viewport().size())
    seen = [w for kind in (QLabel, QAbstractButton) for w in messages.findChildren(kind) if w.isVisible()]
    assert len(seen) >= 4
    for widget in seen:
        about = f"{type(widget).__name__} {widget.text()[:60]!r}"
        inside = QRect(widget.mapTo(window.docks.messages.viewport(), QPoint()), widget.size())
        if not listed:
            assert room.contains(inside), about
        assert 0 <= inside.left() <= inside.right() < room.width(), about
        assert widget.height() >= min(widget.sizeHint().height(), widget.minimumSizeHint().height()), about
        plain = not isinstance(widget, QLabel) or widget.textFormat() == Qt.TextFormat.PlainText
        assert not (plain and cut(widget)) or len(widget.toolTip()) > 5, about
    for button in window.step_strip.buttons:
        assert button.step.sentence in button.toolTip()
        assert window.step_strip.rect().contains(QRect(button.mapTo(window.step_strip, QPoint()), button.size()))


@pytest.mark.nightly
def test_a_long_name_of_a_view_leaves_the_next_step_its_room(window, rest, messages):
    name = "measurements_of_the_second_campaign_" * 4
    columns = small_data(30).Xs[1] * np.array([1.0, 1e7, 1.0])
    show_data(window, MultiView({name: columns, "wavy": small_data(30).Xs[1]}), 3)
    rest(window)
    messages.show_message("warning", LONG, more=LABELS)
    assert window.steps.steps[1].state == "doubt"
    assert words(window)[1].startswith("2  z-score meas")
    assert name[:40] in step(window, "scale").toolTip()
    assert window.docks.messages.width() > 300


# Where the steps lead -----------------------------------------------------------------------------------------------


def uneven(folder):
    """Numbers without names of samples, wider than long, one column of which is very large."""
    numbers = np.random.default_rng(0).normal(size=(20, 24)) * np.append(np.ones(23), 1e7)
    file = folder / "wide.csv"
    np.savetxt(file, numbers, delimiter=",", fmt="%.5f")
    return file


@pytest.mark.nightly
def test_pair_shows_how_the_files_are_read_and_closing_its_message_answers(window, rest, tmp_path, qtbot):
    window.library.open_files((str(uneven(tmp_path)),))
    qtbot.waitUntil(lambda: window.docks.importing is not None, timeout=PATIENCE_MS)
    assert not window.step_strip.isVisible()
    QTest.mouseClick(window.docks.importing.bar.open, LEFT)
    qtbot.waitUntil(lambda: window.document.data.n_samples == 20, timeout=PATIENCE_MS)
    rest(window)
    pair = step(window, "pair")
    assert pair.step.state == "doubt"
    assert words(window)[0] == "1  Check rows"
    QTest.mouseClick(pair, LEFT)
    assert window.docks.importing is not None
    window.library.imports.leave()
    rest(window)
    doubt = next(b for b in window.banners._shown() if "more columns than rows" in b.text)
    doubt.cross.click()
    assert pair.step.state == "done"
    # The next: the columns' scales, by the command that their message offers.
    scale = step(window, "scale")
    assert words(window)[1].startswith("2  z-score")
    scale.setFocus()
    QTest.keyClick(scale, KEY.Key_Space)
    assert window.document.data.preprocess == ("zscore",)
    assert scale.step.state == "done"


def test_check_and_validate_open_their_pages(window, rest):
    window.bottom.fold(True)
    QTest.mouseClick(step(window, "check"), LEFT)
    assert not window.bottom.folded
    assert window.bottom.current is window.bottom.pages["tune"]
    QTest.mouseClick(step(window, "validate"), LEFT)
    assert window.bottom.current is window.bottom.pages["validate"]
    rest(window)


def test_name_saves_the_selection_and_has_its_name_typed_wherever_the_right_side_is(window, rest, messages):
    window.docks.toggle_points()
    QTest.mouseClick(step(window, "name"), LEFT)
    assert messages.texts() == [
        "Drag round the points of your finding in any panel; then give them a name."
    ]  # an offer, no error: nobody has done anything wrong
    window.docks.toggle_points()
    window.editor.select(range(5))
    QTest.mouseClick(step(window, "name"), LEFT)
    assert window.points.isVisible()
    assert len(window.document.state.selections.named) == 1
    assert step(window, "name").step.state == "done"
    rest(window)


def test_export_asks_for_a_picture(window):
    QTest.mouseClick(step(window, "export"), LEFT)
    (dialog,) = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
    assert isinstance(dialog, PictureDialog)
    dialog.close()


# The list of all messages -------------------------------------------------------------------------------------------


@pytest.fixture
def several(window, messages):
    messages.show_message("info", "Saved a.png.", more=[("Show in folder", lambda: None)])
    messages.show_message("info", "There is no label to score by.", more=LABELS[:2])
    messages.show_message("warning", LONG, more=[("z-score", lambda: None)])
    QApplication.processEvents()
    return messages


def open_by(way: str, banners) -> None:
    first = banners._shown()[0]
    if way == "2 more":
        QTest.mouseClick(first.others, LEFT)
    elif way == "its words":
        QTest.mouseClick(first.words, LEFT)
    else:
        first.others.setFocus()
        QTest.keyClick(first.others, KEY.Key_Space)


@pytest.mark.parametrize("way", ["2 more", "its words", "a key"])
def test_every_message_in_the_list_has_its_sentence_beside_its_own_buttons(window, several, way):
    open_by(way, several)
    QApplication.processEvents()
    shown = several._shown()
    assert [banner.isVisible() for banner in shown] == [True] * 3
    for banner in shown:
        assert banner.words.isVisible()
        assert [b.isVisible() for b in banner.buttons] == [True] * len(banner.buttons)
        assert banner.text.split(".")[0] in banner.words.text()
        for button in banner.buttons:
            assert banner.isAncestorOf(button)
    centre = window.docks.messages.parentWidget()
    assert window.docks.messages.geometry().bottom() <= centre.rect().bottom()


def test_one_message_shows_no_button_of_another(several):
    buttons = [b for b in several.findChildren(QPushButton) if b.isVisible()]
    assert [b.text() for b in buttons] == ["z-score"]
    assert several._shown()[0].others.text() == "2 more"


def test_escape_and_a_press_elsewhere_close_the_list_and_do_nothing_else(window, several):
    window.editor.select([1, 2])
    open_by("2 more", several)
    QTest.keyClick(QApplication.focusWidget(), KEY.Key_Escape)
    assert not several.listed
    assert window.document.state.selection == (1, 2)
    open_by("2 more", several)
    QTest.mousePress(window.side, LEFT, pos=QPoint(5, 5))
    assert not several.listed
    open_by("2 more", several)
    QTest.mouseClick(several._shown()[0].words, LEFT)  # within
    assert several.listed
    QTest.mouseClick(several._shown()[0].others, LEFT)  # Show one line
    assert not several.listed
    assert several._shown()[0].isVisible()
    QTest.keyClick(window, KEY.Key_Escape)
    assert window.document.state.selection == ()


def test_a_single_message_has_its_whole_height_in_the_list(window, rest, messages):
    window.resize(1280, 720)
    rest(window)
    messages.show_message("info", LONG, "Undo takes it back.")
    rest(window)
    QTest.mouseClick(messages._shown()[0].words, LEFT)
    rest(window)
    banner, sheet = messages._shown()[0], window.docks.messages
    needed = banner.words.heightForWidth(banner.words.width())
    assert needed > 3 * banner.words.fontMetrics().height()  # it has several lines
    assert banner.words.height() >= needed
    assert sheet.verticalScrollBar().maximum() == 0
    assert sheet.rect().contains(QRect(banner.cross.mapTo(sheet, QPoint()), banner.cross.size()))


def test_the_list_in_a_low_window_scrolls(window, rest, several):
    window.resize(1280, 500)
    for k in range(6):
        several.show_message("info", f"{k} {LONG}", more=LABELS)
    open_by("2 more", several)
    rest(window)
    sheet = window.docks.messages
    assert sheet.geometry().bottom() <= sheet.parentWidget().rect().bottom()
    assert sheet.verticalScrollBar().maximum() > 0


def test_a_step_that_is_done_and_leads_nowhere_tells_how_it_stands(window, rest, messages):
    scale = step(window, "scale")
    assert (scale.step.state, scale.step.leads) == ("done", "")
    QTest.mouseClick(scale, LEFT)
    assert messages.texts() == ["No ticked view has columns whose scales differ more than 1000-fold as it is used."]


# Whose message it is ------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_sentence_of_a_sample_goes_while_the_gallery_is_open_and_with_its_data(window, rest, qtbot):
    window.library.open_source(("helix-a",))
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE_MS)
    rest(window)
    (sentence,) = window.banners.texts()
    pair = step(window, "pair")
    assert pair.step.leads == ""  # there are no files to be read otherwise
    before = places(window)
    window.gallery.show()
    assert window.banners.texts() == []
    assert not window.step_strip.isVisible()
    window.gallery.leave()
    assert window.banners.texts() == [sentence]
    assert places(window) == before
    show_data(window, small_data(30), 3)
    assert window.banners.texts() == []
    rest(window)


def test_messages_stand_above_the_start_page(make_window):
    window = make_window()
    QApplication.processEvents()
    assert window.start is not None
    assert not window.step_strip.isVisible()
    banner = window.banners.show_message("error", "bad.csv was not read.", "Choose another.")
    QApplication.processEvents()
    assert isinstance(banner, Banner)
    assert banner.isVisible()
    assert not any(button.isVisible() for button in window.step_strip.buttons)
    bottom = window.docks.messages.mapTo(window, window.docks.messages.rect().bottomLeft()).y()
    assert window.start.mapTo(window, QPoint()).y() > bottom
    banner.dismiss()
    QApplication.processEvents()
    assert not window.step_strip.isVisible()
