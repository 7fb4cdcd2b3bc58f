"""Lesson files: what they say, in few words; and what is refused, in a sentence that names the place."""

import re
from dataclasses import replace

import field_tables
import pytest

from mvexplorer.engine.core.task import Task
from mvexplorer.resources import resource
from mvexplorer.teaching.catalogue import all_lessons, find_lesson, lessons_in
from mvexplorer.teaching.lesson import MOST_WORDS, Check, LessonAct
from mvexplorer.teaching.offers import step_offers
from mvexplorer.teaching.reading import LessonError, read_lesson
from mvexplorer.teaching.staging import open_source

LESSON = """+++
id = "closing"
title = "Closing a ring"
minutes = 5
idea = "One line."
sample = "helix-a"
+++

## What you see

A ring that is torn.

```toml
set = { methods = ["kernel-product"], epsilon = 0.36, eta = 0.5, place = "tune" }
```

## Predict

Will it close?

## Do

Close it.

```toml
point = "method"
ask = "Change the method."
check = { bar = "largest_gap", of = "panel 1", at_most = 0.5 }
solution = [{ method = "kernel-sum", of = "panel 1" }]
wrong = [
  { do = [{ set = "epsilon_scale", to = 10.0 }], reason = "Too far." },
  { do = [{ untick = "view2" }], reason = "One view is torn." },
]
```

## Why

It closed.
"""


def read(tmp_path, text):
    path = tmp_path / "01-closing.md"
    path.write_text(text, encoding="utf-8")
    return read_lesson(path)


def test_a_lesson_is_read(tmp_path):
    lesson = read(tmp_path, LESSON)
    assert (lesson.id, lesson.minutes, lesson.sample, len(lesson.steps)) == ("closing", 5, ("helix-a",), 4)
    first, _, do, _ = lesson.steps
    assert first.stage.methods == ("kernel-product",)
    assert first.stage.acts == (LessonAct("epsilon", 0.36), LessonAct("eta", 0.5))
    assert first.stage.place == "tune"
    assert do.check == Check("largest_gap", ("panel 1",), at_most=0.5)
    assert do.solution == (LessonAct("method", "kernel-sum", "panel 1"),)
    assert [wrong.reason for wrong in do.wrong] == ["Too far.", "One view is torn."]
    assert do.wrong[1].acts == (LessonAct("view:view2", False),)


@pytest.mark.parametrize(
    ("there", "instead", "sentence"),
    [
        ("minutes = 5", 'minutes = "long"', "the facts at the top, minutes: 'long' is no number of minutes."),
        ('idea = "One line."\n', "", "the facts at the top, idea: it is missing."),
        ("minutes = 5", "minutes = 5\nlevel = 1", "the facts at the top, level: it is not known."),
        ("## Predict", "## Guess", "step 2, heading: “Guess” is no kind of step."),
        ("Will it close?", "It will close.", "step 2 (Predict), words: nothing is asked."),
        ("A ring that is torn.", "torn " * 61, "step 1 (What you see), words: there are 61."),
        ("kernel-product", "kernel-prod", "step 1 (What you see), set.methods: “kernel-prod” is no method."),
        ('point = "method"', 'point = "menu"', "step 3 (Do), point: “menu” is nothing that can be pointed to."),
        ("eta = 0.5", "eta = 1.5", "step 1 (What you see), set.eta: Within-view weight (η) cannot be 1.5"),
        ("eta = 0.5", "ets = 0.5", "step 1 (What you see), set.ets: it is not known."),
        ('place = "tune"', 'place = "help"', "step 1 (What you see), set.place: “help” is no place."),
        ('bar = "largest_gap"', 'bar = "gap"', "step 3 (Do), check.bar: “gap” is no bar."),
        ("at_most = 0.5", 'is = "local"', "step 3 (Do), check: largest_gap has is."),
        ("at_most = 0.5", "at_most = true", "step 3 (Do), check.at_most: True is no number."),
        ('bar = "largest_gap"', 'bar = "agreement"', "step 3 (Do), check.of: it names 1."),
        ('ask = "Change the method."\n', "", "step 3 (Do), ask: it is missing."),
        ('{ untick = "view2" }', '{ drop = "view2" }', "step 3 (Do), wrong.do: a command lacks its verb."),
        ('set = "epsilon_scale", to', 'set = "epsilon_scale", at', "step 3 (Do), wrong.do.at: it is not known."),
        ('set = "epsilon_scale"', 'set = "width"', "step 3 (Do), wrong.do.set: “width” is no control."),
        ('  { do = [{ untick = "view2" }], reason = "One view is torn." },\n', "", "step 3 (Do), wrong: it has 1 act."),
        ('point = "method"\n', 'point = "method\n', "step 3 (Do): the block is no TOML: "),
        ("## Why\n\nIt closed.\n", "", "the order of steps: the lesson has no Do, or does not end with Why."),
        ("## Predict\n\nWill it close?\n", "", "step 2, heading: Do follows What you see."),
    ],
)
def test_what_is_no_lesson_is_refused_with_its_place_and_what_is_allowed(tmp_path, there, instead, sentence):
    assert there in LESSON
    with pytest.raises(LessonError) as refused:
        read(tmp_path, LESSON.replace(there, instead, 1))
    assert refused.value.message.startswith(f"01-closing.md, {sentence}")
    assert refused.value.hint.startswith("Allowed: ")


def test_two_lessons_of_one_id_are_refused(tmp_path):
    for name in ("01-a.md", "02-b.md"):
        (tmp_path / name).write_text(LESSON, encoding="utf-8")
    with pytest.raises(LessonError, match="Two lessons have the id “closing”"):
        lessons_in(tmp_path)


def test_all_lessons_are_short_and_end_with_one_line_to_remember():
    for lesson in all_lessons():
        assert 5 <= lesson.minutes <= 8
        assert len(lesson.idea.split()) <= 25
        assert "\n" not in lesson.idea
        assert all(len(step.prose.split()) <= MOST_WORDS for step in lesson.steps)
        assert all(len(step.ask.split()) <= 20 for step in lesson.steps)
        assert all(len(wrong.reason.split()) <= 40 for step in lesson.steps for wrong in step.wrong)
        assert find_lesson(lesson.id) is lesson


def test_lessons_hold_no_paths_and_ask_nothing_of_a_network():
    for path in resource("lessons").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"https?:|/home|/work|\\\\", text), path.name


def test_the_tables_of_a_lesson_are_those_that_are_made():
    for file, text in field_tables.tables().items():
        assert resource("lessons", file).read_text("utf-8") == text


def test_no_two_offers_of_a_step_have_the_same_words():
    lesson = find_lesson("uneven-views")
    opened = open_source(("make_circles(n_samples=30)",), Task())
    step = replace(lesson.steps[5], wrong=())
    words = [offer.words for offer in step_offers(step, opened.state, opened.data)]
    assert words == ["Steps that stay: as usual", "Steps that stay: no"]
