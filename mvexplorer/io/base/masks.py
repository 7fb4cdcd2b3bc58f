"""Masks within a file: which of its tables of zeros and ones says which views have which samples."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from mvexplorer.engine.core.notices import LEFT_OUT
from mvexplorer.errors import DataError
from mvexplorer.io.base.parts import Parts, Values
from mvexplorer.io.base.roles import FileRequest
from mvexplorer.io.base.union import is_binary, is_mask_name, lists_of_absent, mark_absent, presence

_MASK = re.compile(r"(?<![^\W_])masks?$", re.IGNORECASE)


def find_masks(arrays: Mapping[str, Values], asked: FileRequest, n_others: int) -> dict[str, list[Values]]:
    """Find tables that are called masks and have a row or column per view; or alone in a file that is called so.

    A table that the user chose as a view is no mask; `n_others` is the number of other views, 0 for a table alone.
    """
    stem = "" if n_others else asked.path.stem
    masks = {}
    for name, table in arrays.items():
        free = asked.role(name) is None and name not in (asked.options.views or ())
        fits = table.ndim == 2 and (not n_others or n_others in table.shape) and table.dtype.kind in "biuf"
        if free and fits and is_mask_name(name, stem) and is_binary(table):
            masks[name] = [table]
    return masks


def take_mask_of_gaps(parts: Parts, asked: FileRequest) -> None:
    """Take a view of any name as the mask if it marks exactly what is empty in the other views, in place."""
    for name, table in parts.views.items():
        others = {other: X for other, X in parts.views.items() if other != name}
        free = asked.role(name) is None and name not in (asked.options.views or ())
        fits = len(others) > 1 and len({len(X) for X in others.values()}) == 1 and len(others) in table.shape
        if free and fits and is_binary(table) and presence(table, others, "") is not None:
            parts.views = others
            apply_mask({name: [table]}, {}, parts)
            return


def leave_out_masks(parts: Parts, asked: FileRequest) -> None:
    """Take tables of zeros and ones called masks, which say nothing about samples, out of the views, in place."""
    wanted = asked.options.views or ()
    for name in [n for n in parts.views if _MASK.search(n) and asked.role(n) is None and n not in wanted]:
        table = parts.views[name]
        if len(parts.views) > 1 and table.shape[1] > 1 and np.isin(table, (0, 1)).all():
            del parts.views[name]
            parts.features.pop(name, None)
            _tell_unfit({name: table}, parts)


def _tell_unfit(tables: Mapping[str, Values], parts: Parts) -> None:
    for name, table in tables.items():
        size = " x ".join(f"{n:,}" for n in table.shape)
        text = f"“{name}” ({size}) looks like a mask, but does not say which views have which samples: it was left out."
        parts.note(text, LEFT_OUT, (name,))


def mask_alone(parts: Parts, masks: Mapping[str, list[Values]]) -> Parts:
    """Take the only mask of a file without views, for the views of other files; DataError where there are several."""
    tables = [table for own in masks.values() for table in own]
    if len(tables) > 1:
        raise DataError(
            f"“{parts.path.name}” holds {len(tables)} masks of the samples that views lack.",
            "Save the one that is meant as a variable “mask” in a file of its own.",
        )
    parts.mask = next(iter(masks)), tables[0]
    return parts


def apply_mask(masks: Mapping[str, list[Values]], others: Mapping[str, object], parts: Parts) -> str:
    """Mark the samples that views lack by the only mask that fits, else by a list of rows that are NaN, in place.

    Return the name of that list, “” where none was taken.
    """
    alone = {name: tables[0] for name, tables in masks.items() if len(tables) == 1}
    if len(parts.views) < 2 or len({len(X) for X in parts.views.values()}) > 1:
        _tell_unfit(alone, parts)
        return ""
    fitting = {
        name: marks for name, table in alone.items() if (marks := presence(table, parts.views, name)) is not None
    }
    several = [name for name, tables in masks.items() if len(tables) > 1]
    if len(fitting) == 1:
        name, present = fitting.popitem()
        mark_absent(parts, present, name)
    elif fitting or several:
        names = ", ".join(f"“{name}”" for name in [*fitting, *several])
        parts.note(f"{names} could say in several ways which views have which samples; all samples were read.")
    elif name := lists_of_absent({n: v for n, v in others.items() if n not in parts.views}, parts.views):
        parts.lacking = True
        parts.note(f"“{name}” lists the samples that views lack, whose numbers are missing.")
        return name
    else:
        _tell_unfit(alone, parts)
    return ""
