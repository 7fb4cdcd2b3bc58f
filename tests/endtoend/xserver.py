"""A real X server with a window manager, a hand with mouse and keys, and the program on its screen."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import command

TOOLS = ("Xvfb", "openbox", "xdotool")
PATIENCE = 60.0
SPY = Path(__file__).with_name("spy.py")
GRAB = """
import sys
from PySide6.QtWidgets import QApplication
app = QApplication([])
sys.exit(not app.primaryScreen().grabWindow(0).save(sys.argv[1]))
"""


def missing_tools() -> list[str]:
    """What a real window needs and this machine lacks."""
    return [tool for tool in TOOLS if shutil.which(tool) is None]


def poll(what: str, found: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """The first true answer; fails after a deadline. Looks ten times a second."""
    pause, deadline = Event(), monotonic() + patience
    while not (answer := found()):
        assert monotonic() < deadline, f"waited in vain for {what}"
        pause.wait(0.1)
    return answer


@contextmanager
def running(arguments: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended at the end."""
    process = subprocess.Popen(arguments, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def x_server(width: int = 1500, height: int = 950) -> Iterator[str]:
    """A display of its own with a window manager; yields its name."""
    reader, writer = os.pipe()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # Else the server begins anew, and drops the window manager, where the first question to it comes before that.
    screen = ["-noreset", "-screen", "0", f"{width}x{height}x24"]
    with running(["Xvfb", "-displayfd", str(writer), *screen, "-nolisten", "tcp"], pass_fds=[writer], **quiet):
        os.close(writer)
        with os.fdopen(reader) as numbers:
            display = f":{numbers.readline().strip()}"
        with running(["openbox"], env={**os.environ, "DISPLAY": display}, **quiet):
            hand = Hand(display)
            poll("the window manager", lambda: hand.works("get_num_desktops"))
            yield display


class Hand:
    """Mouse and keys on a display."""

    def __init__(self, display: str) -> None:
        self._environment = {**os.environ, "DISPLAY": display}

    def works(self, *arguments: object) -> bool:
        """Whether xdotool could do something."""
        return self._call(arguments).returncode == 0

    def do(self, *arguments: object) -> str:
        """Have xdotool do something; returns what it prints."""
        done = self._call(arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def _call(self, arguments: tuple[object, ...]) -> subprocess.CompletedProcess[str]:
        words = ["xdotool", *(str(a) for a in arguments)]
        return subprocess.run(words, env=self._environment, capture_output=True, text=True, timeout=30)

    def move(self, x: float, y: float) -> None:
        """Put the pointer somewhere."""
        self.do("mousemove", "--sync", round(x), round(y))

    def click(self, x: float, y: float, button: int = 1) -> None:
        """Click somewhere."""
        self.move(x, y)
        self.do("click", button)

    def drag(self, points: list[tuple[float, float]], button: int = 1) -> None:
        """Press at the first point, go along the others, let go at the last.

        Slowly: Qt joins moves that arrive while the window paints, and a lasso would lose its corners.
        """
        self.move(*points[0])
        self.do("mousedown", button)
        for point in points[1:]:
            self.move(*point)
            sleep(0.04)
        self.do("mouseup", button)

    def key(self, *keys: str) -> None:
        """Press keys such as ctrl+z."""
        self.do("key", "--delay", 40, *keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self.do("type", "--delay", 15, text)

    def titles(self) -> list[str]:
        """Titles of the windows on screen."""
        found = self._call(("search", "--onlyvisible", "--name", "."))
        ids = found.stdout.split() if found.returncode == 0 else []
        return [self._call(("getwindowname", id)).stdout.strip() for id in ids]


class Program:
    """The program in its own process, and what it says of itself through the spy."""

    def __init__(self, display: str, folder: Path, *arguments: object) -> None:
        self.hand = Hand(display)
        self._display, self._folder = display, folder
        self._report = folder / "report.json"
        self._report.unlink(missing_ok=True)
        variables = command.environment(
            folder, DISPLAY=display, QT_QPA_PLATFORM="xcb", WAYLAND_DISPLAY=None, MVEXPLORER_HOME=str(folder / "home"),
            PYTHONWARNINGS=None,
        )  # fmt: skip
        with (folder / "errors.txt").open("wb") as errors:
            words = [sys.executable, str(SPY), str(self._report), *(str(a) for a in arguments)]
            self.process = subprocess.Popen(words, cwd=folder, env=variables, stderr=errors)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @property
    def errors(self) -> str:
        """What the program printed as errors."""
        return (self._folder / "errors.txt").read_text("utf-8", "replace")

    def facts(self) -> dict[str, Any]:
        """The last report; nothing before the first."""
        try:
            found: dict[str, Any] = json.loads(self._report.read_text("utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return found

    def until(self, what: str, holds: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """The first report of which something holds."""

        def look() -> dict[str, Any] | None:
            assert self.process.poll() is None, f"the program ended: {self.errors}"
            found = self.facts()
            return found if found and holds(found) else None

        return poll(what, look)

    def at_rest(self, what: str = "rest", holds: Callable[[dict[str, Any]], Any] = lambda f: True) -> dict[str, Any]:
        """A report of a window at rest, made after this call."""
        since = self.facts().get("number", 0)
        return self.until(what, lambda f: f["number"] > since + 1 and f["rest"] and holds(f))

    def ended(self) -> int:
        """The exit code, once the program has ended."""
        return int(self.process.wait(PATIENCE))

    def picture(self, name: str) -> Any:
        """What the screen shows, as an array (h, w, 3)."""
        path = self._folder / f"{name}.png"
        variables = command.environment(self._folder, DISPLAY=self._display, QT_QPA_PLATFORM="xcb", PYTHONWARNINGS=None)
        subprocess.run([sys.executable, "-c", GRAB, str(path)], env=variables, check=True, timeout=30)
        return pixels(path)


def pixels(path: Path) -> Any:
    """A picture as an array (h, w, 3)."""
    import numpy as np
    from PySide6.QtGui import QImage

    image = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
