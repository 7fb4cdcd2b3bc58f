"""Where the document stands on an axis of a sweep, and what it is at another value."""

from __future__ import annotations

from mvexplorer.compute.batch.axes import Axis
from mvexplorer.engine.core.params import Value
from mvexplorer.state.document.model import DocumentState


def at_value(state: DocumentState, axis: Axis, value: float) -> DocumentState:
    """The state with one thing changed: the master slider, the ε with which a view is computed, or a parameter."""
    if axis.view is not None:
        return state.with_view(axis.view, epsilon=value / state.factor(axis.view))
    if axis.weighs is not None:
        return state.with_view(axis.weighs, view_weight=value).model_copy(update={"equal_volume": False})
    if axis.of_epsilon:
        return state.model_copy(update={"epsilon_scale": value})
    return state.model_copy(update={"params": {**state.params, axis.name: value}})


def as_before(state: DocumentState, axis: Axis, before: DocumentState) -> DocumentState:
    """The state with what an axis changes as it was before: a view's ε by its rule, where it had one."""
    if axis.view is not None:
        return state.with_view(axis.view, epsilon=before.view(axis.view).epsilon)
    if axis.weighs is not None:
        for view in before.views:
            state = state.with_view(view.name, view_weight=view.view_weight)
        return state.model_copy(update={"equal_volume": before.equal_volume, "weighing": before.weighing})
    if axis.of_epsilon:
        return state.model_copy(update={"epsilon_scale": before.epsilon_scale})
    return state.model_copy(update={"params": {**state.params, axis.name: before.params.get(axis.name)}})


def present_value(state: DocumentState, axis: Axis) -> Value:
    """The factor on all ε, or the value of a shared parameter; a view's ε may not be known as a number yet."""
    if axis.weighs is not None:
        view = state.find_view(axis.weighs)
        return None if view is None else view.view_weight
    return state.epsilon_scale if axis.of_epsilon else state.params.get(axis.name)
