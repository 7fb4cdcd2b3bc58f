"""Jobs that write a file for the user, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.task import Task


class FileJob(Job):
    """Writes a file, and perhaps others; the answer is their paths, or the only one."""

    path: Path
    """The file that the user named."""

    def beside(self) -> Sequence[Path]:
        """The files that are written or replaced without having been named."""
        return ()


@dataclass(frozen=True, eq=False)
class WriteJob(FileJob):
    """Writes its file by one call."""

    path: Path
    call: Callable[[], object]
    others: tuple[Path, ...] = ()

    def beside(self) -> Sequence[Path]:
        return self.others

    def run(self, cache: StageCache, task: Task) -> Path:
        """Write it."""
        self.call()
        return self.path
