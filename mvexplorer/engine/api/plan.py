"""From what is asked for to stages: views chosen, kernels and parameters checked, every ε a number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mvexplorer.engine.api.cost import check_memory
from mvexplorer.engine.api.subsample import check_subsample
from mvexplorer.engine.bandwidth.table import Bandwidth, bandwidth_rules, parse_epsilon, with_rule_params
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Value, check_params
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernels
from mvexplorer.engine.pipeline.magnitudes import in_range
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Memo, Stages, compute_always
from mvexplorer.engine.spectral.warm_start import PreviousSolution, position_of, start_at
from mvexplorer.errors import ParameterError

KEYWORDS = ("views", "epsilon", "kernel", "rule_params", "random_state", "subsample", "interactive")
"""What `embed` takes beside a method's own parameters."""


def choose_views(
    method: Method, data: MultiView, views: Sequence[str] | None, params: Mapping[str, Value], task: Task
) -> tuple[int, ...]:
    """Indices of the views `method` will use out of those offered; says so when it leaves some out."""
    offered = data.view_names if views is None else tuple(views)
    indices = tuple(data.view_index(name) for name in offered)
    wanted = next((params[p.name] for p in method.params if p.kind == "view"), None)
    if wanted is not None:
        return (data.view_index(str(wanted)),)
    if method.max_views is not None and len(indices) > method.max_views:
        used = indices[: method.max_views]
        names = " + ".join(data.view_names[i] for i in used)
        task.warn("views", f"{method.title} uses {names} of the {len(indices)} views.")
        return used
    return indices


def check_applicable(method: Method, names: Sequence[str], kernels: Sequence[Kernel]) -> ParameterError | None:
    """Why the method cannot run on these views with these kernels, and what to do; None where it can."""
    if len(names) < method.min_views:
        least = f"{method.min_views} view{'s' if method.min_views > 1 else ''}"
        return ParameterError(
            f"{method.title} needs at least {least} and has {len(names)}.",
            "Tick another view, or choose a method that takes fewer.",
        )
    used = list(zip(names, kernels, strict=True))[: method.max_views]
    affinities = [name for name, kernel in used if kernel.kind.id == "precomputed"]
    if method.requires == "features" and affinities:
        return ParameterError(
            f"{method.title} needs features, and view “{affinities[0]}” is a table of affinities.",
            "Leave that view out, or choose a method that works on kernels.",
        )
    return None


def prepare(
    data: MultiView,
    method: Method,
    views: Sequence[str] | None,
    epsilon: Any,
    params: Mapping[str, Any],
    task: Task,
    memo: Memo = compute_always,
    *,
    kernel: Any = GAUSSIAN,
    rule_params: Mapping[str, Any] | None = None,
    random_state: int = 0,
    start: Sequence[PreviousSolution] = (),
    interactive: bool = False,
    subsample: int | None = None,
) -> Stages:
    """Checked stages for one method: parameters in range, views chosen, every ε a number."""
    values = check_params(method.params, params, method.title, KEYWORDS)
    if not (method.epsilon_matters(values) or method.keeps_units):
        data = in_range(data)
    limit = data.n_samples - 2 if method.first_component == 1 else data.n_samples - 1
    if subsample is None and int(values["n_components"] or 1) > limit:  # a part has a check of its own
        raise ParameterError(
            f"r = {values['n_components']} coordinates are too many for {data.n_samples} samples.",
            f"Ask for at most {limit}.",
        )
    used = choose_views(method, data, views, values, task)
    offered = tuple(range(data.n_views)) if views is None else tuple(data.view_index(name) for name in views)
    named = _named(kernel, range(data.n_views), used, offered)
    named_kernels = dict(zip(named, parse_kernels(kernel, [data.view_names[i] for i in named]), strict=True))
    refused = check_applicable(method, [data.view_names[i] for i in used], [named_kernels[i] for i in used])
    if refused is not None:
        raise refused
    if method.requires == "features":
        named_kernels = {
            i: k if method.joint_kernel and k.kind.approximates_gaussian else GAUSSIAN for i, k in named_kernels.items()
        }
    own_kernels = tuple(named_kernels[i] for i in used)
    r = int(values["n_components"] or 1)
    if subsample is not None:
        check_subsample(method, subsample, r, own_kernels)
    check_memory(method, data.n_samples, [data.Xs[i].shape[1] for i in used], own_kernels, values, task.memory)
    # Rules look at every view offered: Algorithm 1 compares pairs even where a method then uses one view.
    all_views = tuple(dict.fromkeys((*used, *offered)))
    everywhere = Stages(
        data, all_views, kernels=[named_kernels.get(i, GAUSSIAN) for i in all_views], task=task, memo=memo
    )
    named = _named(epsilon, used, used, offered)
    each = parse_epsilon(epsilon, [data.view_names[i] for i in named])
    if rule_params:
        each = with_rule_params(each, rule_params)
        _tell_unused(each, rule_params, task)
    bandwidths = dict(zip(named, each, strict=True))

    def number(i: int) -> float:
        # Where ε has no effect no rule is evaluated: it may cost more than the method.
        matters = method.epsilon_matters(values) and named_kernels[i].kind.uses_epsilon
        if not matters and (bandwidths[i].rule is not None or math.isnan(bandwidths[i].factor)):
            return math.nan
        return bandwidths[i].value(everywhere, all_views.index(i))

    numbers = [number(i) for i in used]
    return Stages(
        _weighted(data, bandwidths, everywhere), used, numbers, values, kernels=own_kernels,
        random_state=random_state, task=task, memo=memo, interactive=interactive,
        start=start_at(position_of(numbers, method.params, values), start),
    )  # fmt: skip


def _tell_unused(bandwidths: Sequence[Bandwidth], given: Mapping[str, Any], task: Task) -> None:
    """Say which parameters belong to rules that choose no ε here."""
    used = {p.name for rule in bandwidth_rules() if rule.id in {b.rule for b in bandwidths} for p in rule.params}
    unused = ", ".join(sorted(set(given) - used))
    if unused:
        task.warn("rule-params", f"No rule in use has a parameter called {unused}: it has no effect.")


def _weighted(data: MultiView, bandwidths: Mapping[int, Bandwidth], everywhere: Stages) -> MultiView:
    """The data with the feature weights of those rules that choose weights as well as an ε."""
    found = {
        i: b.weights(everywhere, everywhere.views.index(i)) for i, b in bandwidths.items() if i in everywhere.views
    }
    chosen = {i: weights for i, weights in found.items() if weights is not None}
    if not chosen:
        return data
    return data.replace(feature_weights=[chosen.get(i, given) for i, given in enumerate(data.feature_weights)])


def _named(given: Any, otherwise: Sequence[int], used: Sequence[int], offered: Sequence[int]) -> Sequence[int]:
    """The views that a sequence names: all those offered, or only those used; `otherwise` where it is none."""
    if isinstance(given, str | Mapping) or np.ndim(given) != 1:
        return otherwise
    return offered if len(given) == len(offered) and set(used) <= set(offered) else used
