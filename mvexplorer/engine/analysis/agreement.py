"""Where pictures of the same samples differ: neighbours that a sample has in one and not in the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.nearest import check_neighbours, nearest
from mvexplorer.engine.kernels.neighbours import Indices
from mvexplorer.engine.spectral.alignment import Alignment, lay_onto
from mvexplorer.errors import DataError

Picture: TypeAlias = "Embedding | npt.ArrayLike | None"
"""The content of a panel: an embedding, its coordinates (M, r), or None where it failed."""
NEIGHBOURS = 15
"""Neighbours that are compared unless told otherwise."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """Disagreement of every two of P pictures; computed by `agreement`.

    `matrix` (P, P) is the mean over the samples compared, symmetric, 0 on the diagonal; NaN where a picture failed.
    `rows` (m,) are the samples compared: those that have a place in every picture that did not fail. `neighbours` of
    each picture (m, k) are positions in `rows`; no rows where it failed. `n_samples` is M, of the picture with the most
    samples.
    """

    matrix: Array
    names: tuple[str, ...]
    k: int
    rows: Indices
    neighbours: tuple[npt.NDArray[np.int32], ...]
    n_samples: int

    @property
    def by_chance(self) -> float:
        """The disagreement of pictures that have nothing to do with each other: 1 - k / (m - 1)."""
        return 1.0 - self.k / (len(self.rows) - 1)

    def disagreement(self, a: int | str, b: int | str) -> Array:
        """Return the disagreement (M,) of two pictures, by position or by name: ``1 - |N_k^a(i) ∩ N_k^b(i)| / k``.

        NaN where a sample was not compared.
        """
        shares = np.full(self.n_samples, np.nan)
        first, second = (self.neighbours[self.names.index(p) if isinstance(p, str) else p] for p in (a, b))
        if len(first) and len(second):
            shares[self.rows] = 1.0 - shared(first, second)
        return shares


def agreement(
    pictures: Sequence[Picture] | Mapping[str, Picture], k: int = NEIGHBOURS, *, task: Task | None = None
) -> Agreement:
    """How far pictures of the same samples agree on who is whose neighbour.

    Neighbours are counted on all coordinates, so that neither rotations nor signs nor the size of a picture matter.

    Parameters
    ----------
    pictures : list, or mapping name -> picture
        Embeddings or arrays of coordinates (M, r), whose r may differ; None for one that failed. Embeddings of
        different samples are compared on the samples that all of them have, by their names.
    k : int
        Number of neighbours. Twins are neighbours; of samples equally far the one with the lower number comes first.
    task : Task, optional
        Can stop it.

    Returns
    -------
    Agreement
        With `matrix` (P, P) and `disagreement(a, b)` (M,).

    Raises
    ------
    DataError
        Arrays have different numbers of samples, or fewer than k + 1 samples have a place in every picture.

    Notes
    -----
    The measure is one minus the neighbourhood agreement of J. Venna, J. Peltonen, K. Nybo, H. Aidos, S. Kaski,
    "Information retrieval perspective to nonlinear dimensionality reduction" (2010), of one picture against another.

    Examples
    --------
    >>> data = mvx.load("helix-a")
    >>> agreed = mvx.agreement([mvx.embed(data, m, epsilon=0.36) for m in ("kernel-sum", "multiview")])
    >>> agreed.names, bool(agreed.matrix[0, 1] < 0.8 * agreed.by_chance)
    (('kernel-sum', 'multiview'), True)
    """
    names, given = _named(pictures)
    places = [None if Y is None or np.isnan(Y).all() else Y for Y in _on_shared_samples(given)]
    n_samples = max((len(Y) for Y in places if Y is not None), default=0)
    placed = np.ones(n_samples, dtype=bool)
    for finite in (np.isfinite(Y).all(axis=1) for Y in places if Y is not None):
        placed &= finite
    rows = np.flatnonzero(placed)
    check_neighbours(k, len(rows))
    none = np.empty((0, k), dtype=np.int32)
    tables = tuple(none if Y is None else nearest(Y[rows], k, task).astype(np.int32) for Y in places)
    return Agreement(_matrix(tables), names, k, rows, tables, n_samples)


def disagreement(YA: npt.ArrayLike, YB: npt.ArrayLike, k: int = NEIGHBOURS) -> Array:
    """Measure how far two pictures (M, r), (M, r') disagree about the neighbours of each sample.

    ``1 - |N_k^A(i) ∩ N_k^B(i)| / k`` (M,): 0 where all are the same, 1 where none is; NaN where a coordinate is.
    DataError where the numbers of samples differ, or there are no more than k.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.agreement import disagreement
    >>> line = np.arange(6.0)[:, None]
    >>> disagreement(line, line[[0, 1, 2, 5, 4, 3]], 2).tolist()
    [0.0, 0.0, 0.5, 0.5, 0.0, 0.5]
    """
    return agreement([YA, YB], k).disagreement(0, 1)


def displacement(YA: npt.ArrayLike, YB: npt.ArrayLike, how: Alignment = "rigid", rows: Indices | None = None) -> Array:
    """Measure how far (M,) each sample moves from picture YA (M, r) to YB (M, r'), YA laid onto YB: ``|YA'_i - YB_i|``.

    Columns that one lacks count as 0; units are those of YB. `rows` (n,) are the samples to align by, by default all;
    DataError with fewer than three. How well the two fit is the `residual` of
    `mvexplorer.engine.spectral.alignment.lay_onto`.

    Examples
    --------
    >>> from mvexplorer.engine.analysis.agreement import displacement
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> displacement(square[:, ::-1] + 3.0, square, "rigid").round(6).tolist()
    [0.0, 0.0, 0.0, 0.0]
    """
    return lay_onto(_coordinates(YA), _coordinates(YB), how, rows).displacement


def shared(first: npt.NDArray[np.integer], second: npt.NDArray[np.integer]) -> Array:
    """The part (M,) of each sample's neighbours (M, k) that two tables have in common."""
    both = np.sort(np.concatenate([first, second], axis=1), axis=1)
    common = np.count_nonzero(both[:, 1:] == both[:, :-1], axis=1)
    part: Array = common / first.shape[1]
    return part


def _matrix(tables: Sequence[npt.NDArray[np.int32]]) -> Array:
    matrix = np.full((len(tables), len(tables)), np.nan)
    for a, first in enumerate(tables):
        matrix[a, a] = 0.0
        for b, second in enumerate(tables[:a]):
            if len(first) and len(second):
                matrix[a, b] = matrix[b, a] = float(np.mean(1.0 - shared(first, second)))
    return matrix


def _named(pictures: Sequence[Picture] | Mapping[str, Picture]) -> tuple[tuple[str, ...], list[Picture]]:
    """The names of the pictures, each another, and the pictures."""
    if isinstance(pictures, Mapping):
        return tuple(pictures), list(pictures.values())
    names: list[str] = []
    for number, picture in enumerate(pictures, 1):
        name = picture.method if isinstance(picture, Embedding) else f"picture {number}"
        names.append(f"{name} ({number})" if name in names else name)
    return tuple(names), list(pictures)


def _on_shared_samples(pictures: Sequence[Picture]) -> list[Array | None]:
    """Coordinates of the same samples, row by row; of embeddings of different samples, those that all have."""
    listed = [p.sample_ids for p in pictures if isinstance(p, Embedding)]
    if len(listed) == sum(p is not None for p in pictures) and len(set(listed)) > 1:
        common = set(listed[0]).intersection(*listed[1:])
        order = [id for id in listed[0] if id in common]
        return [None if p is None else _rows_of(p, order) for p in pictures if isinstance(p, Embedding | None)]
    places = [None if p is None else _coordinates(p.coordinates if isinstance(p, Embedding) else p) for p in pictures]
    lengths = sorted({len(Y) for Y in places if Y is not None})
    if len(lengths) > 1:
        message = f"The pictures have {lengths[0]:,} to {lengths[-1]:,} samples."
        raise DataError(message, "Compare pictures of the same samples.")
    return places


def _rows_of(embedding: Embedding, ids: Sequence[str]) -> Array:
    place = {id: row for row, id in enumerate(embedding.sample_ids)}
    return _coordinates(embedding.coordinates[[place[id] for id in ids]])


def _coordinates(Y: npt.ArrayLike) -> Array:
    coordinates = np.asarray(Y, dtype=np.float64)
    if coordinates.ndim != 2:
        raise DataError("Coordinates are a table of samples and axes.", "Give an array of shape (M, r).")
    return coordinates
