"""Which panels fresh data opens with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvexplorer.engine.methods import get_method
from mvexplorer.state.model import PanelState, updated
from mvexplorer.state.titles import given_words

if TYPE_CHECKING:
    from mvexplorer.engine.core.multiview import MultiView

DEFAULT_METHODS = ("kernel-sum", "kernel-product", "de-sa", "multiview")
OPENING_PANELS = 6
"""Panels of data with two views or more."""


def opening_panels(enabled: list[str], data: MultiView | None) -> tuple[PanelState, ...]:
    """One panel for each of the first two views, one for a picture that came with the data, then default methods."""
    pictures = sorted(data.coordinates if data is not None else (), key=lambda name: given_words(name) == "PCA")
    shown = [*(("single", name) for name in enabled[:2]), *(("given", name) for name in pictures[:1])]
    several = DEFAULT_METHODS[len(shown) - OPENING_PANELS :] if len(enabled) >= 2 else ()
    panels = [*shown, *((method, None) for method in several)]
    return tuple(updated(new_panel(m, f"p{i}"), {"view": view}) for i, (m, view) in enumerate(panels, start=1))


def new_panel(method: str, id: str) -> PanelState:
    """A panel with the method's own choice of axes."""
    first = int(get_method(method).keeps_trivial)
    return PanelState(id=id, method=method, axes=(first, first + 1, first + 2))
