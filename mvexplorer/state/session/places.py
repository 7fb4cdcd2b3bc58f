"""Where a session's files are: beside it, where they were, or where the user says.

A session names every file twice: from its own folder, so that both can be moved together, and in full. Which of them is
the right one is decided by what is in it, see `mvexplorer.state.session.session`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from mvexplorer.datasets.catalogue import is_built_in
from mvexplorer.errors import SessionDataError, SessionError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.path_text import PathText
from mvexplorer.io.tables.excel import split_sheet
from mvexplorer.state.document.frozen import Frozen
from mvexplorer.wording import file_title, source_title

Paths = dict[str, str]
"""A file as the session names it -> its path."""


class Place(Frozen):
    """Where a file was when the session was saved."""

    name: PathText
    """As the session names it."""
    relative: PathText | None
    """From the session's folder; None where no path leads there, as from one drive to another."""
    absolute: PathText


def is_sample(source: tuple[str, ...]) -> bool:
    """Whether a source is a sample or generated data, which is no file."""
    return len(source) == 1 and is_built_in(source[0])


def stored_source(source: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The names of the data in a session: from its folder where they are in it, else in full."""
    if is_sample(source):
        return source
    folder = folder.resolve()
    full = [Path(p).resolve() for p in source]
    return tuple(f"./{p.relative_to(folder).as_posix()}" if p.is_relative_to(folder) else str(p) for p in full)


def with_paths(reading: ReadOptions, change: Callable[[str], str]) -> ReadOptions:
    """The options with their paths changed; names of columns stay."""

    def changed(name: str | None) -> str | None:
        return change(name) if name is not None and (name.startswith("./") or os.path.isabs(name)) else name

    return replace(reading, labels=changed(reading.labels), ids=changed(reading.ids))


def names_of(source: tuple[str, ...], reading: ReadOptions) -> tuple[str, ...]:
    """List all files that a session names, under the names it uses."""
    names = [] if is_sample(source) else list(source)

    def note(name: str) -> str:
        names.append(name)
        return name

    with_paths(reading, note)
    return tuple(dict.fromkeys(names))


def places_of(source: tuple[str, ...], reading: ReadOptions, folder: Path) -> tuple[Place, ...]:
    """Where the files are that a session names, seen from its folder."""
    return tuple(_place(name, folder.resolve()) for name in names_of(source, reading))


def _place(name: str, folder: Path) -> Place:
    full = os.path.realpath(folder / name)
    try:
        relative = f"./{Path(os.path.relpath(full, folder)).as_posix()}"
    except ValueError:  # on another drive
        relative = None
    return Place(name=name, relative=relative, absolute=full)


def known_places(names: tuple[str, ...], places: tuple[Place, ...], folder: Path) -> list[Paths]:
    """Where the files may be: first from the session's folder, then where they were; each way only once.

    A file that is not in one place is taken from the other.
    """
    if not all(names):  # the folder itself, which the user never named
        raise SessionError("The session names no data.", "Open the data again.")
    if any("\0" in name for name in names):
        raise SessionError("The session names its data by a character that no file name has.", "Open the data again.")
    near, far = {}, {}
    for name in names:
        kept = next((place for place in places if place.name == name), None)
        beside = _full(folder, kept.relative if kept is not None and kept.relative is not None else name)
        before = _full(folder, name if kept is None else kept.absolute)
        near[name] = before if not _exists(beside) and _exists(before) else beside
        far[name] = beside if not _exists(before) and _exists(beside) else before
    return [near] if near == far else [near, far]


def _full(folder: Path, path: str) -> str:
    # Unlike Path.resolve, this does not fail on links that form a loop.
    return os.path.realpath(folder / path)


def _exists(path: str) -> bool:
    return os.path.exists(split_sheet(path)[0])


def located(names: tuple[str, ...], recorded: Paths, place: Path) -> list[Paths]:
    """List where the files may be, now that the user has found `place`: the folder that holds them, or one of them.

    All are looked for by their names; SessionDataError where some are not there. Where a single one has another name
    now, every file of its kind in the folder may be it, and its content decides.
    """
    if not place.exists():
        raise SessionDataError(f"There is no file or folder “{place}”.", "Check the path.")
    folder = place if place.is_dir() else place.parent
    paths = {name: path for name in names if (path := _in_folder(name, folder)) is not None}
    if place.is_file():
        alike = [name for name in names if _base(name) == place.name]
        lost = [name for name in names if name not in paths and not _exists(recorded[name])]
        for name in (alike or lost or list(names))[:1]:
            paths[name] = _with_sheet(place, name)
    elif len(names) == 1 and _base(names[0]) == place.name:  # a folder of pictures
        paths = {names[0]: str(place)}
    lost = [name for name in names if name not in paths and not _exists(recorded[name])]
    whole = {name: paths.get(name, recorded[name]) for name in names}
    if not lost:
        return [whole]
    if len(lost) == 1 and (others := _of_kind(lost[0], folder, set(paths.values()))):
        most = 12  # files of other names that are opened in search of a session's data
        return [whole | {lost[0]: path} for path in others[:most]]
    raise _not_there(lost, folder)


def _not_there(lost: list[str], folder: Path) -> SessionDataError:
    missing = source_title([_base(name) for name in lost[:3]]) + (" …" if len(lost) > 3 else "")
    return SessionDataError(
        f"In the folder {file_title(folder)} there is no {missing}, which this session was saved with.",
        "Choose the folder that holds all its files, or the file itself.",
    )


def _base(name: str) -> str:
    return split_sheet(name)[0].name


def _with_sheet(path: Path, name: str) -> str:
    sheet = split_sheet(name)[1]
    return str(path) if sheet is None else f"{path}:{sheet}"


def _in_folder(name: str, folder: Path) -> str | None:
    """A file in a folder by the last parts of its name: ``b.csv``, then ``a/b.csv``; None where it is not there."""
    parts = split_sheet(name)[0].parts
    for count in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[-count:])
        if path.exists():
            return _with_sheet(path.resolve(), name)
    return None


def _of_kind(name: str, folder: Path, taken: set[str]) -> list[str]:
    """List the files in a folder that have the ending of `name` and are not taken, with its sheet."""
    ending = split_sheet(name)[0].suffix.lower()
    files = sorted(p.resolve() for p in folder.iterdir() if p.suffix.lower() == ending and p.is_file())
    return [path for p in files if (path := _with_sheet(p, name)) not in taken]
