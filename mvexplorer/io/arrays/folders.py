"""Folders of pictures, recordings or tables: which files, and the folders in them as label."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_RECORDINGS, check_count
from mvexplorer.io.base.kinds import COLUMNAR_SUFFIXES
from mvexplorer.io.base.parts import UNLABELLED, Parts
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.wording import file_title, readable

IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
WAV_SUFFIXES = (".wav", ".wave")
WAVEFORM_SUFFIXES = (*WAV_SUFFIXES, ".mseed", ".miniseed", ".seed", ".sac", ".gse", ".gse2", ".slist", ".gcf", ".evt")
"""Endings of recordings. ObsPy also tries files with other endings, by their content."""
FOLDER_TABLES = (".csv", ".tsv", ".tab", *COLUMNAR_SUFFIXES)
"""Endings of the tables in a folder: a text beside them may be anything."""
FOLDERS = "folder"
"""The column that names the samples' folders."""
_WRITE = "Write what it holds to one file: an AnnData by write_h5ad, a MuData by write_h5mu, arrays by numpy.savez."


def holds_recordings(path: Path) -> bool:
    """True if a path is a folder of more recordings than pictures; DataError if it holds neither, and no tables."""
    if not path.is_dir():
        return False
    files, _ = _walk(path, (*IMAGE_SUFFIXES, *WAVEFORM_SUFFIXES))
    if not files and not holds_tables(path):
        hint = "Give a folder of PNG, JPEG, WAV or CSV files; of other files give the files themselves, one per view."
        raise DataError(f"The folder “{file_title(path)}” holds no pictures, recordings or tables.", hint)
    return sum(file.suffix.lower() in WAVEFORM_SUFFIXES for file in files) > len(files) / 2


def holds_tables(path: Path) -> bool:
    """True if a path is a folder of tables, without pictures and recordings; DataError if it is a zarr store."""
    if not path.is_dir():
        return False
    _refuse_store(path)
    pictured, _ = _walk(path, (*IMAGE_SUFFIXES, *WAVEFORM_SUFFIXES))
    return not pictured and bool(_walk(path, FOLDER_TABLES)[0])


def folder_names(folders: Sequence[Path], paths: Sequence[Path]) -> list[str]:
    """Name the folders within the only one that is given, else within the one that holds them all."""
    base = [paths[0].absolute().parts] if len(paths) == 1 and paths[0].is_dir() else []
    parts = [folder.absolute().parts for folder in folders]
    levels = zip(*parts, *base, strict=False)
    shared = len(list(takewhile(lambda names: len(set(names)) == 1, levels)))
    return [readable("/".join(own[shared:]) or ".") for own in parts]


def files_in(path: Path, suffixes: Sequence[str], what: str) -> tuple[list[Path], int]:
    """List the files of one kind in a folder and the folders in it, not through links, and count the others.

    They are in the order of the numbers in their names.
    """
    files, others = _walk(path, suffixes)
    check_count(path, len(files), MAX_RECORDINGS, what, "Keep a part of them.")
    return sorted(files, key=lambda file: _in_order(str(file.relative_to(path)))), others


def _walk(path: Path, suffixes: Sequence[str]) -> tuple[list[Path], int]:
    files: list[Path] = []
    others = 0
    deepest = 8  # folders within folders
    for folder, folders, names in os.walk(path):
        depth = len(Path(folder).relative_to(path).parts)
        folders[:] = sorted(n for n in folders if not n.startswith(".")) if depth < deepest else []
        for name in names:
            own = Path(folder, name)
            wanted = own.suffix.lower() in suffixes and not own.is_symlink()
            files += [own] * (wanted and not name.startswith("."))
            others += not wanted and not name.startswith(".") and name != "Thumbs.db"
        if len(files) > MAX_RECORDINGS:
            break
    return files, others


def _in_order(name: str) -> list[tuple[int, str]]:
    """Return a sort key in which 2 comes before 10."""
    parts = re.split(r"([0-9]+)", name)  # at odd places the numbers
    return [(int(part), "") if place % 2 else (-1, part) for place, part in enumerate(parts)]


def _refuse_store(path: Path) -> None:
    marks = (".zgroup", ".zarray", ".zmetadata", "zarr.json")
    if path.suffix.lower() == ".zarr" or any((path / name).is_file() for name in marks):
        raise DataError(f"“{path.name}” is a zarr store, which is not read.", _WRITE)


def refuse_container(path: Path) -> None:
    """Refuse a packed zarr store or a loom file, with the way to a format that is read."""
    name = path.name.lower()
    if name.endswith((".zarr.zip", ".zarr")):
        raise DataError(f"“{path.name}” is a packed zarr store, which is not read.", _WRITE)
    if name.endswith(".loom"):
        raise DataError(f"“{path.name}” is a loom file, which is not read.", "Write it as .h5ad, by anndata.")


def note_others(parts: Parts, others: int, what: str) -> None:
    """Note how many files of a folder were left out, in place; `what` says in the plural what they are not."""
    if others:
        parts.note(f"{others:,} other file{'s are' if others > 1 else ' is'} no {what} and left out.")


def take_folders(folders: Sequence[str], parts: Parts, asked: FileRequest, *, label: bool = True) -> None:
    """Take the samples' folders (“.” for none), where there are several, as the label or a column, in place."""
    if len(set(folders)) < 2:
        return
    names = np.array([UNLABELLED if name == "." else name for name in folders])
    called = FOLDERS
    asked.offer(called, lambda: names)
    role = asked.role(called)
    wanted = called in (asked.labels, asked.options.labels)
    if role == "ignore":
        return
    if wanted or (label and role != "colour" and asked.labels is None):
        parts.labels, parts.label_name = names, called
        parts.note("the names of the folders were taken as the label.", subjects=(called,))
    else:
        parts.columns[called] = names
