"""How much each view counts: the commands that change it, and who takes it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.view_weights import NAME, VIEW_WEIGHTS
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.wording import number

WEIGHT_RANGE = (1 / 16, 16.0)
"""Ends of a weight's slider; others can be typed."""


def weigh_views(document: Document, weighing: bool) -> None:
    """Offer the weights of the views, or take them away: all are 1 then."""

    def edited(state: DocumentState) -> DocumentState:
        views = state.views if weighing else tuple(updated(v, {"view_weight": 1.0}) for v in state.views)
        return state.model_copy(update={"weighing": weighing, "views": views})

    document.apply("Weigh the views" if weighing else "Do not weigh the views", edited)


def set_view_weight(document: Document, view: str, weight: float, *, interactive: bool = False) -> None:
    """Change how much one view counts beside the others."""
    if not 0.0 < weight < math.inf:
        raise ParameterError(
            f"The weight of {view} cannot be {weight:g}.", "Give a number above 0; untick a view that shall not count."
        )
    rounded = float(f"{weight:.3g}")
    document.apply(
        f"Weight of {view} to {number(rounded)}",
        lambda s: s.with_view(view, view_weight=rounded).model_copy(update={"weighing": True}),
        merge=f"weight:{view}",
        interactive=interactive,
    )


def without_weights(state: DocumentState) -> list[str]:
    """The titles of the methods on show that take several views, and all of them alike."""
    shown = dict.fromkeys(panel.method for panel in state.shown)
    several = (method for id in shown if (method := get_method(id)).max_views not in (0, 1))
    return [method.title for method in several if NAME not in {p.name for p in method.params}]


def named_weights(text: str, views: Sequence[str]) -> dict[str, float] | str:
    """Weights by place as a mapping of names to those that are not 1; text of another form as it is."""
    parts = text.split(",")
    if ":" in text or len(parts) != len(views):
        return text
    each = zip(views, map(float, parts), strict=True)
    return {name: int(w) if w.is_integer() else w for name, w in each if w != 1.0}


def weights_to_pin(state: DocumentState) -> str:
    """The weights of the ticked views by name, as a panel keeps them whichever views are ticked."""
    ticked = [v for v in state.views if v.enabled]
    if any(set(":,") & set(v.name) for v in ticked):
        return ",".join(f"{v.view_weight:g}" for v in ticked)
    return ",".join(f"{v.name}:{v.view_weight:g}" for v in ticked)


__all__ = [
    "VIEW_WEIGHTS",
    "WEIGHT_RANGE",
    "named_weights",
    "set_view_weight",
    "weigh_views",
    "weights_to_pin",
    "without_weights",
]
