"""The axes of a sweep: a factor on all ε, one view's ε, or a parameter of a method, named as in grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mvexplorer.engine.core.params import Param, is_bool, unknown_params
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.metrics import parse_metric
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.errors import ParameterError

EPSILON_SCALE = "epsilon_scale"
OF_VIEW = "epsilon:"
"""Begins the name of one view's ε; the view's name follows."""
OF_WEIGHT = "view_weight:"
"""Begins the name of one view's weight; the view's name follows."""


@dataclass(frozen=True)
class Axis:
    """One thing that a sweep changes: its name in grids, its title for analysts, and its letter.

    The values allowed are from `low` to `high`, ends included; an ε or a factor on it must be above `low`. `span` is
    swept by default; of one view's ε as factors on the present one. On a `log` axis equal ratios look equal; a `whole`
    one has whole numbers only. Where `parse` is given the values are words, or true and false, instead of numbers.
    """

    name: str
    title: str
    symbol: str
    low: float
    high: float
    span: tuple[float, float]
    log: bool = False
    whole: bool = False
    parse: Callable[[Any], Any] | None = None

    @property
    def view(self) -> str | None:
        """The view whose ε this is, if it is one."""
        return self.name.removeprefix(OF_VIEW) if self.name.startswith(OF_VIEW) else None

    @property
    def weighs(self) -> str | None:
        """The view whose weight this is, if it is one."""
        return self.name.removeprefix(OF_WEIGHT) if self.name.startswith(OF_WEIGHT) else None

    @property
    def of_epsilon(self) -> bool:
        """True if this is an ε or a factor on it."""
        return self.name == EPSILON_SCALE or self.view is not None

    def check(self, value: Any) -> Any:
        """A value of the grid: a whole number as such; ParameterError says what is allowed."""
        if self.parse is not None:
            return self.parse(value)
        try:
            number = None if is_bool(value) else float(value)
        except (TypeError, ValueError):
            number = None
        if number is None:
            raise ParameterError(f"{self.title} cannot be {value!r}.", f"Give {self._allowed}.")
        inside = self.low < number < self.high if self.of_epsilon else self.low <= number <= self.high
        if not inside or (self.whole and not number.is_integer()):
            raise ParameterError(f"{self.title} cannot be {number:g}.", f"Give {self._allowed}.")
        return int(number) if self.whole else number

    def said(self, value: Any) -> str:
        """Its name and a value, for messages."""
        return f"{self.name} {value if self.parse is not None else format(value, 'g')}"

    def place(self, value: float) -> float:
        """The place at which a value is drawn: on a logarithmic axis its logarithm."""
        return float(np.log10(value)) if self.log else float(value)

    def nearest(self, value: float) -> float:
        """The allowed value nearest to a number."""
        value = min(max(value, self.low), self.high)
        return round(value) if self.whole else value

    @property
    def _allowed(self) -> str:
        noun = "whole numbers" if self.whole else "numbers"
        if self.of_epsilon:
            return f"{noun} above 0"
        return f"{noun} from {self.low:g} to {self.high:g}" if self.high < np.inf else f"{noun} from {self.low:g} on"

    def between(self, low: float, high: float, count: int, *, log: bool) -> tuple[float, ...]:
        """`count` values from `low` to `high`, evenly or by even ratios; of whole numbers each only once."""
        raw = np.geomspace(low, high, count) if log else np.linspace(low, high, count)
        digits = 4
        rounded = np.round(raw).tolist() if self.whole else [float(f"{x:.{digits}g}") for x in raw]
        return tuple(dict.fromkeys(self.check(x) for x in rounded))


def _kernel_text(word: Any) -> str:
    return parse_kernel(word).text


def _metric(word: Any) -> str:
    return parse_metric(str(word))


def _of_words(name: str, title: str, parse: Callable[[Any], Any], count: int = 2) -> Axis:
    ends = 0.0, max(1.0, count - 1.0)
    return Axis(name, title, title, *ends, ends, parse=parse)


OF_ALL_VIEWS = {"kernel": _of_words("kernel", "Kernel", _kernel_text), "metric": _of_words("metric", "Metric", _metric)}
"""The axes of what all views share, by name."""


def _bandwidth(name: str, title: str, symbol: str) -> Axis:
    wide = 30.0  # from one part in so many to so many times, unless the sweep is told otherwise
    return Axis(name, title, symbol, 0.0, np.inf, (1.0 / wide, wide), log=True)


SCALE = _bandwidth(EPSILON_SCALE, "Factor on all ε", "× ε")
"""The axis of the master slider."""


def axes(methods: Iterable[Method], views: Sequence[str], *, words: bool = False) -> dict[str, Axis]:
    """The axes of these methods on these views, by name: ε first, then parameters, then views' weights.

    Those whose values are `words`, or true and false, have no slider: they are given where asked for.
    """
    by_name = {SCALE.name: SCALE}
    for view in views:
        name = f"{OF_VIEW}{view}"
        by_name[name] = _bandwidth(name, f"ε of {view}", "ε")
    params = [p for method in methods for p in method.params]
    for param in (p for p in params if p.kind in ("float", "int")):
        by_name.setdefault(param.name, _of_param(param))
    for param in (p for p in params if words and p.kind in ("choice", "flag")):
        by_name.setdefault(param.name, _of_words(param.name, param.label, param.check, len(param.choices)))
    limits = 1e-3, 1e3
    for view in views if any(p.of_views for p in params) and len(views) > 1 else ():
        name = f"{OF_WEIGHT}{view}"
        by_name[name] = Axis(name, f"Weight of {view}", "ω", *limits, (1 / 16, 16.0), log=True)
    return by_name | OF_ALL_VIEWS if words else by_name


def find_axis(name: str, by_name: Mapping[str, Axis]) -> Axis:
    """The axis of this name among those known; ParameterError lists them."""
    unknown_params([name], list(by_name), "There is nothing to sweep", "Names of a grid")
    return by_name[name]


def _of_param(param: Param) -> Axis:
    whole = param.kind == "int"
    spans = {"t": (1.0, 16.0), "n_components": (2.0, 20.0)}  # where the declared range has no end
    low, high = spans.get(param.name) or _span(param)
    return Axis(
        param.name,
        param.label,
        param.symbol or param.label,
        float(param.low),
        float(param.high),
        (low, high),
        log=low > 0.0 and (whole or param.log),
        whole=whole,
    )


def _span(param: Param) -> tuple[float, float]:
    """The whole range where that is short, else around the default."""
    usual = float(param.default or 0.0)
    if param.high - param.low <= 1.0:
        return float(param.low), float(param.high)
    if usual <= 0.0:
        return max(float(param.low), 0.0 if param.default is not None else 1.0), min(float(param.high), 16.0)
    factor = 100.0 if param.log else 4.0
    return max(float(param.low), usual / factor), min(float(param.high), usual * factor)
