"""Docstrings are reStructuredText in the manner of numpydoc, so that help pages and editors show them whole."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from docutils.core import publish_doctree
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.readers.standalone import Reader

PACKAGE = Path(__file__).parents[2] / "mvexplorer"
FILES = sorted(PACKAGE.rglob("*.py"))
SETTINGS = get_default_settings(Parser, Reader)
"""Made once: docutils takes longer to make them than to read a docstring."""
SETTINGS.report_level, SETTINGS.file_insertion_enabled, SETTINGS.raw_enabled = 2, False, False
LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
"""Sections whose lines at the margin are names with their types, which need no words below them."""


def as_restructuredtext(docstring: str) -> str:
    """A docstring as numpydoc gives it on: names in lists have words below them, stars and underscores escaped."""
    section, lines = "", docstring.splitlines()
    given: list[str] = []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        section = line if re.fullmatch("-{3,}", below) else section
        name = section in LISTS and line.strip() and not line.startswith((" ", "-")) and line != section
        given.append(re.sub(r"(?<!\w)\*+(?=\w)|(?<=\w)_(?=\W|$)", as_it_stands, line) if name else line)
        if name and not below.startswith(" "):
            given.append("    .")
    return "\n".join(given)


def as_it_stands(signs: re.Match[str]) -> str:
    return "".join(f"\\{sign}" for sign in signs[0])


def is_plain(docstring: str) -> bool:
    """True for a line of words alone, which needs no parsing."""
    return re.fullmatch(r"\w[^\n`*_|:\\]*", docstring) is not None


def faults(docstring: str) -> list[str]:
    """What docutils says of it."""
    settings = SETTINGS.copy()
    settings.warning_stream = io.StringIO()
    publish_doctree(as_restructuredtext(docstring), settings=settings)
    return [line for line in settings.warning_stream.getvalue().splitlines() if line.startswith("<string>")]


def docstrings(path: Path) -> Iterator[tuple[str, str]]:
    """All of a file, each with the name of what it is about."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield getattr(node, "name", "the module"), text


@pytest.mark.parametrize("room", sorted({path.relative_to(PACKAGE).parts[0] for path in FILES}))
def test_every_docstring_is_restructuredtext(room: str) -> None:
    files = [path for path in FILES if path.relative_to(PACKAGE).parts[0] == room]
    texts = [(f"{path.relative_to(PACKAGE)}: {name}", text) for path in files for name, text in docstrings(path)]
    one_line = [text for _, text in texts if "\n" not in text and not is_plain(text)]
    # All at once, a paragraph each: nothing reaches from one into the next.
    sound = not one_line or not faults("\n\n".join(one_line))
    garbled = {name: said for name, text in texts if not (sound and "\n" not in text) and (said := faults(text))}
    assert garbled == {}


@pytest.mark.parametrize(
    ("fault", "mended"),
    [("It is |x|.", "It is ``|x|``."), ("The `x of it.", "The `x` of it."), ("By **x.", "By ``**x``."),
     ("See keep_.", "See ``keep_``."), ("a\n  b\nc", "a\n\n  b\n\nc")],
)  # fmt: skip
def test_faults_are_seen(fault: str, mended: str) -> None:
    assert (len(faults(fault)) > 0, faults(mended)) == (True, [])


def test_lists_in_the_manner_of_numpydoc_are_none() -> None:
    assert faults("Adds.\n\nParameters\n----------\nx : int\ny, z\n    Both.\n**more\n    The rest.") == []
    assert faults("Adds.\n\nParameters\n----------\nx : int\n    The value |x|.") != []
