"""The declaration of a kind of colouring whose values a background job computes from the panels' results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.scheduler import Job
from mvexplorer.engine.api.cost import NOTHING, Estimate
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.state.pictures.panel_result import PanelResult


@dataclass(frozen=True)
class Ground:
    """The ground that colourings are derived from: the document, and each panel's result by its id."""

    state: DocumentState
    data: MultiView
    result_of: Callable[[str], PanelResult]

    def shown(self, panel: str) -> Result | None:
        """The picture that a panel shows of these samples; None where it has none, or could not be computed."""
        if self.state.find_panel(panel) is None:
            return None
        result = self.result_of(panel)
        if result.result is None or result.status == "failed":
            return None
        return result.result if len(result.result.embedding.coordinates) == self.data.n_samples else None


def settled(result: PanelResult) -> bool:
    """Whether a panel shows its answer, and neither waits for one nor shows the draft of a drag."""
    draft = result.result is not None and result.result.request.interactive
    return result.status != "computing" and not draft


@dataclass(frozen=True)
class ColouringRequest:
    """One colouring that is to be computed; `colouring` makes it of the job's answer."""

    job: Job
    colouring: Callable[[Any], Colouring]
    panels: tuple[str, ...]
    """The panels whose results it comes from: it is computed anew when one of them has another."""
    settings: tuple[Any, ...] = ()
    """All else that it depends on and its source does not say; compared by value."""
    cost: Estimate = NOTHING
    slot: str = ""
    """The scheduler's slot, where a later question is to replace this one; by default one of its own."""


@dataclass(frozen=True)
class Kind:
    """A kind of derived colouring; its sources are ``KIND:REST``, and functions take the REST."""

    ask: Callable[[Ground, str], ColouringRequest | None]
    """Returns the colouring to compute; None where the source names nothing (any more)."""
    title: Callable[[DocumentState, MultiView | None, str], str]
    group: str = ""
    """The heading of its sources in the list of colourings."""
    offered: Callable[[Ground], tuple[str, ...]] = lambda ground: ()
    """Returns the RESTs to list there."""
    script: Callable[[DocumentState, str, Mapping[str, str]], str] = lambda state, rest, names: ""
    """Takes the variables of the panels' embeddings by panel, too, and returns the Python expression that computes the
    values; empty where there is none."""
