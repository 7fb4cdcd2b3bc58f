"""How many runs a permutation test has, and how many more are offered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mvexplorer.engine.analysis.null_band import NullBand
from mvexplorer.state.batches.checks import Found
from mvexplorer.state.document.check_choices import RUNS, CheckChoices

ENOUGH = 19
"""Runs from which on p can reach .05."""


def bands_of(answers: Found, chosen: str, views: Sequence[str]) -> dict[str, NullBand]:
    """The bands of the chosen view or, where none of `views` is chosen, of all, in the order of the views."""
    order = [view for view in views if view in answers.null]
    order += [view for view in answers.null if view not in order]
    return {view: answers.null[view] for view in order if chosen not in views or view == chosen}


def runs_there(bands: Mapping[str, NullBand], *, stale: bool) -> int:
    """The number of runs that every chosen view has, for the present settings."""
    return 0 if stale else min((band.n for band in bands.values()), default=0)


def runs_wanted(there: int, choices: CheckChoices) -> int:
    """The number of runs to ask for: the chosen one, or the next larger where those are there; 0 beyond the largest."""
    return choices.runs if there < choices.runs else next((n for n in RUNS if n > there), 0)


def button_words(there: int, wanted: int) -> str:
    """The words on the button that asks for them; empty where there are no more."""
    if not wanted:
        return ""
    return f"Run {wanted - there} more" if there else f"Run {wanted}"
