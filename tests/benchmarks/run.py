"""Benchmarks: ours and a rival in turns, each in an interpreter of its own; medians and ratios.

    python tests/benchmarks/run.py [NAME ...] [--pairs N] [--threads N] [--rivals FOLDER] [--out FILE]
    python tests/benchmarks/run.py --against CHECKOUT [NAME ...] [--pairs N] [--threads N] [--out FILE]

Modules bench_*.py beside this one offer `comparisons()`, but for those that are commands of their own; NAME picks
those rows whose name contains it.
The rivals are installed on first use, into FOLDER. The table is printed row by row and, in full runs, kept in
RESULTS.md beside this file.

`--against` compares this checkout with another one instead, as `git worktree add --detach CHECKOUT COMMIT` makes it:
five rounds (or N) of our side of each row, here and there in turns. Each row holds if its times are at most 1.10 of
those there, and its pictures per second at least .85. Without NAME it runs the rows that stand for what users do.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BENCHMARKS = HERE.relative_to(ROOT)
sys.path[:0] = [str(HERE), str(ROOT)]

import against  # noqa: E402
from comparison import OWN, Comparison, Limit, Row  # noqa: E402
from environments import Environments  # noqa: E402
from report import HEADER, comparison_line, failure_line, heading, limit_line  # noqa: E402

PATIENCE = 900.0
"""Seconds for one side, preparations included."""


@dataclass
class Runner:
    """Runs rows of a checkout; keeps what is known of the libraries."""

    environments: Environments
    threads: int
    pairs: int | None
    root: Path = ROOT
    libraries: dict[str, str] = field(default_factory=dict)

    def line(self, module: str, index: int, row: Row) -> str:
        """The row of the table, or why there is none."""
        try:
            if isinstance(row, Limit):
                rounds = min(row.rounds, self.pairs or row.rounds)
                return limit_line(row, [self.side(module, index, "measure")["measured"] for _ in range(rounds)])
            self.environments.python(row.environment)
            rounds = min(row.pairs, self.pairs or row.pairs)
            pairs = [self._pair(module, index, row) for _ in range(rounds)]
            return comparison_line(row, pairs, wall=self.by_wall(row))
        except RuntimeError as problem:
            return failure_line(row, str(problem))

    def _pair(self, module: str, index: int, row: Comparison) -> tuple[dict[str, Any], dict[str, Any]]:
        ours = self.side(module, index, "ours", display=row.display)
        return ours, self.side(module, index, "rival", row.environment, display=row.display)

    def by_wall(self, row: Comparison) -> bool:
        """Threads that wait for work burn CPU time: with several, the clock on the wall is the fairer one."""
        return row.wall or self.threads > 1

    def side(self, module: str, index: int, side: str, where: str = OWN, *, display: bool = False) -> dict[str, Any]:
        """One measurement by `side.py`; RuntimeError where it fails."""
        arguments = [str(self.root / BENCHMARKS / "side.py"), module, str(index), side]
        # BLAS has all threads on a rival's side; ours shares out rows of matrices on threads of its own.
        blas = self.threads if side == "rival" else 1
        result: dict[str, Any] = self.answer(arguments, side, where, blas=blas, display=display)
        measured = result.get("measured") or round(result["wall"], 4)
        print(f"  {side}: {measured}  [{result['libraries']}]", file=sys.stderr)
        self.libraries.setdefault(where, result["libraries"])
        return result

    def answer(self, arguments: list[str], side: str, where: str = OWN, *, blas: int = 1, display: bool = False) -> Any:
        """Run Python in the checkout; it prints JSON in its last line. RuntimeError where it fails."""
        command = [str(self.environments.python(where)), *arguments]
        variables = {f"{name}_NUM_THREADS": str(blas) for name in ("OPENBLAS", "OMP", "MKL", "NUMEXPR", "NUMBA")}
        environment = {
            **os.environ, **variables, "MVEXPLORER_BENCHMARK_THREADS": str(self.threads), "PYTHONWARNINGS": "ignore",
            "PYTHONPATH": os.pathsep.join([str(self.root / BENCHMARKS), str(self.root)]),
        }  # fmt: skip
        if not display:
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        elif sys.platform == "linux":
            environment["QT_QPA_PLATFORM"] = "xcb"
            command = [*screen(), *command]
        try:
            # What a side starts by `python -c` looks into the working folder first: it must be of the same checkout.
            done = subprocess.run(
                command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{side}: not done after {PATIENCE:.0f} s") from None
        if done.returncode != 0:
            words = done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"]
            raise RuntimeError(f"{side}: {words[-1]}")
        return json.loads(done.stdout.strip().splitlines()[-1])


def screen() -> list[str]:
    """What a command that needs an X screen has to begin with."""
    if "DISPLAY" in os.environ:
        return []
    if (virtual := shutil.which("xvfb-run")) is None:
        raise RuntimeError("there is no display, and no xvfb-run to make one")
    return [virtual, "-a", "-s", "-screen 0 1280x1024x24"]


def all_rows() -> Iterator[tuple[str, int, Row]]:
    """Module, position in it, and row."""
    for path in sorted(HERE.glob("bench_*.py")):
        rows = getattr(import_module(path.stem), "comparisons", tuple)()
        for i, row in enumerate(rows):
            yield path.stem, i, row


def table(runner: Runner, names: list[str]) -> Iterator[str]:
    """The rows whose name contains one of `names`, or all."""
    yield HEADER
    for module, index, row in all_rows():
        if not names or any(word in row.name for word in names):
            yield runner.line(module, index, row)


def default_folder() -> Path:
    """Where the rivals are installed unless told otherwise."""
    from platformdirs import user_cache_path

    return user_cache_path("mvexplorer") / "rivals"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="only rows whose name contains one of these")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="another checkout, in place of the rivals")
    parser.add_argument("--pairs", type=int, help="at most so many rounds per row (default 10; 5 against a checkout)")
    parser.add_argument("--threads", type=int, default=1, help="threads on either side (default 1)")
    parser.add_argument("--rivals", type=Path, default=default_folder(), metavar="FOLDER", help="where rivals live")
    parser.add_argument("--out", type=Path, metavar="FILE", help="Markdown (default: RESULTS.md in full runs)")
    options = parser.parse_args()
    runner, lines = Runner(Environments(options.rivals.resolve()), options.threads, options.pairs), []
    if options.against is None:
        produced: Iterable[str] = table(runner, options.names)
    else:
        there = replace(runner, root=options.against.resolve())
        produced = against.lines(runner, there, (row for *_, row in all_rows()), options.names)
    try:
        for line in produced:
            lines.append(line)
            print(line, flush=True)
    except RuntimeError as problem:
        parser.exit(2, f"{problem}\n")
    out = options.out or (None if options.names or options.pairs or options.against else HERE / "RESULTS.md")
    text = heading(runner.libraries, options.threads) + "\n".join(lines) + "\n"
    if out is not None:
        out.write_text(text, "utf-8")
        print(f"\nwritten to {out}", file=sys.stderr)


if __name__ == "__main__":
    main()
