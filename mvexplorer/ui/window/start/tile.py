"""A tile of the start page: a picture, a name and a few words, as one button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QImage, QKeyEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QToolButton

from mvexplorer.resources import resource
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import LINE, line, sentence, tip
from mvexplorer.ui.widgets.plots.wrapped import broken
from mvexplorer.ui.window.start.work_picture import read_picture

PAD = 10
STEPS = {
    Qt.Key.Key_Left: QPoint(-1, 0),
    Qt.Key.Key_Right: QPoint(1, 0),
    Qt.Key.Key_Up: QPoint(0, -1),
    Qt.Key.Key_Down: QPoint(0, 1),
}


@dataclass(frozen=True)
class TileForm:
    """How a tile is laid out: its picture above its words or beside them, and the lines that its words may take."""

    picture: QSize
    above: bool
    head_lines: int
    lines: int
    least: int
    """The least width; a tile takes what a row leaves."""
    ground: bool = True
    """Whether the picture has a ground of its own."""

    @property
    def words_height(self) -> int:
        """The room of its words."""
        return theme.px(18) * self.head_lines + theme.px(15) * self.lines

    @property
    def height(self) -> int:
        """Of the whole tile."""
        picture = theme.px(self.picture.height())
        if self.above:
            return picture + self.words_height + 2 * PAD
        return max(picture, self.words_height + PAD)


WORK = TileForm(QSize(160, 100), True, 2, 2, 212)
SAMPLE = TileForm(QSize(160, 100), True, 2, 1, 212)
SEEN = TileForm(QSize(84, 60), False, 2, 1, 212)
ACTION = TileForm(QSize(60, 76), False, 1, 3, 520, ground=False)
LESSON = TileForm(QSize(40, 60), False, 2, 4, 252, ground=False)
GALLERY = TileForm(QSize(264, 76), False, 1, 3, 520, ground=False)


@dataclass(frozen=True)
class TileWords:
    """The words of a tile. Of each line's alternatives the first is shown that has room."""

    head: str
    lines: tuple[tuple[str, ...], ...]
    spoken: str
    about: str = ""
    """The tooltip; by default what is spoken."""


@dataclass(frozen=True)
class TilePicture:
    """The picture of a tile, from files: one of work in both themes, or several of the gallery; else a glyph."""

    glyph: str
    work: Path | None = None
    gallery: tuple[str, ...] = ()

    def images(self) -> list[QImage]:
        """The images in the present theme, side by side; none where a file is missing or broken."""
        dark = theme.current().name == "dark"
        if self.work is not None:
            read = [read_picture(str(self.work), dark)]
        else:
            ending = "-dark.png" if dark else ".png"
            read = [QImage(str(resource("gallery", id + ending))) for id in self.gallery]
        return [image for image in read if not image.isNull()]


class StartTile(QPushButton):
    """Return and Space open it, the arrow keys go to its neighbours, Delete asks to delete what can be deleted."""

    stepped = Signal(QPoint)
    delete_wanted = Signal()

    def __init__(self, form: TileForm, words: TileWords, picture: TilePicture, do: Callable[[], object]) -> None:
        super().__init__()
        self.setObjectName("choice")
        self.setAutoDefault(True)  # for Return
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(sentence(words.spoken))
        self.setToolTip(tip(words.about or words.spoken))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.form, self.words, self.picture = form, words, picture
        self.corner: list[QToolButton] = []
        self._images: tuple[str, list[QImage]] | None = None
        self.clicked.connect(lambda: do())

    def sizeHint(self) -> QSize:
        return QSize(theme.px(self.form.least), self.form.height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def add_button(self, button: QToolButton) -> None:
        """Put a small button into the upper right corner, left of those that are there."""
        button.setParent(self)
        self.corner.append(button)
        self._place_buttons()

    def _place_buttons(self) -> None:
        right = self.width() - 6
        for button in self.corner:
            size = button.size() if button.property("square") else button.sizeHint()
            button.setGeometry(right - size.width(), 6, size.width(), size.height())
            right -= size.width() + 4

    def resizeEvent(self, event: object) -> None:
        self._place_buttons()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in STEPS:
            self.stepped.emit(STEPS[key])
        elif key == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        inside = self.rect().adjusted(2, 2, -2, -2)
        picture = self.form.picture
        if self.form.above:
            band = QRect(inside.left(), inside.top(), inside.width(), theme.px(picture.height()))
            words = QRect(PAD, band.bottom() + PAD, self.width() - 2 * PAD, self.form.words_height)
        else:
            band = QRect(inside.left(), inside.top(), theme.px(picture.width()), inside.height())
            left = band.right() + 2 + PAD
            words = QRect(left, 0, self.width() - left - PAD, self.height())
        self._paint_picture(painter, band)
        self._paint_words(painter, words)
        painter.end()

    def _paint_picture(self, painter: QPainter, band: QRect) -> None:
        if self.form.ground:
            ground = QPainterPath()
            ground.addRoundedRect(QRectF(band), 6, 6)
            painter.fillPath(ground, theme.current().color("window"))
        name = theme.current().name
        if self._images is None or self._images[0] != name:
            self._images = (name, self.picture.images())
        images = self._images[1]
        if not images:
            side = theme.px(24)
            glyph = QRect(QPoint(), QSize(side, side))
            glyph.moveCenter(band.center())
            role = "muted" if self.form.ground else "accent"
            painter.drawPixmap(glyph, theme.pixmap(self.picture.glyph, role, round(side * self.devicePixelRatioF())))
            return
        gap = 6
        width = (band.width() - gap * (len(images) + 1)) / len(images)
        for place, image in enumerate(images):
            room = QRectF(band.left() + gap + place * (width + gap), band.top() + gap, width, band.height() - 2 * gap)
            size = image.size().scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
            at = QRectF(0, 0, size.width(), size.height())
            at.moveCenter(room.center())
            painter.drawImage(at, image)

    def _paint_words(self, painter: QPainter, room: QRect) -> None:
        t, form = theme.current(), self.form
        head, small = theme.font(theme.px(theme.BASE_PX), bold=True), theme.font(theme.px(theme.SMALL_PX))
        beside = sum(button.width() + 4 for button in self.corner) if not form.above else 0
        names = wrapped(self.words.head, head, room.width() - beside, form.head_lines)
        most = max(1, form.lines - len(self.words.lines) + 1)
        texts = [text for each in self.words.lines for text in _with_room(each, small, room.width(), most)]
        taken = theme.px(18) * len(names) + theme.px(15) * len(texts)
        y = room.top() if form.above else room.center().y() - taken // 2
        painter.setFont(head)
        painter.setPen(t.color("text"))
        for name in names:
            painter.drawText(QRect(room.left(), y, room.width(), theme.px(18)), Qt.AlignmentFlag.AlignVCenter, name)
            y += theme.px(18)
        painter.setFont(small)
        painter.setPen(t.color("muted"))
        for text in texts:
            painter.drawText(QRect(room.left(), y, room.width(), theme.px(15)), Qt.AlignmentFlag.AlignVCenter, text)
            y += theme.px(15)


def _with_room(alternatives: Sequence[str], font: QFont, width: int, lines: int) -> list[str]:
    """The first of some texts that can be shown whole, else as much as can be of the last."""
    for text in alternatives:
        if theme.metrics(font).horizontalAdvance(text) <= width:
            return [text]
    return wrapped(alternatives[-1], font, width, lines)


def wrapped(text: str, font: QFont, width: int, most: int) -> list[str]:
    """The lines of a name, broken between words where they are enough; the middle goes where `most` are too few."""
    text, metrics = line(text, 4 * LINE), theme.metrics(font)
    room = most * width
    lines = broken(text, font, width)
    while len(lines) > most:
        lines = broken(metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, room), font, width)
        room -= width // 8 + 1
        if room < width // 2:
            return lines[:most]
    return lines
