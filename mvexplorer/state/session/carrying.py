"""Carries named selections and the kept sample over to other data, by the ids of the samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mvexplorer.engine.core.maps import is_map
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selection import has_names
from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.wording import counted, listed, one_line


def carried_over(
    former: DocumentState, old: MultiView | None, fresh: DocumentState, new: MultiView
) -> tuple[DocumentState, str]:
    """Carry selections and the kept sample of `former` (data `old`) over to `fresh`, the state in which `new` opens.

    Samples are found by their ids. Numbers that only count them are no ids: a sample of other data is not the same
    because it has the same place. They are taken by their place where the data is the same. The text says how many were
    found; it is empty where there was nothing to carry over.
    """
    kept = former.point.sample_of(old)
    if old is None or not (former.selections.named or kept is not None):
        return fresh, ""
    things = _things(len(former.selections.named), kept is not None)
    if is_same(old, new):
        places, why = dict(enumerate(range(new.n_samples))), "the data is the same"
    elif has_names(old) and has_names(new):
        there = {id: row for row, id in enumerate(new.sample_ids)}
        places, why = {row: there[id] for row, id in enumerate(old.sample_ids) if id in there}, ""
    else:
        return fresh, f"Not carried over: {things}. No ids tell which samples are the same. Undo brings them back."
    named = tuple(_placed(each, places) for each in former.selections.named)
    state = updated(
        fresh,
        {
            "selections": Selections(named=tuple(each for each in named if each.samples)),
            "point": updated(fresh.point, {"kept": None if kept is None else places.get(kept)}),
        },
    )
    return state, f"Carried over: {things}; {why}." if why else _told(former, old, state, kept)


def is_same(old: MultiView, new: MultiView) -> bool:
    """Whether data holds the same numbers; arrays that stay on the disk are not read for it."""
    if [X.shape for X in old.Xs] != [X.shape for X in new.Xs] or old.sample_ids != new.sample_ids:
        return False
    if any(is_map(X) for X in (*old.Xs, *new.Xs)):
        return old is new
    alike = (np.array_equal(a[:100], b[:100]) for a, b in zip(old.Xs, new.Xs, strict=True))
    return all(alike) and old.fingerprint == new.fingerprint


def _placed(selection: NamedSelection, places: Mapping[int, int]) -> NamedSelection:
    """A selection of those of its samples that have a place in the other data."""
    return updated(selection, {"samples": tuple(sorted(places[i] for i in selection.samples if i in places))})


def _things(selections: int, kept: bool) -> str:
    """The things to carry over, in words: “3 selections and the kept sample”."""
    return listed([*([counted(selections, "selection")] if selections else []), *(["the kept sample"] if kept else [])])


def _told(former: DocumentState, old: MultiView, state: DocumentState, kept: int | None) -> str:
    """Say which were found by id, which not: “3 of 4 selections carried over by id; digit 8 has no sample here.”"""
    named, carried = former.selections.named, {each.name: len(each.samples) for each in state.selections.named}
    of = f"{len(carried)} of " if len(carried) < len(named) else ""
    words = [f"{of}{counted(len(named), 'selection')} carried over by id"] if named else []
    gone = [one_line(each.name)[:40] for each in named if each.name not in carried]
    most = 3  # selections that are named where they find no sample
    names = gone if len(gone) <= most else [*gone[: most - 1], f"{len(gone) - most + 1} others"]
    words += [f"{listed(names)} {'have' if gone[1:] else 'has'} no sample here"] if gone else []
    whole = {each.name: len(each.samples) for each in named}
    less = [
        f"{one_line(name)[:40]} keeps {n:,} of {whole[name]:,} samples"
        for name, n in carried.items()
        if n < whole[name]
    ]
    words += [listed(less[:most])] if less else []
    if kept is not None:
        is_here = "is here too" if state.point.kept is not None else "is not here"
        words.append(f"the kept sample {one_line(old.sample_ids[kept])[:40]} {is_here}")
    line = "; ".join(words)
    return f"{line[0].upper()}{line[1:]}."
