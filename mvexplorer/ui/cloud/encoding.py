"""Pictures as the bytes of a PNG or SVG file."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgGenerator


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
