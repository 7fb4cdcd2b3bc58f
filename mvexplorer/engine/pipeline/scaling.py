"""Doubly stochastic kernels: W = diag(x) K diag(x), whose rows and columns sum to 1.

Landa, Coifman, Kluger: Doubly stochastic normalization of the Gaussian kernel is robust to heteroskedastic noise
(2021). The first steps are those of Knight, Ruiz, Uçar: A symmetry preserving algorithm for matrix scaling (2014);
they suffice where ε is not small. After them Newton's method goes on: x = e^u minimises the convex
½ Σ K_ij e^(u_i + u_j) - Σ u_i, and a product with its Hessian diag(s) + W takes one with K (Knight, Ruiz: A fast
algorithm for matrix balancing, 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import LEAST_EXPONENT
from mvexplorer.engine.kernels.forms import held_in_single, least_row_sum
from mvexplorer.engine.kernels.operators import KernelMatrix, ThreadedOperator
from mvexplorer.engine.pipeline.isolated import enlarge, with_epsilon
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.spectral.isolated import with_neighbours
from mvexplorer.errors import ComputeError

EXACT = 1e-12
"""How far row sums may be from 1 at rest."""
RESOLVED = 1e-10
"""The same where rounding lets them come no nearer."""
ROUGH = 2e-2
"""How far they may still have to go while a slider moves, of which nothing is seen: walks divide by them."""
ROUGH_IF_SLOW = 1e-3
"""How far they may be from 1 then where they come nearer slowly, so that the next step does not tell the way to go."""
FIRST_STEPS = 24
"""Products before Newton's method takes over."""
MOST_PRODUCTS = 2000
SLOW = 45
"""Products from which on a scaling is slow, which tells that ε is small."""

Products: TypeAlias = Callable[[Array], Array]


class CoarseKernelError(ComputeError):
    """The factors are so large that the least affinity of single precision joins what it should not."""


class Scaling(NamedTuple):
    """The factors x (M,) of a doubly stochastic kernel, and the products it took to find them.

    `place` are the logarithms of the ε it is made with, `kind` tells kernels apart that are not alike.
    """

    factors: Array
    products: int
    place: Array
    kind: Hashable


class _Point(NamedTuple):
    """Factors x (M,), the row sums s (M,) of diag(x) K diag(x), and the products so far."""

    x: Array
    s: Array
    products: int

    @property
    def error(self) -> float:
        return float(np.abs(self.s - 1.0).max())


def scaling_of(K: KernelMatrix, stages: Stages, views: Sequence[int] = (), former: Sequence[Scaling] = ()) -> Scaling:
    """The factors of the kernel (M, M) of some views, by default of all; a drag begins where `former` ones lead to.

    ComputeError where it has none, or single precision cannot tell them.
    """
    cure = enlarge(with_epsilon(stages, views))
    used = views or range(stages.n_views)
    place = np.nan_to_num(np.log([stages.epsilon[i] if stages.kernels[i].kind.uses_epsilon else 1.0 for i in used]))
    kind = tuple(stages.kernels[i] for i in used), stages.form, stages.params.get("view_weights")
    point = _found(K, stages, cure, _carried_on(place, [each for each in former if each.kind == kind]))
    scaling = Scaling(point.x, point.products, place, kind)
    joined = 1e-3  # of a step, at most, that is due to the least affinity
    if held_in_single(K) and float(scaling.factors.max()) ** 2 * np.exp(LEAST_EXPONENT) > joined:
        raise CoarseKernelError(
            "Samples so far from all others have no scaling in single precision.",
            f"{cure}, take fewer samples, keep the self-loops (self_loops=true), or take normalisation=walk.",
        )
    return scaling


def _carried_on(place: Array, former: Sequence[Scaling]) -> Array | None:
    """Where the factors of the two nearest former steps lead to, along the way from one to the other."""
    reach = 0.3  # in log ε
    near = sorted(former, key=lambda each: float(np.abs(each.place - place).max()))[:4]
    if not near or float(np.abs(near[0].place - place).max()) > reach:
        return None
    latest = near[0]
    for before in near[1:]:
        step = latest.place - before.place
        length = float(step @ step)
        if not 1e-8 < length < reach**2 * len(place):
            continue
        ahead = float((place - latest.place) @ step) / length
        astray = float(np.linalg.norm(place - latest.place - ahead * step))
        if abs(ahead) <= 2.0 and astray <= 0.1 * np.sqrt(length):
            return np.asarray(latest.factors * (latest.factors / before.factors) ** ahead)
    return latest.factors


def _found(K: KernelMatrix, stages: Stages, cure: str, start: Array | None) -> _Point:
    shared, n = ThreadedOperator(K, stages.task), K.shape[0]

    def apply(x: Array) -> Array:
        stages.task.checkpoint()
        return (shared @ x.astype(shared.dtype, copy=False)[:, None]).ravel().astype(np.float64)

    point = None if start is None else _Point(start, start * apply(start), 1)
    if point is None or not 0.5 < point.s.min() <= point.s.max() < 2.0:  # samples may have lost their neighbours
        point = _cold(apply, n, least_row_sum(K), cure)
    point, near = _by_roots(apply, point, cure, rough=stages.form.rough)
    if near:
        return point
    tolerance = ROUGH_IF_SLOW if stages.form.rough else EXACT
    farthest = 0.45 * float(np.log(np.finfo(shared.dtype).max))  # of log x: products of two factors stay numbers
    point = _by_newton(apply, point, tolerance, farthest)
    if point.error > max(tolerance, RESOLVED):
        raise _no_scaling(f"No scaling made this kernel doubly stochastic in {MOST_PRODUCTS:,} products.", cure)
    return point


def _cold(apply: Products, n: int, least: float, cure: str) -> _Point:
    """The first step from nothing; ComputeError where samples have no neighbours."""
    sums = apply(np.ones(n))
    kept = with_neighbours(sums, least)
    if kept is not None:
        alone = int(np.count_nonzero(~kept))
        have = "sample has" if alone == 1 else "samples have"
        why = f"{alone:,} {have} no neighbours: no scaling makes this kernel doubly stochastic."
        raise _no_scaling(why, cure)
    x = np.full(n, 1.0 / np.sqrt(sums.mean()))
    return _Point(x, x * x[0] * sums, 1)


def _by_roots(apply: Products, point: _Point, cure: str, *, rough: bool) -> tuple[_Point, bool]:
    """Divide factors by powers of the row sums, a few times; and whether that was enough.

    A rough answer is near enough where all steps to come, each shorter than the last one by the same part, are.
    """
    before, steady = np.inf, True
    while point.products < FIRST_STEPS:
        # The first step from a former answer tells of no other: half as much again is taken to be to go.
        to_go = point.error / max(1.0 - point.error / before, 1e-6) if np.isfinite(before) else 1.5 * point.error
        to_go = to_go if rough else point.error
        if to_go <= (ROUGH if rough else EXACT):
            # Half the way that is left takes no product, and the next step of a drag begins so much nearer.
            return (point._replace(x=point.x / np.sqrt(point.s)) if rough else point), True
        if rough and 0.8 * before < point.error < 0.1:  # so slowly that Newton's method takes fewer products
            return point, False
        lost = int(np.count_nonzero(~(point.s > 0.0)))
        if lost:  # affinities by landmarks may be below 0
            raise _no_scaling(f"{lost:,} of {len(point.s):,} rows of the kernel do not add up to more than 0.", cure)
        # A power of 2/3 is quicker where all sums are nearly 1; farther away only 1/2 is sure to converge.
        steady, before = steady and point.error <= before, point.error
        x = point.x * point.s ** (-2.0 / 3.0 if steady and point.products >= 3 else -0.5)
        point = _Point(x, x * apply(x), point.products + 1)
    return point, False


def _by_newton(apply: Products, point: _Point, tolerance: float, farthest: float) -> _Point:
    """Go on by Newton's method in u = log x, until the row sums are 1 or many products were made.

    Where there is no scaling u may grow without end: beyond `farthest` it is given up, too.
    """
    largest_step = 3.0  # in log x: farther away its quadratic model says nothing
    while point.error > tolerance and point.products < MOST_PRODUCTS:
        way, products = _newton_step(apply, point)
        step = min(1.0, largest_step / max(float(np.abs(way).max()), np.finfo(float).tiny))
        if float(np.abs(np.log(point.x) + step * way).max()) > farthest:
            break
        value, slope = _objective(point), float((point.s - 1.0) @ way)
        while True:
            x = point.x * np.exp(step * way)
            there = _Point(x, x * apply(x), products + 1)
            products = there.products
            lower = _objective(there) <= value + 1e-4 * step * slope + 1e-12 * abs(value)
            if (lower and there.s.min() > 0.0) or step < 1e-3 or products >= MOST_PRODUCTS:
                break
            step *= 0.5
        if there.error >= point.error and point.error <= RESOLVED:
            break
        point = there
    return point


def _objective(point: _Point) -> float:
    return 0.5 * float(point.s.sum()) - float(np.log(point.x).sum())


def _newton_step(apply: Products, point: _Point) -> tuple[Array, int]:
    """The way (M,) in log x by (diag(s) + W) way = 1 - s, by conjugate gradients, and the products so far."""
    x, s, products = point
    residual = 1.0 - s
    way, preconditioned = np.zeros_like(s), residual / s
    direction, squared = preconditioned, float(residual @ preconditioned)
    near = min(0.1, float(np.linalg.norm(residual) / np.sqrt(len(s))) ** 0.5)
    enough = near**2 * squared
    most_steps = 400
    for _ in range(most_steps):
        image = s * direction + x * apply(x * direction)
        products += 1
        curvature = float(direction @ image)
        if not curvature > 0.0:
            break
        way = way + squared / curvature * direction
        residual = residual - squared / curvature * image
        preconditioned = residual / s
        before, squared = squared, float(residual @ preconditioned)
        if squared <= enough or products >= MOST_PRODUCTS:
            break
        direction = preconditioned + squared / before * direction
    return way, products


def _no_scaling(why: str, cure: str) -> ComputeError:
    return ComputeError(why, f"{cure}, keep the self-loops (self_loops=true), or take normalisation=walk.")
