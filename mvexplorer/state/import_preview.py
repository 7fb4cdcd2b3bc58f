"""What the import page shows of an inspection: the first samples as they will be, and remarks about views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.io.inspection import Inspection, ViewReport

ROWS = 8
FEATURES = 3
"""Most features of each view in the preview."""
SHOWN_VIEWS = 8


@dataclass(frozen=True)
class SampleTable:
    """The first samples as texts: heads of the columns, and rows."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def sample_table(inspection: Inspection | None) -> SampleTable:
    """The first samples: their ids, labels, and first features in each view, before any preprocessing.

    Nothing where the files do not lead to samples yet.
    """
    data = inspection.loaded.data if inspection is not None and inspection.loaded is not None else None
    if inspection is None or data is None:
        return SampleTable()
    n = min(ROWS, data.n_samples)
    columns = [("id", [str(name) for name in data.sample_ids[:n]])]
    if data.labels is not None:
        columns.append((inspection.label or "label", [str(label) for label in data.labels[:n]]))
    for index in range(min(SHOWN_VIEWS, data.n_views)):
        columns += _features(data, index, n)
    return SampleTable(tuple(head for head, _ in columns), tuple(zip(*(cells for _, cells in columns), strict=True)))


def _features(data: MultiView, index: int, n: int) -> list[tuple[str, list[str]]]:
    X, names = data.Xs[index], data.feature_names[index]
    found = []
    for j in range(min(FEATURES, X.shape[1])):
        name = names[j] if names is not None else str(j + 1)
        found.append((f"{data.view_names[index]} · {name}", [_number(value) for value in X[:n, j].tolist()]))
    return found


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")


def remarks(view: ViewReport) -> tuple[str, ...]:
    """What is odd about a view, in a few words each."""
    found = []
    if view.n_missing:
        found.append(f"{view.n_missing:,} missing")
    if view.n_constant:
        found.append(f"{view.n_constant:,} constant")
    if view.n_duplicates:
        found.append(f"{view.n_duplicates:,} duplicates")
    return tuple(found)
