"""The flags that say how files are read: the same wherever a SOURCE is."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from mvexplorer.errors import ParameterError

if TYPE_CHECKING:
    from mvexplorer.engine.core.notices import Notice
    from mvexplorer.io.base.options import ReadOptions

READING = (
    "views", "labels", "ids", "preprocess", "drop_missing", "missing", "join", "transpose", "roles", "split", "names",
    "half", "samples", "truncate", "sonograms", "repeated", "decimal", "header",
)  # fmt: skip
"""The flags, as an argument parser names them."""


def add_reading_flags(parser: argparse.ArgumentParser) -> None:
    """Give a command that takes a SOURCE the flags."""
    add = parser.add_argument_group("how files are read, where they leave it open").add_argument
    add("--views", help="names of the views to use, separated by commas")
    add("--labels", help="the column, variable or file that holds the classes")
    add("--ids", help="the column, variable or file that holds the samples' names")
    add("--preprocess", help="none, centre, zscore, unit, log1p or pca:K, or one per view separated by commas")
    add(
        "--missing",
        choices=("drop", "median", "knn"),
        help="samples with missing numbers: drop them in all views, or fill the numbers in",
    )
    add("--drop-missing", action="store_true", help="the same as --missing drop")
    how = "how rows of several files belong together; default: by name, where the files name their samples"
    add("--join", choices=("id", "position", "intersect"), help=how)
    add(
        "--transpose",
        metavar="FILES",
        help="tables whose columns are the samples, separated by commas; or all, or none",
    )
    add(
        "--role",
        action="append",
        default=[],
        metavar="NAME=ROLE",
        dest="roles",
        help="what a column or variable is: view, label, id, colour, coordinates, kernel or ignore; FILE:NAME=ROLE "
        "for that of one file; may be given several times",
    )
    add(
        "--split",
        action="append",
        default=[],
        metavar="VIEW=PATTERN",
        help="the columns that make up a view, such as wt=wt_*, several separated by commas; may be given several "
        "times",
    )
    add(
        "--name",
        action="append",
        default=[],
        metavar="OLD=NEW",
        dest="names",
        help="a view's other name; may be given several times",
    )
    _add_choices(add)


def _add_choices(add: Callable[..., object]) -> None:
    """The flags that choose one of a few."""
    add("--half", choices=("both", "train", "test"), help="which samples, where a file holds training and test halves")
    add("--samples", choices=("intersection", "union"), help="which samples, where a view lacks some")
    add("--truncate", action="store_true", help="cut recordings to their common start and to the shortest")
    add(
        "--sonograms",
        choices=("seismic-events", "seismic-manifold"),
        help="turn recordings into sonograms, of 12 bands or of 512 frequencies",
    )
    add("--repeated", choices=("first", "drop"), help="which rows, where several share an id: the first, or none")
    add("--decimal", choices=(".", ","), help="the decimal sign of text tables; the other one separates thousands")
    add("--header", choices=("first", "none"), help="whether the first row of tables is a header, or a sample")


def reading(options: argparse.Namespace) -> ReadOptions:
    """The reading options that the flags give."""
    from mvexplorer.io.base.options import ReadOptions, check_missing

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
    from mvexplorer.engine.core.notices import ABSENT, HALVES, POSSIBLE_LABEL
    from mvexplorer.io.reading.questions import offers_of

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
