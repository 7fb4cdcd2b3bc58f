"""Decides whether the import page comes before files are opened, and keeps how they were read. It needs no Qt."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace

from psygnal import Signal

from mvexplorer.compute.jobs.jobs import InspectJob
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.catalogue import is_built_in
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MissingValuesError, RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.state.bench.importing import Importing
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.session.settings import KeptReading


@dataclass(frozen=True)
class OpenJob(Job):
    """Files to be looked into, which also reads them; a sample, or a name that is no file, is loaded."""

    source: tuple[str, ...]
    reading: ReadOptions

    def run(self, cache: StageCache, task: Task) -> Inspection | Loaded:
        """Read them."""
        if any(is_built_in(name) or not os.path.exists(os.path.expanduser(name)) for name in self.source):
            return load_source(self.source[0] if len(self.source) == 1 else list(self.source), self.reading, task=task)
        return InspectJob(self.source, self.reading).run(cache, task)


class ImportDesk:
    """The import page's place in the program: decides when it comes; `put` puts what was opened into the document."""

    changed = Signal(object)
    """The `Importing` that the page is to show, or None where it is to go."""
    answers = False
    """Whether somebody can answer; without, files are opened or refused."""

    def __init__(self, workbench: Workbench, put: Callable[[Loaded], object]) -> None:
        self._workbench, self._put = workbench, put
        self.present: Importing | None = None
        """The files that the page asks about, while it is there."""
        workbench.document.changed.connect(self._keep_reading)

    def begin(self, files: tuple[str, ...], options: ReadOptions, inspection: Inspection | None = None) -> None:
        """Show how files are read, before they are opened."""
        self.present = Importing(self._workbench.controller, files, options, self._open, inspection)
        self.changed.emit(self.present)

    def leave(self) -> None:
        """Take the page away, with nothing opened."""
        if self.present is not None:
            self.present.stop()
            self.present = None
            self.changed.emit(None)

    def begin_again(self) -> None:
        """Show how the present data was read, to be changed."""
        state = self._workbench.document.state
        self.begin(state.source, _reading(state))

    @property
    def can_begin_again(self) -> bool:
        """Whether the present data comes from files."""
        document = self._workbench.document
        files = [name for name in document.state.source if not is_built_in(name)]
        return document.data is not None and files != []

    def comes_first(self, inspection: Inspection) -> bool:
        """Whether the page is shown before anything is opened: where there is more than one way to go on."""
        error = inspection.error
        if error is None:
            return bool(inspection.doubts)
        if isinstance(error, RowsError):
            return len(error.offers) > 1
        # A page is no help where there is nothing that could be a view.
        enough = any(max(view.shape) >= MIN_SAMPLES for view in inspection.views)
        return enough and not isinstance(error, MissingValuesError)

    def _open(self, loaded: Loaded) -> None:
        self.present = None
        self.changed.emit(None)
        self._put(loaded)

    def _keep_reading(self, change: Change) -> None:
        """Remember how the present files are read, whoever chose it: a page, a button, a session or a flag."""
        source, reading = change.after.source, _reading(change.after)
        if (source, reading) == (change.before.source, _reading(change.before)) or not all(map(os.path.isabs, source)):
            return
        kept = self._workbench.settings.reading_of(source)
        if reading != (ReadOptions() if kept is None else kept.reading) or (kept and kept.source != source):
            self._workbench.edit_settings(lambda settings: settings.with_reading(source, reading))

    def last_reading(self, files: tuple[str, ...]) -> KeptReading | None:
        """How these files were read last, and in which order, if not as they say themselves."""
        settings = self._workbench.settings
        if any("\0" in file for file in files):  # no file's name, as reading it will say
            return None
        real = tuple(os.path.realpath(os.path.expanduser(file)) for file in files) if settings.readings else ()
        return settings.reading_of(real)


def _reading(state: DocumentState) -> ReadOptions:
    """How the present files are read, what is done to their columns included."""
    each = tuple(view.preprocess for view in state.views)
    return replace(state.reading, preprocess=each if any(how != "none" for how in each) else None)
