"""A command's output: tables and JSON on stdout, notes and progress on stderr. No other module of `cli` prints.

If results cannot be printed, that is an error, since the user asked for them. Notes that cannot be printed are lost.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from mvexplorer.errors import ChangedDataError, MissingValuesError, MVExplorerError, RowsError, SessionDataError
from mvexplorer.formulas import escaped, some_formula
from mvexplorer.wording import one_line, readable


class OutputError(MVExplorerError):
    """Standard output cannot be written to."""


class ReaderGone(Exception):
    """The program that read standard output has closed it."""


def prepare_streams() -> None:
    """Make every symbol writable in any encoding, and keep files opened later from taking a closed stream's place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            # This opens the lowest free descriptor, which is the closed one; children inherit it like a stream.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if hasattr(sys.stdout, "reconfigure"):
        # Where the encoding lacks a symbol, its code is written instead, as Python does on stderr.
        sys.stdout.reconfigure(errors="backslashreplace")


def say(text: str) -> None:
    """A line on stdout."""
    with _output() as stdout:
        stdout.write(readable(text) + "\n")


def print_json(value: Any) -> None:
    """JSON on stdout; in plain ASCII if the terminal has no more."""
    with _output() as stdout:
        symbols_fit = (stdout.encoding or "").lower().startswith("utf")
        stdout.write(json_text(value, symbols_fit=symbols_fit))


def json_text(value: Any, *, symbols_fit: bool = True) -> str:
    """JSON as it is printed and written; in plain ASCII where symbols do not fit."""
    return json.dumps(value, ensure_ascii=not symbols_fit, indent=1) + "\n"


def print_table(rows: Sequence[tuple[str, ...]]) -> None:
    """Rows of cells in columns, on stdout."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def print_csv(rows: Iterator[Sequence[Any]], *, csv_safe: bool) -> None:
    """Rows as CSV on stdout: the same bytes as in a file, except on a terminal, which has its own encoding."""
    import csv

    with _output() as stdout:
        if hasattr(stdout, "reconfigure") and not stdout.isatty():
            stdout.reconfigure(encoding="utf-8")
        plain = ([escaped(value) for value in row] for row in rows) if csv_safe else rows
        csv.writer(stdout, lineterminator="\n").writerows(plain)


def note_formulas(options: argparse.Namespace, texts: Iterable[object]) -> None:
    """Say that texts of a CSV file that was written are formulas for a spreadsheet, where some are."""
    if not options.csv_safe and some_formula(texts):
        note(
            "Some ids, labels or names in the CSV begin with = + - or @, which spreadsheets take for formulas. "
            "--csv-safe puts an apostrophe before them."
        )


def finish() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        with _output() as stdout:
            stdout.flush()


def note(text: str) -> None:
    """A sentence on stderr."""
    tell(f"mvexplorer: {one_line(text)}\n")


def tell(text: str) -> None:
    """A text on stderr, as it is; lost where stderr is closed or full."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _abandon(sys.stderr)


@contextmanager
def progress_line(words: str = "") -> Iterator[Callable[[float], None] | None]:
    """A function that shows how much is done, and of what, in one line on a terminal's stderr; none elsewhere.

    The line is cleared at the end.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    try:
        yield lambda fraction: tell(f"\r{100 * fraction:3.0f} %{f'  {words}' if words else ''}")
    finally:
        tell("\r\033[K")


@contextmanager
def _output() -> Iterator[TextIO]:
    """Standard output, whose errors are raised as errors of this program."""
    if sys.stdout is None:
        raise OutputError("Standard output is closed, so the result cannot be printed.", "Send it to a file or a pipe.")
    try:
        yield sys.stdout
    except BrokenPipeError:
        _abandon(sys.stdout)
        raise ReaderGone from None
    except OSError as error:
        _abandon(sys.stdout)
        # In the system's own words: what is full need not be a disk.
        why = (error.strerror or str(error)).lower()
        raise OutputError(f"Standard output cannot be written: {why}.", "Send it elsewhere.") from None


def _abandon(stream: TextIO) -> None:
    """Discard what is still buffered; otherwise Python reports an error at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def error_text(error: MVExplorerError) -> str:
    """An error's text, with the reading flags that resolve it, if any."""
    if isinstance(error, RowsError):
        return error.in_shell
    if isinstance(error, MissingValuesError):
        ways = "Drop these rows in all views with --drop-missing, or fill the numbers in with --missing median or knn."
        return f"{error.message} {ways}"
    if isinstance(error, ChangedDataError):
        return f"{error.message} Restore the data, or add --accept-changed-data."
    if isinstance(error, SessionDataError):
        return f"{error.message} Put it back, or say where it is: --data PATH, its folder or one of its files."
    return str(error)
