"""The lines of a script that find its data and load it as the session has it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from mvexplorer.datasets.catalogue import find_sample, is_built_in
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.tables.excel import split_sheet
from mvexplorer.io.writing.package import is_package, treatment_in
from mvexplorer.private import handed_over
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.export.script.lines import Call, Code, assignment, comment, literal, plain
from mvexplorer.wording import listed


@dataclass(frozen=True)
class ScriptPlace:
    """The place of the Python that loads the data: a script or a notebook in some folder, or nowhere yet."""

    folder: Path | None = None
    notebook: bool = False

    @property
    def here(self) -> str:
        """The folder as Python: a notebook is not told its own, but Jupyter starts it there."""
        return "Path.cwd()" if self.notebook else "Path(__file__).resolve().parent"


def loading(state: DocumentState, data: MultiView, place: ScriptPlace) -> list[str]:
    """The statements that find the files from a place on, else where they are now, and load them as they are treated.

    Those of no place have the files' full paths. DataError where the data came from no file.
    """
    if state.source in ((), ("memory",)) or handed_over(state.source):
        raise DataError(
            "This data came from no file, so that no script can load it.", "Save it first: File > Save with data …"
        )
    usual, weighted = _as_loaded(state)
    options = state.reading.plain
    if tuple(view.preprocess for view in state.views) != usual:
        options["preprocess"] = one_or_all(view.preprocess for view in state.views)
    statements: list[str] = []
    sample = len(state.source) == 1 and is_built_in(state.source[0])
    source: Any
    if sample:
        source = state.source[0]
    else:
        statements, source, beside = _files(state, place)
        options |= beside
    load = assignment("data", Call("mvx.load", (source,), options))
    if place.folder is not None and not place.notebook and not sample:
        load = _or_end(load)
    lines = [*statements, load, *_treatment(state, weighted)]
    kept = [view.name for view in state.views if view.enabled and view.kept_scales == view.preprocess]
    if kept:
        lines.append(comment(f"The scales of the columns of {listed(kept)} differ widely and are meant so."))
    if not sample and place.folder is not None and state.sonogram is None:
        words = f"The data has changed since this {_kind(place)} was written: its numbers will differ."
        lines.append(f"if data.fingerprint != {literal(data.fingerprint)}:\n    print({literal(words)})")
    return lines


def _or_end(statement: str) -> str:
    """The statement, and an end of the script in one sentence where its data is refused."""
    inside = statement.replace("\n", "\n    ")
    refused = "except mvx.errors.MVExplorerError as error:\n    raise SystemExit(str(error)) from None"
    return f"try:\n    {inside}\n{refused}"


def one_or_all(values: Iterable[Any]) -> Any:
    """One value where all are the same, else a list."""
    every = list(values)
    return every[0] if all(value == every[0] for value in every) else every


def _as_loaded(state: DocumentState) -> tuple[tuple[str, ...], bool]:
    """Return how each view is preprocessed where no option says it, and whether its features have weights."""
    if len(state.source) == 1 and is_package(state.source[0]):
        return treatment_in(state.source[0])
    sample = find_sample(state.source[0]) if len(state.source) == 1 else None
    own = {} if sample is None else {view.name: view.preprocess for view in sample.views}
    return tuple(own.get(view.name, "none") for view in state.views), False


def _treatment(state: DocumentState, weighted: bool) -> list[str]:
    """Write the statements that treat the data once it is read: waveforms become sonograms, features get weights."""
    lines = []
    if state.sonogram is not None:
        call = Call("mvx.waveform_views", (Code("data"), state.sonogram.rate), {"preset": state.sonogram.preset})
        lines.append(assignment("data", call))
    if weighted or any(view.weights is not None for view in state.views):
        weights = [None if view.weights is None else list(view.weights) for view in state.views]
        lines.append(assignment("data", Call("data.replace", (), {"feature_weights": weights})))
    return lines


def _files(state: DocumentState, place: ScriptPlace) -> tuple[list[str], Any, dict[str, Any]]:
    """The statements that find the files' folder, the files as `load` takes them, and options that are files, too."""
    paths = [os.path.abspath(os.path.expanduser(path)) for path in state.source]
    beside = {name: path for name in ("labels", "ids") if os.path.isabs(path := getattr(state.reading, name) or "")}
    if place.folder is None:
        return [], paths[0] if len(paths) == 1 else paths, beside
    folder = _folder_of([*paths, *beside.values()])
    names = {path: _below(path, folder) for path in (*paths, *beside.values())}
    files = list(dict.fromkeys(_below(str(split_sheet(path)[0]), folder) for path in names))
    source: Any = [Code(f"folder / {literal(names[path])}") for path in paths]
    if len(paths) == 1:
        source = source[0]
    elif files == [names[path] for path in paths]:
        source = Code("[folder / name for name in files]")
    options = {name: Code(f"str(folder / {literal(names[path])})") for name, path in beside.items()}
    return _finding(folder, files, place), source, options


def _folder_of(paths: Sequence[str]) -> str:
    """The folder that holds all files, or else that of the first."""
    folders = [os.path.dirname(path) for path in paths]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # on several disks
        return folders[0]


def _below(path: str, folder: str) -> str:
    """A path from a folder on; the full one where that is on another disk."""
    return PurePath(os.path.relpath(path, folder)).as_posix() if path.startswith(folder) else path


def _finding(folder: str, files: list[str], place: ScriptPlace) -> list[str]:
    """The statements that find the folder of the files: from the place, in it, else where it is now."""
    places = [*dict.fromkeys((*_from(place, folder), Code(place.here))), Code(f"Path({literal(folder)})")]
    lines = [assignment("folders", places)]
    there = f"(folder / {literal(files[0])}).exists()"
    if len(files) > 1:
        lines.append(assignment("files", files))
        there = "all((folder / name).exists() for name in files)"
    most = 5
    named = plain(", ".join(files[:most]) + (", …" if len(files) > most else ""))
    gone = f"There is no {named} in " if len(files) == 1 else f"Not all of {named} are in "
    error = "FileNotFoundError" if place.notebook else "SystemExit"
    hint = f". Put the data there, or correct the folders in this {_kind(place)}."
    return [
        *lines,
        assignment("folder", Call("next", (Code(f"(folder for folder in folders if {there})"), None))),
        "if folder is None:",
        '    sought = " or ".join(map(str, dict.fromkeys(folders)))',
        f"    raise {error}(",
        f"        {literal(gone)}",
        f"        + sought\n        + {literal(hint)}\n    )",
    ]


def _from(place: ScriptPlace, folder: str) -> list[Code]:
    """The folder as Python that starts at the place; none where nothing but the disk is common to both."""
    assert place.folder is not None
    here, there = os.path.realpath(place.folder), os.path.realpath(folder)
    try:
        common = os.path.commonpath([here, there])
    except ValueError:
        return []
    if common == os.path.dirname(common) and here != common:
        return []
    up, down = PurePath(here).relative_to(common).parts, PurePath(there).relative_to(common).as_posix()
    return [Code(place.here + ".parent" * len(up) + ("" if down == "." else f" / {literal(down)}"))]


def _kind(place: ScriptPlace) -> str:
    return "notebook" if place.notebook else "script"
