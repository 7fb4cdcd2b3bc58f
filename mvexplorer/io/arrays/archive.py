"""A data set as one NPZ file that opens again equal: plain arrays, and an array that says what each of them is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, ValidationInfo, model_validator
from pydantic_core import to_json

from mvexplorer.engine.api.export import write_npz
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_DOCUMENT
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.wording import first_fault, listed
from mvexplorer.writing import writing

CONTENTS = "mvexplorer-contents"
"""The array that says, as the bytes of JSON, what the others are."""


def _holds(kinds: str, *dimensions: int) -> PlainValidator:
    """Make a validator that turns the name of an array into the array, which must be of these kinds and dimensions."""

    def array(key: object, info: ValidationInfo) -> Values:
        arrays: Mapping[str, Values] = info.context or {}
        values = arrays.get(key) if isinstance(key, str) else None
        if values is None:
            raise ValueError("there is no such array")
        if values.dtype.kind not in kinds or values.ndim not in dimensions:
            raise ValueError(f"no array of shape {values.shape} and type {values.dtype} belongs there")
        return values

    return PlainValidator(array)


_Table = Annotated[Values, _holds("biuf", 2)]
_Column = Annotated[Values, _holds("biufmMU", 1)]


class _Contents(BaseModel):
    """The kinds of a file's arrays: by kind and name, the name of an array there, whose place the array takes.

    It is validated with the arrays of the file as context.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    views: dict[str, _Table] = Field(min_length=1)
    labels: dict[str, _Column] = Field({}, max_length=1)
    ids: dict[str, Annotated[Values, _holds("iuU", 1)]] = Field({}, max_length=1)
    images: dict[str, Annotated[Values, _holds("u", 3, 4)]] = Field({}, max_length=1)
    columns: dict[str, _Column] = {}
    coordinates: dict[str, _Table] = {}
    features: dict[str, Annotated[Values, _holds("U", 1)]] = {}

    @model_validator(mode="after")
    def _sizes_fit(self) -> Self:
        several = (self.views, self.labels, self.ids, self.images, self.columns, self.coordinates)
        rows = {len(values) for by_name in several for values in by_name.values()}
        if len(rows) > 1:
            raise ValueError(f"its arrays have {listed([str(n) for n in sorted(rows)])} rows")
        for view, names in self.features.items():
            if view not in self.views or self.views[view].shape[1] != len(names):
                raise ValueError(f"the features of “{view}” are not those of a view")
        return self


def write_archive(data: MultiView, path: str | Path) -> None:
    """Write views, labels, names, columns, images and given coordinates; preprocessing and weights are not data.

    The file at `path` is replaced once the new one is complete.

    Examples
    --------
    >>> from mvexplorer.io.arrays.archive import write_archive
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


def unpack_archive(archive: Mapping[str, Values], parts: Parts, asked: FileRequest) -> None:
    """Put the arrays of a `write_archive` file into `parts`; DataError if the file lies about itself."""
    try:
        contents = _Contents.model_validate_json(_document(archive[CONTENTS]), context=archive)
    except ValidationError as report:
        message = f"What “{parts.path.name}” says of its arrays is not true: {first_fault(report)}."
        raise DataError(message, "Save it again, or give each of its arrays a role.") from None
    for several in (contents.views, contents.labels, contents.ids, contents.columns, contents.coordinates):
        for name, values in several.items():
            asked.offer(name, partial(np.asarray, values))
    parts.views.update(contents.views)
    parts.columns.update(contents.columns)
    parts.images = next(iter(contents.images.values()), None)
    parts.coordinates.update(contents.coordinates)
    for name, values in contents.labels.items():
        parts.labels, parts.label_name = values, name
    for name, values in contents.ids.items():
        parts.ids, parts.id_name, parts.named.ids = values, name, True
    parts.features.update({name: tuple(names.tolist()) for name, names in contents.features.items()})
    parts.has_feature_names = bool(parts.features)


def _document(array: Values) -> bytes:
    """The JSON that an array holds; none where it is larger than any that we read."""
    return array.tobytes() if array.nbytes <= MAX_DOCUMENT else b""
