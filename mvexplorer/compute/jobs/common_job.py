"""Jobs about the views of a picture: what every two of them share beyond chance, and where two of them differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.between_views import commutator, differing_share
from mvexplorer.engine.analysis.common import MOST_SAMPLES, RUNS, InCommon, in_common
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.api.preparing import EmbedOptions, prepare, solved_on
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.shuffles import Shuffle, circular_shifts, order_maker
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.sampling import random_rows
from mvexplorer.engine.methods.difference import doubly_stochastic
from mvexplorer.engine.pipeline.rearranged import kernel_among
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import median_of


@dataclass(frozen=True, eq=False)
class CommonJob(Job):
    """Every two views of a picture by their kernels in it, on at most 1,000 samples drawn at random.

    A method without ε has its views compared by Gaussian kernels at their median squared distances.
    """

    request: Request
    shuffle: Shuffle = "rows"

    def run(self, cache: StageCache, task: Task) -> InCommon:
        """Compute it; the kernels come from the cache."""
        request, seed = self.request, self.request.random_state
        plan = replace(request.plan, asked=request.plan.epsilon[: request.plan.n_used])
        options = EmbedOptions(task, cache.memo(task), seed)
        data, part = solved_on(plan, request.data, options)
        stages = _with_epsilons(prepare(plan, data, options))
        some = random_rows(data.n_samples, MOST_SAMPLES, seed)
        kernels = [kernel_among(stages, i, some) for i in range(stages.n_views)]
        order = order_maker(self.shuffle, request.data.n_samples, some if part is None else part[some], seed)
        n = max(RUNS, 20 * (stages.n_views - 1))  # so many can tell of any number of views
        if isinstance(self.shuffle, str) and self.shuffle == "circular":
            n = min(n, len(circular_shifts(len(some))))
        names = [stages.view_name(i) for i in range(stages.n_views)]
        return in_common(names, kernels, order, n, task)

    def cost(self, memory: float) -> Estimate:
        """The memory of the picture's own kernels."""
        return self.request.plan.cost(memory)


@dataclass(frozen=True, eq=False)
class DifferenceJob(Job):
    """The share (M,) of each sample's step that the walks of two views make to different samples."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it; the kernels come from the cache."""
        request = self.request
        return differing_share(
            prepare(request.plan, request.data, EmbedOptions(task, cache.memo(task), request.random_state))
        )


@dataclass(frozen=True, eq=False)
class CommutatorsJob(Job):
    """How far the walks of every two views of a picture are from commuting: (L, L), 0 on the diagonal."""

    request: Request

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it at the picture's ε; the kernels come from the cache."""
        request = self.request
        plan = replace(request.plan, asked=request.plan.epsilon[: request.plan.n_used])
        options = EmbedOptions(task, cache.memo(task), request.random_state)
        data, _ = solved_on(plan, request.data, options)
        walks = doubly_stochastic(_with_epsilons(prepare(plan, data, options)))
        apart = np.zeros((walks.n_views, walks.n_views))
        for i, j in combinations(range(walks.n_views), 2):
            task.checkpoint()
            apart[i, j] = apart[j, i] = commutator(walks, i, j)
        return apart


def _with_epsilons(stages: Stages) -> Stages:
    """The stages with a number for every ε: the median where the picture has none."""
    given = [
        epsilon if np.isfinite(epsilon) or not stages.kernels[i].kind.uses_epsilon else median_of(stages, i)
        for i, epsilon in enumerate(stages.epsilon)
    ]
    return stages.at(given)
