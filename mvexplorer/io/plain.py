"""Large text tables without quotes, holes or odd lines, read in blocks; on any doubt the careful way is taken instead.

A block is taken only if polars finds as many rows as there are lines, and the lines hold as many separators as that
table has: then no line has a field too many, which polars refuses, and so none has one too few.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.guards import MAX_COLUMNS, check_bytes, open_file
from mvexplorer.io.text import find_separator, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import polars as pl

    from mvexplorer.io.parts import Values

FROM = 1 << 20
"""Bytes of a file from which the careful way is too slow."""
BLOCK = 1 << 24
_LOOK = 30  # lines that tell which columns are numbers
_COPIES = 3  # the numbers, those of a view, and as it is kept


class _Doubt(Exception):  # not an error: the file is read in another way
    """The file may not be what it seems to be."""


@dataclass
class PlainTable:
    """A large table of text: `numbers` and `missing` as in a `Grid`, the first fields, and the columns of text."""

    path: Path
    separator: str
    head: list[list[str]]
    numbers: Values
    missing: Values
    texts: dict[int, pl.Series] = field(default_factory=dict)
    state: tuple[int, int] = (0, 0)

    def row(self, index: int) -> list[str]:
        """The text of one row.

        Parameters
        ----------
        index : int
            From 0.

        Returns
        -------
        list of str
            One text per column; the file is read once more where it is not among the first.
        """
        if index < len(self.head):
            return self.head[index]
        [row] = self._again().slice(index, 1).collect().rows()
        return list(row)

    def column(self, index: int) -> list[str]:
        """The text of one column.

        Parameters
        ----------
        index : int
            From 0.

        Returns
        -------
        list of str
            One text per row; the file is read once more for a column of numbers.
        """
        if index in self.texts:
            return [self.head[0][index], *self.texts[index].to_list()]
        found: list[str] = self._again().select(str(index)).collect().to_series().to_list()
        return found

    def _again(self) -> pl.LazyFrame:
        """The cells as text, read when they are asked for."""
        import polars as pl

        if _state(self.path) != self.state:
            raise DataError(f"The file “{self.path.name}” was changed while it was read.", "Open it again.")
        schema = {str(i): pl.String for i in range(len(self.head[0]))}
        found = pl.scan_csv(
            self.path, glob=False, has_header=False, schema=schema, quote_char=None, separator=self.separator
        )
        return found.select(pl.all().fill_null("").str.strip_chars())


def read_plain(path: Path, tick: Callable[[float], None], as_numbers: Callable[..., Any]) -> PlainTable | None:
    """Read a large table of text fast.

    Parameters
    ----------
    path : Path
        The file.
    tick : function
        Is told which part is done, from 0 to 1; may raise to stop.
    as_numbers : function
        Cells of text as numbers, and which are missing: what a block is read by that does not hold numbers alone.

    Returns
    -------
    PlainTable or None
        None where the file is small, or anything about it is in doubt.

    Raises
    ------
    DataError
        It would take too much memory.
    """
    import polars as pl

    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size < FROM:
            return None
        try:
            return _read(path, file, tick, as_numbers)
        except (_Doubt, pl.exceptions.PolarsError, UnicodeDecodeError):
            return None


def _read(path: Path, file: BinaryIO, tick: Callable[[float], None], as_numbers: Callable[..., Any]) -> PlainTable:
    import polars as pl

    state, size = _state(path), os.fstat(file.fileno()).st_size
    n_rows = _count_lines(file)
    head, separator = _head(file)
    width = len(head[0])
    check_bytes(path, _COPIES * 9 * n_rows * width)
    table = PlainTable(path, separator, head, np.empty((n_rows, width)), np.empty((n_rows, width), bool), state=state)
    table.numbers[0], table.missing[0] = as_numbers(pl.Series(head[0], dtype=pl.String))
    # The first two are asked for: they would be the header of a table with its samples in columns.
    wordy = [j for j in range(width) if j < 2 or not all(is_number(row[j]) or not row[j] for row in head[1:])]
    texts: dict[int, list[pl.Series]] = {j: [] for j in wordy}
    at = 1
    for block in _blocks(file, skip=True):
        at = _take_block(table, block, at, texts, as_numbers)
        tick(file.tell() / size)
    if at != n_rows or _state(path) != state:
        raise _Doubt
    table.texts = {j: pl.concat(blocks) for j, blocks in texts.items()}
    # Careful reading leaves out a line of blanks, and tabs are blanks.
    if separator == "\t" and table.missing.all(axis=1).any():
        raise _Doubt
    return table


def _state(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _count_lines(file: BinaryIO) -> int:
    count, last = 0, b""
    while content := file.read(BLOCK):
        count += content.count(b"\n")
        last = content[-1:]
    file.seek(0)
    return count + (last != b"\n")


def _count(content: bytes, character: str) -> int:
    return int(np.count_nonzero(np.frombuffer(content, np.uint8) == ord(character)))


def _head(file: BinaryIO) -> tuple[list[list[str]], str]:
    """The fields of the first lines, and what separates them."""
    raw = [line for line in (file.readline(BLOCK) for _ in range(_LOOK)) if line]
    lines = [_check(line).rstrip(b"\n").decode() for line in raw]
    file.seek(0)
    separator = find_separator(tuple(lines[:20]))
    fields = [[cell.strip() for cell in line.split(separator)] for line in lines]
    width = len(fields[0])
    odd = len(lines) < _LOOK or any(len(row) != width for row in fields) or not 1 < width <= MAX_COLUMNS
    if separator == " " or odd or not all(line.strip() for line in lines):
        raise _Doubt
    return fields, separator


def _blocks(file: BinaryIO, *, skip: bool) -> Iterator[bytes]:
    """The file in blocks of whole lines, without the first line where it is to be skipped."""
    if skip:
        _check(file.readline())
    rest = b""
    while content := file.read(BLOCK):
        end = content.rfind(b"\n") + 1
        if not end and len(rest) > BLOCK:
            raise _Doubt
        block, rest = rest + content[:end], content[end:] if end else rest + content
        if block and end:
            yield _check(block)
    if rest:
        yield _check(rest + b"\n")


def _check(block: bytes) -> bytes:
    if b'"' in block or b"\0" in block:
        raise _Doubt
    if not block.isascii():
        block.decode()
        if block.startswith(b"\xef\xbb\xbf"):
            raise _Doubt
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if b"\r" in block:
        raise _Doubt
    return block


def _take_block(
    table: PlainTable, block: bytes, at: int, texts: dict[int, list[pl.Series]], as_numbers: Callable[..., Any]
) -> int:
    """Fill in the rows of a block from row `at` on; the row after them."""
    import polars as pl

    width, count, separators = len(table.head[0]), _count(block, "\n"), _count(block, table.separator)
    decimal = table.separator == ";" and b"," in block
    if decimal or separators != count * (width - 1) or at + count > len(table.numbers):
        raise _Doubt
    kinds = {str(j): pl.String if j in texts else pl.Float64 for j in range(width)}
    rows = slice(at, at + count)
    try:
        frame = _parsed(table, block, kinds)
        plain = _fill(table, rows, frame, [j for j in range(width) if j not in texts])
    except pl.exceptions.ComputeError:
        plain = False
    if not plain:
        frame = _parsed(table, block, dict.fromkeys(kinds, pl.String))
    if frame.height != count:
        raise _Doubt
    for j in texts if plain else range(width):
        cells = frame.to_series(j).fill_null("").str.strip_chars()
        table.numbers[rows, j], table.missing[rows, j] = as_numbers(cells)
        if j in texts:
            texts[j].append(cells)
    return at + count


def _parsed(table: PlainTable, block: bytes, kinds: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    return pl.read_csv(BytesIO(block), has_header=False, schema=kinds, quote_char=None, separator=table.separator)


def _fill(table: PlainTable, rows: slice, frame: pl.DataFrame, columns: list[int]) -> bool:
    """Take the columns of numbers; False where some are infinite or not numbers, which words may have said."""
    if frame.height != rows.stop - rows.start:
        raise _Doubt
    if not columns:
        return True
    some = frame.select([frame.columns[j] for j in columns])
    numbers, n_holes = some.to_numpy(), sum(some.null_count().row(0))
    holes: Any = np.isnan(numbers) if n_holes else False
    together = columns[-1] - columns[0] == len(columns) - 1  # then all are written at once
    place = slice(columns[0], columns[-1] + 1) if together else columns
    table.numbers[rows, place], table.missing[rows, place] = numbers, holes
    return int(np.count_nonzero(holes)) == n_holes and bool((np.isfinite(numbers) | holes).all())
