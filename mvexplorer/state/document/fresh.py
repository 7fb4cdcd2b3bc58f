"""The state in which fresh data opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from mvexplorer.engine.bandwidth.table import DEFAULT_RULE
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.notices import Notice, captions
from mvexplorer.engine.methods import get_method
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.parts import MORE_LABEL_NAMES, pick_name
from mvexplorer.io.reading.manifest import Manifest
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState, ViewState
from mvexplorer.state.document.titles import given_words

DEFAULT_METHODS = ("kernel-sum", "kernel-product", "de-sa", "multiview")
OPENING_PANELS = 6
"""Panels of data with two views or more."""


def initial_state(
    data: MultiView,
    source: tuple[str, ...],
    manifest: Manifest | None,
    drop_missing: bool = False,
    reading: ReadOptions | None = None,
    notes: Sequence[Notice] = (),
) -> DocumentState:
    """The state in which fresh data opens: its manifest's, or the default rule for every view and the usual panels.

    `source` is the sample's id, or the files, read by `reading`; without that, `drop_missing` is its only option.
    `notes` are what reading them told.
    """
    reading = replace(reading or ReadOptions(drop_missing=drop_missing), preprocess=None)
    opening = manifest.open if manifest is not None else None
    titles = {v.name: v.title for v in manifest.views} if manifest is not None else {}
    views = []
    for name, preprocess, weights in zip(data.view_names, data.preprocess, data.feature_weights, strict=True):
        epsilon = (opening.epsilon_of(name) if opening else None) or DEFAULT_RULE
        views.append(
            ViewState(
                name=name,
                title=titles.get(name) or "",
                enabled=not (opening and opening.views) or name in opening.views,
                preprocess=preprocess,
                weights=None if weights is None else tuple(weights.tolist()),
                epsilon=epsilon,
                rule=epsilon if isinstance(epsilon, str) else DEFAULT_RULE,
            )
        )
    enabled = [v.name for v in views if v.enabled]
    colour = (opening.colour if opening else None) or _given_colour(data, reading)
    colour = colour or ("labels" if data.labels is not None else "")
    limit = max(1, min(12, data.n_samples - 2))
    state = DocumentState(
        source=source, reading=reading, dropped_and_imputed=captions(notes), views=tuple(views), colour=colour
    )
    params = {**state.params, "n_components": limit}
    return updated(state, {"panels": opening_panels(enabled, data), "params": params})


def _given_colour(data: MultiView, reading: ReadOptions) -> str:
    """The column that the reader of the files was told to use for colouring; empty where there is none.

    Where another label or id was chosen, the former one has this role without anybody having asked for its colours.
    """
    roles = dict(reading.roles)
    for key in (key for key, role in roles.items() if role == "colour"):
        name = key if key in data.columns else key.rpartition(":")[2]  # a file's name before it
        if name not in data.columns or f"{name}-2" in data.columns:  # which several files have
            continue
        values = data.columns[name]
        was_label = "label" in roles.values() and pick_name([name], MORE_LABEL_NAMES) is not None
        was_id = "id" in roles.values() and values.dtype.kind != "f" and len(np.unique(values)) == len(values)
        if not (was_label or was_id):
            return f"column:{name}"
    return ""


def opening_panels(enabled: list[str], data: MultiView | None) -> tuple[PanelState, ...]:
    """One panel for each of the first two views, one for a picture that came with the data, then default methods."""
    pictures = sorted(data.coordinates if data is not None else (), key=lambda name: given_words(name) == "PCA")
    shown = [*(("single", name) for name in enabled[:2]), *(("given", name) for name in pictures[:1])]
    several = DEFAULT_METHODS[len(shown) - OPENING_PANELS :] if len(enabled) >= 2 else ()
    panels = [*shown, *((method, None) for method in several)]
    return tuple(updated(new_panel(m, f"p{i}"), {"view": view}) for i, (m, view) in enumerate(panels, start=1))


def new_panel(method: str, id: str) -> PanelState:
    """A panel with the method's own choice of axes."""
    first = int(get_method(method).keeps_trivial)
    return PanelState(id=id, method=method, axes=(first, first + 1, first + 2))
