"""This checkout against another one: the same rows in turns, and whether anything takes longer here."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from comparison import CONTROL, Limit, Row
from report import markdown_row

if TYPE_CHECKING:
    from run import Runner

USUAL = (
    # Warm steps: a hand drags ε, and lets it go.
    "one view, warm ε step while the hand drags, M 2000",
    "one view, warm ε step at rest, M 2000",
    "two views, warm ε step while the hand drags, M 2000, distances given",
    "two views, warm ε step at rest, M 2000, distances given",
    # Cold: from the features, to the first picture and to the exact one.
    "one view, cold, M 2000",
    "cold, first picture: multiview, M 2000, D 10, noise 0.1, max-min",
    "cold, exact: multiview, M 2000, D 10, noise 0.1, max-min",
    "cold, exact: multiview, M 5000, D 50, noise 0.5, max-min",
    # The window: data is opened, its parameters are swept, and all ε dragged, few samples, many, and by landmarks.
    "open: uci 2 views",
    "open: uci 6 views",
    "open: tori 5000",
    "sweep: uci 13 ε x 6 panels",
    "drag: uci 2 views",
    "drag: uci 6 views",
    "drag: tori 5000",
    "drag: tori 20000",
)
"""The rows that stand for what users do."""

ROUNDS = 5
SLOWEST, FEWEST = 1.10, 0.85
"""What a time here may be of the time there, and a number of pictures per second has to be."""

HEADER = "| work | unit | here | there | here / there | |\n|---|---|---:|---:|---:|---|"

LISTING = """
import json
from run import all_rows
import mvexplorer
rows = [(row.name, "measure" if hasattr(row, "measure") else "ours", *place) for *place, row in all_rows()]
print(json.dumps([mvexplorer.__file__, rows]))
"""
"""The program that a checkout's rows would measure, and of each row its name, our side of it, and where it stands."""


@dataclass(frozen=True)
class Checkout:
    """A checkout, and where its rows stand: of one name, their modules and positions may differ between two."""

    word: str
    runner: Runner
    places: Mapping[tuple[str, str], tuple[str, int]]

    def measure(self, row: Row) -> Mapping[str, float]:
        """Our side of a row, by unit; RuntimeError where it fails."""
        print(f"{self.word}:", file=sys.stderr)
        try:
            module, index = self.places[key(row)]
            if isinstance(row, Limit):
                measured: dict[str, float] = self.runner.side(module, index, "measure")["measured"]
                return measured
            seconds = self.runner.side(module, index, "ours", display=row.display)
        except RuntimeError as problem:
            raise RuntimeError(f"{self.word}, {problem}") from None
        return {"s on the wall": seconds["wall"]} if self.runner.by_wall(row) else {"s of CPU": seconds["cpu"]}


@dataclass(frozen=True)
class Change:
    """How one number of a row differs between the checkouts."""

    unit: str
    here: float
    there: float
    ratio: float
    """The median of the rounds' ratios, here / there."""
    noisy: bool = False
    """Whether it has a control, or is one: a single late moment makes it large, so it is shown and not judged."""

    @property
    def holds(self) -> bool | None:
        """Whether it is as good here; None for what is neither a time nor a rate of pictures."""
        first_word = self.unit.split()[0]
        if self.noisy or first_word not in ("s", "ms", "pictures/s"):
            return None
        return self.ratio >= FEWEST if first_word == "pictures/s" else self.ratio <= SLOWEST


def lines(here: Runner, there: Runner, rows: Iterable[Row], names: Sequence[str]) -> Iterator[str]:
    """The table, row by row, then whether each row holds; RuntimeError where the checkouts are not two."""
    if not (there.root / "tests" / "benchmarks" / "run.py").is_file():
        raise RuntimeError(f"{there.root} is no checkout of mvexplorer: it has no tests/benchmarks/run.py.")
    if here.root == there.root:
        raise RuntimeError(f"{there.root} is this checkout itself: name another one.")
    checkouts = {word: Checkout(word, runner, places(runner)) for word, runner in (("there", there), ("here", here))}
    yield HEADER
    verdicts = [""]
    for row in chosen(rows, names):
        if key(row) not in checkouts["there"].places:
            verdicts.append(f"* {row.name}: not measured, the other checkout has no such row")
            continue
        try:
            rounds = [one_round(row, checkouts, number) for number in range(here.pairs or ROUNDS)]
        except RuntimeError as problem:
            verdicts.append(f"* {row.name}: not measured, {problem}")
            continue
        changes = changes_of(rounds)
        yield from (table_line(row.name, change) for change in changes)
        verdicts.append(verdict_line(row.name, changes))
    yield from verdicts


def one_round(row: Row, checkouts: Mapping[str, Checkout], number: int) -> Mapping[str, Mapping[str, float]]:
    return {word: checkouts[word].measure(row) for word in order(number)}


def places(runner: Runner) -> Mapping[tuple[str, str], tuple[str, int]]:
    """Where the rows of a checkout stand; RuntimeError where they would not measure its own program."""
    try:
        program, rows = runner.answer(["-c", LISTING], "list")
    except RuntimeError as problem:
        raise RuntimeError(f"The rows of {runner.root} cannot be read ({problem}).") from None
    home = Path(program).resolve().parents[1]
    if home != runner.root:
        raise RuntimeError(f"The rows of {runner.root} would measure the program in {home}, not its own.")
    return first_places(rows)


def first_places(rows: Iterable[tuple[str, str, str, int]]) -> dict[tuple[str, str], tuple[str, int]]:
    """Module and position of a row by its `key`: those of one name differ in their rival alone."""
    by_key: dict[tuple[str, str], tuple[str, int]] = {}
    for name, side, module, index in rows:
        by_key.setdefault((name, side), (module, index))
    return by_key


def key(row: Row) -> tuple[str, str]:
    """The name of a row, and that of our side of it."""
    return row.name, "measure" if isinstance(row, Limit) else "ours"


def chosen(rows: Iterable[Row], names: Sequence[str]) -> list[Row]:
    """Of each name that contains one of `names`, or that is usual, the first row."""
    by_name: dict[str, Row] = {}
    for row in rows:
        if any(word in row.name for word in names) if names else row.name in USUAL:
            by_name.setdefault(row.name, row)
    return list(by_name.values())


def order(number: int) -> tuple[str, str]:
    """Who is first in a round: the machine may be warmer, or busier, for the second."""
    return ("there", "here") if number % 2 else ("here", "there")


def changes_of(rounds: Sequence[Mapping[str, Mapping[str, float]]]) -> list[Change]:
    """Each unit that both checkouts measure, over all rounds."""
    units = [unit for unit in rounds[0]["here"] if unit in rounds[0]["there"]]
    changes = []
    for unit in units:
        here, there = ([each[word][unit] for each in rounds] for word in ("here", "there"))
        ratio = median(map(ratio_of, here, there))
        noisy = unit.endswith(CONTROL) or unit + CONTROL in units
        changes.append(Change(unit, median(here), median(there), ratio, noisy))
    return changes


def ratio_of(here: float, there: float) -> float:
    """1 for equal numbers, zeros among them."""
    return 1.0 if here == there else here / there if there else math.inf


def table_line(name: str, change: Change) -> str:
    numbers = f"{change.here:.3g}", f"{change.there:.3g}", f"{change.ratio:.2f}"
    return markdown_row(name, change.unit, *numbers, {True: "holds", False: "**worse**", None: ""}[change.holds])


def verdict_line(name: str, changes: Sequence[Change]) -> str:
    """Whether a row holds, or what does not."""
    worse = [f"{change.unit} {change.ratio:.2f}" for change in changes if change.holds is False]
    if all(change.holds is None for change in changes):
        return f"* {name}: nothing in it is judged"
    return f"* {name}: does not hold ({', '.join(worse)})" if worse else f"* {name}: holds"
