"""Opening and saving: samples, files and sessions, off the main thread, with nothing lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QFileDialog, QMessageBox

from mvexplorer import __version__
from mvexplorer.compute.jobs import LoadJob
from mvexplorer.compute.scheduler import Outcome
from mvexplorer.engine.core.notices import POSSIBLE_LABEL, POSSIBLY_TURNED, UNEVEN_SCALES
from mvexplorer.errors import ChangedDataError, MissingValuesError, MVExplorerError, RowsError, SessionError
from mvexplorer.io.files import SUFFIXES, Loaded
from mvexplorer.io.options import ReadOptions
from mvexplorer.io.writing import FileVersion, file_version
from mvexplorer.state import commands
from mvexplorer.state.session import SUFFIX, OpenedSession, OpenSessionJob, Rotation, is_session, save_session
from mvexplorer.state.settings import last_session_path
from mvexplorer.state.titles import data_title
from mvexplorer.ui.cloud.picture import Camera
from mvexplorer.ui.widgets.banner import Action, Banner
from mvexplorer.wording import file_title

if TYPE_CHECKING:
    from mvexplorer.ui.window.main_window import MainWindow

FILES = f"Data ({' '.join(f'*{s}' for s in SUFFIXES)});;Sessions (*.mvx.json);;All files (*)"
SESSIONS = f"mvexplorer sessions (*{SUFFIX})"
MAX_LABELS = 3
"""Columns offered as the label."""


class Opening:
    """What File does."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.session_path: Path | None = None
        self._held: tuple[Path, FileVersion | None] | None = None
        """The session's file and what it held when this window last read or wrote it."""
        self._notice: tuple[FileVersion | None, Banner] | None = None
        """What was found in its place, and the message about it."""
        self.on_refused: Callable[[MVExplorerError], None] = lambda error: None

    @property
    def session_name(self) -> str:
        """The session's file name without its ending, or nothing."""
        return file_title(self.session_path).removesuffix(SUFFIX) if self.session_path else ""

    @property
    def data_title(self) -> str:
        """What the data is called in the title bar."""
        return data_title(self._window.document.state.source)

    # Data ---------------------------------------------------------------------------------------------------

    def choose_files(self) -> None:
        """Ask for files and open them."""
        files, _ = QFileDialog.getOpenFileNames(self._window, "Open data", "", FILES)
        if files:
            self.open_dropped(tuple(files))

    def open_dropped(self, files: tuple[str, ...]) -> None:
        """Open one session, or a sample or data files: dropped, chosen, or opened before."""
        if any(is_session(f) for f in files):
            if len(files) > 1:
                error = SessionError("A session cannot be opened together with other files.", "Open it alone.")
                self._window.show_error(error)
            else:
                self.open_session(Path(files[0]))
        else:
            self.open_source(files)

    def open_source(self, source: tuple[str, ...], reading: ReadOptions | None = None, *, hint: str = "") -> None:
        """Open a sample or files in the background; undo brings the former data back."""
        options = reading or ReadOptions()

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._refused(outcome.error, source, options)
            else:
                self._show_data(outcome.value, source, hint)

        self._window.controller.open(LoadJob(source, options), arrived)

    def _refused(self, error: MVExplorerError, source: tuple[str, ...], reading: ReadOptions) -> None:
        self.on_refused(error)

        def again(title: str, **changes: Any) -> Action:
            return title, lambda: self.open_source(source, replace(reading, **changes))

        if isinstance(error, MissingValuesError):
            self._window.show_error(error, again(f"Drop {len(error.rows)} rows", drop_missing=True))
        elif isinstance(error, RowsError):
            too_large = [again(offer.title, **offer.options) for offer in error.offers]
            hint = "How do they belong together?" if too_large else error.otherwise
            self._window.banners.show_message("error", error.message, hint, more=too_large)
        else:
            self._window.show_error(error)

    def _show_data(self, loaded: Loaded, source: tuple[str, ...], hint: str) -> None:
        window = self._window
        window.banners.clear()
        name = source if loaded.manifest is not None else loaded.sources
        state = commands.initial_state(loaded.data, tuple(name), loaded.manifest, reading=loaded.options)
        self.session_path = None
        if window.document.data is None:
            window.document.reset(state, loaded.data)  # undo does not lead back to an empty window
        else:
            clean = not window.document.dirty
            commands.open_data(window.document, loaded.data, state)
            if clean:
                window.document.mark_saved()
        self._remember(tuple(name))
        if loaded.notes and loaded.manifest is None:
            self._show_notes(loaded, tuple(name))
        if hint:
            window.banners.show_message("info", hint)
        window.show_opened()

    def _remember(self, source: tuple[str, ...]) -> None:
        self._window.edit_settings(lambda settings: settings.with_recent(source))

    def _show_notes(self, loaded: Loaded, source: tuple[str, ...]) -> None:
        """What was assumed; what is for the user to decide has a message and buttons of its own."""
        banners = self._window.banners
        asked = (POSSIBLE_LABEL, POSSIBLY_TURNED)
        told = [note for note in loaded.notes if note.code not in asked]
        uneven = [view for note in told if note.code == UNEVEN_SCALES for view in note.subjects]
        level = "warning" if any(note.level == "warning" for note in told) else "info"
        if told:
            action = (f"z-score {', '.join(uneven[:3])}", lambda: self._zscore(uneven)) if uneven else None
            banners.show_message(level, " ".join(told), action=action)
        for note in loaded.notes:
            if note.code == POSSIBLY_TURNED:
                again = replace(loaded.options, transpose=note.subjects)
                action = ("Turn rows and columns", lambda again=again: self.open_source(source, again))
                banners.show_message("info", str(note), action=action)
        columns = [note.subjects[0] for note in loaded.notes if note.code == POSSIBLE_LABEL][:MAX_LABELS]
        if columns:
            uses = [
                (f"Use “{c}” as the label", lambda c=c: commands.use_as_label(self._window.document, c))
                for c in columns
            ]
            banners.show_message("info", "There is no label to score by.", more=uses)

    def _zscore(self, views: list[str]) -> None:
        for name in views:
            commands.set_preprocess(self._window.document, name, "zscore")

    # Sessions -----------------------------------------------------------------------------------------------

    def choose_session(self) -> None:
        """Ask for a session and open it."""
        file, _ = QFileDialog.getOpenFileName(self._window, "Open session", "", SESSIONS)
        if file:
            self.open_session(Path(file))

    def continue_last(self, path: Path | None = None) -> None:
        """Open what was on screen when a window closed, or its process ended; by default the last."""
        self.open_session(path or last_session_path(), remember=False)

    def open_session(self, path: Path, *, accept_changed: bool = False, remember: bool = True) -> None:
        """Open a session in the background, once the present work is safe."""
        if not self.may_lose("open the session"):
            return

        def arrived(outcome: Outcome) -> None:
            if outcome.error is None:
                version, opened = outcome.value
                self._show_session(opened, path if remember else None)
                self._held = (path, version)
                if not remember:
                    self._window.autosave.continue_with(path, version)
                return
            self.on_refused(outcome.error)
            action = None
            if isinstance(outcome.error, ChangedDataError):
                action = ("Open anyway", lambda: self.open_session(path, accept_changed=True, remember=remember))
            self._window.show_error(outcome.error, action)

        self._window.controller.open(OpenSessionJob(path, accept_changed), arrived)

    def _show_session(self, opened: OpenedSession, path: Path | None) -> None:
        window = self._window
        window.banners.clear()
        self.session_path = path
        if path is not None:
            self._remember((str(path.resolve()),))
        window.document.reset(opened.state, opened.data)
        window.when_shown(lambda: self._turn_cameras(opened))
        window.show_opened()

    def _turn_cameras(self, opened: OpenedSession) -> None:
        for id, rotation in opened.cameras.items():
            if id in self._window.grid.panels:
                self._window.grid.panels[id].canvas.set_camera(Camera(np.array(rotation)))

    def save(self) -> bool:
        """Save the session where it came from, or ask where; what others wrote there is not replaced unasked."""
        if self.session_path is None:
            return self.save_as()
        if self._foreign():
            self.look_at_file()
            return False
        return self._write(self.session_path)

    def save_as(self) -> bool:
        """Ask for a file and save the session there."""
        start = str(self.session_path or f"session{SUFFIX}")
        file, _ = QFileDialog.getSaveFileName(self._window, "Save session", start, SESSIONS)
        if not file:
            return False
        return self._write(Path(file if file.endswith(SUFFIX) else file.removesuffix(".json") + SUFFIX))

    def _write(self, path: Path) -> bool:
        window = self._window
        try:
            version = self._store(path)
        except MVExplorerError as error:
            window.show_error(error)
            return False
        self.session_path, self._held = path, (path, version)
        self._withdraw_notice()
        window.document.mark_saved()
        window.show_saved()
        self._remember((str(path.resolve()),))
        return True

    def _store(self, path: Path) -> FileVersion:
        document = self._window.document
        if document.data is None:
            raise SessionError("There is nothing to save.", "Open data first.")
        return save_session(path, document.state, document.data, __version__, self.cameras())

    def cameras(self) -> dict[str, Rotation]:
        """The rotation of every panel's camera."""
        return {id: tuple(map(tuple, c.rotation.tolist())) for id, c in self._window.grid.cameras().items()}

    # Other windows and programs ------------------------------------------------------------------------------

    def look_at_file(self) -> None:
        """Say so where something else changed or removed the session's file; take it back where that passed."""
        version = self._version_now()
        if self.session_path is None or not self._held or self._held[0] != self.session_path:
            self._withdraw_notice()
        elif version == self._held[1]:
            self._held = (self.session_path, version)
            self._withdraw_notice()
        elif self._notice is None or self._notice[0] != version or not self._window.banners.holds(self._notice[1]):
            self._withdraw_notice()
            self._notice = (version, self._notify(self.session_path, version))

    def _notify(self, path: Path, version: FileVersion | None) -> Banner:
        name = file_title(path)
        if version is None:
            text = f"The session {name} is no longer where it was: what you see is only in this window."
            return self._window.banners.show_message(
                "warning", text, action=("Save it again", lambda: self._write(path))
            )
        text = f"The session {name} was changed by another window or program since it was opened or saved here."
        return self._window.banners.show_message(
            "warning", text, "Save yours under another name to have both.",
            ("Open what is there", lambda: self.open_session(path)),
            [("Replace it by mine", lambda: self._write(path))],
        )  # fmt: skip

    def _withdraw_notice(self) -> None:
        if self._notice is not None:
            notice, self._notice = self._notice[1], None
            self._window.banners.forget(notice)

    def _version_now(self) -> FileVersion | None:
        """What the session's file holds; what it held where that cannot be told at present."""
        if self.session_path is None or self._held is None:
            return None
        try:
            return file_version(self.session_path, self._held[1])
        except OSError:
            return self._held[1]

    def _foreign(self) -> bool:
        """Whether the session's file holds what this window neither read nor wrote."""
        known = self._held is not None and self._held[0] == self.session_path
        return known and self._version_now() not in (None, self._held[1])

    # Losing nothing -----------------------------------------------------------------------------------------

    def may_lose(self, what: str) -> bool:
        """Whether unsaved work may go: asks, and saves if wanted."""
        document = self._window.document
        if document.data is None or not document.dirty:
            return True
        buttons = QMessageBox.StandardButton
        answer = QMessageBox.question(
            self._window, "Unsaved changes", f"Save the session before you {what}?",
            buttons.Save | buttons.Discard | buttons.Cancel, buttons.Save,
        )  # fmt: skip
        if answer == buttons.Save:
            return self.save_as() if self._foreign() else self.save()
        return answer == buttons.Discard

    def may_close(self) -> bool:
        """Whether the window may close; what is on screen can be continued next time."""
        if not self.may_lose("close"):
            return False
        if self._window.keeps_settings:
            self._window.autosave.finish()
        return True
