"""Faults of the program are heard: a log file, a record of crashes, and a listener for exceptions nobody caught.

No Qt here: the command line and worker threads need it as well. The window adds Qt's own messages and a banner.
"""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import os
import platform
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from mvexplorer.private import make_own_folder

log = logging.getLogger(__name__)

LOG_NAME = "mvexplorer.log"


@dataclass(frozen=True)
class Fault:
    """An exception that should not have been: what it says, and where it came from."""

    summary: str
    details: str

    def report(self, context: str = "") -> str:
        """The text of a bug report; `context` is what the program was doing, for example a request as JSON."""
        parts = [self.summary, self.details, versions(), context]
        return "\n\n".join(part for part in parts if part)


def versions() -> str:
    """The versions a bug report needs, one line each."""
    lines = [f"Python {platform.python_version()} on {platform.platform()}"]
    own, others = ("mvexplorer", "mvexplorer-core"), ("numpy", "scipy", "scikit-learn", "polars")
    for name in (*own, "PySide6-Essentials", "pyqtgraph", *others):
        with suppress(metadata.PackageNotFoundError):
            lines.append(f"{name} {metadata.version(name)}")
    return "\n".join(lines)


def fault_of(error: BaseException, trace: TracebackType | None = None) -> Fault:
    """The fault an exception stands for; a listener's own exception, where a signal wrapped it."""
    while type(error).__name__ == "EmitLoopError" and error.__cause__ is not None:
        error, trace = error.__cause__, None
    depth = 30  # a fault that recurses a thousand deep says the same at each level
    lines = traceback.format_exception(type(error), error, trace or error.__traceback__, limit=depth)
    text = str(error).strip().splitlines()
    return Fault(f"{type(error).__name__}: {text[0]}" if text else type(error).__name__, "".join(lines).rstrip())


class FailureListener:
    """Hears every exception that nobody catches, on any thread, writes it to the log and hands it on.

    It also hears what others log as an error, as the scheduler does with the exception of a job, or Qt. The same
    fault again and again, as of a widget that cannot be painted, is told the 1st, 10th, 100th ... time.

    The log and the record of a crash are kept in `folder`, which is made if it is missing; where it cannot be written,
    faults are still told on stderr. `on_fault` is called with each `Fault`, on the thread it happened on.
    """

    def __init__(self, folder: Path, on_fault: Callable[[Fault], None] | None = None) -> None:
        self.log_path = folder / LOG_NAME
        self.problem = ""
        """Why there is no log, if there is none."""
        self.on_fault = on_fault
        self._crash_path = folder / f"crash-{os.getpid()}.txt"
        self._crash_file: IO[str] | None = None
        self._handlers: list[logging.Handler] = [_Stderr(), _Hearing(self._hand_on)]
        self._telling = threading.local()
        self._times: Counter[str] = Counter()
        self._former: tuple[Any, Any, Any] = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._open(folder)
        for handler in self._handlers:
            logging.getLogger().addHandler(handler)
        sys.excepthook = self._uncaught
        threading.excepthook = self._uncaught_in_thread
        sys.unraisablehook = self._unraisable

    def _open(self, folder: Path) -> None:
        try:
            make_own_folder(folder)
            log_bytes = 512 << 10
            log_files = 3
            kept = logging.handlers.RotatingFileHandler(
                self.log_path, "a", log_bytes, log_files - 1, encoding="utf-8", errors="backslashreplace"
            )
            kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
            kept.setLevel(logging.WARNING)
            self._handlers.append(kept)
            self._crash_file = self._crash_path.open("w", encoding="utf-8")
            faulthandler.enable(self._crash_file)
        except OSError as error:
            self.problem = f"The error log cannot be written to {folder}: {(error.strerror or str(error)).lower()}."

    def close(self) -> None:
        """Put the hooks back; an empty record of crashes is removed."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._former
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()
        if self._crash_file is not None:
            faulthandler.disable()
            self._crash_file.close()
            with suppress(OSError):
                if not self._crash_path.stat().st_size:
                    self._crash_path.unlink()

    def hear(self, error: BaseException, trace: TracebackType | None = None) -> None:
        """Log an exception and hand it on."""
        if isinstance(error, KeyboardInterrupt | SystemExit):
            return
        fault = fault_of(error, trace)
        self._times[fault.details] += 1
        times = self._times[fault.details]
        if str(times).strip("0") == "1":
            log.error("%s%s\n%s", fault.summary, f" ({times} times)" if times > 1 else "", fault.details)
            self._hand_on(fault)

    def _hand_on(self, fault: Fault) -> None:
        """A fault while telling of one is logged and goes no further."""
        if self.on_fault is None or getattr(self._telling, "busy", False):
            return
        self._telling.busy = True
        try:
            self.on_fault(fault)
        except Exception:
            log.exception("an error could not be shown")
        finally:
            self._telling.busy = False

    def _uncaught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        self.hear(error, trace)
        self._former[0](kind, error, trace)

    def _uncaught_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self.hear(args.exc_value, args.exc_traceback)
        self._former[1](args)

    def _unraisable(self, args: Any) -> None:
        if args.exc_value is not None:
            self.hear(args.exc_value, args.exc_traceback)
        self._former[2](args)


class _Stderr(logging.StreamHandler[Any]):
    """Repeats on stderr what others log, as Python does where nobody listens; the hooks print faults themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.setLevel(logging.WARNING)
        self.addFilter(lambda record: record.name != __name__)


class _Hearing(logging.Handler):
    """Takes what others log as an error, most with an exception, for a fault."""

    def __init__(self, hand_on: Callable[[Fault], None]) -> None:
        super().__init__(logging.ERROR)
        self._hand_on = hand_on

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == __name__:
            return
        error = record.exc_info[1] if record.exc_info else None
        message = record.getMessage()
        self._hand_on(Fault(message.partition("\n")[0], message) if error is None else fault_of(error))


def former_crash(folder: Path) -> str:
    """The record that the interpreter wrote when a former run crashed, "" if none did; each crash is told once."""
    texts, paths = [], []
    with suppress(OSError):
        paths = sorted(folder.glob("crash-*.txt"))
    for path in paths:
        number = path.stem.removeprefix("crash-")
        if not number.isdigit() or _alive(int(number)):
            continue
        with suppress(OSError):
            text = path.read_text("utf-8", errors="replace").strip()
            path.unlink()
            if text:
                texts.append(text)
    return "\n\n".join(texts)


def _alive(process: int) -> bool:
    """True if a process of that number runs, or if nobody can tell."""
    if sys.platform == "win32":
        return False  # an open file cannot be removed there, which protects the record of a running program
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
