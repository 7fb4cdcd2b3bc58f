"""The folder of a run of experiments: the mark that it is ours, its results, and the notes of a run in full."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mvexplorer.errors import DataError
from mvexplorer.experiments.running import Failed, FinishedExperiment
from mvexplorer.version import __version__
from mvexplorer.wording import in_words
from mvexplorer.writing import writing

RESULTS, PICTURES, NOTES = "experiments.json", "pictures", "notes"
MARK = '{\n "made_by": "mvexplorer experiments run",'
"""How the file of results begins: a folder with such a file was made by this command, and is written anew."""
_PICTURE = re.compile(r"[a-z0-9.-]+-\d+(-dark)?\.png")


@dataclass(frozen=True)
class ResultsFolder:
    """A folder that `open_results` has made or found to be ours."""

    path: Path

    @property
    def notes(self) -> Path:
        """The folder of the finished repetitions of runs in full."""
        return self.path / NOTES

    @property
    def page(self) -> Path:
        """The page that shows all."""
        return self.path / "index.html"

    def write_results(self, done: Sequence[FinishedExperiment | Failed], *, full: bool) -> None:
        """Write the results so far, as JSON."""
        head = {"program": f"mvexplorer {__version__}", "form": "full" if full else "quick"}
        rows = {"experiments": [one.as_json for one in done]}
        with writing(self.path / RESULTS) as file:
            file.write((MARK + json.dumps(head | rows, indent=1, ensure_ascii=False)[1:]).encode())


def open_results(path: str | os.PathLike[str]) -> ResultsFolder:
    """Make the folder of a run, or empty that of a former one of its pictures; its notes stay.

    DataError where the folder holds other files, something else has its name, or it cannot be written.
    """
    folder = Path(path)
    with in_words(DataError, f"The folder {path} cannot be used"):
        if folder.is_dir() and any(folder.iterdir()) and not _is_ours(folder):
            raise DataError(f"The folder {path} holds other files.", "Choose a new folder, or an empty one.")
        (folder / PICTURES).mkdir(parents=True, exist_ok=True)
        (folder / NOTES).mkdir(exist_ok=True)
        for old in (folder / PICTURES).iterdir():
            if _PICTURE.fullmatch(old.name):
                old.unlink()
    opened = ResultsFolder(folder)
    opened.write_results((), full=False)
    return opened


def _is_ours(folder: Path) -> bool:
    """True if a former run made it; one that leads elsewhere by a link is not touched."""
    if any((folder / name).is_symlink() for name in (PICTURES, NOTES)):
        return False
    try:
        with open(folder / RESULTS, encoding="utf-8") as file:
            return file.read(len(MARK)) == MARK
    except (OSError, UnicodeDecodeError):
        return False
