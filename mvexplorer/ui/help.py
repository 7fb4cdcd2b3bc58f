"""Help inside the window."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from mvexplorer.resources import resource


def show_gestures(parent: QWidget) -> None:
    """A page on what the mouse and the keys do."""
    dialog = QDialog(parent)
    dialog.setWindowTitle("Mouse and keys")
    dialog.resize(560, 620)
    column = QVBoxLayout(dialog)
    page = QTextBrowser()
    page.setMarkdown(resource("help", "gestures.md").read_text("utf-8"))
    page.setFrameShape(QTextBrowser.Shape.NoFrame)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    column.addWidget(page)
    column.addWidget(buttons)
    dialog.open()
