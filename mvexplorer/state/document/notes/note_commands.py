"""The edits of notes on pictures and of class names, each one step of undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mvexplorer.errors import ParameterError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.notes.note import Note, checked_text
from mvexplorer.state.document.selections import elided

SHORT = 40
"""Most characters of a note in the name of an edit."""


def add_note(
    document: Document, panel: str, text: str, place: tuple[float, float], selection: str, samples: Sequence[int]
) -> None:
    """Put a text on a panel's picture, with an arrow to a named selection or to samples."""
    if not selection and not samples:
        raise ParameterError(
            "There is nothing for a note to point at.", "Select samples, or click one, and add the note then."
        )
    checked = checked_text(text)
    note = Note(text=checked, panel=panel, selection=selection, samples=tuple(samples), place=_within(place))
    _put(document, f"Add note {elided(checked, SHORT)}", (*document.state.notes, note))


def change_note(document: Document, number: int, text: str) -> None:
    """Write another text."""
    checked = checked_text(text)
    _change(document, f"Change note to {elided(checked, SHORT)}", number, {"text": checked})


def move_note(document: Document, number: int, place: tuple[float, float], *, interactive: bool = False) -> None:
    """Put a note's text elsewhere beside its target; a drag is one step."""
    label = f"Move note {_words(document, number)}"
    _change(document, label, number, {"place": _within(place)}, merge=f"note {number}", interactive=interactive)


def delete_note(document: Document, number: int) -> None:
    """Take a note away."""
    left = tuple(note for i, note in enumerate(document.state.notes) if i != number)
    _put(document, f"Delete note {_words(document, number)}", left)


def name_classes(document: Document, on: bool) -> None:
    """Write the classes' names at their centres on every picture, or not."""
    label = "Show class names on the map" if on else "Hide class names on the map"
    document.apply(label, lambda state: state.model_copy(update={"class_names": on}))


def _within(place: tuple[float, float]) -> tuple[float, float]:
    """An offset that a note may have, without digits that nobody sees."""
    across, down = (round(min(1.0, max(-1.0, each)), 4) for each in place)
    return across, down


def _words(document: Document, number: int) -> str:
    notes = document.state.notes
    return elided(notes[number].text, SHORT) if number < len(notes) else ""


def _change(document: Document, label: str, number: int, changes: dict[str, Any], **how: Any) -> None:
    notes = document.state.notes
    _put(document, label, tuple(updated(n, changes) if i == number else n for i, n in enumerate(notes)), **how)


def _put(document: Document, label: str, notes: tuple[Note, ...], **how: Any) -> None:
    document.apply(label, lambda state: state.model_copy(update={"notes": notes}), **how)
