"""Figures without any ink: what is drawn, with the words and the numbers that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from json import dumps
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.errors import DataError
from mvexplorer.formulas import escaped
from mvexplorer.writing import writing

Column: TypeAlias = npt.NDArray[Any]

Style = Literal["line", "points", "dots", "bars"]
"""A line, one with a mark at each value, marks alone, bars."""


@dataclass(frozen=True, eq=False)
class Series:
    """One curve: x (n,) and y (n,); `look` is its place among the looks of curves, `faint` puts it behind.

    `band` (x, lowest, highest) (m, 3) is a range around it. Where one curve is the `best`, it alone has a colour. One
    in `front` is thick and on top.
    """

    name: str
    x: Array
    y: Array
    style: Style = "line"
    look: int = 0
    faint: bool = False
    front: bool = False
    band: Array | None = None
    best: bool | None = None


@dataclass(frozen=True)
class LabelledLine:
    """A dashed vertical line at x, with a few words beside it; marks of one look belong together, None is grey."""

    x: float
    words: str
    look: int | None = 1


@dataclass(frozen=True, eq=False)
class Curves:
    """Curves over one axis; where the ends of the axes are not given, they are those of the points.

    The vertical one then has 0 among all values if it can; with `from_least` it begins at the least value. With `named`
    each curve is named where it ends.
    """

    x_label: str
    y_label: str
    series: tuple[Series, ...]
    marks: tuple[LabelledLine, ...] = ()
    diagonal: bool = False
    """Whether a line from (0, 0) to (1, 1) shows what chance would be."""
    whole: bool = False
    """Whether x counts things."""
    log_x: bool = False
    log_y: bool = False
    from_least: bool = False
    named: bool = False
    limits: tuple[float, float] | None = None
    """The ends of the vertical axis."""
    span: tuple[float, float] | None = None
    """The ends of the horizontal axis."""

    def columns(self) -> dict[str, Column]:
        """The curves' values, their common x only once; names that repeat are numbered."""
        names: list[str] = []
        for each in self.series:
            names.append(next(name for name in _numbered(each.name) if name not in (*names, self.x_label)))
        columns: dict[str, Column] = {}
        for each, name in zip(self.series, names, strict=True):
            x = self.x_label if self._shares_x else f"{self.x_label} ({name})"
            columns |= {x: each.x, name: each.y}
        return columns

    @property
    def _shares_x(self) -> bool:
        return all(np.array_equal(each.x, self.series[0].x) for each in self.series)


@dataclass(frozen=True, eq=False)
class Contour:
    """A line through x (k,) and y (k,) over a matrix, in the values along its sides."""

    x: Array
    y: Array
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Matrix:
    """A matrix (n, m) as an image, the first row on top; upwards where `y` rises.

    `x` (m,) and `y` (n,) are the values along its sides, where there are any. The shades begin at 0, or have it in
    their middle, unless `limits` gives the entries at their ends.
    """

    values: Array
    scale: str
    """The quantity that the shades show."""
    bounds: tuple[float, ...] = ()
    """Where lines part the rows and columns, as shares from 0 to 1."""
    names: tuple[tuple[float, str], ...] = ()
    """Classes or views, each with its place among the rows as a share from 0 to 1."""
    x_label: str = ""
    y_label: str = ""
    x: Array | None = None
    y: Array | None = None
    limits: tuple[float, float] | None = None
    contours: tuple[Contour, ...] = ()
    corners: tuple[str, ...] = ()
    """Words in the corners, those of the lower ones first, each from the left."""


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points (M, 2 or 3), coloured by values (M,) or classes (M,); what the colour means is in `coloured_by`.

    `turn` are the angles, in radians, by which 3-D points are turned from the usual view: across, down.
    """

    points: Array
    colour: npt.NDArray[np.generic] | None = None
    cyclic: bool = False
    coloured_by: str = ""
    turn: tuple[float, float] = (0.0, 0.0)

    def columns(self) -> dict[str, Column]:
        """The coordinates, and what colours them."""
        columns: dict[str, Column] = {f"x{k + 1}": column for k, column in enumerate(self.points.T)}
        return columns if self.colour is None else columns | {self.coloured_by or "colour": self.colour}


@dataclass(frozen=True, eq=False)
class Pictures:
    """Grey pictures (n, height, width) of 0 to 255 in a row, with their names."""

    images: npt.NDArray[np.uint8]
    names: Sequence[str] = ()

    def columns(self) -> dict[str, Column]:
        """The grey values of each, row after row."""
        names = self.names or [str(k + 1) for k in range(len(self.images))]
        return {name: image.ravel() for name, image in zip(names, self.images, strict=True)}


@dataclass(frozen=True)
class Table:
    """A table with the columns' names in `head`."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def columns(self) -> dict[str, Column]:
        """Its columns."""
        return {name: np.array([row[k] for row in self.rows]) for k, name in enumerate(self.head)}


@dataclass(frozen=True)
class StripRow:
    """One row of strips: its name, the real value, those of shuffled data, and the verdict."""

    name: str
    real: float
    shuffled: tuple[float, ...]
    verdict: str = ""
    about: str = ""


@dataclass(frozen=True)
class Strips:
    """Real values beside those of shuffled data, on one scale; the `current` row is explained elsewhere."""

    rows: tuple[StripRow, ...]
    current: int = 0
    axis: str = ""
    """What is measured."""
    line: str = ""
    """What the real values are called."""

    def columns(self) -> dict[str, Column]:
        """The real value of each row and its shuffled ones."""
        return {row.name: np.array([row.real, *row.shuffled]) for row in self.rows}

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the scale."""
        values = [value for row in self.rows for value in (row.real, *row.shuffled) if np.isfinite(value)]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        least = 0.02  # the shortest scale: differences below a hundredth are not worth a picture
        spare = max(0.06 * (high - low), 0.5 * (least - (high - low)))
        return low - spare, high + spare


@dataclass(frozen=True, eq=False)
class Figure:
    """A drawing, the words below it, and its numbers as a table."""

    title: str
    body: Curves | Matrix | PointCloud | Pictures | Strips | Table
    words: str = ""
    columns: Mapping[str, Column] = field(default_factory=dict)
    """Name -> the numbers (n,), where they are more than what is drawn."""
    findings: Mapping[str, Any] = field(default_factory=dict)
    """The facts in the words, in full precision: name -> number, text, list or mapping."""
    record: Mapping[str, Any] = field(default_factory=dict)
    """The choices behind it, for the record in its files."""

    @property
    def sentence(self) -> str:
        """The words as a sentence."""
        return f"{self.words[:1].upper()}{self.words[1:].rstrip('.')}." if self.words else ""

    def csv(self, *, csv_safe: bool = False) -> str:
        """The numbers as comma-separated values, texts escaped or as they are; short columns end in empty cells."""
        text_as = escaped if csv_safe else str
        if isinstance(self.body, Matrix):
            return "".join(",".join(f"{value:.9g}" for value in row) + "\n" for row in self.body.values)
        columns = self.columns or self.body.columns()
        longest = max(map(len, columns.values()), default=0)
        cells = [
            [*(_cell(escaped(value) if csv_safe else value) for value in column), *[""] * (longest - len(column))]
            for column in columns.values()
        ]
        head = ",".join(f'"{text_as(name).replace(chr(34), chr(34) * 2)}"' for name in columns)
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
            columns = self.columns or self.body.columns()
            contents["columns"] = {name: _plain(column) for name, column in columns.items()}
            marks = self.body.marks if isinstance(self.body, Curves) else ()
            contents["marks"] = [{"at": float(mark.x), "words": mark.words} for mark in marks]
        return contents


def _numbered(name: str) -> Iterator[str]:
    """A name, and further ones made of it."""
    yield name
    yield from (f"{name} ({number})" for number in count(2))


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
