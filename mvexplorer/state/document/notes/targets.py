"""Targets of notes: the samples that each points at now, and how notes follow them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.notes.note import Note
from mvexplorer.state.document.selection import rows_of
from mvexplorer.state.document.selections import elided
from mvexplorer.state.document.snapshots import Snapshot, Snapshots
from mvexplorer.wording import counted, one_line


@dataclass(frozen=True, eq=False)
class DrawnNote:
    """A note that has a target."""

    number: int
    """Its place among all notes."""
    note: Note
    rows: npt.NDArray[np.intp]
    """The samples that it points at, (n,)."""


def drawn_notes(state: DocumentState, panel: str, n_samples: int) -> tuple[DrawnNote, ...]:
    """The notes of a panel that have a target among so many samples."""
    own = ((i, note, target_rows(state, note, n_samples)) for i, note in enumerate(state.notes) if note.panel == panel)
    return tuple(DrawnNote(i, note, rows) for i, note, rows in own if len(rows))


def target_rows(state: DocumentState, note: Note, n_samples: int) -> npt.NDArray[np.intp]:
    """The samples (n,) that a note points at; none where they, or its selection, are gone."""
    named = state.selections.find(note.selection) if note.selection else None
    rows = rows_of(note.samples if not note.selection else named.samples if named is not None else ())
    there: npt.NDArray[np.intp] = rows[rows < n_samples]
    return there


def absence(state: DocumentState, note: Note, n_samples: int) -> str:
    """Why a note is not drawn, in a few words; empty where it is."""
    if note.panel not in {panel.id for panel in state.shown}:
        return "its panel is not on show"
    if len(target_rows(state, note, n_samples)):
        return ""
    return f"there is no selection “{one_line(note.selection)}”" if note.selection else "its samples are not here"


def target_of(state: DocumentState, kept: int | None) -> dict[str, Any]:
    """The fields of a note that point at what is selected, by its name if it has one, else at the kept sample."""
    named = (each.name for each in reversed(state.selections.named) if each.samples == state.selection)
    if state.selection:
        name = next(named, "")
        return {"selection": name, "samples": () if name else state.selection}
    return {"selection": "", "samples": () if kept is None else (kept,)}


def target_words(target: Mapping[str, Any], data: MultiView | None) -> str:
    """Name what a note with these fields points at, in few words."""
    selection, samples = str(target["selection"]), target["samples"]
    if selection:
        return f"“{elided(selection, 24)}”"
    if len(samples) == 1 and data is not None and samples[0] < data.n_samples:
        return f"sample {elided(data.sample_ids[samples[0]], 24)}"
    return counted(len(samples), "sample")


def notes_within(notes: tuple[Note, ...], places: Mapping[int, int]) -> tuple[Note, ...]:
    """The notes as a part of the samples has them: `places` maps rows to those of the part."""
    inside = [[places[row] for row in note.samples if row in places] for note in notes]
    return tuple(
        updated(note, {"samples": tuple(rows)})
        for note, rows in zip(notes, inside, strict=True)
        if rows or note.selection
    )


def pointing_at(state: DocumentState, name: str, new: str) -> DocumentState:
    """The state in which notes follow a selection to its new name, those of snapshots too."""

    def follow(snapshot: Snapshot) -> Snapshot:
        notes = snapshot.state.get("notes")
        if not isinstance(notes, list) or not any(map(points, notes)):
            return snapshot
        renamed = [each | {"selection": new} if points(each) else each for each in notes]
        return updated(snapshot, {"state": snapshot.state | {"notes": renamed}})

    def points(note: Any) -> bool:
        return isinstance(note, dict) and note.get("selection") == name  # a snapshot's state is not read before

    notes = tuple(updated(each, {"selection": new}) if each.selection == name else each for each in state.notes)
    kept = Snapshots(kept=tuple(map(follow, state.snapshots.kept)))
    return state.model_copy(update={"notes": notes, "snapshots": kept})
