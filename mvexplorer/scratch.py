"""Large tables of numbers in the user's cache folder: those with a name are kept, those without go with their use."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.errors import DataError
from mvexplorer.private import HOME_VARIABLE, make_own_folder
from mvexplorer.wording import in_words, size
from mvexplorer.writing import remove_unheld, sweep_scratch

Shape = tuple[int, ...]

KEPT = 64 << 30
"""Bytes of conversions that are kept; beyond, those that were used last longest ago go."""
AHEAD = 1 << 22
"""Bytes that are left free beside what a table needs."""


def cache_folder() -> Path:
    """The user's own folder for conversions of files, which can be made again."""
    if os.environ.get(HOME_VARIABLE):
        return Path(os.environ[HOME_VARIABLE], "converted")
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("mvexplorer", appauthor=False)
    except RuntimeError:  # no home; earlier platformdirs return “~” as it is
        folder = Path()
    return (folder if folder.is_absolute() else Path(os.devnull, "mvexplorer")) / "converted"


def unnamed_table(shape: Shape, dtype: npt.DTypeLike, what: str) -> np.memmap[Any, Any]:
    """A table on the disk, of a file that goes with it; DataError where there is no space.

    The error begins with `what` the table holds, such as ``A part of the data``.
    """
    folder, kind = cache_folder(), np.dtype(dtype)
    with in_words(DataError, f"{what} cannot be written to {folder}"):
        make_room(folder, what, math.prod(shape) * kind.itemsize)
        with tempfile.TemporaryFile(dir=folder) as file:
            return reserved(file, shape, kind)


def reserved(file: IO[bytes], shape: Shape, kind: np.dtype[Any], *, by_column: bool = False) -> np.memmap[Any, Any]:
    """A map of an empty file, whose space is reserved: to write into a map ends the process where the disk is full."""
    header = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": by_column, "shape": shape}
    np.lib.format.write_array_header_2_0(file, header)
    start, length = file.tell(), math.prod(shape) * kind.itemsize
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), start, length)
    else:
        for at in range(0, length, AHEAD):
            file.write(bytes(min(AHEAD, length - at)))
    file.flush()
    opened: Any = file
    return np.memmap(opened, kind, "r+", start, shape, "F" if by_column else "C")


def make_room(folder: Path, name: str, needed: int) -> None:
    """Remove the tables that were used least recently where space is wanted; DataError where that does not help."""
    make_own_folder(folder)
    sweep_scratch(folder)
    needed += AHEAD
    kept = sorted((facts for path in folder.iterdir() if (facts := _facts(path))), key=lambda facts: facts[0])
    total = sum(length for _, length, _ in kept)
    for _, length, path in kept:
        if total + needed > KEPT or shutil.disk_usage(folder).free < needed:
            total -= length * remove_unheld(path)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DataError(
            f"{name} needs {size(needed)} on the disk for its numbers, and {size(free)} are free in {folder}.",
            "Free some space there, or allow reading more memory.",
        )


def _facts(path: Path) -> tuple[float, int, Path] | None:
    with suppress(OSError):
        status = path.stat()
        return max(status.st_atime, status.st_mtime), status.st_size, path
    return None
