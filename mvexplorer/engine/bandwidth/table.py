"""Rules that choose a kernel bandwidth ε = σ² from the data, and the syntax in which ε is given.

The rules themselves are in `bandwidth/rules/`, one file per family.

An ε is given as a number, a rule's id, a multiple (``2*median``, ``median/9``), one of these per view, or a
mapping view name -> one of these (as text: ``fou:1.2,fac:median``). A rule's parameters stand in brackets,
``manifold(dimension=2)``. It is parsed, never evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from mvexplorer.engine.bandwidth.rule import Rule
from mvexplorer.engine.bandwidth.rules import classes, growth, manifold, spread
from mvexplorer.engine.core.catalogue import Catalogue
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.core.params import Value, check_params, named_values, unknown_params
from mvexplorer.engine.kernels.affinities import check_epsilon
from mvexplorer.engine.pipeline.stages import StageKey, Stages, T
from mvexplorer.errors import ParameterError

RULES = Catalogue((*spread.RULES, *growth.RULES, *manifold.RULES, *classes.RULES), "bandwidth rule")
"""All rules, in the order in which they are shown."""
DEFAULT_RULE = "robust"
"""The rule of views whose ε nobody chose."""


def bandwidth_rules() -> Catalogue[Rule]:
    """All bandwidth rules, in the order in which they are shown.

    Returns
    -------
    tuple of Rule
        Indexed by position or id; for an unknown id ParameterError names the nearest one.

    Examples
    --------
    >>> [rule.id for rule in mvx.bandwidth_rules()][:3]
    ['max-min', 'robust', 'median']
    >>> mvx.bandwidth_rules()["manifold"].params[0].name
    'dimension'
    """
    return RULES


def get_rule(id: str) -> Rule:
    """The rule with this id; ParameterError names the ids there are."""
    return RULES[str(id)]  # True is no position in the table


def rule_value(stages: Stages, i: int, id: str, params: Mapping[str, Any] | None = None) -> float:
    """ε of the i-th view in use by the rule `id`, remembered by the stages' memo."""
    rule = get_rule(id)
    stages = stages if rule.whole else stages.subsample()
    values = check_params(rule.params, params or {}, f"The rule {rule.id}")
    others = tuple(stages.distance_key(j) for j in range(stages.n_views)) if rule.compares_views else ()
    labels = stages.data.labels
    marks = hash(tuple(map(str, labels))) if rule.needs_labels and labels is not None else None
    kernel = stages.kernels[i].kind.id, stages.kernels[i].landmarks
    settings = id, tuple(values.items()), others, marks, stages.random_state, *kernel
    key = StageKey("rule", stages.distance_key(i), settings=settings)
    epsilon = _remembered(stages, key, lambda: rule.compute(stages, i, values))
    if rule.weigh is not None and rule_weights(stages, i, id, values) is not None:
        name = stages.view_name(i)
        text = (
            f"This ε of view “{name}” belongs to the view with the feature weights that {rule.id} chooses as well: "
            "given as a number, without them, it means something else."
        )
        stages.task.warn("reweighted", text, name)
    return epsilon


def rule_weights(stages: Stages, i: int, id: str, params: Mapping[str, Any] | None = None) -> Array | None:
    """The feature weights (D,) a rule chooses besides its ε, remembered; None where it leaves the features alone."""
    rule = get_rule(id)
    if rule.weigh is None:
        return None
    weigh, values, stages = (
        rule.weigh,
        check_params(rule.params, params or {}, f"The rule {rule.id}"),
        stages.subsample(),
    )
    settings = id, tuple(values.items()), stages.random_state
    key = StageKey("rule-weights", stages.distance_key(i), settings=settings)
    weights, _ = _remembered(stages, key, lambda: weigh(stages, i, values))
    return None if np.all(weights == 1.0) else weights


def _remembered(stages: Stages, key: StageKey, compute: Callable[[], T]) -> T:
    """A rule's result, remembered together with its warnings, which are repeated at every use."""

    def found() -> tuple[T, dict[str, Notice]]:
        with stages.task.overheard() as diagnostics:
            return compute(), diagnostics

    value, diagnostics = stages.memo(key, found)
    for notice in diagnostics.values():
        stages.task.tell(notice)
    return value


@dataclass(frozen=True)
class Bandwidth:
    """One ε as given: `factor` times the value of the rule with its `params`, or `factor` itself without a rule."""

    factor: float
    rule: str | None = None
    params: tuple[tuple[str, Value], ...] = ()

    def value(self, stages: Stages, i: int) -> float:
        """ε in squared data units."""
        epsilon = self.factor
        if self.rule is not None:
            epsilon *= rule_value(stages, i, self.rule, dict(self.params))
        return check_epsilon(epsilon, stages.data.view_names[stages.views[i]])

    def weights(self, stages: Stages, i: int) -> Array | None:
        """The feature weights (D,) that go with it, if any."""
        return None if self.rule is None else rule_weights(stages, i, self.rule, dict(self.params))

    @property
    def rule_text(self) -> str | None:
        """The rule with its parameters, without the factor: ``manifold(dimension=2)``."""
        given = ",".join(f"{name}={value}" for name, value in self.params)
        return f"{self.rule}({given})" if given else self.rule

    @property
    def words(self) -> str:
        """The rule with its parameters, in symbols where they have one: ``manifold d̂ = 2``."""
        if self.rule is None:
            return ""
        symbols = {p.name: p.symbol or p.name for p in get_rule(self.rule).params}
        return " ".join([self.rule, *(f"{symbols[name]} = {value}" for name, value in self.params)])

    @property
    def given(self) -> float | str:
        """The number or text that `parse_bandwidth` reads as this bandwidth."""
        if self.rule_text is None:
            return self.factor
        return self.rule_text if self.factor == 1.0 else f"{self.factor!r}*{self.rule_text}"


def parse_bandwidth(given: Any, view: str = "") -> Bandwidth:
    """One view's ε from a number or text such as ``max-min``, ``2*median``, ``median/9``; errors name the view."""
    if isinstance(given, Bandwidth):
        return given
    parsed = _parse_text(given) if isinstance(given, str) else given
    return parsed if isinstance(parsed, Bandwidth) else Bandwidth(check_epsilon(parsed, view))


@lru_cache(maxsize=256)
def _parse_text(given: str) -> Bandwidth | float | str:
    """A number, a truth value, which is none, or a rule: hundreds of views have the same, parsed for every panel."""
    text = given.strip().replace(" ", "").replace("×", "*")
    number = _number(text)
    if number is not None or text.lower() in ("true", "false"):
        return text if number is None else number
    in_brackets = re.fullmatch(r"([^()]*)\(([^()]*)\)([^()]*)", text)
    if in_brackets is not None:
        text = in_brackets[1] + in_brackets[3]
    left, star, right = text.partition("*")
    if star:
        factor, rule = (_number(left), right) if _number(left) is not None else (_number(right), left)
    else:
        rule, slash, divisor = text.partition("/")
        factor = 1.0 if not slash else 1.0 / (_number(divisor) or math.nan)
    parsed = get_rule(rule)
    if factor is None or not (math.isfinite(factor) and factor > 0.0):
        hint = "Write a number, max-min, 2*median or median/9."
        raise ParameterError(f"The bandwidth “{given}” cannot be read.", hint)
    return Bandwidth(factor, rule, () if in_brackets is None else _parse_params(parsed, in_brackets[2]))


def _parse_params(rule: Rule, text: str) -> tuple[tuple[str, Value], ...]:
    """The parameters in a rule's brackets, such as ``dimension=2``, checked."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(name and equals and value for name, equals, value in pairs):
        raise ParameterError(
            f"The parameters “{text}” of the rule {rule.id} cannot be read.",
            "Write them as name=value, separated by commas.",
        )
    return _own_params(rule, {name: value for name, _, value in pairs})


def _own_params(rule: Rule, given: Mapping[str, Any]) -> tuple[tuple[str, Value], ...]:
    values = check_params(rule.params, given, f"The rule {rule.id}")
    return tuple((name, values[name]) for name in values if name in given)


def with_rule_params(bandwidths: Sequence[Bandwidth], given: Mapping[str, Any]) -> tuple[Bandwidth, ...]:
    """Give bandwidths the parameters for their rules, each rule taking those it has; its own in brackets win.

    ParameterError for a name that no rule knows; the nearest one is named.
    """
    everywhere = {p.name for rule in bandwidth_rules() for p in rule.params}
    unknown_params(given, sorted(everywhere), "No bandwidth rule has a parameter", "Parameters of rules")
    out = []
    for bandwidth in bandwidths:
        rule = None if bandwidth.rule is None else get_rule(bandwidth.rule)
        own = {} if rule is None else {p.name: given[p.name] for p in rule.params if p.name in given}
        params = () if rule is None else _own_params(rule, own | dict(bandwidth.params))
        out.append(replace(bandwidth, params=params))
    return tuple(out)


def parse_epsilon(given: Any, view_names: Sequence[str]) -> tuple[Bandwidth, ...]:
    """One `Bandwidth` per view in `view_names`, from any of the forms an ε may be given in."""
    given = named_values(given)
    if isinstance(given, Mapping):
        return _by_name(given, view_names)
    if isinstance(given, str | Bandwidth) or np.ndim(given) == 0:
        return (parse_bandwidth(given),) * len(view_names)
    values = list(given)
    if len(values) != len(view_names):
        raise ParameterError(
            f"There are {len(values)} bandwidths for {len(view_names)} views.",
            f"Give one for each of {', '.join(view_names)}, or a single one for all.",
        )
    return tuple(_parse_or_nan(v) for v in values)


def _by_name(given: Mapping[str, Any], view_names: Sequence[str]) -> tuple[Bandwidth, ...]:
    missing = [name for name in view_names if name not in given]
    if missing:
        raise ParameterError(
            f"No bandwidth is given for view {', '.join(missing)}.", "Write it as name:value, separated by commas."
        )
    return tuple(_parse_or_nan(given[name]) for name in view_names)


def _parse_or_nan(given: Any) -> Bandwidth:
    """As `parse_bandwidth`, but NaN stays: results hold it where ε has no effect, and are accepted as input again."""
    return Bandwidth(math.nan) if isinstance(given, float) and math.isnan(given) else parse_bandwidth(given)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
