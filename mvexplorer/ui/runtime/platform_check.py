"""Checks, before Qt starts, that a window can open: Qt aborts the process where it cannot."""

from __future__ import annotations

import builtins
import ctypes
import locale
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any, cast

from mvexplorer.children import command
from mvexplorer.errors import MVExplorerError
from mvexplorer.ui.runtime.interrupt import interrupts_wait

LIBRARIES = (
    "libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 "
    "libxcb-keysyms1 libxcb-render-util0 libxcb-util1 libxcb-xkb1 libxcb-shape0"
)
APT_LINE = f"sudo apt-get install -y {LIBRARIES}"
INSTALL = "python -m pip install PySide6-Essentials pyqtgraph"
NO_QT = f"The window needs PySide6 and pyqtgraph: {INSTALL}"
BROKEN_PAIRS = (("6.12.0", (3, 11)),)
"""(PySide6, CPython) versions that abort after a few thousand void calls."""
WITHOUT_DISPLAY = ("offscreen", "minimal")
DISPLAY_VARIABLES = {"wayland": "WAYLAND_DISPLAY", "xcb": "DISPLAY"}


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check of Qt: a platform name for QT_QPA_PLATFORM ("" for Qt's own choice), or the problem."""

    platform: str = ""
    has_display: bool = True
    problem: str = ""


def has_qt() -> bool:
    """Whether what the window is made of is installed: `mvexplorer-core` leaves that to its user."""
    try:
        return all(find_spec(name) is not None for name in ("PySide6", "pyqtgraph"))
    except ImportError:
        return False


def inspect_platform() -> Verdict:
    """Look at display, libraries and versions without starting Qt."""
    if os.name == "posix" and locale.setlocale(locale.LC_CTYPE) in ("C", "POSIX"):
        # Qt does the same, with a four-line warning.
        os.environ["LC_ALL"] = "C.UTF-8"
    problem = _import_problem() or _version_problem()
    if problem:
        return Verdict(problem=problem, has_display=False)
    platforms = os.environ.get("QT_QPA_PLATFORM", "")
    if platforms:
        return _first_that_works([part for part in platforms.split(";") if part])
    if not sys.platform.startswith("linux"):
        return Verdict()
    displays = [name for name in ("wayland", "xcb") if os.environ.get(DISPLAY_VARIABLES[name])]
    if not displays:
        return Verdict("offscreen", has_display=False)
    working = [name for name in displays if not _platform_problem(name)]
    # If all work, Qt chooses.
    return Verdict() if working == displays else _first_that_works(working or displays)


def use_platform() -> bool:
    """Have Qt start on what works here, or raise MVExplorerError; False where no window shows and none is required."""
    verdict = inspect_platform()
    if verdict.problem:
        raise MVExplorerError(verdict.problem)
    if not verdict.has_display and os.environ.get("MVEXPLORER_WINDOW") != "offscreen":
        return False
    if verdict.platform:
        os.environ["QT_QPA_PLATFORM"] = verdict.platform
    return True


def _first_that_works(platforms: list[str]) -> Verdict:
    """The first of the platforms that can start, or what is wrong with the last."""
    problem = ""
    for platform in platforms:
        problem = _platform_problem(platform)
        if not problem:
            return Verdict(platform, has_display=_name_of(platform) not in WITHOUT_DISPLAY)
    return Verdict(problem=problem, has_display=False)


def _name_of(platform: str) -> str:
    """The name of a platform without its settings: “linuxfb” of “linuxfb:fb=/dev/fb0”."""
    return platform.partition(":")[0].lower()


def _platform_problem(platform: str) -> str:
    """Tell why Qt's platform would not start here; empty where it will."""
    name = _name_of(platform)
    if name in WITHOUT_DISPLAY:
        return ""
    plugins = _plugins()
    if name not in plugins:
        return f"Qt has no platform “{name}” here. Unset QT_QPA_PLATFORM, or name one of: {', '.join(sorted(plugins))}."
    if not sys.platform.startswith("linux"):
        return ""
    try:
        ctypes.CDLL(plugins[name])
    except OSError as error:
        libraries = " libwayland-client0 libwayland-cursor0 libwayland-egl1"
        more = libraries if name.startswith("wayland") else ""
        return f"Qt's system libraries are missing ({error}). Install them with: {APT_LINE}{more}"
    if name == "xcb" or name.startswith("wayland"):
        return _display_problem(name.partition("-")[0])
    vulkan_only = ("vkkhrdisplay",)  # platforms that start, but never show a window that is not painted by Vulkan
    if name not in vulkan_only and _starts_as_another_process(platform):
        return ""
    return f"Qt's platform “{name}” does not start here. Unset QT_QPA_PLATFORM, or name another one."


def _display_problem(platform: str) -> str:
    """Tell why the display that a platform would use does not answer; empty where it does."""
    from mvexplorer.ui.runtime.platform_check import wayland_problem, x_problem

    variable = DISPLAY_VARIABLES[platform]
    name = os.environ.get(variable, "")
    reason = x_problem(name) if platform == "xcb" else wayland_problem(name or "wayland-0")
    otherwise = "or unset it: without a display the command writes the comparison picture."
    return reason and f"The display {variable}={name} cannot be used: {reason}. Correct {variable}, {otherwise}"


def _plugins() -> dict[str, str]:
    """The files of Qt's platforms by their names."""
    from PySide6.QtCore import QCoreApplication, QPluginLoader

    own = os.environ.get("QT_QPA_PLATFORM_PLUGIN_PATH")
    files: dict[str, str] = {}
    for folder in [*([own] if own else []), *(f"{path}/platforms" for path in QCoreApplication.libraryPaths())]:
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            path = os.path.join(folder, file)
            about = cast("dict[str, Any]", QPluginLoader(path).metaData())
            for key in about.get("MetaData", {}).get("Keys", []):
                files.setdefault(key, path)
    return files


def _starts_as_another_process(platform: str) -> bool:
    """True if Qt starts on a platform and finds a screen; tried in another process, as Qt may abort it."""
    import subprocess

    try:
        return (
            subprocess.run(
                command("mvexplorer.ui.runtime.platform_trial"),
                env={**os.environ, "QT_QPA_PLATFORM": platform},
                capture_output=True,
                timeout=20,
                check=False,
            ).returncode
            == 0
        )
    except (OSError, subprocess.SubprocessError):
        return False


def _import_problem() -> str:
    if not has_qt():
        return NO_QT
    plain = builtins.__import__
    try:
        with interrupts_wait():
            import PySide6.QtGui
            import PySide6.QtSvg
            import PySide6.QtWidgets  # noqa: F401
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("PySide6"):
            return NO_QT
        return f"Qt's system libraries are missing ({error}). Install them with: {APT_LINE}"
    finally:
        # PySide's own `import` reads the source of every module that comes later, in search of an optional spelling of
        # its names that nobody here uses. That would be a tenth of the time until the first window is there.
        builtins.__import__ = plain
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


PATIENCE = 5.0
"""Seconds a display may take to answer; a remote one needs a few tenths."""


def x_problem(name: str) -> str:
    """Tell why the X display `name` cannot be used; empty where it can.

    Uses the same library as Qt, so that names and permissions mean the same. The connection stays open until the
    program ends: a server resets itself when its last client leaves, and Qt may be connecting at that moment.
    """
    answers: list[int] = []

    def connect() -> None:
        xcb = ctypes.CDLL("libxcb.so.1")
        xcb.xcb_connect.restype = ctypes.c_void_p
        connection = ctypes.c_void_p(xcb.xcb_connect(os.fsencode(name), ctypes.byref(ctypes.c_int())))
        answers.append(xcb.xcb_connection_has_error(connection))

    with _stderr_kept() as printed:
        # The library waits for ever if a server accepts the connection and does not answer.
        thread = Thread(target=connect, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        reason = printed()
    if not answers:
        return f"nothing came back within {PATIENCE:g} s"
    if answers[0] == 0:
        return ""
    # Codes of xcb_connection_has_error more specific than “no connection”.
    reasons = {5: "this is no name of a display", 6: "it has no such screen"}
    return reasons.get(answers[0]) or reason or "nothing answers there"


@contextmanager
def _stderr_kept() -> Iterator[Callable[[], str]]:
    """Capture what a C library writes to stderr; yields a function that returns it."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    stderr = os.dup(2)
    os.dup2(writer, 2)

    def printed() -> str:
        try:
            return os.read(reader, 4096).decode(errors="replace").strip()
        except BlockingIOError:
            return ""

    try:
        yield printed
    finally:
        os.dup2(stderr, 2)
        for descriptor in (stderr, reader, writer):
            os.close(descriptor)


def wayland_problem(name: str) -> str:
    """Tell why the Wayland display `name` cannot be used; empty where it can."""
    import socket

    path = Path(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    if not path.is_absolute():
        return "XDG_RUNTIME_DIR does not say where it is"
    with socket.socket(socket.AF_UNIX) as compositor:
        compositor.settimeout(PATIENCE)
        try:
            compositor.connect(str(path))
            # The shortest message that a compositor must answer: wl_display.sync, with a new object 2.
            sync = b"".join(word.to_bytes(4, sys.byteorder) for word in (1, 12 << 16, 2))
            compositor.sendall(sync)
            answer = compositor.recv(1)
        except TimeoutError:
            return f"nothing came back within {PATIENCE:g} s"
        except (OSError, ValueError):  # OSError: name too long for a socket; ValueError: a NUL in it
            return "nothing answers there"
    return "" if answer else "it hung up"
