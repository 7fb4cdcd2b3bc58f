"""The point renderer against a naive one that goes through every pixel of every point."""

from __future__ import annotations

import numpy as np
import pytest

from mvexplorer.ui.cloud.picture import SMOOTH_LIMIT, Camera, point_at, point_radius, recoloured, splat


def naive(xy, rgb, alpha, radius, shape, order):
    """Coverage, owner and colour of every pixel, point by point in painting order."""
    h, w = shape
    rims, cores = np.full(shape, -1), np.full(shape, -1)
    clear = np.ones(shape)
    rows, columns = np.mgrid[0:h, 0:w] + 0.5
    for i in order:
        if alpha[i] <= 0:
            continue
        coverage = np.clip(radius[i] + 0.5 - np.hypot(columns - xy[i, 0], rows - xy[i, 1]), 0.0, 1.0)
        hit = coverage > 0.02
        rims[hit] = i
        cores[coverage >= 0.5] = i
        clear[hit] *= 1.0 - np.minimum(alpha[i] * coverage[hit], 0.995)
    ids = np.where(cores >= 0, cores, rims)
    opacity = np.where(ids >= 0, 1.0 - clear, 0.0)
    colour = np.where(ids[..., None] >= 0, rgb[ids], 0) * opacity[..., None]
    return ids, opacity, colour


def cloud(seed: int, n: int = 60, shape: tuple[int, int] = (50, 70)):
    rng = np.random.default_rng(seed)
    xy = rng.uniform([-3, -3], [shape[1] + 3, shape[0] + 3], size=(n, 2))
    return xy, rng.integers(0, 256, size=(n, 3)).astype(np.uint8), rng.uniform(0.1, 1.0, n), rng.uniform(1.0, 3.5, n)


@pytest.mark.parametrize("seed", range(5))
def test_every_pixel_is_that_of_the_naive_renderer(seed):
    xy, rgb, alpha, radius = cloud(seed)
    found = splat(xy, rgb, alpha, radius, (50, 70))
    ids, opacity, colour = naive(xy, rgb, alpha, radius, (50, 70), range(len(xy)))
    assert np.array_equal(found.ids, ids)
    assert np.abs(found.bgra[..., 3] - 255.0 * opacity).max() <= 1.0
    assert np.abs(found.bgra[..., 2::-1] - colour).max() <= 1.0


@pytest.mark.parametrize("seed", range(3))
def test_nearer_points_lie_on_top(seed):
    xy, rgb, _, radius = cloud(seed)
    depth = np.random.default_rng(seed + 100).uniform(0.5, 1.5, len(xy))
    alpha = np.full(len(xy), 0.9)
    found = splat(xy, rgb, alpha, radius, (50, 70), depth)
    assert np.array_equal(found.ids, naive(xy, rgb, alpha, radius, (50, 70), np.argsort(depth))[0])


def test_depth_decides_between_two_points_at_one_place():
    xy, rgb = np.array([[10.0, 10.0], [10.0, 10.0]]), np.array([[255, 0, 0], [0, 0, 255]], dtype=np.uint8)
    for depth, front in ((np.array([2.0, 1.0]), 0), (np.array([1.0, 2.0]), 1)):
        found = splat(xy, rgb, np.ones(2), 4.0, (20, 20), depth)
        assert found.ids[10, 10] == front
        assert tuple(found.bgra[10, 10, 2::-1]) == pytest.approx(tuple(rgb[front]), abs=2)


def test_points_of_no_opacity_are_neither_seen_nor_found():
    found = splat(np.array([[8.0, 8.0]]), np.zeros((1, 3), np.uint8), np.zeros(1), 4.0, (16, 16))
    assert not found.bgra.any()
    assert (found.ids == -1).all()


def test_colours_are_premultiplied_by_opacity():
    found = splat(np.array([[8.0, 8.0]]), np.array([[200, 100, 50]], np.uint8), np.array([0.5]), 4.0, (16, 16))
    assert tuple(found.bgra[8, 8]) == (25, 50, 100, 128)
    assert (found.bgra[..., :3] <= found.bgra[..., 3:]).all()


@pytest.mark.parametrize("place", [(-2.0, 5.0), (21.5, 5.0), (10.0, -2.0), (10.0, 11.5), (-1.0, -1.0)])
def test_points_at_the_edge_are_cut_off_there(place):
    xy, rgb, alpha, radius = np.array([place]), np.full((1, 3), 99, np.uint8), np.ones(1), np.array([4.0])
    found = splat(xy, rgb, alpha, radius, (10, 20))
    ids, *_ = naive(xy, rgb, alpha, radius, (10, 20), [0])
    assert np.array_equal(found.ids, ids)
    assert found.ids.max() == 0


@pytest.mark.parametrize("place", [(-500.0, 5.0), (5.0, 1e9), (np.inf, 5.0)])
def test_points_far_outside_leave_nothing(place):
    found = splat(np.array([place]), np.zeros((1, 3), np.uint8), np.ones(1), 4.0, (10, 20))
    assert (found.ids == -1).all()


def test_no_points_make_an_empty_picture():
    found = splat(np.zeros((0, 2)), np.zeros((0, 3), np.uint8), np.zeros(0), 3.0, (6, 9))
    assert found.ids.shape == (6, 9)
    assert not found.bgra.any()
    assert point_at(found, 4, 4) == -1


@pytest.mark.parametrize("n", [100_000, SMOOTH_LIMIT + 1])
def test_very_many_points_take_the_quick_path(n):
    rng = np.random.default_rng(0)
    xy = rng.uniform(0, 400, size=(n, 2))
    rgb = rng.integers(0, 256, size=(n, 3)).astype(np.uint8)
    found = splat(xy, rgb, np.full(n, 0.8), point_radius(5.0, n), (400, 400))
    seen = np.unique(found.ids[found.ids >= 0])
    assert len(seen) > 0.3 * n
    rows, columns = np.nonzero(found.ids >= 0)
    owner = found.ids[rows, columns]
    assert np.abs(np.column_stack([columns, rows]) + 0.5 - xy[owner]).max() <= 1.5 + 1e-4
    # Nearer points win here, too.
    depth = rng.uniform(size=n)
    top = splat(xy, rgb, np.full(n, 0.8), 0.6, (400, 400), depth).ids
    cell = np.floor(xy).astype(int)
    here = np.flatnonzero((cell[:, 0] == cell[0, 0]) & (cell[:, 1] == cell[0, 1]))
    assert top[cell[0, 1], cell[0, 0]] == here[np.argmax(depth[here])]


@pytest.mark.parametrize("radius", [0.6, 1.0, 1.4, 1.7, 2.0, 2.8, 5.0])
def test_dots_cover_what_a_disc_would(radius):
    """The owner of a pixel is the last point whose dot covers it, and opacities accumulate as those of discs do."""
    rng = np.random.default_rng(3)
    n, shape = 40, (50, 60)
    xy = rng.uniform([-3, -3], [63, 53], size=(n, 2))
    rgb = rng.integers(0, 256, size=(n, 3)).astype(np.uint8)
    found = splat(xy, rgb, np.full(n, 0.5), radius, shape, smooth=False)
    side = max(1, round(2 * radius))
    ids, clear = np.full(shape, -1), np.ones(shape)
    for i, (x, y) in enumerate(xy):
        left, top = np.floor(x - (side - 1) / 2), np.floor(y - (side - 1) / 2)
        for dy in range(side):
            for dx in range(side):
                column, row = int(left + dx), int(top + dy)
                inside = np.hypot(dx - (side - 1) / 2, dy - (side - 1) / 2) <= max(radius, 0.5)
                if inside and 0 <= column < shape[1] and 0 <= row < shape[0]:
                    ids[row, column] = i
                    clear[row, column] *= 0.5
    assert np.array_equal(found.ids, ids)
    assert np.abs(found.bgra[..., 3] - 255.0 * (1.0 - clear)).max() <= 1.0


def test_recoloured_is_what_painting_in_those_colours_gives():
    xy, rgb, alpha, radius = cloud(2)
    other = np.random.default_rng(9).integers(0, 256, size=rgb.shape).astype(np.uint8)
    again = recoloured(splat(xy, rgb, alpha, radius, (50, 70)), other)
    assert np.array_equal(again.bgra, splat(xy, other, alpha, radius, (50, 70)).bgra)


def test_every_separate_point_can_be_found_where_it_is():
    grid = np.stack(np.meshgrid(np.arange(10, 300, 12.0), np.arange(10, 200, 12.0)), axis=-1).reshape(-1, 2) + 0.3
    n = len(grid)
    found = splat(grid, np.zeros((n, 3), np.uint8), np.full(n, 0.9), point_radius(5.0, n), (210, 310))
    assert np.array_equal(np.unique(found.ids), np.arange(-1, n))
    assert [point_at(found, x, y) for x, y in grid] == list(range(n))


def test_point_at_takes_the_nearest_within_reach():
    xy = np.array([[20.0, 20.0], [34.0, 20.0]])
    found = splat(xy, np.zeros((2, 3), np.uint8), np.ones(2), 2.0, (40, 60))
    assert point_at(found, 25.0, 20.0) == 0
    assert point_at(found, 29.5, 20.0) == 1
    assert point_at(found, 20.0, 30.0) == -1
    assert point_at(found, 20.0, 30.0, reach=9) == 0
    assert point_at(found, -3.0, -3.0) == -1
    assert point_at(found, 500.0, 500.0) == -1


def test_forms_cover_about_the_same_area():
    areas = []
    for form in range(3):
        forms = np.array([form], dtype=np.uint8)
        made = splat(np.array([[20.0, 20.0]]), np.zeros((1, 3), np.uint8), np.ones(1), 8.0, (40, 40), markers=forms)
        areas.append(made.bgra[..., 3].sum() / 255)
    assert max(areas) / min(areas) < 1.08
    assert areas[0] == pytest.approx(np.pi * 64, rel=0.03)


# The camera ---------------------------------------------------------------------------------------------------


def test_a_camera_stays_a_rotation_however_often_it_turns():
    camera = Camera.default()
    for _ in range(500):
        camera = camera.turned(0.13, -0.07)
    assert np.abs(camera.rotation @ camera.rotation.T - np.eye(3)).max() < 1e-10
    assert np.linalg.det(camera.rotation) == pytest.approx(1.0)


def test_turning_there_and_back_changes_nothing():
    camera = Camera.default().turned(0.4, 0.0).turned(-0.4, 0.0)
    assert np.allclose(camera.rotation, Camera.default().rotation)


def test_flat_points_are_left_as_they_are():
    points = np.random.default_rng(0).normal(size=(9, 2))
    flat, nearness = Camera.default().project(points)
    assert np.array_equal(flat, points)
    assert (nearness == 1).all()


def test_perspective_is_that_of_an_eye_at_the_camera_distance():
    camera = Camera(np.eye(3), 4.0)
    points = np.array([[0.5, 0.25, 0.0], [0.5, 0.25, 1.0], [0.5, 0.25, -1.0]])
    flat, nearness = camera.project(points)
    assert np.allclose(nearness, [1.0, 4 / 3, 4 / 5])
    assert np.allclose(flat, points[:, :2] * nearness[:, None])


def test_dragging_to_the_right_brings_the_front_to_the_right():
    front = np.array([[0.0, 0.0, 1.0]])
    start = Camera(np.eye(3))
    assert start.turned(0.2, 0.0).project(front)[0][0, 0] > 0
    assert start.turned(0.0, 0.2).project(front)[0][0, 1] < 0  # y is up: dragging down takes the front down


def test_points_shrink_where_there_are_very_many():
    assert point_radius(5.0, 10) == point_radius(5.0, 4000) == 2.5
    assert 0.6 <= point_radius(5.0, 1_000_000) < point_radius(5.0, 100_000) < 2.5
