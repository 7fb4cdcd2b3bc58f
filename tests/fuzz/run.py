"""Read thousands of damaged files: python tests/fuzz/run.py [--cases N] [--seed S] [--reader NAME] [--case K].

A file is read cleanly when it is read, or refused by an error of ours with a sentence. Anything else is unclean:
another exception, a warning, the end of the process, too much memory or time. Cases run one after another in a child,
which is replaced only after it died. The seed, the reader and the number of a case decide its file.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("MVEXPLORER_READ_LIMIT", "0.25")
os.environ.setdefault("POLARS_MAX_THREADS", "1")

from readers import furnish, readers

SECONDS = 20
"""Processor time of one case."""
WAIT = 300
"""Seconds without an answer after which a child hangs, for example in reading a pipe."""
MEMORY = 2 * 10**9
"""Bytes that a child may take beside what it starts with."""


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
        name, _, self.make, self.read = readers(folder)[reader]
        self.path = folder / name

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

        self.path.write_bytes(self.make(Random(f"{self.seed} {self.reader} {case}")))
        # Ends the process, also where it runs in another language than ours.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.read(self.path)
        except MVExplorerError as error:
            good = error.message.strip() and "\n" not in error.message
            return ("refused", error.message[:200]) if good else ("unclean", "an error without a sentence")
        except BaseException as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            return "unclean", f"{type(error).__name__}: {str(error)[:150]} ({Path(place.filename).name}:{place.lineno})"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return "read", ""


def limit_memory() -> None:
    """Allow this process a fixed number of bytes more than it has."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        size = pages * resource.getpagesize() + MEMORY
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
    import mvexplorer.io.waveforms
    import mvexplorer.state.session
    import mvexplorer.state.settings

    mvexplorer.datasets.catalogue.samples()


def run(cases: int, seed: int, names: list[str], folder: Path) -> int:
    """Run the cases of all readers, say what was found; the number of unclean ones."""
    shares = {name: readers(folder)[name][1] for name in names}
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
        return int(run(wanted.cases, wanted.seed, [wanted.reader] if wanted.reader else names, Path(folder)) > 0)


if __name__ == "__main__":
    sys.exit(main())
