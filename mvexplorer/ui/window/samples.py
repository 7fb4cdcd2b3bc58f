"""The table of samples, and the charts of their columns, in the window: kept up to date while they are shown."""

from __future__ import annotations

from PySide6.QtCore import QObject

from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.pages.page import Soon
from mvexplorer.ui.samples.beside import ChartsBeside
from mvexplorer.ui.samples.page import SamplesPage
from mvexplorer.ui.window.hover import Hover
from mvexplorer.ui.window.layout import WindowLayout


class SamplesOnShow(QObject):
    """Neither is part of the document: undo, sessions and snapshots leave them as they are."""

    def __init__(self, workbench: Workbench, docks: WindowLayout, hover: Hover) -> None:
        super().__init__(docks)
        self._bench, self._docks, self._hover = workbench, docks, hover
        self.table, self.charts = workbench.samples, workbench.charts
        self.soon = Soon(docks, milliseconds=80, do=self._refresh)
        workbench.document.changed.connect(self._follow)
        workbench.controller.panel_changed.connect(lambda _: self._ask())
        workbench.derived.changed.connect(lambda _: self._ask())

    @property
    def idle(self) -> bool:
        """True if nothing on show is out of date."""
        return not self.soon.isActive()

    @property
    def on_show(self) -> bool:
        """Whether the table or the charts are wanted."""
        return self._docks.show_samples or self._docks.show_charts

    def toggle_table(self) -> None:
        """Show the table in the panels' place, or the panels again."""
        if self._docks.show_samples:
            self.leave()
            return
        if self._bench.document.state.multiples.shown:
            self._bench.editor.change_multiples("Close small multiples", shown=False)
        self.table.refresh()
        if self._docks.samples is None:
            page = SamplesPage(self.table, self._bench.editor)
            page.left.connect(self.leave)
            page.ringed.connect(self._ring)
            self._docks.add_samples(page)
        self._docks.show_samples = True
        self._docks.arrange()
        if (shown := self._docks.samples) is not None:
            shown.show_rows()
            shown.view.setFocus()

    def leave(self) -> None:
        """Show the panels again."""
        self._docks.show_samples = False
        self._docks.arrange()

    def toggle_charts(self) -> None:
        """Show the charts beside the legend, or hide them."""
        self.table.refresh()
        if self._docks.charts is None:
            column = ChartsBeside(self.charts)
            column.left.connect(self.toggle_charts)
            self._docks.add_charts(column)
        self._docks.show_charts = not self._docks.show_charts
        self._docks.arrange()
        if self._docks.show_charts and (shown := self._docks.charts) is not None:
            shown.area.canvas.setFocus()

    def close_both(self) -> None:
        """Hide table and charts."""
        self._docks.show_charts = False
        self.leave()

    def apply_theme(self) -> None:
        """Draw in the theme's colours and size."""
        for part in (self._docks.samples, self._docks.charts):
            if part is not None:
                part.apply_theme()

    def _ring(self, sample: int) -> None:
        self._docks.grid.mark(sample)
        self._hover.pin(sample)

    # Following ----------------------------------------------------------------------------------------------

    def _follow(self, change: Change) -> None:
        if change.after.multiples.shown and not change.before.multiples.shown and self._docks.show_samples:
            self.leave()
        self.charts.follow(change)
        if not self.on_show:
            if change.data_changed and self.table.columns:
                self.table.forget()
            return
        if not change.data_changed and change.before.selection is not change.after.selection:
            self.table.follow_selection()
        if not change.interactive:
            self._ask()

    def _ask(self) -> None:
        if self.on_show:
            self.soon.ask()

    def _refresh(self) -> None:
        before = self.table.columns
        self.table.refresh()
        if self.table.columns != before:
            self.charts.changed.emit()
