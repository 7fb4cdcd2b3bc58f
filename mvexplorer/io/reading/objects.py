"""Tables in memory, read as files are: AnnData and MuData, data frames of any library, sparse matrices of SciPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mvexplorer.engine.core.annotated import is_annotated
from mvexplorer.engine.core.inputs import index_of, is_frame, plain_labels
from mvexplorer.engine.core.preprocessing import is_sparse, reduce_sparse
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.omics.omics import take_annotated
from mvexplorer.io.reading.files import Loaded, Reading
from mvexplorer.io.reading.orientation import Content
from mvexplorer.io.tables.frames import index_of_pandas, typed_grid

if TYPE_CHECKING:
    import polars as pl


def tables_in_memory(source: Any) -> dict[str, Any] | None:
    """Name tables that are data themselves, as a mapping does or view1 ...; None for names of files or samples."""
    if _is_held(source):
        return {"table" if not is_annotated(source) else type(source).__name__: source}
    if isinstance(source, Mapping):
        return dict(source) if source and all(map(_is_held, source.values())) else None
    if isinstance(source, list | tuple) and source and all(map(_is_held, source)):
        return {f"view{i + 1}": table for i, table in enumerate(source)}
    return None


def _is_held(value: Any) -> bool:
    return is_annotated(value) or is_frame(value) or is_sparse(value)


def read_tables(tables: Mapping[str, Any], options: ReadOptions) -> Loaded:
    """Read tables in memory, as files of that name are read; the result has no sources."""
    return replace(_InMemory(tables, options).read(), sources=())


class _InMemory(Reading):
    def __init__(self, tables: Mapping[str, Any], options: ReadOptions) -> None:
        super().__init__(list(tables), options)
        self._tables = list(tables.values())

    def _read_contents(self, n_samples: int | None) -> None:
        for path, table in zip(self.files, self._tables, strict=True):
            asked = FileRequest(path, self.options, n_samples)
            self.asked.append(asked)
            self.contents.append(_content(table, path, asked, alone=len(self._tables) == 1))


def _content(table: Any, path: Path, asked: FileRequest, *, alone: bool) -> Content:
    if is_annotated(table):
        return take_annotated(table, path, asked)
    if is_frame(table):
        frame, index = _frame(table, alone=alone)
        return typed_grid(path, frame, [], index)
    how = asked.options.preprocess
    return Parts(path, {path.stem: reduce_sparse(table, how if isinstance(how, str) else "none", path.stem)})


def _frame(table: Any, *, alone: bool) -> tuple[pl.DataFrame, range | str | None]:
    """Turn a data frame of any library into one of polars; name the column or index that names its rows.

    Beside a column ``id`` the index is kept where there are other tables, whose rows the two may pair differently.
    """
    import polars as pl

    index = index_of(table)
    names = [str(name) for name in (table.columns if index is not None else getattr(table, "column_names", ()))]
    if len(set(names)) < len(names):
        raise DataError("Two columns of a table have the same name.", "Give every column a name of its own.")
    if index is None:
        frame, noted = pl.DataFrame(table), getattr(getattr(table, "schema", None), "metadata", None) or {}
        return frame, index_of_pandas(noted.get(b"pandas"), frame.height)
    columns = {name: plain_labels(table.iloc[:, i]) for i, name in enumerate(names)}
    rows = range(len(index))
    if index == list(rows) or (alone and "id" in columns):
        return pl.DataFrame(columns), rows
    usual = (str(table.index.name or "index"), "index", "index of the table")
    called = next(name for name in usual if name not in columns)
    return pl.DataFrame({called: [str(name) for name in index], **columns}), called
