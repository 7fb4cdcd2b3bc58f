"""Local CCA: the metrics of all samples and all their distances, against one CCA at a time and a loop over pairs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from comparison import Comparison, Prepared, sized

N_SAMPLES, NEIGHBOURS, FEATURES = sized(1000, 100), 8, 20
PROBED = slice(None, None, 97)
"""Distances that are compared: some of the matrix's, row after row."""


def walks() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [np.cumsum(rng.standard_normal((N_SAMPLES, FEATURES)), axis=0) for _ in range(2)]


def naive_whitening(X: np.ndarray, ridge: float) -> tuple[np.ndarray, np.ndarray]:
    """Whitened samples and axes of one neighbourhood by its singular value decomposition."""
    left, sizes, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    kept = sizes > 1e-8 * sizes[0]
    scale = np.sqrt(sizes[kept] ** 2 + ridge * sizes[0] ** 2)
    return left[:, kept] * (sizes[kept] / scale), axes[kept].T / scale


def loops(X: np.ndarray, Y: np.ndarray, ridge: float = 0.01) -> np.ndarray:
    D = np.empty((len(X), len(X)))
    for i in range(len(X)):
        first = min(max(i - 3, 0), len(X) - NEIGHBOURS)
        near = slice(first, first + NEIGHBOURS)
        x, axes = naive_whitening(X[near], ridge)
        y, _ = naive_whitening(Y[near], ridge)
        turn, rho, _ = np.linalg.svd(x.T @ y)
        P = np.sqrt(NEIGHBOURS - 1) * axes @ turn[:, :1]
        A = P @ np.diag(rho[:1] ** 2) @ P.T
        for j in range(len(X)):
            d = X[i] - X[j]
            D[i, j] = d @ A @ d
    return D


def probed(D: np.ndarray) -> np.ndarray:
    """Some distances, in parts of a typical one."""
    return D[PROBED, PROBED].ravel() / np.median(D)


def ours() -> Prepared:
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.methods import get_method, local_cca
    from mvexplorer.engine.pipeline.stages import Stages

    data = MultiView(walks())
    params = {p.name: p.default for p in get_method("local-cca").params} | {"neighbourhood": "window"}

    def work() -> np.ndarray:
        stages = Stages(data, (0, 1), params=params)
        return local_cca.local_metric(stages, local_cca.metric_settings(stages))[0]

    return Prepared(work, values=probed)


def rival() -> Prepared:
    X, Y = walks()
    return Prepared(lambda: loops(X, Y), lambda: loops(X[:50], Y[:50]), probed)


def comparisons() -> Iterator[Comparison]:
    name = f"local CCA, M {N_SAMPLES}, {NEIGHBOURS} neighbours, D {FEATURES}: all metrics and all distances"
    rival_name = "naive numpy: one CCA at a time, loop over pairs"
    yield Comparison(name, 40, ours, rival, rival_name, environment="rivals", tolerance=1e-5)
