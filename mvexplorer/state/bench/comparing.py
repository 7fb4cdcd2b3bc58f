"""The document of a comparison: a panel for each method that the data admits, with its settings as pins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mvexplorer.engine.api.plan import check_applicable
from mvexplorer.engine.bandwidth.table import parse_epsilon, with_rule_params
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.params import check_params
from mvexplorer.engine.kernels.affinities import GAUSSIAN, kernels_of
from mvexplorer.engine.kernels.metrics import EUCLIDEAN
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.io.reading.files import Loaded
from mvexplorer.state.document import commands
from mvexplorer.state.document.fresh import new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.wording import source_title

Settings = Callable[[str], dict[str, Any]]


def loaded_title(loaded: Loaded) -> str:
    """The data's title in a picture."""
    if loaded.manifest is not None:
        return loaded.manifest.title
    return source_title(loaded.sources)


def comparison_state(
    loaded: Loaded, wanted: Sequence[str] | None, settings: Settings, random_state: int, default_epsilon: Any
) -> DocumentState:
    """A document with one panel per method (single views first), its settings as pins."""
    data = loaded.data
    state = commands.initial_state(
        data, tuple(loaded.sources), loaded.manifest, reading=loaded.options, notes=loaded.notes
    )
    views = [v for v in state.views if v.name in data.view_names]
    chosen = [m.id for m in methods() if _admits(data, m, settings)] if wanted is None else list(wanted)
    panels: list[PanelState] = []
    every_view = "single"  # the baseline method, shown for every view; other one-view methods only for the first
    for id in chosen:
        pins = method_pins(id, settings(id), data, default_epsilon)
        if id == every_view and "view" not in pins:
            panels += [_panel(id, len(panels) + i, pins, v.name) for i, v in enumerate(views)]
        elif get_method(id).shows_given:
            names: list[str | None] = (
                [str(pins["coordinates"])] if "coordinates" in pins else list(data.coordinates) or [None]
            )
            panels += [_panel(id, len(panels) + i, {}, name) for i, name in enumerate(names)]
        else:
            panels.append(_panel(id, len(panels), pins, str(pins["view"]) if "view" in pins else None))
    every = tuple(updated(v, {"enabled": True}) for v in views)
    return state.model_copy(update={"panels": tuple(panels), "views": every, "random_state": random_state})


def _admits(data: MultiView, method: Method, settings: Settings) -> bool:
    if method.shows_given:
        return bool(data.coordinates)
    given = settings(method.id)
    kernels = kernels_of(given.get("kernel", GAUSSIAN), given.get("metric", EUCLIDEAN), data.view_names)
    return check_applicable(method, data.view_names, kernels) is None


def _panel(method: str, index: int, pins: dict[str, Any], view: str | None) -> PanelState:
    fresh = new_panel(method, f"p{index + 1}")
    return updated(fresh, {"pins": {k: v for k, v in pins.items() if k != "view"}, "view": view})


def method_pins(id: str, given: dict[str, Any], data: MultiView, default_epsilon: Any) -> dict[str, Any]:
    """One method's settings as a panel's pins, checked."""
    given = dict(given)
    epsilon = parse_epsilon(given.pop("epsilon", default_epsilon), data.view_names)
    epsilon = with_rule_params(epsilon, given.pop("rule_params", {}))
    kernels = kernels_of(given.pop("kernel", GAUSSIAN), given.pop("metric", EUCLIDEAN), data.view_names)
    method = get_method(id)
    checked = check_params(method.params, given, method.title)
    pins: dict[str, Any] = {name: checked[name] for name in given}
    pins |= {f"kernel:{v}": k.text for v, k in zip(data.view_names, kernels, strict=True) if k != GAUSSIAN}
    return pins | {f"epsilon:{v}": b.given for v, b in zip(data.view_names, epsilon, strict=True)}
