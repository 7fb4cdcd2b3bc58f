"""Kill the real window again and again while it is edited: python tests/endtoend/kills.py [--kills N] [--seed S] [--x].

After every kill all session files must be whole, the next window must offer each edit that was older than two seconds,
and its first write must remove what the killed ones left unfinished, once that is an hour old; its age is set here.
Half of the kills come at a random moment, the others in the middle of a write.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import command
from xserver import poll, x_server

from mvexplorer.errors import SessionError
from mvexplorer.state.session.session_file import SUFFIX, parse_session

SCRATCH = ".mvx-"
"""How the names of files begin that are being written."""
WINDOW = Path(__file__).with_name("edited_window.py")
SAFE = 2.0
"""Seconds after which an edit must not be lost."""
LONGEST = 6.0
HOUR = 3600.0


@dataclass
class Found:
    """What must not be."""

    kills: int = 0
    edits: int = 0
    amid: int = 0
    """Kills that left an unfinished file."""
    torn: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        numbers = f"{len(self.torn)} torn, {len(self.lost)} lost, {len(self.left)} scratch files older than an hour"
        return f"{self.kills} kills, {self.amid} amid a write, of {self.edits:,} edits: {numbers}"


class Killer:
    """Windows with one home, of which each finds what the one before it left."""

    def __init__(self, folder: Path, choose: Random, **variables: str | None) -> None:
        self.found = Found()
        self._folder, self._choose, self._variables = folder, choose, variables
        self._home = folder / "home"
        self._told = set[str]()
        self._home.mkdir()
        settings = {"started_before": True, "animate": False}
        (self._home / "settings.json").write_text(json.dumps(settings), "utf-8")

    def run(self, kills: int) -> Found:
        """Kill so many windows, and see in another one what became of the last."""
        expected: dict[str, set[str]] = {}
        for number in range(kills + 1):
            log = self._folder / f"log-{number}.txt"
            old = self._age_unfinished()
            began = time.time()
            with self._window(log) as process:
                offered = poll("the window", lambda log=log, window=process: self._alive(window) and _lines(log))[0]
                self._compare(number - 1, expected, offered["offered"])
                if number == kills:
                    poll("a write", lambda since=began: self._wrote(since), 30.0)
                else:
                    self._wait(process)
                process.kill()
                ended = time.monotonic()
                process.wait()
            self._look(number, old if self._wrote(began) else [])
            edits = _lines(log)[1:]
            expected = _expected(edits, ended - SAFE)
            self.found.edits += len(edits)
        self.found.kills = kills
        return self.found

    @contextmanager
    def _window(self, log: Path) -> Iterator[subprocess.Popen[bytes]]:
        variables = command.environment(
            self._folder, MVEXPLORER_HOME=str(self._home), PYTHONWARNINGS=None, MVEXPLORER_WINDOW="offscreen",
            **self._variables,
        )  # fmt: skip
        words = [sys.executable, str(WINDOW), str(log), str(self._choose.randrange(2**31))]
        with (self._folder / "errors.txt").open("wb") as errors:
            process = subprocess.Popen(words, cwd=self._folder, env=variables, stderr=errors)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        """Until a random moment, or from then on until something is half written."""
        end = time.monotonic() + self._choose.uniform(0.0, LONGEST)
        while time.monotonic() < end:
            time.sleep(0.01)
        if self._choose.random() < 0.5:
            former = set(self._unfinished())
            last = time.monotonic() + LONGEST
            while time.monotonic() < last and not set(self._unfinished()) - former:
                time.sleep(0.0005)
        self._alive(process)

    def _alive(self, process: subprocess.Popen[bytes]) -> bool:
        assert process.poll() is None, (self._folder / "errors.txt").read_text("utf-8", "replace")
        return True

    def _unfinished(self) -> list[str]:
        return [name for name in os.listdir(self._home) if name.startswith(SCRATCH)]

    def _age_unfinished(self) -> list[Path]:
        """Make what was left unfinished older than an hour."""
        old = [self._home / name for name in self._unfinished()]
        for path in old:
            os.utime(path, (time.time() - 1.5 * HOUR,) * 2)
        return old

    def _wrote(self, since: float) -> bool:
        return any(path.stat().st_mtime > since for path in self._home.glob(f"*{SUFFIX}"))

    def _look(self, number: int, old: list[Path]) -> None:
        for path in old:
            if path.exists() and path.name not in self._told:
                self._told.add(path.name)
                self.found.left.append(f"kill {number}: {path.name} was left")
        self.found.amid += len(set(self._unfinished()) - {path.name for path in old}) > 0
        for path in self._home.glob(f"*{SUFFIX}"):
            try:
                parse_session(path.read_bytes(), path.name)
            except SessionError as error:
                self.found.torn.append(f"kill {number}: {error.message}")

    def _compare(self, number: int, expected: dict[str, set[str]], offered: list[Any]) -> None:
        for source, digests in expected.items():
            if not any(json.dumps(of) == source and digest in digests for of, digest in offered):
                self.found.lost.append(f"kill {number}: work on {source}")


def _lines(log: Path) -> list[dict[str, Any]]:
    """What a window has reported; the last line may be cut off."""
    try:
        whole = log.read_text("utf-8").rpartition("\n")[0]
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in whole.splitlines()]


def _expected(edits: list[dict[str, Any]], safe: float) -> dict[str, set[str]]:
    """Source -> the states of which one must be offered: that of its last safe edit, or of any after it."""
    expected: dict[str, set[str]] = {}
    for edit in edits:
        source = json.dumps(edit["source"])
        if edit["at"] <= safe:
            expected.pop(source, None)
        if edit["at"] <= safe and edit["dirty"]:
            expected[source] = {edit["digest"]}
        elif source in expected:
            expected[source].add(edit["digest"])
    return expected


def main(given: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Kill the edited window, and tell what was torn, lost or left.")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--x", action="store_true", help="on a real X server instead of Qt's offscreen platform")
    asked = parser.parse_args(given)
    with tempfile.TemporaryDirectory() as folder:
        if asked.x:
            with x_server() as display:
                there = {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "WAYLAND_DISPLAY": None}
                found = Killer(Path(folder), Random(asked.seed), **there).run(asked.kills)
        else:
            found = Killer(Path(folder), Random(asked.seed)).run(asked.kills)
    print("\n".join([*found.torn, *found.lost, *found.left, str(found)]))
    return int(bool(found.torn or found.lost or found.left))


if __name__ == "__main__":
    sys.exit(main())
