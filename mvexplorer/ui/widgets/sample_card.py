"""The card of one sample."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.pictures.colouring import Colouring, label_title
from mvexplorer.ui.style import formatting as numbers
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, markup

FIELD = 28
"""Most characters of a name or value on the card."""


class SampleCard(QWidget):
    """The id, label, values and picture of one sample."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, parent is not None)
        row = spaced(QHBoxLayout(self), 10, 8, 10, 8, spacing=10)
        self._image = Label()
        self._words = QLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setWordWrap(parent is None)  # the right side has little room
        self._words.setMinimumWidth(40)
        row.addWidget(self._image, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1, Qt.AlignmentFlag.AlignTop)

    def show_sample(self, data: MultiView, index: int, colouring: Colouring | None) -> None:
        """Fill the card."""
        lines = [f"<b>{markup(data.sample_ids[index], FIELD)}</b>"]
        if data.labels is not None:
            lines.append(_line(label_title(data), str(data.labels[index])))
        if colouring is not None and colouring.title != label_title(data) and index < len(colouring.values):
            value = colouring.values[index]
            lines.append(
                _line(colouring.title, colouring.classes[value] if colouring.classes else numbers.number(float(value)))
            )
        shown = {colouring.title if colouring else ""}
        for name, values in [*data.latent.items(), *data.columns.items()][:5]:
            if name not in shown and f"{name} (true)" not in shown:
                value = values[index]
                lines.append(
                    _line(name, numbers.number(float(value)) if isinstance(value, np.floating) else str(value))
                )
        self._words.setText("<br>".join(lines))
        self._image.setVisible(data.images is not None)
        if data.images is not None:
            self._image.setPixmap(image_thumbnail(data.images[index], 64))
        self.adjustSize()


def _line(name: str, text: str) -> str:
    """A name and a value; names come from files and are escaped."""
    return f"<span style='color:{theme.current().muted}'>{markup(name, FIELD)}</span> {markup(text, FIELD)}"


def image_thumbnail(image: npt.NDArray[np.uint8], side: int) -> QPixmap:
    """A sample's picture, enlarged without smoothing so that its pixels can be seen."""
    formats = {2: QImage.Format.Format_Grayscale8}
    kind = formats.get(image.ndim) or (
        QImage.Format.Format_RGB888 if image.shape[2] == 3 else QImage.Format.Format_RGBA8888
    )
    solid = np.ascontiguousarray(image)
    drawn = QImage(solid.data, solid.shape[1], solid.shape[0], solid.strides[0], kind).copy()
    wide = max(side, side * drawn.width() // max(1, drawn.height()))
    return QPixmap.fromImage(
        drawn.scaled(wide, side, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.FastTransformation)
    )
