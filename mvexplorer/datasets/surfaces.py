"""Generated surfaces: rolls that touch, a noisy roll among useless columns, sheets and doughnuts that share a variable.

The constructions are those of Eynard, Glashoff, Bronstein and Bronstein, "Multimodal diffusion geometry by joint
diagonalization of Laplacians", arXiv:1209.2295 (figures 1-3), of Lindenbaum, Salhov, Yeredor and Averbuch, "Gaussian
bandwidth selection for manifold learning and classification", Data Mining and Knowledge Discovery 34 (2020), section
4.1.1, and after Yair and Talmon, "Local canonical correlation analysis for nonlinear common variables discovery",
IEEE Transactions on Signal Processing 65 (2017). N(0, s²) stands for the normal distribution of standard deviation s.
"""

from __future__ import annotations

import numpy as np

from mvexplorer.datasets.generators import generator, not_negative, spiral_angle, spiral_length
from mvexplorer.engine.core.multiview import Array, MultiView

ROLL_TOUCHES = ((1.7 * np.pi, 4.0), (2.3 * np.pi, 16.0))
"""Angle θ (radians) and height h at which view 1, and view 2, bulges out and touches its next turn, at θ + 2π."""
_INNER, _OUTER = 1.5 * np.pi, 4.5 * np.pi


def make_touching_rolls(*, n_samples: int = 500, random_state: int = 0) -> MultiView:
    """Two swiss rolls of one sheet, each with a bulge that touches the next turn at another place (figures 1-3).

    Parameters
    ----------
    n_samples : int
        Number M of samples.
    random_state : int
        Seed of the positions on the sheet: a grid of nearly square cells, each point moved by up to .35 cell in
        both directions.

    Returns
    -------
    MultiView
        Two views (M, 3), slightly stretched differently; the bulges are at `ROLL_TOUCHES[view]`; latent `theta`
        in [1.5π, 4.5π] (radians), `h` in [0, 20] (height) and `s` (arc length along the roll without bulge,
        r = θ + 1, from θ = 1.5π).

    Examples
    --------
    >>> data = mvx.datasets.make_touching_rolls(n_samples=300)
    >>> theta, h = data.latent["theta"], data.latent["h"]
    >>> distances = [np.linalg.norm(X[:, None] - X, axis=2) for X in data.Xs]
    >>> nearest = [np.where(abs(theta - theta[:, None]) > np.pi, D, np.inf).min(axis=1).argmin() for D in distances]
    >>> (h[nearest] > 10.0).tolist()  # where one turn of the roll comes nearest to another
    [False, True]
    """
    rng = generator(n_samples, random_state)
    # The spiral r = θ + 1 is the spiral r = θ, turned, whose angle is one radian more.
    length = float(spiral_length(_OUTER + 1) - spiral_length(_INNER + 1))
    height = 20.0
    n_rows = max(1, round(np.sqrt(n_samples * height / length)))
    row = np.arange(n_samples) * n_rows // n_samples
    in_row = np.bincount(row, minlength=n_rows)
    column = np.arange(n_samples) - (np.cumsum(in_row) - in_row)[row]
    jitter = rng.uniform(-0.35, 0.35, (2, n_samples))
    s = length * (column + 0.5 + jitter[0]) / in_row[row]
    h = height * (row + 0.5 + jitter[1]) / n_rows
    theta = spiral_angle(s, _INNER + 1) - 1
    views = []
    stretch = ((1.0, 1.0), (1.1, 0.95))
    for (theta_0, h_0), (a, b) in zip(ROLL_TOUCHES, stretch, strict=True):
        s_0 = spiral_length(theta_0 + 1) - spiral_length(_INNER + 1)
        bulge = np.exp(-((s - s_0) ** 2 + (h - h_0) ** 2) / (0.7 * np.pi) ** 2)
        r = theta + 1 + 1.8 * np.pi * bulge
        views.append(np.column_stack((a * r * np.cos(theta), b * h, r * np.sin(theta))))
    return MultiView(views, view_names=("roll1", "roll2"), latent={"theta": theta, "h": h, "s": s})


def make_noisy_swiss_roll(*, n_samples: int = 1000, random_state: int = 0, noise: float = 20.0) -> MultiView:
    """A swiss roll under a random linear map into ten columns, beside ten columns of noise, (4.1)-(4.2).

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples; seed of positions, map and noise.
    noise : float
        Standard deviation σ_N of the columns of noise (data units), >= 0.

    Returns
    -------
    MultiView
        One view (M, 20): the columns 0-9 are Y N^T, where N (10, 3) has entries N(0, 1) and the rows of Y are
        (6θ cos θ, h, 6θ sin θ); the columns 10-19 are N(0, σ_N²). Latent `theta`, uniform on [1.5π, 4.5π]
        (radians), and `h`, uniform on [0, 100].

    Examples
    --------
    >>> data = mvx.datasets.make_noisy_swiss_roll(n_samples=200)
    >>> X, theta = data.Xs[0], data.latent["theta"]
    >>> [mvx.metrics.knn_r2(columns, theta).value > 0.5 for columns in (X[:, :10], X[:, 10:])]
    [True, False]
    """
    rng = generator(n_samples, random_state)
    scale = not_negative(noise, "noise")
    theta = rng.uniform(_INNER, _OUTER, n_samples)
    h = rng.uniform(0, 100, n_samples)
    roll = np.column_stack((6 * theta * np.cos(theta), h, 6 * theta * np.sin(theta)))
    image = roll @ rng.standard_normal((10, 3)).T
    X = np.hstack((image, scale * rng.standard_normal((n_samples, 10))))
    return MultiView({"roll": X}, latent={"theta": theta, "h": h})


def make_shared_latent(*, n_samples: int = 400, random_state: int = 0) -> MultiView:
    """Two curved sheets with one variable in common and one of their own each, with bursts around every sample.

    Parameters
    ----------
    n_samples : int
        Number M of samples.
    random_state : int
        Seed of the variables and of the bursts.

    Returns
    -------
    MultiView
        Two views (M, 3), x = (z + .3e², e + .3 sin 2z, .5ez) and y = (h + .5z², z - .5h, .3h²); latent `z`,
        uniform on [0, 1], common to both, and `e` (first view only) and `h` (second view only), uniform on
        [0, 2]; `bursts`: two arrays (M, 40, 3), 40 copies of each sample of either view with N(0, .02²) added
        to z, the same in both views, and N(0, .04²) to e and to h.

    Examples
    --------
    >>> data = mvx.datasets.make_shared_latent(n_samples=200)
    >>> {name: [mvx.metrics.knn_r2(X, data.latent[name]).value > 0.5 for X in data.Xs] for name in "zeh"}
    {'z': [True, True], 'e': [True, False], 'h': [False, True]}
    """
    rng = generator(n_samples, random_state)
    z = rng.uniform(0, 1, n_samples)
    e, h = rng.uniform(0, 2, (2, n_samples))
    n_copies = 40
    around = rng.standard_normal((3, n_samples, n_copies))
    near_z, near_e, near_h = (v[:, None] + s * n for v, s, n in zip((z, e, h), (0.02, 0.04, 0.04), around, strict=True))
    bursts = (_first_sheet(near_z, near_e), _second_sheet(near_z, near_h))
    return MultiView([_first_sheet(z, e), _second_sheet(z, h)], latent={"z": z, "e": e, "h": h}, bursts=bursts)


def _first_sheet(z: Array, e: Array) -> Array:
    return np.stack((z + 0.3 * e**2, e + 0.3 * np.sin(2 * z), 0.5 * e * z), axis=-1)


def _second_sheet(z: Array, h: Array) -> Array:
    return np.stack((h + 0.5 * z**2, z - 0.5 * h, 0.3 * h**2), axis=-1)


def make_tori(*, n_samples: int = 600, random_state: int = 0, own_radius: float = 1.0) -> MultiView:
    """Two doughnuts that share one angle: each view turns by it, and by an angle that the other view does not know.

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples; seed of the angles.
    own_radius : float
        Radius ρ of the circle of either view's own angle, >= 0; the circle of the shared angle has radius 1.

    Returns
    -------
    MultiView
        Two views (M, 4), (cos z, sin z, ρ cos e, ρ sin e) and the same with h in place of e; latent `z`, common to
        both, `e` (first view only) and `h` (second view only), independent and uniform on [0, 2π] (radians).

    Examples
    --------
    >>> data = mvx.datasets.make_tori(n_samples=200)
    >>> {name: [mvx.metrics.knn_resultant(X, data.latent[name]).value > 0.5 for X in data.Xs] for name in "zeh"}
    {'z': [True, True], 'e': [True, False], 'h': [False, True]}
    """
    rng = generator(n_samples, random_state)
    radius = not_negative(own_radius, "own_radius")
    z, e, h = rng.uniform(0, 2 * np.pi, (3, n_samples))
    shared = (np.cos(z), np.sin(z))
    views = [np.column_stack((*shared, radius * np.cos(own), radius * np.sin(own))) for own in (e, h)]
    return MultiView(views, latent={"z": z, "e": e, "h": h})
