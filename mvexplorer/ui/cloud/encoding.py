"""Pictures as PNG and SVG files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from mvexplorer.errors import DataError
from mvexplorer.ui.style import theme
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def png(image: QImage) -> bytes:
    """An image as a PNG file."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs ask for bytes, older versions for text
    return bytes(buffer.data().data())


def svg(title: str, size: QSize, paint: Callable[[QPainter], None]) -> bytes:
    """What `paint` draws, as an SVG file."""
    store = QByteArray()
    buffer = QBuffer(store)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setTitle(title)
    painter = QPainter(generator)
    paint(painter)
    painter.end()
    return bytes(store.data())


def write_painted(
    path: Path, what: str, title: str, size: QSize, paint: Callable[[QPainter], None], scale: float = 2.0
) -> None:
    """Write what `paint` draws as PNG (at `scale` pixels per unit) or SVG, by the file's ending; `what` is its kind."""
    ending = path.suffix.lower()
    if ending not in (".png", ".svg"):
        raise DataError(f"{what} cannot be written as “{path.suffix}”.", "End the file's name in .png or .svg.")
    payload = svg(title, size, paint) if ending == ".svg" else png(_image(size, scale, paint))
    with writing(path) as file:
        file.write(payload)


def _image(size: QSize, scale: float, paint: Callable[[QPainter], None]) -> QImage:
    image = QImage(size * scale, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(scale)
    image.fill(theme.current().color("window"))
    painter = QPainter(image)
    try:
        paint(painter)
    finally:
        painter.end()  # Qt forbids destroying an image during painting
    return image
