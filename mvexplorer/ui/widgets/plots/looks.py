"""The looks of curves that stand in one plot: colours, lines and markers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt

from mvexplorer.ui.style.palettes import CURVES


@dataclass(frozen=True)
class CurveLook:
    """The look of one of several curves: colour, line, marker as pyqtgraph calls it, and that marker as a character."""

    color: str
    style: Qt.PenStyle
    symbol: str
    glyph: str


def curve_look(index: int) -> CurveLook:
    """The look of the curve at a place: twelve colours, six markers; further ones are dashed, then dotted."""
    symbols = (("o", "●"), ("s", "■"), ("t1", "▲"), ("d", "◆"), ("t", "▼"), ("star", "★"))
    symbol, glyph = symbols[index % len(symbols)]
    styles = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
    return CurveLook(CURVES[index % len(CURVES)], styles[index // len(CURVES) % len(styles)], symbol, glyph)
