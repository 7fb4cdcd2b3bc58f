"""The command that lists and runs the papers' figures and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.cli.output import CLEAR_LINE, print_json, print_table, progress_line, say, tell

if TYPE_CHECKING:
    import argparse

    from mvexplorer.experiments.running import Finished


def list_experiments(options: argparse.Namespace) -> None:
    """The experiments, as a table or JSON."""
    from mvexplorer.experiments.running import facts
    from mvexplorer.experiments.table import EXPERIMENTS

    if options.json:
        print_json([facts(experiment) for experiment in EXPERIMENTS])
    else:
        print_table([(e.id, e.figure, e.title) for e in EXPERIMENTS])


def run_experiments(options: argparse.Namespace) -> None:
    """Run experiments, all where none is named, and say which reproduce."""
    from mvexplorer.engine.core.task import Task
    from mvexplorer.experiments.running import run
    from mvexplorer.experiments.table import EXPERIMENTS, find_experiment

    chosen = [find_experiment(id) for id in dict.fromkeys(options.ids)] or list(EXPERIMENTS)
    found = []
    for experiment in chosen:
        bar = progress_line()
        one = run(experiment, full=options.full, task=Task(bar))
        if bar is not None:
            tell(CLEAR_LINE)
        found.append(one)
        if not options.json:
            _say(one)
    if options.json:
        print_json([one.as_json for one in found])


def _say(one: Finished) -> None:
    say(f"{one.experiment.id}: {one.outcome.verdict} ({one.seconds:.1f} s)")
    for bar in one.outcome.bars:
        say(f"  {'✓' if bar.holds else '✗'} {bar.what}: {bar.value:.3g} ({bar.asked})")
    if one.outcome.verdict != "reproduces":
        say(f"  {one.experiment.why}")
