"""A method's picture at every ε of a range, small enough to be sent along: what a live page draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.between import Between, can_be_prepared
from mvexplorer.engine.api.plan import Plan
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.spectrum import EPSILON_SCALE, Course
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.spectral.moving_frames import (
    COARSE,
    FINE,
    LEADING,
    STEPS,
    Stretch,
    common_columns,
    eigenvalue_shares,
    end_of_space,
    fewest_steps,
    picture_at,
    quantised_columns,
    turning_frame,
)
from mvexplorer.engine.spectral.reduced import CERTAIN

PARTS = 6
"""Parts of the range between whose ends nothing is solved, unless one is cut in two."""
MOST_DIMS = 3
"""Coordinates that a page draws at most."""
NARROWEST = 1.18
"""Ratio of ε below which nothing is cut."""


@dataclass(frozen=True, eq=False)
class LiveRange:
    """The factors on every ε that a page covers: `low` to `high`, with 1 at step `start` of `STEPS`."""

    low: float
    high: float
    start: int

    @classmethod
    def around(cls, low: float, high: float) -> LiveRange:
        """A range from about `low` to about `high`, which is moved by less than half a step so that 1 is one."""
        width = log(high / low)
        start = round(-log(low) / width * STEPS)
        shift = -log(low) - start * width / STEPS
        return cls(low * float(np.exp(shift)), high * float(np.exp(shift)), start)

    def step_of(self, factor: float) -> float:
        """The step at which a factor lies."""
        return STEPS * log(factor / self.low) / log(self.high / self.low)

    def factor_at(self, step: float) -> float:
        """The factor at a step."""
        return float(self.low * (self.high / self.low) ** (step / STEPS))


@dataclass(frozen=True, eq=False)
class Certainty:
    """From step `first` to `last`, how far in radians the drawn axes may be off, and whether that is little enough.

    `seen` is how far they are off where that was looked at, which bounds are well above.
    """

    first: float
    last: float
    angle: float
    certified: bool
    seen: float = 0.0


@dataclass(frozen=True, eq=False)
class MovingPicture:
    """A panel's picture at every step: `columns` (M, g) times the frame (g, d) between the nearest of `steps` (p,).

    `frames` (p, g, d) and `values` (p, d, d) are told at those, `shares` (g,) how much each column counts. With
    `unit_rows` each row is scaled to length 1 together with a first coordinate of 1, and the `blocks` of rows, one for
    each view, are averaged then.
    """

    columns: Array
    shares: Array
    steps: npt.NDArray[np.intp]
    frames: Array
    values: Array
    parts: tuple[Certainty, ...]
    unit_rows: bool = False
    blocks: int = 1
    t: float | None = 0.0
    """The steps taken, None for as many as the reader chooses."""
    fineness: float = FINE
    """The step of the columns' numbers as they are written."""

    @property
    def written(self) -> MovingPicture:
        """The picture with its columns as they are written."""
        whole, units = quantised_columns(self.columns, self.shares, self.fineness)
        return replace(self, columns=whole * units)

    def told_at(self, step: float) -> tuple[Array, Array]:
        """The frame (g, d) and its eigenvalues' matrix (d, d) at a step, on the lines between those around it.

        As pages draw them: eigenvalues span decades, so that lines go between their shares and their sum's logarithm.
        """
        before = min(max(int(np.searchsorted(self.steps, step, "right")) - 1, 0), len(self.steps) - 2)
        part = (step - self.steps[before]) / (self.steps[before + 1] - self.steps[before])
        parts = self.frames, *eigenvalue_shares(self.values)
        frame, share, log_sum = ((1.0 - part) * each[before] + part * each[before + 1] for each in parts)
        return frame, share * np.exp(log_sum)

    def at(self, step: float, t: float) -> Array:
        """The picture (M, d) at a step, after t steps unless they are fixed."""
        frame, values = self.told_at(step)
        rows = picture_at(self.columns, frame, values, t if self.t is None else self.t)
        return self.drawn_of(rows)

    def drawn_of(self, rows: Array) -> Array:
        """The picture (M, d) that the rows of all blocks make."""
        if self.unit_rows:
            rows = rows / np.sqrt(1.0 + np.square(rows).sum(axis=1, keepdims=True))
        return np.asarray(np.mean(np.split(rows, self.blocks), axis=0))

    def of(self, rows: npt.NDArray[np.intp]) -> MovingPicture:
        """The picture with these samples (m,) alone."""
        blocks = self.columns.reshape(self.blocks, -1, self.columns.shape[1])
        return replace(self, columns=np.concatenate([*blocks[:, rows]]))


@dataclass(frozen=True, eq=False)
class StopPictures:
    """Exact pictures (M, d) within -1..1 at a few steps."""

    steps: tuple[int, ...]
    points: tuple[Array, ...]

    def of(self, rows: npt.NDArray[np.intp]) -> StopPictures:
        """The pictures with these samples (m,) alone."""
        return replace(self, points=tuple(points[rows] for points in self.points))


@dataclass(frozen=True, eq=False)
class LivePanel:
    """A panel over the range: a picture that moves, or one at each stop; `scores` by id, told at `scored` steps.

    `solid` is the same in three dimensions, `etas` the panel at other η; their columns are those of `picture`.
    """

    picture: MovingPicture | StopPictures
    scored: tuple[int, ...] = ()
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    solid: MovingPicture | StopPictures | None = None
    etas: Mapping[float, LivePanel] = field(default_factory=dict)
    third: str = ""
    """The name of the coordinate that three dimensions add."""

    def of(self, rows: npt.NDArray[np.intp]) -> LivePanel:
        """The panel with these samples (m,) alone."""
        solid = None if self.solid is None else self.solid.of(rows)
        etas = {eta: panel.of(rows) for eta, panel in self.etas.items()}
        return replace(self, picture=self.picture.of(rows), solid=solid, etas=etas)


@dataclass(frozen=True, eq=False)
class LivePanels:
    """All panels of a page that has a live ε, by their ids, over one range."""

    range_: LiveRange
    t: float
    """The session's diffusion time."""
    panels: Mapping[str, LivePanel]
    left_out: Mapping[str, str]
    """Why a panel stays as it is, in words."""
    eta: float = 0.0
    """The session's η."""
    etas: tuple[float, ...] = ()
    """The η that the reader can choose, ascending, the session's among them; none where η stays."""


Prepared: TypeAlias = tuple[tuple[float, float, Between], ...]
"""Neighbouring factors on every ε, and what is known between them."""


def moving_picture(
    plan: Plan,
    prepared: Prepared,
    show: str,
    towards: Array,
    range_: LiveRange,
    *,
    t: float | None = 0.0,
    columns: tuple[Array, Array] | None = None,
) -> MovingPicture:
    """The picture of a plan's leading coordinates (M, d), which at 1 looks like `towards` (M, d).

    `show` names the view whose coordinates are drawn, or ``consensus``. `t` fixes the steps; None leaves them open.
    `columns` are those that several pictures have in common, by default the picture's own.
    """
    return moving_pictures(plan, prepared, show, [towards], range_, t=t, columns=columns)[0]


def moving_pictures(
    plan: Plan,
    prepared: Prepared,
    show: str,
    towards: Sequence[Array],
    range_: LiveRange,
    *,
    t: float | None = 0.0,
    columns: tuple[Array, Array] | None = None,
    shared: bool = False,
) -> list[MovingPicture]:
    """The pictures of as many leading coordinates as each of `towards` has, as `moving_picture` makes one.

    Their columns are written in coarse numbers where that costs no certificate, and they are not `shared` with others.
    """
    stretches = _stretches(plan, prepared, show, range_)
    columns = common_columns(stretches, MOST_DIMS) if columns is None else columns
    pictures = [_moving_picture(plan, stretches, columns, Y, range_.start, t) for Y in towards]
    fine = [_certified(picture, stretches) for picture in pictures]
    if shared:
        return fine
    coarse = [_certified(replace(picture, fineness=COARSE), stretches) for picture in pictures]
    return coarse if all(map(as_certain, coarse, fine)) else fine


def as_certain(coarse: MovingPicture, fine: MovingPicture) -> bool:
    """True if coarse numbers cost no certificate, with room for what lies between the places looked at."""
    most, pairs = 0.6 * CERTAIN, zip(coarse.parts, fine.parts, strict=True)
    return all(not exact.certified or (part.certified and part.seen <= most) for part, exact in pairs)


def _moving_picture(
    plan: Plan, stretches: Sequence[Stretch], common: tuple[Array, Array], towards: Array, start: int, t: float | None
) -> MovingPicture:
    columns, shares = common
    blocks = len(columns) // len(towards)
    wanted = np.tile(towards - towards.mean(axis=0), (blocks, 1))
    turning = turning_frame(stretches, columns, start, wanted)
    steps = fewest_steps(turning)
    frames, values = turning.frames[steps], turning.values[steps]
    return MovingPicture(columns, shares, steps, frames, values, (), plan.method.has_unit_rows, blocks, t)


def _certified(picture: MovingPicture, stretches: Sequence[Stretch]) -> MovingPicture:
    """The picture with what is certain of it in each stretch, as it is written."""
    written, dims = picture.written, picture.frames.shape[2]
    return replace(picture, parts=tuple(_certainty(stretch, written, dims) for stretch in stretches))


def columns_in_common(each: Sequence[tuple[Plan, Prepared]], show: str, range_: LiveRange) -> tuple[Array, Array]:
    """Columns that tell the pictures of all these plans, and each one's share: a page holds them once."""
    stretches = [stretch for plan, prepared in each for stretch in _stretches(plan, prepared, show, range_)]
    return common_columns(stretches, MOST_DIMS)


def _stretches(plan: Plan, prepared: Prepared, show: str, range_: LiveRange) -> list[Stretch]:
    return [
        Stretch(range_.step_of(low), range_.step_of(high), each.interval, _rows_drawn(each, plan, show))
        for low, high, each in prepared
    ]


def _certainty(stretch: Stretch, picture: MovingPicture, dims: int) -> Certainty:
    """How far the axes drawn in a stretch may be off, by its bounds and by what is drawn at a few places.

    That is from the space of as many leading vectors, or the next larger one that ends at a gap. Where none does, and
    rounding alone tells the drawn vectors from the next, as where the graph is in many pieces, nothing is certain. Rows
    of length 1 are compared as they are drawn: a few long ones no longer outweigh the others.
    """
    places, unresolved = 5, 2e-7  # eigenvalues nearer to each other are the same in single precision
    worst, apart = 0.0, True
    for step in np.linspace(stretch.first, stretch.last, places):
        gaps, vectors = stretch.eigenpairs(step, LEADING)
        end = end_of_space(gaps, dims)
        if picture.unit_rows:
            pictures = picture.at(step, 0.0), picture.drawn_of(stretch.rows @ vectors[:, :dims])
            drawn, exact = (np.linalg.qr(Y - Y.mean(axis=0))[0] for Y in pictures)
        else:
            drawn = np.linalg.qr(picture.columns @ picture.told_at(step)[0])[0]
            exact = np.linalg.qr(stretch.rows @ vectors[:, :end])[0]
        worst = max(worst, float(np.arccos(np.linalg.svd(drawn.T @ exact)[1].min().clip(max=1.0))))
        apart &= end < len(gaps) or bool(gaps[dims : dims + 1].sum() - gaps[dims - 1] > unresolved)
    certified = stretch.interval.certified(dims) and worst <= CERTAIN and apart
    angle = max(float(stretch.interval.bounds.angles[dims - 1]), worst)
    return Certainty(stretch.first, stretch.last, angle, certified, worst)


def drawn_by_leading(plan: Plan, dims: int) -> bool:
    """Whether the first `dims` vectors that are not trivial decide the picture."""
    count = int(plan.params["n_components"] or 0)
    if plan.method.has_unit_rows:  # a sample's length is that of all its coordinates, the trivial one among them
        return count == dims + 1
    return count >= dims and not plan.params.get("unit_rows") and not plan.params.get("delta")


def _rows_drawn(between: Between, plan: Plan, show: str) -> Array:
    """The rows drawn of a basis (n, k), which has a block for each view: that of one, their mean, or all of them."""
    if plan.method.has_unit_rows and show not in plan.views:  # the mean is of rows that are scaled before
        return between.interval.basis.astype(np.float64)
    blocks = np.split(between.interval.basis.astype(np.float64), between.n_blocks)
    if show in plan.views and between.n_blocks > 1:
        return np.asarray(blocks[plan.views.index(show)])
    return np.asarray(np.mean(blocks, axis=0))


def prepare_range(
    plan: Plan,
    data: MultiView,
    range_: LiveRange,
    dims: int,
    options: EmbedOptions,
    tell: Callable[[float], None] = lambda _: None,
    keep: Callable[[float, Embedding], None] = lambda *_: None,
) -> Prepared | None:
    """Solve at a few factors over the range and project what lies between, cut in two where it is not certified.

    None where the method has no symmetric pencil, or more than the leading vectors decide what is drawn. `tell` hears
    how much is done, from 0 to 1, and `keep` each exact answer with its factor.
    """
    if not can_be_prepared(plan) or not drawn_by_leading(plan, dims):
        return None
    course = Course(plan, data, EPSILON_SCALE, options)

    def solve(value: float) -> None:
        answer = course.solve(value)
        if answer is not None:
            keep(value, answer)

    ends = [range_.factor_at(STEPS * part / PARTS) for part in range(PARTS + 1)]
    for k, value in enumerate(ends):
        tell(0.5 * k / PARTS)
        solve(value)
    waiting, out = list(pairwise(ends))[::-1], list[tuple[float, float, Between]]()
    while waiting:
        low, high = waiting.pop()
        tell(0.5 + 0.5 * len(out) / (len(out) + len(waiting) + 1))
        between = course.between(low, high)
        if between is None or between.interval.count < dims:
            return None
        certified = all(between.interval.certified(drawn) for drawn in range(min(2, dims), dims + 1))
        if not certified and high / low > NARROWEST**2:
            middle = float(np.sqrt(low * high))
            solve(middle)
            waiting += [(middle, high), (low, middle)]
            continue
        out.append((low, high, between))
    return tuple(out)
