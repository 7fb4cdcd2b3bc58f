"""The panels of a comparison as a picture where there is no Qt: a grid with titles, scores, legend and caption."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.export.captions import document_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.ui.cloud.picture import Camera, point_radius
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.export.plain.ink import INKS, Ink, Spots, fitted, in_lines, text_width
from mvexplorer.ui.export.web_colours import palette_words
from mvexplorer.ui.export.web_page import WebPage, make_page
from mvexplorer.ui.style.palettes import REST, point_colours, point_markers
from mvexplorer.ui.style.roles import DARK, LIGHT, Roles
from mvexplorer.wording import line, with_arrows
from mvexplorer.writing import writing

WIDTH, BODY, TITLE = 400, 294, 36
"""Width of a tile, and heights of its picture and of its title."""
MARGIN, PAD = 24, 14
ROOM = WIDTH - 12 - 2 * PAD
"""Width of words in a tile."""
SMALL, USUAL = 11, 12
"""Sizes of type: of details, and of words."""
LINE_HEIGHT, LEGEND = 15, 20
"""From line to line, and in the legend."""
BAR = 160
"""Width of a scale."""


def write_plain(finished: ComputedPanels, title: str, path: Path, theme: str) -> None:
    """Write the panels of a comparison as PNG or SVG, by the file's ending, in the light or the dark theme."""
    state, data, result = finished.state, finished.data, finished.results.__getitem__
    page = make_page(state, data, result, title, finished.colouring, {})
    record = document_record(state, data, title, result, page.colouring)
    record["caption"] = document_caption(record)
    sheet = _PlainSheet(page, record["caption"], DARK if theme == DARK.name else LIGHT)
    ink = INKS[path.suffix.lower()](sheet.width, sheet.height, sheet.roles.window)
    sheet.draw(ink)
    with writing(path) as file:
        file.write(ink.payload(title, record))


class _Word(NamedTuple):
    """An entry of the legend: its class's place, None for the title and for the ends of a scale."""

    text: str
    place: int | None
    x: float
    y: float


class _PlainSheet:
    """Where everything stands: each height follows from the words."""

    def __init__(self, page: WebPage, caption: str, roles: Roles) -> None:
        self.roles, self._page = roles, page
        self._panels: list[dict[str, Any]] = page.words["panels"]
        self._columns = max(1, ceil(sqrt(len(self._panels))))
        self.width = self._columns * WIDTH + 2 * MARGIN
        room = self.width - 2 * (MARGIN + 6)
        self._subtitle = in_lines(line(page.words["subtitle"], 1_000), USUAL, room)
        self._warnings = [
            [text for warning in panel["warnings"] for text in in_lines(f"⚠ {line(warning, 140)}", SMALL, ROOM)]
            for panel in self._panels
        ]
        self._scores = [_flow([_score_width(score) for score in panel["scores"]], ROOM, 14) for panel in self._panels]
        self._lowest = LINE_HEIGHT * max((row + 1 for places in self._scores for _, row in places), default=0)
        most = max(map(len, self._warnings), default=0)
        self._tile = TITLE + BODY + 13 + self._lowest + LINE_HEIGHT * most + 24
        self._key = palette_words(page.colouring, np.arange(len(page.ids)))
        self._legend = _legend(self._key, room)
        self._caption = in_lines(caption, USUAL, room)
        self._head = 74 + LINE_HEIGHT * (len(self._subtitle) - 1)
        self._below = self._head + ceil(len(self._panels) / self._columns) * self._tile + 8
        self._last = self._below + (self._legend[-1].y + LEGEND if self._legend else 0)
        self.height = ceil(self._last + (LINE_HEIGHT + 2) * len(self._caption) + MARGIN)

    def draw(self, ink: Ink) -> None:
        """Draw the whole."""
        left = MARGIN + 6
        large = 21  # size of the title
        title = fitted(line(self._page.words["title"], 200), large, self.width - 2 * left, bold=True)
        ink.words(left, 34, title, large, self.roles.text, bold=True)
        self._lines(ink, left, 56, self._subtitle, USUAL, LINE_HEIGHT, self.roles.muted)
        look = self._look()
        for i in range(len(self._panels)):
            x = MARGIN + (i % self._columns) * WIDTH + 6
            y = self._head + (i // self._columns) * self._tile + 6
            ink.box(x, y, WIDTH - 12, self._tile - 12, self.roles.surface, self.roles.hairline)
            self._draw_tile(ink, x, y, i, look)
            foot = y + TITLE + BODY + 13 + self._lowest + LINE_HEIGHT - 4
            self._lines(ink, x + PAD, foot, self._warnings[i], SMALL, LINE_HEIGHT, self.roles.amber)
        self._draw_legend(ink, left)
        self._lines(ink, left, self._last + 16, self._caption, USUAL, LINE_HEIGHT + 2, self.roles.text)

    def _lines(
        self, ink: Ink, x: float, y: float, lines: Sequence[str], size: float, height: float, colour: str
    ) -> None:
        for i, words in enumerate(lines):
            ink.words(x, y + i * height, words, size, colour)

    def _look(self) -> PointStyle:
        """The points as the window shows them, with nothing selected."""
        colouring, n, name = self._page.colouring, len(self._page.ids), self.roles.name
        every = np.ones(n, dtype=bool)
        size, opacity = self._page.words["size"], self._page.words["opacity"]
        rgb, markers = point_colours(colouring, n, name), point_markers(colouring, name)
        return PointStyle(rgb, every, ~every, size, opacity, markers, REST[name])

    def _draw_tile(self, ink: Ink, x: float, y: float, i: int, look: PointStyle) -> None:
        panel, points = self._panels[i], self._page.points[i]
        size = 14  # of a panel's title
        title = fitted(line(panel["title"], 200), size, ROOM, bold=True)
        ink.words(x + PAD, y + 25, title, size, self.roles.text, bold=True)
        foot = y + TITLE + BODY
        if points is None:
            problem = in_lines(line(panel["problem"], 400), USUAL, ROOM)
            self._lines(ink, x + PAD, y + TITLE + BODY / 3, problem, USUAL, LINE_HEIGHT, self.roles.red)
            return
        ink.cloud(x + 1, y + TITLE, WIDTH - 14, BODY, _spots(points, look, panel["hollow"]), self.roles.surface)
        axes = fitted("   ".join(with_arrows([*map(line, panel["axes"])], points.shape[1])), SMALL, ROOM)
        ink.box(x + PAD - 3, foot - 14, text_width(axes, SMALL) + 6, 15, self.roles.surface)
        ink.words(x + PAD, foot - 3, axes, SMALL, self.roles.muted)
        for score, (across, row) in zip(panel["scores"], self._scores[i], strict=True):
            bold, colour = score["best"], self.roles.text if score["best"] else self.roles.muted
            words = fitted(line(score["text"]), USUAL, ROOM, bold=bold)
            ink.words(x + PAD + across, foot + 18 + row * LINE_HEIGHT, words, USUAL, colour, bold=bold)

    def _draw_legend(self, ink: Ink, left: float) -> None:
        colours, forms = self._key["palettes"][self.roles.name], self._key["forms"]
        for word in self._legend:
            x, y = left + word.x, self._below + word.y
            if word.place is None:
                ink.words(x, y + 4, word.text, USUAL, self.roles.muted)
                continue
            ink.marker(x + 5, y, 5, colours[word.place], forms[word.place])
            ink.words(x + 15, y + 4, word.text, USUAL, self.roles.text)
        if "ends" in self._key:
            _, low, _ = self._legend
            x, y = left + low.x + text_width(low.text, USUAL) + 8, self._below + low.y - 5
            ink.box(x - 0.5, y - 0.5, BAR + 1, 11, self.roles.surface, self.roles.muted)
            steps = 64  # colours of which it is drawn
            for i, colour in enumerate(colours[:: len(colours) // steps]):
                ink.box(x + i * BAR / steps, y, BAR * (1 - i / steps), 10, colour)


def _legend(key: dict[str, Any], room: float) -> list[_Word]:
    """The title and each class in as many rows as they take; or the two ends of a scale."""
    if not key["title"]:
        return []
    y = 0.5 * LEGEND
    title = fitted(line(key["title"]), USUAL, room / 2)
    x = text_width(title, USUAL) + 18
    words = [_Word(title, None, 0.0, y)]
    if "ends" in key:
        low, high = key["ends"]
        return [*words, _Word(low, None, x, y), _Word(high, None, x + text_width(low, USUAL) + BAR + 16, y)]
    entries: list[tuple[str, int | None]] = [
        (f"{line(name, 32)} ({count:,})", place)
        for place, (name, count) in enumerate(zip(key["classes"], key["counts"], strict=True))
    ]
    most = 200  # classes that are named
    if (more := len(entries) - most) > 0:
        entries = [*entries[:most], (f"and {more:,} more", None)]
    places = _flow([text_width(title, USUAL), *(text_width(text, USUAL) + 15 for text, _ in entries)], room, 18)
    return words + [
        _Word(text, place, across, y + row * LEGEND)
        for (text, place), (across, row) in zip(entries, places[1:], strict=True)
    ]


def _flow(widths: Sequence[float], room: float, gap: float) -> list[tuple[float, int]]:
    """Places of things side by side, in as many rows as they take: how far across, and in which row."""
    places, x, row = list[tuple[float, int]](), 0.0, 0
    for width in widths:
        if x and x + width > room:
            x, row = 0.0, row + 1
        places.append((x, row))
        x += width + gap
    return places


def _score_width(score: dict[str, Any]) -> float:
    return text_width(line(score["text"]), USUAL, bold=score["best"])


def _spots(points: Array, look: PointStyle, hollow: Sequence[int]) -> Spots:
    """The points in a tile's room, as the window's first view has them."""
    flat, nearness = Camera.default().project(points)
    deep = points.shape[1] == 3
    reach = 1.43 if deep else 1.1  # half the side of the frame that a cloud is fitted into
    unit = min(WIDTH - 14, BODY) / (2 * reach)
    middle = 0.5 * (WIDTH - 14), 0.5 * BODY
    xy = np.column_stack([middle[0] + unit * flat[:, 0], middle[1] - unit * flat[:, 1]])
    return Spots(xy, point_radius(look.size, len(xy)) * nearness, look, nearness if deep else None, hollow)
