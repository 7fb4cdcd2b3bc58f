"""Calls of Qt that look harmless and are not."""

import re
from pathlib import Path

import mvexplorer

UI = Path(mvexplorer.__file__).parent / "ui"
ITEMS = re.compile(r"\.(itemAt|takeAt|itemAtPosition|replaceWidget)\(")
FILLED = re.compile(r"\.(add|insert)Layout\([^()]*\(")


def test_no_layout_item_reaches_python():
    """Qt frees items of layouts behind Python's back: the next object at their place would be taken for one."""
    found = [path.name for path in UI.rglob("*.py") if ITEMS.search(path.read_text(encoding="utf-8"))]
    assert not found, "keep a list of the widgets, and retire them"


def test_no_layout_is_nested_as_a_function_has_filled_it():
    """Nesting a layout makes Python objects of the items that it has already."""
    found = [path.name for path in UI.rglob("*.py") if FILLED.search(path.read_text(encoding="utf-8"))]
    assert not found, "give the outer layout to the function, which nests its own before it fills it"
