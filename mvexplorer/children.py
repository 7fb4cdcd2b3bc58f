"""Processes that this program starts: the one place that knows how Python runs a module of ours in another one."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any


def command(module: str) -> list[str]:
    """The command that calls `main` of one of our modules, by its full name, and ends with the code that it returns.

    The folder in which the user works is not searched for modules (``-P``): whatever lies there must not run. Ours are
    found where those of this process are, also where nothing was installed; after all others, so that they hide none.
    It is for `subprocess`, not for `multiprocessing`, which runs the caller's script again.
    """
    home = str(Path(__file__).parents[1])
    program = f"import sys; sys.path.append({home!r}); from {module} import main; sys.exit(main())"
    return [sys.executable, "-P", "-c", program]


def resident(number: int) -> int:
    """The bytes of memory that a process holds, by its number; 0 where it has ended, or nobody can tell."""
    if sys.platform == "win32":
        return _resident_on_windows(number)
    if sys.platform == "linux":
        with suppress(OSError, IndexError), open(f"/proc/{number}/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return _resident_by_ps(number)


def _resident_by_ps(number: int) -> int:
    said = subprocess.run(["ps", "-o", "rss=", "-p", str(number)], capture_output=True, check=False).stdout.strip()
    return 1024 * int(said) if said.isdigit() else 0


def _resident_on_windows(number: int) -> int:
    windows: Any = vars(ctypes)["WinDLL"]("kernel32")
    windows.OpenProcess.restype = ctypes.c_void_p
    process = ctypes.c_void_p(windows.OpenProcess(0x0410, False, number))  # to ask and to read
    counts = (ctypes.c_size_t * 10)()  # two words of 32 bits, then the peak and the present size
    counts_size = ctypes.sizeof(counts)
    answered = windows.K32GetProcessMemoryInfo(process, ctypes.byref(counts), counts_size)
    windows.CloseHandle(process)
    return int(counts[2]) if answered else 0
