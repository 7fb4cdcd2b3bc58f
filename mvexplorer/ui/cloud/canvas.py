"""One embedding on screen: a pyqtgraph view box with our own points in it, and the gestures on them."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QNativeGestureEvent, QPainter, QPen, QWheelEvent

from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.axes import NamesRoom, axes_tip, draw_flat_axes, draw_tripod, tripod_room
from mvexplorer.ui.cloud.density import count_tip, draw_scale
from mvexplorer.ui.cloud.drawing import (
    draw_hollows,
    draw_lasso,
    draw_picture,
    draw_rings,
    draw_ticks,
    lasso_outline,
    within,
)
from mvexplorer.ui.cloud.gestures import operation_of
from mvexplorer.ui.cloud.overlay import Overlay
from mvexplorer.ui.cloud.picture import Camera, Viewport, point_at, point_radius
from mvexplorer.ui.cloud.rasteriser import Cloud, PointStyle, View
from mvexplorer.ui.cloud.turns import FULL_PICTURES
from mvexplorer.ui.style import theme

DRAG_START = 4
ANIMATE_MS = 180
FRAME_MS = 16
REACH, REACH_3D = 1.12, 1.45
"""Half the side of the frame that a cloud is fitted into; the cloud reaches from -1 to 1."""
SETTLE_MS = 120
"""Delay from the last move to painting in full."""


class PointsItem(pg.GraphicsObject):  # type: ignore[misc] # pyqtgraph has no types
    """The cloud as one picture the size of its view box, repainted after any movement."""

    def __init__(self, canvas: EmbeddingCanvas) -> None:
        super().__init__()
        self._canvas = canvas

    def boundingRect(self) -> QRectF:
        rect: QRectF = self._canvas.box.viewRect()
        return rect

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.save()
        painter.resetTransform()  # to widget pixels: Qt converts to device pixels
        self._canvas.paint_points(painter)
        painter.restore()


class EmbeddingCanvas(pg.GraphicsView):  # type: ignore[misc] # pyqtgraph has no types
    """Shows coordinates (M, 2 or 3); emits the user's gestures.

    `select` carries an array of sample indices and the operation; `hovered` a sample index or -1.
    """

    hovered = Signal(int, QPointF)
    picked = Signal(int)
    selected = Signal(object, str)
    camera_turned = Signal(object)
    frame_moved = Signal(object)
    """The user zoomed or panned a 2-D picture: its `Viewport`."""
    menu_wanted = Signal(QPoint)
    fitted = Signal()

    def __init__(self, parent: object = None) -> None:
        super().__init__(parent, background=None)
        self.setFrameShape(self.Shape.NoFrame)
        # Not of what lies on the picture: the button in its corner has a ground.
        self.setStyleSheet("EmbeddingCanvas, #qt_scrollarea_viewport { background: transparent; }")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAcceptDrops(False)  # the widgets around the picture accept panels and files
        self.viewport().setAcceptDrops(False)
        self.setMinimumSize(80, 24)  # it shrinks with its panel, or the panel's edge would cut it off
        self.box = pg.ViewBox(enableMenu=False, enableMouse=False, lockAspect=1.0)
        self.box.setZValue(0)
        self.setCentralItem(self.box)
        self._frame, self._laid = Viewport(), (0, 0)
        """The part that is shown, and the size of the widget that it was laid out for."""
        self.box.sigRangeChanged.connect(self._range_changed)
        self.box.sigResized.connect(self._resized)
        self._item = PointsItem(self)
        self.box.addItem(self._item, ignoreBounds=True)
        self.cloud = Cloud()
        self._moving = False
        self.axis_names: tuple[str, ...] = ()
        self._edge: Rows = np.array([], dtype=np.intp)
        self._unplaced: Rows = np.array([], dtype=np.intp)
        self.marked = -1
        self.dimmed = False
        self.navigating = False
        self.rectangular = False
        self._space = False
        self._press: QPointF | None = None
        self._button = Qt.MouseButton.NoButton
        self._last: QPointF | None = None
        self._path: list[QPointF] = []
        self.overlays: list[Overlay] = []
        """The overlays of the picture, in the order of painting."""
        self.words: list[Overlay] = []
        """Overlays of words, above all marks."""
        self._animate = QTimer(self, interval=FRAME_MS)
        self._animate.timeout.connect(self._step)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settle.timeout.connect(self._settled)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)
        self.fit()

    # What is shown ------------------------------------------------------------------------------------------

    def show_points(
        self,
        points: Points | None,
        axis_names: tuple[str, ...] = (),
        edge: Sequence[int] = (),
        unplaced: Sequence[int] = (),
        *,
        animate: bool = False,
    ) -> None:
        """Draw these coordinates (M, 2 or 3), animated if `animate`.

        Samples at the `edge` get ticks; those `unplaced`, which have no coordinates, are hollow.
        """
        renamed, flat = axis_names != self.axis_names, not self.is_3d
        self.axis_names, self._edge = axis_names, np.array(edge, dtype=np.intp)
        self._unplaced = np.array(unplaced, dtype=np.intp)
        seen = self.isVisible() and not self.window().isMinimized()
        if animate and seen and points is not None and points.shape == (self.cloud.n_points, self.cloud.dims):
            self.cloud.animate_to(points)
            self._animate.start()
            return
        self._animate.stop()
        self.cloud.show(points)
        if renamed and flat and not self.is_3d:
            self._show(self._frame)
        self._moved()

    def clear(self) -> None:
        """Reset points, look, camera and marks."""
        self._animate.stop()
        self.abandon_gesture()
        self.cloud.clear()
        self.axis_names, self.marked, self.dimmed = (), -1, False
        self._edge = self._unplaced = np.array([], dtype=np.intp)
        self.fit()

    def set_look(self, look: PointStyle) -> None:
        """Colours, visibility, selection, size."""
        self.cloud.set_look(look)
        if self.cloud.exact:  # nothing moved
            self.viewport().update()
        else:
            self._moved()

    @property
    def camera(self) -> Camera:
        """The view of a 3-D cloud."""
        return self.cloud.camera

    def set_camera(self, camera: Camera) -> None:
        """Change the view of a 3-D cloud."""
        self.cloud.camera = camera
        if self.is_3d:
            self.cloud.changed()
            self._moved()

    @property
    def frame(self) -> Viewport:
        """The part of the picture that is shown."""
        rect, reach, room = self.box.viewRect(), REACH_3D if self.is_3d else REACH, self._room
        unit = rect.width() / max(1, self.width())
        middle = rect.left() + unit * room.center().x(), rect.bottom() - unit * room.center().y()
        return Viewport(middle[0] / reach, middle[1] / reach, 0.5 * unit * min(room.width(), room.height()) / reach)

    def set_frame(self, frame: Viewport) -> None:
        """Show the same part of this 2-D picture."""
        if not self.is_3d:
            self._show(frame)

    @property
    def _room(self) -> QRectF:
        """The part of the widget that a cloud is fitted into: the axes' names stand beside it."""
        names = () if self.is_3d else self.axis_names
        return NamesRoom(names, self.width(), self.height()).cloud[0]

    def _show(self, frame: Viewport) -> None:
        self._frame = frame
        reach, room = REACH_3D if self.is_3d else REACH, self._room
        unit = 2 * reach * frame.size / max(1.0, min(room.width(), room.height()))
        left, low = reach * frame.across - unit * room.center().x(), unit * (room.center().y() - self.height())
        self.box.setRange(QRectF(left, reach * frame.up + low, unit * self.width(), unit * self.height()), padding=0.0)

    def _range_changed(self, *_: object) -> None:
        if self._laid == (self.width(), self.height()):
            self._frame = self.frame
        self._moved()

    def _resized(self, *_: object) -> None:
        """Show the same part in more or less room."""
        self._laid = self.width(), self.height()
        self._show(self._frame)
        self._moved()

    def _tell_frame(self) -> None:
        if not self.is_3d:
            self.frame_moved.emit(self.frame)

    def mark(self, index: int) -> None:
        """Ring the point under the pointer in some panel (-1: none)."""
        if index != self.marked:
            self.marked = index
            self.viewport().update()

    def set_dimmed(self, dimmed: bool) -> None:
        """Show that the picture is out of date."""
        if dimmed != self.dimmed:
            self.dimmed = dimmed
            self.viewport().update()

    @property
    def is_3d(self) -> bool:
        """True if three coordinates are shown."""
        return self.cloud.dims == 3

    @property
    def moving(self) -> bool:
        """True if the points are animated or not yet painted in full."""
        return self._animate.isActive() or self._settle.isActive()

    def fit(self) -> None:
        """Bring the whole cloud into view."""
        self._show(Viewport())
        self.fitted.emit()

    def _step(self) -> None:
        if not self.cloud.advance(FRAME_MS / ANIMATE_MS):
            self._animate.stop()
        self._moved()

    def _moved(self, *_: object) -> None:
        self._moving = True
        if self.isVisible() and not self.cloud.fits_frame_budget(self.devicePixelRatioF()):
            self._settle.start(SETTLE_MS)
        self.viewport().update()

    def _settled(self) -> None:
        if FULL_PICTURES.take():
            self._moving = False
            self.viewport().repaint()
        else:
            self._settle.start(1)

    # Painting -----------------------------------------------------------------------------------------------

    def _view(self) -> View:
        rect, ratio = self.box.viewRect(), self.devicePixelRatioF()
        shape = max(1, int(self.height() * ratio)), max(1, int(self.width() * ratio))
        return View(rect.left(), rect.bottom(), rect.width(), rect.height(), shape, ratio)

    def paint_points(self, painter: QPainter) -> None:
        """Draw the cloud, the ring, the axes and the lasso in widget pixels."""
        view = self._view()
        picture = self.cloud.picture(view, moving=self._moving)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if picture is None:
            return
        if self._moving and not self.cloud.exact and not self._settle.isActive():
            self._settle.start(SETTLE_MS)  # the cloud moved while hidden
        if not self.is_3d:
            draw_flat_axes(painter, NamesRoom(self.axis_names, self.width(), self.height()))
        if self.dimmed:
            painter.setOpacity(0.35)
        draw_picture(painter, QPointF(0, 0), picture, picture.shape[1] / self.width())
        painter.setOpacity(1.0)
        self._paint_edge(painter, view)
        self._paint_unplaced(painter, view)
        for overlay in self.overlays:
            painter.save()
            overlay.paint(painter, self)
            painter.restore()
        self._paint_selected(painter, view)
        if self.is_3d:
            draw_tripod(painter, self.axis_names, self.height(), self.camera)
        draw_scale(painter, picture, self.cloud.n_points, self.width())
        for words in self.words:
            painter.save()
            words.paint(painter, self)
            painter.restore()
        self._paint_ring(painter)
        draw_lasso(painter, self._path, self.rectangular)

    def _paint_edge(self, painter: QPainter, view: View) -> None:
        """Draw a tick at each visible sample that a trimmed drawing put on its edge."""
        look = self.cloud.look
        if look is None or not len(self._edge) or len(look.rgb) != self.cloud.n_points:
            return
        places, _ = self.cloud.positions(view, self._edge[look.visible[self._edge]])
        centre = QPointF(-view.left / view.width * self.width(), view.top / view.height * self.height())
        draw_ticks(painter, centre, places / view.ratio)

    def _paint_unplaced(self, painter: QPainter, view: View) -> None:
        """Make samples hollow that stand on the rim because they have no coordinates."""
        look = self.cloud.look
        if look is None or not len(self._unplaced) or len(look.rgb) != self.cloud.n_points:
            return
        places, nearness = self.cloud.positions(view, rows := self._unplaced[look.visible[self._unplaced]])
        if len(rows):
            radius = point_radius(look.size, self.cloud.n_points) * nearness
            draw_hollows(painter, places / view.ratio, radius)

    def _paint_selected(self, painter: QPainter, view: View) -> None:
        look = self.cloud.look
        if look is None or not len(look.ringed) or len(look.rgb) != self.cloud.n_points:
            return
        places, nearness = self.cloud.positions(view, look.ringed)
        radius = point_radius(look.size, self.cloud.n_points) * nearness
        draw_rings(painter, places / view.ratio, radius)

    def _paint_ring(self, painter: QPainter) -> None:
        look = self.cloud.look
        if look is None or not 0 <= self.marked < self.cloud.n_points:
            return
        centre = self.position_of(self.marked)
        radius = max(theme.px(4.0), point_radius(look.size, len(look.rgb)) + 1.5 * theme.scale())
        painter.setPen(QPen(theme.current().color("text"), 1.6 * theme.scale()))
        painter.setBrush(QColor(*(int(c) for c in look.rgb[self.marked])))
        painter.drawEllipse(centre, radius, radius)

    # Hit testing --------------------------------------------------------------------------------------------

    def point_at(self, position: QPointF) -> int:
        """Index of the sample under a widget position, or -1."""
        view = self._view()
        picture = self.cloud.picture(view, moving=False)
        if picture is None:
            return -1
        return point_at(picture, position.x() * view.ratio, position.y() * view.ratio, int(5 * view.ratio))

    def position_of(self, index: int) -> QPointF:
        """Widget position of a sample."""
        return QPointF(*self.positions_of(np.array([index]))[0].tolist())

    def positions_of(self, rows: Rows) -> Points:
        """Widget positions (n, 2) of samples, those outside the picture included."""
        view = self._view()
        places, _ = self.cloud.positions(view, rows)
        positions: Points = places / np.float32(view.ratio)
        return positions

    def place(self, points: Points) -> Points:
        """Widget positions (n, 2) of any points (n, 2 or 3) that are scaled as those drawn."""
        view = self._view()
        places, _ = self.cloud.place(view, np.asarray(points, dtype=np.float32).T)
        positions: Points = places / np.float32(view.ratio)
        return positions

    def reserved(self) -> list[QRectF]:
        """Where the names of axes stand over the points."""
        return tripod_room(self.axis_names, self.height(), self.camera) if self.is_3d else []

    def inside_outline(self) -> Rows:
        """Indices of the visible samples inside the lasso or rectangle, at any depth."""
        look, view = self.cloud.look, self._view()
        drawn = 0 if look is None or len(look.visible) != self.cloud.n_points else self.cloud.n_points
        if look is None or not drawn or len(self._path) < 2:  # nothing is drawn, or other samples are about to be
            return np.array([], dtype=int)
        places, _ = self.cloud.positions(view)
        outline = lasso_outline(self._path, self.rectangular)
        inside = within(outline, places / np.float32(view.ratio), (self.height(), self.width()))
        return np.flatnonzero(inside & look.visible)

    # Gestures -----------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._press = self._last = event.position()
        self._button = event.button()
        self._path = []
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._press is None:
            self._hover(position)
            return
        if self._last is None:
            return
        travelled = hypot(position.x() - self._press.x(), position.y() - self._press.y())
        if self._navigates(event):
            if travelled > DRAG_START or self._path:
                self._path = []
                self._navigate(position, event)
                self._last = position
        elif self._button == Qt.MouseButton.LeftButton and (travelled > DRAG_START or self._path):
            self._path = self._path or [self._press]
            self._path.append(position)
            self.viewport().update()

    def _navigates(self, event: QMouseEvent) -> bool:
        right = self._button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)
        return right or (self._button == Qt.MouseButton.LeftButton and (self.navigating or self._space))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, path = self._press, self._path
        self._press = None
        if press is None:
            return
        position = event.position()
        still = hypot(position.x() - press.x(), position.y() - press.y()) <= DRAG_START
        if event.button() == Qt.MouseButton.RightButton and still:
            self.menu_wanted.emit(event.globalPosition().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton and len(path) > 1:
            self.selected.emit(self.inside_outline(), operation_of(event.modifiers()))
        elif event.button() == Qt.MouseButton.LeftButton and still:
            self.picked.emit(self.point_at(position))
        self._path = []
        self.viewport().update()

    def abandon_gesture(self) -> bool:
        """Cancel a lasso in progress; False when there was none."""
        under_way = self._press is not None and bool(self._path)
        self._press, self._path = None, []
        self.viewport().update()
        return under_way

    def _navigate(self, position: QPointF, event: QMouseEvent) -> None:
        assert self._last is not None
        dx, dy = position.x() - self._last.x(), position.y() - self._last.y()
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if self.is_3d and not shift:
            orbit_speed = 0.01
            self.set_camera(self.camera.turned(dx * orbit_speed, dy * orbit_speed))
            self.camera_turned.emit(self.camera)
            return
        rect = self.box.viewRect()
        self.box.translateBy(x=-dx * rect.width() / self.width(), y=dy * rect.height() / self.height())
        self._tell_frame()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()
        self._tell_frame()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._zoom(1.0015 ** (-event.angleDelta().y()), event.position())
        event.accept()

    def _zoom(self, factor: float, position: QPointF) -> None:
        rect = self.box.viewRect()
        if not 1e-4 < rect.width() * factor < 1e3:
            return
        centre = QPointF(
            rect.left() + position.x() / self.width() * rect.width(),
            rect.bottom() - position.y() / self.height() * rect.height(),
        )
        self.box.scaleBy((factor, factor), center=centre)
        self._tell_frame()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self._zoom(1.0 / (1.0 + event.value()), event.position())
            return True
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        event.ignore()

    def set_space(self, held: bool) -> None:
        """While the space bar is held, a left drag navigates."""
        self._space = held

    def _hover(self, position: QPointF) -> None:
        self.hovered.emit(self.point_at(position), position)
        self.viewport().setToolTip(axes_tip(self.axis_names, position, self.height()) or self._count_tip(position))

    def _count_tip(self, position: QPointF) -> str:
        view = self._view()
        picture = self.cloud.picture(view, moving=False)
        return "" if picture is None else count_tip(picture, position.x() * view.ratio, position.y() * view.ratio)

    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(-1, QPointF())
        super().leaveEvent(event)
