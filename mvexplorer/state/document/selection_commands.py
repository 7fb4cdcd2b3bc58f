"""The edits of named selections, each one step of undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mvexplorer.engine.core.classes import known_classes
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.notes.targets import pointing_at
from mvexplorer.state.document.selection import Operation
from mvexplorer.state.document.selections import (
    LONGEST,
    SIGNS,
    NamedSelection,
    Selections,
    checked_name,
    combined,
    elided,
    moved_to,
)
from mvexplorer.state.document.titles import numbered


def keep_selection(document: Document, name: str = "") -> None:
    """Give the present selection a name; without one, the first free of “Selection”, “Selection (2)” and so on."""
    state = document.state
    if not state.selection:
        raise ParameterError("Nothing is selected.", "Select samples first, by a lasso for example.")
    taken = {"", *state.selections.names}
    chosen = checked_name(name, taken) if name else _free_name("Selection", taken)
    colour, origin = _free_colour(document, state.selections), state.selections.origin
    kept = NamedSelection(name=chosen, samples=state.selection, colour=colour, origin=origin)
    _put(document, f"Save selection {chosen}", (*state.selections.named, kept), origin=chosen)


def keep_groups(document: Document, title: str, groups: Mapping[str, tuple[int, ...]]) -> None:
    """Keep groups of samples, such as clusters, as named selections; each gets a colour of its own."""
    present = document.state.selections
    there = {each.samples for each in present.named}
    new = {name: samples for name, samples in groups.items() if samples and tuple(sorted(samples)) not in there}
    if not new:
        raise ParameterError(f"{title[:1].upper()}{title[1:]} are saved already.", "They stand under Selection.")
    after = present
    for name, samples in new.items():
        own, colour = _free_name(elided(name), set(after.names)), _free_colour(document, after)
        kept = NamedSelection(name=own, samples=samples, colour=colour, origin=title)
        after = updated(after, {"named": (*after.named, kept)})
    document.apply(elided(f"Save {title}"), lambda s: s.model_copy(update={"selections": after}))


def rename_selection(document: Document, name: str, new: str) -> None:
    """Give a selection another name."""
    new_name = checked_name(new, set(document.state.selections.names) - {name})
    present = document.state.selections
    named = tuple(updated(each, {"name": new_name}) if each.name == name else each for each in present.named)
    origin = new_name if present.origin == name else present.origin
    after = updated(present, {"named": named, "origin": origin})
    document.apply(
        elided(f"Rename selection {name}"),
        lambda s: pointing_at(s, name, new_name).model_copy(update={"selections": after}),
    )


def recolour_selection(document: Document, name: str, colour: int) -> None:
    """Give a selection another colour."""
    _change(document, f"Recolour selection {name}", name, {"colour": colour})


def move_selection(document: Document, name: str, place: int) -> None:
    """Put a selection at a place in the order; in pictures later ones lie on top."""
    moved = document.state.selections.find(name)
    if moved is not None:
        _put(document, f"Move selection {name}", moved_to(document.state.selections.named, moved, place))


def delete_selections(document: Document, names: Iterable[str]) -> None:
    """Forget named selections; the samples stay selected where they are."""
    gone = set(names)
    left = tuple(each for each in document.state.selections.named if each.name not in gone)
    _put(document, f"Delete selection {', '.join(sorted(gone))}", left)


def pick_selection(document: Document, name: str, operation: Operation = "replace") -> None:
    """Select the samples of a named selection, alone or combined with those already selected."""
    picked = document.state.selections.find(name)
    if picked is not None:
        commands.select(document, picked.samples, operation, name)


def combine_selections(document: Document, names: Iterable[str], how: str) -> None:
    """Keep the union, intersection, difference or symmetric difference of named selections, and select it."""
    state = document.state
    parts = [chosen for name in names if (chosen := state.selections.find(name)) is not None]
    if len(parts) < 2:
        raise ParameterError("Two selections are needed.", "Choose two in the list, or drag one onto another.")
    samples = parts[0].samples
    for part in parts[1:]:
        samples = combined(samples, part.samples, how)
    words = f" {SIGNS[how]} ".join(part.name for part in parts)
    if not samples:
        raise ParameterError(f"No sample is in {elided(words)}.", "Combine them otherwise.")
    words = elided(words)
    name = _free_name(words, set(state.selections.names))
    colour = _free_colour(document, state.selections)
    selection = NamedSelection(name=name, samples=samples, colour=colour, origin=words)
    after = updated(state.selections, {"named": (*state.selections.named, selection), "origin": words})
    document.apply(f"Combine {words}", lambda s: s.model_copy(update={"selection": samples, "selections": after}))


def _free_colour(document: Document, selections: Selections) -> int:
    """A colour for one more selection, where possible none of those that the classes of the label have."""
    labels = None if document.data is None else document.data.labels
    return selections.free_colour(0 if labels is None else len(known_classes(labels)[0]))


def _free_name(name: str, taken: set[str]) -> str:
    """The name, with a number behind where it is taken."""
    return name if name not in taken else numbered(elided(name, LONGEST - 8), taken)


def _change(document: Document, label: str, name: str, changes: Mapping[str, object]) -> None:
    named = document.state.selections.named
    _put(document, label, tuple(updated(each, changes) if each.name == name else each for each in named))


def _put(document: Document, label: str, named: tuple[NamedSelection, ...], origin: str | None = None) -> None:
    """Take these named selections; `origin` tells what the present selection is called now."""
    changes = {"named": named} if origin is None else {"named": named, "origin": origin}
    after = updated(document.state.selections, changes)
    document.apply(elided(label), lambda s: s.model_copy(update={"selections": after}))
