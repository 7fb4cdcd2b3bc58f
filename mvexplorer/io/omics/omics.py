"""AnnData and MuData: files (`.h5ad`, `.h5mu`), read piece by piece, and objects.

Only views, and what belongs to the samples, are read: not layers, graphs, or anything else that is stored.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mvexplorer.engine.core.annotated import Annotated, annotated, is_thin, numbers
from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import component_title
from mvexplorer.engine.core.notices import GIVEN, SPARSE
from mvexplorer.engine.core.preprocessing import components, is_sparse, reduce_sparse
from mvexplorer.errors import DataError, Offer, RowsError
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.coordinates import is_picture
from mvexplorer.io.base.guards import Budget, fill_in
from mvexplorer.io.base.masks import apply_mask, find_masks, leave_out_masks
from mvexplorer.io.base.parts import MORE_LABEL_NAMES, UNLABELLED, Parts, Values, left_out, pick_name
from mvexplorer.io.base.roles import FileRequest, unknown
from mvexplorer.io.base.union import is_mask_name
from mvexplorer.io.omics.annotated_files import OBS_NAMES, read_annotated
from mvexplorer.version import with_extra

OMICS_SUFFIXES = (".h5ad", ".h5mu")


# Files ------------------------------------------------------------------------------------------------------------


def read_omics(path: Path, asked: FileRequest) -> Parts:
    """Read an `.h5ad` or `.h5mu` file; DataError where it is damaged or old, or anndata is not installed."""
    require_anndata(f"Reading “{path.name}”")
    return take_annotated(read_annotated(asked.room), path, asked, lambda name, table: table)


def require_anndata(what: str) -> None:
    """Raise a DataError that begins with `what` where anndata is not installed."""
    if importlib.util.find_spec("anndata") is None:
        raise DataError(
            f"{what} needs the package anndata, which is not installed.",
            f"Install it with: pip install '{with_extra('omics')}'.",
        )


# Files and objects ------------------------------------------------------------------------------------------------


def _in_memory(name: str, table: Any) -> Callable[[], Values]:
    return partial(numbers, table)


def take_annotated(
    data: Any, path: Path, asked: FileRequest, shown: Callable[[str, Any], Callable[[], Values]] = _in_memory
) -> Parts:
    """Take the views, columns of `obs` and given coordinates of AnnData or MuData.

    Rows of samples that a modality lacks are NaN. `shown` gives for a table, by name, what reads it for an import page.
    DataError where the modalities have different samples, or no view can be taken as it is.
    """
    content, parts = data if isinstance(data, Annotated) else annotated(data), Parts(path)
    for name, table in content.tables.items():
        asked.offer(name, shown(name, table))
    for name, values in content.columns.items():
        asked.offer(name, partial(np.asarray, values))
    for name, picture in content.coordinates.items():
        asked.offer(name, partial(np.asarray, picture))
    for name in [name for name in content.coordinates if _is_view(name, asked)] or _only_views(content, parts, asked):
        content.tables[name], content.rows[name] = content.coordinates.pop(name), np.arange(len(content.ids))
    if content.graphs:
        parts.note(f"{left_out(content.graphs)}: matrices between samples, in obsp, are not read.")
    _take_columns(content, parts, asked)
    _take_tables(content, parts, asked)
    return parts


def _only_views(content: Annotated, parts: Parts, asked: FileRequest) -> list[str]:
    """List keys of `obsm` of two or three columns, no usual picture's: views where there is nothing else."""
    latent = [name for name in content.coordinates if not is_picture(name.rpartition(":")[2]) and not asked.role(name)]
    if content.views:
        for name in latent:
            text = f"“{name}” of obsm has few columns and was taken as coordinates that are given, not as a view."
            parts.note(text, GIVEN, (name,))
        return []
    if latent:
        names = ", ".join(f"“{name}”" for name in latent)
        parts.note(f"{names} of obsm was taken as a view, since nothing else could be one.")
    return latent


def _take_tables(content: Annotated, parts: Parts, asked: FileRequest) -> None:
    """Take the views, and the coordinates that are given for all samples that stay."""
    masks = _masks(content, asked)
    names = _without_sparse(content, _chosen(content, parts, asked), parts, asked)
    lacks = content.lacking(names)
    keep = np.ones_like(lacks) if asked.options.samples == "union" or lacks.all() else ~lacks
    for place, name in enumerate(names):
        parts.views[name] = _view(content, name, keep, _preprocessing(asked, place, len(names)), parts)
    parts.lacking = bool(lacks.any())
    apply_mask(masks, {}, parts)
    leave_out_masks(parts, asked)
    whole = {name: values for name, values in content.coordinates.items() if np.isfinite(values[keep]).all()}
    parts.coordinates = {name: values for name, values in whole.items() if asked.role(name) != "ignore"}
    if len(whole) < len(content.coordinates):
        parts.note("given coordinates that some samples lack were left out.")


def _masks(content: Annotated, asked: FileRequest) -> dict[str, list[Values]]:
    """Take the masks out of the tables and pictures; their samples are all those of the data."""
    named = [name for name in (*content.views, *content.coordinates) if is_mask_name(name)]
    held = {name: content.tables.get(name, content.coordinates.get(name)) for name in named}
    arrays = {name: np.asarray(numbers(table)) for name, table in held.items() if not is_thin(table)}
    masks = find_masks(arrays, asked, len(set(content.views) - set(named)))
    for name in masks:
        content.tables.pop(name, None)
        content.coordinates.pop(name, None)
    return masks


def _is_view(name: str, asked: FileRequest) -> bool:
    """True if the user named a table as a view."""
    return asked.role(name) == "view" or name in (asked.options.views or ())


def _take_columns(content: Annotated, parts: Parts, asked: FileRequest) -> None:
    columns = {name: _legible(values) for name, values in content.columns.items() if asked.role(name) != "ignore"}
    parts.ids, parts.id_name = np.array(content.ids), OBS_NAMES
    if asked.ids in columns:
        parts.ids, parts.id_name, parts.named.ids = columns.pop(asked.ids).astype(str), asked.ids, True
    usual = (*MORE_LABEL_NAMES, "cell_type", "celltype", "cell_types")
    free = [name for name in columns if asked.role(name) is None]
    label = asked.labels if asked.labels in columns else None
    if asked.labels is None:
        ends = {name.rpartition(":")[2]: name for name in reversed(free)}
        label = pick_name(free, usual) or ends.get(pick_name(list(ends), usual) or "")
        if label is not None:
            parts.note(f"“{label}” of obs was taken as the label.")
    if label is not None:
        parts.labels, parts.label_name = columns.pop(label), label
    parts.columns = columns


def _legible(values: Values) -> Values:
    return np.where(values == "", UNLABELLED, values) if values.dtype.kind == "U" else values


def _chosen(content: Annotated, parts: Parts, asked: FileRequest) -> list[str]:
    """List the tables that are views; layers only where the user names them."""
    views = asked.options.views
    if views is not None:
        for name in views:
            if name not in content.tables:
                raise unknown("view", name, content.tables)
        parts.named.views = True
        return list(views)
    by_role = [name for name in content.tables if asked.role(name) == "view"]
    names = [name for name in content.views if asked.role(name) != "ignore"]
    return [*names, *(name for name in by_role if name not in names)]


# Views ------------------------------------------------------------------------------------------------------------


def _view(content: Annotated, name: str, keep: Values, how: str, parts: Parts) -> Values:
    """Return a table's numbers (M, D), NaN for samples that it lacks, reduced as those to `keep` need it."""
    table, rows = numbers(content.tables[name]), content.rows[name]
    has = rows >= 0
    if is_sparse(table) and components(how):
        table = reduce_sparse(table, how, name, rows[has & keep])
        parts.features[name] = tuple(component_title(k) for k in range(table.shape[1]))
        parts.has_feature_names = True
        parts.note(f"sparse view “{name}” was reduced to {table.shape[1]} principal components, exactly.")
    else:
        parts.features |= {name: content.features[name]} if name in content.features else {}
        parts.has_feature_names |= name in content.features
    if is_sparse(table):
        table = fill_in(table, Budget(parts.path))
        parts.note(f"the zeros of sparse view “{name}” ({table.shape[0]:,} x {table.shape[1]:,}) were filled in.")
    if np.array_equal(rows, np.arange(len(table))):
        return table if is_map(table) else np.asarray(table)
    if is_map(table) and has.all():
        return taken(table, rows)
    refuse_large(table, name, "the samples that it lacks cannot be marked in it")
    Budget(parts.path).take(8 * len(rows) * table.shape[1])
    view = np.full((len(rows), table.shape[1]), np.nan)
    view[has] = table[rows[has]]
    return view


def _preprocessing(asked: FileRequest, place: int, count: int) -> str:
    given = asked.options.preprocess or "none"
    each = (given,) * count if isinstance(given, str) else given
    return each[place] if place < len(each) else "none"


def _without_sparse(content: Annotated, names: list[str], parts: Parts, asked: FileRequest) -> list[str]:
    """List the tables that can be views as they are; sparse ones only if named or to be reduced."""
    if not names:
        offers = [Offer(f"Use “{name}” as a view", {"roles": {name: "view"}}) for name in content.coordinates]
        message = f"“{parts.path.name}” holds no table of numbers that is a view."
        raise RowsError(message, offers, "Write X or a key of obsm.")
    sparse = [
        name
        for place, name in enumerate(names)
        if is_thin(content.tables[name])
        and not _is_view(name, asked)
        and not components(_preprocessing(asked, place, len(names)))
    ]
    if not sparse:
        return names
    sizes = {name: content.tables[name].shape for name in sparse}
    listing = ", ".join(f"“{name}” ({rows:,} x {columns:,})" for name, (rows, columns) in sizes.items())
    lacks = content.lacking(names)
    left = len(lacks) if asked.options.samples == "union" else int((~lacks).sum()) or len(lacks)
    offered = 50  # principal components
    count = min(offered, left, *(min(size) for size in sizes.values()))
    if len(sparse) < len(names):
        ways = ",".join(f"pca:{count}" if name in sparse else "none" for name in names)
        text = f"sparse {listing} was left out; {count} principal components can take its place, exactly."
        parts.note(text, SPARSE, (*sparse, ways))
        return [name for name in names if name not in sparse]
    offers = [
        Offer(f"Reduce it to {count} principal components, exactly", {"preprocess": f"pca:{count}"}),
        Offer("Fill its zeros in", {"views": tuple(sparse)}),
    ]
    raise RowsError(f"All tables of “{parts.path.name}” are sparse: {listing}.", offers)
