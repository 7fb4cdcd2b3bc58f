"""Text tables before they are numbers: encoding, separator, and whether every line has the same fields."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from mvexplorer.errors import DataError
from mvexplorer.io.base.guards import MAX_COLUMNS, check_bytes, check_count, read_content
from mvexplorer.io.base.kinds import refuse_other_kind

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?(\d*|\d{1,3}([.'’]\d{3})*)(,\d+)?([eE][+-]?\d+)?\s?[%€$£¥]?")


@dataclass(frozen=True)
class Text:
    """The non-empty lines of a table; `numbers` are their 1-based line numbers in the file."""

    lines: tuple[str, ...]
    numbers: tuple[int, ...]
    separator: str
    notes: tuple[str, ...]

    def fields(self, row: int) -> list[str]:
        """Split a line, from 0, into its fields, without quotes and surrounding blanks."""
        return _split(self.lines[row], self.separator)


def read_text(path: Path) -> Text:
    """Read a text table; DataError where the content is binary, its lines are ragged, or there is none."""
    text, notes = _decode(path)
    lines = _join_quoted(path, re.split(r"\r\n|\n|\r", text))
    kept = [(number, line) for number, line in lines if line.strip()]
    if not kept:
        raise DataError(f"The file “{path.name}” is empty.", "Export it again, with one row per sample.")
    numbers, rows = (tuple(part) for part in zip(*kept, strict=True))
    look = 20  # lines that decide about the separator
    separator = find_separator(rows[:look])
    if separator == " ":
        rows = tuple("\t".join(line.split()) for line in rows)
        separator = "\t"
        notes.append("the fields were taken to be separated by blanks.")
    rows = _complete_header(tuple(_requote(line, separator) for line in rows), separator)
    _check_fields(path, rows, numbers, separator)
    return Text(rows, numbers, separator, tuple(notes))


def _decode(path: Path) -> tuple[str, list[str]]:
    raw = read_content(path)
    start = raw[:4096]
    refuse_other_kind(path, start)
    lines = raw.count(b"\n") + raw.count(b"\r")
    copies, beside = 3, 250  # the text, its lines, and the cells; bytes of a line beside its text
    check_bytes(path, copies * len(raw) + beside * lines)
    # A quoted field may be as long as the file; longer fields than csv's own limit are refused by raising.
    longest = 2**31 - 1  # the largest limit csv takes on all systems
    csv.field_size_limit(max(csv.field_size_limit(), min(len(raw) + 1, longest)))
    boms = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    encoding = next((name for bom, name in boms if raw.startswith(bom)), "utf-8")
    notes = []
    if b"\0" in start and encoding == "utf-8":
        encoding = _wide(start) or encoding
        notes += [f"the text was read as {encoding.upper()}, which nothing in the file says."] * (encoding != "utf-8")
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
        notes.append("the text is not UTF-8 and was read as Latin-1.")
    if "\x00" in text:
        hint = "Give a CSV or TSV file, or rename it by its kind."
        raise DataError(f"The file “{path.name}” is not a table of text.", hint)
    return text, notes


def _wide(start: bytes) -> str:
    """Recognise UTF-16 by where its zeros are, every other byte of Latin letters; nothing for other content."""
    zeros = [start[side::2].count(0) / max(1, len(start[side::2])) for side in (0, 1)]
    return "utf-16-be" if zeros[0] > 0.5 > zeros[1] else "utf-16-le" if zeros[1] > 0.5 > zeros[0] else ""


def _join_quoted(path: Path, lines: list[str]) -> list[tuple[int, str]]:
    """Number the lines from 1; join those that a quoted field spans."""
    joined: list[tuple[int, str]] = []
    open_since: int | None = None
    most = 100  # lines of one quoted field; a longer one was never closed
    for number, line in enumerate(lines, start=1):
        odd = line.count('"') % 2 == 1
        if open_since is None:
            joined.append((number, line))
            open_since = number if odd else None
        else:
            joined[-1] = (open_since, f"{joined[-1][1]} {line}")
            open_since = None if odd else open_since
            if open_since is not None and number - open_since > most:
                break
    if open_since is not None:
        raise DataError(
            f"A quotation mark on line {open_since} of “{path.name}” is not closed.",
            "Close it, or leave it out.",
        )
    return joined


def _split(line: str, separator: str) -> list[str]:
    if '"' not in line:
        return [part.strip() for part in line.split(separator)]
    return [part.strip() for part in next(csv.reader([line], delimiter=separator, skipinitialspace=True))]


def _requote(line: str, separator: str) -> str:
    """Keep quotes only where they are needed: parsers disagree about all others."""
    if '"' not in line:
        return line
    fields = _split(line, separator)
    plain = separator.join('"' + f.replace('"', '""') + '"' if {separator, '"'} & set(f) else f for f in fields)
    return plain if plain.strip() else '""'


def _count(line: str, separator: str) -> int:
    return line.count(separator) + 1 if '"' not in line else len(_split(line, separator))


def find_separator(lines: tuple[str, ...]) -> str:
    """Find the tab, semicolon or comma that splits all lines alike; a blank where numbers stand side by side."""
    if len(lines) > 1 and "," not in lines[0] and all(_DECIMAL_COMMA.fullmatch(line.strip('" ')) for line in lines[1:]):
        return ";"  # one column, whose commas are decimal points
    counts = {sep: [_count(line, sep) for line in lines] for sep in "\t;,"}
    for sep, fields in counts.items():
        if len(set(fields)) == 1 and fields[0] > 1:
            return sep
    best = max(counts, key=lambda sep: sum(counts[sep]))
    if max(counts[best]) > 1:
        return best
    parts = [line.split() for line in lines]
    return " " if all(len(p) > 1 for p in parts) and all(is_number(cell) for cell in parts[-1]) else ","


def is_number(cell: str) -> bool:
    """True if a field reads as a number; NaN and infinity count as missing, not as numbers."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def _complete_header(rows: tuple[str, ...], separator: str) -> tuple[str, ...]:
    """Lengthen a header that is one field short: R leaves out the name of the column of row names."""
    longer = {_count(rows[0], separator) + 1}
    short = len(rows) > 2 and {_count(line, separator) for line in rows[1:]} == longer
    if short and not any(is_number(cell) for cell in _split(rows[0], separator)):
        return (separator + rows[0], *rows[1:])
    return rows


def _check_fields(path: Path, rows: tuple[str, ...], numbers: tuple[int, ...], separator: str) -> None:
    counts = [_count(line, separator) for line in rows]
    usual = Counter(counts).most_common(1)[0][0]
    check_count(
        path, usual, MAX_COLUMNS, "columns", "If samples stand in columns, turn the table; else save it as NPY."
    )
    for number, count in zip(numbers, counts, strict=True):
        if count != usual:
            raise DataError(
                f"Line {number} of “{path.name}” has {count} field{'s' if count != 1 else ''} "
                f"where the others have {usual}.",
                "Give every line the same number of fields.",
            )
