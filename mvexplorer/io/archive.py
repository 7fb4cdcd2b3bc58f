"""A data set as one NPZ file that opens again equal: plain arrays, and an array that says what each of them is."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter, ValidationError
from pydantic_core import to_json

from mvexplorer.engine.api.export import write_npz
from mvexplorer.errors import DataError
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.io.parts import Parts, Values
    from mvexplorer.io.roles import Asked

CONTENTS = "mvexplorer-contents"
"""The array that says, as the bytes of JSON, what the others are."""
_Contents = TypeAdapter(dict[str, dict[str, str]])


def write_archive(data: MultiView, path: str | Path) -> None:
    """Write views, labels, names, columns, images and given coordinates; preprocessing and weights are not data.

    Parameters
    ----------
    data : MultiView
        What is written.
    path : path
        Replaced once the new file is complete; DataError where it cannot be written.

    Examples
    --------
    >>> from mvexplorer.io.archive import write_archive
    >>> write_archive(mvx.load("helix-a"), "helix.npz")
    >>> mvx.load("helix.npz").view_names
    ('view1', 'view2')
    """
    arrays: dict[str, Values] = {}
    contents: dict[str, dict[str, str]] = {}

    def keep(kind: str, name: str, values: Any) -> None:
        """Keep an array under its name, or under that and a number, where the name is taken."""
        key = next(k for i in range(1, len(arrays) + 2) if (k := name if i == 1 else f"{name}-{i}") not in arrays)
        arrays[key] = np.asarray(values)
        contents.setdefault(kind, {})[name] = key

    arrays[CONTENTS] = np.zeros(0, dtype=np.uint8)
    for name, X in zip(data.view_names, data.Xs, strict=True):
        keep("views", name, X)
    for kind, one in (("labels", data.labels), ("ids", data.sample_ids), ("images", data.images)):
        if one is not None:
            keep(kind, (data.label_name if kind == "labels" else None) or kind, one)
    for kind, several in (("columns", {**data.latent, **data.columns}), ("coordinates", data.coordinates)):
        for name, values in several.items():
            keep(kind, name, values)
    for name, names in zip(data.view_names, data.feature_names, strict=True):
        if names is not None:
            keep("features", name, np.array(names))
    arrays[CONTENTS] = np.frombuffer(to_json(contents), dtype=np.uint8)
    with writing(path) as file:
        write_npz(file, arrays, compressed=False)


def unpack(archive: Mapping[str, Values], parts: Parts, asked: Asked) -> None:
    """Put the arrays of a file that `write_archive` made where they belong.

    Parameters
    ----------
    archive : mapping name -> array
        All arrays of the file.
    parts, asked : Parts, Asked
        Filled in place; `asked` learns of all that a role can be given. DataError if the file lies about itself.
    """
    found = _found(archive, parts)
    for kind in ("views", "labels", "ids", "columns", "coordinates"):
        for name, values in found.get(kind, {}).items():
            asked.offer(name, partial(np.asarray, values))
    if any(X.ndim != 2 or X.dtype.kind not in "biuf" for X in found.get("views", {}).values()):
        raise _untrue(parts)
    parts.views.update(found.get("views", {}))
    parts.columns.update(found.get("columns", {}))
    parts.images = next(iter(found.get("images", {}).values()), None)
    parts.coordinates.update(found.get("coordinates", {}))
    for name, values in found.get("labels", {}).items():
        parts.labels, parts.label_name = values, name
    for name, values in found.get("ids", {}).items():
        parts.ids, parts.id_name, parts.id_told = values, name, True
    parts.features.update({name: tuple(names.tolist()) for name, names in found.get("features", {}).items()})
    parts.has_feature_names = bool(parts.features)


def _found(archive: Mapping[str, Values], parts: Parts) -> dict[str, dict[str, Values]]:
    """The arrays by what they are and by their names."""
    try:
        contents = _Contents.validate_json(archive[CONTENTS].tobytes())
        return {kind: {name: archive[key] for name, key in keys.items()} for kind, keys in contents.items()}
    except (ValidationError, KeyError):
        raise _untrue(parts) from None


def _untrue(parts: Parts) -> DataError:
    return DataError(f"The contents of “{parts.path.name}” do not fit its arrays.", "Write it again.")
