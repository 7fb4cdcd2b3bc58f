"""Excel workbooks, and archives like them whose XML is damaged, defines entities, or names what lies elsewhere."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from random import Random

from mutations import damage, damage_text
from structures import lie_in_zip, rename_in_zip

M = 6
_PLACES = ("A0", "XFD1048576", "A1048577", "ZZZZ9", "A99999999999", "", "1A", "B2", "A1:B2", "a1")
_CELL_KINDS = ("s", "b", "e", "str", "inlineStr", "d", "n", "x")


def workbook(rng: Random, folder: Path) -> bytes:
    """A workbook, mostly with a lie in it."""
    import openpyxl

    made = openpyxl.Workbook()
    for _ in range(rng.choice((0, 0, 1))):
        made.create_sheet()
    for sheet in made.worksheets:
        kinds = [rng.choice(((1, 2.5), (1, 2.5), ("a", "b"), (1, "text", None, "=1/0", True, "7"))) for _ in range(3)]
        for _ in range(rng.choice((1, M, M, M, M))):
            sheet.append([rng.choice(kind) for kind in kinds])
        if rng.random() < 0.1:
            sheet.merge_cells(rng.choice(("A1:B1", "A2:A4", "B1:C2")))
    stream = io.BytesIO()
    made.save(stream)
    kind = rng.random()
    if kind < 0.4:
        return rng.choice((damage, lie_in_zip, rename_in_zip))(rng, stream.getvalue())
    again = io.BytesIO()
    with zipfile.ZipFile(stream) as old, zipfile.ZipFile(again, "w", zipfile.ZIP_DEFLATED) as new:
        victim = rng.choice(("", *old.namelist(), *(name for name in old.namelist() if "sheet" in name)))
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, rng.choice(_KINDS)(rng, content.decode(), folder) if name == victim else content)
    return again.getvalue()


def _damaged(rng: Random, text: str, folder: Path) -> bytes:
    return damage_text(rng, text)


def _entities(rng: Random, text: str, folder: Path) -> bytes:
    """Entities that unfold without end, or are another file; in an encoding in which nobody looks for them."""
    laughs = '<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    doctype, name = rng.choice(
        (
            (f"<!DOCTYPE x [{laughs}]>", "i"),
            (f'<!DOCTYPE x [<!ENTITY i SYSTEM "{(folder / "sentinel.xml").as_uri()}">]>', "i"),
            (f'<!DOCTYPE x SYSTEM "{(folder / "sentinel.xml").as_uri()}" [<!ENTITY i "7">]>', "i"),
            ('<!DOCTYPE x [<!ENTITY % p SYSTEM "sentinel.xml"> %p;]>', "lt"),
        )
    )
    body = re.sub(r"^<\?xml[^>]*\?>", "", text)
    body = re.sub(r">([^<&]+)<", f">&{name};<", body, count=1)
    if rng.random() < 0.3:
        body = re.sub(r'="([^"<&]+)"', f'="&{name};"', body, count=1)
    encoding = rng.choice(("utf-8", "utf-16", "utf-16-be", "utf-7"))
    return f'<?xml version="1.0" encoding="{encoding}"?>{doctype}{body}'.encode(encoding)


def _elsewhere(rng: Random, text: str, folder: Path) -> bytes:
    """Targets outside of the workbook."""
    target = rng.choice(
        (
            (folder / "sentinel.xml").as_uri(),
            "../../sentinel.xml",
            "/etc/passwd",
            "",
            "worksheets/sheet9.xml",
            "..",
            "#",
        )
    )
    mode = rng.choice(("", ' TargetMode="External"'))
    return re.sub(r'Target="[^"]*"', f'Target="{target}"{mode}', text, count=rng.choice((0, 1))).encode()


def _cells(rng: Random, text: str, folder: Path) -> bytes:
    """Cells at other places, of other kinds, and merged ones."""
    text = re.sub(r'\br="[A-Z]*\d+"', f'r="{rng.choice(_PLACES)}"', text, count=rng.choice((1, 1, 0)))
    text = re.sub(r'\bt="\w+"', f't="{rng.choice(_CELL_KINDS)}"', text, count=rng.choice((1, 0)))
    text = re.sub(r"<v>[^<]*", f"<v>{rng.choice(('99999', '-1', '1e999', 'nan', '', 'x'))}", text, count=1)
    merged = f'<mergeCells><mergeCell ref="{rng.choice(_PLACES)}:{rng.choice(_PLACES)}"/></mergeCells></worksheet>'
    return (text.replace("</worksheet>", merged) if rng.random() < 0.3 else text).encode()


def _repeat(rng: Random, text: str, folder: Path) -> bytes:
    """An element many times over, or very deep."""
    found = rng.choice(re.findall(r"<\w+[^<>]*/>", text) or ["<x/>"])
    name = found.strip("</>").split()[0]
    more = rng.choice((found * 2, found * 3000, f"<{name}>" * 5000 + f"</{name}>" * 5000))
    return text.replace(found, more, 1).encode()


_KINDS = (_damaged, _entities, _elsewhere, _cells, _repeat)
