"""Pictures as PNG, SVG and PDF files, with a record of what they show and how it was computed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize, QSizeF
from PySide6.QtGui import QFontMetricsF, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from mvexplorer.errors import DataError
from mvexplorer.ui.style import theme
from mvexplorer.version import __version__
from mvexplorer.writing import writing

UNITS = 96
"""Units of a picture to the inch, where it has none of its own."""
KEY = "mvexplorer"
"""The text of a PNG that holds the record, as JSON; an SVG has it as description, a PDF as an attached file."""
Record = Mapping[str, Any]
Paint = Callable[[QPainter], None]


def png(image: QImage, title: str = "", record: Record | None = None) -> bytes:
    """An image as a PNG file, with its title and record as texts."""
    if record is not None:
        image.setText("Software", f"mvexplorer {__version__}")
        image.setText("Description", title)
        image.setText(KEY, json.dumps(record))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs ask for bytes, older versions for text
    return bytes(buffer.data().data())


def svg(title: str, size: QSize, paint: Paint, record: Record | None = None, units: int = UNITS) -> bytes:
    """Paint an SVG file of that size, with so many units to the inch."""
    store = QByteArray()
    buffer = QBuffer(store)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(
        units
    )  # by default a unit is a pixel of the web, so that a browser, Inkscape and our PNG have one size
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    generator.setDescription("" if record is None else json.dumps(record))
    painter = QPainter(generator)
    paint(painter)
    painter.end()
    return _RUN.sub(_held, bytes(store.data()).decode()).encode()


_RUN = re.compile(r'(<text [^>]*)font-family="([^"]*)" font-size="([\d.]+)" font-weight="(\d+)"([^>]*)>([^<]+)</text>')
"""A run of text: Qt writes a line as several, each at the place where our font has it."""


def _held(run: re.Match[str]) -> str:
    """Write a run that has the same width in any other font, so that it does not reach into the next one."""
    before, family, size, weight, after, text = run.groups()
    bold_from = 600  # the weight in an SVG from which on a font is our bold one
    font = theme.font(round(float(size)), bold=int(weight) >= bold_from, family=family)
    width = QFontMetricsF(font).horizontalAdvance(unescape(text))
    fonts = f'font-family="{family}, Helvetica, Arial, sans-serif" font-size="{size}" font-weight="{weight}"'
    return f'{before}{fonts} textLength="{width:.3f}" lengthAdjust="spacingAndGlyphs"{after}>{text}</text>'


def pdf(title: str, size: QSize, paint: Paint, record: Record | None = None, units: int = UNITS) -> bytes:
    """Paint a PDF file of one page of that size, with as many units to the inch as in the other formats."""
    store = QByteArray()
    buffer = QBuffer(store)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(units)
    page = QSizeF(size) / units
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Inch, title, QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF())
    writer.setTitle(title)
    writer.setCreator(f"mvexplorer {__version__}")
    if record is not None:
        writer.addFileAttachment("mvexplorer.json", QByteArray(json.dumps(record).encode()), "application/json")
    painter = QPainter(writer)
    paint(painter)
    painter.end()
    buffer.close()
    content = bytes(store.data())
    return content if units == UNITS else _MEDIA_BOX.sub(partial(_exact, 72.0 * page.width()), content)


_MEDIA_BOX = re.compile(rb"(/MediaBox \[0 0 )([\d.]+)")
"""The size of a page, whose width Qt rounds to points."""


def _exact(points: float, box: re.Match[bytes]) -> bytes:
    """Write the width of a page in as many letters: all that follows in the file keeps its place."""
    start, width = box.groups()
    return start + f"{points:.6f}".encode()[: len(width)].ljust(len(width))


def write_painted(
    path: Path,
    what: str,
    title: str,
    size: QSize,
    paint: Paint,
    scale: float = 2.0,
    record: Record | None = None,
    dpi: float | None = None,
    units: int = UNITS,
) -> None:
    """Write what `paint` draws as PNG (at `scale` pixels per unit), SVG or PDF, by the ending; `what` is its kind."""
    ending = path.suffix.lower()
    if ending not in (".png", ".svg", ".pdf"):
        raise DataError(f"{what} cannot be written as “{path.suffix}”.", "End the file's name in .png, .svg or .pdf.")
    payload = painted_bytes(ending, title, size, paint, scale, record, dpi, units)
    with writing(path) as file:
        file.write(payload)


def painted_bytes(
    ending: str,
    title: str,
    size: QSize,
    paint: Paint,
    scale: float,
    record: Record | None,
    dpi: float | None = None,
    units: int = UNITS,
) -> bytes:
    """The file of that ending that `write_painted` writes."""
    if ending == ".png":
        # A figure keeps its width, not the rounding of its pixels.
        exact = units * scale if units == UNITS else round(size.width() * scale) / size.width() * units
        return png(painted_image(size, scale, paint, dpi or exact), title, record)
    return (svg if ending == ".svg" else pdf)(title, size, paint, record, units)


def painted_image(size: QSize, scale: float, paint: Paint, dpi: float) -> QImage:
    """Paint an image at `scale` pixels per unit, of which `dpi` are an inch."""
    image = QImage(size * scale, QImage.Format.Format_ARGB32)
    image.setDotsPerMeterX(round(dpi / 0.0254))
    image.setDotsPerMeterY(round(dpi / 0.0254))
    image.setDevicePixelRatio(scale)
    image.fill(theme.current().color("window"))
    painter = QPainter(image)
    try:
        paint(painter)
    finally:
        painter.end()  # Qt forbids destroying an image during painting
    return image
