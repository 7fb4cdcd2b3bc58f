"""Keeps the work in progress: what is on screen reaches the disk within seconds, off the document's thread."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Protocol
from weakref import WeakKeyDictionary

from psygnal import Signal

from mvexplorer.compute.run.scheduler import Job, Outcome, Scheduler
from mvexplorer.datasets.catalogue import is_built_in
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import MVExplorerError
from mvexplorer.io.writing.versions import FileVersion
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.pictures.drawing import turns_of
from mvexplorer.state.session.kept import KEPT, KeptFile
from mvexplorer.state.session.kept_picture import KeepPictureJob, UnpaintedPicture
from mvexplorer.state.session.session import SaveSessionJob
from mvexplorer.version import __version__

CLOSING_SECONDS = 30.0
"""How long a closing window waits for a write under way."""


class Timer(Protocol):
    """A timer that calls `Autosave.keep` when it runs out, such as Qt's."""

    def start(self) -> None:
        """Start, or restart from zero."""

    def stop(self) -> None:
        """Stop it."""

    def isActive(self) -> bool:
        """Whether it runs."""


class Autosave:
    """Keeps what a workbench shows.

    The first unsaved edit starts a timer. When it runs out, or earlier if the user pauses, a worker gets the present
    state. So an edit never waits longer than the timer, however many more follow. The worker writes one state at a
    time, and only the latest of the waiting ones. The timer takes half of the time after which an edit is on the disk
    at the latest; the other half is left to the disk.

    `cameras` returns the rotations of the panels' cameras, which are kept with the document. `picture` returns what the
    panels look like, or None while they are not all there; it is painted beside the file once the hand rests.
    """

    failed = Signal(MVExplorerError)
    """Nothing can be saved at present; emitted once per reason."""
    recovered = Signal()
    """The work is kept again."""
    kept = Signal(DocumentState)
    """This state is on the disk, in the file of the window."""

    def __init__(self, workbench: Workbench, timer: Timer, cameras: Callable[[], Mapping[str, Rotation]]) -> None:
        self._workbench = workbench
        self._due = timer
        self._cameras = cameras
        self._file = KeptFile()
        self._kept: tuple[DocumentState, MultiView | None] | None = None
        """The last state that was handed to the worker, unless writing it failed."""
        self._safe: WeakKeyDictionary[MultiView, DocumentState] = WeakKeyDictionary()
        """For data that was shown: the state that needs no keeping, as it was opened, saved or set aside."""
        self._aside: list[tuple[weakref.ref[MultiView], KeptFile]] = []
        self.paused = False
        """Whether what is shown meanwhile is not the user's work, which stays on the disk as it was."""
        self.picture: Callable[[], UnpaintedPicture | None] = lambda: None
        self._pictured: MultiView | None = None
        """The data that the picture beside the file shows."""
        self._told = ""
        self._worker = Scheduler(ThreadPoolExecutor(1, thread_name_prefix="autosave"), workbench.post)

    def edited(self, before: DocumentState | None = None) -> None:
        """Start the timer after an edit, unless it runs; what has a name is kept at once."""
        if self.paused:
            return
        if before is not None and _named(before) != _named(self._workbench.document.state):
            self.keep()
        elif self._workbench.keeps_settings and not self._due.isActive():
            self._due.start()

    def keep(self) -> None:
        """Have the present state written, unless it is saved already."""
        self._due.stop()
        document = self._workbench.document
        if self.paused or not self._workbench.keeps_settings or document.data is None:
            return
        present = (document.state, document.data)
        if self._kept is None or any(a is not b for a, b in zip(present, self._kept, strict=True)):
            self._kept = present
            if self._pictured is not document.data:
                self._keep_picture(None)
            self._write("keep", self._job(self._file, edited=self._edited), partial(self._written, document.state))

    def rest(self) -> None:
        """Have the present state written, and its picture: nothing moves."""
        self.keep()
        if not self.paused and self._kept is not None and (picture := self.picture()) is not None:
            self._keep_picture(picture)

    def _keep_picture(self, picture: UnpaintedPicture | None) -> None:
        self._pictured = self._workbench.document.data
        self._write("picture", KeepPictureJob(self._file.path(), picture), lambda outcome: None)

    def rely_on(self) -> None:
        """Take the present state as safe to lose: it is as its data opens, or in a file of the user's."""
        document = self._workbench.document
        if document.data is not None:
            self._safe[document.data] = document.state

    def set_aside(self) -> None:
        """Keep the present work in a file of its own, unless that is done: something else is about to be shown."""
        document = self._workbench.document
        data = document.data
        if not self._workbench.keeps_settings or data is None or not self._edited:
            return
        self.rely_on()
        file = self._file.beside()
        most = KEPT // 2  # the other files are open to all windows again
        while len(self._aside) >= most:
            self._aside.pop(0)[1].release()
        self._aside.append((weakref.ref(data), file))

        def written(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._safe.pop(data, None)
                self._tell(outcome.error)

        self._write(f"aside {file.path()}", self._job(file, edited=True), written)
        self._write(f"picture {file.path()}", KeepPictureJob(file.path(), self.picture()), lambda outcome: None)

    def _write(self, slot: str, job: Job, written: Callable[[Outcome], None]) -> None:
        self._worker.submit(slot, job, written, title="Keeping the work")

    @property
    def _edited(self) -> bool:
        """Whether the present state is neither as its data opens nor in a file of the user's."""
        data = self._workbench.document.data
        return data is not None and self._safe.get(data) != self._workbench.document.state

    def _job(self, file: KeptFile, *, edited: bool) -> SaveSessionJob:
        """The job that writes what is on screen now, on any thread."""
        document = self._workbench.document
        assert document.data is not None
        turns = turns_of(self._workbench.controller.results)
        given = file.path(), document.state, document.data, __version__, self._cameras()
        return SaveSessionJob(*given, turns=turns, own_work=edited and _is_own(document.state))

    def _written(self, state: DocumentState, outcome: Outcome) -> None:
        if outcome.error is not None:
            self._kept = None
            self._due.start()
            self._tell(outcome.error)
            return
        if self._told:
            self._told = ""
            self.recovered.emit()
        self.kept.emit(state)

    def _tell(self, error: MVExplorerError) -> None:
        if error.message != self._told:
            self._told = error.message
            self.failed.emit(error)

    def continue_with(self, path: Path, version: FileVersion | None) -> None:
        """Go on keeping the work in the file it was opened from, whose picture it has."""
        self._file.continue_with(path, version)
        self._pictured = self._workbench.document.data

    def holds(self, path: Path) -> bool:
        """Whether the present work is kept in this file."""
        return self._file.is_at(path)

    @property
    def idle(self) -> bool:
        """Whether nothing is being written."""
        return self._worker.idle

    def finish(self) -> None:
        """Keep the present state before returning: the window closes."""
        self._due.stop()
        self._worker.wait_idle(CLOSING_SECONDS)
        try:
            data = self._workbench.document.data
            if data is not None:
                self._job(self._file, edited=self._edited).save()
                picture = self.picture()
                if picture is not None or self._pictured is not data:
                    KeepPictureJob(self._file.path(), picture).write()
                for file in [file for of, file in self._aside if of() is data]:
                    file.remove()  # the work came back since: it is kept once
        except MVExplorerError as error:
            self._tell(error)

    def stop(self) -> None:
        """Write no more, and leave the file to other windows."""
        self._due.stop()
        self._worker.shutdown(CLOSING_SECONDS)
        for file in (self._file, *(file for _, file in self._aside)):
            file.release()


def _named(state: DocumentState) -> tuple[object, ...]:
    """The selections and snapshots, to which the user gave names, and the texts of notes."""
    return *state.selections.named, *state.snapshots.kept, *(note.text for note in state.notes)


def _is_own(state: DocumentState) -> bool:
    """Whether edits of this state are the user's own work: on data of theirs, or with something that they named."""
    return bool(_named(state)) or not all(map(is_built_in, state.source))
