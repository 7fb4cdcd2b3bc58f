"""Figures that tell how a picture came about: matrices as images, spectra in time, ROC curves, the graph's degrees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.magnitudes import to_unit
from mvexplorer.errors import DataError

Indices = npt.NDArray[np.intp]

MOST_CELLS = 1500
"""Rows of an image; with more samples a cell is the mean of a square of entries."""
MOST_PAIRS = 500_000
"""Pairs of samples of a ROC curve; of more a random part is taken."""
MOST_UNEVEN = 2000
"""Samples at uneven times from which the periodogram is too slow: values are interpolated to even ones."""


class Products(Protocol):
    """A square matrix as an image is made of it: its size, and its products with blocks."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        ...

    def __matmul__(self, V: Array, /) -> Array: ...


@dataclass(frozen=True, eq=False)
class MatrixImage:
    """A matrix in an order of its samples, binned where there are many; computed by `matrix_image`.

    `values` (B·m, B·m) are entries, or means over `size` x `size` of them, blocks of B views one after the other; NaN
    where no sample of a row or column has a place in the picture whose distances they are.
    `edges` (m + 1,) are where each cell's samples begin in the order, `order` (M,) the samples as they stand in each
    block.
    """

    values: Array
    edges: Indices
    order: Indices
    n_blocks: int = 1

    @property
    def size(self) -> int:
        """Samples in a cell's row: 1 where every entry is shown."""
        return int(self.edges[1] - self.edges[0])


def matrix_image(
    matrix: Products, order: npt.ArrayLike | None = None, *, n_blocks: int = 1, task: Task | None = None
) -> MatrixImage:
    """A matrix as an image: its entries where it has up to 1,500 rows, else means over squares of them.

    Parameters
    ----------
    matrix : array, sparse array or operator (B·M, B·M)
        A kernel, a transition matrix, distances; only its products with blocks of vectors are used.
    order : array (M,), optional
        The samples in the order wanted, by default as they are.
    n_blocks : int
        B: the matrix has a block of rows for each of so many views.
    task : Task, optional
        How to stop and report.

    Returns
    -------
    MatrixImage

    Raises
    ------
    DataError
        The order is not one of these samples.

    References
    ----------
    Eynard, Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry (2012), figure 8, shows distances so.

    Examples
    --------
    >>> mvx.matrix_image(np.array([[1.0, 2.0], [3.0, 4.0]]), order=[1, 0]).values.tolist()
    [[4.0, 3.0], [2.0, 1.0]]
    """
    task, total = task or Task(), matrix.shape[0]
    n = total // n_blocks
    rows = np.arange(n) if order is None else np.asarray(order, dtype=np.intp)
    if not np.array_equal(np.sort(rows), np.arange(n)):
        raise DataError("The order does not name each sample once.", f"Give the numbers 0 to {n - 1:,} in any order.")
    size = samples_per_cell(total, float(getattr(matrix, "nnz", total * total)))
    edges = np.append(np.arange(0, n, size), n)
    whole = (rows + n * np.arange(n_blocks)[:, None]).ravel()
    starts = (edges[:-1] + n * np.arange(n_blocks)[:, None]).ravel()
    sizes = np.tile(np.diff(edges), n_blocks)
    values = np.empty((len(starts), len(starts)))
    at_once = 64  # Columns of an image that are made at a time.
    for first in range(0, len(starts), at_once):
        task.progress(first / len(starts))
        some = slice(first, first + at_once)
        members = np.repeat(np.arange(len(starts[some])), sizes[some])
        V = np.zeros((total, len(starts[some])))
        V[whole[starts[first] : starts[first] + len(members)], members] = 1.0
        values[:, some] = np.add.reduceat((matrix @ V)[whole], starts, axis=0)
    placed = getattr(matrix, "placed", None)
    counts = sizes if placed is None else np.add.reduceat(placed[whole].astype(np.intp), starts)
    with np.errstate(invalid="ignore"):  # 0 / 0 where no sample of a cell has a place
        values /= np.outer(counts, counts)
    return MatrixImage(values, edges, rows, n_blocks)


def samples_per_cell(total: int, entries: float) -> int:
    """How many samples share a row of the image of a matrix with so many rows, and entries to be multiplied."""
    if total <= MOST_CELLS:
        return 1
    fewest_cells = 150
    operations = 6e10  # Multiplications that an image of a matrix known by its products may take.
    cells = int(min(MOST_CELLS, max(fewest_cells, operations / entries)))
    return -(-total // cells)


@dataclass(frozen=True, eq=False)
class SquaredDistances:
    """Squared Euclidean distances of all pairs of points Y (M, r), known by their products: nothing M x M is held.

    Samples without a place have rows and columns of 0, and an image knows them by `placed`.
    """

    points: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.points), len(self.points)

    @cached_property
    def placed(self) -> npt.NDArray[np.bool_]:
        """Which samples (M,) have a place."""
        return has_place(self.points)

    def __matmul__(self, V: Array) -> Array:
        if self.placed.all():
            return self._among(np.nan_to_num(self.points), V)
        out = np.zeros_like(V)
        out[self.placed] = self._among(np.nan_to_num(self.points[self.placed]), V[self.placed])
        return out

    @staticmethod
    def _among(points: Array, V: Array) -> Array:
        Y = points - points.mean(axis=0)
        own = np.einsum("ij,ij->i", Y, Y)[:, None]
        return cast("Array", np.maximum(own * V.sum(axis=0) + (own * V).sum(axis=0) - 2.0 * (Y @ (Y.T @ V)), 0.0))


# Spectra in time --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ComponentSpectrum:
    """How a component's energy spreads over frequencies; computed by `component_spectrum`.

    `frequencies` (F,) are cycles per unit of time or, without times, over all samples; 0 is left out. `energy` (F,) are
    shares that sum to 1. `how` is ``fft`` for even times, ``lomb-scargle`` for uneven ones, ``resampled`` for uneven
    ones of many samples, interpolated to even ones first. `n_used` counts the samples that have a value and a time.
    """

    frequencies: Array
    energy: Array
    how: str
    n_used: int

    def near(self, frequency: float) -> float:
        """The share of energy within one step of a frequency."""
        step = self.frequencies[0]
        return float(self.energy[np.abs(self.frequencies - frequency) <= 1.5 * step].sum())

    @property
    def peak(self) -> float:
        """The frequency with the most energy."""
        return float(self.frequencies[np.argmax(self.energy)])


def component_spectrum(values: npt.ArrayLike, times: npt.ArrayLike | None = None) -> ComponentSpectrum:
    """The energy ``|F(v - mean v)|²`` of a component at each frequency, by the fast Fourier transform.

    Parameters
    ----------
    values : array (M,)
        A coordinate of each sample; NaN where it has none.
    times : array (M,), optional
        When each sample was taken, in any order; by default the samples are even steps of one record. Where the steps
        are uneven, the periodogram of Lomb and Scargle takes the transform's place at the same frequencies; more than
        2,000 samples are interpolated to even times instead.

    Returns
    -------
    ComponentSpectrum

    Raises
    ------
    DataError
        Fewer than four samples have a value, all values are the same, or all times are.

    References
    ----------
    Yair, Talmon: Local canonical correlation analysis (2017), figures 6, 8 and 10; J. Scargle, "Studies in astronomical
    time series analysis II" (1982).

    Examples
    --------
    >>> spectrum = mvx.component_spectrum(np.cos(2 * np.pi * 3 * np.arange(60) / 60))
    >>> spectrum.peak, round(spectrum.near(3.0), 6)
    (3.0, 1.0)
    """
    v = np.asarray(values, dtype=np.float64)
    t = np.arange(len(v)) / max(1, len(v)) if times is None else np.asarray(times, dtype=np.float64)
    present = np.isfinite(v) & np.isfinite(t)
    v, t = v[present], t[present]
    v, t = v[order := np.argsort(t, kind="stable")], t[order]
    n = len(v)
    if n < 4:
        raise DataError(f"{n} samples have a value and a time, too few for a spectrum.", "At least four are needed.")
    if t[-1] <= t[0]:
        raise DataError("All samples have the same time.", "Choose another column, or the order of the samples.")
    v = to_unit(v)
    v = v - v.mean()
    flat = 1e-12  # A component that varies by less than this part of its largest value is the same at all samples.
    if not np.abs(v).max() > flat:
        raise DataError("This component is the same at all samples: it has no spectrum.", "Choose another one.")
    frequencies = np.arange(1, n // 2 + 1) * (n - 1) / (n * (t[-1] - t[0]))
    steps = np.diff(t)
    jitter = 1e-3  # Steps in time that differ by less than this part of the median step are even.
    even = bool(np.abs(steps - np.median(steps)).max() <= jitter * float(np.median(steps)))
    how = "fft" if even else "lomb-scargle" if n <= MOST_UNEVEN else "resampled"
    if how == "resampled":
        v = np.interp(np.linspace(t[0], t[-1], n), t, v)
    energy = _lomb_scargle(t, v, frequencies) if how == "lomb-scargle" else np.abs(np.fft.rfft(v)[1 : n // 2 + 1]) ** 2
    return ComponentSpectrum(frequencies, energy / energy.sum(), how, n)


def _lomb_scargle(t: Array, v: Array, frequencies: Array) -> Array:
    with IMPORTS:
        from scipy.signal import lombscargle

    energy: Array = np.maximum(lombscargle(t - t[0], v, 2.0 * np.pi * frequencies), 0.0)
    return energy


# Distances against classes ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Roc:
    """How well distances tell pairs of one class from pairs of two; computed by `roc_of_distances`.

    `false` and `true` (n,) are rates from (0, 0) to (1, 1) while the threshold grows, thinned to be drawn; `auc` is the
    area under all of it. `sampled` tells that the pairs compared are a random part of all.
    """

    false: Array
    true: Array
    auc: float
    pairs: int
    sampled: bool


def roc_of_distances(
    points: npt.ArrayLike, labels: npt.ArrayLike, *, most: int = MOST_PAIRS, random_state: int = 0
) -> Roc:
    """The ROC curve of “nearer than a threshold” against “of the same class”, over pairs of samples.

    Parameters
    ----------
    points : array (M, r)
        Coordinates or features; distances are Euclidean. Samples with a NaN are left out.
    labels : array (M,)
        Classes; samples without one are left out.
    most : int
        Of more pairs a random part of this size is taken.
    random_state : int
        Its seed.

    Returns
    -------
    Roc

    Raises
    ------
    DataError
        There are no two classes, or no two samples of one class.

    References
    ----------
    Eynard, Glashoff, Bronstein, Bronstein: Multimodal diffusion geometry (2012), figure 8.

    Examples
    --------
    >>> mvx.roc_of_distances([[0.0], [0.1], [5.0], [5.2]], ["a", "a", "b", "b"]).auc
    1.0
    """
    Y, given = np.asarray(points, dtype=np.float64), np.asarray(labels)
    kept_rows = np.flatnonzero(labelled(given) & np.isfinite(Y).all(axis=1))
    classes, codes = ordered_classes(given[kept_rows])
    if len(classes) < 2:
        raise DataError("All samples are of one class: there is nothing to tell apart.", "Two classes are needed.")
    first, second, sampled = _pairs(len(kept_rows), most, random_state)
    same = codes[first] == codes[second]
    if not same.any() or same.all():
        raise DataError("No two samples compared are of the same class.", "Classes of several samples are needed.")
    with IMPORTS:
        from sklearn.metrics import auc, roc_curve

    false, true, _ = roc_curve(same, -_lengths(to_unit(Y[kept_rows]), first, second))
    most_points = 400  # Points of a ROC curve that are kept to be drawn.
    kept = np.unique(np.linspace(0, len(false) - 1, most_points).astype(np.intp))
    return Roc(false[kept], true[kept], float(auc(false, true)), len(first), sampled)


def _pairs(n: int, most: int, seed: int) -> tuple[Indices, Indices, bool]:
    """The pairs i < j of n samples, or a random part of them."""
    total = n * (n - 1) // 2
    if total <= most:
        first, second = np.triu_indices(n, 1)
        return first, second, False
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n, most)
    second = (first + rng.integers(1, n, most)) % n
    return first, second, True


def _lengths(Y: Array, first: Indices, second: Indices) -> Array:
    """Squared lengths of the differences of pairs of rows."""
    step, out = max(1, (1 << 22) // max(1, Y.shape[1])), np.empty(len(first))
    for start in range(0, len(first), step):
        some = slice(start, start + step)
        D = Y[first[some]] - Y[second[some]]
        out[some] = np.einsum("ij,ij->i", D, D)
    return out


def powers(values: Array, times: tuple[int, ...], kind: str = "diffusion") -> dict[int, Array]:
    """Raise a spectrum (k,) to each time: λᵗ of a walk, exp(-tλ) of Laplacians (``heat``)."""
    return {t: np.exp(-t * values) if kind == "heat" else values**t for t in times}


@dataclass(frozen=True)
class SpectrumFacts:
    """Facts of a spectrum about its picture; computed by `spectrum_facts`.

    `r` is the number of coordinates of a view: so many eigenvalues are drawn. `trivial` tells that the first one is the
    trivial 1, which is not drawn; `negative` counts those below 0. `gap` is the largest step between two neighbouring
    eigenvalues that are not trivial, `gap_after` the index of the one before it; None with fewer than two. `mirrored`
    tells that -λ belongs to the spectrum for every λ, as of two views at η = 0.
    """

    r: int
    trivial: bool
    gap: float | None
    gap_after: int | None
    negative: int
    mirrored: bool


def spectrum_facts(embedding: Embedding) -> SpectrumFacts:
    """The largest gap of an embedding's spectrum, and what is drawn of it and negative.

    Parameters
    ----------
    embedding : Embedding
        With eigenvalues.

    Returns
    -------
    SpectrumFacts

    Raises
    ------
    DataError
        The method has no eigenvalues.

    Examples
    --------
    >>> facts = mvx.spectrum_facts(mvx.embed(mvx.load("circles"), "kernel-sum", n_components=4))
    >>> facts.r, facts.trivial, facts.negative
    (4, True, 0)
    """
    method, values = get_method(embedding.method), np.real(np.asarray(embedding.eigenvalues))
    if not len(values):
        raise DataError(f"{method.title} has no eigenvalues.", "Choose another method.")
    after = largest_gap(values, method.first_component)
    has_gap = after >= 0 and values[after] != values[after + 1]
    return SpectrumFacts(
        r=(embedding.view_coordinates or (embedding.coordinates,))[0].shape[1],
        trivial=method.first_component > 0,
        gap=float(abs(values[after] - values[after + 1])) if has_gap else None,
        gap_after=after if has_gap else None,
        negative=int((values < 0.0).sum()),
        mirrored=embedding.decomposition is not None and embedding.decomposition.squared,
    )


def largest_gap(values: Array, first: int = 1) -> int:
    """The index k >= `first` of the eigenvalue before the largest step ``|λ_k - λ_k+1|``; -1 with fewer than two."""
    steps = np.abs(np.diff(values[first:]))
    return first + int(np.argmax(steps)) if len(steps) else -1
