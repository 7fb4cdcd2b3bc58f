"""Bandwidths chosen by a score of the picture: one view's after another, or one factor on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mvexplorer.compute.batch.sweep_path import SweepPath, Swept
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import Hidden, Scores
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.choosing import HARDLY, BestPlace, Tried, Why, best_place
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.plan import NO_EFFECT
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.bandwidth.table import Bandwidth, get_rule
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.metrics import LOWER_IS_BETTER, Score
from mvexplorer.engine.pipeline.view_kernel import median_of
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.wording import number

FACTORS = tuple(10.0 ** (step / 4) for step in range(-6, 3))
"""The places tried: .03 to 3.2 times the median of a view, or the ε that a picture has."""
AS_IT_IS = FACTORS.index(1.0)


@dataclass(frozen=True, eq=False)
class Judge:
    """The score by which pictures are compared: its id, its title, and what it needs."""

    score: str
    title: str
    hidden: Hidden | None = None
    labelled: bool = False
    views: tuple[str, ...] = ()
    truth: tuple[bool, Hidden | None] = (False, None)
    """Whether there are classes, and the hidden variable: by which the picture at the shared ε is scored as well."""

    @property
    def lowest(self) -> bool:
        """Whether the lowest value is best."""
        return self.score in LOWER_IS_BETTER

    @property
    def basis(self) -> str:
        """Say by which score is chosen, and whether that looks at labels or a latent."""
        if self.labelled:
            return f"by {self.title}; labels were used"
        return f"by {self.title}; {'the latent was used' if self.hidden is not None else 'labels were not used'}"

    def path(self, requests: Sequence[Request]) -> SweepPath:
        """The path along which these pictures are made and scored."""
        stability = self.score == "stability"
        return SweepPath(tuple(requests), self.hidden, self.labelled, alone=True, views=self.views, stability=stability)

    def whole(self, request: Request) -> SweepPath:
        """The path of one picture with all its scores."""
        labelled, hidden = self.truth
        return replace(self.path([request]), labelled=labelled or self.labelled, hidden=self.hidden or hidden)

    def check(self, method: str, cells: Sequence[Swept | MVExplorerError]) -> None:
        """Raise the first error where there is no picture, and ParameterError where none has this score."""
        pictures = [cell for cell in cells if isinstance(cell, Swept)]
        if not pictures:
            raise next(cell for cell in cells if isinstance(cell, MVExplorerError))
        if not any(self.score in cell.scores.each() for cell in pictures):
            raise ParameterError(f"{method} has no {self.title}.", "Choose by another score.")

    def tried(self, place: float, cell: Swept | MVExplorerError) -> Tried:
        """Return a place with its score."""
        if isinstance(cell, MVExplorerError):
            return Tried(place, None)
        return Tried(place, cell.scores.each().get(self.score), cell.torn)


@dataclass(frozen=True)
class TuneStep:
    """One view's ε tuned: its value before, the one chosen, the picture's scores there, and why.

    A score is None where there is no picture. `tried` are all places, ascending.
    """

    view: str
    former: float
    epsilon: float
    before: Score | None
    after: Score | None
    spread: float | None
    why: Why
    title: str
    tried: tuple[Tried, ...] = ()
    given: float | str = 0.0
    """The same as `embed` takes it: the number, or of a rule that weighs features a multiple of the rule."""

    @property
    def sentence(self) -> str:
        """Say how its ε changed, and why."""
        was, title = number(self.former), self.title
        if self.why == "nowhere":
            return f"{self.view} stays at ε {was}: at every ε tried the graph is in pieces, or there is no picture."
        if self.why == "within":
            score = f"({title} {score_text(self.before, self.spread)})"
            if self.spread is None:
                return f"{self.view} stays at ε {was}: the spread of its {title} is not known {score}."
            return f"{self.view} stays at ε {was}, as good as the best tried {score}: no need to move."
        moved = f"{self.view}: ε {was} → {number(self.epsilon)}"
        if self.why == "torn":
            best = f"of the others this is best ({title} {score_text(self.after)})"
            if self.before is None:
                return f"{moved}: before, there was no picture; {best}."
            torn = f"an eigenvalue exceeded .999 as in a graph in pieces ({score_text(self.before)})"
            return f"{moved}: before, {torn}; {best}."
        return f"{moved}: {title} {score_text(self.before)} → {score_text(self.after, self.spread)}."


def score_text(score: Score | None, spread: float | None = None) -> str:
    """A score, with its spread and as many digits as that has."""
    if score is None:
        return "–"
    value = _short(f"{score.value:.3f}")
    return f"{value} ± {_short(number(spread, 1))}" if spread else value


def _short(text: str) -> str:
    """A number without its leading zero, and with a true minus."""
    sign, digits = ("−", text[1:]) if text[0] in "-−" else ("", text)
    return sign + (digits[1:] if digits.startswith("0.") else digits)


@dataclass(frozen=True)
class TuneJob(Job):
    """Each view's ε in turn to the best of a score; the others stay meanwhile.

    Each step is handed over as it is known. The ε tried are nine around the view's median, and the one it has.
    """

    request: Request
    judge: Judge

    def run(self, cache: StageCache, task: Task) -> tuple[TuneStep, ...]:
        """Tune the views in their order."""
        request, planned = self.request, self.request.plan
        stages = prepare(planned, request.data, EmbedOptions(task, cache.memo(task), request.random_state))
        views, steps = tunable(request), list[TuneStep]()
        (cell,) = self.judge.path([request]).cells(cache, task)
        for place, i in enumerate(views):
            present, median = float(stages.epsilon[i]), median_of(stages.subsample(), i)
            wanted = sorted((present, *_apart([median * factor for factor in FACTORS], present)))
            start = wanted.index(present)
            there = [at(request, i, present, epsilon) for epsilon in wanted]
            cells_beside = list[Swept | MVExplorerError]()
            for one in self.judge.path([*there[:start], *there[start + 1 :]]).cells(cache, task):
                cells_beside.append(one)
                task.progress((place + len(cells_beside) / (len(wanted) - 1)) / len(views))
            cells = [*cells_beside[:start], cell, *cells_beside[start:]]
            self.judge.check(planned.method.title, [cell, *cells_beside])
            tried = tuple(self.judge.tried(epsilon, one) for epsilon, one in zip(wanted, cells, strict=True))
            choice = best_place(tried, start, lowest=self.judge.lowest, least=HARDLY)
            request, cell = there[choice.index], cells[choice.index]
            weighed = stages.data.feature_weights[stages.views[i]] is not request.data.feature_weights[stages.views[i]]
            given = request.epsilon[i].given if weighed else tried[choice.index].place
            steps.append(replace(self._step(i, tried, start, choice), given=given))
            task.hand_over(steps[-1])
        return tuple(steps)

    def _step(self, i: int, tried: tuple[Tried, ...], start: int, choice: BestPlace) -> TuneStep:
        before, after = tried[start], tried[choice.index]
        return TuneStep(
            self.request.views[i],
            before.place,
            after.place,
            before.score,
            None if choice.why == "nowhere" else after.score,
            choice.spread,
            choice.why,
            self.judge.title,
            tried,
        )

    @property
    def title(self) -> str:
        """The words in the task list."""
        return f"Tune each ε in turn: {self.request.plan.method.title}"

    def cost(self, memory: float) -> Estimate:
        """The memory of one picture, and the time of all."""
        each = self.request.plan.cost(memory)
        return replace(each, seconds=each.seconds * (1 + len(FACTORS) * len(tunable(self.request))))


@dataclass(frozen=True)
class OwnScale:
    """The factor on every ε that one picture has for its own, its scores at the shared ε and there, and why.

    A score is None where there is no picture. `tried` are all places, ascending.
    """

    factor: float
    shared: Score | None
    own: Score | None
    spread: float | None
    why: Why
    tried: tuple[Tried, ...] = ()
    scores: Scores | None = None
    """All scores of the picture at the shared ε."""


@dataclass(frozen=True)
class OwnScaleJob(Job):
    """The factor on every ε of one picture at which a score is best, among nine around the ε it has."""

    request: Request
    judge: Judge

    def run(self, cache: StageCache, task: Task) -> OwnScale:
        """Score the picture along the factors, and choose one."""
        (at_shared,) = self.judge.whole(self.request).cells(cache, task)
        others = [factor for factor in FACTORS if factor != 1.0]
        cells_beside = list[Swept | MVExplorerError]()
        for cell in self.judge.path([self.request.scaled(factor) for factor in others]).cells(cache, task):
            cells_beside.append(cell)
            task.progress((1 + len(cells_beside)) / len(FACTORS))
        self.judge.check(self.request.plan.method.title, [at_shared, *cells_beside])
        cells = [*cells_beside[:AS_IT_IS], at_shared, *cells_beside[AS_IT_IS:]]
        tried = tuple(self.judge.tried(factor, cell) for factor, cell in zip(FACTORS, cells, strict=True))
        choice = best_place(tried, AS_IT_IS, lowest=self.judge.lowest, least=HARDLY)
        shared, own = tried[AS_IT_IS], tried[choice.index]
        scores = at_shared.scores if isinstance(at_shared, Swept) else None
        return OwnScale(own.place, shared.score, own.score, choice.spread, choice.why, tried, scores)

    @property
    def title(self) -> str:
        """The words in the task list."""
        return f"{self.request.plan.method.title} at its own ε"

    def cost(self, memory: float) -> Estimate:
        """The memory of one picture, and the time of all."""
        each = self.request.plan.cost(memory)
        return replace(each, seconds=each.seconds * len(FACTORS))


def tunable(request: Request) -> tuple[int, ...]:
    """The places of those views of a request whose ε has an effect."""
    planned = request.plan
    return tuple(i for i, bandwidth in enumerate(planned.epsilon[: planned.n_used]) if bandwidth != NO_EFFECT)


def at(request: Request, i: int, present: float, epsilon: float) -> Request:
    """A request with another ε of its i-th view; a rule that weighs features keeps its weights."""
    given, each = request.plan.epsilon[i], list(request.plan.epsilon)
    weighs = given.rule is not None and get_rule(given.rule).weigh is not None
    if epsilon != present:
        each[i] = replace(given, factor=given.factor * epsilon / present) if weighs else Bandwidth(epsilon)
    return replace(request, plan=replace(request.plan, epsilon=tuple(each)))


def _apart(places: Sequence[float], present: float) -> list[float]:
    """Those ε that are not nearly the present one; to four digits, as a slider has them."""
    near = 0.02
    rounded = [float(f"{place:.4g}") for place in places]
    return [place for place in rounded if abs(np.log(place / present)) > near]
