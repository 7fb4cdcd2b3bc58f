"""Scores of an embedding against a hidden variable, on all its coordinates or on those that are drawn.

`Y` is an array of coordinates (M, r), `values` or `angles` an array (M,). Samples without a value, or
without a place in the picture (NaN), are left out, also as neighbours.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.kernels.nearest import nearest_others
from mvexplorer.engine.metrics import FEWEST, Rows, Score
from mvexplorer.errors import DataError


def knn_r2(Y: Array, values: npt.ArrayLike, *, n_neighbors: int = 10) -> Score:
    """R² of k-NN regression, leave-one-out: how well its neighbours tell a sample's value.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    values : array (M,)
        A hidden variable, as numbers; samples without one (NaN, infinite) are left out.
    n_neighbors : int
        Neighbours whose mean predicts a value. The sample itself is not among them.

    Returns
    -------
    Score
        1 - Σ (y_i - ŷ_i)² / Σ (y_i - ȳ)²: 1 where every value is that of its neighbours, 0 where ŷ is no better than
        the mean, below 0 where it is worse. With its standard error over the samples.

    Raises
    ------
    DataError
        The values are no numbers, or all the same, or there are too few of them.

    Notes
    -----
    T. Hastie, R. Tibshirani, J. Friedman, *The Elements of Statistical Learning* (2009), sections 2.3.2 and 7.10.

    Examples
    --------
    >>> u = np.linspace(0.0, 1.0, 101)
    >>> round(mvx.metrics.knn_r2(np.column_stack([u, u**2]), u).value, 3)
    0.998
    """
    rows, y = _numbers(values, Y)
    residual = y - y[nearest_others(np.nan_to_num(Y[rows]), n_neighbors)].mean(axis=1)
    centred = y - y.mean()
    unexplained, variance = float(residual @ residual / (centred @ centred)), float(np.mean(centred**2))
    moves = (residual**2 - unexplained * centred**2) / variance  # how the ratio moves with each sample
    return Score(1.0 - unexplained, Score.over_samples(moves).spread)


def knn_resultant(Y: Array, angles: npt.ArrayLike, *, n_neighbors: int = 10) -> Score:
    """Mean resultant length of a hidden angle among each sample's neighbours: how far they agree on it.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    angles : array (M,)
        A hidden angle in radians; samples without one (NaN, infinite) are left out.
    n_neighbors : int
        Neighbours of a sample; the sample itself is not among them.

    Returns
    -------
    Score
        The mean over samples of ``|Σ_j exp(i θ_j)| / k`` over the k neighbours j: 1 where all have one angle, 0 where
        they are evenly spread round the circle. k random angles give about 0.89 / √k, for k = 10 0.28. With its
        standard error over the samples.

    Raises
    ------
    DataError
        The angles are no numbers, or all the same, or there are too few of them.

    Notes
    -----
    K. V. Mardia, P. E. Jupp, *Directional Statistics* (2000), section 2.3.1.

    Examples
    --------
    >>> a = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    >>> round(mvx.metrics.knn_resultant(np.column_stack([np.cos(a), np.sin(a)]), a).value, 3)
    0.995
    """
    rows, radians = _numbers(angles, Y)
    directions = np.exp(1j * radians)[nearest_others(np.nan_to_num(Y[rows]), n_neighbors)]
    return Score.over_samples(np.abs(directions.mean(axis=1)))


def first_spearman(Y: Array, values: npt.ArrayLike) -> Score:
    """Rank correlation of the first coordinate with a hidden variable, its sign aside; ties share their mean rank.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates, of which the first is looked at.
    values : array (M,)
        A hidden variable, as numbers; samples without one (NaN, infinite) are left out.

    Returns
    -------
    Score
        Between 0 and 1; 1 where the first coordinate orders the samples as the variable does, or the other way round,
        and 0 where it is the same for all. With its standard error over the samples.

    Raises
    ------
    DataError
        The values are no numbers, or all the same.

    Notes
    -----
    C. Spearman, "The proof and measurement of association between two things" (1904).

    Examples
    --------
    >>> u = np.linspace(0.0, 1.0, 50)
    >>> round(mvx.metrics.first_spearman(-(u[:, None] ** 3), u).value, 12)
    1.0
    """
    with IMPORTS:
        from scipy.stats import rankdata

    rows, y = _numbers(values, Y)
    first, second = (rankdata(x) - 0.5 * (len(rows) + 1) for x in (np.nan_to_num(Y[rows, 0]), y))
    if not first.any():
        return Score(0.0)
    first, second = (x / np.sqrt(np.mean(x**2)) for x in (first, second))
    correlation = float(np.mean(first * second))
    moves = first * second - 0.5 * correlation * (first**2 + second**2)  # how it moves with each sample
    return Score(abs(correlation), Score.over_samples(moves).spread)


def ring_angles(Y: Array) -> tuple[Array, Array]:
    """Angles and radii of a planar curve round its middle.

    Parameters
    ----------
    Y : array (M, 2)
        Coordinates. They are centred, both axes scaled to equal range, and the range centred.

    Returns
    -------
    tuple of arrays (M,)
        The angles in radians, from -π to π, and the radii.

    Raises
    ------
    DataError
        There is only one coordinate.

    Examples
    --------
    >>> a = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    >>> angle, radius = mvx.metrics.ring_angles(np.column_stack([9.0 * np.cos(a), np.sin(a)]))
    >>> bool(np.allclose(angle % (2.0 * np.pi), a))
    True
    """
    if Y.shape[1] < 2:
        raise DataError(f"These numbers need 2 coordinates, and r is {Y.shape[1]}.", "Make r larger.")
    Y = np.asarray(Y, dtype=np.float64)[:, :2]
    Y = Y - Y.mean(axis=0)
    width = np.ptp(Y, axis=0)
    Y = Y / np.where(width > 0.0, width, 1.0)
    Y = Y - 0.5 * (Y.min(axis=0) + Y.max(axis=0))
    return np.arctan2(Y[:, 1], Y[:, 0]), np.hypot(Y[:, 0], Y[:, 1])


def ring_gap(Y: Array) -> Score:
    """The largest angle between neighbours on a ring, as it is drawn: a ring that is torn open has a large one.

    Parameters
    ----------
    Y : array (M, 2)
        The drawn coordinates.

    Returns
    -------
    Score
        In radians: 2π / M where samples are evenly round the ring, 2π where all lie in one direction. Lower is better.
        With its spread over random halves of the samples.

    Raises
    ------
    DataError
        There is only one coordinate.

    Examples
    --------
    >>> a = np.linspace(0.0, 1.5 * np.pi, 100)
    >>> mvx.metrics.ring_gap(np.column_stack([np.cos(a), np.sin(a)])).value > 1.0
    True
    """
    points = np.asarray(Y, dtype=np.float64)
    if not np.isfinite(points).any():
        raise DataError("No sample has coordinates here.", "Draw another picture.")
    points = np.nan_to_num(points[has_place(points)])
    return Score(_gap_of(points), _over_halves(_gap_of, points))


def _gap_of(Y: Array) -> float:
    angle = np.sort(ring_angles(Y)[0])
    return float(np.diff(np.concatenate([angle, [angle[0] + 2.0 * np.pi]])).max())


def ring_order(Y: Array, angles: npt.ArrayLike) -> Score:
    """How far the samples stand round a ring in the order of a hidden angle, either way round.

    Parameters
    ----------
    Y : array (M, 2)
        The drawn coordinates.
    angles : array (M,)
        A hidden angle in radians; samples without one (NaN, infinite) are left out.

    Returns
    -------
    Score
        The larger of ``|mean exp(2πi (rank of the place on the ring ∓ rank of the angle) / M)|``: 1 where the order is
        the same, about 1 / √M by chance. With its standard error, from random halves of the samples.

    Raises
    ------
    DataError
        The angles are no numbers, or all the same; or there is only one coordinate.

    Notes
    -----
    N. I. Fisher, A. J. Lee, "Nonparametric measures of angular-angular association" (1982).

    Examples
    --------
    >>> a = np.linspace(0.0, 2.0 * np.pi, 50, endpoint=False)
    >>> round(mvx.metrics.ring_order(np.column_stack([np.cos(a), -np.sin(a)]), a).value, 12)
    1.0
    """
    rows, radians = _numbers(angles, Y)
    points = np.nan_to_num(Y[rows])
    return Score(_order_of(points, radians), _over_halves(_order_of, points, radians))


def _order_of(Y: Array, angles: Array) -> float:
    with IMPORTS:
        from scipy.stats import rankdata

    place, truth = rankdata(ring_angles(Y)[0]), rankdata(angles)  # ties share their mean place, which tells nothing
    return float(max(abs(np.exp(2j * np.pi * (place - sign * truth) / len(Y)).mean()) for sign in (1, -1)))


def _over_halves(score: Callable[..., float], *of_samples: Array) -> float | None:
    """The s.d. of a score over random halves of the samples: about its standard error over all of them.

    Ranks depend on each other: how a score of them moves with single samples would tell too little.
    """
    n, rng, halves = len(of_samples[0]), np.random.default_rng(0), 40
    if n < FEWEST:
        return None
    parts = (rng.permutation(n)[: n // 2] for _ in range(halves))
    return float(np.std([score(*(each[rows] for each in of_samples)) for rows in parts], ddof=1))


def _numbers(values: npt.ArrayLike, Y: Array | None = None) -> tuple[Rows, Array]:
    """The samples (m,) that have a number, and a place in Y (M, r), and these numbers."""
    given = np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise DataError("The variable is not made of numbers.", "Classes are scored by nmi and knn_accuracy.")
    rows = np.flatnonzero(np.isfinite(given))
    rows = rows if Y is None else rows[has_place(Y[rows])]
    numbers = given[rows].astype(np.float64)
    if len(rows) == 0 or numbers.min() == numbers.max():
        raise DataError("The variable is the same for every sample.", "Scores need one that varies.")
    return rows, numbers
