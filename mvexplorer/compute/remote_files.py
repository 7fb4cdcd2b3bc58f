"""Data whose views stay in files, on its way to a worker: the files' names travel, and not what is in them."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ComputeError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class FileTable:
    """A table of numbers in a file, as `numpy.memmap` describes it, and what tells the file from another one."""

    path: str
    kind: str
    shape: tuple[int, int]
    offset: int
    by_column: bool
    size: int
    changed: int

    @classmethod
    def of(cls, X: np.memmap[Any, Any]) -> FileTable | None:
        """The table that a map shows; None where it is a part of one, or its file has no name any more."""
        path = None if X.filename is None else str(X.filename)
        if path is None or not isinstance(X.base, mmap.mmap) or not os.path.exists(path):
            return None
        about = os.stat(path)
        by_column = not X.flags.c_contiguous
        return cls(path, X.dtype.str, (X.shape[0], X.shape[1]), X.offset, by_column, about.st_size, about.st_mtime_ns)

    def open(self) -> np.memmap[Any, Any]:
        """The map again; ComputeError where this is not the same file."""
        try:
            about = os.stat(self.path)
            if (about.st_size, about.st_mtime_ns) != (self.size, self.changed):
                raise OSError("it is another file, or it was changed")
            return np.memmap(self.path, self.kind, "r", self.offset, self.shape, "F" if self.by_column else "C")
        except OSError as problem:
            raise ComputeError(
                f"A worker cannot read {self.path}: {problem}.",
                "Such views are read where work is done: use processes of this computer, or put the file there.",
            ) from None


@dataclass(frozen=True)
class DataInFiles:
    """`MultiView` without its maps.

    Parameters
    ----------
    state : mapping
        Its attributes; `Xs` has None for each map.
    tables : mapping
        Where the maps are, by the view's number.
    """

    state: Mapping[str, Any]
    tables: Mapping[int, FileTable]

    @cached_property
    def whole(self) -> MultiView:
        """The data, with maps of the files here."""
        made: MultiView = object.__new__(MultiView)
        former = self.state["Xs"]
        Xs = type(former)(self.tables[i].open() if X is None else X for i, X in enumerate(former))
        for name, value in {**self.state, "Xs": Xs}.items():
            object.__setattr__(made, name, value)
        return made


def without_maps(data: MultiView, memory: int) -> MultiView | DataInFiles:
    """What is sent of data: files by their names; other maps are read, if `memory` bytes hold them.

    Raises
    ------
    ComputeError
        A map that is no whole file, and too large.
    """
    maps = {i: X for i, X in enumerate(data.Xs) if is_map(X)}
    if not maps:
        return data
    found = {i: FileTable.of(X) for i, X in maps.items()}
    tables = {i: table for i, table in found.items() if table is not None}
    if sum(maps[i].nbytes for i in maps.keys() - tables.keys()) > memory:
        raise ComputeError(
            "Views beyond memory that are no files of their own cannot be sent to workers.",
            "Compute here, or save the views as NPY files first.",
        )
    Xs: Any = type(data.Xs)
    Xs = Xs(None if i in tables else np.asarray(X) for i, X in enumerate(data.Xs))
    return DataInFiles({**vars(data), "Xs": Xs}, tables)


def whole(sent: MultiView | DataInFiles) -> MultiView:
    """The data, as it was before it was sent."""
    return sent.whole if isinstance(sent, DataInFiles) else sent
