"""Limits on what may be opened, and on the memory for it: a few hundred bytes can claim gigabytes.

Every reader opens its file by `open_file`, and checks the sizes that the file claims against a `Budget` before it
allocates memory.
"""

from __future__ import annotations

import errno
import math
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.task import Cancelled
from mvexplorer.errors import DataError
from mvexplorer.wording import reason

READ_LIMIT = "MVEXPLORER_READ_LIMIT"
"""Environment variable: GB that one file may take when read."""
GIGABYTE = 10**9
MAX_ITEMS = 250_000
"""Cells, fields and variables of one file, however they are nested."""
MAX_DEPTH = 100
MAX_ARRAYS = 5_000
MAX_COLUMNS = 100_000
MAX_VIEWS = 500
MAX_TABLES = 500
MAX_RECORDINGS = 100_000
MAX_DOCUMENT = 100 * 10**6
"""Bytes of a JSON document: a session, a manifest, the preferences."""


def open_file(path: str | Path) -> BinaryIO:
    """Open a regular file; refuse folders, and pipes, devices and sockets, whose reading might never end."""
    try:
        return _open_regular(path)
    except FileNotFoundError:
        raise DataError(f"There is no file “{path}”.", "Check the name and the folder.") from None
    except IsADirectoryError:
        raise DataError(f"“{path}” is a folder.", "Give the files in it, one per view.") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file; an OSError says what is wrong."""
    try:
        # The kind is checked before opening: opening a pipe wakes the process at its other end.
        _check_kind(os.stat(path).st_mode)
        # A pipe put in its place meanwhile must not block either.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "its name holds a character that no name can have") from None
    try:
        _check_kind(os.fstat(descriptor).st_mode)
    except OSError:
        os.close(descriptor)
        raise
    # Maps of it know its name.
    return open(os.fspath(path), "rb", opener=lambda *_: descriptor)


def _check_kind(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        kinds = (
            (stat.S_ISFIFO, "a pipe"),
            (stat.S_ISSOCK, "a socket"),
            (stat.S_ISCHR, "a device"),
            (stat.S_ISBLK, "a device"),
        )
        kind = next((name for test, name in kinds if test(mode)), "no ordinary file")
        raise OSError(errno.EINVAL, f"it is {kind}, which may have no end")


def read_document(path: str | Path) -> bytes:
    """Return the bytes of a JSON document; OSError where it cannot be read, or is too large for one."""
    with _open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > MAX_DOCUMENT:
            raise OSError(errno.EFBIG, f"it has {size:,} bytes, where {MAX_DOCUMENT:,} are the most")
        return file.read()


def unreadable(path: str | Path, error: OSError) -> DataError:
    """Make the error for a file that the system does not let us read, with what the user can do."""
    hint = "Check its permissions, or copy it elsewhere."
    return DataError(f"The file “{Path(path).name}” cannot be read: {reason(error)}.", hint)


def read_content(path: str | Path) -> bytes:
    """Return all bytes of a regular file; DataError where it is larger than `read_limit`."""
    with open_file(path) as file:
        check_bytes(path, os.fstat(file.fileno()).st_size)
        try:
            return file.read()
        except OSError as error:
            raise unreadable(path, error) from None


def read_limit() -> int:
    """Return the bytes that reading a file may take: the environment variable, else 4 GB or the machine's memory."""
    given = os.environ.get(READ_LIMIT, "")
    if not given:
        usual = 4 * GIGABYTE
        return min(usual, physical_memory() or usual)
    try:
        limit = float(given) * GIGABYTE
    except ValueError:
        limit = math.nan
    if not (limit > 0 and math.isfinite(limit)):
        raise DataError(f"{READ_LIMIT} is “{given}”, which is no size.", "Set it to a number of GB, such as 8.")
    return int(limit)


def physical_memory() -> int | None:
    """Return the machine's memory in bytes; None where the system has no such call, as Windows."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def check_bytes(path: str | Path, size: int) -> None:
    """Refuse sizes above `read_limit`."""
    limit = read_limit()
    if size > limit:
        raise DataError(
            f"Reading “{Path(path).name}” would take {_gigabytes(size)}, where {_gigabytes(limit)} are the most.",
            f"If that is what the file should hold, set the environment variable {READ_LIMIT} to "
            f"{math.ceil(min(size, 10**30) / GIGABYTE)} (GB).",
        )


def _gigabytes(size: int) -> str:
    return f"{size / GIGABYTE:,.3g} GB" if size < 10**15 else "more than a million GB"


def check_count(path: str | Path, count: int, most: int, what: str, hint: str) -> None:
    """Refuse a file that holds more of something, `what` in the plural, than can be worked with."""
    if count > most:
        raise DataError(f"“{Path(path).name}” holds {count:,} {what}, where {most:,} are the most.", hint)


def check_views(path: Path, names: Collection[str]) -> None:
    """Refuse more views than can be looked at."""
    hint = "Join features that belong together into one table, or choose views by their names."
    check_count(path, len(names), MAX_VIEWS, "views", hint)


def check_sources(tables: Sequence[Path], recordings: Sequence[Path]) -> None:
    """Refuse more files than can be views (tables), or samples (recordings)."""
    for paths, most, what in ((tables, MAX_TABLES, "tables"), (recordings, MAX_RECORDINGS, "recordings")):
        if len(paths) > most:
            message = f"There are {len(paths):,} files of {what}, where {most:,} are the most."
            raise DataError(message, "Join them into fewer files: a file may hold many views.")


@contextmanager
def damage_told(
    path: str | Path, what: str, advice: str, kinds: tuple[type[BaseException], ...] = (Exception,)
) -> Iterator[None]:
    """Raise whatever a damaged file makes its library raise as a DataError: none promises which that is."""
    try:
        yield
    except (DataError, Cancelled, MemoryError):
        raise
    except kinds as error:
        raise DataError(f"The file “{Path(path).name}” {what} ({type(error).__name__}).", advice) from None


class Budget:
    """The bytes and items that may still be read from one file."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self._bytes = 0
        self._items = 0

    @property
    def used(self) -> tuple[int, int]:
        """Bytes and items so far; it is set where another process has counted on."""
        return self._bytes, self._items

    @used.setter
    def used(self, counts: Sequence[int]) -> None:
        self._bytes, self._items = counts

    def take(self, size: int) -> None:
        """Count bytes before they are allocated; DataError where the file's content would become too large."""
        self._bytes += size
        check_bytes(self.path, self._bytes)

    def count(self, items: int, depth: int = 0) -> None:
        """Count cells, fields and variables; DataError where they are too many, or nested too deep."""
        self._items += items
        check_count(self.path, self._items, MAX_ITEMS, "cells and fields", "Save tables and vectors of numbers.")
        if depth > MAX_DEPTH:
            message = f"“{Path(self.path).name}” nests cells or structs more than {MAX_DEPTH} deep."
            raise DataError(message, "Save the views as variables of their own.")


def fill_in(matrix: Any, budget: Budget) -> npt.NDArray[Any]:
    """Make a sparse matrix (n, d) from a file dense; DataError where indices do not fit the shape, or it is too large.

    The indices are checked first: SciPy trusts them, and writes outside the array if they are wrong. Half precision and
    foreign byte orders, which it does not know, are converted.
    """
    if matrix.dtype.kind not in "biufc":
        raise damaged_sparse(budget.path)
    budget.take(math.prod(int(n) for n in matrix.shape) * max(matrix.dtype.itemsize, 8))
    whole = check_sparse(matrix, budget.path)
    native = np.dtype(np.float32) if whole.dtype == np.float16 else whole.dtype.newbyteorder("=")
    return np.asarray((whole if whole.dtype == native else whole.astype(native)).toarray())


def check_sparse(matrix: Any, path: str | Path) -> Any:
    """Return a sparse matrix, compressed; refuse one whose indices do not fit its shape."""
    try:
        compressed = matrix if matrix.format in ("csr", "csc", "bsr") else matrix.tocsr()
        compressed.check_format(full_check=True)
    except (ValueError, IndexError, OverflowError, TypeError):
        raise damaged_sparse(path) from None
    # SciPy's check does nothing if the last index pointer is 0.
    if (np.diff(compressed.indptr.astype(np.int64)) < 0).any():
        raise damaged_sparse(path)
    return compressed


def damaged_sparse(path: str | Path) -> DataError:
    """Make the error for a sparse matrix whose parts do not fit each other."""
    message = f"A sparse matrix of “{Path(path).name}” is damaged: its parts do not fit each other."
    return DataError(message, "Save it again, or as a full matrix.")


def clean_text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return text or bytes from a file as text of the same shape that can be shown: invalid characters become “�”."""
    if values.size == 0 or values.dtype.itemsize == 0:
        return np.zeros(values.shape, dtype="U1")
    if values.dtype.kind == "S":
        return np.asarray(np.char.decode(values, "utf-8", "replace"))
    native = np.array(values, dtype=values.dtype.newbyteorder("="), order="C")
    codes = np.atleast_1d(native).view(np.uint32)
    wrong = (codes > 0x10FFFF) | ((codes >= 0xD800) & (codes < 0xE000))
    if wrong.any():
        codes[wrong] = 0xFFFD
    return codes.view(f"U{values.dtype.itemsize // 4}").reshape(values.shape)
