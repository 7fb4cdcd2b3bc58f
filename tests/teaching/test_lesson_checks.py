"""Lessons say what is true: each is done right and wrong without a window, and a changed claim fails by its name."""

from dataclasses import replace

import pytest

from mvexplorer.teaching.catalogue import all_lessons, find_lesson
from mvexplorer.teaching.checking import check_lesson
from mvexplorer.teaching.lesson import Check

LONG = {"uneven-views", "more-views", "noise", "agreement", "rules"}
"""Lessons on many samples, or with many shuffles."""
FAST = [lesson.id for lesson in all_lessons() if lesson.id not in LONG]


@pytest.mark.parametrize("id", FAST)
def test_a_lesson_holds(id):
    checked = check_lesson(find_lesson(id))
    assert [failure.sentence for failure in checked.failures] == []


@pytest.mark.nightly
@pytest.mark.parametrize("id", sorted(LONG & {lesson.id for lesson in all_lessons()}))
def test_a_long_lesson_holds(id):
    checked = check_lesson(find_lesson(id))
    assert [failure.sentence for failure in checked.failures] == []


def changed(lesson, number, **changes):
    """A lesson with the step of a number, from 1, changed."""
    steps = list(lesson.steps)
    steps[number - 1] = replace(steps[number - 1], **changes)
    return replace(lesson, steps=tuple(steps))


def test_a_changed_lesson_fails_by_step_and_part():
    lesson = find_lesson("joining-views")
    do = lesson.steps[2]
    easy = changed(lesson, 3, check=replace(do.check, at_most=3.0))
    parts = [(failure.step, failure.part) for failure in check_lesson(easy).failures]
    assert parts == [(3, "start"), (3, "wrong"), (3, "wrong")]
    hard = check_lesson(changed(lesson, 3, check=replace(do.check, at_most=0.01)))
    (failure,) = hard.failures
    assert (failure.step, failure.part) == (3, "solution")
    assert failure.sentence == "its solution does not solve it: largest gap of panel 3 is 0.134, asked for at most 0.01"
    assert hard.as_dict() == {
        "id": "joining-views",
        "start_fails": True,
        "wrong_fail": True,
        "solution_passes": False,
        "claims_hold": True,
    }


def test_a_changed_claim_or_sample_fails():
    lesson = find_lesson("joining-views")
    claims = Check("largest_gap", ("kernel-product",), at_most=1.0)
    assert [f.part for f in check_lesson(changed(lesson, 1, claims=(claims,))).failures] == ["claim"]
    other = check_lesson(replace(lesson, sample=("helix-b",)))
    assert (other.id, other.passed) == ("joining-views", False)


def test_words_that_are_not_yet_true_where_a_slider_first_solves_a_step_fail():
    lesson = find_lesson("common-and-private")
    clear = Check("order", ("alternating",), at_least=0.97)  # so it is at the solution, and not where .9 is reached
    failures = check_lesson(changed(lesson, 10, claims=(clear,))).failures
    assert [(one.step, one.part) for one in failures] == [(10, "claim")]
    assert failures[0].sentence.startswith(
        "as soon as step 9 is solved, what it says does not hold: order of alternating"
    )


def test_an_act_whose_reason_another_act_would_be_given_fails():
    lesson = find_lesson("bandwidth")
    first, second = lesson.steps[2].wrong
    same = (first, replace(second, acts=first.acts))
    assert [f.sentence for f in check_lesson(changed(lesson, 3, wrong=same)).failures] == [
        "wrong act 2 is taken for another one"
    ]
