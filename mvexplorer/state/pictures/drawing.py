"""Which coordinates of an embedding are drawn, how they are aligned, and their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.api.columns import CONSENSUS, drawn_columns, has_mean, shown_columns
from mvexplorer.engine.api.plan import Plan
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.places import has_place
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.spectral.alignment import Alignment, align, fit_to_unit, lay_onto, turn_between
from mvexplorer.engine.spectral.diagnostics import taken_by_few
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.document.titles import given_words
from mvexplorer.state.pictures.panel_result import Drawing, PanelResult

ROTATED = 0.09
"""Radians (about five degrees): an axis rotated further mixes coordinates, and its name begins with `TURNED`."""
TURNED = "≈"
RIM = 0.06
"""Part of a drawing's half height by which samples with a place keep away from the rim, where those without stand."""


def draw(panel: PanelState, result: PanelResult, how: Alignment) -> bool:
    """Choose and fit the coordinates to draw, laid onto those drawn before; False when nothing changed.

    With ``sign`` axes are only mirrored, so that each is one coordinate.
    """
    assert result.result is not None
    embedding = result.result.embedding
    names = shown_names(embedding, panel.show)
    chosen = [min(a, len(names) - 1) for a in panel.axes[: panel.dims]]
    axes = (embedding.method, embedding.views, panel.show, panel.dims, tuple(chosen), len(embedding.coordinates))
    source = (id(embedding), panel.trim, how == "sign")
    if (result.drawing.axes, result.drawing.source) == (axes, source):
        return False  # so it is at every edit that computes nothing: no coordinates are joined for it
    everything = drawn_columns(embedding, panel.show, chosen)
    placed = has_place(everything)
    unplaced = tuple(np.flatnonzero(~placed).tolist())
    whole = everything[placed] if unplaced else everything
    inside, edge = trimmed(whole) if panel.trim else (whole, ())
    few = taken_by_few(np.where(np.ptp(inside, axis=0) > 0.0, inside, whole) if panel.trim else whole)
    taken = tuple(dict.fromkeys(names[a] for a, only_few in zip(chosen, few, strict=True) if only_few))
    points = _fitted(inside, unplaced)
    if len(names) < panel.dims:
        points[:, len(names) :] = 0.0
    edge = tuple(np.flatnonzero(placed)[list(edge)].tolist()) if unplaced else edge
    fresh = Drawing(points, axes, source, tuple(names[a] for a in chosen), taken, edge, unplaced=unplaced)
    before = _as_before(panel, result, fresh, how) if how != "none" else None
    result.draw(fresh if before is None else turned(fresh, before))
    return True


def _fitted(placed: Array, unplaced: tuple[int, ...]) -> Array:
    """The samples that have a place fitted to -1..1; the others, at these positions, side by side on the lower rim.

    Those that have one stay clear of the rim.
    """
    points = fit_to_unit(placed)
    if not unplaced:
        return points
    points = (1.0 - RIM) * points
    points[:, 1:] += RIM
    both = np.full((len(placed) + len(unplaced), placed.shape[1]), -1.0)
    both[_all_but(len(both), unplaced)] = points
    both[list(unplaced), 0] = np.linspace(-1.0, 1.0, len(unplaced) + 2)[1:-1]
    return both


def _all_but(n_samples: int, unplaced: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    rows = np.ones(n_samples, dtype=bool)
    rows[list(unplaced)] = False
    return rows


def _as_before(panel: PanelState, result: PanelResult, fresh: Drawing, how: Alignment) -> Array | None:
    """Points laid onto the former drawing of the same axes; without one, turned as the session says, or None."""
    points, axes, unplaced = fresh.points, fresh.axes, fresh.unplaced
    assert points is not None
    former = result.closed_drawing if result.drawing.points is None else result.drawing
    if former.points is not None and former.axes == axes:
        rows = _all_but(len(points), (*former.unplaced, *unplaced))
        if how == "sign":
            return lay_onto(points, former.points, how, np.flatnonzero(rows)).moved if rows.any() else points
        return align(points, former.points, rows)
    turn = result.turn_of(axes_of(panel))
    return None if turn is None else points @ turn


def turned(fresh: Drawing, points: Array) -> Drawing:
    """A drawing whose points were turned to these: the names of its axes say whether they mix coordinates."""
    assert fresh.points is not None
    rows = _all_but(len(points), fresh.unplaced) if fresh.unplaced else slice(None)
    points = _fitted(points[rows], fresh.unplaced)
    turn, angle = turn_between(fresh.points[rows], points[rows])
    names = tuple(f"{TURNED} {name}" for name in fresh.axis_names) if angle > ROTATED else fresh.axis_names
    return replace(fresh, points=points, axis_names=names, turn=turn)


def turns_of(results: Mapping[str, PanelResult]) -> dict[str, tuple[tuple[float, ...], ...]]:
    """The turns of pictures by their panels' ids, as sessions store them; pictures drawn as computed are left out."""
    turns = {id: result.drawing.turn for id, result in results.items() if result.drawing.turn is not None}
    return {
        id: tuple(tuple(row) for row in turn.tolist())
        for id, turn in turns.items()
        if not np.allclose(turn, np.eye(len(turn)), atol=1e-6)
    }


def axes_of(panel: PanelState) -> tuple[Any, ...]:
    """The part of its coordinates that a panel draws; a turn belongs to this part alone."""
    return panel.method, panel.show, panel.dims, panel.axes


def trimmed(Y: Array) -> tuple[Array, tuple[int, ...]]:
    """`Y` (M, d) within the 1st to 99th percentile of each column, and the samples that were beyond.

    A column that is constant inside, but for rounding, is made so: rounding must not become a picture.
    """
    finite = np.nan_to_num(Y)
    low = np.percentile(finite, 1.0, axis=0, method="higher")
    high = np.percentile(finite, 99.0, axis=0, method="lower")
    rounding = 1e-6 * np.ptp(finite, axis=0)  # the solver's: a column whose inside is narrower holds nothing else
    same = high - low <= rounding
    low, high = np.where(same, np.median(finite, axis=0), (low, high))
    inside: Array = np.clip(finite, low, high)
    beyond = np.abs(inside - finite) > np.where(same, rounding, 0.0)
    return inside, tuple(np.flatnonzero(beyond.any(axis=1)).tolist())


def leading_drawn(panel: PanelState, planned: Plan) -> int:
    """How many of the leading vectors, besides the trivial one, a panel's axes need, whichever view's they are."""
    width = int(planned.params.get("n_components") or 1)
    if planned.params.get("delta"):  # fewer columns are left, which ones only the answer tells
        return width
    return max(1, max(a % width for a in panel.axes[: panel.dims]) + planned.method.first_component)


def next_axes(panel: PanelState, result: PanelResult) -> tuple[int, int, int] | None:
    """The first coordinates that are not taken by a few samples, for the axes; None where there are too few."""
    if result.result is None:
        return None
    columns, _ = shown_coordinates(result.result.embedding, panel.show)
    free = np.flatnonzero(~taken_by_few(columns[has_place(columns)])).tolist()
    if len(free) < panel.dims:
        return None
    first, second, third = (*free[:3], *free[-1:])[:3]
    return first, second, third


def shown_coordinates(embedding: Embedding, show: str) -> tuple[Array, tuple[str, ...]]:
    """The columns a panel can draw (M, n) and their names: one view's coordinates, or all of them."""
    return shown_columns(embedding, show), shown_names(embedding, show)


def shown_names(embedding: Embedding, show: str) -> tuple[str, ...]:
    """The names of the columns a panel can draw."""
    method, blocks = get_method(embedding.method), embedding.view_coordinates
    first, width = method.first_component, embedding.coordinates.shape[1]
    symbol = "ψ" if first == 1 else "u"
    if blocks and show in embedding.views:
        width = blocks[embedding.views.index(show)].shape[1]
    elif blocks and show == CONSENSUS:
        r = blocks[0].shape[1]
        names = [f"{symbol}{subscript(k + first)} {v}" for v in embedding.views for k in range(r)]
        means = [f"mean {symbol}{subscript(k + first)}" for k in range(r)] if has_mean(blocks) else []
        return (*means, *names)
    elif method.shows_given:
        return tuple(f"{given_words(str(embedding.params['coordinates']))} {k + 1}" for k in range(width))
    names = [f"{symbol}{subscript(k + first)}" for k in range(width)]
    if method.signs_name_views:
        above = embedding.eigenvalues[:width] > 0.0
        names = [f"{n} ({'+' if up else '−'} {embedding.views[1 - up]})" for n, up in zip(names, above, strict=True)]
    return tuple(names)


def subscript(number: int) -> str:
    """A number as Unicode subscript digits."""
    return "".join("₀₁₂₃₄₅₆₇₈₉"[int(d)] for d in str(number))


def component_words(name: str) -> str:
    """A component's name with the paper's letter: ``mean psi2`` as mean ψ₂."""
    before, psi, number = name.rpartition("psi")
    return f"{before}ψ{subscript(int(number))}" if psi and number.isdigit() else name
