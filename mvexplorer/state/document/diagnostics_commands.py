"""The commands of the page “Diagnostics”."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated

LABELS = {
    "figure": "Another figure",
    "beside": "Another figure beside it",
    "times": "Spectrum at other times",
    "view": "Matrix of another view",
    "matrix": "Another matrix",
    "order": "Order the samples otherwise",
    "component": "Spectrum of another component",
    "time": "Frequencies against another time",
    "marks": "Mark other frequencies",
    "metric": "Metric somewhere else",
}
"""The name of the edit of each choice."""


def choose_diagnostics(document: Document, **changes: Any) -> None:
    """Choose otherwise on the page; the edit is named after the first change."""
    present = document.state.diagnostics
    if changes.get("figure") not in (None, present.figure):
        changes["beside"] = present.figure
    chosen = updated(present, changes)
    document.apply(LABELS[next(iter(changes))], lambda s: s.model_copy(update={"diagnostics": chosen}))
