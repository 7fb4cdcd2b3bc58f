"""Kernels of a view. Convention: K = exp(-d² / (2ε)), ε = σ² in units of the squared distance.

Every kernel has a distance of its own, on which the bandwidth rules work as well, and a profile that turns it into
an affinity. A view's kernel is given as text: ``gaussian``, ``laplacian``, ``laplacian-l2``, ``correlation``,
``self-tuning`` (or ``self-tuning-15``), ``knn`` (or ``knn-64``), ``landmarks`` (or ``landmarks-500``), ``precomputed``.
The view's metric may follow: ``gaussian@correlation``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import is_bool, one_per_view
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import (
    BLOCK_ROWS,
    Blocks,
    city_block,
    city_block_blocks,
    correlation_blocks,
    correlation_distances,
    fill_symmetric,
    squared_blocks,
    squared_distances,
)
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, ViewMetric, parse_metric, parse_metrics
from mvexplorer.errors import DataError, ParameterError

Metric = Literal["euclidean", "city-block", "correlation", "none"]


@dataclass(frozen=True)
class KernelKind:
    """A kind of kernel, declared: what it measures, and the words to show for it.

    `neighbours` and `landmarks` are the default count where the kind has one, None otherwise; `positive` tells whether
    the matrix is positive semi-definite whatever the samples, `sparse` whether most of its entries are 0.
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
    landmarks: int | None = None

    @property
    def approximates_gaussian(self) -> bool:
        """True if it replaces a Gaussian kernel that is too large."""
        return self.id in ("knn", "landmarks")

    @property
    def count(self) -> int | None:
        """The default count of whatever the kind counts."""
        return self.neighbours if self.landmarks is None else self.landmarks


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
        "Every sample has a scale of its own, so that dense and sparse regions count equally. ε has no effect.",
        "Zelnik-Manor, Perona: Self-tuning spectral clustering (2004); Gaussian bandwidth selection, (3.2)-(3.3)",
        "euclidean", uses_epsilon=False, neighbours=7, positive=False,
    ),
    KernelKind(
        "knn", "Gaussian on nearest neighbours", "exp(−|x − x′|² / 2ε) where x′ is among the k nearest of x or x of x′",
        "Far pairs count nothing at all: a sparse kernel, another one than the Gaussian at the same ε.",
        "Common practice", "euclidean", neighbours=30, positive=False, sparse=True,
    ),
    KernelKind(
        "landmarks", "Gaussian by landmarks", "C W⁺ Cᵀ,   C_ij = exp(−|x_i − z_j|² / 2ε),   z_j landmarks",
        "What the affinities to some random samples tell of all others: another kernel than the Gaussian, of low rank.",
        "Williams, Seeger: Using the Nyström method to speed up kernel machines (2001)",
        "euclidean", landmarks=1000,
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
    """The kernel of one view: its kind, where that has one its count of neighbours or landmarks, and the metric."""

    kind: KernelKind
    count: int | None = None
    metric: ViewMetric = EUCLIDEAN

    @property
    def neighbours(self) -> int | None:
        """The count of neighbours; None where the kind has none."""
        return None if self.kind.neighbours is None else self.count

    @property
    def landmarks(self) -> int:
        """The count of landmarks; 0 where the kind has none."""
        return 0 if self.kind.landmarks is None else self.count or self.kind.landmarks

    @property
    def text(self) -> str:
        """The form in which it is given and saved."""
        name = self.kind.id if self.count in (None, self.kind.count) else f"{self.kind.id}-{self.count}"
        return name if self.metric == EUCLIDEAN else f"{name}@{self.metric}"

    def on(self, metric: ViewMetric, view: str = "") -> Kernel:
        """The same kernel with a metric; ParameterError where its kind has distances of its own."""
        if metric != EUCLIDEAN and not self.takes_metric:
            where = f" of view “{view}”" if view else ""
            raise ParameterError(
                f"The kernel {self.kind.id}{where} cannot have the metric {metric}: it has distances of its own.",
                "Choose the kernel gaussian for that metric, or leave the metric at euclidean.",
            )
        return replace(self, metric=metric)

    @property
    def takes_metric(self) -> bool:
        """True if it may have another metric than the Euclidean."""
        return self.kind.metric in ("euclidean", "city-block")


_BY_ID = {kind.id: kind for kind in _KINDS}
GAUSSIAN = Kernel(_KINDS[0])


def parse_kernel(given: Any, view: str = "") -> Kernel:
    """A view's kernel from its text; ParameterError names the kinds there are."""
    if isinstance(given, Kernel):
        return given
    text, at, metric = str(given).strip().lower().partition("@")
    if at:
        return parse_kernel(text, view).on(parse_metric(metric, view), view)
    if text in _BY_ID:
        return Kernel(_BY_ID[text], _BY_ID[text].count)
    name, _, count = text.rpartition("-")
    kind = _BY_ID.get(name)
    if kind is None or kind.count is None:
        where = f" of view “{view}”" if view else ""
        raise ParameterError(f"There is no kernel “{given}”{where}.", f"Kernels: {', '.join(_BY_ID)}.")
    many = kind.landmarks is not None
    low, high = (2, 4000) if many else (1, 10_000)
    if not count.isdigit() or not low <= int(count) <= high:
        raise ParameterError(
            f"The kernel {kind.id} cannot have “{count}” {'landmarks' if many else 'neighbours'}.",
            f"Give a whole number from {low} to {high}, as in {kind.id}-{kind.count}.",
        )
    return Kernel(kind, int(count))


def parse_kernels(given: Any, view_names: Sequence[str]) -> tuple[Kernel, ...]:
    """One `Kernel` per view, from one for all, a sequence, a mapping, or text such as ``fou:laplacian,fac:knn``."""
    return one_per_view(given, view_names, parse_kernel, GAUSSIAN, "kernel")


def with_metrics(kernels: Mapping[str, Kernel], metrics: Mapping[str, ViewMetric]) -> dict[str, Kernel]:
    """Kernels by view with the metrics given beside them; ParameterError where a kernel names another one."""
    out = {}
    for view, kernel in kernels.items():
        metric = metrics.get(view, EUCLIDEAN)
        if metric != EUCLIDEAN and kernel.metric not in (EUCLIDEAN, metric):
            raise ParameterError(
                f"View “{view}” is given two metrics: {kernel.metric} with its kernel, and {metric}.",
                "Give one of them.",
            )
        out[view] = kernel if metric == EUCLIDEAN else kernel.on(metric, view)
    return out


def kernels_of(kernel: Any, metric: Any, view_names: Sequence[str]) -> tuple[Kernel, ...]:
    """One `Kernel` per view, from kernels and metrics in any of the forms they may be given in."""
    kernels = dict(zip(view_names, parse_kernels(kernel, view_names), strict=True))
    return tuple(with_metrics(kernels, dict(zip(view_names, parse_metrics(metric, view_names), strict=True))).values())


def check_epsilon(epsilon: Any, view: str = "") -> float:
    """`epsilon` as a float; ParameterError unless it is positive and finite."""
    where = f" of view “{view}”" if view else ""
    hint = "Give a number above 0, or a rule such as max-min."
    try:
        value = None if is_bool(epsilon) else float(epsilon)
    except (TypeError, ValueError, OverflowError):
        value = None
    if value is None:
        raise ParameterError(f"The bandwidth ε{where} is {epsilon!r}, not a number.", hint)
    if not (value > 0.0 and math.isfinite(value)):
        raise ParameterError(f"The bandwidth ε{where} is {value:g}.", hint)
    return value


# Distances and affinities -----------------------------------------------------------------------------------


def metric_distances(
    metric: Metric, X: Array, Y: Array | None = None, task: Task | None = None, dtype: npt.DTypeLike = np.float64
) -> Array:
    """Compute the squared distances (M, N) a kernel is a function of, from rows of X (M, D) to Y (N, D) (default X).

    They are held in `dtype`, and computed in double: in single, ``|x|² + |y|² - 2xy`` would lose ``ε / |x|²``.
    """
    if metric == "city-block":
        return city_block(X, Y, task, dtype)
    if metric == "correlation":
        return correlation_distances(X, Y, task, dtype)
    return squared_distances(X, Y, task, dtype)


def metric_blocks(metric: Metric, X: Array, Y: Array | None = None) -> Blocks:
    """The distances of `metric_distances`, a few rows at a time."""
    if metric == "city-block":
        return city_block_blocks(X, Y)
    return correlation_blocks(X, Y) if metric == "correlation" else squared_blocks(X, Y)


Affinity: TypeAlias = Callable[[Array, slice, slice, Array], None]
"""Turns a block of squared distances into affinities: `affinity(distances, rows, columns, out)`."""


def divide(distances: Array, width: float, out: Array | None = None) -> Array:
    """`distances / width`, into `out` if it is given, for every width but 0.

    A quotient beyond the largest number is infinite (its affinity is 0), and a width below the smallest number of
    the precision of `distances` is taken for that number, so that 0 / width stays 0.
    """
    least = float(np.finfo(distances.dtype).tiny)
    width = math.copysign(max(abs(width), least), width)
    with np.errstate(over="ignore"):
        return cast("Array", np.divide(distances, width, out=out))


LEAST_EXPONENT = -60.0 * math.log(2.0)
"""exp of it is far below the rounding of 1, which each sample's affinity to itself is, even in double precision."""


def exponentials(out: Array) -> None:
    """exp of numbers that are not above 0, in place; in single precision of those below LEAST_EXPONENT, of that.

    Smaller affinities, and their products with vectors, are below the normal numbers of single precision, with which
    processors are many times slower.
    """
    if out.dtype == np.float32:
        np.maximum(out, LEAST_EXPONENT, out=out)
    np.exp(out, out=out)


def rounded(affinities: Array) -> Array:
    """Affinities in single precision, none below the least of `exponentials`."""
    out = affinities.astype(np.float32)
    return np.maximum(out, np.float32(math.exp(LEAST_EXPONENT)), out=out)


def gaussian_affinity(epsilon: float) -> Affinity:
    """exp(-d²/(2ε)); multi-view diffusion maps, (12)."""
    width = -2.0 * check_epsilon(epsilon)

    def affinity(distances: Array, rows: slice, columns: slice, out: Array) -> None:
        divide(distances, width, out)
        exponentials(out)

    return affinity


def laplacian_affinity(epsilon: float) -> Affinity:
    """exp(-d/σ), σ = √ε; multi-view diffusion maps, (63)."""
    width = check_epsilon(epsilon)

    def affinity(distances: Array, rows: slice, columns: slice, out: Array) -> None:
        divide(distances, width, out)
        np.sqrt(out, out=out)
        np.negative(out, out=out)
        exponentials(out)

    return affinity


def self_tuning_affinity(row_scales: Array, column_scales: Array) -> Affinity:
    """exp(-d²/(σ_i σ_j)) for the scales σ of the rows (M,) and the columns (N,)."""

    def affinity(distances: Array, rows: slice, columns: slice, out: Array) -> None:
        np.divide(distances, -row_scales[rows, None], out=out)
        with np.errstate(over="ignore"):
            np.divide(out, column_scales[None, columns], out=out)
        exponentials(out)

    return affinity


def gaussian(distances: Array, epsilon: float, task: Task | None = None) -> Array:
    """Gaussian kernel exp(-d²/(2ε)) of squared distances (M, N); multi-view diffusion maps, (12)."""
    return of_distances(distances, gaussian_affinity(epsilon), task)


def of_distances(distances: Array, affinity: Affinity, task: Task | None) -> Array:
    """A kernel of the distances' shape and precision."""
    return of_rows(lambda rows: distances[rows], distances.shape, distances.dtype, affinity, task or Task())


def of_rows(
    distances: Callable[[slice], Array], shape: tuple[int, ...], dtype: npt.DTypeLike, affinity: Affinity, task: Task
) -> Array:
    """Make a kernel of `shape` (M, N) from squared distances (m, N) that are computed a few rows at a time."""
    out = cast("Array", task.empty(shape, dtype))
    task.affinities += 1
    every = slice(None)
    # Entries of a kernel that are filled at a time, in no fewer rows: they stay in the processor's cache meanwhile.
    tile_entries, least_rows = 1 << 16, 16
    size = max(least_rows, min(BLOCK_ROWS, tile_entries // max(1, out.shape[1])))
    task.map_blocks(len(out), size, lambda rows: affinity(distances(rows), rows, every, out[rows]))
    return out


def of_blocks(blocks: Blocks, affinity: Affinity, n_samples: int, task: Task, dtype: npt.DTypeLike) -> Array:
    """Make a kernel (M, M) straight from the features; no matrix of distances is held."""
    out = cast("Array", task.empty((n_samples, n_samples), dtype))
    task.affinities += 1

    def tile(rows: slice, columns: slice) -> Array:
        block = blocks(rows, columns)
        affinity(block, rows, columns, block)
        return block

    fill_symmetric(out, tile, task)
    return out


FILL_ENTRIES = 1 << 19
"""Entries of a table of landmarks that are filled at a time."""


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
        # An eigenvalue of a precomputed kernel above minus this part of its mean diagonal counts as rounding.
        not_psd = 1e-8
        np.linalg.cholesky(0.5 * (K + K.T) + not_psd * float(np.trace(K)) / len(K) * np.eye(len(K)))
    except np.linalg.LinAlgError:
        raise DataError(
            f"{what} is no kernel: it has eigenvalues below 0.",
            "Add the modulus of its smallest eigenvalue to the diagonal, or choose another kernel.",
        ) from None
    return K
