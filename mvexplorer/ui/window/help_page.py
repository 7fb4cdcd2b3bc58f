"""Help inside the window: pages of `resources/help`."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from mvexplorer.resources import resource

PAGES = {"gestures": "Mouse and keys", "bandwidth": "Which ε, and why?"}
"""File name -> title."""
SIZES = {"gestures": (560, 620), "bandwidth": (860, 720)}
FRAME = 48
"""Pixels of the screen's height that a title bar and a frame may take."""


def show_page(parent: QWidget, name: str) -> None:
    """Open a page without blocking the window."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(PAGES[name])
    free = parent.screen().availableGeometry()
    dialog.resize(QSize(*SIZES[name]).boundedTo(QSize(free.width(), free.height() - FRAME)))
    column = QVBoxLayout(dialog)
    page = QTextBrowser()
    path = resource("help", f"{name}.md")
    page.setSearchPaths([str(path.parent)])
    page.setMarkdown(path.read_text("utf-8"))
    page.setFrameShape(QTextBrowser.Shape.NoFrame)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    column.addWidget(page)
    column.addWidget(buttons)
    dialog.open()
