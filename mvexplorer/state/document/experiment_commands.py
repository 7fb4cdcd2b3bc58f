"""The edit by which an experiment's knob is turned, an undo step with a name."""

from __future__ import annotations

from collections.abc import Mapping

from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, Scalar, sharing


def turn(document: Document, words: str, epsilon: float | str | None, params: Mapping[str, Scalar]) -> None:
    """Give ticked views a bandwidth, and parameters other values: in the pin where a panel pins them, else shared."""

    def edit(state: DocumentState) -> DocumentState:
        pinned = {name for panel in state.panels for name in panel.pins}
        changes: dict[str, object] = {
            "panels": tuple(
                updated(p, {"pins": {name: params.get(name, value) for name, value in p.pins.items()}})
                for p in state.panels
            ),
            "params": {**state.params, **{name: value for name, value in params.items() if name not in pinned}},
        }
        if epsilon is not None:
            own: dict[str, object] = {"epsilon": epsilon}
            own |= {"rule": epsilon} if parse_bandwidth(epsilon).rule is not None else {}
            views = tuple(updated(v, own) if v.enabled else v for v in state.views)
            changes |= {"views": views, "epsilon_scale": 1.0}
        changed = updated(state, changes)
        return changed if epsilon is None else sharing(changed)

    document.apply(words, edit)
