"""Qt without a display, for the commands that paint."""

from __future__ import annotations

import os

from mvexplorer.errors import MVExplorerError
from mvexplorer.ui.runtime.platform_check import inspect_platform


def qt_offscreen() -> None:
    """Have Qt paint without a window; MVExplorerError where it cannot."""
    # Set before the check, which then skips libraries that only a desktop needs.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    verdict = inspect_platform()
    if verdict.problem:
        raise MVExplorerError(verdict.problem)
    from PySide6.QtCore import QLoggingCategory

    # Offscreen there is no window manager, and Qt warns of every hint to it; nobody can act on that.
    QLoggingCategory.setFilterRules("default.warning=false")
