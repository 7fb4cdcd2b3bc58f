"""A table that stays in a file of the user's, of which rows are read when they are wanted.

It is no memory map: where another program cuts the file off or saves it anew, to touch a page that is gone ends the
process, and rows of two versions would be taken for one table.
"""

from __future__ import annotations

import math
import mmap
import os
import weakref
from threading import Lock
from typing import IO, Any, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError, FileChangedError
from mvexplorer.wording import file_title, reason

_GAP = 1 << 15
"""Bytes between two wanted rows that are read sooner than skipped."""
_BAND, _BAND_OF_COLUMNS = 1 << 22, 1 << 26
"""Bytes of rows that are read at a time where a part of them is wanted; more where each column is read by itself."""
_CURSOR = Lock()
"""Where the system cannot read at a place, a file is read by one thread at a time."""


class _Version(NamedTuple):
    """The marks that tell a file from another one in its place, and from itself once it was written again."""

    size: int
    changed: int
    inode: int

    @classmethod
    def of(cls, about: os.stat_result) -> Self:
        return cls(about.st_size, about.st_mtime_ns, about.st_ino)


class TableInFile:
    """A table (M, D) of real numbers in a file, indexed by rows and columns as an array is; what is indexed is read.

    Its numbers begin at byte `start`; `by_column` tells that those of a column stand together. The open `file` may be
    closed afterwards: the table has it opened for itself, so that a file that is moved or removed can still be read.
    FileChangedError where rows are read of a file that is not as long any more, or was saved anew.
    """

    ndim = 2

    def __init__(
        self, file: IO[bytes], dtype: npt.DTypeLike, start: int, shape: tuple[int, int], *, by_column: bool = False
    ) -> None:
        self.path = os.path.abspath(file.name)
        self.dtype, self.shape = np.dtype(dtype), shape
        self.start, self.by_column = start, by_column
        self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        self._version = _Version.of(os.fstat(self._descriptor))

    @classmethod
    def of(cls, X: np.memmap[Any, Any]) -> Self | None:
        """The table that a map shows; None where its numbers do not stand together, or its file has lost its name."""
        place = place_in_file(X)
        if place is None:
            return None
        try:
            with open(place[0], "rb") as file:
                table = cls(file, X.dtype, place[1], (X.shape[0], X.shape[1]), by_column=not X.flags.c_contiguous)
            looked_at = 32  # Rows by which a file is known to be the one that a map shows.
            rows = np.linspace(0, len(X) - 1, looked_at).astype(int)
            # Another file may have taken its place.
            return table if np.array_equal(table[rows], X[rows], equal_nan=True) else None
        except (OSError, DataError):
            return None

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def size(self) -> int:
        """Count M·D of its numbers."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the file that its numbers take."""
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Self:
        """The table with rows for columns."""
        turned = object.__new__(type(self))
        vars(turned).update(vars(self) | {"shape": self.shape[::-1], "by_column": not self.by_column, "_kept": self})
        return turned

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """All of it, read into the memory."""
        if copy is False:
            raise ValueError("A table in a file is read into the memory.")
        whole: npt.NDArray[Any] = self[:]
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __getitem__(self, index: Any) -> Any:
        rows, columns = index if isinstance(index, tuple) else (index, slice(None))
        if np.ndim(rows) > 1 or (np.ndim(rows) and np.ndim(columns)):
            raise IndexError("A table in a file is indexed by rows and columns, of which one is a slice or a number.")
        first, stop, step = rows.indices(len(self)) if isinstance(rows, slice) else (0, 0, 0)
        if step == 1:
            values = self._block(first, max(first, stop), columns)
        else:
            places = np.arange(len(self))[rows]
            values = self._scattered(places.reshape(-1), columns)
            values = values if places.ndim else values[0]
        # Only after reading is it known that all was read from the same version.
        self.check_unchanged()
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        """The name of the file, and not what is in it: it must be there, unchanged, where this is unpickled."""
        self.check_unchanged()
        if not os.path.exists(self.path):
            return np.asarray, (self[:],)
        about = self.path, self.dtype.str, self.start, self.shape, self.by_column
        return _opened, (*about, self._version.size, self._version.changed)

    def check_unchanged(self) -> None:
        """Raise FileChangedError where the file was written again, or another one is in its place."""
        try:
            now = os.stat(self.path)
        except OSError:  # it was moved or removed, and is still open here
            now = os.fstat(self._descriptor)
        if _Version.of(now) != self._version:
            raise FileChangedError(self.path)

    def _scattered(self, rows: npt.NDArray[np.intp], columns: Any) -> npt.NDArray[Any]:
        """Rows in any order, those that stand close to each other read at once."""
        order = np.argsort(rows, kind="stable")
        wanted = rows[order]
        apart = np.diff(wanted) * self.dtype.itemsize * (1 if self.by_column else self.shape[1]) > _GAP
        out: npt.NDArray[Any] = np.empty((len(rows), *self._chosen(columns).shape), self.dtype)
        for run in np.split(np.arange(len(rows)), np.flatnonzero(apart) + 1):
            for first in range(int(wanted[run[0]]), int(wanted[run[-1]]) + 1, self._rows_at_once) if len(run) else ():
                some = run[slice(*np.searchsorted(wanted[run], (first, first + self._rows_at_once)))]
                if len(some):
                    block = self._block(first, int(wanted[some[-1]]) + 1, columns)
                    out[order[some]] = block[wanted[some] - first]
        return out

    @property
    def _rows_at_once(self) -> int:
        band = _BAND_OF_COLUMNS if self.by_column else _BAND
        return max(1, band // max(1, self.dtype.itemsize * self.shape[1]))

    def _chosen(self, columns: Any) -> npt.NDArray[np.intp]:
        return np.asarray(np.arange(self.shape[1])[columns])

    def _block(self, first: int, stop: int, columns: Any) -> npt.NDArray[Any]:
        """Consecutive rows, some columns of them."""
        (M, D), chosen = self.shape, self._chosen(columns)
        out: npt.NDArray[Any] = np.empty((stop - first, *chosen.shape), self.dtype, "F" if self.by_column else "C")
        is_all = isinstance(columns, slice) and columns == slice(None)
        if is_all and (not self.by_column or len(out) == M):
            self._fill(out.T if self.by_column else out, first * D)
        elif self.by_column:
            for column, numbers in zip(chosen.reshape(-1).tolist(), out.T.reshape(chosen.size, len(out)), strict=True):
                self._fill(numbers, column * M + first)
        else:
            for at in range(first, stop, self._rows_at_once):
                end = min(at + self._rows_at_once, stop)
                out[at - first : end - first] = self._block(at, end, slice(None))[:, columns]
        return out

    def _fill(self, numbers: npt.NDArray[Any], entry: int) -> None:
        """Read numbers that stand together, from one of the table's entries on."""
        if not numbers.size:
            return
        wanted, at = memoryview(cast("Any", numbers)).cast("B"), self.start + entry * self.dtype.itemsize
        while len(wanted):
            try:
                count = _read(self._descriptor, wanted, at)
            except OSError as error:
                self.check_unchanged()  # a file server says so of a file that was replaced
                name = file_title(self.path)
                raise DataError(f"“{name}” cannot be read: {reason(error)}.", "Open it again.") from None
            if not count:
                raise FileChangedError(self.path)
            wanted, at = wanted[count:], at + count


def _read(descriptor: int, into: memoryview, at: int) -> int:
    """Read from a place of a file; how many bytes there were."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, [into], at)
    with _CURSOR:
        os.lseek(descriptor, at, os.SEEK_SET)
        content = os.read(descriptor, min(len(into), _BAND))
    into[: len(content)] = content
    return len(content)


def _opened(path: str, kind: str, start: int, shape: tuple[int, int], by_column: bool, size: int, changed: int) -> Any:
    """The table again; DataError where this is not the same file."""
    hint = (
        "Views that stay in files need these where work is done: use processes of this computer, or put the file there."
    )
    try:
        with open(path, "rb") as file:
            table = TableInFile(file, kind, start, shape, by_column=by_column)
    except OSError as problem:
        raise DataError(f"{path} cannot be read: {reason(problem)}.", hint) from None
    if table._version[:2] != (size, changed):
        raise DataError(f"{path} cannot be read: it is another file, or it was changed.", hint)
    return table


def place_in_file(X: npt.NDArray[Any]) -> tuple[str, int] | None:
    """The file of a map, and the byte at which its numbers begin; None where they are in the memory, or scattered."""
    base: Any = X
    while isinstance(base, np.ndarray):
        base = base.base
    if not (isinstance(X, np.memmap) and isinstance(base, mmap.mmap) and X.filename and X.flags.forc):
        return None
    start = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY
    return str(X.filename), start + X.ctypes.data - np.frombuffer(base, np.uint8).ctypes.data
