"""One run of an experiment: its size, its repetitions, and from where an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mvexplorer.engine.core.task import Task
from mvexplorer.writing import writing

Kept = float | list[float] | list[list[float]]
"""The answer of a repetition: numbers that JSON can keep."""


@dataclass
class Run:
    """One run of one experiment: `full` with the paper's sizes and repetitions, else in the quick form.

    The task stops the run, and hears how far it is. From `notes`, a file of finished repetitions, an interrupted run
    goes on. `first_seed` is that of the first random data set: from another one on a verdict should be the same.
    `sizes` holds what `choose` was given, by name: the sizes of the quick form and in full.
    """

    full: bool = False
    task: Task = field(default_factory=Task)
    notes: Path | None = None
    first_seed: int = 0
    sizes: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def choose(self, what: str, quick: Any, full: Any) -> Any:
        """The size or number of repetitions of this form; `what` names it."""
        self.sizes[what] = quick, full
        return full if self.full else quick

    def seeds(self, quick: int, full: int) -> range:
        """The seeds of so many random data sets."""
        number = self.choose("random data sets", quick, full)
        return range(self.first_seed, self.first_seed + number)

    def each(self, what: str, cells: Sequence[Any], compute: Callable[[Any], Kept]) -> list[Any]:
        """The numbers that `compute` gives for each cell, in order, or that an interrupted run has kept of it.

        `what` tells several such series of one experiment apart.
        """
        kept = self._read()
        answers = []
        for done, cell in enumerate(cells):
            self.task.checkpoint()
            name = f"{what}: {cell!r}"
            if name not in kept:
                kept[name] = compute(cell)
                self._write(kept)
            answers.append(kept[name])
            self.task.progress((done + 1) / len(cells))
        return answers

    def _read(self) -> dict[str, Any]:
        if self.notes is None or not self.notes.exists():
            return {}
        try:
            kept = json.loads(self.notes.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # unreadable: the run begins anew, and writes over it
        return kept if isinstance(kept, dict) else {}

    def _write(self, kept: dict[str, Any]) -> None:
        if self.notes is not None:
            with writing(self.notes) as file:
                file.write(json.dumps(kept).encode())
