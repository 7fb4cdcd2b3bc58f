"""The description of a sample data set: `sample_datasets/<id>/manifest.json`, checked by pydantic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from mvexplorer.engine.core.preprocessing import check_preprocess
from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import read_document
from mvexplorer.wording import first_fault, in_words

Epsilon = Annotated[float, Field(gt=0, allow_inf_nan=False)] | Annotated[str, Field(min_length=1)]
"""A bandwidth in squared data units, or the text of a rule such as "max-min", "2*median" or "median/9"."""


class _Part(BaseModel):
    """A part of the manifest; an unknown key is a mistake, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FileData(_Part):
    """Numbers in a file beside the manifest: an NPZ with one array per view."""

    file: str = Field(pattern=r"^[\w.-]+$")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class GeneratedData(_Part):
    """Numbers made by a generator, called with these keywords."""

    generator: str = Field(pattern=r"^make_[a-z0-9_]+$")
    params: dict[str, JsonValue] = {}


class ViewInfo(_Part):
    """One view: the name used by scripts, the title read by people, and how it is preprocessed."""

    name: str = Field(pattern=r"^[\w.-]+$")
    title: str = Field(min_length=1)
    preprocess: Annotated[str, AfterValidator(check_preprocess)] = "none"


class ImageInfo(_Part):
    """The view whose rows are pictures of `shape` (height, width[, channels]); `range`: black to white."""

    view: str
    shape: tuple[int, int] | tuple[int, int, int]
    range: tuple[float, float]

    @model_validator(mode="after")
    def _range_is_wide(self) -> Self:
        if self.range[0] == self.range[1]:
            raise ValueError("the range is empty")
        return self


class Suggestion(_Part):
    """Another way to look at a sample, offered when it opens: a sentence, a button, ticked views and bandwidth."""

    words: str = Field(min_length=1)
    button: str = Field(min_length=1)
    views: tuple[str, ...] = Field(min_length=1)
    epsilon: Epsilon


class Opening(_Part):
    """How the sample is first shown: ticked views, bandwidth (for all, or per view) and colouring."""

    views: tuple[str, ...] = Field(min_length=1)
    epsilon: Epsilon | dict[str, Epsilon]
    colour: str = Field(min_length=1)
    also: Suggestion | None = None

    def epsilon_of(self, view: str) -> Epsilon | None:
        """Return the bandwidth, or the text of its rule, with which `view` opens; None where none is set."""
        return self.epsilon.get(view) if isinstance(self.epsilon, dict) else self.epsilon


class Manifest(_Part):
    """A sample data set.

    `shows` says in a few words what it is a picture of, `look` what to look at, and `labels` what the classes are and
    which array holds them.
    """

    format: Literal[1]
    id: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str = Field(min_length=1)
    shows: str = Field(min_length=1, max_length=40)
    summary: str = Field(min_length=1)
    look: str = Field(min_length=1, max_length=120)
    source: str = Field(min_length=1)
    citation: str = Field(min_length=1)
    licence: str = Field(min_length=1)
    data: FileData | GeneratedData
    views: tuple[ViewInfo, ...] = Field(min_length=1)
    labels: str | None = None
    images: ImageInfo | None = None
    open: Opening

    @property
    def view_names(self) -> tuple[str, ...]:
        """Names of the views, in their order."""
        return tuple(view.name for view in self.views)

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        used = (
            set(self.open.views)
            | set(self.open.also.views if self.open.also else ())
            | ({self.images.view} if self.images else set())
        )
        if isinstance(self.open.epsilon, dict):
            used |= set(self.open.epsilon)
        strange = sorted(used - set(self.view_names))
        if strange:
            raise ValueError(f"there is no view called {', '.join(strange)}")
        if len(set(self.view_names)) != len(self.views):
            raise ValueError("two views have the same name")
        if self.open.colour == "labels" and self.labels is None:
            raise ValueError("it opens coloured by labels but has no labels")
        return self


def read_manifest(path: str | Path) -> Manifest:
    """Read and check one manifest; the message of a DataError names the first fault."""
    path = Path(path)
    where = f"{path.parent.name}/{path.name}"
    hint = "Correct the file, or install mvexplorer again if it came with it."
    with in_words(DataError, f"The manifest {where} cannot be read", hint):
        content = read_document(path)
    try:
        return Manifest.model_validate_json(content)
    except ValidationError as error:
        raise DataError(f"The manifest {where} is broken: {first_fault(error)}.", hint) from None
