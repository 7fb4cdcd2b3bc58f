"""Files are replaced only by whole new ones, or stay as they were."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO

from mvexplorer.errors import DataError
from mvexplorer.wording import in_words

try:
    import fcntl
except ImportError:  # Windows removes no file that is open
    fcntl = None  # type: ignore[assignment]


AnyPath = str | os.PathLike[str]

_SCRATCH_NAME = re.compile(r"\.mvx-[0-9a-f]{16}")


@contextmanager
def writing(path: AnyPath) -> Iterator[BinaryIO]:
    """A file that replaces `path` once it is complete; DataError where it cannot be written."""
    with in_words(DataError, f"{path} cannot be written"), replacing(path) as file:
        yield file


@contextmanager
def replacing(path: AnyPath, mode: int | None = None) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` once it is complete and on the disk.

    Until then, and for good where anything fails, what was at `path` stays as it was. The new file is made in the same
    folder under a random name, short enough for any name beside it; where a link lies at either name, the link is
    replaced and never followed. Permissions are `mode`; without it, those of the former file, or the user's
    usual ones. Files go that killed processes left in the folder when they wrote. Where the file cannot be written, an
    OSError is raised and nothing is left behind.
    """
    target = Path(path)
    former = check_writable(target)
    sweep_scratch(target.parent)
    descriptor, scratch = _scratch_file(target.parent, 0o666 if mode is None else mode)
    try:
        with open(scratch, "w+b", opener=lambda *_: descriptor) as file:  # it knows its name
            hold(file)
            if former is not None and mode is None and hasattr(os, "fchmod"):
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


def check_writable(path: AnyPath) -> os.stat_result | None:
    """Refuse by OSError what `replacing` could not or should not replace; returns the facts of a former file."""
    target = Path(path)
    try:
        facts = os.lstat(target)
    except FileNotFoundError:
        facts = None
    except ValueError:  # a NUL in the name
        raise _error(errno.EINVAL, target) from None
    if facts is None or stat.S_ISLNK(facts.st_mode):
        if os.path.isdir(target):
            raise _error(errno.EISDIR, target)
        if not os.access(target.parent, os.W_OK):
            raise _error(errno.EACCES if target.parent.exists() else errno.ENOENT, target)
        return None
    if stat.S_ISDIR(facts.st_mode):
        raise _error(errno.EISDIR, target)
    if not stat.S_ISREG(facts.st_mode):
        raise OSError(errno.EEXIST, "it is a device or a pipe, not a file", str(target))
    if not os.access(target, os.W_OK):  # a file that was write-protected on purpose is not replaced behind its back
        raise _error(errno.EACCES, target)
    return facts


def hold(file: IO[bytes], *, alone: bool = False) -> None:
    """Lock a file for as long as it is open or mapped; BlockingIOError where others hold it and it is wanted alone."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError as error:  # some file systems know no locks
        if alone or isinstance(error, BlockingIOError):
            raise


def remove_unheld(path: Path) -> bool:
    """Remove a file unless somebody writes or uses it; returns whether it is gone."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with suppress(OSError), open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        hold(file, alone=True)
        if fcntl is None:
            file.close()
        path.unlink()
        return True
    return False


def sweep_scratch(folder: Path) -> None:
    """Remove the scratch files that processes of this user's left in a folder when they were killed."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    with suppress(OSError), os.scandir(folder) as entries:
        left_behind = 3600.0  # seconds without a change: a process that was killed left it
        for name in [entry.name for entry in entries if _SCRATCH_NAME.fullmatch(entry.name)]:
            path = folder / name
            with suppress(OSError):
                facts = path.lstat()
                is_old = time.time() - facts.st_mtime > left_behind
                if stat.S_ISREG(facts.st_mode) and facts.st_uid == user and is_old:
                    remove_unheld(path)


def _error(code: int, path: Path) -> OSError:
    return OSError(code, os.strerror(code), str(path))


def _scratch_file(folder: Path, mode: int) -> tuple[int, Path]:
    # As tempfile.mkstemp, but made with the permissions that the user's umask leaves.
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        scratch = folder / f".mvx-{secrets.token_hex(8)}"
        with suppress(FileExistsError):
            return os.open(scratch, flags, mode), scratch


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
