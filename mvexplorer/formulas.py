"""Texts that spreadsheets take for formulas where they open CSV, and the apostrophe that keeps them from it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

APOSTROPHE = "'"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def is_formula(value: object) -> bool:
    """True if a spreadsheet takes a value for a formula; numbers are none, whatever their sign."""
    signs = ("=", "+", "-", "@", "\t", "\r")  # the first sign of such texts, as OWASP lists it
    return isinstance(value, str) and value.startswith(signs) and _NUMBER.fullmatch(value) is None


def escaped(value: T) -> T | str:
    """A value as a spreadsheet shows it: an apostrophe before what it would calculate."""
    return f"{APOSTROPHE}{value}" if is_formula(value) else value


def unescaped(text: str) -> str:
    """The text without the apostrophe that `escaped` put before it."""
    return text[1:] if text.startswith(APOSTROPHE) and is_formula(text[1:]) else text


def some_formula(texts: Iterable[object]) -> bool:
    """True if a spreadsheet takes one of the texts for a formula."""
    return any(map(is_formula, texts))
