"""MAT files of version 5, read by SciPy one variable at a time, after a check of each.

SciPy's reader trusts the numbers in a file (types are table indices, lengths are sizes), and crashes the process where
they are wrong. So each variable is decompressed here and checked in the order in which SciPy would read it; SciPy gets
only the valid ones.
"""

from __future__ import annotations

import math
import os
import struct
import sys
import zlib
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.io.base.converted import Room, pour
from mvexplorer.io.base.guards import MAX_ARRAYS, Budget, check_bytes, check_count, damage_told, open_file
from mvexplorer.io.base.mapping import FROM_FILE
from mvexplorer.io.base.wire import MANY, Blocks

DAMAGE = ("is not a MAT file or is damaged", "Save it again from MATLAB, or with scipy.io.savemat.")
"""What is said of a damaged file, and what helps."""
_HEADER = 128
_VERSION = 0x0100
_MATRIX, _COMPRESSED = 14, 15
_SIZES = {1: 1, 2: 1, 3: 2, 4: 2, 5: 4, 6: 4, 7: 4, 9: 8, 12: 8, 13: 8, 16: 1, 17: 2, 18: 4}
"""Bytes of one number or character, by the type of a data element."""
_INTEGERS = (5, 6)
_CELL, _STRUCT, _OBJECT, _CHAR, _SPARSE, _FUNCTION, _OPAQUE = 1, 2, 3, 4, 5, 16, 17
_NUMERIC = range(6, 16)
_BEGINNING = 256
_NAMES = (1, 16)
"""Types of a data element that hold the name of a variable."""
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Type of a data element -> type of its numbers."""


def read_version_5(room: Room) -> tuple[dict[str, Any], bool]:
    """Read the variables as SciPy returns them, without functions and objects, and whether something was left unread.

    A damaged file raises ValueError, zlib.error, or what SciPy raises.
    """
    variables: dict[str, Any] = {}
    with open_file(path := room.path) as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(_HEADER)
        order = "<" if head[126:128] == b"IM" else ">"
        position = _HEADER
        while position < size:
            file.seek(position)
            tag = file.read(8)
            kind, length = struct.unpack(order + "II", tag) if len(tag) == 8 else (0, 0)
            if kind not in (_MATRIX, _COMPRESSED) or not length:
                if not variables:
                    raise ValueError("no variable where the first should be")
                return variables, True
            position += 8 + length
            if position > size:
                raise ValueError("the file ends inside a variable")
            check_count(path, len(variables), MAX_ARRAYS, "variables", "Join the variables of one view into a table.")
            blocks = _Stream(_unfolded(file, kind, length))
            compressed = kind == _COMPRESSED
            table = _table(blocks.peek()[8 * compressed :], order)
            if table is not None and room.is_beyond(table.shape, table.dtype):
                variables.update(_converted(blocks, table, skip=8 * compressed, room=room))
                continue
            if table is not None and kind == _MATRIX and table.is_as_in_memory(FROM_FILE, length):
                variables[table.name] = _standing(file, table, position - length, room)
                continue
            whole = head[124:126] + blocks.peek()[:4] == struct.pack(order + "HI", _VERSION, _MATRIX)
            if table is not None and compressed and whole and table.is_as_in_memory(MANY):
                variables[table.name] = _in_blocks(table, position - length, length, room)
                continue
            stream = _content(blocks, kind, room)
            variables.update(_variable(head, order, compressed, stream, room))
    return variables, False


def _unfolded(file: BinaryIO, kind: int, length: int) -> Iterator[bytes]:
    """The bytes of a variable in blocks, decompressed."""
    unfold, most = zlib.decompressobj(), 1 << 20
    while length:
        block = file.read(min(length, most))
        length -= len(block)
        if not block:
            raise ValueError("the file ends inside a variable")
        if kind == _MATRIX:
            yield block
        while block and kind == _COMPRESSED:
            yield unfold.decompress(block, most)
            block = unfold.unconsumed_tail
    if kind == _COMPRESSED:
        yield unfold.flush()
        if not unfold.eof:
            raise ValueError("a compressed variable is cut off")


class _Stream:
    """Blocks of bytes, read as a file is."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""

    def peek(self) -> bytes:
        """Return the first bytes: at least `_BEGINNING`, where there are so many."""
        while len(self._rest) < _BEGINNING and (block := next(self._blocks, None)) is not None:
            self._rest += block
        return self._rest

    def read(self, size: int) -> bytes:
        """Read `size` bytes, or all that are left."""
        blocks, have = [self._rest], len(self._rest)
        while have < size and (block := next(self._blocks, None)) is not None:
            blocks.append(block)
            have += len(block)
        whole = b"".join(blocks)
        self._rest = whole[size:]
        return whole[:size]

    def __iter__(self) -> Iterator[bytes]:
        yield self._rest
        yield from self._blocks


@dataclass(frozen=True)
class _Table:
    """A table of real numbers: its name, and where in its variable the numbers begin, which are of class `kind`."""

    name: str
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    start: int
    kind: int

    @property
    def n_bytes(self) -> int:
        """How much memory the numbers take."""
        return int(math.prod(self.shape) * self.dtype.itemsize)

    def is_as_in_memory(self, least: int, length: float = math.inf) -> bool:
        """True if the numbers stand in a variable of `length` bytes as SciPy returns them: `least` bytes or more."""
        types = {6: "f8", 7: "f4"}  # of classes of which integers are no abbreviation
        named = bool(self.name) and not self.name.startswith("__")  # SciPy names what belongs to the file itself so
        whole = named and self.start + self.n_bytes <= length
        return whole and self.dtype.isnative and self.dtype.str[1:] == types.get(self.kind) and self.n_bytes >= least


def _table(first: bytes, order: str) -> _Table | None:
    """Read the head of a table of real numbers from the first bytes of its variable; None for all others."""
    try:
        complex_flag = 1 << 11
        flags, _, sizes, n_sizes, *shape, text, length = struct.unpack_from(order + "8x8I", first)
        if sizes not in _INTEGERS or n_sizes != 8 or flags & complex_flag or flags & 0xFF not in _NUMERIC:
            return None
        small = text >> 16
        if text & 0xFFFF not in _NAMES or small > 4:
            return None
        name = first[36 : 36 + small] if small else first[40 : 40 + length]
        start = 40 if small else 40 + length + -length % 8
        kind, size = struct.unpack_from(order + "II", first, start)
        dtype = np.dtype(order + _NUMBERS[kind])
    except (struct.error, KeyError):
        return None
    if size != math.prod(shape) * dtype.itemsize:
        return None
    return _Table(name.decode("latin1"), (shape[0], shape[1]), dtype, start + 8, flags & 0xFF)


def _standing(file: BinaryIO, table: _Table, start: int, budget: Budget) -> Any:
    """Map a table that needs no decoder, in its place in the file."""
    budget.take(8 * math.prod(table.shape))
    opened: Any = file
    return np.memmap(opened, table.dtype, "r", start + table.start, table.shape, "F")


def _converted(blocks: _Stream, table: _Table, skip: int, room: Room) -> dict[str, Any]:
    def fill(numbers: Any) -> None:
        blocks.read(skip + table.start)
        pour(blocks, table.dtype, room.tick, numbers)
        for _ in blocks:  # a compressed variable that is cut off says so at its end
            room.tick(1.0)

    return {table.name: room.keep(table.name, table.shape, table.dtype, fill, by_column=True)}


def _in_blocks(table: _Table, start: int, length: int, room: Room) -> Blocks:
    """A table to be decompressed while what came before is on its way."""
    room.count(1)
    room.take(8 * math.prod(table.shape))
    return Blocks(table.dtype, table.shape, partial(_decoded, room.path, table, start, length), "F")


def _decoded(path: str | Path, table: _Table, start: int, length: int) -> Iterator[Any]:
    """Decompress the numbers of a table, whose variable takes `length` bytes from `start` on."""
    with damage_told(path, *DAMAGE), open_file(path) as file:
        file.seek(start)
        blocks, done = _Stream(_unfolded(file, _COMPRESSED, length)), 0
        if _table(blocks.peek()[8:], "<" if sys.byteorder == "little" else ">") != table:
            raise ValueError("another program has written the file again")
        blocks.read(8 + table.start)
        for block in blocks:  # to the end, where what is cut off says so
            if block and done < table.n_bytes:
                yield np.frombuffer(memoryview(block)[: table.n_bytes - done], np.uint8)
            done += len(block)
            check_bytes(path, done)
        if done < table.n_bytes:
            raise ValueError("a table is cut off")


def _content(blocks: _Stream, kind: int, budget: Budget) -> BytesIO:
    """The bytes of a variable in a file of its own, whose header is still blank."""
    stream = BytesIO()
    # A compressed variable contains its tag; otherwise the tag precedes it.
    stream.seek(_HEADER if kind == _COMPRESSED else _HEADER + 8)
    for block in blocks:
        stream.write(block)
        check_bytes(budget.path, stream.tell())
    return stream


def _variable(head: bytes, order: str, compressed: bool, stream: BytesIO, budget: Budget) -> dict[str, Any]:
    """Name -> value of the variable in `stream`; empty if unnamed, a function or opaque."""
    with IMPORTS:
        from scipy.io import loadmat

    with stream.getbuffer() as view:
        if compressed and struct.unpack_from(order + "I", view, _HEADER)[0] != _MATRIX:
            raise ValueError("a compressed variable holds something else")
        # Omit the subsystem's offset, where SciPy would look for objects.
        view[:_HEADER] = head[:116] + bytes(8) + head[124:]
        struct.pack_into(order + "II", view, _HEADER, _MATRIX, len(view) - _HEADER - 8)
        name, kind = _Walk(view, order, budget).variable()
    if not name or kind in (_FUNCTION, _OPAQUE):
        return {}
    stream.seek(0)
    return {key: value for key, value in loadmat(stream).items() if not key.startswith("__")}


class _Walk:
    """Repeats SciPy's steps through a variable, to check that none reads outside it."""

    def __init__(self, view: memoryview, order: str, budget: Budget) -> None:
        self._view = view
        self._order = order
        self._budget = budget
        self._at = _HEADER + 8

    def variable(self) -> tuple[bytes, int]:
        """Check the whole variable; returns its name and class."""
        return self._content(depth=0)

    def _words(self) -> tuple[int, int]:
        first, second = struct.unpack_from(self._order + "II", self._view, self._at)
        self._at += 8
        return first, second

    def _element(self, kinds: Container[int]) -> tuple[int, int, int]:
        """Type, position and bytes of a data element; up to four bytes are stored in its tag."""
        kind, size = self._words()
        start = self._at
        if kind >> 16:
            kind, size, start = kind & 0xFFFF, kind >> 16, self._at - 4
            fits = size <= 4
        else:
            fits = size <= len(self._view) - start
            self._at = min(start + size + -size % 8, len(self._view))
        if not fits or kind not in kinds:
            raise ValueError(f"a data element of type {kind} and {size} bytes")
        return kind, start, size

    def _numbers(self) -> None:
        kind, _, size = self._element(_SIZES)
        self._budget.take(8 * (size // _SIZES[kind]))

    def _text(self) -> bytes:
        texts = (1, 16)
        _, start, size = self._element(texts)
        return bytes(self._view[start : start + size])

    def _integers(self, most: int) -> tuple[int, ...]:
        _, start, size = self._element(_INTEGERS)
        if size > 4 * most:
            raise ValueError(f"{size} bytes where {most} integers belong")
        values = struct.unpack_from(f"{self._order}{size // 4}i", self._view, start)
        if min(values, default=0) < 0:
            raise ValueError("a negative size")
        return values

    def _matrix(self, depth: int) -> None:
        kind, size = self._words()
        if kind != _MATRIX:
            raise ValueError(f"a data element of type {kind} where a matrix belongs")
        if size:
            self._content(depth)
        else:
            self._budget.count(1, depth)

    def _content(self, depth: int) -> tuple[bytes, int]:
        self._budget.count(1, depth)
        self._words()
        flags, _ = self._words()
        kind, is_complex = flags & 0xFF, bool(flags >> 11 & 1)
        most = 32  # sides of an array
        dimensions = () if kind == _OPAQUE else self._integers(most)
        name = self._text()
        if kind in _NUMERIC:
            for _ in range(1 + is_complex):
                self._numbers()
        elif kind == _SPARSE:
            for _ in range(3 + is_complex):
                self._numbers()
        elif kind == _CHAR:
            self._characters(dimensions)
        elif kind == _CELL:
            self._matrices(math.prod(dimensions), depth)
        elif kind in (_STRUCT, _OBJECT):
            self._struct(kind, math.prod(dimensions), depth)
        elif kind in (_FUNCTION, _OPAQUE):
            for _ in range(2 * (kind == _OPAQUE)):
                self._text()
            self._matrix(depth + 1)
        else:
            raise ValueError(f"a variable of class {kind}")
        return name, kind

    def _characters(self, dimensions: tuple[int, ...]) -> None:
        _, _, size = self._element(_SIZES)
        # SciPy fills missing characters with blanks, and stores an empty row of text as one character.
        self._budget.take(4 * (size + math.prod(max(n, 1) for n in dimensions)))

    def _struct(self, kind: int, count: int, depth: int) -> None:
        if kind == _OBJECT:
            self._text()
        length = self._integers(1)
        if length < (1,):
            raise ValueError("names of fields without a length")
        n_fields = len(self._text()) // length[0]
        check_count(self._budget.path, n_fields, MAX_ARRAYS, "fields in a struct", "Save the views as variables.")
        if not n_fields:
            self._budget.count(count)
        self._matrices(count * n_fields, depth)

    def _matrices(self, count: int, depth: int) -> None:
        if count * 8 > len(self._view) - self._at:
            raise ValueError(f"{count} cells or fields, which the file is too short for")
        for _ in range(count):
            self._matrix(depth + 1)
