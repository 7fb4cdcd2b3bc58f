"""Starts the program, goes on with earlier work or opens FILE, and names a selection: naming_window.py FILE NAME.

It prints the names that it found, as JSON, and then, as soon as the selection is on the disk, "kept". Whoever started
this ends it.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from mvexplorer.cli import main
from mvexplorer.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from mvexplorer.state.document.model import DocumentState


def name_a_selection(window: MainWindow, file: str, name: str) -> None:
    """Do so in the data that the window opens."""

    def opened(_: object) -> None:
        print(json.dumps(window.document.state.selections.names), flush=True)
        QTimer.singleShot(0, name_it)

    def name_it() -> None:
        window.editor.select((1, 3, 5))
        window.editor.keep_selection(name)

    def kept(state: DocumentState) -> None:
        if name in state.selections.names:
            print("kept", flush=True)

    window.library.opened.connect(opened)
    window.autosave.kept.connect(kept)
    if window.library.kept:
        window.library.continue_last()
    else:
        window.library.open_files((file,))


if __name__ == "__main__":
    show = MainWindow.show

    def naming_show(window: MainWindow) -> None:
        show(window)
        QTimer.singleShot(0, lambda: name_a_selection(window, *sys.argv[1:]))

    MainWindow.show = naming_show
    sys.exit(main([]))
