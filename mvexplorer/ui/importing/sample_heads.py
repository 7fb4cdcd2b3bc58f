"""The heads of the first samples: view and feature, each cut to what tells it apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QStyle, QStyleOptionHeader

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.shortening import SEPARATOR, told_apart
from mvexplorer.ui.widgets.text_table import TextTable

WIDE = 168
"""Pixels of a column at the usual type: a view and a feature fit once they are cut."""


def cut_head(head: str, heads: Sequence[str], room: float, width: Callable[[str], float]) -> str:
    """Cut a head where there is no room: its feature to what tells it from those of its view, and its view likewise."""
    view, between, feature = head.partition(SEPARATOR)
    if width(head) <= room or not between:
        return head
    split = [each.partition(SEPARATOR) for each in heads]
    views = list(dict.fromkeys(of for of, dot, _ in split if dot))
    features = [name for of, dot, name in split if dot and of == view]
    free, tried = room - width(between), []
    for share in (0.5, 0.4, 0.6, 0.3, 0.7):  # of the feature, until neither loses its middle
        name = told_apart(feature, features, features.index(feature) + 1, max(share * free, free - width(view)), width)
        of = told_apart(view, views, views.index(view) + 1, free - width(name), width)
        tried.append(f"{of}{between}{name}")
        if "…" not in f"{of.strip('…')}{name.strip('…')}":
            return tried[-1]
    return tried[0]


class SampleHeads(QHeaderView):
    """Takes the place of a table's heads."""

    def __init__(self, table: TextTable) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        former = table.horizontalHeader()
        self._texts = table.texts
        self.setHighlightSections(False)
        self.setTextElideMode(former.textElideMode())
        self.setMinimumSectionSize(former.minimumSectionSize())
        self.setDefaultAlignment(former.defaultAlignment())
        self.setDefaultSectionSize(theme.px(WIDE))

    def shown(self, section: int) -> str:
        """The words of a head as they are drawn."""
        margin = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMargin, None, self)
        names = [line(head, 4 * LINE) for head in self._texts.heads]
        room = self.sectionSize(section) - 4 * margin
        return cut_head(names[section], names, room, self.fontMetrics().horizontalAdvance)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        if section < len(self._texts.heads):
            option.text = self.shown(section)
