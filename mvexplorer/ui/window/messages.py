"""Messages of the workbench and the library, shown above the panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

if TYPE_CHECKING:
    from pathlib import Path

    from mvexplorer.errors import MVExplorerError
    from mvexplorer.state.document import Change
    from mvexplorer.state.library import Library, Message
    from mvexplorer.state.workbench import Workbench
    from mvexplorer.ui.widgets.banner import Banner, Banners

EDIT, EXPORT, PREFERENCES, KEEPING = "edit", "export", "preferences", "keeping"
"""Causes of messages: an edit, an exported file, and preferences and work in progress that cannot be stored."""


class Messages:
    """Shows messages, and dismisses those that are no longer true."""

    def __init__(self, workbench: Workbench, library: Library, banners: Banners) -> None:
        self._document, self._banners = workbench.document, banners
        self._file_changed: tuple[Message, Banner] | None = None
        """About a session's file that another program changed."""
        self._of_data: list[tuple[Message, Banner]] = []
        """Those that the data may make untrue."""
        workbench.editor.failed.connect(self._show_complaint)
        workbench.editor.done.connect(lambda: banners.withdraw(EDIT))
        workbench.editor.saved.connect(self._show_saved)
        workbench.document.changed.connect(self._document_changed)
        workbench.settings_failed.connect(self._show_settings_failed)
        library.told.connect(self._show)
        library.file_changed.connect(self._show_file_changed)
        library.autosave.failed.connect(self._show_nothing_kept)
        library.autosave.recovered.connect(lambda: banners.withdraw(KEEPING))

    def _show(self, message: Message) -> Banner:
        banner = self._banners.show_message(message.level, message.text, message.hint, more=message.offers)
        if message.holds is not None:
            self._of_data.append((message, banner))
        return banner

    def _document_changed(self, change: Change) -> None:
        self._banners.withdraw(EDIT)
        self._banners.withdraw(EXPORT)  # the file is not of what is shown now
        if change.samples_changed:
            self._banners.clear()
        if change.data_changed:
            data, known = self._document.data, self._of_data
            self._of_data = [(message, banner) for message, banner in known if self._banners.holds(banner)]
            for message, banner in self._of_data:
                if data is None or (message.holds is not None and not message.holds(data)):
                    self._banners.forget(banner)

    def _show_complaint(self, error: MVExplorerError) -> None:
        self._banners.show_message("error", error.message, error.hint, cause=EDIT)

    def _show_saved(self, path: Path) -> None:
        folder = QUrl.fromLocalFile(str(path.parent.resolve()))
        show = "Show in folder", lambda: QDesktopServices.openUrl(folder)
        self._banners.show_message("info", f"Saved {path.name}.", action=show, cause=EXPORT)

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
