"""Decoders in C of formats that others made run in a process of our own: what a damaged file does to it ends there.

A function of `mvexplorer.io` is carried out there, and its value comes back through `io.base.wire`. The process
is started by the first file and kept for the next ones.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Lock, Thread
from typing import Any

from mvexplorer.children import command, resident
from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.guards import GIGABYTE, READ_LIMIT, physical_memory, read_limit
from mvexplorer.io.base.wire import Message, pack, pack_error, receive, send, unpack_error
from mvexplorer.private import HOME_VARIABLE
from mvexplorer.wording import file_title, reason, seconds_in_words, size

BEAT = 0.02
"""Seconds after which a reader that waits is asked whether it still wants the answer."""
_LEAST_SECONDS = 9
"""Seconds of the processor for any file; a larger one gets more."""
_SILENCE = 10
"""Times these seconds by the clock, after which a process that has said nothing will say nothing any more."""
_IS_LIMITED = sys.platform == "linux"
"""True if the system holds a process to its limit of memory; elsewhere it is measured."""
_AGAIN = "The file is damaged: write it again with the program it comes from."


def in_child(function: Callable[..., Any], room: Room, *arguments: Any) -> Any:
    """Call a function of `mvexplorer.io`, with a `Room` of the same file, in the process that decodes files.

    Arguments and result are what `io.base.wire.pack` takes; `room.tick` is called all the time and may stop it.
    DataError as the function raises it, or where the decoder crashed, or took too long or too much memory.
    """
    with _POOL.lent(room) as child:
        answer = child.ask(_Question(function, room, arguments))
    if "value" in answer:
        room.used = answer["used"]
        return answer["value"]
    if "error" in answer:
        raise unpack_error(answer["error"])
    raise RuntimeError(f"A reader failed in its process:\n{answer['fault']}")


class _Question:
    """A question to a process about one file, and how long and with how much memory it may look for the answer."""

    def __init__(self, function: Callable[..., Any], room: Room, arguments: tuple[Any, ...]) -> None:
        path = os.path.abspath(room.path)
        self.room, self.name = room, file_title(path)
        pace = 1 << 20  # bytes to decode in each further second
        self.seconds = _LEAST_SECONDS + os.stat(path).st_size // pace
        base, fold = 1 << 28, 3  # bytes besides this many times what reading may take
        self.memory = base + min(fold * read_limit(), physical_memory() or sys.maxsize)
        heeded = (READ_LIMIT, HOME_VARIABLE, "XDG_CACHE_HOME", "HOME")
        tree, self.arrays, _ = pack(list(arguments))
        self.message: Message = {
            "value": tree,
            "module": function.__module__,
            "function": function.__qualname__,
            "path": path,
            "memory": room.memory,
            "used": room.used,
            "seconds": self.seconds,
            "most": self.memory if _IS_LIMITED else None,
            "environment": {name: os.environ.get(name) for name in heeded},
        }

    def unread(self, what: str, hint: str = _AGAIN) -> DataError:
        """The error for a process that did not answer."""
        return DataError(f"“{self.name}” cannot be read: {what}.", hint)

    def too_large(self) -> DataError:
        """The error for a process that took too much memory."""
        more = 2 * -(-read_limit() // GIGABYTE)
        hint = f"If that is what the file should hold, set the environment variable {READ_LIMIT} to {more} (GB)."
        return self.unread(f"its decoder takes more than {size(self.memory)} of memory", hint)


class _Child:
    """A process that answers one question after the other."""

    def __init__(self) -> None:
        quiet: dict[str, Any] = {"creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0)}
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")  # threads take memory each
        self._process = subprocess.Popen(
            command("mvexplorer.io.base.decoding"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **one},
            start_new_session=True,
            **quiet,
        )
        self._said: SimpleQueue[Message | None] = SimpleQueue()
        self._has_begun = False
        self._measured = 0.0
        self._unfinished: list[str] = []
        self._listener = Thread(target=self._listen, name="decoder", daemon=True)
        self._listener.start()

    @property
    def is_alive(self) -> bool:
        """True if it can be asked."""
        return self._process.poll() is None

    def _listen(self) -> None:
        heard = self._process.stdout
        assert heard is not None
        message: Message | None = {}
        with heard:
            while message is not None:
                try:
                    message = receive(heard)
                except DataError as error:  # of a file in which arrays stand
                    message = {"error": pack_error(error)}
                except MemoryError:
                    message = {"memory": True}
                except (ValueError, TypeError, KeyError):  # not what we send: it has gone mad
                    message = None
                if message is not None and "writes" in message:
                    self._unfinished.append(message["writes"])
                else:
                    self._said.put(message)

    def ask(self, question: _Question) -> Message:
        """Return the answer: a value, an error or a fault; DataError where there is none."""
        questions = self._process.stdin
        assert questions is not None
        with suppress(BrokenPipeError):
            send(questions, question.message, question.arrays)
        part, is_bounded, since = 0.0, not _IS_LIMITED, time.monotonic()
        while True:
            try:
                message = self._said.get(timeout=BEAT)
            except Empty:
                question.room.tick(part)
                self._measure(question, since, is_bounded=is_bounded)
                continue
            since = time.monotonic()
            if message is None:
                raise self._death(question)
            if "tick" in message:
                question.room.tick(part := message["tick"])
            elif "say" in message:  # a conversion, which goes through the file block by block
                is_bounded = False
                question.room.tell(message["say"])
                question.room.tick(part)  # who stops now finds nothing written
                with suppress(BrokenPipeError):
                    send(questions, {"go": True})
            elif "ready" in message:
                self._has_begun = True
            elif "memory" in message:
                raise question.too_large()
            else:
                return message

    def _measure(self, question: _Question, since: float, *, is_bounded: bool) -> None:
        pause = 0.2  # seconds between two looks at the memory, where the system does not limit it
        if is_bounded and time.monotonic() - self._measured > pause:
            self._measured = time.monotonic()
            if resident(self._process.pid) > question.memory:
                raise question.too_large()
        if time.monotonic() - since > _SILENCE * question.seconds:
            raise question.unread(f"its decoder has said nothing for {seconds_in_words(_SILENCE * question.seconds)}")

    def _death(self, question: _Question) -> DataError:
        """Say why there is no answer."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        if not self._has_begun:
            return question.unread("the process that decodes it did not start", "Run: mvexplorer doctor")
        if self._process.returncode == -getattr(signal, "SIGXCPU", 0):
            return question.unread(f"its decoder took more than {seconds_in_words(question.seconds)}")
        return question.unread("its decoder crashed")

    def end(self) -> None:
        """Have it put its files away, or kill it and do that for it."""
        grace = 0.03  # seconds to put its files away
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        self._process.kill()
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._listener.join(1.0)
        for path in self._unfinished:  # those that were finished have another name now
            with suppress(OSError):
                os.unlink(path)


class _Pool:
    """Processes that decode files: one is kept while none is needed."""

    def __init__(self) -> None:
        most = 4  # files that are decoded at the same time
        self._free, self._lock = BoundedSemaphore(most), Lock()
        self._idle: _Child | None = None
        self._busy: set[_Child] = set()

    @contextmanager
    def lent(self, room: Room) -> Iterator[_Child]:
        """Lend a process for one question; after anything but an answer it is ended."""
        while not self._free.acquire(timeout=BEAT):
            room.tick(0.0)
        try:
            child = self._taken(file_title(room.path))
            try:
                yield child
            except BaseException:
                self._give_back(child, keep=False)
                raise
            self._give_back(child, keep=True)
        finally:
            self._free.release()

    def _taken(self, name: str) -> _Child:
        with self._lock:
            child, self._idle = self._idle, None
        if child is not None and not child.is_alive:
            child.end()
            child = None
        if child is None:
            try:
                child = _Child()
            except OSError as error:
                message = f"“{name}” cannot be read: the process that decodes it cannot be started: {reason(error)}."
                raise DataError(message, "Close other programs, or run: mvexplorer doctor") from None
        with self._lock:
            self._busy.add(child)
        return child

    def _give_back(self, child: _Child, *, keep: bool) -> None:
        with self._lock:
            self._busy.discard(child)
            if keep and self._idle is None:
                self._idle = child
                return
        child.end()

    def close(self) -> None:
        """End all of them; the next question starts one anew."""
        with self._lock:
            children = [*self._busy, *filter(None, [self._idle])]
            self._idle = None
        for child in children:
            child.end()


_POOL = _Pool()


def close() -> None:
    """End the processes that decode files; the next file starts one anew."""
    _POOL.close()


def _forget() -> None:
    """Leave the processes to the one that started them: this one was forked from it."""
    global _POOL
    _POOL = _Pool()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
