"""Files for the work in progress: every window has its own, so that none overwrites another's work."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING

from mvexplorer.io.writing.versions import FileVersion, file_version, make_way, try_lock
from mvexplorer.private import make_own_folder
from mvexplorer.state.session.kept_picture import move_picture, remove_picture
from mvexplorer.state.session.session_file import SUFFIX, SessionSummary, holds_own_work, session_summary
from mvexplorer.state.session.settings import last_session_path
from mvexplorer.wording import seconds_in_words

if TYPE_CHECKING:
    from filelock import BaseFileLock

KEPT = 8
"""How many files are kept of what was looked at only; the oldest is replaced. The user's own work is never replaced."""


def kept_path(number: int) -> Path:
    """The file of the `number`-th window to open, from 1: ``last.mvx.json``, then ``last-2.mvx.json``."""
    first = last_session_path()
    return first if number == 1 else first.with_name(first.name.removesuffix(SUFFIX) + f"-{number}{SUFFIX}")


@dataclass(frozen=True)
class KeptWork:
    """Work that can be continued."""

    path: Path
    about: SessionSummary
    age: str
    """How long ago it was kept, in words."""

    @property
    def line(self) -> str:
        """Its summary and its age."""
        return f"{self.about.line} · {self.age}"


def kept_work(most: int) -> list[KeptWork]:
    """Work that can be continued, the latest first."""
    summaries = ((path, when, session_summary(path)) for path, when in _times().items())
    works = (KeptWork(path, about, _ago(when)) for path, when, about in summaries if about is not None)
    return list(islice(works, most))


def delete_kept(path: Path) -> bool:
    """Delete earlier work for good, unless a window is open on it."""
    file = KeptFile()
    with suppress(OSError):
        if file._take(path):
            file._path = path
            file.remove()
    return not os.path.exists(path)


def _ago(when: float) -> str:
    seconds, minute = time.time() - when, 60.0
    return f"{seconds_in_words(seconds)} ago" if seconds > minute else "just now"


def _times() -> dict[Path, float]:
    """When each kept file was written, the latest first."""
    first, times = last_session_path(), {}
    number = re.compile(rf"{re.escape(first.name.removesuffix(SUFFIX))}(-[1-9]\d*)?{re.escape(SUFFIX)}")
    with suppress(OSError):
        for path in first.parent.iterdir():
            if number.fullmatch(path.name):
                with suppress(OSError):
                    times[path] = path.stat().st_mtime
    return dict(sorted(times.items(), key=lambda item: -item[1]))


class KeptFile:
    """The file one window keeps its work in; it belongs to this window until the window closes or its process ends."""

    def __init__(self) -> None:
        self._lock: BaseFileLock | None = None
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
        """Delete the file and its picture: what it holds is kept elsewhere."""
        if self._path is not None:
            with suppress(OSError):
                os.unlink(self._path)
            remove_picture(self._path)
        self.release()

    def release(self) -> None:
        """Leave the file to other windows."""
        if self._lock is not None:
            self._lock.release()
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
    """Rename the file that a closed window left at `path`, over the oldest that was looked at only if need be."""
    if not os.path.exists(path):
        return
    tries = 64
    for target in islice(_places_beside(path), tries):
        with suppress(OSError):
            lock = try_lock(_lock_of(target))
            if lock is not None:
                try:
                    make_way(path, target)
                    move_picture(path, target)
                    return
                finally:
                    lock.release()


def _places_beside(path: Path) -> Iterator[Path]:
    """The files that work other than that at `path` may take, without end: never one that holds the user's own."""
    others = [other for other in reversed(_times()) if other != path]
    most = KEPT - 1  # and the file at `path`
    if len(others) >= most:
        seen_only = [other for other in others if not holds_own_work(other)]
        yield from seen_only if len(seen_only) >= most else ()
    yield from (place for place in map(kept_path, count(1)) if place != path and not os.path.exists(place))
