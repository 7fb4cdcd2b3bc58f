"""Tries one-line mistakes that named tests must see: `python tests/quality/mutants.py [NAME ...]`.

Each is made in a copy of the package, and its tests are run there, two mutants at a time. One that passes them all
survives: a test is missing, or has lost its grip. A mutant counts as seen only if a test's own comparison fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

from mutants_table import MUTANTS
from mutation import Mutant, Verdict, copy_mutated, copy_sources, run_tests

AT_ONCE = 2


def tried(mutant: Mutant, base: Path, folder: Path) -> Verdict:
    """What becomes of a mutant of the copy `base`."""
    target = folder / mutant.name
    copy_mutated(base, target, mutant)
    verdict = run_tests(target, mutant.tests)
    print(".", end="", flush=True)
    return verdict


def table(rows: list[tuple[Mutant, Verdict]]) -> str:
    """Who saw which mutant, in how many seconds; survivors stand last."""
    width = max(len(mutant.name) for mutant, _ in rows)
    lines = []
    for mutant, verdict in sorted(rows, key=lambda row: not row[1].seen_by):
        told = ", ".join(verdict.seen_by) or f"SURVIVES {verdict.why}".strip()
        lines.append(f"{mutant.name:{width}}  {verdict.seconds:5.1f} s  {told}")
    return "\n".join(lines)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants to try, by default all")
    wanted = parser.parse_args().names
    unknown = sorted(set(wanted) - {mutant.name for mutant in MUTANTS})
    if unknown:
        parser.error(f"There is no mutant called {', '.join(unknown)}.")
    mutants = [mutant for mutant in MUTANTS if not wanted or mutant.name in wanted]
    start = perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "unchanged"
        copy_sources(base)
        unchanged = run_tests(base, tuple(name for mutant in mutants for name in mutant.tests), first_only=False)
        if unchanged.seen_by or unchanged.why:
            print("The tests fail without a mutant:", ", ".join(unchanged.seen_by), unchanged.why)
            return 1
        print(f"Unchanged, the tests pass in {unchanged.seconds:.0f} s; {len(mutants)} mutants follow: ", end="")
        with ThreadPoolExecutor(AT_ONCE) as pool:
            rows = list(zip(mutants, pool.map(lambda each: tried(each, base, Path(folder)), mutants), strict=True))
    survivors = sum(not verdict.seen_by for _, verdict in rows)
    print(f"\n{table(rows)}\n{survivors} of {len(rows)} survive; {perf_counter() - start:.0f} s.")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
