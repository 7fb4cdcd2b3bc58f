"""The lines of a script that compute the panels: the shortest calls of `embed` that mean what the panels show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mvexplorer.compute.jobs.request import Request
from mvexplorer.engine.api.columns import CONSENSUS
from mvexplorer.engine.api.plan import NO_EFFECT, Plan, plan
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.bandwidth.table import Bandwidth, get_rule
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.pipeline.view_weights import NAME
from mvexplorer.errors import MVExplorerError
from mvexplorer.state.document.model import DocumentState, PanelState, panel_bandwidth, panel_params
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.document.view_weights import named_weights
from mvexplorer.state.export.script.lines import Call, Code, assignment, literal
from mvexplorer.state.export.script.source import one_or_all
from mvexplorer.state.pictures.drawing import shown_names
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.state.pictures.requests import request_of


@dataclass(frozen=True)
class PanelCode:
    """A panel in a script: the variable that holds its embedding, and the options of its call; or why it has none."""

    panel: PanelState
    title: str
    name: str
    options: Mapping[str, Any]
    request: Request | None = None
    embedding: Embedding | None = None
    """The panel's answer to this very request, where it is known."""
    problem: str = ""

    def lines(self, shared: Mapping[str, Any]) -> list[str]:
        """The statements that compute the embedding and choose what is drawn of it; shared options are variables."""
        options = {
            name: Code(name) if name in shared and shared[name] == value else value
            for name, value in self.options.items()
        }
        call = Call("mvx.embed", (Code("data"), self.panel.method), options)
        return [assignment(self.name, call), *self._drawing()]

    @property
    def draws_one(self) -> bool:
        """Whether what is drawn is a single coordinate, or may be, as far as that is known."""
        width = self._shown()[1]
        return width is None or len(self._axes(width)) < 2

    def _axes(self, width: int | None) -> tuple[int, ...]:
        """The columns that are drawn; as the drawing has it the last ones, where there are fewer."""
        axes: tuple[int, ...] = self.panel.axes[: self.panel.dims]
        return axes if width is None else tuple(dict.fromkeys(min(axis, width - 1) for axis in axes))

    def _drawing(self) -> list[str]:
        """The statements that choose the drawn coordinates (M, 2 or 3)."""
        source, width = self._shown()
        lines = []
        if "hstack" in source:
            lines, source = [f"{self.name}_all = {source}"], f"{self.name}_all"
        axes = self._axes(width)
        whole = axes == tuple(range(len(axes)))
        columns = f":{len(axes)}" if whole else literal(list(axes))
        return [*lines, f"{self.name}_drawn = {source}[:, {columns}]"]

    @property
    def drawn_words(self) -> str:
        """The names of the drawn coordinates; empty where they are not known."""
        if self.embedding is None:
            return ""
        names = shown_names(self.embedding, self.panel.show)
        axes = dict.fromkeys(min(axis, len(names) - 1) for axis in self.panel.axes[: self.panel.dims])
        words = ", ".join(names[axis] for axis in axes)
        own = self.panel.show in self.embedding.views and len(self.embedding.view_coordinates) > 1
        return f"{words} as seen by {self.panel.show}" if own else words

    def _shown(self) -> tuple[str, int | None]:
        """The array of which columns are drawn, as Python, and how many it has; None where that is not known."""
        assert self.request is not None
        used, show = self.request.plan.views, self.panel.show
        widths = [] if self.embedding is None else [Y.shape[1] for Y in self.embedding.view_coordinates]
        if not self.request.plan.method.per_view or show not in (CONSENSUS, *used):
            return f"{self.name}.coordinates", None if self.embedding is None else self.embedding.coordinates.shape[1]
        if show != CONSENSUS:
            place = used.index(show)
            return f"{self.name}.view_coordinates[{place}]", widths[place] if widths else None
        r = widths[0] if widths else int(self.request.plan.params["n_components"] or 1)
        if r == 1 or len(set(widths)) > 1:
            return f"{self.name}.coordinates", sum(widths) or None
        mean = f"np.mean({self.name}.view_coordinates, axis=0)"
        if max(self.panel.axes[: self.panel.dims]) < r:
            return mean, r
        return f"np.hstack([{mean}, {self.name}.coordinates])", r + sum(widths) if widths else None


def panel_codes(
    state: DocumentState, data: MultiView | None, results: Mapping[str, PanelResult], panels: Sequence[PanelState]
) -> list[PanelCode]:
    """These panels as Python; `results` are by the panels' ids, as far as there are some."""
    numbers: Counter[str] = Counter()
    codes = []
    for panel in panels:
        numbers[panel.method] += 1
        name = f"{panel.method.replace('-', '_')}_{numbers[panel.method]}"
        codes.append(_panel_code(state, data, panel, name, results.get(panel.id)))
    return codes


def _panel_code(
    state: DocumentState, data: MultiView | None, panel: PanelState, name: str, shown: PanelResult | None
) -> PanelCode:
    title = panel_title(state, panel)
    try:
        request = request_of(state, data, panel)
    except MVExplorerError as error:
        return PanelCode(panel, title, name, {}, problem=str(error))
    same = shown is not None and shown.request == request
    if shown is not None and same and shown.error is not None:
        return PanelCode(panel, title, name, {}, problem=str(shown.error))
    result = shown.result if shown is not None and same and shown.status == "ready" else None
    embedding = None if result is None else result.embedding
    return PanelCode(panel, title, name, _options(state, panel, request), request, embedding)


def shared_options(codes: Iterable[PanelCode]) -> dict[str, Any]:
    """The options that several panels have in common, the most frequent value of each name."""
    values: dict[str, list[Any]] = {}
    for code in codes:
        for name, value in code.options.items():
            values.setdefault(name, []).append(value)
    common = {name: max(each, key=each.count) for name, each in values.items() if name not in ("view", "coordinates")}
    return {name: value for name, value in common.items() if values[name].count(value) > 1}


def _options(state: DocumentState, panel: PanelState, request: Request) -> dict[str, Any]:
    """The options of the shortest call of `embed` that asks for the same."""
    method = request.plan.method
    if method.shows_given:
        return {"coordinates": panel.view} if panel.view is not None else {}
    given = panel_params(state, panel, method)
    chosen = {p.name: given[p.name] for p in method.params if given[p.name] != p.default or p.name == "n_components"}
    params: dict[str, Any] = dict(chosen)
    if NAME in params:
        params[NAME] = named_weights(str(params[NAME]), request.plan.views)
    own = {name: params.pop(name) for name in ("view",) if name in params}
    options = {**own, "views": None, "epsilon": _epsilon(state, panel, request), "kernel": _kernel(request), **params}
    if all(bandwidth == NO_EFFECT for bandwidth in request.epsilon[: request.plan.n_used]):
        del options["epsilon"]
    if options["kernel"] == "gaussian":
        del options["kernel"]
    ways = None, request.plan.views, state.enabled
    named = (views for views in ways if _same(_planned(request, options, views), request.plan))
    views = next(named, request.views)
    options["views"] = None if views is None else list(views)
    options |= {"subsample": request.subsample, "random_state": request.random_state or None}
    return {name: value for name, value in options.items() if value is not None}


def _epsilon(state: DocumentState, panel: PanelState, request: Request) -> Any:
    """The ε of all ticked views, alike for all panels that pin none and use no others; else of the panel's own."""
    pinned = panel.epsilon_scale != 1.0 or any(name.startswith("epsilon:") for name in panel.pins)
    own = pinned or not set(request.views) <= set(state.enabled)
    names = request.views if own else state.enabled
    each = {name: written_bandwidth(panel_bandwidth(state, panel, name)) for name in names}
    same = one_or_all(each.values())
    return each if isinstance(same, list) else same


def written_bandwidth(bandwidth: Bandwidth) -> float | str:
    """Write a bandwidth for a reader: ``median/9`` rather than ``0.111*median``, where both are the same number."""
    smallest = 1e-3  # factors on a rule below this are no divisors that anybody writes
    parts = round(1.0 / max(bandwidth.factor, smallest))
    if bandwidth.rule is not None and parts > 1 and 1.0 / parts == bandwidth.factor:
        return f"{bandwidth.rule_text}/{parts}"
    return bandwidth.given


def _kernel(request: Request) -> Any:
    """The kernel of all views, or of those that have another than the Gaussian."""
    each = {name: kernel.text for name, kernel in zip(request.views, request.kernels, strict=True)}
    same = one_or_all(each.values())
    return {name: text for name, text in each.items() if text != "gaussian"} if isinstance(same, list) else same


def _planned(request: Request, options: Mapping[str, Any], views: Sequence[str] | None) -> Plan | None:
    """Return the plan of a call; None where it would be refused."""
    # options of `embed` besides the parameters of methods
    beside = "views", "epsilon", "kernel", "subsample", "random_state"
    params = {name: value for name, value in options.items() if name not in beside}
    epsilon, kernel = options.get("epsilon", "robust"), options.get("kernel", "gaussian")
    try:
        return plan(request.plan.method, request.data, views, kernel, epsilon, params, request.subsample)
    except MVExplorerError:
        return None


def _same(planned: Plan | None, wanted: Plan) -> bool:
    """Whether two requests have the same answer: views that are not used matter to rules that compare views.

    A call that leaves views out without naming those it uses would warn of it.
    """
    if planned is None or (planned.notices and not wanted.notices):
        return False
    n = wanted.n_used
    rules = {bandwidth.rule for bandwidth in wanted.epsilon if bandwidth.rule is not None}
    if any(get_rule(rule).compares_views for rule in rules) and planned.offered != wanted.offered:
        return False
    return (planned.views, planned.kernels_used, planned.epsilon[:n], planned.params, planned.subsample) == (
        wanted.views,
        wanted.kernels_used,
        wanted.epsilon[:n],
        wanted.params,
        wanted.subsample,
    )
