"""Names of data, panels and settings in titles, captions and footers."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count

from mvexplorer.datasets.catalogue import find_sample
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.preprocessing import components
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.private import handed_over
from mvexplorer.state.document.ingredients.words import differences, kernel_words
from mvexplorer.state.document.model import (
    INGREDIENT_NAMES,
    DocumentState,
    PanelState,
    Scalar,
    declared_param,
    panel_view,
    panel_views,
)
from mvexplorer.wording import number, short_factor, source_title


def preprocess_words(how: str) -> str:
    """A view's preprocessing in words."""
    words = {
        "none": "raw",
        "centre": "centred",
        "zscore": "z-scored",
        "unit": "unit range",
        "log1p": "log(1 + x)",
    }
    return words.get(how) or f"PCA to {components(how)}"


def state_title(state: DocumentState) -> str:
    """Return the title of a document's data; where that was taken out of other data, the words that say so."""
    return state.part_of or data_title(state.source)


def data_title(source: Sequence[str]) -> str:
    """The title of data from a sample, or from these files."""
    if handed_over(source):
        return "data from Python"
    if len(source) == 1 and (sample := find_sample(source[0])) is not None:
        return sample.title
    return source_title(source[:3]) + (" …" if len(source) > 3 else "")


def colour_words(source: str, data: MultiView | None) -> str:
    """Name the subject of a colouring: of ``feature:fou:2`` the feature's name, of ``latent:theta`` theta."""
    kind, _, name = source.partition(":")
    view, _, index = name.rpartition(":")
    if kind == "feature" and data is not None and view in data.view_names and index.isdigit():
        place = data.view_index(view)
        if int(index) < data.Xs[place].shape[1]:
            return f"{data.feature_title(place, int(index))} of {view}"
    if kind == "coordinate":
        return f"coordinate {int(index) + 1} of {view}" if index.isdigit() else "a coordinate"
    return name or {"labels": "label", "": "nothing"}.get(kind, kind)


def parameter_line(data: MultiView, params: Mapping[str, object]) -> str:
    """Samples, views and shared parameters in one line."""
    views = ", ".join(f"{n} ({X.shape[1]})" for n, X in zip(data.view_names, data.Xs, strict=True))
    shown = f"η {params.get('eta') or 0:g}   t {params.get('t')}   r {params.get('n_components')}"
    return f"{data.n_samples:,} samples   views {views}   {shown}"


def given_words(name: str) -> str:
    """Name given coordinates as they are usually written."""
    plain = name.removeprefix("X_")
    # how common embeddings are written, by what programs call them
    usual = {"umap": "UMAP", "tsne": "t-SNE", "t-sne": "t-SNE", "pca": "PCA", "phate": "PHATE"}
    return usual.get(plain.lower(), plain)


def given_title(name: str) -> str:
    """The title of a panel of given coordinates."""
    return f"{given_words(name)} as published"


def offered_panels(method: Method, data: MultiView | None) -> list[tuple[str, str | None]]:
    """Titles of the panels that a method offers, and the view each is given: one, or one for each given picture."""
    if not method.shows_given:
        return [(method.title, None)]
    return [(given_title(name), name) for name in (() if data is None else data.coordinates)]


def panel_title(state: DocumentState, panel: PanelState) -> str:
    """A panel's method, its views where it does not use them all, and what sets it apart from others of that title."""
    return panel_titles(state).get(panel.id) or _plain_title(state, panel)


def panel_titles(state: DocumentState) -> dict[str, str]:
    """The titles of all panels by their ids, no two alike."""
    return _titled(state).titles


def untitled_pins(state: DocumentState, panel: PanelState) -> dict[str, Scalar]:
    """The pins of a panel that its title does not say."""
    words = _titled(state).words.get(panel.id, {})
    return {
        name: value
        for name, value in panel.pins.items()
        if not (name in words or name in INGREDIENT_NAMES or name.startswith("kernel:"))
    }


@dataclass(frozen=True)
class _Titles:
    """The names of all panels of a state, each part made once it is asked for."""

    state: DocumentState

    @cached_property
    def plain(self) -> dict[str, str]:
        return {panel.id: _plain_title(self.state, panel) for panel in self.state.panels}

    @cached_property
    def words(self) -> dict[str, dict[str, str]]:
        return _words_apart(self.state, self.plain)

    @cached_property
    def titles(self) -> dict[str, str]:
        if len(set(self.plain.values())) == len(self.plain):
            return self.plain
        titles: dict[str, str] = {}
        taken, used = set(self.plain.values()), set[str]()
        for id, title in self.plain.items():
            longer = " · ".join(filter(None, (title, ", ".join(self.words[id].values()))))
            titles[id] = longer if longer not in used else numbered(longer, taken)
            taken.add(titles[id])
            used.add(titles[id])
        return titles


_TITLES: deque[_Titles] = deque(maxlen=4)
"""Those of the states asked about last: each panel, list and caption asks for the titles of all."""


def _titled(state: DocumentState) -> _Titles:
    for each in tuple(_TITLES):
        if each.state is state:
            return each
    new = _Titles(state)
    _TITLES.append(new)
    return new


def _words_apart(state: DocumentState, plain: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """For panels that have a plain title in common, as few of their own settings as tell them apart, in words.

    Shared settings are not said: titles stay while a slider moves.
    """
    apart: dict[str, dict[str, str]] = {id: {} for id in plain}
    groups: dict[str, list[PanelState]] = {}
    for panel in state.panels:
        groups.setdefault(plain[panel.id], []).append(panel)
    for group in (each for each in groups.values() if len(each) > 1):
        own = [_own_words(state, panel) for panel in group]
        for name in dict.fromkeys(name for words in own for name in words):
            so_far = [tuple(apart[panel.id].items()) for panel in group]
            then = [(before, words.get(name)) for before, words in zip(so_far, own, strict=True)]
            if len(set(then)) > len(set(so_far)):
                for panel, words in zip(group, own, strict=True):
                    apart[panel.id] |= {name: words[name]} if name in words else {}
    return apart


def _own_words(state: DocumentState, panel: PanelState) -> dict[str, str]:
    """A panel's own settings that its plain title does not say, in words: what is computed, then what is drawn."""
    method, fresh = get_method(panel.method), PanelState(id=panel.id, method=panel.method)
    offered = pinnable(state, panel)
    pins = sorted((name for name in panel.pins if name in offered), key=list(offered).index)
    one_view = method.max_views == 1
    words = {name: pin_words(name, panel.pins[name], one_view=one_view) for name in pins}
    if method.max_views == 2 and panel.pair:
        words["pair"] = " + ".join(panel.pair)
    if panel.show != fresh.show:
        words["show"] = f"coordinates of {panel.show}"
    if panel.axes != fresh.axes:
        words["axes"] = f"axes {', '.join(str(axis + 1) for axis in panel.axes[: panel.dims])}"
    if panel.dims != fresh.dims:
        words["dims"] = "3-D"
    return words


def pin_words(name: str, value: Scalar, *, one_view: bool = False) -> str:
    """A pinned parameter in words: of ε its rule, of others symbol and value; `one_view` needs no view's name."""
    kind, _, view = name.partition(":")
    if kind == "epsilon":
        given = parse_bandwidth(value)
        times = "" if given.factor == 1.0 else f" × {short_factor(given.factor)}"
        words = f"{given.words}{times}" if given.rule else f"ε {number(given.factor)}"
        return words if one_view else f"{words} in {view}"
    if kind == "kernel":
        return kernel_words(parse_kernel(value)) if one_view else f"{kernel_words(parse_kernel(value))} in {view}"
    declared = declared_param(name)
    symbol = name if declared is None else declared.symbol or declared.title.lower() or name
    if value is None:
        return f"{symbol} {'' if declared is None else declared.empty}".rstrip()
    return f"{symbol} {number(value) if isinstance(value, float) else str(value).lower()}"


def numbered(title: str, taken: set[str]) -> str:
    """The title with the first number from 2 that makes it another one than those taken."""
    return next(name for i in count(2) if (name := f"{title} ({i})") not in taken)


def _plain_title(state: DocumentState, panel: PanelState) -> str:
    title = f"{bare_title(state, panel)}{_differing_words(state, panel)}"
    return title if panel.epsilon_scale == 1.0 else f"{title} · ε × {short_factor(panel.epsilon_scale)}"


def _differing_words(state: DocumentState, panel: PanelState) -> str:
    """Say where the panel's ingredients are not the paper's."""
    words = differences(state, panel)
    return f" · {', '.join(words)}" if words else ""


def bare_title(state: DocumentState, panel: PanelState) -> str:
    """A panel's method and views, without what differs from the paper."""
    method = get_method(panel.method)
    if method.shows_given:
        return method.title if panel.view is None else given_title(panel.view)
    if method.max_views == 1:
        return f"{method.short or method.title} · {panel_view(state, panel) or 'no view'}"
    used = panel_views(state, panel, method)
    if method.compares_one_view and len(used) > 1:
        most_named, others = 2, used[1:]
        beyond = " + ".join(others) if len(others) <= most_named else f"{len(others)} others"
        return f"{method.title} · {used[0]} beyond {beyond}"
    if without := [name for name in panel.left_out if name in state.enabled]:
        return f"{method.title} without {', '.join(without)}"
    if method.max_views is not None and len(used) > method.max_views:
        return f"{method.title} · {' + '.join(used[: method.max_views])}"
    return method.title


def numbered_title(state: DocumentState, panel: PanelState) -> str:
    """A panel's place and title, and what is pinned to it: no two panels have the same."""
    place = next((i for i, p in enumerate(state.panels, start=1) if p.id == panel.id), len(state.panels) + 1)
    pins = "".join(f", {name.replace(':', ' of ')} {value}" for name, value in untitled_pins(state, panel).items())
    return f"panel {place}, {panel_title(state, panel)}{pins}"


def pinnable(state: DocumentState, panel: PanelState) -> dict[str, str]:
    """The parameters that can be pinned to a panel, as `PanelState.pins` names them, and what each is called."""
    method = get_method(panel.method)
    labels = {p.name: p.label for p in method.params if not p.of_panel}
    if method.max_views == 1:
        views = [view] if (view := panel_view(state, panel)) else []
    else:
        views = list(panel_views(state, panel, method)[: method.max_views])
    if method.uses_epsilon:
        labels |= {f"epsilon:{v}": f"Bandwidth ε of {v}" for v in views}
    if method.requires == "kernels":
        labels |= {f"kernel:{v}": f"Kernel of {v}" for v in views}
    return labels
