"""A small picture of coordinates for a notebook: static SVG, in colours legible on light and dark pages."""

from __future__ import annotations

from html import escape

import numpy as np
import numpy.typing as npt

from mvexplorer.engine.core.classes import ordered_classes
from mvexplorer.engine.core.inputs import labelled
from mvexplorer.engine.core.multiview import Array

COLOURS = ("#3b82c4", "#e08214", "#4d9f50", "#c7505a", "#8f6bb8", "#8c7355", "#d36ba6", "#7f8c8d", "#a3a02c", "#2ba3ad")
"""Colours of the classes, in turn: all of medium lightness."""


def scatter(coordinates: Array, labels: npt.NDArray[np.generic] | None, caption: str) -> str:
    """Draw the first two coordinates of (M, r), a single one against the samples' order, as SVG, coloured by class.

    Of many samples only a random part is plotted. `caption` is escaped here; the HTML element has no script.
    """
    n = len(coordinates)
    Y = np.nan_to_num(coordinates[:, :2] if coordinates.shape[1] > 1 else np.column_stack([np.arange(n), coordinates]))
    most_points = 3000  # More points make a notebook heavy, but a picture of this size no clearer.
    rows = np.sort(np.random.default_rng(0).permutation(n)[:most_points])
    spread = np.ptp(Y, axis=0)
    unit = (Y - Y.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    side, margin = 240, 8
    places = margin + (side - 2 * margin) * np.column_stack([unit[:, 0], 1.0 - unit[:, 1]])
    classes = _classes(labels, n)
    colours = {c: COLOURS[c % len(COLOURS)] if c >= 0 else "currentColor" for c in np.unique(classes[rows])}
    paths = [_path(places[rows[classes[rows] == c]], colour) for c, colour in colours.items()]
    return (
        f'<figure style="margin:0"><svg xmlns="http://www.w3.org/2000/svg" width="{side}" height="{side}" role="img" '
        f'viewBox="0 0 {side} {side}"><rect x=".5" y=".5" width="{side - 1}" height="{side - 1}" fill="none" '
        f'stroke="currentColor" stroke-opacity=".3"/>{"".join(paths)}</svg>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _classes(labels: npt.NDArray[np.generic] | None, n: int) -> npt.NDArray[np.intp]:
    """The position (M,) of each sample's class among all, -1 where it has none; 0 where there are no classes."""
    classes = np.zeros(n, dtype=np.intp)
    if labels is not None:
        classes -= 1
        has_label = labelled(labels)
        classes[has_label] = ordered_classes(labels[has_label])[1]
    return classes


def _path(places: Array, colour: str) -> str:
    """Points as strokes of no length with round ends: one element for all of them."""
    dots = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
    return f'<path d="{dots}" stroke="{colour}" stroke-width="4" stroke-linecap="round" stroke-opacity=".75"/>'
