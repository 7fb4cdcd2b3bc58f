"""A random hand on the real window: clicks, drags, keys, menus, files, sessions, for minutes on end.

    python tests/ui/monkey.py [--seconds 300] [--seed N] [--log FILE]

Ends with exit code 1 after any exception, Python or Qt warning, log record, event loop that hung, or thread left.
A seed makes the same choices where the window is in the same state; how fast workers are makes small differences, so
every action is written to a log.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import os
import random
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import deque
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import monkey_hand
from PySide6.QtCore import QTimer, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.state.session.settings import HOME_VARIABLE, Settings
from mvexplorer.ui.app import HEAVY, application
from mvexplorer.ui.window.main_window import MainWindow

HANG = 10.0
"""Seconds without a turn of the event loop that count as a fault."""
TURN = 0.25
GRACE = 30.0
"""Seconds that workers inside a call that cannot be stopped have to end after closing."""
QUIET = ("This plugin does not support", "Mouse event")
"""Qt messages about the offscreen platform, and about clicks that nobody wanted."""
LAST = 15


class Watch:
    """Collects everything that must not happen, with the actions before it."""

    def __init__(self, log: Path) -> None:
        self.faults: list[str] = []
        self._log = log.open("w", encoding="utf-8")
        self._last: deque[str] = deque(maxlen=LAST)
        self._beat = time.monotonic()
        self._begin = self._beat

    def install(self) -> None:
        """Hear of faults by every way they take."""
        sys.excepthook = lambda *error: self.fault("".join(traceback.format_exception(*error)))
        threading.excepthook = lambda a: self.fault(
            "in a thread: " + "".join(traceback.format_exception(a.exc_type, a.exc_value, a.exc_traceback))
        )
        sys.unraisablehook = lambda a: self.fault(
            f"unraisable: {a.err_msg} {a.object!r} "
            + "".join(traceback.format_exception(a.exc_type, a.exc_value, a.exc_traceback))
        )
        warnings.simplefilter("always")
        warnings.showwarning = lambda text, kind, file, line, *_: self.fault(f"{kind.__name__}: {text} ({file}:{line})")
        qInstallMessageHandler(self._qt)
        handler = logging.Handler(logging.WARNING)
        handler.emit = lambda record: self.fault(f"log: {logging.Formatter().format(record)}")
        logging.getLogger().addHandler(handler)
        threading.Thread(target=self._guard, name="guard", daemon=True).start()

    def _qt(self, kind: QtMsgType, _context: object, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and not text.startswith(QUIET):
            self.fault(f"Qt: {text}\n{''.join(traceback.format_stack(limit=12))}")

    def did(self, what: str) -> None:
        """An action begins."""
        line = f"{time.monotonic() - self._begin:8.2f}  {what}"
        self._last.append(line)
        print(line, file=self._log, flush=True)

    def fault(self, text: str) -> None:
        """Something happened that must not."""
        self.faults.append(text)
        print(f"FAULT {text}", file=self._log, flush=True)
        before = "\n".join(f"    {line}" for line in self._last)
        print(f"--- fault {len(self.faults)}\n{text.rstrip()}\n  after\n{before}", flush=True)

    def beat(self) -> None:
        """The event loop turns."""
        self._beat = time.monotonic()

    def _guard(self) -> None:
        """On a machine busy elsewhere this thread gets on as slowly as the window: its own turns are counted."""
        turns, seen = 0, self._beat
        while True:
            time.sleep(TURN)
            turns, seen = (turns + 1, seen) if seen == self._beat else (0, self._beat)
            late = time.monotonic() - seen
            if turns * TURN >= HANG or late > 4 * HANG:
                turns = 0
                self.fault(f"the event loop has hung for {late:.0f} s\n{stacks()}")


def stacks() -> str:
    """Where each thread is at this moment."""
    with tempfile.TemporaryFile("w+") as written:
        faulthandler.dump_traceback(written)
        written.seek(0)
        return written.read()


def play(window: MainWindow, hand: monkey_hand.Hand, watch: Watch, seconds: float) -> int:
    """Let the hand play; returns how many actions it made."""
    app, made, end = QApplication.instance(), 0, time.monotonic() + seconds
    heart = QTimer(interval=100)
    heart.timeout.connect(watch.beat)
    heart.start()
    pace = QTimer(singleShot=True)

    def step() -> None:
        nonlocal made
        watch.beat()
        if time.monotonic() > end:
            hand.leave_popups()
            app.exit()  # quit() would ask the window first
            return
        made += 1
        # Started before the action: a menu or a box with a loop of its own is played with too.
        pace.start(hand.pause())
        hand.act()

    pace.timeout.connect(step)
    pace.start(0)
    while time.monotonic() <= end:  # a nested loop may take the first quit
        app.exec()
    return made


def close(window: MainWindow, watch: Watch) -> None:
    """Close the window; no thread may be left."""
    watch.did("close")
    window.discard()
    end = time.monotonic() + GRACE
    while time.monotonic() < end and left_threads():
        QApplication.processEvents()
        watch.beat()
        time.sleep(0.05)
    if left := left_threads():
        watch.fault(f"threads left: {[thread.name for thread in left]}\n{stacks()}")


def left_threads() -> list[threading.Thread]:
    """Workers that are still there."""
    return [t for t in threading.enumerate() if t is not threading.main_thread() and t.name != "guard"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="where every action is written")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="monkey-"))
    os.environ[HOME_VARIABLE] = str(folder / "home")
    HEAVY.run(StageCache(), Task())  # nothing can stop an import: a busy machine is still at it when the window closes
    watch = Watch(asked.log or folder / "actions.log")
    application("light", exported=True)
    watch.install()
    window = MainWindow(Settings(started_before=True))
    hand = monkey_hand.Hand(window, random.Random(asked.seed), folder, watch.did)
    hand.answer_dialogs()
    window.show()
    window.activateWindow()
    begin = time.monotonic()
    made = play(window, hand, watch, asked.seconds)
    spent = time.monotonic() - begin
    close(window, watch)
    print("actions by place: " + ", ".join(f"{place} {count}" for place, count in hand.acted.most_common()))
    print(f"seed {asked.seed}: {made} actions in {spent:.0f} s ({made / spent:.1f} a second), "
          f"{len(watch.faults)} faults; actions in {watch._log.name}", flush=True)  # fmt: skip
    return 1 if watch.faults else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # Qt's own teardown is not what is tried here
