"""Whom one sample sees at a bandwidth: the kernel over its distances, and the neighbours that take its step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mvexplorer.engine.analysis.point import Indices
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.kernels.affinities import Kernel, check_epsilon, gaussian_affinity, laplacian_affinity
from mvexplorer.engine.kernels.distances import ALL

SHARE = 0.95
"""Of a step."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Reach:
    """The neighbours of a sample at an ε.

    `affinities` (M,) are those to all samples, its own 1. `within` others lie within σ, d² ≤ ε. `takes` others, the
    nearest ones, take 95 % of its step, staying left out; the last of them lies at the squared distance `farthest`.
    """

    affinities: Array
    within: int
    takes: int
    farthest: float


def affinities_at(squared: Array, kernel: Kernel, epsilon: float) -> Array:
    """The affinities (n,) of a kernel that is a function of the distance alone, at squared distances (n,)."""
    out = np.array(squared, dtype=np.float64)[None, :]
    affinity = laplacian_affinity if kernel.kind.id.startswith("laplacian") else gaussian_affinity
    affinity(check_epsilon(epsilon, ""))(out, ALL, ALL, out)
    values: Array = out[0]
    return values


def by_distance(kernel: Kernel) -> bool:
    """Whether a kernel is a function of the distance alone, and has an ε."""
    return kernel.kind.uses_epsilon and kernel.neighbours is None and not kernel.landmarks


def reach(squared: Array, sample: int, kernel: Kernel, epsilon: float) -> Reach:
    """Measure whom a sample sees, by its squared distances (M,) to all; `kernel` is a function of them alone."""
    others = np.sort(np.delete(squared, sample))
    affinities = affinities_at(squared, kernel, epsilon)
    affinities[sample] = 1.0
    if not len(others):
        return Reach(affinities, 0, 0, 0.0)
    taken = np.cumsum(_weights(others, float(others[0]), kernel, epsilon))
    takes = int(np.searchsorted(taken, (SHARE - ROUNDING) * taken[-1])) + 1
    return Reach(affinities, int(np.count_nonzero(others <= epsilon)), takes, float(others[takes - 1]))


def takers(squared: Array, sample: int, kernel: Kernel, epsilon: float, most: int) -> Indices:
    """The nearest others that take 95 % of a sample's step, at most so many, the nearest first; without sorting all."""
    others = np.delete(np.arange(len(squared)), sample)
    away = squared[others]
    if not len(others):
        return others
    near = np.argpartition(away, most - 1)[:most] if most < len(away) else np.arange(len(away))
    near = near[np.argsort(away[near], kind="stable")]
    weights = _weights(away, float(away[near[0]]), kernel, epsilon)
    takes = int(np.searchsorted(np.cumsum(weights[near]), (SHARE - ROUNDING) * weights.sum())) + 1
    return others[near[:takes]]


def _weights(squared: Array, nearest: float, kernel: Kernel, epsilon: float) -> Array:
    """Affinities over that to the nearest one: where all affinities vanish as numbers, their shares do not."""
    laplacian = kernel.kind.id.startswith("laplacian")
    exponents = np.sqrt(squared / epsilon) if laplacian else squared / (2.0 * epsilon)
    first = np.sqrt(nearest / epsilon) if laplacian else nearest / (2.0 * epsilon)
    weights: Array = np.exp(first - exponents)
    return weights
