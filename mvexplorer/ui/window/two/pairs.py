"""The panels of a snapshot over those on show: which belongs to which, and how each lies on the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.alignment import align
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.pictures.colouring import in_panel
from mvexplorer.state.pictures.drawing import turned
from mvexplorer.state.pictures.panel_result import Drawing, PanelResult
from mvexplorer.ui.cloud.axes import NamesRoom, draw_flat_axes, draw_tripod
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.drawing import draw_hollows, draw_picture, draw_rings
from mvexplorer.ui.cloud.look import point_style
from mvexplorer.ui.cloud.picture import point_radius
from mvexplorer.ui.cloud.rasteriser import Cloud, PointStyle, View
from mvexplorer.ui.panels.score_badges import score_texts
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets.plain_text import line


def partners(former: DocumentState, present: DocumentState) -> dict[str, PanelState]:
    """The panel of a former state for each present one that has a partner there: by id, else by method and view."""
    by_id = {panel.id: panel for panel in former.shown}
    paired = {panel.id: by_id[panel.id] for panel in present.shown if panel.id in by_id}
    left = [panel for panel in former.shown if panel.id not in paired]
    for panel in present.shown:
        if panel.id not in paired:
            same = next((each for each in left if (each.method, each.view) == (panel.method, panel.view)), None)
            if same is not None:
                left.remove(same)
                paired[panel.id] = same
    return paired


def laid_onto(former: Drawing, present: Drawing) -> Array | None:
    """The points of a drawing laid onto another one of the same samples, as the steps of a slider are.

    None where samples or dimensions differ.
    """
    moving, reference = former.points, present.points
    if moving is None or reference is None or moving.shape != reference.shape:
        return None
    placed = np.ones(len(moving), dtype=bool)
    placed[[*former.unplaced, *present.unplaced]] = False
    return turned(former, align(moving, reference, placed)).points  # fitted again, so that none lies outside


class Pair:
    """One panel on show, and the picture of the former snapshot that lies over it."""

    def __init__(self, canvas: EmbeddingCanvas) -> None:
        self.canvas = canvas
        self.word = ""
        """Why the two do not glide into each other, in a word or two; empty where they do."""
        self._cloud = Cloud()
        self._names: tuple[str, ...] = ()
        self._scores = ""
        self._unplaced: tuple[int, ...] = ()
        self._former: Array | None = None
        self._present: Array | None = None
        self._look: PointStyle | None = None
        self._at = -1.0
        """How far the cloud has been moved."""

    def use(self, former: ComputedPanels, partner: PanelState | None, shown: PanelResult, same: bool) -> None:
        """Take the former picture of a panel, and what it shows now; `same` says if both are of the same samples."""
        result = None if partner is None else former.results[partner.id]
        drawing = Drawing() if result is None else result.drawing
        laid = laid_onto(drawing, shown.drawing) if same else None
        self._former, self._present, self._at = drawing.points if laid is None else laid, shown.drawing.points, -1.0
        self.word = _word(partner, drawing, shown.drawing, same) if laid is None else ""
        self._names, self._unplaced = drawing.axis_names, drawing.unplaced
        texts = score_texts(result.scores) if result is not None and result.scores is not None else {}
        self._scores = "  ".join(words for words, _, _ in texts.values())
        if partner is not None and self._former is not None:
            self._look = _look(former, partner.id)

    # Painting, in the canvas' own pixels ------------------------------------------------------------------------

    def paint_former(self, painter: QPainter, opacity: float = 1.0) -> None:
        """Draw the former picture in the place of the present one; for a panel that was not there, a word."""
        if self._former is None or self._look is None:
            self._paint_ground(painter, opacity)
            self._paint_word(painter, self.word, opacity)
            return
        self._show(self._former, self._look, 0.0)
        self._paint(painter, self._names, opacity)

    def paint_between(self, painter: QPainter, share: float, look: PointStyle | None, *, moving: bool) -> None:
        """Draw the points on their way, in the present colours; two pictures that do not pair fade over."""
        former, present = self._former, self._present
        if self.word or look is None or former is None or present is None:
            if share < 1.0:
                painter.save()
                self.paint_former(painter, 1.0 - share)
                painter.restore()
            if former is not None:
                self._paint_word(painter, self.word, 1.0)
            return
        if share >= 1.0:
            return  # the panel itself
        self._show((1.0 - share) * former + share * present, look, share)
        names = self._names if share < 0.5 else self.canvas.axis_names
        self._paint(painter, names, 1.0, moving=moving)

    def _show(self, points: npt.NDArray[np.floating], look: PointStyle, at: float) -> None:
        self._cloud.companions = self.canvas.cloud.companions
        if self._cloud.camera is not self.canvas.camera:
            self._cloud.camera = self.canvas.camera
            self._at = -1.0
        if self._cloud.look is not look:
            self._cloud.set_look(look)
            self._at = -1.0
        if at != self._at:
            self._cloud.show(points)
            self._at = at

    def paint_footer(self, painter: QPainter, room: QRectF) -> None:
        """Write the former scores below the picture, in the place of the present ones."""
        font = theme.font(theme.px(theme.SMALL_PX))
        painter.fillRect(room, theme.current().color("surface"))
        painter.setFont(font)
        painter.setPen(theme.current().color("muted"))
        words = theme.metrics(font).elidedText(self._scores, Qt.TextElideMode.ElideRight, room.width() - 8)
        painter.drawText(room.adjusted(4, 0, 0, 0), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint(self, painter: QPainter, names: tuple[str, ...], opacity: float, *, moving: bool = False) -> None:
        width, height, deep = self.canvas.width(), self.canvas.height(), self._cloud.dims == 3
        self._paint_ground(painter, opacity)
        view = _view(self.canvas)
        picture = self._cloud.picture(view, moving=moving)
        if picture is None:
            return
        painter.setOpacity(opacity)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not deep:
            draw_flat_axes(painter, NamesRoom(names, width, height))
        draw_picture(painter, QPointF(0, 0), picture, picture.shape[1] / max(1, width))
        self._paint_marks(painter, view)
        if deep:
            draw_tripod(painter, names, height, self.canvas.camera)
        painter.setOpacity(1.0)

    def _paint_marks(self, painter: QPainter, view: View) -> None:
        """Draw rings around few selected samples, and take the inside out of those without a place."""
        look = self._cloud.look
        if look is None:
            return
        for rows, draw in ((np.array(self._unplaced, dtype=np.intp), draw_hollows), (look.ringed, draw_rings)):
            if len(rows):
                places, nearness = self._cloud.positions(view, rows)
                draw(painter, places / view.ratio, point_radius(look.size, self._cloud.n_points) * nearness)

    def _paint_ground(self, painter: QPainter, opacity: float) -> None:
        painter.setOpacity(opacity)
        painter.fillRect(self.canvas.rect(), theme.current().color("surface"))
        painter.setOpacity(1.0)

    def _paint_word(self, painter: QPainter, word: str, opacity: float) -> None:
        painter.setOpacity(opacity)
        _paint_words(painter, QRectF(self.canvas.rect()), word, top=self._former is not None)
        painter.setOpacity(1.0)


def _word(partner: PanelState | None, former: Drawing, present: Drawing, same: bool) -> str:
    if partner is None:
        return "not in A"
    if former.points is None:
        return "no picture in A"
    if present.points is None:
        return "no picture in B"
    if not same or len(former.points) != len(present.points):
        return "other samples"
    return f"{former.points.shape[1]}-D in A"


def _look(former: ComputedPanels, panel: str) -> PointStyle:
    """The look of a former picture in its own colours."""
    colouring = former.colouring
    own = in_panel(colouring, panel) if colouring is not None and panel in colouring.own else colouring
    return point_style(former.state, own, former.data.n_samples)


def _view(canvas: EmbeddingCanvas) -> View:
    """The part of the plane that a canvas shows."""
    rect, ratio = canvas.box.viewRect(), canvas.devicePixelRatioF()
    shape = max(1, int(canvas.height() * ratio)), max(1, int(canvas.width() * ratio))
    return View(rect.left(), rect.bottom(), rect.width(), rect.height(), shape, ratio)


def _paint_words(painter: QPainter, room: QRectF, words: str, *, top: bool) -> None:
    """Write words on a ground of their own, at the top or in the middle of a picture."""
    if not words:
        return
    font = theme.font(theme.px(theme.SMALL_PX))
    short = theme.metrics(font).elidedText(line(words, 120), Qt.TextElideMode.ElideRight, room.width() - 16)
    size = theme.metrics(font).boundingRect(short).size()
    width, height = size.width() + 12, theme.metrics(font).height() + 4
    left = 6.0 if top else (room.width() - width) / 2
    box = QRectF(left, 4.0 if top else (room.height() - height) / 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.current().color("raised", 230))
    painter.drawRoundedRect(box, 4, 4)
    painter.setFont(font)
    painter.setPen(theme.current().color("muted"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short)
