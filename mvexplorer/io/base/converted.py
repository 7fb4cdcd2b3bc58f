"""Tables larger than the memory limit: their numbers are written once to an NPY file in the cache folder, and mapped.

A conversion is named by its file (path, size, time of change), by what of it was read and how, and by this program's
version. Whoever writes or uses one holds a lock on it: what nobody holds may go where room is needed.
"""

from __future__ import annotations

import hashlib
import math
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.maps import is_map, row_blocks
from mvexplorer.errors import DataError, FileChangedError
from mvexplorer.io.base.guards import Budget, open_file, read_limit
from mvexplorer.io.base.mapping import map_table
from mvexplorer.io.base.parts import Values
from mvexplorer.private import OWN_FILE
from mvexplorer.scratch import KEPT, cache_folder, make_room, reserved, unnamed_table
from mvexplorer.version import __version__
from mvexplorer.wording import in_words, size
from mvexplorer.writing import hold, replacing

Shape = tuple[int, ...]

UNFOLDS = 200
"""A table of this many times the bytes of its file is a trap, not data."""


class Room(Budget):
    """The memory that reading one file may take, in bytes, and the place on the disk for its tables that are larger.

    `tick` is told which part of a conversion is done, from 0 to 1, and may raise to stop; `tell` gets a sentence about
    what is converted, before that begins.
    """

    def __init__(
        self,
        path: str | Path,
        memory: int | None = None,
        tick: Callable[[float], None] = lambda part: None,
        tell: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        super().__init__(path)
        self.memory = read_limit() if memory is None else min(memory, read_limit())
        self.tick, self.tell = tick, tell
        self.writes: Callable[[str], None] = lambda path: None
        """Is told which unfinished file must not stay where this process is killed."""

    def is_beyond(self, shape: Shape, dtype: npt.DTypeLike = np.float64, *, copies: float = 1) -> bool:
        """True if a table of real numbers has to stay on the disk: it exceeds the memory left, or the limit when read.

        Reading holds its numbers `copies` times at once. What so small a file cannot hold is refused by reading.
        """
        if len(shape) != 2 or np.dtype(dtype).kind not in "biuf" or min(shape) < 2:
            return False
        held = 8 * math.prod(shape)
        too_large = self._bytes + held > self.memory or copies * held > read_limit()
        return too_large and held <= UNFOLDS * os.stat(self.path).st_size

    def find(self, what: str) -> Values | None:
        """Find a table that was converted before, as a read-only map; None where there is none."""
        place = self._place(what)
        try:
            with place.open("rb") as file:
                hold(file)
                table = _mapped(file)
        except (OSError, ValueError):
            return None
        if not is_map(table):
            return None
        with suppress(OSError):
            os.utime(place, ns=(time.time_ns(), place.stat().st_mtime_ns))  # used last, and not changed
        return table

    def keep(
        self, what: str, shape: Shape, dtype: npt.DTypeLike, fill: Callable[[Values], None], *, by_column: bool = False
    ) -> Values:
        """Convert a table, unless that was done before; return a read-only map. `what` says also how it is read.

        `fill` writes all numbers into an array, of single precision where that holds `dtype` exactly, else of double.
        """
        earlier = self.find(what)
        if earlier is not None and earlier.shape == shape:
            return earlier
        kind = np.dtype(np.float32 if np.result_type(dtype, np.float32) == np.float32 else np.float64)
        name, folder = Path(self.path).name, cache_folder()
        with in_words(DataError, f"The numbers of “{name}” cannot be written to {folder}"):
            make_room(folder, f"“{name}”", needed := math.prod(shape) * kind.itemsize)
            self.tell(
                f"Reading “{name}” would take more than the {size(self.memory)} it may: its numbers, {size(needed)}, "
                f"are written once to {folder}, where up to {size(KEPT)} of such files are kept."
            )
        self._write(what, shape, kind, fill, by_column=by_column)
        table = self.find(what)
        if table is None:
            raise DataError(f"The converted numbers of “{name}” are gone from {folder}.", "Open the file again.")
        return table

    def _write(
        self, what: str, shape: Shape, kind: np.dtype[Any], fill: Callable[[Values], None], *, by_column: bool
    ) -> None:
        """Write a new file, which has its name once it is complete and on the disk."""
        words = f"The numbers of “{Path(self.path).name}” cannot be written to {cache_folder()}"
        # Whoever may not read the file must not read its copy.
        mode = OWN_FILE & os.stat(self.path).st_mode | stat.S_IRUSR
        with in_words(DataError, words), replacing(self._place(what), mode) as file:
            self.writes(str(file.name))
            array = reserved(file, shape, kind, by_column=by_column)
            try:
                fill(array)
            except OSError as error:  # of the file that is read
                raise ValueError(str(error)) from error
            array.flush()

    def _place(self, what: str) -> Path:
        status = os.stat(self.path)
        about = (os.path.realpath(self.path), status.st_size, status.st_mtime_ns, what, __version__)
        digest = hashlib.blake2b(repr(about).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        return cache_folder() / f"{digest}.npy"


def pour(file: Any, dtype: npt.DTypeLike, tick: Callable[[float], None], table: Values) -> None:
    """Write the numbers that follow in a file into an array of the same order; ValueError where it ends too early."""
    kind, flat = np.dtype(dtype), table.ravel(order="K")
    poured = 1 << 17  # numbers at once
    for start in range(0, len(flat), poured):
        part = flat[start : start + poured]
        part[:] = np.frombuffer(file.read(len(part) * kind.itemsize), kind)
        tick(start / len(flat))
    file.read(1)  # at its end, an archive checks the sum of a member


def mark_texts(rows: Values, missing: Values) -> None:
    """Tell cells of text from missing ones in numbers (R, C) with NaN for both, in place: by the sign of their NaN."""
    for block in row_blocks(rows):
        lacks = np.isnan(rows[block])
        if lacks.any():
            rows[block][lacks] = np.where(missing[block][lacks], np.nan, -np.nan)


def unmarked(numbers: Values) -> Values:
    """Return which cells (R, C) of a table that `mark_texts` marked are missing; takes no memory where none is."""
    missing = np.zeros(numbers.shape, dtype=bool)
    for block in row_blocks(numbers):
        lacks = np.isnan(numbers[block]) & ~np.signbit(numbers[block])
        if lacks.any():
            missing[block] = lacks
    return missing


def taken(X: Values, index: Any) -> Values:
    """Take rows of a view (M, D), or columns behind a slice, as indexing does; those of a map become an unnamed map."""
    if not is_map(X):
        part: Values = X[index]
        return part
    rows, columns = index if isinstance(index, tuple) else (index, slice(None))
    chosen = np.arange(len(X))[rows]
    width = np.arange(X.shape[1])[columns]
    if np.array_equal(chosen, np.arange(len(X))) and np.array_equal(width, np.arange(X.shape[1])):
        return X
    array = unnamed_table((len(chosen), len(width)), X.dtype, "A part of the data")
    for block in row_blocks(array):
        array[block] = X[chosen[block]][:, columns]
    array.flush()
    array.flags.writeable = False
    return array


def refuse_large(X: Values, view: str, what: str) -> None:
    """Refuse what would take a map into the memory; `what` ends the sentence: ``its gaps cannot be filled in``."""
    if is_map(X):
        message = f"View “{view}” is larger than the memory that reading may hold, so {what}."
        raise DataError(message, "Keep the samples that all views have, or allow more memory.")


def _mapped(file: IO[bytes]) -> Values:
    """The table of a file that was written here."""
    np.lib.format.read_magic(file)
    shape, by_column, kind = np.lib.format.read_array_header_2_0(file)
    opened: Any = file
    table: Values = np.memmap(opened, kind, "r", file.tell(), shape, "F" if by_column else "C")
    return table


def taken_from_file(path: str, kind: np.dtype[Any], start: int, shape: Shape, order: Any) -> Values:
    """Take numbers from a file that another process has mapped; FileChangedError where it was cut off meanwhile.

    Those of a conversion are a read-only map, as is a large table in a file of the user's; others are read into memory.
    """
    is_ours = Path(path).parent == cache_folder()
    with open_file(path) as file:
        if is_ours:
            hold(file)
        opened: Any = file
        if os.fstat(file.fileno()).st_size >= start + math.prod(shape) * kind.itemsize:
            if is_ours:
                table: Values = np.memmap(opened, kind, "r", start, shape, order)
                return table
            large = map_table(file, kind, start, shape, order)
            if large is not None:
                return large
            numbers = np.fromfile(file, kind, math.prod(shape), offset=start)
            if numbers.size == math.prod(shape):
                return numbers.reshape(shape, order=order)
    raise FileChangedError(path)
