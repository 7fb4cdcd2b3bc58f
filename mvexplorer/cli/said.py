"""What a command says: tables and JSON on stdout, notes and progress on stderr."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mvexplorer.wording import one_line

if TYPE_CHECKING:
    from mvexplorer.io.files import Loaded


_FLAGS = {"possible-label": "--labels", "possibly-turned": "--transpose"}
"""What answers a notice that asks something, with its subjects as the value."""


def print_json(value: Any) -> None:
    """JSON on stdout; in plain ASCII where the terminal knows no more."""
    symbols_fit = (sys.stdout.encoding or "").lower().startswith("utf")
    json.dump(value, sys.stdout, ensure_ascii=not symbols_fit, indent=1)
    print()


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Rows of cells in columns, on stdout."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def say_notes(loaded: Loaded) -> None:
    """What was assumed and what is odd; said when the work is done, so that an error stands alone."""
    if loaded.manifest is None:
        for notice in loaded.notes:
            flag = _FLAGS.get(notice.code)
            help = f" ({flag} {shlex.quote(','.join(notice.subjects))})" if flag else ""
            print(f"mvexplorer: {one_line(str(notice))}{help}", file=sys.stderr)


def note(text: str) -> None:
    """A sentence on stderr."""
    print(f"mvexplorer: {one_line(text)}", file=sys.stderr)


def progress_line() -> Callable[[float], None]:
    """A function that shows how much is done, in one line on stderr."""

    def show(fraction: float) -> None:
        print(f"\r{100 * fraction:3.0f} %", end="", file=sys.stderr, flush=True)

    return show
