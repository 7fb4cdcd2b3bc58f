"""The results of a document as numbers to be written, and the job that writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.columns import drawn_columns
from mvexplorer.engine.core.annotated import OWN
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.omics.omics_writing import Stored, write_annotated
from mvexplorer.io.writing.result_files import write_arrays, write_record, write_table
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.export.captions import document_caption, panel_caption
from mvexplorer.state.export.record import document_record
from mvexplorer.state.export.result_tables import Numbers, PanelNumbers, arrays, points, table_names, tables
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.pictures.panel_result import PanelResult

if TYPE_CHECKING:
    import polars as pl

Form = Literal["csv", "parquet", "npz", "obsm", "points"]
"""Tables as text or Parquet, arrays, `obsm` of a copy of the file the data came from, points for other viewers."""


def numbers_of(
    state: DocumentState,
    data: MultiView,
    result: Callable[[str], PanelResult],
    title: str,
    colouring: Colouring | None,
    panels: Sequence[str] | None = None,
) -> Numbers:
    """Gather the numbers of some panels (default all) of a document; `result` gives a panel's result by its id.

    DataError, which says why, where none of them has coordinates.
    """
    record = document_record(state, data, title, result, colouring)
    chosen = [
        (panel, entry | {"caption": panel_caption(entry, record)})
        for panel, entry in zip(state.panels, record["panels"], strict=True)
        if panels is None or panel.id in panels
    ]
    ready = _with_own_names([m for panel, entry in chosen if (m := _panel(panel, result(panel.id), entry)) is not None])
    if not ready:
        why = f"{chosen[0][1]['title']}: {chosen[0][1]['error']}" if chosen else "there is no panel"
        raise DataError(f"There are no coordinates to save ({why.rstrip('.')}).", "Wait for a picture, or add a panel.")
    record["panels"] = [entry for _, entry in chosen]
    record["caption"] = document_caption(record)
    named = tuple((each.name, each.samples) for each in state.selections.named)
    return Numbers(tuple(ready), record, state.selection, state.selection[0] if state.selection else 0, named)


def _panel_name(panel: PanelState, views: Sequence[str]) -> str:
    """Name a panel's files by its id, method and only view, in safe letters whatever a stranger's session has."""
    one = views[:1] if get_method(panel.method).max_views == 1 else ()
    longest = 48  # letters of an id or a view in a file's name
    words = (re.sub(r"[^A-Za-z0-9_-]", "_", word)[:longest] for word in (panel.id, panel.method, *one))
    return "-".join(words)


def _with_own_names(panels: Sequence[PanelNumbers]) -> list[PanelNumbers]:
    """Number the names that panels share, in whatever case, so that no file replaces another's on any disk."""
    taken: set[str] = set()
    renamed = []
    for panel in panels:
        names = (panel.name + (f"-{i}" if i > 1 else "") for i in range(1, len(panels) + 1))
        name = next(name for name in names if name.casefold() not in taken)
        taken.add(name.casefold())
        renamed.append(replace(panel, name=name))
    return renamed


def _panel(panel: PanelState, shown: PanelResult, record: Mapping[str, Any]) -> PanelNumbers | None:
    if shown.result is None:
        return None
    embedding = shown.result.embedding
    drawn = drawn_columns(embedding, panel.show, panel.axes[: panel.dims])
    return PanelNumbers(_panel_name(panel, embedding.views), embedding, drawn, record)


def panels_left_out(numbers: Numbers) -> tuple[str, ...]:
    """Titles of the panels that were asked for and have no coordinates."""
    return tuple(panel["title"] for panel in numbers.record["panels"] if "error" in panel)


def obsm_keys(panels: Sequence[PanelNumbers]) -> dict[str, PanelNumbers]:
    """The keys of `obsm` for some panels: ``X_mvx_multiview``, ``X_mvx_single_rna``, no two alike."""
    keys: dict[str, PanelNumbers] = {}
    for panel in panels:
        embedding = panel.embedding
        one = get_method(embedding.method).max_views == 1
        plain = "_".join(re.sub(r"\W+", "_", word) for word in (embedding.method, *(embedding.views if one else ())))
        names = (f"{OWN}{plain}" + (f"_{i}" if i > 1 else "") for i in range(1, len(panels) + 1))
        keys[next(name for name in names if name not in keys)] = panel
    return keys


@dataclass(frozen=True, eq=False)
class NumbersJob(FileJob):
    """Writes numbers of some kinds (of `KINDS`) in one form to a file.

    Where there are several tables, their names begin with that of the path. `source` is the file for `obsm`, and
    `reading` how it was read. `csv_safe` puts an apostrophe before texts that spreadsheets take for formulas.
    """

    numbers: Numbers
    kinds: tuple[str, ...]
    form: Form
    path: Path
    source: Path | None = None
    reading: ReadOptions | None = None
    csv_safe: bool = False

    def paths(self) -> list[Path]:
        """The files that will be written."""
        names = self._names()
        record = [self._record] if self.form == "csv" else []
        return [*(self._place(name, len(names)) for name in names), *record]

    def beside(self) -> list[Path]:
        return [path for path in self.paths() if path != self.path]

    def _names(self) -> list[str]:
        if self.form in ("csv", "parquet"):
            return table_names(self.numbers, self.kinds)
        return [panel.name for panel in self.numbers.panels] if self.form == "points" else [""]

    def _place(self, name: str, count: int) -> Path:
        return self.path if count == 1 else self.path.with_name(f"{self.path.stem}-{name}{self.path.suffix}")

    @property
    def _record(self) -> Path:
        """The file beside CSV that says how the numbers were made, for which CSV has no place."""
        return self.path.with_suffix(".json")

    def run(self, cache: StageCache, task: Task) -> list[Path]:
        """Write the numbers; each file is whole, or not there."""
        if self.form == "obsm":
            assert self.source is not None
            return [self._write_annotated(self.source)]
        if self.form == "npz":
            return [write_arrays(arrays(self.numbers, self.kinds), self.path, self.numbers.record)]
        written, count = [], len(self._names())
        for name, frame, record in self._frames():
            task.checkpoint()
            written.append(write_table(frame, self._place(name, count), record, csv_safe=self.csv_safe))
        return [*written, write_record(self.numbers.record, self._record)] if self.form == "csv" else written

    def _write_annotated(self, source: Path) -> Path:
        numbers = self.numbers
        stored = {
            key: Stored(panel.embedding.coordinates, panel.embedding.column_names, panel.record)
            for key, panel in obsm_keys(numbers.panels).items()
        }
        return write_annotated(stored, numbers.ids, numbers.record, source, self.path, self.reading)

    def _frames(self) -> Iterator[tuple[str, pl.DataFrame, Mapping[str, Any]]]:
        if self.form == "points":
            for panel in self.numbers.panels:
                yield panel.name, points(self.numbers, panel), panel.record
        else:
            for name, frame in tables(self.numbers, self.kinds):
                yield name, frame, self.numbers.record


def write_folder(numbers: Numbers, folder: Path, suffix: str, *, csv_safe: bool = False) -> list[Path]:
    """Write all numbers as tables (`suffix` is .csv or .parquet) into a folder, with how they were made beside them."""
    kinds = ["coordinates", "scores", "spectrum", *(["selection"] if numbers.selection else [])]
    written = [
        write_table(frame, folder / f"{name}{suffix}", numbers.record, csv_safe=csv_safe)
        for name, frame in tables(numbers, kinds)
    ]
    return [*written, write_record(numbers.record, folder / "record.json")]
