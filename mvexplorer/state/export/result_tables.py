"""The numbers of several embeddings of the same samples: as tables, as arrays, and as points for other viewers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.importing import IMPORTS
from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import DataError

if TYPE_CHECKING:
    import polars as pl

KINDS = ("coordinates", "scores", "spectrum", "selection", "distances", "neighbours")
"""The kinds of numbers that can be written, in this order."""
NEIGHBOURS = 15
"""Nearest neighbours of each sample."""


@dataclass(frozen=True, eq=False)
class PanelNumbers:
    """One embedding to be written.

    Its tables are called `name`: letters, digits, ``-`` and ``_``, as a file's name can hold. `shown` (M, 2 or 3) has
    the coordinates on the axes of its picture; `record` says how it was made and how it scored, as plain data for JSON.
    """

    name: str
    embedding: Embedding
    shown: Array
    record: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Embeddings of the same M samples, and what belongs to them all.

    `record` says how everything was made, as plain data for JSON. `selection` has the rows of the selected samples,
    `named` the named selections with their rows; distances are taken from the row `sample`.
    """

    panels: tuple[PanelNumbers, ...]
    record: Mapping[str, Any] = field(default_factory=dict)
    selection: tuple[int, ...] = ()
    sample: int = 0
    named: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Names of the samples."""
        return self.panels[0].embedding.sample_ids

    @property
    def labels(self) -> npt.NDArray[Any] | None:
        """Their classes (M,), where there are any."""
        return self.panels[0].embedding.labels


# Tables -----------------------------------------------------------------------------------------------------------


def tables(numbers: Numbers, kinds: Sequence[str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """The tables of these kinds (of `KINDS`), each with its name: ``p1-multiview`` for a panel's coordinates.

    In tables of samples `id` comes first, then `label` where there are labels. DataError where the selection is asked
    for, and nothing is selected.
    """
    for kind in (k for k in KINDS if k in kinds):
        if kind in _OF_ALL:
            frames = [_OF_ALL[kind](numbers)]
        else:
            frames = [_OF_PANEL[kind](numbers, panel) for panel in numbers.panels]
        yield from zip(table_names(numbers, [kind]), frames, strict=True)


def table_names(numbers: Numbers, kinds: Sequence[str]) -> list[str]:
    """The names of the tables that `tables` gives."""
    names = []
    for kind in (k for k in KINDS if k in kinds):
        each = [panel.name if kind == "coordinates" else f"{panel.name}-{kind}" for panel in numbers.panels]
        names += [kind] if kind in _OF_ALL else each
    return names


def _coordinates(numbers: Numbers, panel: PanelNumbers) -> pl.DataFrame:
    return panel.embedding.to_frame().with_columns(**_memberships(numbers))


def _scores(numbers: Numbers) -> pl.DataFrame:
    """A row per panel; a score's spread follows it: NMI's s.d. over seeds in `nmi_sd`, the others' standard errors."""
    import polars as pl

    ids = list(dict.fromkeys(id for panel in numbers.panels for id in panel.record.get("scores", {})))
    rows = []
    for panel in numbers.panels:
        embedding, record = panel.embedding, panel.record
        row: dict[str, Any] = {
            "panel": record["title"],
            "method": embedding.method,
            "views": ",".join(embedding.views),
            "epsilon": list(embedding.epsilon),
            **{n: embedding.params.get(n) for n in ("eta", "t", "n_components")},
            "stale": bool(record["stale"]),
        }
        for id in ids:
            row[id] = record.get("scores", {}).get(id)
            if any(id in each.record.get("spreads", {}) for each in numbers.panels):
                row[f"{id}{'_sd' if id == 'nmi' else '_se'}"] = record.get("spreads", {}).get(id)
        rows.append(row)
    return pl.DataFrame(rows, schema_overrides={"eta": pl.Float64, "t": pl.Int64}, infer_schema_length=None)


def _spectrum(numbers: Numbers) -> pl.DataFrame:
    """A row per eigenvalue, in the order in which they were computed: the trivial one first."""
    import polars as pl

    values = [np.asarray(panel.embedding.eigenvalues, dtype=np.float64) for panel in numbers.panels]
    return pl.DataFrame(
        {
            "panel": [panel.record["title"] for panel, each in zip(numbers.panels, values, strict=True) for _ in each],
            "method": [
                panel.embedding.method for panel, each in zip(numbers.panels, values, strict=True) for _ in each
            ],
            "index": [k for each in values for k in range(len(each))],
            "eigenvalue": np.concatenate([np.empty(0), *values]),
        }
    )


def _selection(numbers: Numbers) -> pl.DataFrame:
    """The selected samples; `row` counts from 0."""
    rows = list(numbers.selection)
    if not rows:
        raise DataError("Nothing is selected.", "Select samples by lasso or in the legend first.")
    within = {name: inside[rows] for name, inside in _memberships(numbers).items()}
    return _samples(numbers, rows).with_columns(row=np.array(rows, dtype=np.int64), **within)


def _memberships(numbers: Numbers) -> dict[str, npt.NDArray[np.bool_]]:
    """Which samples (M,) each named selection holds, as columns of a table: ``selection:NAME``."""
    columns = {}
    for name, rows in numbers.named:
        inside = np.zeros(len(numbers.ids), dtype=bool)
        inside[list(rows)] = True
        columns[f"selection:{name}"] = inside
    return columns


def _samples(numbers: Numbers, rows: Sequence[int] | None = None) -> pl.DataFrame:
    import polars as pl

    columns: dict[str, Any] = {"id": list(numbers.ids)}
    if numbers.labels is not None:
        columns["label"] = np.asarray(numbers.labels).tolist()
    frame = pl.DataFrame(columns)
    return frame if rows is None else frame[list(rows)]


def coordinates_table(numbers: Numbers) -> pl.DataFrame:
    """A row per sample: all coordinates of each panel, as ``p1-multiview:a_psi1``, which is read as a view again."""
    columns = {
        f"{panel.name}:{name}": values
        for panel in numbers.panels
        for name, values in zip(panel.embedding.column_names, panel.embedding.coordinates.T, strict=True)
    }
    return _samples(numbers).with_columns(**columns)


def drawn_table(numbers: Numbers) -> pl.DataFrame:
    """A row per sample: what is drawn of each panel, as ``p1-multiview_x``, `_y` and perhaps `_z`."""
    columns = {
        f"{panel.name}_{axis}": panel.shown[:, i]
        for panel in numbers.panels
        for i, axis in enumerate("xyz"[: panel.shown.shape[1]])
    }
    return _samples(numbers).with_columns(**columns)


def _distances(numbers: Numbers, panel: PanelNumbers) -> pl.DataFrame:
    columns = distance_columns(panel.embedding, numbers.sample)
    return _samples(numbers).with_columns(**columns)


def distance_columns(embedding: Embedding, sample: int) -> dict[str, Array]:
    """Distances (M,) of all samples from one: `distance`, and ``fou_distance`` where each view has coordinates.

    Of a diffusion map these are diffusion distances at its t, as far as its r coordinates hold them.
    """
    blocks = {"distance": embedding.coordinates}
    if len(embedding.view_coordinates) > 1:
        named = zip(embedding.views, embedding.view_coordinates, strict=True)
        blocks |= {f"{view}_distance": Y for view, Y in named}
    return {name: np.linalg.norm(Y - Y[sample], axis=1) for name, Y in blocks.items()}


def _neighbours(numbers: Numbers, panel: PanelNumbers) -> pl.DataFrame:
    """A row per sample and neighbour, the nearest first."""
    import polars as pl

    near, apart = neighbours(panel.embedding.coordinates)
    ids, k = np.asarray(numbers.ids, dtype=object), near.shape[1]
    return pl.DataFrame(
        {
            "id": np.repeat(ids, k).tolist(),
            "rank": np.tile(np.arange(1, k + 1), len(ids)),
            "neighbour": ids[near.ravel()].tolist(),
            "distance": apart.ravel(),
        }
    )


def neighbours(Y: Array, count: int = NEIGHBOURS) -> tuple[npt.NDArray[np.int64], Array]:
    """Rows (M, k) of every sample's nearest neighbours in coordinates (M, r), the nearest first, and their distances.

    No sample is its own neighbour, and with few samples k is less than `count`.
    """
    with IMPORTS:
        from sklearn.neighbors import NearestNeighbors

    apart, near = NearestNeighbors(n_neighbors=min(count, len(Y) - 1)).fit(Y).kneighbors()
    return near.astype(np.int64), apart


_OF_ALL = {"scores": _scores, "spectrum": _spectrum, "selection": _selection}
_OF_PANEL = {"coordinates": _coordinates, "distances": _distances, "neighbours": _neighbours}


# For other tools ----------------------------------------------------------------------------------------------------


def arrays(numbers: Numbers, kinds: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Arrays of these kinds (of `KINDS`) by name, with `id`, and `label` where there are labels.

    Those of a panel are called `coordinates`, `column_names`, `eigenvalues` and so on, where there are several panels
    ``p1-multiview/coordinates``. DataError where the selection is asked for, and nothing is selected.
    """
    by_name: dict[str, npt.NDArray[Any]] = {"id": np.array(numbers.ids, dtype=str)}
    if numbers.labels is not None:
        by_name["label"] = np.asarray(numbers.labels)
    if "selection" in kinds:
        by_name["selection"] = _selection(numbers)["row"].to_numpy()
    if numbers.named:
        by_name["selections"] = np.column_stack([*_memberships(numbers).values()])
        by_name["selection_names"] = np.array([name for name, _ in numbers.named], dtype=str)
    if "scores" in kinds:
        by_name |= {f"scores/{name}": column.to_numpy() for name, column in _numeric(_scores(numbers)).items()}
        by_name |= {f"scores/{name}": values for name, values in _made(numbers.panels).items()}
    for panel in numbers.panels:
        before = f"{panel.name}/" if len(numbers.panels) > 1 else ""
        by_name |= {f"{before}{name}": values for name, values in _arrays_of(panel, kinds, numbers.sample)}
    return by_name


def _made(panels: Sequence[PanelNumbers]) -> dict[str, npt.NDArray[Any]]:
    """Return the subjects of the scores: title, method, views, and ε (panels, views), NaN past a panel's own views."""
    of = [panel.embedding for panel in panels]
    epsilon = np.full((len(of), max(len(embedding.epsilon) for embedding in of)), np.nan)
    for row, embedding in zip(epsilon, of, strict=True):
        row[: len(embedding.epsilon)] = embedding.epsilon
    words = {
        "panel": [panel.record["title"] for panel in panels],
        "method": [embedding.method for embedding in of],
        "views": [",".join(embedding.views) for embedding in of],
    }
    return {**{name: np.array(values, dtype=str) for name, values in words.items()}, "epsilon": epsilon}


def _numeric(frame: pl.DataFrame) -> dict[str, pl.Series]:
    import polars as pl

    return {c.name: c.cast(pl.Float64).fill_null(np.nan) for c in frame if c.dtype.is_numeric()}


def _arrays_of(panel: PanelNumbers, kinds: Sequence[str], sample: int) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    embedding = panel.embedding
    if "coordinates" in kinds:
        yield "coordinates", embedding.coordinates
        yield "column_names", np.array(embedding.column_names, dtype=str)
    if "spectrum" in kinds:
        yield "eigenvalues", np.asarray(embedding.eigenvalues)
    if "distances" in kinds:
        yield from distance_columns(embedding, sample).items()
    if "neighbours" in kinds:
        yield from zip(("neighbours", "neighbour_distances"), neighbours(embedding.coordinates), strict=True)


def points(numbers: Numbers, panel: PanelNumbers) -> pl.DataFrame:
    """A panel's points as Embedding Atlas and jupyter-scatter take them.

    `x`, `y` (and `z`) on the drawn axes, in the embedding's own units; `label`, `id`, `selected`; and `neighbors`, a
    struct of `ids` (rows from 0, the nearest first) and `distance_columns`.
    """
    import polars as pl

    near, apart = neighbours(panel.embedding.coordinates)
    of_each = pl.DataFrame(
        {
            "ids": pl.Series(near.tolist(), dtype=pl.List(pl.Int64)),
            "distances": pl.Series(apart.tolist(), dtype=pl.List(pl.Float64)),
        }
    )
    selected = np.zeros(len(numbers.ids), dtype=bool)
    selected[list(numbers.selection)] = True
    drawn = pl.DataFrame({name: panel.shown[:, i] for i, name in enumerate("xyz"[: panel.shown.shape[1]])})
    names = [*(["label"] if numbers.labels is not None else []), "id"]
    return drawn.with_columns(
        *_samples(numbers).select(names), selected=selected, neighbors=of_each.to_struct("neighbors")
    )
