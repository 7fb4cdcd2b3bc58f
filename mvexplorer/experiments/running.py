"""Runs experiments, and tells what they found."""

from __future__ import annotations

import hashlib
import inspect
import sys
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from mvexplorer.engine.core.task import Task
from mvexplorer.experiments.repetitions import Run

if TYPE_CHECKING:
    from pathlib import Path

    from mvexplorer.experiments.experiment import Experiment, Outcome


@dataclass(frozen=True)
class Finished:
    """An experiment, what its run found, and the seconds that it took."""

    experiment: Experiment
    outcome: Outcome
    seconds: float

    @property
    def as_json(self) -> dict[str, Any]:
        """The row of the list, with the verdict and every bar."""
        main = self.outcome.bars[0]
        bars = [
            {"what": b.what, "value": b.value, "bar": b.asked, "holds": b.holds, "null": b.null}
            for b in self.outcome.bars
        ]
        told = {"verdict": self.outcome.verdict, "value": main.value, "bar": main.asked, "seconds": self.seconds}
        why = {} if self.outcome.verdict == "reproduces" else {"why": self.experiment.why}
        return {**facts(self.experiment), **told, **why, "bars": bars}


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


def _recipe(experiment: Experiment) -> str:
    """Tells apart the notes of an experiment whose file was changed since."""
    home = sys.modules[getattr(experiment.measure, "func", experiment.measure).__module__]
    return hashlib.sha256(inspect.getsource(home).encode()).hexdigest()[:8]
