"""A run that nobody waits for any more ends within a repetition: one can take half a minute of computing."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.experiments.repetitions import Run
from mvexplorer.experiments.table import find_experiment

LONG = ("lindenbaum2015-fig22", "lindenbaum2015-fig23", "lindenbaum2015-table1")
"""Those of the longest repetitions."""


class Unwanted(Task):
    """A task that is cancelled once it has begun."""

    def checkpoint(self) -> None:
        super().checkpoint()
        self.cancel()


@pytest.mark.parametrize("id", LONG)
def test_no_repetition_is_computed_to_its_end(id: str, tmp_path: Path) -> None:
    notes = tmp_path / "finished.json"
    with pytest.raises(Cancelled):
        find_experiment(id).measure(Run(False, Unwanted(), notes))
    assert not notes.exists()
