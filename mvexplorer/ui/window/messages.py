"""Messages of the workbench and the library, shown above the panels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from mvexplorer.errors import FileChangedError, MVExplorerError
from mvexplorer.state.bench.import_doubts import Reading, reading_of
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.message import Message
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change
from mvexplorer.ui.widgets.banner import Banner, Banners

EDIT, EXPORT, PREFERENCES, KEEPING, WORKERS = "edit", "export", "preferences", "keeping", "workers"
"""Causes of messages: an edit, an exported file, preferences and work that cannot be stored, workers that are gone."""


class Messages:
    """Shows messages, dismisses those that are no longer true, and brings those back that are true again."""

    def __init__(self, workbench: Workbench, library: Library, banners: Banners) -> None:
        self._document, self._controller, self._banners = workbench.document, workbench.controller, banners
        self._doubts, self._covered = library.doubts, False
        self._file_changed: tuple[Message, Banner] | None = None
        """About a session's file that another program changed."""
        self._own: dict[Reading, list[Message]] = {}
        """Messages about the data, by its source and options of reading: undo leads back to them."""
        self._taken: set[Message] = set()
        """Those whose offer was taken; they come back with what they were about."""
        self._closed: set[Message] = set()
        """Those that the user does not want to see again."""
        self._shown: dict[Message, Banner] = {}
        """Those of the present data."""
        workbench.editor.failed.connect(self._show_complaint)
        workbench.editor.done.connect(lambda: banners.withdraw(EDIT))
        workbench.editor.saved.connect(lambda path: self._show_saved(path, path.name))
        self._controller.cancelled.connect(self._show_stopped)
        workbench.editor.several_saved.connect(
            lambda path, count: self._show_saved(path, f"{count} files beginning with “{path.stem}”")
        )
        workbench.editor.rescaled.connect(
            lambda sentence: banners.show_message("info", sentence, "Undo takes it back.", first=True, cause=EDIT)
        )
        workbench.editor.noted.connect(lambda note: banners.show_message("info", note, "", first=True, cause=EDIT))
        workbench.tuner.told.connect(
            lambda sentence, hint: banners.show_message("info", sentence, hint, first=True, cause=EDIT)
        )
        workbench.document.changed.connect(self._document_changed)
        workbench.settings_failed.connect(self._show_settings_failed)
        workbench.controller.workplace.lost.connect(
            lambda sentence: banners.show_message("warning", sentence, lasting=True, cause=WORKERS)
        )
        library.opened.connect(self._start_anew)
        library.told.connect(self._tell)
        library.file_changed.connect(self._show_file_changed)
        library.autosave.failed.connect(self._show_nothing_kept)
        library.autosave.recovered.connect(lambda: banners.withdraw(KEEPING))

    def _tell(self, message: Message) -> None:
        if message.of_data:
            self._own.setdefault(reading_of(self._document.state), []).append(message)
            self._follow_data()
        else:
            self._show(message)

    def _show(self, message: Message) -> Banner:
        offers = [(title, partial(self._take, message, do)) for title, do in message.offers]
        banner = self._banners.show_message(message.level, message.text, message.hint, more=offers, first=message.first)
        banner.cross.clicked.connect(lambda: self._close(message))
        return banner

    def _close(self, message: Message) -> None:
        self._closed.add(message)
        self._doubts.accept(message.text)

    def cover(self, covered: bool) -> None:
        """Hide the messages about the data while a page over it is open, or show them again."""
        self._covered = covered
        self._follow_data()

    def _take(self, message: Message, do: Callable[[], object]) -> None:
        self._taken.add(message)
        do()

    def _start_anew(self) -> None:
        """Forget the messages of former data: other data is in place."""
        self._own[reading_of(self._document.state)] = []
        self._taken.clear()
        self._follow_data()

    def _document_changed(self, change: Change) -> None:
        self._banners.withdraw(EDIT)
        self._banners.withdraw(EXPORT)  # the file is not of what is shown now
        before, after = reading_of(change.before), reading_of(change.after)
        if change.samples_changed:
            self._banners.clear()
        elif after not in self._own:  # an edit, such as the choice of a label, is kept in how the files are read
            self._own[after] = self._own.get(before, [])
        if self._own.get(after) is not self._own.get(before):
            self._taken.clear()
        if change.data_changed or (change.after.views is not change.before.views and not change.interactive):
            self._follow_data()

    def _follow_data(self) -> None:
        """Show the messages of the present data, and none of other data."""
        data, own = self._document.data, self._own.get(reading_of(self._document.state), [])
        true = [m for m in own if data is not None and (m.holds is None or m.holds(data))]
        self._taken.intersection_update(true)
        wanted = [m for m in true if m not in self._taken | self._closed and not self._covered]
        for message in [m for m in self._shown if m not in wanted]:
            self._banners.forget(self._shown.pop(message))
        for message in wanted:
            if not self._banners.holds(self._shown.get(message)):
                self._shown[message] = self._show(message)

    def _show_complaint(self, error: MVExplorerError) -> None:
        if isinstance(error, FileChangedError):
            self._controller.failed.emit(error)  # which offers to open it again
        else:
            self._banners.show_message("error", error.message, error.hint, cause=EDIT)

    def _show_saved(self, path: Path, what: str) -> None:
        folder = QUrl.fromLocalFile(str(path.parent.resolve()))
        show = "Show in folder", lambda: QDesktopServices.openUrl(folder)
        self._banners.show_message("info", f"Saved {what}.", action=show, cause=EXPORT)

    def _show_stopped(self, slot: str) -> None:
        """Say that a file was not written, whose slot is called so by the editor."""
        work, _, path = slot.partition(" ")
        if work == "write":
            text = f"Writing {Path(path).name} was stopped: nothing is half-written."
            self._banners.show_message("info", text, "Export again to have it.", cause=EXPORT)

    def _show_settings_failed(self, problem: str) -> None:
        self._banners.withdraw(PREFERENCES)
        if problem:
            self._banners.show_message("warning", problem, lasting=True, cause=PREFERENCES)

    def _show_file_changed(self, message: Message | None) -> None:
        if self._file_changed is not None:
            shown, banner = self._file_changed
            if shown is message and self._banners.holds(banner):
                return
            self._file_changed = None
            self._banners.forget(banner)
        if message is not None:
            self._file_changed = (message, self._show(message))

    def _show_nothing_kept(self, error: MVExplorerError) -> None:
        text = f"Work in progress is not kept: {error.message[0].lower()}{error.message[1:]}"
        self._banners.show_message("warning", text, error.hint, lasting=True, cause=KEEPING)
