"""The words of the gallery and of the column beside an experiment."""

from __future__ import annotations

from collections.abc import Sequence

from mvexplorer.experiments.experiment import GROUPS, MARKS, Bar, Experiment, ExperimentResult, Verdict
from mvexplorer.wording import number

VERDICTS: dict[Verdict, str] = {
    "reproduces": "✓ Reproduces",
    "in part": "✓✗ Reproduces in part",
    "does not": "✗ Does not reproduce",
}


def figure_words(experiment: Experiment) -> str:
    """Name the figure, and say if it is no claim: “Figure 24”, “Figure 2 · identity”."""
    figure = f"{experiment.figure[:1].upper()}{experiment.figure[1:]}"
    return " · ".join(filter(None, (figure, MARKS[experiment.kind])))


def verdict_words(verdict: Verdict) -> str:
    """A verdict with its sign, so that colours are not needed."""
    return VERDICTS[verdict]


def bar_words(bar: Bar) -> str:
    """A bar in a sentence: “NMI of multi-view: 0.845, asked for ≥ 0.8: holds”."""
    words = f"{bar.what}: {number(bar.value)}, asked for {bar.asked}: {'holds' if bar.holds else 'is missed'}"
    return words if bar.null is None else f"{words}; of shuffled data {number(bar.null[0])} to {number(bar.null[1])}"


def found_words(outcome: ExperimentResult | None) -> str:
    """Tell a run's outcome: “Reproduces in part: 2 of 3 numbers reach what is asked”; nothing before."""
    if outcome is None:
        return ""
    held = sum(bar.holds for bar in outcome.bars)
    return f"{verdict_words(outcome.verdict)}: {held} of {len(outcome.bars)} numbers reach what is asked"


def run_words(done: bool, running: bool, said: str) -> str:
    """Tell the state of the run, where its verdict does not."""
    if running:
        return "Running again …" if done else "Running …"
    return said or ("" if done else "Not run yet: Run computes the whole figure in its quick form.")


def reason_words(experiment: Experiment, outcome: ExperimentResult | None) -> str:
    """Tell why a figure does not reproduce, where it does not."""
    return "" if outcome is None or outcome.verdict == "reproduces" else experiment.why


def live_words(experiment: Experiment, now: Sequence[Bar], unmeasured: str, there: bool) -> str:
    """Return the words above the bars that follow the panels, or in place of them; `unmeasured` says why none are."""
    if experiment.live is None:
        return "What is claimed needs many runs, or data of its own: it does not follow the panels. Use Run."
    if not there:
        return "Computing …" if not now else "Computing … the values are of the former pictures."
    return "" if now else unmeasured or "Computing …"


def found_by(text: str, experiment: Experiment) -> bool:
    """True if a search finds the experiment: every word is in its title, figure, caption or paper."""
    e = experiment
    content = " ".join((e.title, figure_words(e), e.caption, e.id, GROUPS[e.group])).casefold()
    return all(word in content for word in text.casefold().split())
