"""The one place that writes files: a file is replaced only by a whole new one, or stays as it was."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

AnyPath = str | os.PathLike[str]

SCRATCH_PREFIX = ".mvx-"
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class FileVersion:
    """Which content a file had when it was last read or written; equal where the content is."""

    digest: str
    stamp: tuple[int, int, int] = field(compare=False)
    """Inode, size and time of change: while they stay, the content need not be read again."""


@contextmanager
def replacing(path: AnyPath) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` once it is complete and on the disk.

    Until then, and for good where anything fails, what was at `path` stays as it was. The new file is made in the same
    folder under a random name, short enough for any name beside it; where a link lies at either name, the link is
    replaced and never followed. Permissions are those of the former file, or the user's usual ones.

    Raises
    ------
    OSError
        The file cannot be written; nothing is left behind.
    """
    target = Path(path)
    former = check_writable(target)
    descriptor, scratch = _scratch_file(target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if former is not None and hasattr(os, "fchmod"):
                with suppress(OSError):  # some file systems have no permissions
                    os.fchmod(descriptor, stat.S_IMODE(former.st_mode))
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(scratch, target)
    except BaseException:
        with suppress(OSError):
            scratch.unlink()
        raise
    _settle_folder(target.parent)


def write_bytes(path: AnyPath, payload: bytes) -> FileVersion:
    """Replace a file by `payload`; returns which content it has now. OSError where that fails."""
    with replacing(path) as file:
        file.write(payload)
        file.flush()
        stamp = _stamp(os.fstat(file.fileno()))
    return FileVersion(hashlib.blake2b(payload).hexdigest(), stamp)


def check_writable(path: AnyPath) -> os.stat_result | None:
    """Refuse by OSError what `replacing` could not or should not replace; returns the facts of a former file."""
    target = Path(path)
    try:
        found = os.lstat(target)
    except FileNotFoundError:
        found = None
    except ValueError:  # a NUL in the name
        raise _error(errno.EINVAL, target) from None
    if found is None or stat.S_ISLNK(found.st_mode):
        if os.path.isdir(target):
            raise _error(errno.EISDIR, target)
        if not os.access(target.parent, os.W_OK):
            raise _error(errno.EACCES if target.parent.exists() else errno.ENOENT, target)
        return None
    if stat.S_ISDIR(found.st_mode):
        raise _error(errno.EISDIR, target)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EEXIST, "it is a device or a pipe, not a file", str(target))
    if not os.access(target, os.W_OK):  # a file that was write-protected on purpose is not replaced behind its back
        raise _error(errno.EACCES, target)
    return found


def _error(code: int, path: Path) -> OSError:
    return OSError(code, os.strerror(code), str(path))


def _scratch_file(folder: Path) -> tuple[int, Path]:
    # As tempfile.mkstemp, but made with the permissions that the user's umask leaves.
    while True:
        scratch = folder / f"{SCRATCH_PREFIX}{secrets.token_hex(8)}"
        with suppress(FileExistsError):
            return os.open(scratch, _NEW, 0o666), scratch


def _settle_folder(folder: Path) -> None:
    """Have the new name itself reach the disk, where folders can be synchronised."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def file_version(path: AnyPath, known: FileVersion | None = None) -> FileVersion | None:
    """Which content a file has now; None where there is no file. OSError where it cannot be read.

    Parameters
    ----------
    path : path
    known : FileVersion, optional
        What it had before: returned without reading where nothing points to a change.
    """
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
    """Lock a folder or a (new) file against other windows; a descriptor whose closing unlocks, None where it is locked.

    The system unlocks it when the process ends, however it ends. OSError where there is nothing to lock.
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
    """Rename a whole file, in place of what is at `aside`. OSError where that fails."""
    os.replace(path, aside)
