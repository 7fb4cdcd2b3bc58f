"""MAT files that hold their samples in two halves, `x1_train, x1_test, gt_train, gt_test`: paired by name, stacked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from mvexplorer.engine.core.notices import ASSUMED, HALVES, Notice
from mvexplorer.errors import DataError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import HALF_COLUMN, MORE_LABEL_NAMES, UNLABELLED, Parts, Values
from mvexplorer.io.matlab.matvars import label_vector

Half = Literal["train", "test"]
HALVES_OF: tuple[Half, Half] = ("train", "test")
_WORD = re.compile(r"(.*?)[_.]?(train|test)(?:ing)?[_.]?(.*)", re.IGNORECASE)
_SHORT = re.compile(r"(.+?)_?(tr|te)()", re.IGNORECASE)


def half_of(name: str) -> tuple[str, Half] | None:
    """Split a name such as ``x1_train``, ``Ytest`` or ``Xtr`` into name and half; None for a name that tells none."""
    match = _WORD.fullmatch(name) or _SHORT.fullmatch(name)
    if match is None:
        return None
    base = match[1] + match[3]
    return (base, "train" if match[2].lower() in ("train", "tr") else "test") if base else None


def split_halves(variables: Mapping[str, Any]) -> dict[Half, dict[str, str]]:
    """Return half -> {name without the half -> variable}; empty where no two variables are halves of one another."""
    halves: dict[Half, dict[str, str]] = {half: {} for half in HALVES_OF}
    for name in variables:
        parsed = half_of(name)
        if parsed is not None and parsed[0] not in variables:
            halves[parsed[1]].setdefault(parsed[0], name)
    both = halves["train"].keys() & halves["test"].keys()
    return {half: {b: n for b, n in names.items() if b in both} for half, names in halves.items()} if both else {}


def check_half(options: ReadOptions, parts: Sequence[Parts]) -> None:
    """Refuse to choose between halves that no file has."""
    if options.half in HALVES_OF and not any(part.variables.halves for part in parts):
        names = ", ".join(f"“{part.path.name}”" for part in parts[:3])
        raise DataError(
            f"{names} {'does' if len(parts) == 1 else 'do'} not hold a training and a test half.", "Leave out half=."
        )


def turn_halves(variables: Mapping[str, Any], halves: Mapping[Half, Mapping[str, str]]) -> tuple[dict[str, Any], bool]:
    """Put the samples of tables into rows where both halves tell: they differ in samples, and share their features.

    Return the variables, and whether that decided all tables.
    """
    turned, decided = dict(variables), True
    for first, second in ((halves["train"][base], halves["test"][base]) for base in halves["train"]):
        shapes = [getattr(variables[name], "shape", ()) for name in (first, second)]
        alike = [a == b for a, b in zip(*shapes, strict=False)]
        if len(alike) != 2 or variables[first].dtype == object or sum(alike) != 1:
            decided = False
        elif alike[0]:
            turned |= {name: variables[name].T for name in (first, second)}
    return turned, decided


def named_half(names: Iterable[str], halves: Mapping[Half, Mapping[str, str]]) -> Half | None:
    """Return the half to which all these variables belong; None where none is of a half, or both halves occur."""
    own = {half for half, variables in halves.items() for name in names if name in variables.values()}
    return own.pop() if len(own) == 1 else None


def stack_halves(train: Parts, test: Parts, *, as_asked: bool) -> Parts:
    """Put the samples of both halves below each other, with the half as a column to colour by.

    Notes are those of `train`; DataError where the halves have different views, or views of different width.
    """
    stacked = Parts(train.path, notes=train.notes, lacking=train.lacking or test.lacking)
    stacked.named.views, stacked.variables.sources = train.named.views, train.variables.sources
    for name in train.views.keys() & test.views.keys():
        _turn_together(name, train, test)
    if train.views.keys() != test.views.keys() or any(
        X.shape[1] != test.views[name].shape[1] for name, X in train.views.items()
    ):
        raise DataError(
            f"The training and the test half of “{train.path.name}” do not have the same features.",
            "Choose one with half=.",
        )
    stacked.views = {name: np.concatenate([X, test.views[name]]) for name, X in train.views.items()}
    counts = [_count(train), _count(test)]
    if train.labels is not None and test.labels is not None:
        stacked.labels, stacked.label_name = _joined(train.labels, test.labels), train.label_name
    if train.ids is not None and test.ids is not None:
        stacked.ids, stacked.id_name = _joined(train.ids, test.ids), train.id_name
    stacked.columns = {n: _joined(v, test.columns[n]) for n, v in train.columns.items() if n in test.columns}
    stacked.columns[HALF_COLUMN] = np.repeat(HALVES_OF, counts)
    stacked.notes.append(_told(counts, HALVES if not as_asked else ASSUMED))
    return stacked


def label_one_half(variables: Mapping[str, Any], parts: Parts) -> None:
    """Take the labels of one half, where the other has none: its samples have no label."""
    own = parts.columns[HALF_COLUMN]
    for name, value in variables.items():
        base, half = half_of(name) or ("", None)
        values = label_vector(value) if base.lower() in MORE_LABEL_NAMES else None
        if values is None or len(values) != (own == half).sum():
            continue
        labels = np.full(len(own), UNLABELLED, dtype=object)
        labels[own == half] = values.astype(str)
        parts.labels, parts.label_name = labels.astype(str), name
        parts.note(
            f"variable “{name}” was taken as the label; it is that of the {half}{'ing' * (half == 'train')} half."
        )
        return


def _told(counts: list[int], code: str) -> Notice:
    text = f"{counts[0]:,} training and {counts[1]:,} test samples were stacked; “{HALF_COLUMN}” colours by the half."
    return Notice(code, text, HALVES_OF)


def _turn_together(name: str, train: Parts, test: Parts) -> None:
    """Turn a view in both halves where only its columns can be samples: they differ in number, its rows do not."""
    first, second = train.views[name], test.views[name]
    undecided = train.labels is None and test.labels is None and len(train.views) == 1
    if undecided and first.shape[1] != second.shape[1] and first.shape[0] == second.shape[0]:
        train.views[name], test.views[name] = first.T, second.T
        train.note(f"samples stand in columns and were turned into rows in {name}.")


def _count(parts: Parts) -> int:
    return len(next(iter(parts.views.values())))


def _joined(first: Values, second: Values) -> Values:
    if first.dtype.kind in "biuf" and second.dtype.kind in "biuf":
        return np.concatenate([first, second])
    return np.concatenate([first.astype(str), second.astype(str)])
