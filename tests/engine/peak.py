"""The memory a computation takes at most, measured in a child process: Linux tells and resets it in /proc."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")


def measurable() -> bool:
    """Whether this system tells a process its peak and lets it be reset."""
    return hasattr(os, "fork") and STATUS.exists() and os.access(RESET, os.W_OK)


def _resident(name: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) << 10


def peak_of(work: Callable[[], object]) -> int:
    """Bytes by which the resident memory of a forked child grows at most while it does `work`.

    What the parent has imported and allocated is there before, and does not count; what it has freed is given back
    first, lest the child find room in it.
    """
    ctypes.CDLL(None).malloc_trim(0)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            before = _resident("VmRSS")
            RESET.write_text("5")
            kept = work()
            os.write(writing, str(_resident("VmHWM") - before).encode())
            del kept
            code = 0
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if status:
        raise ChildProcessError(f"the child ended with status {status}")
    return int(text)
