"""Which coordinates say something new, and which are bends of those before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.bandwidth.curves import Connectivity, spanning_tree
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_whole
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import median_squared_distance, squared_distances
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.pipeline.magnitudes import to_unit
from mvexplorer.errors import DataError, ParameterError

ROWS = 1000
"""Samples that are looked at: with more, residuals hardly change."""
FLAT = 1e-11
"""A direction whose variance around a sample is below this part of the mean square has no slope: rounding is left."""
BEND = 0.2
"""Coordinates with a smaller residual count as bends. On strips 2 to 7 times as long as wide, noisy and not, more than
99 % of the bends lie below it (.06 at the median), and 96 % of the short sides above (.54 at the median)."""


@dataclass(frozen=True, eq=False)
class Independence:
    """How far each coordinate follows from those before it; computed by `independence`.

    `residuals` (r,) are 1 for the first, near 0 where a coordinate is a smooth function of those before it, about 1
    where it is independent of them; NaN where it is the same for all samples, or there are too few samples to tell.
    `n_samples` counts the samples that were looked at. `grouped` are bends that only tell groups of samples apart, far
    from each other: any coordinate that is level in each group follows from others that are.
    """

    residuals: Array
    n_samples: int
    grouped: tuple[int, ...] = ()

    @property
    def bends(self) -> tuple[int, ...]:
        """Positions of the coordinates that are bends of earlier ones, from 0."""
        return tuple(int(k) for k in np.flatnonzero(self.residuals < BEND))

    @property
    def harmonics(self) -> tuple[int, ...]:
        """The bends that tell of a shape: none from the first on that only tells groups apart, which have no slope."""
        first = min(self.grouped, default=len(self.residuals))
        return tuple(k for k in self.bends if k < first)

    def next_axis(self, after: int = 0) -> int | None:
        """Return the position of the next coordinate behind `after` that says something new; None if there is none."""
        new = np.flatnonzero(self.residuals[after + 1 :] >= BEND)
        return after + 1 + int(new[0]) if len(new) else None


def independence(
    Y: npt.ArrayLike, *, n_max: int = ROWS, random_state: int = 0, task: Task | None = None
) -> Independence:
    """Tell coordinates that open a new direction from those that only bend earlier ones.

    On a long strip the second eigenvector is the cosine of twice the first one's phase: it draws a horseshoe, and the
    short side comes later. Each coordinate is predicted from those before it, by a plane fitted around each sample
    without that sample.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates with their mean near 0, as eigenvectors beside the constant one have it. Samples with a NaN are
        left out.
    n_max : int
        Samples that are looked at; of more, a random part.
    random_state : int
        Seed of that part.
    task : Task, optional
        Can stop it.

    Returns
    -------
    Independence
        With `residuals` r_k = sqrt(Σ_i (φ_k(i) - φ̂_k(i))² / Σ_i φ_k(i)²), `bends`, `grouped` and `next_axis(after)`.

    Raises
    ------
    DataError
        Y is not a table, or has fewer than three samples.
    ParameterError
        `n_max` is no such number.

    Notes
    -----
    C. J. Dsilva, R. Talmon, R. R. Coifman, I. G. Kevrekidis, "Parsimonious representation of nonlinear dynamical
    systems through manifold learning" (2018), section 3.2. Weights are exp(-d²/ε), d the distance by the earlier
    coordinates and √ε a third of the median of d over all pairs, as the authors' program has it.

    Examples
    --------
    >>> x, y = np.meshgrid(np.linspace(0.0, 1.0, 60), np.linspace(0.0, 1.0, 12))
    >>> modes = [np.cos(np.pi * x), np.cos(2.0 * np.pi * x), np.cos(np.pi * y)]
    >>> result = mvx.independence(np.stack([mode.ravel() for mode in modes], axis=1))
    >>> result.bends, result.next_axis(0)
    ((1,), 2)
    """
    if not is_whole(n_max) or n_max < 3:
        raise ParameterError(f"A part of {n_max!r} samples tells nothing.", "Give a whole number of at least 3.")
    coordinates = np.asarray(Y, dtype=np.float64)
    if coordinates.ndim != 2 or len(coordinates) < 3:
        raise DataError("Independent coordinates need a table of at least three samples.", "Give an array (M, r).")
    placed = coordinates[np.isfinite(coordinates).all(axis=1)]
    part = placed[random_rows(len(placed), n_max, random_state)]
    task = task or Task()
    residuals, drawn = residuals_of(part, regression_epsilon, task), 2  # axes behind the first: nobody asks of others
    all_told = Independence(residuals, len(part))
    grouped = (k for k in all_told.bends if k <= drawn and _only_tells_groups(part[:, : k + 1], task))
    return replace(all_told, grouped=tuple(grouped))


def _only_tells_groups(Y: Array, task: Task) -> bool:
    """Whether samples lie in a few groups, and the last coordinate varies between these rather than within.

    Links between groups are several times as long as those within. A curve with gaps is in groups, too, but a harmonic
    runs up and down in each of them.
    """
    points = to_unit(Y - Y.mean(axis=0))
    tree = spanning_tree(squared_distances(points, task=task), task)
    lengths = _links_of_groups(tree)
    most, far = 10, 2.5  # groups, and how many times as long links between them are
    within_each, below = 0.7, 1.0 - 1e-9  # share of a harmonic's variance, and a little less than a length
    cuts = (between for between, within in pairwise(lengths[:most]) if between > far * within)
    return any(_share_within(points[:, -1], tree.pieces(cut**2 * below)) < within_each for cut in cuts)


def _share_within(y: Array, groups: npt.NDArray[np.intp]) -> float:
    """The share of the variance of y (n,) that lies within groups."""
    sizes = np.bincount(groups)
    means = np.bincount(groups, y) / sizes
    return float(np.square(y - means[groups]).sum() / max(np.square(y - y.mean()).sum(), np.finfo(float).tiny))


def _links_of_groups(tree: Connectivity) -> list[float]:
    """The lengths, falling, of the links of a spanning tree that join two groups of several samples each."""
    fewest, lengths = 5, list[float]()
    leader, size = np.arange(len(tree.nearest)), np.ones(len(tree.nearest), dtype=int)

    def find(i: int) -> int:
        while leader[i] != i:
            leader[i] = leader[leader[i]]
            i = int(leader[i])
        return i

    for squared, (i, j) in zip(tree.tree, tree.ends, strict=True):
        one, other = find(int(i)), find(int(j))
        if min(size[one], size[other]) >= fewest:
            lengths.append(float(np.sqrt(squared)))
        leader[other] = one
        size[one] += size[other]
    return lengths[::-1]


def regression_epsilon(squared: Array) -> float:
    """The regression's ε for squared distances (n, n): the square of their median root is their median."""
    narrow = 3.0  # The regression's √ε is the median distance divided by this.
    return median_squared_distance(squared) / narrow**2


def residuals_of(Y: Array, epsilon_of: Callable[[Array], float], task: Task) -> Array:
    """The residuals (r,) of coordinates (n, r); `epsilon_of` chooses the regression's ε from squared distances (n, n).

    It is an argument because other programs choose another one.
    """
    n, r = Y.shape
    Y = to_unit(Y)
    varies = np.ptp(Y, axis=0) > FLAT * np.abs(Y).max(axis=0, initial=0.0)
    residuals = np.full(r, np.nan)
    residuals[:1] = 1.0
    squared, work = np.zeros((n, n)), np.empty((n, n))
    for k in range(1, min(r, n - 2)):  # with fewer others than numbers to fit, a plane would tell everything
        task.checkpoint()
        np.subtract(Y[:, k - 1, None], Y[None, :, k - 1], out=work)
        squared += np.square(work, out=work)
        if varies[k]:
            y = to_unit(Y[:, k])
            missed = y - _predicted(_weights(squared, epsilon_of(squared), work), Y[:, :k], y)
            residuals[k] = np.sqrt((missed @ missed) / (y @ y))
    return np.where(varies, residuals, np.nan)


def _weights(squared: Array, epsilon: float, out: Array) -> Array:
    """Weights (n, n) of the other samples around each, the nearest one's 1: they only count relative to each other."""
    np.multiply(squared, -1.0 / epsilon, out=out)
    np.fill_diagonal(out, -np.inf)
    out -= out.max(axis=1, keepdims=True)
    return np.asarray(np.exp(out, out=out))


def _predicted(weights: Array, X: Array, y: Array) -> Array:
    """The value (n,) that a plane fitted around each sample has there: all planes from one product of moments."""
    n, p = X.shape
    Z = np.column_stack([X, y])
    Z = (Z - Z.mean(axis=0)) / np.where((size := Z.std(axis=0)) > 0.0, size, 1.0)
    a, b = np.triu_indices(p + 1)
    sums = weights @ np.column_stack([np.ones(n), Z, Z[:, a] * Z[:, b]])
    sums /= sums[:, :1]
    means, squares = sums[:, 1 : p + 2], np.empty((n, p + 1, p + 1))
    squares[:, a, b] = squares[:, b, a] = sums[:, p + 2 :]
    around = squares - means[:, :, None] * means[:, None, :]
    values, axes = np.linalg.eigh(around[:, :p, :p])
    sloped = values > FLAT * np.trace(squares, axis1=1, axis2=2)[:, None]
    along = np.einsum("iab,ia->ib", axes, around[:, :p, p]) * sloped / np.where(sloped, values, 1.0)
    offset = np.einsum("iab,ia->ib", axes, Z[:, :p] - means[:, :p])
    predicted: Array = (means[:, p] + (along * offset).sum(axis=1)) * (size[p] or 1.0) + y.mean()
    return predicted
