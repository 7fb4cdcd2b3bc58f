"""The words of the column and of the list of lessons."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from typing import TYPE_CHECKING

from mvexplorer.engine.methods import get_method
from mvexplorer.teaching.lesson import PANEL_AT, Check, Lesson
from mvexplorer.wording import counted, number

if TYPE_CHECKING:  # the start page needs the lengths alone
    from mvexplorer.teaching.run import Measured


SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
EMPHASIS = re.compile(r"\*([^*]+)\*")


def as_markup(text: str) -> str:
    """The words of a lesson as markup, with what their file puts between asterisks in bold."""
    return EMPHASIS.sub(r"<span style='font-weight: 600'>\1</span>", escape(text))


def as_read(text: str) -> str:
    """The words of a lesson as they are read aloud."""
    return EMPHASIS.sub(r"\1", text)


def about_words(check: Check) -> str:
    """The panels that a bar is about, by their methods or places, or its view."""
    return " and ".join(map(_named, check.of)) if check.bar != "regime" else check.of[0]


def _named(panel: str) -> str:
    method, _, view = panel.partition(":")
    return panel if PANEL_AT.fullmatch(panel) else view or get_method(method).title


def value_words(measured: Measured) -> str:
    """A bar's value as it is written; a dash where there is none."""
    value = measured.value
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:.0f}" if measured.check.bar == "pieces" else number(value)


def state_words(measured: Measured) -> str:
    """Whether the bar is reached."""
    if measured.met:
        return "✓ reached"
    if not measured.fresh:
        return "no value yet" if measured.value is None else "being measured"
    return "not yet"


def spoken_words(measured: Measured) -> str:
    """The bar in one sentence, for screen readers."""
    title, about = measured.words.title, about_words(measured.check)
    value = value_words(measured) if measured.value is not None else "not measured yet"
    return f"{title} of {about}: {value}; asked for {measured.check.target}: {state_words(measured).lstrip('✓ ')}."


def question_before(lesson: Lesson, place: int) -> str:
    """The questions that a *Why* answers: those of the *Predict* before it, since the last *Why*; else empty."""
    if lesson.steps[place].kind != "Why":
        return ""
    for step in reversed(lesson.steps[:place]):
        if step.kind == "Why":
            break
        if step.kind == "Predict":
            return " ".join(sentence for sentence in SENTENCE_END.split(step.prose) if sentence.endswith("?"))
    return ""


def place_words(lesson: Lesson, place: int) -> str:
    """Where in a lesson a step is."""
    return f"Step {place + 1} of {len(lesson.steps)}"


def length_words(lesson: Lesson, left: int, done: Collection[str]) -> str:
    """How long a lesson takes, and how far the learner has come; `left` is the step at which it was left."""
    length = f"{lesson.minutes} minutes"
    if left:
        return f"{length} · left at step {left + 1} of {len(lesson.steps)}"
    return f"✓ done · {length}" if lesson.id in done else f"{length} · {counted(len(lesson.steps), 'step')}"
