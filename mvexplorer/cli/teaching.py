"""The command that opens and lists lessons, checks what they say, and writes them as pages."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from mvexplorer.cli.inputs import check_folder
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import print_json, print_table, progress_line, say
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.teaching.catalogue import all_lessons, find_lesson
from mvexplorer.teaching.checking import CheckedLesson, check_lesson
from mvexplorer.teaching.lesson import Lesson
from mvexplorer.teaching.paging import paged
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.ui.runtime.platform_check import use_platform
from mvexplorer.wording import in_words, one_line


def list_lessons(options: argparse.Namespace) -> int:
    """Open the list of lessons in the window; without a display print it, as a table or JSON."""
    if options.json:
        print_json([lesson.as_dict() for lesson in all_lessons()])
        return 0
    return _open_window(all_lessons())


def open_lesson(options: argparse.Namespace) -> int:
    """Open the window in one lesson; without a display print its line of the list."""
    lesson = find_lesson(options.id)
    return _open_window([lesson], lesson.id)


def _open_window(listed: Sequence[Lesson], id: str = "") -> int:
    if use_platform():
        with interrupts_wait():
            from mvexplorer.ui.app import run_lessons

        return run_lessons(id)
    print_table([(one.id, f"{one.minutes} min", one.title) for one in listed])
    return 0


def check_lessons(options: argparse.Namespace) -> int:
    """Check lessons, all where none is named; returns 1 where what one says does not hold."""
    chosen, checked = _chosen(options), []
    for place, lesson in enumerate(chosen, 1):
        with progress_line(f"{place} of {len(chosen)}, {lesson.id}") as bar:
            one = check_lesson(lesson, Task(bar))
        checked.append(one)
        if not options.json:
            _say(one)
    if options.json:
        print_json([one.as_dict() for one in checked])
    elif len(checked) > 1:
        say(f"{sum(one.passed for one in checked)} of {len(checked)} lessons hold.")
    return 0 if all(one.passed for one in checked) else 1


def export_lessons(options: argparse.Namespace) -> None:
    """Write lessons as web pages, all where none is named, and a page that lists them; each is whole or not there."""
    chosen = _chosen(options)
    check_folder(options.out)
    qt_offscreen()
    with interrupts_wait():
        from mvexplorer.ui.app import application
        from mvexplorer.ui.export.lesson_page import write_index, write_lesson

        application("light", exported=True)
    folder = Path(options.out)
    with in_words(DataError, f"The folder {folder} cannot be made"):
        folder.mkdir(parents=True, exist_ok=True)
    for place, lesson in enumerate(chosen, 1):
        with progress_line(f"{place} of {len(chosen)}, {lesson.id}") as bar:
            if bar is not None:
                bar(0.0)
            path = write_lesson(paged(lesson, Task(bar)), folder)
        say(f"{one_line(str(path))}: {path.stat().st_size / 1000:.0f} kB")
        index = write_index(folder)
    say(f"{one_line(str(index))}: the list")


def _chosen(options: argparse.Namespace) -> list[Lesson]:
    """The lessons that are named, each once; all where none is."""
    return [find_lesson(id) for id in dict.fromkeys(options.ids)] or list(all_lessons())


def _say(one: CheckedLesson) -> None:
    if one.passed:
        say(f"{one.id}: holds")
    for failure in one.failures:
        say(f"{one.id}, step {failure.step}: {failure.sentence}")
