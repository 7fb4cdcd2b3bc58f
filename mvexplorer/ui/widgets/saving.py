"""Writes what the user exports: asks for the file and what may be replaced, has it written, and says where it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtWidgets import QWidget

from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.file_job import FileJob, WriteJob
from mvexplorer.ui.widgets import dialogs
from mvexplorer.ui.widgets.file_dialogs import open_folder, save_file


class FileQuestion(NamedTuple):
    """The words of the dialog for a file: its title, the name suggested with its ending, and the kinds of files."""

    title: str
    name: str
    kinds: str


def file_name(words: str, otherwise: str) -> str:
    """Words as the name of a file, without what no system or no ending may hold."""
    return re.sub(r'[\x00-\x1f\x7f/\\:*?"<>|.]+', "-", words).strip("- ")[:80] or otherwise


def pictures(title: str, name: str, ending: str) -> FileQuestion:
    """Ask for a picture whose form is chosen."""
    return FileQuestion(title, f"{name}{ending}", f"Pictures (*{ending})")


def save_as(
    parent: QWidget, editor: Editor, question: FileQuestion, write: Callable[[Path], object], *, here: bool = False
) -> None:
    """Ask for a file and have `write` write it, as `save_by_job` does."""
    save_by_job(parent, editor, question, lambda path: WriteJob(path, partial(write, path)), here=here)


def save_by_job(
    parent: QWidget,
    editor: Editor,
    question: FileQuestion,
    job_of: Callable[[Path], FileJob],
    then: Callable[[], None] = lambda: None,
    *,
    here: bool = False,
) -> None:
    """Ask for a file and have its job write it; then call `then`. MVExplorerError where `job_of` refuses the file.

    A picture that widgets paint is written `here`, at once; all else on a thread of its own.
    """
    path = save_file(parent.window(), *question)
    if path is not None:
        job = job_of(path)
        if _may_replace(parent, [each for each in job.beside() if each.exists()]):
            editor.write(job, then, here=here)


def save_into_folder(
    parent: QWidget, editor: Editor, title: str, job_of: Callable[[Path], FileJob], then: Callable[[], None]
) -> None:
    """Ask for a folder and have a job write its files there at once, none over another unasked; then call `then`."""
    folder = open_folder(parent.window(), title)
    if folder:
        job = job_of(Path(folder))
        if _may_replace(parent, [each for each in job.beside() if each.exists()]):
            editor.write(job, then, here=True)


def _may_replace(parent: QWidget, there: Sequence[Path]) -> bool:
    """Ask whether files may be replaced; the dialog has asked for the one that it knows."""
    if not there:
        return True
    text = ", ".join(path.name for path in there[:4]) + (f" and {len(there) - 4} more" if len(there) > 4 else "")
    title = "Replace a file?" if len(there) == 1 else f"Replace {len(there)} files?"
    return dialogs.choose(parent.window(), title, f"There already: {text}.", ["Replace"]) is not None
