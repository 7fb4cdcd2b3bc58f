"""The widgets that a lesson's names of controls mean, as the window stands."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from mvexplorer.state.document.model import DocumentState
from mvexplorer.teaching.acts import panel_named
from mvexplorer.teaching.lesson import LessonStep
from mvexplorer.ui.controls.parameter_rows import Section
from mvexplorer.ui.controls.view_row import ViewRow
from mvexplorer.ui.pages.validate.validate import ValidatePage
from mvexplorer.ui.window.layout import WindowLayout

IN_TALKS = {"epsilon_scale": "ε ×", "eta": "η", "t": "t"}
"""The sliders that a presentation has."""


def control_pointed_at(step: LessonStep, state: DocumentState, docks: WindowLayout) -> QWidget | None:
    """The control that a step points to; None where it points to none, or where that is out of sight."""
    name, _, view = step.point.partition(":")
    if docks.strip.isVisible() and name in IN_TALKS:
        return docks.strip.sliders[IN_TALKS[name]]
    side = docks.side
    controls: dict[str, Callable[[], QWidget | None]] = {
        "epsilon_scale": lambda: side.master.parentWidget(),
        "epsilon": lambda: _row(docks, view),
        "regime": lambda: _regime(docks, view),
        "view": lambda: None if (row := _row(docks, view)) is None else row.check,
        "view_weights": lambda: side.volume if side.volume.isVisible() else side.weigh,
        "colour": lambda: docks.points.sources if docks.points.isVisible() else docks.points_strip.button,
        "self_loops": lambda: _seen(side.ingredients.chips["self_loops"]) or side.ingredients.title,
        "method": lambda: _title(step, state, docks),
        "permutation": lambda: _permutation(docks),
        "agreement": lambda: _page(docks, "agreement"),
    }
    find = controls.get(name, lambda: _param(docks, name))
    return _seen(find())


def _seen(widget: QWidget | None) -> QWidget | None:
    return widget if widget is not None and widget.isVisible() else None


def _row(docks: WindowLayout, view: str) -> ViewRow | None:
    rows = docks.side.rows
    return rows.get(view) if view else next(iter(rows.values()), None)


def _regime(docks: WindowLayout, view: str) -> QWidget | None:
    row = _row(docks, view)
    return None if row is None else _seen(row.verdict) or row.dot


def _param(docks: WindowLayout, name: str) -> QWidget | None:
    """A parameter's row, or the head of the section into which it is folded."""
    row = docks.side.params.get(name)
    within = None if row is None or row.isVisible() else row.parentWidget()
    while within is not None and not isinstance(within, Section):
        within = within.parentWidget()
    return row if within is None else within.head


def _title(step: LessonStep, state: DocumentState, docks: WindowLayout) -> QWidget | None:
    """The title of the panel whose method is to be changed, else of the last one."""
    named = next((panel_named(state, act.of) for act in step.solution if act.control == "method"), None)
    panel = named or next(iter(reversed(state.panels)), None)
    widget = None if panel is None else docks.grid.panels.get(panel.id)
    return None if widget is None else widget.header.title


def _permutation(docks: WindowLayout) -> QWidget | None:
    page = docks.bottom.findChild(ValidatePage)
    shown = _seen(page)
    null = getattr(shown, "null", None)
    return (_seen(null.run) if null is not None else None) or docks.bottom.tabs


def _page(docks: WindowLayout, id: str) -> QWidget | None:
    return docks.bottom.stack if docks.bottom.open_page == id else docks.bottom.tabs
