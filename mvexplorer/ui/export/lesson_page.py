"""A lesson as one HTML page, which needs nothing else: its steps beside its pictures, in which ε is live.

What the page says of a lesson is in it as JSON only, and its script shows it as text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_title
from mvexplorer.teaching.acts import panel_named
from mvexplorer.teaching.bars import WORDS, Value
from mvexplorer.teaching.catalogue import all_lessons
from mvexplorer.teaching.lesson import PANEL_AT, Check, Lesson
from mvexplorer.teaching.paging import PagedLesson, PagedOffer, PagedScene
from mvexplorer.ui.export.web_page import (
    ENDING,
    PageScene,
    WebPage,
    Words,
    make_page,
    page_html,
    with_live,
)
from mvexplorer.ui.export.web_template import filled, source_hash, style_of, template
from mvexplorer.version import __version__
from mvexplorer.wording import counted
from mvexplorer.writing import writing

INDEX = f"index{ENDING}"
LARGE = 400_000
"""Bytes above which a page shows no pictures of samples beside the pointer."""
IN_THE_WINDOW = re.compile(r"Validate|File → Export")
"""Words for what only the program has."""


def write_lesson(lesson: PagedLesson, folder: Path) -> Path:
    """Write a lesson's page into a folder; DataError where that fails."""
    path = folder / f"{lesson.lesson.id}{ENDING}"
    payload = lesson_html(lesson).encode()
    with writing(path) as file:
        file.write(payload)
    return path


def write_index(folder: Path) -> Path:
    """Write the page that lists all lessons, with links to those in the folder."""
    there = {lesson.id for lesson in all_lessons() if (folder / f"{lesson.id}{ENDING}").is_file()}
    payload = index_html(all_lessons(), there).encode()
    with writing(folder / INDEX) as file:
        file.write(payload)
    return folder / INDEX


def index_html(lessons: Sequence[Lesson], there: set[str]) -> str:
    """The list of lessons as text; `there` are the ids of those that can be followed."""
    style = style_of("lessons.css")
    entries = "\n".join(_entry(lesson, lesson.id in there) for lesson in lessons)
    parts = {
        "program": escape(f"mvexplorer {__version__}"),
        "style": style,
        "style_hash": source_hash(style),
        "lessons": entries,
    }
    return filled(template("lessons.html"), parts)


def _entry(lesson: Lesson, there: bool) -> str:
    title = escape(lesson.title)
    name = f'<a href="{escape(lesson.id)}{ENDING}">{title}</a>' if there else f"<span>{title}</span>"
    facts = f"{lesson.minutes} min" if there else f"{lesson.minutes} min, not in this folder"
    return f"<li><h2>{name}</h2><p>{escape(lesson.idea)}</p><p class=muted>{facts}</p></li>"


def lesson_html(lesson: PagedLesson) -> str:
    """The whole page as text."""
    pages = [_page(lesson, scene) for scene in lesson.scenes]
    others = [
        PageScene(*(page.words | {"name": "", "note": ""}, page.points, page.colouring, (), None)) for page in pages
    ]
    first = replace(pages[0], snapshots=tuple(others[1:]))
    if any(scene.computed.data is not lesson.scenes[0].computed.data for scene in lesson.scenes):
        first = replace(first, images=None, fields=())  # those of the first data would stand beside the others
    text = page_html(with_live(first, lesson.live), _words(lesson))
    if first.images is None or len(text.encode()) <= LARGE:
        return text
    return page_html(with_live(replace(first, images=None), lesson.live), _words(lesson))


def _page(lesson: PagedLesson, scene: PagedScene) -> WebPage:
    """A scene as a page of its own, whose panels are called as the lesson's pictures."""
    one = scene.computed
    page = make_page(one.state, one.data, one.results.__getitem__, lesson.lesson.title, one.colouring, {})
    panels = [words | {"id": id} for words, id in zip(page.words["panels"], scene.panels, strict=True)]
    return replace(page, words=page.words | {"panels": panels})


# What the page says ----------------------------------------------------------------------------------------------


def _words(lesson: PagedLesson) -> Words:
    """The lesson as the page's script reads it."""
    return {
        "idea": lesson.lesson.idea,
        "minutes": lesson.lesson.minutes,
        "command": f"mvexplorer lessons {lesson.lesson.id}",
        "steps": [_step_words(lesson, number) for number in range(len(lesson.steps))],
    }


def _step_words(lesson: PagedLesson, number: int) -> Words:
    paged = lesson.steps[number]
    step, doing = paged.step, lesson.steps[paged.doing] if paged.doing >= 0 else None
    state = lesson.scenes[paged.scene].computed.state
    reads = doing is not None and doing.check is not None and (doing.check.bar != "p" or doing is paged)
    return {
        "kind": step.kind,
        "prose": step.prose,
        "ask": step.ask,
        "scene": paged.scene,
        "at": round(paged.place, 2),
        "keeps": step.stage == type(step.stage)(),
        "bar": _bar_words(doing.check, state) if reads and doing and doing.check else None,
        "doing": paged.doing,
        "places": list(paged.places),
        "offers": [_offer_words(offer) for offer in paged.offers],
        "reasons": [wrong.reason for wrong in step.wrong],
        "slider": step.point == "epsilon_scale",
        "notes": _notes(lesson, number),
    }


def _bar_words(check: Check, state: DocumentState) -> Words:
    words = WORDS[check.bar]
    return {
        "id": check.bar,
        "title": words.title,
        "about": f"of {check.view or ' and '.join(_about(name, state) for name in check.of)}",
        "meaning": words.meaning,
        "low": words.low,
        "high": round(words.high, 4),
        "least": check.at_least,
        "most": check.at_most,
        "is": check.equals,
    }


def _about(name: str, state: DocumentState) -> str:
    """A panel by its title, or the view or the place as the lesson names it."""
    panel = None if PANEL_AT.fullmatch(name) or state.find_view(name) else panel_named(state, name)
    return name if panel is None else panel_title(state, panel)


def _offer_words(offer: PagedOffer) -> Words:
    return {
        "words": offer.words,
        "scene": offer.scene,
        "values": [_short(value) for value in offer.values],
        "reasons": [list(each) for each in offer.reasons],
    }


def _short(value: Value) -> Value:
    """A value with more digits than are shown; None where there is none."""
    if isinstance(value, str) or value is None:
        return value
    return round(value, 4) if math.isfinite(value) else None


def _notes(lesson: PagedLesson, number: int) -> list[str]:
    """The things of a step that a page does not have, each in a sentence."""
    paged, notes = lesson.steps[number], list[str]()
    sample = lesson.lesson.sample
    if number == 0 and any(name.endswith(".csv") for name in sample):
        notes.append(
            f"A page opens no files: the {counted(len(sample), 'table')} were read by the program when this page was "
            "written."
        )
    if paged.step.check is not None and paged.step.check.bar == "p":
        notes.append("A page runs no test: these were run when this page was written, at the ε of this step.")
    elif len(paged.offers) > 1:
        notes.append("These were computed when this page was written; the program has all other settings as well.")
    if IN_THE_WINDOW.search(paged.step.prose):
        notes.append("The menus and tests named here are those of the program.")
    return notes
