"""README's table of verdicts: which of the papers' figures and tables reproduce.

`python tests/experiments/experiments_table.py` runs every experiment in its quick form, which takes two minutes, and
writes the table. `tests/experiments` runs them as well, and compares each verdict with README's row.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from mvexplorer.experiments.experiment import PAPERS
from mvexplorer.experiments.running import run
from mvexplorer.experiments.table import EXPERIMENTS

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- verdicts -->\n", "<!-- end of verdicts -->\n"
ROW = re.compile(r"^\| .* \| `(?P<id>[^`]+)` \| (?P<verdict>[^|]+) \|$", re.MULTILINE)
SEVERAL = {"reproduces": "reproduce", "in part": "in part", "does not": "do not"}


def written() -> str:
    """The table as README has it."""
    return README.read_text("utf-8").partition(BEGIN)[2].partition(END)[0]


def verdicts() -> dict[str, str]:
    """Id -> verdict, as README says."""
    return {row["id"]: row["verdict"] for row in ROW.finditer(written())}


def table(found: dict[str, str]) -> str:
    """The table of these verdicts (id -> verdict)."""
    counts = Counter(found.values())
    told = ", ".join(f"{counts[verdict]} {words}" for verdict, words in SEVERAL.items() if counts[verdict])
    rows = [
        f"| {PAPERS[e.paper]}, {e.figure} | {e.title} | `{e.id}` | {found.get(e.id, 'not computed')} |"
        for e in EXPERIMENTS
    ]
    head = "| figure | what it shows | id | verdict |\n|---|---|---|---|\n"
    return f"{len(EXPERIMENTS)} figures and tables: {told}.\n\n{head}" + "\n".join(rows) + "\n"


def main() -> None:
    """Run all, and write the table into README."""
    text = README.read_text("utf-8")
    new = table({experiment.id: run(experiment).outcome.verdict for experiment in EXPERIMENTS})
    README.write_text(text.replace(f"{BEGIN}{written()}{END}", f"{BEGIN}{new}{END}"), "utf-8")


if __name__ == "__main__":
    main()
