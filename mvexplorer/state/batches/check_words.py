"""Findings of permutation tests and stability, in the few words that panels, strips and captions have room for."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, stdev

from mvexplorer.engine.analysis.null_band import NullBand, is_least
from mvexplorer.engine.analysis.stability import Stability
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.spread_drawing import MOST_ELLIPSES, MOST_GHOSTS
from mvexplorer.wording import counted, fraction, in_percent


def empty_words(*, one_view: bool) -> str:
    """A sentence on what the permutation test will tell."""
    if one_view:
        return (
            "Whether this score is better than those of shuffled labels. Ten runs give the first band; nineteen let p "
            "reach .05."
        )
    return (
        "Which views add to this score beyond chance: each view's rows are shuffled and the picture is recomputed. "
        "Ten runs give the first band; nineteen let p reach .05."
    )


def verdict(band: NullBand) -> str:
    """A permutation test in a word or two."""
    if band.p is None:
        return ""
    return f"p {'≤' if is_least(band.p, len(band.shuffled)) else '='} {fraction(band.p)}"


def told_first(bands: Mapping[str, NullBand]) -> str:
    """The view whose test is named before the others: the first that adds nothing or harms, if any does."""
    return next((view for view, band in bands.items() if band.useless), next(iter(bands)))


def null_outdated(answers: Found, shuffle: str) -> bool:
    """True if null tests answer another question: of a former picture or score, or shuffled otherwise."""
    return answers.outdated or answers.rescored or (answers.shuffle != shuffle and any(answers.null))


def strip_about(band: NullBand) -> str:
    """A row of the null test in full."""
    if band.real is None:
        return f"{band.words} Dots: share of neighbours changed by a shuffle; line: by resampling."
    return f"{band.words} {band.score_name} {fraction(band.real)}, shuffled {chance_range(band)} ({band.n} runs)."


def chance_range(band: NullBand) -> str:
    """The band of a null test."""
    if not len(band.shuffled):
        return "–"
    low, high = fraction(float(band.shuffled.min())), fraction(float(band.shuffled.max()))
    return low if low == high else f"{low}–{high}"


def null_footer(answers: Found) -> tuple[tuple[str, ...], str]:
    """The null tests of a panel for its footer: wordings, the longest first, no stronger than they are; and in full."""
    return _band_words(answers.null), "\n".join(strip_about(band) for band in answers.null.values())


def stability_footer(answers: Found) -> tuple[tuple[str, ...], str]:
    """How far samples move when others are left out: wordings for a panel's footer; and in full."""
    stability = answers.stability.get("parts")
    return (
        (("",), "") if stability is None else ((f"moves {in_percent(stability.number)}",), stability_words(stability))
    )


def findings(answers: Found) -> str:
    """The findings, for the tooltips of scores: the views that add nothing or harm, and how far samples move."""
    useless = [band.words for band in answers.null.values() if band.useless]
    wordings, _ = null_footer(answers)
    texts = [*(useless or [f"{wordings[0].strip('()')}." if wordings[0] else ""])]
    if "parts" in answers.stability:
        texts.append(f"{moved_words(answers.stability['parts'])}.")
    return " ".join(words for words in texts if words)


def _band_words(bands: Mapping[str, NullBand]) -> tuple[str, ...]:
    scored = [band for band in bands.values() if band.p is not None]
    if not scored:
        return ("",)
    if len(scored) == 1:
        band, chance = scored[0], chance_range(scored[0])
        return f"({band.view + ' shuffled' if band.view else 'chance'} {chance})", f"({chance})"
    lowering, within = ([band.view for band in scored if getattr(band, name)] for name in ("lowers", "within"))
    if lowering:
        named, verb = (lowering[0], "lowers") if len(lowering) == 1 else (f"{len(lowering)} views", "lower")
        return f"({named} {verb} the score)", f"({named} {verb} it)"
    if not within:
        return f"({counted(len(scored), 'view')} above chance)", f"({len(scored)} above)"
    subject = f"{within[0]} adds" if len(within) == 1 else f"{len(within)} views add"
    return f"{subject} nothing (within chance)", f"{subject} nothing"


# Stability ----------------------------------------------------------------------------------------------------

KINDS = {
    "parts": (
        "Resample",
        "Whether every sample stays where it is when the picture is computed from random 80 % of them. Ten runs tell.",
    ),
    "noise": (
        "Add noise",
        "Whether every sample stays where it is when noise of a share of each view's spread is added. Ten runs tell.",
    ),
    "views": ("Drop a view", "Whether every sample stays where it is when one view is left out, each in turn."),
    "epsilon": ("Change ε", "Whether every sample stays where it is at .7 and 1.3 times every ε."),
}
"""The kind of change -> its name, and what running it will tell."""


def moved_words(stability: Stability) -> str:
    """The one number of a stability test, with its unit."""
    return f"Median displacement {in_percent(stability.number)} of the radius"


def stability_words(stability: Stability) -> str:
    """The one number of a stability test, in a sentence."""
    how = {
        "parts": "random parts of the samples",
        "noise": "noise in the views",
        "views": "one view left out",
        "epsilon": ".7 and 1.3 times every ε",
    }
    return (
        f"Median displacement of the samples over {counted(len(stability.ghosts), 'picture')} recomputed "
        f"({how[stability.kind]}), relative to the picture's rms radius: {in_percent(stability.number)}."
    )


def nmi_spreads(stability: Stability, nmi: Score | None) -> list[str]:
    """Both spreads of a score, each named for what it is over."""
    texts = []
    if nmi is not None and nmi.spread is not None:
        texts.append(f"NMI {fraction(nmi.value)}, ± {fraction(nmi.spread)} over k-means seeds")
    scores = [float(value) for value in stability.scores if value == value]
    if len(scores) > 1:
        names = {"parts": "resamplings", "noise": "draws of noise", "views": "views left out", "epsilon": "values of ε"}
        over = names[stability.kind]
        mean, spread = fmean(scores), stdev(scores)
        name = stability.score_name
        name = name if name.startswith("k-NN") else f"{name[:1].upper()}{name[1:]}"
        texts.append(f"{name} {fraction(mean)}, ± {fraction(spread)} over {len(scores)} {over}")
    return texts


def overlay_words(stability: Stability, overlay: str) -> str:
    """A sentence on what lies on the picture, and for how many samples."""
    n = len(stability.spread)
    if overlay == "ellipses":
        which = f"the {MOST_ELLIPSES} largest of {n:,}" if n > MOST_ELLIPSES else "one a sample"
        return f"Ellipses of one standard deviation, {which}."
    total = sum(len(ghost.rows) for ghost in stability.ghosts)
    if overlay == "ghosts" and total > MOST_GHOSTS:
        return f"Ghosts of every {-(-total // MOST_GHOSTS)}th sample: where each picture puts it."
    return "Ghosts: where each picture puts a sample." if overlay == "ghosts" else ""


# The page -----------------------------------------------------------------------------------------------------


def reason_against(panel: PanelState, result: PanelResult) -> str:
    """Why a panel's picture cannot be computed anew; empty where it can."""
    if get_method(panel.method).shows_given:
        return "These coordinates were given, not computed: nothing can be shuffled. Choose another panel above."
    if result.result is not None and result.status != "failed":
        return ""
    if result.error is not None:
        return f"This panel has no picture to examine. {result.error.message} {result.error.hint}"
    return "This panel has no picture yet: wait until it is computed, or choose another panel above."


def shuffles(data: MultiView) -> dict[str, str]:
    """Ways to shuffle samples besides row by row -> their titles; each column that names bursts is one."""
    named = {
        f"bursts:{name}": f"Bursts: {name}"
        for name, values in data.columns.items()
        if values.dtype.kind in "OUSiub" and 2 <= len(set(values.tolist())) <= len(values) // 2
    }
    return {"circular": "Circular", **named}
