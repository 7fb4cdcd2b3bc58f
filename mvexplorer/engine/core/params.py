"""Parameters, declared once: forms, flags, session fields, method cards and checks all come from here."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from io import StringIO
from numbers import Integral
from typing import Any, Literal, TypeVar

from mvexplorer.errors import ParameterError

_COMMA = re.compile(r",(?![^()]*\))")
"""A comma outside brackets; within them it separates a rule's parameters."""
T = TypeVar("T")
Value = float | int | str | bool | None
Kind = Literal["float", "int", "choice", "flag", "view", "views", "coordinates", "weights"]


def names_in(text: str) -> tuple[str, ...]:
    """The names in a text such as ``fou,fac``, each once; one that has a comma is in quotes."""
    kept = str.maketrans("\r\n", "\ue000\ue001")  # a name may go over lines, without quotes
    names = next(csv.reader([text.translate(kept)], skipinitialspace=True), [])
    back = {0xE000: "\r", 0xE001: "\n"}
    return tuple(dict.fromkeys(name.translate(back).strip() for name in names if name.strip()))


def text_of_names(names: Iterable[str]) -> str:
    """The text that `names_in` reads: names with commas between them, in quotes where they have some themselves."""
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(dict.fromkeys(str(name) for name in names))
    return out.getvalue()


def named_values(given: Any) -> Any:
    """Text such as ``fou:1.2,fac:median`` as a mapping of names to texts; anything else as it is."""
    if not (isinstance(given, str) and ":" in given):
        return given
    return {name.strip(): text for name, _, text in (part.partition(":") for part in _COMMA.split(given))}


def one_per_view(
    given: Any, view_names: Sequence[str], parse: Callable[[Any, str], T], default: Any, word: str
) -> tuple[T, ...]:
    """One value for each view: from one for all, a sequence, a mapping by names (`default` for others), or text."""
    given = named_values(given)
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in view_names]
        if unknown:
            names = ", ".join(view_names)
            raise ParameterError(f"A {word} is given for view “{unknown[0]}”.", f"The views are {names}.")
        return tuple(parse(given.get(name, default), name) for name in view_names)
    if isinstance(given, str) or not isinstance(given, Iterable):
        return (parse(given, ""),) * len(view_names)
    values = list(given)
    if len(values) != len(view_names):
        raise ParameterError(
            f"There are {len(values)} {word}s for {len(view_names)} views.",
            f"Give one for each of {', '.join(view_names)}, or a single one for all.",
        )
    return tuple(parse(v, name) for v, name in zip(values, view_names, strict=True))


def is_bool(value: Any) -> bool:
    """True if a value is true or false, which Python and numpy would take for 1 or 0."""
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"


def is_whole(value: Any) -> bool:
    """True if a value is a whole number."""
    return isinstance(value, Integral) and not is_bool(value)


@dataclass(frozen=True)
class Param:
    """One parameter of a method or rule.

    `symbol` is the paper's letter. A `default` of None means "decided from the data", explained in `help`. Of the kinds
    a "flag" is true or false; a "view" holds the name of one of the data's views, "views" those of several with commas
    between them, "coordinates" that of coordinates which came with the data; "weights" is one number of at least `low`
    per view as text, ``1,2,1``, or one of the words in `choices`, which an "int" may have as well. `low` and `high` are
    in the range; `log` tells that equal ratios should look equal on a slider. `title` is the field's term (default: the
    name in words), `source` the defining equation, `empty` the text shown where the value is None. `affects` tells a
    change that needs a new decomposition ("operator") from one that needs only a new scaling of it ("coordinates").
    """

    name: str
    symbol: str
    default: Value
    help: str
    kind: Kind = "float"
    low: float = float("-inf")
    high: float = float("inf")
    choices: tuple[str, ...] = ()
    log: bool = False
    title: str = ""
    unit: str = ""
    source: str = ""
    empty: str = "auto"
    affects: Literal["operator", "coordinates"] = "operator"

    def check(self, value: Any) -> Value:
        """`value` cast to the parameter's kind; ParameterError says the range when it does not fit."""
        if value is None or (isinstance(value, str) and value == "" and self.default is None):
            if self.default is None:
                return None
            raise ParameterError(f"{self.label} has no value.", f"Give {self.range_text}.")
        if self.kind == "flag":
            return self._check_flag(value)
        if self.kind in ("int", "weights") and isinstance(value, str) and value.strip() in self.choices:
            return value.strip()
        if self.kind == "weights":
            named = named_values(value)
            parse_weights(",".join(named.values()) if isinstance(named, dict) else str(value), self)
            return str(value)
        if self.kind == "views":
            return self._check_names(value)
        if self.kind in ("choice", "view", "coordinates"):
            text = str(value)
            if self.kind == "choice" and text not in self.choices:
                raise ParameterError(f"{self.label} cannot be {text!r}.", f"Give {self.range_text}.")
            return text
        return self._check_number(value)

    def _check_names(self, value: Any) -> str:
        names = names_in(value) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else ()
        if not names:
            raise ParameterError(f"{self.label} has no name in it: {value!r}.", f"Give {self.range_text}.")
        return text_of_names(names)

    def _check_flag(self, value: Any) -> bool:
        word = str(value).strip().lower()
        if word not in ("true", "yes", "on", "1", "false", "no", "off", "0"):
            raise ParameterError(f"{self.label} cannot be {value!r}.", f"Give {self.range_text}.")
        return word in ("true", "yes", "on", "1")

    def _check_number(self, value: Any) -> float | int:
        try:
            number = None if is_bool(value) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None:
            raise ParameterError(f"{self.label} is {value!r}, not a number.", f"Give {self.range_text}.")
        whole = self.kind == "int"
        if not self.low <= number <= self.high or number != number or (whole and not number.is_integer()):
            raise ParameterError(f"{self.label} cannot be {value}.", f"Give {self.range_text}.")
        return int(number) if whole else number

    @property
    def of_panel(self) -> bool:
        """True if every panel has a value of its own, which is part of what it shows, and none is shared."""
        return self.kind in ("view", "views", "coordinates")

    @property
    def of_views(self) -> bool:
        """True if its values are those of the views, each of which has its own."""
        return self.kind == "weights"

    @property
    def label(self) -> str:
        """Words and symbol, for example ``Within-view weight (η)``."""
        words = self.title or self.name.replace("_", " ")
        return f"{words[0].upper()}{words[1:]} ({self.symbol})" if self.symbol else f"{words[0].upper()}{words[1:]}"

    @property
    def range_text(self) -> str:
        """The allowed values in words, for messages and help."""
        if self.kind == "view":
            return "the name of a view"
        if self.kind == "views":
            return "the names of views, such as a,b"
        if self.kind == "coordinates":
            return "the name of coordinates that came with the data"
        if self.kind == "choice":
            return f"one of {', '.join(self.choices)}"
        if self.kind == "flag":
            return "true or false"
        if self.kind == "weights":
            words = "".join(f", or {word}" for word in self.choices)
            return f"one number {'above' if self.low > 0.0 else 'of at least'} 0 per view, such as 1,2,1{words}"
        noun = "a whole number" if self.kind == "int" else "a number"
        if self.low > float("-inf") and self.high < float("inf"):
            return "".join((f"{noun} from {self.low:g} to {self.high:g}", *(f", or {word}" for word in self.choices)))
        if self.low > float("-inf"):
            return f"{noun} of at least {self.low:g}"
        return noun


def parse_weights(text: str, param: Param) -> tuple[float, ...]:
    """The numbers of a "weights" parameter, none below its range; at least one of them above 0."""
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or not all(max(0.0, param.low) <= w < float("inf") for w in numbers) or not any(numbers):
        raise ParameterError(f"{param.label} cannot be {text!r}.", f"Give {param.range_text}.")
    return numbers


def check_params(
    params: Sequence[Param], given: Mapping[str, Any], owner: str, beside: Sequence[str] = ()
) -> dict[str, Value]:
    """All parameters of `owner` with the given values checked and the rest at their defaults.

    `beside` are the other keywords of the call, which are no parameters: one of them may have been meant.
    """
    unknown_params(given, [p.name for p in params], f"{owner} has no parameter", "Its parameters", beside)
    return {p.name: p.check(given[p.name]) if p.name in given else p.default for p in params}


def unknown_params(
    given: Iterable[str], allowed: Collection[str], message: str, listed: str, beside: Sequence[str] = ()
) -> None:
    """Refuse a name that is not known, by a ParameterError whose hint lists the names there are, and the nearest one.

    `message` is how the sentence begins, such as “max-min has no parameter”, `listed` how the hint begins. Names in
    `beside` are not listed, but may have been meant.
    """
    unknown = sorted(set(given) - set(allowed))
    if not unknown:
        return
    nearest = [near for name in unknown for near in get_close_matches(name, [*allowed, *beside], 1)]
    hint = f"{listed}: {', '.join(allowed) or 'none'}."
    if nearest:
        hint = f"{hint} Did you mean {', '.join(nearest)}?"
    raise ParameterError(f"{message} called {', '.join(unknown)}.", hint)


N_COMPONENTS = Param(
    "n_components",
    "r",
    2,
    "How many non-trivial coordinates are computed and scored.",
    kind="int",
    low=1,
    title="Coordinates",
    source="Lindenbaum et al., multi-view diffusion maps, (4)",
)
DIFFUSION_TIME = Param(
    "t",
    "t",
    1,
    "Steps of the random walk: coordinates are weighted by λᵗ, so a longer walk forgets detail.",
    kind="int",
    low=0,
    high=1024,
    title="Diffusion time",
    unit="steps",
    source="(2)",
    affects="coordinates",
)
TRUNCATION = Param(
    "delta",
    "δ",
    0.0,
    "Drop coordinates whose λᵗ is at most δ times that of the first one; 0 keeps all r.",
    low=0.0,
    high=0.999,
    title="Truncation",
    source="(4)",
    affects="coordinates",
)
DENSITY = Param(
    "alpha",
    "α",
    0.0,
    "Density normalisation: 0 lets dense regions attract the walk, 1 leaves only the geometry.",
    low=0.0,
    high=1.0,
    title="Density normalisation",
    source="Coifman, Lafon: Diffusion maps (2006), section 3.4",
)
