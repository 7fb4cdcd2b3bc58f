"""Every side of every row of one module in its smallest form: smallest.py MODULE prints a line of JSON for each.

A rival whose package is not installed here is told as absent: only the table itself installs them.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from itertools import chain

os.environ["MVEXPLORER_BENCHMARK_SMALL"] = "1"

from comparison import Limit
from environments import REQUIREMENTS
from side import timed

OTHERS = {name.lower().removeprefix("py") for packages in REQUIREMENTS.values() for name in chain(*packages)}
"""The rivals' packages; PyOpenGL is imported as OpenGL."""


def sides(module: str) -> Iterator[dict[str, object]]:
    """The name of each row, its side, and what went wrong, if anything did."""
    for row in import_module(module).comparisons():
        for side in ("measure",) if isinstance(row, Limit) else ("ours", "rival"):
            about = {"row": row.name, "side": side, "absent": "", "problem": ""}
            try:
                dict(row.measure()) if side == "measure" else timed(getattr(row, side))
            except ModuleNotFoundError as problem:
                top = (problem.name or "").partition(".")[0].lower().removeprefix("py")
                about["absent" if side == "rival" and top in OTHERS else "problem"] = str(problem)
            except Exception:
                about["problem"] = traceback.format_exc()
            yield about


if __name__ == "__main__":
    for each in sides(sys.argv[1]):
        print("\n" + json.dumps(each), flush=True)
    os._exit(0)  # windows and pools are left as they are
