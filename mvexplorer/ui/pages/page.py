"""What the dock below the panels asks of each of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QSize, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from mvexplorer.state.document import Change
    from mvexplorer.state.workbench import Workbench


class Page(Protocol):
    """A widget that explains the pictures; a new one is one file, and one row in `table.py`.

    A page that nobody looks at computes and draws nothing: it catches up in its `showEvent`, and is told of changes
    only while it is visible. Signals of the workbench it connects by itself. What it calls itself by `setWindowTitle`
    stands on its tab; before that, `title` does.
    """

    id: str
    title: str
    needs_height: bool
    """Whether the dock grows to the page's `sizeHint` when the page is opened."""

    def __init__(self, workbench: Workbench) -> None: ...
    def isVisible(self) -> bool: ...
    def sizeHint(self) -> QSize: ...

    def follow(self, change: Change) -> None:
        """Show the document as it is after a change."""

    def apply_theme(self) -> None:
        """Use the colours of the theme in force."""

    def compute_all(self) -> None:
        """Start everything that the page computes only when somebody asks for it."""


class Soon(QTimer):
    """Does something for a page once, a moment after it is asked to; a window is at rest when none of these runs.

    `start` begins the wait anew; `ask` does not, so that a steady drag cannot put it off for ever.
    """

    def __init__(self, page: QWidget, milliseconds: int, do: Callable[[], None]) -> None:
        super().__init__(page)
        self.setSingleShot(True)
        self.setInterval(milliseconds)
        self.timeout.connect(do)

    def ask(self) -> None:
        """Do it soon."""
        if not self.isActive():
            self.start()
