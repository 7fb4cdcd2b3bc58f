"""The questions that files leave open, each with what settles it: what the import page asks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mvexplorer.engine.core.notices import ABSENT, DOMINANT_COLUMN, RAW_COUNTS, UNEVEN_SCALES, Notice
from mvexplorer.errors import Offer
from mvexplorer.io.reading.inspection import Inspection
from mvexplorer.state.bench.message import Level

Ways: TypeAlias = "Callable[[Notice], tuple[Offer, ...]]"
"""What settles a notice."""

TREATMENTS = {
    RAW_COUNTS: ("log1p", "log(1 + x) of {}"),
    UNEVEN_SCALES: ("zscore", "z-score {}"),
    DOMINANT_COLUMN: ("zscore", "z-score {}"),
}
"""Code of a notice -> the preprocessing that helps, and the words on its button."""


@dataclass(frozen=True)
class ImportQuestion:
    """Something in the way or in doubt, and the offers that settle it: an error is only what nobody can settle here."""

    level: Level
    text: str
    hint: str
    offers: tuple[Offer, ...]


def import_questions(
    inspection: Inspection | None, first: ImportQuestion | None, offers_for: Ways, *, guessed: bool
) -> list[ImportQuestion]:
    """After what is `first` in the way comes what is in doubt, then what is offered.

    A warning is what spoils distances, and what the program chose by itself (`guessed`) where that costs samples.
    """
    questions = [] if first is None else [first]
    if inspection is None:
        return questions
    questions += [ImportQuestion("warning", str(doubt), "", offers_for(doubt)) for doubt in inspection.doubts]
    warns = {note: note.code in TREATMENTS or (guessed and note.code == ABSENT) for note in inspection.notes}
    offered = [note for note in sorted(inspection.notes, key=lambda note: not warns[note]) if offers_for(note)]
    levels: dict[bool, Level] = {True: "warning", False: "info"}
    return questions + [ImportQuestion(levels[warns[note]], str(note), "", offers_for(note)) for note in offered]


def treatment(notice: Notice, raw: tuple[str, ...], n_views: int) -> tuple[Offer, ...]:
    """Offer the preprocessing that a notice proposes, of the views that are still as they are in the files."""
    if notice.code not in TREATMENTS or not raw:
        return ()
    how, words = TREATMENTS[notice.code]
    most = 3  # names on a button
    which = "all views" if len(raw) == n_views > 1 else ", ".join(raw[:most])
    return (Offer(words.format(which), {"treatment": (raw, how)}),)
