"""The names of a picture's axes can be read at every size of type, and from every side of a 3-D cloud."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mvexplorer.ui.cloud.drawing import draw_axes, place_names
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import class_colours

HEIGHT = 300


@pytest.mark.parametrize("kind", ["ψ", "≈ ψ", "mean ψ", "≈ mean ψ"])
@pytest.mark.parametrize("size", [0.8, 1.0, 1.5, 2.4])
@pytest.mark.parametrize("camera", [None, Camera.default()])
def test_names_of_axes_lie_apart_and_inside(app, kind, size, camera):
    image = QImage(400, HEIGHT, QImage.Format.Format_ARGB32_Premultiplied)
    theme.set_type_scale(size)
    painter = QPainter(image)
    painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
    names = tuple(f"{kind}{i}" for i in "₁₂₃"[: 2 if camera is None else 3])
    base, placed = place_names(painter, names, HEIGHT, camera)
    painter.end()
    theme.set_type_scale(1.0)
    assert [place.name for place in placed] == list(names)
    assert QRectF(0, 0, 400, HEIGHT).contains(base)
    for place in placed:
        assert place.ground.left() >= 0
        assert place.ground.top() >= 0
        assert place.ground.bottom() <= HEIGHT
        assert isinstance(place.tip, QPointF)
    assert not any(a.ground.intersects(b.ground) for a, b in combinations(placed, 2))


@pytest.mark.parametrize("camera", [None, Camera.default()])
def test_a_picture_too_low_for_names_has_none(app, camera):
    """Whole names or none: at each height, what is drawn is the same as with more room above, or nothing."""
    names, drawn = ("ψ₁", "ψ₂", "ψ₃"), []
    for height in range(24, 140):
        above = 60
        low, high = (QImage(200, h, QImage.Format.Format_RGB32) for h in (height, height + above))
        for image in (low, high):
            image.fill(QColor("white"))
            painter = QPainter(image)
            draw_axes(painter, names, image.height(), camera)
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
def test_names_can_be_read_over_points_of_any_class(app, name):
    theme.apply_theme(app, name)
    names, least = ("ψ₁", "ψ₂"), []
    for colour in class_colours(10, name):
        image = QImage(400, HEIGHT, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(QColor(*(int(c) for c in colour)))
        painter = QPainter(image)
        draw_axes(painter, names, HEIGHT, None)
        _, placed = place_names(painter, names, HEIGHT, None)
        painter.end()
        beside = [QPointF(p.ground.left() + 1, p.ground.center().y()).toPoint() for p in placed]
        least += [contrast(image.pixelColor(at), theme.current().color("muted")) for at in beside]
    theme.apply_theme(app, "light")
    assert min(least) >= 4.5
