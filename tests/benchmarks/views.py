"""The same samples for every side, from numpy alone: rivals' environments have nothing else in common with ours."""

from __future__ import annotations

import numpy as np

STEPS = 6
"""A drag: five steps that are over, and the one that is timed."""


def tori(n_samples: int, features: int = 10, n_views: int = 2, seed: int = 0, noise: float = 0.02) -> list[np.ndarray]:
    """Views (M, D) of a thick closed curve, each with its own folds, its own mixture of features and its own noise."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0, 2 * np.pi, (2, n_samples))
    views = []
    for folds in range(2, 2 + n_views):
        shape = np.column_stack(
            [np.cos(a), np.sin(a), 0.4 * np.cos(b), 0.4 * np.sin(b), 0.3 * np.cos(folds * a), 0.3 * np.sin(folds * a)]
        )
        mixture = np.linalg.qr(rng.standard_normal((features, 6)))[0].T if features >= 6 else np.eye(6)[:, :features]
        views.append(shape @ mixture + noise * rng.standard_normal((n_samples, features)))
    return views


def squared_distances(X: np.ndarray) -> np.ndarray:
    """Squared distances (M, M)."""
    X = X - X.mean(axis=0)
    norms = (X**2).sum(axis=1)
    D = np.maximum(norms[:, None] + norms[None, :] - 2.0 * (X @ X.T), 0.0)
    np.fill_diagonal(D, 0.0)
    return D


def drag(step: int) -> float:
    """ε at a step of the drag, each 5 % above the last."""
    return 0.08 * 1.05**step
