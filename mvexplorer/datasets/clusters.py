"""Generated classes in the plane and in space: blobs, rings, two squares and a spiral cut into classes.

The constructions are those of Eynard, Glashoff, Bronstein and Bronstein, "Multimodal diffusion geometry by joint
diagonalization of Laplacians", arXiv:1209.2295 (table 1), of Salhov, Bermanis, Wolf and Averbuch, "Diffusion
representations", Applied and Computational Harmonic Analysis 45 (2018), section 6.1, and of Lindenbaum, Salhov,
Yeredor and Averbuch, "Gaussian bandwidth selection for manifold learning and classification", Data Mining and
Knowledge Discovery 34 (2020), section 4.2.2. N(0, s²) stands for the normal distribution of standard deviation s.
"""

from __future__ import annotations

import numpy as np

from mvexplorer.datasets.generators import generator, not_negative, shared_out
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.errors import ParameterError

BLOB_PAIRS = ((0, 1), (2, 3))
"""The two clusters that view 1, and view 2, cannot tell apart (blobs and circles)."""


def make_blobs(*, n_samples: int = 180, random_state: int = 0) -> MultiView:
    """Six round clusters, two of which overlap in one view and two others in the other ("Blobs" of table 1).

    Parameters
    ----------
    n_samples : int
        Number M of samples, at least 6, shared out evenly among the clusters.
    random_state : int
        Seed of centres and samples.

    Returns
    -------
    MultiView
        Two views (M, 2): in each view the centres lie 60 degrees apart, give or take .15 rad, on a circle of
        radius 1.5, in an order of its own, but those of a pair (`BLOB_PAIRS[view]`) are only .5 apart; the
        samples are N(centre, .25² I). Labels, and latent `cluster`: the cluster, 0 to 5.

    Examples
    --------
    >>> data = mvx.datasets.make_blobs(n_samples=120)
    >>> one, other, both = (mvx.metrics.knn_accuracy(X, data.labels).value for X in (*data.Xs, np.hstack(data.Xs)))
    >>> max(one, other) < both  # each view confuses two clusters that the other tells apart
    True
    """
    rng = generator(n_samples, random_state)
    n_blobs = 6
    cluster = shared_out(n_samples, n_blobs)
    views = []
    for anchor, moved in BLOB_PAIRS:
        angle = np.pi / 3 * rng.permutation(n_blobs) + rng.uniform(-0.15, 0.15, n_blobs)
        centres = 1.5 * _directions(angle)
        centres[moved] = centres[anchor] + 0.5 * _directions(rng.uniform(0, 2 * np.pi))
        views.append(centres[cluster] + 0.25 * rng.standard_normal((n_samples, 2)))
    return MultiView(views, labels=cluster, latent={"cluster": cluster})


def make_circles(*, n_samples: int = 120, random_state: int = 0) -> MultiView:
    """Four rings, two of which cross each other in one view and the other two in the other ("Circles" of table 1).

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples, at least 4, shared out evenly among the rings; seed of the angles and of the noise.

    Returns
    -------
    MultiView
        Two views (M, 2) of rings of radius 1 around (0, 0), (6, 0), (0, 6) and (6, 6); in view 1 the centre of
        ring 1 is (1, 0) and in view 2 that of ring 3 is (1, 6) instead. A sample has the same angle in both
        views, and noise N(0, .1²) of its own in each. Labels, and latent `ring`: 0 to 3; latent `angle`
        (radians, uniform on [0, 2π)).

    Examples
    --------
    >>> data = mvx.datasets.make_circles(n_samples=400)
    >>> [X[data.labels == 1].mean(axis=0).round().astype(int).tolist() for X in data.Xs]  # it crosses ring 0 in view 1
    [[1, 0], [6, 0]]
    """
    rng = generator(n_samples, random_state)
    ring = shared_out(n_samples, 4)
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    views = []
    for anchor, moved in BLOB_PAIRS:
        centres = np.array([(0.0, 0.0), (6.0, 0.0), (0.0, 6.0), (6.0, 6.0)])
        centres[moved] = centres[anchor] + (1.0, 0.0)
        views.append(centres[ring] + _directions(angle) + 0.1 * rng.standard_normal((n_samples, 2)))
    return MultiView(views, labels=ring, latent={"ring": ring, "angle": angle})


def make_two_squares(*, n_samples: int = 2000, random_state: int = 0) -> MultiView:
    """Points in two squares, one four times as dense as the other, (6.1).

    Parameters
    ----------
    n_samples : int
        Number M of samples.
    random_state : int
        Seed of squares and positions.

    Returns
    -------
    MultiView
        One view (M, 2), uniform on [0, 1]² with probability .2 and on [3, 4]² with probability .8; labels, and
        latent `square`: 0 (the first) and 1.

    Examples
    --------
    >>> data = mvx.datasets.make_two_squares(n_samples=500)
    >>> round(float(data.labels.mean()), 1)  # the share of the dense square
    0.8
    """
    rng = generator(n_samples, random_state)
    square = (rng.random(n_samples) >= 0.2).astype(np.int64)
    points = rng.random((n_samples, 2)) + 3 * square[:, None]
    return MultiView({"points": points}, labels=square, latent={"square": square})


def make_spiral_classes(*, n_samples: int = 400, random_state: int = 0, gap: float = 0.02) -> MultiView:
    """A noisy spiral cut into four classes by gaps, (4.6).

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples, at least 4, shared out evenly among the classes; seed of the positions and of the noise.
    gap : float
        Length G of the gap after each class, 0 <= G < .25; the whole line has length 1.

    Returns
    -------
    MultiView
        One view (M, 3), the line r in [0, 1] rolled up to (6πr cos 6πr, 6πr sin 6πr, r³ - r²) plus N(0, .4² I);
        labels, and latent `class`: 0 to 3, class l uniform on [l/4, (l+1)/4 - G]; latent `r`.

    Examples
    --------
    >>> data = mvx.datasets.make_spiral_classes(gap=0.1)
    >>> r, label = data.latent["r"], data.labels
    >>> bool(r[label == 1].min() - r[label == 0].max() > 0.1)  # nobody lies in the gap
    True
    """
    rng = generator(n_samples, random_state)
    n_classes = 4
    length = 1 / n_classes
    if not_negative(gap, "gap") >= length:
        raise ParameterError(f"A gap of {gap!r} leaves nothing of the classes.", f"Give a gap of less than {length:g}.")
    label = shared_out(n_samples, n_classes)
    r = length * label + (length - gap) * rng.random(n_samples)
    angle = 6 * np.pi * r
    curve = np.column_stack((angle * np.cos(angle), angle * np.sin(angle), r**3 - r**2))
    points = curve + 0.4 * rng.standard_normal(curve.shape)
    return MultiView({"spiral": points}, labels=label, latent={"class": label, "r": r})


def make_gaussian_pair(*, n_samples: int = 200, random_state: int = 0, spread: float = 3.0) -> MultiView:
    """Two Gaussian classes in six dimensions, section 4.2.1.

    Parameters
    ----------
    n_samples, random_state : int
        Number M of samples, shared out evenly among the classes; seed of the centres and of the samples.
    spread : float
        Standard deviation of the centres' coordinates, >= 0; that of the samples about them is 1.

    Returns
    -------
    MultiView
        One view (M, 6); labels, and latent `class`: 0 and 1.

    Examples
    --------
    >>> near, far = (mvx.datasets.make_gaussian_pair(spread=spread) for spread in (0.0, 3.0))
    >>> [mvx.metrics.knn_accuracy(data.Xs[0], data.labels).value > 0.9 for data in (near, far)]
    [False, True]
    """
    rng = generator(n_samples, random_state)
    centres = not_negative(spread, "spread") * rng.standard_normal((2, 6))
    label = shared_out(n_samples, 2)
    points = centres[label] + rng.standard_normal((n_samples, 6))
    return MultiView({"pair": points}, labels=label, latent={"class": label})


def _directions(angle: Array | float) -> Array:
    """Unit vectors (..., 2) at `angle` (radians) from the x axis."""
    return np.stack((np.cos(angle), np.sin(angle)), axis=-1)
