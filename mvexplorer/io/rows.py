"""Which rows of several files are the same sample: by names where there are any, never by position in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.multiview import MIN_SAMPLES
from mvexplorer.errors import Offer, RowsError
from mvexplorer.io.ids import STATES, Key, State, keys_of, match, only_adds, real_keys
from mvexplorer.io.notices import NO_HEADER, OFFERED_COLUMN, Notice
from mvexplorer.io.options import ReadOptions
from mvexplorer.io.parts import Parts

Rows = npt.NDArray[np.intp]
SAME_SAMPLES = "Give every file the same samples."


@dataclass(frozen=True, eq=False)
class _Naming:
    """Columns of several files that name the same samples: one key per file (by its position), and how well they fit.

    `nameless` are the files with features but without such a column.
    """

    keys: dict[int, Key]
    state: State
    nameless: tuple[int, ...]

    @property
    def first(self) -> Key:
        return self.keys[min(self.keys)]

    @property
    def title(self) -> str:
        return f"“{self.first.name}”" if self.first.name else "the first column"

    @property
    def is_certain(self) -> bool:
        """Whether more than chance and a run of numbers speaks for it."""
        keys = self.keys.values()
        alike = len({key.name.casefold() for key in keys}) == 1 or all(key.is_usual for key in keys)
        return alike or not self.first.counts_rows

    @property
    def rank(self) -> tuple[int, ...]:
        """The smaller, the sooner it is believed."""
        return (len(self.nameless), STATES.index(self.state), self.first.kind != "text",
                sum(not key.is_usual for key in self.keys.values()))  # fmt: skip

    def names(self, file: int) -> tuple[str, ...]:
        """The names of a file's rows, in the form in which they are compared."""
        return self.keys[file].loose if self.state == "loose" else self.keys[file].values

    def order(self, file: int, base: int) -> Rows:
        """The rows of a file, for all rows of `base` that every file has."""
        if self.names(file) == self.names(base):
            return self._kept(base)
        place = {name: row for row, name in enumerate(self.names(file))}
        own = self.names(base)
        return np.array([place[own[row]] for row in self._kept(base)], dtype=np.intp)

    def _kept(self, base: int) -> Rows:
        shared = self.shared
        return np.array([row for row, name in enumerate(self.names(base)) if name in shared], dtype=np.intp)

    @property
    def shared(self) -> frozenset[str]:
        """The samples that every file names."""
        return frozenset.intersection(*(frozenset(self.names(file)) for file in self.keys))

    def pairs_like(self, other: _Naming) -> bool:
        """Whether both bring the rows together in the same way."""
        files = sorted(set(self.keys) & set(other.keys))
        return all(np.array_equal(self.order(f, files[0]), other.order(f, files[0])) for f in files[1:])


def align(parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """Bring the rows of all files into the order of the first, in place; names of samples leave the features.

    A column of text or of whole numbers, all different, that holds the same values in every file names the samples,
    whatever it is called. What is less certain is asked.

    Returns
    -------
    list of Notice
        What was done.

    Raises
    ------
    RowsError
        It is in doubt which rows belong together; its offers are the ways to decide it.
    """
    if options.join == "position":
        return [Notice("joined", "The rows of all files were paired by position, as asked.")]
    wanted = options.ids if any(_has_column(part, options.ids) for part in parts) else None
    found = sorted(_namings(parts, wanted), key=lambda naming: naming.rank)
    if not found:
        _refuse_other_order(parts, options)
        return []
    chosen = _settled(found, parts, options, wanted)
    agreeing = [n for n in found if n is not chosen and n.rank[:2] == (0, 0) and n.pairs_like(chosen)]
    return _carry_out(chosen, agreeing, parts, wanted)


def _has_column(part: Parts, name: str | None) -> bool:
    features = (feature for names in part.features.values() for feature in names)
    return name is not None and (name in part.columns or name in features or (part.id_name == name))


def _namings(parts: Sequence[Parts], wanted: str | None) -> list[_Naming]:
    """The columns of the first file that has some whose values return in other files, with those others."""
    keys = [keys_of(part, wanted) for part in parts]
    for file, own in enumerate(keys):
        found = [_naming(file, key, parts, keys, wanted is not None) for key in own]
        linked = [naming for naming in found if len(naming.keys) > 1]
        if linked:
            return linked
    return []


def _naming(file: int, key: Key, parts: Sequence[Parts], keys: Sequence[list[Key]], wanted: bool) -> _Naming:
    found, state, nameless = {file: key}, STATES[0], []
    for other, part in enumerate(parts):
        if other == file:
            continue
        fit = match(key, part, keys[other], wanted=wanted)
        if fit is not None:
            found[other], state = fit[1], max(state, fit[0], key=STATES.index)
        elif part.views:
            nameless.append(other)
    return _Naming(found, state, tuple(nameless))


def _settled(found: Sequence[_Naming], parts: Sequence[Parts], options: ReadOptions, wanted: str | None) -> _Naming:
    """The columns to join by; RowsError where that is in doubt."""
    best = found[0]
    if best.state == "faulty":
        raise _faulty(best, parts)
    if best.state == "loose" and options.join != "id":
        raise _loose(best, parts)
    if best.state == "partial" and options.join != "intersect":
        raise _partial(best, parts)
    if best.nameless and options.join is not None:
        name = parts[best.nameless[0]].path.name
        offers = _by_position(parts)
        raise RowsError(f"No column of “{name}” names the samples as the other files do.", offers, SAME_SAMPLES)
    if wanted is None and best.state == "same" and options.join is None:
        _refuse_contradiction([n for n in found if n.rank[:2] == best.rank[:2]], parts)
    return best


def _refuse_contradiction(namings: Sequence[_Naming], parts: Sequence[Parts]) -> None:
    certain = [naming for naming in namings if naming.is_certain]
    if not certain and not _keeps_order(namings[0]):
        raise _other_order(namings, parts)
    first, *others = certain or namings[:1]
    against = next((other for other in others if not first.pairs_like(other)), None)
    if against is not None:
        offers = [_by_column(first.first), _by_column(against.first), *_by_position(parts)]
        text = f"{_capital(first.title)} and {against.title} pair the rows of {_files(parts)} in different ways."
        raise RowsError(text, offers)


def _keeps_order(naming: _Naming) -> bool:
    return all(naming.names(file) == naming.names(min(naming.keys)) for file in naming.keys)


def _refuse_other_order(parts: Sequence[Parts], options: ReadOptions) -> None:
    """Without names: fractions that stand in every file, in another order, may name the samples."""
    with_features = [part for part in parts if part.views]
    if options.join is not None:
        raise RowsError(
            f"No column names the same samples in {_files(parts)}.", _by_position(parts), "Name it with ids=."
        )
    if len(with_features) < 2 or not all(part.features for part in with_features):
        return
    keys = real_keys(with_features)
    doubtful = []
    for key in keys[0]:
        others = [next((k for k in own if k.names == key.names), None) for own in keys[1:]]
        if all(other is not None for other in others) and any(other.values != key.values for other in others if other):
            doubtful.append(_Naming({0: key}, "same", ()))
    if doubtful:
        raise _other_order(doubtful, with_features)


def _carry_out(
    naming: _Naming, agreeing: Sequence[_Naming], parts: Sequence[Parts], wanted: str | None
) -> list[Notice]:
    with_features = [file for file in sorted(naming.keys) if not only_adds(parts[file], naming.keys[file])]
    base = (with_features or sorted(naming.keys))[0]
    order = {file: naming.order(file, base) for file in naming.keys}
    shown = naming.keys[base].shown[order[base]]
    sizes = {file: len(naming.keys[file].values) for file in naming.keys}
    notes = []
    for file, key in naming.keys.items():
        part = parts[file]
        _take_out(part, key, naming.shared)
        _take_out_numbers(part, [key, *(other.keys[file] for other in agreeing)])
        _take_rows(part, order[file])
        part.ids, part.id_name = shown, wanted or key.name
        if not np.array_equal(order[file], order[base]):
            by = f"“{key.name}”" if key.name else "the first column"
            text = f"{part.path.name}: the rows were put into the order of {parts[base].path.name}, by {by}."
            notes.append(Notice("reordered", text, (part.path.name,)))
    if len(shown) < max(sizes.values()):
        counts = ", ".join(f"{len(shown):,} of {sizes[file]:,} in {parts[file].path.name}" for file in sorted(sizes))
        notes.append(Notice("intersected", f"Only the samples that all files name were kept: {counts}."))
    for file in naming.nameless:
        if len(order[base]) < sizes[base] and len(_rows(parts[file])) == sizes[base]:
            _take_rows(parts[file], order[base])
        name, other = parts[file].path.name, parts[base].path.name
        text = f"{name} does not name its samples; its rows were paired with those of {other} by position."
        notes.append(Notice("by-position", text, (name,)))
    return notes


def _rows(part: Parts) -> range:
    return range(len(next(iter(part.views.values()))))


def _take_out(part: Parts, key: Key, shared: frozenset[str]) -> None:
    """Take the names of the samples out of the columns, and correct what was said of them."""
    if key.place is None:
        return
    name = key.name
    if isinstance(key.place, str):
        del part.columns[key.place]
        if not part.has_feature_names and not part.views and not {key.values[0], *key.loose[:1]} & shared:
            name = str(key.shown[0])
            _take_header(part)
    part.notes = [n for n in part.notes if (n.code, n.subjects) != (OFFERED_COLUMN, (key.name,))]
    part.note(f"column “{name}” was taken as the samples' names.")


def _take_out_numbers(part: Parts, keys: Sequence[Key]) -> None:
    """Take the numbers of the samples out of the features; what names them a second time can be coloured by."""
    for view in list(part.features):
        gone = [(key, key.place[1]) for key in keys if isinstance(key.place, tuple) and key.place[0] == view]
        for key, index in gone:
            if key is not keys[0]:
                part.columns[key.name] = part.views[view][:, index]
                part.note(f"column “{key.name}” numbers the samples as well and is no feature.")
        left = np.delete(np.arange(part.views[view].shape[1]), [index for _, index in gone])
        part.features[view] = tuple(part.features[view][index] for index in left)
        part.views[view] = part.views[view][:, left]
        if not len(left):
            del part.views[view], part.features[view]


def _take_header(part: Parts) -> None:
    """Call the columns of a table of text by its first row, which turned out to be a header."""
    part.columns = {str(values[0]): values for values in part.columns.values()}
    part.notes = [notice for notice in part.notes if notice.code != OFFERED_COLUMN and notice.code != NO_HEADER]
    for name in part.columns:
        part.note(f"column “{name}” holds text and is offered for colouring.", OFFERED_COLUMN, (name,))


def _take_rows(part: Parts, rows: Rows) -> None:
    part.views = {name: X[rows] for name, X in part.views.items()}
    part.columns = {name: values[rows] for name, values in part.columns.items()}
    part.labels = None if part.labels is None else part.labels[rows]
    part.images = None if part.images is None else part.images[rows]


# What is in doubt -------------------------------------------------------------------------------------------


def _files(parts: Sequence[Parts]) -> str:
    names = [f"“{part.path.name}”" for part in parts]
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _by_position(parts: Sequence[Parts]) -> list[Offer]:
    """The offer to pair rows by position, where that is possible."""
    lengths = {len(X) for part in parts for X in part.views.values()}
    return [Offer("Pair by position", {"join": "position"})] if len(lengths) == 1 else []


def _by_column(key: Key) -> Offer:
    return Offer(f"Join by {key.name or 'the first column'}", {"ids": key.name})


def _other_order(namings: Sequence[_Naming], parts: Sequence[Parts]) -> RowsError:
    title = " and ".join(naming.title for naming in namings[:2])
    offers = [*(_by_column(naming.first) for naming in namings[:2]), *_by_position(parts)]
    return RowsError(
        f"The rows of {_files(parts)} may not belong together by position: {title} of “{parts[0].path.name}” stands in "
        "every file, in another order.",
        offers,
    )


def _faulty(naming: _Naming, parts: Sequence[Parts]) -> RowsError:
    file, key = next((file, key) for file, key in naming.keys.items() if key.faulty)
    what = f"names “{key.fault}” twice" if key.fault else "has a row without a name"
    text = f"“{parts[file].path.name}” {what} in {_column(key)}, so its rows cannot be joined by name."
    return RowsError(text, _by_position(parts), "Give every sample one name of its own.")


def _column(key: Key) -> str:
    return f"column “{key.name}”" if key.name else "the first column"


def _loose(naming: _Naming, parts: Sequence[Parts]) -> RowsError:
    first = min(naming.keys)
    key = naming.keys[first]
    file = next(f for f in sorted(naming.keys) if naming.keys[f].names != key.names)
    other = naming.keys[file]
    row = next(row for row, name in enumerate(key.values) if name not in other.names)
    twin = other.values[other.loose.index(key.loose[row])] if key.loose[row] in other.loose else other.values[0]
    text = (
        f"“{parts[first].path.name}” and “{parts[file].path.name}” name their samples alike but for the form: "
        f"“{key.values[row]}” and “{twin}”."
    )
    return RowsError(text, [Offer("Join by these names", {"join": "id"}), *_by_position(parts)], SAME_SAMPLES)


def _partial(naming: _Naming, parts: Sequence[Parts]) -> RowsError:
    files = sorted(naming.keys)
    first = files[0]
    own = naming.keys[first]
    file = next(f for f in files if naming.keys[f].names != own.names)
    odd = min(own.names ^ naming.keys[file].names)
    shared = len(naming.shared)
    counts = [f"{shared:,} of {len(naming.keys[f].values):,}" for f in files]
    text = (
        f"“{parts[file].path.name}” names other samples than “{parts[first].path.name}”, for example “{odd}”: "
        f"{', '.join(counts[:-1])} and {counts[-1]} samples are in {'both' if len(files) == 2 else 'all'} files."
    )
    keep = Offer(f"Keep the {shared:,} shared samples", {"join": "intersect"})
    return RowsError(text, [*([keep] if shared >= MIN_SAMPLES else []), *_by_position(parts)], SAME_SAMPLES)
