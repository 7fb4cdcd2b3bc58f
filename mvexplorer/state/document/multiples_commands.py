"""The edits of the small multiples, each an undo step with a name."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.multiples_grid import grid_of


def change_multiples(document: Document, label: str, **changes: Any) -> None:
    """Show other pictures, or none; a grid that cannot be made is refused."""
    chosen = updated(document.state.multiples, changes)
    after = document.state.model_copy(update={"multiples": chosen})
    if chosen.shown:
        grid_of(after)
    document.apply(label, after)
