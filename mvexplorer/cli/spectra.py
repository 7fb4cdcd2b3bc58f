"""The command that follows a method's eigenvalues over a range of ε or η."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from mvexplorer.cli.computing import computing_task, note_unused
from mvexplorer.cli.inputs import check_spectrum, method_and_settings, settings_of
from mvexplorer.cli.loading import load_named, say_notes
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import print_json, print_table, progress_line, tell
from mvexplorer.engine.api.spectrum import EPSILON_SCALE, SpectrumOver, spectrum
from mvexplorer.errors import ParameterError
from mvexplorer.figures import write_numbers
from mvexplorer.state.questions.spectrum_figure import spectrum_figure
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.wording import finite_or_none, number, one_line

SHOWN = 13
"""Rows of the table; files and JSON have all values."""


def spectrum_command(options: argparse.Namespace) -> None:
    """Print a method's eigenvalues over ε or η as a table or JSON; write them as numbers or as a figure."""
    if options.rule:
        raise ParameterError("--rule is not of --spectrum.", "Name the rule that chooses ε: --set epsilon=median.")
    if options.score is not None:
        raise ParameterError("--score is of --tune.", "Leave it out, or add --tune.")
    if options.out is not None:
        check_spectrum(options.out)
        if not options.out.lower().endswith(".csv"):
            qt_offscreen()  # refused before anything is computed
    if options.method is not None:
        settings_of(options.settings, options.method)  # refused before anything is read
    loaded = load_named(options)
    method, settings = method_and_settings(options, loaded)
    settings |= {"parameter": options.parameter or EPSILON_SCALE, "random_state": options.random_state}
    with progress_line() as bar:
        over = spectrum(loaded.data, method, task=computing_task(bar=bar), **settings)
    say_notes(loaded)
    note_unused(options.settings, method)
    _give(over, options)


def _give(over: SpectrumOver, options: argparse.Namespace) -> None:
    if options.out is not None:
        _write(over, options)
    if options.json:
        print_json(
            {
                "method": over.method,
                "parameter": over.parameter,
                "values": over.values.tolist(),
                "epsilon": [finite_or_none(row) for row in over.epsilon],
                "eigenvalues": [finite_or_none(row) for row in over.eigenvalues],
                "certified": over.certified.tolist(),
                **({} if over.chance is None else {"chance": finite_or_none(over.chance)}),
            }
        )
    else:
        print_table(_rows(over))


def _write(over: SpectrumOver, options: argparse.Namespace) -> None:
    figure, path = spectrum_figure(over), Path(options.out)
    if path.suffix.lower() == ".csv":
        write_numbers(figure, path, csv_safe=options.csv_safe)
    else:
        with interrupts_wait():
            from mvexplorer.ui.app import application
            from mvexplorer.ui.pages.figure_files import write_figure

            application("light", exported=True)
            record = {"method": over.method, "parameter": over.parameter, "settings": options.settings}
            write_figure(figure, path, record)
    tell(f"{one_line(options.out)}: {len(over.values)} values, {over.eigenvalues.shape[1]} eigenvalues\n")


def _rows(over: SpectrumOver) -> list[tuple[str, ...]]:
    """Some of the values, from end to end, with the first eigenvalues that are not trivial."""
    shown = slice(over.first, over.first + 4)
    names = [f"λ{k}" for k in range(over.eigenvalues.shape[1])]
    letter = "ε ×" if over.parameter == EPSILON_SCALE else "η"
    rows = [(letter, *(f"ε {one_line(view)}" for view in over.views), *names[shown], "largest gap", "certified")]
    after, sizes = over.gaps
    for i in np.unique(np.linspace(0, len(over.values) - 1, SHOWN).round().astype(int)):
        gap = f"{number(sizes[i])} after {names[after[i]]}" if sizes[i] > 0.0 else "–"
        values = [f"{value:.4f}".replace("-", "−") for value in over.eigenvalues[i, shown]]
        epsilon = [number(value, 4) for value in over.epsilon[i]]
        rows.append((number(over.values[i]), *epsilon, *values, gap, "yes" if over.certified[i] else "no"))
    return rows
