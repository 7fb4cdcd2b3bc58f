"""File versions and locks, which keep two windows from replacing each other's work."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from dataclasses import dataclass, field

from mvexplorer.writing import AnyPath, replacing


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


def try_lock(path: AnyPath) -> int | None:
    """Lock a folder or a (new) file against other windows; None where another window has the lock.

    Closing the descriptor unlocks it; so does the system when the process ends, however it ends.
    """
    flags = os.O_RDONLY if os.path.isdir(path) else os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
            return None
        raise
    return descriptor


def make_way(path: AnyPath, aside: AnyPath) -> None:
    """Rename a whole file, in place of any file of that name."""
    os.replace(path, aside)
