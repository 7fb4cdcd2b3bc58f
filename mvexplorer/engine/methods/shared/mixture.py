"""A density as a mixture of Gaussians in the unit ball, fitted by expectation-maximisation.

The steps are those of scikit-learn's GaussianMixture, whose own loop cannot be stopped and reports through Python's
warnings, which a worker thread cannot catch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral.eigenpairs import top_eigenpairs
from mvexplorer.errors import DataError

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class UnitBall:
    """Leading principal coordinates of a view, centred and scaled so that its samples fill the unit ball.

    Section 4 asks for it, and truncated representations depend on it. `axes` (D, m) are orthonormal principal
    directions from `centre` (D,); `radius` is the largest distance of a sample from the centre along the axes, in data
    units; `share` the part of the view's variance along the axes, 0 to 1.
    """

    centre: Array
    axes: Array
    radius: float
    share: float

    def place(self, X: Array) -> Array:
        """The rows of X (n, D) in the ball's coordinates (n, m)."""
        return (X - self.centre) @ self.axes / self.radius

    def epsilon(self, epsilon: float) -> float:
        """The bandwidth ε, given in squared data units, in those of the ball."""
        # Range of ε in the unit ball: beyond it nothing changes any more in double precision.
        smallest, largest = 1e-30, 1e30
        return min(max(epsilon / self.radius / self.radius, smallest), largest)


def unit_ball(X: Array, dimensions: int, task: Task) -> UnitBall:
    """The unit ball around the samples (M, D), in at most `dimensions` dimensions; DataError where squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        centre = X.mean(axis=0)
        centred = np.where(np.ptp(X, axis=0) > 0.0, X - centre, 0.0)
        size = float(np.abs(centred).max())
        if not np.isfinite(size * size * X.size):
            raise DataError("The numbers are too large to be squared.", "Rescale the view, or z-score it.")
    if size == 0.0:  # all samples are the same point
        return UnitBall(centre, np.eye(X.shape[1], 1), 1.0, 1.0)
    centred /= size
    total = float(np.square(centred).sum())
    values, axes = top_eigenpairs(
        lambda V: centred.T @ (centred @ V) / total, X.shape[1], min(dimensions, *X.shape), task
    )
    no_spread = 1e-12  # Principal directions with less than this part of the largest variance are rounding.
    kept = values > no_spread * values[0]
    axes = axes[:, kept]
    radius = size * float(np.sqrt(np.square(centred @ axes).sum(axis=1).max()))
    return UnitBall(centre, axes, radius, min(float(values[kept].sum()), 1.0))


@dataclass(frozen=True)
class Mixture:
    """The density q(r) = Σ_j a_j g(r; θ_j, Σ_j) of n Gaussians in m dimensions; diffusion representations, (3.1).

    `weights` (n,) are the a_j, of sum 1; `means` (n, m) the θ_j; `covariances` (n, m, m) the Σ_j, all the same where
    `tied`.
    """

    weights: Array
    means: Array
    covariances: Array
    tied: bool

    @property
    def n_components(self) -> int:
        """Number n of Gaussians."""
        return len(self.weights)

    @property
    def n_dimensions(self) -> int:
        """Number m of dimensions."""
        return int(self.means.shape[1])


def log_terms(X: Array, mixture: Mixture, smoothing: float = 0.0) -> Array:
    """log a_j g(x; θ_j, Σ_j + s I) at the rows of X (M, m), one column per Gaussian (M, n); s the smoothing."""
    out = np.empty((len(X), mixture.n_components))
    for j, (mean, covariance) in enumerate(zip(mixture.means, mixture.covariances, strict=True)):
        factor = cholesky(covariance, smoothing)
        out[:, j] = -0.5 * np.square(whiten_by(X - mean, factor)).sum(axis=1) + log_height(factor)
    # A Gaussian without samples keeps the smallest number as its weight, whose logarithm exists.
    out += np.log(np.maximum(mixture.weights, np.finfo(float).tiny))
    return out


def cholesky(covariance: Array, smoothing: float = 0.0) -> Array:
    """Lower triangular L (m, m) with L Lᵗ = Σ + s I."""
    return cast("Array", np.linalg.cholesky(covariance + smoothing * np.eye(len(covariance))))


def whiten_by(X: Array, factor: Array) -> Array:
    """L⁻¹x for the rows of X (M, m)."""
    return cast("Array", np.linalg.solve(factor, X.T).T)


def log_height(factor: Array) -> float:
    """log g(θ; θ, L Lᵗ): that of a Gaussian density at its mean; diffusion representations, (2.6)."""
    return float(-0.5 * len(factor) * np.log(2.0 * np.pi) - np.log(np.diag(factor)).sum())


def log_sum(terms: Array) -> Array:
    """log Σ_j exp(terms), row by row, (M,)."""
    top = terms.max(axis=1)
    return cast("Array", top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))


def lexicographic_order(X: Array) -> Indices:
    """The order (M,) of the rows of X by their first column, among equals by the second, and so on."""
    count = 1
    while True:
        order = np.lexsort(X[:, :count].T[::-1])
        upper, lower = X[order[1:]], X[order[:-1]]
        tied = (upper[:, :count] == lower[:, :count]).all(axis=1)
        # Stop where further columns would decide nothing.
        if count >= X.shape[1] or np.array_equal(upper[tied], lower[tied]):
            return order
        count *= 2


def fit_mixture(
    X: Array, n_components: int, *, tied: bool = False, random_state: int = 0, task: Task | None = None
) -> Mixture:
    """Fit to X (M, m) the mixture of maximal likelihood near the best of a few k-means clusterings.

    Samples are sorted first, so that their order has no effect. Gaussians are fewer than `n_components` where the
    samples lie at fewer places; `tied` gives one covariance for all.
    """
    task = task or Task()
    X = X[lexicographic_order(X)]
    # Added to the variances, in units of the data's mean variance: a Gaussian on a single point stays one.
    least = 1e-6
    floor = least * (float(X.var(axis=0).mean()) or 1.0)
    labels = _clusters(X, n_components, np.random.default_rng(random_state), task)
    mixture = maximise(X, np.eye(labels.max() + 1)[labels], tied, floor)
    last = -np.inf
    most_steps = 300
    enough = 1e-6  # The steps end where the mean log-likelihood grows by less than this.
    for step in range(most_steps):
        task.progress(step / most_steps)
        terms = log_terms(X, mixture)
        total = log_sum(terms)
        likelihood = float(total.mean())
        if likelihood - last < enough:
            break
        last = likelihood
        mixture = maximise(X, np.exp(terms - total[:, None]), tied, floor)
    return mixture


def maximise(X: Array, shares: Array, tied: bool, floor: float) -> Mixture:
    """The mixture of maximal likelihood where the rows of X (M, m) belong to its Gaussians by `shares` (M, n)."""
    counts = shares.sum(axis=0) + 10.0 * np.finfo(float).eps
    means = (shares.T @ X) / counts[:, None]
    scatters = np.empty((len(counts), X.shape[1], X.shape[1]))
    for j, mean in enumerate(means):
        offset = X - mean
        scatters[j] = (shares[:, j, None] * offset).T @ offset
    if tied:
        covariances = np.broadcast_to(scatters.sum(axis=0) / counts.sum(), scatters.shape)
    else:
        covariances = scatters / counts[:, None, None]
    return Mixture(counts / counts.sum(), means, covariances + floor * np.eye(X.shape[1]), tied)


def _clusters(X: Array, n: int, rng: np.random.Generator, task: Task) -> Indices:
    """Labels 0, 1, ... (M,) of at most n clusters: the best of a few runs of k-means."""
    best, least = np.zeros(len(X), dtype=np.intp), np.inf
    starts = 5
    for _ in range(starts):
        labels, inertia = _k_means(X, _spread_out(X, n, rng), task)
        if inertia < least:
            best, least = labels, inertia
    return np.unique(best, return_inverse=True)[1]


def _spread_out(X: Array, n: int, rng: np.random.Generator) -> Array:
    """At most n rows of X (M, m), each drawn by its squared distance to those drawn before (k-means++)."""
    chosen = [int(rng.integers(len(X)))]
    nearest = np.full(len(X), np.inf)
    while True:
        nearest = np.minimum(nearest, np.square(X - X[chosen[-1]]).sum(axis=1))
        reach = np.cumsum(nearest)
        if len(chosen) == n or reach[-1] <= 0.0:
            return X[chosen]
        drawn = int(np.searchsorted(reach, rng.random() * reach[-1], side="right"))
        chosen.append(min(drawn, len(X) - 1))


def _k_means(X: Array, centres: Array, task: Task) -> tuple[Indices, float]:
    """Labels (M,) and the sum of squared distances to the centres (n, m) they moved to."""
    labels = np.full(len(X), -1, dtype=np.intp)
    most_rounds = 50
    for _ in range(most_rounds):
        task.checkpoint()
        distances = np.square(centres).sum(axis=1) - 2.0 * (X @ centres.T)
        new = np.argmin(distances, axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        members = np.eye(len(centres))[labels]
        counts = members.sum(axis=0)[:, None]
        centres = np.where(counts > 0.0, (members.T @ X) / np.maximum(counts, 1.0), centres)
    return labels, float(np.square(X - centres[labels]).sum())
