"""A sweep as a file: its figure with everything it depends on, and its scores as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QWidget

from mvexplorer.compute.batch.sweep_table import Row, csv_text
from mvexplorer.errors import DataError
from mvexplorer.figures import Figure
from mvexplorer.state.batches.sweeper import Sweeper
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document.titles import parameter_line, state_title
from mvexplorer.ui.pages.tune.sweep_figure import sweep_figure
from mvexplorer.ui.pages.tune.sweep_words import axis_label
from mvexplorer.ui.widgets.saving import FileQuestion, save_as
from mvexplorer.writing import writing


def export_scores(parent: QWidget, bench: Workbench) -> None:
    """Ask for a file and write every score of the sweep there, with the ε of each view."""
    sweeper = bench.sweeper
    check_scores(sweeper)
    write = partial(_write_scores, sweeper.columns, sweeper.table(), csv_safe=bench.settings.numbers.csv_safe)
    question = FileQuestion("Export scores", "sweep.csv", "Tables (*.csv)")
    save_as(parent, bench.editor, question, write)


def _write_scores(columns: Sequence[str], rows: Sequence[Row], path: Path, *, csv_safe: bool) -> None:
    if path.suffix.lower() != ".csv":
        raise DataError(f"Scores cannot be written as “{path.suffix}”.", "End the file's name in .csv.")
    with writing(path) as file:
        file.write(csv_text(columns, rows, csv_safe=csv_safe).encode())


def figure_of_sweep(bench: Workbench, score: tuple[str, str]) -> Figure:
    """The curves of a score, which is given by name and id."""
    sweeper, data, state = bench.sweeper, bench.document.data, bench.document.state
    views = ", ".join(f"{v.name} ε {v.epsilon}" for v in state.views if v.enabled)
    words = f"{parameter_line(data, state.params)}   {views}" if data is not None else views
    if sweeper.done < sweeper.total:
        words = f"{'So far' if sweeper.running else 'Incomplete'}: {sweeper.done} of {sweeper.total} points   {words}"
    against = "the bandwidth" if sweeper.axis.of_epsilon else axis_label(sweeper.axis)
    title = f"{state_title(state)}: {score[0]} against {against}"
    return replace(sweep_figure(title, words, score, sweeper.curves, sweeper.axis), record=_record(bench, score[1]))


def check_scores(sweeper: Sweeper) -> None:
    """DataError where there is nothing to export yet."""
    if not sweeper.table():
        raise DataError("The sweep has no score to export.", "Sweep, and wait for the first one.")


def _record(bench: Workbench, score: str) -> dict[str, Any]:
    state, sweeper = bench.document.state, bench.sweeper
    return {
        "parameters": dict(state.params),
        "score": score,
        "axis": sweeper.axis.name,
        "views": [{"name": v.name, "epsilon": v.epsilon, "kernel": v.kernel} for v in state.views if v.enabled],
        "curves": {c.title: [[f, s] for f, s in c.values(score)] for c in sweeper.curves},
    }
