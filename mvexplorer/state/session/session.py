"""Session files: versioned JSON that holds the document and names the data; or one file that holds the data as well."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import Notice, captions
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.sonograms import waveform_views
from mvexplorer.errors import ChangedDataError, DataError, MVExplorerError, SessionDataError, SessionError
from mvexplorer.io.base.guards import read_document
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.writing.package import is_package
from mvexplorer.io.writing.versions import FileVersion, file_version, write_bytes
from mvexplorer.private import OWN_FILE, user_folder
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.snapshot_commands import with_data_at
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.document.titles import panel_titles
from mvexplorer.state.pictures.colouring import orders_differ
from mvexplorer.state.pictures.panel_result import Picture, Turn
from mvexplorer.state.session.places import Paths, known_places, located, names_of, places_of, stored_source, with_paths
from mvexplorer.state.session.portable import Portable, read_portable, write_portable
from mvexplorer.state.session.same_data import check_data, digests, fingerprint, unchanged
from mvexplorer.state.session.session_file import (
    FORMAT,
    MINOR,
    SUFFIX,
    SessionFile,
    is_session,
    parse_session,
    session_summary,
)
from mvexplorer.wording import file_title, in_words

__all__ = [
    "FORMAT",
    "RECOLOURED",
    "SUFFIX",
    "OpenSessionJob",
    "OpenedSession",
    "SaveSessionJob",
    "SessionFile",
    "is_session",
    "open_session",
    "save_session",
    "session_summary",
]

RECOLOURED = Notice(
    "recoloured", "Classes are in their natural order now, 2 before 10: their colours differ from those saved."
)
LOCATED = "located"
"""Code of a notice where the data was found."""
PART = "part"
"""Code of a notice that says what the samples are a part of."""
OTHER_VIEWS = "other-views"
"""Code of a notice that panels name views that the data lacks."""
_PUT_BACK = "Put it back, say where it is, or open the data again."


@dataclass(frozen=True)
class OpenedSession:
    """A session with its data found again, and the pictures that were saved with it."""

    state: DocumentState
    data: MultiView
    cameras: Mapping[str, Rotation]
    notes: tuple[str, ...]
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    turns: Mapping[str, Turn] = field(default_factory=dict)


def save_session(
    path: str | Path,
    state: DocumentState,
    data: MultiView,
    program: str,
    cameras: Mapping[str, Rotation] | None = None,
    *,
    pictures: Mapping[str, Picture] | None = None,
    turns: Mapping[str, Turn] | None = None,
    own_work: bool = False,
    tick: Callable[[float], None] = lambda fraction: None,
) -> FileVersion:
    """Write a session, with its data where the file's name ends in .mvx; SessionError where that is impossible.

    `program` is the version that saves it; `cameras`, `pictures` and `turns` are those of panels, by their ids; `tick`
    is called with the part of the data that is written, and may raise to stop. `own_work` marks a kept file whose edits
    are in no other. A former file stays until the new one is
    complete. Returns the file's version, by which later changes are noticed.
    """
    path = Path(path)
    content = session_content(state, data, program, cameras or {}, turns)
    if is_package(path):
        here = {"fingerprint": fingerprint((), data), "digests": digests((), data)}
        inside = content.model_copy(update={"state": with_data_beside(state, ()), **here})
        return write_portable(path, Portable(_json(inside), data, pictures or {}), tick)
    reading = with_paths(state.reading, lambda name: stored_source((name,), path.parent)[0])
    stored = with_data_at(state, source=stored_source(state.source, path.parent), reading=reading)
    places = places_of(stored.source, stored.reading, path.parent)
    content = content.model_copy(update={"state": stored, "places": places, "own_work": own_work})
    with in_words(SessionError, f"The session cannot be saved to {path}"):
        return write_bytes(path, _json(content), OWN_FILE if path.parent == user_folder() else None)


def session_content(
    state: DocumentState,
    data: MultiView,
    program: str,
    cameras: Mapping[str, Rotation],
    turns: Mapping[str, Turn] | None = None,
) -> SessionFile:
    """Make the content of a session's file, still without the places of its data."""
    return SessionFile(
        minor=MINOR,
        program=program,
        fingerprint=fingerprint(state.source, data),
        n_samples=data.n_samples,
        digests=digests(state.source, data),
        class_order="natural",
        state=state,
        cameras=dict(cameras),
        turns=dict(turns or {}),
    )


def state_for(
    data: MultiView, session: str | os.PathLike[str] | Mapping[str, Any]
) -> tuple[DocumentState, dict[str, Rotation], dict[str, Turn]]:
    """Read a session's state, cameras and turned pictures from its file or its content, to be shown with other data.

    SessionError where the session cannot be read, or is of other views or another number of samples.
    """
    content, _ = parse_session(*text_of(session))
    check_data(content, data, accept_changed=True)
    return content.state, content.cameras, content.turns


def text_of(session: object) -> tuple[bytes, str]:
    """The JSON and the name of a session that a caller gives; SessionError for anything else."""
    wanted = "Give a session's file, or what such a file holds."
    if isinstance(session, Mapping):
        if "format" not in session:
            raise SessionError("The mapping given is not a session.", wanted)
        try:
            return to_json(dict(session)), "session"
        except (ValueError, TypeError, RecursionError):
            raise SessionError("The mapping given is not a session: JSON cannot hold what is in it.", wanted) from None
    if not isinstance(session, str | os.PathLike):
        raise SessionError(f"A session is a file or a mapping, not {type(session).__name__}.", wanted)
    path = Path(os.fsdecode(session))
    with in_words(SessionError, f"The session {path} cannot be read", "Choose another file."):
        return read_portable(path).session if is_package(path) else read_document(path), path.name


def _json(content: SessionFile) -> bytes:
    return content.model_dump_json(indent=1).encode()


def with_data_beside(state: DocumentState, source: tuple[str, ...]) -> DocumentState:
    """The state of data as it is now, where `source` holds that very data, read and turned into sonograms."""
    return with_data_at(state, source=source, reading=ReadOptions(), sonogram=None)


def open_session(path: str | Path, *, accept_changed: bool = False, data: str | Path | None = None) -> OpenedSession:
    """Read a session and the data it names, or has in it.

    The files are looked for from the session's folder, then where they were; or where the user says, in `data`, a
    folder with all of them or one of them. With `accept_changed` they may hold other numbers. SessionError where the
    file cannot be read or is broken; SessionDataError where its data is gone, or has changed and that is not accepted.
    """
    path = Path(path)
    if is_package(path):
        if data is not None:
            raise SessionError(f"“{path.name}” has its data inside, and none elsewhere.", "Leave --data out.")
        return _open_portable(path, accept_changed)
    with in_words(SessionError, f"The session {path} cannot be read", "Choose another file."):
        text = read_document(path)
    content, notes = parse_session(text, path.name)
    state, loaded, more = _find_data(content, path.parent, accept_changed, None if data is None else Path(data))
    reordered = content.class_order == "text" and orders_differ(state.colour, loaded)
    notes += (*more, *((RECOLOURED,) if reordered else ()))
    return OpenedSession(state, loaded, content.cameras, (*notes, *_told_views(state, loaded)), turns=content.turns)


def _open_portable(path: Path, accept_changed: bool) -> OpenedSession:
    portable = read_portable(path)
    content, notes = parse_session(portable.session, path.name)
    state = with_data_beside(content.state, (os.path.realpath(path),))
    try:
        data = treated(portable.data.replace(preprocess=[v.preprocess for v in state.views]), state)
        check_data(content, data, accept_changed)
    except ChangedDataError:
        raise
    except SessionDataError as error:  # its data is nowhere else
        raise SessionError(error.message, "Get a whole copy of it, or save it again.") from None
    notes += (Notice(PART, f"{state.part_of}."),) if state.part_of else ()
    all_notes = *notes, *_told_views(state, data)
    return OpenedSession(state, data, content.cameras, all_notes, portable.pictures, content.turns)


def _find_data(
    content: SessionFile, folder: Path, accept_changed: bool, chosen: Path | None
) -> tuple[DocumentState, MultiView, tuple[Notice, ...]]:
    """The data in the first place where it is what it was, else the changed data where that is accepted."""
    names = names_of(content.state.source, content.state.reading)
    recorded = known_places(names, content.places, folder)
    ways = recorded if chosen is None or not names else located(names, recorded[0], chosen)
    problem: SessionError | None = None
    for accept in (False, True) if accept_changed else (False,):
        for way in ways:
            try:
                state, loaded, data = _data_at(content, way, rename=chosen is not None)
                check_data(content, data, accept)
            except SessionError as error:
                if problem is None or not isinstance(problem, ChangedDataError):
                    problem = error
                continue
            notes = *loaded.notes, *_told_place(way, ways, chosen)
            return state.asking_scales if accept else state, data, notes
    assert problem is not None
    raise problem


def _told_views(state: DocumentState, data: MultiView) -> tuple[Notice, ...]:
    """Notify the user of panels whose views the data lacks: they use others."""
    present = {None, *data.view_names, *data.coordinates}
    lost = [(p.id, name) for p in state.panels for name in (p.view, *(p.pair or ())) if name not in present]
    if not lost:
        return ()
    titles = panel_titles(state)
    panels = ", ".join(dict.fromkeys(titles[id] for id, _ in lost))
    names = ", ".join(dict.fromkeys(name for _, name in lost))
    return (Notice(OTHER_VIEWS, f"The data has no view called {names}. These panels use others: {panels}."),)


def _told_place(way: Paths, ways: list[Paths], chosen: Path | None) -> tuple[Notice, ...]:
    """Notify the user of the place where the data was found, if they chose it or it was not the first tried."""
    if chosen is not None:
        return (Notice(LOCATED, "The data was found there. Save the session to keep its place."),)
    if way is ways[0]:
        return ()
    other = next(name for name in way if way[name] != ways[0][name])
    return (Notice(LOCATED, f"{file_title(ways[0][other])} near the session is other data: {way[other]} was opened."),)


def _data_at(content: SessionFile, paths: Paths, *, rename: bool) -> tuple[DocumentState, Loaded, MultiView]:
    """The data in these places, and the state that names them; with `rename` views may be called after other files."""
    state = content.state
    source = tuple(paths.get(name, name) for name in state.source)
    reading = with_paths(state.reading, lambda name: paths[name])
    state = with_data_at(state, source=source, reading=reading)
    try:
        loaded = _load(state, source)
    except SessionDataError:
        if not (rename and reading.names):
            raise
        reading = replace(reading, names=())  # that of the file with another name is none of its views
        state = with_data_at(state, reading=reading)
        loaded = _load(state, source)
    if not any(map(is_package, source)):  # which cannot tell how its data was read
        state = state.model_copy(update={"dropped_and_imputed": captions(loaded.notes)})
    data = treated(loaded.data, state)
    names = tuple(view.name for view in state.views)
    if rename and data.n_views == len(names) and data.view_names != names and unchanged(content, data):
        new = {present: name for present, name in zip(data.view_names, names, strict=True) if present != name}
        reading = replace(reading, names=dict(reading.names) | new)
        state, data = with_data_at(state, reading=reading), data.replace(view_names=names)
    return state, loaded, data


@dataclass(frozen=True)
class SaveSessionJob(Job):
    """A session to be written."""

    path: Path
    state: DocumentState
    data: MultiView
    program: str
    cameras: Mapping[str, Rotation]
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    turns: Mapping[str, Turn] = field(default_factory=dict)
    own_work: bool = False

    def run(self, cache: StageCache, task: Task) -> FileVersion:
        """Write it."""
        return self.save(task.progress)

    def save(self, tick: Callable[[float], None] = lambda fraction: None) -> FileVersion:
        """Write it at once, on the calling thread; see `save_session`."""
        return save_session(
            self.path,
            self.state,
            self.data,
            self.program,
            self.cameras,
            pictures=self.pictures,
            turns=self.turns,
            own_work=self.own_work,
            tick=tick,
        )


@dataclass(frozen=True)
class OpenSessionJob(Job):
    """A session to be read, with the data it names."""

    path: Path
    accept_changed: bool = False
    data: Path | None = None
    """Where its data is, as the user says."""

    def run(self, cache: StageCache, task: Task) -> tuple[FileVersion | None, OpenedSession]:
        """Read it. The version is taken first, so that a file that changes meanwhile counts as changed."""
        version = None
        with suppress(OSError, ValueError):  # reading will report the error
            version = file_version(self.path)
        opened = open_session(self.path, accept_changed=self.accept_changed, data=self.data)
        task.checkpoint()
        return version, opened


def treated(data: MultiView, state: DocumentState) -> MultiView:
    """The data as the document uses it: waveforms as sonograms, features weighted."""
    try:
        if state.sonogram is not None:
            data = waveform_views(data, state.sonogram.rate, state.sonogram.preset)
        weighted = any(w is not None for w in (*data.feature_weights, *(v.weights for v in state.views)))
        if weighted and len(state.views) == data.n_views:
            data = data.replace(feature_weights=[v.weights for v in state.views])
    except MVExplorerError as error:
        raise SessionDataError(f"The data of this session has changed: {error.message}", _PUT_BACK) from None
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
        raise SessionDataError(f"The data of this session cannot be opened: {error.message}", _PUT_BACK) from None
