"""Folders of tables: those of the same columns are one table, rows below rows, and their folders are its classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os.path import commonpath
from pathlib import Path

import numpy as np

from mvexplorer.engine.core.notices import ASSUMED, Notice
from mvexplorer.io.arrays.folders import FOLDER_TABLES, FOLDERS, files_in, folder_names
from mvexplorer.io.base.guards import check_sources
from mvexplorer.io.base.parts import UNLABELLED
from mvexplorer.io.tables.grid import Cells, Grid
from mvexplorer.wording import counted


def read_table_folders(folders: Sequence[Path], read: Callable[[Path], Grid]) -> list[Grid]:
    """Read all tables in folders; those whose columns no other has stay by themselves, as if the files were given."""
    files: list[Path] = []
    others = 0
    for folder in folders:
        inside, beside = files_in(folder, FOLDER_TABLES, "tables")
        files, others = [*files, *inside], others + beside
    names = folder_names([file.parent for file in files], folders)
    alike: dict[tuple[str, ...], list[tuple[str, Grid]]] = {}
    for name, file in zip(names, files, strict=True):
        grid = read(file)
        heads = grid.header[0] or [str(i) for i in range(grid.numbers.shape[1])]
        alike.setdefault(tuple(heads), []).append((name, grid))
    check_sources([group[0][1].path for group in alike.values()], [])
    base = folders[0] if len(folders) == 1 else Path(commonpath([folder.absolute() for folder in folders]))
    grids = [_stacked(heads, group, base) if len(group) > 1 else group[0][1] for heads, group in alike.items()]
    if others:
        said = f"{others:,} other file{'s are' if others > 1 else ' is'} no table and left out."
        grids[0] = replace(grids[0], notes=(*grids[0].notes, said))
    return grids


def _stacked(heads: Sequence[str], group: Sequence[tuple[str, Grid]], base: Path) -> Grid:
    """Put tables below each other, with columns that say from which folder and file a row is."""
    grids = [grid for _, grid in group]
    starts = [int(grid.header[0] is not None) for grid in grids]
    counts = [len(grid.numbers) - start for grid, start in zip(grids, starts, strict=True)]
    of_row = np.repeat(np.arange(len(grids)), counts)
    beside = _beside(heads, group)
    rows = np.concatenate([np.arange(start, start + n) for start, n in zip(starts, counts, strict=True)])

    def row(index: int) -> list[str]:
        if index == 0:
            return [*heads, *beside]
        table = int(of_row[index - 1])
        return [*grids[table].row(int(rows[index - 1])), *(texts[table] for texts in beside.values())]

    def column(index: int) -> list[str]:
        if index < len(heads):
            cells = [grid.column(index)[start:] for grid, start in zip(grids, starts, strict=True)]
            return [heads[index], *(cell for own in cells for cell in own)]
        name, texts = list(beside.items())[index - len(heads)]
        return [name, *(texts[table] for table in of_row.tolist())]

    shape = (len(of_row) + 1, len(heads) + len(beside))
    numbers, missing = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    inside = slice(0, len(heads))
    numbers[1:, inside] = np.concatenate([g.numbers[start:] for g, start in zip(grids, starts, strict=True)])
    missing[1:, inside] = np.concatenate([g.missing[start:] for g, start in zip(grids, starts, strict=True)])
    stems = {grid.path.stem for grid in grids}
    path = base / grids[0].path.name if len(stems) == 1 else base
    text = f"the rows of {counted(len(grids), 'table')} with the same columns were put below each other."
    notes = dict.fromkeys(note for grid in grids for note in grid.notes)
    notes[Notice(ASSUMED, text)] = None
    label = next((name for name in beside if name.startswith(FOLDERS)), None)
    cells = Cells(row, column)
    lines = range(1, shape[0] + 1)
    return Grid(path, cells, numbers, missing, lines, tuple(notes), headed=True, unit="row", label=label)


def _beside(heads: Sequence[str], group: Sequence[tuple[str, Grid]]) -> dict[str, list[str]]:
    """Name each table's folder, where there are several, and its file, where folders have several."""
    folders = [UNLABELLED if name == "." else name for name, _ in group]
    files = [grid.path.stem for _, grid in group]
    columns = {}
    if len(set(folders)) > 1:
        columns[_free(FOLDERS, heads)] = folders
    if len(set(folders)) < len(folders):
        columns[_free("file", heads)] = files
    return columns


def _free(name: str, heads: Sequence[str]) -> str:
    return next(own for i in range(1, len(heads) + 2) if (own := name if i == 1 else f"{name}-{i}") not in heads)
