"""Scores of an embedding against known classes, as the window shows them, and a few more.

`Y` is an array of coordinates (M, r), `labels` an array (M,). Higher is better. Samples without a label (NaN, None,
empty text), and those without a place in the picture (NaN), are left out everywhere, also as neighbours and from
clusters.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS, await_polars
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.kernels.nearest import nearest, nearest_others, ranks
from mvexplorer.errors import DataError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Rows = npt.NDArray[np.intp]
FEWEST = 8
"""Samples below which there is no spread over them."""
LOWER_IS_BETTER = frozenset({"largest_gap", "stability"})
"""The scores, by id, of which the lowest is best."""


@dataclass(frozen=True)
class Score:
    """A score, and how far it would move.

    Parameters
    ----------
    value : float
        The score.
    spread : float, optional
        Its s.d. over the seeds of k-means, or its standard error over the samples; None where neither is known.

    Examples
    --------
    >>> data = mvx.datasets.make_blobs(n_samples=120)
    >>> one, both = (mvx.metrics.knn_accuracy(X, data.labels) for X in (data.Xs[0], np.hstack(data.Xs)))
    >>> both.value - one.value > one.spread  # so both views tell the clusters apart better than one
    True
    """

    value: float
    spread: float | None = None

    @classmethod
    def over_samples(cls, values: npt.ArrayLike) -> Score:
        """The mean of one number a sample, and its standard error, the samples taken as independent.

        Parameters
        ----------
        values : array (M,)
            The numbers.

        Returns
        -------
        Score
            Their mean, and the standard error of that; none of fewer than 8. Samples that share neighbours depend on
            each other: of scores by neighbours it is up to two and a half times too small.

        Examples
        --------
        >>> score = mvx.metrics.Score.over_samples([1, 1, 0, 1, 1, 1, 1, 0])
        >>> f"{score.value:.2f} ± {score.spread:.2f}"
        '0.75 ± 0.16'
        """
        numbers = np.asarray(values, dtype=np.float64)
        error = float(numbers.std(ddof=1) / np.sqrt(len(numbers))) if len(numbers) >= FEWEST else None
        return cls(float(numbers.mean()), error)


def _classes(labels: npt.ArrayLike, Y: Array | None = None) -> tuple[Rows, npt.NDArray[np.int64], int]:
    """The samples (m,) that have a label, and a place in Y (M, r), their classes, and how many there are."""
    values = np.asarray(labels)
    rows = np.flatnonzero(labelled(values))
    rows = rows if Y is None else rows[has_place(Y[rows])]
    names, codes = np.unique(values[rows], return_inverse=True)
    if len(names) < 2:
        raise DataError("There is only one class.", "Scores need labels with at least two classes.")
    return rows, codes.astype(np.int64), len(names)


def kmeans_labels(Y: Array, n_clusters: int, seed: int, n_init: int = 1) -> npt.NDArray[np.int64]:
    """Cluster of each sample (M,) by k-means; with fewer distinct points than clusters, one cluster per point.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    n_clusters : int
        The most clusters.
    seed : int
        Of k-means.
    n_init : int
        Starts, of which the best counts.

    Returns
    -------
    array (M,)
        Numbers of clusters, from 0.

    Examples
    --------
    >>> clusters = mvx.metrics.kmeans_labels(np.array([[0.0], [0.1], [9.0], [9.1]]), 2, seed=0)
    >>> (clusters == clusters[0]).tolist()
    [True, True, False, False]
    """
    return _clustered(Y, _clusters_at_most(Y, n_clusters), seed, n_init)


def _clusters_at_most(Y: Array, n_clusters: int) -> int:
    """How many of the clusters asked for there can be: as many as there are distinct points."""
    size = float(np.abs(Y).max(initial=0.0)) or 1.0
    return min(n_clusters, len(np.unique(np.round(Y / size, 7), axis=0)))


def _clustered(Y: Array, n_clusters: int, seed: int, n_init: int) -> npt.NDArray[np.int64]:
    with IMPORTS:
        from sklearn.cluster import KMeans

    await_polars()
    # Threads for so few samples wait for each other longer than they work: one takes a seventh of the time.
    few = nullcontext() if len(Y) > MANY_SAMPLES else _threads().limit(limits=1, user_api="openmp")
    with few:
        return np.asarray(KMeans(n_clusters, n_init=n_init, random_state=seed).fit_predict(Y), dtype=np.int64)


@cache
def _threads() -> ThreadpoolController:
    """The threads of the libraries that are loaded; to look for these takes longer than some clusters."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def nmi(Y: Array, labels: npt.ArrayLike, *, seeds: int = 10, n_init: int = 1, task: Task | None = None) -> Score:
    """Normalised mutual information (arithmetic) of k-means clusters and classes, k = classes; mean ± s.d.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    labels : array (M,)
        Classes; samples without one are left out.
    seeds : int
        Number of k-means runs, with seeds from 0.
    n_init : int
        Starts of each run, of which the best counts.
    task : Task, optional
        Can stop it between two runs.

    Returns
    -------
    Score
        Between 0 and 1; the mean over the runs and its standard deviation.

    Raises
    ------
    DataError
        Fewer than two classes.

    Examples
    --------
    >>> data = mvx.datasets.make_gaussian_mixture(n_samples=120)
    >>> embedding = mvx.embed(data, "kernel-sum", n_components=5)
    >>> round(mvx.metrics.nmi(embedding.coordinates, data.labels, seeds=3, n_init=10).value, 2)
    1.0
    """
    rows, codes, k = _classes(labels, Y)
    Y, values = np.nan_to_num(Y[rows]), []
    clusters = _clusters_at_most(Y, k)
    for seed in range(seeds):
        if task is not None:
            task.checkpoint()
        values.append(_mutual_information(codes, _clustered(Y, clusters, seed, n_init)))
    return Score(float(np.mean(values)), float(np.std(values)))


def _mutual_information(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> float:
    """Mutual information of two partitions (M,), over the mean of their entropies; 1 where both are one part.

    A table of a few counts: scikit-learn's function makes sparse matrices of them, and takes a third of k-means' time.
    """
    width = int(second.max()) + 1
    shares = np.bincount(first * width + second, minlength=(int(first.max()) + 1) * width) / len(first)
    table = shares.reshape(-1, width)
    joint, rows, columns = (_entropy(p) for p in (shares, table.sum(axis=1), table.sum(axis=0)))
    mutual = rows + columns - joint
    if rows + columns == 0.0:
        return 1.0
    return float(min(max(2.0 * mutual / (rows + columns), 0.0), 1.0))


def _entropy(shares: Array) -> float:
    some = shares[shares > 0.0]
    return -float(some @ np.log(some))


def accuracy(Y: Array, labels: npt.ArrayLike, *, seeds: int = 10, n_init: int = 1) -> Score:
    """Share of samples in the right cluster under the best matching of k-means clusters to classes (Hungarian).

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    labels : array (M,)
        Classes; samples without one are left out.
    seeds : int
        Number of k-means runs, with seeds from 0.
    n_init : int
        Starts of each run, of which the best counts.

    Returns
    -------
    Score
        Between 0 and 1; the mean over the runs and its standard deviation.

    Raises
    ------
    DataError
        As `nmi`.

    Examples
    --------
    >>> Y = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> mvx.metrics.accuracy(Y, ["a", "a", "b", "a"]).value  # the last one is in the cluster of b
    0.75
    """
    with IMPORTS:
        from scipy.optimize import linear_sum_assignment

    rows, codes, k = _classes(labels, Y)
    Y, values = np.nan_to_num(Y[rows]), []
    for seed in range(seeds):
        counts = np.zeros((k, k))
        np.add.at(counts, (codes, kmeans_labels(Y, k, seed, n_init)), 1)
        rows, columns = linear_sum_assignment(-counts)
        values.append(counts[rows, columns].sum() / len(codes))
    return Score(float(np.mean(values)), float(np.std(values)))


def knn_accuracy(Y: Array, labels: npt.ArrayLike, *, n_neighbors: int = 5) -> Score:
    """Leave-one-out accuracy of a vote among the nearest neighbours; ties go to the nearer class.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    labels : array (M,)
        Classes; samples without one are left out.
    n_neighbors : int
        Neighbours that vote; the sample itself is not among them.

    Returns
    -------
    Score
        Between 0 and 1, with its standard error over the samples.

    Raises
    ------
    DataError
        Fewer than two classes, or no more samples than neighbours.

    Examples
    --------
    >>> data = mvx.datasets.make_blobs(n_samples=120)
    >>> labels = np.where(np.arange(120) % 2, data.labels, np.nan)  # those without a label are left out
    >>> mvx.metrics.knn_accuracy(np.hstack(data.Xs), labels).value
    1.0
    """
    rows, codes, k = _classes(labels, Y)
    neighbours = nearest_others(np.nan_to_num(Y[rows]), n_neighbors)
    votes = np.zeros((len(rows), k))
    for rank in range(n_neighbors):
        # A hundredth of a vote less per rank: enough to break ties, never enough to overturn a majority.
        votes[np.arange(len(rows)), codes[neighbours[:, rank]]] += 1.0 - 0.01 * rank / n_neighbors
    return Score.over_samples(votes.argmax(axis=1) == codes)


def silhouette(Y: Array, labels: npt.ArrayLike) -> Score:
    """Mean silhouette of the classes, -1 to 1.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    labels : array (M,)
        Classes; samples without one are left out.

    Returns
    -------
    Score
        Between -1 and 1.

    Raises
    ------
    DataError
        Labels of fewer than two classes.

    Examples
    --------
    >>> round(mvx.metrics.silhouette(np.array([[0.0], [1.0], [10.0], [11.0]]), ["a", "a", "b", "b"]).value, 2)
    0.9
    """
    with IMPORTS:
        from sklearn.metrics import silhouette_score

    await_polars()
    rows, codes, _ = _classes(labels, Y)
    return Score(float(silhouette_score(np.nan_to_num(Y[rows]), codes)))


def calinski_harabasz(Y: Array, labels: npt.ArrayLike) -> Score:
    """Ratio of between-class to within-class dispersion.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    labels : array (M,)
        Classes; samples without one are left out.

    Returns
    -------
    Score
        From 0, without an upper limit.

    Raises
    ------
    DataError
        As `silhouette`.

    Examples
    --------
    >>> round(mvx.metrics.calinski_harabasz(np.array([[0.0], [1.0], [10.0], [11.0]]), ["a", "a", "b", "b"]).value)
    200
    """
    with IMPORTS:
        from sklearn.metrics import calinski_harabasz_score

    await_polars()
    rows, codes, _ = _classes(labels, Y)
    return Score(float(calinski_harabasz_score(np.nan_to_num(Y[rows]), codes)))


def trustworthiness(Y: Array, X: Array, *, n_neighbors: int = 5, task: Task | None = None) -> Score:
    """How far neighbours in the embedding Y (M, r) are neighbours in the data X (M, D): 1 where no other intrudes.

    1 - 2 / (M k (2M - 3k - 1)) Σ_i Σ_j max(0, r_X(i, j) - k) over the k neighbours j of i in Y, r_X the place of j
    among the others in X. J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods" (2001).

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    X : array (M, D)
        The data.
    n_neighbors : int
        Neighbours of a sample, itself left out; fewer than half of the samples.
    task : Task, optional
        Can stop the work.

    Returns
    -------
    Score
        At most 1.

    Raises
    ------
    DataError
        Not more than twice as many samples as neighbours.

    Examples
    --------
    >>> u = np.linspace(0.0, 6.28, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> flat = ring[:, :1]  # the far side of the ring falls on the near one
    >>> [round(mvx.metrics.trustworthiness(Y, ring).value, 1) for Y in (ring, flat)]
    [1.0, 0.7]
    """
    placed = has_place(Y) & has_place(X)
    Y, X = (np.nan_to_num(each if placed.all() else each[placed]) for each in (Y, X))
    n, k = len(X), n_neighbors
    if not 1 <= k < n / 2:
        message = f"{k} neighbours are too many for {n} samples: there should be more than twice as many."
        raise DataError(message, "Ask for fewer neighbours." if k > 0 else "Ask for at least one.")
    intruding = float(np.maximum(ranks(X, nearest(Y, k, task), task) - k, 0).sum())
    return Score(1.0 - intruding * 2.0 / (n * k * (2.0 * n - 3.0 * k - 1.0)))


def continuity(Y: Array, X: Array, *, n_neighbors: int = 5, task: Task | None = None) -> Score:
    """How far neighbours in the data X are neighbours in the embedding Y: `trustworthiness`, the roles exchanged.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates.
    X : array (M, D)
        The data.
    n_neighbors : int
        Neighbours of a sample, itself left out; fewer than half of the samples.
    task : Task, optional
        Can stop the work.

    Returns
    -------
    Score
        At most 1; 1 where nothing was torn apart.

    Raises
    ------
    DataError
        As `trustworthiness`.

    Examples
    --------
    >>> u = np.linspace(0.0, 6.28, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> line = u[:, None]  # the ring, cut open: nobody intrudes, but its ends are far apart
    >>> mvx.metrics.trustworthiness(line, ring).value > mvx.metrics.continuity(line, ring).value
    True
    """
    return trustworthiness(X, Y, n_neighbors=n_neighbors, task=task)


def spectral_accuracy(V: Array, labels: npt.ArrayLike, *, seeds: int = 10, n_init: int = 1) -> Score:
    """`accuracy` of spectral clustering: rows of the eigenvectors V (M, k) are scaled to length 1 first; Ng et al.

    Parameters
    ----------
    V : array (M, k)
        Eigenvectors.
    labels : array (M,)
        Classes; samples without one are left out.
    seeds : int
        Number of k-means runs, with seeds from 0.
    n_init : int
        Starts of each run, of which the best counts.

    Returns
    -------
    Score
        As of `accuracy`.

    Raises
    ------
    DataError
        As `accuracy`.

    Examples
    --------
    >>> V = np.array([[1.0, 0.0], [9.0, 0.0], [0.0, 1.0], [0.0, 9.0]])
    >>> mvx.metrics.spectral_accuracy(V, ["a", "a", "b", "b"]).value  # directions count, lengths do not
    1.0
    """
    lengths = np.linalg.norm(V, axis=1, keepdims=True)
    return accuracy(V / np.where(lengths > 0.0, lengths, 1.0), labels, seeds=seeds, n_init=n_init)


def roc_curve(distances: Array, labels: npt.ArrayLike) -> tuple[Array, Array]:
    """Rates of false and of true positives (n + 1,) where pairs at most a threshold apart are called alike.

    One point per distinct distance of the pairs i < j (M, M), from (0, 0) to (1, 1); truly alike are samples of the
    same class. Joint diagonalisation of Laplacians, figure 8.

    Parameters
    ----------
    distances : array (M, M)
        Between all samples, symmetric.
    labels : array (M,)
        Classes; samples without one are left out.

    Returns
    -------
    tuple of arrays (n + 1,)
        The rates, false ones first.

    Raises
    ------
    DataError
        Fewer than two classes, or every sample is a class of its own.

    Examples
    --------
    >>> places = np.array([0.0, 1.0, 5.0, 7.0])
    >>> false, true = mvx.metrics.roc_curve(abs(places - places[:, None]), ["a", "a", "b", "b"])
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0])
    """
    apart, alike = _pairs(distances, labels)
    thresholds = np.unique(np.concatenate([apart, alike]))
    false, true = (np.searchsorted(np.sort(d), thresholds, side="right") / len(d) for d in (apart, alike))
    return np.concatenate([[0.0], false]), np.concatenate([[0.0], true])


def roc_auc(distances: Array, labels: npt.ArrayLike) -> Score:
    """Area under `roc_curve`: how often a pair of one class is nearer than a pair of two, ties counting half.

    Parameters
    ----------
    distances : array (M, M)
        Between all samples, symmetric.
    labels : array (M,)
        Classes; samples without one are left out.

    Returns
    -------
    Score
        Between 0 and 1; .5 is chance.

    Raises
    ------
    DataError
        As `roc_curve`.

    Examples
    --------
    >>> places = np.array([0.0, 3.0, 4.0, 9.0])
    >>> mvx.metrics.roc_auc(abs(places - places[:, None]), ["a", "a", "b", "b"]).value
    0.625
    """
    apart, alike = _pairs(distances, labels)
    apart.sort()
    nearer = sum(len(apart) * len(alike) - np.searchsorted(apart, alike, side=side).sum() for side in ("left", "right"))
    return Score(float(nearer / (2.0 * len(apart) * len(alike))))


def _pairs(distances: Array, labels: npt.ArrayLike) -> tuple[Array, Array]:
    """Distances of the pairs i < j of different classes, and of the same class."""
    rows, codes, _ = _classes(labels)
    distances = distances[np.ix_(rows, rows)]
    if len(np.unique(codes)) == len(codes):
        raise DataError("Every sample is a class of its own.", "Pairs of the same class are needed.")
    apart, alike = [], []
    for i, row in enumerate(distances[:-1]):
        same = codes[i + 1 :] == codes[i]
        apart.append(row[i + 1 :][~same])
        alike.append(row[i + 1 :][same])
    return np.concatenate(apart), np.concatenate(alike)
