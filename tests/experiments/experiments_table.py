"""README's table of verdicts: which of the papers' figures and tables reproduce, and apart, what they do not claim.

`python tests/experiments/experiments_table.py [ID ...]` runs these in their quick form, or all, which takes two
minutes, and writes the table. `tests/experiments` runs them as well (nightly, where it takes a second or more), and
compares each verdict with README's row.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mvexplorer.experiments.describing import counts_words
from mvexplorer.experiments.experiment import GROUPS
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- verdicts -->\n", "<!-- end of verdicts -->\n"
ROW = re.compile(r"^\| .* \| `(?P<id>[^`]+)` \| (?P<kind>[a-z]+) \| (?P<verdict>[^|]+) \|$", re.MULTILINE)
MISSING = "not computed"


def written() -> str:
    """The table as README has it."""
    return README.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def verdicts() -> dict[str, str]:
    """Id -> verdict, as README says."""
    return {row["id"]: row["verdict"] for row in ROW.finditer(written())}


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
    new = table(verdicts() | {experiment.id: run_experiment(experiment).outcome.verdict for experiment in chosen})
    README.write_text(text.replace(f"{BEGIN}{written()}{END}", f"{BEGIN}{new}{END}"), "utf-8")


if __name__ == "__main__":
    main()
