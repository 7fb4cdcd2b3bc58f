"""Messages of the window to its user, with buttons for what can be done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import MissingValuesError, MVExplorerError, RowsError
from mvexplorer.state.bench.recovery import Offer

Level: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True)
class Message:
    """Something to tell the user, with buttons for what can be done."""

    level: Level
    text: str
    hint: str = ""
    offers: tuple[Offer, ...] = ()
    holds: Callable[[MultiView], bool] | None = None
    """Whether it is true of the data; None for one that stays until other data is opened."""
    of_data: bool = False
    """Whether it belongs to the data, however it was read: it comes back where undo leads back to that."""
    first: bool = False
    """Whether it stands before all others, as it tells what was just done."""


def message_of_refusal(error: MVExplorerError, read: Callable[[Mapping[str, Any]], object]) -> Message:
    """Why files were not opened, with the ways to `read` them otherwise that the error knows."""
    if not isinstance(error, MissingValuesError | RowsError):
        return Message("error", error.message, error.hint)
    offers = tuple((offer.title, partial(read, offer.options)) for offer in error.offers)
    if isinstance(error, MissingValuesError):
        return Message("error", error.message, "How should missing values be handled?", offers)
    return Message("error", error.message, "How should the rows be matched?" if offers else error.otherwise, offers)
