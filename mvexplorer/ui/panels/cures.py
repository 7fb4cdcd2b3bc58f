"""Doubts about a picture, and their cures in place."""

from __future__ import annotations

from functools import partial

import numpy as np

from mvexplorer.engine.bandwidth.regimes import VIEW_ALARMS
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.difference import MATCH_REACH, UNEVEN_REACH
from mvexplorer.engine.pipeline.steps_that_stay import SELF_LOOPS
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.bends import independent_axes
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import next_axes, shown_names, trimmed
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.panel_result import PanelResult
from mvexplorer.ui.widgets.cure_card import Cure

JOINS = 3.0
"""The factor on all ε that is offered where a picture is in pieces."""
TRIM_WORDS = "Trim to 1–99 %"
TRIM_TIP = (
    "The 1st and 99th percentile of each axis become the limits of the drawing. Samples beyond lie on its edge, each "
    "with a tick; scores do not change."
)


def cures(panel: PanelState, result: PanelResult, editor: Editor, controller: Controller) -> list[Cure]:
    """List what helps where a picture is doubtful or could be better, what it needs most first."""
    doubtful = _for_doubtful(panel, result, editor, controller)
    return [*_matched_reach(panel, result, editor), *doubtful, *_without_loops(panel, result, editor)]


def _matched_reach(panel: PanelState, result: PanelResult, editor: Editor) -> list[Cure]:
    """The cure where a step meets many more samples in one view than in the other."""
    if result.result is None or UNEVEN_REACH not in dict(result.result.embedding.warnings):
        return []
    name, words = MATCH_REACH.name, "Moves the second view's ε, in this method alone, until both reach as far."
    if name in panel.pins:
        return [("Match the reach", words, partial(editor.set_pin, panel.id, name, "true"))]
    return [("Match the reach", words, partial(editor.set_param, name, True))]


def _without_loops(panel: PanelState, result: PanelResult, editor: Editor) -> list[Cure]:
    """The cure where many steps stay, of this panel alone: walks between views would lose by it."""
    if not result.hint:
        return []
    words = "Leaves self-loops out in this panel: most pictures of one kernel gain by it. Undo takes it back."
    beside = "Draws this panel with other metrics, kernels and rows, too, each with its scores."
    return [
        ("Leave self-loops out", words, partial(editor.set_pin, panel.id, SELF_LOOPS, "false")),
        ("Ingredients side by side", beside, partial(editor.compare_ingredients, panel.id)),
    ]


def _for_doubtful(panel: PanelState, result: PanelResult, editor: Editor, controller: Controller) -> list[Cure]:
    """List what helps where an axis shows nothing new or a few samples take the picture; empty where nothing does."""
    offered = [*_for_views(result, editor), *_independent_axes(panel, result, editor)]
    if not result.spoilt:
        return [*offered, *_another_epsilon(panel, result, editor, controller, result.alone)]
    axes, taken, points = next_axes(panel, result), result.drawing.taken, result.drawing.points
    if taken and axes is not None and axes[: panel.dims] != panel.axes[: panel.dims]:
        words = "Draws the first coordinates that are not decided by a few samples."
        offered.append(("Draw the next axes", words, lambda: editor.draw_axes(panel.id, axes)))
    assert result.result is not None
    if result.in_pieces and editor.can_rescale(panel.id, JOINS):
        words = "A larger ε joins pieces; trustworthiness before and after is shown. Undo takes it back."
        offered.append((f"Scale all ε by {JOINS:g}", words, partial(editor.rescale, panel.id, JOINS)))
    offered += _another_epsilon(panel, result, editor, controller, result.result.embedding.views)
    if taken and not panel.trim and points is not None and np.ptp(trimmed(points)[0], axis=0).all():
        offered.append((TRIM_WORDS, TRIM_TIP, lambda: editor.trim(panel.id, True)))
    return offered


def _for_views(result: PanelResult, editor: Editor) -> list[Cure]:
    """The cures where the ε of single views leaves them isolated or flat."""
    warnings = () if result.result is None else result.result.embedding.warnings
    views = [view for _, notice in warnings if notice.code in VIEW_ALARMS for view in notice.subjects]
    used = () if result.result is None else result.result.embedding.views
    offered: list[Cure] = []
    for view in views:
        robust = f"Max-min without its 1 % most isolated samples, for {view} in every panel that shares its ε."
        offered.append((f"Use robust for {view}", robust, partial(editor.set_rule, view, "robust")))
        if len(used) > 1:
            offered.append((f"Leave {view} out", "Unticks the view.", partial(editor.enable_view, view, False)))
    return offered


def _independent_axes(panel: PanelState, result: PanelResult, editor: Editor) -> list[Cure]:
    axes = independent_axes(panel, result)
    if axes is None or result.result is None:
        return []
    names = shown_names(result.result.embedding, panel.show)
    words = "Draws the next coordinate that is not a function of the earlier ones."
    drawn = ", ".join(names[axis] for axis in axes[: panel.dims])
    return [(f"Draw {drawn}", words, lambda: editor.draw_axes(panel.id, axes))]


def _another_epsilon(
    panel: PanelState, result: PanelResult, editor: Editor, controller: Controller, views: tuple[str, ...]
) -> list[Cure]:
    """The median rule for some views or, where their ε is already near it, four times as much."""
    if result.result is None:
        return []
    embedding = result.result.embedding
    if not get_method(embedding.method).epsilon_matters(embedding.params):
        return []
    epsilons = [
        (e, median)
        for view, e in zip(embedding.views, embedding.epsilon, strict=False)
        if view in views and np.isfinite(e) and (median := controller.median(view)) is not None
    ]
    if not epsilons:
        return []
    far = 2.0  # an ε within this factor of the median rule's is taken as near it
    near = all(median / far < e < median * far for e, median in epsilons)
    rule, says = ("4*median", "Four times the median rule") if near else ("median", "The median rule")
    words = f"{says} for {', '.join(views)}: in every panel that shares this ε. Undo takes it back."
    return [(f"Another ε: {rule}", words, lambda: editor.use_rule(panel.id, views, rule))]
