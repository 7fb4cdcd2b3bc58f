"""All rules on all views at once: the values, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from mvexplorer.engine.bandwidth.table import Bandwidth, with_rule_params
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import kernels_of
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import median_of
from mvexplorer.errors import MVExplorerError


@dataclass(frozen=True)
class RuleValue:
    """One rule's ε for one view in squared data units, its σ = √ε, its share of the median; or the reason.

    `note` says what else must be known to use the number.
    """

    epsilon: float | None = None
    of_median: float | None = None
    reason: str = ""
    note: str = ""

    @property
    def sigma(self) -> float | None:
        """σ = √ε in data units."""
        return None if self.epsilon is None else float(self.epsilon**0.5)

    def as_dict(self) -> dict[str, Any]:
        """For JSON: numbers, or the reason why there are none."""
        if self.epsilon is None:
            return {"epsilon": None, "reason": self.reason}
        return {"epsilon": self.epsilon, "sigma": self.sigma, "of_median": self.of_median}


def evaluate_rules(
    data: MultiView,
    rules: Sequence[str],
    *,
    rule_params: Mapping[str, Any] | None = None,
    kernel: Any = "gaussian",
    metric: Any = "euclidean",
    random_state: int = 0,
    task: Task | None = None,
    say: Callable[[float], None] | None = None,
) -> dict[str, dict[str, RuleValue]]:
    """Choose ε by rules for every view of the data: by view name, then rule id.

    Each rule takes those of `rule_params` that it has. `task` lends threads: views are looked at side by side. `say` is
    called with the fraction done, 0 to 1, after each rule.
    """
    bandwidths = with_rule_params([Bandwidth(1.0, rule) for rule in rules], rule_params or {})
    kernels = kernels_of(kernel, metric, data.view_names)
    task, memo, out = task or Task(), remember_once(), {view: dict[str, RuleValue]() for view in data.view_names}
    done = count(1)

    def evaluate(which: slice) -> None:
        """All rules on one view, on whatever thread takes it."""
        i = which.start
        stages = Stages(
            data, range(data.n_views), kernels=kernels, random_state=random_state, task=task.beside(), memo=memo
        )
        try:
            for rule in bandwidths:
                out[data.view_names[i]][str(rule.rule)] = _find(stages, i, rule)
                if say is not None:
                    say(next(done) / (len(bandwidths) * data.n_views))
        except BaseException:
            task.cancel()  # nobody waits for the other views any more
            raise

    task.map_blocks(data.n_views, 1, evaluate)
    return out


def _find(stages: Stages, i: int, rule: Bandwidth) -> RuleValue:
    try:
        with stages.task.overheard() as notes:
            epsilon = rule.value(stages, i)
    except MVExplorerError as error:
        return RuleValue(reason=str(error))
    return RuleValue(epsilon, epsilon / median_of(stages.subsample(), i), note=" ".join(notes.values()))
