"""Who stays: at a small ε most steps of a kernel product end where they began."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from mvexplorer.engine.analysis.panel_matrices import matrix_of
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.pipeline.stages import Memo, remember_once
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Turn
from mvexplorer.experiments.figures import cloud, curve, plot, tabled
from mvexplorer.experiments.lindenbaum2015.digits import nmi_now
from mvexplorer.experiments.own.uci import COORDINATES, FEW, UCI, digits_of, every_so_many, k_means_nmi
from mvexplorer.experiments.repetitions import Run
from mvexplorer.figures import Figure
from mvexplorer.state.pictures.panel_result import Picture
from mvexplorer.wording import fraction, in_percent

FACTORS = {"median/9": 1 / 9, "median/3": 1 / 3, "median": 1.0, "3*median": 3.0}
"""The four ε, as they are asked for, in medians."""
KEPT, LEFT_OUT = "self-loops kept", "without self-loops"


def measure(run: Run) -> ExperimentResult:
    """Measure at each ε how many steps of the product stay, and NMI with and without self-loops."""
    data = digits_of(run)
    kept, left_out, stays = np.array(run.each("scores", list(FACTORS), partial(_scored, run, data))).T
    gained, across = left_out - kept, np.array([*FACTORS.values()])
    smallest, _, _, largest = FACTORS
    rows = zip(FACTORS, stays, kept, left_out, strict=True)
    return ExperimentResult(
        (
            _gain(smallest, float(gained[0])),
            _gain("median/3", float(gained[1])),
            Bar(
                f"the same at ε = {largest}, where hardly a step stays", float(gained[-1]), at_least=-0.05, at_most=0.05
            ),
            _stay(smallest, float(stays[0])),
            Bar(f"the same at ε = {largest}", float(stays[-1]), at_most=0.1),
            Bar("its largest rise from one ε to the next", float(np.diff(stays).max()), at_most=0.0),
        ),
        (
            *(figure for rule in FACTORS for figure in _clouds(run, rule)),
            plot(
                "Known classes over ε",
                "ε in medians",
                "NMI",
                (curve(KEPT, across, kept), curve(LEFT_OUT, across, left_out)),
                log_across=True,
                limits=(0.0, 1.0),
            ),
            plot(
                "Steps that stay over ε",
                "ε in medians",
                "mean share",
                (curve("kernel product", across, stays),),
                log_across=True,
                limits=(0.0, 1.0),
            ),
            tabled(
                "NMI of the kernel product",
                ("ε", "steps that stay", KEPT, LEFT_OUT),
                tuple(
                    (rule, in_percent(float(share)), fraction(float(a)), fraction(float(b)))
                    for rule, share, a, b in rows
                ),
            ),
        ),
    )


def live(_: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the panels show, at the ε that they have."""
    if not (nmis := nmi_now(seen)):
        return ()
    return _gain("now", nmis[1] - nmis[0]), _stay("now", seen[0].embedding.info["steps_that_stay"])


def _gain(where: str, value: float) -> Bar:
    at = "now" if where == "now" else f"at ε = {where}"
    return Bar(f"NMI of the kernel product without self-loops less with them, {at}", value, at_least=0.15)


def _stay(where: str, value: float) -> Bar:
    at = "now" if where == "now" else f"at ε = {where}"
    return Bar(f"share of the steps that stay, {at}", value, at_least=0.5)


def _product(data: MultiView, rule: str, run: Run, memo: Memo, *, loops: bool) -> Embedding:
    own: dict[str, Any] = {} if loops else {"self_loops": False}
    return embed(data, "kernel-product", epsilon=rule, n_components=COORDINATES, memo=memo, task=run.task, **own)


def _scored(run: Run, data: MultiView, rule: str) -> list[float]:
    """NMI with and without self-loops, and the mean share of steps that stay where there are some."""
    memo = remember_once()
    both = [_product(data, rule, run, memo, loops=loops) for loops in (True, False)]
    return [*(k_means_nmi(picture.coordinates, data, run.task) for picture in both), both[0].info["steps_that_stay"]]


def _clouds(run: Run, rule: str) -> tuple[Figure, ...]:
    """The pictures of every fourth digit with and without self-loops, coloured by the share of its steps that stay."""
    data, memo = every_so_many(FEW), remember_once()
    kept, left_out = (_product(data, rule, run, memo, loops=loops) for loops in (True, False))
    stays = matrix_of(kept, "transition", task=run.task).values.diagonal()
    words = f"ε = {rule}, {in_percent(float(stays.mean()))} of the steps stay"
    return tuple(
        cloud(f"{words}: {name}", picture.coordinates[:, :2], stays, coloured_by="share of steps that stay")
        for name, picture in ((KEPT, kept), (LEFT_OUT, left_out))
    )


EXPERIMENT = Experiment(
    id="own-who-stays",
    paper=None,
    figure="steps that stay",
    kind="ours",
    title="Who stays?",
    caption="Handwritten digits, six views; the kernel product at four ε, with the self-loops that the paper keeps and "
    "without. NMI with the known digits on 12 coordinates; pictures coloured by the share of a sample’s steps that "
    "end where they began. Every fourth digit, in full all 2,000.",
    look_for="At a ninth of the median nearly every step stays, and the picture shows single samples. Without "
    "self-loops the same kernel finds the digits. At the median hardly a step stays, and both pictures are alike.",
    source=UCI,
    panels=(
        ShownPanel("kernel-product", pins={"n_components": COORDINATES}),
        ShownPanel("kernel-product", pins={"n_components": COORDINATES, "self_loops": False}),
    ),
    epsilon="median/9",
    colour="labels",
    measure=measure,
    live=live,
    quick_seconds=4.0,
    knob="Make ε larger: the share of steps that stay falls, and with it what leaving self-loops out gains.",
    turns=tuple(Turn(f"ε = {rule}", epsilon=rule) for rule in FACTORS),
)
