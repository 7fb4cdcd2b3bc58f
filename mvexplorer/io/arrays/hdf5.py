"""HDF5 files with any layout: tables (M, D) are views, vectors (M,) label, names or columns to colour by."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.arrays.arrays import give_roles
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import damage_told, open_file
from mvexplorer.io.base.kinds import HDF_LOOK, is_hdf
from mvexplorer.io.base.parts import Parts, Values, left_out
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.matlab.matlab import read_mat

HDF_SUFFIXES = (".h5", ".hdf5")
_PARTS = re.compile(r"(\D*)(\d*)")


def read_hdf(path: Path, asked: FileRequest | None = None) -> Parts:
    """Read an HDF5 file; an array in a group is called by its own name where that is unique, else by its path."""
    asked = asked or FileRequest(path)
    return read_mat(path, asked) if _is_of_matlab(path) else _sorted(path, asked)


def _is_of_matlab(path: Path) -> bool:
    with open_file(path) as file:
        start = file.read(HDF_LOOK)
    if not is_hdf(start):
        raise DataError(f"“{path.name}” is no HDF5 file, whatever its name says.", "Rename it by its kind.")
    return start.startswith(b"MATLAB")


def _sorted(path: Path, asked: FileRequest) -> Parts:
    archive, others = _arrays(asked.room)
    parts = Parts(path)
    for name, array in archive.items():
        asked.offer(name, partial(np.asarray, array))
    odd = [name for name, array in archive.items() if not _fits(name, array) and asked.role(name) is None]
    for name in odd:
        del archive[name]
    if others or odd:
        parts.note(f"{left_out([*others, *odd])}: neither a table of numbers nor a vector.")
    give_roles(archive, parts, asked)
    return parts


def _fits(name: str, array: Values) -> bool:
    """True if an array can be a view, one value per sample, or the samples' pictures."""
    pictures = name.lower() == "images" and array.ndim in (3, 4)
    return bool(array.size) and (array.ndim == 1 or pictures or (array.ndim == 2 and array.dtype.kind != "U"))


def decode_arrays(room: Room) -> dict[str, Any]:
    """Read numbers and texts by path, None for what is neither, in the process where decoding may crash."""
    from mvexplorer.io.base.hdf import DAMAGE, read_hdf_arrays

    with damage_told(room.path, *DAMAGE):
        return read_hdf_arrays(room)


def _arrays(room: Room) -> tuple[dict[str, Values], list[str]]:
    everything = in_child(decode_arrays, room)
    arrays = {name: values for name, values in everything.items() if values is not None}
    if list(arrays) == sorted(arrays):  # the order of HDF5, where nobody chose one, has X10 before X2
        arrays = dict(sorted(arrays.items(), key=lambda item: _natural(item[0])))
    others = [name for name in everything if name not in arrays]
    uses = Counter(name.rpartition("/")[2] for name in arrays)
    return {own if uses[own := name.rpartition("/")[2]] == 1 else name: X for name, X in arrays.items()}, others


def _natural(name: str) -> list[tuple[str, int]]:
    """A sort key in which X2 comes before X10."""
    return [(text, int(number or 0)) for text, number in _PARTS.findall(name)]
