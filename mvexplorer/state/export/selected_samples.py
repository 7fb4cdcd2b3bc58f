"""The selected samples as a table: who they are, what the selection is called, and where a panel draws them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.io.writing.result_files import write_record, write_table
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.export.captions import panel_caption
from mvexplorer.state.export.record import Record, document_record
from mvexplorer.state.pictures.colouring import label_title
from mvexplorer.state.pictures.file_job import FileJob
from mvexplorer.state.pictures.panel_result import PanelResult


def selection_name(state: DocumentState) -> str:
    """The name under which the present selection was saved; empty where it was not."""
    chosen = tuple(sorted(state.selection))
    return next((each.name for each in state.selections.named if each.samples == chosen), "")


def sample_columns(data: MultiView) -> dict[str, npt.NDArray[Any]]:
    """The values (M,) of the samples by name: id, label, columns, hidden variables."""
    columns: dict[str, npt.NDArray[Any]] = {"id": np.array(data.sample_ids, dtype=object)}
    if data.labels is not None:
        columns[label_title(data)] = data.labels
    others = {**data.columns, **{f"{name} (true)": values for name, values in data.latent.items()}}
    return columns | {name: values for name, values in others.items() if name not in columns}


@dataclass(frozen=True, eq=False)
class SelectionJob(FileJob):
    """Writes the selected samples as CSV, and beside it how the coordinates in it were made."""

    columns: dict[str, list[Any]]
    record: Record
    path: Path
    csv_safe: bool
    values: tuple[MultiView, tuple[int, ...]] | None = None
    """The data and the rows whose features are written as well; read here, as they may be many."""

    @property
    def _record_path(self) -> Path:
        return self.path.with_suffix(".json")

    def beside(self) -> list[Path]:
        return [self._record_path]

    def run(self, cache: StageCache, task: Task) -> Path:
        """Write both; each is whole, or not there."""
        import polars as pl

        frame = pl.DataFrame(self.columns, strict=False)
        if self.values is not None:
            frame = frame.hstack(pl.DataFrame(feature_columns(*self.values, self.columns)))
        write_record(self.record, self._record_path)
        return write_table(frame, self.path, self.record, csv_safe=self.csv_safe)


def feature_columns(data: MultiView, rows: Sequence[int], others: Iterable[str]) -> dict[str, npt.NDArray[Any]]:
    """The values of every feature in these rows, as given, by view and name; `others` are names that are taken."""
    columns, taken = dict[str, npt.NDArray[Any]](), set(others)
    for i, (view, X) in enumerate(zip(data.view_names, data.Xs, strict=True)):
        values = np.asarray(X[list(rows)])
        for j in range(values.shape[1]):
            name = f"{view} {data.feature_title(i, j).removeprefix('feature ')}"
            name = _free(name, taken)
            taken.add(name)
            columns[name] = values[:, j]
    return columns


def selected_samples(
    state: DocumentState, data: MultiView, title: str, result: Callable[[str], PanelResult], panel: str
) -> tuple[dict[str, list[Any]], Record]:
    """The columns of the selected samples, and how their coordinates in a panel, if one is named, were made.

    DataError where nothing is selected.
    """
    rows, name = sorted(state.selection), selection_name(state)
    if not rows:
        raise DataError("Nothing is selected.", "Select samples by lasso or in the legend first.")
    ids = [data.sample_ids[row] for row in rows]
    columns: dict[str, list[Any]] = {"id": ids, "selection": [name] * len(rows)}
    for key, values in sample_columns(data).items():
        if key != "id":
            columns[_free(key, columns)] = values[rows].tolist()
    answer = result(panel).result if panel else None
    coordinates = []
    for key, values in _coordinates(answer.embedding) if answer is not None else ():
        coordinates.append(_free(key, columns))
        columns[coordinates[-1]] = values[rows].tolist()
    record = document_record(state, data, title, result, None)
    entries = zip(state.panels, record["panels"], strict=True)
    record["panels"] = [one | {"caption": panel_caption(one, record)} for each, one in entries if each.id == panel]
    record["selection_name"] = name
    record["coordinates"] = coordinates
    return columns, record


def _coordinates(embedding: Embedding) -> Iterable[tuple[str, npt.NDArray[np.float64]]]:
    return zip(embedding.column_names, embedding.coordinates.T, strict=True)


def _free(name: str, taken: Container[str]) -> str:
    """A column's name, numbered where another column has it."""
    names = (f"{name} ({k})" if k > 1 else name for k in count(1))
    return next(each for each in names if each not in taken)
