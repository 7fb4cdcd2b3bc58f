"""The rule that weighs the features as well: what does not belong to the manifold is turned down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mvexplorer.engine.bandwidth import Rule, register_rule
from mvexplorer.engine.manifold import DIMENSION, ManifoldScaling, manifold_scaling
from mvexplorer.engine.multiview import Array
from mvexplorer.engine.params import Value
from mvexplorer.engine.rules.spread import SELECTION, require_spread
from mvexplorer.engine.stages import Stages
from mvexplorer.errors import DataError


def scaling(stages: Stages, i: int, params: Mapping[str, Value]) -> ManifoldScaling:
    """Weights and ε of view i as preprocessed (whatever weights it has already), remembered."""
    if stages.kernels[i].kind.metric != "euclidean":
        raise DataError(
            f"Feature weights need Euclidean distances, which the kernel of view “{stages.view_name(i)}” does not use.",
            "Choose the Gaussian kernel for this view.",
        )
    require_spread(stages, i)
    d = params["dimension"]
    key = ("manifold", stages.distance_key(i), d, stages.random_state)
    dimension = None if d is None else int(cast(int, d))
    return stages.memo(
        key,
        lambda: manifold_scaling(
            stages.view(i), dimension=dimension, random_state=stages.random_state, task=stages.task
        ),
    )


def manifold_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε of the weighted view; Algorithms 3.2 and 3.3."""
    return scaling(stages, i, params).epsilon


def _weigh(stages: Stages, i: int, params: Mapping[str, Value]) -> tuple[Array, float]:
    found = scaling(stages, i, params)
    return found.weights, found.epsilon


register_rule(
    Rule(
        "manifold",
        "Manifold scaling",
        "f",
        "A weight for every feature, so that together they look like one manifold of dimension d̂, and the ε for it.",
        f"{SELECTION}, Algorithms 3.2 and 3.3",
        manifold_rule,
        (DIMENSION,),
        cost="Nine trials per feature on at most 500 samples: seconds.",
        remark="Breaks where the noise is stronger than the signal in every feature; give d̂ where it is known.",
        slow=True,
        weigh=_weigh,
    )
)
