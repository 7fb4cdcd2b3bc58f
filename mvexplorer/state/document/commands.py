"""Every edit of the document that a menu, a slider or a key can make, each one an undo step with a name.

An edit of a view, panel or sample that no longer exists changes nothing: the data may have changed meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from mvexplorer.compute.batch.axes import EPSILON_SCALE, Axis
from mvexplorer.engine.api.columns import CONSENSUS
from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import Param, Value, unknown_params
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.axis import at_value
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.fresh import initial_state as initial_state
from mvexplorer.state.document.fresh import new_panel as new_panel
from mvexplorer.state.document.fresh import opening_panels
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import (
    MAX_PANELS,
    DocumentState,
    PanelState,
    ViewState,
    declared_param,
    panel_kernel,
    panel_params,
    panel_view,
    panel_views,
    sharing,
)
from mvexplorer.state.document.selection import Operation, combine, invert, rows_of
from mvexplorer.state.document.selections import inverted_origin, joined_origin
from mvexplorer.state.document.titles import panel_title, preprocess_words
from mvexplorer.wording import counted, listed, number

SCALE_RANGE = (1e-3, 1e3)


def open_data(document: Document, data: MultiView, state: DocumentState, label: str = "Open data") -> None:
    """Show other data, or the same read otherwise as the label says; undo brings the former back."""
    document.apply(label, state, data=data)


# Parameters -------------------------------------------------------------------------------------------------


def set_epsilon(document: Document, view: str, epsilon: float | str, *, interactive: bool = False) -> None:
    """Give one view's shared ε as a number or a rule."""
    rule = parse_bandwidth(epsilon, view).rule
    changes: dict[str, Any] = {"epsilon": epsilon}
    if rule is not None:
        changes["rule"] = epsilon
    document.apply(
        f"ε of {view} to {_words(epsilon)}",
        lambda s: s.with_view(view, **changes),
        merge=f"epsilon:{view}",
        interactive=interactive,
    )


def set_epsilons(document: Document, epsilon: Mapping[str, float], *, interactive: bool = False) -> None:
    """Give several views their shared ε as numbers, as one edit: of a drag that moves two of them, one step."""
    for view, value in epsilon.items():
        parse_bandwidth(value, view)

    def moved(state: DocumentState) -> DocumentState:
        for view, value in epsilon.items():
            state = state.with_view(view, epsilon=value)
        return state

    words = ", ".join(f"{view} to {_words(value)}" for view, value in epsilon.items())
    document.apply(f"ε of {words}", moved, merge="epsilons", interactive=interactive)


def use_rule(document: Document, panel: str, views: Sequence[str], rule: str) -> None:
    """Give the views of a panel their ε by a rule, in the pin where ε is pinned; set the master slider to 1."""
    parse_bandwidth(rule)

    def ruled(state: DocumentState) -> DocumentState:
        pins = dict(state.panel(panel).pins)
        shared = [name for name in views if f"epsilon:{name}" not in pins]
        for name in shared:
            state = state.with_view(name, epsilon=rule, rule=rule)
        pins |= {f"epsilon:{name}": rule for name in views if name not in shared}
        changes = {"epsilon_scale": 1.0} if shared else {}
        return state.with_panel(panel, pins=pins, epsilon_scale=1.0).model_copy(update=changes)

    if document.state.find_panel(panel) is not None:
        document.apply(f"ε by {rule}", ruled)


def show_views(document: Document, views: Sequence[str], epsilon: float | str) -> None:
    """Use these views and no others, all of them at this ε, as one edit."""
    rule = {"rule": epsilon} if isinstance(epsilon, str) and parse_bandwidth(epsilon).rule is not None else {}

    def shown(state: DocumentState) -> DocumentState:
        new = tuple(
            updated(v, {"enabled": True, "epsilon": epsilon, **rule})
            if v.name in views
            else updated(v, {"enabled": False})
            for v in state.views
        )
        return sharing(updated(state, {"views": new, "epsilon_scale": 1.0}))

    document.apply(f"{counted(len(views), 'view')} at {epsilon}", shown)


def set_kernel(document: Document, view: str, kernel: str) -> None:
    """Give a view another kernel; the bandwidth rules then work on that kernel's distances."""
    text = parse_kernel(kernel, view).text
    document.apply(f"Kernel of {view}: {text}", lambda s: s.with_view(view, kernel=text))


def compute_by(document: Document, kernel: str | None, subsample: int | None) -> None:
    """Give all ticked views this kernel, and solve on a random part of the samples or (None) on all of them."""
    text = None if kernel is None else parse_kernel(kernel).text

    def of_view(view: ViewState) -> str:
        """The kernel with the view's metric, where its kind takes one."""
        wanted, metric = parse_kernel(text), parse_kernel(view.kernel).metric
        return wanted.on(metric).text if wanted.takes_metric and "@" not in str(text) else wanted.text

    def chosen(state: DocumentState) -> DocumentState:
        views = tuple(updated(v, {"kernel": of_view(v)}) if text and v.enabled else v for v in state.views)
        return updated(state, {"views": views, "subsample": subsample})

    how = text or ("all pairs" if subsample is None else f"a part of {subsample:,}")
    document.apply(f"Compute by {how}", chosen)


def set_scale(document: Document, scale: float, *, interactive: bool = False, typed: bool = False) -> None:
    """Multiply every linked view's ε; beyond the slider's ends it stays there, but one that was typed is refused."""
    low, high = SCALE_RANGE
    if not scale > 0.0:
        said = "is not a number" if scale != scale else f"is {scale:g}"
        raise ParameterError(f"The factor on all ε {said}.", "Give a number above 0; 1 leaves every ε as it is.")
    value = min(max(scale, low), high)
    if typed and value != scale:
        hint = f"Give {low:g} to {high:,g}, or change the ε of the views themselves."
        given = number(scale) if math.isfinite(scale) else "infinite"
        raise ParameterError(f"The factor on all ε cannot be {given}.", hint)
    document.apply(
        f"Scale all ε by {_words(value)}",
        lambda s: s.model_copy(update={"epsilon_scale": value}),
        merge="scale",
        interactive=interactive,
    )


def _checked_scale(scale: object) -> float:
    """A panel's own factor on every ε, if it can be one."""
    low, high = SCALE_RANGE
    if isinstance(scale, bool) or not isinstance(scale, int | float) or not low <= scale <= high:
        raise ParameterError(f"A panel's own factor on ε cannot be {_words(scale)}.", f"Give {low:g} to {high:g}.")
    return float(scale)


def set_own_scales(document: Document, scales: Mapping[str, float]) -> None:
    """Give panels, by id, their own factors on every ε, as one edit; 1 shares the ε of all panels."""
    for scale in scales.values():
        _checked_scale(scale)

    def scaled(state: DocumentState) -> DocumentState:
        panels = tuple(updated(p, {"epsilon_scale": scales[p.id]}) if p.id in scales else p for p in state.panels)
        return state.model_copy(update={"panels": panels})

    shared = all(scale == 1.0 for scale in scales.values())
    document.apply("Share one ε" if shared else "Each panel at its own ε", scaled)


def show_at(document: Document, panel: PanelState, axis: Axis, value: float | None) -> str:
    """Go to a value of an axis (None: stay), with a panel like this one on show; returns that panel's id."""
    state = document.state
    like = [p for p in state.panels if _kind_of(state, p) == _kind_of(state, panel)]
    on_show = next((p for p in like if p.id == panel.id), like[0] if like else None)
    if on_show is None:
        _check_room(state)
    shown = on_show or updated(panel, {"id": _fresh_id(state)})
    panels = state.panels if on_show else (*state.panels, shown)
    title = get_method(panel.method).title
    if value is None:
        document.apply(f"Show {title}", lambda s: s.model_copy(update={"panels": panels}))
        return shown.id
    low, high = SCALE_RANGE if axis.name == EPSILON_SCALE else (axis.low, axis.high)
    there = min(max(value, low), high)
    short = _words(there)
    label = f"Show {title} at {short} ε" if axis.name == EPSILON_SCALE else f"Show {title} at {axis.symbol} {short}"
    document.apply(label, lambda s: at_value(s, axis, there).model_copy(update={"panels": panels}))
    return shown.id


def _kind_of(state: DocumentState, panel: PanelState) -> tuple[object, ...]:
    """All that decides what a panel computes."""
    return panel.method, panel_view(state, panel), panel.pins, panel.epsilon_scale


def set_linked(document: Document, view: str, linked: bool) -> None:
    """Let the master slider multiply this view's ε, or not."""
    document.apply(f"{'Link' if linked else 'Unlink'} ε of {view}", lambda s: s.with_view(view, linked=linked))


def set_param(document: Document, name: str, value: Any, *, interactive: bool = False) -> None:
    """Change one shared parameter, checked against its declaration."""
    declared, checked = _checked(document, name, value)
    document.apply(
        _told(declared, checked),
        lambda s: s.model_copy(update={"params": {**s.params, name: checked}}),
        merge=f"param:{name}",
        interactive=interactive,
    )


def _told(declared: Param, value: Value) -> str:
    """A parameter's new value, in the words of the step of undo."""
    if isinstance(value, bool):
        return f"{declared.label} {'on' if value else 'off'}"
    return f"{declared.symbol or declared.label} to {_words(value)}"


def _words(value: Any) -> str:
    """A value as one would type it."""
    if not isinstance(value, float):
        return "the rule's" if value is None else str(value)
    text = number(value)
    return text.rstrip("0").rstrip(".") if "." in text and "·" not in text else text


def _checked(document: Document, name: str, value: Any) -> tuple[Param, Value]:
    """A parameter's declaration, and `value` checked against it and against the number of samples."""
    declared = declared_param(name)
    if declared is None:
        raise KeyError(name)
    checked = declared.check(value)
    if isinstance(checked, float) and not math.isfinite(checked):
        raise ParameterError(f"{declared.label} cannot be {value}.", f"Give {declared.range_text}.")
    if name == "n_components" and document.data is not None:
        limit = document.data.n_samples - 2
        if isinstance(checked, int) and checked > limit:
            raise ParameterError(
                f"r = {checked} coordinates are too many for {document.data.n_samples} samples.",
                f"Ask for at most {limit}.",
            )
    return declared, checked


def set_preprocess(document: Document, view: str, how: str) -> None:
    """Preprocess a view otherwise. Weights stay only where they fit the features then."""
    data = document.data
    if data is None:
        return
    each = tuple(how if n == view else p for n, p in zip(data.view_names, data.preprocess, strict=True))
    if each == data.preprocess:
        return
    changed = data.replace(preprocess=each)
    lost = {"weights": None} if changed.feature_weights[data.view_index(view)] is None else {}
    document.apply(
        f"Preprocess {view}: {preprocess_words(how)}", lambda s: s.with_view(view, preprocess=how, **lost), data=changed
    )


def keep_scales(document: Document, views: Sequence[str]) -> None:
    """Say that the scales of the columns of some views are meant as they are."""
    most_named = 3  # a step of undo counts more views in place of naming each
    kept = tuple(updated(v, {"kept_scales": v.preprocess}) if v.name in views else v for v in document.state.views)
    words = listed(views) if len(views) <= most_named else counted(len(views), "view")
    document.apply(f"Keep the scales of {words}", lambda s: s.model_copy(update={"views": kept}))


def apply_weights(document: Document, view: str, weights: Sequence[float] | None, epsilon: float | None = None) -> None:
    """Multiply a view's features by weights (D,), or take the weights away; with the ε that belongs to them."""
    data = document.data
    if data is None or view not in data.view_names:
        return
    stored = None if weights is None else tuple(float(w) for w in weights)
    index = data.view_index(view)
    changed = data.replace(feature_weights=[stored if i == index else w for i, w in enumerate(data.feature_weights)])
    edits: dict[str, Any] = {"weights": stored} if epsilon is None else {"weights": stored, "epsilon": epsilon}
    label = f"Feature weights of {view} {'on' if stored else 'off'}"
    document.apply(label, lambda s: s.with_view(view, **edits), data=changed)


def use_as_label(document: Document, column: str) -> None:
    """Make a column the label; undo makes it a column again."""
    data = document.data
    if data is None or column not in data.columns:
        return
    others = {name: values for name, values in data.columns.items() if name != column}
    changed = data.replace(labels=data.columns[column], label_name=column, columns=others)

    def labelled(state: DocumentState) -> DocumentState:
        others = {name: role for name, role in dict(state.reading.roles).items() if role != "label"}
        reading = replace(state.reading, labels=column, roles=others)
        return state.model_copy(update={"reading": reading, "colour": "labels", "visible_classes": ()})

    document.apply(f"Use {column} as the label", labelled, data=changed)


def use_sonograms(document: Document, data: MultiView, rate: float, preset: str) -> None:
    """Replace waveforms by their sonograms, `data`; undo brings the waveforms back."""
    changes = {"sonogram": {"rate": rate, "preset": preset}}
    document.apply("Turn waveforms into sonograms", lambda s: updated(s.asking_scales, changes), data=data)


def tick_view(document: Document, view: str, enabled: bool) -> None:
    """Use a view, or leave it out."""
    document.apply(f"{'Use' if enabled else 'Leave out'} {view}", lambda s: s.with_view(view, enabled=enabled))


def tick_all_views(document: Document) -> None:
    """Use every view."""
    document.apply(
        "Select all views",
        lambda s: s.model_copy(update={"views": tuple(updated(v, {"enabled": True}) for v in s.views)}),
    )


# Panels -----------------------------------------------------------------------------------------------------


def add_panel(document: Document, method: str, view: str | None = None) -> str:
    """Put a new panel at the end; returns its id."""
    id = _fresh_id(document.state)
    _append(document, f"Add {get_method(method).title}", updated(new_panel(method, id), {"view": view}))
    return id


def show_usual_panels(document: Document) -> None:
    """Show the panels that fresh data opens with."""
    panels = opening_panels(list(document.state.enabled), document.data)
    document.apply("Show the default panels", lambda s: s.model_copy(update={"panels": panels}))


def duplicate_panel(document: Document, id: str) -> str:
    """Put a copy of a panel, its pins included, beside it; returns the copy's id."""
    panel, fresh = document.state.find_panel(id), _fresh_id(document.state)
    if panel is None:
        return id
    _append(document, "Duplicate panel", updated(panel, {"id": fresh}), after=id)
    return fresh


def show_without(document: Document, id: str, view: str) -> str:
    """Put a panel without one of its views beside it, the map of a single view where one is left; returns its id."""
    state, panel = document.state, document.state.find_panel(id)
    if panel is None:
        return id
    rest = [name for name in panel_views(state, panel, get_method(panel.method)) if name != view]
    fresh = _fresh_id(state)
    if len(rest) == 1:
        added = updated(new_panel("single", fresh), {"view": rest[0]})
    else:
        added = updated(panel, {"id": fresh, "show": CONSENSUS, "left_out": (*panel.left_out, view)})
    _append(document, f"Show {get_method(panel.method).title} without {view}", added, after=id)
    return fresh


def take_multiple(document: Document, picture: PanelState, label: str) -> str:
    """Make a small picture a panel with the same pins, and close the small multiples; returns the panel's id."""
    fresh = _fresh_id(document.state)
    _check_room(document.state)
    panels = (*document.state.panels, updated(picture, {"id": fresh}))
    closed = updated(document.state.multiples, {"shown": False})
    document.apply(label, lambda s: s.model_copy(update={"panels": panels, "multiples": closed}))
    return fresh


def close_panel(document: Document, id: str) -> None:
    """Remove a panel."""
    panel = document.state.find_panel(id)
    label = "Close panel" if panel is None else f"Close {panel_title(document.state, panel)}"
    document.apply(label, lambda s: s.model_copy(update={"panels": tuple(p for p in s.panels if p.id != id)}))


def swap_panels(document: Document, first: str, second: str) -> None:
    """Exchange the places of two panels."""

    def swapped(state: DocumentState) -> DocumentState:
        by_id = {p.id: p for p in state.panels}
        if not {first, second} <= set(by_id):
            return state
        other = {first: second, second: first}
        return state.model_copy(update={"panels": tuple(by_id[other.get(p.id, p.id)] for p in state.panels)})

    document.apply("Swap panels", swapped)


def set_method(document: Document, id: str, method: str, view: str | None = None) -> None:
    """Change what a panel shows; its camera, pins and size stay. An ε of its own was that of another method."""
    document.apply(f"Show {get_method(method).title}", lambda s: _with_method(s, id, method, view))


def _with_method(state: DocumentState, id: str, method: str, view: str | None = None) -> DocumentState:
    """The state with another method in a panel."""
    fresh = new_panel(method, id)
    changes = {"view": view, "axes": fresh.axes, "show": CONSENSUS, "pair": None, "left_out": (), "epsilon_scale": 1.0}
    return state.with_panel(id, method=method, **changes)


def change_panel(document: Document, id: str, label: str, **changes: Any) -> None:
    """Change a panel's view, pair, dimension or axes."""
    document.apply(label, lambda s: s.with_panel(id, **changes))


def change_all_panels(document: Document, label: str, **changes: Any) -> None:
    """Make the same change in every panel, as one edit."""
    document.apply(label, lambda s: s.model_copy(update={"panels": tuple(updated(p, changes) for p in s.panels)}))


def pin(document: Document, id: str, name: str, value: Any, *, interactive: bool = False) -> None:
    """Fix a parameter (or ``epsilon:VIEW``, ``kernel:VIEW``) for one panel; a drag's steps are one step of undo."""
    if name.startswith("epsilon:"):
        parse_bandwidth(value)
    elif name.startswith("kernel:"):
        value = parse_kernel(value).text
    else:
        _, value = _checked(document, name, value)
    panel = document.state.find_panel(id)
    if panel is None:
        return
    label = f"Pin {name.replace(':', ' of ')} at {_words(value)}"
    document.apply(
        label,
        lambda s: s.with_panel(id, pins={**panel.pins, name: value}),
        merge=f"pin:{id}:{name}",
        interactive=interactive,
    )


def set_panel(
    document: Document, id: str, method: str | None, epsilon_scale: object, params: Mapping[str, object]
) -> None:
    """Give a panel a method, a factor on its ε and parameters of its own, as one edit; None leaves what it has."""
    state = document.state
    panel, words = state.panel(id), list[str]()
    if method is not None and method != panel.method:
        state = _with_method(state, id, method)
        words.append(f"Show {get_method(method).title}")
        panel = state.panel(id)
    shown = get_method(panel.method)
    own = panel_view(state, panel)
    views = (own,) if shown.max_views == 1 and own is not None else panel_views(state, panel, shown)
    kernels = [panel_kernel(state, panel, view) for view in views]
    if (refused := check_applicable(shown, views, kernels)) is not None:
        raise refused
    unknown_params(params, [p.name for p in shown.params], f"{shown.title} has no parameter", "Its parameters")
    checked = {name: _checked(document, name, value) for name, value in params.items()}
    changes: dict[str, Any] = {"pins": {**panel.pins, **{name: value for name, (_, value) in checked.items()}}}
    if epsilon_scale is not None:
        changes["epsilon_scale"] = scale = _checked_scale(epsilon_scale)
        if not any(kernel.kind.uses_epsilon for kernel in kernels) or not shown.epsilon_matters(
            panel_params(state, panel, shown)
        ):
            raise ParameterError(f"{shown.title} has no ε here.", "Choose another method, or leave the factor out.")
        words.append(f"Scale ε of a panel by {_words(scale)}")
    words += [f"Pin {_told(*each)}" for each in checked.values()]
    document.apply(", ".join(words), state.with_panel(id, **changes))


def unpin(document: Document, id: str, name: str) -> None:
    """Let a parameter of a panel follow the shared one again."""
    panel = document.state.find_panel(id)
    if panel is not None:
        pins = {k: v for k, v in panel.pins.items() if k != name}
        document.apply(f"Unpin {name.replace(':', ' of ')}", lambda s: s.with_panel(id, pins=pins))


def _fresh_id(state: DocumentState) -> str:
    taken = {p.id for p in state.panels} | {note.panel for note in state.notes}  # those of a closed panel wait for it
    return next(f"p{i}" for i in count(1) if f"p{i}" not in taken)


def _check_room(state: DocumentState) -> None:
    if len(state.panels) >= MAX_PANELS:
        hint = f"Close {len(state.rest) + 1} of them first." if state.rest else "Close one first."
        raise ParameterError(f"There are already {len(state.panels)} panels.", hint)


def _append(document: Document, label: str, panel: PanelState, after: str | None = None) -> None:
    panels = list(document.state.panels)
    _check_room(document.state)
    place = next((i + 1 for i, p in enumerate(panels) if p.id == after), len(panels))
    panels.insert(place, panel)
    document.apply(label, lambda s: s.model_copy(update={"panels": tuple(panels)}))


# Points -----------------------------------------------------------------------------------------------------


def select(document: Document, picked: Iterable[int], operation: Operation = "replace", origin: str = "") -> None:
    """Select samples, alone or combined with those already selected; `origin` says in words where they came from."""
    there = 0 if document.data is None else document.data.n_samples
    rows = rows_of(picked)
    valid = rows[(rows >= 0) & (rows < there)]
    before, former = document.state.selection, document.state.selections.origin
    chosen = combine(before, valid, operation)
    label = f"Select {len(chosen):,} sample{'s' if len(chosen) != 1 else ''}" if chosen else "Select nothing"
    _set_selection(document, label, chosen, joined_origin(before, former, operation, origin, len(valid)))


def invert_selection(document: Document) -> None:
    """Select exactly the samples that are not selected."""
    if document.data is not None:
        before, former = document.state.selection, document.state.selections.origin
        chosen = invert(before, document.data.n_samples)
        _set_selection(document, "Invert selection", chosen, inverted_origin(before, former))


def _set_selection(document: Document, label: str, chosen: tuple[int, ...], origin: str) -> None:
    """Select these samples; the same ones again, however they were picked, are no edit."""
    if chosen != document.state.selection:
        selections = updated(document.state.selections, {"origin": origin if chosen else ""})
        document.apply(label, lambda s: s.model_copy(update={"selection": chosen, "selections": selections}))


def colour_by(document: Document, source: str) -> None:
    """Colour all points by another column, feature or coordinate."""
    document.apply(
        f"Colour by {source_words(source, document.state, document.data)}",
        lambda s: s.model_copy(update={"colour": source, "visible_classes": ()}),
    )


def isolate(document: Document, classes: Iterable[str]) -> None:
    """Show only some classes; none means all."""
    shown = tuple(classes)
    most_named = 6  # a step of undo counts more classes in place of naming each
    words = ", ".join(shown) if len(shown) <= most_named else f"{len(shown):,} classes"
    label = f"Show only {words}" if shown else "Show all classes"
    document.apply(label, lambda s: s.model_copy(update={"visible_classes": shown}))


def style_points(document: Document, **changes: float) -> None:
    """Change the points' size or opacity."""
    label = ", ".join(f"{name.replace('_', ' ').capitalize()} to {_words(value)}" for name, value in changes.items())
    document.apply(label, lambda s: updated(s, changes), merge=f"style:{','.join(changes)}")
