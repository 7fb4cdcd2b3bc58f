"""Graphs of the views, their normalised Laplacians, and the bottom of a Laplacian's spectrum.

The construction is that of Eynard, Glashoff, Bronstein and Bronstein, "Multimodal diffusion geometry by joint
diagonalization of Laplacians" (2012), sections 2 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.kernels.forms import least_row_sum, scaled
from mvexplorer.engine.kernels.neighbours import TIE, neighbour_distance
from mvexplorer.engine.kernels.operators import Graph, KernelMatrix, Matrix, as_array
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.engine.pipeline.view_kernel import distances_of, kernel_of, table_of
from mvexplorer.engine.spectral.davidson import Apply
from mvexplorer.engine.spectral.eigenpairs import DENSE_LIMIT, DENSE_SIZE, MANY
from mvexplorer.engine.spectral.isolated import Kept, with_neighbours
from mvexplorer.errors import ComputeError

MOST_FILTERS = 100


class ViewGraph(NamedTuple):
    """The graph of one view.

    `laplacian` (M, M), dense or sparse, is L = I - D^-1/2 W D^-1/2, spectrum in [0, 2]; 0 in the row of a sample
    without any edge. `null_vector` (M,) is D^1/2 1, of length 1; `pieces` counts the connected components; `volume` is
    the sum of W.
    """

    laplacian: Matrix
    null_vector: Array
    pieces: int
    volume: float


def view_graph(stages: Stages, i: int) -> ViewGraph:
    """The graph of view i that the parameters `graph`, `graph_neighbours` and `edge_weights` ask for."""
    if stages.params["graph"] == "kernel":
        return stages.of_kernel(i, "kernel-graph", compute=lambda: graph_of_weights(_weights(stages, i), stages.task))
    k = min(int(cast("int", stages.params["graph_neighbours"])), stages.n_samples - 1)
    edge_weights = str(stages.params["edge_weights"])

    def graph() -> ViewGraph:
        return graph_of_weights(neighbour_weights(distances_of(stages, i), k, edge_weights, stages.task), stages.task)

    return stages.memo(StageKey("graph", stages.distance_key(i), settings=(k, edge_weights)), graph)


def _weights(stages: Stages, i: int) -> Matrix:
    """The kernel of view i; without self-loops, samples whose affinities are all next to nothing have none."""
    W = table_of(stages, i)
    if stages.form.loops:
        return W
    degrees = np.asarray(W.sum(axis=1)).ravel()
    kept = with_neighbours(degrees, least_row_sum(kernel_of(stages, i)))
    if kept is None:
        return W
    there = kept.astype(np.float64)
    return cast("Matrix", scaled(W, there, there, stages.task))


def graph_among(graph: ViewGraph, kept: Kept) -> ViewGraph:
    """The graph of the samples `kept`; the others have no edge."""
    L: Any = graph.laplacian
    fewer = L[np.ix_(kept, kept)] if isinstance(L, np.ndarray) else L[kept][:, kept]
    pieces = graph.pieces - int(np.count_nonzero(~kept))
    return ViewGraph(fewer, graph.null_vector[kept], pieces, graph.volume)


# Weights and Laplacians -------------------------------------------------------------------------------------


def neighbour_weights(distances: Array, k: int, edge_weights: str, task: Task) -> Graph:
    """Make the sparse weights (M, M) of the graph that joins samples if one is among the k nearest of the other.

    `distances` (M, M) are squared, and 1 <= k < M; samples at the very same place are joined, but not counted. Weights
    are exp(-d²/(σ_i σ_j)), σ the distance to the 7th neighbour ("self-tuning"), or exp(-d²/t), t the mean d² of all
    edges ("gaussian").
    """
    with IMPORTS:
        from scipy.sparse import csr_array

    rows, columns = _edges(distances, neighbour_distance(distances, k, task), task)
    squared = distances[rows, columns]
    with np.errstate(over="ignore"):  # beyond the largest number the weight is 0 all the same
        if edge_weights == "gaussian":
            exponent = squared / (float(squared.mean()) or 1.0)
        else:
            # Its distance is a sample's own scale; Zelnik-Manor, Perona: Self-tuning spectral clustering.
            scale_neighbour = 7
            sigma = np.sqrt(neighbour_distance(distances, min(scale_neighbour, len(distances) - 1), task))
            exponent = squared / (sigma[rows] * sigma[columns])
    W: Any = csr_array((np.exp(-exponent), (rows, columns)), shape=distances.shape)
    W.eliminate_zeros()
    return cast("Graph", W)


def _edges(distances: Array, radius: Array, task: Task) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows and columns (n_edges,) of the pairs no farther apart than the larger of their radii (squared, (M,))."""
    reach = radius * (1.0 + TIE)
    rows, columns = [], []
    for start in range(0, len(distances), BLOCK_ROWS):
        task.checkpoint()
        block = distances[start : start + BLOCK_ROWS]
        near = block <= np.maximum(reach[start : start + BLOCK_ROWS, None], reach[None, :])
        near[np.arange(len(near)), start + np.arange(len(near))] = False
        row, column = np.nonzero(near)
        rows.append(row + start)
        columns.append(column)
    return np.concatenate(rows), np.concatenate(columns)


def graph_of_weights(W: Matrix, task: Task) -> ViewGraph:
    """The graph with weights W (M, M), an array or sparse."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    laplacian = normalised_laplacian(W, degrees)
    null_vector = np.sqrt(degrees)
    pieces, volume = count_pieces(laplacian, task), float(degrees.sum())
    length = float(np.linalg.norm(null_vector)) or 1.0  # 0 where no sample has an edge
    return ViewGraph(laplacian, null_vector / length, pieces, volume)


def normalised_laplacian(W: Matrix, degrees: Array) -> Matrix:
    """L = I - D^-1/2 W D^-1/2 (M, M), an array or sparse as W is; degrees are the row sums of W (M,)."""
    joined = degrees > 0.0
    scale = np.where(joined, 1.0 / np.sqrt(np.where(joined, degrees, 1.0)), 0.0)
    if isinstance(W, np.ndarray):
        laplacian = W * -scale[:, None]
        laplacian *= scale
        laplacian[np.diag_indices_from(laplacian)] += joined
        return laplacian
    with IMPORTS:
        from scipy.sparse import csr_array, diags_array

    D = diags_array(scale)
    return cast("Graph", csr_array(diags_array(joined.astype(float)) - D @ W @ D))


def count_pieces(laplacian: Matrix, task: Task) -> int:
    """Number of connected components of the graph of a normalised Laplacian (M, M)."""
    no_edge = 1e-9  # Entries of a normalised Laplacian of smaller modulus count as no edge.
    if not isinstance(laplacian, np.ndarray):
        with IMPORTS:
            from scipy.sparse.csgraph import connected_components

        return int(connected_components(laplacian < -no_edge, directed=False, return_labels=False))
    pieces, unseen = 0, np.ones(len(laplacian), dtype=bool)
    while unseen.any():
        pieces += 1
        front = np.flatnonzero(unseen)[:1]
        while len(front):
            task.checkpoint()
            unseen[front] = False
            near = np.zeros_like(unseen)
            for start in range(0, len(front), BLOCK_ROWS):
                near |= (laplacian[front[start : start + BLOCK_ROWS]] < -no_edge).any(axis=0)
            front = np.flatnonzero(near & unseen)
    return pieces


def weighted_mean(matrices: Sequence[Matrix], weights: Array) -> Matrix:
    """Σ w_l A_l / Σ w_l of arrays or sparse matrices (M, M); an array as soon as one of them is."""
    alike: Sequence[Any] = matrices
    if any(isinstance(A, np.ndarray) for A in matrices):
        alike = [as_array(A) for A in matrices]
    total = alike[0] * (weights[0] / weights.sum())
    for A, w in zip(alike[1:], weights[1:], strict=True):
        total = total + A * (w / weights.sum())
    return cast("Matrix", total)


# The bottom of a spectrum -----------------------------------------------------------------------------------


def smallest_eigenpairs_of_laplacian(laplacian: KernelMatrix, k: int, task: Task) -> tuple[Array, Array]:
    """The k smallest eigenvalues (k,), ascending, and eigenvectors (M, k) of a normalised Laplacian (M, M)."""
    n = laplacian.shape[0]
    if isinstance(laplacian, np.ndarray) and k > MANY and n <= DENSE_LIMIT:
        task.progress(0.1)  # products with an array cost as much as LAPACK once there are many vectors
        values, vectors = np.linalg.eigh(laplacian)
        task.progress(0.9)
        return values[:k], vectors[:, :k]
    return smallest_eigenpairs(lambda V: laplacian @ V, n, k, 2.0, task)


def smallest_eigenpairs(
    apply: Apply, n: int, k: int, high: float, task: Task, start: Array | None = None
) -> tuple[Array, Array]:
    """Compute the k smallest eigenpairs of a symmetric operator by Chebyshev-filtered subspace iteration.

    `apply` multiplies blocks (n, m), `high` bounds its spectrum above, and `start` (n, m) are vectors near the
    eigenvectors. Eigenvalues (k,) ascend; eigenvectors (n, k) are orthonormal. A polynomial of degree up to 60 damps
    the unwanted part of the spectrum in every step, which suits eigenvalues crowded at 0; only products are needed, so
    that it can be stopped between two of them. Zhou, Saad, Tiago, Chelikowsky: Self-consistent-field calculations using
    Chebyshev-filtered subspace iteration (2006).
    """

    def counted(V: Array) -> Array:
        task.checkpoint()
        task.products += 1
        return apply(V)

    if n <= DENSE_SIZE or k > n // 3:
        return _dense(counted, n, k, task)
    # Vectors carried beyond those asked for: the farther the next eigenvalue, the faster the filter converges.
    block_margin = 8
    V = np.random.default_rng(0).standard_normal((n, k + max(block_margin, k // 4)))
    if start is not None:
        V[:, : start.shape[1]] = start[:, : V.shape[1]]
    V = np.linalg.qr(V)[0]
    size = max(abs(high), 1.0)
    precise = 1e-11
    for step in range(MOST_FILTERS):
        task.progress(step / (step + 4.0))
        image = counted(V)
        values, turn = np.linalg.eigh(V.T @ image)
        V, image = V @ turn, image @ turn
        if np.linalg.norm(image[:, :k] - V[:, :k] * values[:k], axis=0).max() <= precise * size:
            return values[:k], V[:, :k]
        V = np.linalg.qr(_filtered(counted, V, image, values, high))[0]
    if n <= DENSE_LIMIT:
        return _dense(counted, n, k, task)
    raise ComputeError(
        f"The {k} smoothest vectors of the graphs did not converge.", "Ask for fewer coordinates, or use fewer samples."
    )


def _filtered(apply: Apply, V: Array, image: Array, values: Array, high: float) -> Array:
    """p(A) V for Ritz vectors V (n, m) of A: p is 1 at the lowest Ritz value and small from the highest to `high`."""
    low, cut = values[0], min(values[-1], high - 1e-3 * (high - values[0]))
    half, middle = 0.5 * (high - cut), 0.5 * (high + cut)
    place = max((middle - low) / half, 1.0 + 1e-9)
    most_degrees = 60
    # A filter may amplify the lowest vector by this factor; with more, the other wanted ones would drown in rounding.
    amplification = 1e9
    degree = int(np.clip(np.arccosh(amplification) / np.arccosh(place), 2, most_degrees))
    # The three-term recurrence of T_j((middle - A) / half) / T_j(place), which never overflows.
    first = ratio = 1.0 / place
    former, current = V, (middle * V - image) * (first / half)
    for _ in range(2, degree + 1):
        following = 1.0 / (2.0 / first - ratio)
        step = (middle * current - apply(current)) * (2.0 * following / half)
        former, current, ratio = current, step - (ratio * following) * former, following
    return cast("Array", current)


def _dense(apply: Apply, n: int, k: int, task: Task) -> tuple[Array, Array]:
    matrix = np.empty((n, n))
    for start in range(0, n, DENSE_SIZE):
        matrix[:, start : start + DENSE_SIZE] = apply(np.eye(n, min(DENSE_SIZE, n - start), -start))
        task.progress(0.5 * start / n)
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return values[:k], vectors[:, :k]
