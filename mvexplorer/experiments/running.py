"""Runs experiments, and tells what they found."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from mvexplorer.engine.core.task import Task
from mvexplorer.errors import MVExplorerError
from mvexplorer.experiments.describing import sizes
from mvexplorer.experiments.experiment import Bar, Experiment, ExperimentResult
from mvexplorer.experiments.repetitions import Run
from mvexplorer.wording import finite_or_none


@dataclass(frozen=True)
class FinishedExperiment:
    """An experiment, the outcome of its run, the seconds that it took, and the sizes of its quick and its full form."""

    experiment: Experiment
    outcome: ExperimentResult
    seconds: float
    full: bool = False
    sizes: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def as_json(self) -> dict[str, Any]:
        """The row of the list, with the verdict and every bar."""
        bars = [_told(bar) for bar in self.outcome.bars]
        main = {"value": bars[0]["value"], "bar": bars[0]["bar"], "seconds": self.seconds}
        why = {} if self.outcome.verdict == "reproduces" else {"why": self.experiment.why}
        form = {"form": "full" if self.full else "quick", "sizes": dict(sizes(self.sizes, full=self.full))}
        return {**facts(self.experiment), "verdict": self.outcome.verdict, **main, **why, **form, "bars": bars}


@dataclass(frozen=True)
class Failed:
    """An experiment without a result, and the reason in a sentence: its data set is missing, say."""

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
    """The row of an experiment in the list."""
    return {
        "id": experiment.id,
        "title": experiment.title,
        "paper": experiment.paper,
        "figure": experiment.figure,
        "kind": experiment.kind,
        "quick_seconds": experiment.quick_seconds,
    }


def run_experiment(
    experiment: Experiment,
    *,
    full: bool = False,
    task: Task | None = None,
    folder: Path | None = None,
    first_seed: int = 0,
) -> FinishedExperiment:
    """Run one experiment, `full` with the paper's sizes and repetitions.

    A run in full keeps its finished repetitions in `folder`. `first_seed` is the seed of the first random data set. The
    task stops it, and hears how far it is.
    """
    began = monotonic()
    notes = folder / f"{experiment.id}-{_recipe(experiment)}.json" if folder is not None and full else None
    one = Run(full, task or Task(), notes, first_seed)
    outcome = experiment.measure(one)
    return FinishedExperiment(experiment, outcome, monotonic() - began, full, one.sizes)


def attempt(
    experiment: Experiment, *, full: bool = False, task: Task | None = None, folder: Path | None = None
) -> FinishedExperiment | Failed:
    """Run one of several experiments: where it cannot be run, the others go on."""
    try:
        return run_experiment(experiment, full=full, task=task, folder=folder)
    except MVExplorerError as error:
        return Failed(experiment, str(error))
    except MemoryError:
        return Failed(experiment, "The computation ran out of memory. Run it alone, or in its quick form.")


def _recipe(experiment: Experiment) -> str:
    """Tells apart the notes of an experiment whose file was changed since."""
    home = sys.modules[getattr(experiment.measure, "func", experiment.measure).__module__]
    return hashlib.sha256(inspect.getsource(home).encode()).hexdigest()[:8]
