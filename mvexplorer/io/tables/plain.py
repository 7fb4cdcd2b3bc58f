"""Large text tables without quotes, holes or odd lines, read in blocks; on any doubt the careful way is taken instead.

A file is taken only if polars finds as many rows as there are lines. It refuses a line with a field too many, and fills
in what a shorter one lacks: a block with holes must hold as many separators as its table has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import Room, mark_texts, unmarked
from mvexplorer.io.base.guards import MAX_COLUMNS, check_bytes, open_file
from mvexplorer.io.base.parts import ID_NAMES, Values
from mvexplorer.io.base.text import find_separator, is_number

if TYPE_CHECKING:
    import polars as pl

FROM = 1 << 20
"""Bytes of a file from which the careful way is too slow."""
BLOCK = 1 << 22
"""Bytes that are parsed at once, or some lines of a wide table: their numbers stay in the processor's cache."""
_COPIES = 3 * 9 / 8  # the numbers and what is missing among them, those of a view, and as it is kept


class _Doubt(Exception):  # not an error: the file is read in another way
    """The file may not be what it seems to be."""


class _Longer(Exception):
    """The file has more lines than there is room for."""


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
        """Return the text of one row, from 0; the file is read once more where it is not among the first."""
        if index < len(self.head):
            return self.head[index]
        [row] = self._again().slice(index, 1).collect().rows()
        return list(row)

    def column(self, index: int) -> list[str]:
        """Return the text of one column, from 0; the file is read once more for a column of numbers."""
        if index in self.texts:
            return [self.head[0][index], *self.texts[index].to_list()]
        cells: list[str] = self._again().select(str(index)).collect().to_series().to_list()
        return cells

    def _again(self) -> pl.LazyFrame:
        """Return the cells as text, read when they are used."""
        import polars as pl

        if _state(self.path) != self.state:
            raise DataError(f"The file “{self.path.name}” was changed while it was read.", "Open it again.")
        schema = {str(i): pl.String for i in range(len(self.head[0]))}
        cells = pl.scan_csv(
            self.path, glob=False, has_header=False, schema=schema, quote_char=None, separator=self.separator
        )
        return cells.select(pl.all().fill_null("").str.strip_chars())


def read_plain(
    path: Path, room: Room, as_numbers: Callable[..., Any], finish: Callable[[PlainTable], object]
) -> PlainTable | None:
    """Read a large table of text fast; None where the file is small, or anything about it is in doubt.

    `room` is told which part is done, may raise to stop, and takes the numbers of a table larger than the memory.
    `as_numbers` gives cells of text as numbers, and which are missing: it reads a block that does not hold numbers
    alone. `finish` makes numbers of columns of text in place, before a table is put away.
    """
    import polars as pl

    with open_file(path) as file:
        if os.fstat(file.fileno()).st_size < FROM:
            return None
        try:
            guess = _guess_lines(file, os.fstat(file.fileno()).st_size)
            if room.is_beyond((guess, len(_head(file)[0][0])), copies=_COPIES):
                return _convert(path, file, room, as_numbers, finish)
            try:
                return _read(path, file, room.tick, as_numbers, guess)
            except _Longer:  # its first lines are not like the others
                return _read(path, file, room.tick, as_numbers, _count_lines(file))
        except (_Doubt, _Longer, pl.exceptions.PolarsError, UnicodeDecodeError):
            return None


def _read(
    path: Path, file: BinaryIO, tick: Callable[[float], None], as_numbers: Callable[..., Any], n_rows: int
) -> PlainTable:
    """Read a table of about `n_rows` lines."""
    state = _state(path)
    head, separator = _head(file)
    width = len(head[0])
    check_bytes(path, int(_COPIES * 8 * n_rows * width))
    room = (n_rows + n_rows // 4, width)
    # Most tables lack nothing, and few are longer than guessed: pages that nobody writes to take no memory.
    table = PlainTable(path, separator, head, np.empty(room), np.zeros(room, bool), state=state)
    _parse(table, file, tick, as_numbers, _wordy(head, n_rows))
    return table


def _convert(
    path: Path, file: BinaryIO, room: Room, as_numbers: Callable[..., Any], finish: Callable[[PlainTable], object]
) -> PlainTable:
    """Read a table whose numbers are larger than the memory."""
    state = _state(path)
    head, separator = _head(file)
    what = f"table divided by {separator!r}"
    numbers = room.find(what)
    n_rows = _count_lines(file) if numbers is None else len(numbers)
    wordy = _wordy(head, n_rows)

    def fill(array: Values) -> None:
        table = PlainTable(path, separator, head, array, np.zeros(array.shape, dtype=bool), state=state)
        _parse(table, file, room.tick, as_numbers, wordy)
        if len(table.numbers) != len(array):
            raise _Doubt
        finish(table)
        mark_texts(array, table.missing)

    if numbers is None:
        numbers = room.keep(what, (n_rows, len(head[0])), np.float64, fill)
    table = PlainTable(path, separator, head, numbers, unmarked(numbers), state=state)
    table.texts = _read_texts(table, file, wordy, room.tick)
    return table


def _wordy(head: list[list[str]], n_rows: int) -> list[int]:
    """List the columns that are read as text."""
    wordy = [j for j in range(len(head[0])) if not all(is_number(row[j]) or not row[j] for row in head[1:])]
    # Read as text, too: names, and what would be the header of a table with its samples in columns.
    always = range(2) if n_rows <= MAX_COLUMNS else range(0)
    names = enumerate(head[0])
    return wordy + [j for j, name in names if j not in wordy and (j in always or name.lower() in ("", *ID_NAMES))]


def _parse(
    table: PlainTable, file: BinaryIO, tick: Callable[[float], None], as_numbers: Callable[..., Any], wordy: list[int]
) -> None:
    """Fill in the numbers and the columns of text."""
    import polars as pl

    size = os.fstat(file.fileno()).st_size
    table.numbers[0], table.missing[0] = as_numbers(pl.Series(table.head[0], dtype=pl.String))
    texts: dict[int, list[pl.Series]] = {j: [] for j in wordy}
    at = 1
    for block in _blocks(file, _usual(table)):
        at = _take_block(table, block, at, texts, as_numbers)
        tick(file.tell() / size)
    if _state(table.path) != table.state:
        raise _Doubt
    table.numbers, table.missing = table.numbers[:at], table.missing[:at]
    table.texts = {j: _clean(pl.concat(blocks)) for j, blocks in texts.items()}
    for j, cells in table.texts.items():  # at once: many small steps take longer
        table.numbers[1:, j], table.missing[1:, j] = as_numbers(cells)
    # Careful reading leaves out a line of blanks, and tabs are blanks.
    if table.separator == "\t" and table.missing.all(axis=1).any():
        raise _Doubt


def _usual(table: PlainTable) -> int:
    """Bytes of a block of a wide table."""
    lines = 500
    return lines * max(map(len, map(table.separator.join, table.head)))


def _read_texts(
    table: PlainTable, file: BinaryIO, wordy: list[int], tick: Callable[[float], None]
) -> dict[int, pl.Series]:
    """Read the columns of text alone."""
    import polars as pl

    if not wordy:
        return {}
    file.seek(0)
    schema, wanted = {str(j): pl.String for j in range(len(table.head[0]))}, [str(j) for j in sorted(wordy)]
    frames = []
    for block in _blocks(file, _usual(table)):
        tick(1.0)
        lazy = pl.scan_csv(BytesIO(block), has_header=False, schema=schema, quote_char=None, separator=table.separator)
        frames.append(lazy.select(wanted).collect())
    whole = pl.concat(frames)
    return {int(name): _clean(whole[name]) for name in wanted}


def _state(path: Path) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _guess_lines(file: BinaryIO, size: int) -> int:
    """Estimate the number of lines of a file by those of its beginning."""
    start = file.read(BLOCK)
    file.seek(0)
    return 1 + start.count(b"\n") * size // len(start)


def _count_lines(file: BinaryIO) -> int:
    file.seek(0)
    count, last = 0, b"\n"
    while content := file.read(BLOCK):
        count += _count(content, "\n")
        last = content[-1:]
    file.seek(0)
    return count + (last != b"\n")


def _count(content: bytes, character: str) -> int:
    return int(np.count_nonzero(np.frombuffer(content, np.uint8) == ord(character)))


def _head(file: BinaryIO) -> tuple[list[list[str]], str]:
    """Read the fields of the first lines, and what separates them."""
    look = 30  # lines that tell which columns are numbers
    raw = [line for line in (file.readline(BLOCK) for _ in range(look)) if line]
    file.seek(0)
    if len(raw) < look:
        raise _Doubt
    lines = [_check(line).rstrip(b"\n").decode() for line in raw]
    separator = find_separator(tuple(lines[:20]))
    fields = [[cell.strip() for cell in line.split(separator)] for line in lines]
    width = len(fields[0])
    odd = any(len(row) != width for row in fields) or not 1 < width <= MAX_COLUMNS
    if separator == " " or odd or not all(line.strip() for line in lines):
        raise _Doubt
    return fields, separator


def _blocks(file: BinaryIO, usual: int) -> Iterator[bytes]:
    """Read the file in blocks of whole lines, without the first; `usual` is the size of a block of a wide table."""
    _check(file.readline())
    rest = b""
    while content := file.read(min(max(BLOCK, usual), 4 * BLOCK)):
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
    """Fill in the rows of a block from row `at` on; return the row after them."""
    import polars as pl

    width = len(table.head[0])
    if table.separator == ";" and b"," in block:
        raise _Doubt  # decimal commas
    kinds = {str(j): pl.String if j in texts else pl.Float64 for j in range(width)}
    try:
        frame = _parsed(table, block, kinds)
        n_holes = sum(frame.null_count().row(0))
        plain = _fill(table, at, frame, [j for j in range(width) if j not in texts], n_holes)
    except pl.exceptions.ComputeError:
        plain = False
    if not plain:
        frame = _parsed(table, block, dict.fromkeys(kinds, pl.String))
        n_holes = sum(frame.null_count().row(0))
    end = at + frame.height
    if frame.height != block.count(b"\n") or (n_holes and _count(block, table.separator) != frame.height * (width - 1)):
        raise _Doubt
    for j in texts if plain else range(width):
        if j in texts:
            texts[j].append(frame.to_series(j))
        else:
            table.numbers[at:end, j], table.missing[at:end, j] = as_numbers(_clean(frame.to_series(j)))
    return end


def _clean(cells: pl.Series) -> pl.Series:
    return cells.fill_null("").str.strip_chars()


def _parsed(table: PlainTable, block: bytes, kinds: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    return pl.read_csv(BytesIO(block), has_header=False, schema=kinds, quote_char=None, separator=table.separator)


def _fill(table: PlainTable, at: int, frame: pl.DataFrame, columns: list[int], n_holes: int) -> bool:
    """Take the columns of numbers; False where some are infinite or NaN, for which words may stand in the file."""
    rows = slice(at, at + frame.height)
    if rows.stop > len(table.numbers):
        raise _Longer
    for j in columns:
        table.numbers[rows, j] = frame.to_series(j).to_numpy()
    with np.errstate(over="ignore", invalid="ignore"):  # columns of text hold whatever was there before
        finite = np.isfinite(table.numbers[rows].sum(axis=0)[columns]).all()
    if not columns or (not n_holes and finite):
        return True
    numbers = table.numbers[rows, columns]
    holes = np.isnan(numbers)
    table.missing[rows, columns] = holes
    own = frame.null_count().row(0)
    return int(np.count_nonzero(holes)) == sum(own[j] for j in columns) and not np.isinf(numbers).any()
