"""The error of an approximate answer against that of all pairs, on a random part small enough to compute both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mvexplorer.engine.api.embedding import as_multiview, embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.recipes import with_recipe
from mvexplorer.engine.api.result import Embedding
from mvexplorer.engine.api.subsample import Data, subsample_rows
from mvexplorer.engine.core.multiview import Array
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN, Kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ParameterError

FEWEST = 4


@dataclass(frozen=True)
class ApproximationError:
    """The largest ``|Δλ|``, and the largest principal angle between the spans of the coordinates, in radians."""

    eigenvalue: float
    angle: float
    n_samples: int

    def describe(self) -> str:
        """Return the error as a sentence or two."""
        return (
            f"Against Gaussians of all pairs, on {self.n_samples:,} random samples: eigenvalues differ by up to "
            f"{self.eigenvalue:.2g}, the coordinates by an angle of {np.degrees(self.angle):.2g}°. "
            "Among more samples it is usually less."
        )


def approximation_error(
    data: Data,
    method: str = "multiview",
    *,
    kernel: Any = None,
    metric: Any = None,
    recipe: str | None = None,
    epsilon: Any = "robust",
    subsample: int | None = None,
    views: Sequence[str] | None = None,
    random_state: int = 0,
    task: Task | None = None,
    **params: Any,
) -> ApproximationError:
    """Measure the error of kernels by neighbours or landmarks, or of a random part, against Gaussians of all pairs.

    Both are computed on a random part of 2,000 samples (up to 5,000 with many landmarks), at the same ε. Neighbours and
    the random part shrink with it, so that a neighbourhood reaches as far as among all samples; landmarks do not.
    ParameterError where neither a kernel nor a random part approximates all pairs.
    """
    data, task = as_multiview(data), task or Task()
    given = {"views": views, "kernel": kernel, "metric": metric, **params}
    settings, _ = with_recipe(recipe, get_method(method), data, given)
    kernel, metric = settings.pop("kernel"), settings.pop("metric", None)
    params = {name: value for name, value in settings.items() if name != "views"}
    planned = plan(get_method(method), data, views, kernel, epsilon, params, subsample, metric=metric)
    if not planned.approximates:
        raise ParameterError(
            "Nothing stands for all pairs of samples here: there is no error to tell.",
            "Choose the kernel knn-64 or landmarks, or a random part.",
        )
    n = compared_samples(data.n_samples, planned.kernels)
    share = n / data.n_samples
    some = data.take(subsample_rows(data.n_samples, n, random_state))
    options: dict[str, Any] = {"views": views, "random_state": random_state, "task": task, **params}
    exact = embed(
        some,
        method,
        kernel={v: dense(k) for v, k in zip(planned.offered, planned.kernels, strict=True)},
        epsilon=epsilon,
        **options,
    )
    ours = embed(
        some,
        method,
        kernel={v: _shrunk(k, share, n) for v, k in zip(planned.offered, planned.kernels, strict=True)},
        epsilon=dict(zip(exact.views, exact.epsilon, strict=True)) if np.isfinite(exact.epsilon).all() else epsilon,
        subsample=None if subsample is None else max(FEWEST, round(subsample * share)),
        **options,
    )
    return compared(exact, ours)


def compared_samples(n_samples: int, kernels: Sequence[Kernel]) -> int:
    """Return the number of samples on which kernels are compared: all, or a part that is small enough for all pairs."""
    landmarks = max(kernel.landmarks for kernel in kernels)
    samples, most_samples = 2000, 5000
    # Samples per landmark: a landmark's own affinities are exact, so most samples should not be landmarks.
    per_landmark = 4
    return min(n_samples, max(samples, min(most_samples, per_landmark * landmarks)))


def dense(kernel: Kernel) -> Kernel:
    """Return the kernel of all pairs that a kernel approximates, a Gaussian, or the same kernel."""
    return replace(GAUSSIAN, metric=kernel.metric) if kernel.kind.approximates_gaussian else kernel


def _shrunk(kernel: Kernel, share: float, n: int) -> Kernel:
    if kernel.landmarks:
        return replace(kernel, count=min(kernel.landmarks, n))
    if kernel.neighbours is None:
        return kernel
    return replace(kernel, count=min(n - 1, max(FEWEST, round(kernel.neighbours * share))))


def compared(exact: Embedding, ours: Embedding) -> ApproximationError:
    """Measure how far an answer is from the exact one: in eigenvalues, and as the angle of the coordinates' spans."""
    shared = min(len(exact.eigenvalues), len(ours.eigenvalues))
    difference = float(np.abs(exact.eigenvalues[:shared] - ours.eigenvalues[:shared]).max())
    return ApproximationError(difference, _angle(exact.coordinates, ours.coordinates), len(exact.coordinates))


def _angle(first: Array, second: Array) -> float:
    """The largest principal angle between the spans of two tables (M, r)."""
    spans = [np.linalg.qr(Y / np.maximum(np.linalg.norm(Y, axis=0), np.finfo(float).tiny))[0] for Y in (first, second)]
    cosines = np.linalg.svd(spans[0].T @ spans[1], compute_uv=False)
    return float(np.arccos(np.clip(cosines.min(), 0.0, 1.0)))
