"""The stages of a computation: view -> distances -> kernel -> decomposition, each keyed by what it depends on.

The stages know nothing of threads or caches: `memo` is whatever the caller wants to happen between
"I need this" and "compute it". A cache makes a slider move cost one kernel instead of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array, MultiView, preprocess_view
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import (
    GAUSSIAN,
    Affinity,
    Kernel,
    KernelMatrix,
    check_epsilon,
    check_precomputed,
    gaussian_affinity,
    laplacian_affinity,
    metric_blocks,
    metric_distances,
    of_blocks,
    of_distances,
    self_tuning_affinity,
)
from mvexplorer.engine.kernels.distances import ALL, LARGE, Blocks, Rows, all_pairs, check_size, median_squared_distance
from mvexplorer.engine.kernels.landmarks import LandmarkKernel, fits, landmark_kernel, landmark_rows
from mvexplorer.engine.kernels.neighbours import (
    Graph,
    cross_graph,
    graph_of_blocks,
    graph_of_distances,
    graph_of_samples,
    kth_in_graph,
    neighbour_distance,
)
from mvexplorer.engine.kernels.operators import Float32Kernel, LowRankOperator, ThreadedOperator
from mvexplorer.engine.spectral.eigenpairs import ANGLE_EXACT, ANGLE_PREVIEW, ANGLE_WARM, Search
from mvexplorer.engine.spectral.warm_start import WarmStart
from mvexplorer.errors import ParameterError

T = TypeVar("T")

NOWHERE = WarmStart()
PER_BANDWIDTH = frozenset({"kernel", "product", "concatenation", "squared-kernel"})
"""First part of the keys of matrices of which every ε has its own; what they are of, and whether in single, follow."""


class Memo(Protocol):
    """Returns the value stored under `key`, or computes (and maybe stores) it."""

    def __call__(self, key: Hashable, compute: Callable[[], T]) -> T: ...


def compute_always(key: Hashable, compute: Callable[[], T]) -> T:
    """The memo that remembers nothing."""
    return compute()


def remember_once() -> Memo:
    """A memo that remembers everything, for the life of one call."""
    known: dict[Hashable, Any] = {}

    def remember(key: Hashable, compute: Callable[[], T]) -> T:
        if key not in known:
            known[key] = compute()
        value: T = known[key]
        return value

    return remember


class Stages:
    """Intermediate results of one computation on some views of the data.

    Positions (`i`) count the views used, not the views of the data.
    """

    def __init__(
        self,
        data: MultiView,
        views: Sequence[int],
        epsilon: Sequence[float] = (),
        params: Mapping[str, Value] | None = None,
        *,
        kernels: Sequence[Kernel] = (),
        random_state: int = 0,
        task: Task | None = None,
        memo: Memo = compute_always,
        start: WarmStart = NOWHERE,
        interactive: bool = False,
        single: bool = False,
    ) -> None:
        self.data = data
        self.views = tuple(views)
        self.epsilon = tuple(epsilon)
        self.kernels = tuple(kernels) or (GAUSSIAN,) * len(self.views)
        self.random_state = random_state
        self.params = dict(params or {})
        self.task = task or Task()
        self.memo = memo
        self.start = start
        self.interactive = interactive
        """Whether a hand is moving: an answer good enough for the eye is wanted."""
        self.single = single
        """Whether distances and kernels are held in single precision: half the time, enough while a hand moves."""

    @property
    def n_samples(self) -> int:
        """Number M of samples."""
        return self.data.n_samples

    @property
    def n_views(self) -> int:
        """Number L of views used."""
        return len(self.views)

    def with_task(self, task: Task) -> Stages:
        """The same stages, reporting to another task."""
        return self._copy(task=task)

    def with_memo(self, memo: Memo) -> Stages:
        """The same stages, remembering elsewhere."""
        return self._copy(memo=memo)

    def in_float64(self) -> Stages:
        """The same stages, in double precision."""
        return self._copy(single=False)

    def in_float32(self) -> Stages:
        """The same stages, in single precision."""
        return self._copy(single=True)

    def _copy(self, **changes: Any) -> Stages:
        same: dict[str, Any] = {
            "kernels": self.kernels, "random_state": self.random_state, "task": self.task, "memo": self.memo,
            "start": self.start, "interactive": self.interactive, "single": self.single,
            "data": self.data, "views": self.views,
        } | changes  # fmt: skip
        return Stages(same.pop("data"), same.pop("views"), self.epsilon, self.params, **same)

    def view_key(self, i: int) -> str:
        """Short text that changes exactly when view i does."""
        return self.data.view_key(self.views[i])

    def view_name(self, i: int) -> str:
        """Name of view i."""
        return self.data.view_names[self.views[i]]

    def distance_key(self, i: int) -> Hashable:
        """What the distances within view i depend on."""
        return self.view_key(i), self.kernels[i].kind.metric

    def view(self, i: int) -> Array:
        """View i, preprocessed, (M, D_i)."""
        return self.memo(("view", self.view_key(i)), lambda: self.prepared(i, self.data.Xs[self.views[i]]))

    def prepared(self, i: int, new: Array) -> Array:
        """Samples (n, D_i) of view i, raw, preprocessed and weighted as the known ones are."""
        index = self.views[i]
        weights = self.data.feature_weights[index]
        X = preprocess_view(new, self.data.preprocess[index], self.data.Xs[index])
        return X if weights is None else X * weights

    def distances(self, i: int) -> Array:
        """Squared distances within view i, (M, M), those its kernel is a function of; DataError if too large."""
        check_size(self.n_samples, self.task.memory)
        key = ("distances", self.distance_key(i))
        if self.single:
            # Rounded, not computed, in single precision: |x|² + |y|² - 2xy would lose ε / |x|².
            return self.memo((*key, "single"), lambda: self.in_float64().distances(i).astype(np.float32))
        metric = self.kernels[i].kind.metric
        if metric == "none":
            return self.memo(key, lambda: _kernel_distances(self.kernel(i)))
        return self.memo(key, lambda: metric_distances(metric, self.view(i), task=self.task))

    def median(self, i: int) -> float:
        """Median squared distance of view i, the unit of its bandwidth axis; of a part where there are many samples."""
        among = self.subsample()
        return self.memo(("median", self.distance_key(i)), lambda: median_squared_distance(among.distances(i)))

    def subsample(self) -> Stages:
        """The same stages, or where there are many samples those of a random part: enough to choose a bandwidth by.

        Its views are as preprocessed and weighted among all samples.
        """
        if self.n_samples <= LARGE:
            return self
        text = f"Bandwidth rules look at a random part of {LARGE:,} of the {self.n_samples:,} samples."
        self.task.warn("part", text)
        keys = tuple(self.distance_key(i) for i in range(self.n_views))
        data = self.memo(("part", keys, _label_key(self.data)), self._subsampled_data)
        return self._copy(data=data, views=range(self.n_views))

    def _subsampled_data(self) -> MultiView:
        rows = np.sort(np.random.default_rng(0).permutation(self.n_samples)[:LARGE])

        def of_view(i: int) -> Array:
            X = self.view(i)
            return X[np.ix_(rows, rows)] if self.kernels[i].kind.metric == "none" else X[rows]

        names = [self.view_name(i) for i in range(self.n_views)]
        labels = None if self.data.labels is None else self.data.labels[rows]
        return MultiView([of_view(i) for i in range(self.n_views)], view_names=names, labels=labels)

    def blocks(self, i: int) -> Blocks:
        """The squared distances within view i, a few rows at a time."""
        return metric_blocks(self.kernels[i].kind.metric, self.view(i))

    def kernel(self, i: int) -> KernelMatrix:
        """Kernel of view i at its own ε, (M, M): an array, sparse for neighbours, implicit where that is large."""
        if self.kernels[i].landmarks:
            return self.landmark_kernel(i).kernel
        return self.of_kernel(i, "kernel", compute=lambda: self._kernel(i))

    def operator(self, i: int) -> ThreadedOperator:
        """The kernel of view i as solvers use it: its products are made on the threads lent to the task."""
        return ThreadedOperator(self.kernel(i), self.task)

    def of_kernel(self, i: int, name: str, *key: Hashable, compute: Callable[[], T]) -> T:
        """Something made from the kernel of view i, remembered under `name`."""
        kernel = self.kernels[i]
        epsilon = check_epsilon(self.epsilon[i], self.view_name(i)) if kernel.kind.uses_epsilon else None
        seed = self.random_state if kernel.landmarks else None
        return self.memo((name, self.view_key(i), self.single, kernel, epsilon, seed, key), compute)

    def _kernel(self, i: int) -> KernelMatrix:
        kernel = self.kernels[i]
        if kernel.kind.id == "precomputed":
            check_size(self.n_samples, self.task.memory)
            return check_precomputed(self.data.Xs[self.views[i]], self.view_name(i), self.task)
        if kernel.kind.id == "knn":
            return self.sparse_kernel(self.neighbours(i), self.epsilon[i])
        if self.n_samples <= LARGE:
            scale = self._scale(i)
            return of_distances(self.distances(i), self._affinity(i, scale, scale), self.task)
        if self.single:
            rounded: Float32Kernel = self.in_float64().kernel(i)
            return rounded.in_float32()
        scale = self._scale(i)
        return of_blocks(self.blocks(i), self._affinity(i, scale, scale), self.n_samples, self.task)

    def _affinity(self, i: int, rows: Array | None, columns: Array | None) -> Affinity:
        """The profile of view i's kernel; `rows` and `columns` are the samples' own scales, where it has any."""
        kind = self.kernels[i].kind.id
        if kind == "self-tuning" and rows is not None and columns is not None:
            return self_tuning_affinity(rows, columns)
        return laplacian_affinity(self.epsilon[i]) if "laplacian" in kind else gaussian_affinity(self.epsilon[i])

    # Neighbours --------------------------------------------------------------------------------------------------

    def neighbour_count(self, i: int) -> int:
        """The neighbours view i's kernel asks for."""
        k = self.kernels[i].neighbours or 1
        if k >= self.n_samples:
            raise ParameterError(
                f"The kernel of view “{self.view_name(i)}” asks for {k} neighbours among {self.n_samples} samples.",
                f"Give at most {self.n_samples - 1}.",
            )
        return k

    def _radius(self, i: int) -> Array:
        """Squared distance (M,) from each sample of view i to its k-th neighbour."""
        k = self.neighbour_count(i)
        return self.memo(("neighbour-distance", self.distance_key(i), k), lambda: self._neighbour_distance(i, k))

    def _neighbour_distance(self, i: int, k: int) -> Array:
        if self.n_samples <= LARGE and not self.kernels[i].kind.sparse:
            return neighbour_distance(self.in_float64().distances(i), k, self.task)
        return kth_in_graph(self.neighbours(i), k)

    def _scale(self, i: int) -> Array | None:
        """A distance (M,) of each sample's own, where the kernel of view i has such."""
        return None if self.kernels[i].neighbours is None else np.sqrt(self._radius(i))

    def neighbours(self, i: int) -> Graph:
        """The graph of the k nearest neighbours of view i, (M, M) squared distances: no ε in it."""
        k = self.neighbour_count(i)
        return self.memo(("neighbours", self.distance_key(i), k), lambda: self._neighbours(i, k))

    def _neighbours(self, i: int, k: int) -> Graph:
        X = self.view(i)
        if self.kernels[i].kind.metric == "euclidean":
            return graph_of_samples(X, k, self.task)
        if self.n_samples <= LARGE:
            return graph_of_distances(self.in_float64().distances(i), k, self.task)
        return graph_of_blocks(self.blocks(i), (len(X), X.shape[1]), k, self.task)

    def sparse_kernel(self, graph: Graph, epsilon: float) -> KernelMatrix:
        """The Gaussian of a graph's squared distances."""
        self.task.affinities += 1
        data = np.empty(graph.data.shape, np.float32 if self.single else np.float64)
        gaussian_affinity(epsilon)(graph.data.astype(data.dtype), ALL, ALL, data)
        return type(graph)((data, graph.indices, graph.indptr), shape=graph.shape)

    # Landmarks ---------------------------------------------------------------------------------------------------

    def landmark_kernel(self, i: int) -> LandmarkKernel:
        """The Nyström kernel of view i at its own ε."""
        if self.single:
            return self.in_float64().landmark_kernel(i).in_float32()
        return self.of_kernel(i, "landmarks", compute=lambda: self._landmark_kernel(i))

    def _landmark_kernel(self, i: int) -> LandmarkKernel:
        distances, affinity = self.landmark_distances(i), gaussian_affinity(self.epsilon[i])

        def affinities(rows: Rows) -> Array:
            out = distances(rows)
            affinity(out, ALL, ALL, out)
            return out

        return landmark_kernel(affinities, self.landmarks(i), self.n_samples, self.task)

    def landmarks(self, i: int) -> npt.NDArray[np.intp]:
        """The samples (m,) that are view i's landmarks."""
        count = self.kernels[i].landmarks
        if count > self.n_samples:
            raise ParameterError(
                f"The kernel of view “{self.view_name(i)}” asks for {count} landmarks among {self.n_samples} samples.",
                f"Give at most {self.n_samples}, or choose the Gaussian itself.",
            )
        return landmark_rows(self.n_samples, count, self.random_state)

    def landmark_distances(self, i: int) -> Callable[[Rows], Array]:
        """Squared distances (n, m), freshly made, from some samples of view i to its landmarks."""
        landmarks, X = self.landmarks(i), self.view(i)
        blocks = metric_blocks("euclidean", X, X[landmarks])
        if not fits(len(X) * len(landmarks), self.task):
            return lambda rows: blocks(rows, ALL)
        key = ("landmark-distances", self.distance_key(i), len(landmarks), self.random_state)
        shape = (len(X), len(landmarks))
        kept = self.memo(key, lambda: all_pairs(blocks, shape, X.shape[1], self.task))
        return lambda rows: kept[rows].copy()

    def table(self, i: int) -> KernelMatrix:
        """The kernel of view i with its entries: an array (M, M), or sparse where it has neighbours only."""
        K = self.kernel(i)
        if not isinstance(K, Float32Kernel | LowRankOperator):
            return K
        check_size(self.n_samples, self.task.memory)
        return K.toarray()

    def dense_kernel(self, i: int) -> Array:
        """The kernel of view i as an array (M, M), sparse or not."""
        K = self.table(i)
        return K if isinstance(K, np.ndarray) else K.toarray()

    def fused(self, name: str, *key: Hashable, compute: Callable[[], T]) -> T:
        """A matrix built from all the views and all their ε, remembered under `name`."""
        views, *used = self.inputs_key()
        return self.memo((name, views, self.single, *used, key), compute)

    def inputs_key(self) -> tuple[Hashable, ...]:
        """What is known of the views: themselves, and the kernels and ε that have an effect."""
        used = tuple(e if k.kind.uses_epsilon else None for e, k in zip(self.epsilon, self.kernels, strict=False))
        return tuple(self.view_key(i) for i in range(self.n_views)), self.kernels, used

    def cross_distances(self, i: int, new: Array) -> Array:
        """Squared distances (n, M) from new samples of view i, raw (n, D_i), to the known ones."""
        return metric_distances(self.kernels[i].kind.metric, self.prepared(i, new), self.view(i), self.task)

    def cross_kernel(self, i: int, new: Array) -> KernelMatrix:
        """Kernel (n, M) between new samples of view i and the known ones; precomputed, the rows themselves."""
        kernel = self.kernels[i]
        if kernel.kind.id == "precomputed":
            return new
        if kernel.landmarks:
            to_landmarks = self.cross_landmarks(i, new)
            return self.landmark_kernel(i).rows(of_distances(to_landmarks, self._affinity(i, None, None), self.task))
        distances = self.cross_distances(i, new)
        if kernel.neighbours is None:
            return of_distances(distances, self._affinity(i, None, None), self.task)
        k = self.neighbour_count(i)
        if kernel.kind.id == "knn":
            return self.sparse_kernel(cross_graph(distances, self._radius(i), k, self.task), self.epsilon[i])
        own = np.sqrt(neighbour_distance(distances, k, self.task))
        return of_distances(distances, self._affinity(i, own, self._scale(i)), self.task)

    def cross_landmarks(self, i: int, new: Array) -> Array:
        """Squared distances (n, m) from new samples of view i, raw (n, D_i), to its landmarks."""
        # Centred as the known samples' distances are, so that a known sample gets the same ones.
        return metric_blocks("euclidean", self.view(i), self.prepared(i, new))(self.landmarks(i), ALL).T

    def search(self, operator: int = 0) -> Search:
        """What to look for in one of the operators a method solves, and from where."""
        bases = self.start.bases
        start = bases[operator] if operator < len(bases) else None
        sparse = any(kernel.kind.sparse for kernel in self.kernels)
        near = start is not None or any(kernel.kind.approximates_gaussian for kernel in self.kernels)
        angle = ANGLE_PREVIEW if self.interactive else ANGLE_WARM if near else ANGLE_EXACT
        return Search(self.n_vectors, start, angle, sparse, self.single, self.interactive and self.start.looks)

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors to compute: r and the trivial one."""
        return int(self.params["n_components"] or 1) + 1


def _label_key(data: MultiView) -> Hashable:
    labels = data.labels
    if labels is None:
        return None
    return hash(labels.tobytes() if labels.dtype.kind != "O" else tuple(map(str, labels)))


def _kernel_distances(K: Array) -> Array:
    """Squared distances K_ii + K_jj - 2 K_ij in the feature space of a kernel (M, M)."""
    own = np.diag(K)
    return np.maximum(own[:, None] + own[None, :] - 2.0 * K, 0.0)


def nbytes(value: Any) -> int:
    """Memory a stage's result holds, in bytes."""
    if isinstance(value, tuple):
        return sum(nbytes(part) for part in value)
    size = getattr(value, "nbytes", None)
    if isinstance(size, int):
        return size
    sparse = [getattr(value, part, None) for part in ("data", "indices", "indptr")]
    return sum(int(part.nbytes) for part in sparse if isinstance(part, np.ndarray)) or 64
