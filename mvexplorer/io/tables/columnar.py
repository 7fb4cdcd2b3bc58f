"""Parquet files and Arrow's own (IPC, also called Feather): tables with typed columns."""

from __future__ import annotations

import mmap
from contextlib import AbstractContextManager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.base.converted import UNFOLDS, Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import Budget, check_bytes, damage_told, open_file, read_content
from mvexplorer.io.base.parts import Values
from mvexplorer.io.tables.arrow_sizes import take_claimed
from mvexplorer.io.tables.frames import COPIES, check_table_size, column_title, index_of_pandas, typed_grid
from mvexplorer.io.tables.grid import Grid
from mvexplorer.io.tables.large_tables import large_grid

if TYPE_CHECKING:
    import polars as pl

_STREAM = b"\xff\xff\xff\xff"  # how an Arrow stream begins
_HINT = "Write it again, for example with to_parquet of pandas or write_parquet of polars."


def read_columnar(path: Path, room: Room | None = None) -> Grid:
    """Read a Parquet or Arrow file, as its content says; numbers larger than the memory go to `room`."""
    import polars as pl

    room = room or Room(path)
    with _damage_told(path):
        large = _read_large(path, room)
    if large is not None:
        return large
    stream, noted = in_child(decode_columnar, room)
    frame = pl.read_ipc_stream(BytesIO(stream))
    del stream  # a table that is large is not held longer than it is needed
    return typed_grid(path, frame, [], index_of_pandas(noted, frame.height))


def decode_columnar(room: Room) -> tuple[Values, str | None]:
    """Decode a file as the bytes of an Arrow stream, with pandas' note on it; carried out in the decoders' process.

    polars believes the counts in a file, and ends the process where there is no memory for them.
    """
    path, stream = Path(room.path), BytesIO()
    with _damage_told(path):
        content = read_content(path)
        _refuse_others(path, content)
        frame, noted = _read(path, content)
        frame.write_ipc_stream(stream)
    return np.frombuffer(stream.getbuffer(), np.uint8), noted


def _damage_told(path: Path) -> AbstractContextManager[None]:
    import polars as pl

    return damage_told(path, "is damaged or cut off", _HINT, (Exception, pl.exceptions.PanicException))


class _Claims(Budget):
    """The sizes that the parts of a file claim to unfold to."""

    def take(self, size: int) -> None:
        """Refuse a single part that is too large."""
        check_bytes(self.path, size)


def _read_large(path: Path, room: Room) -> Grid | None:
    """Read a table that is larger than the memory; None for others, and for kinds that cannot be read in parts."""
    import polars as pl

    with open_file(path) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = content[:8]
        is_parquet = start.startswith(b"PAR1") and content[-4:] == b"PAR1"
        if UNFOLDS * len(content) < room.memory or not (is_parquet or start.startswith(b"ARROW1")):
            return None
        if not is_parquet:
            take_claimed(content, _Claims(path))
        # An open file, as polars knows paths of text only.
        lazy = pl.scan_parquet(file, glob=False) if is_parquet else pl.scan_ipc(file, glob=False)
        schema = lazy.collect_schema()  # first: what follows then need not read the names of 100,000 columns again
        n_rows = int(lazy.select(pl.len()).collect().item())
        if not room.is_beyond((n_rows + 1, len(schema)), copies=COPIES):
            return None
        file.seek(0)
        index = index_of_pandas(pl.read_parquet_metadata(file).get("pandas") if is_parquet else None, n_rows)
        unnamed = isinstance(index, range) and index != range(n_rows)
        grid = None if unnamed else large_grid(path, lazy, schema, n_rows, room)
    if grid is None:
        return None
    name = column_title(index) if isinstance(index, str) else None
    return replace(grid, index=name, counted=index == range(n_rows))


def _refuse_others(path: Path, content: bytes) -> None:
    if content.startswith(b"PARE") or content.endswith(b"PARE"):
        raise DataError(f"The file “{path.name}” is encrypted.", "Write it again without a key.")
    if content.startswith(b"FEA1"):
        raise DataError(f"“{path.name}” is a Feather file of version 1, which is no longer read.", _HINT)
    if not content.startswith((b"PAR1", b"ARROW1", _STREAM)):
        raise DataError(f"The file “{path.name}” is neither a Parquet nor an Arrow file.", _HINT)


def _read(path: Path, content: bytes) -> tuple[pl.DataFrame, str | None]:
    """Read the table, and pandas' note on it; its size is checked before, where the format tells it."""
    import polars as pl

    if content.startswith(b"PAR1"):
        lazy = pl.scan_parquet(BytesIO(content), glob=False)
        n_columns = len(lazy.collect_schema())  # first, as above
        check_table_size(path, int(lazy.select(pl.len()).collect().item()), n_columns)
        return lazy.collect(), pl.read_parquet_metadata(BytesIO(content)).get("pandas")
    take_claimed(content, Budget(path))
    if content.startswith(_STREAM):
        if not content.endswith(_STREAM + b"\0\0\0\0"):  # the reader would be content with the batches before
            raise DataError(f"The file “{path.name}” is damaged or cut off.", _HINT)
        return pl.read_ipc_stream(BytesIO(content)), None
    # From memory: a mapped file would be trusted to be whole.
    return pl.read_ipc(BytesIO(content)), None
