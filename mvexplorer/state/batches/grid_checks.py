"""The parts of a grid of parameters: its axes and scores, checked, and the weights and ε at a cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mvexplorer.compute.batch.axes import EPSILON_SCALE, OF_VIEW, OF_WEIGHT, Axis, axes, find_axis
from mvexplorer.engine.api.plan import NO_EFFECT, Plan
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import named_values, unknown_params
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.view_weights import EQUAL_VOLUME, NAME
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.scoring import SCORES, STABILITY, UNLABELLED, available_scores, views_to_score


def checked_grid(
    grid: Mapping[str, Sequence[Any]], methods: Sequence[Method], views: Sequence[str]
) -> dict[Axis, tuple[Any, ...]]:
    """The grid's axes with their values, each of which is allowed."""
    if not grid:
        raise ParameterError("The grid is empty.", "Name what changes and its values, such as eta from 0 to 1.")
    available, checked = axes(methods, views, words=True), {}
    for name, values in grid.items():
        axis = find_axis(name, available)
        allowed = [axis.check(value) for value in np.ravel(np.asarray(values, dtype=object)).tolist()]
        if not allowed:
            raise ParameterError(f"The grid has no values of {name}.", "Give at least one.")
        checked[axis] = tuple(dict.fromkeys(allowed))
    return checked


def wanted_scores(scores: Sequence[str] | None, data: MultiView) -> tuple[str, ...]:
    """The ids of the scores asked for, by default of all that the data has."""
    usual = tuple(available_scores(DocumentState(), data))
    free = UNLABELLED if views_to_score(DocumentState(), data) else ()
    there = tuple(dict.fromkeys((*usual, *free, STABILITY)))
    if scores is None:
        if not usual:
            raise ParameterError("There is nothing to score against.", "Give labels, a latent, or a view of features.")
        return usual
    wanted = (scores,) if isinstance(scores, str) else tuple(dict.fromkeys(scores))
    unknown_params(wanted, list(SCORES), "There is no score", "Scores")
    missing = [id for id in wanted if id not in there]
    if missing or not wanted:
        raise ParameterError(
            f"This data cannot be scored by {', '.join(missing) or 'nothing'}.", f"It has {', '.join(there) or 'none'}."
        )
    return wanted


def weights_at(given: Any, at: Mapping[str, Any]) -> dict[str, Any]:
    """The weights of the views at a cell, where any is swept; the others as they were given by name."""
    swept = {name.removeprefix(OF_WEIGHT): value for name, value in at.items() if name.startswith(OF_WEIGHT)}
    others = named_values(given) or {}
    if swept and others == EQUAL_VOLUME:
        raise ParameterError(
            "One view's weight is swept, and the views have equal-volume weights.",
            "Leave view_weights out, or do not sweep a weight.",
        )
    if swept and not hasattr(others, "items"):
        raise ParameterError(
            "One view's weight is swept, and the others are given by their places.",
            "Name the views, such as view_weights=fou:2,fac:1.",
        )
    return {NAME: {**others, **swept}} if swept else {}


def bandwidths_at(plan: Plan, at: Mapping[str, Any]) -> tuple[Bandwidth, ...]:
    """The ε of the views at a cell; one that has no effect stays as it is."""
    factor = at.get(EPSILON_SCALE, 1.0)
    bandwidths = []
    for name, given in zip(plan.offered, plan.epsilon, strict=True):
        own = at.get(f"{OF_VIEW}{name}")
        used = given if own is None or given == NO_EFFECT else Bandwidth(own)
        bandwidths.append(replace(used, factor=used.factor * factor))
    return tuple(bandwidths)
