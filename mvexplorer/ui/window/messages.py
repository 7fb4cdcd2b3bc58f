"""Messages of the workbench and the library, shown above the panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mvexplorer.errors import MVExplorerError
    from mvexplorer.state.library import Library, Message
    from mvexplorer.state.workbench import Workbench
    from mvexplorer.ui.widgets.banner import Banner, Banners


class Messages:
    """Shows messages, and dismisses those that are no longer true."""

    def __init__(self, workbench: Workbench, library: Library, banners: Banners) -> None:
        self._banners = banners
        self._complaint: Banner | None = None
        """About the last failed edit; dismissed by the next successful one."""
        self._file_changed: tuple[Message, Banner] | None = None
        """About a session's file that another program changed."""
        self._nothing_kept: Banner | None = None
        """That the work in progress cannot be kept."""
        workbench.editor.failed.connect(self._show_complaint)
        workbench.editor.done.connect(self._withdraw_complaint)
        workbench.settings_failed.connect(self._show_settings_failed)
        library.told.connect(self._show)
        library.file_changed.connect(self._show_file_changed)
        library.autosave.failed.connect(self._show_nothing_kept)
        library.autosave.recovered.connect(self._withdraw_nothing_kept)

    def _show(self, message: Message) -> Banner:
        return self._banners.show_message(message.level, message.text, message.hint, more=message.offers)

    def _show_complaint(self, error: MVExplorerError) -> None:
        self._banners.forget(self._complaint)
        self._complaint = self._banners.show_message("error", error.message, error.hint)

    def _withdraw_complaint(self) -> None:
        self._banners.forget(self._complaint)
        self._complaint = None

    def _show_settings_failed(self, problem: str) -> None:
        self._banners.show_message("warning", problem, lasting=True)

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
        self._nothing_kept = self._banners.show_message("warning", text, error.hint, lasting=True)

    def _withdraw_nothing_kept(self) -> None:
        self._banners.forget(self._nothing_kept)
