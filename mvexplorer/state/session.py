"""Session files: versioned JSON that holds the document, and names the data without copying it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from pydantic import Field, ValidationError
from pydantic_core import from_json

from mvexplorer.compute.scheduler import Job
from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.notices import Notice
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.errors import ChangedDataError, DataError, MVExplorerError, SessionError
from mvexplorer.io.guards import read_document
from mvexplorer.io.manifest import GeneratedData
from mvexplorer.io.writing import FileVersion, file_version, write_bytes
from mvexplorer.state.colouring import orders_differ
from mvexplorer.state.model import DocumentState, Frozen, own_errors, path_from_json
from mvexplorer.wording import in_words, source_title

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mvexplorer.compute.cache import StageCache
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task
    from mvexplorer.io.files import Loaded
    from mvexplorer.io.options import ReadOptions

FORMAT = 1
RECOLOURED = Notice(
    "recoloured", "Classes are in their natural order now, 2 before 10: their colours differ from those saved."
)
SUFFIX = ".mvx.json"

_MOST_NAMED = 12
"""Files that a summary names."""
Rotation = tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]


class SessionFile(Frozen):
    """What a session file holds."""

    format: Literal[1] = 1
    program: str
    fingerprint: str
    """Of the data when it was saved: shows whether it has changed since."""
    n_samples: int
    class_order: Literal["text", "natural"] = "text"
    """How classes are ordered, which decides their colours: the first programs took “10” before “2”."""
    state: DocumentState
    cameras: dict[str, Rotation] = Field(default_factory=dict)
    """Panel id -> rotation of its 3-D camera."""


@dataclass(frozen=True)
class OpenedSession:
    """A session with its data found again."""

    state: DocumentState
    data: MultiView
    cameras: Mapping[str, Rotation]
    notes: tuple[str, ...]


def save_session(
    path: str | Path, state: DocumentState, data: MultiView, program: str, cameras: Mapping[str, Rotation] | None = None
) -> FileVersion:
    """Write a session.

    Parameters
    ----------
    path : path
        A file of the same name is replaced only once the new one is complete.
    state : DocumentState
        What is saved.
    data : MultiView
        What the state is about; only its fingerprint is saved.
    program : str
        Name of the version that saves it.
    cameras : Mapping[str, Rotation], optional
        Panel id -> rotation of its camera.

    Returns
    -------
    FileVersion
        What the file holds now, to notice when something else changes it.

    Raises
    ------
    SessionError
        The file cannot be written.
    """
    path = Path(path)
    reading = _with_paths(state.reading, lambda name: _relative((name,), path.parent)[0])
    stored = state.model_copy(update={"source": _relative(state.source, path.parent), "reading": reading})
    content = SessionFile(
        program=program,
        fingerprint=_fingerprint(state.source, data),
        n_samples=data.n_samples,
        class_order="natural",
        state=stored,
        cameras=dict(cameras or {}),
    )
    with in_words(SessionError, f"The session cannot be saved to {path}"):
        return write_bytes(path, content.model_dump_json(indent=1).encode())


def open_session(path: str | Path, *, accept_changed: bool = False) -> OpenedSession:
    """Read a session and the data it names.

    Raises
    ------
    SessionError
        The file cannot be read or is broken, its data is gone, or (unless `accept_changed`) its data has changed.
    """
    path = Path(path)
    content = _read(path)
    source = _absolute(content.state.source, path.parent)
    reading = _with_paths(content.state.reading, lambda name: _absolute((name,), path.parent)[0])
    state = content.state.model_copy(update={"source": source, "reading": reading})
    loaded = _load(state, source)
    data = _treated(loaded.data, state)
    _check_data(content, data, accept_changed)
    reordered = content.class_order == "text" and orders_differ(state.colour, data)
    return OpenedSession(state, data, content.cameras, (*loaded.notes, *((RECOLOURED,) if reordered else ())))


@dataclass(frozen=True)
class SaveSessionJob(Job):
    """A session to be written."""

    path: Path
    state: DocumentState
    data: MultiView
    program: str
    cameras: Mapping[str, Rotation]

    def run(self, cache: StageCache, task: Task) -> FileVersion:
        """Write it."""
        return self.save()

    def save(self) -> FileVersion:
        """Write it at once, on the calling thread."""
        return save_session(self.path, self.state, self.data, self.program, self.cameras)


@dataclass(frozen=True)
class OpenSessionJob(Job):
    """A session to be read, with the data it names."""

    path: Path
    accept_changed: bool = False

    def run(self, cache: StageCache, task: Task) -> tuple[FileVersion | None, OpenedSession]:
        """Read it. The version is taken first, so that a file that changes meanwhile counts as changed."""
        version = None
        with suppress(OSError, ValueError):  # reading will report the error
            version = file_version(self.path)
        opened = open_session(self.path, accept_changed=self.accept_changed)
        task.checkpoint()
        return version, opened


def _treated(data: MultiView, state: DocumentState) -> MultiView:
    """The data as the document uses it: waveforms as sonograms, features weighted."""
    try:
        if state.sonogram is not None:
            data = waveform_views(data, state.sonogram.rate, state.sonogram.preset)
        if any(v.weights is not None for v in state.views) and len(state.views) == data.n_views:
            data = data.replace(feature_weights=[v.weights for v in state.views])
    except MVExplorerError as error:
        raise SessionError(
            f"The data of this session has changed: {error.message}", "Put the file back, or open the data anew."
        ) from None
    return data


def _load(state: DocumentState, source: tuple[str, ...]) -> Loaded:
    """The session's data as it is now."""

    def load(preprocess: tuple[str, ...] | None) -> Loaded:
        one_or_all = source[0] if len(source) == 1 else list(source)
        return load_source(one_or_all, state.reading, preprocess=preprocess)

    try:
        try:
            return load(tuple(v.preprocess for v in state.views))
        except DataError as error:
            # The number of views may have changed; then the views are what the user should read about.
            loaded = load(None)
            if loaded.data.view_names == tuple(v.name for v in state.views):
                raise error from None
            return loaded
    except DataError as error:
        raise SessionError(
            f"The data of this session cannot be opened: {error.message}", "Put the file back, or open the data anew."
        ) from None


def _check_data(content: SessionFile, data: MultiView, accept_changed: bool) -> None:
    names = tuple(v.name for v in content.state.views)
    if names != data.view_names or data.n_samples != content.n_samples:
        raise SessionError(
            f"The session was made for {content.n_samples} samples of {', '.join(names)}; its data now has "
            f"{data.n_samples} of {', '.join(data.view_names)}.",
            "Restore the data the session was saved with, or open the data anew.",
        )
    if _fingerprint(content.state.source, data) != content.fingerprint and not accept_changed:
        raise ChangedDataError(
            "The data has changed since the session was saved: the same parameters would show something else.",
            "Restore the data, or open the session with the changed data.",
        )
    if any(not 0 <= i < data.n_samples for i in content.state.selection):
        raise SessionError("The session selects samples that do not exist.", "Correct the file, or start anew.")


def _fingerprint(source: tuple[str, ...], data: MultiView) -> str:
    """Changes when the data does. Generated samples count to six decimals: another processor's sine differs
    from ours in the last digit, and a session must open there as well.
    """
    manifest = find_sample(source[0]) if len(source) == 1 else None
    if manifest is None or not isinstance(manifest.data, GeneratedData):
        return data.fingerprint
    found = _rounded.get(data)
    if found is None:
        found = _rounded[data] = data.replace(Xs=[np.round(X, 6) + 0.0 for X in data.Xs]).fingerprint
    return found


_rounded: WeakKeyDictionary[MultiView, str] = WeakKeyDictionary()
"""Fingerprints of generated data, as the work is kept every few seconds."""


def _read(path: Path) -> SessionFile:
    text = _session_text(path)
    try:
        with own_errors():
            return SessionFile.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SessionError(
            f"The session {path.name} is broken at {where}: {first['msg']}.",
            "Correct the file, or start anew from the data.",
        ) from None
    except MVExplorerError as error:  # a method or a rule that this version does not know
        raise SessionError(f"The session {path.name} cannot be opened: {error.message}", error.hint) from None


def _session_text(path: Path) -> str:
    """The text of a file that is a session of our format, whatever its fields hold."""
    with in_words(SessionError, f"The session {path} cannot be read", "Choose another file."):
        content = read_document(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise SessionError(f"{path.name} is not a session file.", f"Choose a file that ends in {SUFFIX}.") from None
    try:
        content = from_json(text)
    except ValueError:
        raise SessionError(
            f"The session {path.name} is broken: it is not complete JSON.",
            "Open a backup, or start anew from the data.",
        ) from None
    if not isinstance(content, dict) or "format" not in content:
        raise SessionError(f"{path.name} is not a session file.", f"Choose a file that ends in {SUFFIX}.")
    version = content["format"]
    if version != FORMAT:
        raise SessionError(
            f"The session {path.name} has format {version}, this program reads format {FORMAT}.",
            "Open it with the version of mvexplorer that saved it.",
        )
    return text


def is_session(path: str) -> bool:
    """Whether a path names a session file rather than data."""
    return path.endswith(SUFFIX)


def _is_sample(source: tuple[str, ...]) -> bool:
    return len(source) == 1 and find_sample(source[0]) is not None


def _relative(source: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Data beside or below the session moves with it; the rest is named by its full path."""
    if _is_sample(source):
        return source
    folder = folder.resolve()
    full = [Path(p).resolve() for p in source]
    return tuple(f"./{p.relative_to(folder).as_posix()}" if p.is_relative_to(folder) else str(p) for p in full)


def _absolute(source: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    if any("\0" in name for name in source):
        raise SessionError("The session names its data by a character that no file name has.", "Open the data anew.")
    # Unlike Path.resolve, this does not fail on links that form a loop.
    return source if _is_sample(source) else tuple(os.path.realpath(folder / p) for p in source)


def _with_paths(reading: ReadOptions, change: Callable[[str], str]) -> ReadOptions:
    """The options with their paths changed; names of columns stay."""

    def changed(name: str | None) -> str | None:
        return change(name) if name is not None and (name.startswith("./") or os.path.isabs(name)) else name

    return replace(reading, labels=changed(reading.labels), ids=changed(reading.ids))


def session_summary(path: Path) -> str | None:
    """One line about a session for "continue last session"; None where there is none to continue."""
    try:
        # Unlike the json module, this raises ValueError where the document is nested too deep, no RecursionError.
        content: dict[str, Any] = from_json(read_document(path))
        source = [path_from_json(path) for path in content["state"]["source"]]
        more = [f"{len(source) - _MOST_NAMED:,} more"] if len(source) > _MOST_NAMED else []
        named = ", ".join([source_title(source[:_MOST_NAMED]), *more])
        return f"{named}, {len(content['state']['panels'])} panels"
    except (OSError, ValueError, KeyError, TypeError):
        return None
