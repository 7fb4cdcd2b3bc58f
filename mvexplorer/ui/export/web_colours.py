"""The colourings of a web page: which a reader can choose from, and each as the page's script reads it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import (
    Colouring,
    as_in_whole,
    colour_by_selections,
    colour_sources,
    in_one,
    resolve_colouring,
)
from mvexplorer.ui.export.web_template import THEMES
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style.palettes import (
    CLASSES,
    PLAIN,
    REST,
    colours_of,
    markers_of,
    scale_colours,
    scale_kind,
    scale_limits,
    scale_places,
)

Words = dict[str, Any]
Rows = npt.NDArray[np.intp]

Maker = Callable[[], Colouring | None]

MOST_COLOURINGS = 12
MOST_BYTES = 2_000_000
"""Most bytes that the colourings beside the present one add to a page."""


def own_colourings(state: DocumentState, data: MultiView, selections: bool) -> list[Maker]:
    """Functions that make the colourings beside the present one: there can be far more than are used."""

    def of(source: str) -> Colouring | None:
        colouring = as_in_whole(resolve_colouring(source, data, {}), state.whole_classes)
        names_samples = colouring is not None and 2 < data.n_samples == len(colouring.classes)
        return None if names_samples else colouring

    of_data: list[Maker] = [partial(of, source) for source, _ in colour_sources(data) if source != state.colour]
    if not (selections and state.selections.named):
        return of_data
    return [partial(colour_by_selections, state.selections, data.n_samples), *of_data]


def menu_of(present: Colouring | None, makers: Sequence[Maker], n_shown: int) -> tuple[list[Colouring], int]:
    """The colourings to choose from beside the present one, and how many do not fit."""
    menu: list[Colouring] = []
    left, room = 0, MOST_BYTES
    for place, make in enumerate(makers):
        if len(menu) == MOST_COLOURINGS - 1:
            left += len(makers) - place
            break
        colouring = in_one(make())
        if colouring is None or any(same_colours(colouring, each) for each in (present, *menu)):
            continue
        size = _bytes(colouring, n_shown)
        if size > room:
            left += 1
            continue
        menu.append(colouring)
        room -= size
    return menu, left


def same_colours(one: Colouring | None, other: Colouring | None) -> bool:
    """Whether two colourings show the same."""
    if one is None or other is None:
        return one is other
    same_words = (one.title, one.classes, one.colours) == (other.title, other.classes, other.colours)
    return same_words and np.array_equal(one.values, other.values, equal_nan=not one.classes)


def _bytes(colouring: Colouring, n_shown: int) -> int:
    """About how much a colouring adds to a page: two bytes a sample for its colour, four for a number, as base64."""
    each = 2 if colouring.classes else 2 + 4
    return n_shown * each * 4 // 3 + sum(len(name) + 30 for name in colouring.classes)


def palette_words(colouring: Colouring | None, rows: Rows) -> Words:
    """The colour of every sample as a place in a palette, what the legend says, and numbers as they are."""
    words: Words = {"title": "", "classes": [], "counts": [], "forms": [0]}
    if colouring is None:
        palettes = {theme.name: [_hex(PLAIN[theme.name])] for theme in THEMES}
        return words | {"palettes": palettes, "codes": encoded(np.zeros(len(rows)), "<u2")}
    words["title"] = colouring.title
    if not colouring.classes:
        kind = scale_kind(colouring)
        palettes = {theme.name: [*map(_hex, scale_colours(kind, theme.name).tolist())] for theme in THEMES}
        ends = ["0", "2π"] if colouring.cyclic else [numbers.number(end) for end in scale_limits(colouring)]
        values = encoded(colouring.values[rows], "<f4")
        shades = encoded(scale_places(colouring)[rows], "<u2")
        return words | {"palettes": palettes, "ends": ends, "codes": shades, "values": values}
    classes, codes = _classes(colouring, rows)
    places = np.unique(colouring.values[rows])
    return words | {
        "palettes": {t.name: [*map(_hex, colours_of(colouring, t.name)[places].tolist())] for t in THEMES},
        "forms": markers_of(colouring)[places].tolist(),
        "classes": classes,
        "counts": np.bincount(codes, minlength=len(classes)).tolist(),
        "codes": encoded(codes, "<u2"),
    }


def field_words(colouring: Colouring, rows: Rows) -> Words:
    """A value of every sample, or its class."""
    if not colouring.classes:
        return {"title": colouring.title, "values": encoded(colouring.values[rows], "<f4")}
    classes, codes = _classes(colouring, rows)
    return {"title": colouring.title, "classes": classes, "values": encoded(codes, "<u2")}


def selection_colour(place: int) -> dict[str, str]:
    """The colour of a named selection in each theme."""
    return {theme.name: CLASSES[theme.name][place] for theme in THEMES}


def rest_colours() -> dict[str, str]:
    """The grey of all other points in each theme."""
    return {theme.name: _hex(REST[theme.name]) for theme in THEMES}


def encoded(values: npt.ArrayLike, kind: str) -> str:
    """An array as base64."""
    return b64encode(np.ascontiguousarray(values, dtype=kind).tobytes()).decode()


def _classes(colouring: Colouring, rows: Rows) -> tuple[list[str], Rows]:
    """The classes that these samples have, in their order, and the samples' places among them."""
    present, codes = np.unique(colouring.values[rows], return_inverse=True)
    return [colouring.classes[k] for k in present.tolist()], codes


def _hex(rgb: tuple[int, int, int] | list[int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*rgb)
