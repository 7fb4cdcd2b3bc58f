"""The films against their definitions, pixel by pixel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mvexplorer import datasets
from mvexplorer.datasets import motion

# Names, and the bells (height, x, y, width) of the icons, as published.
SPEEDS = {"mario": 4, "mushroom": 6, "turtle": 10, "flower": 15}
BELLS = {
    "mario": [(1, 0.3, 0, 0.6)],
    "mushroom": [(1, 0.3, 0.1, 0.6), (0.3, -0.2, 0.3, 0.4)],
    "turtle": [(1, 0.25, 0, 0.7)],
    "flower": [(1, 0.3, 0, 0.5), (0.2, -0.3, -0.3, 0.3)],
}


def pendulum(u: float, pivot: float, row: int, column: int) -> float:
    """One pixel; the distance to the rod is searched for on a fine subdivision of it."""
    angle = 0.1 * u
    rod = min(
        math.dist((column, row), (pivot + k / 100 * math.sin(angle), k / 100 * math.cos(angle))) for k in range(1601)
    )
    bob = math.dist((column, row), (pivot + 16 * math.sin(angle), 16 * math.cos(angle)))
    return max(0.5 * math.exp(-(rod**2) / (2 * 1.6**2)), math.exp(-(bob**2) / (2 * 4.0**2)))


def icon(name: str, angle: float, row: int, column: int) -> float:
    """One pixel of an icon: the upright icon where the pixel was before the turn."""
    x, y = -1 + column / 10, -1 + row / 10
    x, y = x * math.cos(angle) + y * math.sin(angle), -x * math.sin(angle) + y * math.cos(angle)
    return sum(a * math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / w**2) for a, cx, cy, w in BELLS[name])


def test_pendulums_swing_at_their_frequencies() -> None:
    data = datasets.make_pendulums()
    for i in (0, 7, 250):
        t = 5 * i / 400
        fast, slow = math.cos(2 * math.pi * 1.6 * t), math.cos(2 * math.pi * t)
        expected = {
            "t": t,
            "u1": (slow + fast) / 2,
            "u2": (slow - fast) / 2,
            "u3": math.cos(2 * math.pi * 0.2 * t),
            "u4": math.cos(2 * math.pi * 4 * t),
        }
        assert {name: values[i] for name, values in data.latent.items()} == pytest.approx(expected, abs=1e-12)


def test_each_film_has_whole_periods_of_its_frequencies() -> None:
    latent = datasets.make_pendulums().latent
    for name, bins in {"u1": (5, 8), "u2": (5, 8), "u3": (1,), "u4": (20,)}.items():
        power = np.abs(np.fft.rfft(latent[name])) ** 2
        assert sorted(np.argsort(power)[-len(bins) :]) == list(bins)
        assert power[list(bins)].sum() == pytest.approx(power.sum())


@pytest.mark.parametrize("specific", [True, False])
def test_pendulum_frames_by_hand(specific: bool) -> None:
    data = datasets.make_pendulums(n_samples=40, specific=specific)
    assert ("u3" in data.latent) == specific
    assert data.images is not None
    assert data.images.shape == (40, 20, 80)
    for i in (3, 26):
        for view, (common, own) in enumerate((("u1", "u3"), ("u2", "u4"))):
            for row, column in ((0, 10), (8, 12), (16, 9), (19, 20), (15, 31), (3, 28), (5, 19)):
                if specific:
                    expected = max(
                        pendulum(data.latent[common][i], 10, row, column),
                        pendulum(data.latent[own][i], 29, row, column),
                    )
                else:
                    expected = pendulum(data.latent[common][i], 19.5, row, column)
                assert data.images[i, row, column + 40 * view] == pytest.approx(255 * expected, abs=0.51)


def test_projections_have_orthonormal_rows_and_differ() -> None:
    first, second = (motion._orthonormal_rows(rng) for rng in (np.random.default_rng(0), np.random.default_rng(1)))
    assert first.shape == (200, 800)
    np.testing.assert_allclose(first @ first.T, np.eye(200), atol=1e-12)
    assert np.abs(first - second).max() > 0.01
    # A random subspace: each pixel keeps a quarter of its energy, give or take chance.
    kept = (first**2).sum(axis=0)
    assert kept.mean() == pytest.approx(0.25)
    assert 0.1 < kept.min() < kept.max() < 0.45


def test_views_are_projections_of_the_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    def every_fourth_pixel(rng: np.random.Generator) -> np.ndarray:
        used.append(rng)
        return np.eye(800)[len(used) :: 4][:200]

    monkeypatch.setattr(motion, "_orthonormal_rows", every_fourth_pixel)
    data = datasets.make_pendulums()
    assert len(used) == 2  # a projection of its own for each view
    assert data.images is not None
    for view, X in enumerate(data.Xs):
        frames = data.images[:, :, 40 * view : 40 * (view + 1)].reshape(400, 800) / 255
        np.testing.assert_allclose(X, (frames @ np.eye(800)[view + 1 :: 4].T)[:, :200], atol=0.51 / 255)


def test_icons_turn_at_their_speeds() -> None:
    data = datasets.make_rotating_icons()
    np.testing.assert_array_equal(data.latent["t"], np.arange(300))
    for name, speed in SPEEDS.items():
        angle = data.latent[name]
        assert 0 <= angle.min() <= angle.max() < 2 * np.pi
        turned = np.exp(1j * (angle - angle[0]))
        np.testing.assert_allclose(turned, np.exp(1j * np.deg2rad(speed) * np.arange(300)), atol=1e-9)
    # The mushroom turns five times in the film, the others as often as their speeds say.
    turns = {name: int((np.diff(data.latent[name]) < 0).sum()) for name in SPEEDS}
    assert turns["mushroom"] == 5
    starts = [datasets.make_rotating_icons(random_state=seed).latent["mario"][0] for seed in range(60)]
    assert 2.6 < np.mean(starts) < 3.7
    assert max(starts) > 5.5


@pytest.mark.parametrize(
    ("setting", "films"),
    [
        (1, ["mario mushroom", "mushroom turtle", "mushroom flower"]),
        (2, ["mushroom mario turtle", "mushroom mario flower", "mushroom turtle flower"]),
    ],
)
def test_icons_pixel_by_pixel(setting: int, films: list[str]) -> None:
    data = datasets.make_rotating_icons(n_samples=30, setting=setting)
    assert len(data.Xs) == 3
    brightest = 0.0
    for X, film in zip(data.Xs, films, strict=True):
        names = film.split()
        pictures = X.reshape(30, 21, 21 * len(names))
        brightest = max(brightest, float(pictures.max()))
        for place, name in enumerate(names):
            for i in (0, 17):
                for row, column in ((10, 10), (0, 20), (13, 4), (7, 15)):
                    value = icon(name, data.latent[name][i], row, column)
                    assert pictures[i, row, 21 * place + column] == pytest.approx(value, abs=1e-12)
    assert data.images is not None
    assert data.images.shape == (30, 21, 63 * len(films[0].split()))
    side_by_side = np.concatenate([X.reshape(30, 21, -1) for X in data.Xs], axis=2) / brightest
    np.testing.assert_array_equal(data.images, np.round(255 * side_by_side))


def turned_by_hand(picture: np.ndarray, degrees: float) -> np.ndarray:
    """The square picture turned counter-clockwise about its middle, bilinear, black outside."""
    side = len(picture)
    middle, angle = (side - 1) / 2, math.radians(degrees)
    turned = np.zeros_like(picture)
    for row in range(side):
        for column in range(side):
            x, y = column - middle, row - middle
            source_x = middle + x * math.cos(angle) - y * math.sin(angle)
            source_y = middle + x * math.sin(angle) + y * math.cos(angle)
            left, top = math.floor(source_x), math.floor(source_y)
            if 0 <= source_x <= side - 1 and 0 <= source_y <= side - 1:
                right, bottom = min(left + 1, side - 1), min(top + 1, side - 1)
                fx, fy = source_x - left, source_y - top
                upper = (1 - fx) * picture[top, left] + fx * picture[top, right]
                lower = (1 - fx) * picture[bottom, left] + fx * picture[bottom, right]
                turned[row, column] = (1 - fy) * upper + fy * lower
    return turned


def test_digit_is_the_first_six_enlarged_and_turned() -> None:
    from sklearn.datasets import load_digits

    digits = load_digits()
    six = next(picture for picture, digit in zip(digits.images, digits.target, strict=True) if digit == 6) / 16
    upright = np.zeros((28, 28))
    for row in range(20):
        for column in range(20):
            # The corners of the small picture lie on the corners of the large one.
            y, x = row * 7 / 19, column * 7 / 19
            top, left = min(int(y), 6), min(int(x), 6)
            fy, fx = y - top, x - left
            upper = (1 - fx) * six[top, left] + fx * six[top, left + 1]
            lower = (1 - fx) * six[top + 1, left] + fx * six[top + 1, left + 1]
            upright[4 + row, 4 + column] = (1 - fy) * upper + fy * lower
    data = datasets.make_rotated_digit(variance=0)
    np.testing.assert_allclose(data.latent["angle"], [2 * math.pi * i / 320 for i in range(320)])
    np.testing.assert_allclose(data.Xs[0][0].reshape(28, 28), upright, atol=1e-12)
    for i in (33, 200):
        np.testing.assert_allclose(data.Xs[0][i].reshape(28, 28), turned_by_hand(upright, 360 * i / 320), atol=1e-9)
    np.testing.assert_allclose(data.Xs[0][80].reshape(28, 28), np.rot90(upright), atol=1e-9)
    assert data.images is not None
    np.testing.assert_array_equal(data.images[0], np.round(255 * upright))


def test_digit_noise_has_the_variance() -> None:
    clean, noisy = (datasets.make_rotated_digit(variance=v) for v in (0, 0.1))
    noise = noisy.Xs[0] - clean.Xs[0]
    assert np.var(noise) == pytest.approx(0.1, rel=0.02)
    assert abs(noise.mean()) < 0.005
    np.testing.assert_allclose(datasets.make_rotated_digit(variance=0.4).Xs[0] - clean.Xs[0], 2 * noise, atol=1e-12)
    assert noisy.images is not None
    assert noisy.images.shape == (320, 28, 28)
    np.testing.assert_array_equal(noisy.images[5].ravel(), np.round(255 * np.clip(noisy.Xs[0][5], 0, 1)))
