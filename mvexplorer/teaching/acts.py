"""Carries out the acts of a lesson on a document, and tells which of them a learner has done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from mvexplorer.engine.bandwidth.table import parse_bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands, view_weights
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.fresh import new_panel
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import DocumentState, PanelState, panel_view
from mvexplorer.teaching.lesson import PANEL_AT, LessonAct, LessonStep, Stage

ValueOfRule = Callable[[str, str], float | None]
"""The value of a view's bandwidth rule, by the names of both; None where it is not known."""


def panel_named(state: DocumentState, name: str) -> PanelState | None:
    """The panel of a place, ``panel 2``, or the first that shows a method, ``single:view1``; None where none does."""
    if place := PANEL_AT.fullmatch(name):
        return next(iter(state.panels[int(place[1]) - 1 :]), None)
    method, _, view = name.partition(":")
    shown = (panel for panel in state.panels if panel.method == method)
    return next((panel for panel in shown if not view or panel_view(state, panel) == view), None)


def do_act(document: Document, act: LessonAct, *, interactive: bool = False) -> None:
    """Do an act by the document's own commands, each one step of undo; a test to be run changes nothing."""
    state, value = document.state, act.value
    name, _, view = act.control.partition(":")
    if act.control == "epsilon_scale":
        commands.set_scale(document, float(value or 0.0), interactive=interactive)
    elif name == "epsilon":
        epsilon = value if isinstance(value, str) else float(value or 0.0)
        for each in (_checked_view(state, view),) if view else state.enabled:
            commands.set_epsilon(document, each, epsilon, interactive=interactive)
    elif name == "view":
        commands.tick_view(document, _checked_view(state, view), bool(value))
    elif name == "view_weights":
        view_weights.weigh_by_volume(document, value == "equal-volume")
    elif name == "colour":
        commands.colour_by(document, str(value))
    elif name == "method":
        panel = panel_named(state, act.of)
        if panel is None:
            raise ParameterError(f"No panel shows {act.of}.", "Press Try again, which brings the panels back.")
        method, _, view = str(value).partition(":")
        commands.set_method(document, panel.id, method, view or None)
    elif not act.runs:
        commands.set_param(document, act.control, value, interactive=interactive)


def _checked_view(state: DocumentState, view: str) -> str:
    if state.find_view(view) is None:
        names = ", ".join(each.name for each in state.views)
        raise ParameterError(f"There is no view called {view}.", f"The views are {names}.")
    return view


def after(state: DocumentState, data: MultiView, acts: Iterable[LessonAct]) -> DocumentState:
    """The state to which acts lead."""
    document = Document()
    document.reset(state, data)
    for act in acts:
        do_act(document, act)
    return document.state


def staged(state: DocumentState, data: MultiView, stage: Stage) -> DocumentState:
    """The state that a step sets, from the one before it."""
    if stage.views:
        names = [_checked_view(state, view) for view in stage.views]
        views = tuple(updated(view, {"enabled": view.name in names}) for view in state.views)
        state = updated(state, {"views": views})
    if stage.methods:
        panels = tuple(_panel(name, f"p{number}") for number, name in enumerate(stage.methods, 1))
        state = updated(state, {"panels": panels})
    return after(state, data, stage.acts)


def _panel(name: str, id: str) -> PanelState:
    method, _, view = name.partition(":")
    return updated(new_panel(get_method(method).id, id), {"view": view or None})


def on_the_way(state: DocumentState, act: LessonAct, share: float) -> LessonAct | None:
    """An act done by halves, as a hand drags a slider: a share from 0 to 1 of the way; None for what is no slider."""
    if act.control == "epsilon_scale":
        start, end = state.epsilon_scale, float(act.value or 1.0)
        return LessonAct(act.control, start * (end / start) ** share)
    before, value = state.params.get(act.control), act.value
    if not isinstance(before, float) or not isinstance(value, float):
        return None
    return LessonAct(act.control, before + share * (value - before))


# Which act was done ---------------------------------------------------------------------------------------------


def act_done(
    step: LessonStep, start: DocumentState, present: DocumentState, data: MultiView, value_of: ValueOfRule
) -> str:
    """The reason why what was done fails: that of the wrong act whose end is nearest to the present document.

    Empty where the document is nearer to where it began, or to the solution. Nearness is that of the controls which
    any of these acts move: of ε in octaves, of what is no number whether it is the same.
    """
    if present == start:
        return ""
    ends = [start, after(start, data, step.solution), *(after(start, data, wrong.acts) for wrong in step.wrong)]
    each = [*step.solution, *(act for wrong in step.wrong for act in wrong.acts)]
    controls = tuple(dict.fromkeys("epsilon" if "epsilon" in act.control else act.control for act in each))
    far = [_distance(present, end, controls, value_of) for end in ends]
    nearest = min(range(len(ends)), key=lambda number: far[number])
    return step.wrong[nearest - 2].reason if nearest >= 2 else ""


def _distance(one: DocumentState, other: DocumentState, controls: Sequence[str], value_of: ValueOfRule) -> float:
    return sum(_apart(one, other, control, value_of) for control in controls)


def _apart(one: DocumentState, other: DocumentState, control: str, value_of: ValueOfRule) -> float:
    if control == "epsilon":
        views = [view.name for view in other.views if view.enabled and one.find_view(view.name) is not None]
        return sum(_octaves(one, other, view, value_of) for view in views) / max(1, len(views))
    values = [_value(state, control) for state in (one, other)]
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        first, second = (float(str(value)) for value in values)
        return abs(first - second)
    return float(values[0] != values[1])


def _octaves(one: DocumentState, other: DocumentState, view: str, value_of: ValueOfRule) -> float:
    """How far apart the ε of a view are; 1 where rules whose values are not known differ."""
    bandwidths = [(parse_bandwidth(state.view(view).epsilon), state.factor(view)) for state in (one, other)]
    if bandwidths[0][0].rule_text == bandwidths[1][0].rule_text:
        first, second = (bandwidth.factor * factor for bandwidth, factor in bandwidths)
    else:
        values = [1.0 if b.rule_text is None else value_of(view, b.rule_text) for b, _ in bandwidths]
        if values[0] is None or values[1] is None:
            return 1.0
        first, second = (v * b.factor * factor for v, (b, factor) in zip(values, bandwidths, strict=True) if v)
    return abs(math.log2(first / second))


def _value(state: DocumentState, control: str) -> object:
    name, _, view = control.partition(":")
    if name == "view":
        shown = state.find_view(view)
        return shown is not None and shown.enabled
    if name == "view_weights":
        return state.equal_volume
    if name == "colour":
        return state.colour
    if name == "method":
        return tuple((panel.method, panel_view(state, panel)) for panel in state.panels)
    return state.params.get(control)
