"""Turns of several pictures: one is painted in full, then the window looks at its events, then the next is painted."""

from __future__ import annotations

from PySide6.QtCore import QTimer


class Turns:
    """Decides which picture paints next: the one that asked first since events were last looked at."""

    def __init__(self) -> None:
        self._taken = False

    def take(self) -> bool:
        """Take the turn; False where another has it."""
        if self._taken:
            return False
        self._taken = True
        QTimer.singleShot(0, self._end)
        return True

    def _end(self) -> None:
        self._taken = False


FULL_PICTURES = Turns()
"""Of all pictures: those of six panels with a million samples, painted at once, would freeze the window."""
