"""Reading files as a job: it reports how far it is, and ends when nobody waits any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from mvexplorer.compute.jobs.jobs import InspectJob, LoadJob
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.tables import plain


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setattr(plain, "FROM", 0)
    monkeypatch.setattr(plain, "BLOCK", 4000)
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text("".join(f"{i},{i * i / 7}\n" for i in range(2000)))
    return tuple(str(tmp_path / f"{name}.csv") for name in "ab")


@pytest.mark.parametrize("job", [LoadJob, InspectJob])
def test_progress_grows_from_block_to_block(files: tuple[str, ...], job: type[LoadJob | InspectJob]) -> None:
    told: list[float] = []
    job(files, ReadOptions(join="position")).run(StageCache(), Task(told.append))
    assert len(told) > 8
    assert told == sorted(told)
    assert told[0] == 0.0


def test_a_reader_stops_within_a_block(files: tuple[str, ...]) -> None:
    told: list[float] = []

    def stop(part: float) -> None:
        told.append(part)
        if len(told) == 3:
            task.cancel()

    task = Task(stop)
    with pytest.raises(Cancelled):
        LoadJob(files, ReadOptions()).run(StageCache(), task)
    assert len(told) == 3
