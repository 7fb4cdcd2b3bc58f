"""Tables that are pictures of the samples already, such as a published UMAP: given coordinates, no view."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mvexplorer.engine.core.notices import GIVEN, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.base.roles import FileRequest

_KINDS = "umap|tsne|t-sne|phate|trimap|pacmap"
_PICTURE = re.compile(rf"{_KINDS}|coord|embedding|layout|draw_graph|spatial|diffmap|mds|isomap|force", re.IGNORECASE)
"""Parts of the names of pictures in AnnData."""
_MAP = re.compile(rf"(?:x[ _])?({_KINDS})[ _.-]?([1-3])", re.IGNORECASE)
"""Names of columns that can only be a picture's."""
_FILE = re.compile(rf"{_KINDS}|coord|embedding|layout", re.IGNORECASE)
"""Names of files in which columns x, y and z are a picture."""


def coordinates_name(columns: Sequence[str], otherwise: str) -> str:
    """Name coordinates by what all columns begin with, such as ``umap`` for umap1 and umap2, else as `otherwise`."""
    stems = {re.sub(r"[ _.-]?[0-9xyzXYZ]$", "", column) for column in columns}
    return next(iter(stems)) if len(stems) == 1 and "" not in stems else otherwise


def is_picture(key: str) -> bool:
    """True if a key of `obsm`, such as ``X_umap``, is named as programs name the pictures that they make."""
    return _PICTURE.search(key) is not None


def take_coordinates(merged: Parts, parts: Sequence[Parts], asked: Sequence[FileRequest]) -> None:
    """Move views that are given coordinates, by role or by their columns' names, in place.

    DataError where no view would be left, or coordinates are neither two nor three.
    """
    for part, wishes in zip(parts, asked, strict=True):
        for own, view in list(part.joined.called.items()):
            if view not in merged.views:
                continue
            is_chosen = _told(own, part, wishes)
            if is_chosen or (len(merged.views) > 1 and _looks_like_a_picture(own, part, wishes)):
                _move(merged, part, own, view, told=is_chosen)
    if merged.coordinates and not merged.views:
        raise DataError("All that the files hold was given as coordinates.", "Give at least one view besides.")


def _told(own: str, part: Parts, asked: FileRequest) -> bool:
    names = part.features.get(own) or (part.variables.sources.get(own, own),)
    return all(asked.role(name) == "coordinates" for name in names)


def _looks_like_a_picture(own: str, part: Parts, asked: FileRequest) -> bool:
    """True if two or three columns are named like those of an embedding, and nobody said that they are features."""
    names = part.features.get(own, ())
    if len(names) not in (2, 3) or not part.has_feature_names or any(asked.role(name) for name in names):
        return False
    matches = [_MAP.fullmatch(name) for name in names]
    if all(matches):
        return len({match[1].lower() for match in matches if match}) == 1
    plain = [name.lower() for name in names]
    return plain in (["x", "y"], ["x", "y", "z"]) and _FILE.search(part.path.stem) is not None


def _move(merged: Parts, part: Parts, own: str, view: str, *, told: bool) -> None:
    X = merged.views.pop(view)
    del part.joined.called[own]
    if X.ndim != 2 or X.shape[1] not in (2, 3):
        raise DataError(
            f"Coordinates “{own}” of “{part.path.name}” have shape {X.shape}.", "Give two or three numbers per sample."
        )
    merged.features.pop(view, None)
    names = part.features.get(own, ())
    name = coordinates_name(names, view) if names else view.removeprefix("X_")
    merged.coordinates[name] = X
    if not told:
        text = f"{part.path.name}: “{name}” was taken as coordinates that are given, not as a view."
        merged.notes.append(Notice(GIVEN, text, names))
