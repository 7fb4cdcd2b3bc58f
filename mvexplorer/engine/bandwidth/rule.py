"""The declaration of a bandwidth rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.params import Param, Value
from mvexplorer.engine.pipeline.stages import Stages

Compute = Callable[[Stages, int, Mapping[str, Value]], float]
Weigh = Callable[[Stages, int, Mapping[str, Value]], tuple[Array, float]]


@dataclass(frozen=True)
class Rule:
    """A bandwidth rule, declared: `compute(stages, i, params)` is the ε of the i-th view in use.

    `id` is stable, `letter` marks its value on a slider. `source` is the paper with its equation, `remark` says when
    not to believe it. `slow` tells that it takes too long to be evaluated for every view of any data, `unasked` that a
    slow rule is evaluated without being asked for where there are few samples. `compares_views` tells that the ε of one
    view depends on the other views; with one view it has none. `matrices` counts the matrices of all pairs it holds at
    most, beside the distances. `solves` tells that it computes eigenvectors: where eigenvalues crowd, these come from a
    dense solver on small data. `whole` tells that it takes a part of many samples by itself, and looks at the others
    as well. `weigh`, where the rule scales the features as well, gives their weights (D,) and the ε of the weighted
    view.
    """

    id: str
    title: str
    letter: str
    summary: str
    source: str
    compute: Compute
    params: tuple[Param, ...] = ()
    cost: str = ""
    remark: str = ""
    needs_labels: bool = False
    slow: bool = False
    unasked: bool = False
    compares_views: bool = False
    matrices: float = 1.0
    solves: bool = False
    whole: bool = False
    weigh: Weigh | None = None
