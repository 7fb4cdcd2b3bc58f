"""AnnData and MuData, recognised by their attributes: their tables, what belongs to the samples, and given pictures.

Neither library is imported: whatever has the same attributes is read in the same way, also a file that is opened piece
by piece.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.inputs import is_frame, plain_labels
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.preprocessing import is_sparse
from mvexplorer.errors import DataError

Rows = npt.NDArray[np.intp]
_MATRIX = "X"
OWN = "X_mvx_"
"""The beginning of the names of embeddings that this program wrote: results, which are views only where asked for."""
LAYER = "layers/"
"""The beginning of the names of layers: other forms of ``X``, which are views only where that is asked for."""


@dataclass
class Annotated:
    """The content of an AnnData or MuData of M samples.

    `tables` (n, D) are possible views: ``X``, keys of `obsm`, and ``layers/NAME``; of a MuData the modality,
    ``MODALITY:KEY`` and ``MODALITY:layers/NAME``. Their numbers, dense or sparse, are read by `numbers`. `rows` (M,)
    give for each sample its row in a table, -1 where the table lacks it; `features` name the D columns, where they have
    names. `ids` name the M samples. `columns` (M,) are those of `obs`. `coordinates` (M, 2) or (M, 3) are keys of
    `obsm` with two or three columns, without their ``X_``. `graphs` are keys of `obsp`, whose matrices between samples
    are not read.
    """

    tables: dict[str, Any] = field(default_factory=dict)
    rows: dict[str, Rows] = field(default_factory=dict)
    features: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    columns: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    coordinates: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)
    graphs: list[str] = field(default_factory=list)

    @property
    def views(self) -> list[str]:
        """The tables that are views where nothing else is asked for: all but layers, and embeddings written before."""
        return [name for name in self.tables if LAYER not in name and not name.startswith(OWN)]

    def lacking(self, names: list[str]) -> npt.NDArray[np.bool_]:
        """Which samples (M,) some of these tables lack."""
        return np.asarray(np.any([self.rows[name] < 0 for name in names], axis=0))


def is_annotated(data: Any) -> bool:
    """True if `data` is an AnnData or MuData."""
    parts = ("obs", "obsm", "obs_names")
    return all(hasattr(data, part) for part in parts) and (hasattr(data, "mod") or hasattr(data, _MATRIX))


def refuse_others(Xs: Any) -> None:
    """DataError for what is no list of views: one table; names of data, or annotated tables, which `load` takes."""
    if (isinstance(Xs, np.ndarray) and Xs.ndim < 3) or is_frame(Xs) or is_sparse(Xs):
        raise DataError("A single table is given where a list of views belongs.", "Write [X], or [X, Y, ...].")
    if isinstance(Xs, str | os.PathLike):
        raise DataError(f"“{os.fspath(Xs)}” is a name, not data.", f'Load it first: mvx.load("{os.fspath(Xs)}").')
    listed = {f"view{i + 1}": X for i, X in enumerate(Xs)} if isinstance(Xs, list | tuple) else {}
    several = dict(Xs) if isinstance(Xs, Mapping) else listed
    named = [os.fspath(X) for X in several.values() if isinstance(X, str | os.PathLike)]
    if named and len(named) == len(several):
        raise DataError(f"“{named[0]}” is a name, not data.", f"Load the files first: mvx.load({named}).")
    for name, X in several.items():
        if is_annotated(X):
            kind = type(X).__name__
            raise DataError(
                f"View “{name}” is an {kind}, which holds several tables.",
                f"Give one of them, such as its X, or have all read: mvx.load takes a mapping of {kind} objects.",
            )


def annotated(data: Any) -> Annotated:
    """Take an AnnData or MuData apart; DataError if the modalities have different samples."""
    content = Annotated(ids=tuple(str(name) for name in data.obs_names))
    every = np.arange(len(content.ids))
    _take(data, "", every, content)
    if not hasattr(data, "mod"):
        return content
    if int(getattr(data, "axis", 0)) == 1:
        raise DataError(
            "The modalities have different samples, with features in common (axis 1).",
            "A view holds the same samples as the others: write the modalities to files of their own.",
        )
    for name, modality in data.mod.items():
        rows = np.asarray(data.obsmap[name], dtype=np.int64).ravel() - 1  # 0 where the modality lacks the sample
        if len(rows) != len(every) or rows.max(initial=-1) >= len(modality.obs_names) or rows.min(initial=0) < -1:
            raise DataError(f"The samples of the modality “{name}” do not fit those of the others.", "Write it again.")
        _take(modality, name, rows, content)
    return content


def _take(data: Any, modality: str, rows: Rows, content: Annotated) -> None:
    """Add what belongs to one modality; or to all of them, or to an AnnData, whose name is empty."""
    before = f"{modality}:" if modality else ""
    content.graphs += [f"{before}{key}" for key in getattr(data, "obsp", ())]
    for name, values in _columns(data.obs):
        content.columns.setdefault(before + name, _spread(values, rows))
    for name, table in _tables(data):
        if table.shape[0] != len(data.obs_names):
            count, held = len(data.obs_names), table.shape[0]
            raise DataError(f"“{before}{name}” has {held:,} rows for {count:,} samples.", "Write it again.")
        own = name == _MATRIX or name.startswith(LAYER)
        names = getattr(data, "var_names", None) if own else getattr(table, "columns", None)
        if not own and names is None and table.shape[1] in (2, 3):  # a picture that somebody made
            values = numbers(table)
            picture = np.asarray(values.toarray() if is_sparse(values) else values, dtype=np.float64)
            content.coordinates[before + name.removeprefix("X_")] = _spread(picture, rows)
        else:
            title = before + name if name != _MATRIX or not modality else modality
            content.tables[title], content.rows[title] = table, rows
            if names is not None and len(names) == table.shape[1]:
                content.features[title] = tuple(str(feature) for feature in names)


def _columns(obs: Any) -> Iterator[tuple[str, npt.NDArray[Any]]]:
    for name in obs.columns:
        values = plain_labels(obs[name])
        if values.ndim == 1:
            yield str(name), values.astype(str) if values.dtype.kind in "Mm" else values


def _tables(data: Any) -> Iterator[tuple[str, Any]]:
    """The tables of numbers, by name."""
    held: dict[str, Any] = {_MATRIX: getattr(data, _MATRIX, None)}
    # A MuData keeps there, under the name of a modality, which samples it has.
    held |= {str(key): data.obsm[key] for key in data.obsm if key not in getattr(data, "mod", {})}
    layers = getattr(data, "layers", None) or {}
    held |= {f"{LAYER}{key}": layers[key] for key in layers}
    for name, table in held.items():
        kinds = [getattr(kind, "kind", "O") for kind in getattr(table, "dtypes", [getattr(table, "dtype", None)])]
        if len(getattr(table, "shape", ())) == 2 and table.shape[1] and all(kind in "biuf" for kind in kinds):
            yield name, table


def numbers(table: Any) -> Any:
    """The numbers of a table of `Annotated` as an array, or as a sparse matrix."""
    table = table.to_memory() if hasattr(table, "to_memory") else table
    return table if is_sparse(table) or is_map(table) else np.asarray(table)


def is_thin(table: Any) -> bool:
    """True if a table of `Annotated` is sparse, in memory or where it is stored."""
    return is_sparse(table) or getattr(table, "format", None) in ("csr", "csc")


def _spread(values: npt.NDArray[Any], rows: Rows) -> npt.NDArray[Any]:
    """The values of the samples in `rows`; NaN or empty text for those with -1."""
    if not (rows < 0).any():
        return values[rows]
    if values.dtype.kind in "biu":
        values = values.astype(np.float64)
    lost = np.nan if values.dtype.kind == "f" else ""
    shape = (-1, *[1] * (values.ndim - 1))
    return np.where((rows < 0).reshape(shape), lost, values[np.maximum(rows, 0)])


def views_of(data: Any) -> dict[str, Any]:
    """The arguments of `MultiView` for an AnnData or MuData, by name; DataError where modalities lack samples."""
    content = annotated(data)
    names = content.views
    lacking = content.lacking(names) if names else np.zeros(0, dtype=bool)
    if lacking.any() or not names:
        what = f"Some modalities lack {int(lacking.sum())} of {len(lacking)} samples" if names else "It holds no table"
        raise DataError(
            f"{what}.",
            'Load it with mvx.load(data), which keeps the samples that all have; samples="union" fills in the others.',
        )
    return {
        "Xs": {name: numbers(content.tables[name])[content.rows[name]] for name in names},
        "sample_ids": content.ids,
        "columns": content.columns,
        "coordinates": content.coordinates,
        "feature_names": [content.features.get(name) for name in names],
    }
