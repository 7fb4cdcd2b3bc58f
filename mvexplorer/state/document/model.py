"""The document's state as frozen values: undo keeps the former value, a session is its JSON."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mvexplorer.engine.api.columns import CONSENSUS
from mvexplorer.engine.bandwidth.table import DEFAULT_RULE, Bandwidth, parse_bandwidth
from mvexplorer.engine.core.params import Param, Value, parse_weights
from mvexplorer.engine.core.preprocessing import check_preprocess
from mvexplorer.engine.kernels.affinities import Kernel, parse_kernel
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.ingredients import INGREDIENTS
from mvexplorer.engine.pipeline.method import Method
from mvexplorer.engine.pipeline.stages import scaled_params
from mvexplorer.engine.pipeline.unit_rows import UNIT_ROWS
from mvexplorer.engine.pipeline.view_weights import EQUAL_VOLUME, VIEW_WEIGHTS
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.base.path_text import PathText
from mvexplorer.state.document.check_choices import CheckChoices
from mvexplorer.state.document.comparison import Comparison
from mvexplorer.state.document.diagnostics_choices import DiagnosticsChoices
from mvexplorer.state.document.frozen import Frozen, updated
from mvexplorer.state.document.multiples import Multiples
from mvexplorer.state.document.notes.note import Note
from mvexplorer.state.document.point import PointChoices
from mvexplorer.state.document.selections import Selections
from mvexplorer.state.document.snapshots import Snapshots

MAX_PANELS = 12
"""Panels that a window shows at once; a document holds any number."""

Column = Annotated[int, Field(ge=0)]
Scalar = float | int | str | bool | None
"""A parameter's value as it is saved."""


class ViewState(Frozen):
    """One view as the document uses it."""

    former_names: ClassVar = {"ticked": "enabled"}

    name: str
    title: str = ""
    enabled: bool = True
    preprocess: str = "none"
    """See `mvexplorer.engine.core.preprocessing`."""
    kept_scales: str = ""
    """The preprocessing under which the user wants the scales of the columns as they are; another one asks again."""
    epsilon: float | str = DEFAULT_RULE
    """A number, or a rule such as ``robust``, ``median/9`` or ``manifold(dimension=2)``."""
    rule: str = DEFAULT_RULE
    """The rule last used: what a double click returns to."""
    kernel: str = "gaussian"
    """Such as ``laplacian`` or ``knn-30``; see `mvexplorer.engine.kernels.affinities`."""
    weights: tuple[Annotated[float, Field(ge=0.0)], ...] | None = None
    """Factors on the features, after the preprocessing."""
    linked: bool = True
    """Whether the master slider multiplies this view's ε."""
    view_weight: Annotated[float, Field(ge=0.0, allow_inf_nan=False)] = 1.0
    """How much the view counts beside the others, in methods that weigh views."""

    @field_validator("preprocess")
    @classmethod
    def _is_preprocessing(cls, value: str) -> str:
        return check_preprocess(value)

    @field_validator("epsilon", "rule")
    @classmethod
    def _parses(cls, value: float | str) -> float | str:
        parse_bandwidth(value)
        return value

    @field_validator("kernel")
    @classmethod
    def _is_kernel(cls, value: str) -> str:
        return parse_kernel(value).text


class SonogramState(Frozen):
    """Waveforms turned into sonograms when the data is opened."""

    rate: Annotated[float, Field(gt=0.0)]
    """Samples per second."""
    preset: Literal["seismic-events", "seismic-manifold"]


class PanelState(Frozen):
    """One panel: a method, what it shows, and the parameters pinned to it."""

    id: str
    method: str
    view: str | None = None
    """The view a single-view method embeds, or one that is compared with others, or the given coordinates shown."""
    pair: tuple[str, str] | None = None
    """The views a two-view method uses, where not the first two ticked."""
    left_out: tuple[str, ...] = ()
    """Views that this panel does not use although they are ticked."""
    show: str = CONSENSUS
    """``consensus``, or the name of the view whose coordinates are drawn."""
    dims: Literal[2, 3] = 2
    axes: tuple[Column, Column, Column] = (0, 1, 2)
    """0-based columns of the shown coordinates on the three axes."""
    trim: bool = False
    """Whether the 1st and 99th percentile of each drawn axis are its limits; samples beyond lie on the edge."""
    pins: dict[str, Scalar] = Field(default_factory=dict)
    """Parameter name (or ``epsilon:VIEW``, ``kernel:VIEW``) -> value that the shared ones leave alone."""
    epsilon_scale: Annotated[float, Field(gt=0.0, allow_inf_nan=False)] = 1.0
    """The panel's own factor on every ε, beside that of all panels."""

    @field_validator("method")
    @classmethod
    def _known(cls, value: str) -> str:
        get_method(value)
        return value

    @field_validator("pins")
    @classmethod
    def _in_range(cls, pins: dict[str, Scalar]) -> dict[str, Scalar]:
        for name, value in pins.items():
            if name.startswith("epsilon:"):
                parse_bandwidth(value)
            elif name.startswith("kernel:"):
                parse_kernel(value)
            else:
                _check_value(name, value)
        return pins


def _check_value(name: str, value: Value) -> None:
    declared = declared_param(name)
    if declared is None:
        raise ValueError(f"there is no parameter called {name}")
    declared.check(value)


def declared_param(name: str) -> Param | None:
    """The declaration of a parameter: of methods that take different words for it, that of the most words."""
    declared = (p for m in methods() for p in m.params if p.name == name)
    return max(declared, key=lambda param: len(param.choices), default=None)


def default_params() -> dict[str, Scalar]:
    """The shared parameters of a new document: every method's defaults, and twelve coordinates."""
    values: dict[str, Any] = {p.name: p.default for m in methods() for p in m.params if not (p.of_panel or p.of_views)}
    return {**values, "n_components": 12}


class DocumentState(Frozen):
    """Everything undo covers and a session saves."""

    former_names: ClassVar = {"isolated": "visible_classes", "part": "subsample"}

    source: tuple[PathText, ...] = ()
    """A sample's id, or the paths of the files."""
    part_of: str = ""
    """The larger data that the samples were taken from, in words; empty where there is none."""
    whole_classes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """The classes of that larger data by their colouring's title: each keeps its colour where some have no sample."""
    reading: ReadOptions = Field(default_factory=ReadOptions)
    """How the files are read; preprocessing is kept with the views."""
    dropped_and_imputed: tuple[str, ...] = ()
    """Which samples of the files are missing here or were filled in, as reading them told: words for captions."""
    sonogram: SonogramState | None = None
    experiment: str = ""
    """The paper's figure that is shown, by the id of its experiment; nothing for other data."""
    views: tuple[ViewState, ...] = ()
    epsilon_scale: Annotated[float, Field(gt=0.0)] = 1.0
    weighing: bool = False
    """Whether the views' weights are offered; where not, all are 1."""
    equal_volume: bool = False
    """Whether methods that can weigh their views by equal volume, in panels without weights of their own."""
    params: dict[str, Scalar] = Field(default_factory=default_params)
    panels: tuple[PanelState, ...] = ()
    """A window shows the first `MAX_PANELS`, and lists the rest."""
    colour: str = ""
    """``labels``, ``column:NAME``, ``latent:NAME``, ``feature:VIEW:INDEX``, ``coordinate:PANEL:INDEX``, a source of
    `mvexplorer.state.colourings.derived`, or nothing."""
    visible_classes: tuple[str, ...] = ()
    """Classes picked in the legend; empty shows all."""
    selection: tuple[int, ...] = ()
    selections: Selections = Field(default_factory=Selections)
    snapshots: Snapshots = Field(default_factory=Snapshots)
    notes: tuple[Note, ...] = ()
    """The notes on pictures, those drawn on top last."""
    class_names: bool = False
    """Whether the classes' names stand at their centres on every picture."""
    point_size: Annotated[float, Field(ge=1.0, le=20.0)] = 5.0
    opacity: Annotated[float, Field(ge=0.05, le=1.0)] = 0.9
    comparison: Comparison = Field(default_factory=Comparison)
    random_state: int = 0
    subsample: Annotated[int, Field(ge=10)] | None = None
    """Number of random samples the methods are solved on, the others being placed afterwards; None for all."""
    checks: CheckChoices = Field(default_factory=CheckChoices)
    point: PointChoices = Field(default_factory=PointChoices)
    diagnostics: DiagnosticsChoices = Field(default_factory=DiagnosticsChoices)
    multiples: Multiples = Field(default_factory=Multiples)

    @model_validator(mode="before")
    @classmethod
    def _from_first_sessions(cls, values: Any) -> Any:
        """The first sessions had one option of reading, in a field of its own."""
        if not isinstance(values, dict) or "drop_missing" not in values:
            return values
        rest = {name: value for name, value in values.items() if name != "drop_missing"}
        return {"reading": ReadOptions(drop_missing=values["drop_missing"] is True), **rest}

    @model_validator(mode="before")
    @classmethod
    def _weights_to_views(cls, values: Any) -> Any:
        """Sessions had the views' weights as one parameter: text, a number for each ticked view."""
        params = values.get("params") if isinstance(values, dict) else None
        if not isinstance(params, dict) or VIEW_WEIGHTS.name not in params:
            return values
        given = params[VIEW_WEIGHTS.name]
        rest = {name: value for name, value in params.items() if name != VIEW_WEIGHTS.name}
        weighed = {"views": _weighed(values.get("views", ()), str(given)), "weighing": True} if given else {}
        return {**values, **weighed, "params": rest}

    @field_validator("params")
    @classmethod
    def _in_range(cls, params: dict[str, Scalar]) -> dict[str, Scalar]:
        for name, value in params.items():
            _check_value(name, value)
        return params

    @field_validator("selection")
    @classmethod
    def _is_a_set(cls, selection: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted(set(selection)))

    @property
    def drop_missing(self) -> bool:
        """Whether samples that lack a number in any view are left out."""
        return self.reading.drop_missing

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        for what, names in (("views", [v.name for v in self.views]), ("panels", [p.id for p in self.panels])):
            if len(set(names)) != len(names):
                raise ValueError(f"two {what} have the same name")
        return self

    def find_view(self, name: str) -> ViewState | None:
        """The view called `name`, or None: names and ids that were kept may be out of date."""
        return _indexed(self.views).named.get(name)

    def find_panel(self, id: str) -> PanelState | None:
        """The panel with this id, if it is still there."""
        return next((p for p in self.panels if p.id == id), None)

    def view(self, name: str) -> ViewState:
        """The view called `name`, which must be there."""
        view = self.find_view(name)
        if view is None:
            raise KeyError(name)
        return view

    def panel(self, id: str) -> PanelState:
        """The panel with this id, which must be there."""
        panel = self.find_panel(id)
        if panel is None:
            raise KeyError(id)
        return panel

    @property
    def asking_scales(self) -> DocumentState:
        """The state for other numbers, of whose scales the user has said nothing yet."""
        views = tuple(updated(v, {"kept_scales": ""}) if v.kept_scales else v for v in self.views)
        return self.model_copy(update={"views": views})

    def factor(self, view: str) -> float:
        """Return the factor of the master slider on the ε of a view."""
        settings = self.find_view(view)
        return self.epsilon_scale if settings is not None and settings.linked else 1.0

    @property
    def shown(self) -> tuple[PanelState, ...]:
        """The panels that a window shows."""
        return self.panels[:MAX_PANELS]

    @property
    def rest(self) -> tuple[PanelState, ...]:
        """The panels that a window lists only."""
        return self.panels[MAX_PANELS:]

    @property
    def enabled(self) -> tuple[str, ...]:
        """Names of the ticked views, in order."""
        return _indexed(self.views).enabled

    def view_weights(self, names: tuple[str, ...], words: tuple[str, ...] = ()) -> str | None:
        """The weights of these views as text, or one of the words that a method takes; None where all count alike."""
        if self.equal_volume:
            return EQUAL_VOLUME if EQUAL_VOLUME in words else None
        named = _indexed(self.views).named
        weights = [named[name].view_weight for name in names]
        return ",".join(f"{w:g}" for w in weights) if len(set(weights)) > 1 else None

    def with_view(self, name: str, **changes: Any) -> DocumentState:
        """The state with one view changed."""
        views = tuple(updated(v, changes) if v.name == name else v for v in self.views)
        return self.model_copy(update={"views": views})

    def with_panel(self, id: str, **changes: Any) -> DocumentState:
        """The state with one panel changed."""
        panels = tuple(updated(p, changes) if p.id == id else p for p in self.panels)
        return self.model_copy(update={"panels": panels})


def _weighed(views: Any, text: str) -> Any:
    """Views as a session holds them, with the weights of those that are ticked."""
    each = iter(parse_weights(text, replace(VIEW_WEIGHTS, low=0.0)))
    if not isinstance(views, list | tuple):
        return views
    return [
        {**v, "view_weight": next(each, 1.0)} if isinstance(v, dict) and v.get("enabled", v.get("ticked", True)) else v
        for v in views
    ]


def panel_params(state: DocumentState, panel: PanelState, method: Method) -> dict[str, Value]:
    """Shared parameters overlaid with the panel's pins: all a method's parameters for this panel."""
    values: dict[str, Value] = {}
    for param in method.params:
        if param.of_panel:
            values[param.name] = None if param.kind == "views" else panel_view(state, panel)
        elif param.name in panel.pins:
            values[param.name] = panel.pins[param.name]
        elif param.of_views:
            values[param.name] = state.view_weights(panel_views(state, panel, method), param.choices)
        else:
            values[param.name] = state.params.get(param.name, param.default)
    return values if panel.epsilon_scale == 1.0 else {**scaled_params(values, panel.epsilon_scale)}


def changed_views(before: DocumentState, after: DocumentState) -> list[ViewState]:
    """List the views that a change replaced, by identity: it keeps all others as they are."""
    same = set(map(id, before.views))
    return [view for view in after.views if id(view) not in same]


@dataclass(frozen=True)
class _Index:
    """Views by name, and the names of those that are ticked, in order."""

    named: dict[str, ViewState]
    enabled: tuple[str, ...]


_INDICES: deque[tuple[tuple[ViewState, ...], _Index]] = deque(maxlen=4)
"""The views of the states asked about last: there can be hundreds, each looked up for every panel."""


def _indexed(views: tuple[ViewState, ...]) -> _Index:
    for cached, index in tuple(_INDICES):
        if cached is views:
            return index
    index = _Index({view.name: view for view in views}, tuple(view.name for view in views if view.enabled))
    _INDICES.append((views, index))
    return index


def panel_view(state: DocumentState, panel: PanelState) -> str | None:
    """The view a single-view panel embeds: its own if the data still has it, else the first ticked.

    Of a panel that shows given coordinates, their name.
    """
    if get_method(panel.method).shows_given:
        return panel.view
    names = [v.name for v in state.views]
    if panel.view in names:
        return panel.view
    enabled = state.enabled
    return enabled[0] if enabled else None


def panel_views(state: DocumentState, panel: PanelState, method: Method) -> tuple[str, ...]:
    """The views offered to a panel's method: all ticked that it does not leave out, its pair first.

    The view that a method compares with others comes first, ticked or not.
    """
    enabled = tuple(name for name in state.enabled if name not in panel.left_out)
    of = panel_view(state, panel) if method.compares_one_view else None
    if of is not None and state.find_view(of) is not None:  # given coordinates have names of their own
        return (of, *(name for name in enabled if name != of))
    if method.max_views == 2 and panel.pair and set(panel.pair) <= set(enabled):
        return (*panel.pair, *(v for v in enabled if v not in panel.pair))
    return enabled


def panel_subject(state: DocumentState, panel: PanelState) -> tuple[str, ...]:
    """Name the subject of a panel's picture: its method, and its views where it does not use all that are ticked."""
    method = get_method(panel.method)
    if method.max_views in (0, 1):
        return method.id, panel_view(state, panel) or ""
    used = panel_views(state, panel, method)[: method.max_views] if method.max_views is not None else ()
    if method.compares_one_view:
        used = (panel_view(state, panel) or "",)
    return method.id, *used, *(f"without {name}" for name in panel.left_out)


def panel_kernel(state: DocumentState, panel: PanelState | None, view: str) -> Kernel:
    """The kernel of a view, as a panel (or the document) uses it."""
    pinned = panel.pins.get(f"kernel:{view}") if panel is not None else None
    return parse_kernel(pinned if pinned is not None else state.view(view).kernel, view)


def panel_bandwidth(state: DocumentState, panel: PanelState, view: str) -> Bandwidth:
    """The ε of a view as a panel uses it: pinned, or the shared one times the master's factor; times its own."""
    pinned = panel.pins.get(f"epsilon:{view}")
    given = parse_bandwidth(state.view(view).epsilon if pinned is None else pinned)
    scale = panel.epsilon_scale * (state.factor(view) if pinned is None else 1.0)
    return given if scale == 1.0 else replace(given, factor=given.factor * scale)


def sharing(state: DocumentState) -> DocumentState:
    """The state with one ε for all panels."""
    panels = tuple(p if p.epsilon_scale == 1.0 else p.model_copy(update={"epsilon_scale": 1.0}) for p in state.panels)
    return state.model_copy(update={"panels": panels})


@dataclass(frozen=True)
class ParamSection:
    """Parameters that fold away together: those of the same methods; no title for those of most methods."""

    title: str
    params: tuple[Param, ...]


ALWAYS = ("eta", "t", "n_components")
"""The parameters always in sight, in this order: the second slider of the multi-view walk, then those of every walk."""
INGREDIENT_NAMES = (*(param.name for param in INGREDIENTS), UNIT_ROWS.name)
"""The parameters that say what a walk is made of, beside its metric and kernels."""


def shared_params() -> tuple[Param, ...]:
    """The declarations of the parameters that are always in sight."""
    params = {param.name: param for method in methods() for param in method.params}
    return tuple(params[name] for name in ALWAYS)


def param_owners(method_ids: tuple[str, ...]) -> dict[str, list[str]]:
    """The parameters of these methods by name, each with the titles of the methods that it serves."""
    owners: dict[str, list[str]] = {}
    for method in (get_method(id) for id in dict.fromkeys(method_ids)):
        for param in method.params:
            owners.setdefault(param.name, []).append(method.title)
    return owners


def param_sections(method_ids: tuple[str, ...]) -> tuple[ParamSection, ...]:
    """The other parameters of these methods, each once: those of most methods first, then by the methods they serve.

    Ingredients have a row of their own.
    """
    owners = param_owners(method_ids)
    params = {
        param.name: param
        for id in method_ids
        for param in get_method(id).params
        if not (param.of_panel or param.of_views or param.name in INGREDIENT_NAMES)
    }
    seldom_changed = ("delta", "alpha")
    titles = {name: "" if name in seldom_changed else ", ".join(owners[name]) for name in params if name not in ALWAYS}
    order = sorted(dict.fromkeys(titles.values()), key=bool)
    return tuple(ParamSection(title, tuple(params[n] for n in titles if titles[n] == title)) for title in order)
