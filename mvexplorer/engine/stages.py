"""The stages of a computation: view -> distances -> kernel -> decomposition, each keyed by what it depends on.

The stages know nothing of threads or caches: `memo` is whatever the caller wants to happen between
"I need this" and "compute it". A cache makes a slider move cost one kernel instead of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np

from mvexplorer.engine.distances import check_size, median_squared_distance, squared_distances
from mvexplorer.engine.kernels import check_epsilon, gaussian
from mvexplorer.engine.multiview import Array, MultiView, preprocess_view
from mvexplorer.engine.params import Value
from mvexplorer.engine.registry import Method
from mvexplorer.engine.spectral import Decomposition
from mvexplorer.engine.task import Task

T = TypeVar("T")


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
        task: Task | None = None,
        memo: Memo = compute_always,
        start: Decomposition | None = None,
    ) -> None:
        self.data = data
        self.views = tuple(views)
        self.epsilon = tuple(
            check_epsilon(e, data.view_names[v]) for e, v in zip(epsilon, self.views, strict=bool(epsilon))
        )
        self.params = dict(params or {})
        self.task = task or Task()
        self.memo = memo
        self.start = start
        """A former step's decomposition to start a draft from; None asks for the exact one."""

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
        return Stages(self.data, self.views, self.epsilon, self.params, task=task, memo=self.memo)

    def with_memo(self, memo: Memo) -> Stages:
        """The same stages, remembering elsewhere."""
        return Stages(self.data, self.views, self.epsilon, self.params, task=self.task, memo=memo)

    def _key(self, i: int) -> str:
        return self.data.view_key(self.views[i])

    def view(self, i: int) -> Array:
        """View i, preprocessed, (M, D_i)."""
        index = self.views[i]
        how = self.data.preprocess[index]
        return self.memo(("view", self._key(i)), lambda: preprocess_view(self.data.Xs[index], how))

    def distances(self, i: int) -> Array:
        """Squared distances within view i, (M, M); DataError where that is too large."""
        check_size(self.n_samples)
        return self.memo(("distances", self._key(i)), lambda: squared_distances(self.view(i), task=self.task))

    def median(self, i: int) -> float:
        """Median squared distance of view i, the unit of its bandwidth axis."""
        return self.memo(("median", self._key(i)), lambda: median_squared_distance(self.distances(i)))

    def kernel(self, i: int) -> Array:
        """Gaussian kernel of view i at its own ε, (M, M)."""
        epsilon = self.epsilon[i]
        return self.memo(("kernel", self._key(i), epsilon), lambda: gaussian(self.distances(i), epsilon, self.task))

    def fused(self, name: str, *key: Hashable, compute: Callable[[], Array]) -> Array:
        """A matrix built from all the views and all their ε, remembered under `name`."""
        views = tuple(self._key(i) for i in range(self.n_views))
        return self.memo((name, views, self.epsilon, key), compute)

    def cross_distances(self, i: int, new: Array) -> Array:
        """Squared distances (n, M) from new samples of view i, raw (n, D_i), to the known ones."""
        index = self.views[i]
        prepared = preprocess_view(new, self.data.preprocess[index], self.data.Xs[index])
        return squared_distances(prepared, self.view(i), self.task)

    def cross_kernel(self, i: int, new: Array) -> Array:
        """Gaussian kernel (n, M) between new samples of view i and the known ones."""
        return gaussian(self.cross_distances(i, new), self.epsilon[i], self.task)

    def decomposition(self, method: Method) -> Decomposition:
        """The method's decomposition, remembered under everything it depends on; a draft is not remembered."""
        if self.start is not None:
            return method.solve(self)
        views = tuple(self._key(i) for i in range(self.n_views))
        key = ("decomposition", method.id, views, self.epsilon, method.operator_params(self.params))
        return self.memo(key, lambda: method.solve(self))

    def start_vectors(self, block: int | None = None) -> Array | None:
        """Right eigenvectors (n, k) to start a draft from: of one block, or of all blocks stacked."""
        if self.start is None:
            return None
        if block is None:
            return np.vstack(self.start.blocks)
        return self.start.blocks[block] if block < len(self.start.blocks) else None

    @property
    def n_vectors(self) -> int:
        """Number of eigenvectors to compute: r and the trivial one."""
        return int(self.params["n_components"] or 1) + 1


def nbytes(value: Any) -> int:
    """Memory a stage's result holds, in bytes."""
    if isinstance(value, tuple):
        return sum(nbytes(part) for part in value)
    return int(value.nbytes) if isinstance(value, np.ndarray | Decomposition) else 64
