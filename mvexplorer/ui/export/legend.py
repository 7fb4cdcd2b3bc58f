"""The whole legend on a picture, in as many rows as it takes."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QFont

from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.colour_key import TITLE, KeyEntry, lay_in_rows
from mvexplorer.ui.widgets.plain_text import line


def legend_font() -> QFont:
    """The type of the legend."""
    return theme.font(12, family=theme.bundled_family())


def legend_entries(colouring: Colouring | None, selection: tuple[int, ...], width: float) -> list[KeyEntry]:
    """Place the title and every class in rows of a width; counts are of the selected and of all samples."""
    if colouring is None:
        return []
    codes = colouring.values[list(selection)] if colouring.classes else np.empty(0, dtype=int)
    chosen = np.bincount(codes, minlength=len(colouring.classes)) if selection else None
    texts = [(TITLE, line(colouring.title))]
    longest = 32  # most characters of a class's name
    for i, (name, count) in enumerate(zip(colouring.classes, colouring.counts, strict=True)):
        counted = f"{count:,}" if chosen is None else f"{chosen[i]:,} of {count:,}"
        texts.append((i, f"{line(name, longest)} ({counted})"))
    return lay_in_rows(texts, width, legend_font())
