"""Colourings of the points: resolved from the state to values or classes, without any colour yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.analysis.scored import is_angle
from mvexplorer.engine.core.classes import known_classes
from mvexplorer.engine.core.multiview import Array, MultiView
from mvexplorer.state.document.colour_titles import MAX_CLASSES
from mvexplorer.state.document.selections import Selections


@dataclass(frozen=True)
class Colouring:
    """Values (M,) to colour by: classes (codes into `classes`), or numbers on a scale."""

    title: str
    values: npt.NDArray[Any]
    classes: tuple[str, ...] = ()
    """Names of the classes; empty for numbers."""
    cyclic: bool = False
    """The numbers are angles: both ends of the scale are the same."""
    diverging: bool = False
    """The numbers have a meaningful zero in the middle."""
    colours: tuple[int, ...] = ()
    """The place of each class among the colours of classes, -1 for the grey of the rest; empty: in their order."""
    own: Mapping[str, Array] = field(default_factory=dict)
    """Panels whose pictures have values (M,) of their own, on the same scale; `values` are those of all others."""
    alone: str = ""
    """The title of `values` where pictures cannot differ; empty: `title`."""

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many samples each class has."""
        return tuple(np.bincount(self.values, minlength=len(self.classes)).tolist()) if self.classes else ()


def in_one(colouring: Colouring | None) -> Colouring | None:
    """The colouring without the values of single pictures, for use where all pictures have the same values."""
    if colouring is None or not colouring.own:
        return colouring
    return replace(colouring, title=colouring.alone or colouring.title, own={})


def in_panel(colouring: Colouring | None, panel: str) -> Colouring | None:
    """The colouring of one panel's picture."""
    if colouring is None or panel not in colouring.own:
        return colouring
    return replace(colouring, values=colouring.own[panel])


def label_title(data: MultiView) -> str:
    """The name of the label: that of the column that it came from, if any."""
    return data.label_name if data.label_name not in (None, "", "labels") else "label"


def colour_sources(data: MultiView) -> tuple[tuple[str, str], ...]:
    """(source, title) of everything the data offers to colour by, but for its features."""
    sources = [] if data.labels is None else [("labels", label_title(data))]
    sources += [(f"latent:{name}", f"{name} (true)") for name in data.latent]
    sources += [(f"column:{name}", name) for name in data.columns]
    return tuple(sources)


@dataclass(frozen=True)
class SourceGroup:
    """Sources of one kind, source -> title, and how many `left` were too many to list."""

    title: str
    sources: dict[str, str]
    left: int = 0


def colour_groups(
    data: MultiView | None,
    panels: Mapping[str, str],
    text: str = "",
    most: int = 300,
    derived: Sequence[SourceGroup] = (),
) -> tuple[SourceGroup, ...]:
    """Everything to colour by whose title holds the words of `text`, at most so many of each group.

    `panels` maps the ids of panels that have coordinates to their titles; `derived` lists what a job would compute.
    """
    groups: dict[str, list[Iterator[tuple[str, str]]]] = {"": [iter([("", "one colour")])]}
    if data is not None:
        own = colour_sources(data)
        for title, kind in (("Labels", "labels"), ("Hidden variables", "latent"), ("Columns of the samples", "column")):
            groups[title] = [iter([(source, name) for source, name in own if source.partition(":")[0] == kind])]
        for id, title in panels.items():
            groups.setdefault(f"Coordinates of {title}", []).append(_coordinates(id, title))
        groups |= {group.title: [iter(group.sources.items())] for group in derived}
    words = text.casefold().split()
    matches = [_group(title, chain(*sources), words, most) for title, sources in groups.items()]
    features = () if data is None else feature_groups(data, text, most)
    return (*(group for group in matches if group.sources), *features)


def feature_groups(data: MultiView, text: str = "", most: int = 300) -> tuple[SourceGroup, ...]:
    """The features whose titles hold the words of `text`, by views, at most so many of each."""
    words = text.casefold().split()
    groups = (_columns_of(data, view, words, most) for view in range(len(data.view_names)))
    return tuple(group for group in groups if group.sources)


def _group(title: str, sources: Iterator[tuple[str, str]], words: list[str], most: int) -> SourceGroup:
    fitting = ((s, name) for s, name in sources if all(word in name.casefold() for word in words))
    first = dict(islice(fitting, most))
    return SourceGroup(title, first, sum(1 for _ in fitting))


def _columns_of(data: MultiView, view: int, words: list[str], most: int) -> SourceGroup:
    """The features of a view; there can be 100,000, of which no more are named than are listed or searched."""
    name, count, names = data.view_names[view], data.Xs[view].shape[1], data.feature_names[view]
    lacking = [word for word in words if word not in f"{name}, ".casefold()]
    places: Sequence[int] = range(count)
    if lacking:
        whole = names is not None and "" not in names
        titles: Iterable[str] = (names or ()) if whole else (data.feature_title(view, k) for k in range(count))
        folded = (f"{name}, {title}".casefold() for title in titles)
        places = [k for k, title in enumerate(folded) if all(word in title for word in lacking)]
    first = {f"feature:{name}:{k}": f"{name}, {data.feature_title(view, k)}" for k in places[:most]}
    return SourceGroup(f"Columns of {name}", first, len(places) - len(first))


def _coordinates(id: str, title: str) -> Iterator[tuple[str, str]]:
    most = 6  # per panel: the leading ones of the first view
    return ((f"coordinate:{id}:{k}", f"{title}, coordinate {k + 1}") for k in range(most))


def find_features(data: MultiView, text: str, most: int) -> dict[str, str]:
    """Source -> title of features by view and number ("fou 12"), or by a part of their names."""
    view, _, number = text.replace(", feature", "").rpartition(" ")
    titles = {}
    if view in data.view_names and number.isdigit() and 1 <= int(number) <= data.Xs[data.view_index(view)].shape[1]:
        index = data.view_index(view)
        titles[f"feature:{view}:{int(number) - 1}"] = f"{view}, {data.feature_title(index, int(number) - 1)}"
    for index, (name, features) in enumerate(zip(data.view_names, data.feature_names, strict=True)):
        words = [word for word in text.casefold().split() if word not in f"{name},".casefold()]
        folded = [feature.casefold() for feature in features or ()]
        hits = list(range(len(folded)))
        for word in words:
            hits = [k for k in hits if word in folded[k]]
        for k in hits[: most - len(titles)]:
            titles[f"feature:{name}:{k}"] = f"{name}, {data.feature_title(index, k)}"
        if len(titles) == most:
            break
    return titles


def resolve_colouring(source: str, data: MultiView, coordinates: Mapping[str, Array]) -> Colouring | None:
    """The colouring a source names; None when it names nothing (any more).

    `coordinates` maps a panel's id to its coordinates (M, r).
    """
    kind, _, rest = source.partition(":")
    if kind == "labels" and data.labels is not None:
        return colouring_of(label_title(data), data.labels, prefer_classes=True)
    if kind == "latent" and rest in data.latent:
        return colouring_of(f"{rest} (true)", data.latent[rest])
    if kind == "column" and rest in data.columns:
        return colouring_of(rest, data.columns[rest])
    owner, _, index = rest.rpartition(":")
    if kind == "feature" and owner in data.view_names and index.isdigit():
        view = data.view_index(owner)
        X = data.Xs[view]
        if int(index) < X.shape[1]:
            values = np.array(X[:, int(index)])  # in one piece: the file of a view is not read at every repaint
            return Colouring(f"{owner}, {data.feature_title(view, int(index))}", values)
    if kind == "coordinate" and owner in coordinates and index.isdigit():
        Y = coordinates[owner]
        if len(Y) != data.n_samples:
            return None  # computed for the samples shown before
        if int(index) < Y.shape[1]:
            return Colouring(f"coordinate {int(index) + 1}", Y[:, int(index)], diverging=True)
    return None


def whole_classes(data: MultiView) -> dict[str, tuple[str, ...]]:
    """The classes of the label and of every column in their order, by the title of their colouring."""
    colourings = (resolve_colouring(source, data, {}) for source, _ in colour_sources(data))
    most = 400  # classes of a label or column whose places a part of the samples remembers
    return {c.title: c.classes for c in colourings if c is not None and 0 < len(c.classes) <= most}


def as_in_whole(colouring: Colouring | None, whole: Mapping[str, tuple[str, ...]]) -> Colouring | None:
    """The colouring of a part of the samples with each class in the place that it has among all of them."""
    if colouring is None or not colouring.classes or colouring.colours:
        return colouring
    places = {name: place for place, name in enumerate(whole.get(colouring.title, ()))}
    if not places.keys() >= set(colouring.classes):
        return colouring
    return replace(colouring, colours=tuple(places[name] for name in colouring.classes))


def colour_by_selections(selections: Selections, n_samples: int) -> Colouring | None:
    """Each sample in the colour of its selection, of several the last one's; the rest grey. None without selections."""
    named = selections.named
    if not named:
        return None
    codes = np.full(n_samples, len(named), dtype=np.int64)
    for code, each in enumerate(named):
        codes[[row for row in each.samples if row < n_samples]] = code
    rest = "in none" if "in none" not in selections.names else "in none of them"
    return Colouring("selections", codes, (*selections.names, rest), colours=(*(each.colour for each in named), -1))


def orders_differ(source: str, data: MultiView) -> bool:
    """Whether the natural order of a source's classes is another than their order as text."""
    kind, _, name = source.partition(":")
    values = data.labels if kind == "labels" else data.columns.get(name) if kind == "column" else None
    if values is None or values.dtype.kind in "biuf":
        return False
    names = [str(name) for name in known_classes(values)[0]]
    return names != sorted(names)


def colouring_of(title: str, values: npt.NDArray[Any], prefer_classes: bool = False) -> Colouring:
    names, codes, has_class = known_classes(values)
    numeric = values.dtype.kind in "fiub"
    if not numeric or (len(names) <= MAX_CLASSES and (prefer_classes or values.dtype.kind != "f")):
        # Samples without a class form one of their own, after the others.
        classes = np.full(len(values), len(names), dtype=np.int64)
        classes[has_class] = codes
        shown = names if values.dtype.kind == "U" else tuple(map(_class_name, names))
        return Colouring(title, classes, (*shown, *(() if has_class.all() else ("unlabelled",))))
    return Colouring(title, values.astype(np.float64), cyclic=is_angle(values))


def _class_name(name: Any) -> str:
    return f"{name:g}" if isinstance(name, float | np.floating) else str(name)
