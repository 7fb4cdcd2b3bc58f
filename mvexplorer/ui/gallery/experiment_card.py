"""One experiment in the gallery: its picture, its title, its source, and its run's outcome."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QPixmap
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout

from mvexplorer.experiments.experiment import Experiment, Verdict
from mvexplorer.resources import resource
from mvexplorer.ui.gallery.words import figure_words, verdict_words
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, tip

WIDTH = 232
PICTURE = QSize(206, 140)


class ExperimentCard(QPushButton):
    """A button of fixed size; the arrow keys go to its neighbours, Return opens it."""

    stepped = Signal(int, int)
    """Columns and rows to the card that is to have the keys."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setAutoDefault(True)  # for Return
        self.setFixedSize(WIDTH, 248)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(tip(experiment.caption))
        self.experiment = experiment
        column = spaced(QVBoxLayout(self), 12, 12, 12, 12, spacing=4)
        self.picture, self.found = QLabel(), Label()
        self.picture.setFixedSize(PICTURE)
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        head, place = Label(experiment.title), Label(figure_words(experiment))
        head.setWordWrap(True)
        head.setProperty("role", "title")
        head.setAlignment(Qt.AlignmentFlag.AlignTop)
        place.setProperty("role", "muted")
        column.addWidget(self.picture)
        column.addSpacing(4)
        column.addWidget(head, 1)
        for label in (place, self.found):
            column.addWidget(label)
        for part in self.findChildren(QLabel):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_verdict(None)
        self.apply_theme()

    def show_verdict(self, verdict: Verdict | None) -> None:
        """Show a run's verdict; nothing before the first run."""
        words = "" if verdict is None else verdict_words(verdict)
        self.found.setText(words)
        self.found.setVisible(bool(words))
        named = (self.experiment.title, figure_words(self.experiment), words)
        self.setAccessibleName(", ".join(filter(None, named)))

    def apply_theme(self) -> None:
        """Draw the picture in the theme's colours."""
        self.picture.setPixmap(experiment_thumbnail(self.experiment.id, PICTURE, self.devicePixelRatioF()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        steps = {
            Qt.Key.Key_Left: (-1, 0),
            Qt.Key.Key_Right: (1, 0),
            Qt.Key.Key_Up: (0, -1),
            Qt.Key.Key_Down: (0, 1),
        }
        if key in steps:
            self.stepped.emit(*steps[key])
        else:
            super().keyPressEvent(event)


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
