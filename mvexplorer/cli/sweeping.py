"""The command that scores methods over a grid of parameters."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from mvexplorer.cli.clusters import check_cluster, workers_of
from mvexplorer.cli.inputs import check_scores, opening_epsilon, settings_of, unused_settings
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.output import note, note_formulas, progress_line, tell
from mvexplorer.compute.batch.axes import Axis, axes, find_axis
from mvexplorer.compute.batch.sweep_table import Row, csv_text
from mvexplorer.compute.remote.remote import Workers
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import DataError, MVExplorerError, ParameterError
from mvexplorer.formulas import unescaped
from mvexplorer.io.base.guards import open_file
from mvexplorer.state.batches.grid_sweep import GridSweep, by_recipe
from mvexplorer.wording import counted, one_line
from mvexplorer.writing import writing

FORM = "Write it as name=from:to:count, or name=from:to:count:log."


def sweep_command(options: argparse.Namespace) -> None:
    """Score methods at every cell of a grid; write the table to a file."""
    check_scores(options.out)
    check_cluster(options)
    ids = list(dict.fromkeys(options.method.split(",")))
    settings = {id: settings_of(options.settings, id) for id in ids}
    loaded = load_named(options)

    by_name = axes([get_method(id) for id in ids], loaded.data.view_names, words=True)
    grid = _grid_of(options.grid, by_name)
    usual = {"epsilon": opening_epsilon(loaded, options.recipe)}
    scores = options.score.split(",") if options.score else None
    settings, kept_as_they_are = by_recipe(options.recipe, settings, loaded.data)
    sweep = GridSweep(
        loaded.data,
        {id: usual | given for id, given in settings.items()},
        grid,
        scores,
        options.resamples,
        options.random_state,
    )
    for name in {name for id in ids for name in unused_settings(options.settings, id)}:
        if all(name in unused_settings(options.settings, id) for id in ids):
            note(f"No method of this sweep has a parameter called {name}: it was not used.")
    _carry_out(sweep, options)
    say_notes(loaded)
    for text in (*kept_as_they_are, *sweep.notes, *sweep.problems()):
        note(text)
    if options.out.lower().endswith(".csv"):
        note_formulas(options, [*loaded.data.view_names, *sweep.columns])
    tell(f"{one_line(options.out)}: {counted(len(sweep), 'row')}, {counted(len(sweep.columns), 'column')}\n")


def _carry_out(sweep: GridSweep, options: argparse.Namespace) -> None:
    """Compute what is not there yet, after telling the time that it takes."""
    kept = SweepFile(options.out, sweep, csv_safe=options.csv_safe)
    if there := kept.begin():
        note(f"{one_line(options.out)} has {counted(there, 'row')} already: the sweep goes on from there.")
    workers = workers_of(options)
    try:
        _tell_time(sweep, workers)
        with progress_line() as bar:
            sweep.run(workers, report=lambda done: _report(kept, bar, done), say=note)
        kept.finish()
    except KeyboardInterrupt:
        if len(sweep):
            kept.write()
            rows = counted(len(sweep), "row")
            note(f"The {rows} so far were written to {one_line(options.out)}: the same command goes on from there.")
        raise
    finally:
        workers.close()


def _report(kept: SweepFile, bar: Callable[[float], None] | None, done: float) -> None:
    kept.keep()
    if bar is not None:
        bar(done)


def _tell_time(sweep: GridSweep, workers: Workers) -> None:
    """Say how long it takes, where that is long."""

    seconds = sweep.seconds(workers.threads)
    long, many = 60.0, 10_000
    if seconds > long or sweep.count > many:
        left = sweep.count - len(sweep)
        note(
            f"{left:,} cells: {Estimate(0.0, seconds).time} on {workers.title}. Ctrl+C keeps what there is, and the "
            "same command goes on from there."
        )


def _grid_of(given: Sequence[str], by_name: Mapping[str, Axis]) -> dict[str, tuple[Any, ...]]:
    """The values of each ``name=from:to:count[:log]``, or ``name=word,word``."""
    values: dict[str, tuple[Any, ...]] = {}
    for text in given:
        name, equals, span = text.rpartition("=")
        if not equals:
            raise ParameterError(f"--grid {text} has no values.", FORM)
        if name in values:
            raise ParameterError(f"--grid {name} is given twice.", "Give each name once.")
        if name in by_name and (parse := by_name[name].parse) is not None:
            values[name] = tuple(parse(word.strip()) for word in span.split(","))
            continue
        low, high, count, log = _span(text, span.split(":"))
        axis = find_axis(name, by_name)
        for end in (low, high):
            axis.check(end)
        if log and min(low, high) <= 0.0:
            raise ParameterError(
                f"--grid {text} has no logarithmic steps: {min(low, high):g} has no logarithm.",
                "Begin above 0, or leave out :log.",
            )
        values[name] = axis.between(low, high, count, log=log)
    return values


def _span(text: str, parts: list[str]) -> tuple[float, float, int, bool]:
    log = parts[-1] == "log"
    try:
        low, high, count = parts[:-1] if log else parts
        ends, number = (float(low), float(high)), int(count)
    except ValueError:
        raise ParameterError(f"--grid {text} cannot be read.", FORM) from None
    most = 1000  # more are a slip of the hand
    if not 1 <= number <= most:
        raise ParameterError(f"--grid {text} asks for {number} values.", f"Ask for 1 to {most}.")
    return *ends, number, log


EVERY = 2.0
"""Seconds between two writings at least,"""
SHARE = 0.05
"""of which all together take at most this share of the time."""


class SweepFile:
    """The table of one sweep on the disk, at `out`.

    With `csv_safe`, texts that spreadsheets take for formulas have an apostrophe before them in CSV.
    """

    def __init__(self, out: str, sweep: GridSweep, *, csv_safe: bool = False) -> None:
        self._out, self._made, self._csv_safe = Path(out), sweep, csv_safe
        self._about = Path(f"{out}.unfinished")
        self._next, self._begun = monotonic() + EVERY, False

    def begin(self) -> int:
        """Take up the rows of an unfinished table, and return their number; DataError where it is of another sweep."""
        if not self._out.exists():
            return 0
        if not self._about.exists():
            self._check_grid()
            return 0
        self._check_same()
        self._made.known(self._rows())
        return len(self._made)

    def keep(self) -> None:
        """Write the rows so far, unless that was done a moment ago."""
        begun = monotonic()
        if begun >= self._next and len(self._made):
            self.write()
            took = monotonic() - begun
            self._next = monotonic() + max(EVERY, took / SHARE)

    def write(self) -> None:
        """Write the rows so far, and the file that names their sweep."""
        if not self._begun:
            with writing(self._about) as file:
                file.write(json.dumps(self._made.about()).encode())
        self._begun = True
        self._write_table()

    def finish(self) -> None:
        """Write all rows, and remove the file that marks the table as unfinished."""
        self._write_table()
        self._about.unlink(missing_ok=True)

    def _write_table(self) -> None:
        """Write it as CSV or Parquet."""

        whole = io.BytesIO()
        if self._parquet:
            self._made.frame().write_parquet(whole)
        else:
            whole.write(csv_text(self._made.columns, self._made.rows(), csv_safe=self._csv_safe).encode())
        with writing(self._out) as file:
            file.write(whole.getbuffer())

    @property
    def _parquet(self) -> bool:
        return self._out.suffix.lower() == ".parquet"

    def _check_same(self) -> None:
        """Refuse an unfinished table of other data, settings, grid or scores."""

        largest = 1 << 24
        with open_file(self._about) as file:
            text = file.read(largest)
        try:
            there = json.loads(text)
            other = [name for name, about in self._made.about().items() if there.get(name) != about]
        except (ValueError, AttributeError, RecursionError):
            other = ["grid"]
        if other:
            which = "another grid" if other[0] == "grid" else f"other {other[0]}"
            raise DataError(
                f"“{self._out}” is the unfinished table of a sweep with {which}.",
                f"Finish it by its own command, choose another name, or delete it and “{self._about}”.",
            )

    def _check_grid(self) -> None:
        """Refuse to replace a table of another grid, or a file that is none."""
        try:
            self._made.fits(self._rows())
        except MVExplorerError as error:
            raise DataError(
                f"“{self._out}” belongs to something else: {error.message[:1].lower()}{error.message[1:]}",
                "Choose another name, or delete it.",
            ) from None

    def _rows(self) -> list[Row]:
        """The rows of the table; DataError where its columns are not those of the sweep."""
        read = _rows_of_parquet if self._parquet else _rows_of_csv
        try:
            columns, *rows = read(self._out)
            if self._csv_safe and not self._parquet:
                columns, *rows = ([unescaped(value) for value in row] for row in (columns, *rows))
            rows = [
                tuple(_typed(name, value, self._made.axes.get(name)) for name, value in zip(columns, row, strict=True))
                for row in rows
            ]
        except (OSError, ValueError) as problem:
            raise DataError("It cannot be read as a table of a sweep.") from problem
        if tuple(columns) != self._made.columns:
            raise DataError(f"Its columns are {', '.join(columns)}.")
        return rows


def _rows_of_csv(path: Path) -> Iterator[Any]:

    with open_file(path) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
        try:
            yield from csv.reader(text)
        except csv.Error as problem:
            raise ValueError from problem


def _rows_of_parquet(path: Path) -> Iterator[Any]:
    import polars as pl

    try:
        with open_file(path) as file:  # as polars knows paths of text only, and takes signs in them for patterns
            frame = pl.read_parquet(file)
    except pl.exceptions.PolarsError as problem:
        raise ValueError from problem
    yield frame.columns
    yield from frame.rows()


def _typed(name: str, value: Any, axis: Axis | None) -> Any:
    """A value of a column as the sweep has it: text, several numbers, or one."""
    if axis is not None and axis.parse is not None:
        return axis.parse(value)
    if name in ("method", "views"):
        return value
    if name == "epsilon":
        each = value.split(",") if isinstance(value, str) else value
        return tuple(float(one) for one in each if one != "")
    if name == "resample":
        return int(value)
    return None if value in ("", None) else float(value)
