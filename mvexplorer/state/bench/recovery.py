"""Sessions beyond opening and saving: their data is located where it was moved, or saved with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import ChangedDataError, MVExplorerError, SessionDataError, SessionError
from mvexplorer.io.writing.package import PACKAGE_SUFFIX, is_package
from mvexplorer.io.writing.versions import FileVersion
from mvexplorer.private import handed_over
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.snapshots import Rotation
from mvexplorer.state.pictures.drawing import turns_of
from mvexplorer.state.session.portable import pictures_of
from mvexplorer.state.session.session import LOCATED, OTHER_VIEWS, PART, RECOLOURED, SaveSessionJob, with_data_beside
from mvexplorer.state.session.session_file import NEWER, SUFFIX
from mvexplorer.version import __version__
from mvexplorer.wording import file_title

Offer = tuple[str, Callable[[], object]]
"""A button's text, and its action."""
AskPlace = Callable[[bool], Path | None]
"""Asks for a folder (True), or for a file; None where the user changed their mind."""


def ways_to_data(error: MVExplorerError, path: Path, again: Callable[..., object], ask: AskPlace) -> tuple[Offer, ...]:
    """The buttons beside an error of a session: its data may be elsewhere, if not inside, or be taken as it is now."""
    if not isinstance(error, SessionDataError):
        return ()

    def locate(folder: bool) -> None:
        place = ask(folder)
        if place is not None:
            again(data=place)

    located = (("Locate folder …", partial(locate, True)), ("Locate file …", partial(locate, False)))
    ways = () if is_package(path) else located
    changed = (("Open anyway", partial(again, accept_changed=True)),)
    return (*(changed if isinstance(error, ChangedDataError) else ()), *ways)


def told_by_session(notes: Iterable[str]) -> list[str]:
    """Select the notes of an opened session to show; those on how its files are read were shown when first opened."""
    codes = (RECOLOURED.code, LOCATED, NEWER, OTHER_VIEWS, PART)
    return [str(note) for note in notes if isinstance(note, Notice) and note.code in codes]


def session_title(path: Path | None) -> str:
    """The name of a session's file without its ending, or nothing."""
    title = file_title(path) if path is not None else ""
    return title.removesuffix(SUFFIX).removesuffix(PACKAGE_SUFFIX)


def is_inside(source: tuple[str, ...], path: Path | None) -> bool:
    """Whether the data is in the session's own file."""
    return path is not None and source == (os.path.realpath(path),)


def save_job(workbench: Workbench, path: Path, cameras: Mapping[str, Rotation]) -> SaveSessionJob:
    """The job that saves what a workbench shows, with data and pictures where the file's name says so."""
    document = workbench.document
    if document.data is None:
        raise SessionError("There is nothing to save.", "Open data first.")
    if handed_over(document.state.source) and not is_package(path):
        said = "This data was shown from Python" if not document.state.part_of else "This is a part of other data"
        raise SessionError(f"{said}, and no file of yours holds it.", "Use “Save with data …”.")
    pictures = pictures_of(workbench.controller.results) if is_package(path) else {}
    turns = turns_of(workbench.controller.results)
    return SaveSessionJob(path, document.state, document.data, __version__, cameras, pictures, turns)


def write_later(
    workbench: Workbench,
    job: SaveSessionJob,
    done: Callable[[SaveSessionJob, FileVersion], None],
    failed: Callable[[MVExplorerError], object],
) -> None:
    """Write a session with its data in the background, which the list of tasks shows and can stop."""

    def arrived(outcome: Outcome) -> None:
        if outcome.error is not None:
            failed(outcome.error)
            return
        done(job, outcome.value)
        workbench.editor.saved.emit(job.path)

    workbench.controller.writing.submit("save", job, arrived, title=f"Saving {file_title(job.path)}")


def settle(document: Document, job: SaveSessionJob) -> None:
    """Make the saved file the data's source, to be read as it is, where the data came from this file or from Python."""
    source = (os.path.realpath(job.path),)
    own = is_inside(job.state.source, job.path) or (is_package(job.path) and handed_over(job.state.source))
    if document.state is job.state and own:
        document.state = with_data_beside(job.state, source)
        document.mark_saved()
