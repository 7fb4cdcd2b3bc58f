"""Ctrl+C under Qt: KeyboardInterrupt is lost in a slot, leaves an enumeration half made, or aborts an import."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold back Ctrl+C until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    former = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
    if caught:
        raise KeyboardInterrupt


def run_loop(run: Callable[[], int], leave: Callable[[], None]) -> int:
    """Run an event loop by `run`; Ctrl+C calls `leave`, and KeyboardInterrupt is raised once the loop has ended."""
    import socket

    from PySide6.QtCore import QSocketNotifier, QTimer

    caught: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        caught.append(number)
        # If the loop has not started yet, it is left as soon as it does.
        QTimer.singleShot(0, leave)

    reader, writer = socket.socketpair()
    with reader, writer:
        reader.setblocking(False)
        writer.setblocking(False)
        # Python calls signal handlers only between bytecode instructions, and an idle loop runs none: the signal also
        # writes a byte, and the slot that reads it runs some.
        notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)
        notifier.activated.connect(lambda: reader.recv(64))
        former = signal.signal(signal.SIGINT, interrupt)
        descriptor = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        try:
            code = run()
        finally:
            signal.set_wakeup_fd(descriptor)
            signal.signal(signal.SIGINT, former)
            notifier.setEnabled(False)
    if caught:
        raise KeyboardInterrupt
    return code
