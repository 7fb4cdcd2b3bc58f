"""Pairs the rows of several files by the samples' names, else by position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import numpy as np

from mvexplorer.engine.core.dates import texts_or_dates
from mvexplorer.engine.core.notices import (
    ABSENT,
    BY_POSITION,
    NO_HEADER,
    NUMBERS_AS_NAMES,
    OFFERED_COLUMN,
    REORDERED,
    SAMPLE_NAMES,
    SHARED_NUMBERS,
    Notice,
)
from mvexplorer.errors import RowsError
from mvexplorer.io.base.converted import refuse_large, taken
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import UNLABELLED, Parts, Values
from mvexplorer.io.base.text import is_number
from mvexplorer.io.base.union import kept_of
from mvexplorer.io.joining.ids import IdColumn, canonical_names, keys_of, only_adds, real_keys
from mvexplorer.io.joining.naming import ROW_NUMBERS, Naming, Rows, namings
from mvexplorer.io.joining.repeats import faulty_names, rows_told_apart
from mvexplorer.io.joining.row_errors import (
    SAME_SAMPLES,
    by_column,
    by_position,
    capital,
    column_title,
    differently_formed,
    list_files,
    other_order,
    other_samples,
)
from mvexplorer.io.joining.unpaired import refuse_parts_of_one, tell_other_names
from mvexplorer.wording import listed


def align_rows(parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """Bring the rows of all files into the order of the first, in place; remove sample names from the features.

    A column of text or whole numbers, all different, with the same values in every file names the samples, whatever it
    is called. Less certain cases are errors with offers.
    """
    if len(parts) == 1:
        return _tell_apart({} if parts[0].ids is None else {0: keys_of(parts[0], None)[0]}, parts, options)
    if options.join == "position":
        refuse_parts_of_one(parts)
        return [Notice("joined", "The rows of all files were paired by position, as asked.")]
    _count_rows(parts)
    wanted = options.ids if any(_has_column(part, options.ids) for part in parts) else None
    candidates = sorted(namings(parts, wanted), key=lambda naming: naming.rank)
    if not candidates:
        return _by_position(parts, options)
    # Row numbers that pandas writes date from after any shuffling: they identify nothing.
    counters = [naming for naming in candidates if naming.counts_positions]
    left_out = _tell_apart((next((n for n in candidates if n not in counters), candidates[0])).keys, parts, options)
    if left_out:
        return [*left_out, *align_rows(parts, options)]
    chosen = _settled([n for n in candidates if n not in counters] or candidates, parts, options, wanted)
    agreeing = [n for n in candidates if n is not chosen and n.rank[:2] == (0, 0) and n.pairs_like(chosen)]
    agreeing += [n for n in counters if n is not chosen and n not in agreeing]
    notes = _carry_out(chosen, agreeing, parts, wanted, united=options.samples == "union")
    return notes if wanted is not None or options.join is not None else [_doubted(chosen, note) for note in notes]


def _doubted(naming: Naming, note: Notice) -> Notice:
    """Return the note, or a doubt if it says that rows were moved by numbers that nothing marks as names."""
    if note.code != REORDERED or naming.is_usual or not all(map(is_number, naming.first.values)):
        return note
    names = tuple(dict.fromkeys(key.name for key in naming.keys.values()))
    titles = " and ".join(f"“{name}”" for name in names[:2])
    text = f"{note} {titles} hold{'s' * (len(names) == 1)} the same numbers in every file, in another order; "
    return Notice(NUMBERS_AS_NAMES, f"{text}if they are measurements, pair the rows by position.", names)


def _count_rows(parts: Sequence[Parts]) -> None:
    """Let an index that is known to count the rows name them, beside one of whole numbers in another order."""
    indices = [canonical_names(part.ids) for part in parts if part.ids is not None and part.id_name in ROW_NUMBERS]
    if any(all(name.removeprefix("-").isdigit() for name in names) for names in indices):
        for part in parts:
            if part.counted and part.ids is None:
                part.ids, part.id_name = np.arange(_count(part)).astype(str), ""


def _tell_apart(keys: Mapping[int, IdColumn], parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """Leave out rows that share a name, or have none, in place, where the options say so."""
    if options.repeated is None:
        return []
    rows, notices = rows_told_apart(keys, parts, options.repeated)
    n_rows = {len(key.values): rows.get(file) for file, key in keys.items()}
    for file, part in enumerate(parts):
        stay = rows.get(file) if file in keys else n_rows.get(_count(part))
        if stay is not None:
            take_rows(part, stay)
    return notices


def _has_column(part: Parts, name: str | None) -> bool:
    features = (feature for names in part.features.values() for feature in names)
    return name is not None and (name in part.columns or name in features or (part.id_name == name))


def _settled(candidates: Sequence[Naming], parts: Sequence[Parts], options: ReadOptions, wanted: str | None) -> Naming:
    """Choose the columns to join by; RowsError if that is uncertain."""
    best = candidates[0]
    if best.state == "faulty":
        raise faulty_names(best, parts)
    if best.state == "loose" and options.join != "id":
        raise differently_formed(best, parts)
    if not best.shared:
        refuse_parts_of_one(parts)
    if best.state == "partial" and options.join != "intersect" and options.samples is None:
        raise other_samples(best, parts)
    if best.nameless and options.join is not None:
        name = parts[best.nameless[0]].path.name
        offers = by_position(parts)
        raise RowsError(f"No column of “{name}” names the samples as the other files do.", offers, SAME_SAMPLES)
    if wanted is None and best.state == "same" and options.join is None:
        _refuse_contradiction([n for n in candidates if n.rank[:2] == best.rank[:2]], parts)
    return best


def _refuse_contradiction(equals: Sequence[Naming], parts: Sequence[Parts]) -> None:
    certain = [naming for naming in equals if naming.is_certain]
    if not certain and not _keeps_order(equals[0]):
        raise other_order(equals, parts)
    first, *others = certain or equals[:1]
    against = next((other for other in others if not first.pairs_like(other)), None)
    if against is not None:
        offers = [by_column(first.first), by_column(against.first), *by_position(parts)]
        text = f"{capital(first.title)} and {against.title} pair the rows of {list_files(parts)} in different ways."
        raise RowsError(text, offers)


def _keeps_order(naming: Naming) -> bool:
    return all(naming.names(file) == naming.names(min(naming.keys)) for file in naming.keys)


def _by_position(parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """Raise if fractions recur in every file in another order, tell if in the same: they may name the samples."""
    refuse_parts_of_one(parts)
    with_features = [part for part in parts if part.views]
    if options.join is not None:
        raise RowsError(
            f"No column names the same samples in {list_files(parts)}.", by_position(parts), "Name it with ids=."
        )
    named = next((part for part in parts if part.ids is not None), None)
    if named is not None:
        return [_told_position(part, named) for part in with_features if part.ids is None]
    if doubts := tell_other_names(parts, options):
        return doubts
    if len(with_features) < 2 or not all(part.features for part in with_features):
        return []
    recurring: list[Naming] = []
    doubtful: list[Naming] = []
    keys = real_keys(with_features)
    for key in keys[0]:
        others = [other for own in keys[1:] for other in own if other.names == key.names]
        if len(others) == len(keys) - 1:
            same = all(other.values == key.values for other in others)
            (recurring if same else doubtful).append(Naming({0: key}, "same", ()))
    if doubtful:
        raise other_order(doubtful, with_features)
    return [_told_recurring(naming.first.name, parts) for naming in recurring[:1]]


def _told_recurring(name: str, parts: Sequence[Parts]) -> Notice:
    text = (
        f"Column “{name}” holds the same fractions in {list_files(parts)}: it was taken as a feature of each, and the "
        "rows were paired by position."
    )
    return Notice(SHARED_NUMBERS, text, (name,))


def _carry_out(
    naming: Naming, agreeing: Sequence[Naming], parts: Sequence[Parts], wanted: str | None, *, united: bool
) -> list[Notice]:
    with_features = [file for file in sorted(naming.keys) if not only_adds(parts[file], naming.keys[file])]
    base = (with_features or sorted(naming.keys))[0]
    united = united and len({frozenset(naming.names(file)) for file in with_features}) > 1
    samples = naming.united(with_features) if united else []
    order = {f: naming.places(f, samples) if united else naming.order(f, base) for f in naming.keys}
    shown = naming.shown(samples) if united else naming.keys[base].shown[order[base]]
    sizes = {file: len(naming.keys[file].values) for file in naming.keys}
    titles: dict[str, list[str]] = {}
    for file, key in naming.keys.items():
        part = parts[file]
        titles.setdefault(take_out(part, key, naming.shared), []).append(part.path.name)
        take_out_numbers(part, [key, *(other.keys[file] for other in agreeing)])
        take_rows(part, order[file])
        part.ids, part.id_name = shown, wanted or key.name
    turned = {parts[file].path.name for file in naming.keys if parts[file].ids_in_header}
    notes = [_told_names(titles, turned)]
    moved = [parts[f].path.name for f in sorted(order) if (np.diff(order[f][order[f] >= 0]) < 0).any()]
    if moved:
        text = f"{', '.join(moved)}: the rows were put into the order of {parts[base].path.name}, by these names."
        notes.append(Notice(REORDERED, text, tuple(moved)))
    if len(shown) < max(sizes.values()) and not united:
        counts = ", ".join(f"{len(shown):,} of {sizes[file]:,} in {parts[file].path.name}" for file in sorted(sizes))
        text = f"Kept the {len(shown):,} samples present in all files: {counts}."
        n_named = len(naming.united(with_features))
        caption = kept_of(len(shown), n_named, len(sizes), "file") if n_named > len(shown) else ""
        notes.append(Notice(ABSENT, text, caption=caption))
    for file in naming.nameless:
        if _count(parts[file]) == sizes[base]:
            take_rows(parts[file], order[base])
        notes.append(_told_position(parts[file], parts[base]))
    return notes


def _count(part: Parts) -> int:
    return len(next(iter(part.views.values()), ()))


def _told_position(part: Parts, base: Parts) -> Notice:
    """Tell that rows were paired by position: a doubt, unless the other file's names only count its rows."""
    name, other = part.path.name, base.path.name
    text = f"{name} does not name its samples; its rows were paired with those of {other} by position"
    names = "the header" if base.ids_in_header else column_title(base.id_name or "")
    ids = [] if base.ids is None else canonical_names(base.ids)
    if any(ids == [str(row) for row in range(start, start + len(ids))] for start in (0, 1)):
        return Notice("joined", f"{text}, by which {names} of {other} numbers them.", (name,))
    whose = f"{names} of {other}"
    return Notice(BY_POSITION, f"{text}, and the samples' names are those of {whose}.", (name,))


def _told_names(titles: Mapping[str, Sequence[str]], turned: Set[str]) -> Notice:
    """Tell which columns name the samples; `titles`: column -> its files, `turned`: those whose header names them."""
    if len(titles) == 1 and not turned:
        words = f"{column_title(next(iter(titles)))} of every file was"
    else:
        each = [(name, file) for name, files in titles.items() for file in files]
        words = listed([f"{'the header' if f in turned else column_title(name)} of {f}" for name, f in each]) + " were"
    columns = tuple(name for name, files in titles.items() if not turned >= set(files))
    return Notice(SAMPLE_NAMES, f"{capital(words)} taken as the samples' names.", columns)


def take_out(part: Parts, key: IdColumn, shared: frozenset[str]) -> str:
    """Remove the samples' names from the columns, and the notes on them, in place; return the column's name.

    A first row that is none of the `shared` names, which all files have, is a header.
    """
    name = key.name
    if isinstance(key.place, str):
        del part.columns[key.place]
        if not part.has_feature_names and not part.views and not {key.values[0], *key.loose[:1]} & shared:
            name = str(key.shown[0])
            _take_header(part)
    about = {(OFFERED_COLUMN, (key.name,)), (SAMPLE_NAMES, (key.name,))}
    part.notes = [notice for notice in part.notes if (notice.code, notice.subjects) not in about]
    return name


def take_out_numbers(part: Parts, keys: Sequence[IdColumn]) -> None:
    """Remove sample numbers from the features, in place; all columns of them but the first stay for colouring."""
    for view in list(part.features):
        gone = [(key, key.place[1]) for key in keys if isinstance(key.place, tuple) and key.place[0] == view]
        for key, index in gone:
            if key is not keys[0]:
                part.columns[key.name] = part.views[view][:, index]
                part.note(f"column “{key.name}” numbers the samples as well and is no feature.")
        left = np.delete(np.arange(part.views[view].shape[1]), [index for _, index in gone])
        part.features[view] = tuple(part.features[view][index] for index in left)
        part.views[view] = taken(part.views[view], (slice(None), left))
        if not len(left):
            del part.views[view], part.features[view]


def _take_header(part: Parts) -> None:
    """Name the columns of a text table by its first row, which turned out to be a header."""
    part.columns = {str(values[0]): values for values in part.columns.values()}
    part.notes = [notice for notice in part.notes if notice.code != OFFERED_COLUMN and notice.code != NO_HEADER]
    for name, cells in part.columns.items():
        text = f"column “{name}” holds {texts_or_dates(cells)} and is offered for colouring."
        part.note(text, OFFERED_COLUMN, (name,))


def take_rows(part: Parts, rows: Rows) -> None:
    """Bring the n rows of a file into another order, `rows` (M,), in place.

    Where the file lacks a sample, -1, its numbers are NaN, its texts “unlabelled”, its pictures black.
    """
    part.views = {name: _taken(X, rows, name) for name, X in part.views.items()}
    part.columns = {name: _taken(values, rows) for name, values in part.columns.items()}
    part.coordinates = {name: _taken(values, rows) for name, values in part.coordinates.items()}
    part.labels = None if part.labels is None else _taken(part.labels, rows)
    part.ids = None if part.ids is None else _taken(part.ids, rows)
    part.images = None if part.images is None else _taken(part.images, rows)
    part.lacking |= bool((rows < 0).any())


def _taken(values: Values, rows: Rows, name: str = "") -> Values:
    gone = rows < 0
    if not gone.any():
        return taken(values, rows)
    refuse_large(values, name, "the samples that it lacks cannot be marked in it")
    if values.dtype.kind in "SUO":
        moved = values.astype(object)[rows]
        moved[gone] = UNLABELLED
        return moved if values.dtype.kind == "O" else moved.astype(str)
    if values.ndim > 2:  # pictures, which have no mark for what is missing
        moved = values[rows]
        moved[gone] = 0
        return moved
    moved = values[rows].astype(np.result_type(values.dtype, np.float32) if values.dtype.kind == "f" else np.float64)
    moved[gone] = np.nan
    return np.asarray(moved)
