"""The small pictures of kept work: each lies beside its file, and moves and goes with it."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.core.task import Task
from mvexplorer.io.writing.versions import make_way, write_bytes
from mvexplorer.private import OWN_FILE

_log = logging.getLogger(__name__)


class UnpaintedPicture(Protocol):
    """The look of work, taken from the window; any thread may paint it."""

    def png(self) -> bytes:
        """Paint it, and return the file's content."""


def picture_path(kept: Path) -> Path:
    """The picture of a kept file."""
    return kept.with_suffix(".png")


def remove_picture(kept: Path) -> None:
    """Delete the picture of a kept file, if it has one."""
    with suppress(OSError):
        picture_path(kept).unlink(missing_ok=True)


def move_picture(kept: Path, other: Path) -> None:
    """Let the picture follow a kept file that was renamed; the other's former picture goes in any case."""
    remove_picture(other)
    with suppress(OSError):
        make_way(picture_path(kept), picture_path(other))


@dataclass(frozen=True)
class KeepPictureJob(Job):
    """The picture of a kept file to be written; without one, a former picture goes, as it is of something else."""

    kept: Path
    picture: UnpaintedPicture | None

    def run(self, cache: StageCache, task: Task) -> None:
        """Paint and write it."""
        self.write()

    def write(self) -> None:
        """Do so at once. Where it cannot be, the work has no picture: the user is not bothered with that."""
        try:
            painted = b"" if self.picture is None else self.picture.png()
            if painted:
                write_bytes(picture_path(self.kept), painted, OWN_FILE)
                return
        except OSError:
            pass  # whether the work itself is kept is told
        except Exception:  # noqa: BLE001 - a picture is no reason to stop
            _log.warning("the work has no picture", exc_info=True)
        remove_picture(self.kept)
