"""Opens and saves samples, files and sessions in the background, without losing work."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from psygnal import Signal

from mvexplorer.compute.jobs.jobs import LoadJob
from mvexplorer.compute.run.scheduler import Job, Outcome
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import DATES_READ, POSSIBLE_LABEL, SAMPLE_NAMES, Notice
from mvexplorer.errors import MVExplorerError, ParameterError, SessionError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.check_list import TREATMENTS
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.io.reading.manifest import Manifest
from mvexplorer.io.reading.questions import offers_of
from mvexplorer.io.writing.package import is_package
from mvexplorer.io.writing.versions import FileVersion, file_version
from mvexplorer.private import handed_over
from mvexplorer.state.bench import recovery
from mvexplorer.state.bench.autosave import Autosave, Timer
from mvexplorer.state.bench.import_desk import ImportDesk, OpenJob
from mvexplorer.state.bench.import_doubts import ImportDoubts
from mvexplorer.state.bench.message import Level, Message, message_of_refusal
from mvexplorer.state.bench.opened_words import opened_words
from mvexplorer.state.bench.recovery import Offer
from mvexplorer.state.bench.reopening import ChangedFiles, OpenGivenJob, OpenSnapshotJob
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshot_commands import is_of_data, state_of
from mvexplorer.state.document.snapshots import Rotation, Staging
from mvexplorer.state.document.titles import data_title, state_title
from mvexplorer.state.session.carrying import carried_over
from mvexplorer.state.session.kept import KeptWork, delete_kept, kept_work
from mvexplorer.state.session.session import SUFFIX, OpenedSession, OpenSessionJob, SaveSessionJob, is_session
from mvexplorer.state.session.session_file import holds_own_work
from mvexplorer.state.session.settings import last_session_path
from mvexplorer.wording import file_title

OPEN = "Open data"
"""What undo calls the opening of data."""


class Library:
    """Opens and saves what a workbench shows; the window answers its questions and follows its signals.

    The timer decides when work in progress is saved; see `Autosave`.
    """

    opening = Signal(str)
    """The first data is being opened: its title."""
    opened = Signal(object)
    """Other data or another session is in place: the rotations of its cameras, panel by panel, or nothing."""
    returned = Signal(Staging)
    """The state of a snapshot is in place: how the window showed it."""
    saved = Signal()
    """The session was saved, maybe under another name."""
    refused = Signal(MVExplorerError)
    """Something could not be opened; a message tells so as well."""
    told = Signal(Message)
    file_changed = Signal(object)
    """A message that something else changed or removed the session's file; None once that is over."""

    def __init__(self, workbench: Workbench, timer: Timer) -> None:
        self._workbench = workbench
        self._document = workbench.document
        self.session_path: Path | None = None
        self.imports = ImportDesk(workbench, lambda loaded: self._put_data(loaded, tuple(loaded.sources)))
        self.doubts = ImportDoubts(workbench.document)
        self.autosave = Autosave(workbench, timer, lambda: self.cameras())
        self.ask_save: Callable[[str], bool | None] = lambda what: False
        """Asks before unsaved work is lost, given the next action: True saves, False discards, None stops."""
        self.ask_path: Callable[[str], Path | None] = lambda start: None
        """Asks where to save a session, given a suggested name."""
        self.ask_package: Callable[[], Path | None] = lambda: None
        """Asks where to save a session with its data."""
        self.ask_place: recovery.AskPlace = lambda folder: None
        """Asks where a session's data is: for a folder, or for a file."""
        self.cameras: Callable[[], Mapping[str, Rotation]] = dict
        """Returns the rotation of every panel's camera, which a session keeps."""
        self.give_way: Callable[[], object] = lambda: None
        """Called before other data or the end takes the place of what is shown: a lesson gives back the user's work."""
        self._held: tuple[Path, FileVersion | None] | None = None
        """The session's file, and its version when last read or written here."""
        self._found: tuple[FileVersion | None, Message] | None = None
        """The version found there instead, and the message about it."""
        self.changed_files = ChangedFiles(workbench, self.told.emit, self._open_again)
        workbench.walk.wanted.connect(self.show_snapshot)

    @property
    def session_name(self) -> str:
        """The session's file name without its ending, or nothing."""
        return recovery.session_title(self.session_path)

    @property
    def data_title(self) -> str:
        """The title of the data in the title bar."""
        return state_title(self._document.state)

    @property
    def kept(self) -> list[KeptWork]:
        """Earlier work that can be continued, the latest first."""
        if not self._workbench.keeps_settings:
            return []
        most = 40
        return [work for work in kept_work(most) if not self.autosave.holds(work.path)]

    def delete_kept(self, path: Path) -> bool:
        """Delete earlier work for good; where that fails, say so."""
        deleted = delete_kept(path)
        if not deleted:
            self._tell_error(SessionError("This work was not deleted.", "It may be open in another window."))
        return deleted

    @property
    def title(self) -> str:
        """Data and session, with a star where there is something to save; nothing before any data."""
        star = "*" if self._document.dirty and self._document.data is not None else ""
        source = self._document.state.source
        inside = recovery.is_inside(source, self.session_path) and not self._document.state.part_of
        parts = [self.data_title] if source and not inside else []
        parts += [self.session_name + star] if self.session_name else []
        return " · ".join(parts) + ("" if self.session_name else star)

    @property
    def recent(self) -> tuple[tuple[str, ...], ...]:
        """Sources opened before, the latest first."""
        return self._workbench.settings.recent

    def _announce(self, title: str) -> None:
        """Tell what is being opened, where nothing is on screen yet."""
        if self._document.data is None:
            self.opening.emit(title)

    # Data ---------------------------------------------------------------------------------------------------

    def open_files(self, files: tuple[str, ...]) -> None:
        """Open one session, or a sample or data files: dropped, chosen, or opened before."""
        if not any(is_session(f) for f in files):
            self.open_source(files)
        elif len(files) == 1:
            self.open_session(Path(files[0]))
        else:
            self._tell_error(SessionError("A session cannot be opened together with other files.", "Open it alone."))

    def open_source(self, source: tuple[str, ...], reading: ReadOptions | None = None, label: str = OPEN) -> None:
        """Open a sample by its id, or files by their paths, in the background; undo brings the former data back.

        `reading` says how the files are read where they leave it open, `label` what undo calls that.
        """
        self.imports.leave()
        chosen = reading is not None and reading != ReadOptions()
        last = self.imports.last_reading(source) if not chosen and self.imports.answers else None
        options = reading or ReadOptions()
        if last is not None:
            source, options = last.source, last.reading
        self._announce(data_title(source))

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._refuse(outcome.error, source, options)
            elif isinstance(outcome.value, Inspection):
                self._put_or_ask(outcome.value, source, options, chosen, last is not None, label)
            else:
                self._put_data(outcome.value, source, label=label)

        job = OpenJob if self.imports.answers else LoadJob
        self._workbench.controller.open(job(source, options), arrived)

    def _put_or_ask(
        self,
        inspection: Inspection,
        source: tuple[str, ...],
        options: ReadOptions,
        chosen: bool,
        as_last: bool,
        label: str,
    ) -> None:
        """Open inspected files; ask how to read them where that is neither clear nor chosen before."""
        if inspection.loaded is not None and (chosen or as_last or not inspection.doubts):
            self._put_data(inspection.loaded, source, None if chosen or as_last else opened_words(inspection), label)
            if as_last:
                self._tell_of_data("info", "Read as last time.", (self._change_reading(),))
        elif inspection.error is not None and not self.imports.comes_first(inspection):
            self._refuse(inspection.error, source, options)
        else:
            self.imports.begin(inspection.files, options, inspection)

    def _change_reading(self) -> Offer:
        return "Change how this was read", self.imports.begin_again

    def _refuse(self, error: MVExplorerError, source: tuple[str, ...], reading: ReadOptions) -> None:
        self.refused.emit(error)

        def again(changes: Mapping[str, Any]) -> None:
            self.open_source(source, replace(reading, **changes))

        self.told.emit(message_of_refusal(error, again))

    def _tell_error(self, error: MVExplorerError, *offers: Offer) -> None:
        self.told.emit(Message("error", error.message, error.hint, offers))

    def _put_data(
        self, loaded: Loaded, source: tuple[str, ...], opened: Notice | None = None, label: str = OPEN
    ) -> None:
        """Show other data; `opened` says what was decided about it where nobody was asked."""
        self.give_way()
        name = tuple(source if loaded.manifest is not None else loaded.sources)
        fresh = commands.initial_state(loaded.data, name, loaded.manifest, reading=loaded.options, notes=loaded.notes)
        state, carried = carried_over(self._document.state, self._document.data, fresh, loaded.data)
        self.doubts.put(state, loaded.notes)
        self._put_state(state, loaded.data, label=label)
        self._remember(name)
        self._tell_dates(loaded, label)
        if loaded.manifest is None:
            self._tell_notes(loaded, name, opened)
        else:
            self._tell_sample(loaded.manifest)
        if carried:
            self._tell_of_data("info", carried, ())

    def _put_state(
        self,
        state: DocumentState,
        data: MultiView,
        session: Path | None = None,
        cameras: Mapping[str, Rotation] = MappingProxyType({}),
        label: str = OPEN,
    ) -> None:
        self.give_way()
        self.autosave.set_aside()
        self.session_path = session
        snapshots = state.snapshots if state.snapshots.kept else self._document.state.snapshots
        state = state.model_copy(update={"snapshots": snapshots})  # those of other data lead back to it
        if self._document.data is None:
            self._document.reset(state, data)  # undo does not lead back to an empty window
        else:
            clean = session is None and not self._document.dirty
            commands.open_data(self._document, data, state, label)
            if clean:
                self._document.mark_saved()
        self.autosave.rely_on()
        self.opened.emit(cameras)

    def _open_again(self, job: Job) -> None:
        self.open_made(job, self.session_path)

    def show_snapshot(self, name: str) -> None:
        """Return to a snapshot; its data is opened again where other data is shown, and undo leads back here."""
        present, snapshot = self._document.state, self._document.state.snapshots.find(name)
        if snapshot is None:
            return
        try:
            state = state_of(snapshot, present)
        except ParameterError as error:
            self._workbench.editor.failed.emit(error)
            return
        returned = partial(self.returned.emit, snapshot.staging)
        if not is_of_data(state, present):
            self.open_made(OpenSnapshotJob(name, state), self.session_path, returned)
        elif self._workbench.editor.show_snapshot(name):
            returned()

    def open_made(self, job: Job, session: Path | None = None, then: Callable[[], object] = lambda: None) -> None:
        """Open the state and data that a job makes, work on a `session` or none; undo brings the former data back.

        `then` is called once they are in place.
        """
        self.imports.leave()

        def arrived(outcome: Outcome) -> None:
            if outcome.error is None:
                state, data = outcome.value
                self._put_state(state, data, session)
                then()
            else:
                self.refused.emit(outcome.error)
                self._tell_error(outcome.error)

        self._workbench.controller.open(job, arrived)

    def _tell_sample(self, manifest: Manifest) -> None:
        """Say what to look at in a sample, and offer to show it where it opens otherwise."""
        also = manifest.open.also
        if also is None:
            self._tell_of_data("info", manifest.look, ())
            return
        show = partial(self._workbench.editor.show_views, also.views, also.epsilon)
        offers = ((also.button, show),)
        self._tell_of_data("info", f"{manifest.look} {also.words}", offers)

    def _remember(self, source: tuple[str, ...]) -> None:
        self._workbench.edit_settings(lambda settings: settings.with_recent(source))

    def _tell_notes(self, loaded: Loaded, source: tuple[str, ...], opened: Notice | None) -> None:
        """Show what was assumed; a choice for the user gets its own message and buttons."""
        notes = [opened] if opened is not None else []
        named = {note.code for note in notes if note.code == SAMPLE_NAMES}
        silent = {POSSIBLE_LABEL, DATES_READ, *named}  # told elsewhere
        notes += [note for note in loaded.notes if note.code not in silent and not offers_of(note)]
        notes.sort(key=lambda note: note.code not in TREATMENTS)  # first: the buttons beside them are about these
        change = (self._change_reading(),) if self.imports.answers else ()
        treated = [(note, *TREATMENTS[note.code]) for note in notes if note.code in TREATMENTS]
        if treated:
            n = loaded.data.n_views
            offers = tuple(
                (words.format(some_views(note.subjects, n)), partial(self.prepare, note.subjects, how))
                for note, how, words in treated
            )
            views = [view for note, *_ in treated for view in note.subjects]
            keep = "Keep these scales", partial(self._workbench.editor.keep_scales, views)
            self._tell_of_data("warning", " ".join(notes), (*offers, keep, *change), partial(self._asks_scales, views))
        elif notes:
            self._tell_of_data("info", " ".join(notes), change)
        for note in loaded.notes:
            offers = tuple((o.title, partial(self._read_again, source, o.options, o.title)) for o in offers_of(note))
            if offers:
                self._tell_of_data("info", str(note), offers)
        most = 3
        columns = [note.subjects[0] for note in loaded.notes if note.code == POSSIBLE_LABEL][:most]
        if columns:
            use = self._workbench.editor.use_as_label
            uses = tuple((f"Use “{column}” as the label", partial(use, column)) for column in columns)
            lacks = "No column is the label: scores of classes are left out."
            self._tell_of_data("info", lacks, uses, lambda data: data.labels is None)

    def _tell_of_data(
        self, level: Level, text: str, offers: tuple[Offer, ...], holds: Callable[[MultiView], bool] | None = None
    ) -> None:
        self.told.emit(Message(level, text, offers=offers, holds=holds, of_data=True))

    def _tell_dates(self, loaded: Loaded, label: str) -> None:
        """Say in which order dates are read; that was an answer to a message where undo is called otherwise."""
        answer = label != OPEN
        undo = (("Undo", self._document.undo),) if answer else ()
        for note in loaded.notes:
            if note.code == DATES_READ:
                self.told.emit(Message("info", str(note), offers=undo, of_data=True, first=answer))

    def _read_again(self, source: tuple[str, ...], changes: Mapping[str, Any], label: str) -> None:
        """Read the files otherwise, but as they are read now: with the label and preprocessing chosen meanwhile."""
        state = self._document.state
        how = {view.preprocess for view in state.views}
        reading = replace(state.reading, preprocess=how.pop() if len(how) == 1 else None)
        roles = {**dict(reading.roles), **changes.get("roles", {})}
        self.open_source(source, replace(reading, **{**changes, "roles": roles}), label)

    def _asks_scales(self, views: Sequence[str], data: MultiView) -> bool:
        """Whether one of these views is not preprocessed, and nobody said that it is meant so."""
        return any(v.preprocess == "none" != v.kept_scales for v in self._document.state.views if v.name in views)

    def prepare(self, views: Sequence[str], how: str) -> None:
        """Preprocess some views, as the messages about their columns offer it."""
        for name in views:
            self._workbench.editor.set_preprocess(name, how)

    # Sessions -----------------------------------------------------------------------------------------------

    def continue_last(self, path: Path | None = None) -> None:
        """Open what was on screen when a window closed, or its process ended; by default the last."""
        self.open_session(path or last_session_path(), remember=False)

    def open_session(
        self, path: Path, *, accept_changed: bool = False, remember: bool = True, data: Path | None = None
    ) -> None:
        """Open a session in the background, once the present work is safe.

        `data` is the place where the user says its data is; with `accept_changed` the data may have changed. Without
        `remember` it is autosaved work, which has no name to save it under, and autosave continues in its file.
        """
        if not self.may_lose("open the session"):
            return
        self.imports.leave()
        self._announce(file_title(path) if remember else "what you worked on")

        def arrived(outcome: Outcome) -> None:
            if outcome.error is None:
                version, opened = outcome.value
                self._put_session(opened, path if remember else None)
                self._held = (path, version)
                if not remember:
                    if not holds_own_work(path):
                        self.autosave.rely_on()  # it was looked at only
                    self.autosave.continue_with(path, version)
                return
            self.refused.emit(outcome.error)
            again = partial(self.open_session, path, remember=remember, data=data)
            self._tell_error(outcome.error, *recovery.ways_to_data(outcome.error, path, again, self.ask_place))

        self._workbench.controller.open(OpenSessionJob(path, accept_changed, data), arrived)

    def open_given(self, job: OpenGivenJob, then: Callable[[], object]) -> None:
        """Open a session that a caller gives; undo brings the former work back, so that nothing is asked before.

        `then` is called once it is in place. What cannot be opened is told to those who listen, and not in the window.
        """
        self.imports.leave()

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self.refused.emit(outcome.error)
                return
            opened = outcome.value
            self._workbench.controller.saved, self._workbench.controller.turns = opened.pictures, opened.turns
            self._put_state(opened.state, opened.data, cameras=opened.cameras)
            then()

        self._workbench.controller.open(job, arrived)

    def _put_session(self, opened: OpenedSession, path: Path | None) -> None:
        self.give_way()
        self.autosave.set_aside()
        self.session_path = path
        self._workbench.controller.saved, self._workbench.controller.turns = opened.pictures, opened.turns
        self._document.reset(opened.state, opened.data)
        if path is not None:
            self.autosave.rely_on()  # autosaved work is in no file of the user's
        self.opened.emit(opened.cameras)
        for note in recovery.told_by_session(opened.notes):
            self.told.emit(Message("info", note))
        if path is not None:
            self._remember((str(path.resolve()),))

    def save(self, *, wait: bool = False) -> bool:
        """Save the session where it came from, or ask where; ask before replacing what others wrote there."""
        if self.session_path is None:
            return self.save_as(wait=wait)
        if self._foreign():
            self.look_at_file()
            return False
        return self.write(self.session_path, wait=wait)

    def save_as(self, *, wait: bool = False) -> bool:
        """Ask for a file and save the session there; with its data where no file of the user's holds that."""
        temporary = handed_over(self._document.state.source)
        path = self.ask_package() if temporary else self.ask_path(str(self.session_path or f"session{SUFFIX}"))
        return path is not None and self.write(path, wait=wait)

    def write(self, path: Path, *, wait: bool = False) -> bool:
        """Save the session in a file, replacing any content; with its data in the background, unless told to `wait`."""
        try:
            job = recovery.save_job(self._workbench, path, self.cameras())
            if is_package(path) and not wait:
                recovery.write_later(self._workbench, job, self._wrote, self._tell_error)
            else:
                self._wrote(job, job.save())
        except MVExplorerError as error:
            self._tell_error(error)
            return False
        return True

    def _wrote(self, job: SaveSessionJob, version: FileVersion) -> None:
        """Go on with the file that was written."""
        self._remember((str(job.path.resolve()),))
        if self._document.state.source != job.state.source:
            return  # other data was opened meanwhile
        self.session_path, self._held = job.path, (job.path, version)
        self._tell_of_file(None)
        self._document.mark_saved(job.state)
        recovery.settle(self._document, job)
        if not self._document.dirty:
            self.autosave.rely_on()
        self.saved.emit()

    # Other windows and programs ------------------------------------------------------------------------------

    def look_at_file(self) -> None:
        """Report that something else changed or removed the session's file; withdraw this once it is over."""
        version = self._version_now()
        if self.session_path is None or not self._held or self._held[0] != self.session_path:
            self._tell_of_file(None)
        elif version == self._held[1]:
            self._held = (self.session_path, version)
            self._tell_of_file(None)
        elif self._found is not None and self._found[0] == version:
            self._tell_of_file(self._found)
        else:
            self._tell_of_file((version, self._message_of(self.session_path, version)))

    def _tell_of_file(self, change: tuple[FileVersion | None, Message] | None) -> None:
        self._found = change
        self.file_changed.emit(None if change is None else change[1])

    def _message_of(self, path: Path, version: FileVersion | None) -> Message:
        name = file_title(path)
        if version is None:
            text = f"The session {name} is no longer where it was: what you see is only in this window."
            return Message("warning", text, offers=(("Save it again", partial(self.write, path)),))
        text = f"The session {name} was changed by another window or program since it was opened or saved here."
        offers = (
            ("Open what is there", partial(self.open_session, path)),
            ("Replace it by mine", partial(self.write, path)),
        )
        return Message("warning", text, "Save yours under another name to have both.", offers)

    def _version_now(self) -> FileVersion | None:
        """The version of the session's file; the last known one if it cannot be read."""
        if self.session_path is None or self._held is None:
            return None
        try:
            return file_version(self.session_path, self._held[1])
        except OSError:
            return self._held[1]

    def _foreign(self) -> bool:
        """Whether the session's file has content neither read nor written here."""
        if self._held is None or self._held[0] != self.session_path:
            return False
        return self._version_now() not in (None, self._held[1])

    # Losing nothing -----------------------------------------------------------------------------------------

    def may_lose(self, what: str) -> bool:
        """Whether unsaved work may go: asks, and saves if wanted."""
        self.give_way()
        if self._document.data is None or not self._document.dirty:
            return True
        wanted = self.ask_save(what)
        if wanted:
            return self.save_as(wait=True) if self._foreign() else self.save(wait=True)
        return wanted is not None

    def may_close(self) -> bool:
        """Whether the window may close; what is on screen can be continued next time."""
        if not self.may_lose("close"):
            return False
        if self._workbench.keeps_settings:
            self.autosave.finish()
        return True


def some_views(views: Sequence[str], n_views: int) -> str:
    """Some of all views, on a button."""
    most = 3  # names on a button
    return "all views" if len(views) == n_views > 1 else ", ".join(views[:most])
