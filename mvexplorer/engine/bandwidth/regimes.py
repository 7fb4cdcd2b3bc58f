"""Verdicts about a bandwidth, in a word and a sentence: it leaves its view isolated, flat, wide or local.

A view is isolated where samples have no neighbours, flat where its affinities hardly differ beside those of other
views, wide where a sample neighbours a third of the others. Facts of its own kernel decide, never a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from mvexplorer.engine.bandwidth.curves import FEW, MOST_ALONE
from mvexplorer.engine.bandwidth.facts import BROAD, KernelFacts, alarming_facts
from mvexplorer.engine.core.notices import doubt
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.staying import ALONE
from mvexplorer.engine.spectral.diagnostics import Diagnostics
from mvexplorer.wording import finite_or_none, in_percent, listed, number

Word: TypeAlias = Literal["isolated", "flat", "wide", "local"]

VIEW_ISOLATED, VIEW_FLAT = VIEW_ALARMS = "view-isolated", "view-flat"
"""The codes of warnings about a view of a picture."""

HARDLY = 0.1
"""Contrast, as a part of the largest one beside it, below which a view of a wide ε adds little to joined pictures."""
NOTHING = 0.02
"""The same below which it adds next to nothing."""
MANY = 1 / 3
"""Share of the others that are a sample's neighbours, from which on a view is wide."""
DOMINANT = 10.0
"""Times the usual contrast of the others from which on products follow one view alone."""


@dataclass(frozen=True)
class Regime:
    """The verdict about one view: `regime` in a word, why in a `sentence`, and what to do, empty where nothing is.

    `dominant` tells how many times the contrast of the others its own is, where products follow it alone; else 0.
    """

    view: str
    regime: Word
    facts: KernelFacts
    sentence: str
    cure: str = ""
    dominant: float = 0.0

    @property
    def short(self) -> str:
        """The verdict in a few words."""
        if self.regime == "isolated":
            return f"Isolated: {in_percent(self.facts.alone)} alone"
        return "Flat: adds little" if self.regime == "flat" else self.regime.capitalize()

    @property
    def alarming(self) -> bool:
        """Whether it ought to be cured; else it is a fact."""
        return self.regime in ("isolated", "flat")

    def as_dict(self) -> dict[str, Any]:
        """For JSON: NaN is null, and so is the cure where there is none."""
        facts = self.facts
        values = facts.alone, facts.pieces, facts.neighbours, facts.others, facts.contrast, facts.of_median
        names = "alone", "pieces", "neighbours", "others", "contrast", "of_median"
        return {
            "epsilon": finite_or_none([facts.epsilon])[0],
            "regime": self.regime,
            "facts": dict(zip(names, finite_or_none(values), strict=True))
            | {"dominant": self.dominant or None, "far": [*facts.names]},
            "sentence": self.sentence,
            "cure": self.cure or None,
        }


def judged(views: Sequence[KernelFacts]) -> tuple[Regime, ...]:
    """The verdicts about views that are used together."""
    found = tuple(_naming_far_samples(_judged(facts, views)) for facts in views)
    return tuple(_with_dominance(one, [other for other in found if other is not one]) for one in found)


def _judged(facts: KernelFacts, beside: Sequence[KernelFacts]) -> Regime:
    if facts.alone > MOST_ALONE:
        text = (
            f"Isolated: {in_percent(facts.alone)} of the samples of {facts.view} have no neighbours, or only "
            f"in pieces of fewer than {FEW}."
        )
        return Regime(facts.view, "isolated", facts, text, "Enlarge its ε, or choose it by the rule robust.")
    strongest = max(beside, key=lambda other: np.nan_to_num(other.contrast))
    part = facts.contrast / strongest.contrast if strongest.contrast > 0.0 else np.nan
    if len(beside) > 1 and facts.of_median > BROAD and part < HARDLY:
        little = "next to nothing" if part < NOTHING else "little"
        text = (
            f"Flat: {facts.view} adds {little} to joined pictures: its affinities differ by "
            f"{in_percent(_differ(facts))}, those of {strongest.view} by {in_percent(_differ(strongest))}."
        )
        return Regime(facts.view, "flat", facts, text, "Choose its ε by the rule robust, or leave the view out.")
    many = facts.neighbours > MANY * facts.others
    text = (
        f"Wide: a sample of {facts.view} neighbours {in_percent(facts.neighbours / facts.others)} of the others: "
        "single pictures tend to principal components."
        if many
        else f"Local: a sample of {facts.view} has {number(facts.neighbours, 2)} neighbours{_in_pieces(facts)}."
    )
    return Regime(facts.view, "wide" if many else "local", facts, text)


def _naming_far_samples(one: Regime) -> Regime:
    names = one.facts.names
    if not names:
        return one
    lie, one_of_them = ("lies", "one sample") if len(names) == 1 else ("lie", f"{len(names)} samples")
    text = f"{one.sentence} {listed(names)} {lie} far from all others: max-min follows {one_of_them}."
    return replace(one, sentence=text)


def _with_dominance(one: Regime, others: Sequence[Regime]) -> Regime:
    contrasts = [other.facts.contrast for other in others if np.isfinite(other.facts.contrast)]
    flat = any(other.regime == "flat" for other in others)
    if one.alarming or flat or not contrasts:
        return one
    usual = float(np.median(contrasts))
    times = one.facts.contrast / usual if usual > 0.0 else 0.0
    if not times > DOMINANT:
        return one
    text = (
        f"{one.sentence} Products follow {one.view} alone: its affinities vary {number(times, 2)} times as much as "
        "those of the others."
    )
    return replace(one, sentence=text, cure="A larger ε of it evens that out.", dominant=times)


def _differ(facts: KernelFacts) -> float:
    """By which share the affinities of near pairs and of far ones differ."""
    return float(-np.expm1(-facts.contrast))


def _in_pieces(facts: KernelFacts) -> str:
    return f", in {facts.pieces} pieces" if facts.pieces > 1 else ""


def tell_alarms(method: Method, stages: Stages, told: Diagnostics) -> None:
    """Attach a warning for every view of a picture whose ε ought to be cured, unless that was `told` already."""
    if method.requires == "features" or not method.epsilon_matters(stages.params):
        return
    staying = {name for code, text in told if code == ALONE for name in getattr(text, "subjects", ())}
    for regime in judged(alarming_facts(stages, by_kernel=not method.joint_kernel)):
        if regime.alarming and regime.view not in staying:
            code = VIEW_ISOLATED if regime.regime == "isolated" else VIEW_FLAT
            stages.task.tell(doubt(code, f"{regime.sentence} {regime.cure}", (regime.view,)))
