"""Questions that readable files leave open: told with the choice that was made, so that it can be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mvexplorer.engine.core.notices import (
    ABSENT,
    ASSUMED,
    BY_POSITION,
    DATES,
    DECIMAL_SIGN,
    GIVEN,
    HALVES,
    HEADER,
    LEFT_OUT,
    MANY_FEATURES,
    NO_HEADER,
    NO_VIEW,
    NUMBERS_AS_NAMES,
    NUMERIC_LABEL,
    OFFERED_COLUMN,
    POSSIBLE_IDS,
    POSSIBLE_SPLIT,
    POSSIBLY_TURNED,
    REPEATED_IDS,
    SAME_COLUMNS,
    SAMPLE_NAMES,
    SHARED_NUMBERS,
    SIMILARITY,
    SOME_UNLABELLED,
    SPARSE,
    TWO_IDS,
    WAVEFORMS,
    Notice,
)
from mvexplorer.errors import Offer
from mvexplorer.io.base.options import ReadOptions, Role
from mvexplorer.io.base.parts import MOST_CLASSES, SURELY_NAMES, UNLABELLED, Parts, Values
from mvexplorer.io.base.similarity import is_similarity
from mvexplorer.io.joining.ids import is_id_name
from mvexplorer.io.joining.repeats import KEEP_FIRST
from mvexplorer.io.joining.row_errors import CLASSES
from mvexplorer.io.reading.day_month import questions_of_dates
from mvexplorer.io.reading.splitting import split_by
from mvexplorer.wording import counted


def open_questions(merged: Parts, parts: Sequence[Parts], options: ReadOptions) -> list[Notice]:
    """List what may be meant otherwise than it was read, before views are split; an option settles a question."""
    roles = dict(options.roles)
    notices = _similarities(merged, {*(options.views or ()), *(name for name, role in roles.items() if role == "view")})
    if options.transpose is None and merged.labels is None and merged.ids is None:
        notices += _many_features(merged)
    if options.join is None and merged.ids is None:
        notices += _same_columns(parts)
    apart = any(note.code == BY_POSITION for note in merged.notes)  # which asks about these columns
    if options.ids is None and merged.ids is None and "id" not in roles.values() and not apart:
        notices += _two_ids(merged, roles)
    notices += _repeated_ids(merged, options)
    if options.labels is None and merged.labels is None and "label" not in roles.values():
        notices += _numeric_labels(merged, roles)
    if options.dates is None:
        notices += questions_of_dates(merged.columns)
    return notices + _folders_of_pictures(parts) + _unlabelled(merged)


def offers_of(notice: Notice) -> tuple[Offer, ...]:
    """List the choices that settle a doubt about files, or take up an offer."""
    subjects, first = notice.subjects, next(iter(notice.subjects), "")
    some = subjects[:3]  # get an offer each; the others have their roles
    split = split_by(subjects[1:]) if notice.code == POSSIBLE_SPLIT else {}
    turn = Offer("Transpose", {"transpose": subjects})
    offers: dict[str, tuple[Offer, ...]] = {
        DECIMAL_SIGN: (Offer("Decimal point", {"decimal": "."}), Offer("Decimal comma", {"decimal": ","})),
        DATES: (Offer("Day first", {"dates": "day-first"}), Offer("Month first", {"dates": "month-first"})),
        GIVEN: (Offer("Use it as a view", {"roles": dict.fromkeys(subjects, "view")}),),
        HEADER: (
            Offer("The first row is a header", {"header": "first"}),
            Offer("The first row is a sample", {"header": "none"}),
        ),
        POSSIBLY_TURNED: (turn,),
        MANY_FEATURES: (turn,),
        NO_HEADER: (Offer("The first row is a header", {"header": "first"}),),
        NO_VIEW: (Offer("Make a view of the other columns", {"roles": dict.fromkeys(subjects, "view")}),),
        NUMERIC_LABEL: tuple(Offer(f"Use “{name}” as the label", {"labels": name}) for name in some),
        LEFT_OUT: tuple(Offer(f"Use “{name}” as a view", {"roles": {name: "view"}}) for name in some),
        SIMILARITY: (Offer(f"Take “{first}” as a kernel between samples", {"roles": {first: "kernel"}}),),
        POSSIBLE_IDS: (
            Offer(f"Name samples by “{first}”", {"ids": first}),
            Offer(f"Use “{first}” as the label", {"labels": first}),
        ),
        TWO_IDS: tuple(Offer(f"Name samples by “{name}”", {"ids": name}) for name in subjects),
        REPEATED_IDS: (
            Offer(f"Use “{first}” for colouring", {"roles": {first: "colour"}}),
            KEEP_FIRST,
            Offer("Leave out all rows whose id is repeated", {"repeated": "drop"}),
        ),
        BY_POSITION: (Offer("Pair by position", {"join": "position"}),),
        NUMBERS_AS_NAMES: (
            Offer(f"Join by “{first}”", {"ids": first}),
            Offer("Pair by position", {"join": "position"}),
        ),
        SHARED_NUMBERS: (Offer(f"Join by “{first}”", {"ids": first}),),
        HALVES: (
            Offer("Keep both halves", {"half": "both"}),
            Offer("Read the training half", {"half": "train"}),
            Offer("Read the test half", {"half": "test"}),
        ),
        ABSENT: (Offer("Impute from the other views", {"samples": "union"}),) if notice.level == "info" else (),
        WAVEFORMS: (
            Offer("Sonograms of 12 bands", {"sonograms": "seismic-events"}),
            Offer("Sonograms of 512 frequencies", {"sonograms": "seismic-manifold"}),
        ),
        POSSIBLE_SPLIT: (Offer(f"Split into {', '.join(split)}", {"split": split}),),
    }
    if notice.code == SPARSE:
        return (Offer("Reduce it", {"preprocess": tuple(subjects[-1].split(","))}),)
    return offers.get(notice.code, ())


def _similarities(merged: Parts, settled: set[str]) -> list[Notice]:
    """Find square symmetric tables: similarities or adjacencies of samples, which are no features."""
    notices = []
    for name, X in merged.views.items():
        if name not in settled and _is_similarity(X):
            kind = "an adjacency matrix" if np.isin(X, (0, 1)).all() else "a similarity or distance between samples"
            text = f"{name} is square and symmetric, which looks like {kind}: its rows were taken as features."
            notices.append(Notice(SIMILARITY, text, (name,)))
    return notices


def _is_similarity(X: Values) -> bool:
    """True if a table is a similarity; a few samples are judged first, as all of a large one would be copied."""
    if X.shape[0] != X.shape[1]:
        return False
    few, huge = 50, 5000
    some = np.unique(np.linspace(0, len(X) - 1, min(few, len(X))).astype(np.intp))
    return is_similarity(np.asarray(X[some][:, some])) and (len(X) > huge or is_similarity(X))


def _many_features(merged: Parts) -> list[Notice]:
    """Doubt a lone table of unnamed columns that is wider than long: nothing says that its rows are samples."""
    if len(merged.views) != 1:
        return []
    (name, X), *_ = merged.views.items()
    if X.shape[1] < X.shape[0] or X.shape[1] < 3 or (name in merged.features and name not in merged.joined.numbered):
        return []
    if _is_similarity(X):
        return []
    than = "as many columns as rows" if X.shape[0] == X.shape[1] else "more columns than rows"
    text = f"{name} has {than} ({X.shape[0]:,} x {X.shape[1]:,}); its rows were taken as the samples."
    return [Notice(MANY_FEATURES, text, (name,))]


def _same_columns(parts: Sequence[Parts]) -> list[Notice]:
    """Find tables of the same columns without samples' names, which may be more samples of one view."""
    tables = [part for part in parts if part.has_feature_names and len(part.features) == 1]
    heads = {next(iter(part.features.values())) for part in tables}
    if len(tables) < 2 or len(heads) > 1 or len(tables) < len([part for part in parts if part.views]):
        return []
    names = tuple(part.path.name for part in tables)
    text = f"{', '.join(names)} have the same columns; they were taken as views of the same samples, row by row."
    return [Notice(SAME_COLUMNS, text, names)]


def _folders_of_pictures(parts: Sequence[Parts]) -> list[Notice]:
    """Find several folders of pictures, which may be classes rather than views."""
    names = tuple(part.path.name for part in parts if part.images is not None and part.path.is_dir())
    if len(names) < 2:
        return []
    text = f"The pictures in {', '.join(names)} were taken as views of the same samples. {CLASSES}"
    return [Notice(ASSUMED, text, names)]


def _two_ids(merged: Parts, roles: Mapping[str, Role]) -> list[Notice]:
    """Find several columns of text, all different or called an id: none of them was taken."""
    candidates = [name for name, values in merged.columns.items() if name not in roles and _may_identify(name, values)]
    if len(candidates) < 2:
        return []
    text = f"Columns {' and '.join(f'“{name}”' for name in candidates[:3])} could name the samples; none was taken."
    return [Notice(TWO_IDS, text, tuple(candidates[:3]))]


def take_lone_names(part: Parts, roles: Mapping[str, Role]) -> None:
    """Name the samples of a lone file by its only column of text that differs in every row, in place."""
    if part.ids is not None:
        return
    candidates = [
        name
        for name, values in part.columns.items()
        if name not in roles
        and len(values) >= SURELY_NAMES
        and _may_identify(name, values)
        and UNLABELLED not in values
    ]
    if len(candidates) == 1:
        (name,) = candidates
        part.ids, part.id_name = part.columns.pop(name), name
        offered = (OFFERED_COLUMN, POSSIBLE_IDS)
        part.notes = [note for note in part.notes if note.code not in offered or note.subjects != (name,)]
        part.note(f"column “{name}” differs in every row and was taken as the samples' names.", SAMPLE_NAMES, (name,))


def _may_identify(name: str, values: Values) -> bool:
    identifies = values.dtype.kind == "U" or (is_id_name(name) and values.dtype.kind in "iu")
    return identifies and len(np.unique(values)) == len(values)


def _repeated_ids(merged: Parts, options: ReadOptions) -> list[Notice]:
    """Find names of samples that do not tell them apart."""
    name = merged.id_name
    if merged.ids is None or name is None or name == options.ids or name in dict(options.roles):
        return []
    values, counts = np.unique(merged.ids.astype(str), return_counts=True)
    twice = values[counts > 1]
    if not len(twice):
        return []
    title = f"“{name}”" if name else "the first column"
    stand = "stands" if len(twice) == 1 else "stand"
    text = f"{counted(len(twice), 'name')} in {title} {stand} for several samples, for example “{twice[0]}”."
    return [Notice(REPEATED_IDS, f"{text} Name the samples by another column, or use this one for colouring.", (name,))]


def _numeric_labels(merged: Parts, roles: Mapping[str, Role]) -> list[Notice]:
    """Find a last or first column that counts classes as no other does: labels are often written so."""
    notices = []
    look = 1000  # samples in which the other columns are compared
    for view, names in merged.features.items():
        X, named = merged.views[view], view not in merged.joined.numbered
        for place in (-1, 0) if X.shape[1] > 2 else ():
            count = _n_classes(X[:, place])
            if not count or names[place] in roles or _is_usual(X[:look], count, named=named):
                continue
            title = f"“{names[place]}”, the {'last' if place else 'first'} column of {view},"
            text = f"{title} holds the numbers of {count} classes. It was taken as a feature; it could be the label."
            notices.append(Notice(NUMERIC_LABEL, text, (names[place],)))
            break
    return notices


def _n_classes(column: Values) -> int:
    """Count the classes of a column of 0, 1 ... or 1, 2 ...; 0 where it holds anything else."""
    if not np.isfinite(column).all() or (column % 1).any() or not -1 <= column.min() <= 1:
        return 0
    classes = np.unique(column)
    counts = len(classes) == classes[-1] - classes[0] + 1 and classes[0] >= 0
    few = 2 <= len(classes) <= min(MOST_CLASSES, len(column) // 2)
    return len(classes) if few and (counts or classes.tolist() == [-1, 1]) else 0


def _is_usual(X: Values, count: int, *, named: bool) -> bool:
    """True if many other columns count as many classes, as answers and bits do; with names, any classes at all."""
    many = 0.2
    counts = [_n_classes(X[:, i]) for i in range(X.shape[1])]
    return sum(map(bool, counts)) > 1 if named else counts.count(count) - 1 > many * X.shape[1]


def _unlabelled(merged: Parts) -> list[Notice]:
    if merged.labels is None:
        return []
    labels = merged.labels.astype(str)
    count = int(np.isin(labels, [UNLABELLED, "", "nan"]).sum())
    if not 0 < count < len(labels):
        return []
    have = "has" if count == 1 else "have"
    text = f"{count:,} of {len(labels):,} samples {have} no label: scores and rules of classes leave them out."
    return [Notice(SOME_UNLABELLED, text)]
