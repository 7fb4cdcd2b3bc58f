"""How much each view counts in a joint operator: weights w_l > 0 of the views used, scaled to mean 1.

They multiply the kernels of a sum, are the exponents of a product, multiply the squared distances of concatenated
samples, and of the multi-view walk the block (l, m) by w_l w_m. All alike, they are as if there were none. By equal
volume they are 1/Σ_ij K_l,ij: then no view drowns the others because its affinities are larger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.params import Param, named_values, parse_weights
from mvexplorer.engine.kernels.operators import ThreadedOperator
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import operator_of, plain_kernel_of
from mvexplorer.errors import ParameterError
from mvexplorer.wording import listed

NAME = "view_weights"
EQUAL_VOLUME = "equal-volume"
"""The word for weights that give all views' kernels the same sum."""
IN_EFFECT = "view_weight:"
"""Begins the name, among a result's numbers, of the weight that a view has by equal volume; the view's name follows."""
VIEW_WEIGHTS = Param(
    NAME,
    "ω",
    None,
    "How much each view in use counts, one number above 0 per view, such as 1,2,1; only their ratios matter, and empty "
    "means equal weights.",
    kind="weights",
    low=float(np.finfo(float).tiny),
    title="View weights",
    empty="equal",
)


def with_volume(weights: Param) -> Param:
    """The same parameter of a method that adds up kernels or graphs: their sums can be made equal."""
    text = (
        f"{weights.help[:-1]}; {EQUAL_VOLUME} divides each view by the sum of its affinities, so that none dominates."
    )
    return replace(weights, help=text, choices=(EQUAL_VOLUME,))


VOLUME_WEIGHTS = with_volume(VIEW_WEIGHTS)


def by_volume(stages: Stages) -> bool:
    """True if the views are weighed by equal volume."""
    return stages.params.get(NAME) == EQUAL_VOLUME


def weights_of(stages: Stages) -> tuple[float, ...]:
    """The weight of each view used, with mean 1; exactly 1 where all count alike."""
    if by_volume(stages):
        alike = stages.in_float64() if stages.rounds_kernels else stages  # a rounded kernel weighs as its original
        volumes = [float(row_sums(alike, i).sum(dtype=np.float64)) for i in range(stages.n_views)]
        return tuple(equal_volume(volumes, [stages.view_name(i) for i in range(stages.n_views)]).tolist())
    return given_weights(stages)


def given_weights(stages: Stages) -> tuple[float, ...]:
    """The weights that were given as numbers, with mean 1; exactly 1 where there are none."""
    given = stages.params.get(NAME)
    if given is None or given == EQUAL_VOLUME:
        return (1.0,) * stages.n_views
    numbers = np.array(parse_weights(str(given), VIEW_WEIGHTS))
    return tuple((numbers / numbers.mean()).tolist())


def plain_operators_of(stages: Stages) -> list[ThreadedOperator]:
    """The views' kernels with their self-loops, not scaled, times the weights by which these would count."""
    kernels = [plain_kernel_of(stages, i) for i in range(stages.n_views)]
    if by_volume(stages) and not stages.form.plain:
        volumes = [float(ThreadedOperator(K, stages.task).sum(axis=1).sum(dtype=np.float64)) for K in kernels]
        weights = equal_volume(volumes, [stages.view_name(i) for i in range(stages.n_views)]).tolist()
    else:
        weights = weights_of(stages)
    return [ThreadedOperator(K, stages.task, w) for K, w in zip(kernels, weights, strict=True)]


def row_sums(stages: Stages, i: int) -> Array:
    """Row sums (M,) of the kernel of view i."""
    if stages.form.scaled:
        return np.ones(stages.n_samples, dtype=stages.precision)
    return stages.of_kernel(i, "row sums", compute=lambda: operator_of(stages, i).sum(axis=1))


def equal_volume(volumes: Sequence[float], names: Sequence[str]) -> Array:
    """Weights (L,) of mean 1 by which all volumes, the sums of the views' affinities, are the same."""
    empty = [name for name, volume in zip(names, volumes, strict=True) if not 0.0 < volume < np.inf]
    if empty:
        raise ParameterError(
            f"{listed(empty)} {'joins' if len(empty) == 1 else 'join'} no samples: there is no volume to divide by.",
            "Enlarge ε there, leave such a view out, or give view weights as numbers.",
        )
    weights = min(volumes) / np.array(volumes)
    return np.asarray(weights / weights.mean())


def told_weights(stages: Stages, weights: Iterable[float]) -> dict[str, float]:
    """Weights of the views used as named numbers about a result, where they follow from the kernels."""
    names = [stages.view_name(i) for i in range(stages.n_views)] if by_volume(stages) else []
    return {f"{IN_EFFECT}{name}": float(weight) for name, weight in zip(names, weights, strict=False)}


def weights_in_effect(params: Mapping[str, Any], info: Mapping[str, float], views: Sequence[str]) -> tuple[float, ...]:
    """The weights of a result's views, as given or by equal volume; empty where they count alike."""
    given = params.get(NAME)
    if given == EQUAL_VOLUME:
        return tuple(info[f"{IN_EFFECT}{name}"] for name in views if f"{IN_EFFECT}{name}" in info)
    return parse_weights(str(given), replace(VIEW_WEIGHTS, low=0.0)) if given else ()


def of_some(params: Mapping[str, Any], views: Sequence[int]) -> dict[str, Any]:
    """Return the parameters with the weights of only some of the views used, by their positions among these."""
    given = params.get(NAME)
    if given is None or given == EQUAL_VOLUME:
        return dict(params)
    numbers = parse_weights(str(given), VIEW_WEIGHTS)
    return {**params, NAME: ",".join(repr(numbers[i]) for i in views)}


def by_place(
    params: Mapping[str, Any], declared: Sequence[Param], owner: str, views: Sequence[str], data: MultiView
) -> Mapping[str, Any]:
    """Turn weights in parameters into text, a number for each view used, as a method takes them; None if all alike.

    They are given as a sequence, a mapping of names to numbers (views not named count 1), or text of either form:
    ``2,1,1`` or ``fou:2``; all views of the data may be named. The word ``equal-volume`` stays. ParameterError or
    DataError where the method has no weights, they are not as many as the views, out of range, or of an unknown view.
    """
    given = params.get(NAME)
    if given is None or (isinstance(given, str) and not given.strip()):
        return params
    param = next((p for p in declared if p.name == NAME), None)
    if param is None:
        raise ParameterError(
            f"{owner} has no view weights: all its views count equally.",
            "Leave view_weights out, or choose a kernel sum, a product, a concatenation, multi-view or a mean.",
        )
    if isinstance(given, str) and given.strip() == EQUAL_VOLUME:
        return {**params, NAME: _word(param, owner)}
    numbers = parse_weights(_text(given, views, data), param)
    if len(numbers) != len(views):
        raise ParameterError(
            f"{param.label} are {len(numbers)} numbers for {len(views)} views.",
            f"Give {len(views)} numbers separated by commas, one for each view in use.",
        )
    alike = len(set(numbers)) == 1
    return {**params, NAME: None if alike else ",".join(map(repr, numbers))}


def _word(param: Param, owner: str) -> str:
    if EQUAL_VOLUME not in param.choices:
        raise ParameterError(
            f"{owner} has no equal-volume view weights: it adds up no kernels or graphs.",
            "Give numbers, or choose a kernel sum, multi-view or a mean of Laplacians.",
        )
    return EQUAL_VOLUME


def _text(given: Any, views: Sequence[str], data: MultiView) -> str:
    """Weights in any form as one number per view used, separated by commas."""
    named = named_values(given)
    if isinstance(named, Mapping):
        for name in named:
            data.view_index(str(name))
        return ",".join(str(named.get(name, 1.0)) for name in views)
    if isinstance(named, str) or np.ndim(named) != 1:
        return str(named)
    return ",".join(str(number) for number in named)
