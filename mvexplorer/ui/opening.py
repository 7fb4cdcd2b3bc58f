"""Opening and saving: samples, files and sessions, off the main thread, with nothing lost on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtWidgets import QFileDialog, QMessageBox

from mvexplorer import __version__
from mvexplorer.compute.scheduler import Outcome
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.task import Task
from mvexplorer.errors import DataError, MissingValuesError, MVExplorerError, SessionError
from mvexplorer.io.files import SUFFIXES, Loaded
from mvexplorer.state import commands
from mvexplorer.state.session import SUFFIX, OpenedSession, is_session, open_session, save_session
from mvexplorer.state.settings import last_session_path
from mvexplorer.ui.point_cloud import Camera

if TYPE_CHECKING:
    from mvexplorer.ui.main_window import MainWindow

FILES = f"Data ({' '.join(f'*{s}' for s in SUFFIXES)});;Sessions (*.mvx.json);;All files (*)"
SESSIONS = f"mvexplorer sessions (*{SUFFIX})"
CHANGED = "has changed since the session was saved"


class Opening:
    """What File does."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        self.session_path: Path | None = None
        self.on_refused: Callable[[MVExplorerError], None] = lambda error: None

    @property
    def session_name(self) -> str:
        """The session's file name without its ending, or nothing."""
        return self.session_path.name.removesuffix(SUFFIX) if self.session_path else ""

    @property
    def data_title(self) -> str:
        """What the data is called in the title bar."""
        source = self._window.document.state.source
        if len(source) == 1 and (sample := find_sample(source[0])) is not None:
            return sample.title
        return ", ".join(Path(p).name for p in source[:3]) + (" …" if len(source) > 3 else "")

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

    def open_source(self, source: tuple[str, ...], *, drop_missing: bool = False, hint: str = "") -> None:
        """Open a sample or files in the background; undo brings the former data back."""

        def arrived(outcome: Outcome) -> None:
            if outcome.error is not None:
                self._refused(outcome.error, source)
            else:
                self._show_data(outcome.value, source, drop_missing, hint)

        self._load(
            lambda: load_source(source[0] if len(source) == 1 else list(source), drop_missing=drop_missing), arrived
        )

    def _load(self, read: Callable[[], Any], arrived: Callable[[Outcome], None]) -> None:
        def job(task: Task) -> Any:
            found = read()
            task.checkpoint()
            return found

        # Its own slot on the scheduler for embeddings: rules under way must not hold up an opening.
        self._window.controller.scheduler.submit("open", job, arrived, title="Opening")

    def _refused(self, error: MVExplorerError, source: tuple[str, ...]) -> None:
        self.on_refused(error)
        if isinstance(error, MissingValuesError):
            action = (f"Drop {len(error.rows)} rows", lambda: self.open_source(source, drop_missing=True))
            self._window.show_error(error, action)
        else:
            self._window.show_error(error)

    def _show_data(self, loaded: Loaded, source: tuple[str, ...], drop_missing: bool, hint: str) -> None:
        window = self._window
        window.banners.clear()
        name = source if loaded.manifest is not None else loaded.sources
        state = commands.initial_state(loaded.data, tuple(name), loaded.manifest, drop_missing)
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
            self._show_notes(loaded.notes)
        if hint:
            window.banners.show_message("info", hint)
        window.show_opened()

    def _remember(self, source: tuple[str, ...]) -> None:
        self._window.change_settings(recent=self._window.settings.with_recent(source).recent)

    def _show_notes(self, notes: tuple[str, ...]) -> None:
        action = None
        uneven = " ".join(re.findall(r"scales of columns differ by more than 1000 in (.*?): consider", " ".join(notes)))
        names = {name.strip("“” ") for name in uneven.replace(" and ", ", ").split(",")}
        scaled = [v.name for v in self._window.document.state.views if v.name in names]
        if scaled:

            def zscore() -> None:
                for name in scaled:
                    commands.set_preprocess(self._window.document, name, "zscore")

            action = (f"z-score {', '.join(scaled[:3])}", zscore)
        self._window.banners.show_message("warning" if scaled else "info", " ".join(notes), action=action)

    # Sessions -----------------------------------------------------------------------------------------------

    def choose_session(self) -> None:
        """Ask for a session and open it."""
        file, _ = QFileDialog.getOpenFileName(self._window, "Open session", "", SESSIONS)
        if file:
            self.open_session(Path(file))

    def continue_last(self) -> None:
        """Open what was on screen when the window closed."""
        self.open_session(last_session_path(), remember=False)

    def open_session(self, path: Path, *, accept_changed: bool = False, remember: bool = True) -> None:
        """Open a session in the background, once the present work is safe."""
        if not self.may_lose("open the session"):
            return

        def arrived(outcome: Outcome) -> None:
            if outcome.error is None:
                self._show_session(outcome.value, path if remember else None)
                return
            self.on_refused(outcome.error)
            action = None
            if CHANGED in outcome.error.message:
                action = ("Open anyway", lambda: self.open_session(path, accept_changed=True, remember=remember))
            self._window.show_error(outcome.error, action)

        self._load(lambda: open_session(path, accept_changed=accept_changed), arrived)

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
        """Save the session where it came from, or ask where."""
        return self._write(self.session_path) if self.session_path else self.save_as()

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
            self._store(path)
        except SessionError as error:
            window.show_error(error)
            return False
        self.session_path = path
        window.document.mark_saved()
        window.show_saved()
        self._remember((str(path.resolve()),))
        return True

    def _store(self, path: Path) -> None:
        window = self._window
        if window.document.data is None:
            raise SessionError("There is nothing to save.", "Open data first.")
        cameras = {id: tuple(map(tuple, c.rotation.tolist())) for id, c in window.grid.cameras().items()}
        save_session(path, window.document.state, window.document.data, __version__, cameras)

    def keep_last(self) -> None:
        """Save the present state where "continue last session" finds it."""
        if self._window.document.data is None:
            return
        try:
            last_session_path().parent.mkdir(parents=True, exist_ok=True)
            self._store(last_session_path())
        except (SessionError, DataError) as error:
            self._window.show_error(error)
        except OSError as error:
            self._window.show_error(SessionError(f"{last_session_path()} cannot be written: {error.strerror}.", ""))

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
            return self.save()
        return answer == buttons.Discard

    def may_close(self) -> bool:
        """Whether the window may close; what is on screen can be continued next time."""
        if not self.may_lose("close"):
            return False
        if self._window.keeps_settings:
            self.keep_last()
        return True
