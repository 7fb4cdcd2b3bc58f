"""Lessons in the window: from the list to the last step by the hand and by keys, and what leaving gives back."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import KEY
from hand import Hand
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.state.session.settings import read_settings
from mvexplorer.teaching.catalogue import all_lessons, find_lesson
from mvexplorer.teaching.run import Measured
from mvexplorer.ui.app import begin_lessons
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.gallery import beside
from mvexplorer.ui.lessons.outline import Outline
from mvexplorer.ui.lessons.words import value_words
from mvexplorer.ui.window import help_page


@pytest.fixture
def settled(rest, qtbot):
    """Waits until the step of a lesson is on show, and measured."""

    def wait(window):
        rest(window)
        qtbot.waitUntil(lambda: window.lessons.idle, timeout=PATIENCE_MS)
        rest(window)

    return wait


def begun(window, settled, id, place=0):
    window.lessons.begin(id)
    settled(window)
    for _ in range(place):
        window.lessons.forward()
        settled(window)
    return window.lessons.column


def frame_of(window):
    """The outline on show, as the place that it surrounds."""
    (outline,) = window.lessons.column.findChildren(Outline)
    return outline.frame


def test_the_ring_of_the_third_lesson_is_closed_in_six_actions(make_window, settled):
    window = make_window((1280, 720))
    begin_lessons(window)
    settled(window)
    hand, lessons = Hand(window), window.docks.lessons
    hand.click(lessons.cards[2])
    settled(window)
    hand.press("Next")
    settled(window)
    hand.press("Next")
    settled(window)
    column = window.lessons.column
    assert column.ask.text() == "Change the method of the third panel from kernel product to kernel sum."
    assert not window.lessons.run.solved
    hand.click(window.grid.panels[window.document.state.panels[2].id].header.title)
    hand.menu(window.menuBar(), "Kernel sum")
    settled(window)
    assert window.lessons.run.solved
    assert column.bar.measured.value < 0.5
    assert len(hand.actions) <= 6, hand.actions


def test_a_lesson_is_done_by_keys_alone(make_window, settled, qtbot):
    window = make_window((1280, 720))

    hand = Hand(window)
    hand.key("Ctrl+K")
    QTest.keyClicks(QApplication.activePopupWidget().search, "Lessons")
    QTest.keyClick(QApplication.activePopupWidget().search, KEY.Key_Return)
    hand.key("Return")
    settled(window)
    steps = find_lesson("bandwidth").steps
    column = window.lessons.column
    for place, step in enumerate(steps):
        assert window.lessons.run.place == place
        assert column.has_keys
        if step.ask:
            for _ in range(2):
                hand.key("Shift+Tab")
            assert QApplication.focusWidget() is column.show_me
            hand.key("Space")
            settled(window)
            assert window.lessons.run.solved
            hand.key("Ctrl+4")
        hand.key("Return")
        settled(window)
    assert window.docks.lessons.isVisible()
    assert window.settings.lessons_done == ("bandwidth",)
    assert QApplication.focusWidget() is window.docks.lessons.cards[1]
    assert "✓ done" in window.docks.lessons.cards[0].accessibleName()


def test_the_window_begins_in_the_lesson_that_is_named(make_window, settled):
    window = make_window((1280, 720))
    begin_lessons(window, "jade")
    settled(window)
    assert window.lessons.run.lesson.id == "jade"
    assert window.lessons.column.has_keys
    assert window.docks.lessons is None
    window.lessons.leave()
    settled(window)
    assert window.start.isVisible()


def test_pictures_lie_on_the_axes_that_a_lesson_speaks_of(make_window, settled):
    window = make_window((1280, 720))
    begun(window, settled, "bandwidth", 2)
    panel = window.document.state.panels[1].id
    for scale in (2.0, 7.0, 20.0, 49.0):
        window.editor.set_scale(scale)
        settled(window)
    result = window.workbench.controller.result(panel)
    axis, radius = result.drawing.points[:, 0], window.document.data.latent["r"]
    assert result.drawing.axis_names == ("ψ₁", "ψ₂")
    assert abs(np.corrcoef(np.argsort(np.argsort(axis)), np.argsort(np.argsort(radius)))[0, 1]) > 0.9
    assert not window.bottom.open_page
    window.lessons.leave()
    assert not window.workbench.controller.upright


def test_leaving_gives_back_document_cameras_and_undo(make_window, settled, rest):
    window = make_window((1440, 900))
    show_fresh(window, small_data(), 3)
    rest(window)
    window.editor.set_scale(2.0)
    window.editor.set_dims(window.document.state.panels[0].id, 3)
    rest(window)
    solid, flat = (window.grid.panels[panel.id].canvas for panel in window.document.state.panels[:2])
    turned, shifted = np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 1.5 + np.eye(3))[0], Viewport(0.2, -0.1, 0.5)
    solid.set_camera(Camera(turned))
    flat.set_frame(shifted)
    window.bottom.show_page("agreement")
    window.docks.show_points = False
    window.docks.arrange()
    window.editor.focus(window.document.state.panels[1].id)
    rest(window)
    state, data, steps = window.document.state, window.document.data, window.document.steps
    column = begun(window, settled, "joining-views", 2)
    assert window.document.data is not data
    assert "Lesson" in window.windowTitle()
    window.editor.set_scale(5.0)
    settled(window)
    Hand(window).click(column.cross)
    rest(window)
    assert window.document.state == state
    assert window.document.data is data
    assert window.document.steps == steps
    solid, flat = (window.grid.panels[panel.id].canvas for panel in state.panels[:2])
    assert np.allclose(solid.camera.rotation, turned)
    assert (flat.frame.across, flat.frame.up, flat.frame.size) == pytest.approx((0.2, -0.1, 0.5), abs=1e-6)
    assert window.bottom.open_page == "agreement"
    assert not window.docks.show_points
    assert window.editor.focused == state.panels[1].id
    assert not column.isVisible()
    assert "Lesson" not in window.windowTitle()
    assert window.step_strip.isVisible()
    window.document.undo()
    window.document.undo()
    assert window.document.state.epsilon_scale == 1.0


def test_leaving_gives_back_what_was_computed(make_window, settled, rest, qtbot):
    window = make_window((1440, 900))
    show_fresh(window, small_data(), 3)
    window.bottom.show_page("validate")
    rest(window)
    bench, panels = window.workbench, window.document.state.panels
    panel = next(each.id for each in panels if each.method != "single")
    bench.checks.null_test(panel, n=3)
    bench.checks.stability(panel, n=3)
    bench.sweeper.start((0.5, 1.0, 2.0))
    bench.additions.ask(panel)
    bench.common.ask(panel)
    qtbot.waitUntil(lambda: bench.controller.wait_idle(0) and not bench.sweeper.running, timeout=PATIENCE_MS)
    rest(window)
    qtbot.waitUntil(lambda: not bench.checks.of(panel).running, timeout=PATIENCE_MS)
    footer = window.grid.panels[panel].chance.text(), window.grid.panels[panel].moves.text()
    pictures = {id: result.result for id, result in bench.controller.results.items()}
    tests, curves, added = bench.checks.of(panel), bench.sweeper.curves, bench.additions.of(panel)
    shared, record = bench.common.of(panel), bench.controller.result(panel).checks
    found = (*footer, tests.null, tests.stability, curves, added.without, added.correlations, shared, record)
    assert all(found), found
    begun(window, settled, "joining-views", 2)
    assert not bench.checks.of(panel).null
    assert not bench.sweeper.curves
    window.lessons.show_me()
    settled(window)
    window.lessons.leave()
    assert {id: result.result for id, result in bench.controller.results.items()} == pictures  # at once
    rest(window)
    assert all(bench.controller.results[id].result is picture for id, picture in pictures.items())
    again = bench.checks.of(panel)
    assert again.present
    assert (again.done, again.total, again.stability) == (tests.done, tests.total, tests.stability)
    assert {view: band.p for view, band in again.null.items()} == {view: band.p for view, band in tests.null.items()}
    assert (window.grid.panels[panel].chance.text(), window.grid.panels[panel].moves.text()) == footer
    assert bench.sweeper.curves is curves
    assert bench.additions.of(panel).without == added.without
    assert not bench.additions.of(panel).outdated
    assert bench.common.of(panel) is shared
    assert bench.controller.result(panel).checks == record


def test_colours_by_the_pointer_end_with_the_lesson(make_window, settled, rest):
    window = make_window((1280, 720))
    show_fresh(window, small_data(), 2)
    rest(window)
    begun(window, settled, "bandwidth")
    walk = window.behaviour.sleepwalk
    walk.toggle()
    assert walk.on
    window.lessons.leave()
    rest(window)
    assert not walk.on
    assert walk.hint.isHidden()


def test_a_wrong_act_is_told_its_reason_and_can_be_tried_again(make_window, settled):
    window = make_window((1280, 720))
    column = begun(window, settled, "joining-views", 2)
    step = window.lessons.run.step
    assert column.bar.measured.value == pytest.approx(2.363, abs=0.01)
    assert not column.reason.isVisible()
    window.editor.set_scale(8.0)
    settled(window)
    assert column.reason.isVisible()
    assert column.reason.text() == step.wrong[1].reason
    assert column.next.property("role") != "primary"
    hand = Hand(window)
    hand.press("Try again")
    settled(window)
    assert window.document.state.epsilon_scale == 1.0
    assert not column.reason.isVisible()


def test_a_prediction_is_asked_for_and_looked_back_at(make_window, settled):
    window = make_window((1280, 720))
    column = begun(window, settled, "joining-views", 1)
    question = "Which of the two can close a ring that each camera tears at another place?"
    assert question in column.prose.text()
    assert column.think.text().startswith("Settle on one answer before you press Next")
    window.lessons.forward()
    settled(window)
    assert not column.think.isVisible()
    window.lessons.forward()
    settled(window)
    assert column.think.isVisible()
    assert column.think.text() == f"Look back at your prediction: {question}"
    assert question in column.accessibleDescription()


def test_show_me_moves_the_slider_before_the_eyes_and_reaches_the_bar(make_window, settled, qtbot):
    window = make_window((1280, 720), animate=True)
    column = begun(window, settled, "bandwidth", 2)
    seen = []
    window.document.changed.connect(lambda change: seen.append(window.side.master.value))
    Hand(window).press("Show me")
    assert window.document.state.epsilon_scale < 2.0
    settled(window)
    scales = [value for i, value in enumerate(seen) if i and value != seen[i - 1]]
    assert len(scales) > 5
    assert scales == sorted(scales)
    assert window.document.state.epsilon_scale == 49.0
    assert column.next.property("role") == "primary"
    window.document.undo()
    assert window.document.state.epsilon_scale == 1.0


def test_a_hand_takes_over_from_show_me(make_window, settled, qtbot):
    window = make_window((1280, 720), animate=True)
    begun(window, settled, "bandwidth", 2)
    window.lessons.show_me()
    qtbot.waitUntil(lambda: window.document.state.epsilon_scale > 1.0, timeout=PATIENCE_MS)
    window.editor.set_scale(3.0)
    settled(window)
    assert window.document.state.epsilon_scale == 3.0


def test_show_me_jumps_where_nothing_is_animated(make_window, settled):
    window = make_window((1280, 720))
    begun(window, settled, "bandwidth", 2)
    window.lessons.show_me()
    assert window.document.state.epsilon_scale == 49.0


@pytest.mark.parametrize("kept", [{"bandwidth": 99}, {"bandwidth": 6, "no-such-lesson": 3}])
def test_a_bad_place_in_the_settings_is_no_crash(make_window, settled, kept):
    window = make_window((1280, 720), lesson_steps=kept, lessons_done=("nothing", "bandwidth"))
    window.lessons.show_list()
    window.docks.lessons.cards[0].click()
    settled(window)
    assert window.lessons.run.place == len(find_lesson("bandwidth").steps) - 1
    assert window.lessons.column.remember.isVisible()


LONG = ("uneven-views", "more-views", "agreement", "rules")
"""Lessons on many samples, or in many views."""


@pytest.mark.parametrize(
    "id",
    [pytest.param(each.id, marks=[pytest.mark.nightly] if each.id in LONG else []) for each in all_lessons()],
)
def test_every_step_points_to_what_can_be_seen(make_window, settled, id):
    window = make_window((1440, 900))
    begun(window, settled, id)
    lesson = find_lesson(id)
    for place, step in enumerate(lesson.steps):
        assert window.lessons.run.place == place
        frame = frame_of(window) if step.point else None
        assert (frame is not None and frame.isVisible()) == bool(step.point), (place, step.point)
        if place + 1 < len(lesson.steps):
            window.lessons.forward()
            settled(window)


def test_the_outline_moves_nothing_and_takes_no_clicks(make_window, settled):
    window = make_window((1280, 720))
    begun(window, settled, "bandwidth", 2)
    frame, row = frame_of(window), window.side.master.parentWidget()
    assert frame.parent() is row.parent()
    assert frame.geometry().contains(row.geometry().center())
    before = row.geometry(), window.side.master.geometry()
    window.lessons.forward()
    settled(window)
    assert (row.geometry(), window.side.master.geometry()) == before
    window.lessons.backward()
    settled(window)
    middle = window.side.master.mapTo(window, window.side.master.rect().center())
    assert window.childAt(middle) is window.side.master


def test_nothing_moves_in_the_column_when_the_bar_is_reached(make_window, settled):
    window = make_window((1280, 720))
    column = begun(window, settled, "joining-views", 2)
    buttons = column.next, column.back, column.retry, column.show_me, column.bar
    before = [button.mapTo(window, QPoint()) for button in buttons]
    window.lessons.show_me()
    settled(window)
    assert [button.mapTo(window, QPoint()) for button in buttons] == before


def test_a_lesson_goes_on_in_a_presentation_at_talk_size(make_window, settled, qtbot):
    window = make_window((1280, 720))
    column = begun(window, settled, "bandwidth", 2)
    usual = column.prose.fontMetrics().height()
    window.behaviour.present(True)
    settled(window)
    assert column.isVisible()
    assert column.prose.fontMetrics().height() > usual
    assert column.width() <= 0.4 * window.width()
    assert frame_of(window).parent() is window.strip.sliders["ε ×"].parent()
    assert window.lessons.give_back_keys() == (QApplication.focusWidget() is not None)
    window.behaviour.present(False)
    settled(window)
    assert column.isVisible()


def test_escape_gives_the_keys_back_and_the_lesson_stays(make_window, settled):
    window = make_window((1280, 720))
    column = begun(window, settled, "bandwidth")
    assert column.has_keys
    QTest.keyClick(column.next, KEY.Key_Escape)
    assert not column.has_keys
    assert column.isVisible()
    window.lessons.take_keys()
    assert column.has_keys


def test_other_data_end_the_lesson_and_the_users_work_lies_below(make_window, settled, rest, qtbot):
    window = make_window((1280, 720))
    show_fresh(window, small_data(), 2)
    rest(window)
    own = window.document.state
    begun(window, settled, "bandwidth", 1)
    window.library.open_source(("helix-a",))
    qtbot.waitUntil(lambda: window.document.state.source == ("helix-a",), timeout=PATIENCE_MS)
    rest(window)
    assert not window.lessons.running
    assert not window.lessons.column.isVisible()
    window.document.undo()
    assert window.document.state == own


def test_a_lesson_is_never_saved_over_the_users_work(make_window, settled, rest, tmp_path):
    window = make_window((1280, 720), keep=True)
    show_fresh(window, small_data(), 2)
    rest(window)
    path = tmp_path / "mine.mvx.json"
    assert window.library.write(path)
    before = path.read_bytes()
    begun(window, settled, "bandwidth", 2)
    window.editor.set_scale(2.0)
    settled(window)
    assert window.library.autosave.paused
    assert not window.actions_table.actions["Save session"].isEnabled()
    QTest.keyClick(window, KEY.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert path.read_bytes() == before
    window.lessons.leave()
    rest(window)
    assert not window.library.autosave.paused
    assert window.actions_table.actions["Save session"].isEnabled()
    stored, _ = read_settings()
    assert stored.lesson_steps["bandwidth"] == 2


def test_own_work_is_offered_again_after_a_lesson_was_cut_off(make_window, settled, rest, tmp_path):
    path = tmp_path / "own.csv"
    np.savetxt(path, np.random.default_rng(0).normal(size=(24, 3)), delimiter=",", header="a,b,c", comments="")
    window = make_window((1280, 720), keep=True)
    window.library.open_source((str(path),))
    rest(window)
    window.lessons.begin("bandwidth")
    window.editor.set_scale(3.0)  # while the lesson's data are still read
    own = window.document.state
    settled(window)
    window.lessons.forward()
    window.editor.set_scale(7.0)
    settled(window)
    window.discard()  # nothing is written at such an end
    again = make_window((1280, 720), keep=True)
    (tile,) = again.start.work.tiles
    Hand(again).click(tile)
    rest(again)
    assert again.document.state == own
    assert again.document.data.n_samples == 24


@pytest.mark.parametrize(
    ("id", "value", "words"),
    [("bandwidth", 13.0, "13"), ("joining-views", 2.363, "2.36"), ("joining-views", None, "–")],
)
def test_pieces_are_counted_and_other_bars_are_numbers(id, value, words):
    assert value_words(Measured(find_lesson(id).steps[2].check, value, fresh=True)) == words


def test_every_lesson_is_found_by_its_title(make_window, settled):
    window = make_window((1280, 720))
    QTest.keyClick(window, KEY.Key_K, Qt.KeyboardModifier.ControlModifier)
    search = QApplication.activePopupWidget().search
    QTest.keyClicks(search, "Lesson: JADE")
    QTest.keyClick(search, KEY.Key_Return)
    settled(window)
    assert window.lessons.run.lesson.id == "jade"


def test_the_start_page_shows_lessons_and_marks_those_that_are_done(make_window, settled, rest):
    window = make_window((1280, 720), lessons_done=("bandwidth",), lesson_steps={"rules": 3})
    rest(window)
    tiles = window.start.lessons.tiles
    assert tiles[0].words.head == find_lesson("rules").title
    assert tiles[-1].words.head == find_lesson("bandwidth").title
    assert tiles[-1].picture.glyph == "circle-check"
    assert "left at step 4 of 7" in tiles[0].accessibleName()
    hand = Hand(window)
    hand.click(tiles[0])
    settled(window)
    assert window.lessons.run.place == 3
    window.lessons.leave()
    rest(window)
    assert window.start.isVisible()
    assert window.document.data is None


def test_the_words_of_a_lesson_are_shown_without_their_marks(make_window, settled):
    window = make_window((1280, 720))
    column = begun(window, settled, "bandwidth", 1)
    assert "*" not in column.prose.text()
    assert ">isolated<" in column.prose.text()
    assert "is isolated:" in column.accessibleDescription()
    assert all("Remember" not in label.text() or not label.isVisible() for label in column.findChildren(QLabel))


def test_a_page_of_help_leads_to_the_lesson_that_teaches_it(make_window, settled):
    window = make_window((1280, 720))
    for id in (*help_page.LESSON_OF.values(), *beside.LESSON_OF.values()):
        assert find_lesson(id).id == id
    window.behaviour.show_help("validation")
    (dialog,) = window.findChildren(QDialog)
    (button,) = (b for b in dialog.findChildren(QPushButton) if b.text() == "Lesson: A picture of noise")
    button.click()
    settled(window)
    assert not dialog.isVisible()
    assert window.lessons.run.lesson.id == "noise"


def test_a_figure_leads_to_its_lesson_and_comes_back(make_window, settled, rest, qtbot):
    window = make_window((1440, 900))
    window.gallery.open("lindenbaum2015-fig9")
    qtbot.waitUntil(lambda: bool(window.document.state.experiment), timeout=PATIENCE_MS)
    rest(window)
    button = window.gallery.beside.lesson
    assert button.text().startswith("Lesson: Sum, product, multi-view")
    button.click()
    settled(window)
    assert window.lessons.run.lesson.id == "joining-views"
    assert not window.gallery.beside.isVisible()
    window.lessons.leave()
    rest(window)
    assert window.document.state.experiment == "lindenbaum2015-fig9"
    assert window.gallery.beside.isVisible()
