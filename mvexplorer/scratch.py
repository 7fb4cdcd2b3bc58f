"""Large tables of numbers in the user's cache folder: those with a name are kept, those without go with their use."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.private import HOME_VARIABLE, make_own_folder
from mvexplorer.wording import in_words, size
from mvexplorer.writing import SCRATCH_PREFIX

try:
    import fcntl
except ImportError:  # Windows removes no file that is open
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import numpy.typing as npt

    Shape = tuple[int, ...]

KEPT = 64 << 30
"""Bytes of conversions that are kept; beyond, those that were used last longest ago go."""
AHEAD = 1 << 22
"""Bytes that are left free beside what a table needs."""
_SOON = 60.0
"""Seconds after which a file that nobody holds was left behind unfinished."""


def cache_folder() -> Path:
    """Where conversions stand.

    Returns
    -------
    Path
        The user's own folder for what can be made again.
    """
    if os.environ.get(HOME_VARIABLE):
        return Path(os.environ[HOME_VARIABLE], "converted")
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("mvexplorer", appauthor=False)
    except RuntimeError:  # no home; earlier platformdirs return “~” as it is
        folder = Path()
    return (folder if folder.is_absolute() else Path(os.devnull, "mvexplorer")) / "converted"


def unnamed_table(shape: Shape, dtype: npt.DTypeLike, what: str) -> np.memmap[Any, Any]:
    """A table on the disk, of a file that goes with it.

    Parameters
    ----------
    shape : tuple of int
        Of the table.
    dtype : dtype
        Of its numbers.
    what : str
        What it holds, as a sentence begins: ``A part of the data``.

    Raises
    ------
    DataError
        There is no space for it.
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


def hold(file: IO[bytes], *, alone: bool = False) -> None:
    """Lock a file for as long as it is open or mapped; BlockingIOError where others hold it and it is wanted alone."""
    if fcntl is None:
        return
    try:
        fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError as error:  # some file systems know no locks
        if alone or isinstance(error, BlockingIOError):
            raise


def make_room(folder: Path, name: str, needed: int) -> None:
    """Remove what was used last longest ago where the space is wanted; DataError where that does not help."""
    make_own_folder(folder)
    needed += AHEAD
    kept = sorted((found for path in folder.iterdir() if (found := _facts(path))), key=lambda found: found[0])
    total = sum(length for _, length, _ in kept)
    for changed, length, path in kept:
        left_behind = path.name.startswith(SCRATCH_PREFIX) and time.time() - changed > _SOON
        if left_behind or total + needed > KEPT or shutil.disk_usage(folder).free < needed:
            total -= length * _removed(path)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DataError(
            f"{name} needs {size(needed)} on the disk for its numbers, and {size(free)} are free in {folder}.",
            "Free some space there, or allow reading more memory.",
        )


def _facts(path: Path) -> tuple[float, int, Path] | None:
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime, found.st_size, path
    return None


def _removed(path: Path) -> bool:
    """Whether a file could be removed, which nobody writes or uses."""
    with suppress(OSError), path.open("rb") as file:
        hold(file, alone=True)
        if fcntl is None:
            file.close()
        path.unlink()
        return True
    return False
