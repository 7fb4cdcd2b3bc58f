"""How much each view counts in a joint operator: weights w_l > 0 of the views used, scaled to mean 1.

They multiply the kernels of a sum, are the exponents of a product, multiply the squared distances of concatenated
samples, and of the multi-view walk the block (l, m) by w_l w_m. All alike, they are as if there were none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Param, named_values, parse_weights
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import ParameterError

NAME = "view_weights"
VIEW_WEIGHTS = Param(
    NAME,
    "ω",
    None,
    "How much each view in use counts, one number above 0 per view, such as 1,2,1; only their ratios matter, and empty "
    "counts all alike.",
    kind="weights",
    low=float(np.finfo(float).tiny),
    title="View weights",
    empty="all alike",
)


def weights_of(stages: Stages) -> tuple[float, ...]:
    """The weight of each view used, with mean 1; exactly 1 where all count alike."""
    given = stages.params.get(NAME)
    if given is None:
        return (1.0,) * stages.n_views
    numbers = np.array(parse_weights(str(given), VIEW_WEIGHTS))
    return tuple((numbers / numbers.mean()).tolist())


def of_some(params: Mapping[str, Any], views: Sequence[int]) -> dict[str, Any]:
    """Return the parameters with the weights of only some of the views used, by their positions among these."""
    given = params.get(NAME)
    if given is None:
        return dict(params)
    numbers = parse_weights(str(given), VIEW_WEIGHTS)
    return {**params, NAME: ",".join(repr(numbers[i]) for i in views)}


def by_place(
    params: Mapping[str, Any], declared: Sequence[Param], owner: str, views: Sequence[str], data: MultiView
) -> Mapping[str, Any]:
    """Turn weights in parameters into text, a number for each view used, as a method takes them; None if all alike.

    They are given as a sequence, a mapping of names to numbers (views not named count 1), or text of either form:
    ``2,1,1`` or ``fou:2``; all views of the data may be named. ParameterError or DataError where the method has no
    weights, they are not as many as the views, out of range, or of an unknown view.
    """
    given = params.get(NAME)
    if given is None or (isinstance(given, str) and not given.strip()):
        return params
    param = next((p for p in declared if p.name == NAME), None)
    if param is None:
        raise ParameterError(
            f"{owner} has no view weights: it takes all its views alike.",
            "Leave view_weights out, or weigh views in a kernel sum, a product, a concatenation, multi-view or a mean.",
        )
    numbers = parse_weights(_text(given, views, data), param)
    if len(numbers) != len(views):
        raise ParameterError(
            f"{param.label} are {len(numbers)} numbers for {len(views)} views.",
            f"Give {len(views)} numbers separated by commas, one for each view in use.",
        )
    alike = len(set(numbers)) == 1
    return {**params, NAME: None if alike else ",".join(map(repr, numbers))}


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
