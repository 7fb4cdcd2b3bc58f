"""The interface between the dock below the panels, its places and their pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QSize, QTimer
from PySide6.QtWidgets import QWidget

from mvexplorer.figures import Figure
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Change


@dataclass(frozen=True)
class PagePlace:
    """One of the tabs, named after what the user does there; `about` is the question that it answers.

    `words` is the sentence about the focused panel with which the place begins.
    """

    id: str
    title: str
    about: str
    words: Callable[[Workbench], str]


class Page(Protocol):
    """A widget that explains the pictures, in a place; a new one is one file, and one row in `table.py`.

    A hidden page computes and draws nothing: the dock calls `follow` only while the page is visible, and the page
    catches up in its `showEvent`. It connects the workbench's signals itself. The button that opens it shows its
    `windowTitle`, or `title` until that is set.
    """

    id: str
    title: str
    place: str

    def __init__(self, workbench: Workbench) -> None: ...
    def isVisible(self) -> bool: ...
    def sizeHint(self) -> QSize: ...

    def follow(self, change: Change) -> None:
        """Show the document as it is after a change."""

    def apply_theme(self) -> None:
        """Use the current theme's colours."""

    def compute_all(self) -> None:
        """Start everything that the page computes only on request."""

    def figures(self) -> Sequence[Figure]:
        """The figures that the page draws now, for files."""


class Soon(QTimer):
    """Updates a page once, shortly after a request; a window is idle when none of these timers runs.

    `start` restarts the wait; `ask` does not, so that a steady drag cannot put it off for ever.
    """

    def __init__(self, page: QWidget, milliseconds: int, do: Callable[[], None]) -> None:
        super().__init__(page)
        self.setSingleShot(True)
        self.setInterval(milliseconds)
        self.timeout.connect(do)

    def ask(self) -> None:
        """Update soon."""
        if not self.isActive():
            self.start()
