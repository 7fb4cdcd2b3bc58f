"""Which function reads which kind of file: a new kind is a row here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mvexplorer.errors import DataError
from mvexplorer.io.arrays.arrays import read_npy, read_npz
from mvexplorer.io.arrays.folders import WAVEFORM_SUFFIXES, holds_recordings, holds_tables, refuse_container
from mvexplorer.io.arrays.hdf5 import HDF_SUFFIXES, read_hdf
from mvexplorer.io.arrays.image_folder import read_image_folder
from mvexplorer.io.base.guards import check_sources, open_file
from mvexplorer.io.base.kinds import COLUMNAR_SUFFIXES, refuse_wrong_ending
from mvexplorer.io.base.parts import Parts, require_file
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.matlab.matlab import read_mat
from mvexplorer.io.omics.omics import OMICS_SUFFIXES, read_omics
from mvexplorer.io.reading.orientation import Content
from mvexplorer.io.reading.table_folders import read_table_folders
from mvexplorer.io.reading.waveforms import read_recordings
from mvexplorer.io.tables.columnar import read_columnar
from mvexplorer.io.tables.excel import EXCEL_SUFFIXES, read_workbook, split_sheet
from mvexplorer.io.tables.grid import Grid, read_grid
from mvexplorer.io.tables.tables import interpret

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".txt", ".dat")
"""Endings of tables of text."""

Reader = Callable[[Path, FileRequest], Content | list[Grid]]
"""Reads one file as tables, `Grid`, of which header, roles and orientation are found later; or as `Parts`."""


def _read_text_table(path: Path, asked: FileRequest) -> Grid:
    return _headed(read_grid(path, asked.room, asked.options.decimal), asked)


def _read_columnar(path: Path, asked: FileRequest) -> Grid:
    return read_columnar(path, asked.room)


def _read_workbook(path: Path, asked: FileRequest) -> list[Grid]:
    return [_headed(grid, asked) for grid in read_workbook(*split_sheet(asked.path))]


def read_tables_in(folders: list[Path], asked: FileRequest) -> list[tuple[FileRequest, Content]]:
    """Read folders of tables, all together: tables of the same columns are one."""

    def read(path: Path) -> Grid:
        own = replace(asked, path=path, found=[])
        grid = _reader(path)(path, own)
        assert isinstance(grid, Grid)  # by its ending
        return grid

    return [(replace(asked, path=grid.path, found=[]), grid) for grid in read_table_folders(folders, read)]


def _read_folder(path: Path, asked: FileRequest) -> Parts | list[Grid]:
    if holds_tables(path):
        return [content for _, content in read_tables_in([path], asked) if isinstance(content, Grid)]
    return read_recordings([path], asked) if holds_recordings(path) else read_image_folder(path, asked)


def _headed(grid: Grid, asked: FileRequest) -> Grid:
    """Set whether the table has a header, where the options say so."""
    header = asked.options.header
    return grid if header is None else replace(grid, headed=header == "first")


READERS: dict[str, Reader] = {
    **dict.fromkeys(TABLE_SUFFIXES, _read_text_table),
    **dict.fromkeys(COLUMNAR_SUFFIXES, _read_columnar),
    **dict.fromkeys(EXCEL_SUFFIXES, _read_workbook),
    ".npy": read_npy,
    ".npz": read_npz,
    ".mat": read_mat,
    **dict.fromkeys(OMICS_SUFFIXES, read_omics),
    **dict.fromkeys(HDF_SUFFIXES, read_hdf),
}
"""Ending of a file, in small letters -> its reader. Recordings are not here: several of them are one view."""
SUFFIXES = (*READERS, *WAVEFORM_SUFFIXES)
"""Endings of the files that can be opened."""


def read_contents(asked: FileRequest) -> list[tuple[FileRequest, Content]]:
    """Read one file by its ending, before it is decided whether rows or columns are the samples.

    The sheets of a workbook are files of their own.
    """
    contents = _reader(split_sheet(asked.path)[0])(asked.path, asked)
    if not isinstance(contents, list):
        return [(asked, contents)]
    if len(contents) == 1:
        return [(replace(asked, path=contents[0].path), contents[0])]
    return [(FileRequest(grid.path, asked.options, asked.n_samples), grid) for grid in contents]


def _reader(path: Path) -> Reader:
    if path.is_dir():
        return _read_folder
    require_file(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        refuse_container(path)
        kind = f"of kind “{suffix}”" if suffix else "without an ending"
        raise DataError(f"Files {kind} cannot be read, so “{path.name}” was not opened.", f"Use {', '.join(SUFFIXES)}.")
    if suffix not in TABLE_SUFFIXES:  # texts are looked at when they are decoded
        with open_file(path) as file:
            refuse_wrong_ending(path, file.read(4096))
    return READERS[suffix]


def read_one_file(asked: FileRequest) -> Content:
    """Read one file that is one table, or no table at all (see `read_contents`); DataError where it is several."""
    [(_, content), *others] = read_contents(asked)
    if others:
        name = asked.path.name
        hint = f"Name one of them, as in {name}:{content.path.name}."
        raise DataError(f"“{name}” has {len(others) + 1} sheets where one table is wanted.", hint)
    return content


def as_parts(content: Content, asked: FileRequest) -> Parts:
    """Interpret the content of a file, samples in rows, where it is a table."""
    return interpret(content, asked) if isinstance(content, Grid) else content


def read_parts(asked: FileRequest) -> Parts:
    """Read one file whose rows are the samples."""
    return as_parts(read_one_file(asked), asked)


def is_table(path: Path) -> bool:
    """True if a file is a table, of text or with typed columns, by its ending alone."""
    tables = (*TABLE_SUFFIXES, *COLUMNAR_SUFFIXES, *EXCEL_SUFFIXES)
    return path.suffix.lower() in tables or path.parent.suffix.lower() in EXCEL_SUFFIXES


def sort_files(paths: list[Path]) -> tuple[list[Path], list[Path], list[Path]]:
    """Sort paths into recordings, one sample each, with folders of them; folders of tables; and others, with views."""
    recorded = [path for path in paths if holds_recordings(path) or path.suffix.lower() in WAVEFORM_SUFFIXES]
    folders = [path for path in paths if path not in recorded and holds_tables(path)]
    others = [path for path in paths if path not in recorded and path not in folders]
    check_sources(others, recorded)
    return recorded, folders, others
