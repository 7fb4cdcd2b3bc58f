"""Jobs about several pictures: how far they agree, and where they do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.analysis.agreement import Agreement, agreement
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task


@dataclass(frozen=True, eq=False)
class DisagreementJob(Job):
    """The share of its k nearest neighbours that each sample has in one of two pictures (M, r) only."""

    first: Array
    second: Array
    k: int

    def run(self, cache: StageCache, task: Task) -> Array:
        """Compute it (M,); nothing is cached."""
        return agreement([self.first, self.second], self.k, task=task).disagreement(0, 1)


@dataclass(frozen=True, eq=False)
class AgreementJob(Job):
    """The agreement of all pictures: coordinates (M, r) by panel, None where a panel has none."""

    pictures: Mapping[str, Array | None]
    k: int

    def run(self, cache: StageCache, task: Task) -> Agreement:
        """Compute it; nothing is cached."""
        return agreement(self.pictures, self.k, task=task)
