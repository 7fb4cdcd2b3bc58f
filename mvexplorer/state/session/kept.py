"""Files for the work in progress: every window has its own, so that none overwrites another's work."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count, islice
from pathlib import Path

from mvexplorer.io.writing.versions import FileVersion, file_version, make_way, try_lock
from mvexplorer.private import make_own_folder
from mvexplorer.state.session.session import SUFFIX, session_summary
from mvexplorer.state.session.settings import last_session_path

KEPT = 8
"""How many files of earlier work are kept; the oldest is replaced."""


def kept_path(number: int) -> Path:
    """The file of the `number`-th window to open, from 1: ``last.mvx.json``, then ``last-2.mvx.json``."""
    first = last_session_path()
    return first if number == 1 else first.with_name(first.name.removesuffix(SUFFIX) + f"-{number}{SUFFIX}")


def kept_sessions(most: int) -> list[tuple[Path, str]]:
    """Work that can be continued, the latest first, each with a line about it."""
    summaries = ((path, session_summary(path)) for path in _latest_first())
    return list(islice(((path, summary) for path, summary in summaries if summary is not None), most))


def _latest_first() -> list[Path]:
    times = {}
    for number in range(1, KEPT + 1):
        with suppress(OSError):
            times[kept_path(number)] = kept_path(number).stat().st_mtime_ns
    return sorted(times, key=lambda path: -times[path])


class KeptFile:
    """The file one window keeps its work in; it belongs to this window until the window closes or its process ends."""

    def __init__(self) -> None:
        self._lock: int | None = None
        self._path: Path | None = None

    def path(self) -> Path:
        """Where to write. Work that an earlier window left there is renamed first; at most `KEPT` files remain."""
        if self._path is None:
            self._path = next(path for number in count(1) if self._take(path := kept_path(number)))
            _set_aside(self._path)
        return self._path

    def continue_with(self, path: Path, version: FileVersion | None) -> None:
        """Keep work in the opened file, unless an open window has locked it or its content has changed."""
        with suppress(OSError):
            if self._path is None and self._take(path):
                if file_version(path, version) == version:
                    self._path = path
                else:
                    self.release()

    def is_at(self, path: Path) -> bool:
        """Whether the work is kept there."""
        return self._path == path

    def beside(self) -> KeptFile:
        """A file for other work of the same window: a free one, or the oldest that no window has."""
        other = KeptFile()
        other._path = next((place for place in _places_beside(self.path()) if other._take(place)), None)
        return other

    def remove(self) -> None:
        """Delete the file: what it holds is kept elsewhere."""
        if self._path is not None:
            with suppress(OSError):
                os.unlink(self._path)
        self.release()

    def release(self) -> None:
        """Leave the file to other windows."""
        if self._lock is not None:
            os.close(self._lock)
        self._lock = self._path = None

    def _take(self, path: Path) -> bool:
        """Lock a file. If locking is impossible, this succeeds: writing will report the error."""
        try:
            make_own_folder(path.parent)
            self._lock = try_lock(_lock_of(path))
        except OSError:
            return True
        return self._lock is not None


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _set_aside(path: Path) -> None:
    """Rename the file that a closed window left at `path`, over the oldest if need be."""
    if not os.path.exists(path):
        return
    for target in _places_beside(path):
        with suppress(OSError):
            lock = try_lock(_lock_of(target))
            if lock is not None:
                try:
                    make_way(path, target)
                    return
                finally:
                    os.close(lock)


def _places_beside(path: Path) -> list[Path]:
    """List the files that work other than that at `path` may take: free ones first, then used ones from the oldest."""
    places = [kept_path(number) for number in range(1, KEPT + 1)]
    ordered = (*(p for p in places if not os.path.exists(p)), *reversed(_latest_first()))
    return [p for p in ordered if p != path]
