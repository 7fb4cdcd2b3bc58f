"""What null tests and stability might have found, for pages that show it."""

from __future__ import annotations

import numpy as np

from mvexplorer.engine.analysis.null_band import NullBand, Real, ShuffledRun, band_of
from mvexplorer.engine.analysis.stability import Ghost, Stability


def null_band(view: str, real: float | None, chance: float | None, n: int = 10, far: float = 0.9) -> NullBand:
    """A band of n scores from `chance` - .02 to `chance` + .02, and pictures that differ by `far`."""
    offsets = np.linspace(-0.02, 0.02, n)
    runs = [
        ShuffledRun(view, i, None if chance is None else chance + offsets[i], np.array([0.5, 0.3]) - 0.01 * i, far)
        for i in range(n)
    ]
    return band_of(view, "" if real is None else "NMI", Real(real, np.array([0.8, 0.6]), 0.4), runs)


def stability(coordinates: np.ndarray, kind: str = "parts", n: int = 10, by: float = 0.1) -> Stability:
    """Pictures of random parts, each moved by `by` along the first axis, to one side and to the other."""
    random, ghosts = np.random.default_rng(0), []
    for i in range(n):
        rows = np.sort(random.choice(len(coordinates), int(0.8 * len(coordinates)), replace=False))
        moved = coordinates[rows] + np.eye(coordinates.shape[1])[0] * (by if i % 2 else -by)
        ghosts.append(Ghost(f"part {i}", rows, moved, 0.5 + 0.04 * (i % 2)))
    M = len(coordinates)
    scores = np.array([ghost.score for ghost in ghosts])
    return Stability(kind, 0.06, np.full(M, by), np.zeros((M, 2, 2)), tuple(ghosts), "NMI", scores)
