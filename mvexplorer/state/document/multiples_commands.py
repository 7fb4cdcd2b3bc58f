"""The edits of the small multiples, each an undo step with a name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.pipeline.ingredients import SELF_LOOPS
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState, Scalar, ViewState
from mvexplorer.state.document.multiples_grid import grid_of, subject_of


def change_multiples(document: Document, label: str, **changes: Any) -> None:
    """Show other pictures, or none; a grid that cannot be made is refused."""
    chosen = updated(document.state.multiples, changes)
    after = document.state.model_copy(update={"multiples": chosen})
    if chosen.shown:
        grid_of(after, document.data)
    document.apply(label, after)


def adopt_ingredients(document: Document, picture: PanelState, label: str) -> str:
    """Give the panel the pins of a picture of it, and close the small multiples; returns the panel's id."""
    id = subject_of(document.state).id
    document.apply(label, _closed(document.state.with_panel(id, pins=picture.pins)))
    return id


def share_ingredients(document: Document, picture: PanelState, label: str) -> str:
    """Give all panels the ingredients of a picture, and close the small multiples; returns its panel's id.

    What was pinned of these to single panels is shared again.
    """
    state, subject = document.state, subject_of(document.state)
    pins = {name: value for name, value in picture.pins.items() if _is_ingredient(name, subject)}
    views = tuple(_view_with(state, view, pins) for view in state.views)
    params = {**state.params, **{name: value for name, value in pins.items() if ":" not in name}}
    panels = tuple(
        updated(p, {"pins": {name: value for name, value in p.pins.items() if name not in pins}}) for p in state.panels
    )
    after = updated(state, {"views": views, "params": params, "panels": panels})
    document.apply(label, _closed(after))
    return subject.id


def _is_ingredient(name: str, subject: PanelState) -> bool:
    """Whether a pin is of an ingredient, or of an ε that was carried over to its distances."""
    carried = name.startswith("epsilon:") and name not in subject.pins
    return name.startswith("kernel:") or name in (SELF_LOOPS.name, UNIT_ROWS.name) or carried


def _view_with(state: DocumentState, view: ViewState, pins: dict[str, Scalar]) -> ViewState:
    """A view with the kernel and the ε that were pinned; the factor on all ε is not in what a view has."""
    changes: dict[str, Any] = {}
    if f"kernel:{view.name}" in pins:
        changes["kernel"] = pins[f"kernel:{view.name}"]
    if f"epsilon:{view.name}" in pins:
        given = parse_bandwidth(pins[f"epsilon:{view.name}"])
        changes["epsilon"] = replace(given, factor=given.factor / state.factor(view.name)).given
    return updated(view, changes) if changes else view


def _closed(state: DocumentState) -> DocumentState:
    return state.model_copy(update={"multiples": updated(state.multiples, {"shown": False})})
