"""Messages between this process and one that decodes files: JSON, behind which the bytes of arrays follow.

Nothing that arrives is unpickled: an array is of a plain kind, or there is none. Files of ours would hand arrays over,
too, but cost three times as much: fresh pages of a file are slow, and would be left behind by a process that is killed.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from mvexplorer import errors
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.table_in_file import place_in_file
from mvexplorer.errors import MVExplorerError, Offer
from mvexplorer.io.base.converted import taken_from_file
from mvexplorer.io.base.parts import Values

_LENGTH = struct.Struct("<Q")
_SPARSE = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
_IN_BLOCKS = "in blocks"
MANY = 1 << 24
"""Bytes of an array that others wait for while it is decompressed, so that it is worth blocks."""
Message = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Blocks:
    """An array whose numbers are decoded while those before are on their way: it is never held here as a whole."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    decode: Callable[[], Iterable[Values]]
    """Decodes blocks of numbers in their order, each contiguous; one may be overwritten when the next is asked for."""
    order: str = "C"
    """`C` for rows one after the other, `F` for columns."""


class _BrokenOffError(Exception):
    """Blocks could not be decoded to their end; `message` stands for the answer."""

    def __init__(self, message: Message | None) -> None:
        super().__init__(message)
        self.message = message


# Messages ---------------------------------------------------------------------------------------------------------


def send(
    stream: IO[bytes],
    message: Message,
    arrays: list[Values | Blocks] | None = None,
    problem: Callable[[Exception], Message] | None = None,
) -> None:
    """Write a message: its length, JSON, and the numbers of its arrays, as `pack` gives them.

    What decoding the blocks of an array raises becomes a message of its own, by `problem`, in place of the rest.
    """
    content = json.dumps(message).encode()
    stream.write(_LENGTH.pack(len(content)) + content)
    for array in arrays or []:
        if not isinstance(array, Blocks):
            _write(stream, array)
            continue
        blocks, told = iter(array.decode()), {}
        while True:
            try:
                block = next(blocks, None)
            except Exception as error:  # a decoder may raise anything
                if problem is None:
                    raise
                block, told = None, problem(error)
            if block is None:
                break
            stream.write(_LENGTH.pack(block.nbytes))
            _write(stream, block)
        # After the last block, since a decoder may find only at the end of a file that it is damaged.
        stream.write(_LENGTH.pack(0))
        send(stream, told)
        if told:
            return
    stream.flush()


def _write(stream: IO[bytes], array: Values) -> None:
    stream.write(_bytes_of(array).data)


def _bytes_of(array: Values) -> Values:
    """The bytes of a contiguous array, as they stand in memory."""
    return (array if array.flags.c_contiguous else array.T).reshape(-1).view(np.uint8)


def receive(stream: IO[bytes]) -> Message | None:
    """Read a message, its ``value`` unpacked; None at the end, also inside a message. ValueError for other bytes."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        return None
    message = dict(json.loads(content))
    if "value" in message:
        tree, abouts = message["value"]
        try:
            message["value"] = _value(tree, [_array(about, stream) for about in abouts])
        except EOFError:
            return None
        except _BrokenOffError as broken:
            return broken.message
    return message


def _array(about: list[Any], stream: IO[bytes]) -> Values:
    """Read an array whose bytes follow, or which stands in a file."""
    kind, sides, order, *place = about
    dtype, shape = np.dtype(kind), tuple(sides)
    if dtype.kind not in "biufcSUmM":
        raise ValueError(f"an array of kind {dtype}")
    in_blocks = place == [_IN_BLOCKS]
    if place and not in_blocks:
        path, start = place
        return taken_from_file(path, dtype, start, shape, order)
    array = np.empty(shape, dtype, order)
    if not array.nbytes:
        return array
    flat, start = _bytes_of(array), 0
    while length := _length_of_block(stream) if in_blocks else len(flat) - start:
        if start + length > len(flat):
            raise ValueError("more numbers than were said")
        if stream.readinto(flat[start : start + length].data) < length:  # type: ignore[attr-defined]
            raise EOFError
        start += length
    if start < len(flat):
        raise ValueError("fewer numbers than were said")
    return array


def _length_of_block(stream: IO[bytes]) -> int:
    """Read how long the next block is: 0 after the last one."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    if not length and (told := receive(stream)) != {}:
        raise _BrokenOffError(told)
    return int(length)


# Values -----------------------------------------------------------------------------------------------------------


def pack(value: Any) -> tuple[list[Any], list[Values | Blocks], list[Values]]:
    """Turn a value into JSON; also list its arrays whose bytes are to follow, and those that stay in a file.

    It may hold arrays, cells, structs, sparse matrices, texts and numbers in dicts and lists.
    """
    packer = _Packer()
    return [packer.tree(value), packer.abouts], packer.arrays, packer.maps


class _Packer:
    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        """Identity of an array -> its place among `abouts`."""
        self.abouts: list[list[Any]] = []
        """Of each array its kind, shape and order, and its file and where in that it begins, or that blocks follow."""
        self.arrays: list[Values | Blocks] = []
        self.maps: list[Values] = []

    def tree(self, value: Any) -> Any:
        """Return a value as JSON has it, arrays by their place."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, dict):
            return {"dict": [[name, self.tree(item)] for name, item in value.items()]}
        if isinstance(value, list | tuple):
            return [self.tree(item) for item in value]
        if isinstance(value, Blocks):
            return {"array": self._place_of_blocks(value)}
        if type(value).__name__ in ("coo_array", "coo_matrix"):  # of MATLAB 4, and before SciPy 1.16 of all its files
            value = value.tocsc()
        if type(value).__name__ in _SPARSE:
            parts = [self.tree(part) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [type(value).__name__, list(value.shape), parts]}
        array = value if isinstance(value, np.memmap) else np.asarray(value)
        if array.dtype.names:
            records = {name: self.tree(array[name]) for name in array.dtype.names}
            return {"struct": [list(array.shape), list(records.items())]}
        if array.dtype.kind == "O":
            return {"cell": [list(array.shape), [self.tree(item) for item in array.ravel()]]}
        return {"array": self._place(value, array)}

    def _place_of_blocks(self, blocks: Blocks) -> int:
        self.abouts.append([blocks.dtype.str, list(blocks.shape), blocks.order, _IN_BLOCKS])
        self.arrays.append(blocks)
        return len(self.abouts) - 1

    def _place(self, value: Any, array: Values) -> int:
        if id(value) not in self._places:
            self._places[id(value)] = len(self.abouts)
            order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
            place = place_in_file(array) or ()
            self.abouts.append([array.dtype.str, list(array.shape), order, *place])
            if place:
                self.maps.append(array)
            elif array.nbytes:
                self.arrays.append(np.ascontiguousarray(array if order == "C" else array.T))
        return self._places[id(value)]


def _value(tree: Any, arrays: list[Values]) -> Any:
    """Return the value that a tree of JSON stands for."""
    if isinstance(tree, list):
        return [_value(item, arrays) for item in tree]
    if not isinstance(tree, dict):
        return tree
    [(kind, content)] = tree.items()
    if kind == "array":
        return arrays[content]
    if kind == "dict":
        return {name: _value(item, arrays) for name, item in content}
    if kind == "cell":
        shape, items = content
        cell = np.empty(len(items), dtype=object)
        for place, item in enumerate(items):
            cell[place] = _value(item, arrays)
        return cell.reshape(shape)
    if kind == "struct":
        shape, fields = content
        record = np.empty(shape, dtype=[(name, object) for name, _ in fields])
        for name, item in fields:
            record[name] = _value(item, arrays)
        return record
    if kind == "sparse":
        name, shape, parts = content
        return _sparse(name, shape, [_value(part, arrays) for part in parts])
    raise ValueError(f"a value of kind {kind}")


def _sparse(kind: str, shape: list[int], parts: list[Values]) -> Any:
    with IMPORTS:
        from scipy import sparse

    if kind not in _SPARSE:
        raise ValueError(f"a matrix of kind {kind}")
    return getattr(sparse, kind)(tuple(parts), shape=tuple(shape))


# Errors -----------------------------------------------------------------------------------------------------------


def pack_error(error: MVExplorerError) -> Message:
    """Turn an error for a user into JSON."""
    offers = [[offer.title, dict(offer.options)] for offer in vars(error).get("offers", ())]
    rest = {name: value for name, value in vars(error).items() if name != "offers"}
    return {"kind": type(error).__name__, "says": rest, "offers": offers}


def unpack_error(message: Message) -> MVExplorerError:
    """Restore the error that `pack_error` packed."""
    kind = getattr(errors, message["kind"])
    says = {name: tuple(value) if isinstance(value, list) else value for name, value in message["says"].items()}
    error: MVExplorerError = kind.__new__(kind, says["message"], says["hint"])
    vars(error).update(says)
    if message["offers"]:
        vars(error)["offers"] = tuple(Offer(title, options) for title, options in message["offers"])
    return error
