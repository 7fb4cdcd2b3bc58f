"""The stages of a computation: view -> distances -> kernel -> decomposition, each keyed by what it depends on.

The stages know nothing of threads or caches: `memo` is whatever the caller wants to happen between
"I need this" and "compute it". A cache makes a slider move cost one kernel instead of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from mvexplorer.engine.distances import check_size, median_squared_distance
from mvexplorer.engine.kernels import (
    GAUSSIAN,
    Kernel,
    KernelMatrix,
    check_epsilon,
    check_precomputed,
    gaussian,
    laplacian,
    metric_distances,
    nearest_only,
    neighbour_distance,
    self_tuning,
)
from mvexplorer.engine.multiview import Array, MultiView, preprocess_view
from mvexplorer.engine.params import Value
from mvexplorer.engine.registry import Method
from mvexplorer.engine.spectral import DRAFT, SETTLED, Decomposition, Search
from mvexplorer.engine.start import Start
from mvexplorer.engine.task import Task
from mvexplorer.errors import ParameterError

T = TypeVar("T")

NOWHERE = Start()

RESOLVED_IN_SINGLE = 0.05
"""Eigenvalues (of B, two views: the operator solved is B Bᵀ) below this need double precision."""


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
        start: Start = NOWHERE,
        draft: bool = False,
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
        self.draft = draft
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

    def in_double(self) -> Stages:
        """The same stages, in double precision."""
        return self._copy(single=False)

    def in_single(self) -> Stages:
        """The same stages, in single precision."""
        return self._copy(single=True)

    def _copy(self, **changes: Any) -> Stages:
        same: dict[str, Any] = {
            "kernels": self.kernels, "random_state": self.random_state, "task": self.task, "memo": self.memo,
            "start": self.start, "draft": self.draft, "single": self.single,
        }  # fmt: skip
        return Stages(self.data, self.views, self.epsilon, self.params, **(same | changes))

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
        check_size(self.n_samples)
        key = ("distances", self.distance_key(i))
        if self.single:
            # Rounded, not computed, in single precision: |x|² + |y|² - 2xy would lose ε / |x|².
            return self.memo((*key, "single"), lambda: self.in_double().distances(i).astype(np.float32))
        metric = self.kernels[i].kind.metric
        if metric == "none":
            return self.memo(key, lambda: _kernel_distances(self.kernel(i)))
        return self.memo(key, lambda: metric_distances(metric, self.view(i), task=self.task))

    def median(self, i: int) -> float:
        """Median squared distance of view i, the unit of its bandwidth axis."""
        return self.memo(("median", self.distance_key(i)), lambda: median_squared_distance(self.distances(i)))

    def kernel(self, i: int) -> KernelMatrix:
        """Kernel of view i at its own ε, (M, M); sparse where it has neighbours only."""
        return self.of_kernel(i, "kernel", compute=lambda: self._kernel(i))

    def of_kernel(self, i: int, name: str, *key: Hashable, compute: Callable[[], T]) -> T:
        """Something made from the kernel of view i, remembered under `name`."""
        kernel = self.kernels[i]
        epsilon = check_epsilon(self.epsilon[i], self.view_name(i)) if kernel.kind.uses_epsilon else None
        return self.memo((name, self.view_key(i), kernel, epsilon, self.single, key), compute)

    def _kernel(self, i: int) -> KernelMatrix:
        kernel = self.kernels[i]
        if kernel.kind.id == "precomputed":
            check_size(self.n_samples)
            return check_precomputed(self.data.Xs[self.views[i]], self.view_name(i), self.task)
        scale = None if kernel.neighbours is None else self._neighbour_distance(i)
        return self._affinity(i, self.distances(i), scale, scale)

    def _neighbour_distance(self, i: int) -> Array:
        k = self.kernels[i].neighbours or 1
        if k >= self.n_samples:
            raise ParameterError(
                f"The kernel of view “{self.view_name(i)}” asks for {k} neighbours among {self.n_samples} samples.",
                f"Give at most {self.n_samples - 1}.",
            )
        key = ("neighbour-distance", self.distance_key(i), k, self.single)
        return self.memo(key, lambda: neighbour_distance(self.distances(i), k, self.task))

    def _affinity(self, i: int, distances: Array, rows: Array | None, columns: Array | None) -> KernelMatrix:
        """Kernel (n, M) of squared distances; `rows` and `columns` are those to the k-th neighbour, where needed."""
        kind = self.kernels[i].kind.id
        if kind in ("laplacian", "laplacian-l2"):
            return laplacian(distances, self.epsilon[i], self.task)
        if kind == "self-tuning" and rows is not None and columns is not None:
            return self_tuning(distances, np.sqrt(rows), np.sqrt(columns), self.task)
        full = gaussian(distances, self.epsilon[i], self.task)
        return full if rows is None or columns is None else nearest_only(full, distances, rows, columns)

    def dense_kernel(self, i: int) -> Array:
        """The kernel of view i as an array (M, M), sparse or not."""
        K = self.kernel(i)
        return K if isinstance(K, np.ndarray) else K.toarray()

    def fused(self, name: str, *key: Hashable, compute: Callable[[], Array]) -> Array:
        """A matrix built from all the views and all their ε, remembered under `name`."""
        return self.memo((name, self._inputs(), self.single, key), compute)

    def _inputs(self) -> tuple[Hashable, ...]:
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
        distances = self.cross_distances(i, new)
        if kernel.neighbours is None:
            return self._affinity(i, distances, None, None)
        own = neighbour_distance(distances, kernel.neighbours, self.task)
        return self._affinity(i, distances, own, self._neighbour_distance(i))

    def decomposition(self, method: Method) -> Decomposition:
        """The method's decomposition, remembered under everything it depends on; drafts apart from exact ones."""
        key = (method.id, self._inputs(), self.random_state, method.operator_params(self.params))
        if self.draft and method.drafts:
            return self.memo(("draft", *key), lambda: self._drafted(method))
        exact = self.memo(("decomposition", *key), lambda: method.solve(self))
        if method.drafts:  # a drag that starts here, or of what needs no solving, finds it
            self.memo(("draft", *key), lambda: exact)
        return exact

    def _drafted(self, method: Method) -> Decomposition:
        """In single precision, unless eigenvalues come too near its rounding."""
        if method.epsilon_matters(self.params) and self.start.smallest >= RESOLVED_IN_SINGLE:
            found = method.solve(self.in_single())
            if np.abs(found.eigenvalues).min() >= RESOLVED_IN_SINGLE:
                return found
        return method.solve(self)

    def search(self, operator: int = 0) -> Search:
        """What to look for in one of the operators a method solves, and from where."""
        bases = self.start.bases
        start = bases[operator] if operator < len(bases) else None
        sparse = any(kernel.kind.sparse for kernel in self.kernels)
        return Search(self.n_vectors, start, DRAFT if self.draft else SETTLED, sparse)

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors to compute: r and the trivial one."""
        return int(self.params["n_components"] or 1) + 1


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
