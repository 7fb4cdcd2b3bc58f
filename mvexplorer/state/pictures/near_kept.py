"""Who is near the kept sample at the ε of each panel: those within σ, and those to whom its step goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from mvexplorer.compute.jobs.point_jobs import Surroundings
from mvexplorer.engine.analysis.point import Indices
from mvexplorer.engine.analysis.reach import by_distance, takers
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import Kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.state.document.model import (
    DocumentState,
    PanelState,
    panel_kernel,
    panel_params,
    panel_view,
    panel_views,
)
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.wording import counted

MOST_LINKS = 200
"""Most links of a panel: more hide its picture."""


@dataclass(frozen=True, eq=False)
class NearKept:
    """The samples `within` σ of the kept `sample` in any of a panel's views, and the others that it `links` to.

    Links go to the nearest samples that take 95 % of a step by the kernel of such a view.
    """

    sample: int
    within: Indices
    links: Indices

    def same_as(self, other: NearKept | None) -> bool:
        """Whether another one tells the same."""
        return (
            other is not None
            and self.sample == other.sample
            and np.array_equal(self.within, other.within)
            and np.array_equal(self.links, other.links)
        )


def near_kept(controller: Controller, near: Surroundings | None) -> Mapping[str, NearKept]:
    """Who is near the kept sample in each panel, by its id; nothing unless that is wanted and distances are known."""
    state = controller.document.state
    if not state.point.within or near is None:
        return {}

    @cache  # most panels share their ε
    def links(view: str, kernel: Kernel, epsilon: float) -> Indices:
        return takers(near.views[view].squared, near.sample, kernel, epsilon, MOST_LINKS)

    each = {}
    for panel in state.shown:
        seen = {
            view: (panel_kernel(state, panel, view), epsilon)
            for view in _telling(state, panel, near)
            if (epsilon := controller.epsilon_in(panel, view)) is not None
        }
        if seen:
            # Squared distances over ε compare views of different units.
            relative = np.min([near.views[view].squared / epsilon for view, (_, epsilon) in seen.items()], axis=0)
            linked = [links(view, kernel, epsilon) for view, (kernel, epsilon) in seen.items()]
            each[panel.id] = NearKept(near.sample, _within(relative, near.sample), _nearest(linked, relative))
    return each


def _telling(state: DocumentState, panel: PanelState, near: Surroundings) -> list[str]:
    """The views of a panel whose kernel there is a function of the distances that are known."""
    method = get_method(panel.method)
    if not method.epsilon_matters(panel_params(state, panel, method)):
        return []
    own = panel_view(state, panel)
    views = (own,) if method.max_views == 1 and own is not None else panel_views(state, panel, method)
    kernels = {
        view: (panel_kernel(state, panel, view), panel_kernel(state, None, view))
        for view in views[: method.max_views or None]
        if view in near.views and state.find_view(view) is not None
    }
    return [v for v, (own, shared) in kernels.items() if by_distance(own) and _same_distances(own, shared)]


def _same_distances(first: Kernel, second: Kernel) -> bool:
    return (first.kind.metric, first.metric) == (second.kind.metric, second.metric)


def _within(relative: Array, sample: int) -> Indices:
    rows = np.flatnonzero(relative <= 1.0)
    others: Indices = rows[rows != sample]
    return others


def _nearest(linked: list[Indices], relative: Array) -> Indices:
    rows: Indices = linked[0] if len(linked) == 1 else np.unique(np.concatenate(linked))
    return rows[np.argsort(relative[rows], kind="stable")[:MOST_LINKS]]


def no_reach_words(kernel: Kernel) -> str:
    """Why a kernel has no σ within which neighbours lie."""
    return f"{kernel.kind.title}: the affinities are no function of the distance alone."


def unringed_words(state: DocumentState) -> str:
    """Why nothing is ringed by some of the ticked views, a line for each of their kernels; empty where all tell."""
    views: dict[str, list[str]] = {}
    for name in state.enabled:
        kernel = panel_kernel(state, None, name)
        if not by_distance(kernel):
            views.setdefault(no_reach_words(kernel), []).append(name)
    few = 3  # views that are named
    return "\n".join(
        f"{', '.join(names) if len(names) <= few else counted(len(names), 'view')}: nothing is ringed. {why}"
        for why, names in views.items()
    )
