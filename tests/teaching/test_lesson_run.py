"""A lesson as it is done on a workbench: its place, its bar, its reasons, and the user's document kept meanwhile."""

import pytest
from desk import Desk

from mvexplorer.teaching.catalogue import find_lesson
from mvexplorer.teaching.run import LessonRun


@pytest.fixture
def desk():
    made = Desk(keeps=False)
    yield made
    made.close()


def begin(desk, id, place):
    run = LessonRun(desk.bench)
    run.begin(find_lesson(id), place)
    desk.turn_until(lambda: not run.opening)
    desk.rest()
    return run


def test_a_learner_closes_the_ring(desk):
    run = begin(desk, "joining-views", 2)
    assert run.step.kind == "Do"
    assert [panel.method for panel in desk.document.state.panels] == ["single", "single", "kernel-product"]
    assert run.measured.value == pytest.approx(2.363, abs=0.01)
    assert run.measured.fresh
    assert not run.solved
    assert run.reason == ""
    desk.bench.editor.set_scale(7.0)
    desk.rest()
    assert not run.solved
    assert run.reason == run.step.wrong[1].reason
    run.try_again()
    desk.rest()
    assert desk.document.state.epsilon_scale == 1.0
    desk.bench.editor.set_method("p3", "kernel-sum")
    desk.rest()
    assert run.solved
    assert run.measured.met
    assert run.reason == ""
    run.next()
    desk.rest()
    assert run.step.kind == "Why"
    assert desk.document.state.panels[2].method == "kernel-sum"


def test_show_me_moves_the_slider_as_a_hand_does_and_can_be_undone(desk):
    run = begin(desk, "bandwidth", 2)
    seen = []
    for share in (0.25, 0.5, 1.0):
        run.show_me(share)
        seen.append(desk.document.state.epsilon_scale)
    desk.rest()
    assert seen == pytest.approx([49**0.25, 49**0.5, 49.0])
    assert run.solved
    desk.document.undo()
    assert desk.document.state.epsilon_scale == 1.0


def test_next_solves_what_the_learner_left_open(desk):
    run = begin(desk, "bandwidth", 2)
    run.next()
    desk.rest()
    assert desk.document.state.epsilon_scale == 49.0
    run.back()
    desk.rest()
    assert desk.document.state.epsilon_scale == 1.0


def test_leaving_gives_back_document_data_and_undo(desk):
    desk.library.open_files(("blobs",))
    desk.turn_until(lambda: desk.opened)
    desk.bench.editor.set_scale(2.0)
    desk.rest()
    state, data, steps = desk.document.state, desk.document.data, desk.document.steps
    run = begin(desk, "bandwidth", 0)
    assert desk.document.data is not data
    desk.bench.editor.set_scale(5.0)
    run.next()
    run.leave()
    desk.rest()
    assert desk.document.state == state
    assert desk.document.data is data
    assert desk.document.steps == steps
    assert run.step is None
    assert run.measured is None
    desk.document.undo()
    assert desk.document.state.epsilon_scale == 1.0


def test_the_place_in_a_lesson_is_kept(desk):
    run = begin(desk, "bandwidth", 0)
    run.next()
    run.next()
    run.leave()
    again = LessonRun(desk.bench)
    again.begin(find_lesson("bandwidth"))
    assert again.place == 2


def test_a_lesson_of_a_missing_step_begins_at_its_last(desk):
    run = begin(desk, "bandwidth", 99)
    assert run.place == len(run.lesson.steps) - 1


def test_a_regime_is_a_bar_and_its_wrong_side_is_told(desk):
    run = begin(desk, "bandwidth", 5)
    assert run.measured.value == "local"
    desk.bench.editor.set_scale(1.5)
    desk.rest()
    assert (run.measured.value, run.reason) == ("isolated", run.step.wrong[0].reason)
    desk.bench.editor.set_scale(1.0)
    desk.bench.editor.set_epsilon("spiral", 0.05)  # by the view's own slider, as a number
    desk.rest()
    assert (run.measured.value, run.reason) == ("isolated", run.step.wrong[0].reason)
    desk.bench.editor.set_epsilon("spiral", 60.0)
    desk.rest()
    assert run.measured.value == "wide"
    assert run.solved
    assert run.reason == ""


def test_a_test_of_another_view_is_told_apart_and_show_me_runs_the_right_one(desk):
    run = begin(desk, "tables-to-figure", 5)
    assert run.measured.value is None
    assert run.reason == ""
    desk.bench.editor.set_scale(3.0)
    desk.rest()
    assert run.reason == run.step.wrong[1].reason
    run.try_again()
    desk.bench.checks.null_test("p1", "light", 2)
    desk.rest()
    assert not run.solved
    assert run.reason == run.step.wrong[0].reason
    desk.bench.checks.null_test("p1", "soil", 4)
    desk.rest()
    assert run.measured.value > 0.2
    assert run.solved


def test_another_source_within_a_lesson_is_one_step_of_undo(desk):
    run = begin(desk, "noise", 3)
    data = desk.document.data
    run.next()
    desk.turn_until(lambda: not run.opening)
    assert desk.document.data is not data
    assert desk.document.state.source == ("make_noisy_digits(shuffled=True)",)
    desk.document.undo()
    assert desk.document.data is data
