"""Values between this process and one that decodes files: JSON, with arrays in a folder that only the two know.

Nothing that arrives is unpickled, and no array may lie where its file does not reach.
"""

from __future__ import annotations

import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer import errors
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.errors import MVExplorerError, Offer
from mvexplorer.io.converted import mapped_again
from mvexplorer.io.mapping import place_in_file

if TYPE_CHECKING:
    from mvexplorer.io.parts import Values

_LARGE = 1 << 20
"""Bytes from which an array has a file of its own, so that its memory goes with it."""
_TOGETHER = "small"
_KINDS = "biufcSUmM"
_SPARSE = ("csr_array", "csc_array", "csr_matrix", "csc_matrix")
Message = dict[str, Any]


# Values -----------------------------------------------------------------------------------------------------------


def pack(value: Any, folder: str) -> Message:
    """Write a value's arrays into files, and all else into a message.

    Parameters
    ----------
    value : object
        Arrays, cells, structs, sparse matrices, texts and numbers in dicts and lists.
    folder : str
        Where the arrays go. Those that stand in a file already stay there.

    Returns
    -------
    dict
        For JSON.
    """
    with open(os.path.join(folder, _TOGETHER), "xb") as together:
        packer = _Packer(folder, together)
        return {"tree": packer.tree(value), "arrays": packer.arrays}


class _Packer:
    def __init__(self, folder: str, together: Any) -> None:
        self._folder, self._together = folder, together
        self._places: dict[int, int] = {}
        """Identity of an array -> its place among `arrays`."""
        self.arrays: list[list[Any]] = []
        """Of each its kind, shape, order, file, and where in that it begins."""

    def tree(self, value: Any) -> Any:
        """A value as JSON has it, arrays by their place."""
        if value is None or isinstance(value, bool | int | float | str):
            return value
        if isinstance(value, dict):
            return {"dict": [[name, self.tree(item)] for name, item in value.items()]}
        if isinstance(value, list | tuple):
            return [self.tree(item) for item in value]
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

    def _place(self, value: Any, array: Values) -> int:
        if id(value) not in self._places:
            self.arrays.append(self._written(array))
            self._places[id(value)] = len(self.arrays) - 1
        return self._places[id(value)]

    def _written(self, array: Values) -> list[Any]:
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        about = [array.dtype.str, list(array.shape), order]
        if (place := place_in_file(array)) is not None:
            return [*about, *place]
        if not array.nbytes:
            return [*about, _TOGETHER, 0]
        content = np.ascontiguousarray(array if order == "C" else array.T).reshape(-1).view(np.uint8).data
        if array.nbytes < _LARGE:
            start = self._together.tell()
            self._together.write(content)
            return [*about, _TOGETHER, start]
        name = str(len(self.arrays))
        with open(os.path.join(self._folder, name), "xb") as file:
            file.write(content)
        return [*about, name, 0]


def unpack(message: Message, folder: str) -> Any:
    """The value of a message.

    Parameters
    ----------
    message : dict
        As `pack` made it.
    folder : str
        Where the arrays are; it is not needed any more afterwards.

    Returns
    -------
    object
        Large arrays are maps of their files, private and writeable; those that stand in files of others are read-only.

    Raises
    ------
    ValueError
        It is no such message.
    """
    together = Path(folder, _TOGETHER).read_bytes()
    return _value(message["tree"], [_array(about, folder, together) for about in message["arrays"]])


def _array(about: list[Any], folder: str, together: bytes) -> Values:
    kind, sides, order, name, start = about
    dtype, shape = np.dtype(kind), tuple(sides)
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of kind {dtype}")
    if os.path.isabs(name):
        return mapped_again(name, dtype, start, shape, order)
    array = np.empty(shape, dtype, order)
    if not array.nbytes:
        return array
    if name == _TOGETHER:
        return np.ndarray(shape, dtype, together, start, order=order).copy(order)
    with open(os.path.join(folder, os.path.basename(name)), "rb") as file:
        if os.name != "nt":  # there, a file that is mapped cannot be removed
            return np.ndarray(shape, dtype, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY), start, order=order)
        return np.fromfile(file, dtype, array.size).reshape(shape, order=order)


def _value(tree: Any, arrays: list[Values]) -> Any:
    """The value that a tree of JSON stands for."""
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
    """An error for a user as JSON has it.

    Parameters
    ----------
    error : MVExplorerError
        Of a kind in `mvexplorer.errors`.

    Returns
    -------
    dict
        All that it says.
    """
    offers = [[offer.title, dict(offer.options)] for offer in vars(error).get("offers", ())]
    rest = {name: value for name, value in vars(error).items() if name != "offers"}
    return {"kind": type(error).__name__, "says": rest, "offers": offers}


def unpack_error(message: Message) -> MVExplorerError:
    """The error that was packed.

    Parameters
    ----------
    message : dict
        As `pack_error` made it.

    Returns
    -------
    MVExplorerError
        To be raised.
    """
    kind = getattr(errors, message["kind"])
    says = {name: tuple(value) if isinstance(value, list) else value for name, value in message["says"].items()}
    error: MVExplorerError = kind.__new__(kind, says["message"], says["hint"])
    vars(error).update(says)
    if message["offers"]:
        vars(error)["offers"] = tuple(Offer(title, options) for title, options in message["offers"])
    return error
