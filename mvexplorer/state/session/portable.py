"""Sessions with their data and pictures: one zip file of JSON and NPY members, in which nothing is executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import DataError, SessionError
from mvexplorer.io.writing.container import Container, Writing, read_container, write_container
from mvexplorer.io.writing.package import add_data, data_in, data_size
from mvexplorer.io.writing.versions import FileVersion, file_version
from mvexplorer.state.pictures.panel_result import PanelResult, Picture
from mvexplorer.wording import in_words

SESSION, PICTURES = "session.json", "pictures.json"


@dataclass(frozen=True)
class Portable:
    """The content of such a file: the session's JSON, its data, and pictures by panel."""

    session: bytes
    data: MultiView
    pictures: Mapping[str, Picture] = field(default_factory=dict)


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    code: str
    text: str
    subjects: tuple[str, ...]
    level: Literal["info", "warning"]


class _Picture(BaseModel):
    """A panel's picture; arrays are named by their members."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="constants")
    method: str
    views: tuple[str, ...]
    epsilon: tuple[float, ...]
    kernels: tuple[str, ...]
    params: dict[str, float | int | str | bool | None]
    random_state: int
    info: dict[str, float]
    warnings: tuple[_Told, ...]
    scores: Scores | None
    seconds: float
    coordinates: str
    view_coordinates: tuple[str, ...]
    eigenvalues: str


_Pictures = TypeAdapter(dict[str, _Picture])


def pictures_of(results: Mapping[str, PanelResult]) -> dict[str, Picture]:
    """The pictures that are up to date, to be saved with the session."""
    ready = {id: (shown, shown.result) for id, shown in results.items() if shown.status == "ready"}
    return {
        id: Picture(result.embedding, shown.scores, result.seconds)
        for id, (shown, result) in ready.items()
        if result is not None
    }


def write_portable(path: Path, content: Portable, tick: Callable[[float], None]) -> FileVersion:
    """Write a session with its data; SessionError where that is impossible, and a former file stays.

    `tick` is called with the part that is done, from 0 to 1, and may raise to stop. Returns the file's version, by
    which later changes are noticed.
    """
    with in_words(SessionError, f"The session cannot be saved to {path}"):
        with write_container(path, data_size(content.data), tick) as file:
            file.add_document(SESSION, content.session)
            add_data(content.data, file)
            described = {
                id: _described(picture, f"pictures/{i:03d}", file)
                for i, (id, picture) in enumerate(content.pictures.items())
            }
            file.add_document(PICTURES, _Pictures.dump_json(described, indent=1))
        version = file_version(path)
        assert version is not None
        return version


def _described(picture: Picture, stem: str, file: Writing) -> _Picture:
    embedding = picture.embedding
    return _Picture(
        method=embedding.method,
        views=embedding.views,
        epsilon=embedding.epsilon,
        kernels=embedding.kernels,
        params=dict(embedding.params),
        random_state=embedding.random_state,
        info={name: float(value) for name, value in embedding.info.items()},
        warnings=tuple(
            _Told(code=n.code, text=str(n), subjects=n.subjects, level=n.level) for _, n in embedding.warnings
        ),
        scores=picture.scores,
        seconds=picture.seconds,
        coordinates=file.add(f"{stem}-coordinates", embedding.coordinates),
        view_coordinates=tuple(file.add(f"{stem}-view-{i:03d}", Y) for i, Y in enumerate(embedding.view_coordinates)),
        eigenvalues=file.add(f"{stem}-eigenvalues", np.asarray(embedding.eigenvalues)),
    )


def read_portable(path: Path) -> Portable:
    """Read a session with its data, whose JSON is not yet checked; SessionError where the file is damaged."""
    try:
        with read_container(path) as file:
            data = data_in(file)
            return Portable(file.document(SESSION), data, _pictures_in(file, data))
    except DataError as error:
        raise SessionError(error.message, error.hint) from None


def _pictures_in(file: Container, data: MultiView) -> dict[str, Picture]:
    if PICTURES not in file:
        return {}
    try:
        described = _Pictures.validate_json(file.document(PICTURES))
    except ValidationError:
        raise file.damaged("what it says of its pictures cannot be understood") from None
    return {id: _picture(each, file, data) for id, each in described.items()}


def _widest(described: _Picture, data: MultiView) -> int:
    """Coordinates that a picture can have: r of every view, and three where they were given."""
    wanted = described.params.get("n_components")
    r = min(wanted, data.n_samples) if isinstance(wanted, int) else 0
    return max(3, r * max(1, len(described.views)))


def _picture(described: _Picture, file: Container, data: MultiView) -> Picture:
    each = {len(described.views), len(described.epsilon), len(described.kernels)}
    most = _widest(described, data)

    def numbers(member: str, rows: int | None) -> Array:
        values = file.array(member, data.n_samples * most)
        table = values.ndim == 2 and values.shape[1] > 0 and len(values) == rows
        if values.dtype.kind not in "biuf" or not (values.ndim == 1 if rows is None else table):
            raise file.damaged(f"“{member}” is no picture of its {data.n_samples} samples")
        return np.asarray(values, dtype=np.float64)

    blocks = len(described.view_coordinates)
    views_exist = len(set(described.views) & set(data.view_names)) == len(described.views)
    if len(each) > 1 or blocks not in (0, *each) or not views_exist:
        raise file.damaged("what it says of its pictures does not fit its data")
    notices = (Notice(n.code, n.text, n.subjects, n.level) for n in described.warnings)
    embedding = Embedding(
        coordinates=numbers(described.coordinates, data.n_samples),
        view_coordinates=tuple(numbers(member, data.n_samples) for member in described.view_coordinates),
        eigenvalues=numbers(described.eigenvalues, None),
        views=described.views,
        epsilon=described.epsilon,
        warnings=tuple((n.key, n) for n in notices),
        method=described.method,
        params=described.params,
        kernels=described.kernels,
        random_state=described.random_state,
        sample_ids=data.sample_ids,
        labels=data.labels,
        info=described.info,
    )
    return Picture(embedding, described.scores, described.seconds)
