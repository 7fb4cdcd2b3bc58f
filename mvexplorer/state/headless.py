"""A session or a comparison without a window: the same document, controller and requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mvexplorer.engine.methods import get_method
from mvexplorer.state.controller import Controller
from mvexplorer.state.document import Document
from mvexplorer.state.session import open_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.model import DocumentState
    from mvexplorer.state.panel_result import PanelResult


@dataclass(frozen=True)
class Finished:
    """Every panel of a state, computed and scored."""

    state: DocumentState
    data: MultiView
    results: dict[str, PanelResult]

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """(panel, method, NMI, k-NN, seconds) as text."""
        return [(p.id, *describe_result(get_method(p.method).id, self.results[p.id])) for p in self.state.panels]

    @property
    def failed(self) -> list[str]:
        """The error of every panel that failed."""
        return [f"{p.id}: {r.error}" for p in self.state.panels if (r := self.results[p.id]).error is not None]


def describe_result(method: str, found: PanelResult) -> tuple[str, str, str, str]:
    """(method, NMI, k-NN, seconds) as text."""
    if found.result is None:
        return method, "–", "–", "failed"
    seconds = f"{found.result.seconds:.2f}"
    if found.scores is None:
        return method, "–", "–", seconds
    nmi, knn = found.scores.nmi, found.scores.knn
    return method, f"{nmi.value:.3f} ± {nmi.spread or 0.0:.3f}", f"{knn.value:.3f}", seconds


def compute(state: DocumentState, data: MultiView) -> Finished:
    """Compute and score every panel of a state."""
    document = Document()
    controller = Controller(document)
    try:
        document.reset(state, data)
        controller.wait_idle()
        controller.on_idle()
        controller.wait_idle()
        return Finished(state, data, dict(controller.results))
    finally:
        controller.shutdown()


def run_session(path: str | Path, *, accept_changed: bool = False, say: Callable[[str], None] = print) -> Finished:
    """Open a session and compute it; SessionError if it cannot be opened."""
    opened = open_session(path, accept_changed=accept_changed)
    for note in opened.notes:
        say(note)
    return compute(opened.state, opened.data)
