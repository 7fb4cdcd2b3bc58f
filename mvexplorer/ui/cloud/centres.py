"""Centres of groups of samples in a picture: each is one of them, as a mean may lie where no sample is."""

from __future__ import annotations

import numpy as np

from mvexplorer.ui.cloud.arrays import Points, Rows
from mvexplorer.ui.cloud.rasteriser import Cloud

CANDIDATES, WITNESSES = 500, 128
"""Samples of a group that may be its centre, and that decide which is: evenly many of more."""


def medoid(points: Points) -> int:
    """The one of these points (n, d) from which the others are least far on average."""
    rows, others = (np.linspace(0, len(points) - 1, min(len(points), n)).astype(int) for n in (CANDIDATES, WITNESSES))
    a, b = points[rows].astype(np.float64), points[others].astype(np.float64)
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None, :] - 2.0 * (a @ b.T)
    return int(rows[np.sqrt(np.maximum(squares, 0.0)).sum(axis=1).argmin()])


class Centres:
    """The centres of groups of a cloud's samples, kept while the points stay where they are and as visible."""

    def __init__(self) -> None:
        self._basis: tuple[object, object] = (None, None)
        self._known: dict[int, tuple[Rows, int]] = {}

    def of(self, cloud: Cloud, rows: Rows) -> int:
        """The sample at the centre of the visible ones of these rows; -1 where none is visible."""
        look, points = cloud.look, cloud.goal
        if look is None or points is None:
            return -1
        basis = (points, look.visible)
        if any(a is not b for a, b in zip(basis, self._basis, strict=True)):
            self._basis, self._known = basis, {}
        if id(rows) not in self._known:
            seen = rows[look.visible[rows]]
            self._known[id(rows)] = rows, int(seen[medoid(points[:, seen].T)]) if len(seen) else -1
        return self._known[id(rows)][1]
