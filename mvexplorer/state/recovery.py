"""What a window offers where a session's data is gone or is other data, and what it tells of an opened session."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import ChangedDataError, MVExplorerError, SessionDataError
from mvexplorer.state.session import LOCATED, RECOLOURED
from mvexplorer.state.session_file import NEWER

if TYPE_CHECKING:
    from collections.abc import Iterable

Offer = tuple[str, Callable[[], object]]
"""What a button says, and what it does."""
AskPlace = Callable[[bool], Path | None]
"""Asks for a folder (True), or for a file; None where the user changed their mind."""


def ways_to_data(error: MVExplorerError, again: Callable[..., object], ask: AskPlace) -> tuple[Offer, ...]:
    """The buttons beside an error of a session: its data may be elsewhere, or be taken as it is now."""
    if not isinstance(error, SessionDataError):
        return ()

    def locate(folder: bool) -> None:
        place = ask(folder)
        if place is not None:
            again(data=place)

    ways = (("Locate folder …", partial(locate, True)), ("Locate file …", partial(locate, False)))
    changed = (("Open anyway", partial(again, accept_changed=True)),)
    return (*(changed if isinstance(error, ChangedDataError) else ()), *ways)


def told_by_session(notes: Iterable[str]) -> list[str]:
    """What an opened session tells; what was assumed of its files was told when they were opened first."""
    codes = (RECOLOURED.code, LOCATED, NEWER)
    return [str(note) for note in notes if isinstance(note, Notice) and note.code in codes]
