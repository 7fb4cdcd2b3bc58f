"""Commands that paint, offscreen: comparisons, screenshots, and sessions without a window."""

from __future__ import annotations

import argparse
from pathlib import Path

from mvexplorer.cli.inputs import (
    check_folder,
    check_picture,
)
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import note, note_formulas, print_table, tell
from mvexplorer.cli.reading import reading
from mvexplorer.errors import ParameterError
from mvexplorer.state.bench.headless import run_session
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.wording import one_line


def screenshot_command(options: argparse.Namespace) -> None:
    """The real window, rendered offscreen."""
    check_picture(options.out, (".png",))
    try:
        width, height = (int(v) for v in options.size.lower().split("x"))
    except ValueError:
        raise ParameterError(f"--size {options.size} cannot be read.", "Write it as 1440x900.") from None
    sides = range(200, 8193)  # Qt cannot address larger pictures
    if width not in sides or height not in sides:
        limits = f"{sides[0]} to {sides[-1]}"
        raise ParameterError(f"No window is {options.size} pixels large.", f"Give sides of {limits} pixels.")
    qt_offscreen()
    with interrupts_wait():
        from mvexplorer.ui.offscreen import screenshot

    screenshot(
        tuple(options.sources), options.out, (width, height), options.theme, options.tab, reading(options), options.data
    )


def run_command(options: argparse.Namespace) -> None:
    """Compute a session; with --export its numbers, pictures and web page are written."""
    if options.export:
        check_folder(options.export)
        qt_offscreen()
    panels = run_session(options.session, accept_changed=options.accept_changed_data, data=options.data, say=note)
    print_table([panels.head, *panels.rows])
    if options.export:
        with interrupts_wait():
            from mvexplorer.ui.offscreen import export_session
            from mvexplorer.ui.window.exports.exporter import Tables

            paths = export_session(panels, Path(options.export), Tables(f".{options.tables}", options.csv_safe))
        tell("".join(f"{one_line(str(path))}\n" for path in paths))
        if options.tables == "csv":
            labels = [] if panels.data.labels is None else panels.data.labels.tolist()
            note_formulas(options, [*panels.data.sample_ids, *labels, *panels.data.view_names])
        if panels.colour_problem:
            note(panels.colour_problem)
    if panels.failed:
        raise ParameterError(f"{panels.failed[0]}")
