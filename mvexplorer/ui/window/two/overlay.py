"""The overlay on the panels: the former snapshot left of a line, or points on their way, and a bar to move both."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.panels.header import icon_button
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.layouts import spaced
from mvexplorer.ui.widgets.plain_text import Label, Name, line, tip
from mvexplorer.ui.widgets.slider import Scale, Slider
from mvexplorer.ui.window.two.pairs import Pair

WIPE, MORPH = "wipe", "morph"
STEP = 0.05
"""How far a key moves the line, or the points."""
MORPH_MS = 1500
FRAME_MS = 16
KNOB = 13
"""Half the height of the handle on the line."""
SHARES = {Qt.Key.Key_Home: 0.0, Qt.Key.Key_End: 1.0}
STEPS = {Qt.Key.Key_Left: -STEP, Qt.Key.Key_Right: STEP}
KEYS = {*SHARES, *STEPS, Qt.Key.Key_Space, Qt.Key.Key_Escape}


class CompareBar(QFrame):
    """The names of both snapshots, the way they are compared, how far it is, and a way out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._row = row = spaced(QHBoxLayout(self), 12, 4, 6, 4)
        self.first, self.last = Name(), Name()
        self.last.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.modes = {how: QToolButton() for how in (WIPE, MORPH)}
        self.play = QToolButton()
        self.play.setProperty("role", "part")
        self.slider = Slider(Scale(0.0, 1.0, "linear"), 0.5, "From A to B")
        self.slider.tell_by(lambda share: f"{round(100 * share)} %")
        self.slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the overlay has the keys
        self.close_ = icon_button("x", "Show the panels alone (Esc)")
        row.addWidget(Label("A", "title"))
        row.addWidget(self.first, 3)
        for how, button in self.modes.items():
            button.setText(how.capitalize())
            button.setCheckable(True)
            button.setProperty("role", "part")
            row.addWidget(button)
        row.addWidget(self.slider, 3)
        row.addWidget(self.play)
        row.addWidget(self.last, 3)
        row.addWidget(Label("B", "title"))
        row.addWidget(self.close_)
        for button in (*self.modes.values(), self.play, self.close_):
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.modes[WIPE].setToolTip("A left of a line, B right of it; drag the line, or press Left and Right")
        self.modes[MORPH].setToolTip("The points glide from A to B, in the colours of B")

    def fit(self, room: QRect, taken: QRect) -> None:
        """Stand at the lower edge of the panels, above what is `taken` there."""
        width = min(theme.px(680), room.width() - 16)
        self._row.setSpacing(theme.px(8))
        height = max(self.sizeHint().height(), theme.px(38))
        place = QRect(room.center().x() - width // 2, room.bottom() - height - 8, width, height)
        if place.intersects(taken):
            place.moveBottom(taken.top() - 4)
        self.setGeometry(place)


class SnapshotOverlay(QWidget):
    """Lies over the panels, which stay where they are and show the snapshot B."""

    left = Signal()
    """The user has seen enough."""

    def __init__(self, grid: PanelGrid, messages: QWidget) -> None:
        super().__init__(grid)
        self._grid, self._messages = grid, messages
        self.how = WIPE
        self.share = 0.5
        """Where the line is, from left to right; or how far the points are from A to B."""
        self.animates = True
        self.pairs: dict[str, Pair] = {}
        """The panels on show with what lies over them; empty until that is computed."""
        self._names = ("", "")
        self._former: QWidget | None = None
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.timeout.connect(self._glide)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.bar = CompareBar(self)
        self.bar.slider.moved.connect(self._take)
        self.bar.slider.released.connect(self.update)
        self.bar.close_.clicked.connect(self.left)
        self.bar.play.clicked.connect(self.toggle_play)
        for how, button in self.bar.modes.items():
            button.clicked.connect(partial(self.compare_by, how))
        grid.installEventFilter(self)
        messages.installEventFilter(self)
        grid.look_changed.connect(self.update)
        self.hide()

    # Opening and leaving ----------------------------------------------------------------------------------------

    def open(self, how: str, names: tuple[str, str]) -> None:
        """Lie over the panels; nothing is drawn before `show_pairs`."""
        self.pairs, self._names = {}, names
        if not self.isVisible():
            window = self.window()
            self._former = window.focusWidget()
        self.compare_by(how)
        self.bar.first.set_words(f"{names[0]} …")
        self.bar.first.setToolTip(tip(f"“{names[0]}” is being computed."))
        self.bar.last.set_words(names[1])
        self.show()
        self.raise_()
        self._fit()
        self.setFocus()

    def show_pairs(self, pairs: dict[str, Pair], alone: Sequence[str]) -> None:
        """Draw these, by panel; those named are in A `alone`."""
        self.pairs = pairs
        more = f", with {len(alone)} more" if alone else ""
        self.bar.first.set_words(f"{self._names[0]}{more}")
        self.bar.first.setToolTip(tip(f"Not in B: {', '.join(alone)}") if alone else "")
        self._tell()
        self.update()

    def leave(self) -> None:
        """Give the panels back, and the keys to who had them."""
        self._clock.stop()
        had = self.hasFocus()
        self.hide()
        self.pairs = {}
        if had and self._former is not None and self._former.isVisible():
            self._former.setFocus()
        elif had:
            self.window().setFocus()
        self._former = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide
        if event.type() in kinds and self.isVisible():
            self._fit()
        return False

    def _fit(self) -> None:
        """Lie over all panels; in a presentation messages have the lower edge."""
        self.setGeometry(self._grid.rect())
        shown, corner = self._messages.isVisible(), self._messages.mapTo(self.window(), QPoint(0, 0))
        taken = QRect(self.mapFrom(self.window(), corner), self._messages.size()) if shown else QRect()
        self.bar.fit(self.rect(), taken)

    def apply_theme(self) -> None:
        """Use the theme's colours, and its size of type."""
        self._fit()
        self.update()

    # Moving -----------------------------------------------------------------------------------------------------

    def compare_by(self, how: str) -> None:
        """Wipe, from the middle; or morph, from A."""
        self._clock.stop()
        self.how = how
        for each, button in self.bar.modes.items():
            button.setChecked(each == how)
        self.bar.play.setVisible(how == MORPH)
        self.setCursor(Qt.CursorShape.SplitHCursor if how == WIPE else Qt.CursorShape.ArrowCursor)
        self.move_to(0.5 if how == WIPE else 0.0)

    def move_to(self, share: float) -> None:
        """Move the line, or the points."""
        former, self.share = self._line(), min(max(share, 0.0), 1.0)
        self.bar.slider.set_value(self.share)
        self._tell()
        if self.how == WIPE:
            lines = sorted((former, self._line()))
            edge = theme.px(KNOB) + 30
            self.update(QRect(lines[0] - edge, 0, lines[1] - lines[0] + 2 * edge, self.height()))
        else:
            self.update()

    def _take(self, share: float) -> None:
        self._clock.stop()
        self.move_to(share)

    def toggle_play(self) -> None:
        """Let the points glide to B, from A where they are there already; or stop them."""
        if self.how != MORPH:
            return
        if self._clock.isActive():
            self._clock.stop()
        elif not self.animates:
            self.move_to(0.0 if self.share == 1.0 else 1.0)
        else:
            self.move_to(0.0 if self.share == 1.0 else self.share)
            self._clock.start()
        self._tell()
        self.update()

    @property
    def playing(self) -> bool:
        """Whether the points glide by themselves."""
        return self._clock.isActive()

    def _glide(self) -> None:
        if self.share + FRAME_MS / MORPH_MS >= 1.0:
            self._clock.stop()
        self.move_to(self.share + FRAME_MS / MORPH_MS)

    def _tell(self) -> None:
        a, b = (line(name) for name in self._names)
        way = "Wipe between" if self.how == WIPE else "Morph from"
        self.setAccessibleName(f"{way} {a} and {b}: {round(100 * self.share)} %")
        self.bar.play.setText("❚❚" if self.playing else "▶")
        self.bar.play.setToolTip("Stop the points (Space)" if self.playing else "Let the points glide to B (Space)")
        self.bar.play.setAccessibleName("Pause" if self.playing else "Play")

    def press(self, key: int) -> bool:
        """Act on a key; False where it is not one of the overlay's."""
        if key in STEPS:
            self._take(self.share + STEPS[Qt.Key(key)])
        elif key in SHARES:
            self._take(SHARES[Qt.Key(key)])
        elif key == Qt.Key.Key_Space:
            self.toggle_play()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        return key in KEYS

    # Mouse and keys -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        # These keys are the overlay's, not shortcuts of the window.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.press(event.key()):
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() not in KEYS:
            super().keyReleaseEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus()
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.how == WIPE and event.buttons() & Qt.MouseButton.LeftButton:
            self._take(event.position().x() / max(1, self.width()))

    # Painting -----------------------------------------------------------------------------------------------------

    def _line(self) -> int:
        return round(self.share * self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        for id, pair in self.pairs.items():
            if pair.canvas.isVisible():
                place = QRect(pair.canvas.mapTo(self._grid, QPoint(0, 0)), pair.canvas.size())
                self._paint_pair(painter, id, pair, place, event.rect())
        if self.how == WIPE and self.pairs:
            self._paint_line(painter)
        painter.end()

    def _paint_pair(self, painter: QPainter, id: str, pair: Pair, place: QRect, changed: QRect) -> None:
        seen = place & changed.adjusted(0, -self.height(), 0, 0)
        if self.how == WIPE:
            seen &= QRect(0, 0, self._line(), self.height())
        if seen.isEmpty():
            return
        painter.save()
        painter.setClipRect(seen)
        painter.translate(place.topLeft())
        if self.how == WIPE:
            pair.paint_former(painter)
        else:
            pair.paint_between(painter, self.share, self._grid.looks.get(id, self._grid.look), moving=self.playing)
        if self.how == WIPE or self.share < 0.5:  # the scores are those of the nearer end
            below = self._grid.panels[id].geometry().bottom() - place.bottom()
            painter.setClipRect(seen.translated(-place.topLeft()).adjusted(0, 0, 0, below))
            edge = 6  # the panel's rounded corners
            pair.paint_footer(painter, QRectF(edge, place.height() + 1, place.width() - 2 * edge, below - 3))
        painter.restore()

    def _paint_line(self, painter: QPainter) -> None:
        """Draw the line with its handle, and which side is which at its upper end."""
        t, x, knob = theme.current(), float(self._line()), float(theme.px(KNOB))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(t.color("accent"), theme.px(2)))
        painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        middle = QPointF(x, self.height() / 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.color("accent"))
        painter.drawEllipse(middle, knob, knob)
        painter.setBrush(t.color("on_accent"))
        for way in (-1.0, 1.0):
            tipped = middle + QPointF(way * 0.68 * knob, 0)
            back = -way * 0.42 * knob
            painter.drawPolygon(QPolygonF([tipped, tipped + QPointF(back, -back), tipped + QPointF(back, back)]))
        font = theme.font(theme.px(theme.BASE_PX), bold=True)
        painter.setFont(font)
        side = float(theme.px(20))
        for letter, left in (("A", x - side - 6), ("B", x + 6)):
            box = QRectF(left, 6, side, side)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(t.color("accent"))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(t.color("on_accent"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter)
