"""The process that decodes files: answers the questions of `mvexplorer.io.decoder`, and ends with who asks them."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.converted import Room
from mvexplorer.io.decoder import receive, send
from mvexplorer.io.wire import pack, pack_error
from mvexplorer.wording import in_words

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from types import FrameType

    from mvexplorer.io.wire import Message

_BETWEEN = 0.05
"""Seconds between two reports of how far a conversion is."""


def main() -> int:
    """Answer until nobody asks any more.

    Returns
    -------
    int
        The exit code.
    """
    questions, answers = _streams()
    os.chdir(os.path.abspath(os.sep))  # the folder in which it was started may be removed
    signal.signal(signal.SIGTERM, _leave)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    send(answers, {"ready": True})
    held: Any = None  # conversions are locked until the other side has them, which is when it asks again
    while (question := receive(questions)) is not None:
        answer, held = _answer(question, answers)
        send(answers, answer)
    del held
    return 0


def _streams() -> tuple[IO[bytes], IO[bytes]]:
    """Where questions come from and answers go to: descriptors of their own, into which no library prints."""
    questions, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return questions, answers


def _leave(number: int, frame: FrameType | None) -> None:
    """End, and remove on the way what was not finished."""
    sys.exit(1)


def _answer(question: Message, answers: IO[bytes]) -> tuple[Message, Any]:
    """What is to be said, and what is to be kept until the next question."""
    for name, value in question["environment"].items():
        os.environ.pop(name, None)
        os.environ.update({} if value is None else {name: value})
    try:
        function = getattr(import_module(question["module"]), question["function"])
        _limit(question["most"], question["seconds"])
        room = Room(question["path"], question["memory"], _Ticks(answers), lambda text: send(answers, {"say": text}))
        room.used = question["used"]
        value = function(room, *question["arguments"])
        with in_words(DataError, f"Numbers cannot be handed over in {question['folder']}"):
            return {"value": pack(value, question["folder"]), "used": room.used}, value
    except MVExplorerError as error:
        return {"error": pack_error(error)}, None
    except MemoryError:
        return {"memory": True}, None
    except Exception:  # noqa: BLE001 - the other side raises it
        return {"fault": traceback.format_exc()}, None


class _Ticks:
    """Tells how far a conversion is, not more often than anybody could see."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers, self._last = answers, 0.0

    def __call__(self, part: float) -> None:
        if (now := time.monotonic()) - self._last > _BETWEEN:
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
