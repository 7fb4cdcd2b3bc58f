"""Values, calls and comments as lines of Python.

Sessions come from strangers: text gets into a script as a literal or in a comment of printable characters only, so that
nothing it holds can become a statement.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mvexplorer.wording import one_line

WIDTH = 100
"""Longer lines are written over several."""


class Code(str):
    """Python that is written as it stands: a name, or an expression of names."""

    __slots__ = ()


@dataclass(frozen=True)
class Call:
    """A call of a function, with arguments by position and by name."""

    function: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


def literal(value: Any) -> str:
    """A value on one line.

    Examples
    --------
    >>> from mvexplorer.state.export.script.lines import Call, Code, literal
    >>> literal(Call("mvx.embed", (Code("data"), "single"), {"view": "it's", "epsilon": {"fou": 0.5}}))
    'mvx.embed(data, "single", view="it\\'s", epsilon={"fou": 0.5})'
    """
    if isinstance(value, Code):
        return value
    if isinstance(value, str):
        text = repr(value)
        return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in value else text
    if not _compound(value):
        return repr(value)
    begin, items, end = _parts(value)
    return begin + ", ".join(before + literal(item) for before, item in items) + end


def expression(value: Any, column: int = 0, indent: int = 0) -> str:
    """A value from a column on, over several lines where it is too long for one."""
    flat = literal(value)
    if column + len(flat) < WIDTH or not _compound(value):
        return flat
    begin, items, end = _parts(value)
    step = 4
    inside = " " * (indent + step)
    few = 8  # values of a list that stand one on a line; a longer list of plain values fills its lines
    if isinstance(value, Call) and len(inside) + len(flat) - len(begin) - len(end) <= WIDTH:
        lines = [inside + flat.removeprefix(begin).removesuffix(end)]
    elif isinstance(value, list | tuple) and len(value) > few and not any(_compound(item) for item in value):
        lines = _filled([literal(item) for item in value], inside)
    else:
        lines = [f"{inside}{before}{expression(item, len(inside + before), indent + step)}," for before, item in items]
    return "\n".join([begin, *lines, " " * indent + end])


def assignment(name: str, value: Any) -> str:
    """``name = value``."""
    return f"{name} = {expression(value, len(name) + 3)}"


def comment(text: str) -> str:
    """Words after ``#``, wrapped."""
    return "\n".join(f"# {line}" for line in textwrap.wrap(plain(text), WIDTH - 2))


def plain(text: str) -> str:
    """Words on one line, of printable characters only."""
    return "".join(sign if sign.isprintable() else " " for sign in one_line(text))


def _compound(value: Any) -> bool:
    return isinstance(value, Call | Mapping | list | tuple)


def _parts(value: Any) -> tuple[str, list[tuple[str, Any]], str]:
    """Return the opening of a compound value, its items with the text before each, and its closing."""
    if isinstance(value, Call):
        by_place, by_name = ([("", item) for item in value.arguments], value.options.items())
        return f"{value.function}(", [*by_place, *((f"{name}=", item) for name, item in by_name)], ")"
    if isinstance(value, Mapping):
        return "{", [(f"{literal(name)}: ", item) for name, item in value.items()], "}"
    return "[", [("", item) for item in value], "]"


def _filled(items: list[str], inside: str) -> list[str]:
    """As many items on each line as fit."""
    lines = [inside + items[0] + ","]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f" {item},"
        else:
            lines.append(f"{inside}{item},")
    return lines
