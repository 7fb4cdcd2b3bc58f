"""The parts that all web pages share: templates, the window's colours, and the names of scripts and styles."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256

from mvexplorer.resources import resource
from mvexplorer.ui.style.roles import DARK, LIGHT

THEMES = (LIGHT, DARK)


def template(name: str) -> str:
    """A file of `resources/web`."""
    return resource("web", name).read_text("utf-8")


def script_of(name: str) -> str:
    """A script of `resources/web` without indents and lines of comment, which are a sixth of it."""
    lines = (line.strip() for line in template(name).splitlines())
    return "\n".join(line for line in lines if line and not re.match(r"//|/\*.*\*/$", line))


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The template with its {{names}} filled in, in one pass: what is filled in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], text)


def style_of(name: str) -> str:
    """A style of `resources/web` with the colours of both themes."""
    return filled(template(name), {theme.name: _properties(asdict(theme)) for theme in THEMES})


def _properties(theme: Mapping[str, str]) -> str:
    return " ".join(f"--{role.replace('_', '-')}: {colour};" for role, colour in theme.items() if role != "name")


def source_hash(text: str) -> str:
    """The name by which a page's policy admits this script or style, and no other."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
