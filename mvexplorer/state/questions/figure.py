"""A figure without any ink: curves or a matrix, with the words and the numbers that belong to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from mvexplorer.errors import DataError
from mvexplorer.formulas import escaped
from mvexplorer.writing import writing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy.typing as npt

    from mvexplorer.engine.core.multiview import Array

Style = Literal["line", "points", "stems", "bars"]


@dataclass(frozen=True, eq=False)
class Series:
    """One curve: x (n,) and y (n,); `look` is its place among the looks of curves, `faint` puts it behind."""

    name: str
    x: Array
    y: Array
    style: Style = "line"
    look: int = 0
    faint: bool = False


@dataclass(frozen=True)
class LabelledLine:
    """A dashed vertical line at x, with a few words beside it; marks of one look belong together."""

    x: float
    words: str
    look: int = 1


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves over one axis."""

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    marks: tuple[LabelledLine, ...] = ()
    diagonal: bool = False
    """Whether a line from (0, 0) to (1, 1) shows what chance would be."""
    whole: bool = False
    """Whether x counts things."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix (n, n) as an image, the first row on top."""

    values: Array
    scale: str
    """The quantity that the shades show."""
    bounds: tuple[float, ...] = ()
    """Where lines part the rows and columns, as shares from 0 to 1."""
    names: tuple[tuple[float, str], ...] = ()
    """Classes or views, each with its place among the rows as a share from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawing, the words below it, and its numbers as a table."""

    title: str
    body: Curves | Matrix
    words: str = ""
    columns: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    """Name -> the numbers (n,) of curves; of a matrix its rows are written."""
    findings: Mapping[str, Any] = field(default_factory=dict)
    """The facts in the words, in full precision: name -> number, text, list or mapping."""

    @property
    def sentence(self) -> str:
        """The words as a sentence."""
        return f"{self.words[:1].upper()}{self.words[1:]}." if self.words else ""

    def csv(self, *, csv_safe: bool = False) -> str:
        """The numbers as comma-separated values, texts escaped or as they are; short columns end in empty cells."""
        text_as = escaped if csv_safe else str
        if isinstance(self.body, Matrix):
            return "".join(",".join(f"{value:.9g}" for value in row) + "\n" for row in self.body.values)
        longest = max(map(len, self.columns.values()), default=0)
        cells = [
            [*(_cell(escaped(value) if csv_safe else value) for value in column), *[""] * (longest - len(column))]
            for column in self.columns.values()
        ]
        head = ",".join(f'"{text_as(name).replace(chr(34), chr(34) * 2)}"' for name in self.columns)
        return "\n".join([head, *(",".join(row) for row in zip(*cells, strict=True)), ""])

    def json(self) -> str:
        """All of it as JSON."""
        return dumps(self.as_dict(), ensure_ascii=False, allow_nan=False) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Title, words, findings and numbers as plain data: columns and marks, or a matrix's rows. NaN is None."""
        contents: dict[str, Any] = {"title": self.title, "words": self.words, "findings": _finite(dict(self.findings))}
        if isinstance(self.body, Matrix):
            contents |= {"matrix": _plain(self.body.values), "scale": self.body.scale}
        else:
            contents["columns"] = {name: _plain(column) for name, column in self.columns.items()}
            contents["marks"] = [{"at": float(mark.x), "words": mark.words} for mark in self.body.marks]
        return contents


def _finite(value: Any) -> Any:
    """Nested findings with None in place of NaN and infinity."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    return None if isinstance(value, float) and not isfinite(value) else value


def _plain(values: npt.NDArray[Any]) -> list[Any]:
    """Numbers as JSON has them."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        unknown, array = ~np.isfinite(array), array.astype(object)
        array[unknown] = None
    return cast("list[Any]", array.tolist())


def _cell(value: object) -> str:
    if isinstance(value, str) and any(mark in value for mark in ',"\r\n'):
        return f'"{value.replace(chr(34), chr(34) * 2)}"'
    return f"{value:.9g}" if isinstance(value, float | np.floating) else str(value)


def write_numbers(figure: Figure, path: Path, *, csv_safe: bool = False) -> None:
    """Write the numbers of a figure as comma-separated values or as JSON, by the ending; DataError for another one."""
    ending = path.suffix.lower()
    if ending not in (".csv", ".json"):
        hint = "End the file's name in .csv or .json."
        raise DataError(f"Numbers of a figure cannot be written as “{path.suffix}”.", hint)
    with writing(path) as file:
        file.write((figure.json() if ending == ".json" else figure.csv(csv_safe=csv_safe)).encode())
