"""When two snapshots are compared over the panels: goes to B, has A computed, and follows what the panels show."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.bench.headless import ComputedPanels
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels, SnapshotsJob
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.snapshot_commands import state_of
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.ui.panels.grid import PanelGrid
from mvexplorer.ui.window.two.overlay import SnapshotOverlay
from mvexplorer.ui.window.two.pairs import Pair, partners

SLOT = "two snapshots"


class TwoSnapshots:
    """Opens and leaves the overlay. The panels below show B, and stay the window's own."""

    def __init__(self, workbench: Workbench, library: Library, grid: PanelGrid, messages: QWidget) -> None:
        self._workbench, self._grid = workbench, grid
        self._document, self._controller, self._walk = workbench.document, workbench.controller, workbench.walk
        self.overlay = SnapshotOverlay(grid, messages)
        self.overlay.left.connect(self.leave)
        self._pair = ("", "")
        self._opening = ""
        """How the two are compared once B is on show."""
        self._former: ComputedPanels | None = None
        self._walk.comparison_wanted.connect(lambda how, pair: workbench.editor.attempt(lambda: self.open(how, *pair)))
        self._walk.changed.connect(self._follow_walk)
        self._document.changed.connect(self._follow)
        self._controller.panel_changed.connect(self._renew)
        self._controller.cancelled.connect(lambda slot: self.leave() if slot == SLOT else None)
        library.returned.connect(lambda _: self._arrived())

    @property
    def active(self) -> bool:
        """Whether the overlay is there."""
        return self.overlay.isVisible()

    def open(self, how: str, a: str, b: str) -> None:
        """Compare two snapshots. ParameterError where there are no panels that could show them."""
        if self._document.state.multiples.shown:
            raise ParameterError("Two snapshots are compared on the panels.", "Close the small multiples first (M).")
        self.leave()
        self._opening, self._pair = how, (a, b)
        if self._walk.at == b and self._is_shown(b):
            self._arrived()
        else:
            self._walk.go(b)

    def toggle(self, how: str) -> None:
        """Compare the two that were shown last, in another way, or no longer."""
        if not self.active:
            self._workbench.editor.attempt(lambda: self._walk.compare(how, marked=False))
        elif self.overlay.how == how:
            self.leave()
        else:
            self.overlay.compare_by(how)

    def leave(self) -> bool:
        """Show the panels alone; False if they were alone."""
        self._opening = ""
        if not self.active:
            return False
        self._former = None
        self.overlay.leave()
        self._controller.background.cancel(SLOT)
        return True

    def _is_shown(self, name: str) -> bool:
        snapshot = self._document.state.snapshots.find(name)
        try:
            return snapshot is not None and state_of(snapshot, self._document.state) == self._document.state
        except MVExplorerError:
            return False

    def _arrived(self) -> None:
        """B is on show: have A computed."""
        how, self._opening = self._opening, ""
        data = self._document.data
        if not how or data is None or self._walk.at != self._pair[1]:
            return
        self._former = None
        self.overlay.animates = self._workbench.settings.animate
        self.overlay.open(how, self._pair)
        job = SnapshotsJob(self._document.state, data, self._pair[:1])
        self._controller.background.submit(SLOT, job, self._computed, title=f"Snapshot {self._pair[0]}")

    def _computed(self, outcome: Outcome) -> None:
        if not self.active:
            return
        first: SnapshotPanels | None = None if outcome.error is not None else outcome.value[0]
        if first is None or first.panels is None:
            self.leave()
            problem = outcome.error if first is None else ParameterError(first.problem, "The snapshot stays as it is.")
            if problem is not None:
                self._workbench.editor.failed.emit(problem)
            return
        self._former = first.panels
        self._pair_all()

    def _pair_all(self) -> None:
        former, data, state = self._former, self._document.data, self._document.state
        if former is None or data is None:
            return
        same = former.data.sample_ids == data.sample_ids
        twins, pairs = partners(former.state, state), dict[str, Pair]()
        for id, panel in self._grid.panels.items():
            pairs[id] = self.overlay.pairs.get(id) or Pair(panel.canvas)
            pairs[id].use(former, twins.get(id), self._controller.result(id), same)
        used = {panel.id for panel in twins.values()}
        titles = panel_titles(former.state)
        self.overlay.show_pairs(pairs, [titles[each.id] for each in former.state.shown if each.id not in used])

    def _renew(self, id: str) -> None:
        """A panel shows another picture: lay the former one onto that."""
        if self.active and self._former is not None:
            self._pair_all()

    def _follow_walk(self) -> None:
        """Leave when the user goes to another snapshot, or one of the two is gone."""
        if self.active and (self._walk.at != self._pair[1] or not set(self._pair) <= set(self._walk.names)):
            self.leave()

    def _follow(self, change: Change) -> None:
        if not self.active:
            return
        dropped = change.data_changed and self._former is None  # jobs about former data are not answered
        if change.samples_changed or change.after.multiples.shown or dropped:
            self.leave()
        elif change.before.panels != change.after.panels:
            self._pair_all()
