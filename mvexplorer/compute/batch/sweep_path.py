"""The cells of a sweep: how each is computed, in which order, and from where its solver starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mvexplorer.compute.jobs.jobs import ScoreJob, Unlabelled
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import (
    Hidden,
    Result,
    Scores,
    anchors_for,
    bare,
    keep_as_anchor,
    nearby,
    run_request,
    used_epsilon,
)
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.choosing import is_torn
from mvexplorer.engine.analysis.rerun import RerunPicture
from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.engine.analysis.stability import FACTORS, moves_with_epsilon
from mvexplorer.engine.api.cost import NOTHING, Estimate
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.neighbours import Indices
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import MVExplorerError

STARTS = 2
"""Former answers from which a solver starts."""


@dataclass(frozen=True)
class Swept:
    """One cell of a sweep: the scores, and the views and ε that they belong to.

    `epsilon` is as `used_epsilon` names it: the ε of each view that has one, or of all together. `start` is as much of
    the answer as the next cell's solver can start from, None where the method starts anew; `result` can be drawn, None
    where nobody wants to.
    """

    scores: Scores
    views: tuple[str, ...]
    epsilon: Mapping[str, float]
    start: Embedding | None = None
    result: Result | None = None
    torn: bool = False
    """Whether the walk falls into pieces."""


@dataclass(frozen=True)
class SweepPath(Job):
    """Some cells of one method on the same samples, in order along an axis.

    Each starts from its request's former answers, else from those of the cells before it, else from anchors, and
    becomes an anchor; all answers are exact. The kernels and distances come from the cache, which methods side by side
    share.
    """

    requests: tuple[Request, ...]
    hidden: Hidden | None = None
    labelled: bool = True
    """Whether the classes are scored."""
    whole: bool = True
    """Whether these are the samples of the document, whose drags can start from the answers."""
    drawn: bool = False
    """Whether the answers are to be drawn."""
    alone: bool = False
    """Whether it starts from no other path's answers, and leaves none behind: then they are the same wherever it runs.
    """
    home: int | None = None
    views: tuple[str, ...] = ()
    """The views by whose neighbours the pictures are scored."""
    metrics: tuple[tuple[str, str], ...] = ()
    """By which metric samples are neighbours in a view, where that is not the Euclidean."""
    stability: bool = False
    """Whether each picture is computed at .7 and 1.3 times every ε as well, to tell how far samples move."""

    def run(self, cache: StageCache, task: Task) -> tuple[Swept | MVExplorerError, ...]:
        """Compute the embeddings and score them; a cell that fails says why, and the others go on.

        Each cell is handed over with its place as soon as it is known, except where there is only one: that is the
        answer, and may be a picture.
        """
        cells: list[Swept | MVExplorerError] = []
        for place, cell in enumerate(self.cells(cache, task)):
            cells.append(cell)
            if len(self.requests) > 1:
                task.hand_over((place, cell))
        return tuple(cells)

    def cells(self, cache: StageCache, task: Task) -> Iterator[Swept | MVExplorerError]:
        """Yield the cells in order, each once it is computed."""
        before: tuple[Embedding, ...] = ()
        for request in self.requests:
            cell = self._cell(request if request.start else replace(request, start=before), cache, task)
            if isinstance(cell, Swept):
                before = before if cell.start is None else (*before, cell.start)[-STARTS:]
                cell = replace(cell, start=None) if self.alone else cell
            yield cell

    @property
    def title(self) -> str:
        """The method's title."""
        return get_method(self.requests[0].method).title

    def cost(self, memory: float) -> Estimate:
        """The memory of the largest cell, and the time of all."""
        each = [request.plan.cost(memory) for request in self.requests]
        largest = max(each, key=lambda cost: cost.bytes, default=NOTHING)
        pictures = 1 + len(FACTORS) if self.stability else 1
        return replace(largest, seconds=sum(cost.seconds for cost in each) * pictures)

    def _cell(self, request: Request, cache: StageCache, task: Task) -> Swept | MVExplorerError:
        try:
            return self._scored(request, cache, task)
        except MVExplorerError as error:
            return error

    def _scored(self, request: Request, cache: StageCache, task: Task) -> Swept:
        labels = request.data.labels if self.labelled else None
        anchored = not (request.start or self.alone)
        started = replace(request, start=anchors_for(request, cache)) if anchored else request
        result = run_request(started, cache, task)
        answer = result.embedding
        if self.whole and not self.alone:
            keep_as_anchor(request, answer, cache, task)
        free = Unlabelled.of(request.data, self.views, self.metrics) if self.views else None
        score = ScoreJob(answer, labels if scorable(labels) else None, self.hidden, free).run(cache, task)
        if self.stability:
            score = replace(score, stability=self._stability(request, answer, cache, task))
        kept = replace(result, request=request, embedding=bare(answer))
        drawn = kept if self.drawn else None
        return Swept(score, answer.views, used_epsilon(answer), _start(answer), drawn, is_torn(answer))

    def _stability(self, request: Request, answer: Embedding, cache: StageCache, task: Task) -> Score | None:
        """How far samples move with ε; None where it has no effect, or there is no picture at one of the others."""
        if not request.varies_with_epsilon:
            return None
        try:
            others = [run_request(r, cache, task).embedding for r in nearby(replace(request, start=(answer,)))]
        except MVExplorerError:
            return None
        return moves_with_epsilon(RerunPicture.of(answer), [RerunPicture.of(other) for other in others])


@dataclass(frozen=True)
class Resample(Job):
    """A path on a random part of the samples, which is drawn where it runs: the data travels once, and whole."""

    path: SweepPath
    number: int
    """From 1 on."""
    home: int | None = None

    def run(self, cache: StageCache, task: Task) -> tuple[Swept | MVExplorerError, ...]:
        """Draw the part, and compute the path on it."""
        of_all, hidden = self.path.requests, self.path.hidden
        data = of_all[0].data
        rows = resampled_rows(data.n_samples, self.number)
        part = data.take(rows)
        requests = tuple(request.on(part) for request in of_all)
        path = replace(self.path, requests=requests, hidden=hidden and hidden.take(rows), whole=False)
        return path.run(cache, task)

    @property
    def title(self) -> str:
        """The method's title, and which part of the samples."""
        return f"{self.path.title}, random part {self.number}"

    def cost(self, memory: float) -> Estimate:
        """That of all samples, which is a little more."""
        return self.path.cost(memory)


def resampled_rows(n_samples: int, number: int) -> Indices:
    """The samples of a resampling; `number` is from 1 on."""
    share = 0.8
    return random_rows(n_samples, int(share * n_samples), number - 1)


def _start(answer: Embedding) -> Embedding | None:
    """The part of a former answer that a solver needs: eigenvalues, and the vectors that it carried."""
    solved = answer.decomposition
    if solved is None or not get_method(answer.method).warm_starts:
        return None
    nothing = np.empty((len(answer.coordinates), 0))
    return replace(
        answer, coordinates=nothing, view_coordinates=(), decomposition=replace(solved, blocks=()), known=None
    )


def coarse_to_fine(count: int) -> list[int]:
    """The indices 0 to count - 1: both ends, the middle, and then ever finer parts of the whole."""
    places: dict[int, None] = {}
    for level in range(count.bit_length() + 1):
        places |= dict.fromkeys(round(i * (count - 1) / 2**level) for i in range(2**level + 1))
    return list(places)


def starts_near(place: int, count: int, cells: Mapping[int, Swept]) -> tuple[Embedding, ...]:
    """The answers from which the cell at a place of a path of `count` starts: the nearest ones, the nearest last."""
    reach = 0.25  # part of the axis beyond which an answer tells nothing about another one
    near = [at for at in cells if abs(at - place) <= reach * count and cells[at].start is not None]
    nearest = sorted(near, key=lambda at: (abs(at - place), at))[:STARTS]
    return tuple(start for at in reversed(nearest) if (start := cells[at].start) is not None)
