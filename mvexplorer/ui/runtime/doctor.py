"""A report on what the program runs on, what is missing, and the command that installs it."""

from __future__ import annotations

import locale
import os
import platform
import sys
from importlib import metadata

from mvexplorer import __version__
from mvexplorer.failures import LOG_NAME
from mvexplorer.resources import resource, sample_folder
from mvexplorer.state.session.settings import log_folder
from mvexplorer.ui.runtime.distributions import trouble_of_two
from mvexplorer.ui.runtime.platform_check import NO_QT, has_qt, inspect_platform
from mvexplorer.version import CORE, installed_distributions

OF_THE_WINDOW = ("PySide6-Essentials", "pyqtgraph")
PACKAGES = (
    *OF_THE_WINDOW, "numpy", "scipy", "scikit-learn", "psygnal", "pydantic", "polars", "h5py", "pillow",
    "platformdirs", "filelock", "threadpoolctl",
)  # fmt: skip


def report() -> tuple[list[str], bool]:
    """Return the lines to print, and True if everything needed is there."""
    lines = [
        f"mvexplorer {__version__}",
        f"Python {platform.python_version()} on {platform.system()} {platform.machine()}",
    ]
    healthy = sys.version_info >= (3, 11)
    windowless = installed_distributions() == [CORE] and not has_qt()
    if trouble := trouble_of_two():
        healthy = False
        lines.append(trouble)
    for name in PACKAGES[len(OF_THE_WINDOW) if windowless else 0 :]:
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            healthy = False
            lines.append(f"{name} is missing. Install it with: python -m pip install {name}")
    lines += _surroundings()
    works, line = (True, f"No window, as {CORE} leaves it. {NO_QT}") if windowless else _platform()
    healthy = healthy and works
    lines.append(line)
    for name, path in (("Font", resource("fonts", "Inter-Regular.otf")), ("Samples", sample_folder() / "helix-a")):
        exists = path.exists()
        healthy = healthy and exists
        lines.append(f"{name}: {path}" if exists else f"{name} missing at {path}. Install mvexplorer again.")
    lines.append(f"Error log: {log_folder() / LOG_NAME}")
    lines += _blas()
    lines.append("Everything needed is here." if healthy else "Something is missing, see above.")
    return lines, healthy


def _platform() -> tuple[bool, str]:
    """Return whether Qt can start, and a line about where it does."""
    verdict = inspect_platform()
    if verdict.problem:
        return False, verdict.problem
    where = verdict.platform or os.environ.get("QT_QPA_PLATFORM") or "the desktop's own"
    words = "there is a display" if verdict.has_display else "no display: pictures are written instead of a window"
    return True, f"Qt platform: {where}; {words}"


def _surroundings() -> list[str]:
    """The display variables, and the text encoding."""
    variables = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    named = ", ".join(f"{name}={os.environ[name]}" for name in variables if os.environ.get(name))
    output = "closed" if sys.stdout is None else getattr(sys.stdout, "encoding", None) or "unknown"
    return [
        f"Display: {named or 'none is named'}",
        f"Locale: {locale.setlocale(locale.LC_CTYPE)}; standard output: {output}; "
        f"file names: {sys.getfilesystemencoding()}",
    ]


def _blas() -> list[str]:
    try:
        import numpy  # noqa: F401 - threadpoolctl sees loaded libraries only
        from threadpoolctl import threadpool_info
    except ImportError:
        return []  # already listed as missing

    return [
        f"BLAS: {pool['internal_api']} {pool.get('version') or ''}, {pool['num_threads']} thread"
        f"{'s' if pool['num_threads'] != 1 else ''}"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    ]
