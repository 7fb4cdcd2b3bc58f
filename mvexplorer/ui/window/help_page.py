"""Help inside the window: pages of `resources/help`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from mvexplorer.resources import resource
from mvexplorer.teaching.catalogue import find_lesson

PAGES = {
    "gestures": "Mouse and keys",
    "lessons": "Lessons",
    "bandwidth": "Which ε, and why?",
    "ingredients": "Ingredients",
    "validation": "Validation",
    "where-do-they-differ": "Where do they differ?",
    "what-a-view-adds": "View contributions",
    "what-is-this-point": "What is this point?",
    "selections": "Selections",
    "diagnostics": "Inside the method",
    "small-multiples": "Small multiples",
    "gallery": "The papers as a gallery",
    "your-own-data": "Your own data",
    "cluster": "More than one machine",
    "take-it-with-you": "Export and sharing",
}
"""File name -> title."""
WIDE = (
    "bandwidth",
    "ingredients",
    "validation",
    "where-do-they-differ",
    "what-a-view-adds",
    "diagnostics",
    "your-own-data",
    "cluster",
    "take-it-with-you",
)
LESSON_OF = {
    "bandwidth": "bandwidth",
    "ingredients": "uneven-views",
    "validation": "noise",
    "where-do-they-differ": "agreement",
    "what-a-view-adds": "more-views",
    "gallery": "joining-views",
    "your-own-data": "tables-to-figure",
}
"""The lesson that teaches what a page explains."""
SIZES = {name: (860, 720) if name in WIDE else (560, 620) for name in PAGES}
FRAME = 48
"""Pixels of the screen's height that a title bar and a frame may take."""
PICTURE = re.compile(r"!\[[^]]*]\(([^)]+)\)")


def show_page(parent: QWidget, name: str, begin: Callable[[str], object] | None = None) -> None:
    """Open a page without blocking the window; `begin` begins the lesson that teaches what it explains."""
    dialog = QDialog(parent)
    dialog.setWindowTitle(PAGES[name])
    free = parent.screen().availableGeometry()
    dialog.resize(QSize(*SIZES[name]).boundedTo(QSize(free.width(), free.height() - FRAME)))
    column = QVBoxLayout(dialog)
    page = QTextBrowser()
    beside = 64  # pixels of a page's width that margins and a scroll bar may take
    fill(page, resource("help", f"{name}.md"), dialog.width() - beside)
    page.setOpenExternalLinks(True)  # in the user's browser: a page holds no web page
    page.setFrameShape(QTextBrowser.Shape.NoFrame)
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    if begin is not None and name in LESSON_OF:
        lesson = find_lesson(LESSON_OF[name])
        button = buttons.addButton(f"Lesson: {lesson.topic}", QDialogButtonBox.ButtonRole.ActionRole)
        button.clicked.connect(dialog.accept)
        button.clicked.connect(partial(begin, lesson.id))
    column.addWidget(page)
    column.addWidget(buttons)
    dialog.open()


def fill(page: QTextBrowser, path: Path, room: int) -> None:
    """Show a Markdown file, its pictures shrunk to the page's width: no line is worth scrolling sideways for."""
    text, ratio = path.read_text("utf-8"), page.devicePixelRatioF()
    page.setMarkdown(text)
    for name in PICTURE.findall(text):
        image, most = QImage(str(path.parent / name)), round(room * ratio)
        if image.width() > most:
            image = image.scaledToWidth(most, Qt.TransformationMode.SmoothTransformation)
            image.setDevicePixelRatio(ratio)
        page.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
