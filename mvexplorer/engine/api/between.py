"""Answers between two exact ones, without a kernel: a method's walk on a reduced basis, prepared and then asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.embedding import coordinates_of
from mvexplorer.engine.api.plan import Plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Known
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import notices_of
from mvexplorer.engine.core.params import Param, Value, parse_weights
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.pipeline.solve import fits_float32
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.unit_rows import scales_rows, tell_no_direction
from mvexplorer.engine.spectral.davidson import SPARE
from mvexplorer.engine.spectral.diagnostics import vanished, walk_diagnostics
from mvexplorer.engine.spectral.eigenpairs import Decomposition
from mvexplorer.engine.spectral.reduced import (
    MIDDLE,
    PLACES,
    PLACES_IF_LINEAR,
    Bounds,
    Interval,
    Pencil,
    Projected,
    interpolation_weights,
    interval_of,
    joint_basis,
    places_between,
    projected,
    residual_bounds,
)
from mvexplorer.engine.spectral.warm_start import PreviousSolution, parameter_point

MOST_COMPONENTS = 24
"""Coordinates that an answer between two others has at most: more make the small eigenproblem as long as a frame."""
ON_LINE = 1e-6
"""How far a place may leave the straight way between two anchors."""


Walks: TypeAlias = dict[object, tuple[Pencil, Array, Projected, Array]]
"""Walks at one place, by all that they depend on: the pencil, a basis, and what was projected on it."""


def can_be_prepared(plan: Plan) -> bool:
    """Whether answers between two exact ones can be had without a kernel, by a plan's method and on as many samples.

    With unit rows what is drawn depends on all coordinates, so that none may be missing.
    """
    if scales_rows(plan.method, plan.params) and int(plan.params["n_components"] or 0) > MOST_COMPONENTS:
        return False
    return plan.method.has_pencil(plan.params) and plan.subsample is None and plan.n_samples <= MANY_SAMPLES


def position_of(plan: Plan) -> Array:
    """Where a plan lies among those that sliders lead to: log ε of each view, as far as it is given, η, weights."""
    given = [bandwidth.factor or 1.0 for bandwidth in plan.epsilon[: plan.n_used]]
    alike = {p.name: ",".join(["1"] * plan.n_used) for p in _sliders(plan) if p.kind == "weights"}
    values = {name: alike.get(name) if value is None else value for name, value in plan.params.items()}
    return parameter_point(given, _sliders(plan), values)


def fixed_of(plan: Plan) -> tuple[object, ...]:
    """All that changes the operator besides a position."""
    moving = {param.name for param in _sliders(plan)}
    words = {p.name for p in _sliders(plan) if plan.params.get(p.name) in p.choices}
    params = tuple(given for given in plan.method.operator_params(plan.params) if given[0] not in moving - words)
    rules = tuple((bandwidth.rule, bandwidth.params, bandwidth.factor > 0.0) for bandwidth in plan.epsilon)
    return plan.method.id, plan.kernels, plan.n_used, params, rules


def _sliders(plan: Plan) -> tuple[Param, ...]:
    return tuple(p for p in plan.method.params if p.affects == "operator" and p.kind in ("float", "weights"))


def plan_between(first: Plan, second: Plan, fraction: float) -> Plan:
    """The plan at a fraction 0..1 of the way from one plan to another: ε by equal ratios, as sliders move."""
    epsilon = tuple(_bandwidth_between(a, b, fraction) for a, b in zip(first.epsilon, second.epsilon, strict=True))
    params = dict(first.params)
    for param in _sliders(first):
        one, other = first.params[param.name], second.params[param.name]
        params[param.name] = _value_between(param, one, other, fraction, first.n_used)
    return replace(first, epsilon=epsilon, params=params, asked=epsilon[: first.n_used])


def _bandwidth_between(one: Bandwidth, other: Bandwidth, fraction: float) -> Bandwidth:
    if one.factor == other.factor or not one.factor > 0.0:
        return one
    return replace(one, factor=float(one.factor ** (1.0 - fraction) * other.factor**fraction))


def _value_between(param: Param, one: Value, other: Value, fraction: float, n_views: int) -> Value:
    if one == other or {one, other} & set(param.choices):
        return one
    if param.kind == "weights":
        ends = [np.ones(n_views) if end is None else np.array(parse_weights(str(end), param)) for end in (one, other)]
        return ",".join(map(repr, (ends[0] ** (1.0 - fraction) * ends[1] ** fraction).tolist()))
    if one is None or other is None:
        return one
    a, b = float(one), float(other)
    return a ** (1.0 - fraction) * b**fraction if param.log else (1.0 - fraction) * a + fraction * b


@dataclass(frozen=True, eq=False)
class Between:
    """A method's answers everywhere between two plans.

    `first` and `second` are their positions, `epsilon` (2, L) the bandwidths in use there, `info` named numbers at the
    places of the interval, `warnings` (code, text) what was told while it was prepared. `known` has the data as it was
    solved, with its views and kernels.
    """

    first: Array
    second: Array
    epsilon: Array
    interval: Interval
    n_blocks: int
    info: Mapping[str, Array]
    warnings: tuple[tuple[str, str], ...]
    known: Known

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes."""
        return self.interval.nbytes

    def fraction_at(self, position: Array) -> float | None:
        """How much of the way to the second plan a position lies, 0..1; None where it lies elsewhere."""
        if len(position) != len(self.first):
            return None
        way, gone = self.second - self.first, position - self.first
        fraction = float(gone @ way / (way @ way))
        inside = -ON_LINE <= fraction <= 1.0 + ON_LINE and float(np.abs(gone - fraction * way).max()) <= ON_LINE
        return min(max(fraction, 0.0), 1.0) if inside else None

    def bandwidths(self, fraction: float) -> tuple[float, ...]:
        """The ε of each view at a part of the way."""
        values = self.epsilon[0] ** (1.0 - fraction) * self.epsilon[1] ** fraction
        return tuple(values.tolist())

    def answer(self, plan: Plan, fraction: float) -> Embedding:
        """The embedding of a plan at a part of the way: a draft, as good as exact where the interval is certified."""
        method, known = plan.method, self.known
        values, psi = self.interval.solve(fraction, self.interval.count)
        unresolved = 2e-7  # Single precision: eigenvalues that come so near to 1 belong to separate pieces.
        values[values > 1.0 - unresolved] = 1.0
        weights = interpolation_weights(self.interval.places, fraction)
        info = {name: float(weights @ numbers) for name, numbers in self.info.items()}
        warnings = (*self.warnings, *walk_diagnostics(values, psi, self.n_blocks))
        blocks = tuple(np.split(psi, self.n_blocks))
        solved = Decomposition(values, blocks, info, warnings, bases=(psi[:, 1:],), exact=False)
        coordinates, each = coordinates_of(method, solved, plan.params)
        notes = vanished(each, plan.params.get("t")), tell_no_direction(method, solved, plan.params, each)
        epsilon = self.bandwidths(fraction)
        return Embedding(
            coordinates=coordinates,
            view_coordinates=each if method.per_view else (),
            eigenvalues=values,
            views=plan.views,
            epsilon=epsilon,
            warnings=notices_of((*warnings, *notes[0], *notes[1])),
            method=method.id,
            params=plan.params,
            kernels=tuple(kernel.text for kernel in plan.kernels_used),
            random_state=known.random_state,
            sample_ids=known.data.sample_ids,
            labels=known.data.labels,
            info=info,
            decomposition=solved,
            known=replace(known, epsilon=epsilon, params=plan.params, solved=solved),
        )


class Projection:
    """Computes all that is needed between two plans, place by place, so that several methods can share their kernels.

    `anchors` are the exact answers to both.
    """

    def __init__(
        self, first: Plan, second: Plan, data: MultiView, anchors: tuple[PreviousSolution, PreviousSolution]
    ) -> None:
        self._first, self._second, self._data, self._anchors = first, second, data, anchors
        self._places: npt.NDArray[np.float64] = places_between(PLACES)
        self._each: dict[float, tuple[Projected, Mapping[str, float]]] = {}
        self._count = min(int(cast("int", first.params["n_components"])), MOST_COMPONENTS)
        self._basis, self._bounds = np.empty((0, 0)), Bounds.none(0)
        self._made: Callable[..., Between] | None = None
        """Makes the answer of what else it takes: the interval and named numbers."""
        self._given_up = False

    @property
    def next_fraction(self) -> float | None:
        """The next place to be computed, as a part of the way: the middle first. None where nothing is left to do."""
        left = [float(place) for place in self._places if place not in self._each]
        return None if self._given_up or not left else min(left, key=lambda place: (place != MIDDLE, place))

    def compute(self, fraction: float, options: EmbedOptions, others: Walks | None = None) -> None:
        """Project the walk at that place; `others` are those of other methods there, of which some have the same."""
        with options.task.overheard() as heard:
            plan = plan_between(self._first, self._second, fraction)
            stages = prepare(plan, self._data, options)
            if fits_float32(plan.method, stages):
                stages = stages.in_float32()
            # Parameters that are 0 or empty leave a walk as it is, whether or not a method has them.
            given = (p for p in plan.method.operator_params(stages.params) if p[1] and p[0] != "n_components")
            walk = plan.method.pencil, stages.view_keys(), stages.kernel_settings(), tuple(given)
            twin = None if others is None else others.get(walk)
            pencil = twin[0] if twin is not None else plan.method.pencil and plan.method.pencil(stages)
        if pencil is None or pencil.kept is not None:
            self._given_up = True
            return
        if self._made is None:
            self._begin(stages, pencil, (*heard.items(), *pencil.warnings))
        if twin is not None and np.array_equal(twin[1], self._basis):
            there, rest = twin[2:]
        else:
            there, rest = projected(pencil, self._basis, stages.task)
        if others is not None:
            others[walk] = pencil, self._basis, there, rest
        if fraction == MIDDLE:
            count = min(self._count, self._anchors[0].bases[0].shape[1])
            try:
                self._bounds = residual_bounds(there, self._basis, rest, pencil.degrees, count)
            except np.linalg.LinAlgError:
                self._given_up = True
        self._each[fraction] = there, pencil.info()

    def _begin(self, stages: Stages, pencil: Pencil, told: Sequence[tuple[str, str]]) -> None:
        anchors = [anchor.bases[0][:, : self._count + SPARE] for anchor in self._anchors]
        self._basis = joint_basis(anchors, two_sided=pencil.two_sided)
        ends = position_of(self._first), position_of(self._second)
        moves = {p.name for p in _sliders(self._first) if self._first.params[p.name] != self._second.params[p.name]}
        if np.array_equal(ends[0][: stages.n_views], ends[1][: stages.n_views]) and moves <= set(pencil.linear):
            self._places = places_between(PLACES_IF_LINEAR)
        epsilon = np.array([self._bandwidths(stages, end) for end in (0.0, 1.0)])
        known = Known.of(stages, Decomposition(np.empty(0), ()))
        self._made = partial(Between, *ends, epsilon, n_blocks=pencil.n_blocks, warnings=tuple(told), known=known)

    def _bandwidths(self, stages: Stages, fraction: float) -> list[float]:
        """The ε of each view at an end, from those in the middle: rules choose the same value all the way."""
        middle, end = (plan_between(self._first, self._second, p).epsilon for p in (MIDDLE, fraction))
        pairs = zip(stages.epsilon, middle, end, strict=False)
        return [e * there.factor / m.factor if m.factor > 0.0 else e for e, m, there in pairs]

    def result(self) -> Between | None:
        """The answers between the plans; None where the method has no symmetric pencil there."""
        if self._given_up or self._made is None:
            return None
        each = [self._each[float(place)] for place in self._places]
        places = [there for there, _ in each]
        try:
            interval = interval_of(self._basis, self._anchors[0].bases[0], self._places, places, self._bounds)
        except np.linalg.LinAlgError:  # a sample without neighbours: its row sum is lost beside the others
            return None
        info = {name: np.array([numbers[name] for _, numbers in each]) for name in each[0][1]}
        return self._made(interval=interval, info=info)
