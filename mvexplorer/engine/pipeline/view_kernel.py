"""The kernel of one view, and everything on the way to it: distances, neighbours, landmarks, affinities of new samples.

Each is remembered by the stages' memo under what it depends on. `i` is the position of the view among those used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import (
    Affinity,
    check_precomputed,
    gaussian_affinity,
    laplacian_affinity,
    metric_blocks,
    metric_distances,
    of_blocks,
    of_distances,
    rounded,
    self_tuning_affinity,
)
from mvexplorer.engine.kernels.distances import (
    ALL,
    FEW_FEATURES,
    FLOAT32_SAMPLES,
    MANY_SAMPLES,
    Blocks,
    Rows,
    all_pairs,
    check_size,
    median_squared_distance,
)
from mvexplorer.engine.kernels.forms import as_plain, scaled, without_loops, without_twins
from mvexplorer.engine.kernels.landmarks import LandmarkKernel, fits, landmark_kernel
from mvexplorer.engine.kernels.neighbours import (
    cross_graph,
    graph_of_blocks,
    graph_of_distances,
    graph_of_samples,
    kth_in_graph,
    neighbour_distance,
)
from mvexplorer.engine.kernels.operators import (
    Float32Kernel,
    Graph,
    KernelMatrix,
    LowRankOperator,
    Matrix,
    ThreadedOperator,
    as_array,
)
from mvexplorer.engine.pipeline.scaling import Scaling, scaling_of
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.errors import DataError, ParameterError

# Distances --------------------------------------------------------------------------------------------------------


def distances_of(stages: Stages, i: int) -> Array:
    """Squared distances within view i, (M, M), those its kernel is a function of; DataError if too large."""
    check_size(stages.n_samples, stages.task.memory)
    metric, precision = stages.kernels[i].kind.metric, stages.precision
    if stages.n_samples > FLOAT32_SAMPLES:
        precision = "float32"
    key = StageKey("distances", stages.distance_key(i), precision)
    if metric == "none":
        return stages.memo(key, lambda: _distances_of_affinities(dense_kernel_of(stages, i)).astype(precision))
    return stages.memo(key, lambda: metric_distances(metric, stages.points(i), None, stages.task, precision))


def _distances_of_affinities(K: Array) -> Array:
    """Squared distances K_ii + K_jj - 2 K_ij in the feature space of a kernel (M, M)."""
    own = np.diag(K)
    return np.maximum(own[:, None] + own[None, :] - 2.0 * K, 0.0)


def median_of(stages: Stages, i: int) -> float:
    """Median squared distance of view i, the unit of its bandwidth axis; from a random part of many samples."""
    among = stages.subsample()
    key = StageKey("median", stages.distance_key(i))
    return stages.memo(key, lambda: median_squared_distance(distances_of(among, i)))


def magnitude_of(stages: Stages, i: int) -> float:
    """A typical squared distance of view i, from a few of its samples: enough to tell its order of magnitude."""
    if stages.kernels[i].kind.metric == "none":
        return 1.0  # affinities are used as they are
    few_rows = 16
    rows = np.linspace(0, stages.n_samples - 1, few_rows).astype(np.intp)
    key = StageKey("magnitude", stages.distance_key(i))
    return stages.memo(key, lambda: float(blocks_of(stages, i)(rows, ALL).mean()))


def blocks_of(stages: Stages, i: int) -> Blocks:
    """The squared distances within view i, a few rows at a time."""
    return metric_blocks(stages.kernels[i].kind.metric, stages.points(i))


# The kernel -------------------------------------------------------------------------------------------------------


def kernel_of(stages: Stages, i: int) -> KernelMatrix:
    """Kernel of view i at its own ε, (M, M), in the form in which the method takes it.

    An array, sparse for neighbours, known by its products where large.
    """
    if stages.precision == "float32" and _dense_and_large(stages, i):
        return cast("Float32Kernel", kernel_of(stages.in_float64(), i)).in_float32()
    if stages.form.scaled:
        return stages.of_kernel(i, "kernel", compute=lambda: _doubly_stochastic(stages, i))
    if stages.kernels[i].landmarks:
        return landmark_kernel_of(stages, i).kernel
    return stages.of_kernel(i, "kernel", compute=lambda: _kernel(stages, i))


def scaling_of_view(stages: Stages, i: int) -> Scaling:
    """The factors that make the kernel of view i doubly stochastic."""
    if stages.rounds_kernels or (stages.precision == "float32" and _dense_and_large(stages, i)):
        return scaling_of_view(stages.in_float64(), i)
    return _scaling(stages, i, lambda: kernel_of(stages.unscaled(), i))


def _scaling(stages: Stages, i: int, kernel: Callable[[], KernelMatrix]) -> Scaling:
    former = stages.alike("scaling", stages.view_key(i)) if stages.form.rough else ()
    return stages.of_kernel(i, "scaling", compute=lambda: scaling_of(kernel(), stages, [i], former))


def _doubly_stochastic(stages: Stages, i: int) -> KernelMatrix:
    if stages.rounds_kernels:
        whole = kernel_of(stages.in_float64(), i)
        if isinstance(whole, np.ndarray | LowRankOperator):
            return rounded(whole) if isinstance(whole, np.ndarray) else whole.in_float32()
    if stages.interactive:  # a sum takes the kernel before it is scaled
        x = scaling_of_view(stages, i).factors
        return scaled(kernel_of(stages.unscaled(), i), x, x, stages.task)
    K = kernel_of(stages.unscaled().forgetting("kernel"), i)
    x = _scaling(stages, i, lambda: K).factors
    return scaled(K, x, x, stages.task, fresh=stages.kernels[i].kind.id != "precomputed")


def plain_kernel_of(stages: Stages, i: int) -> KernelMatrix:
    """The kernel of view i with its self-loops, not scaled: known from the form that the method takes of it."""
    form = stages.form
    if form.plain or stages.kernels[i].landmarks:
        return kernel_of(stages.plain(), i)
    K = kernel_of(stages, i)  # before its scaling, which is found on the way to it
    factors = scaling_of_view(stages, i).factors if form.scaled else None
    return as_plain(K, factors, None if form.loops else own_affinities(stages, i))


def own_affinities(stages: Stages, i: int) -> Array:
    """The affinity (M,) that each sample of view i has with itself."""
    if stages.kernels[i].kind.id == "precomputed":
        return np.array(np.diagonal(stages.data.Xs[stages.views[i]]), dtype=np.float64)
    return np.ones(stages.n_samples)


def _dense_and_large(stages: Stages, i: int) -> bool:
    """True if the kernel of view i is held in single precision only."""
    kind = stages.kernels[i].kind
    held_by_samples = not kind.sparse and not kind.landmarks and kind.id != "precomputed"
    return stages.n_samples > FLOAT32_SAMPLES and held_by_samples


def as_held(stages: Stages) -> Stages:
    """The same computation; in single precision where that is all that the kernels of all its views are held in."""
    return stages.in_float32() if all(_dense_and_large(stages, i) for i in range(stages.n_views)) else stages


def operator_of(stages: Stages, i: int, weight: float = 1.0) -> ThreadedOperator:
    """The kernel of view i, times a weight, as solvers use it: products are made on the threads lent to the task."""
    return ThreadedOperator(kernel_of(stages, i), stages.task, weight)


def table_of(stages: Stages, i: int) -> Matrix:
    """The kernel of view i with its entries: an array (M, M), or sparse where it has neighbours only."""
    K = kernel_of(stages, i)
    if not isinstance(K, Float32Kernel | LowRankOperator):
        return cast("Matrix", K)
    check_size(stages.n_samples, stages.task.memory)
    return K.toarray()


def dense_kernel_of(stages: Stages, i: int) -> Array:
    """The kernel of view i as an array (M, M), sparse or not."""
    return as_array(table_of(stages, i))


def _kernel(stages: Stages, i: int) -> KernelMatrix:
    K = _with_loops(stages, i)
    return K if stages.form.loops else without_loops(K, fresh=stages.kernels[i].kind.id != "precomputed")


def _with_loops(stages: Stages, i: int) -> KernelMatrix:
    kernel = stages.kernels[i]
    if kernel.kind.id == "precomputed":
        check_size(stages.n_samples, stages.task.memory)
        return check_precomputed(stages.data.Xs[stages.views[i]], stages.view_name(i), stages.task)
    if kernel.kind.id == "knn":
        return sparse_kernel(stages, neighbours_of(stages, i), stages.epsilon[i])
    if stages.n_samples <= FLOAT32_SAMPLES and stages.rounds_kernels:
        return rounded(cast("Array", kernel_of(stages.in_float64(), i)))
    scale = _scale(stages, i)
    affinity = _affinity(stages, i, scale, scale)
    if stages.n_samples > FLOAT32_SAMPLES:
        return Float32Kernel(_filled(stages.in_float32(), i, affinity, stages.view(i).shape[1] <= FEW_FEATURES))
    return _filled(stages, i, affinity, stages.precision == "float64" and stages.view(i).shape[1] <= FEW_FEATURES)


def _filled(stages: Stages, i: int, affinity: Affinity, anew: bool) -> Array:
    """The kernel as an array, from distances computed anew or from those kept."""
    if anew or stages.n_samples > MANY_SAMPLES:
        dtype = np.dtype(stages.precision)
        return of_blocks(blocks_of(stages, i), affinity, stages.n_samples, stages.task, dtype)
    return of_distances(distances_of(stages, i), affinity, stages.task)


def _affinity(stages: Stages, i: int, rows: Array | None = None, columns: Array | None = None) -> Affinity:
    """The profile of view i's kernel; `rows` and `columns` are the samples' own scales, where it has any."""
    kind = stages.kernels[i].kind.id
    if kind == "self-tuning" and rows is not None and columns is not None:
        return self_tuning_affinity(rows, columns)
    return laplacian_affinity(stages.epsilon[i]) if "laplacian" in kind else gaussian_affinity(stages.epsilon[i])


def sparse_kernel(stages: Stages, graph: Graph, epsilon: float) -> Graph:
    """The Gaussian of a graph's squared distances."""
    with IMPORTS:
        from scipy.sparse import csr_array

    stages.task.affinities += 1
    data = np.empty(graph.data.shape, stages.precision)
    gaussian_affinity(epsilon)(graph.data.astype(data.dtype), ALL, ALL, data)
    kernel: Graph = csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
    return kernel


# Neighbours -------------------------------------------------------------------------------------------------------


def neighbour_count(stages: Stages, i: int) -> int:
    """The neighbours view i's kernel asks for."""
    k = stages.kernels[i].neighbours or 1
    if k >= stages.n_samples:
        raise ParameterError(
            f"The kernel of view “{stages.view_name(i)}” asks for {k} neighbours among {stages.n_samples} samples.",
            f"Give at most {stages.n_samples - 1}.",
        )
    return k


def neighbours_of(stages: Stages, i: int) -> Graph:
    """The graph of the k nearest neighbours of view i, (M, M) squared distances: independent of ε."""
    k = neighbour_count(stages, i)
    key = StageKey("neighbours", stages.distance_key(i), settings=(k,))
    return stages.memo(key, lambda: _neighbours(stages, i, k))


def _neighbours(stages: Stages, i: int, k: int) -> Graph:
    X = stages.points(i)
    if stages.kernels[i].kind.metric == "euclidean":
        return graph_of_samples(X, k, stages.task)
    if stages.n_samples <= MANY_SAMPLES:
        return graph_of_distances(distances_of(stages.in_float64(), i), k, stages.task)
    return graph_of_blocks(blocks_of(stages, i), (len(X), X.shape[1]), k, stages.task)


def _radius(stages: Stages, i: int) -> Array:
    """Squared distance (M,) from each sample of view i to its k-th neighbour."""
    k = neighbour_count(stages, i)
    key = StageKey("neighbour-distance", stages.distance_key(i), settings=(k,))
    return stages.memo(key, lambda: _neighbour_distance(stages, i, k))


def _neighbour_distance(stages: Stages, i: int, k: int) -> Array:
    if stages.n_samples <= MANY_SAMPLES and not stages.kernels[i].kind.sparse:
        return neighbour_distance(distances_of(stages.in_float64(), i), k, stages.task)
    return kth_in_graph(neighbours_of(stages, i), k)


def _scale(stages: Stages, i: int) -> Array | None:
    """The scale (M,) of each sample, where the kernel of view i has scales."""
    return None if stages.kernels[i].neighbours is None else np.sqrt(_radius(stages, i))


# Landmarks --------------------------------------------------------------------------------------------------------


def landmark_kernel_of(stages: Stages, i: int) -> LandmarkKernel:
    """The Nyström kernel of view i at its own ε."""
    if stages.precision == "float32":
        return landmark_kernel_of(stages.in_float64(), i).in_float32()

    def compute() -> LandmarkKernel:
        distances, affinity = landmark_distances(stages, i), gaussian_affinity(stages.epsilon[i])

        def affinities(rows: Rows) -> Array:
            out = distances(rows)
            affinity(out, ALL, ALL, out)
            return out

        return landmark_kernel(affinities, landmarks_of(stages, i), stages.n_samples, stages.task)

    return stages.of_kernel(i, "landmarks", compute=compute)


def landmarks_of(stages: Stages, i: int) -> npt.NDArray[np.intp]:
    """The samples (m,) that are view i's landmarks: the same in all views; fewer landmarks are the first of more."""
    count = stages.kernels[i].landmarks
    if count > stages.n_samples:
        raise ParameterError(
            f"The kernel of view “{stages.view_name(i)}” asks for {count} landmarks among {stages.n_samples} samples.",
            f"Give at most {stages.n_samples}, or choose the Gaussian itself.",
        )
    return np.random.default_rng(stages.random_state).permutation(stages.n_samples)[:count]


def landmark_distances(stages: Stages, i: int) -> Callable[[Rows], Array]:
    """Squared distances (n, m), freshly made, from some samples of view i to its landmarks."""
    landmarks, X = landmarks_of(stages, i), stages.points(i)
    blocks = metric_blocks("euclidean", X, X[landmarks])
    shape = len(X), len(landmarks)
    if not fits(shape[0] * shape[1], stages.task):
        return lambda rows: blocks(rows, ALL)
    key = StageKey("landmark-distances", stages.distance_key(i), settings=(len(landmarks), stages.random_state))
    kept = stages.memo(key, lambda: all_pairs(blocks, shape, X.shape[1], stages.task))
    return lambda rows: kept[rows].copy()


# New samples ------------------------------------------------------------------------------------------------------


def cross_distances(stages: Stages, i: int, new: Array) -> Array:
    """Squared distances (n, M) from new samples of view i, raw (n, D_i), to the known ones."""

    def compute() -> Array:
        metric = stages.kernels[i].kind.metric
        return metric_distances(metric, stages.points_of(i, new), stages.points(i), stages.task)

    return compute() if stages.placed is None else _repeated_distances(stages, i, compute)


def _repeated_distances(stages: Stages, i: int, compute: Callable[[], Array]) -> Array:
    """Distances that are asked for at every step of a drag, remembered in single precision."""
    assert stages.placed is not None
    data, first = stages.placed
    if not fits(data.n_samples * stages.n_samples // 2, stages.task):  # half as large as in double precision
        return cast("Array", compute().astype(np.float32))
    key = StageKey("cross-distances", stages.distance_key(i), "float32", (data.view_key(stages.views[i]), first))
    return stages.memo(key, lambda: cast("Array", compute().astype(np.float32)))


def brought_near(stages: Stages, distances: Array, epsilon: float) -> Array:
    """Squared distances (n, M); of samples placed in a drag, those far from all known ones come nearer.

    Their affinities would all be 0. So they are placed by those nearest to them, as in the limit of ever smaller ε.
    """
    if stages.placed is None:
        return distances
    farthest = 20.0  # Where d²/ε is no more than this, exp(-d²/2ε) is far above the least affinity in single precision.
    beyond = distances.min(axis=1) - farthest * epsilon
    far = np.flatnonzero(beyond > 0.0)
    if len(far):
        distances = distances.copy()
        distances[far] -= beyond[far, None]
    return distances


def _repeated_kernel(stages: Stages, i: int, distances: Array) -> Array:
    """The kernel (n, M) of new samples; in a drag it is remembered, because panels that take the same step share it."""

    def compute() -> Array:
        return of_distances(brought_near(stages, distances, stages.epsilon[i]), _affinity(stages, i), stages.task)

    if stages.placed is None:
        return compute()
    data, first = stages.placed
    kernels_kept = 3  # Steps of a drag whose kernels are remembered.
    needed = kernels_kept * stages.n_views * 4 * data.n_samples * stages.n_samples
    share_of_kernels = 1 / 8  # Part of the memory that the kernels of samples placed in a drag may take.
    if needed > share_of_kernels * stages.task.memory:
        return compute()
    subject = stages.view_key(i), data.view_key(stages.views[i]), first
    key = StageKey("cross-kernel", subject, stages.precision, (stages.kernels[i], stages.epsilon[i]))
    return stages.memo(key, compute)


def cross_kernel(stages: Stages, i: int, new: Array) -> KernelMatrix:
    """Kernel (n, M) between new samples of view i and the known ones, in the form in which the method takes it."""
    K = _cross_kernel(stages, i, new)
    return rows_in_form(stages, K, scaling_of_view(stages, i).factors if stages.form.scaled else None)


def rows_in_form(stages: Stages, K: KernelMatrix, factors: Array | None) -> KernelMatrix:
    """Rows (n, M) of a kernel at new samples in the form in which the method takes it.

    Without self-loops a new sample that is a known one is not its own neighbour. `factors` (M,) are those of the known
    samples where the kernel is doubly stochastic; a new sample's own one makes its row sum 1.
    """
    if stages.twins is not None:
        K = without_twins(K, stages.twins)
    if factors is None:
        return K
    sums = np.asarray(K @ factors)
    if lost := int(np.count_nonzero(~(sums > 0.0))):
        raise far_from_all(lost)
    return scaled(K, 1.0 / sums, factors, stages.task)


def far_from_all(count: int) -> DataError:
    """The error for new samples whose kernel to every known sample underflows."""
    return DataError(
        f"{count} new sample{'s are' if count != 1 else ' is'} too far from all known ones to be placed at this ε.",
        "Enlarge ε, or check that the new samples are measured in the same units.",
    )


def _cross_kernel(stages: Stages, i: int, new: Array) -> KernelMatrix:
    """The same with its self-loops and not scaled; for a precomputed kernel `new` itself."""
    kernel = stages.kernels[i]
    if kernel.kind.id == "precomputed":
        return new
    if kernel.landmarks:
        affinities = of_distances(cross_landmarks(stages, i, new), _affinity(stages, i), stages.task)
        return landmark_kernel_of(stages, i).rows(affinities)
    distances = cross_distances(stages, i, new)
    if kernel.neighbours is None:
        return _repeated_kernel(stages, i, distances)
    k = neighbour_count(stages, i)
    if kernel.kind.id == "knn":
        return sparse_kernel(stages, cross_graph(distances, _radius(stages, i), k, stages.task), stages.epsilon[i])
    own = np.sqrt(neighbour_distance(distances, k, stages.task))
    return of_distances(distances, _affinity(stages, i, own, _scale(stages, i)), stages.task)


def cross_landmarks(stages: Stages, i: int, new: Array) -> Array:
    """Squared distances (n, m) from new samples of view i, raw (n, D_i), to its landmarks."""
    # Centred as the known samples' distances are, so that a known sample gets the same ones.
    return metric_blocks("euclidean", stages.points(i), stages.points_of(i, new))(landmarks_of(stages, i), ALL).T
