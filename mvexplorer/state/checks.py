"""Whether pictures are real: null tests and stability of the panels, run by run, as the user asks for them.

Lives on the document's thread. Each run is a job in the scheduler, so that a test can be watched and stopped; runs that
answer a former request of their panel are kept and marked, until they are asked for again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from psygnal import Signal

from mvexplorer.errors import MVExplorerError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mvexplorer.compute.request import Request
    from mvexplorer.engine.analysis.null_band import NullBand
    from mvexplorer.engine.analysis.stability import Kind, Stability
    from mvexplorer.state.controller import Controller

RUNS = 10
"""Shuffles of each view that are computed first."""


@dataclass(frozen=True, eq=False)
class Found:
    """What is known of one panel.

    Parameters
    ----------
    null : mapping view -> NullBand
        The null test of each view asked for, by all runs so far; the key is empty where labels were shuffled.
    stability : mapping kind -> Stability
        By all runs so far.
    done, total : int
        Runs that have ended, of those asked for last.
    running : bool
        Whether runs are still to come.
    problem : str
        Why there are none, in a sentence or two; empty where there are.
    outdated : bool
        All this was found for a former request of the panel: for another ε, say.
    """

    null: Mapping[str, NullBand] = field(default_factory=dict)
    stability: Mapping[Kind, Stability] = field(default_factory=dict)
    done: int = 0
    total: int = 0
    running: bool = False
    problem: str = ""
    outdated: bool = False


NOTHING = Found()


class Checks:
    """Null tests and stability of panels.

    Parameters
    ----------
    controller : Controller
    """

    changed = Signal(str)
    """The panel of which more is known, or no longer."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._found: dict[str, tuple[Request, Found]] = {}

    def of(self, panel: str) -> Found:
        """What is known of a panel; nothing where nothing was asked."""
        return self._found[panel][1] if panel in self._found else NOTHING

    def null_test(self, panel: str, view: str | None = None, n: int = RUNS, shuffle: str = "rows") -> None:
        """Shuffle a view of a panel, or each in turn, until there are `n` runs of each.

        Further runs add to those known. `shuffle` is ``rows``, ``circular``, or ``bursts:`` and a column of names.
        """
        raise MVExplorerError("Null tests are not there yet.", "")

    def stability(self, panel: str, kind: Kind = "parts", n: int = RUNS) -> None:
        """Compute a panel again on random parts, with noise, or without each of its views."""
        raise MVExplorerError("Stability is not there yet.", "")

    def stop(self, panel: str) -> None:
        """Stop the runs of a panel; keep what they found so far."""
