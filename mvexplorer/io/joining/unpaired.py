"""Files of which nothing says that row i of each is the same sample: other names, or parts of one table."""

from __future__ import annotations

from collections.abc import Sequence

from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.engine.core.notices import BY_POSITION, Notice
from mvexplorer.errors import RowsError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.joining.ids import IdColumn, keys_of
from mvexplorer.io.joining.row_errors import SAME_SAMPLES, by_position, capital, column_title, list_files


def refuse_parts_of_one(parts: Sequence[Parts]) -> None:
    """Refuse tables of the same columns and different rows, such as training and test samples (RowsError)."""
    tables = [part for part in parts if part.views]
    heads = {tuple(part.features.values()) if part.has_feature_names else () for part in tables}
    counts = [len(next(iter(part.views.values()))) for part in tables]
    if len(tables) < 2 or len(heads) > 1 or () in heads or len(set(counts)) == 1:
        return
    rows = f"{', '.join(f'{count:,}' for count in counts[:-1])} and {counts[-1]:,}"
    raise RowsError(
        f"{list_files(tables)} have the same columns and different rows ({rows}): they look like parts of one table.",
        [],
        "Put the rows of all into one file; views of the same samples have other columns, and the same rows.",
    )


def tell_other_names(parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """Doubt the pairing where columns of every file could name the samples and have no value in common.

    RowsError where the samples of all files are wanted, or the files have different numbers of rows.
    """
    tables = [part for part in parts if part.views]
    candidates = [next((key for key in keys_of(part, None) if _names(key)), None) for part in tables]
    keys = [key for key in candidates if key is not None]
    if len(tables) < 2 or len(keys) < len(tables):
        return []
    titles = [f"{column_title(key.name)} of {part.path.name}" for key, part in zip(keys, tables, strict=True)]
    listed = f"{', '.join(titles[:-1])} and {titles[-1]}"
    few = "no value" if not frozenset.intersection(*(key.names for key in keys)) else "hardly any value"
    text = f"{capital(listed)} could name the samples and share {few}"
    if options.samples == "union" or len({len(key.values) for key in keys}) > 1:
        raise RowsError(f"{text}.", by_position(tables), SAME_SAMPLES)
    names = tuple(part.path.name for part in tables)
    return [Notice(BY_POSITION, f"{text}; the rows were paired by position.", names)]


def _names(key: IdColumn) -> bool:
    return key.kind == "text" and not key.faulty and len(key.values) >= MIN_SAMPLES
