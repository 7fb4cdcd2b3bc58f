"""Read damaged files: python tests/fuzz/run.py [--cases N] [--cli N] [--seed S] [--reader NAME [--case K]].

A file is read cleanly when it is read, or refused by an error of ours with a sentence. Anything else is unclean:
another exception, a warning, the end of the process, a number of another file, too much memory or time. Cases run one
after another in a child, which is replaced only after it died; what its decoder takes is counted with it. With --cli
some go through the command line as well, which reads them, or ends with exit code 2 and one line. The seed, the reader
and the number of a case decide its file.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("MVEXPLORER_READ_LIMIT", "0.25")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from readers import ROOT, furnish, readers
from sentinel import was_read

from mvexplorer.private import HOME_VARIABLE

SECONDS = 10
"""Processor time of one case, in the child and in its decoder."""
WAIT = 300
"""Seconds without an answer after which a child hangs, for example in reading a pipe."""
MEMORY = 10**9
"""Bytes that a child and its decoder may hold in one case, beside what the child holds before."""
ADDRESSES = 3 * MEMORY
"""Bytes of addresses that a child gets beside what it starts with, so that a bomb ends it and not the machine."""


@dataclass(frozen=True)
class Outcome:
    """What became of a case: ``read``, ``refused`` or ``unclean``."""

    case: int
    result: str
    detail: str = ""


class Fuzz:
    """The cases of one reader."""

    def __init__(self, reader: str, seed: int, folder: Path) -> None:
        self.reader = reader
        self.seed = seed
        self.folder = folder
        self.kind = readers(folder)[reader]
        self.path = folder / self.kind.name

    def outcomes(self, cases: range) -> Iterator[Outcome]:
        """Run the cases in a child, and in another one after each that ended it."""
        at = cases.start
        while at < cases.stop:
            for outcome in self._in_child(range(at, cases.stop)):
                at = outcome.case + 1
                yield outcome

    def _in_child(self, cases: range) -> Iterator[Outcome]:
        import select

        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(here)
            self._work(cases, there)
        os.close(there)
        at, hangs = cases.start, False
        with os.fdopen(here, "rb", buffering=0) as answers:
            rest = b""
            while not hangs:
                hangs = not select.select([answers], [], [], WAIT)[0]
                block = b"" if hangs else answers.read(65536)
                if not block:
                    break
                *lines, rest = (rest + block).split(b"\n")
                for line in lines:
                    yield Outcome(*json.loads(line))
                    at += 1
        if hangs:
            os.kill(child, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if at < cases.stop:
            yield Outcome(at, "unclean", f"no answer in {WAIT} s" if hangs else _death(status))

    def _work(self, cases: range, answers: int) -> None:
        try:
            limit_memory()
            for case in cases:
                result = self.attempt(case)
                os.write(answers, json.dumps([case, *result]).encode() + b"\n")
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)

    def attempt(self, case: int) -> tuple[str, str]:
        """Make a file and read it."""
        from mvexplorer.errors import MVExplorerError

        self.write(case)
        # Ends the process, also where it runs in another language than ours.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        meter = Meter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.kind.read(self.path)
        except MVExplorerError as error:
            if excess := meter.excess():
                return "unclean", excess
            good = error.message.strip() and "\n" not in error.message
            return ("refused", error.message[:200]) if good else ("unclean", "an error without a sentence")
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return "unclean", f"{type(error).__name__}: {str(error)[:150]} ({Path(place.filename).name}:{place.lineno})"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        excess = meter.excess()
        return ("unclean", excess) if excess else ("read", "")

    def write(self, case: int) -> None:
        """Make the file of a case."""
        self.path.write_bytes(self.kind.make(Random(f"{self.seed} {self.reader} {case}")))

    def by_command(self, case: int) -> Outcome:
        """Have the program itself read the file of a case."""
        assert self.kind.command is not None
        self.write(case)
        words = [word.format(file=self.path, folder=self.folder) for word in self.kind.command]
        home = self.folder if self.reader == "settings" else self.folder / "home"
        variables = {**os.environ, HOME_VARIABLE: str(home), "PYTHONPATH": str(ROOT)}
        found = subprocess.run(
            [sys.executable, "-m", "mvexplorer", *words], env=variables, capture_output=True, text=True,
            encoding="utf-8", cwd=self.folder, check=False, timeout=WAIT,
        )  # fmt: skip
        lines = found.stderr.strip().splitlines()
        if was_read(found.stdout + found.stderr):
            return Outcome(case, "unclean", "another file was read")
        if found.returncode == 0 and "Traceback" not in found.stderr:
            return Outcome(case, "read")
        clean = found.returncode == 2 and len(lines) == 1
        return Outcome(case, "refused" if clean else "unclean", f"exit code {found.returncode}: {found.stderr[-300:]}")


class Meter:
    """What this process and its decoder take from now on: processor time, and memory at its highest."""

    def __init__(self) -> None:
        self._seconds, self._bytes = _seconds(), 0
        for process in ("self", *_children()):  # a decoder may hold what the file before took
            with suppress(OSError):
                Path(f"/proc/{process}/clear_refs").write_text("5")  # the highest so far is what there is now
                self._bytes += _peak(process)

    def excess(self) -> str:
        """What was too much, or nothing."""
        seconds, most = _seconds() - self._seconds, sum(map(_peak, ("self", *_children()))) - self._bytes
        if seconds > SECONDS:
            return f"{seconds:.1f} s"
        return f"{most / 1e9:.2f} GB" if self._bytes and most > MEMORY else ""


def _children() -> list[str]:
    return [n for place in Path("/proc/self/task").glob("*/children") for n in place.read_text().split()]


def _seconds() -> float:
    ticks = 0
    for child in _children():
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]))
    return sum(os.times()[:4]) + ticks / os.sysconf("SC_CLK_TCK")


def _peak(process: str) -> int:
    with suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
        return 1024 * int(found[1]) if found else 0
    return 0


def limit_memory() -> None:
    """Allow this process a fixed number of bytes more than it has."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        size = pages * resource.getpagesize() + ADDRESSES
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _death(status: int) -> str:
    if status == -signal.SIGPROF:
        return f"more than {SECONDS} s"
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def warm() -> None:
    """Import what reading needs once, for all children; none of it may start threads."""
    import h5py  # noqa: F401
    import polars  # noqa: F401
    import scipy.io.wavfile
    import scipy.sparse  # noqa: F401

    import mvexplorer.datasets.catalogue
    import mvexplorer.io.reading.waveforms
    import mvexplorer.state.session.session
    import mvexplorer.state.session.settings

    mvexplorer.datasets.catalogue.samples()


def run(cases: int, seed: int, names: list[str], folder: Path) -> int:
    """Run the cases of all readers, say what was found; the number of unclean ones."""
    shares = {name: readers(folder)[name].share for name in names}
    unclean: list[tuple[str, Outcome]] = []
    for name in names:
        count = -(-cases * shares[name] // sum(shares.values()))
        found: Counter[str] = Counter()
        for outcome in Fuzz(name, seed, folder).outcomes(range(count)):
            found[outcome.result] += 1
            if outcome.result == "unclean":
                unclean.append((name, outcome))
        numbers = ", ".join(f"{found[result]:,} {result}" for result in ("read", "refused", "unclean"))
        print(f"{name:9} {count:7,} cases: {numbers}", flush=True)
    return told(unclean, seed)


def run_commands(cases: int, seed: int, names: list[str], folder: Path) -> int:
    """Give as many files of each reader to the command line; the number of unclean ones."""
    unclean: list[tuple[str, Outcome]] = []
    known = [name for name in names if readers(folder)[name].command is not None]
    found: Counter[str] = Counter()
    for case in range(cases):
        name = known[case % len(known)]
        outcome = Fuzz(name, seed, folder).by_command(case)
        found[outcome.result] += 1
        if outcome.result == "unclean":
            unclean.append((name, outcome))
    numbers = ", ".join(f"{found[result]:,} {result}" for result in ("read", "refused", "unclean"))
    print(f"commands  {cases:7,} cases: {numbers}", flush=True)
    return told(unclean, seed)


def told(unclean: list[tuple[str, Outcome]], seed: int) -> int:
    """Say which were unclean, and how many."""
    for name, outcome in unclean:
        print(f"unclean: --reader {name} --seed {seed} --case {outcome.case}: {outcome.detail}")
    print(f"{len(unclean)} unclean")
    return len(unclean)


def run_one(fuzz: Fuzz, case: int) -> int:
    """Run one case, and keep its file."""
    [outcome] = fuzz.outcomes(range(case, case + 1))
    kept = Path(tempfile.gettempdir()) / f"{fuzz.reader}-{fuzz.seed}-{case}{fuzz.path.suffix}"
    if fuzz.path.exists():
        shutil.copy(fuzz.path, kept)
    print(f"{outcome.result}: {outcome.detail}\nThe file is kept as {kept}")
    return int(outcome.result == "unclean")


def main(given: list[str] | None = None) -> int:
    """The command."""
    names: list[str] = list(readers(Path()))
    parser = argparse.ArgumentParser(description="Read damaged files, and tell which were not read or refused cleanly.")
    parser.add_argument("--cases", type=int, default=10_000, help="number of files, over all readers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", choices=names, help="this reader alone")
    parser.add_argument("--case", type=int, help="this case of the reader alone; its file is kept")
    parser.add_argument("--cli", type=int, default=0, metavar="N", help="number of files for the command line")
    wanted: Any = parser.parse_args(given)
    if wanted.case is not None and wanted.reader is None:
        parser.error("--case needs --reader")
    if not hasattr(os, "fork"):
        print("The files are read in forked children, which this system has not.")
        return 0
    warm()
    with tempfile.TemporaryDirectory() as folder:
        furnish(Path(folder))
        if wanted.case is not None:
            return run_one(Fuzz(wanted.reader, wanted.seed, Path(folder)), wanted.case)
        chosen = [wanted.reader] if wanted.reader else names
        unclean = run(wanted.cases, wanted.seed, chosen, Path(folder)) if wanted.cases else 0
        return (
            int(unclean + run_commands(wanted.cli, wanted.seed, chosen, Path(folder)) > 0)
            if wanted.cli
            else int(unclean > 0)
        )


if __name__ == "__main__":
    sys.exit(main())
