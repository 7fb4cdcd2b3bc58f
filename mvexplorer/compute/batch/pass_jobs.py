"""Passes over very many samples as jobs: spans of rows, wherever there are workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mvexplorer.compute.batch.gathering import gather
from mvexplorer.compute.remote.remote import Workers
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.block_pass import BlockPass, Sums
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.three_passes import Carry


@dataclass(frozen=True, eq=False)
class SpanJob(Job):
    """One pass over consecutive rows of some views of the data."""

    step: BlockPass
    data: MultiView
    views: tuple[int, ...]
    span: slice

    def run(self, cache: StageCache, task: Task) -> Sums:
        """Sum up block by block; nothing is cached."""
        return self.step.over([self.data.Xs[i] for i in self.views], self.span, lambda _: task.checkpoint())


def on_workers(workers: Workers, stages: Stages) -> Carry:
    """The way that carries out passes over the data of `stages` by workers, until its task is cancelled.

    Sums are added in the order of the rows, whichever came first.
    """

    def carry(step: BlockPass, tables: Sequence[Array], spans: Sequence[slice]) -> Iterator[Sums]:
        return gather(workers, [SpanJob(step, stages.data, stages.views, span) for span in spans], stages.task)

    return carry
