"""The look of the points that a document asks for: colours, which are visible and selected, their size."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.selection import rows_of
from mvexplorer.state.pictures.colouring import Colouring
from mvexplorer.ui.cloud.rasteriser import PointStyle
from mvexplorer.ui.style import theme
from mvexplorer.ui.style.palettes import REST, point_colours, point_markers


def visible_samples(colouring: Colouring, classes: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Mask the samples (M,) of these classes."""
    shown = frozenset(classes)
    of_class = np.array([name in shown for name in colouring.classes], dtype=bool)
    visible: npt.NDArray[np.bool_] = of_class[colouring.values]
    return visible


def point_style(state: DocumentState, colouring: Colouring | None, n_samples: int) -> PointStyle:
    """The look of all points in the present theme."""
    visible = np.ones(n_samples, dtype=bool)
    if colouring is not None and colouring.classes and state.visible_classes:
        visible = visible_samples(colouring, state.visible_classes)
    chosen = np.zeros(n_samples, dtype=bool)
    chosen[rows_of(state.selection)] = True
    rgb, name = point_colours(colouring, n_samples, theme.current().name), theme.current().name
    size = state.point_size * theme.scale()
    return PointStyle(rgb, visible, chosen, size, state.opacity, point_markers(colouring, name), REST[name])
