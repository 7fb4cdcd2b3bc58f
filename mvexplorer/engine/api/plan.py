"""A request resolved before anything is computed: one plan for scripts, window and command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mvexplorer.engine.api.cost import Alternative, Estimate, alternatives, estimate
from mvexplorer.engine.api.subsample import check_subsample
from mvexplorer.engine.bandwidth.table import Bandwidth, bandwidth_rules, get_rule, parse_epsilon, with_rule_params
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import Value, check_params, is_whole, names_in, text_of_names
from mvexplorer.engine.core.task import DEFAULT_MEMORY
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel, parse_kernels, with_metrics
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.engine.kernels.metrics import EUCLIDEAN, parse_metrics
from mvexplorer.engine.pipeline.ingredients import resolved
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.unit_rows import check_coordinates
from mvexplorer.engine.pipeline.view_weights import by_place
from mvexplorer.errors import ParameterError

KEYWORDS = (
    *("views", "epsilon", "kernel", "metric", "recipe", "rule_params", "random_state", "subsample", "interactive"),
)
"""The keywords that `embed` takes beside a method's own parameters."""
OF_VIEWS = ("view", "views")
"""The kinds of parameters that name the views to use."""
NO_EFFECT = Bandwidth(0.0)
"""Replaces any bandwidth that has no effect."""
MANY_TO_DRAG = 3000
"""From this many samples on drafts are solved on a random part: a step of all of them takes .2 s or more."""
MANY_AT_FIRST = MANY_SAMPLES + 1
"""From this many samples on first pictures are drafted on a random part, too."""
FIRST_SHARE = 0.3
"""Most that a first draft may take of the time of an answer by landmarks, which waits for it."""


@dataclass(frozen=True)
class Plan:
    """A resolved request. Inputs that do not affect the answer do not affect the plan either.

    `offered` names the views that matter: the `n_used` ones used, then those that rules compare them with. `n_features`
    is that of each view used; `kernels` and `epsilon` hold what is in effect for each view offered, `NO_EFFECT` where ε
    has none. `params` are all of the method's, checked. `subsample` is the number of samples the method is solved on,
    None for all. `asked` is the ε of each view used as it was given: results show a number that had no effect as it is,
    and NaN for a rule.
    """

    method: Method
    n_samples: int
    offered: tuple[str, ...]
    n_used: int
    n_features: tuple[int, ...]
    kernels: tuple[Kernel, ...]
    epsilon: tuple[Bandwidth, ...]
    params: Mapping[str, Value]
    subsample: int | None
    notices: tuple[Notice, ...]
    asked: tuple[Bandwidth, ...] = field(compare=False)

    def __hash__(self) -> int:
        """Hash the fields that tell most plans apart; the parameters, a mapping, have no hash."""
        return hash((self.method.id, self.n_samples, self.offered, self.kernels, self.epsilon, self.subsample))

    @property
    def views(self) -> tuple[str, ...]:
        """Names of the views used."""
        return self.offered[: self.n_used]

    @property
    def kernels_used(self) -> tuple[Kernel, ...]:
        """The kernels of the views used."""
        return self.kernels[: self.n_used]

    @property
    def approximates(self) -> bool:
        """True if a kernel or a random part of the samples approximates Gaussians of all pairs."""
        return self.subsample is not None or any(k.kind.approximates_gaussian for k in self.kernels_used)

    def cost(self, memory: float) -> Estimate:
        """Estimate the computation within `memory` bytes, including rules that must choose an ε first."""
        return estimate(*self._about, self.subsample, **self._told(memory))

    def alternatives(self, memory: float) -> tuple[Alternative, ...]:
        """List alternatives to this computation, other kernels or a random part, whether or not they fit."""
        return alternatives(*self._about, **self._told(memory))

    @property
    def _about(self) -> tuple[Method, int, tuple[int, ...], tuple[Kernel, ...], int]:
        count = int(self.params.get("n_components") or 1)
        return self.method, self.n_samples, self.n_features, self.kernels_used, count

    def _told(self, memory: float) -> dict[str, Any]:
        rules = [i for i, bandwidth in enumerate(self.epsilon[: self.n_used]) if bandwidth.rule is not None]
        return {"params": self.params, "memory": memory, "rules": rules}


def plan(
    method: Method,
    data: MultiView,
    views: Sequence[str] | None = None,
    kernels: Any = None,
    epsilon: Any = "robust",
    params: Mapping[str, Any] | None = None,
    subsample: int | None = None,
    rule_params: Mapping[str, Any] | None = None,
    metric: Any = None,
) -> Plan:
    """Resolve a request. This reads no numbers of the data, and takes a tenth of a millisecond.

    Kernels are Gaussian and metrics Euclidean where they are None.

    DataError or ParameterError where there is no such view, a value is out of range, or the method cannot run on these
    views.
    """
    kernels, metric = GAUSSIAN if kernels is None else kernels, EUCLIDEAN if metric is None else metric
    offered = data.view_names if views is None else _names(views)
    check_mapping("rule_params", rule_params)
    given_params = by_place(params or {}, method.params, method.title, offered, data)
    values = check_params(method.params, given_params, method.title, KEYWORDS)
    if subsample is not None and not is_whole(subsample):
        raise ParameterError(f"A random part of {subsample!r} samples is none.", "Give a whole number of samples.")
    part = None if subsample is None or subsample >= data.n_samples else subsample
    if part is None and not method.shows_given:
        _check_components(method, values, data.n_samples)
    check_coordinates(method, values, int(values.get("n_components") or 2))
    for name in offered:
        data.view_index(name)
    if method.shows_given:
        return Plan(method, data.n_samples, (), 0, (), (), (), _which(values, data), None, (), ())
    offered, used = views_used(method, data, views, values)
    chosen = any(values[p.name] is not None for p in method.params if p.kind in OF_VIEWS)
    values = {**values, **named_views(method, used)}
    listed = entries_named(kernels, data.view_names, used, offered)
    named_kernels = dict(zip(listed, parse_kernels(kernels, listed), strict=True))
    listed = entries_named(metric, data.view_names, used, offered)
    named_kernels = with_metrics(named_kernels, dict(zip(listed, parse_metrics(metric, listed), strict=True)))
    refused = check_applicable(method, used, [named_kernels[name] for name in used])
    if refused is not None:
        raise refused
    listed = entries_named(epsilon, used, used, offered)
    given = parse_epsilon(epsilon, listed)
    notices = [] if len(used) == len(offered) or chosen else [_leaves_out(method, used, offered)]
    if rule_params:
        given = with_rule_params(given, rule_params)
        notices += _unused(given, rule_params)
    bandwidths = dict(zip(listed, given, strict=True))
    rule = bandwidths[used[0]].rule
    if chosen and not (rule is not None and get_rule(rule).compares_views):
        offered = used
    everywhere = tuple(dict.fromkeys((*used, *offered)))
    effective = tuple(_in_effect(method, named_kernels.get(name, GAUSSIAN)) for name in everywhere)
    values = resolved(values, method.title, effective[: len(used)])
    if part is not None:
        check_subsample(method, part, int(values["n_components"] or 1), effective[: len(used)])
    matters = method.epsilon_matters(values)
    return Plan(
        method, data.n_samples, everywhere, len(used), tuple(data.width(data.view_index(name)) for name in used),
        effective, tuple(bandwidths[name] if name in used and matters and kernel.kind.uses_epsilon else NO_EFFECT
                         for name, kernel in zip(everywhere, effective, strict=True)),
        values, part, tuple(notices), tuple(bandwidths[name] for name in used),
    )  # fmt: skip


def drafted_on_part(planned: Plan, *, cold: bool = False) -> Plan | None:
    """Plan a draft of many samples: on a random part of them, whose Gaussians stand for those of landmarks.

    `cold` tells that nothing is known of the answer: a first picture of all samples comes soon where they are not too
    many. None where all samples can follow a drag, or where a part cannot stand for them: without an extension, with
    neighbours (those of a part are farther away), with precomputed affinities, and at first by landmarks so few that
    placing all samples by a part takes about as long.
    """
    able = planned.method.extend is not None and planned.method.epsilon_matters(planned.params)
    alike = all(k.neighbours is None and k.kind.id != "precomputed" for k in planned.kernels)
    enough = (planned.subsample or planned.n_samples) >= (MANY_AT_FIRST if cold else MANY_TO_DRAG)
    if not (able and alike and enough):
        return None
    kernels = tuple(replace(GAUSSIAN, metric=k.metric) if k.landmarks else k for k in planned.kernels)
    # Samples in the part; fewer of very many samples, so that placing the others takes no longer.
    draft_part, least_draft_part = 1000, 500
    draft_entries = 12_000_000  # Affinities between the part and all samples that a step makes of a view.
    part = max(least_draft_part, min(draft_part, draft_entries // planned.n_samples))
    quick = replace(planned, subsample=part, kernels=kernels)
    return None if cold and _takes_long(quick, planned) else quick


def _takes_long(quick: Plan, planned: Plan) -> bool:
    """True if an answer by landmarks would be delayed by its draft, which is planned as `quick`."""
    by_landmarks = all(kernel.landmarks for kernel in planned.kernels_used)
    first, whole = (each.cost(DEFAULT_MEMORY).seconds for each in (quick, planned))
    return by_landmarks and first > FIRST_SHARE * whole


def _check_components(method: Method, values: Mapping[str, Value], n_samples: int) -> None:
    limit = n_samples - 2 if method.first_component == 1 else n_samples - 1
    if int(values["n_components"] or 1) > limit:
        raise ParameterError(
            f"r = {values['n_components']} coordinates are too many for {n_samples} samples.",
            f"Ask for at most {limit}.",
        )


def _which(values: Mapping[str, Value], data: MultiView) -> dict[str, Value]:
    """The parameters with the coordinates that are shown: those asked for, else the first that the data has."""
    names = tuple(data.coordinates)
    wanted = values["coordinates"] or next(iter(names), None)
    if wanted is None:
        raise ParameterError(
            "No coordinates came with the data.",
            "Give a table of them besides the views, with the role coordinates, or choose another method.",
        )
    if wanted not in names:
        raise ParameterError(f"There are no coordinates called “{wanted}”.", f"The data came with {', '.join(names)}.")
    return {**values, "coordinates": wanted}


def _leaves_out(method: Method, used: tuple[str, ...], offered: tuple[str, ...]) -> Notice:
    return Notice("views", f"{method.title} uses {' + '.join(used)} of the {len(offered)} views.", used)


def _in_effect(method: Method, kernel: Kernel) -> Kernel:
    """The kernel that has an effect: a method that needs features uses at most a joint one, else the default.

    A joint Gaussian takes its distances by the metrics of its views.
    """
    if method.requires != "features" or (method.joint_kernel and kernel.kind.approximates_gaussian):
        return kernel
    return replace(GAUSSIAN, metric=kernel.metric) if method.joint_kernel else GAUSSIAN


def check_mapping(keyword: str, given: object) -> None:
    """Refuse what should be names with their values and is not."""
    if given is not None and not isinstance(given, Mapping):
        hint = 'Give names with their values, such as {"alpha": 0.5}, or None.'
        raise ParameterError(f"{keyword} is a mapping, not {type(given).__name__}.", hint)


def _names(views: object) -> tuple[str, ...]:
    """The names in a sequence of views; one name alone, whose letters would be taken for views, is refused."""
    if isinstance(views, str) or not isinstance(views, Iterable):
        raise ParameterError(f"views={views!r} is no sequence of names.", 'Give a list, such as ["view1"], or None.')
    return tuple(str(name) for name in views)


def check_applicable(method: Method, names: Sequence[str], kernels: Sequence[Kernel]) -> ParameterError | None:
    """Return the error of a method that cannot run on some views, with the way out; None where it can."""
    if (n := len(names)) < method.min_views:
        return ParameterError(
            f"{method.title} needs at least {method.min_views} view{'s' * (method.min_views > 1)} and has {n}.",
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


def _unused(bandwidths: Sequence[Bandwidth], given: Mapping[str, Any]) -> list[Notice]:
    """Say which parameters belong to rules that choose no ε here."""
    used = {p.name for rule in bandwidth_rules() if rule.id in {b.rule for b in bandwidths} for p in rule.params}
    unused = tuple(sorted(set(given) - used))
    text = f"No rule in use has a parameter called {', '.join(unused)}: it has no effect."
    return [Notice("rule-params", text, unused)] if unused else []


def views_used(
    method: Method, data: MultiView, views: Sequence[str] | None, params: Mapping[str, Any]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The views offered to a method, and those it uses: the first it can take, or those that its parameters name.

    A method that compares one view with others uses that one first.
    """
    offered = data.view_names if views is None else tuple(views)
    named = {p.kind: params.get(p.name) for p in method.params if p.kind in OF_VIEWS}
    own = None if named.get("view") is None else data.view_names[data.view_index(str(named["view"]))]
    if "views" not in named:
        return offered, offered[: method.max_views] if own is None else (own,)
    first = offered[0] if own is None else own
    others = tuple(name for name in offered if name != first)
    if named["views"] is not None:
        others = _named_others(data, first, str(named["views"]))
    return offered, (first, *others)


def _named_others(data: MultiView, first: str, text: str) -> tuple[str, ...]:
    names = (text,) if text in data.view_names else names_in(text)
    if first in names:
        raise ParameterError(f"View “{first}” knows nothing beyond itself.", "Give the names of other views only.")
    return tuple(data.view_names[data.view_index(name)] for name in names)


def named_views(method: Method, used: Sequence[str]) -> dict[str, Value]:
    """The parameters of a method that compares one view with others, by the views it uses; nothing for others."""
    named = {p.kind: p.name for p in method.params if p.kind in OF_VIEWS}
    if "views" not in named:
        return {}
    return {named["view"]: used[0], named["views"]: text_of_names(used[1:])} if len(used) > 1 else {}


def entries_named(given: Any, otherwise: Sequence[str], used: Sequence[str], offered: Sequence[str]) -> Sequence[str]:
    """The views a sequence has one entry for: all offered, or only those used; `otherwise` if it is no sequence."""
    if isinstance(given, str | Mapping) or np.ndim(given) != 1:
        return otherwise
    return offered if len(given) == len(offered) and set(used) <= set(offered) else used
