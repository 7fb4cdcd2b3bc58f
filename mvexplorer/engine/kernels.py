"""Kernels on squared distances. Convention: K = exp(-d² / (2ε)), ε = σ² in squared data units."""

from __future__ import annotations

import math

import numpy as np

from mvexplorer.engine.distances import ROWS
from mvexplorer.engine.multiview import Array
from mvexplorer.engine.task import Task
from mvexplorer.errors import ParameterError


def check_epsilon(epsilon: float, view: str = "") -> float:
    """`epsilon` as a float; ParameterError unless it is positive and finite."""
    where = f" of view “{view}”" if view else ""
    try:
        value = float(epsilon)
    except (TypeError, ValueError):
        message = f"The bandwidth ε{where} is {epsilon!r}, not a number."
        raise ParameterError(message, "Give a number above 0.") from None
    if not (value > 0.0 and math.isfinite(value)):
        hint = "Give a number above 0, or a rule such as max-min."
        raise ParameterError(f"The bandwidth ε{where} is {value:g}.", hint)
    return value


def gaussian(distances: Array, epsilon: float, task: Task | None = None) -> Array:
    """Gaussian kernel exp(-d²/(2ε)) of squared distances (M, N); multi-view diffusion maps, (12)."""
    width = -2.0 * check_epsilon(epsilon)
    out = np.empty_like(distances)
    for start in range(0, len(distances), ROWS):
        if task is not None:
            task.checkpoint()
        rows = slice(start, start + ROWS)
        with np.errstate(over="ignore"):  # beyond the largest number the kernel is 0 all the same
            np.divide(distances[rows], width, out=out[rows])
        np.exp(out[rows], out=out[rows])
    return out
