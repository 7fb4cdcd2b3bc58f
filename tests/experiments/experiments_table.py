"""README's table of verdicts: which of the papers' figures and tables reproduce, and apart, what they do not claim.

`python tests/experiments/experiments_table.py [ID ...]` runs these in their quick form, or all, which takes two
minutes, and writes the table, and above it the numbers of some of our own. `tests/experiments` runs them as well
(nightly, where it takes a second or more), and compares each verdict with README's row.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from mvexplorer.experiments.describing import counts_words
from mvexplorer.experiments.experiment import GROUPS, Bar
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment
from mvexplorer.wording import fraction

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- verdicts -->\n", "<!-- end of verdicts -->\n"
ROW = re.compile(r"^\| .* \| `(?P<id>[^`]+)` \| (?P<kind>[a-z]+) \| (?P<verdict>[^|]+) \|$", re.MULTILINE)
MISSING = "not computed"
NUMBERS = "<!-- numbers -->\n", "<!-- end of numbers -->\n"
SENTENCES = {
    "own-does-not-melt": (
        "from a thirtieth of the median to three medians the first jointly smooth function tells the variable that two "
        "sheets share with R² {}, the kernel sum with {} at the thirtieth and {} at the median, the best of three "
        "other methods with {} at three.",
        ("at the worst", "kernel sum at ε = median/30", "kernel sum at ε = median", "best other"),
    ),
    "own-where-is-the-tear": (
        "two rolls torn at different places differ by an eigenvalue of {}, and the share of steps that differs tells "
        "the samples at a gap with an area of {} under the ROC curve. A roll and itself at twice its ε seem to differ "
        "by {}, and with their reach matched by {}.",
        ("of the two rolls", "samples at a gap", "without matching", "reach matched"),
    ),
    "own-what-fac-knows": (
        "the first function of fac beyond fou tells 6 from 9 with an area of {} under the ROC curve, the best of fou’s "
        "own functions with {}. The nearest in fou’s functions tell it with R² {}, but fac’s own first function with "
        "{}.",
        ("by fac’s first", "fou’s own functions", "function beyond fou by the nearest", "function alone"),
    ),
}
"""What README says of our own figures, and the bars whose values it quotes."""


def written() -> str:
    """The table as README has it."""
    return README.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def verdicts() -> dict[str, str]:
    """Id -> verdict, as README says."""
    return {row["id"]: row["verdict"] for row in ROW.finditer(written())}


def sentence(id: str, bars: Sequence[Bar]) -> str:
    """What README says of an experiment, with the values of its bars."""
    text, quoted = SENTENCES[id]
    values = [next(bar.value for bar in bars if words in bar.what) for words in quoted]
    line = f"{find_experiment(id).title} (`{id}`): {text.format(*map(fraction, values))}"
    return textwrap.fill(line, 120, initial_indent="* ", subsequent_indent="  ", break_on_hyphens=False) + "\n"


def sentences() -> dict[str, str]:
    """Id -> what README says of it, with its numbers."""
    block = README.read_text("utf-8").partition(NUMBERS[0])[2].partition(NUMBERS[1])[0]
    lines = re.findall(r"^\* .*\n(?:  .*\n)*", block, re.MULTILINE)
    return {match[1]: line for line in lines if (match := re.search(r"\(`([^`]+)`\)", line))}


def table(found: dict[str, str]) -> str:
    """The table of these verdicts (id -> verdict)."""
    told = counts_words((e.kind, found.get(e.id, MISSING)) for e in EXPERIMENTS)
    rows = [
        f"| {GROUPS[e.group]}, {e.figure} | {e.title} | `{e.id}` | {e.kind} | {found.get(e.id, MISSING)} |"
        for e in EXPERIMENTS
    ]
    head = "| figure | what it shows | id | kind | verdict |\n|---|---|---|---|---|\n"
    return f"{len(EXPERIMENTS)} figures and tables. {told}\n\n{head}" + "\n".join(rows) + "\n"


def main() -> None:
    """Run those that are named, or all, and write the table into README."""
    chosen = [find_experiment(id) for id in sys.argv[1:]] or EXPERIMENTS
    text = README.read_text("utf-8")
    found = {experiment.id: run_experiment(experiment).outcome for experiment in chosen}
    new = table(verdicts() | {id: outcome.verdict for id, outcome in found.items()})
    said = sentences() | {id: sentence(id, outcome.bars) for id, outcome in found.items() if id in SENTENCES}
    text = text.replace(f"{BEGIN}{written()}{END}", f"{BEGIN}{new}{END}")
    before, rest = text.split(NUMBERS[0])
    lines = "".join(said[id] for id in SENTENCES if id in said)
    README.write_text(f"{before}{NUMBERS[0]}{lines}{NUMBERS[1]}{rest.partition(NUMBERS[1])[2]}", "utf-8")


if __name__ == "__main__":
    main()
