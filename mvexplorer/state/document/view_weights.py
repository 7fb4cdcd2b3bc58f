"""How much each view counts: the commands that change it, and who takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.view_weights import EQUAL_VOLUME, NAME, VIEW_WEIGHTS
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, ViewState
from mvexplorer.wording import number

WEIGHT_RANGE = (1 / 16, 16.0)
"""Ends of a weight's slider; others can be typed."""


def weigh_views(document: Document, weighing: bool) -> None:
    """Offer the weights of the views, or take them away: all are 1 then."""

    def edited(state: DocumentState) -> DocumentState:
        changes = {} if weighing else {"views": _all_alike(state), "equal_volume": False}
        return state.model_copy(update={"weighing": weighing, **changes})

    document.apply("View weights on" if weighing else "View weights off", edited)


def weigh_by_volume(document: Document, on: bool) -> None:
    """Weigh the views by equal volume in every method that can, or all alike again."""
    document.apply(
        "Equal-volume view weights" if on else "Equal view weights",
        lambda s: s.model_copy(update={"weighing": True, "equal_volume": on, "views": _all_alike(s)}),
    )


def _all_alike(state: DocumentState) -> tuple[ViewState, ...]:
    return tuple(updated(view, {"view_weight": 1.0}) for view in state.views)


def set_view_weight(
    document: Document,
    view: str,
    weight: float,
    *,
    interactive: bool = False,
    in_effect: Mapping[str, float] | None = None,
) -> None:
    """Change how much one view counts beside the others.

    Where the views are weighed by equal volume the others keep their weights `in_effect`, as numbers from then on.
    """
    if not 0.0 < weight < math.inf:
        raise ParameterError(
            f"The weight of {view} cannot be {weight:g}.", "Give a number above 0, or untick the view to leave it out."
        )
    rounded = float(f"{weight:.3g}")
    others = {name: float(f"{w:.3g}") for name, w in (in_effect or {}).items()}
    document.apply(
        f"Weight of {view} to {number(rounded)}",
        lambda s: _with_numbers(s, others).with_view(view, view_weight=rounded).model_copy(update={"weighing": True}),
        merge=f"weight:{view}",
        interactive=interactive,
    )


def _with_numbers(state: DocumentState, others: Mapping[str, float]) -> DocumentState:
    """The state with weights that are numbers: those of `others` where they followed from the views' volumes."""
    if not state.equal_volume:
        return state
    views = tuple(updated(v, {"view_weight": others.get(v.name, 1.0)}) for v in state.views)
    return state.model_copy(update={"views": views, "equal_volume": False})


def without_weights(state: DocumentState) -> list[str]:
    """The titles of the methods on show that take several views, and all of them alike."""
    shown = dict.fromkeys(panel.method for panel in state.shown)
    several = (method for id in shown if (method := get_method(id)).max_views not in (0, 1))
    return [method.title for method in several if not _weighs(method, by_volume=state.equal_volume)]


def _weighs(method: Method, *, by_volume: bool) -> bool:
    return any(p.name == NAME and (not by_volume or EQUAL_VOLUME in p.choices) for p in method.params)


def named_weights(text: str, views: Sequence[str]) -> dict[str, float] | str:
    """Weights by place as a mapping of names to those that are not 1; text of another form as it is."""
    parts = text.split(",")
    if ":" in text or len(parts) != len(views):
        return text
    each = zip(views, map(float, parts), strict=True)
    return {name: int(w) if w.is_integer() else w for name, w in each if w != 1.0}


def weights_to_pin(state: DocumentState, method: Method | None = None) -> str:
    """The weights of the ticked views by name, as a panel keeps them whichever views are ticked.

    The word for them where the views are weighed by equal volume, and the method of the panel can do so.
    """
    if state.equal_volume and method is not None and _weighs(method, by_volume=True):
        return EQUAL_VOLUME
    ticked = [v for v in state.views if v.enabled]
    if any(set(":,") & set(v.name) for v in ticked):
        return ",".join(f"{v.view_weight:g}" for v in ticked)
    return ",".join(f"{v.name}:{v.view_weight:g}" for v in ticked)


__all__ = [
    "VIEW_WEIGHTS",
    "WEIGHT_RANGE",
    "named_weights",
    "set_view_weight",
    "weigh_by_volume",
    "weigh_views",
    "weights_to_pin",
    "without_weights",
]
