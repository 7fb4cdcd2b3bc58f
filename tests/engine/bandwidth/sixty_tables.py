"""Sixty tables as people have them: six kinds, ten seeds each, with a clean second view of the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Table:
    """A table (M, D), a clean view (M, 3) of its samples, and their classes, or the place along a curve (M,)."""

    kind: str
    seed: int
    X: Array
    clean: Array
    truth: npt.NDArray[np.generic]

    @property
    def is_curve(self) -> bool:
        return self.kind == "curve"


def clusters(random: np.random.Generator, sizes: list[int], n_features: int, apart: float = 4.0) -> tuple[Array, Array]:
    """Gaussian clusters whose centres lie some standard deviations apart in the first three features, and their clean
    view."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    corners = apart * np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=float)[: len(sizes)]
    X = random.standard_normal((len(codes), n_features))
    X[:, : min(3, n_features)] += corners[codes][:, : min(3, n_features)]
    clean = corners[codes] + 1.0 * random.standard_normal((len(codes), 3))
    return X, clean


def shape_of(seed: int) -> tuple[int, int]:
    """Samples, from 100 to 1,000, and features, from 2 to 2,000, of a seed."""
    samples = [100, 120, 150, 200, 250, 300, 400, 500, 700, 1000][seed]
    return samples, [3, 5, 2, 10, 20, 50, 100, 400, 8, 2000][seed]


def sizes_of(n: int) -> list[int]:
    return [n - 2 * (n // 3), n // 3, n // 3]


def table(kind: str, seed: int) -> Table:
    """The table of a kind and a seed, 0 to 9."""
    random = np.random.default_rng([["outliers", "counts", "tails", "mixed", "unequal", "curve"].index(kind), seed])
    n, n_features = shape_of(seed)
    n_features = max(3, n_features)
    codes = np.repeat(np.arange(3), sizes_of(n))
    X, clean = clusters(random, sizes_of(n), n_features)
    if kind == "outliers":
        some = random.choice(n, size=1 + seed % 3, replace=False)
        X[some] *= 10.0 ** random.uniform(2.0, 4.0)
    elif kind == "counts":
        rate = np.exp(0.5 * random.standard_normal((n, n_features)))
        rate[np.arange(n), codes % n_features] *= 8.0
        X = random.poisson(rate * random.lognormal(0.0, 1.0, (n, 1))).astype(float)
    elif kind == "tails":
        X += random.standard_t(1.5, X.shape)
    elif kind == "mixed":
        X[:, 3:] *= 10.0 ** random.uniform(-3.0, 0.0, n_features)[3:]
        X = np.column_stack([X, np.full(n, 7.0), np.zeros(n)])
    elif kind == "unequal":
        codes = np.repeat(np.arange(2), [n - n // 21, n // 21])
        X, clean = clusters(random, [n - n // 21, n // 21], n_features, apart=6.0)
    elif kind == "curve":
        t = np.sort(random.uniform(0.0, 1.0, n))
        curve = np.column_stack([np.cos(5.0 * t), np.sin(5.0 * t), 2.0 * t])
        X = np.zeros((n, n_features))
        X[:, :3] = curve
        X += 0.02 * random.standard_normal(X.shape) / np.sqrt(n_features)
        return Table(kind, seed, X, curve + 0.02 * random.standard_normal(curve.shape), t)
    return Table(kind, seed, X, clean, codes)


KINDS = ("outliers", "counts", "tails", "mixed", "unequal", "curve")


def tables() -> Iterator[Table]:
    """All sixty."""
    return (table(kind, seed) for kind in KINDS for seed in range(10))
