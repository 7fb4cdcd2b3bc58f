"""The picture of a comparison, or a figure of some of its panels, as the window paints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.export.figure_target import TARGETS
from mvexplorer.ui.app import application
from mvexplorer.ui.export.figure_layout import FigureLayout
from mvexplorer.ui.export.figure_sheet import figure_sheet
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.ui.style import theme


@dataclass(frozen=True)
class FigureAsked:
    """A figure of the panels at some places for a target, with the size of its type in pt."""

    target: str
    places: Sequence[int]
    type_size: float | None = None
    letters: bool = False


def paint_comparison(
    finished: ComputedPanels, title: str, out: str, wears: str, figure: FigureAsked | None = None
) -> None:
    """Write the panels as a picture in a theme, or as a figure, by the file's ending."""
    with interrupts_wait():
        application(wears, exported=True)
        if figure is None:
            write_picture(computed_sheet(finished, title), out)
        else:
            _figure(finished, title, figure).write(out)


def _figure(finished: ComputedPanels, title: str, asked: FigureAsked) -> FigureLayout:
    with theme.worn(theme.PRINT):
        sheet = figure_sheet(computed_sheet(finished, title), asked.places, letters=asked.letters, overlays=())
    return FigureLayout(sheet, TARGETS[asked.target], asked.type_size, letters=asked.letters)
