"""The command that lists and runs the papers' figures and tables."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mvexplorer.cli.inputs import check_folder
from mvexplorer.cli.offscreen import qt_offscreen
from mvexplorer.cli.output import note, print_json, print_table, progress_line, say, tell
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError
from mvexplorer.experiments import table
from mvexplorer.experiments.experiment import MARKS, Experiment
from mvexplorer.experiments.results_folder import open_results
from mvexplorer.experiments.running import Failed, FinishedExperiment, attempt, facts
from mvexplorer.ui.runtime.interrupt import interrupts_wait
from mvexplorer.ui.runtime.platform_check import NO_QT, has_qt
from mvexplorer.wording import counted, one_line

if TYPE_CHECKING:
    from mvexplorer.ui.gallery_writer import GalleryWriter


def list_experiments(options: argparse.Namespace) -> None:
    """The experiments, as a table or JSON."""

    if options.json:
        print_json([facts(experiment) for experiment in table.EXPERIMENTS])
    else:
        print_table([(e.id, e.kind, e.figure, e.title) for e in table.EXPERIMENTS])


def run_experiments(options: argparse.Namespace) -> None:
    """Run experiments, all where none is named, and say which reproduce; with --out write pictures and a page."""

    chosen = [table.find_experiment(id) for id in dict.fromkeys(options.ids)] or list(table.EXPERIMENTS)
    gallery = _gallery(options, chosen) if options.out else None
    runs = []
    for place, experiment in enumerate(chosen, 1):
        one = _run(experiment, f"{place} of {len(chosen)}, {experiment.id}", options, gallery)
        runs.append(one)
        if gallery is not None:
            gallery.add(one)
        if not options.json:
            _say(one)
    if options.json:
        print_json([one.as_json for one in runs])
    if gallery is not None:
        tell(f"{one_line(str(gallery.folder.page))}\n")
    failed = [one for one in runs if isinstance(one, Failed)]
    if failed:
        raise ComputeError(f"{counted(len(failed), 'experiment')} of {len(runs)} gave no result: {failed[0].problem}")


def _gallery(options: argparse.Namespace, chosen: list[Experiment]) -> GalleryWriter:

    check_folder(options.out)
    folder = open_results(options.out)
    if has_qt():
        qt_offscreen()
    else:
        note(f"The pictures are left out. {NO_QT}")
    with interrupts_wait():
        from mvexplorer.ui.gallery_writer import GalleryWriter

        return GalleryWriter(folder, chosen, full=options.full)


def _run(
    experiment: Experiment, words: str, options: argparse.Namespace, gallery: GalleryWriter | None
) -> FinishedExperiment | Failed:

    with progress_line(words) as bar:
        if bar is not None:
            bar(0.0)
        notes = None if gallery is None else gallery.folder.notes
        return attempt(experiment, full=options.full, task=Task(bar), folder=notes)


def _say(one: FinishedExperiment | Failed) -> None:

    if isinstance(one, Failed):
        say(f"{one.experiment.id}: not computed. {one.problem}")
        return
    mark = MARKS[one.experiment.kind]
    say(f"{one.experiment.id}: {one.outcome.verdict} ({f'{mark}, ' if mark else ''}{one.seconds:.1f} s)")
    for bar in one.outcome.bars:
        say(f"  {'✓' if bar.holds else '✗'} {bar.what}: {bar.value:.3g} ({bar.asked})")
    if one.outcome.verdict != "reproduces":
        say(f"  {one.experiment.why}")
