"""What the gallery and the column beside an experiment say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.wording import number

if TYPE_CHECKING:
    from mvexplorer.experiments.experiment import Bar, Experiment, Verdict

VERDICTS: dict[Verdict, str] = {
    "reproduces": "✓ Reproduces", "in part": "✓✗ Reproduces in part", "does not": "✗ Does not reproduce",
}  # fmt: skip


def figure_words(experiment: Experiment) -> str:
    """Which figure it is: “Figure 24”."""
    return f"{experiment.figure[:1].upper()}{experiment.figure[1:]}"


def verdict_words(verdict: Verdict) -> str:
    """A verdict with its sign, so that colours are not needed."""
    return VERDICTS[verdict]


def value_words(bar: Bar) -> str:
    """A bar's value and what is asked of it: “0.845, asked for ≥ 0.8”."""
    return f"{number(bar.value)}, asked for {bar.asked}"


def found_by(text: str, experiment: Experiment, paper: str) -> bool:
    """Whether an experiment is one that is looked for: every word is in its title, figure, caption or paper."""
    told = " ".join((experiment.title, experiment.figure, experiment.caption, experiment.id, paper)).casefold()
    return all(word in told for word in text.casefold().split())
