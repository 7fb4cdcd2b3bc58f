"""How files are read: choices of a caller, session or flag where files leave them open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, get_args

from mvexplorer.engine.core.dates import DayMonth
from mvexplorer.errors import ParameterError
from mvexplorer.io.base.path_text import PathText

Join = Literal["id", "position", "intersect"]
Role = Literal["view", "label", "id", "colour", "coordinates", "ignore", "kernel"]
"""The use of a column or variable: a feature or a view, the label, the samples' names, a colouring, part of coordinates
that are given, or left out."""
ROLES: tuple[Role, ...] = get_args(Role)
Missing = Literal["drop", "median", "knn"]
Half = Literal["both", "train", "test"]
Samples = Literal["intersection", "union"]
Sonograms = Literal["seismic-events", "seismic-manifold"]
Repeated = Literal["first", "drop"]
Decimal = Literal[".", ","]
Header = Literal["first", "none"]

T = TypeVar("T")
Pairs = tuple[tuple[PathText, T], ...]

_CHOICES: dict[str, tuple[tuple[str, ...], str]] = {
    "join": (get_args(Join), "Rows cannot be joined by “{}”."),
    "missing": (get_args(Missing), "Missing values cannot be treated by “{}”."),
    "half": (get_args(Half), "Training and test samples cannot be chosen by “{}”."),
    "samples": (get_args(Samples), "Samples that a view lacks cannot be treated by “{}”."),
    "sonograms": (get_args(Sonograms), "There are no sonograms called “{}”."),
    "repeated": (get_args(Repeated), "Rows that share an id cannot be treated by “{}”."),
    "decimal": (get_args(Decimal), "Numbers cannot have “{}” as their decimal sign."),
    "header": (get_args(Header), "The header of a table cannot be “{}”."),
    "dates": (get_args(DayMonth), "Day and month of dates cannot be in the order “{}”."),
}


@dataclass(frozen=True)
class ReadOptions:
    """How files become a data set, as in `mvexplorer.load`; None (or nothing) leaves the decision to the files.

    Mappings may be given as such; they are kept as sorted pairs.

    Examples
    --------
    >>> from mvexplorer.io.base.options import ReadOptions
    >>> ReadOptions(roles={"stage": "label", "batch": "ignore"}).roles
    (('batch', 'ignore'), ('stage', 'label'))
    """

    views: tuple[PathText, ...] | None = None
    labels: PathText | None = None
    ids: PathText | None = None
    preprocess: str | tuple[str, ...] | None = None
    drop_missing: bool = False
    join: Join | None = None
    transpose: bool | tuple[PathText, ...] | None = None
    roles: Pairs[Role] | Mapping[PathText, Role] = ()
    split: Pairs[tuple[PathText, ...]] | Mapping[PathText, Sequence[PathText]] = ()
    names: Pairs[PathText] | Mapping[PathText, PathText] = ()
    missing: Missing | None = None
    half: Half | None = None
    samples: Samples | None = None
    truncate: bool = False
    sonograms: Sonograms | None = None
    repeated: Repeated | None = None
    decimal: Decimal | None = None
    header: Header | None = None
    dates: DayMonth | None = None

    def __post_init__(self) -> None:
        for name, (choices, sentence) in _CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                raise ParameterError(sentence.format(value), f"Use one of {', '.join(choices)}.")
        if isinstance(self.transpose, str):
            object.__setattr__(self, "transpose", (self.transpose,))
        for name in ("views", "preprocess", "transpose"):
            value = getattr(self, name)
            if isinstance(value, Sequence) and not isinstance(value, str):
                object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "roles", _pairs(self.roles))
        object.__setattr__(self, "names", _pairs(self.names))
        # Views keep the order in which a split names them.
        split = dict(self.split)
        object.__setattr__(self, "split", tuple((view, _texts(columns)) for view, columns in split.items()))
        strange = next((role for role in dict(self.roles).values() if role not in ROLES), None)
        if strange is not None:
            raise ParameterError(f"A column cannot have the role “{strange}”.", f"Use one of {', '.join(ROLES)}.")
        if self.missing is None and self.drop_missing:
            object.__setattr__(self, "missing", "drop")
        object.__setattr__(self, "drop_missing", self.missing == "drop")

    @property
    def plain(self) -> dict[str, Any]:
        """The options that differ from the defaults, by name, as `load` takes them."""
        default = ReadOptions()
        chosen = {name: value for name, value in vars(self).items() if value != getattr(default, name)}
        chosen.pop("drop_missing", None)  # `missing` says it
        return {name: dict(value) if name in ("roles", "split", "names") else value for name, value in chosen.items()}


def check_missing(drop: bool, missing: str | None) -> None:
    """Raise a ParameterError if samples that lack numbers are to be both dropped and filled in."""
    if drop and missing not in (None, "drop"):
        message = f"Samples that lack numbers cannot be dropped and filled in ({missing}) at the same time."
        raise ParameterError(message, "Choose one of them.")


def _pairs(given: Iterable[tuple[str, T]] | Mapping[str, T]) -> Pairs[T]:
    return tuple(sorted(dict(given).items()))


def _texts(columns: str | Iterable[str]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else tuple(columns)
