"""The commands of the page “Is it real?”."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated

LABELS = {
    "view": "Shuffle another view",
    "runs": "Number of shuffles",
    "shuffle": "Shuffle otherwise",
    "kind": "Stability under another change",
    "overlay": "What lies on the pictures",
    "measure": "Compare neighbours otherwise",
}
"""The name of the edit of each choice."""


def choose_checks(document: Document, **changes: Any) -> None:
    """Choose otherwise on the page; the edit is named after the first change."""
    chosen = updated(document.state.checks, changes)
    document.apply(LABELS[next(iter(changes))], lambda s: s.model_copy(update={"checks": chosen}))
