"""Errors, with ways out, for files whose rows cannot be paired with certainty."""

from __future__ import annotations

from collections.abc import Sequence

from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.errors import Offer, RowsError
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.joining.ids import IdColumn
from mvexplorer.io.joining.naming import Naming

SAME_SAMPLES = "Give every file the same samples."
CLASSES = "Put folders that are classes into one folder, and open that."


def list_files(parts: Sequence[Parts]) -> str:
    """List the names of files as part of a sentence: ``“a.csv” and “b.csv”``."""
    names = [f"“{part.path.name}”" for part in parts]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def capital(text: str) -> str:
    """Capitalise a text, which is not empty, to begin a sentence."""
    return text[0].upper() + text[1:]


def by_position(parts: Sequence[Parts], naming: Naming | None = None) -> list[Offer]:
    """Offer to pair rows by position, where that is possible and no name speaks against it; else []."""
    lengths = {len(X) for part in parts for X in part.views.values()}
    if len(lengths) != 1 or (naming is not None and not naming.keeps_order):
        return []
    why = "" if naming is None else ": the other ids stand in the same order"
    return [Offer(f"Pair by position{why}", {"join": "position"})]


def by_column(key: IdColumn) -> Offer:
    """Offer to join rows by a column."""
    return Offer(f"Join by {key.name or 'the first column'}", {"ids": key.name})


def other_order(namings: Sequence[Naming], parts: Sequence[Parts]) -> RowsError:
    """Build the error for columns, surest first, that may match by chance alone and would reorder the rows."""
    title = " and ".join(naming.title for naming in namings[:2])
    offers = [*(by_column(naming.first) for naming in namings[:2]), *by_position(parts)]
    return RowsError(
        f"The rows of {list_files(parts)} may not belong together by position: {title} of “{parts[0].path.name}” "
        "stands in every file, in another order, and nothing says whether it names the samples.",
        offers,
    )


def column_title(name: str) -> str:
    """Name a column as part of a sentence: ``column “id”``."""
    return f"column “{name}”" if name else "the first column"


def differently_formed(naming: Naming, parts: Sequence[Parts]) -> RowsError:
    """Build the error for names that differ only in case, punctuation or leading zeros."""
    first = min(naming.keys)
    key = naming.keys[first]
    file = next(f for f in sorted(naming.keys) if naming.keys[f].names != key.names)
    other = naming.keys[file]
    row = next(row for row, name in enumerate(key.values) if name not in other.names)
    twin = other.values[other.loose.index(key.loose[row])] if key.loose[row] in other.loose else other.values[0]
    text = (
        f"“{parts[first].path.name}” and “{parts[file].path.name}” name the same samples in different forms: "
        f"“{key.values[row]}” and “{twin}”."
    )
    return RowsError(text, [Offer("Join by these names", {"join": "id"}), *by_position(parts)], SAME_SAMPLES)


def other_samples(naming: Naming, parts: Sequence[Parts]) -> RowsError:
    """Build the error for samples that are not in all files."""
    first, *_ = files = sorted(naming.keys)
    own = naming.keys[first].names
    file = next(f for f in files if naming.keys[f].names != own)
    odd = min(own ^ naming.keys[file].names)
    shared = len(naming.shared)
    counts = [f"{shared:,} of {len(naming.keys[f].values):,}" for f in files]
    text = (
        f"“{parts[file].path.name}” names other samples than “{parts[first].path.name}”, for example “{odd}”: "
        f"{', '.join(counts[:-1])} and {counts[-1]} samples are in {'both' if len(files) == 2 else 'all'} files."
    )
    keep = Offer(f"Keep the {shared:,} shared samples", {"join": "intersect"})
    every = len(frozenset().union(*(naming.keys[f].names for f in files if parts[f].views)))
    fill = Offer(f"Keep all {every:,}, filled in from the other views", {"samples": "union"})
    pictures = all(parts[f].images is not None for f in files)
    offers = [*([keep, fill] if shared >= MIN_SAMPLES else []), *by_position(parts, naming)]
    return RowsError(text, offers, CLASSES if pictures else SAME_SAMPLES)
