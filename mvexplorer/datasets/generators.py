"""Generated data sets with known parameters: curves, swiss rolls, circles and clusters seen by two views.

The defaults are those of the published figures. "(56)" and the like are equation numbers of Lindenbaum,
Yeredor, Salhov and Averbuch, "Multi-view diffusion maps", Information Fusion 55 (2020).
N(0, v) stands for the normal distribution of variance v.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import MIN_SAMPLES, Array, MultiView
from mvexplorer.engine.core.params import is_bool, is_whole
from mvexplorer.errors import ParameterError

GAP_ROLL_CUTS = (0.35, 0.65)
_ROLL_START = 1.5 * np.pi


def make_helix_a(*, n_samples: int = 600, random_state: int = 0) -> MultiView:
    """Helix A, (56)-(57): one closed curve, whose ring each view breaks at another place.

    Parameters
    ----------
    n_samples : int
        Number M of samples, at the angles 2πi/M.
    random_state : int
        Accepted for uniformity; the curve has no random part.

    Returns
    -------
    MultiView
        Two views (M, 3); latent `a` and `b` = (a + π/2) mod 2π, the angles (radians) that drive the two.

    Examples
    --------
    >>> data = mvx.datasets.make_helix_a(n_samples=100)
    >>> [int(np.linalg.norm(X - np.roll(X, -1, axis=0), axis=1).argmax()) for X in data.Xs]  # before the widest step
    [99, 74]
    """
    a, b = _helix_angles(n_samples, random_state)

    def helix(p: Array, height: Array) -> Array:
        ring = (4 * np.cos(0.9 * p) + 0.3 * np.cos(20 * p), 4 * np.sin(0.9 * p) + 0.3 * np.sin(20 * p))
        return np.column_stack((*ring, height))

    first = helix(a, 0.1 * (6.3 * a**2 - a**3))
    second = helix(b, 0.1 * (6.3 * b - b**2))
    return MultiView([first, second], latent={"a": a, "b": b})


def make_helix_b(*, n_samples: int = 600, random_state: int = 0) -> MultiView:
    """Helix B, (58)-(59): two helices of five turns, cut open at different angles of the same ring.

    Parameters
    ----------
    n_samples : int
        Number M of samples, at the angles 2πi/M.
    random_state : int
        Accepted for uniformity; the curve has no random part.

    Returns
    -------
    MultiView
        Two views (M, 3); latent `a` and `b` = (a + π/2) mod 2π, the angles (radians) that drive the two.

    Examples
    --------
    >>> data = mvx.datasets.make_helix_b(n_samples=200)
    >>> single, multiview = (mvx.embed(data, method).coordinates for method in ("single", "multiview"))
    >>> mvx.metrics.ring_gap(single[:, :2]).value > 1.0, mvx.metrics.ring_gap(multiview[:, :2]).value < 0.5
    (True, True)
    """
    a, b = _helix_angles(n_samples, random_state)
    views = [np.column_stack((4 * np.cos(5 * p), 4 * np.sin(5 * p), 4 * p)) for p in (a, b)]
    return MultiView(views, latent={"a": a, "b": b})


def make_gap_rolls(*, n_samples: int = 600, random_state: int = 0) -> MultiView:
    """Two swiss rolls, each torn at a place where the other is whole (figure 1).

    Parameters
    ----------
    n_samples : int
        Number M of samples.
    random_state : int
        Seed of the positions on the sheet.

    Returns
    -------
    MultiView
        Two views (M, 3); latent `u` in [0, 1] (sorted, position along the roll), `h` in [0, 8] (height),
        `theta1` and `theta2` (radians). The gap, 9 units of arc length, lies at `GAP_ROLL_CUTS[view]`.

    Examples
    --------
    >>> data = mvx.datasets.make_gap_rolls(n_samples=200)
    >>> [round(float(data.latent["u"][np.diff(data.latent[t]).argmax()]), 2) for t in ("theta1", "theta2")]  # the gaps
    [0.34, 0.65]
    """
    rng = generator(n_samples, random_state)
    u = np.sort(rng.uniform(0, 1, n_samples))
    h = rng.uniform(0, 8, n_samples)
    thetas = [spiral_angle(180 * u + 9 * (u > cut)) for cut in GAP_ROLL_CUTS]
    views = [np.column_stack((theta * np.cos(theta), h, theta * np.sin(theta))) for theta in thetas]
    latent = {"u": u, "h": h, "theta1": thetas[0], "theta2": thetas[1]}
    return MultiView(views, view_names=("roll1", "roll2"), latent=latent)


def make_rotated_rolls(*, n_samples: int = 500, random_state: int = 0, variance: float = 1.0) -> MultiView:
    """A noisy swiss roll and a rotated copy with noise of its own, (53)-(54).

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples; seed of heights, rotation and noise.
    variance : float
        Variance of the noise of every coordinate of both views, >= 0.

    Returns
    -------
    MultiView
        Two views (M, 3); latent `theta` (radians) and `h` in [0, 100].

    Examples
    --------
    >>> roll, rotated = mvx.datasets.make_rotated_rolls(n_samples=50, variance=0.0).Xs
    >>> bool(np.allclose(roll @ roll.T, rotated @ rotated.T))  # without noise one is a rotation of the other
    True
    """
    rng = generator(n_samples, random_state)
    scale = noise_scale(variance)
    theta = _ROLL_START * np.linspace(1, 3, n_samples)
    h = rng.uniform(0, 100, n_samples)
    clean = np.column_stack((6 * theta * np.cos(theta), h, 6 * theta * np.sin(theta)))
    rotation, triangle = np.linalg.qr(rng.standard_normal((3, 3)))
    # With a positive diagonal the factor is the Gram-Schmidt one, uniform over all rotations and reflections.
    rotation = rotation * np.sign(np.diag(triangle))
    views = [clean + scale * rng.standard_normal((n_samples, 3)) for clean in (clean, clean @ rotation.T)]
    return MultiView(views, view_names=("roll", "rotated"), latent={"theta": theta, "h": h})


def make_gaussian_mixture(
    *, n_samples: int = 600, random_state: int = 0, clusters: Sequence[int] = (6, 6)
) -> MultiView:
    """Gaussian clusters in nine dimensions around centres that both views share (section 6.1.1).

    Parameters
    ----------
    n_samples : int
        Number M of samples, shared out evenly among the clusters of each view.
    random_state : int
        Seed of centres N(0, 8 I) and samples N(centre, 2 I).
    clusters : pair of int
        Clusters in view 1 and view 2, each 1 to M. With (6, 3) view 2 uses the first three centres of view 1,
        and samples are paired by their index.

    Returns
    -------
    MultiView
        Two views (M, 9); labels: the cluster in the view that has more of them; latent `cluster1` and
        `cluster2`.

    Examples
    --------
    >>> data = mvx.datasets.make_gaussian_mixture(n_samples=120, clusters=(6, 3))
    >>> [len(np.unique(data.latent[name])) for name in ("cluster1", "cluster2")]
    [6, 3]
    """
    rng = generator(n_samples, random_state)
    counts = tuple(clusters)
    if len(counts) != 2 or any(not is_whole(k) or not 1 <= k <= n_samples for k in counts):
        raise ParameterError(
            f"The clusters {clusters!r} are not two whole numbers between 1 and {n_samples}.",
            "Give the number of clusters of each view, for example (6, 3).",
        )
    centres = rng.normal(0, np.sqrt(8), (max(counts), 9))
    members = [np.arange(n_samples) * k // n_samples for k in counts]
    views = [centres[m] + rng.normal(0, np.sqrt(2), (n_samples, 9)) for m in members]
    latent = {"cluster1": members[0], "cluster2": members[1]}
    return MultiView(views, labels=members[int(np.argmax(counts))], latent=latent)


def make_coupled_circles(*, n_samples: int = 700, random_state: int = 0, variance: float = 0.03) -> MultiView:
    """Two rings; each view is sheared along another axis, (60)-(62).

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples: the first half on the ring of radius 2, the others on that of radius 4; seed of the noise.
    variance : float
        Variance of the noise of every coordinate, >= 0.

    Returns
    -------
    MultiView
        Two views (M, 2); labels 0 (inner ring) and 1; latent `angle` in [0, 2π) and `radius`.

    Examples
    --------
    >>> data = mvx.datasets.make_coupled_circles(n_samples=200, variance=0.0)
    >>> [X.max(axis=0).round().tolist() for X in data.Xs]  # one half of each view is moved by 1
    [[5.0, 4.0], [4.0, 5.0]]
    """
    rng = generator(n_samples, random_state)
    scale = noise_scale(variance)
    index = np.arange(n_samples)
    outer = index >= n_samples / 2
    angle, radius = 4 * np.pi * index / n_samples, np.where(outer, 4.0, 2.0)
    z = radius[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))
    first, second = (z + scale * rng.standard_normal(z.shape) for _ in range(2))
    first[:, 0] += z[:, 1] >= 0
    second[:, 1] += z[:, 0] >= 0
    latent = {"angle": np.mod(angle, 2 * np.pi), "radius": radius}
    return MultiView([first, second], labels=outer.astype(np.int64), latent=latent)


def generator(n_samples: int, random_state: int) -> np.random.Generator:
    """The random generator of a seed, after a check of both keywords of a `make_*`.

    ParameterError where `n_samples` is no whole number of at least three, or `random_state` none of at least 0.
    """
    if not is_whole(n_samples) or n_samples < MIN_SAMPLES:
        raise ParameterError(
            f"A data set of {n_samples!r} samples cannot be made.",
            f"Give n_samples as a whole number, at least {MIN_SAMPLES}.",
        )
    if not is_whole(random_state) or random_state < 0:
        raise ParameterError(f"The random state {random_state!r} is not a seed.", "Give a whole number, 0 or larger.")
    return np.random.default_rng(random_state)


def noise_scale(variance: float) -> float:
    """The standard deviation of noise, in data units; ParameterError where its variance is below 0."""
    return float(np.sqrt(not_negative(variance, "noise variance")))


def not_negative(value: float, what: str) -> float:
    """A value as a float; ParameterError, which calls it `what`, where it is no finite number of at least 0."""
    number = isinstance(value, int | float | np.number) and not is_bool(value)
    if not number or not np.isfinite(value) or value < 0:
        raise ParameterError(f"The {what} {value!r} is not usable.", "Give a number, 0 or larger.")
    return float(value)


def shared_out(n_samples: int, n_classes: int) -> npt.NDArray[np.int64]:
    """Classes (n_samples,), 0 .. n_classes - 1 in order; their sizes differ by one at most.

    ParameterError where there are fewer samples than classes.
    """
    if n_samples < n_classes:
        raise ParameterError(
            f"{n_samples} samples are too few for {n_classes} classes.", f"Give n_samples of at least {n_classes}."
        )
    return np.arange(n_samples) * n_classes // n_samples


def spiral_length(theta: npt.ArrayLike) -> Array:
    """The length of the spiral r = θ from its centre up to an angle in radians, of any shape."""
    angle = np.asarray(theta, dtype=np.float64)
    return 0.5 * (angle * np.hypot(1, angle) + np.arcsinh(angle))


def spiral_angle(length: npt.NDArray[np.float64], start: float = _ROLL_START) -> Array:
    """The angles θ >= start, in radians, up to which the spiral r = θ has run given lengths from `start` on."""
    target = length + spiral_length(start)
    # The start neglects only the logarithmic term, so that four steps of Newton's method reach rounding error.
    theta = np.sqrt(2 * target)
    for _ in range(6):
        theta = theta - (spiral_length(theta) - target) / np.hypot(1, theta)
    return theta


def _helix_angles(n_samples: int, random_state: int) -> tuple[Array, Array]:
    generator(n_samples, random_state)
    a = 2 * np.pi * np.arange(n_samples) / n_samples
    return a, np.mod(a + np.pi / 2, 2 * np.pi)
