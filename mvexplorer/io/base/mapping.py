"""Large tables that stand in a file of the user's as they are: they stay there."""

from __future__ import annotations

import math
import os
from typing import IO, Any, cast

import numpy as np

from mvexplorer.engine.core.table_in_file import TableInFile
from mvexplorer.io.base.parts import Values

MAP_FROM = 1 << 28
"""Bytes, in double precision, from which a table that stands in its file as it is is not read into memory."""
FROM_FILE = 1 << 20
"""Bytes from which numbers that stand in a file as they are need no decoder: who wants them reads them there."""


def can_be_mapped(shape: tuple[int, ...], dtype: np.dtype[Any]) -> bool:
    """True if a table is large enough to stay in its file, and of floating-point numbers in native byte order."""
    return len(shape) == 2 and dtype in (np.float32, np.float64) and 8 * math.prod(shape) >= MAP_FROM


def map_table(file: IO[bytes], dtype: np.dtype[Any], start: int, shape: tuple[int, ...], order: Any) -> Values | None:
    """Map a table within a file, which stays there; None where it cannot be mapped, or the file ends too early."""
    end = start + math.prod(shape) * dtype.itemsize
    if not can_be_mapped(shape, dtype) or end > os.fstat(file.fileno()).st_size:
        return None
    return cast("Values", TableInFile(file, dtype, start, (shape[0], shape[1]), by_column=order == "F"))
