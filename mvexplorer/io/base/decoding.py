"""The process that decodes files: answers the questions of `io.base.decoder`, and ends with who asks them."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import FrameType
from typing import IO

from mvexplorer.errors import MVExplorerError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.parts import Values
from mvexplorer.io.base.wire import Blocks, Message, pack, pack_error, receive, send

try:
    import fcntl
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def main() -> int:
    """Answer until nobody asks any more; return the exit code."""
    questions, answers = _streams()
    os.chdir(os.path.abspath(os.sep))  # the folder in which it was started may be removed
    signal.signal(signal.SIGTERM, _leave)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    send(answers, {"ready": True})
    held: list[Values] = []  # conversions are locked until the other side has them, which is when it asks again
    while (question := receive(questions)) is not None:
        answer, arrays, held = _answer(question, questions, answers)
        send(answers, answer, arrays, _problem)
        del arrays
    held.clear()
    return 0


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go to: descriptors of their own, into which no library prints."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    pipe = 1 << 20  # bytes that can be on their way
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    with suppress(NameError, AttributeError, OSError):  # where a pipe may be larger than usual, it is faster
        fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, pipe)
    return questions, answers


def _leave(number: int, frame: FrameType | None) -> None:
    """End, and remove on the way what was not finished."""
    sys.exit(1)


def _answer(
    question: Message, questions: IO[bytes], answers: IO[bytes]
) -> tuple[Message, list[Values | Blocks], list[Values]]:
    """Return the answer, the arrays that follow it, and the maps that are to be kept until the next question."""
    for name, value in question["environment"].items():
        os.environ.pop(name, None)
        os.environ.update({} if value is None else {name: value})
    try:
        function = getattr(import_module(question["module"]), question["function"])
        _limit(question["most"], question["seconds"])
        room = Room(question["path"], question["memory"], _Ticks(answers), partial(_say, questions, answers))
        room.used, room.writes = question["used"], lambda path: send(answers, {"writes": path})
        value = function(room, *question["value"])
        tree, arrays, maps = pack(value)
        return {"value": tree, "used": room.used}, arrays, maps
    except Exception as error:  # noqa: BLE001 - the other side raises it
        return _problem(error), [], []


def _problem(error: Exception) -> Message:
    """Return the answer to a question whose function raised."""
    if isinstance(error, MVExplorerError):
        return {"error": pack_error(error)}
    if isinstance(error, MemoryError):
        return {"memory": True}
    return {"fault": "".join(traceback.format_exception(error))}


def _say(questions: IO[bytes], answers: IO[bytes], text: str) -> None:
    """Say what is about to be converted, and begin only where that is wanted: nobody may be left to read it."""
    send(answers, {"say": text})
    if receive(questions) is None:
        sys.exit(1)


class _Ticks:
    """Tells how far a conversion is, not more often than anybody could see."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers, self._last = answers, 0.0

    def __call__(self, part: float) -> None:
        pause = 0.05  # seconds between two reports
        if (now := time.monotonic()) - self._last > pause:
            self._last = now
            send(self._answers, {"tick": part})


def _limit(most: int | None, seconds: int) -> None:
    """Hold this process to what one file may take: the system ends it beyond, or refuses memory."""
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    _set(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + 1 + seconds, hard)
    if most is not None:  # maps of files do not count, which may be larger than the memory
        with open("/proc/self/statm", encoding="ascii") as statm:
            own = int(statm.read().split()[5]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        _set(resource.RLIMIT_DATA, own + most, hard)


def _set(kind: int, soft: int, hard: int) -> None:
    resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
