"""What is painted anew, and when: colours alone place nothing, what moves may be plainer, what rests is exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter
from windows import PATIENCE_MS, small_data

from mvexplorer.ui.cloud import rasteriser as cloud_module
from mvexplorer.ui.cloud.axes import axes_tip
from mvexplorer.ui.cloud.canvas import EmbeddingCanvas
from mvexplorer.ui.cloud.drawing import draw_picture
from mvexplorer.ui.cloud.picture import SMOOTH_LIMIT, point_radius, splat
from mvexplorer.ui.cloud.rasteriser import RINGED, Cloud, PointStyle, View
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import Sheet, Tile
from mvexplorer.ui.style.palettes import REST, point_colours

RNG = np.random.default_rng(0)
VIEW = View(-1.2, 1.0, 2.4, 2.0, (200, 240), 1.0)
"""A hundred pixels per unit."""


def look_of(n: int, seed: int = 0) -> PointStyle:
    rgb = np.random.default_rng(seed).integers(0, 256, size=(n, 3)).astype(np.uint8)
    return PointStyle(rgb, np.ones(n, dtype=bool), np.zeros(n, dtype=bool))


def cloud_of(n: int, dims: int = 2, companions: int = 1) -> Cloud:
    made = Cloud()
    made.companions = companions
    made.set_look(look_of(n))
    made.show(RNG.uniform(-0.9, 0.9, size=(n, dims)))
    return made


@pytest.fixture
def painted(monkeypatch) -> list[tuple[int, bool]]:
    """How many points were painted each time, and whether antialiased."""
    counts: list[tuple[int, bool]] = []

    def counted(xy, *arguments, smooth=True, **others):
        counts.append((len(xy), smooth))
        return splat(xy, *arguments, smooth=smooth, **others)

    monkeypatch.setattr(cloud_module, "splat", counted)
    return counts


def test_the_same_picture_is_painted_once(painted):
    cloud = cloud_of(50)
    assert cloud.picture(VIEW, moving=True) is cloud.picture(VIEW, moving=False)
    assert painted == [(50, True)]


@pytest.mark.parametrize("n", [300, SMOOTH_LIMIT + 5])
def test_new_colours_place_nothing_anew(painted, n):
    cloud = cloud_of(n)
    before = cloud.picture(VIEW, moving=False)
    cloud.set_look(look_of(n, seed=1))
    after = cloud.picture(VIEW, moving=False)
    assert len(painted) == 1
    fresh = Cloud()
    fresh.set_look(cloud.look)
    fresh.show(cloud.points)
    assert np.array_equal(after.bgra, fresh.picture(VIEW, moving=False).bgra)
    assert np.array_equal(after.ids, before.ids)
    assert not np.array_equal(after.bgra, before.bgra)


@pytest.mark.parametrize(
    "change",
    [
        {"size": 9.0},
        {"opacity": 0.3},
        {"visible": np.arange(50) % 2 == 0},
        {"selected": np.arange(50) < 9},
        {"markers": np.ones(50, dtype=np.uint8)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_other_change_of_looks_does(painted, change):
    cloud = cloud_of(50)
    before = cloud.picture(VIEW, moving=False)
    cloud.set_look(replace(cloud.look, **change))
    after = cloud.picture(VIEW, moving=False)
    assert len(painted) == (3 if "selected" in change else 2)  # what is selected is a layer of its own
    assert not np.array_equal(before.bgra, after.layers[0].bgra)


@pytest.mark.parametrize("radius", [1.0, 6.0, 15.0])
def test_points_at_the_edge_are_the_middle_of_a_larger_picture(radius):
    """Large points of every form, partly or wholly outside: nothing is lost, wrapped round, or out of the buffer."""
    shape, around = (40, 50), 80
    far = np.linspace(-2.5 * radius, 2.5 * radius, 41)
    edges = [(a, b) for a in far for b in (10.3, 33.0)] + [(b, a) for a in far for b in (12.7, 38.0)]
    xy = np.round(64 * np.array([*edges, *((50.0 - x, 40.0 - y) for x, y in edges)])) / 64  # exact when moved
    rgb, markers = np.full((len(xy), 3), 200, np.uint8), (np.arange(len(xy)) % 3).astype(np.uint8)
    small = splat(xy, rgb, 0.2, radius, shape, markers=markers).bgra
    large = splat(xy + around, rgb, 0.2, radius, (shape[0] + 2 * around, shape[1] + 2 * around), markers=markers).bgra
    assert np.array_equal(small, large[around:-around, around:-around])


def test_opacity_of_hidden_points_and_of_the_layers_of_a_selection():
    look = PointStyle(np.zeros((3, 3), np.uint8), np.array([1, 1, 0], bool), np.array([1, 0, 0], bool), opacity=0.8)
    rest, chosen = look.layers()
    assert rest == pytest.approx([0.0, 1.0, 0.0])  # opaque: no darker where points overlap
    assert chosen == pytest.approx([0.8, 0.0, 0.0])
    unselected = replace(look, selected=np.zeros(3, bool))
    assert unselected.layers()[0] == pytest.approx([0.8, 0.8, 0.0])
    assert replace(unselected, visible=np.ones(3, bool)).layers() == (0.8,)


def seen(cloud: Cloud) -> np.ndarray:
    """The picture's pixels on white, (h, w, 3), red first."""
    picture = cloud.picture(VIEW, moving=False)
    made = QImage(VIEW.shape[1], VIEW.shape[0], QImage.Format.Format_RGB32)
    made.fill(QColor("white"))
    painter = QPainter(made)
    draw_picture(painter, QPointF(), picture, 1.0)
    painter.end()
    pixels = np.frombuffer(made.constBits(), np.uint8).reshape(VIEW.shape[0], -1, 4)
    return pixels[:, : VIEW.shape[1], 2::-1].copy()


@pytest.mark.parametrize("dims", [2, 3])
def test_selected_points_lie_over_one_even_grey(dims):
    n, red = 400, (220, 30, 30)
    rgb = np.tile(np.array([[20, 60, 200]], np.uint8), (n, 1))
    rgb[:3] = red
    chosen = np.arange(n) < 3
    look = PointStyle(rgb, np.ones(n, bool), chosen, size=9.0, opacity=1.0, rest=(190, 190, 190))
    cloud = Cloud()
    cloud.set_look(look)
    cloud.show(np.random.default_rng(1).normal(0.0, 0.05, (n, dims)))  # all upon each other
    places, _ = cloud.positions(VIEW, np.arange(3))
    pixels, ids = seen(cloud), cloud.picture(VIEW, moving=False).ids
    for i, (x, y) in enumerate(places.astype(int)):
        assert tuple(pixels[y, x].tolist()) == pytest.approx(red, abs=2)
        assert ids[y, x] < 3, i
    others = (ids >= 3) & (cloud.picture(VIEW, moving=False).below.bgra[..., 3] == 255) & (pixels[..., 1] > 185)
    assert others.sum() > 200
    assert np.ptp(pixels[others].reshape(-1, 3), axis=0).max() <= 10
    assert not (pixels[..., 2].astype(int) > pixels[..., 0].astype(int) + 20).any()  # nothing keeps its blue


@pytest.mark.parametrize("dims", [2, 3])
def test_another_selection_of_many_points_places_none_anew(painted, dims):
    n = SMOOTH_LIMIT * 4 // 3
    cloud = cloud_of(n, dims)
    visible = np.arange(n) % 5 > 0
    cloud.set_look(replace(cloud.look, visible=visible))
    cloud.picture(VIEW, moving=False)
    for first in (0, 400, 9000):
        chosen = (np.arange(n) >= first) & (np.arange(n) < first + 700)
        cloud.set_look(replace(cloud.look, selected=chosen, opacity=0.4))
        after = cloud.picture(VIEW, moving=True)
    assert len(painted) == 1
    assert cloud.exact
    fresh = Cloud()
    fresh.set_look(cloud.look)
    fresh.show(cloud.points)
    expected = fresh.picture(VIEW, moving=False)
    assert len(painted) == 2
    assert np.array_equal(after.ids, expected.ids)
    xy, nearness = cloud.positions(VIEW)
    radius = float(np.median(point_radius(cloud.look.size, n) * nearness[after.dots.index]))
    colours, depth = cloud.look.colours, nearness if dims == 3 else None
    for layer, same, alpha in zip(after.layers, expected.layers, cloud.look.layers(), strict=True):
        alone = splat(xy, colours, alpha, radius, VIEW.shape, depth, smooth=False)
        assert np.array_equal(layer.bgra, same.bgra)
        assert np.abs(layer.bgra.astype(int) - alone.bgra).max() <= 1  # opaque where 0.995 was
    assert np.array_equal(after.ids, np.where(alone.ids >= 0, alone.ids, after.below.ids))
    cloud.set_look(replace(cloud.look, selected=np.zeros(n, dtype=bool)))
    assert len(cloud.picture(VIEW, moving=True).layers) == 1
    assert len(painted) == 2


def test_a_selection_of_another_colour_scheme_places_nothing_anew(painted):
    cloud = cloud_of(60)
    cloud.set_look(replace(cloud.look, selected=np.arange(60) < 5))
    cloud.picture(VIEW, moving=False)
    before = len(painted)
    cloud.set_look(replace(cloud.look, rest=(70, 70, 70)))  # another theme
    after = cloud.picture(VIEW, moving=False)
    assert len(painted) == before
    assert tuple(after.below.bgra[after.below.bgra[..., 3] == 255][0, :3]) == (70, 70, 70)


def test_rings_for_up_to_twenty_selected_points():
    look = look_of(60)
    for n, rings in ((0, 0), (1, 1), (RINGED, RINGED), (RINGED + 1, 0)):
        assert len(replace(look, selected=np.arange(60) < n).ringed) == rings
    hidden = replace(look, selected=np.arange(60) < 4, visible=np.arange(60) != 2)
    assert hidden.ringed.tolist() == [0, 1, 3]


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_exported_pictures_draw_a_selection_as_the_window_does(app, tmp_path, ending):
    data, rest = small_data(), QColor(*REST["light"]).name()
    points = np.random.default_rng(0).uniform(-0.9, 0.9, (data.n_samples, 2))
    tile = Tile("A picture", points, ("ψ₁", "ψ₂"), "")
    rgb, every = point_colours(None, data.n_samples, "light"), np.ones(data.n_samples, dtype=bool)
    found = {}
    for chosen in ((), tuple(range(30))):
        selected = np.isin(np.arange(data.n_samples), chosen)
        look = PointStyle(rgb, every, selected, 5.0, 0.9, None, REST["light"])
        path = tmp_path / f"{len(chosen)}.{ending}"
        write_picture(Sheet("Title", "", (tile,), None, look, chosen), path, scale=1.0)
        image = QImage(str(path)) if ending == "png" else None
        grey = image is None and rest in path.read_text("utf-8")
        found[len(chosen)] = grey or (
            image is not None
            and any(image.pixelColor(x, y).name() == rest for x in range(image.width()) for y in range(image.height()))
        )
    assert found == {0: False, 30: True}


def test_six_clouds_that_move_share_the_points_of_one_frame(painted):
    n = 100_000
    cloud = cloud_of(n, companions=6)
    share = cloud_module.MOVING_POINTS // 6
    moving = cloud.picture(VIEW, moving=True)
    assert not cloud.exact
    assert painted == [(share, False)]
    # Owners are samples, not places in the part that is shown; those that are selected as well.
    whole = cloud.look
    cloud.set_look(replace(whole, selected=cloud.points[:, 0] > 0.0))
    parted = cloud.picture(VIEW, moving=True)
    assert len(parted.layers) == 2
    assert cloud.look.selected[parted.owners].all()
    assert np.array_equal(parted.ids >= 0, moving.ids >= 0)
    assert len(np.unique(parted.ids)) > 0.1 * share
    cloud.set_look(whole)
    assert np.array_equal(cloud.picture(VIEW, moving=True).bgra, moving.bgra)
    rows, columns = np.nonzero(moving.ids >= 0)
    x, y = cloud.points[moving.ids[rows, columns]].T
    assert np.hypot(columns + 0.5 - 100 * (x + 1.2), rows + 0.5 - 100 * (1.0 - y)).max() < 3.5
    # The same points in the next frame: nothing flickers.
    shown = set(np.unique(moving.ids)) - {-1}
    moved = cloud.picture(replace(VIEW, left=-1.1), moving=True)
    assert len(shown ^ (set(np.unique(moved.ids)) - {-1})) < 0.2 * len(shown)
    assert painted[1:] == [(share, False)]
    # At rest all of them, exactly as if nothing had ever moved.
    rest = cloud.picture(VIEW, moving=False)
    assert cloud.exact
    assert painted[2:] == [(n, True)]
    fresh = Cloud()
    fresh.set_look(cloud.look)
    fresh.show(cloud.points)
    assert np.array_equal(rest.ids, fresh.picture(VIEW, moving=False).ids)


def test_few_points_are_exact_while_they_move(painted):
    cloud = cloud_of(2000, dims=3, companions=6)
    cloud.picture(VIEW, moving=True)
    assert cloud.exact
    cloud.picture(VIEW, moving=False)
    assert painted == [(2000, True)]


def test_more_points_move_as_dots_on_widget_pixels(painted):
    cloud = cloud_of(20_000, companions=6)
    fine = replace(VIEW, shape=(400, 480), ratio=2.0)
    assert cloud.picture(fine, moving=True).shape == (200, 240)
    assert not cloud.exact
    assert cloud.picture(fine, moving=False).shape == (400, 480)
    assert painted == [(20_000, False), (20_000, True)]


def test_hidden_points_are_not_shown_while_moving_either(monkeypatch):
    monkeypatch.setattr(cloud_module, "MOVING_POINTS", 500)
    cloud = cloud_of(1000)
    visible = np.arange(1000) % 3 > 0
    cloud.set_look(replace(cloud.look, visible=visible))
    seen = cloud.picture(VIEW, moving=True).ids
    assert visible[seen[seen >= 0]].all()


def test_points_glide_from_where_they_are():
    cloud = cloud_of(20)
    start = cloud.points.copy()
    goal = RNG.uniform(-0.9, 0.9, size=(20, 2))
    cloud.animate_to(goal)
    assert cloud.points == pytest.approx(start, abs=1e-6)
    assert cloud.advance(0.25)
    quarter = start + (1 - 0.75**3) * (goal - start)
    assert cloud.points == pytest.approx(quarter, abs=1e-6)
    # Sent elsewhere half way: no jump.
    cloud.animate_to(start)
    assert cloud.points == pytest.approx(quarter, abs=1e-6)
    assert not cloud.advance(2.0)
    assert cloud.points == pytest.approx(start, abs=1e-6)


def test_a_million_points_take_their_coordinates_in_single_precision(painted):
    cloud = cloud_of(1_000_000, dims=3)
    moving = cloud.picture(VIEW, moving=True)
    assert cloud.points.nbytes == 12_000_000
    resting = cloud.picture(VIEW, moving=False)
    assert 900_000 < resting.counts.sum() <= 1_000_000
    assert moving.counts.sum() == pytest.approx(resting.counts.sum(), rel=0.01)  # by as many as fit a frame
    assert not painted


# On the canvas ------------------------------------------------------------------------------------------------


@pytest.fixture
def shown(app, qtbot) -> Callable[..., EmbeddingCanvas]:
    def make(n: int, dims: int = 2) -> EmbeddingCanvas:
        canvas = EmbeddingCanvas()
        qtbot.addWidget(canvas, before_close_func=lambda c: KEPT.append(c))
        canvas.resize(300, 240)
        canvas.set_look(look_of(n))
        canvas.show_points(RNG.uniform(-0.9, 0.9, size=(n, dims)))
        with qtbot.waitExposed(canvas):
            canvas.show()
        return canvas

    return make


KEPT: list[EmbeddingCanvas] = []
"""Closed, not destroyed: a pyqtgraph view that is destroyed early corrupts memory now and then."""


def test_what_moved_is_painted_in_full_once_it_rests(shown, painted, qtbot, monkeypatch):
    monkeypatch.setattr(cloud_module, "MOVING_POINTS", 100)
    canvas = shown(1000, dims=3)
    qtbot.waitUntil(lambda: not canvas.moving and canvas.cloud.exact, timeout=PATIENCE_MS)
    painted.clear()
    for _ in range(3):
        canvas.set_camera(canvas.camera.turned(0.1, 0.0))
        canvas.viewport().repaint()
    assert painted == [(100, True)] * 3
    assert canvas.moving
    qtbot.waitUntil(lambda: canvas.cloud.exact, timeout=PATIENCE_MS)
    assert painted[3:] == [(1000, True)]
    assert not canvas.moving


def test_pointing_and_the_lasso_see_every_point_while_moving(shown, monkeypatch):
    monkeypatch.setattr(cloud_module, "MOVING_POINTS", 1)
    canvas = shown(200)
    for index in (3, 77, 150):
        canvas.set_camera(canvas.camera)
        canvas.cloud.changed()
        canvas.viewport().repaint()
        place = canvas.position_of(index)
        found = canvas.position_of(canvas.point_at(place))
        assert (found - place).manhattanLength() < 2
    canvas.cloud.changed()
    canvas._path = [QPointF(0, 0), QPointF(0, 240), QPointF(300, 240), QPointF(300, 0)]
    assert canvas.inside_outline().tolist() == list(range(200))
    canvas._path = []


def test_a_selection_of_many_points_is_exact_at_once(shown, painted, qtbot, monkeypatch):
    monkeypatch.setattr(cloud_module, "MOVING_POINTS", 1000)
    n = SMOOTH_LIMIT + 10
    canvas = shown(n)
    qtbot.waitUntil(lambda: not canvas.moving and canvas.cloud.exact, timeout=PATIENCE_MS)
    painted.clear()
    canvas.set_look(replace(canvas.cloud.look, selected=np.arange(n) < 500))
    assert not canvas.moving
    canvas.viewport().repaint()
    assert canvas.cloud.exact
    assert not painted
    canvas.set_look(replace(canvas.cloud.look, size=9.0))
    assert canvas.moving


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_points_are_where_they_should_be_on_displays_with_several_pixels(shown, monkeypatch, ratio):
    canvas = shown(1)
    look = PointStyle(np.array([[255, 0, 0]], np.uint8), np.ones(1, bool), np.zeros(1, bool), size=12.0, opacity=1.0)
    canvas.set_look(look)
    canvas.show_points(np.array([[0.5, -0.4]]))
    monkeypatch.setattr(EmbeddingCanvas, "devicePixelRatioF", lambda self: ratio)
    image = QImage(int(300 * ratio), int(240 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("white"))
    painter = QPainter(image)
    canvas._item.paint(painter)
    painter.end()
    bits = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
    rows, columns = np.nonzero(bits[..., 1] < 128)
    place = canvas.position_of(0) * ratio
    assert (columns.mean() + 0.5, rows.mean() + 0.5) == pytest.approx((place.x(), place.y()), abs=0.6)
    assert len(rows) == pytest.approx(np.pi * (6 * ratio) ** 2, rel=0.05)


def test_the_names_of_the_axes_say_what_they_mean_where_they_stand(app):
    corner, middle = QPointF(20, 190), QPointF(100, 100)
    plain, turned = ("ψ₁", "ψ₂"), ("≈ ψ₁", "≈ ψ₂")
    assert axes_tip(plain, middle, 200) == axes_tip((), corner, 200) == ""
    assert "ψ₁, ψ₂" in axes_tip(plain, corner, 200)
    assert "≈" not in axes_tip(plain, corner, 200)
    assert "mixes coordinates" in axes_tip(turned, corner, 200)


def test_the_pointer_at_the_axes_gets_their_meaning(app, qtbot):
    canvas = EmbeddingCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(300, 200)
    canvas.show()
    canvas.show_points(np.random.default_rng(0).uniform(-1, 1, (20, 2)), ("≈ ψ₁", "≈ ψ₂"), animate=False)
    canvas._hover(QPointF(20, 190))
    assert "mixes coordinates" in canvas.viewport().toolTip()
    canvas._hover(QPointF(150, 100))
    assert canvas.viewport().toolTip() == ""
