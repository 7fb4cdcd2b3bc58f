"""Seven checks of a picture, each judged by one rule that is stated with it, and the sentence that concludes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mvexplorer.compute.jobs.neighbour_jobs import Kept
from mvexplorer.engine.analysis.common import InCommon, short_p
from mvexplorer.engine.analysis.independence import Independence
from mvexplorer.engine.analysis.null_band import LEVEL, NullBand, is_least
from mvexplorer.engine.analysis.stability import Stability
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.regimes import VIEW_FLAT, VIEW_ISOLATED
from mvexplorer.engine.core.notices import PIECES
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.isolated import NO_NEIGHBOURS
from mvexplorer.engine.pipeline.staying import ALONE
from mvexplorer.engine.spectral.diagnostics import DISCONNECTED
from mvexplorer.state.pictures.bends import harmonic_words
from mvexplorer.wording import counted, fraction, in_percent, listed

CheckId = Literal["permutation", "common", "stability", "coordinates", "neighbours", "outliers", "pieces"]
Standing = Literal["passed", "doubtful", "running", "open", "stale", "inapplicable"]
STEADY = 0.2
"""The median displacement, as a share of the radius, up to which a picture is steady."""
KEPT = 0.1
"""The share of neighbours beyond chance that a picture keeps of each of its views at least."""
RULES: Mapping[CheckId, tuple[str, str]] = {
    "permutation": (
        "Permutation test",
        "Passes where p ≤ .05 for every view, by the runs there are; without a score, where shuffling each view "
        "changes more neighbours than resampling does.",
    ),
    "common": (
        "Shared structure",
        "Passes where every view shares structure with another one: with rows shuffled their kernels agree less, at p "
        "≤ .05, times the number of other views.",
    ),
    "stability": (
        "Stability under resampling",
        "Passes where samples move by at most 20 % of the picture's radius in the median.",
    ),
    "coordinates": (
        "Redundant coordinates",
        "Passes where no drawn coordinate is largely a function of the earlier ones (residual below .20). Separate "
        "groups of samples are not judged: they have no shape to bend.",
    ),
    "neighbours": (
        "Neighbourhood preservation",
        "Passes where the picture keeps, of each view that it is made of, at least a tenth of the nearest neighbours "
        "beyond what chance keeps.",
    ),
    "outliers": (
        "Outliers",
        "Passes where no samples stand alone or far from all others, and no drawn coordinate only sets a few apart.",
    ),
    "pieces": (
        "Pieces",
        "Passes where the graph is one piece, or pieces each large enough for a cluster, and its affinities differ "
        "enough to tell samples apart.",
    ),
}
"""Check -> its name, and its rule in a sentence."""
KIND_NAMES = {"noise": "Stability under noise", "views": "Stability without a view", "epsilon": "Stability under ε"}
"""The names of the check of stability where something else than the samples changes."""


@dataclass(frozen=True)
class CheckVerdict:
    """Whether a check is passed, the finding, and what a doubtful one adds to the sentence that concludes."""

    passed: bool
    finding: str
    concern: str = ""


@dataclass(frozen=True)
class CheckLine:
    """A check of a panel's picture in a line: how it stands, the result, and what can be run, empty for nothing."""

    id: CheckId
    standing: Standing
    result: str
    concern: str = ""
    button: str = ""
    name: str = ""

    @property
    def answered(self) -> bool:
        """Whether there is a verdict on the present picture."""
        return self.standing in ("passed", "doubtful")


def conclusion(title: str, lines: Sequence[CheckLine]) -> str:
    """The checks of a picture in one sentence: how many pass, the first doubts, and how many have no answer."""
    applicable = [line for line in lines if line.standing != "inapplicable"]
    if not any(line.answered for line in applicable):
        return "Nothing has been checked yet."
    passed = sum(line.standing == "passed" for line in applicable)
    if passed == len(applicable):
        return f"{title}: all {passed} checks pass."
    concerns, most = [line.concern for line in applicable if line.standing == "doubtful"], 2
    parts = concerns[:most]
    parts += [f"{len(concerns) - most} more in doubt"] if len(concerns) > most else []
    for standing, words in (("running", "running"), ("stale", "for earlier settings"), ("open", "not run")):
        count = sum(line.standing == standing for line in applicable)
        parts += [f"{count} {words}"] if count else []
    return f"{title}: {passed} of {len(applicable)} checks pass; {'; '.join(parts)}."


# The rules --------------------------------------------------------------------------------------------------------


def permutation_verdict(bands: Sequence[NullBand]) -> CheckVerdict:
    """Pass where p ≤ .05 for every view, by the runs there are.

    Without a score: where shuffling each view changes more neighbours than resampling does.
    """
    scored = [band for band in bands if band.p is not None]
    if not scored:
        return _unscored_verdict(bands)
    lowering = [band.view for band in scored if band.lowers]
    if lowering:
        words = f"{listed(lowering)} {'lowers' if len(lowering) == 1 else 'lower'} the score"
        return CheckVerdict(passed=False, finding=words, concern=words)
    worst = max(scored, key=lambda band: band.p or 0.0)
    p = worst.p or 0.0
    least = is_least(p, len(worst.shuffled))
    runs = counted(worst.n, "run")
    words = f"p ≤ {fraction(p)} ({runs}; smallest possible)" if least else f"p = {fraction(p)} ({runs})"
    if p <= LEVEL:
        return CheckVerdict(passed=True, finding=words)
    if least:
        few = f"the permutation test has too few runs to tell (p ≤ {fraction(p)})"
        return CheckVerdict(passed=False, finding=words, concern=few)
    within = [band.view for band in scored if (band.p or 0.0) > LEVEL and not is_least(band.p or 0.0, band.n)]
    if len(within) == len(scored):
        concern = f"the permutation test finds no more than chance (p = {fraction(p)})"
        return CheckVerdict(passed=False, finding=words, concern=concern)
    subject = f"{within[0]} adds" if len(within) == 1 else f"{len(within)} views add"
    return CheckVerdict(
        passed=False, finding=f"{subject} nothing (within chance, {words})", concern=f"{subject} no more than chance"
    )


def _unscored_verdict(bands: Sequence[NullBand]) -> CheckVerdict:
    idle = [band.view for band in bands if not float(np.median(band.disagreement)) > band.resampled]
    if not idle:
        return CheckVerdict(
            passed=True, finding=f"each view is used; whether views share anything: {RULES['common'][0]}"
        )
    words = f"shuffling {listed(idle)} changes no more than resampling does"
    return CheckVerdict(passed=False, finding=words, concern=words)


def common_verdict(common: InCommon) -> CheckVerdict:
    """Pass where every view shares structure with another one, at p ≤ .05 times the number of other views."""
    alone, each = common.alone, {view: common.p_of(view) for view in common.views}
    if not alone:
        cka, worst = [pair.cka for pair in common.pairs], max(each.values())
        span = "–".join(dict.fromkeys((fraction(min(cka)), fraction(max(cka)))))
        sign = "≤" if worst <= common.least else "="
        return CheckVerdict(passed=True, finding=f"p {sign} {short_p(worst)} ({common.n} shuffles), CKA {span}")
    if common.least > LEVEL:
        few = f"too few shuffles to tell whether views share anything ({common.n})"
        return CheckVerdict(passed=False, finding=few, concern=few)
    one, values = len(alone) == 1, [short_p(each[view]) for view in alone]
    others = "" if len(common.views) == 2 else " with the other views" if one else " with any other view"
    p = f"p {'=' if len(set(values)) == 1 else '≥'} {min(values)}"
    words = f"{listed(alone)} {'shares' if one else 'share'} nothing{others} beyond chance ({p})"
    asked = f"{words}: are {'its' if one else 'their'} rows paired rightly?"
    return CheckVerdict(passed=False, finding=asked, concern=words)


def stability_verdict(stability: Stability) -> CheckVerdict:
    """Pass where samples move by at most 20 % of the picture's radius in the median."""
    moved = in_percent(stability.number)
    return CheckVerdict(
        stability.number <= STEADY,
        f"median displacement {moved} of the radius",
        f"samples move by {moved} of the radius",
    )


def coordinates_verdict(names: Sequence[str], answer: Independence, drawn: Sequence[int]) -> CheckVerdict | None:
    """Pass where no drawn coordinate is a harmonic: largely a function of the earlier ones (residual below .20).

    None where samples lie in groups: a coordinate that is level in each follows from any other one that is.
    """
    harmonics = [k for k in drawn if k in answer.harmonics]
    if harmonics:
        words = harmonic_words(names, harmonics[0], float(answer.residuals[harmonics[0]]))
        others = [names[k] for k in harmonics[1:]]
        words = f"{words}; so is {listed(others)}" if others else words
        concern = f"{listed([names[k] for k in harmonics])} {'is a harmonic' if not others else 'are harmonics'}"
        return CheckVerdict(passed=False, finding=words, concern=concern)
    if set(drawn) & set(answer.bends):
        return None
    return CheckVerdict(passed=True, finding="every drawn coordinate tells something new")


def neighbours_verdict(kept: Mapping[str, Kept], chance: float) -> CheckVerdict:
    """Pass where of each view at least a tenth of the nearest neighbours is kept beyond what chance keeps."""
    shares = {view: each.preservation for view, each in kept.items()}
    low, high = in_percent(min(shares.values())), in_percent(max(shares.values()))
    span = low if low == high else f"{low.removesuffix(' %')}–{high}"
    lost = [view for view, share in shares.items() if share - chance < KEPT * (1.0 - chance)]
    if not lost:
        return CheckVerdict(passed=True, finding=f"{span} kept ({in_percent(chance)} by chance)")
    worst = min(lost, key=shares.__getitem__)
    words = f"{worst}: {in_percent(shares[worst])} kept ({in_percent(chance)} by chance)"
    return CheckVerdict(passed=False, finding=words, concern=f"hardly any neighbours of {listed(lost)} are kept")


def outliers_verdict(
    warnings: Iterable[tuple[str, str]], taken: Sequence[str], far: Mapping[str, Sequence[str]]
) -> CheckVerdict:
    """Pass where no samples stand alone or far from all others, and no drawn coordinate only sets a few apart.

    `warnings` are those of the embedding, `taken` the axes that only a few samples bear, `far` the samples of each view
    that lie farther from all others than four medians of the squared distance.
    """
    alone = {"outlier", NO_NEIGHBOURS, ALONE, VIEW_ISOLATED}
    words = next((text for code, text in _by_code(warnings).items() if code in alone), "")
    if words:
        return CheckVerdict(passed=False, finding=words, concern="some samples stand alone")
    if taken:
        words = f"{listed(taken)} only {'sets' if len(taken) == 1 else 'set'} a few samples apart"
        return CheckVerdict(passed=False, finding=words, concern=words)
    each = [f"in {view}: {listed(names)}" for view, names in far.items() if names]
    if each:
        words = f"far from all others {'; '.join(each)}"
        return CheckVerdict(passed=False, finding=words, concern="some samples lie far from all others")
    return CheckVerdict(passed=True, finding="no sample stands alone or takes a coordinate")


def pieces_verdict(embedding: Embedding) -> CheckVerdict | None:
    """Pass where the graph is one piece, or pieces each large enough for a cluster, and affinities are not all alike.

    None where the method has no graph of samples.
    """
    said = _by_code(embedding.warnings)
    torn = said.get(DISCONNECTED) or said.get("nearly-disconnected")
    if torn:
        return CheckVerdict(passed=False, finding=torn, concern="the graph is torn")
    alike = said.get("flat") or said.get(VIEW_FLAT)
    if alike:
        return CheckVerdict(passed=False, finding=alike, concern="affinities are nearly all alike")
    if PIECES in said:
        return CheckVerdict(passed=True, finding=said[PIECES])
    if get_method(embedding.method).walk is None:
        return None
    return CheckVerdict(passed=True, finding="one piece")


def _by_code(warnings: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The sentences of warnings by their codes; the keys of warnings name the views as well."""
    return {getattr(text, "code", key): str(text) for key, text in warnings}
