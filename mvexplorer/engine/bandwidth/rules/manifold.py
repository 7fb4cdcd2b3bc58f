"""The rule that also weights the features: those that do not belong to the manifold get small weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from mvexplorer.engine.bandwidth.manifold_scaling import DIMENSION, LEARN_ON, ManifoldScaling, learn_scaling
from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.bandwidth.rules.spread import SELECTION, require_spread
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Value
from mvexplorer.engine.dimension.estimates import DANCO_HIGHEST
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.pipeline.stages import StageKey, Stages
from mvexplorer.errors import DataError


def scaling(stages: Stages, i: int, params: Mapping[str, Value]) -> ManifoldScaling:
    """Weights and ε of view i as preprocessed (whatever weights it has already), remembered.

    An estimated d̂ is reported at every use, because everything else depends on it.
    """
    name = stages.view_name(i)
    if stages.kernels[i].kind.metric != "euclidean":
        raise DataError(
            f"Feature weights need Euclidean distances, which the kernel of view “{name}” does not use.",
            "Choose the Gaussian kernel for this view.",
        )
    if stages.kernels[i].metric != EUCLIDEAN:
        raise DataError(
            f"Feature weights need Euclidean distances, and view “{name}” has the metric {stages.kernels[i].metric}.",
            "Choose another rule, or the metric euclidean for this view.",
        )
    require_spread(stages, i)
    d = params["dimension"]
    key = StageKey("manifold", stages.distance_key(i), settings=(d, stages.random_state))
    dimension = None if d is None else int(cast("int", d))
    learnt_on = int(cast("int", LEARN_ON.default))
    learnt = stages.memo(
        key, lambda: learn_scaling(stages.view(i), dimension, learnt_on, stages.random_state, stages.task)
    )
    if learnt.estimates:
        text = f"The dimension of view “{name}” is an estimate: {estimate_text(learnt)}"
        stages.task.warn("dimension", f"{text} Where it is known, give it: manifold(dimension=…).", name)
    return learnt


def estimate_text(learnt: ManifoldScaling) -> str:
    """An estimated d̂ with its range, in sentences."""
    lowest, highest = (choose(d for _, d in learnt.estimates) for choose in (min, max))
    by_scale = ", ".join(f"{d} on {n}" for n, d in learnt.estimates)
    spread = f"{lowest} to {highest}" if lowest < highest else "the same at every scale"
    most = ", the most it tries" if learnt.dimension == DANCO_HIGHEST else ""
    return (
        f"d̂ = {learnt.dimension}{most} ({spread}; DANCo finds {by_scale} samples). "
        "On noisy data that is the dimension of the noise, and the weights then keep the noise."
    )


def manifold_rule(stages: Stages, i: int, params: Mapping[str, Value]) -> float:
    """ε of the weighted view; Algorithms 3.2 and 3.3."""
    return scaling(stages, i, params).epsilon


def _weigh(stages: Stages, i: int, params: Mapping[str, Value]) -> tuple[Array, float]:
    learnt = scaling(stages, i, params)
    return learnt.weights, learnt.epsilon


RULES = (
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
        matrices=2.5,
        weigh=_weigh,
    ),
)
