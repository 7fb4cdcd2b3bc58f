"""The part of `mvexplorer diagnose` that describes a selection of samples."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.cli.inputs import check_description
from mvexplorer.cli.loading import load_named, reading_task, say_notes
from mvexplorer.cli.output import note, note_formulas, print_json, print_table, say, tell
from mvexplorer.cli.reading import reading
from mvexplorer.engine.analysis.contrasts import Contrast
from mvexplorer.engine.analysis.separation import CIRCULAR, MEANING, Separation, filled_in_words, separation
from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import captions
from mvexplorer.errors import ParameterError
from mvexplorer.io.writing.result_files import write_table
from mvexplorer.state.document.selections import Selections, is_circular
from mvexplorer.state.export.described_selection import ComparedGroups, described_columns, described_records
from mvexplorer.state.pictures.colouring import label_title
from mvexplorer.state.session.session import is_session, open_session
from mvexplorer.wording import counted, number, one_line

ROWS = 20
"""Most rows of a view, or of the columns, that are printed; files and JSON hold all."""


@dataclass(frozen=True)
class Described:
    """A described selection, and whether it was chosen in a picture of what is compared."""

    separation: Separation
    circular: bool
    groups: ComparedGroups
    filled_in: str = ""
    """Told of values that were filled in."""

    @property
    def records(self) -> list[dict[str, Any]]:
        """One record a row, for JSON."""
        return described_records(self.separation.rows, self.groups)

    def say(self) -> None:
        """Print the sentence, the leading rows of each view, and the meaning of their numbers."""
        for words in (self.separation.sentence, *([CIRCULAR] if self.circular else ())):
            say(one_line(words))
        shown, left = list[tuple[str, ...]]([("view", "feature", "d", "AUC", "p", "p (corrected)", "q")]), 0
        for rows in _by_view(self.separation.rows):
            shown += [_cells(row) for row in rows[:ROWS]]
            left += len(rows[ROWS:])
        print_table(shown)
        say(MEANING)
        if self.filled_in:
            say(one_line(self.filled_in))
        if left:
            note(f"{counted(left, 'more row')} with smaller effects: --out FILE.csv or --json gives all of them.")

    def write(self, path: Path, options: argparse.Namespace) -> None:
        """Write all rows as CSV; the path goes to stderr."""
        import polars as pl

        columns = described_columns(self.separation.rows, self.groups)
        write_table(pl.DataFrame(columns), path, {}, csv_safe=options.csv_safe)
        tell(f"{one_line(str(path))}\n")
        texts = ("name", "view", "feature", "selection", "compared_with")
        note_formulas(options, [text for name in texts for text in columns[name]])


def describe_command(options: argparse.Namespace) -> None:
    """Describe the samples that --selection names, as a table, JSON or CSV; nothing is embedded."""
    if options.out is not None:
        check_description(options.out)
    described = described_selection(options)
    if options.out is not None:
        described.write(Path(options.out), options)
    if options.json:
        if described.circular:
            note(CIRCULAR)
        print_json(described.records)
    else:
        described.say()


def described_selection(options: argparse.Namespace) -> Described:
    """Compare the samples that --selection names with those of --against, or with the rest."""
    session = options.sources[0] if len(options.sources) == 1 and is_session(options.sources[0]) else None
    if session is None:
        loaded = load_named(options)
        data, selections, treated = loaded.data, Selections(), captions(loaded.notes)
    else:
        if reading(options).plain:
            raise ParameterError(
                "A session says itself how its data is read, so flags of reading would be lost.",
                "Leave them out, or name the files instead of the session.",
            )
        opened = open_session(session, accept_changed=options.accept_changed_data, data=options.data)
        data, selections, treated = opened.data, opened.state.selections, opened.state.dropped_and_imputed
    named = [text for text in (options.selection, options.against) if text is not None]
    sides = [_Group.of(text, data, selections, has_session=session is not None) for text in named]
    _check_sizes(sides, named)
    columns = {side.column for side in sides}
    data = _without(data, columns)
    against = sides[1].samples if len(sides) > 1 else None
    task = reading_task(options)
    answer = separation(sides[0].samples, data, against=against, against_name=options.against or "", task=task)
    if session is None:
        say_notes(loaded)
    else:
        for words in opened.notes:
            note(words)
    groups = ComparedGroups.of(answer, options.selection, options.against or "rest")
    return Described(answer, any(side.circular for side in sides), groups, filled_in_words(treated))


def _check_sizes(sides: Sequence[_Group], named: Sequence[str]) -> None:
    """ParameterError where a side holds no sample, or the only one all."""
    empty = next((text for side, text in zip(sides, named, strict=True) if not side.samples.any()), None)
    if empty is not None:
        raise ParameterError(f"“{one_line(empty)}” holds no sample.", "Choose another one, or write COLUMN=VALUE.")
    if len(sides) == 1 and sides[0].samples.all():
        raise ParameterError(
            f"“{one_line(named[0])}” holds all samples: there is no rest to compare with.",
            "Choose another one, or add --against with one of its parts.",
        )


def _without(data: MultiView, columns: set[str]) -> MultiView:
    """The data without the columns that chose the samples: they differ in these by construction."""
    label = label_title(data) in columns
    kept = {name: values for name, values in data.columns.items() if name not in columns}
    hidden = {name: values for name, values in data.latent.items() if name not in columns}
    if len(kept) == len(data.columns) and len(hidden) == len(data.latent) and not label:
        return data
    return data.replace(columns=kept, latent=hidden, **({"labels": None, "label_name": None} if label else {}))


# Groups -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """The samples (M,) that a text names; the column that chose them, if one did."""

    samples: npt.NDArray[np.bool_]
    column: str = ""
    circular: bool = False

    @classmethod
    def of(cls, text: str, data: MultiView, selections: Selections, *, has_session: bool) -> _Group:
        samples = np.zeros(data.n_samples, dtype=bool)
        if (selection := selections.find(one_line(text))) is not None:
            samples[list(selection.samples)] = True
            return cls(samples, "", is_circular(selection.origin))
        columns = {one_line(name): (name, values) for name, values in _columns(data).items()}
        for k in (k for k, sign in enumerate(text) if sign == "="):  # the name of a column may hold one, too
            if one_line(text[:k]) in columns:
                name, values = columns[one_line(text[:k])]
                return cls(_equal(values, name, text[k + 1 :]), name)
        if one_line(text) in columns:
            raise ParameterError(f"“{one_line(text)}” is a column, without a value.", f"Write {one_line(text)}=VALUE.")
        if "=" in text:
            raise _no_column(text.rpartition("=")[0], data, columns, has_session=has_session)
        if has_session:
            hint = f"It has {_some(selections.names)}." if selections.names else ""
            raise ParameterError(
                f"The session has no selection called “{one_line(text)}”.",
                hint or "Save one in the window, or write COLUMN=VALUE.",
            )
        raise ParameterError(
            f"“{one_line(text)}” names no samples: only a session has selections with names.",
            f"Write COLUMN=VALUE. {_named(columns)}",
        )


def _no_column(name: str, data: MultiView, columns: Collection[str], *, has_session: bool) -> ParameterError:
    """The error that there is no such column; of a feature, how it becomes one."""
    if any(names is not None and name in names for names in data.feature_names or ()):
        role = f"--role {shlex.quote(f'{name}=colour')}"
        where = " beside the files, instead of the session," if has_session else ""
        hint = f"It is a feature of a view; {role}{where} makes it a column."
    else:
        hint = _named(columns)
    return ParameterError(f"There is no column called “{one_line(name)}”.", hint)


def _columns(data: MultiView) -> dict[str, npt.NDArray[Any]]:
    """The label, columns and hidden variables by name; the label also as “label”."""
    columns = {**data.latent, **data.columns}
    return columns if data.labels is None else {"label": data.labels, **columns, label_title(data): data.labels}


def _named(columns: Collection[str]) -> str:
    if not columns:
        return "The data has no label and no columns."
    return f"There are {_some(columns)}."


def _some(names: Collection[str]) -> str:
    """The first names, on one line."""
    most = 8
    return f"{', '.join(one_line(name) for name in list(names)[:most])}{' …' if len(names) > most else ''}"


def _equal(values: npt.NDArray[Any], column: str, text: str) -> npt.NDArray[np.bool_]:
    """The samples (M,) that have this value; ParameterError where none has."""
    present = labelled(values)
    each = [one_line(str(value)) if there else None for value, there in zip(values.tolist(), present, strict=True)]
    same = np.array([value == one_line(text) for value in each])
    if not same.any() and values.dtype.kind in "biuf":
        same = present & (values.astype(np.float64) == _as_number(text))
    if not same.any():
        classes = [str(value) for value in ordered_classes(values[present])[0]]
        raise ParameterError(
            f"No sample has {one_line(column)} “{one_line(text)}”.",
            f"It has {_some(classes)}." if classes else "It holds no value at all. Choose another column.",
        )
    return same


def _as_number(text: str) -> float:
    """The number that a text is; NaN, which nothing equals, for other texts."""
    try:
        return {"true": 1.0, "false": 0.0}.get(text.casefold(), float("nan")) if text.isalpha() else float(text)
    except ValueError:
        return float("nan")


# Output -----------------------------------------------------------------------------------------------------------


def _by_view(rows: tuple[Contrast, ...]) -> Iterator[list[Contrast]]:
    """Classes and columns first, then the views from the one with the largest effect on, and so the rows of each."""
    groups: dict[str, list[Contrast]] = {"": []}
    for row in rows:
        groups.setdefault(row.view, []).append(row)
    yield from groups.values()


def _cells(row: Contrast) -> tuple[str, ...]:
    name = row.feature if row.view or row.feature.casefold().startswith(row.kind) else f"{row.kind} {row.feature}"
    effect = f"{row.effect:+.2f}".replace("-", "−")
    return (
        one_line(row.view) or "–",
        one_line(name),
        effect,
        f"{row.auc:.2f}",
        *(number(p, 2) for p in (row.p_raw, row.p, row.q)),
    )
