"""Where is the tear? Gaps that only one of two views has, found by the difference of their walks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from mvexplorer.engine.analysis.between_views import differing_share
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.methods.difference import MATCH_REACH
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult, ShownPanel, Source, Turn
from mvexplorer.experiments.figures import curve, plot
from mvexplorer.experiments.measures import area_under_roc
from mvexplorer.experiments.repetitions import Run
from mvexplorer.state.pictures.panel_result import Picture

GAPS = (0.35, 0.65)
"""Places u of the gap in the first and in the second roll."""
EPSILON = "median*0.01"
NEAR = 0.02
"""So far from a gap in u are samples that lie at it."""
BINS = 20


def measure(run: Run) -> ExperimentResult:
    """Measure where both ends of the spectrum sit, and how different a view looks from itself at twice its ε."""
    each = np.array(run.each("places", run.seeds(3, 15), partial(_places_and_sizes, run)))
    minus, plus, at_gaps, views, matched, unmatched = np.median(each, axis=0)
    data = SOURCE.load()
    e = _picture(data, run)
    u = data.latent["u"]
    curves = [curve(name, _centres(), _energy(e, sign, u)) for name, sign in ((PLUS, 1.0), (MINUS, -1.0))]
    return ExperimentResult(
        (
            *_bars(plus, minus),
            Bar(
                "area under the ROC curve of samples at a gap by the share of their steps that differs",
                float(at_gaps),
                at_least=0.95,
            ),
            Bar("largest |w| of the two rolls", float(views), at_least=0.4, at_most=1.0),
            Bar("largest |w| of a roll and itself at 2ε, reach matched", float(matched), at_most=0.02),
            Bar("the same without matching", float(unmatched), at_least=0.1),
        ),
        (
            plot("Where the leaders sit", "u along the roll", "share of v²", curves, limits=(0.0, 1.0)),
            plot(
                "Where steps differ",
                "u along the roll",
                "share of a step",
                [curve("both rolls", _centres(), _mean(_shares(data, e, run), u))],
            ),
        ),
    )


PLUS, MINUS = "+ kept by the first roll", "− kept by the second roll"


def live(data: MultiView, seen: Sequence[Picture]) -> tuple[Bar, ...]:
    """The same of what the first panel shows, at the ε that it has."""
    e = seen[0].embedding
    return _bars(*(_place(e, sign, data.latent["u"]) for sign in (1.0, -1.0)))


def _bars(plus: float, minus: float) -> tuple[Bar, ...]:
    return (
        Bar("+ leader: distance of its place from the gap of the first roll", abs(plus - GAPS[0]), at_most=0.02),
        Bar("− leader: distance of its place from the gap of the second roll", abs(minus - GAPS[1]), at_most=0.02),
    )


def _picture(data: MultiView, run: Run) -> Embedding:
    return embed(data, "difference", epsilon=EPSILON, n_components=8, task=run.task)


def _leader(e: Embedding, sign: float) -> Array:
    """The squared first vector (M,) of one end of the spectrum, of sum 1; nothing where it has none."""
    there = np.flatnonzero(np.sign(e.eigenvalues[: e.coordinates.shape[1]]) == sign)
    if not len(there):
        return np.full(len(e.coordinates), np.nan)
    squares = np.square(e.coordinates[:, there[0]])
    return np.asarray(squares / squares.sum())


def _place(e: Embedding, sign: float, u: Array) -> float:
    return float(_leader(e, sign) @ u)


def _places_and_sizes(run: Run, seed: int) -> list[float]:
    data = SOURCE.load(random_state=seed)
    e, u = _picture(data, run), data.latent["u"]
    roll = data.Xs[0]
    twice = MultiView({"roll": roll, "wider": roll / np.sqrt(2.0)})
    epsilon = {"roll": e.epsilon[0], "wider": e.epsilon[0]}
    itself = [
        embed(twice, "difference", epsilon=epsilon, match_reach=on, task=run.task).eigenvalues[0]
        for on in (True, False)
    ]
    at_gaps = np.abs(u[:, None] - GAPS).min(axis=1) < NEAR
    shares = _shares(data, e, run)
    apart = area_under_roc(shares[at_gaps], shares[~at_gaps])
    return [_place(e, -1.0, u), _place(e, 1.0, u), apart, *(abs(w) for w in (e.eigenvalues[0], *itself))]


def _shares(data: MultiView, e: Embedding, run: Run) -> Array:
    """The share (M,) of each sample's step that the two rolls make to different samples, at the picture's ε."""
    return differing_share(Stages(data, (0, 1), e.epsilon, {MATCH_REACH.name: True}, task=run.task))


def _centres() -> Array:
    return np.asarray((np.arange(BINS) + 0.5) / BINS)


def _energy(e: Embedding, sign: float, u: Array) -> Array:
    return np.asarray(np.histogram(u, bins=BINS, range=(0.0, 1.0), weights=_leader(e, sign))[0])


def _mean(values: Array, u: Array) -> Array:
    number, total = (np.histogram(u, bins=BINS, range=(0.0, 1.0), weights=weights)[0] for weights in (None, values))
    return np.asarray(total / number)


SOURCE = Source(generator="make_gap_rolls")
EXPERIMENT = Experiment(
    id="own-where-is-the-tear",
    paper=None,
    figure="where views differ",
    kind="ours",
    title="Where is the tear?",
    caption="Two rolls of the same samples, torn at different places, and the two ends of the spectrum of the "
    "difference of their walks; how the first vector of each end is spread along the roll, and which share of a step "
    "the two make to different samples. Beside it how different a roll looks from itself at twice its ε, with the "
    "reach matched and without.",
    look_for="One end sits at the gap of the first roll, which the second one joins, the other at the gap of the "
    "second. Steps differ at the gaps, and hardly elsewhere.",
    source=SOURCE,
    panels=(
        ShownPanel("difference"),
        ShownPanel("single", "roll1"),
        ShownPanel("single", "roll2"),
        ShownPanel("kernel-sum"),
    ),
    epsilon=EPSILON,
    colour="difference:0:1",
    measure=measure,
    live=live,
    quick_seconds=5.0,
    knob="Drag the factor on all ε: the torn places light up while steps are short.",
    turns=(Turn("ε = median/100", epsilon=EPSILON), Turn("ε = median/3", epsilon="median/3")),
)
