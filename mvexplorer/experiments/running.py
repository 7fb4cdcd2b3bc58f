"""Runs experiments, and tells what they found."""

from __future__ import annotations

import hashlib
import inspect
import sys
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MVExplorerError
from mvexplorer.experiments.repetitions import Run
from mvexplorer.wording import finite_or_none

if TYPE_CHECKING:
    from pathlib import Path

    from mvexplorer.experiments.experiment import Bar, Experiment, Outcome


@dataclass(frozen=True)
class Finished:
    """An experiment, what its run found, and the seconds that it took."""

    experiment: Experiment
    outcome: Outcome
    seconds: float

    @property
    def as_json(self) -> dict[str, Any]:
        """The row of the list, with the verdict and every bar."""
        bars = [_told(bar) for bar in self.outcome.bars]
        main = {"value": bars[0]["value"], "bar": bars[0]["bar"], "seconds": self.seconds}
        why = {} if self.outcome.verdict == "reproduces" else {"why": self.experiment.why}
        return {**facts(self.experiment), "verdict": self.outcome.verdict, **main, **why, "bars": bars}


@dataclass(frozen=True)
class Failed:
    """An experiment without a result, and why in a sentence: its data set is missing, say."""

    experiment: Experiment
    problem: str

    @property
    def as_json(self) -> dict[str, Any]:
        """The row of the list, with the problem in place of a verdict."""
        return {**facts(self.experiment), "verdict": None, "problem": self.problem}


def _told(bar: Bar) -> dict[str, Any]:
    (value,) = finite_or_none([bar.value])
    return {"what": bar.what, "value": value, "bar": bar.asked, "holds": bar.holds, "null": bar.null}


def facts(experiment: Experiment) -> dict[str, Any]:
    """What the list of experiments says of one."""
    return {
        "id": experiment.id, "title": experiment.title, "paper": experiment.paper, "figure": experiment.figure,
        "quick_seconds": experiment.quick_seconds,
    }  # fmt: skip


def run(
    experiment: Experiment, *, full: bool = False, task: Task | None = None, folder: Path | None = None
) -> Finished:
    """Run one experiment.

    Parameters
    ----------
    experiment : Experiment
        Which one.
    full : bool
        The paper's sizes and repetitions.
    task : Task, optional
        Stops it, and hears how far it is.
    folder : Path, optional
        Where a run in full keeps its finished repetitions.

    Returns
    -------
    Finished
        With its verdict.
    """
    began = monotonic()
    notes = folder / f"{experiment.id}-{_recipe(experiment)}.json" if folder is not None and full else None
    outcome = experiment.measure(Run(full, task or Task(), notes))
    return Finished(experiment, outcome, monotonic() - began)


def attempt(
    experiment: Experiment, *, full: bool = False, task: Task | None = None, folder: Path | None = None
) -> Finished | Failed:
    """Run one of several experiments: where it cannot be run, the others go on."""
    try:
        return run(experiment, full=full, task=task, folder=folder)
    except MVExplorerError as error:
        return Failed(experiment, str(error))
    except MemoryError:
        return Failed(experiment, "The computation ran out of memory. Run it alone, or in its quick form.")


def _recipe(experiment: Experiment) -> str:
    """Tells apart the notes of an experiment whose file was changed since."""
    home = sys.modules[getattr(experiment.measure, "func", experiment.measure).__module__]
    return hashlib.sha256(inspect.getsource(home).encode()).hexdigest()[:8]
