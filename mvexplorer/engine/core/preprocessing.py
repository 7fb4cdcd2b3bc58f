"""Preprocessing of a view's features before distances are taken, with constants learnt from the known samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.maps import extremes, read_blocks
from mvexplorer.errors import DataError, ParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = npt.NDArray[np.float64]
PREPROCESS = ("none", "centre", "zscore", "unit", "log1p")
"""Preprocessing without a number; besides, ``pca:K`` keeps K principal components."""
CHOICES = f"{', '.join(PREPROCESS)} or pca:K"
FLAT = 1e-12
"""A feature whose s.d., in units of its largest number, is below this counts as constant: it is rounding."""
DENSE_SIDE = 3000
"""Up to this many samples or features a sparse view is reduced through its smaller side's products."""


def components(how: str) -> int | None:
    """The K of ``pca:K``; None for other preprocessing."""
    name, _, count = how.partition(":")
    return int(count) if name == "pca" and count.isascii() and count.isdigit() else None


def check_preprocess(how: str) -> str:
    """`how` as it is, where it names a preprocessing; ParameterError lists them."""
    if how not in PREPROCESS and not components(how):
        raise ParameterError(f"There is no preprocessing called “{how}”.", f"Use {CHOICES}, such as pca:20.")
    return how


def width_of(how: str, n_features: int) -> int:
    """Features that a view of `n_features` has once it is preprocessed."""
    return components(how) or n_features


def check_fits(how: str, X: Array, name: str, *, whole: bool) -> None:
    """Refuse a preprocessing that the numbers of a view (M, D) do not admit.

    Of a part of the samples (not `whole`) there may be fewer than components: those beyond are 0.
    """
    count, most = components(how), min(X.shape) if whole else X.shape[1]
    if count is not None and count > most:
        raise _too_many(count, X.shape, name)
    if how == "log1p":
        _check_log(X, f"View “{name}” holds")


def _too_many(count: int, shape: tuple[int, ...], name: str) -> DataError:
    return DataError(
        f"View “{name}” has no {count} principal components: it has {shape[0]} samples and {shape[1]} features.",
        f"Ask for at most {min(shape)}.",
    )


def _check_log(X: Array, where: str) -> None:
    least = float(extremes(X)[0].min()) if len(X) else 0.0
    if least < 0.0:
        raise DataError(
            f"{where} negative numbers (the least is {least:.3g}), which log1p is not for.",
            "Choose another preprocessing, such as zscore.",
        )


@dataclass(frozen=True, eq=False)
class Treatment:
    """The preprocessing of one view, ready to be applied to known and new samples alike.

    x becomes ``((x / unit - shift) / scale) axes``, each step only where its constant is there, after
    the logarithm of 1 + x where `log` says so. Features whose `scale` is 0 become 0.
    """

    log: bool = False
    unit: Array | None = None
    shift: Array | None = None
    scale: Array | None = None
    axes: Array | None = None

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return sum(part.nbytes for part in (self.unit, self.shift, self.scale, self.axes) if part is not None)

    def apply(self, X: Array) -> Array:
        """Samples (n, D) preprocessed, (n, D) or (n, K)."""
        if self.log:
            _check_log(X, "The samples hold")
            return cast("Array", np.log1p(X))
        for part, step in ((self.unit, np.divide), (self.shift, np.subtract)):
            X = X if part is None else step(X, part)
        if self.scale is not None:
            flat = self.scale == 0.0
            X = np.where(flat, 0.0, X / np.where(flat, 1.0, self.scale))
        return X if self.axes is None else X @ self.axes


def learn_treatment(how: str, reference: Array) -> Treatment:
    """Learn the constants of a preprocessing for samples like the known ones in `reference` (M, D).

    ``centre``: mean 0; ``zscore``: mean 0 and s.d. 1; ``unit``: each feature from 0 to 1; also ``none``, ``log1p``,
    ``pca:K``. Features that are constant in the reference become 0 where they would be divided by their spread.
    """
    if how == "log1p":
        return Treatment(log=True)
    if how == "centre":
        return Treatment(shift=reference.mean(axis=0))
    if count := components(how):
        return _principal_components(reference, count)
    if how not in ("zscore", "unit"):
        return Treatment()
    # In units of each column's largest value, so that squares of very large or small numbers stay in range.
    unit = _nonzero(np.abs(reference).max(axis=0))
    base = reference / unit
    shift, scale = (
        (base.mean(axis=0), base.std(axis=0)) if how == "zscore" else (base.min(axis=0), np.ptp(base, axis=0))
    )
    return Treatment(unit=unit, shift=shift, scale=np.where(scale <= FLAT, 0.0, scale))


def learn_by_blocks(how: str, reference: Array) -> Treatment:
    """As `learn_treatment`, of a view that stays in its file: a few rows of it are read at a time."""

    def blocks(unit: Array | float = 1.0) -> Iterator[Array]:
        return (np.asarray(block, dtype=np.float64) / unit for _, block in read_blocks(reference))

    if how in ("none", "log1p"):
        return learn_treatment(how, reference)
    low, high = (bound.astype(np.float64) for bound in extremes(reference))
    unit = _nonzero(np.maximum(np.abs(low), np.abs(high)))
    if how == "unit":
        spread = high / unit - low / unit
        return Treatment(unit=unit, shift=low / unit, scale=np.where(spread <= FLAT, 0.0, spread))
    count = components(how)
    whole = np.full_like(unit, unit.max()) if count else unit
    if how == "zscore":
        mean, scale = _moments(blocks(whole))
        return Treatment(unit=unit, shift=mean, scale=np.where(scale <= FLAT, 0.0, scale))
    mean = sum((B.sum(axis=0) for B in blocks(whole)), np.zeros(len(unit))) / len(reference)
    if how == "centre":
        return Treatment(shift=mean * whole)
    products = sum(((B - mean).T @ (B - mean) for B in blocks(whole)), np.zeros((len(unit), len(unit))))
    variances, vectors = np.linalg.eigh(products)
    variances, axes = variances[::-1][:count], vectors[:, ::-1][:, :count]
    return Treatment(shift=mean * whole, axes=np.where(variances > FLAT * variances[0], _signed(axes), 0.0))


def _moments(blocks: Iterable[Array]) -> tuple[Array, Array]:
    """Mean and s.d. (D,) of rows that come in blocks: those of each block, merged, as the rows are read once only."""
    count, mean, squares = 0, np.zeros(1), np.zeros(1)
    for B in blocks:
        own = B.mean(axis=0)
        apart, total = own - mean, count + len(B)
        squares = squares + np.square(B - own).sum(axis=0) + np.square(apart) * (count * len(B) / total)
        mean, count = mean + apart * (len(B) / total), total
    return mean, np.sqrt(squares / count)


def preprocess_view(X: Array, how: str, reference: Array | None = None) -> Array:
    """Samples `X` (n, D), preprocessed by constants of `reference` (M, D; default `X`)."""
    return learn_treatment(how, X if reference is None else reference).apply(X)


def _nonzero(sizes: Array) -> Array:
    return np.where(sizes > 0.0, sizes, 1.0)


# Principal components ----------------------------------------------------------------------------------------------


def _principal_components(X: Array, count: int) -> Treatment:
    """The axes of the `count` largest variances; each points to where its largest entry is positive."""
    size = float(np.abs(X).max()) or 1.0
    shift = (X / size).mean(axis=0)
    axes = _axes(X / size - shift, count)
    # Scores come in the data's units again.
    return Treatment(shift=shift * size, axes=axes)


def _axes(Z: Array, count: int) -> Array:
    """Leading right singular vectors (D, count) of centred samples (M, D), 0 beyond the rank.

    They come from the products of the smaller side, which square the singular values: where that would cost digits,
    from the samples themselves.
    """
    wide = Z.shape[1] > Z.shape[0]
    variances, vectors = np.linalg.eigh(Z @ Z.T if wide else Z.T @ Z)
    kept = min(count, len(variances))
    # Part of the largest variance above which products of the features give a component as exactly as the features do.
    clear = 1e-6
    if variances[-kept] <= clear * variances[-1]:
        axes = np.linalg.svd(Z, full_matrices=False)[2][:kept].T
    else:
        leading = vectors[:, ::-1][:, :kept]
        axes = np.linalg.qr(Z.T @ leading)[0] if wide else leading
    padded = np.zeros((Z.shape[1], count))
    padded[:, :kept] = _sorted_out(Z @ axes, axes)
    return padded


def _sorted_out(scores: Array, axes: Array) -> Array:
    """Axes (D, K) of one space turned to its principal ones; 0 where the scores (M, K) along them are rounding."""
    _, sizes, turn = np.linalg.svd(scores, full_matrices=False)
    turned = np.zeros_like(axes)
    turned[:, : len(sizes)] = np.where(sizes > FLAT * sizes[0], _signed(axes @ turn.T), 0.0)
    return turned


def _signed(axes: Array) -> Array:
    """The columns, each with its largest entry positive."""
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return axes * np.where(signs == 0.0, 1.0, signs)


# Sparse views ------------------------------------------------------------------------------------------------------


def is_sparse(X: Any) -> TypeGuard[csr_array]:
    """True if `X` is a sparse matrix or array of SciPy, which is not imported for that."""
    return type(X).__module__.startswith("scipy.sparse") and hasattr(X, "tocsr")


def reduce_sparse(X: csr_array, how: str, name: str, samples: npt.NDArray[np.intp] | None = None) -> Array:
    """Compute scores (M, K) of a sparse view's principal components, exactly and without its zeros ever being stored.

    The components are those of `samples`, by default of all; the others have scores on them, too. DataError for
    anything but ``pca:K``, which would fill the zeros in.
    """
    table = X.tocsr()
    reference = table if samples is None else table[samples]
    rows, columns = reference.shape
    count = components(how)
    if count is None:
        raise DataError(
            f"View “{name}” is sparse: {X.nnz:,} of {rows:,} x {columns:,} numbers are not 0.",
            f'Reduce it exactly by preprocess="pca:{min(50, rows, columns)}", or fill the zeros in with X.toarray().',
        )
    if count > min(rows, columns):
        raise _too_many(count, reference.shape, name)
    reference = reference.astype(np.float64)
    if not np.isfinite(reference.data).all():
        raise DataError(f"View “{name}” holds missing or infinite values.", "Fill them in before.")
    mean = np.asarray(reference.mean(axis=0)).ravel()
    axes = _sparse_axes(reference, mean, count)
    axes = _sorted_out(reference @ axes - mean @ axes, axes)
    return cast("Array", table @ axes - mean @ axes)


def _sparse_axes(X: csr_array, mean: Array, count: int) -> Array:
    """Leading right singular vectors (D, count) of the samples, centred in the products only."""
    rows, columns = X.shape
    if min(rows, columns) > DENSE_SIDE and count < min(rows, columns) // 2:
        return _by_iteration(X, mean, count)
    if columns <= rows:
        products = (X.T @ X).toarray() - rows * np.outer(mean, mean)
        return cast("Array", np.linalg.eigh(products)[1][:, ::-1][:, :count])
    across = X @ mean
    products = (X @ X.T).toarray() - across[:, None] - across + mean @ mean
    left = np.linalg.eigh(products)[1][:, ::-1][:, :count]
    return np.linalg.qr(X.T @ left - np.outer(mean, left.sum(axis=0)))[0]


def _by_iteration(X: csr_array, mean: Array, count: int) -> Array:
    with IMPORTS:
        from scipy.sparse.linalg import LinearOperator, svds

    def centred(V: Array) -> Array:
        return cast("Array", X @ V - mean @ V)

    def turned(V: Array) -> Array:
        return cast("Array", X.T @ V - np.multiply.outer(mean, V.sum(axis=0)))

    operator = LinearOperator(X.shape, matvec=centred, rmatvec=turned, matmat=centred, rmatmat=turned, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(min(X.shape))
    return cast("Array", svds(operator, count, v0=start, return_singular_vectors="vh")[2][::-1].T)


def each_view(preprocess: str | Sequence[str] | None, n_views: int) -> tuple[str, ...]:
    """One preprocessing for each view, all of them known."""
    each = (preprocess or "none",) * n_views if preprocess is None or isinstance(preprocess, str) else tuple(preprocess)
    if len(each) != n_views or not all(how in PREPROCESS or components(str(how)) for how in each):
        raise DataError(
            f"Preprocessing {preprocess!r} is not known for {n_views} views.", f"Use one of {CHOICES}, or one per view."
        )
    return each
