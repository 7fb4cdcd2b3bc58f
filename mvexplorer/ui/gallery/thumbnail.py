"""The small pictures of the gallery, which come with the program: one for either theme."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap

from mvexplorer.resources import resource
from mvexplorer.ui.style import theme

FOLDER = "gallery"


def experiment_thumbnail(id: str, size: QSize, ratio: float) -> QPixmap:
    """An experiment's picture within `size`, for a screen of `ratio` dots per pixel; empty where there is none."""
    ending = "-dark" if theme.current().name == "dark" else ""
    image = QImage(str(resource(FOLDER, f"{id}{ending}.png")))
    if image.isNull():
        return QPixmap()
    how = Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
    pixmap = QPixmap.fromImage(image.scaled(size * ratio, *how))
    pixmap.setDevicePixelRatio(ratio)
    return pixmap
