"""Data whose views stay in files, on its way to a worker: the files' names travel, and not what is in them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.table_in_file import TableInFile
from mvexplorer.errors import ComputeError


@dataclass(frozen=True)
class DataInFiles:
    """A pickled `MultiView`: its files are opened by the job that needs them, which can tell why they cannot be."""

    pickled: bytes

    @cached_property
    def whole(self) -> MultiView:
        """The data, with the files opened here; DataError where these are not the same files."""
        data: MultiView = pickle.loads(self.pickled)
        return data


def without_maps(data: MultiView, memory: int) -> MultiView | DataInFiles:
    """Data as it is sent: files by their names; other maps are read, if `memory` bytes hold them.

    ComputeError where a map is no whole file, and too large.
    """
    maps = [X for X in data.Xs if is_map(X)]
    if not maps:
        return data
    if sum(X.nbytes for X in maps if isinstance(X, np.memmap) and TableInFile.of(X) is None) > memory:
        raise ComputeError(
            "Views beyond memory that are no files of their own cannot be sent to workers.",
            "Compute here, or save the views as NPY files first.",
        )
    return DataInFiles(pickle.dumps(data, protocol=5))


def whole_data(sent: MultiView | DataInFiles) -> MultiView:
    """The data, as it was before it was sent."""
    return sent.whole if isinstance(sent, DataInFiles) else sent
