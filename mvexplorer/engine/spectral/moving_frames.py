"""Pictures that follow ε without an eigenproblem: a walk's drawn axes as a frame that turns as little as possible.

Between anchors the walk is known as a small pencil (`reduced.py`). Its leading vectors jump in sign and order from one
place to the next; the space that they span moves smoothly. So a frame of that space is carried along, told in a few
columns that are common to all places, and kept at the fewest places between which straight lines are good enough.
Whoever has the columns and these places draws the picture at any ε by one small product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.spectral.reduced import Interval, eigenpairs_of, ends_of_spaces

STEPS = 2048
"""Steps of the way on which frames are followed."""
LEADING = 8
"""Vectors among which the end of the drawn space is looked for."""
TOLD = 0.01
"""Share of a vector's length that the common columns may miss."""
MISSED = 0.01
"""Share of a picture's size by which a line between two places may miss the frame there."""
MISSED_VALUES = 0.02
"""The same of the eigenvalues' shares of their sum, and of the sum's logarithm."""
OF_LENGTH = 0.3
"""How much a change of length counts where nothing else determines the axes."""
SMALLEST = 1e-12
"""Of a sum of eigenvalues, for its logarithm."""


FINE = 0.005
"""Step of a column's numbers after weighting, in parts of its root mean square."""
COARSE = 0.01
"""The same where pictures are as certain with it."""


@dataclass(frozen=True, eq=False)
class Stretch:
    """A walk between two anchors, at `first` and `last` of the steps; `rows` (M, k) are drawn of its basis (n, k)."""

    first: float
    last: float
    interval: Interval
    rows: Array
    solved: dict[tuple[float, int], tuple[Array, Array]] = field(default_factory=dict)
    """What was found, by steps and counts: pictures of two and of three coordinates ask for the same."""

    def eigenpairs(self, step: float, count: int) -> tuple[Array, Array]:
        """The leading gaps 1 - λ (m,) without the trivial one, and coordinates (k, m) of their vectors."""
        if (step, count) not in self.solved:
            self.solved[step, count] = self._eigenpairs(step, count)
        return self.solved[step, count]

    def _eigenpairs(self, step: float, count: int) -> tuple[Array, Array]:
        fraction = (step - self.first) / (self.last - self.first)
        pencil = self.interval.at(min(max(fraction, 0.0), 1.0))
        gaps, coordinates = eigenpairs_of(pencil, min(count, len(pencil.degrees) - 1))
        return gaps[1:], coordinates[:, 1:]


@dataclass(frozen=True, eq=False)
class Turning:
    """A frame at every step: `frames` (n, g, d) in the common columns, `values` (n, d, d) its eigenvalues' matrix.

    Where no gap ends the drawn space, `beyond` holds a basis (g, m) of the next larger one that ends at a gap: only
    what leaves that one is determined.
    """

    frames: Array
    values: Array
    beyond: dict[int, Array]

    @property
    def size(self) -> float:
        """The median length of a frame's axis."""
        return float(np.median(np.linalg.norm(self.frames, axis=1))) or 1.0


def common_columns(stretches: Sequence[Stretch], count: int, places: int = 7) -> tuple[Array, Array]:
    """Orthonormal columns (M, g) that tell the first `count` vectors of all places, and each one's share (g,)."""
    drawn = []
    for stretch in stretches:
        for step in np.linspace(stretch.first, stretch.last, places):
            vectors = stretch.rows @ stretch.eigenpairs(step, count)[1]
            drawn.append(vectors / np.linalg.norm(vectors, axis=0))
    vectors = np.hstack(drawn)
    squares, turns = np.linalg.eigh(vectors.T @ vectors)
    order = np.argsort(-squares)[: int((squares > TOLD**2 * squares[-1] * 1e-2).sum())]
    columns = vectors @ (turns[:, order] / np.sqrt(squares[order]))
    parts = columns.T @ vectors
    missing = 1.0 - np.cumsum(np.square(parts), axis=0).min(axis=1)
    enough = np.flatnonzero(missing <= TOLD**2)
    width = int(enough[0]) + 1 if len(enough) else len(missing)
    shares = np.sqrt(np.square(parts[:width]).mean(axis=1))
    return columns[:, :width], shares


def turning_frame(stretches: Sequence[Stretch], columns: Array, start: int, towards: Array) -> Turning:
    """The frame that begins at step `start` as near as can be to the picture `towards` (M, d), and goes both ways."""
    dims, parts = towards.shape[1], [columns.T @ stretch.rows for stretch in stretches]
    frames = np.zeros((STEPS + 1, columns.shape[1], dims))
    values, beyond = np.zeros((STEPS + 1, dims, dims)), dict[int, Array]()
    for way in (range(start, STEPS + 1), range(start, -1, -1)):
        before: tuple[int, Array] | None = None
        for step in way:
            at = _stretch_at(stretches, step)
            gaps, vectors = stretches[at].eigenpairs(step, LEADING)
            drawn = vectors[:, :dims]
            unit = drawn / np.linalg.norm(drawn, axis=0)
            if before is None:
                turn = _nearest_turn((stretches[at].rows @ drawn).T @ towards)
            elif before[0] == at:
                turn = _nearest_turn(unit.T @ before[1])
            else:
                across = stretches[at].interval.basis.T.astype(np.float64) @ stretches[before[0]].interval.basis
                turn = _nearest_turn(unit.T @ (across @ before[1]))
            before = at, unit @ turn
            frames[step] = parts[at] @ drawn @ turn
            values[step] = turn.T @ ((1.0 - gaps[:dims])[:, None] * turn)
            end = end_of_space(gaps, dims)
            if end != dims:
                beyond[step] = np.linalg.qr(parts[at] @ vectors[:, :end])[0]
    return Turning(frames, values, beyond)


def _stretch_at(stretches: Sequence[Stretch], step: int) -> int:
    return next((i for i, stretch in enumerate(stretches) if step < stretch.last), len(stretches) - 1)


def _nearest_turn(cross: Array) -> Array:
    """The rotation or reflection (d, d) nearest to a matrix."""
    U, _, Vt = np.linalg.svd(cross)
    return np.asarray(U @ Vt)


def end_of_space(gaps: Array, dims: int) -> int:
    """How many leading vectors there are up to the first gap at or behind the drawn ones."""
    ends = ends_of_spaces(gaps)
    return next((j for j in range(dims, len(gaps)) if ends[j - 1]), len(gaps))


def fewest_steps(turning: Turning) -> npt.NDArray[np.intp]:
    """The steps (p,), ascending, between which straight lines are near enough to the frame."""
    frames, values, size = turning.frames, turning.values, turning.size
    shapes, logs = eigenvalue_shares(values)
    chosen = {0, STEPS}
    waiting = [(first, first + STEPS // 8) for first in range(0, STEPS, STEPS // 8)]
    while waiting:
        first, last = waiting.pop()
        chosen |= {first, last}
        inner = np.arange(first + 1, last)
        if not len(inner):
            continue
        part = (inner - first) / (last - first)
        missed = frames[inner] - _between(frames[first], frames[last], part)
        lengths = np.linalg.norm(missed, axis=1)
        for i, step in enumerate(inner.tolist()):
            if step in turning.beyond:
                lengths[i] = _determined(missed[i], frames[step], turning.beyond[step])
        worst = max(
            float(lengths.max()) / (MISSED * size),
            float(np.linalg.norm(shapes[inner] - _between(shapes[first], shapes[last], part), axis=(1, 2)).max())
            / MISSED_VALUES,
            float(np.abs(logs[inner] - _between(logs[first], logs[last], part)).max()) / MISSED_VALUES,
        )
        if worst > 1.0:
            middle = (first + last) // 2
            waiting += [(first, middle), (middle, last)]
    return np.array(sorted(chosen))


def eigenvalue_shares(values: Array) -> tuple[Array, Array]:
    """Matrices of eigenvalues (n, d, d) in parts of their sums, and the logarithms of these (n,)."""
    sums = np.trace(values, axis1=1, axis2=2).clip(SMALLEST)
    return values / sums[:, None, None], np.log(sums)


def _between(first: npt.ArrayLike, last: npt.ArrayLike, along: Array) -> Array:
    """A straight line at parts (n,) of its way."""
    way = along.reshape((-1,) + (1,) * np.ndim(first))
    return np.asarray((1.0 - way) * np.asarray(first) + way * np.asarray(last))


def _determined(missed: Array, frame: Array, space: Array) -> Array:
    """How long (d,) that is of what a line misses (g, d) which leaves a space, with a part of the change of length."""
    outside = np.linalg.norm(missed - space @ (space.T @ missed), axis=0)
    change = np.linalg.norm(frame - missed, axis=0) - np.linalg.norm(frame, axis=0)
    return np.asarray(np.hypot(outside, OF_LENGTH * change))


def picture_at(columns: Array, frame: Array, values: Array, t: float) -> Array:
    """The picture (M, d) of a frame (g, d) with its eigenvalues' matrix (d, d), after t steps."""
    lengths, turns = np.linalg.eigh(values)
    return np.asarray(columns @ (frame @ (turns * lengths.clip(0.0) ** t) @ turns.T))


def quantised_columns(columns: Array, shares: Array, step: float = FINE) -> tuple[npt.NDArray[np.int64], Array]:
    """Whole numbers (M, g) and each column's unit (g,): a column that counts little takes few bits."""
    units = np.maximum(step / (shares * np.sqrt(len(columns))), np.abs(columns).max(axis=0) / np.iinfo(np.int16).max)
    units = np.array([four_digits(unit) for unit in units.tolist()])
    return np.rint(columns / units).astype(np.int64), units


def four_digits(unit: float) -> float:
    """Not less than a unit, so that whole numbers of it do not become larger."""
    digits = 3 - int(np.floor(np.log10(unit)))
    return float(f"{np.ceil(unit * 10.0**digits)}e{-digits}")
