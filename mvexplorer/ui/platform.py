"""Can a window open here? Found out before Qt is asked: it aborts the process where it cannot start."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass

LIBRARIES = (
    "libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 "
    "libxcb-keysyms1 libxcb-render-util0 libxcb-util1 libxcb-xkb1 libxcb-shape0"
)
APT_LINE = f"sudo apt-get install -y {LIBRARIES}"
BROKEN_PAIRS = (("6.12.0", (3, 11)),)
"""PySide6 versions that abort a CPython after a few thousand void calls."""


@dataclass(frozen=True)
class Verdict:
    """What Qt can do here: a platform name for QT_QPA_PLATFORM ("" for Qt's own choice), or why nothing."""

    platform: str = ""
    has_display: bool = True
    problem: str = ""


def inspect_platform() -> Verdict:
    """Look at display, libraries and versions without starting Qt."""
    problem = _import_problem() or _version_problem()
    if problem:
        return Verdict(problem=problem, has_display=False)
    asked = os.environ.get("QT_QPA_PLATFORM", "")
    if asked:
        return Verdict(asked, has_display=asked not in ("offscreen", "minimal"))
    if not sys.platform.startswith("linux"):
        return Verdict()
    if os.environ.get("WAYLAND_DISPLAY"):
        return Verdict()
    if not os.environ.get("DISPLAY"):
        return Verdict("offscreen", has_display=False)
    try:
        ctypes.CDLL("libxcb-cursor.so.0")
    except OSError:
        return Verdict(problem=f"Qt's system libraries are missing. Install them with: {APT_LINE}", has_display=False)
    return Verdict()


def _import_problem() -> str:
    try:
        import PySide6.QtGui
        import PySide6.QtSvg
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        if "PySide6" in str(error) and "No module" in str(error):
            return "PySide6 is not installed. Install it with: python -m pip install PySide6-Essentials"
        return f"Qt's system libraries are missing ({error}). Install them with: {APT_LINE}"
    return ""


def _version_problem() -> str:
    from PySide6 import __version__ as version

    for broken, python in BROKEN_PAIRS:
        if version == broken and sys.version_info[:2] == python:
            return (
                f"PySide6 {version} crashes Python {python[0]}.{python[1]}. "
                "Install another one with: python -m pip install 'PySide6-Essentials!=6.12.0'"
            )
    return ""
