"""Titles of colourings, also of those that jobs compute, and what the sources of these say."""

from __future__ import annotations

from collections.abc import Callable

from mvexplorer.engine.analysis.clusters import WAYS
from mvexplorer.engine.analysis.point import MOST_STEPS, distance_kind
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.titles import colour_words, panel_titles
from mvexplorer.wording import counted

KIND_WORDS = {"diffusion": "diffusion distance", "heat": "heat distance", "coordinates": "distance"}
MAX_CLASSES = 40


def clusters_of(rest: str) -> tuple[str, str, int] | None:
    """Panel, way and number of clusters of a source; None where it does not say them."""
    panel, _, way = rest.partition(":")
    how, _, number = way.partition(":")
    is_valid = how in WAYS and number.isdecimal() and number.isascii() and len(number) < 4
    return (panel, how, int(number)) if is_valid and 2 <= int(number) <= MAX_CLASSES else None


def clusters_title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    """The title of a colouring by clusters."""
    parts = clusters_of(rest)
    if parts is None:
        return "clusters"
    panel = panel_titles(state).get(parts[0], "a panel that is gone")
    return f"{parts[2]} clusters of {panel} ({WAYS[parts[1]]})"


def parts_of(rest: str) -> tuple[str, int, int, str] | None:
    """Panel, sample, steps (0 for a distance) and the view that the walk starts in; None for another REST."""
    panel, _, more = rest.partition(":")
    index, _, kind = more.partition(":")
    if not index.isdigit():
        return None
    if kind == "distance":
        return panel, int(index), 0, ""
    what, _, steps = kind.partition("-")
    number, _, start = steps.partition("-")
    if what != "steps" or not number.isdigit() or not 1 <= int(number) <= MOST_STEPS:
        return None
    return panel, int(index), int(number), start


def distance_title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    """The title of a colouring by distance from a sample, or by a walk from it."""
    parts = parts_of(rest)
    if parts is None:
        return "a distance"
    panel, sample, t, start = parts
    name = str(sample) if data is None or sample >= data.n_samples else data.sample_ids[sample]
    where = panel_titles(state).get(panel, "a panel that is gone")
    if t:
        return f"probability {counted(t, 'step')} after {name}{f' of {start}' if start else ''} in {where}"
    shown = state.find_panel(panel)
    kind = "distance" if shown is None else KIND_WORDS[distance_kind(shown.method)]
    return f"{kind} from {name} in {where}"


def pair_of(rest: str) -> tuple[str, str]:
    """The ids of the two panels that a source names."""
    first, _, second = rest.partition(":")
    return first, second


def disagreement_title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    """The title of a colouring by where two panels differ."""
    titles = panel_titles(state)
    first, second = (titles.get(id, "a panel that is gone") for id in pair_of(rest))
    return f"disagreement of {first} and {second}"


def two_views(data: MultiView | None, rest: str) -> tuple[str, str] | None:
    """The names of the two views whose places a source gives; None where it does not."""
    places = rest.split(":")
    if data is None or len(places) != 2 or not all(place.isascii() and place.isdecimal() for place in places):
        return None
    i, j = map(int, places)
    return (data.view_names[i], data.view_names[j]) if i != j and max(i, j) < data.n_views else None


def difference_title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    """The title of a colouring by where two views differ."""
    views = two_views(data, rest)
    return "difference of two views" if views is None else f"difference of {views[0]} and {views[1]}"


def colour_meaning(source: str) -> str:
    """The meaning of a colouring's numbers, where its title does not say."""
    return "share of a step that the views make to different samples" if source.startswith("difference:") else ""


def spread_title(state: DocumentState, data: MultiView | None, panel: str) -> str:
    """The title of a colouring by how far samples move."""
    return f"spread of {panel_titles(state).get(panel, 'a panel that is gone')}"


def walk_words(state: DocumentState, data: MultiView | None, rest: str) -> tuple[str, str]:
    """How many steps after which sample, and where."""
    parts = parts_of(rest)
    if parts is None:
        return "after a sample", "a panel"
    panel, sample, t, _ = parts
    name = str(sample) if data is None or sample >= data.n_samples else data.sample_ids[sample]
    where = panel_titles(state).get(panel, "a panel that is gone")
    return f"{counted(t, 'step')} after {name}", where


def walk_title(state: DocumentState, data: MultiView | None, rest: str) -> str:
    """The title of the colouring of each picture by its own walk."""
    words, where = walk_words(state, data, rest)
    return f"each picture’s own walk, else {where}’s, {words}"


TITLES: dict[str, Callable[[DocumentState, MultiView | None, str], str]] = {
    "disagreement": disagreement_title,
    "clusters": clusters_title,
    "distance": distance_title,
    "spread": spread_title,
    "walks": walk_title,
    "difference": difference_title,
}
"""The titles of derived colourings, by what their sources begin with."""


def source_words(source: str, state: DocumentState, data: MultiView | None) -> str:
    """The title of a source, derived or not."""
    name, _, rest = source.partition(":")
    title = TITLES.get(name)
    return colour_words(source, data) if title is None else title(state, data, rest)
