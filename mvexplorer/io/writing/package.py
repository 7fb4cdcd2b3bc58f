"""A data set inside a session file: everything a `MultiView` has, as members of a zip file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, ValidationError

from mvexplorer.engine.core.multiview import MultiView, known_ids
from mvexplorer.errors import DataError
from mvexplorer.io.writing.container import Container, Writing, read_container

PACKAGE_SUFFIX = ".mvx"
CONTENTS = "data.json"


class _Array(BaseModel):
    """One array of the data: its kind, its view or column, and the member that holds it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    what: Literal["view", "bursts", "weights", "features", "labels", "ids", "images", "column", "latent", "coordinates"]
    name: str
    member: str


class _Contents(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    arrays: tuple[_Array, ...]
    preprocess: tuple[str, ...]


def is_package(path: str | Path) -> bool:
    """True if a path names a session with its data, by its ending alone."""
    return str(path).endswith(PACKAGE_SUFFIX)


def add_data(data: MultiView, file: Writing) -> None:
    """Add everything that a data set has to a session file."""
    arrays = []
    for i, (what, name, values) in enumerate(_arrays(data)):
        arrays.append(_Array(what=what, name=name, member=file.add(f"data/{i:03d}-{what}", values)))
    contents = _Contents(arrays=tuple(arrays), preprocess=data.preprocess)
    file.add_document(CONTENTS, contents.model_dump_json(indent=1).encode())


def data_size(data: MultiView) -> int:
    """Count the bytes of the arrays of a data set."""
    return sum(values.nbytes for _, _, values in _arrays(data))


_ALONE = {"labels": "labels", "ids": "sample_ids", "images": "images"}
_BY_NAME = {"column": "columns", "latent": "latent", "coordinates": "coordinates"}
"""Kind of an array -> the argument of `MultiView` that takes it."""
_KINDS = {"ids": "U"} | dict.fromkeys(("view", "bursts", "weights", "images", "coordinates"), "biuf")
"""Kind of an array -> the kinds of numbers or text it may hold; any for the others."""


def _arrays(data: MultiView) -> list[tuple[Any, str, npt.NDArray[Any]]]:
    """List all arrays of a data set, each after its kind and its name."""
    arrays: list[tuple[Any, str, Any]] = [("view", name, X) for name, X in zip(data.view_names, data.Xs, strict=True)]
    of_views = (("bursts", data.bursts or ()), ("weights", data.feature_weights), ("features", data.feature_names))
    for what, several in of_views:
        arrays += [(what, name, v) for name, v in zip(data.view_names, several, strict=bool(several)) if v is not None]
    called = {"labels": data.label_name or ""}
    arrays += [(what, called.get(what, ""), getattr(data, name)) for what, name in _ALONE.items()]
    for what, by_name in _BY_NAME.items():
        arrays += [(what, name, values) for name, values in getattr(data, by_name).items()]
    return [(what, name, np.asarray(values)) for what, name, values in arrays if values is not None]


def read_package(path: str | Path) -> MultiView:
    """Read the data of a session that was saved with it; DataError where the file is damaged."""
    with read_container(Path(path)) as file:
        return data_in(file)


def treatment_in(path: str | Path) -> tuple[tuple[str, ...], bool]:
    """Read each view's preprocessing and whether features have weights, without reading the session's arrays."""
    with read_container(Path(path)) as file:
        contents = _contents(file)
    return contents.preprocess, any(each.what == "weights" for each in contents.arrays)


def data_in(file: Container) -> MultiView:
    """Read the data in a zip file, as it was saved; DataError where the file is damaged."""
    contents = _contents(file)
    arrays: dict[str, dict[str, Any]] = {}
    for each in contents.arrays:
        of_kind = arrays.setdefault(each.what, {})
        if each.name in of_kind or (of_kind and each.what in _ALONE):
            raise file.damaged(f"it holds “{each.what}” twice")
        of_kind[each.name] = values = file.array(each.member)
        if values.dtype.kind not in _KINDS.get(each.what, values.dtype.kind):
            raise file.damaged(f"“{each.member}” is no array of {'text' if each.what == 'ids' else 'numbers'}")
    try:
        return _joined(arrays, contents.preprocess)
    except DataError as error:
        raise file.damaged(f"its parts do not fit each other ({error.message.rstrip('.')})") from None
    except (ValueError, TypeError, IndexError):
        raise file.damaged("its parts do not fit each other") from None


def _joined(arrays: dict[str, dict[str, Any]], preprocess: tuple[str, ...]) -> MultiView:
    """Join the arrays, by kind and by name, to one data set."""
    views = arrays.get("view", {})

    def of_views(what: str) -> list[Any] | None:
        return [arrays[what].get(name) for name in views] if what in arrays else None

    parts: dict[str, Any] = {name: next(iter(arrays.get(what, {}).values()), None) for what, name in _ALONE.items()}
    parts["label_name"] = next(iter(arrays.get("labels", {})), "") or None
    parts |= {name: arrays.get(what) for what, name in _BY_NAME.items()}
    if parts["sample_ids"] is not None:
        parts["sample_ids"] = known_ids(parts["sample_ids"])
    return MultiView(
        views,
        **parts,
        bursts=of_views("bursts"),
        preprocess=preprocess,
        feature_weights=of_views("weights"),
        feature_names=of_views("features"),
    )


def _contents(file: Container) -> _Contents:
    try:
        return _Contents.model_validate_json(file.document(CONTENTS))
    except ValidationError:
        raise file.damaged("what it says of its data cannot be understood") from None
