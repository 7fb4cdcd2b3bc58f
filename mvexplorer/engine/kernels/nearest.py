"""The k nearest others of every sample as a table, in an order that rounding and twins cannot change."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS, await_polars
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_whole
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import ALL, rows_at_once, squared_blocks
from mvexplorer.engine.kernels.neighbours import TIE, Indices, Pairs, graph_of_samples
from mvexplorer.engine.kernels.operators import Graph
from mvexplorer.errors import DataError, ParameterError


def nearest(X: Array, k: int, task: Task | None = None) -> Indices:
    """Find the numbers (M, k) of each sample's k nearest others in X (M, D), finite, exactly and the nearest first.

    Twins, at the same place up to rounding, are neighbours like others. Of samples equally far the one with the lower
    number comes first, so that two pictures with the same ties have the same neighbours. DataError where there are no
    more than k samples.

    Examples
    --------
    >>> from mvexplorer.engine.kernels.nearest import nearest
    >>> nearest(np.array([[0.0], [1.0], [3.0]]), 2).tolist()
    [[1, 2], [0, 2], [1, 0]]
    """
    check_neighbours(k, len(X))
    size = float(np.abs(X).max(initial=0.0)) or 1.0
    # Samples that agree to so many decimals of the largest coordinate are at one place: solvers tell twins apart there.
    same_place = 8
    rounded = np.ascontiguousarray(np.round(X / size, same_place) + 0.0)  # -0 is 0
    rows = rounded.view(np.dtype((np.void, rounded.itemsize * X.shape[1]))).ravel()  # compared as bytes, at once
    _, first, place, members = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
    if len(first) == len(X):
        return first_in_rows(_links(graph_of_samples(X, k, task or Task())), k, len(X))
    # Twins by the thousand would be millions of pairs: places are joined, and each brings no more members than needed.
    places = graph_of_samples(X[first], min(k, len(first) - 1), task or Task()) if len(first) > 1 else None
    return first_in_rows(_of_members(places, place, members, k), k, len(X))


def ranks(X: Array, others: Indices, task: Task | None = None) -> Indices:
    """Find the place of `others` (M, k) in each sample's order of all others in X (M, D), from 1.

    Ties are settled as in `nearest`. No table of all pairs is made.

    Examples
    --------
    >>> from mvexplorer.engine.kernels.nearest import ranks
    >>> ranks(np.array([[0.0], [1.0], [3.0]]), np.array([[2], [0], [0]])).tolist()
    [[2], [1], [2]]
    """
    places, blocks = np.empty(others.shape, dtype=np.intp), squared_blocks(X)

    def count(rows: slice) -> None:
        squared, wanted = blocks(rows, ALL), others[rows]
        i = np.arange(len(squared))
        squared[i, np.arange(rows.start, rows.stop)] = np.inf
        for place, other in enumerate(wanted.T):
            own = squared[i, other][:, None]
            nearer = np.count_nonzero(squared < (1.0 - TIE) * own, axis=1)
            tied = np.count_nonzero(squared <= (1.0 + TIE) * own, axis=1) - nearer > 1
            places[rows, place] = nearer + 1
            some = np.flatnonzero(tied)
            equal = np.abs(squared[some] - own[some]) <= TIE * own[some]
            before = np.arange(len(X)) < other[some][:, None]
            places[rows.start + some, place] += np.count_nonzero(equal & before, axis=1)

    (task or Task()).map_blocks(len(X), rows_at_once(*X.shape), count)
    return places


def check_neighbours(k: int, n_samples: int) -> None:
    """Raise DataError where so many samples do not have k neighbours each."""
    if not is_whole(k):
        raise ParameterError(f"The number of neighbours is {k!r}, not a whole number.", "Give one such as 15.")
    if not 1 <= k < n_samples:
        message = f"{k} neighbours cannot be found among {n_samples:,} samples."
        raise DataError(message, "Ask for fewer neighbours." if k > 0 else "Ask for at least one.")


def first_in_rows(pairs: Pairs, k: int, n_rows: int) -> Indices:
    """The k nearest columns of each row (n_rows, k), from pairs that hold at least so many; ties by their number."""
    rows, columns, squared = pairs
    order = np.lexsort((squared, rows))
    rows, columns, squared = rows[order], columns[order], squared[order]
    farther = np.ones(len(rows), dtype=bool)
    farther[1:] = (rows[1:] != rows[:-1]) | (squared[1:] > (1.0 + TIE) * squared[:-1])
    order = np.lexsort((columns, np.cumsum(farther)))
    start = np.searchsorted(rows, np.arange(n_rows))
    nearest_columns: Indices = columns[order][start[:, None] + np.arange(k)]
    return nearest_columns


def _links(graph: Graph) -> Pairs:
    """The pairs of different samples in a graph (M, M)."""
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    others = rows != graph.indices
    return rows[others], graph.indices[others].astype(np.intp), graph.data[others]


def _of_members(places: Graph | None, place: Indices, members: Indices, k: int) -> Pairs:
    """Pairs of samples from those of their places: `place` (M,) of each, and how many `members` each place has."""
    own = np.arange(len(members))
    i, j, squared = (own, own, np.zeros(len(members)))
    if places is not None:
        links = _links(places)
        i, j, squared = (np.concatenate(both) for both in zip((i, j, squared), links, strict=True))
    listed = np.argsort(place, kind="stable")
    starts = np.cumsum(members) - members
    # Each pair of places stands for the first k + 1 members of the second: one of them may be the sample itself.
    i, j, squared = _repeated((i, j, squared), np.minimum(members[j], k + 1), starts, listed)
    # Then the first place is replaced by each of its members.
    j, i, squared = _repeated((j, i, squared), members[i], starts, listed)
    others = i != j
    return i[others], j[others], squared[others]


def _repeated(pairs: Pairs, counts: Indices, starts: Indices, listed: Indices) -> Pairs:
    """Pairs whose second end, a place, is replaced by the first `counts` of its members."""
    first, second, squared = np.repeat(pairs[0], counts), np.repeat(pairs[1], counts), np.repeat(pairs[2], counts)
    rank = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
    return first, listed[starts[second] + rank], squared


def nearest_others(Y: Array, n_neighbors: int) -> Indices:
    """Each sample's nearest others (M, k), the nearest first."""
    with IMPORTS:
        from sklearn.neighbors import NearestNeighbors

    await_polars()
    if not 1 <= n_neighbors < len(Y):
        message = f"{n_neighbors} neighbours cannot be found among {len(Y)} samples."
        raise DataError(message, "Ask for fewer neighbours." if n_neighbors > 0 else "Ask for at least one.")
    # Without a query the index leaves every sample out of its own neighbours. Samples at one place stay few entries
    # here; the graph of neighbours that kernels are made from joins all of them.
    neighbours: Indices = NearestNeighbors(n_neighbors=n_neighbors).fit(Y).kneighbors(return_distance=False)
    return neighbours
