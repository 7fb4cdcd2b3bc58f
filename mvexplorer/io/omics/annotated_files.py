"""Files of AnnData and MuData, opened in the process that decodes files: what they hold, and their tables one by one.

anndata trusts its files, so each piece is checked before: links out of the file and sizes that the file does not have.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.engine.core.annotated import Annotated, annotated
from mvexplorer.engine.core.preprocessing import is_sparse
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.io.base.converted import Room
from mvexplorer.io.base.decoder import in_child
from mvexplorer.io.base.guards import check_sparse
from mvexplorer.io.base.hdf import check_tree, converted_node, node_inside
from mvexplorer.io.base.heaps import check_heaps
from mvexplorer.io.base.parts import Values

OBS_NAMES = "obs_names"
"""The names of the samples, unless the user chose a column of `obs`."""
_HINT = "Write it again with write_h5ad or write_h5mu of a present anndata or mudata."


# On this side -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FileTable:
    """A table (n, D) in a file, whose numbers `to_memory` reads; sparse where it has a `format`.

    Called, it gives what an import page shows: of a sparse table, which may be huge, the first samples. `place` is the
    path in the file of the group that holds it, and its name there.
    """

    room: Room
    place: tuple[str, str]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    format: str | None
    columns: list[str] | None

    def to_memory(self) -> Any:
        """Read its numbers: an array or a sparse matrix; a large one is a read-only map."""
        return in_child(decode_table, self.room, *self.place)

    def __call__(self) -> Values:
        rows: Values = in_child(decode_first_rows, Room(self.room.path), *self.place)
        return rows


def read_annotated(room: Room) -> Annotated:
    """Read all but the numbers of tables (`FileTable`), which are read later, one by one.

    DataError where the file is damaged or old, or its modalities have different samples.
    """
    content = in_child(decode_annotated, room)
    tables = {name: _table(room, about) for name, about in content.pop("tables").items()}
    features = {name: tuple(names) for name, names in content.pop("features").items()}
    return Annotated(tables=tables, features=features, ids=tuple(content.pop("ids")), **content)


def _table(room: Room, about: dict[str, Any]) -> FileTable:
    group, name = about["place"]
    shape, dtype = tuple(about["shape"]), np.dtype(about["dtype"])
    return FileTable(room, (group, name), shape, dtype, about["format"], about["columns"])


def read_obs_names(path: Path) -> dict[str, list[str]]:
    """Read what samples can be called: `obs_names` by that name, and the columns of `obs` by theirs."""
    content = in_child(decode_annotated, Room(path))
    return {
        **{name: values.astype(str).tolist() for name, values in content["columns"].items()},
        OBS_NAMES: content["ids"],
    }


# Where decoding may crash -----------------------------------------------------------------------------------------


def decode_annotated(room: Room) -> dict[str, Any]:
    """Read the fields of an `Annotated`, of tables those of a `FileTable`, in the process where decoding may crash."""
    with _opened(room) as file:
        content = annotated(_Stored(file, room))
        return {**vars(content), "tables": {name: table.about for name, table in content.tables.items()}}


def decode_table(room: Room, group: str, name: str) -> Any:
    """Read a table's numbers, of a large one as a map of its conversion, in the process where decoding may crash."""
    with _opened(room) as file:
        node = file
        for part in filter(None, group.split("/")):
            node = node_inside(node, part, room)
        return _Piece(node, name, room).to_memory()


def decode_first_rows(room: Room, group: str, name: str) -> Any:
    """Read a table's numbers, of a sparse table those of the first samples, dense, where decoding may crash."""
    shown = 64
    values = decode_table(room, group, name)
    return values.tocsr()[:shown].toarray() if is_sparse(values) else values


@contextmanager
def _opened(room: Room) -> Iterator[Any]:
    import h5py

    path = Path(room.path)
    try:
        check_heaps(path)
        with h5py.File(path, "r") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about old encodings, which are read all the same
            yield file
    except (MVExplorerError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything
        raise DataError(f"The file “{path.name}” is damaged ({type(error).__name__}).", _HINT) from None


@dataclass
class _Piece:
    """A table in a file, with its shape; its numbers are read by `to_memory`."""

    group: Any
    name: str
    budget: Room
    shape: tuple[int, ...] = field(init=False)
    dtype: np.dtype[Any] = field(init=False)
    format: str | None = field(init=False, default=None)
    columns: list[str] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        node = node_inside(self.group, self.name, self.budget)
        kind = _encoding(node)
        if kind == "dataframe":
            self.columns = [str(name) for name in node.attrs["column-order"]]
            plain = [getattr(node[name], "dtype", np.dtype(object)) for name in self.columns]
            self.shape = (len(node[node.attrs["_index"]]), len(plain))
            self.dtype = np.result_type(*plain) if all(one.kind in "biuf" for one in plain) else np.dtype(object)
        elif kind in ("csr_matrix", "csc_matrix"):
            self.shape, self.dtype = tuple(int(n) for n in node.attrs["shape"]), node["data"].dtype
            self.format = kind[:3]
        else:
            self.shape, self.dtype = node.shape, node.dtype

    @property
    def about(self) -> dict[str, Any]:
        """The fields from which the other side makes a `FileTable`."""
        return {
            "place": [self.group.name, self.name],
            "shape": self.shape,
            "dtype": self.dtype.str,
            "format": self.format,
            "columns": self.columns,
        }

    def to_memory(self) -> Any:
        if self.format is None and self.columns is None and self.budget.is_beyond(self.shape, self.dtype):
            return converted_node(self.group, self.name, self.budget)
        values = _element(self.group, self.name, self.budget)
        if is_sparse(values):
            check_sparse(values, self.budget.path)
        return values if is_sparse(values) else np.asarray(values)


class _Stored:
    """A group of a file with the attributes of an AnnData or MuData, read when they are asked for."""

    def __init__(self, group: Any, budget: Room) -> None:
        self._group, self._budget = group, budget
        if not hasattr(node_inside(group, "obs", budget), "keys"):
            name = getattr(budget.path, "name", budget.path)
            raise DataError(f"“{name}” was written by an anndata before 0.7, or is no such file.", _HINT)
        self.obs = _element(group, "obs", budget)
        self.obs_names = self.obs.index
        self.var_names = _index(group, "var", budget)
        self.obsm = dict(self._pieces("obsm"))
        self.layers = dict(self._pieces("layers"))
        pairs = node_inside(group, "obsp", budget)
        self.obsp = tuple(pairs) if hasattr(pairs, "keys") else ()
        pieces = dict(self._pieces("", ["X"]))
        self.X = pieces.get("X")
        if (modalities := node_inside(group, "mod", budget)) is not None:
            self._take_modalities(modalities)

    def _take_modalities(self, modalities: Any) -> None:
        self.axis = int(self._group.attrs.get("axis", 0))
        order = [str(name) for name in modalities.attrs.get("mod-order", list(modalities))]
        budget = self._budget
        held = {name: node_inside(modalities, name, budget) for name in (order if self.axis != 1 else [])}
        self.mod = {name: _Stored(modality, budget) for name, modality in held.items()}
        rows = node_inside(self._group, "obsmap", budget)
        self.obsmap = {name: _element(rows, name, budget) for name in self.mod}

    def _pieces(self, store: str, names: list[str] | None = None) -> Iterator[tuple[str, _Piece]]:
        tables = ("array", "csr_matrix", "csc_matrix", "dataframe")
        group = node_inside(self._group, store, self._budget) if store else self._group
        for name in (group or ()) if names is None else names:
            node = node_inside(group, name, self._budget)
            if node is not None and _encoding(node) in tables:
                yield str(name), _Piece(group, name, self._budget)


def _index(group: Any, name: str, budget: Room) -> Any:
    """The index of a table in a file, without its columns; None where there is none."""
    node = node_inside(group, name, budget)
    place = "" if node is None else str(node.attrs.get("_index", ""))
    return _element(node, place, budget) if place else None


def _encoding(node: Any) -> str:
    return str(node.attrs.get("encoding-type", ""))


def _element(group: Any, name: str, budget: Room) -> Any:
    from anndata.io import read_elem

    check_tree(group, name, budget)
    return read_elem(node_inside(group, name, budget))
