"""Notes on a web page: each points at one of the samples that are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.multiview import Array
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.notes.targets import drawn_notes
from mvexplorer.ui.cloud.centres import medoid

Words = dict[str, Any]


def noted_samples(state: DocumentState, panel: str, n_samples: int) -> list[Words]:
    """The notes of a panel, each with all samples that it points at."""
    notes = drawn_notes(state, panel, n_samples)
    return [{"text": each.note.text, "place": list(each.note.place), "at": each.rows} for each in notes]


def placed_notes(notes: Iterable[Words], points: Array, rows: npt.NDArray[np.intp]) -> list[Words]:
    """The notes that have a target among the samples `rows`, each with the place of its medoid among them."""
    targets = [(note, np.flatnonzero(np.isin(rows, note["at"]))) for note in notes]
    return [note | {"at": int(places[medoid(points[rows[places]])])} for note, places in targets if len(places)]
