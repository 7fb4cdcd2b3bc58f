"""Titles and texts of the columns of samples, cut to what tells them apart where there is no room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mvexplorer.state.samples.columns import IDS, SampleColumn
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.shortening import MANY, common_ends, told_apart, told_by_ends, told_in_two


def cut_title(columns: Sequence[SampleColumn], place: int, room: float, width: Callable[[str], float]) -> str:
    """The title of a column in this room, in pixels: a feature and its view are each told from the others."""
    kind = columns[place].source.partition(":")[0]
    alike = [column for column in columns if column.source.partition(":")[0] == kind]
    pairs = [_owned(column) for column in alike]
    (owner, name), between = _owned(columns[place]), ", "
    title = f"{name}{between}{owner}" if owner else name
    if width(title) <= room:
        return title
    owners = {of for of, _ in pairs}
    if len(owners) > 1 and "" not in owners:
        owner, name = told_in_two((owner, name), pairs, room - width(between), width)
        return f"{name}{between}{owner}"
    titles = [line(column.title, 4 * LINE) for column in alike]
    return told_apart(title, titles, alike.index(columns[place]) + 1, room, width)


def _owned(column: SampleColumn) -> tuple[str, str]:
    """The view or panel that a column is of, and its name without it; no owner where the title names none."""
    owner = column.group.partition(" of ")[2]
    name = column.title.removesuffix(f", {owner}")
    owner = owner if name != column.title else ""
    return line(owner, 2 * LINE), line(name, 2 * LINE)


class CutTexts:
    """Cuts the texts of a column that do not fit, each once for a width: of a million names that takes its time."""

    def __init__(self, column: SampleColumn) -> None:
        self.column = column
        self._names: tuple[str, ...] | None = None
        self._ends = 0, 0
        self._cut: dict[tuple[str, int], str] = {}

    def cut(self, text: str, sample: int, room: int, width: Callable[[str], float]) -> str:
        """A sample's text in this room, in pixels, told from all others of its column."""
        if (text, room) not in self._cut:
            self._cut[text, room] = self._told(text, sample, room, width)
        return self._cut[text, room]

    def _told(self, text: str, sample: int, room: int, width: Callable[[str], float]) -> str:
        if self._names is None:
            self._names = self.column.names
            self._ends = common_ends(self._names) if len(self._names) > MANY else (0, 0)
        names = self._names
        if len(names) > MANY:
            number = sample if self.column.source == IDS else names.index(text) if text in names else 0
            return told_by_ends(text, self._ends, number + 1, room, width)
        names = tuple(line(name, 4 * LINE) for name in names)
        return told_apart(text, names, names.index(text) + 1 if text in names else 1, room, width)
