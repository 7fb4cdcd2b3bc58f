"""The sizes to which an Arrow file claims to unfold, checked before a library believes it.

A compressed buffer begins with its length unfolded, for which memory is allocated at once: a wrong one would end the
program. Only the parts of the format that lead to these numbers are looked at; see the specification of Arrow's
columnar format, in which messages are FlatBuffers.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from struct import unpack_from

from mvexplorer.io.base.guards import Budget

Content = bytes | mmap.mmap


class _Table:
    """A table of a FlatBuffer: its fields by their numbers."""

    def __init__(self, content: Content, at: int) -> None:
        self._content, self._at = content, at
        self._fields = at - unpack_from("<i", content, at)[0]
        self._size = unpack_from("<H", content, self._fields)[0]

    def place(self, field: int) -> int:
        """Return where a field stands; 0 where it is left out."""
        entry = 4 + 2 * field
        shift = unpack_from("<H", self._content, self._fields + entry)[0] if entry < self._size else 0
        return self._at + shift if shift else 0

    def number(self, field: int, kind: str) -> int:
        """Read a number; 0 where it is left out."""
        at = self.place(field)
        return int(unpack_from(kind, self._content, at)[0]) if at else 0

    def table(self, field: int) -> _Table | None:
        """Return a table within this one; None where it is left out."""
        at = self.place(field)
        return _Table(self._content, at + unpack_from("<I", self._content, at)[0]) if at else None

    def structs(self, field: int, size: int) -> range:
        """Return where the items of a vector stand, each of `size` bytes."""
        at = self.place(field)
        if not at:
            return range(0)
        start = at + unpack_from("<I", self._content, at)[0]
        count = unpack_from("<I", self._content, start)[0]
        if count * size > len(self._content):
            raise ValueError("a vector is longer than the file")
        return range(start + 4, start + 4 + count * size, size)


def take_claimed(content: Content, budget: Budget) -> None:
    """Count the bytes that the batches of an Arrow file or stream unfold to; ValueError or struct.error if damaged."""
    dictionary_batch, record_batch, not_compressed = 2, 3, -1
    messages = _stream(content) if content[:4] == b"\xff\xff\xff\xff" else _file(content)
    for message, body in messages:
        kind, batch = message.number(1, "<B"), message.table(2)
        if kind == dictionary_batch and batch is not None:
            batch = batch.table(1)
        if kind not in (dictionary_batch, record_batch) or batch is None:
            continue
        for at in batch.structs(1, 16):
            budget.take(_natural(unpack_from("<q", content, at)[0]) // 8)
        compressed = batch.table(3) is not None
        for at in batch.structs(2, 16):
            start, length = unpack_from("<qq", content, at)
            if compressed and length >= 8:
                claimed = unpack_from("<q", content, body + start)[0]
                length = length if claimed == not_compressed else claimed
            budget.take(_natural(length))


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError("a length is negative")
    return number


def _message(content: Content, at: int) -> tuple[_Table, int, int]:
    """Return the message at a place, where its own bytes end, and how long its body is."""
    mark, size = unpack_from("<II", content, at)
    continues = mark == 0xFFFFFFFF  # an older message begins with its size
    start = at + 8 if continues else at + 4
    size = size if continues else mark
    message = _Table(content, start + unpack_from("<I", content, start)[0])
    return message, start + size, message.number(3, "<q")


def _stream(content: Content) -> Iterator[tuple[_Table, int]]:
    at = 0
    while unpack_from("<I", content, at + 4)[0]:
        message, body, length = _message(content, at)
        yield message, body
        at = body + _natural(length)


def _file(content: Content) -> Iterator[tuple[_Table, int]]:
    magic = 6  # bytes of the mark at both ends of a file
    end = len(content) - magic - 4
    start = end - unpack_from("<I", content, end)[0]
    if start < 0:
        raise ValueError("the footer is longer than the file")
    footer = _Table(content, start + unpack_from("<I", content, start)[0])
    for field in (2, 3):
        for block in footer.structs(field, 24):
            at, size = unpack_from("<qi", content, block)
            message, _, _ = _message(content, _natural(at))
            yield message, at + size
