"""Tries one-line mistakes that named tests must see: `python tests/quality/mutants.py [NAME ...]`.

Each is made in a copy of the package, and its tests are run there, two mutants at a time. One that passes them all
survives: a test is missing, or has lost its grip. A mutant counts as seen only if a test's own comparison fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import perf_counter

from mutants_table import MUTANTS
from mutation import Mutant, Verdict, copy_mutated, copy_sources, node_of, run_tests

AT_ONCE = 2


WIDTH = max(len(mutant.name) for mutant in MUTANTS)


def tried(mutant: Mutant, base: Path, folder: Path) -> tuple[Mutant, Verdict]:
    """What becomes of a mutant of the copy `base`."""
    target = folder / mutant.name
    copy_mutated(base, target, mutant)
    return mutant, run_tests(target, map(node_of, mutant.tests))


def row(mutant: Mutant, verdict: Verdict) -> str:
    """Who saw a mutant, in how many seconds."""
    told = ", ".join(verdict.seen_by) or f"SURVIVES {verdict.why}".strip()
    return f"{mutant.name:{WIDTH}}  {verdict.seconds:5.1f} s  {told}"


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
        nodes = (node_of(name) for mutant in mutants for name in mutant.tests)
        unchanged = run_tests(base, nodes, first_only=False)
        if unchanged.seen_by or unchanged.why:
            print("The tests fail without a mutant:", ", ".join(unchanged.seen_by), unchanged.why)
            return 1
        print(f"Unchanged, the tests pass in {unchanged.seconds:.0f} s.", flush=True)
        survivors = []
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for future in as_completed([pool.submit(tried, each, base, Path(folder)) for each in mutants]):
                mutant, verdict = future.result()
                if verdict.seen_by:
                    print(row(mutant, verdict), flush=True)
                else:
                    survivors.append(row(mutant, verdict))
    print(*survivors, f"{len(survivors)} of {len(mutants)} survive; {perf_counter() - start:.0f} s.", sep="\n")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
