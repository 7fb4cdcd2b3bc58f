"""The ε that is recommended for each view: the one place that says so, quoted wherever ε is judged or chosen.

The kernel's verdict leaves out what is isolated or flat; of the rest, the view's own picture tells what is as good as
its best. Wide is a fact and no reason to move: where it costs anything, the view's own picture says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from psygnal import Signal

from mvexplorer.compute.batch.tuning import FACTORS, score_text
from mvexplorer.engine.bandwidth.regimes import Regime, Word
from mvexplorer.engine.bandwidth.table import DEFAULT_RULE
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.batches.view_scores import ViewScores, good_range
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions.verdicts import Verdicts, ViewVerdict
from mvexplorer.wording import counted, number

ALARMS = "isolated", "flat"
"""The verdicts at which no ε is recommended."""
HIGHEST = FACTORS[-1] * (FACTORS[1] / FACTORS[0]) ** 0.5
"""Medians beyond which no ε is recommended: no picture was scored there, and rules lie below."""


@dataclass(frozen=True)
class Advice:
    """The recommended ε of one view: from `low` to `high`, and the `rule` that chooses one of them, if it is clear.

    `here` tells that the present ε is one of these, `best` how good the view's own picture is there; None where only
    the kernel has been asked. `tuned`: the present ε was chosen by a score of the panel's picture.
    """

    low: float
    high: float
    here: bool
    best: Score | None = None
    rule: str = ""
    tuned: bool = False

    @property
    def value(self) -> float:
        """An ε amid the recommended ones."""
        return float(f"{(self.low * self.high) ** 0.5:.3g}")

    @property
    def range(self) -> str:
        """The recommended ε, in words."""
        return f"{number(self.low)} to {number(self.high)}"

    @property
    def sentence(self) -> str:
        """Tell what to do about ε; empty where only the kernel has been asked, and has nothing against it."""
        if self.tuned:
            return "Tuned: no need to move ε."
        if not self.here:
            return f"{self.short}{f' (rule {self.rule})' if self.rule else ''}."
        return "" if self.best is None else f"No need to move ε for its own picture: {self.range} is recommended."

    @property
    def short(self) -> str:
        """The same for one line of a narrow column."""
        if self.tuned:
            return "Tuned: no need to move ε"
        return f"Recommended{'' if self.best is not None else ' by the kernel'}: ε {self.range}"

    @property
    def why(self) -> str:
        """Why these are recommended."""
        kernel = "Few samples are left alone there, and the view is not flat beside others."
        if self.best is None:
            return kernel
        best = score_text(self.best, self.best.spread)
        own = f"The trustworthiness of its own picture is hardly below its best, {best}."
        return f"{kernel} {own} Pictures of several views may gain elsewhere: Tune tries that."


class EpsilonAdvice:
    """Recommends ε for the views in use, from what is known of them."""

    changed = Signal(str)
    """The scores of a view's own picture have come."""

    def __init__(self, controller: Controller, verdicts: Verdicts, scores: ViewScores, tuner: Tuner) -> None:
        self._controller, self.verdicts, self._scores, self._tuner = controller, verdicts, scores, tuner
        scores.changed.connect(lambda view: self.changed.emit(view))

    def ask(self, view: str) -> None:
        """Score a view's own picture along its ε, unless that is known."""
        self._scores.ask(view)

    def now(self, verdicts: Mapping[str, ViewVerdict] | None = None) -> dict[str, Advice]:
        """The recommended ε of the views in use, by name, of those whose verdicts along ε are known."""
        judged = self.verdicts.now() if verdicts is None else verdicts
        each = {view: self._of(view, verdict) for view, verdict in judged.items()}
        return {view: advice for view, advice in each.items() if advice is not None}

    def _of(self, view: str, verdict: ViewVerdict) -> Advice | None:
        controller, state = self._controller, self._controller.document.state
        median, epsilon = controller.median(view), controller.effective_epsilon(view)
        usable = _usable(verdict.track)
        if median is None or epsilon is None or usable is None:
            return None
        scale = self._scores.of(view)
        good = None if scale is None else good_range(scale)
        low, high = usable
        if good is not None and max(low, good.low) < min(high, good.high):
            low, high = max(low, good.low), min(high, good.high)
        else:
            good = None
        low, high = low * median, high * median
        summary = controller.summaries.get(view)
        values = {} if summary is None else summary.rules
        factor = state.factor(view)
        inside = [rule for rule, value in values.items() if isinstance(value, float) and low <= factor * value <= high]
        rule = DEFAULT_RULE if DEFAULT_RULE in inside else inside[0] if len(inside) == 1 else ""
        quiet = verdict.word not in ALARMS
        here, tuned = quiet and low <= epsilon <= high, quiet and self._is_tuned(view, epsilon)
        return Advice(low, high, here, None if good is None else good.best, rule, tuned)

    def _is_tuned(self, view: str, epsilon: float) -> bool:
        close = 1e-3  # ε is rounded to four digits
        return any(
            step.view == view and step.why == "gain" and abs(step.epsilon / epsilon - 1.0) < close
            for step in self._tuner.steps
        )


def judged_in_words(regime: Regime, advice: Advice | None) -> str:
    """A verdict, and what to do."""
    return f"{regime.sentence} {advised(regime, advice)}".strip()


def recommended_elsewhere(advice: Mapping[str, Advice]) -> str:
    """Name the first view whose ε ought to be another, and how many more there are; empty where there is none."""
    others = {view: one for view, one in advice.items() if not (one.here or one.tuned)}
    if not others:
        return ""
    view, one = next(iter(others.items()))
    more = len(others) - 1
    likewise = f"; {counted(more, 'more view')} likewise" if more else ""
    return f"Recommended for {view}: ε {one.range}{likewise}."


def advised(regime: Regime, advice: Advice | None) -> str:
    """Tell what to do about a verdict: what is recommended, where that is known, else the verdict's own cure."""
    if advice is None or (regime.dominant and advice.here):
        return regime.cure
    return advice.sentence


def _usable(track: Sequence[tuple[float, float, Word]]) -> tuple[float, float] | None:
    """The ε, in medians, at which a view is neither isolated nor flat; None where there are none."""
    parts = [(low, high) for low, high, word in track if word not in ALARMS and low < HIGHEST]
    return (parts[0][0], min(parts[-1][1], HIGHEST)) if parts else None
