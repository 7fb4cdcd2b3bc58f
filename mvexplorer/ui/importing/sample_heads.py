"""The heads of the first samples: view and feature, each cut to what tells it apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QResizeEvent

from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line
from mvexplorer.ui.widgets.shortening import SEPARATOR, told_in_two
from mvexplorer.ui.widgets.text_table import TellingHead, TextTable

WIDE = 168
"""Least pixels of a column at the usual type: a view and a feature fit once they are cut."""


def cut_head(head: str, heads: Sequence[str], room: float, width: Callable[[str], float]) -> str:
    """Cut a head where there is no room: its feature to what tells it from those of its view, and its view likewise."""
    view, between, feature = head.partition(SEPARATOR)
    if width(head) <= room or not between:
        return head
    split = [each.partition(SEPARATOR) for each in heads]
    pairs = [(of, name) for of, dot, name in split if dot]
    return between.join(told_in_two((view, feature), pairs, room - width(between), width))


class SampleHeads(TellingHead):
    """Its columns are wider where the table has room for all of them."""

    def __init__(self, table: TextTable) -> None:
        super().__init__(table)
        self.texts.modelReset.connect(self.fit)
        self.fit()

    def cut(self, section: int, room: float, width: Callable[[str], float]) -> str:
        heads = [line(head, 4 * LINE) for head in self.texts.heads]
        return cut_head(heads[section], heads, room, width)

    def fit(self) -> None:
        """Give all columns the same width: no more than the longest head needs."""
        n_heads = len(self.texts.heads)
        longest = max(map(self.whole, range(n_heads)), default=0)
        room = self.viewport().width() // max(1, n_heads)
        self.setDefaultSectionSize(max(theme.px(WIDE), min(longest, room)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
