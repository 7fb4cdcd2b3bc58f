"""The parts of a running program: the document, what computes for it, and the user's preferences. It needs no Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psygnal import Signal

from mvexplorer.compute.run.scheduler import Post, call_directly
from mvexplorer.state.batches.check_record import CheckRecords
from mvexplorer.state.batches.checks import Checks
from mvexplorer.state.batches.common_structure import CommonStructure
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.batches.sweeper import Sweeper
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.batches.view_scores import ViewScores
from mvexplorer.state.bench.check_list import CheckList
from mvexplorer.state.bench.epsilon_advice import EpsilonAdvice
from mvexplorer.state.bench.snapshot_walk import SnapshotWalk
from mvexplorer.state.colourings.derived import Derived
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.pictures.anchors import Anchors
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.player import Player
from mvexplorer.state.questions.bandwidth_analyser import BandwidthAnalyser
from mvexplorer.state.questions.comparer import Comparer
from mvexplorer.state.questions.diagnostics import Diagnostics
from mvexplorer.state.questions.inspector import Inspector
from mvexplorer.state.questions.neighbour_table import NeighbourTable
from mvexplorer.state.questions.prepared_spectrum import PreparedSpectrum
from mvexplorer.state.questions.separator import Separator
from mvexplorer.state.questions.verdicts import Verdicts
from mvexplorer.state.questions.view_additions import ViewAdditions
from mvexplorer.state.samples.charts import ColumnCharts
from mvexplorer.state.samples.table import TableOfSamples
from mvexplorer.state.session.settings import MEBIBYTE, Settings, change_settings


class Workbench:
    """One document with its editor, controller, analyser and sweeper, and the preferences that they follow.

    Changes of the preferences are written back, unless `keeps_settings` is False because nothing may be left behind
    (screenshots, tests). Workers hand functions to the document's thread by `post`; each worker's thread calls `begin`
    first.
    """

    settings_changed = Signal(Settings)
    settings_failed = Signal(str)
    """The preferences cannot be saved; emitted once per reason, and without one as soon as they can."""

    def __init__(
        self,
        settings: Settings,
        post: Post = call_directly,
        *,
        keeps_settings: bool = True,
        begin: Callable[[], None] | None = None,
    ) -> None:
        self.settings = settings
        self.keeps_settings = keeps_settings
        self.post = post
        self.document = Document()
        self.controller = Controller(self.document, post, begin=begin)
        self.controller.previews, self.controller.all_panels = True, False
        self.editor = Editor(self.document, self.controller)
        self.anchors = Anchors(self.controller, post, begin)
        self.spectrum = PreparedSpectrum(self.controller, self.anchors)
        self.derived = Derived(self.controller)
        self.comparer = Comparer(self.controller, self.editor)
        self.inspector = Inspector(self.controller, self.editor)
        self.separator = Separator(self.controller, self.editor)
        self.analyser = BandwidthAnalyser(self.controller)
        self.view_scores = ViewScores(self.controller)
        self.verdicts = Verdicts(self.controller)
        self.sweeper = Sweeper(self.controller)
        self.multiples = SmallMultiples(self.controller)
        self.player = Player(self.controller, self.editor)
        self.walk = SnapshotWalk(self.document, self.editor)
        self.tuner = Tuner(self.controller, self.editor)
        self.advice = EpsilonAdvice(self.controller, self.verdicts, self.view_scores, self.tuner)
        self.checks = Checks(self.controller)
        self.check_records = CheckRecords(self.checks, self.tuner, self.controller)
        self.common = CommonStructure(self.controller)
        self.neighbours = NeighbourTable(self.controller)
        self.check_list = CheckList(self.controller, self.checks, self.common, self.neighbours, self.verdicts)
        self.additions = ViewAdditions(self.controller)
        self.samples = TableOfSamples(self.document, self.controller, self.derived)
        self.charts = ColumnCharts(self.samples, self.editor)
        self.diagnostics = Diagnostics(self.controller, self.editor, self.derived)
        self.anchors.finished.connect(self.controller.ask_nearby)
        self._problem = ""
        self._follow()

    def _follow(self) -> None:
        self.controller.align = self.settings.align
        self.anchors.enabled = self.settings.prepare
        if not self.settings.prepare:
            self.anchors.stop()
        limit = self.settings.memory_mebibytes * MEBIBYTE
        if limit != self.controller.cache.limit:
            self.controller.set_memory(limit)

    def change_settings(self, **changes: Any) -> None:
        """Change preferences, act on them, and keep them."""
        self.edit_settings(lambda settings: updated(settings, changes))

    def edit_settings(self, edit: Callable[[Settings], Settings]) -> None:
        """Change preferences and keep them, beside what other windows have changed."""
        self.settings = edit(self.settings)
        if self.keeps_settings:
            stored, problem = change_settings(edit, self.settings)
            self.settings = updated(self.settings, {"recent": stored.recent})
            if problem != self._problem:
                self.settings_failed.emit(problem)
            self._problem = problem
        self._follow()
        self.settings_changed.emit(self.settings)
