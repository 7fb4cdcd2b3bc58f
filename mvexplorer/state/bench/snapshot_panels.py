"""The panels of snapshots, computed without going there: for a contact sheet, a page, and the comparison of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.bench.headless import ComputedPanels, compute
from mvexplorer.state.bench.reopening import OpenSnapshotJob
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshot_commands import is_of_data, show_snapshot, state_of
from mvexplorer.state.document.snapshots import Snapshot
from mvexplorer.state.pictures.answers import unchanged
from mvexplorer.state.pictures.drawing import draw
from mvexplorer.state.pictures.panel_result import Drawing, PanelResult


@dataclass(frozen=True, eq=False)
class SnapshotPanels:
    """A snapshot with its panels as a click on it shows them, or the reason why it cannot be shown."""

    number: int
    """Its place in the order, from 1."""
    snapshot: Snapshot
    panels: ComputedPanels | None = None
    problem: str = ""
    """The sentences that tell why there are no panels: the data or a method is gone."""


def drawings_of(results: Mapping[str, PanelResult]) -> dict[str, Drawing]:
    """How the pictures of panels lie, by the panels' ids: those of snapshots are turned alike."""
    drawn = {id: result.drawing for id, result in results.items() if result.drawing.points is not None}
    return {id: replace(drawing, source=()) for id, drawing in drawn.items()}


@dataclass(frozen=True, eq=False)
class SnapshotsJob(Job):
    """Some of a document's snapshots to be computed, in their order.

    `fold` makes of each what is kept of it, on the worker's thread: of hundreds of snapshots the pictures themselves
    would not fit into memory. A snapshot of other data opens that anew. The answer is a tuple of what `fold` returns.
    """

    present: DocumentState
    data: MultiView
    names: tuple[str, ...]
    onto: Mapping[str, Drawing] = field(default_factory=dict)
    """How the present pictures lie (`drawings_of`): those of the same axes are turned as these, as in the window."""
    fold: Callable[[SnapshotPanels], Any] = unchanged

    def run(self, cache: StageCache, task: Task) -> tuple[Any, ...]:
        """Compute them one after the other."""
        return tuple(map(self.fold, self.each(cache, task)))

    def each(self, cache: StageCache, task: Task) -> Iterator[SnapshotPanels]:
        """Compute the next one when it is asked for."""
        opened, order = (self.present, self.data), self.present.snapshots.names
        for i, name in enumerate(self.names):
            task.progress(i / len(self.names))
            snapshot = self.present.snapshots.find(name)
            if snapshot is None:
                continue
            number = order.index(name) + 1
            try:
                opened = self._open(snapshot, *opened, cache, task)
                yield SnapshotPanels(number, snapshot, self._panels(*opened, cache, task))
            except MVExplorerError as error:
                yield SnapshotPanels(number, snapshot, problem=f"{error}")

    def _open(
        self, snapshot: Snapshot, former: DocumentState, data: MultiView, cache: StageCache, task: Task
    ) -> tuple[DocumentState, MultiView]:
        """The state and the data of a snapshot; what was opened last is not read again."""
        state = state_of(snapshot, self.present)
        for present, there in ((self.present, self.data), (former, data)):
            if is_of_data(state, present):
                document = Document()
                document.reset(present, there)
                show_snapshot(document, snapshot.name)
                assert document.data is not None
                return document.state, document.data
        return OpenSnapshotJob(snapshot.name, state).run(cache, task)

    def _panels(self, state: DocumentState, data: MultiView, cache: StageCache, task: Task) -> ComputedPanels:
        computed = compute(state, data, cache=cache, task=task)
        for panel in state.panels:
            result, former = computed.results[panel.id], self.onto.get(panel.id)
            if former is not None and result.result is not None:
                result.draw(former)
                draw(panel, result, how="similarity")
        return computed
