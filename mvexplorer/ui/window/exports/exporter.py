"""A row of the table of exports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.ui.window.exports.scene import Scene


@dataclass(frozen=True)
class Tables:
    """The form of tables: their ending, .csv or .parquet, and whether texts of CSV are kept from being formulas."""

    suffix: str
    csv_safe: bool = False


@dataclass(frozen=True)
class Exporter:
    """One kind of file that a session can be written to: by the menu, the palette, and `run --export`.

    `ask` asks for the file, and for choices before it; `title` is its name in the menu, and `words` are what the
    palette finds it by. A new one is one file, and one row in `table.py`.
    """

    name: str
    title: str
    ask: Callable[[Scene], None]
    words: str
    into: Callable[[ComputedPanels, Path, Tables], list[Path]] | None = None
    """Writes the files of a session that was computed without a window into a folder; returns their paths."""
    key: str = ""
    of_panels: bool = False
    """Whether there must be panels."""
