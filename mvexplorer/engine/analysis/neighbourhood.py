"""Who is near whom in a picture, and whether it keeps the neighbourhoods of a view; no classes are needed to tell."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mvexplorer.engine import metrics
from mvexplorer.engine.analysis.agreement import NEIGHBOURS, agreement
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.importing import IMPORTS, await_polars
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.nearest import check_neighbours
from mvexplorer.errors import ParameterError


def neighbour_graph(
    embedding: Embedding, k: int = NEIGHBOURS, *, mode: Literal["connectivity", "distance"] = "connectivity"
) -> Any:
    """The k nearest of every sample in a picture, for programs that take a graph: UMAP, Leiden, scanpy's `obsp`.

    Parameters
    ----------
    embedding : Embedding
        The picture; all its coordinates count, those of all views together.
    k : int
        Neighbours of a sample, itself left out.
    mode : "connectivity" or "distance"
        Whether an entry is 1 or the distance between the two.

    Returns
    -------
    sparse matrix (M, M), CSR
        Where every sample has a place, scikit-learn's ``kneighbors_graph(embedding.coordinates, k)``; samples without
        one have empty rows and columns. It is not symmetric: Leiden and UMAP want ``graph.maximum(graph.T)``. Of
        samples equally far any may be taken. Those at one place are neighbours like others, at a stored distance of
        0, which sums and maxima of sparse matrices forget.

    Raises
    ------
    ParameterError
        `k` is no whole number, or there is no such `mode`.
    DataError
        There are no k other samples, or `k` is below 1.

    Examples
    --------
    >>> embedding = mvx.embed(mvx.datasets.make_coupled_circles(n_samples=60), "kernel-sum")
    >>> graph = mvx.neighbour_graph(embedding, 5)
    >>> graph.shape, graph.nnz
    ((60, 60), 300)
    >>> near = mvx.neighbour_graph(embedding, 5, mode="distance")  # for ``adata.obsp["distances"]``
    >>> both = near.maximum(near.T)  # for ``UMAP(n_neighbors=5, metric="precomputed").fit_transform(both)``
    """
    if mode not in ("connectivity", "distance"):
        raise ParameterError(f"There is no mode “{mode}”.", "Give connectivity or distance.")
    with IMPORTS:
        from sklearn.neighbors import kneighbors_graph

    await_polars()
    rows = np.flatnonzero(has_place(embedding.coordinates))
    check_neighbours(k, len(rows))
    graph = kneighbors_graph(np.nan_to_num(embedding.coordinates[rows]), int(k), mode=mode)
    counts = np.zeros(len(embedding.coordinates) + 1, dtype=graph.indptr.dtype)
    counts[rows + 1] = k
    indices = rows[graph.indices].astype(graph.indices.dtype)
    return type(graph)((graph.data, indices, np.cumsum(counts, dtype=counts.dtype)), shape=(len(counts) - 1,) * 2)


def neighbourhood_preservation(
    Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None
) -> Array:
    """The part of each sample's neighbours in a view that are its neighbours in a picture.

    Parameters
    ----------
    Y : array (M, r)
        Coordinates; all of them count.
    X : array (M, D)
        The view's features, preprocessed as for the picture.
    k : int
        Number of neighbours.
    task : Task, optional
        Can stop it.

    Returns
    -------
    array (M,)
        ``|N_k^Y(i) ∩ N_k^X(i)| / k``: 1 where all are kept, about k / M by chance; NaN where a coordinate is.

    Raises
    ------
    DataError
        The numbers of samples differ, or there are no more than k.

    Notes
    -----
    One minus the disagreement of the picture and the view (see `mvexplorer.agreement`), after J. Venna and others,
    "Information retrieval perspective to nonlinear dimensionality reduction" (2010).

    Examples
    --------
    >>> u = np.linspace(0.0, 6.0, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> round(float(mvx.neighbourhood_preservation(ring[:, :1], ring, 4).mean()), 2)
    0.52
    """
    kept: Array = 1.0 - agreement([Y, X], k, task=task).disagreement(0, 1)
    return kept


def trustworthiness(Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None) -> float:
    """Measure how far neighbours in a picture Y (M, r) are neighbours in a view X (M, D): 1 where no sample intrudes.

    1 - 2 / (M k (2M - 3k - 1)) Σ_i Σ_j max(0, r_X(i, j) - k) over the k neighbours j of i in Y, r_X the place of j in
    the order of i's neighbours in X. About 1/2 where Y has nothing to do with X. Samples with a NaN are left out;
    DataError where there are not twice as many samples as neighbours.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental study" (2001).

    Examples
    --------
    >>> from mvexplorer.engine.analysis.neighbourhood import trustworthiness
    >>> u = np.linspace(0.0, 6.0, 100)
    >>> ring = np.column_stack([np.cos(u), np.sin(u)])
    >>> round(trustworthiness(ring[:, :1], ring), 2)  # folded: the far side is near
    0.75
    """
    return metrics.trustworthiness(*_placed(Y, X), n_neighbors=k, task=task).value


def continuity(Y: npt.ArrayLike, X: npt.ArrayLike, k: int = NEIGHBOURS, *, task: Task | None = None) -> float:
    """Measure how far neighbours in a view X (M, D) are neighbours in a picture Y (M, r): 1 where none is torn away.

    `trustworthiness` with the roles of Y and X exchanged. Samples with a NaN are left out; DataError where there are
    not twice as many samples as neighbours.

    Notes
    -----
    J. Venna, S. Kaski, "Neighborhood preservation in nonlinear projection methods: an experimental study" (2001).

    Examples
    --------
    >>> from mvexplorer.engine.analysis.neighbourhood import continuity
    >>> u = np.linspace(0.0, 6.28, 100)
    >>> round(continuity(u[:, None], np.column_stack([np.cos(u), np.sin(u)])), 2)  # cut open: its ends are far apart
    0.95
    """
    return metrics.continuity(*_placed(Y, X), n_neighbors=k, task=task).value


def _placed(Y: npt.ArrayLike, X: npt.ArrayLike) -> tuple[Array, Array]:
    first, second = np.asarray(Y, dtype=np.float64), np.asarray(X, dtype=np.float64)
    rows = np.isfinite(first).all(axis=1) & np.isfinite(second).all(axis=1)
    return first[rows], second[rows]
