"""Touching rolls, the noisy roll, and sheets and doughnuts with a shared variable against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mvexplorer import datasets
from mvexplorer.datasets.surfaces import ROLL_TOUCHES


def length_by_steps(theta: float) -> float:
    """Length of r = θ + 1 from 1.5π on, by short chords."""
    angle = np.linspace(1.5 * np.pi, theta, 20_001)
    x, y = (angle + 1) * np.cos(angle), (angle + 1) * np.sin(angle)
    return float(np.hypot(np.diff(x), np.diff(y)).sum())


def test_touching_rolls_by_hand() -> None:
    data = datasets.make_touching_rolls()
    views = (((1.7 * math.pi, 4), (1, 1)), ((2.3 * math.pi, 16), (1.1, 0.95)))
    for X, ((theta_0, h_0), (a, b)) in zip(data.Xs, views, strict=True):
        s_0 = length_by_steps(theta_0)
        bulge = int(np.argmin((data.latent["theta"] - theta_0) ** 2 + 0.01 * (data.latent["h"] - h_0) ** 2))
        for i in (0, 123, 499, bulge):
            theta, h, s = (data.latent[name][i] for name in ("theta", "h", "s"))
            assert s == pytest.approx(length_by_steps(theta), abs=1e-4)
            away = ((s - s_0) ** 2 + (h - h_0) ** 2) / (0.7 * math.pi) ** 2
            r = theta + 1 + 1.8 * math.pi * math.exp(-away)
            np.testing.assert_allclose(X[i], (a * r * math.cos(theta), b * h, r * math.sin(theta)), atol=1e-3)
        assert np.hypot(X[bulge, 0] / a, X[bulge, 2]) - data.latent["theta"][bulge] > 4  # a bulge there is


@pytest.mark.parametrize("n_samples", [300, 500, 1000, 53])
def test_touching_rolls_fill_a_jittered_grid(n_samples: int) -> None:
    latent = datasets.make_touching_rolls(n_samples=n_samples).latent
    s, h = latent["s"], latent["h"]
    length = length_by_steps(4.5 * np.pi)
    cell = math.sqrt(20 * length / n_samples)
    rows = round(20 / cell)
    row = np.floor(h / 20 * rows).astype(int)
    counts = np.bincount(row)
    assert len(counts) == rows
    assert counts.max() - counts.min() <= 1
    for k in range(rows):
        columns = np.sort(s[row == k]) / length * counts[k]
        np.testing.assert_array_equal(np.floor(columns), np.arange(counts[k]))  # one point per cell
        assert np.abs(columns % 1 - 0.5).max() <= 0.35
    offsets = h / 20 * rows % 1 - 0.5
    assert np.abs(offsets).max() <= 0.35
    assert offsets.std() == pytest.approx(0.35 / math.sqrt(3), rel=0.15)
    assert latent["theta"].min() >= 1.5 * np.pi
    assert latent["theta"].max() <= 4.5 * np.pi
    assert 0.75 < (length / counts.max()) / (20 / rows) < 1.34 or n_samples < 100  # nearly square


def test_each_roll_touches_itself_at_a_place_of_its_own() -> None:
    data = datasets.make_touching_rolls(n_samples=2000)
    theta, h = data.latent["theta"], data.latent["h"]
    for touching, (theta_0, h_0) in enumerate(ROLL_TOUCHES):
        p, q = (int(np.argmin(25 * (theta - t) ** 2 + (h - h_0) ** 2)) for t in (theta_0, theta_0 + 2 * np.pi))
        apart = [np.linalg.norm(X[p] - X[q]) for X in data.Xs]
        assert apart[touching] < 2.5
        assert apart[1 - touching] > 5


def test_swiss_roll_without_noise() -> None:
    data = datasets.make_noisy_swiss_roll(noise=0)
    (X,), theta, h = data.Xs, data.latent["theta"], data.latent["h"]
    np.testing.assert_array_equal(X[:, 10:], 0)
    roll = np.array([(6 * a * math.cos(a), b, 6 * a * math.sin(a)) for a, b in zip(theta, h, strict=True)])
    projection, residual, rank, _ = np.linalg.lstsq(roll, X[:, :10], rcond=None)
    assert rank == 3
    assert residual.max() < 1e-15 * np.sum(X**2)
    assert projection.shape == (3, 10)
    for values, low, high in ((theta, 1.5 * math.pi, 4.5 * math.pi), (h, 0, 100)):
        assert low <= values.min() < values.max() <= high
        assert values.mean() == pytest.approx((low + high) / 2, rel=0.05)
        assert values.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.05)


def test_swiss_roll_noise_is_the_standard_deviation() -> None:
    clean, noisy = (datasets.make_noisy_swiss_roll(noise=v).Xs[0] for v in (0, 20))
    np.testing.assert_array_equal(noisy[:, :10], clean[:, :10])
    np.testing.assert_allclose(noisy[:, 10:].std(axis=0), 20, rtol=0.1)
    assert noisy[:, 10:].std() == pytest.approx(20, rel=0.02)
    np.testing.assert_array_equal(noisy, datasets.make_noisy_swiss_roll().Xs[0])


def test_swiss_roll_map_has_standard_normal_entries() -> None:
    entries = []
    for seed in range(60):
        data = datasets.make_noisy_swiss_roll(n_samples=20, random_state=seed)
        theta, h = data.latent["theta"], data.latent["h"]
        roll = np.column_stack((6 * theta * np.cos(theta), h, 6 * theta * np.sin(theta)))
        entries.append(np.linalg.lstsq(roll, data.Xs[0][:, :10], rcond=None)[0])
    assert np.mean(entries) == pytest.approx(0, abs=0.1)
    assert np.std(entries) == pytest.approx(1, rel=0.05)


def sheets(z: float, e: float, h: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (
        (z + 0.3 * e**2, e + 0.3 * math.sin(2 * z), 0.5 * e * z),
        (h + 0.5 * z**2, z - 0.5 * h, 0.3 * h**2),
    )


def test_shared_latent_by_hand() -> None:
    data = datasets.make_shared_latent()
    for i in (0, 200, 399):
        for X, expected in zip(data.Xs, sheets(*(data.latent[name][i] for name in "zeh")), strict=True):
            np.testing.assert_allclose(X[i], expected)
    for name, high in (("z", 1), ("e", 2), ("h", 2)):
        values = data.latent[name]
        assert 0 <= values.min() < values.max() <= high
        assert values.mean() == pytest.approx(high / 2, rel=0.1)
        assert values.std() == pytest.approx(high / math.sqrt(12), rel=0.1)
    correlation = np.corrcoef([data.latent[name] for name in "zeh"])
    assert np.abs(correlation - np.eye(3)).max() < 0.15


def test_bursts_are_noisy_copies_that_agree_on_z() -> None:
    data = datasets.make_shared_latent()
    assert data.bursts is not None
    assert [burst.shape for burst in data.bursts] == [(400, 40, 3)] * 2
    first, second = data.bursts
    # The sheets are solved for their variables: y gives (z, h), then x gives e.
    clear = data.latent["h"] > 0.4  # where only the positive root of the square is meant
    first, second = first[clear], second[clear]
    h = np.sqrt(second[..., 2] / 0.3)
    z = second[..., 1] + 0.5 * h
    np.testing.assert_allclose(second[..., 0], h + 0.5 * z**2, atol=1e-9)
    e = first[..., 1] - 0.3 * np.sin(2 * z)
    # The same z belongs to both views.
    np.testing.assert_allclose(first[..., 0], z + 0.3 * e**2, atol=1e-9)
    np.testing.assert_allclose(first[..., 2], 0.5 * e * z, atol=1e-9)
    noise = {}
    for near, name, scale in ((z, "z", 0.02), (e, "e", 0.04), (h, "h", 0.04)):
        noise[name] = (near - data.latent[name][clear, None]).ravel()
        assert noise[name].std() == pytest.approx(scale, rel=0.03)
        assert abs(noise[name].mean()) < scale / 20
    assert np.abs(np.corrcoef(list(noise.values())) - np.eye(3)).max() < 0.05


def test_bursts_follow_the_seed() -> None:
    first, again, other = (datasets.make_shared_latent(random_state=seed).bursts for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    np.testing.assert_array_equal(first[0], again[0])
    assert np.abs(first[0] - other[0]).max() > 0.1


@pytest.mark.parametrize("radius", [1.0, 0.0, 2.5])
def test_tori_by_hand(radius: float) -> None:
    data = datasets.make_tori(own_radius=radius)
    angles = np.array([data.latent[name] for name in "zeh"])
    for i in (0, 300, 599):
        z, *own = (float(angle) for angle in angles[:, i])
        for X, a in zip(data.Xs, own, strict=True):
            shared = (math.cos(z), math.sin(z))
            np.testing.assert_allclose(X[i], (*shared, radius * math.cos(a), radius * math.sin(a)), atol=1e-14)
    assert angles.min() >= 0
    assert angles.max() <= 2 * math.pi
    counts = [np.histogram(angle, 6, (0, 2 * np.pi))[0] for angle in angles]
    assert np.abs(np.array(counts) - 100).max() < 35  # uniform
    assert np.abs(np.corrcoef(np.exp(1j * angles)) - np.eye(3)).max() < 0.12  # independent
