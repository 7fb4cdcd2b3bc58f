"""The edits of what pages ask: comparisons, checks and diagnostics, each an undo step with a name."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated

CHECK_LABELS = {
    "view": "Shuffle another view",
    "runs": "Number of shuffles",
    "shuffle": "Shuffle otherwise",
    "kind": "Stability under another change",
    "overlay": "What lies on the pictures",
    "measure": "Compare neighbours otherwise",
}
"""The name of the edit of each choice of the page *Validate*."""
DIAGNOSTICS_LABELS = {
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
"""The name of the edit of each choice of the page “Diagnostics”."""


def change_comparison(document: Document, label: str, **changes: Any) -> None:
    """Compare other panels, or compare them otherwise."""
    document.apply(label, lambda s: s.model_copy(update={"comparison": updated(s.comparison, changes)}))


def choose_checks(document: Document, **changes: Any) -> None:
    """Choose otherwise on the page *Validate*; the edit is named after the first change."""
    chosen = updated(document.state.checks, changes)
    document.apply(CHECK_LABELS[next(iter(changes))], lambda s: s.model_copy(update={"checks": chosen}))


def choose_diagnostics(document: Document, **changes: Any) -> None:
    """Choose otherwise on the page “Diagnostics”; the edit is named after the first change."""
    present = document.state.diagnostics
    if changes.get("figure") not in (None, present.figure):
        changes["beside"] = present.figure
    chosen = updated(present, changes)
    label = DIAGNOSTICS_LABELS[next(iter(changes))]
    document.apply(label, lambda s: s.model_copy(update={"diagnostics": chosen}))
