"""The flags that say how files are read: the same wherever a SOURCE is."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence

from mvexplorer.cli.flags import READING
from mvexplorer.engine.core.notices import ABSENT, HALVES, POSSIBLE_LABEL, Notice
from mvexplorer.errors import ParameterError
from mvexplorer.io.base.options import ReadOptions, check_missing
from mvexplorer.io.reading.questions import offers_of


def reading(options: argparse.Namespace) -> ReadOptions:
    """The reading options that the flags give."""

    given = {name: value for name in READING if (value := getattr(options, name, None))}
    check_missing(given.get("drop_missing", False), given.get("missing"))
    for name in ("views", "preprocess", "transpose"):
        if name in given:
            given[name] = tuple(given[name].split(","))
    if len(given.get("preprocess", ())) == 1:
        given["preprocess"] = given["preprocess"][0]
    if len(sides := given.get("transpose", ())) == 1:
        given["transpose"] = {"all": True, "none": False}.get(sides[0], sides)
    for name, flag in (("roles", "--role"), ("names", "--name")):
        if name in given:
            given[name] = _once(_pairs(given[name], flag), flag)
    if "split" in given:
        given["split"] = _split(given["split"])
    return ReadOptions(**given)


def flags_of(notice: Notice) -> list[str]:
    """The flags that answer a notice about files."""

    flags = {
        POSSIBLE_LABEL: [f"--labels {shlex.quote(','.join(notice.subjects))}"],
        HALVES: ["--half train", "--half test"],
        ABSENT: ["--samples intersection", "--samples union"],
    }
    return flags.get(notice.code) or [offer.in_shell for offer in offers_of(notice)]


def _pairs(given: Sequence[str], flag: str) -> Iterator[tuple[str, str]]:
    """Name and value of each ``NAME=VALUE``; a name may hold an equals sign, too."""
    for text in given:
        # A view's name holds none, a pattern of columns may; of the others the name of a column may.
        name, equals, value = text.partition("=") if flag == "--split" else text.rpartition("=")
        if not (equals and name and value):
            form = {"--role": "NAME=ROLE, such as stage=label", "--name": "OLD=NEW"}.get(flag, "VIEW=PATTERN")
            raise ParameterError(f"{flag} {text} cannot be read.", f"Write {flag} {form}.")
        yield name, value


def _once(pairs: Iterator[tuple[str, str]], flag: str) -> dict[str, str]:
    """The pairs as a mapping; ParameterError where a name has two values."""
    named: dict[str, str] = {}
    for name, value in pairs:
        if named.setdefault(name, value) != value:
            raise ParameterError(f"{flag} gives “{name}” two values, {named[name]} and {value}.", "Choose one of them.")
    return named


def _split(given: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The columns of each view; a view that is named twice has those of both."""
    views: dict[str, tuple[str, ...]] = {}
    for view, columns in _pairs(given, "--split"):
        views[view] = (*views.get(view, ()), *columns.split(","))
    return views
