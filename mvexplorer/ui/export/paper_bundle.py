"""A paper bundle: a figure in all formats, and what a reader needs to make it again, beside each other in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.export import table_bytes
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.export.result_files import numbers_of
from mvexplorer.state.export.result_tables import drawn_table
from mvexplorer.state.export.script.session import session_code
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.cloud.encoding import painted_bytes
from mvexplorer.ui.export.sheet import Sheet
from mvexplorer.writing import writing

BUNDLE = "bundle"
"""Stands for the ending of a file where all are wanted."""


class ExportedPicture(Protocol):
    """A sheet, a window or a figure, painted into files of several formats."""

    @property
    def sheet(self) -> Sheet:
        """The panels on it, with their record."""

    @property
    def size(self) -> QSize:
        """Its size in units."""

    @property
    def units(self) -> int:
        """Units to the inch."""

    def paint(self, vector: bool, scale: float, painter: QPainter) -> None:
        """Paint it: as vectors, or at `scale` pixels per unit."""


@dataclass(frozen=True)
class PaperBundleJob(FileJob):
    """Writes files that are called `path` and their ending: all of them, or none."""

    path: Path
    files: Mapping[str, bytes]

    def beside(self) -> list[Path]:
        return [self.path.with_name(f"{self.path.name}{ending}") for ending in self.files]

    def run(self, cache: StageCache, task: Task) -> list[Path]:
        """Write every file beside its place, and move them there once all of them are on the disk."""
        paths = self.beside()
        with ExitStack() as stack:
            for path, content in zip(paths, self.files.values(), strict=True):
                file = stack.enter_context(writing(path))
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        return paths


def bundle_job(
    picture: ExportedPicture,
    scale: float,
    dpi: float | None,
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    path: Path,
    *,
    csv_safe: bool,
) -> PaperBundleJob:
    """Make all files of a bundle; `state` has the picture's panels. MVExplorerError where one cannot be made."""
    sheet, results = picture.sheet, {panel.id: result(panel.id) for panel in state.panels}
    numbers = numbers_of(state, data, result, sheet.title, sheet.colouring)
    files = {
        ending: painted_bytes(
            ending,
            sheet.title,
            picture.size,
            partial(picture.paint, ending != ".png", scale),
            scale,
            sheet.record,
            dpi,
            picture.units,
        )
        for ending in (".png", ".svg", ".pdf")
    }
    files[".py"] = session_code(state, data, results, path.with_name(f"{path.name}.py")).encode()
    files[".txt"] = f"{sheet.record['caption']}\n".encode()
    files[".csv"] = bytes(table_bytes(drawn_table(numbers), True, {}, csv_safe=csv_safe))
    return PaperBundleJob(path, files)
