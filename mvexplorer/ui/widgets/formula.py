"""Formulas as they are printed."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer


def lowered(formula: str) -> str:
    """A formula of one line as HTML, what it marks by signs of a program as raised or lowered letters."""
    html = re.sub(r"_(?:\{(.*?)\}|(ij|[A-Za-z]))", lambda m: f"<sub>{m[1] or m[2]}</sub>", escape(formula))
    return re.sub(r"\^(-?\S)", r"<sup>\1</sup>", html)


def typeset(drawing: Path, colour: str, widest: float, ratio: float) -> QImage:
    """A formula that was drawn in black as a transparent image in a colour, made smaller beyond the width `widest`.

    That is in pixels of the window, of which each is `ratio` pixels of the screen.
    """
    renderer = QSvgRenderer(str(drawing))
    overhang = 1.0  # how far a slanted letter may reach out of the box that is stated for its line, in pixels
    box = renderer.viewBoxF().adjusted(-overhang, -overhang, overhang, overhang)
    renderer.setViewBox(box)
    size = box.size()
    if size.width() > widest:
        size *= widest / size.width()
    image = QImage((size * ratio).toSize(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(image.rect(), QColor(colour))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image
