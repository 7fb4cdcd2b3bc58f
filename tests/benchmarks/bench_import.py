"""What `import mvexplorer` adds to the start of an interpreter, in turns with one that imports nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter

from comparison import Limit, sized

ROOT = Path(__file__).resolve().parents[2]
PAIRS = sized(25, 2)
UNIT = "ms of import"


def milliseconds(program: str) -> float:
    """How long an interpreter of its own takes for a program, from its start to its end."""
    start = perf_counter()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)
    return 1e3 * (perf_counter() - start)


def added() -> Mapping[str, float]:
    """The median of the pairs' differences, after a first start that compiles."""
    milliseconds("import mvexplorer")
    return {UNIT: median(milliseconds("import mvexplorer") - milliseconds("pass") for _ in range(PAIRS))}


def comparisons() -> Iterator[Limit]:
    yield Limit("import mvexplorer, beside an interpreter that imports nothing", {UNIT: 20.0}, added)
