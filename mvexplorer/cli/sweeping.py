"""The command that scores methods over a grid of parameters."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mvexplorer.cli.clusters import check_cluster, workers_of
from mvexplorer.cli.inputs import check_scores, opening_epsilon, settings_of, unused_settings
from mvexplorer.cli.loading import load_named
from mvexplorer.cli.output import CLEAR_LINE, note, note_formulas, progress_line, say_notes, tell
from mvexplorer.cli.sweep_file import SweepFile
from mvexplorer.errors import ParameterError
from mvexplorer.wording import counted, one_line

if TYPE_CHECKING:
    from mvexplorer.compute.batch.axes import Axis
    from mvexplorer.compute.remote.remote import Workers
    from mvexplorer.state.batches.grid_sweep import GridSweep

FORM = "Write it as name=from:to:count, or name=from:to:count:log."


def sweep_command(options: argparse.Namespace) -> None:
    """Score methods at every cell of a grid; write the table to a file."""
    check_scores(options.out)
    check_cluster(options)
    ids = list(dict.fromkeys(options.method.split(",")))
    settings = {id: settings_of(options.settings, id) for id in ids}
    loaded = load_named(options)
    from mvexplorer.compute.batch.axes import axes
    from mvexplorer.engine.methods import get_method
    from mvexplorer.state.batches.grid_sweep import GridSweep

    by_name = axes([get_method(id) for id in ids], loaded.data.view_names)
    grid = _grid_of(options.grid, by_name)
    usual = {"epsilon": opening_epsilon(loaded)}
    scores = options.score.split(",") if options.score else None
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
    for text in (*sweep.notes, *sweep.problems()):
        note(text)
    if options.out.lower().endswith(".csv"):
        note_formulas(options, [*loaded.data.view_names, *sweep.columns])
    tell(f"{one_line(options.out)}: {counted(len(sweep), 'row')}, {counted(len(sweep.columns), 'column')}\n")


def _carry_out(sweep: GridSweep, options: argparse.Namespace) -> None:
    """Compute what is not there yet, after telling the time that it takes."""
    kept, bar = SweepFile(options.out, sweep, csv_safe=options.csv_safe), progress_line()
    if there := kept.begin():
        note(f"{one_line(options.out)} has {counted(there, 'row')} already: the sweep goes on from there.")
    workers = workers_of(options)
    try:
        _tell_time(sweep, workers)
        sweep.run(workers, report=lambda done: _report(kept, bar, done), say=note)
        kept.finish()
    except KeyboardInterrupt:
        if len(sweep):
            kept.write()
            rows = counted(len(sweep), "row")
            note(f"The {rows} so far were written to {one_line(options.out)}: the same command goes on from there.")
        raise
    finally:
        if bar is not None:
            tell(CLEAR_LINE)
        workers.close()


def _report(kept: SweepFile, bar: Callable[[float], None] | None, done: float) -> None:
    kept.keep()
    if bar is not None:
        bar(done)


def _tell_time(sweep: GridSweep, workers: Workers) -> None:
    """Say how long it takes, where that is long."""
    from mvexplorer.engine.api.cost import Estimate

    seconds = sweep.seconds(workers.threads)
    long, many = 60.0, 10_000
    if seconds > long or sweep.count > many:
        left = sweep.count - len(sweep)
        note(
            f"{left:,} cells: {Estimate(0.0, seconds).time} on {workers.title}. Ctrl+C keeps what there is, and the "
            "same command goes on from there."
        )


def _grid_of(given: Sequence[str], by_name: Mapping[str, Axis]) -> dict[str, tuple[float, ...]]:
    """The values of each ``name=from:to:count[:log]``."""
    from mvexplorer.compute.batch.axes import find_axis

    values: dict[str, tuple[float, ...]] = {}
    for text in given:
        name, equals, span = text.rpartition("=")
        if not equals:
            raise ParameterError(f"--grid {text} has no values.", FORM)
        if name in values:
            raise ParameterError(f"--grid {name} is given twice.", "Give each name once.")
        low, high, count, log = _span(text, span.split(":"))
        axis = find_axis(name, dict(by_name))
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
