"""File versions and locks, which keep two windows from replacing each other's work."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mvexplorer.writing import AnyPath, replacing

if TYPE_CHECKING:
    from filelock import BaseFileLock


@dataclass(frozen=True)
class FileVersion:
    """Identifies a file's content when last read or written; equal for equal content."""

    digest: str
    stamp: tuple[int, int, int] = field(compare=False)
    """Inode, size and time of change: while these are the same, the content need not be read again."""


def write_bytes(path: AnyPath, payload: bytes, mode: int | None = None) -> FileVersion:
    """Replace a file by some bytes, with the permissions `mode`; on an OSError, what was there stays."""
    with replacing(path, mode) as file:
        file.write(payload)
        file.flush()
        stamp = _stamp(os.fstat(file.fileno()))
    return FileVersion(hashlib.blake2b(payload).hexdigest(), stamp)


def file_version(path: AnyPath, known: FileVersion | None = None) -> FileVersion | None:
    """Identify a file's content, unread if nothing points to a change of the `known`; None if there is no file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    facts = os.fstat(descriptor)
    if not stat.S_ISREG(facts.st_mode):
        os.close(descriptor)
        return None
    with os.fdopen(descriptor, "rb") as file:
        if known is not None and known.stamp == _stamp(facts):
            return known
        return FileVersion(hashlib.file_digest(file, "blake2b").hexdigest(), _stamp(facts))


def _stamp(facts: os.stat_result) -> tuple[int, int, int]:
    return (facts.st_ino, facts.st_size, facts.st_mtime_ns)


def try_lock(path: AnyPath, patience: float = 0.0) -> BaseFileLock | None:
    """Lock a (new) file against other windows; None where one has the lock for longer than `patience`, in seconds.

    The system unlocks it when the process ends, however it ends. Where a file system knows no locks, an OSError is
    raised: a mark in their place would outlive a process that is killed.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path, patience, 0o600, thread_local=False, poll_interval=0.005, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock


def make_way(path: AnyPath, aside: AnyPath) -> None:
    """Rename a whole file, in place of any file of that name."""
    os.replace(path, aside)
