"""Blobs, rings, squares and spiral classes against their definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mvexplorer import datasets


def centres(X: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.array([X[labels == k].mean(axis=0) for k in np.unique(labels)])


def test_blobs_have_thirty_samples_each() -> None:
    data = datasets.make_blobs()
    np.testing.assert_array_equal(data.labels, np.repeat(np.arange(6), 30))
    np.testing.assert_array_equal(data.latent["cluster"], data.labels)


@pytest.mark.parametrize("seed", range(5))
def test_blobs_lie_on_a_ring_but_for_one(seed: int) -> None:
    data = datasets.make_blobs(n_samples=30_000, random_state=seed)
    assert data.labels is not None
    for X, (anchor, moved) in zip(data.Xs, ((0, 1), (2, 3)), strict=True):
        middle = centres(X, data.labels)
        spread = X - middle[data.labels]
        np.testing.assert_allclose(np.cov(spread.T), 0.25**2 * np.eye(2), atol=0.002)
        assert np.linalg.norm(middle[moved] - middle[anchor]) == pytest.approx(0.5, abs=0.02)
        rest = np.delete(middle, moved, axis=0)
        np.testing.assert_allclose(np.linalg.norm(rest, axis=1), 1.5, atol=0.02)
        degrees = np.rad2deg(np.arctan2(rest[:, 1], rest[:, 0]))
        nearest = np.round(degrees / 60)
        assert np.abs(degrees - 60 * nearest).max() < np.rad2deg(0.15) + 0.5
        assert len(set(np.mod(nearest, 6))) == 5


def test_blobs_are_ordered_and_jittered_anew_in_each_view() -> None:
    orders, jitters, directions = set(), [], []
    for seed in range(120):
        data = datasets.make_blobs(n_samples=600, random_state=seed)
        assert data.labels is not None
        places = []
        for X, (anchor, moved) in zip(data.Xs, ((0, 1), (2, 3)), strict=True):
            middle = centres(X, data.labels)
            degrees = np.rad2deg(np.arctan2(middle[:, 1], middle[:, 0]))
            nearest = np.round(degrees / 60)
            fixed = np.arange(6) != moved
            jitters += np.deg2rad(degrees - 60 * nearest)[fixed].tolist()
            places.append(tuple(np.mod(nearest, 6)[[4, 5]]))
            step = middle[moved] - middle[anchor]
            directions.append(math.atan2(step[1], step[0]))
        orders.add((places[0], places[0] == places[1]))
    assert len({place for place, _ in orders}) > 20  # of 30 ordered pairs
    assert {same for _, same in orders} >= {False}
    assert np.std(jitters) == pytest.approx(0.15 / math.sqrt(3), abs=0.01)
    assert abs(np.mean(np.exp(1j * np.array(directions)))) < 0.2  # every direction alike


def test_circles_share_their_angles_and_nothing_else() -> None:
    data = datasets.make_circles(n_samples=20_000)
    np.testing.assert_array_equal(data.labels, np.repeat(np.arange(4), 5000))
    ring, angle = data.latent["ring"], data.latent["angle"]
    noise = []
    for X, moved, there in zip(data.Xs, (1, 3), ((1, 0), (1, 6)), strict=True):
        middle = [(0, 0), (6, 0), (0, 6), (6, 6)]
        middle[moved] = there
        clean = np.array(
            [(middle[k][0] + math.cos(a), middle[k][1] + math.sin(a)) for k, a in zip(ring, angle, strict=True)]
        )
        noise.append(X - clean)
        np.testing.assert_allclose(np.cov(noise[-1].T), 0.01 * np.eye(2), atol=3e-4)
    assert abs(np.corrcoef(noise[0].ravel(), noise[1].ravel())[0, 1]) < 0.02
    assert 0 <= angle.min() < angle.max() < 2 * np.pi
    sixths = np.histogram(angle, bins=6, range=(0, 2 * np.pi))[0] / len(angle)
    np.testing.assert_allclose(sixths, 1 / 6, atol=0.015)


def test_circles_default_sizes() -> None:
    data = datasets.make_circles()
    assert data.labels is not None
    assert np.bincount(data.labels).tolist() == [30] * 4


def test_two_squares_density() -> None:
    data = datasets.make_two_squares(n_samples=20_000)
    (X,), square = data.Xs, data.latent["square"]
    np.testing.assert_array_equal(data.labels, square)
    assert square.mean() == pytest.approx(0.8, abs=0.01)
    for k, corner in enumerate((0, 3)):
        inside = X[square == k] - corner
        assert inside.min() >= 0
        assert inside.max() <= 1
        # As many points in each of sixteen smaller squares.
        counts = np.histogram2d(*inside.T, bins=4, range=[(0, 1)] * 2)[0] / len(inside)
        np.testing.assert_allclose(counts, 1 / 16, atol=0.02)


def test_gaussian_pair_by_hand() -> None:
    """Centres scatter by `spread` about 0, and samples by 1 about the centre of their class."""
    many = [datasets.make_gaussian_pair(random_state=seed, spread=5.0) for seed in range(60)]
    means = np.array([[data.Xs[0][data.labels == k].mean(axis=0) for k in (0, 1)] for data in many])
    assert means.std() == pytest.approx(5.0, rel=0.1)
    assert np.abs(means.mean(axis=(0, 1))).max() < 1.5
    spread = [data.Xs[0][data.labels == k].std(axis=0).mean() for data in many for k in (0, 1)]
    assert np.mean(spread) == pytest.approx(1.0, abs=0.02)


def test_spiral_by_hand() -> None:
    many = [datasets.make_spiral_classes(random_state=seed) for seed in range(30)]
    noise = []
    for data in many:
        for i in (0, 150, 399):
            r = data.latent["r"][i]
            a = 6 * math.pi * r
            noise += (data.Xs[0][i] - (a * math.cos(a), a * math.sin(a), r**3 - r**2)).tolist()
    assert max(map(abs, noise)) < 2
    assert np.std(noise) == pytest.approx(0.4, rel=0.15)


def test_spiral_noise() -> None:
    data = datasets.make_spiral_classes(n_samples=8000)
    r = data.latent["r"]
    a = 6 * np.pi * r
    noise = data.Xs[0] - np.column_stack((a * np.cos(a), a * np.sin(a), r**3 - r**2))
    np.testing.assert_allclose(np.cov(noise.T), 0.16 * np.eye(3), atol=0.01)


@pytest.mark.parametrize("gap", [0.02, 0.04, 0.0])
def test_spiral_classes_leave_the_gaps_empty(gap: float) -> None:
    data = datasets.make_spiral_classes(n_samples=4000, gap=gap)
    r = data.latent["r"]
    np.testing.assert_array_equal(data.labels, np.repeat(np.arange(4), 1000))
    np.testing.assert_array_equal(data.latent["class"], data.labels)
    for k in range(4):
        own = r[data.labels == k]
        assert k / 4 <= own.min() < k / 4 + 0.002
        assert (k + 1) / 4 - gap - 0.002 < own.max() <= (k + 1) / 4 - gap
        assert own.std() == pytest.approx((0.25 - gap) / math.sqrt(12), rel=0.05)


def test_spiral_default_is_that_of_the_paper() -> None:
    data = datasets.make_spiral_classes()
    assert data.labels is not None
    assert np.bincount(data.labels).tolist() == [100] * 4
    own = [data.latent["r"][data.labels == k] for k in range(4)]
    assert all(low.max() <= high.min() - 0.02 for low, high in itertools.pairwise(own))
