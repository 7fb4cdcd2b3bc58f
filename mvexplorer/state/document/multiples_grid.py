"""The pictures of small multiples as panels, to each of which its values are pinned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from mvexplorer.compute.batch.axes import EPSILON_SCALE, SCALE, Axis, axes
from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.view_weights import NAME
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.axis import at_value
from mvexplorer.state.document.fresh import new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.ingredients.grid import ingredient_cells
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.document.multiples import METHODS
from mvexplorer.state.document.titles import panel_titles, pinnable
from mvexplorer.state.document.view_weights import weights_to_pin

USUAL = 7
"""How many values to begin with."""


@dataclass(frozen=True)
class MultiplesGrid:
    """A grid with all its pictures as panels, to which the values are pinned.

    `titles` name each row's panel, which is the same in rows that are values. The values in `columns` are those of the
    parameter `across`, those in `rows` of `down`, which is None where rows are panels or methods.

    Pictures with `captions` are one panel with other ingredients, in one row: then `columns` only count them, and
    `notes` say what is left out.
    """

    titles: tuple[str, ...]
    across: Axis
    columns: tuple[float, ...]
    down: Axis | None
    rows: tuple[float, ...]
    panels: tuple[tuple[PanelState, ...], ...]
    captions: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def of_ingredients(self) -> bool:
        """Whether the pictures have captions in place of rows and columns."""
        return bool(self.captions)

    @property
    def size(self) -> int:
        """How many pictures there are."""
        return sum(map(len, self.panels))


def known_axes(state: DocumentState) -> dict[str, Axis]:
    """Return the axes along which pictures can be changed, by name: those of the methods on show, or of all as rows."""
    chosen = state.multiples
    every = methods() if chosen.rows == METHODS else [get_method(id) for id in {p.method: None for p in state.panels}]
    return axes(every, state.enabled)


def usual_values(axis: Axis, present: float | None) -> tuple[float, ...]:
    """A few values over the span along which an axis is usually swept."""
    unit, (low, high) = (present or 1.0) if axis.view is not None else 1.0, axis.span
    return axis.between(unit * low, unit * high, USUAL, log=axis.log)


def few_of(values: Sequence[float], most: int) -> tuple[float, ...]:
    """At most so many of the values, in even steps and with both ends."""
    last, count = len(values) - 1, min(len(values), most)
    return tuple(values[round(k * last / max(1, count - 1))] for k in range(count))


def grid_of(
    state: DocumentState, data: MultiView | None = None, rule_values: Mapping[str, float] = MappingProxyType({})
) -> MultiplesGrid:
    """The grid that a document asks for; ParameterError says why there is none.

    Of ingredients, those are left out that `data` cannot have; `rule_values` are as `ingredient_cells` takes them.
    """
    if state.multiples.of_ingredients:
        return _of_ingredients(state, data, rule_values)
    chosen, offered = state.multiples, known_axes(state)
    across = offered.get(chosen.columns, SCALE)
    down = offered.get(chosen.rows) if chosen.of_values else None
    if chosen.of_values and down is None:
        raise ParameterError(f"No panel on show has {chosen.rows}.", "Choose other rows.")
    if down == across:
        raise ParameterError(f"Rows and columns are both {across.title}.", "Choose two different parameters.")
    columns = _checked(across, chosen.column_values)
    rows = () if down is None else _checked(down, chosen.row_values)
    panels = _subjects(state)
    most = 600
    if len(columns) * (len(rows) or len(panels)) > most:
        raise ParameterError(
            f"{len(rows) or len(panels)} times {len(columns)} pictures are too many.",
            f"Ask for fewer values: at most {most} pictures.",
        )
    lines: list[tuple[PanelState, tuple[tuple[Axis, float], ...]]] = [(panel, ()) for panel in panels]
    if down is not None:
        lines = [(panels[0], ((down, value),)) for value in rows]
    pictures = tuple(
        tuple(_cell(state, panel, i, j, (*more, (across, value))) for j, value in enumerate(columns))
        for i, (panel, more) in enumerate(lines)
    )
    titles = panel_titles(state.model_copy(update={"panels": panels}))
    return MultiplesGrid(tuple(titles[panel.id] for panel, _ in lines), across, columns, down, rows, pictures)


def _of_ingredients(state: DocumentState, data: MultiView | None, rule_values: Mapping[str, float]) -> MultiplesGrid:
    cells = ingredient_cells(state, subject_of(state), data, rule_values)
    places = tuple(float(place) for place in range(len(cells.panels)))
    title = panel_titles(state)[cells.subject.id]
    return MultiplesGrid((title,), SCALE, places, None, (), (cells.panels,), cells.captions, cells.notes)


def subject_of(state: DocumentState) -> PanelState:
    """The panel that all pictures change; ParameterError where none is open."""
    if not state.shown:
        raise ParameterError("No panel is open.", "Add a panel, or choose all methods as rows.")
    return state.find_panel(state.multiples.panel) or state.shown[0]


def _checked(axis: Axis, values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(dict.fromkeys(axis.check(value) for value in values or usual_values(axis, None)))


def _subjects(state: DocumentState) -> tuple[PanelState, ...]:
    """The panels of the rows, or the one that all rows change."""
    chosen = state.multiples
    if chosen.rows == METHODS:
        singles = [updated(new_panel("single", f"all-{v}"), {"view": v}) for v in state.enabled]
        rest = [m for m in methods() if m.id != "single" and not m.shows_given]
        return (*singles, *(new_panel(m.id, f"all-{m.id}") for m in rest))
    if not state.shown:
        raise ParameterError("No panel is open.", "Add a panel, or choose all methods as rows.")
    if not chosen.of_values:
        return state.shown
    return (subject_of(state),)


def _cell(state: DocumentState, panel: PanelState, i: int, j: int, at: tuple[tuple[Axis, float], ...]) -> PanelState:
    """The panel at these values; a view's own ε first, since a factor on all leaves pinned ones alone."""
    for axis, value in sorted(at, key=lambda each: each[0].name == EPSILON_SCALE):
        panel = pinned_at(state, panel, axis, value)
    return updated(panel, {"id": f"multiple-{i}-{j}"})


def pinned_at(state: DocumentState, panel: PanelState, axis: Axis, value: float) -> PanelState:
    """A panel with one value pinned; the same one where its method has no such parameter.

    A factor on all ε is pinned to the ε of each linked view that is not pinned already.
    """
    allowed = pinnable(state, panel)
    if axis.weighs is not None:
        pins: dict[str, float | str] = {NAME: weights_to_pin(at_value(state, axis, value))} if NAME in allowed else {}
    elif axis.name == EPSILON_SCALE:
        linked = [v for v in state.views if v.linked and f"epsilon:{v.name}" in allowed.keys() - panel.pins.keys()]
        pins = {f"epsilon:{v.name}": _times(v.epsilon, value) for v in linked}
    else:
        own = panel.epsilon_scale if axis.view is not None else 1.0  # that factor is on the pinned ε, too
        pins = {axis.name: value / own if own != 1.0 else value} if axis.name in allowed else {}
    return updated(panel, {"pins": {**panel.pins, **pins}})


def _times(epsilon: float | str, factor: float) -> float | str:
    given = parse_bandwidth(epsilon)
    return replace(given, factor=given.factor * factor).given
