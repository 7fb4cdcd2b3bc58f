"""What a figure's file says about itself: its size in mm, its words and the size of its type in pt."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

POINTS_IN_MM = 25.4 / 72


def size_in_mm(path: Path) -> tuple[float, float]:
    """Width and height, from what each format tells its readers."""
    if path.suffix == ".svg":
        root = ElementTree.parse(path).getroot()
        return tuple(float(root.get(side).removesuffix("mm")) for side in ("width", "height"))
    if path.suffix == ".pdf":
        box = re.search(rb"/MediaBox \[0 0 ([\d.]+) +([\d.]+) *\]", path.read_bytes())
        return tuple(float(side) * POINTS_IN_MM for side in box.groups())
    content = path.read_bytes()
    wide, high = (int.from_bytes(content[i : i + 4], "big") for i in (16, 20))
    at = content.index(b"pHYs") + 4
    across, down = (int.from_bytes(content[at + i : at + i + 4], "big") for i in (0, 4))
    assert content[at + 8] == 1  # pixels per metre
    return 1000 * wide / across, 1000 * high / down


def svg_type(path: Path) -> list[tuple[str, float]]:
    """Every run of text and the size of its type in pt, however the groups around it are scaled."""
    root = ElementTree.parse(path).getroot()
    points = float(root.get("width").removesuffix("mm")) / POINTS_IN_MM / float(root.get("viewBox").split()[2])
    runs: list[tuple[str, float]] = []

    def visit(node: ElementTree.Element, scale: float) -> None:
        if matrix := re.fullmatch(r"matrix\((.*)\)", node.get("transform", "")):
            a, b, *_ = map(float, matrix[1].split(","))
            scale *= float(np.hypot(a, b))
        if node.tag.endswith("text"):
            runs.append(("".join(node.itertext()), scale * float(node.get("font-size"))))
        for child in node:
            visit(child, scale)

    visit(root, points)
    return runs


def pdf_words(path: Path) -> str:
    """All words of a PDF, as any reader takes them from its fonts."""
    pypdf = pytest.importorskip("pypdf")
    return "".join(page.extract_text() for page in pypdf.PdfReader(path).pages)


def pdf_type(path: Path) -> list[float]:
    """The sizes of type that a PDF of one page asks for, in pt: each font's size under all transformations."""
    content = path.read_bytes()
    streams = [zlib.decompress(s) for s in re.findall(rb"stream\r?\n(x.*?)endstream", content, re.DOTALL)]
    (page,) = [s.decode("latin1") for s in streams if b" Tf" in s]
    sizes, scale, kept = [], 1.0, []
    tokens = page.split()
    for i, token in enumerate(tokens):
        if token == "q":
            kept.append(scale)
        elif token == "Q":
            scale = kept.pop()
        elif token == "cm":
            scale *= float(np.hypot(*map(float, tokens[i - 6 : i - 4])))
        elif token == "Tf":
            sizes.append(scale * float(tokens[i - 1]))
    return sizes
