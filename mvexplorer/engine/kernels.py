"""Kernels of a view. Convention: K = exp(-d² / (2ε)), ε = σ² in units of the squared distance.

Every kernel has a distance of its own, on which the bandwidth rules work as well, and a profile that turns it into
an affinity. A view's kernel is given as text: ``gaussian``, ``laplacian``, ``laplacian-l2``, ``correlation``,
``self-tuning`` (or ``self-tuning-15``), ``knn`` (or ``knn-64``), ``precomputed``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from mvexplorer.engine.distances import ROWS, city_block, correlation_distances, squared_distances
from mvexplorer.engine.multiview import Array
from mvexplorer.engine.task import Task
from mvexplorer.errors import DataError, ParameterError

KernelMatrix: TypeAlias = Any
"""An array (M, M), or a `scipy.sparse.csr_array` of that shape: both know ``@`` and ``sum(axis=1)``."""

Metric = Literal["euclidean", "city-block", "correlation", "none"]
MOST_NEIGHBOURS = 10_000


@dataclass(frozen=True)
class KernelKind:
    """A kind of kernel, declared: what it measures, and the words to show for it.

    `neighbours` is the default count where the kind has one, None otherwise; `positive` tells whether the matrix is
    positive semi-definite whatever the samples, `sparse` whether most of its entries are 0.
    """

    id: str
    title: str
    formula: str
    summary: str
    source: str
    metric: Metric
    uses_epsilon: bool = True
    neighbours: int | None = None
    positive: bool = True
    sparse: bool = False


_PAPER = "Multi-view diffusion maps"
_KINDS = (
    KernelKind(
        "gaussian", "Gaussian", "exp(−|x − x′|² / 2ε)",
        "The usual choice: neighbours within about √ε count.",
        f"{_PAPER}, (12)", "euclidean",
    ),
    KernelKind(
        "laplacian", "Laplacian (L1)", "exp(−|x − x′|₁ / σ)",
        "Heavier tails and sums of absolute differences: less moved by single outlying features.",
        f"{_PAPER}, (63)", "city-block",
    ),
    KernelKind(
        "laplacian-l2", "Laplacian (L2)", "exp(−|x − x′| / σ)",
        "Heavier tails than the Gaussian, on Euclidean distances.",
        f"{_PAPER}, (63)", "euclidean",
    ),
    KernelKind(
        "correlation", "Correlation", "exp((T − 1) / 2ε),   T = corr(x, x′)",
        "Samples whose features rise and fall together are close, whatever their level and size.",
        f"{_PAPER}, (64)-(65)", "correlation",
    ),
    KernelKind(
        "self-tuning", "Self-tuning", "exp(−|x − x′|² / σ_x σ_x′),   σ_x = distance to the k-th neighbour",
        "Every sample has a scale of its own, so that dense and sparse regions weigh alike. ε has no effect.",
        "Zelnik-Manor, Perona: Self-tuning spectral clustering (2004); Gaussian bandwidth selection, (3.2)-(3.3)",
        "euclidean", uses_epsilon=False, neighbours=7, positive=False,
    ),
    KernelKind(
        "knn", "Gaussian on nearest neighbours", "exp(−|x − x′|² / 2ε) where x′ is among the k nearest of x or x of x′",
        "Far pairs count nothing at all: a sparse kernel, another one than the Gaussian at the same ε.",
        "Common practice", "euclidean", neighbours=30, positive=False, sparse=True,
    ),
    KernelKind(
        "precomputed", "Precomputed", "K = the view itself",
        "The view is a table of affinities between all samples: symmetric, none below 0. ε has no effect.",
        "Common practice", "none", uses_epsilon=False,
    ),
)  # fmt: skip


def kernel_kinds() -> tuple[KernelKind, ...]:
    """All kinds of kernel, in the order in which they are shown."""
    return _KINDS


@dataclass(frozen=True)
class Kernel:
    """The kernel of one view: its kind and, where that has one, its count of neighbours."""

    kind: KernelKind
    neighbours: int | None = None

    @property
    def text(self) -> str:
        """The form in which it is given and saved."""
        usual = self.neighbours == self.kind.neighbours
        return self.kind.id if usual else f"{self.kind.id}-{self.neighbours}"


GAUSSIAN = Kernel(_KINDS[0])


def parse_kernel(given: Any, view: str = "") -> Kernel:
    """A view's kernel from its text; ParameterError names the kinds there are."""
    if isinstance(given, Kernel):
        return given
    text = str(given).strip().lower()
    kinds = {kind.id: kind for kind in _KINDS}
    if text in kinds:
        return Kernel(kinds[text], kinds[text].neighbours)
    name, _, count = text.rpartition("-")
    kind = kinds.get(name)
    if kind is None or kind.neighbours is None:
        where = f" of view “{view}”" if view else ""
        raise ParameterError(f"There is no kernel “{given}”{where}.", f"Kernels: {', '.join(kinds)}.")
    if not count.isdigit() or not 1 <= int(count) <= MOST_NEIGHBOURS:
        raise ParameterError(
            f"The kernel {kind.id} cannot have “{count}” neighbours.",
            f"Give a whole number from 1 to {MOST_NEIGHBOURS}, as in {kind.id}-{kind.neighbours}.",
        )
    return Kernel(kind, int(count))


def parse_kernels(given: Any, view_names: Sequence[str]) -> tuple[Kernel, ...]:
    """One `Kernel` per view, from one for all, a sequence, a mapping, or text such as ``fou:laplacian,fac:knn``."""
    if isinstance(given, str) and ":" in given:
        given = {name.strip(): text for name, _, text in (part.partition(":") for part in given.split(","))}
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in view_names]
        if unknown:
            names = ", ".join(view_names)
            raise ParameterError(f"A kernel is given for view “{unknown[0]}”.", f"The views are {names}.")
        return tuple(parse_kernel(given.get(name, GAUSSIAN), name) for name in view_names)
    if isinstance(given, str | Kernel):
        return (parse_kernel(given),) * len(view_names)
    values = list(given)
    if len(values) != len(view_names):
        raise ParameterError(
            f"There are {len(values)} kernels for {len(view_names)} views.",
            f"Give one for each of {', '.join(view_names)}, or a single one for all.",
        )
    return tuple(parse_kernel(v, name) for v, name in zip(values, view_names, strict=True))


def check_epsilon(epsilon: float, view: str = "") -> float:
    """`epsilon` as a float; ParameterError unless it is positive and finite."""
    where = f" of view “{view}”" if view else ""
    try:
        value = float(epsilon)
    except (TypeError, ValueError):
        message = f"The bandwidth ε{where} is {epsilon!r}, not a number."
        raise ParameterError(message, "Give a number above 0.") from None
    if not (value > 0.0 and math.isfinite(value)):
        hint = "Give a number above 0, or a rule such as max-min."
        raise ParameterError(f"The bandwidth ε{where} is {value:g}.", hint)
    return value


# Distances and affinities -----------------------------------------------------------------------------------


def metric_distances(metric: Metric, X: Array, Y: Array | None = None, task: Task | None = None) -> Array:
    """The squared distances (M, N) a kernel is a function of, between rows of X and of Y (default X)."""
    if metric == "city-block":
        return city_block(X, Y, task)
    if metric == "correlation":
        return correlation_distances(X, Y, task)
    return squared_distances(X, Y, task)


def gaussian(distances: Array, epsilon: float, task: Task | None = None) -> Array:
    """Gaussian kernel exp(-d²/(2ε)) of squared distances (M, N); multi-view diffusion maps, (12)."""
    width = -2.0 * check_epsilon(epsilon)

    def affinity(rows: slice, out: Array) -> None:
        with np.errstate(over="ignore"):  # beyond the largest number the kernel is 0 all the same
            np.divide(distances[rows], width, out=out)
        np.exp(out, out=out)

    return _by_rows(distances, affinity, task)


def laplacian(distances: Array, epsilon: float, task: Task | None = None) -> Array:
    """Laplacian kernel exp(-d/σ), σ = √ε, of squared distances (M, N); multi-view diffusion maps, (63)."""
    width = check_epsilon(epsilon)

    def affinity(rows: slice, out: Array) -> None:
        with np.errstate(over="ignore"):
            np.divide(distances[rows], width, out=out)
        np.sqrt(out, out=out)
        np.negative(out, out=out)
        np.exp(out, out=out)

    return _by_rows(distances, affinity, task)


def self_tuning(distances: Array, rows: Array, columns: Array, task: Task | None = None) -> Array:
    """exp(-d²/(σ_i σ_j)) from squared distances (M, N) and the scales σ of its rows (M,) and columns (N,)."""

    def affinity(part: slice, out: Array) -> None:
        np.divide(distances[part], -rows[part, None], out=out)
        with np.errstate(over="ignore"):
            np.divide(out, columns[None, :], out=out)
        np.exp(out, out=out)

    return _by_rows(distances, affinity, task)


def neighbour_distance(distances: Array, k: int, task: Task | None = None) -> Array:
    """Squared distance (M,) from each row's sample to its k-th nearest other one.

    Samples at the very same place are not counted: they would give dense twins a scale of 0.
    """
    out = np.empty(len(distances))
    for start in range(0, len(distances), ROWS):
        if task is not None:
            task.checkpoint()
        block = distances[start : start + ROWS]
        block = np.where(block > 0.0, block, np.inf)
        nearest = np.partition(block, min(k, block.shape[1]) - 1, axis=1)[:, : min(k, block.shape[1])]
        # Where fewer than k others lie elsewhere, the farthest of them has to do; 1 where there is none.
        finite = np.where(np.isfinite(nearest), nearest, 0.0).max(axis=1)
        out[start : start + ROWS] = np.where(finite > 0.0, finite, 1.0)
    return out


def nearest_only(affinity: Array, distances: Array, rows: Array, columns: Array) -> KernelMatrix:
    """`affinity` (M, N) as a sparse matrix of the pairs no farther apart than one of the two radii (squared)."""
    from scipy.sparse import csr_array, vstack

    parts = []
    for start in range(0, len(distances), ROWS):
        block = slice(start, start + ROWS)
        # The k-th neighbour lies on the edge; rounding must not push it over.
        near = distances[block] <= (1.0 + 1e-9) * np.maximum(rows[block, None], columns[None, :])
        parts.append(csr_array(np.where(near, affinity[block], 0.0)))
    return csr_array(vstack(parts, format="csr"))


def _by_rows(distances: Array, affinity: Callable[[slice, Array], None], task: Task | None) -> Array:
    """A kernel of the distances' shape and precision, filled in by `affinity(rows, out)`."""
    out = np.empty_like(distances)
    task = task or Task()
    task.affinities += 1
    task.by_rows(len(distances), ROWS, lambda rows: affinity(rows, out[rows]))
    return out


NOT_PSD = 1e-8
"""Smallest eigenvalue of a precomputed kernel, relative to its mean diagonal, that still counts as rounding."""


def check_precomputed(K: Array, view: str, task: Task | None = None) -> Array:
    """`K` (M, M) as an affinity between samples; DataError unless it is square, symmetric, >= 0 and PSD."""
    what = f"The view “{view}”"
    if K.shape[0] != K.shape[1]:
        raise DataError(
            f"{what} has shape {K.shape} and is no table of affinities between all samples.",
            "A precomputed kernel is square: one row and one column per sample. Choose another kernel.",
        )
    size = float(np.abs(K).max())
    if np.abs(K - K.T).max() > 1e-8 * size:
        raise DataError(f"{what} is no kernel: it is not symmetric.", "Give (K + Kᵗ) / 2, or choose another kernel.")
    if float(K.min()) < 0.0:
        raise DataError(
            f"{what} is no affinity: it holds numbers below 0.",
            "Give similarities, 0 for samples that have nothing in common; distances need a Gaussian first.",
        )
    empty = int(np.count_nonzero(K.sum(axis=1) <= 0.0))
    if empty:
        raise DataError(
            f"{what} is all 0 for {empty} sample{'s' if empty > 1 else ''}.",
            "Every sample needs an affinity at least to itself: set the diagonal.",
        )
    if task is not None:
        task.checkpoint()
    try:
        np.linalg.cholesky(0.5 * (K + K.T) + NOT_PSD * float(np.trace(K)) / len(K) * np.eye(len(K)))
    except np.linalg.LinAlgError:
        raise DataError(
            f"{what} is no kernel: it has eigenvalues below 0.",
            "Add the modulus of its smallest eigenvalue to the diagonal, or choose another kernel.",
        ) from None
    return K
