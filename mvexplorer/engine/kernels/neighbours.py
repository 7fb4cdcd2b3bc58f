"""The graph of nearest neighbours, found without a matrix of all pairs; sparse kernels are made from it at every ε.

Two samples are joined if one is among the k nearest of the other. Samples at the very same place are joined, but not
counted: they would keep dense twins from having any neighbour at another place. The graph is a matrix (M, M) of squared
distances, symmetric; the diagonal and other zeros are stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import ALL, BLOCK_ROWS, Blocks, rows_at_once, squared_blocks
from mvexplorer.engine.kernels.operators import Graph
from mvexplorer.errors import ComputeError

Indices = npt.NDArray[np.intp]
Pairs: TypeAlias = tuple[Indices, Indices, Array]
"""Rows, columns and squared distances of the pairs found."""

TIE = 1e-9
"""Squared distances that differ by less than this part count as equal, so that rounding chooses no neighbours."""
BLOCK_CANDIDATES = 1 << 20
"""Candidates looked at at a time, in single precision: a few megabytes, near the processor."""
MOST = 8
"""With more candidates per neighbour than this, single precision cannot rank them: double is used for the row."""
LINK_BYTES = 64
"""Bytes that one neighbour takes while the graph is put together."""


def neighbour_distance(distances: Array, k: int, task: Task | None = None) -> Array:
    """Squared distance (M,) from each row's sample to its k-th nearest other one.

    Samples at the very same place are not counted: they would give dense twins a scale of 0.
    """
    out = np.empty(len(distances))
    for start in range(0, len(distances), BLOCK_ROWS):
        if task is not None:
            task.checkpoint()
        block = distances[start : start + BLOCK_ROWS]
        block = np.where(block > 0.0, block, np.inf)
        nearest = np.partition(block, min(k, block.shape[1]) - 1, axis=1)[:, : min(k, block.shape[1])]
        # Where fewer than k others lie elsewhere, the farthest of them is used; 1 where there is none.
        finite = np.where(np.isfinite(nearest), nearest, 0.0).max(axis=1)
        out[start : start + BLOCK_ROWS] = np.where(finite > 0.0, finite, 1.0)
    return out


def graph_of_distances(distances: Array, k: int, task: Task) -> Graph:
    """The graph, from all squared distances (M, M)."""
    return _collect(len(distances), BLOCK_ROWS, lambda rows: _in_rows(distances[rows], rows, k, task), task)


def graph_of_blocks(blocks: Blocks, shape: tuple[int, int], k: int, task: Task) -> Graph:
    """The graph, from exact squared distances a few rows at a time; `shape` is that of the samples (M, D)."""

    def search(rows: slice) -> Pairs:
        return _in_rows(blocks(rows, ALL), rows, k, task)

    return _collect(shape[0], rows_at_once(*shape), search, task)


def uses_tree(n_samples: int, n_features: int) -> bool:
    """True if a tree finds the neighbours: with few features it is quicker than products of blocks."""
    few, more, many_samples = 5, 12, 50_000  # Up to `few` features, or `more` where there are many samples.
    return n_features <= (more if n_samples >= many_samples else few)


def graph_of_samples(X: Array, k: int, task: Task) -> Graph:
    """The graph of Euclidean distances between the rows of X (M, D)."""
    n_samples = len(X)
    if uses_tree(*X.shape):
        return _collect(n_samples, BLOCK_ROWS, _by_tree(X, k, task), task)
    wide = 4  # Largest factor on BLOCK_CANDIDATES with many features: products then take nearly all of the time.
    size = min(n_samples, max(16, BLOCK_CANDIDATES * min(wide, 1 + X.shape[1] // 128) // n_samples))
    return _collect(n_samples, size, _by_products(X, k, size, task), task)


def _in_rows(distances: Array, rows: slice | Indices, k: int, task: Task) -> Pairs:
    """The neighbours of some rows, from their squared distances to all samples (n, M)."""
    radius = neighbour_distance(distances, k, task)
    flat = np.flatnonzero(distances <= (1.0 + TIE) * radius[:, None])
    i, j = np.divmod(flat, distances.shape[1])
    number = np.arange(rows.start, rows.start + len(distances)) if isinstance(rows, slice) else rows
    return number[i], j, distances.ravel()[flat]


def kth_in_graph(graph: Graph, k: int) -> Array:
    """Squared distance (M,) from each sample to its k-th nearest other one, from the graph of k neighbours."""
    rows = np.split(graph.data, graph.indptr[1:-1])
    return np.concatenate([neighbour_distance(row[None], k) for row in rows])


def cross_graph(distances: Array, radius: Array, k: int, task: Task) -> Graph:
    """Squared distances (n, M) from new to known samples, where one is among the k nearest of the other.

    `radius` (M,) is the squared distance of each known sample to its k-th neighbour.
    """
    with IMPORTS:
        from scipy.sparse import csr_array

    own = neighbour_distance(distances, k, task)
    # The k-th neighbour lies on the edge; rounding must not push it over.
    flat = np.flatnonzero(distances <= (1.0 + TIE) * np.maximum(own[:, None], radius[None, :]))
    rows, columns = np.divmod(flat, distances.shape[1])
    graph: Graph = csr_array((distances[rows, columns], (rows, columns)), shape=distances.shape)
    return graph


# Collecting what the rows find --------------------------------------------------------------------------------


def _collect(n_samples: int, size: int, search: Callable[[slice], Pairs], task: Task) -> Graph:
    """The symmetric graph of what `search` finds in each slice of the rows."""
    pairs_of: dict[int, Pairs] = {}
    links = 0

    def work(rows: slice) -> None:
        nonlocal links
        i, j, d = search(rows)
        pairs_of[rows.start] = (i.astype(np.int32), j.astype(np.int32), d)
        links += len(d)
        if LINK_BYTES * links > task.memory:
            raise ComputeError(
                "The graph of nearest neighbours does not fit the memory: too many samples lie at the same place.",
                "Drop the duplicates, ask for fewer neighbours, or choose landmarks.",
            )
        task.progress(len(pairs_of) * size / n_samples)

    task.map_blocks(n_samples, size, work)
    parts = [pairs_of[start] for start in sorted(pairs_of)]
    rows, columns, squared = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _joined(n_samples, rows, columns, squared)


def _joined(n_samples: int, rows: Indices, columns: Indices, squared: Array) -> Graph:
    """The pairs found from either side, once each way."""
    with IMPORTS:
        from scipy.sparse import csr_array

    # Pairs are numbered from 1: a sparse maximum of distances would lose those that are 0.
    shape = (n_samples, n_samples)
    numbers = csr_array((np.arange(1, len(rows) + 1), (rows, columns)), shape=shape)
    joined = numbers.maximum(numbers.T.tocsr()).tocsr()
    joined.sort_indices()
    graph: Graph = csr_array((squared[joined.data - 1], joined.indices, joined.indptr), shape=shape)
    return graph


# A tree, for few features ---------------------------------------------------------------------------------------


def _by_tree(X: Array, k: int, task: Task) -> Callable[[slice], Pairs]:
    with IMPORTS:
        from scipy.spatial import cKDTree

    tree, exact = cKDTree(X), squared_blocks(X)
    spare = 8  # The tree is asked for so many neighbours beyond k, because of twins and ties.
    wanted = min(k + 1 + spare, len(X))

    def search(rows: slice) -> Pairs:
        number = np.arange(rows.start, rows.stop)
        _, nearest = tree.query(X[rows], wanted)
        squared = _between(X, np.repeat(number, wanted), nearest.ravel()).reshape(nearest.shape)
        radius = _kth_apart(squared, k)
        # Where the farthest neighbour found is no farther than the k-th, there may be further ties.
        sure = (squared.max(axis=1) > (1.0 + TIE) * radius) | (wanted == len(X))
        near = (squared <= (1.0 + TIE) * radius[:, None]) & sure[:, None]
        i, j = np.nonzero(near)
        pairs = number[i], nearest[i, j], squared[i, j]
        return _with_rows(pairs, number[~sure], exact, k, task)

    return search


def _kth_apart(squared: Array, k: int) -> Array:
    """The k-th smallest distance above 0 in each row (n,); infinite where there are fewer."""
    apart = np.where(squared > 0.0, squared, np.inf)
    if apart.shape[1] < k:
        return np.full(len(squared), np.inf)
    return cast("Array", np.partition(apart, k - 1, axis=1)[:, k - 1])


def _with_rows(pairs: Pairs, rows: Indices, exact: Blocks, k: int, task: Task) -> Pairs:
    """The pairs, and those of some rows found by searching all their distances."""
    parts = [pairs]
    for start in range(0, len(rows), 32):
        task.checkpoint()
        some = rows[start : start + 32]
        parts.append(_in_rows(exact(some, ALL), some, k, task))
    return cast("Pairs", tuple(np.concatenate(column) for column in zip(*parts, strict=True)))


def _between(X: Array, i: Indices, j: Indices) -> Array:
    """Squared distances (n,) of pairs of rows, from their differences: the same from either side."""
    out = np.empty(len(i))
    step = max(16, (1 << 16) // X.shape[1])
    for start in range(0, len(i), step):
        part = slice(start, start + step)
        difference = X[i[part]]
        difference -= X[j[part]]
        np.einsum("ij,ij->i", difference, difference, out=out[part])
    return out


# Products of blocks, for many features ----------------------------------------------------------------------------


def _by_products(X: Array, k: int, size: int, task: Task) -> Callable[[slice], Pairs]:
    """Candidates by products in single precision, with room for their rounding; those are then measured exactly.

    At most `size` rows are asked for at a time.
    """
    exact = squared_blocks(X)
    centred = X - X.mean(axis=0)
    centred /= np.abs(centred).max() or 1.0
    norms = np.einsum("ij,ij->i", centred, centred)
    # |x|² + |y|² - 2xy as one product.
    left = np.column_stack([centred, np.ones_like(norms), norms]).astype(np.float32)
    right = np.ascontiguousarray(np.column_stack([-2.0 * centred, norms, np.ones_like(norms)]).astype(np.float32).T)
    rounding = 4.0 * float(np.finfo(np.float32).eps) * np.sqrt(X.shape[1] + 4.0)
    del centred

    # Buffers are reused: allocating them takes longer than the work done in them.
    spare: list[npt.NDArray[np.float32]] = []

    def search(rows: slice) -> Pairs:
        place = spare.pop() if spare else np.empty((size, len(X)), dtype=np.float32)
        rough = place[: rows.stop - rows.start]
        np.matmul(left[rows], right, out=rough)
        kth = _kth_at_most(rough, k).astype(np.float64)
        # |y| ≤ |x| + |x - y| bounds the rounding of everything within the radius, whatever lies beyond.
        reach = norms[rows] + np.square(np.sqrt(norms[rows]) + np.sqrt(np.maximum(kth, 0.0)))
        flat = np.flatnonzero(rough <= (kth + 3.0 * rounding * reach).astype(np.float32)[:, None])
        spare.append(place)
        i, j = np.divmod(flat, len(X))
        counts = np.bincount(i, minlength=rows.stop - rows.start)
        crowded = counts > MOST * (k + 1)
        if crowded.any():
            kept = ~crowded[i]
            i, j, counts = i[kept], j[kept], np.where(crowded, 0, counts)
        return _measured(X, rows, (i, j, counts), k, exact, task)

    return search


def _kth_at_most(rough: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.float32]:
    """A close upper bound (n,) of each row's (k + 1)-th smallest entry.

    It is that of the minima of small groups: with far more columns than neighbours, two seldom share a group.
    """
    n, columns = rough.shape
    # To bound a radius, candidates are taken in groups of so many, and only the nearest of each group counts.
    group = 8
    groups = columns // group
    if groups < MOST * (k + 1):
        nth = min(k, columns - 1)
        return np.partition(rough, nth, axis=1)[:, nth]
    least = rough[:, : groups * group].reshape(n, group, groups).min(axis=1)
    least.partition(k, axis=1)
    return cast("npt.NDArray[np.float32]", least[:, k])


def _measured(
    X: Array, rows: slice, candidates: tuple[Indices, Indices, Indices], k: int, exact: Blocks, task: Task
) -> Pairs:
    """The neighbours among candidates: places within `rows`, columns, and how many there are for each row."""
    i, j, counts = candidates
    task.checkpoint()
    squared = _between(X, i + rows.start, j)
    table = np.full((len(counts), max(k, int(counts.max(initial=1)))), np.inf)
    table[i, np.arange(len(i)) - np.repeat(np.cumsum(counts) - counts, counts)] = squared
    radius = _kth_apart(table, k)
    sure = np.isfinite(radius)
    near = (squared <= (1.0 + TIE) * radius[i]) & sure[i]
    pairs = i[near] + rows.start, j[near], squared[near]
    return _with_rows(pairs, np.flatnonzero(~sure) + rows.start, exact, k, task)
