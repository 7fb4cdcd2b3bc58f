"""The edits of snapshots, each one step of undo; to show one is an edit as well."""

from __future__ import annotations

from itertools import count
from typing import Any

from pydantic import ValidationError

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selections import Selections, checked_name, elided, moved_to
from mvexplorer.state.document.snapshots import LONGEST_NOTE, Snapshot, Snapshots, Staging
from mvexplorer.wording import first_fault

UNNAMED = "Snapshot"
"""How snapshots are called that were not given a name, before a number."""
DATA = ("source", "part_of", "reading", "sonogram")
"""The fields of a state that say of which data it is; the treatment of its views comes after."""


def keep_snapshot(document: Document, name: str = "", note: str = "", staging: Staging | None = None) -> None:
    """Give the present state a name; without one, “Snapshot” and its number in the order, or the next free one."""
    taken = document.state.snapshots.names
    chosen = checked_name(name, taken, "snapshot") if name else _free_name(taken)
    kept = Snapshot(
        name=chosen, note=_checked_note(note), state=stored_state(document.state), staging=staging or Staging()
    )
    _put(document, f"Keep snapshot {chosen}", (*document.state.snapshots.kept, kept))


def stored_state(state: DocumentState) -> dict[str, Any]:
    """A state as its snapshot keeps it: without the snapshots and named selections, which are of all states."""
    alone = state.model_copy(
        update={"snapshots": Snapshots(), "selections": Selections(origin=state.selections.origin)}
    )
    return alone.model_dump(mode="json")


def rename_snapshot(document: Document, name: str, new: str) -> None:
    """Give a snapshot another name."""
    others = set(document.state.snapshots.names) - {name}
    _change(document, f"Rename snapshot {name}", name, {"name": checked_name(new, others, "snapshot")})


def annotate_snapshot(document: Document, name: str, note: str) -> None:
    """Write a snapshot's note."""
    _change(document, f"Note of snapshot {name}", name, {"note": _checked_note(note)})


def retake_snapshot(document: Document, name: str, staging: Staging | None = None) -> None:
    """Put the present state into a snapshot, in the place of its own."""
    _change(
        document,
        f"Retake snapshot {name}",
        name,
        {"state": stored_state(document.state), "staging": staging or Staging()},
    )


def move_snapshot(document: Document, name: str, place: int) -> None:
    """Put a snapshot at a place in the order."""
    moved = document.state.snapshots.find(name)
    if moved is not None:
        _put(document, f"Move snapshot {name}", moved_to(document.state.snapshots.kept, moved, place))


def delete_snapshot(document: Document, name: str) -> None:
    """Forget a snapshot."""
    left = tuple(each for each in document.state.snapshots.kept if each.name != name)
    _put(document, f"Delete snapshot {name}", left)


def show_snapshot(document: Document, name: str) -> None:
    """Return to a snapshot's state; ParameterError where it is of other data, which must be opened first."""
    snapshot, data = document.state.snapshots.find(name), document.data
    if snapshot is None or data is None:
        return
    state = state_of(snapshot, document.state)
    if not is_of_data(state, document.state) or tuple(view.name for view in state.views) != data.view_names:
        raise ParameterError(f"The snapshot “{name}” is of other data.", "Open that data first.")
    label = elided(f"Show snapshot {name}")
    document.apply(label, state, data=None if (treated := _treated(data, state)) is data else treated)


def state_of(snapshot: Snapshot, present: DocumentState) -> DocumentState:
    """The state of a snapshot, with the snapshots and named selections of now.

    ParameterError where this program cannot show it; the snapshot stays as it is.
    """
    cause = f"The snapshot “{snapshot.name}” cannot be shown"
    advice = "It stays as it is. Delete it, or open it with the version of mvexplorer that kept it."
    try:
        state = DocumentState.model_validate(snapshot.state)
    except ValidationError as report:
        raise ParameterError(f"{cause}: {first_fault(report).rstrip('.')}.", advice) from None
    except MVExplorerError as error:  # a method or a rule that is gone
        raise ParameterError(f"{cause}: {error.message}", advice) from None
    named = present.selections.named if is_of_data(state, present) else ()
    selections = updated(state.selections, {"named": named})
    return state.model_copy(update={"snapshots": present.snapshots, "selections": selections})


def is_of_data(state: DocumentState, present: DocumentState) -> bool:
    """Whether two states are of the same data, maybe treated differently."""
    return all(getattr(state, field) == getattr(present, field) for field in DATA)


def with_data_at(state: DocumentState, **place: Any) -> DocumentState:
    """The state whose same data is found elsewhere, or read otherwise; its snapshots of that data follow."""
    moved = state.model_copy(update=place)
    former, latter = _data_fields(state), _data_fields(moved)
    if former == latter or not state.snapshots.kept:
        return moved

    def follow(snapshot: Snapshot) -> Snapshot:
        same = all(snapshot.state.get(field) == value for field, value in former.items())
        return updated(snapshot, {"state": {**snapshot.state, **latter}}) if same else snapshot

    kept = tuple(map(follow, state.snapshots.kept))
    return moved.model_copy(update={"snapshots": Snapshots(kept=kept)})


def _data_fields(state: DocumentState) -> dict[str, Any]:
    return state.model_dump(mode="json", include=set(DATA))


def _treated(data: MultiView, state: DocumentState) -> MultiView:
    """The data with the preprocessing and the weights that a state gives its views."""
    how, weights = tuple(v.preprocess for v in state.views), tuple(v.weights for v in state.views)
    treated = data if how == data.preprocess else data.replace(preprocess=how)
    now = tuple(None if each is None else tuple(each.tolist()) for each in treated.feature_weights)
    return treated if weights == now else treated.replace(feature_weights=weights)


def _checked_note(note: str) -> str:
    if len(note) > LONGEST_NOTE:
        raise ParameterError(f"The note has {len(note):,} characters.", f"Give at most {LONGEST_NOTE:,}.")
    return note.strip()


def is_unnamed(name: str) -> bool:
    """Whether a snapshot has its name by its number, and not from the user."""
    word, _, number = name.partition(" ")
    return word == UNNAMED and number.isdecimal()


def _free_name(taken: tuple[str, ...]) -> str:
    """The name by the place that the next one has, unless that is taken: cards show both."""
    numbers = count(len(taken) + 1)
    return next(name for i in numbers if (name := f"{UNNAMED} {i}") not in taken)


def _change(document: Document, label: str, name: str, changes: dict[str, Any]) -> None:
    kept = document.state.snapshots.kept
    _put(document, label, tuple(updated(each, changes) if each.name == name else each for each in kept))


def _put(document: Document, label: str, kept: tuple[Snapshot, ...]) -> None:
    after = Snapshots(kept=kept)
    document.apply(elided(label), lambda state: state.model_copy(update={"snapshots": after}))
