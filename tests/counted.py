"""What something costs, counted and not timed: calls of functions, and widgets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import mvexplorer

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

PACKAGE = Path(mvexplorer.__file__).parent
UI = PACKAGE / "ui"


@contextmanager
def counted_calls(sources: Path = Path("/")) -> Iterator[list[int]]:
    """Counts the calls of Python functions, or of those below a folder of sources."""
    calls, folder = [0], str(sources)

    def look(frame, event: str, _: object) -> None:
        calls[0] += event == "call" and frame.f_code.co_filename.startswith(folder)

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def cost(widget: QWidget, act: Callable[[], object]) -> tuple[int, int]:
    """How many widgets are in a widget once something was done and drawn, and how many calls that took."""
    from PySide6.QtWidgets import QApplication
    from PySide6.QtWidgets import QWidget as Widget

    with counted_calls(UI) as calls:
        act()
        QApplication.processEvents()
        widget.grab()
    return len(widget.findChildren(Widget)), calls[0]
