"""The one axis of the page, log₁₀ of ε over the view's median: where factors on all ε lie on it."""

from __future__ import annotations

from math import log10

from mvexplorer.engine.bandwidth.curves import DECADES
from mvexplorer.state.document.model import panel_kernel
from mvexplorer.state.pictures.controller import Controller


def ends_of_epsilon(controller: Controller, view: str) -> tuple[float, float] | None:
    """The ε of a view at both ends of the axis; None until its median is known."""
    median = controller.median(view)
    return None if median is None else (median * 10.0 ** DECADES[0], median * 10.0 ** DECADES[1])


def ends_of_factor(controller: Controller) -> tuple[float, float] | None:
    """The factors on all ε at both ends of the axis, on the mean of the linked views; None until that is known."""
    state, places = controller.document.state, list[float]()
    for view in state.views:
        if view.enabled and view.linked and panel_kernel(state, None, view.name).kind.uses_epsilon:
            epsilon, median = controller.effective_epsilon(view.name), controller.median(view.name)
            if epsilon is None or median is None:
                return None
            places.append(log10(epsilon / median / state.epsilon_scale))
    if not places:
        return None
    mean = sum(places) / len(places)
    return 10.0 ** (DECADES[0] - mean), 10.0 ** (DECADES[1] - mean)
