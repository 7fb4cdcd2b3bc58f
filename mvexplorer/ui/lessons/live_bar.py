"""The live bar of a step: a value of the present pictures on a track, and the part of the track that is asked for."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from mvexplorer.teaching.run import Measured
from mvexplorer.ui.lessons.words import about_words, spoken_words, state_words, value_words
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line, tip

REGIMES = ("isolated", "local", "wide", "flat")
"""The words of a regime, as ε grows."""
LINE, TRACK = 20, 10
"""Heights of a line of words and of the track."""


class LiveBar(QWidget):
    """Three lines: the bar's name with its value, the track, and the demand with whether it is met.

    It has one height, whatever is measured: nothing below it moves.
    """

    def __init__(self) -> None:
        super().__init__()
        self.measured: Measured | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_measured(self, measured: Measured | None) -> None:
        """Show this value; None empties the bar until there is one."""
        if measured == self.measured:
            return
        self.measured = measured
        self.update()
        if measured is None:
            return
        words = spoken_words(measured)
        self.setAccessibleName(words)
        self.setToolTip(tip(f"{words} {measured.words.meaning}."))

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(2 * LINE + TRACK + 8))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # Painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.measured is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(0, theme.px(LINE + 4), self.width(), theme.px(TRACK))
        self._paint_words(painter, self.measured)
        if self.measured.check.bar == "regime":
            self._paint_regimes(painter, self.measured, track)
        else:
            self._paint_track(painter, self.measured, track)
        painter.end()

    def _paint_words(self, painter: QPainter, measured: Measured) -> None:
        t, small = theme.current(), theme.font(theme.px(theme.SMALL_PX))
        bold = theme.font(theme.px(theme.BASE_PX), bold=True)
        value = "" if measured.check.bar == "regime" else value_words(measured)
        taken = self._write(painter, 0, value, bold, "text" if measured.fresh else "muted", right=True)
        title = measured.words.title
        name = f"{title[:1].upper()}{title[1:]} of {line(about_words(measured.check), 40)}"
        self._write(painter, 0, name, theme.font(theme.px(theme.BASE_PX)), "text", taken=taken)
        below = self.height() - theme.px(LINE)
        met, role = theme.font(theme.px(theme.SMALL_PX), bold=measured.met), "green" if measured.met else "muted"
        taken = self._write(painter, below, state_words(measured), met, role, right=True)
        self._write(painter, below, f"asked for: {measured.check.target}", small, "muted", taken=taken)
        painter.setPen(t.color("text"))

    def _write(
        self, painter: QPainter, top: int, text: str, font: QFont, role: str, *, right: bool = False, taken: float = 0.0
    ) -> float:
        """Write at the left or the right of a line; returns the width that it takes with the gap beside it."""
        wide = theme.metrics(font)
        text = wide.elidedText(text, Qt.TextElideMode.ElideRight, self.width() - taken)
        painter.setFont(font)
        painter.setPen(theme.current().color(role))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRectF(0, top, self.width(), theme.px(LINE)), side | Qt.AlignmentFlag.AlignVCenter, text)
        return wide.horizontalAdvance(text) + theme.px(8) if text else 0.0

    def _paint_track(self, painter: QPainter, measured: Measured, track: QRectF) -> None:
        t, words, check, value = theme.current(), measured.words, measured.check, measured.value

        def at(number: float) -> float:
            share = (number - words.low) / (words.high - words.low)
            return track.left() + min(max(share, 0.0), 1.0) * track.width()

        shape = QPainterPath()
        shape.addRoundedRect(track, track.height() / 2, track.height() / 2)
        painter.fillPath(shape, t.color("hairline"))
        painter.setClipPath(shape)
        low, high = (words.low if check.at_least is None else check.at_least), words.high
        high = high if check.at_most is None else check.at_most
        painter.fillRect(QRectF(at(low), track.top(), at(high) - at(low), track.height()), t.color("green", 90))
        painter.setClipping(False)
        for edge in (check.at_least, check.at_most):
            if edge is not None:
                painter.setPen(QPen(t.color("green"), max(1.5, theme.px(2))))
                painter.drawLine(round(at(edge)), round(track.top() - 2), round(at(edge)), round(track.bottom() + 2))
        if isinstance(value, float | int):
            knob = QRectF(0, 0, track.height() + theme.px(4), track.height() + theme.px(4))
            knob.moveCenter(QRectF(track).center())
            knob.moveLeft(min(max(at(value) - knob.width() / 2, track.left()), track.right() - knob.width()))
            painter.setPen(QPen(t.color("surface"), theme.px(2)))
            painter.setBrush(t.color(("green" if measured.met else "text") if measured.fresh else "muted"))
            painter.drawEllipse(knob)

    def _paint_regimes(self, painter: QPainter, measured: Measured, track: QRectF) -> None:
        """The words themselves, as ε grows: the one asked for is framed, the present one is filled."""
        t, gap = theme.current(), theme.px(4)
        high = theme.px(LINE)
        width = (track.width() - gap * (len(REGIMES) - 1)) / len(REGIMES)
        painter.setFont(_fitting(max(REGIMES, key=len), width - theme.px(4)))
        for place, word in enumerate(REGIMES):
            part = QRectF(track.left() + place * (width + gap), track.center().y() - high / 2, width, high)
            inside = part.adjusted(1, 1, -1, -1)
            here, wanted = word == measured.value, word == measured.check.equals
            filled = ("green" if wanted else "text") if measured.fresh else "muted"
            painter.setBrush(t.color(filled) if here else t.color("hairline", 120))
            painter.setPen(QPen(t.color("green"), theme.px(2)) if wanted else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(inside, 4, 4)
            painter.setPen(t.color("surface" if here else "text"))
            painter.drawText(part, Qt.AlignmentFlag.AlignCenter, word)


def _fitting(word: str, room: float) -> QFont:
    """Small type, smaller where a word would not fit."""
    font = theme.font(theme.px(theme.SMALL_PX), bold=True)
    wide = theme.metrics(font).horizontalAdvance(word)
    return font if wide <= room else theme.font(int(font.pixelSize() * room / wide), bold=True)
