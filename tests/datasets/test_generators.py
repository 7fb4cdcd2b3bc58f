"""Each generator against its definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mvexplorer import datasets
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ParameterError

SHAPES: dict[str, tuple[list[tuple[int, int]], set[str]]] = {
    "make_helix_a": ([(600, 3)] * 2, {"a", "b"}),
    "make_helix_b": ([(600, 3)] * 2, {"a", "b"}),
    "make_gap_rolls": ([(600, 3)] * 2, {"u", "h", "theta1", "theta2"}),
    "make_rotated_rolls": ([(500, 3)] * 2, {"theta", "h"}),
    "make_gaussian_mixture": ([(600, 9)] * 2, {"cluster1", "cluster2"}),
    "make_coupled_circles": ([(700, 2)] * 2, {"angle", "radius"}),
    "make_toy_train": ([(200, 1200)] * 2, {"a", "b"}),
    "make_noisy_digits": ([(360, 64)] * 2, {"digit"}),
    "make_pendulums": ([(400, 200)] * 2, {"t", "u1", "u2", "u3", "u4"}),
    "make_rotating_icons": ([(300, 882)] * 3, {"t", "mario", "mushroom", "turtle", "flower"}),
    "make_rotated_digit": ([(320, 784)], {"angle"}),
    "make_blobs": ([(180, 2)] * 2, {"cluster"}),
    "make_circles": ([(120, 2)] * 2, {"ring", "angle"}),
    "make_two_squares": ([(2000, 2)], {"square"}),
    "make_gaussian_pair": ([(200, 6)], {"class"}),
    "make_spiral_classes": ([(400, 3)], {"class", "r"}),
    "make_touching_rolls": ([(500, 3)] * 2, {"theta", "h", "s"}),
    "make_noisy_swiss_roll": ([(1000, 20)], {"theta", "h"}),
    "make_shared_latent": ([(400, 3)] * 2, {"z", "e", "h"}),
    "make_tori": ([(600, 4)] * 2, {"z", "e", "h"}),
    "make_seismic_events": ([(108, 10_000)] * 3, {"t_P", "t_S", "f_P", "f_S", "amplitude_S", "size"}),
}
RANDOM = sorted(set(SHAPES) - {"make_helix_a", "make_helix_b"})


def maker(name: str) -> Callable[..., MultiView]:
    make: Callable[..., MultiView] = getattr(datasets, name)
    return make


def test_all_generators_are_offered() -> None:
    assert set(datasets.__all__) == set(SHAPES)


@pytest.mark.parametrize("name", SHAPES)
def test_default_shape_and_latent(name: str) -> None:
    shapes, latent = SHAPES[name]
    data = maker(name)()
    assert [X.shape for X in data.Xs] == shapes
    assert set(data.latent) == latent


@pytest.mark.parametrize("name", sorted(set(SHAPES) - {"make_toy_train", "make_noisy_digits"}))
@pytest.mark.parametrize("n_samples", [9, 53])
def test_any_number_of_samples_is_made(name: str, n_samples: int) -> None:
    data = maker(name)(n_samples=n_samples)
    assert data.n_samples == n_samples
    if data.labels is not None and name != "make_two_squares":  # whose classes are drawn, not shared out
        shares = {"make_seismic_events": (46 / 108, 62 / 108)}
        sizes = np.unique(data.labels, return_counts=True)[1]
        expected = n_samples * np.array(shares.get(name, np.full(len(sizes), 1 / len(sizes))))
        assert np.all(np.abs(sizes - expected) < 1)


@pytest.mark.parametrize("name", SHAPES)
def test_same_seed_same_numbers(name: str) -> None:
    make = maker(name)
    assert make(random_state=3).fingerprint == make(random_state=3).fingerprint


@pytest.mark.parametrize("name", RANDOM)
def test_other_seed_other_numbers(name: str) -> None:
    make = maker(name)
    assert make(random_state=0).fingerprint != make(random_state=1).fingerprint


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("keywords", [{"n_samples": 2}, {"n_samples": 30.5}, {"random_state": -1}])
def test_senseless_keywords_are_refused(name: str, keywords: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        maker(name)(**keywords)
    assert caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("make_rotated_rolls", {"variance": -1.0}),
        ("make_coupled_circles", {"variance": np.nan}),
        ("make_coupled_circles", {"variance": "much"}),
        ("make_gaussian_mixture", {"clusters": (0, 6)}),
        ("make_gaussian_mixture", {"clusters": (6,)}),
        ("make_toy_train", {"case": "lost"}),
        ("make_toy_train", {"n_samples": 21}),
        ("make_noisy_digits", {"n_samples": 361}),
        ("make_noisy_digits", {"shuffled": "rows"}),
        ("make_pendulums", {"specific": "case II"}),
        ("make_pendulums", {"specific": 1}),
        ("make_rotating_icons", {"setting": 3}),
        ("make_rotating_icons", {"setting": True}),
        ("make_rotating_icons", {"setting": [1]}),
        ("make_rotated_digit", {"variance": -0.1}),
        ("make_blobs", {"n_samples": 5}),
        ("make_circles", {"n_samples": 3}),
        ("make_spiral_classes", {"n_samples": 3}),
        ("make_gaussian_pair", {"spread": -1.0}),
        ("make_spiral_classes", {"gap": -0.01}),
        ("make_spiral_classes", {"gap": 0.25}),
        ("make_noisy_swiss_roll", {"noise": -1.0}),
        ("make_noisy_swiss_roll", {"noise": np.inf}),
        ("make_tori", {"own_radius": -1.0}),
        ("make_seismic_events", {"snr": 0}),
        ("make_seismic_events", {"snr": -1.5}),
        ("make_seismic_events", {"snr": "loud"}),
    ],
)
def test_own_keywords_are_checked(name: str, keywords: dict[str, Any]) -> None:
    with pytest.raises(ParameterError) as caught:
        maker(name)(**keywords)
    assert caught.value.message
    assert caught.value.hint


def test_helix_a_by_hand() -> None:
    data = datasets.make_helix_a()
    i = 450
    a = 2 * np.pi * i / 600
    b = a + np.pi / 2 - 2 * np.pi  # three quarters round: the modulus takes a turn away
    for X, p, z in zip(data.Xs, (a, b), (0.63 * a**2 - 0.1 * a**3, 0.63 * b - 0.1 * b**2), strict=True):
        x = 4 * np.cos(0.9 * p) + 0.3 * np.cos(20 * p)
        y = 4 * np.sin(0.9 * p) + 0.3 * np.sin(20 * p)
        np.testing.assert_allclose(X[i], (x, y, z), atol=1e-12)
    assert data.latent["a"][0] == 0
    assert data.latent["a"][-1] < 2 * np.pi


def test_helix_b_by_hand() -> None:
    data = datasets.make_helix_b(n_samples=8)
    np.testing.assert_allclose(data.Xs[0][4], (-4, 0, 4 * np.pi), atol=1e-12)
    np.testing.assert_allclose(data.Xs[1][7], (4 * np.cos(1.25 * np.pi), 4 * np.sin(1.25 * np.pi), np.pi))


def test_gap_rolls_run_at_constant_speed_but_for_the_gap() -> None:
    data = datasets.make_gap_rolls(n_samples=400)
    u = data.latent["u"]
    for X, name, cut in zip(data.Xs, ("theta1", "theta2"), (0.35, 0.65), strict=True):
        theta = data.latent[name]
        np.testing.assert_allclose(np.hypot(X[:, 0], X[:, 2]), theta)
        np.testing.assert_array_equal(X[:, 1], data.latent["h"])
        # Length of the spiral by fine steps, independent of the closed form.
        steps = 2_000_000
        grid = np.linspace(1.5 * np.pi, theta.max(), steps)
        length = np.concatenate(([0.0], np.cumsum(np.hypot(1, (grid[1:] + grid[:-1]) / 2) * np.diff(grid))))
        expected = 180 * u + np.where(u > cut, 9, 0)
        np.testing.assert_allclose(np.interp(theta, grid, length), expected, atol=1e-4)
    assert np.all(np.diff(u) >= 0)
    assert data.latent["h"].max() <= 8


def test_rotated_rolls_are_one_roll_without_noise() -> None:
    first, second = datasets.make_rotated_rolls(variance=0).Xs
    theta = 1.5 * np.pi * np.linspace(1, 3, 500)
    np.testing.assert_allclose(first[:, 0], 6 * theta * np.cos(theta))
    rotation = np.linalg.lstsq(first, second, rcond=None)[0]
    np.testing.assert_allclose(first @ rotation, second, atol=1e-8)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-10)


def test_rotated_rolls_noise_has_the_variance() -> None:
    clean = datasets.make_rotated_rolls(n_samples=4000, variance=0).Xs
    noisy = datasets.make_rotated_rolls(n_samples=4000, variance=4).Xs
    noise = [n - c for n, c in zip(noisy, clean, strict=True)]
    for each in noise:
        assert np.var(each) == pytest.approx(4, rel=0.05)
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.05


def test_mixture_clusters_and_spread() -> None:
    data = datasets.make_gaussian_mixture(n_samples=6000, clusters=(6, 3))
    assert data.labels is not None
    np.testing.assert_array_equal(np.bincount(data.labels), [1000] * 6)
    np.testing.assert_array_equal(np.bincount(data.latent["cluster2"]), [2000] * 3)
    centres = np.array([data.Xs[0][data.latent["cluster1"] == k].mean(axis=0) for k in range(6)])
    for k in range(3):
        members = data.Xs[1][data.latent["cluster2"] == k]
        np.testing.assert_allclose(members.mean(axis=0), centres[k], atol=0.25)
        assert np.var(members - members.mean(axis=0)) == pytest.approx(2, rel=0.06)


def test_mixture_centres_have_variance_eight() -> None:
    means = [
        datasets.make_gaussian_mixture(n_samples=60, random_state=seed).Xs[0][:10].mean(axis=0) for seed in range(200)
    ]
    assert np.var(means) == pytest.approx(8 + 0.2, rel=0.1)


def test_coupled_circles_shear() -> None:
    data = datasets.make_coupled_circles(variance=0)
    angle, radius = data.latent["angle"], data.latent["radius"]
    z = radius[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    first, second = (X - z for X in data.Xs)
    away = np.abs(z).min(axis=1) > 1e-9  # on the axes rounding decides
    np.testing.assert_allclose(first[away, 0], np.where(z[away, 1] > 0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(second[away, 1], np.where(z[away, 0] > 0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(first[:, 1], 0, atol=1e-12)
    np.testing.assert_allclose(second[:, 0], 0, atol=1e-12)
    np.testing.assert_array_equal(data.labels, [0] * 350 + [1] * 350)
    np.testing.assert_array_equal(radius, [2] * 350 + [4] * 350)


def test_train_moves_at_constant_speed() -> None:
    data = datasets.make_toy_train(case="clean")
    from mvexplorer.datasets.pictures import _phase

    p = _phase(data.latent["a"])
    track = np.column_stack((np.sin(p), 0.75 * np.sin(2 * p)))
    steps = np.linalg.norm(np.diff(track, axis=0), axis=1)
    assert steps.max() / steps.min() < 1.01  # chords in a bend are a little short


def test_train_first_wagon_is_where_the_camera_sees_it() -> None:
    data = datasets.make_toy_train(case="clean")
    row, column = np.mgrid[:30, :40]
    for X, azimuth, tilt in zip(data.Xs, (0.4, -0.9), (0.9, 0.8), strict=True):
        expected = np.zeros((30, 40))
        for wagon in range(8):
            x, y = np.sin(-0.11 * wagon), 0.75 * np.sin(-0.22 * wagon)
            x, y = x * np.cos(azimuth) - y * np.sin(azimuth), x * np.sin(azimuth) + y * np.cos(azimuth)
            s = 1 / (1 + 0.25 * y)
            squared = (column - 40 * (0.5 + 0.36 * x * s)) ** 2 + (row - 30 * (0.5 + 0.4 * tilt * y * s)) ** 2
            expected += (1 - 0.08 * wagon) * np.exp(-squared / (2 * (1.8 * s) ** 2))
        noise = X[0].reshape(30, 40) - expected
        assert np.abs(noise).max() < 0.06
        assert noise.std() == pytest.approx(0.01, rel=0.1)


def test_train_loses_frames_at_different_places() -> None:
    clean, data = datasets.make_toy_train(case="clean"), datasets.make_toy_train()
    kept = [[i for i in range(220) if i not in gone] for gone in (range(40, 60), range(140, 160))]
    for view in range(2):
        np.testing.assert_array_equal(data.Xs[view], clean.Xs[view][kept[view]])
    np.testing.assert_array_equal(data.latent["b"], clean.latent["b"][kept[1]])


def test_train_noise_frames() -> None:
    clean, data = datasets.make_toy_train(case="clean"), datasets.make_toy_train(case="noise")
    for view, first in enumerate((50, 150)):
        spoilt = np.zeros(220, dtype=bool)
        spoilt[first : first + 10] = True
        np.testing.assert_array_equal(data.Xs[view][~spoilt], clean.Xs[view][~spoilt])
        assert np.var(data.Xs[view][spoilt]) == pytest.approx(10, rel=0.05)
        assert set(data.columns["frame"][spoilt]) == {f"noise in view {view + 1}"}
    assert (data.columns["frame"] == "clean").sum() == 200


def test_train_thumbnail_shows_both_cameras() -> None:
    images = datasets.make_toy_train().images
    assert images is not None
    assert images.shape == (200, 30, 80)
    assert images[:, :, :40].max() > 200
    assert images[:, :, 40:].max() > 200


def test_noisy_digits_views() -> None:
    from sklearn.datasets import load_digits

    pixels, digits = load_digits(return_X_y=True)
    chosen = (digits == 2) | (digits == 3)
    clean = pixels[chosen] / 16
    data = datasets.make_noisy_digits()
    np.testing.assert_array_equal(data.labels, digits[chosen])
    assert np.var(data.Xs[0] - clean) == pytest.approx(0.5, rel=0.05)
    masked = data.Xs[1]
    assert np.all((masked == clean) | (masked == 0))
    assert np.mean(masked[clean > 0] == 0) == pytest.approx(0.5, abs=0.02)
    assert data.images is not None
    assert data.images.shape == (360, 8, 16)


def test_shuffled_digits_have_the_rows_of_one_view_elsewhere() -> None:
    paired, shuffled = datasets.make_noisy_digits(), datasets.make_noisy_digits(shuffled=True)
    np.testing.assert_array_equal(shuffled.Xs[0], paired.Xs[0])
    np.testing.assert_array_equal(shuffled.labels, paired.labels)
    rows = [tuple(sorted(map(tuple, data.Xs[1]))) for data in (paired, shuffled)]
    assert rows[0] == rows[1]
    assert np.mean((shuffled.Xs[1] == paired.Xs[1]).all(axis=1)) < 0.05


def test_fewer_digits_are_a_sample_of_all() -> None:
    data = datasets.make_noisy_digits(n_samples=50)
    assert data.n_samples == 50
    assert set(np.asarray(data.labels)) == {2, 3}
