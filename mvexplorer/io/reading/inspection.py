"""The content of files and how they would be read, to be looked at before they are opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mvexplorer.engine.core.dates import Dates, DayMonth, present_texts, read_dates
from mvexplorer.engine.core.maps import extremes, is_map
from mvexplorer.engine.core.notices import (
    BY_POSITION,
    DATES,
    DECIMAL_SIGN,
    HALVES,
    HEADER,
    MANY_FEATURES,
    MIXED,
    NUMBERS_AS_NAMES,
    NUMERIC_LABEL,
    POSSIBLE_IDS,
    POSSIBLY_TURNED,
    REPEATED_IDS,
    SAME_COLUMNS,
    SHARED_NUMBERS,
    SIMILARITY,
    TWO_IDS,
    Notice,
)
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MixedColumnError, MVExplorerError
from mvexplorer.io.base.missing import count_missing, missing
from mvexplorer.io.base.options import ReadOptions, Role
from mvexplorer.io.base.parts import UNLABELLED, Parts, Values, gather_notes
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.reading.files import Loaded, Reading
from mvexplorer.io.reading.orientation import Content
from mvexplorer.io.reading.readers import as_parts, read_one_file
from mvexplorer.io.tables.grid import Grid
from mvexplorer.wording import counted, number

NUMBER = 8
"""Bytes of a number of a matrix of all pairs."""
DOUBTS = frozenset(
    {
        BY_POSITION,
        DATES,
        DECIMAL_SIGN,
        HALVES,
        HEADER,
        MANY_FEATURES,
        NUMBERS_AS_NAMES,
        NUMERIC_LABEL,
        POSSIBLY_TURNED,
        POSSIBLE_IDS,
        REPEATED_IDS,
        SAME_COLUMNS,
        SHARED_NUMBERS,
        SIMILARITY,
        TWO_IDS,
    }
)
"""Codes of notices that the reader must be asked about."""
UNNAMED = "No column names the samples in every file, so the rows were paired by position."


@dataclass(frozen=True)
class Item:
    """One column of a table, or one variable or array: what it is taken as, and how it looks.

    `file` is the path of its file; `view` the view that it belongs to, None where it is none; `preview` the first
    values in the order of the samples; `spark` numbers for a small picture, none for text; `why` says in words what was
    assumed; `low` and `high` are its extremes, NaN for text, of which `span` says how many values differ; `header` is
    True for the first row of a table whose samples stand in columns.
    """

    file: str
    name: str
    kind: Literal["column", "array", "text"]
    shape: tuple[int, ...]
    dtype: str
    role: Role
    view: str | None
    preview: tuple[str, ...]
    spark: tuple[float, ...]
    n_missing: int
    why: str
    low: float = nan
    high: float = nan
    span: str = ""
    header: bool = False

    @property
    def title(self) -> str:
        """The name that is shown: the header of a turned table is no column, though its first cell names it."""
        return "header" if self.header else self.name

    @property
    def range(self) -> str:
        """From where to where the values go, in words."""
        if self.span or self.low != self.low:
            return self.span
        low, high = _short(self.low), _short(self.high)
        return low if low == high else f"{low} … {high}"


@dataclass(frozen=True)
class ViewReport:
    """The data of one view, as it is in the files.

    `median_scale` is the median squared distance, estimated on `LOOKED_AT` samples, `prepared_scale` the same after
    `preprocess`.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    preprocess: str
    median_scale: float
    n_constant: int
    n_duplicates: int
    n_missing: int
    bytes: int
    prepared_scale: float = 0.0


@dataclass(frozen=True)
class Inspection:
    """The content of files, and how they would be read.

    `notes` say what was assumed and why, `doubts` what the reader must be asked about; `error` is why the files cannot
    be opened as they stand, `loaded` the data set where they can; `join` says how rows belong together; `memory` is the
    number of bytes of the matrices of all pairs.
    """

    files: tuple[str, ...]
    items: tuple[Item, ...] = ()
    views: tuple[ViewReport, ...] = ()
    label: str | None = None
    ids: str | None = None
    n_samples: int | None = None
    join: str = ""
    notes: tuple[Notice, ...] = ()
    doubts: tuple[Notice, ...] = ()
    error: MVExplorerError | None = None
    loaded: Loaded | None = None
    memory: int = 0


def inspect_files(
    paths: Sequence[str | Path], options: ReadOptions | None = None, task: Task | None = None
) -> Inspection:
    """Look at files as they would be opened; return what stands in the way instead of raising it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from mvexplorer.io.reading.inspection import inspect_files
    >>> text = "id,width,kind\\na,1,x\\nb,4,y\\nc,9,x\\nd,7,y\\n"
    >>> n = Path("petals.csv").write_text(text)
    >>> inspection = inspect_files(["petals.csv"])
    >>> [(item.name, item.role) for item in inspection.items], inspection.views[0].shape
    ([('id', 'id'), ('width', 'view'), ('kind', 'colour')], (4, 1))
    """
    options = options or ReadOptions()
    reading = Reading(paths, options, keep=True, task=task)
    loaded, error = None, None
    try:
        loaded = reading.read()
    except MVExplorerError as refusal:
        error = refusal.with_traceback(None)
    held = _held(reading)
    tables = _tables(reading)
    n_samples = len(next(iter(tables.values()))) if len({len(X) for X in tables.values()}) == 1 else None
    notes = loaded.notes if loaded is not None else (*gather_notes(reading.parts), *reading.joined, *reading.doubts)
    return Inspection(
        files=tuple(str(path) for path in reading.files),
        items=tuple(item for request, part in held for item in _items(request, part, reading)),
        views=_reports(tables, reading, loaded),
        label=next((part.label_name for _, part in held if part and part.labels is not None), None),
        ids=next((part.id_name for _, part in held if part and part.ids is not None), None),
        n_samples=n_samples,
        join=_join(reading, n_samples),
        notes=tuple(note for note in notes if note.code not in DOUBTS),
        doubts=tuple(note for note in notes if note.code in DOUBTS),
        error=error,
        loaded=loaded,
        memory=len(tables) * NUMBER * (n_samples or 0) ** 2,
    )


def _join(reading: Reading, n_samples: int | None) -> str:
    """Say in words how the rows of several files belong together."""
    if len(reading.asked) < 2 or reading.merged is None:
        return ""
    count = [f"{counted(n_samples, 'sample')}."] if n_samples is not None else []
    return " ".join([*(map(str, reading.joined) if reading.joined else [UNNAMED]), *count])


def inspection_of(loaded: Loaded) -> Inspection:
    """Describe a loaded data set, such as a built-in sample, without columns and variables: there are no files."""
    data = loaded.data
    each = zip(data.view_names, data.Xs, data.preprocess, strict=True)
    return Inspection(
        files=(),
        views=tuple(_report_of(name, X, how, 0) for name, X, how in each),
        label=None if data.labels is None else "labels",
        n_samples=data.n_samples,
        notes=loaded.notes,
        loaded=loaded,
        memory=data.n_views * NUMBER * data.n_samples**2,
    )


def _held(reading: Reading) -> list[tuple[FileRequest, Parts | None]]:
    """Return each file with its content; files that reading did not come to are read by themselves."""
    held: list[tuple[FileRequest, Parts | None]] = []
    for place, request in enumerate(reading.asked):
        part = reading.parts[place] if place < len(reading.parts) else None
        if part is None and place < len(reading.contents):
            part = _interpreted(reading.contents[place], request)
        held.append((request, part))
    seen = {path for request in reading.asked for path in (request.path, request.path.parent)}  # a sheet's is its book
    for path in reading.files if not reading.merged else ():
        if path not in seen:
            request, part = FileRequest(path, reading.options, memory=reading.task.memory), None
            with suppress(MVExplorerError):
                part = _interpreted(read_one_file(request), request)
            held.append((request, part))
    return held


def _interpreted(content: Content, asked: FileRequest) -> Parts | None:
    """Read a file as far as it can be interpreted: columns with text among their numbers are set aside."""
    mixed: dict[str, MixedColumnError] = {}
    part: Parts | None = None
    tries = 3
    while part is None and tries:
        tries -= 1
        roles: dict[str, Role] = {**dict(asked.options.roles), **dict.fromkeys(mixed, "colour")}
        again = replace(asked, options=replace(asked.options, roles=roles), found=[])
        try:
            part = as_parts(content, again)
        except MixedColumnError as error:
            mixed.update(dict.fromkeys(error.columns, error))
        except MVExplorerError:
            break
    if isinstance(content, Grid):
        asked.found[:] = again.found
    for name, refusal in mixed.items():
        if part is not None:
            alone = f"Column “{name}” holds text where numbers belong."
            part.note(refusal.message if len(refusal.columns) == 1 else alone, MIXED, (name,))
    return part


def _tables(reading: Reading) -> dict[str, Values]:
    """Return the views as they would be opened, or those of the files one by one."""
    if reading.merged is not None:
        return reading.merged.views
    parts = reading.parts
    return {
        name if len(parts) == 1 else f"{part.path.stem}.{name}": X for part in parts for name, X in part.views.items()
    }


def _reports(tables: Mapping[str, Values], reading: Reading, loaded: Loaded | None) -> tuple[ViewReport, ...]:
    """Describe each view; of large ones this takes as long as reading them."""
    reports: list[ViewReport] = []
    read = 0.5  # of the work is done once the files are read
    for name, X in tables.items():
        reading.task.checkpoint()
        reports.append(_report(name, X, reading, loaded))
        reading.task.progress(read + (1.0 - read) * len(reports) / len(tables))
    return tuple(reports)


def _report(name: str, X: Values, reading: Reading, loaded: Loaded | None) -> ViewReport:
    place = loaded.data.view_names.index(name) if loaded is not None and name in loaded.data.view_names else None
    how = "none" if loaded is None or place is None else str(loaded.data.preprocess[place])
    gaps = reading.n_missing.get(name, count_missing(X))
    return _report_of(name, X, how, gaps)


def _report_of(name: str, X: Values, how: str, gaps: int) -> ViewReport:
    from mvexplorer.io.reading.quality import repeated

    whole = X
    if not is_map(X):
        holes = missing(X).any(axis=1)
        whole = np.asarray(X[~holes] if holes.any() else X, dtype=np.float64)
    constant = int(np.equal(*extremes(whole)).sum()) if len(whole) else 0
    scale, prepared = _scales(whole, how)
    return ViewReport(name, X.shape, str(X.dtype), how, scale, constant, repeated(whole), gaps, int(X.nbytes), prepared)


def _scales(X: Values, how: str) -> tuple[float, float]:
    """Return the median squared distance of some samples, before and after a preprocessing."""
    from mvexplorer.engine.core.preprocessing import preprocess_view
    from mvexplorer.io.reading.quality import scale_of, spread_rows

    some = np.ascontiguousarray(X[spread_rows(len(X))], dtype=np.float64)
    before = scale_of(some)
    if how == "none" or len(some) < 2:
        return before, before
    # Of a map larger than the memory, only these samples are looked at.
    return before, scale_of(preprocess_view(some, how, some if is_map(X) else X))


# Items ------------------------------------------------------------------------------------------------------------


def _items(asked: FileRequest, part: Parts | None, reading: Reading) -> list[Item]:
    place = next((i for i, each in enumerate(reading.asked) if each is asked), None)
    table = part is not None and bool(part.features)
    if place is not None and place < len(reading.contents):
        table = isinstance(reading.contents[place], Grid)
    features = {} if part is None else _features(part)
    items = [_item(asked, name, read(), part, features.get(name), reading, table=table) for name, read in asked.found]
    # Of a huge table, only a part may be shown.
    items = [
        replace(one, shape=getattr(read, "shape", one.shape)) for one, (_, read) in zip(items, asked.found, strict=True)
    ]
    names = dict(reading.options.names)
    for i, item in enumerate(items):
        view = item.view
        if view is not None and part is not None and item.name in features:
            view = reading.goes.get((view, features[item.name][1]), view)
        elif ("", item.name) in reading.goes:
            view = reading.goes["", item.name]
        if view is not None:
            items[i] = replace(item, role="view", view=", ".join(names.get(one, one) for one in view.split(", ")))
    drawn = _drawn(part) if part is not None and reading.merged is not None else set()
    return [replace(item, role="coordinates", view=None) if item.name in drawn else item for item in items]


def _drawn(part: Parts) -> set[str]:
    """Return the columns and variables of given coordinates: those of views that are no longer among all views."""
    sources, gone = part.variables.sources, [own for own in part.views if own not in part.joined.called]
    moved = [part.features.get(own) or (sources.get(own, own),) for own in gone]
    return {name for names in moved for name in names} | set(part.coordinates)


def _features(part: Parts) -> dict[str, tuple[str, int]]:
    """Map a column's name in its file to its view and its place there."""
    places: dict[str, tuple[str, int]] = {}
    for view, names in part.features.items():
        for place, name in enumerate(names):
            places.setdefault(name, (view, place))
            places.setdefault(f"{view}:{name}", (view, place))
    return places


def _item(
    asked: FileRequest,
    name: str,
    raw: Values,
    held: Parts | None,
    feature: tuple[str, int] | None,
    reading: Reading,
    *,
    table: bool,
) -> Item:
    role, view, values = _taken(name, raw, held, feature, table=table)
    about = [note for note in (*(held.notes if held else ()), *reading.joined) if name in note.subjects]
    chosen = asked.role(name)
    low, high = _extremes(raw)
    dates = _dates(raw, reading.options.dates)
    order = dates.order if dates is not None and dates.unsure else None
    read = "" if order is None else f" They are read {order.replace('-', ' ')}."
    return Item(
        file=str(asked.path),
        name=name,
        kind="text" if raw.dtype.kind in "SUO" else "column" if table else "array",
        shape=raw.shape,
        dtype="date" if dates is not None else "text" if raw.dtype.kind in "SUO" else str(raw.dtype),
        role=chosen or ("view" if any(note.code == MIXED for note in about) else role),
        view=view,
        preview=_preview(values),
        spark=_spark(values),
        n_missing=_n_missing(raw),
        why="as asked" if chosen is not None else f"{next(map(str, about), '')}{read}",
        low=low,
        high=high,
        span=_span(raw, dates),
        header=held is not None and held.ids_in_header and held.id_name == name,
    )


def _taken(
    name: str, raw: Values, part: Parts | None, feature: tuple[str, int] | None, *, table: bool
) -> tuple[Role, str | None, Values]:
    """Return the role of a column or variable, the view it belongs to, and its values in the order of the samples."""
    if part is None:
        return ("colour" if raw.dtype.kind in "SUO" else "view"), None, raw
    name = part.variables.halves.get(name, name)
    if part.labels is not None and part.label_name == name:
        return "label", None, part.labels
    if part.ids is not None and part.id_name == name:
        return "id", None, part.ids
    if name in part.columns:
        return "colour", None, part.columns[name]
    if feature is not None and feature[0] in part.views:  # coordinates are no view any more
        view, place = feature
        return "view", part.joined.called.get(view, view), part.views[view][:, place]
    views = [view for view in part.views if part.variables.sources.get(view, view) == name]
    if views and not table:
        return "view", ", ".join(part.joined.called.get(view, view) for view in views), part.views[views[0]]
    return "ignore", None, raw


def _dates(values: Values, order: DayMonth | None) -> Dates | None:
    """A column as dates; None where it holds anything else, which its first values tell of most columns."""
    few = 50
    if values.dtype.kind not in "SUO" or values.ndim != 1 or read_dates(present_texts(values[:few]), order) is None:
        return None
    return read_dates(present_texts(values), order)


def _preview(values: Values) -> tuple[str, ...]:
    """Return the first values; of a table those of its first column."""
    shown = 8
    first = values[:shown] if values.ndim else values
    first = first.reshape(len(first), -1)[:, :1] if first.ndim > 1 and first.size else first
    return tuple(_text(value) for value in first.ravel()[:shown].tolist())


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:80]


def _spark(values: Values) -> tuple[float, ...]:
    """Return some of the values, evenly spaced; of a table its first sample."""
    if values.dtype.kind not in "biuf" or not values.size:
        return ()
    drawn = 64
    line = (values if values.ndim < 2 else values[0]).ravel()
    some = line[np.unique(np.linspace(0, len(line) - 1, min(drawn, len(line))).astype(np.intp))].astype(np.float64)
    return tuple(some[np.isfinite(some)].tolist())


def _short(value: float) -> str:
    """A number with three digits; whole ones as they are."""
    most = 1e5
    return f"{value:.0f}".replace("-", "−") if value % 1 == 0 and abs(value) < most else number(value)


def _extremes(values: Values) -> tuple[float, float]:
    """The least and the largest finite number; NaN for text, and for what stays in its file."""
    if values.dtype.kind not in "biuf" or not values.size or is_map(values):
        return nan, nan
    low, high = (float(end) for end in (values.min(), values.max()))
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (nan, nan)


def _span(values: Values, dates: Dates | None) -> str:
    """The first and the last date, or how many texts differ; nothing for numbers, which have a range."""
    if dates is not None:
        days = dates.moments[~np.isnat(dates.moments)].astype("datetime64[D]")
        return str(days.min()) if days.min() == days.max() else f"{days.min()} … {days.max()}"
    if values.dtype.kind not in "SUO":
        return ""
    return counted(len({*map(str, values.ravel().tolist())} - {"", UNLABELLED}), "value")


def _n_missing(values: Values) -> int:
    if values.dtype.kind in "SU":
        return int(np.isin(values, ["", UNLABELLED]).sum())
    return count_missing(values if values.ndim > 1 else np.atleast_2d(values))
