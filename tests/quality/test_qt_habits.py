"""Calls of Qt that look harmless and are not."""

import re
from pathlib import Path

import mvexplorer

UI = Path(mvexplorer.__file__).parent / "ui"
ITEMS = re.compile(r"\.(itemAt|takeAt|itemAtPosition|replaceWidget)\(")


def test_no_layout_item_reaches_python():
    """Qt frees items of layouts behind Python's back: the next object at their place would be taken for one."""
    found = [path.name for path in UI.rglob("*.py") if ITEMS.search(path.read_text(encoding="utf-8"))]
    assert not found, "keep a list of the widgets, and retire them"
