"""The names of a picture's axes can be read at every size of type, and from every side of a 3-D cloud."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from mvexplorer.ui.cloud.drawing import place_names
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.style import theme

HEIGHT = 300


@pytest.mark.parametrize("kind", ["ψ", "≈ ψ", "mean ψ", "≈ mean ψ"])
@pytest.mark.parametrize("size", [0.8, 1.0, 1.5, 2.4])
@pytest.mark.parametrize("camera", [None, Camera.default()])
def test_names_of_axes_lie_apart_and_inside(app, kind, size, camera):
    image = QImage(400, HEIGHT, QImage.Format.Format_ARGB32_Premultiplied)
    theme.set_scale(size)
    painter = QPainter(image)
    painter.setFont(theme.font(theme.px(theme.SMALL_PX)))
    names = tuple(f"{kind}{i}" for i in "₁₂₃"[: 2 if camera is None else 3])
    base, placed = place_names(painter, names, HEIGHT, camera)
    painter.end()
    theme.set_scale(1.0)
    assert [place.name for place in placed] == list(names)
    assert QRectF(0, 0, 400, HEIGHT).contains(base)
    for place in placed:
        assert place.ground.left() >= 0
        assert place.ground.top() >= 0
        assert place.ground.bottom() <= HEIGHT
        assert isinstance(place.tip, QPointF)
    assert not any(a.ground.intersects(b.ground) for a, b in combinations(placed, 2))
