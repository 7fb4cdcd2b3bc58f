"""How much each view counts in what is on show: its weight by equal volume, and its share in a step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mvexplorer.engine.pipeline.view_share import SHARE
from mvexplorer.engine.pipeline.view_weights import IN_EFFECT
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.panel_result import PanelResult


@dataclass(frozen=True)
class WeightsOnShow:
    """The weights by equal volume and the shares in a step of a panel's views, by name; `title` is the panel's."""

    title: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)


def weights_on_show(state: DocumentState, results: Mapping[str, PanelResult]) -> WeightsOnShow:
    """The weights and shares that the first panel tells which follows the shared weights."""
    for panel in state.shown:
        shown = results.get(panel.id)
        if shown is None or shown.result is None or "view_weights" in panel.pins:
            continue
        info = shown.result.embedding.info
        weights, shares = _by_view(info, IN_EFFECT), _by_view(info, SHARE)
        if weights or (shares and not state.equal_volume):
            return WeightsOnShow(panel_title(state, panel), weights, shares)
    return WeightsOnShow()


def _by_view(info: Mapping[str, float], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): value for name, value in info.items() if name.startswith(prefix)}
