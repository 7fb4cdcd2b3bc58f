"""What a kind of colouring declares whose values a background job computes from the panels' results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mvexplorer.engine.api.cost import NOTHING, Estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mvexplorer.compute.runner import Result
    from mvexplorer.compute.scheduler import Job
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.state.colouring import Colouring
    from mvexplorer.state.model import DocumentState
    from mvexplorer.state.panel_result import PanelResult


@dataclass(frozen=True)
class Ground:
    """What colourings are derived from: the document, and each panel's result by its id."""

    state: DocumentState
    data: MultiView
    result_of: Callable[[str], PanelResult]

    def shown(self, panel: str) -> Result | None:
        """The picture that a panel shows of these samples; None where it has none, or could not be computed."""
        if self.state.find_panel(panel) is None:
            return None
        found = self.result_of(panel)
        if found.result is None or found.status == "failed":
            return None
        return found.result if len(found.result.embedding.coordinates) == self.data.n_samples else None


def settled(found: PanelResult) -> bool:
    """Whether a panel shows its answer, and neither waits for one nor shows the draft of a drag."""
    draft = found.result is not None and found.result.request.interactive
    return found.status != "computing" and not draft


@dataclass(frozen=True)
class Asked:
    """One colouring that is to be computed.

    Parameters
    ----------
    job : Job
        Computes it.
    colouring : function
        Makes the colouring of the job's answer.
    panels : tuple of str
        The panels whose results it comes from: it is computed anew when one of them has another.
    settings : tuple
        What else it depends on and its source does not say; compared by value.
    cost : Estimate
        The memory of the job.
    slot : str
        The scheduler's slot, where a later question is to replace this one; by default one of its own.
    """

    job: Job
    colouring: Callable[[Any], Colouring]
    panels: tuple[str, ...]
    settings: tuple[Any, ...] = ()
    cost: Estimate = NOTHING
    slot: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of derived colouring; its sources are ``KIND:REST``.

    Parameters
    ----------
    ask : function of a Ground and REST
        What is to be computed; None where the source names nothing (any more).
    title : function of the state, the data and REST
        What the colouring is called.
    group : str
        The heading of its sources in the list of colourings.
    offered : function of a Ground
        The RESTs to list there.
    script : function of the state, REST and the variables that hold the panels' embeddings by panel
        The Python expression that computes the values; empty where there is none.
    """

    ask: Callable[[Ground, str], Asked | None]
    title: Callable[[DocumentState, MultiView | None, str], str]
    group: str = ""
    offered: Callable[[Ground], tuple[str, ...]] = lambda ground: ()
    script: Callable[[DocumentState, str, Mapping[str, str]], str] = lambda state, rest, names: ""
