"""Clusters of a picture, and how they fit the classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place, of_placed
from mvexplorer.engine.metrics import kmeans_labels
from mvexplorer.engine.pipeline.magnitudes import to_unit
from mvexplorer.errors import DataError, ParameterError

WAYS = {"kmeans": "k-means", "spectral": "spectral clustering", "density": "density peaks"}
"""The ways to cluster, and what they are called."""
NEIGHBOURS = 10
"""Neighbours of each sample in the graph of spectral clustering, and those that tell how dense it is around it."""


def clusters(Y: Array, n_clusters: int, how: str = "kmeans", *, random_state: int = 0) -> npt.NDArray[np.int64]:
    """Cluster the samples of a picture.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates, such as an embedding's; all of them count. Samples without a place (NaN) are left out.
    n_clusters : int
        How many clusters there are to be, from 2 to the number of samples that have a place.
    how : {"kmeans", "spectral", "density"}
        k-means (the best of 10 starts); spectral clustering of the graph of each sample's 10 nearest neighbours; or
        density peaks: samples in dense surroundings, far from any denser ones, are the centres, and each other sample
        follows its nearest denser one.
    random_state : int
        Seed of the starts.

    Returns
    -------
    array (M,) of int
        The cluster of each sample, from 0, the largest first, -1 for one without a place; fewer clusters than asked
        for where fewer points differ.

    Raises
    ------
    ParameterError
        There are more clusters than samples, fewer than two, or the way is unknown.
    DataError
        No sample has a place.

    References
    ----------
    A. Y. Ng, M. I. Jordan, Y. Weiss, *On Spectral Clustering: Analysis and an Algorithm* (2001). A. Rodriguez, A. Laio,
    *Clustering by fast search and find of density peaks* (2014).

    Examples
    --------
    >>> mvx.clusters(np.array([[0.0], [0.1], [5.0], [5.1], [5.2]]), 2)
    array([1, 1, 0, 0, 0])
    """
    Y = np.atleast_2d(np.asarray(Y, dtype=np.float64))
    if how not in WAYS:
        raise ParameterError(f"There is no way to cluster called “{how}”.", f"Use one of {', '.join(WAYS)}.")
    placed = has_place(Y)
    count = int(np.count_nonzero(placed))
    if not np.isfinite(Y).any() or not count:
        raise DataError("No sample has a place in this picture, so there are no clusters.", "Choose another picture.")
    if not 2 <= n_clusters <= count:
        raise ParameterError(f"{count} samples cannot make {n_clusters} clusters.", f"Ask for 2 to {count}.")
    Y = to_unit(of_placed(Y)[0])
    found = np.full(len(placed), -1, dtype=np.int64)
    if how == "density":
        found[placed] = _by_size(_density_peaks(Y, n_clusters))
        return found
    points = Y if how == "kmeans" else _spectral_coordinates(Y, n_clusters)
    starts = 10  # Starts of k-means, of which the best counts.
    found[placed] = _by_size(kmeans_labels(points, n_clusters, random_state, starts))
    return found


def _by_size(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The same clusters, numbered from the largest; of two alike, the one with the first sample leads."""
    _, first, codes, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places[codes]


def _spectral_coordinates(Y: Array, n_clusters: int) -> Array:
    """The leading eigenvectors (M, k) of the normalised neighbour graph, each row scaled to length 1."""
    with IMPORTS:
        from scipy.sparse import dia_array
        from scipy.sparse.linalg import eigsh
        from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(Y, min(NEIGHBOURS, len(Y) - 1))
    graph = graph.maximum(graph.T)
    scale = dia_array((1.0 / np.sqrt(np.asarray(graph.sum(axis=1)).reshape(1, -1)), [0]), shape=graph.shape)
    operator = scale @ graph @ scale
    dense = 600  # Up to so many samples all eigenvectors of the graph are computed.
    if len(Y) <= max(dense, n_clusters + 1):
        vectors = np.linalg.eigh(operator.toarray())[1][:, -n_clusters:]
    else:
        start = np.random.default_rng(0).uniform(0.5, 1.0, len(Y))
        vectors = eigsh(operator, n_clusters, which="LA", v0=start)[1]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Array = vectors / np.where(lengths > 0.0, lengths, 1.0)
    return scaled


def _density_peaks(Y: Array, n_clusters: int) -> npt.NDArray[np.int64]:
    """The cluster (M,) of each sample: that of its nearest denser sample, unless it is one of the centres."""
    with IMPORTS:
        from sklearn.neighbors import NearestNeighbors

    near, rows = NearestNeighbors(n_neighbors=min(NEIGHBOURS, len(Y) - 1)).fit(Y).kneighbors()
    order = np.argsort(near.mean(axis=1), kind="stable")  # the densest first
    rank = np.empty(len(Y), dtype=np.int64)
    rank[order] = np.arange(len(Y))
    denser = rank[rows] < rank[:, None]
    first, places = denser.argmax(axis=1), np.arange(len(Y))
    leader, reach = rows[places, first], near[places, first]
    for i in np.flatnonzero(~denser.any(axis=1)).tolist():  # peaks among their neighbours: few, so look at all others
        others = order[: rank[i]] if rank[i] else order
        lengths = np.linalg.norm(Y[others] - Y[i], axis=1)
        nearest = int(lengths.argmin() if rank[i] else lengths.argmax())  # the densest of all leads the farthest
        leader[i], reach[i] = others[nearest], lengths[nearest]
    # By the place in the order: a density itself has no bound where samples coincide.
    weight = reach * (1.0 - rank / len(Y))
    centres = np.argsort(-weight, kind="stable")[:n_clusters]
    centres = centres[(reach[centres] > 0.0) | (centres == order[0])]  # one of coinciding samples is enough
    labels = np.full(len(Y), -1, dtype=np.int64)
    labels[centres] = np.arange(len(centres))
    for i in order.tolist():
        if labels[i] < 0:
            labels[i] = labels[leader[i]]
    return labels


@dataclass(frozen=True)
class Contingency:
    """How many samples of each of C classes lie in each of K clusters: `table` (C, K).

    `classes` are in their natural order. `cluster_of` is the cluster assigned to each class, each at most once, so that
    the most samples agree; None where there are fewer clusters than classes.
    """

    table: npt.NDArray[np.int64]
    classes: tuple[str, ...]
    cluster_of: tuple[int | None, ...]

    @property
    def accuracy(self) -> float:
        """Share of the samples whose cluster is the one assigned to their class (Hungarian accuracy)."""
        agreed = sum(int(self.table[c, k]) for c, k in enumerate(self.cluster_of) if k is not None)
        return agreed / int(self.table.sum())

    @property
    def order(self) -> tuple[int, ...]:
        """The clusters in the order of the classes assigned to them, the others behind: agreement on the diagonal."""
        first = [k for k in self.cluster_of if k is not None]
        return (*first, *(k for k in range(self.table.shape[1]) if k not in first))


def contingency(labels: npt.ArrayLike, clusters: npt.ArrayLike) -> Contingency:
    """Compare clusters with classes.

    Parameters
    ----------
    labels : array (M,)
        Classes; samples without one (NaN, None, empty text) are left out.
    clusters : array (M,) of int
        The cluster of each sample, from 0, as `mvx.clusters` gives it; samples of -1 are left out.

    Returns
    -------
    Contingency
        The table, which cluster is assigned to which class, and the accuracy of that.

    Raises
    ------
    DataError
        There are not as many labels as clusters, or no sample in a cluster has a label.

    References
    ----------
    H. W. Kuhn, *The Hungarian Method for the Assignment Problem* (1955).

    Examples
    --------
    >>> counts = mvx.contingency(["a", "a", "b", "b"], [1, 1, 0, 1])
    >>> counts.table.tolist(), counts.accuracy
    ([[0, 2], [1, 1]], 0.75)
    """
    with IMPORTS:
        from scipy.optimize import linear_sum_assignment

    values, codes = np.asarray(labels), np.asarray(clusters, dtype=np.int64)
    if values.shape != codes.shape:
        raise DataError(f"There are {len(values)} labels for {len(codes)} samples.", "Give one for each.")
    has_label = labelled(values) & (codes >= 0)
    if not has_label.any():
        raise DataError("No sample has a label, so clusters cannot be compared with classes.", "Choose a label first.")
    names, rows = ordered_classes(values[has_label])
    table = np.zeros((len(names), int(codes.max()) + 1), dtype=np.int64)
    np.add.at(table, (rows, codes[has_label]), 1)
    matched = dict(zip(*(side.tolist() for side in linear_sum_assignment(-table)), strict=True))
    assigned = tuple(matched.get(c) for c in range(len(names)))
    return Contingency(table, tuple(str(name) for name in names), assigned)
