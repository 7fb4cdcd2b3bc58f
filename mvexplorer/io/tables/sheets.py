"""The archive that an Excel workbook is: unpacked within limits, with the sizes that its sheets state."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from mvexplorer.io.base.guards import MAX_ARRAYS, Budget, check_count

_NAME = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")
_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")


@dataclass(frozen=True)
class Region:
    """Cells that are merged into one, counted from 0, the ends included; `name` is A1:B2."""

    name: str
    top: int
    left: int
    bottom: int
    right: int


@dataclass
class WorksheetInfo:
    """The size that a sheet states: its last row and column, its first column with a value, both from 1.

    `n_texts` cells refer to a text; `merged` are the cells that are shown as one; `unsaved` names, by row from 1, the
    first cell with a formula whose value is not in the file.
    """

    n_rows: int = 0
    n_columns: int = 0
    first_column: int = 0
    n_texts: int = 0
    merged: list[Region] = field(default_factory=list)
    unsaved: dict[int, str] = field(default_factory=dict)
    _row: int = 0
    _column: int = 0
    _formula: bool = False
    _kind: str = ""

    def _read(self, part: bytes) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        if _FORMULA.search(part):
            parser.CharacterDataHandler, parser.EndElementHandler = self._text, self._end
        parser.Parse(part, True)

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._kind = kind = tag.rpartition(":")[2]
        if kind == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column = 0
        elif kind == "c":
            self._column += 1
            if "r" in attributes:
                self._row, self._column = _place(attributes["r"])
            self.n_rows, self.n_columns = max(self.n_rows, self._row), max(self.n_columns, self._column)
            self.n_texts += attributes.get("t") == "s"
        elif kind == "f":
            self._formula = True
        elif kind in ("v", "is"):
            self.first_column = min(self.first_column or self._column, self._column)
        elif kind == "mergeCell":
            first, _, last = attributes["ref"].partition(":")
            (top, left), (bottom, right) = _place(first), _place(last or first)
            self.merged.append(Region(attributes["ref"], top - 1, left - 1, bottom - 1, right - 1))

    def _text(self, text: str) -> None:
        if self._kind == "v" and text.strip():
            self._formula = False

    def _end(self, tag: str) -> None:
        if tag.rpartition(":")[2] == "c" and self._formula:
            self.unsaved.setdefault(self._row, f"{_letters(self._column)}{self._row}")
            self._formula = False


def _letters(column: int) -> str:
    """Name a column, from 1: A, B ... Z, AA."""
    return (_letters((column - 1) // 26) if column > 26 else "") + chr(ord("A") + (column - 1) % 26)


def _place(name: str) -> tuple[int, int]:
    """Return row and column, from 1, of a cell's name such as AB12."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError("a cell has no place")
    column = 0
    for letter in match[1].upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(match[2]), column


def unpack_workbook(path: Path, content: bytes) -> tuple[bytes, dict[str, WorksheetInfo]]:
    """Uncompress the members of a workbook, without pictures and programs; return it and its sheets by name.

    DataError where it would take too much memory, RuntimeError where a member is encrypted, ValueError or the errors of
    zipfile and expat where the archive is damaged.
    """
    budget = Budget(path)
    members = _members(path, content, budget)
    texts = "xl/sharedstrings.xml"
    longest = max((_longest(part) for name, part in members.items() if name.lower() == texts), default=0)
    sheets = {}
    for name, part in _parts(members).items():
        if part in members:
            sheets[name] = sheet = WorksheetInfo()
            sheet._read(members[part])
            budget.take(longest * sheet.n_texts)  # every cell gets a copy of its text
    stored = BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return stored.getvalue(), sheets


def _members(path: Path, content: bytes, budget: Budget) -> dict[str, bytes]:
    members = {}
    with zipfile.ZipFile(BytesIO(content)) as archive:
        infos = [info for info in archive.infolist() if info.filename.lower().endswith((".xml", ".rels"))]
        check_count(path, len(infos), MAX_ARRAYS, "parts", "Save it again in Excel.")
        for info in infos:
            # A member is read up to the size it claims, however much it would unfold to.
            budget.take(2 * info.file_size)
            members[info.filename] = archive.read(info)
    if any(b"<!DOCTYPE" in member or b"<!ENTITY" in member for member in members.values()):
        raise ValueError("a workbook defines no entities")
    return members


def _longest(strings: bytes) -> int:
    """Return the bytes of the longest text that cells refer to, at most."""
    return max((len(text) for text in re.split(rb"</(?:\w+:)?si>", strings)), default=0)


def _parts(members: Mapping[str, bytes]) -> dict[str, str]:
    """Map the sheets' names to the members that hold them."""
    book = next(name for name in members if name.lower() == "xl/workbook.xml")
    links = next(name for name in members if name.lower() == "xl/_rels/workbook.xml.rels")
    targets = {link.get("Id"): link.get("Target", "") for link in ElementTree.fromstring(members[links])}
    sheets = {}
    for element in ElementTree.fromstring(members[book]).iter():
        if element.tag.rpartition("}")[2] == "sheet":
            identity = next((value for key, value in element.attrib.items() if key.endswith("}id")), None)
            target = targets.get(identity, "")
            sheets[element.get("name", "")] = posixpath.normpath(posixpath.join("/xl", target)).lstrip("/")
    return sheets
