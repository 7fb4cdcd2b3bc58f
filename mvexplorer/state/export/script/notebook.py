"""Cells as the JSON of a Jupyter notebook, format 4.5: so little that no library is needed to write it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mvexplorer.state.export.script.lines import plain

_MARKS = re.compile(r"([\\`*_{}\[\]()#+!|~$-])")
"""Signs that Markdown, or the formulas in it, would not show as they are."""


@dataclass(frozen=True)
class NotebookCell:
    """A cell: code, or plain text under a heading, which may be empty."""

    text: str
    code: bool = False
    heading: str = ""
    level: int = 2

    def as_json(self, place: int) -> dict[str, Any]:
        """The cell as a notebook has it; `place` makes its id."""
        if self.code:
            more: dict[str, Any] = {"cell_type": "code", "execution_count": None, "outputs": []}
        else:
            more = {"cell_type": "markdown"}
        return {**more, "id": f"cell-{place}", "metadata": {}, "source": self._source.splitlines(keepends=True)}

    @property
    def _source(self) -> str:
        if self.code:
            return self.text
        heading = [f"{'#' * self.level} {as_markdown(self.heading)}"] if self.heading else []
        return "\n\n".join([*heading, as_markdown(self.text)])


def as_markdown(text: str) -> str:
    """Words as Markdown shows them: nothing in a name becomes markup, HTML or a picture."""
    escaped = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKS.sub(r"\\\1", escaped)


def notebook_text(cells: Sequence[NotebookCell]) -> str:
    """The notebook of some cells."""
    content = {
        "cells": [cell.as_json(place) for place, cell in enumerate(cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
