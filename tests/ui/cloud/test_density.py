"""Very many samples: their counts per pixel, what is said of them, and the samples themselves once zoomed in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from mvexplorer.ui.cloud import counts as counts_module
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.counts import FAINTEST, count_picture
from mvexplorer.ui.cloud.density import scale_words
from mvexplorer.ui.cloud.picture import Viewport, point_at
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.export.render import paint_points
from mvexplorer.ui.export.sheet import Sheet, Tile

SHAPE = 40, 50
RNG = np.random.default_rng(3)
KEPT: list[EmbeddingCanvas] = []


def look_of(n: int) -> PointStyle:
    rgb = np.array([[200, 30, 30], [30, 30, 220]], dtype=np.uint8)[np.arange(n) % 2]
    return PointStyle(rgb, np.ones(n, dtype=bool), np.zeros(n, dtype=bool))


def parts(look: PointStyle) -> tuple:
    return look.colours, look.layers()


@pytest.fixture
def many(monkeypatch) -> int:
    """So many samples are very many here."""
    monkeypatch.setattr(counts_module, "DENSE", 3000)
    monkeypatch.setattr("mvexplorer.ui.cloud.density.DENSE", 3000)
    monkeypatch.setattr(counts_module, "FEW", 1000)
    return 4000


@pytest.fixture
def canvas(app, qtbot, many) -> EmbeddingCanvas:
    made = EmbeddingCanvas()
    qtbot.addWidget(made, before_close_func=lambda c: KEPT.append(c))
    made.resize(300, 240)
    made.set_look(look_of(many))
    made.show_points(np.vstack([RNG.normal(0, 0.1, (many - 1, 2)), [[0.9, 0.9]]]))
    made.show()
    return made


def test_counts_colours_and_opacities_are_those_of_a_histogram():
    xy = np.vstack([RNG.normal(20, 6, (3000, 2)), [[-5, 3], [60, 3], [3, 41]]])
    look = look_of(len(xy))
    found = count_picture(*parts(look), xy.astype(np.float32), SHAPE)
    expected = np.histogram2d(xy[:, 1], xy[:, 0], bins=SHAPE, range=((0, 40), (0, 50)))[0].astype(int)
    here = np.zeros(SHAPE, dtype=int)
    here.ravel()[found.pixels] = found.counts
    np.testing.assert_array_equal(here, expected)
    most = np.unravel_index(expected.argmax(), SHAPE)
    assert found.bgra[most][3] == 255
    assert found.bgra[..., 3][expected == 1] == pytest.approx(255 * FAINTEST, abs=1)
    assert not found.bgra[expected == 0].any()
    inside = (np.floor(xy) == most[::-1]).all(axis=1)
    np.testing.assert_allclose(found.bgra[most][2::-1], look.rgb[inside].mean(axis=0), atol=1.5)
    assert found.largest_count == expected.max() == found.count_at(most[1] + 0.5, most[0] + 0.2)


def test_only_a_sample_that_is_alone_at_its_pixel_is_pointed_at():
    xy = np.array([[5.5, 5.5], [5.2, 5.9], [20.5, 10.5]], dtype=np.float32)
    found = count_picture(*parts(look_of(3)), xy, SHAPE)
    assert point_at(found, 20.5, 10.5) == 2
    assert point_at(found, 5.5, 5.5, reach=2) == -1


def test_hidden_samples_are_not_counted_and_selected_ones_lie_on_top():
    xy = np.full((10, 2), 7.5, dtype=np.float32)
    look = replace(look_of(10), visible=np.arange(10) < 6, selected=np.arange(10) < 2)
    others, chosen = count_picture(*parts(look), xy, SHAPE).layers
    assert (others.counts.tolist(), chosen.counts.tolist()) == ([4], [2])


def test_a_part_of_the_samples_stands_for_all():
    xy, rows = np.full((100, 2), 7.5, dtype=np.float32), np.arange(0, 100, 10)
    assert count_picture(*parts(look_of(100)), xy[rows], SHAPE, rows, 10.0).counts.tolist() == [100]


def picture_of(canvas: EmbeddingCanvas):
    return canvas.cloud.picture(canvas._view(), moving=False)


def words_at_the_corner(canvas: EmbeddingCanvas) -> np.ndarray:
    """Which pixels of the upper right corner are drawn on."""
    image = QImage(canvas.size(), QImage.Format.Format_ARGB32)
    image.fill(QColor(0, 0, 0, 0))
    painter = QPainter(image)
    canvas.paint_points(painter)
    painter.end()
    shown = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    return shown[:24, -150:, 3] > 100


def test_a_picture_is_counted_until_few_are_in_sight(canvas, many):
    whole = picture_of(canvas)
    assert whole.counts.sum() == many
    assert words_at_the_corner(canvas).any()
    canvas.set_frame(Viewport(0.9, 0.9, 0.2))
    near = picture_of(canvas)
    assert near.counts is None
    assert near.ids.max() == many - 1
    canvas.fit()
    assert picture_of(canvas).counts is not None


def test_the_pointer_is_told_how_many_are_there(canvas, many):
    picture = picture_of(canvas)
    densest = picture.pixels[picture.counts.argmax()]
    place = QPointF(densest % picture.shape[1] + 0.5, densest // picture.shape[1] + 0.5)
    canvas._hover(place)
    tip = f"{picture.largest_count:,} samples at this pixel: zoom in to tell them apart."
    assert canvas.viewport().toolTip() == tip
    assert canvas.point_at(canvas.position_of(many - 1)) == many - 1  # alone
    canvas._hover(canvas.position_of(many - 1))
    assert not canvas.viewport().toolTip()


def test_a_lasso_takes_all_samples_that_are_counted(canvas, many):
    canvas.rectangular = True
    canvas._path = [QPointF(0, 0), QPointF(299, 239)]
    assert len(canvas.inside_outline()) == many


def test_what_a_picture_says_of_its_dots(canvas):
    assert scale_words(picture_of(canvas))[0] == "1"
    canvas.box.setRange(QRectF(0.85, 0.85, 0.1, 0.1), padding=0)
    assert scale_words(picture_of(canvas)) == ("", "each dot is a sample")
    canvas.box.setRange(QRectF(0.5, 0.5, 0.1, 0.1), padding=0)
    assert scale_words(picture_of(canvas)) == ("", "no sample here")


def test_other_colours_are_counted_anew(canvas, many):
    picture_of(canvas)
    canvas.set_look(replace(canvas.cloud.look, rgb=np.full((many, 3), (10, 200, 10), dtype=np.uint8)))
    shown = picture_of(canvas)
    assert shown.counts is not None
    blue, green, red, _ = shown.bgra[shown.bgra[..., 3] == 255].T
    assert (green > blue).all()
    assert (green > red).all()


def test_a_vector_file_has_a_picture_of_very_many(app, many, monkeypatch):
    """Not a circle for each of a million samples."""
    monkeypatch.setattr("mvexplorer.ui.export.render._paint_markers", lambda *a: pytest.fail("circle by circle"))
    words: list[str] = []
    monkeypatch.setattr("mvexplorer.ui.export.render._paint_axes", lambda painter, spot, text: words.append(text))
    points = RNG.normal(0, 0.2, (many, 2)).astype(np.float32)
    tile = Tile("a", points, ("ψ1", "ψ2"), "")
    image = QImage(300, 300, QImage.Format.Format_ARGB32)
    painter = QPainter(image)
    paint_points(painter, QRectF(0, 0, 300, 300), tile, Sheet("t", "", (tile,), None, look_of(many)), True, 1.0)
    painter.end()
    assert "samples per pixel" in words[0]


def test_another_colouring_of_very_many_is_shown_in_less_detail_first(canvas, many, qtbot, monkeypatch):
    """Six pictures of a million samples, counted at once, took half a second."""
    monkeypatch.setattr("mvexplorer.ui.cloud.rasteriser.MOVING_POINTS", 1000)
    picture_of(canvas)
    assert canvas.cloud.exact
    canvas.set_look(replace(canvas.cloud.look, rgb=np.full((many, 3), (10, 200, 10), dtype=np.uint8)))
    assert not canvas.cloud.exact
    assert canvas.moving
    qtbot.waitUntil(lambda: canvas.cloud.exact and not canvas.moving)


def test_pictures_of_very_many_are_painted_one_after_the_other(canvas, many, app, qtbot, monkeypatch):
    other = EmbeddingCanvas()
    qtbot.addWidget(other, before_close_func=lambda c: KEPT.append(c))
    other.resize(300, 240)
    other.set_look(look_of(many))
    other.show_points(RNG.normal(0, 0.1, (many, 2)))
    other.show()
    monkeypatch.setattr("mvexplorer.ui.cloud.rasteriser.MOVING_POINTS", 1000)
    qtbot.waitUntil(lambda: not canvas.moving and not other.moving)
    for each in (canvas, other):
        each.fit()
        each.cloud.changed()
        each._moved()
    canvas._settled()
    other._settled()
    assert canvas.cloud.exact
    assert not other.cloud.exact, "the window looks at its events first"
    assert other.moving
    qtbot.waitUntil(lambda: other.cloud.exact and not other.moving)
