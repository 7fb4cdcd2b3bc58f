"""Checks, before Qt starts, that a display answers: Qt aborts the process where none does."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

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
