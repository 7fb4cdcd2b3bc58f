"""The lessons that come with the program, in the order in which they are taught."""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import Any

from mvexplorer.errors import ParameterError
from mvexplorer.resources import resource
from mvexplorer.teaching.lesson import Lesson
from mvexplorer.teaching.reading import LessonError, read_lesson


@cache
def all_lessons() -> tuple[Lesson, ...]:
    """Every lesson, by the order of its files' names."""
    return lessons_in(resource("lessons"))


def lessons_in(folder: Path) -> tuple[Lesson, ...]:
    """The lessons of a folder; LessonError where a file is none, or two have one id."""
    each = tuple(read_lesson(path) for path in sorted(folder.glob("*.md")))
    ids = [lesson.id for lesson in each]
    for id in ids:
        if ids.count(id) > 1:
            raise LessonError(f"Two lessons have the id “{id}”.", "Give each an id of its own.")
    return each


def find_lesson(id: str) -> Lesson:
    """The lesson with this id; ParameterError with the nearest id where there is none."""
    by_id = {lesson.id: lesson for lesson in all_lessons()}
    if id not in by_id:
        near = difflib.get_close_matches(id, by_id, n=1, cutoff=0.4)
        hint = f"Do you mean {near[0]}?" if near else "See: mvexplorer lessons --json"
        raise ParameterError(f"There is no lesson called “{id}”.", hint)
    return by_id[id]


def lessons() -> tuple[dict[str, Any], ...]:
    """The lessons that come with the program.

    Returns
    -------
    tuple of dict
        Each with `id`, `title`, `minutes`, and the number of its `steps`.

    Examples
    --------
    >>> [lesson["id"] for lesson in mvx.lessons()][:3]
    ['bandwidth', 'rules', 'joining-views']
    """
    return tuple(lesson.as_dict() for lesson in all_lessons())
