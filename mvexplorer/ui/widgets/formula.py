"""Formulas as they are printed."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer


def lowered(formula: str) -> str:
    """A formula of one line as HTML, what it marks by signs of a program as raised or lowered letters."""
    html = re.sub(r"_(?:\{(.*?)\}|(ij|[A-Za-z]))", lambda m: f"<sub>{m[1] or m[2]}</sub>", escape(formula))
    return re.sub(r"\^(-?\S)", r"<sup>\1</sup>", html)


def typeset(latex: str, colour: str, pixels: float, widest: float, ratio: float) -> QImage:
    """Typeset a line of LaTeX as a transparent image, in type `pixels` high, made smaller beyond the width `widest`.

    Both are in pixels of the window, of which each is `ratio` pixels of the screen.
    """
    from ziamath.config import config
    from ziamath.zmath import Latex

    # Qt draws SVG Tiny, which has no <symbol>: every glyph has to be written out where it stands.
    former, config.svg2 = config.svg2, False
    try:
        svg = Latex(latex, size=pixels, color=colour).svg()
    finally:
        config.svg2 = former
    renderer = QSvgRenderer(QByteArray(svg.encode()))
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
    painter.end()
    image.setDevicePixelRatio(ratio)
    return image
