"""The names of axes can be read at every size of type, from every side of a turned cloud, and hide no point."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBitmap, QColor, QImage, QPainter, QRegion

from mvexplorer.ui.cloud.axes import NamesRoom, draw_flat_axes, draw_tripod, place_names
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.picture import Camera, Viewport
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours

HEIGHT = 300


@pytest.mark.parametrize("kind", ["ψ", "≈ ψ", "mean ψ", "≈ mean ψ"])
@pytest.mark.parametrize("size", [0.8, 1.0, 1.5, 2.4])
@pytest.mark.parametrize("camera", [None, Camera.default()])
def test_names_of_axes_lie_apart_and_inside(app, kind, size, camera):
    theme.set_type_scale(size)
    names = tuple(f"{kind}{i}" for i in "₁₂₃"[: 2 if camera is None else 3])
    base, placed = place_names(names, HEIGHT, camera)
    theme.set_type_scale(1.0)
    assert [place.name for place in placed] == list(names)
    assert QRectF(0, 0, 400, HEIGHT).contains(base)
    for place in placed:
        assert place.ground.left() >= 0
        assert place.ground.top() >= 0
        assert place.ground.bottom() <= HEIGHT
        assert isinstance(place.tip, QPointF)
    assert not any(a.ground.intersects(b.ground) for a, b in combinations(placed, 2))


def test_a_turned_picture_too_low_for_names_has_none(app):
    """Whole names or none: at each height, what is drawn is the same as with more room above, or nothing."""
    names, drawn = ("ψ₁", "ψ₂", "ψ₃"), []
    for height in range(24, 140):
        above = 60
        low, high = (QImage(200, h, QImage.Format.Format_RGB32) for h in (height, height + above))
        for image in (low, high):
            image.fill(QColor("white"))
            painter = QPainter(image)
            draw_tripod(painter, names, image.height(), Camera.default())
            painter.end()
        blank = QImage(low)
        blank.fill(QColor("white"))
        drawn.append(low != blank)
        assert not drawn[-1] or low == high.copy(0, above, 200, height), height
    assert not drawn[0]
    assert drawn[-1]
    assert sorted(drawn) == drawn


def luminance(color: QColor) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in color.getRgbF()[:3]]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a: QColor, b: QColor) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_names_over_a_turned_cloud_can_be_read_over_points_of_any_class(app, name):
    theme.apply_theme(app, name)
    names, least = ("ψ₁", "ψ₂", "ψ₃"), []
    for colour in class_colours(10, name):
        image = QImage(400, HEIGHT, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor(*(int(c) for c in colour)))
        painter = QPainter(image)
        draw_tripod(painter, names, HEIGHT, Camera.default())
        painter.end()
        _, placed = place_names(names, HEIGHT, Camera.default())
        beside = [QPointF(p.ground.left() + 1, p.ground.center().y()).toPoint() for p in placed]
        least += [contrast(image.pixelColor(at), theme.current().color("muted")) for at in beside]
    theme.apply_theme(app, "light")
    assert min(least) >= 4.5


PANELS = [(226, 60), (226, 130), (226, 190), (300, 138), (300, 300), (420, 180), (240, 520), (840, 560), (900, 900)]
"""Sizes of pictures, from those of a panel 230 pixels wide to those of a window of 2560 x 1440."""
RIM = np.array([(x, y) for x in np.linspace(-1, 1, 41) for y in (-1, 1)], np.float32)
RIM = np.vstack([RIM, RIM[:, ::-1]])
"""Points along the edge of the square that every cloud is fitted into."""


@pytest.fixture
def canvas(app, qtbot):
    """A canvas with its points."""
    shown = EmbeddingCanvas()
    qtbot.addWidget(shown)
    shown.set_look(PointStyle(np.full((len(RIM), 3), 128, np.uint8), np.ones(len(RIM), bool), np.zeros(len(RIM), bool)))
    shown.show()
    return shown


def names_drawn(canvas) -> QRegion:
    """The pixels that the names of a canvas' axes take."""
    image = QImage(canvas.size(), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    draw_flat_axes(painter, NamesRoom(canvas.axis_names, canvas.width(), canvas.height()))
    painter.end()
    return QRegion(QBitmap.fromImage(image.createAlphaMask()))


@pytest.mark.parametrize("kind", ["ψ", "≈ mean ψ", "a column of a long name "])
@pytest.mark.parametrize("type_size", [1.0, 1.5])
@pytest.mark.parametrize("size", PANELS)
def test_names_of_axes_lie_on_no_point_of_a_whole_picture(canvas, kind, type_size, size):
    theme.set_type_scale(type_size)
    canvas.resize(*size)
    canvas.show_points(RIM, (f"{kind}₁", f"{kind}₂"))
    taken = names_drawn(canvas)
    places, radius = canvas.positions_of(np.arange(len(RIM))), 3
    assert not any(taken.intersects(QRect(int(x) - radius, int(y) - radius, 7, 7)) for x, y in places)
    assert all(canvas.rect().contains(int(x), int(y)) for x, y in places)
    assert not taken.isEmpty() or size[1] < 66 * type_size
    assert taken.isEmpty() or canvas.rect().contains(taken.boundingRect())
    assert canvas.frame == approx(Viewport())
    if kind == "ψ":
        assert np.ptp(places[:, 1]) > 0.75 * min(size), "the names take little of the picture"
    canvas.resize(size[0] + 40, size[1] + 10)
    assert canvas.frame == approx(Viewport())
    theme.set_type_scale(1.0)


def approx(frame: Viewport) -> Viewport:
    """The frame, for a comparison but for rounding."""
    return Viewport(*(pytest.approx(value, abs=1e-6) for value in (frame.across, frame.up, frame.size)))


def test_points_of_a_zoomed_picture_lie_over_the_names(canvas):
    canvas.resize(300, 140)
    side = np.linspace(-1.0, 1.0, 50, dtype=np.float32)
    points = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    none = np.zeros(len(points), bool)
    canvas.set_look(PointStyle(np.full((len(points), 3), 90, np.uint8), ~none, none, size=20.0, opacity=1.0))
    canvas.show_points(points, ("ψ₁", "ψ₂"))
    canvas.set_frame(near := Viewport(-0.1, 0.05, 0.3))
    assert canvas.frame == approx(near)
    assert not names_drawn(canvas).isEmpty()
    corner = canvas.grab(names_drawn(canvas).boundingRect()).toImage()
    ink = {corner.pixelColor(x, y).red() for x in range(corner.width()) for y in range(corner.height())}
    assert max(abs(red - 90) for red in ink) <= 3
