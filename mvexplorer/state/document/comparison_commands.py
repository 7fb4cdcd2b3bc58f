"""The edits of how two pictures are compared, each an undo step with a name."""

from __future__ import annotations

from typing import Any

from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated


def change_comparison(document: Document, label: str, **changes: Any) -> None:
    """Compare other panels, or compare them otherwise."""
    document.apply(label, lambda s: s.model_copy(update={"comparison": updated(s.comparison, changes)}))
