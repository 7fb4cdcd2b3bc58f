"""Names that do not tell samples apart, because rows share one or have none: refused with ways out, or left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from unicodedata import normalize

import numpy as np

from mvexplorer.engine.core.multiview import MIN_SAMPLES
from mvexplorer.engine.core.notices import Notice
from mvexplorer.errors import Offer, RowsError
from mvexplorer.io.base.options import Repeated
from mvexplorer.io.base.parts import Parts
from mvexplorer.io.joining.ids import BLANK, IdColumn
from mvexplorer.io.joining.naming import Naming, Rows
from mvexplorer.io.joining.row_errors import by_position, column_title
from mvexplorer.wording import counted

KEEP_FIRST = Offer("Keep the first of each repeated id", {"repeated": "first"})


def faulty_names(naming: Naming, parts: Sequence[Parts]) -> RowsError:
    """Build the error for a sample's name that is repeated or missing in some file."""
    file, key = next((file, key) for file, key in naming.keys.items() if key.faulty)
    text = f"“{parts[file].path.name}” {_fault(key)}, so its rows cannot be joined by name."
    repeated = any(_repeated(key) for key in naming.keys.values())
    offers = [KEEP_FIRST] if repeated and _can_stay(naming.keys, "first") else []
    if _can_stay(naming.keys, "drop"):
        gone = sum(len(key.values) - len(rows) for key, rows in _kept(naming.keys, "drop"))
        which = "whose id is repeated" if repeated else "without an id"
        offers.append(Offer(f"Leave out {gone:,} row{'s' * (gone != 1)} {which}", {"repeated": "drop"}))
    return RowsError(text, [*offers, *by_position(parts, naming)], "Give every sample one name of its own.")


def _fault(key: IdColumn) -> str:
    repeated, title = _repeated(key), column_title(key.name)
    if len(repeated) == 1 and key.values.count(repeated[0]) == 2:
        return f"names “{repeated[0]}” twice in {title}{_spelt(key, repeated)}"
    if repeated:
        count = sum(name in set(repeated) for name in key.values)
        text = f"names {len(repeated):,} samples several times in {title}, in {count:,} rows ({quoted(repeated)})"
        return f"{text}{_spelt(key, repeated)}"
    blank = sum(name in BLANK for name in key.values)
    return f"has {'a row' if blank == 1 else f'{blank:,} rows'} without a name in {title}"


def _spelt(key: IdColumn, repeated: Sequence[str]) -> str:
    """Say how a repeated name is spelt where its rows differ, as 1 and 1.0 do, or é in one character and in two."""
    for name in repeated:
        rows = [row for row, value in enumerate(key.values) if value == name]
        texts = dict.fromkeys(str(key.shown[row]).strip() for row in rows)
        if len({normalize("NFC", text) for text in texts}) > 1:
            return f", spelt {quoted(list(texts))}"
        if len(texts) > 1:
            return f", whose spellings look alike: {' and '.join(f'{len(text):,}' for text in texts)} characters"
    return ""


def quoted(names: Sequence[str]) -> str:
    """Quote the first of some names as part of a sentence: ``“a”, “b”, “c” …``."""
    first = names[:3]
    return ", ".join(f"“{name}”" for name in first) + " …" * (len(names) > len(first))


def _repeated(key: IdColumn) -> list[str]:
    return [name for name, count in Counter(key.values).items() if count > 1 and name not in BLANK]


def _can_stay(keys: Mapping[int, IdColumn], how: Repeated) -> bool:
    return all(len(rows) >= MIN_SAMPLES for _, rows in _kept(keys, how))


def _kept(keys: Mapping[int, IdColumn], how: Repeated) -> list[tuple[IdColumn, Rows]]:
    """List per file the rows that stay; a name that one file repeats says nothing in the others, either."""
    unclear = {name for key in keys.values() for name in _repeated(key)} if how == "drop" else set()
    kept = []
    for key in keys.values():
        first = {name: row for row, name in reversed(list(enumerate(key.values)))}
        rows = sorted(row for name, row in first.items() if name not in BLANK and name not in unclear)
        kept.append((key, np.array(rows, dtype=np.intp)))
    return kept


def rows_told_apart(
    keys: Mapping[int, IdColumn], parts: Sequence[Parts], how: Repeated
) -> tuple[dict[int, Rows], list[Notice]]:
    """Choose, for files that lose any, the rows that stay so that every name stands for one sample; tell of it."""
    rows, notices = {}, []
    for file, (key, stay) in zip(keys, _kept(keys, how), strict=True):
        if len(stay) == len(key.values):
            continue
        lost = [key.values[row] for row in np.setdiff1d(np.arange(len(key.values)), stay)]
        names = list(dict.fromkeys(name for name in lost if name not in BLANK))
        why = f"because their ids are repeated ({quoted(names)})" if names else "because they have no id"
        end = "; the first of each was kept" if how == "first" and names else ""
        path = parts[file].path.name
        text = f"{path}: {len(lost):,} of {len(key.values):,} rows were left out {why}{end}."
        rows[file] = stay
        caption = f"{counted(len(lost), 'row')} of {path} dropped for {'repeated ids' if names else 'want of an id'}"
        notices.append(Notice("repeats-left-out", text, (path,), caption=caption))
    return rows, notices
