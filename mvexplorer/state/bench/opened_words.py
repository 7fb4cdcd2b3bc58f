"""The words about files that open at once, as nothing in them is in doubt."""

from __future__ import annotations

from mvexplorer.engine.core.notices import ASSUMED, SAMPLE_NAMES, Notice
from mvexplorer.io.reading.inspection import UNNAMED, Inspection
from mvexplorer.wording import counted, listed


def opened_words(inspection: Inspection) -> Notice | None:
    """The samples, views, ids and label of inspected files: about ids where it tells all of them, and in fewer words.

    Of a table that was turned its header names the samples; a note of its own says so.
    """
    if inspection.loaded is None:
        return None
    data, files = inspection.loaded.data, {item.file for item in inspection.items}
    views = [f"{name} ({counted(X.shape[1], 'column')})" for name, X in zip(data.view_names, data.Xs, strict=True)]
    most = 3  # views that are named
    rest = len(views) - most
    shown = listed([*views[:most], *([f"{rest} more"] if rest > 0 else [])])
    ids = {item.file: item.name for item in inspection.items if item.role == "id" and item.name}
    columns = {name for note in inspection.loaded.notes if note.code == SAMPLE_NAMES for name in note.subjects}
    whole = ids.keys() == files and (columns.issuperset(ids.values()) or not columns)
    names = listed([f"“{name}”" for name in dict.fromkeys(ids.values())])
    by = f", {'joined' if len(files) > 1 else 'named'} by {names}" if whole else ""
    label = f"; labelled by “{inspection.label}”" if inspection.label else ""
    sentence = f"Opened {counted(data.n_samples, 'sample')} in {counted(data.n_views, 'view')}{by}: {shown}{label}."
    words = f"{sentence} {UNNAMED}" if inspection.join.startswith(UNNAMED) else sentence
    return Notice(SAMPLE_NAMES if whole else ASSUMED, words)
