"""Cold answers, from the features, against what one would write with numpy and scipy in ten lines.

Of first pictures the agreement is the angle, in radians, between the vectors drawn first and the exact ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from comparison import Comparison, Prepared, sized
from views import squared_distances, tori

R = 10
TOLERANCE = 1e-9
METHODS = ("single", "kernel-sum", "kernel-product", "de-sa", "multiview")
SHOWN = 3
SAMPLES = ((10, 0.1), (50, 0.5))
"""Features, and the standard deviation of the noise in each."""


def max_min(D: np.ndarray) -> float:
    """The largest squared distance from a sample to its nearest one."""
    return float((D + np.diag(np.full(len(D), np.inf))).min(axis=1).max())


def ninth_of_median(D: np.ndarray) -> float:
    """A ninth of the median squared distance."""
    return float(np.median(D[np.triu_indices(len(D), 1)])) / 9.0


BANDWIDTHS: dict[str, Callable[[np.ndarray], float]] = {"max-min": max_min, "median/9": ninth_of_median}


def views_and_epsilon(m: int, features: int, noise: float, rule: str) -> tuple[list[np.ndarray], list[float]]:
    """The samples, and the ε of each view: both sides are given them as numbers."""
    Xs = tori(m, features, noise=noise)
    return Xs, [BANDWIDTHS[rule](squared_distances(X)) for X in Xs]


def ours(method: str, m: int, features: int, noise: float, rule: str, draft: bool) -> Prepared:
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.core.multiview import MultiView

    Xs, epsilon = views_and_epsilon(m, features, noise, rule)
    Xs, epsilon = (Xs[:1], epsilon[:1]) if method == "single" else (Xs, epsilon)

    def work() -> object:
        return embed(MultiView(Xs), method, epsilon=epsilon, n_components=R, interactive=draft)

    def angles(found: object) -> np.ndarray:
        """Of the vectors drawn first, to the exact answer."""
        return angles_between(found, embed(MultiView(Xs), method, epsilon=epsilon, n_components=R))

    small = [X[:400] for X in Xs]

    def warm_up() -> object:
        return embed(MultiView(small), method, epsilon=epsilon, n_components=R, interactive=draft)

    return Prepared(work, warm_up, angles if draft else lambda found: found.eigenvalues)


def angles_between(draft: Any, exact: Any) -> np.ndarray:
    """Largest angles (SHOWN,) between the spans of the first vectors; 0 where no gap above 1 % ends a span."""
    values, found = exact.eigenvalues, np.zeros(SHOWN)
    for j in range(1, SHOWN + 1):
        if values[j] - values[j + 1] > 0.01 * values[j]:
            A, B = (np.linalg.qr(np.vstack(e.decomposition.blocks)[:, 1 : j + 1])[0] for e in (draft, exact))
            found[j - 1] = np.arcsin(min(1.0, np.linalg.norm(A - B @ (B.T @ A), 2)))
    return found


def script(method: str, m: int, features: int, noise: float, rule: str, draft: bool) -> Prepared:
    """One kernel by `eigsh`, two views by `svds` of the implicit product."""
    from scipy.sparse.linalg import LinearOperator, eigsh, svds

    Xs, epsilon = views_and_epsilon(m, features, noise, rule)

    def kernel(X: np.ndarray, e: float) -> np.ndarray:
        return np.asarray(np.exp(squared_distances(X) / (-2.0 * e)))

    def one_walk(Xs: list[np.ndarray]) -> np.ndarray:
        first = kernel(Xs[0], epsilon[0])
        if method == "kernel-sum":
            first += kernel(Xs[1], epsilon[1])
        elif method == "kernel-product":
            first *= kernel(Xs[1], epsilon[1])
        scale = 1.0 / np.sqrt(first.sum(axis=1))
        first *= scale[:, None]
        first *= scale
        return np.asarray(eigsh(first, R + 1, which="LA", tol=TOLERANCE)[0])

    def two_views(Xs: list[np.ndarray]) -> np.ndarray:
        first, second = (kernel(X, e) for X, e in zip(Xs, epsilon, strict=True))
        rows, columns = (1.0 / np.sqrt(K @ other.sum(axis=1)) for K, other in ((first, second), (second, first)))
        operator = LinearOperator(
            first.shape, matvec=lambda v: rows * (first @ (second @ (columns * v.ravel()))),
            rmatvec=lambda u: columns * (second @ (first @ (rows * u.ravel()))), dtype=np.float64,
        )  # fmt: skip
        return np.asarray(svds(operator, k=R + 1, tol=TOLERANCE)[1])

    work = two_views if method in ("de-sa", "multiview") else one_walk
    warm_up = partial(work, [X[:400] for X in Xs])
    return Prepared(partial(work, Xs), warm_up, lambda found: np.zeros(SHOWN) if draft else np.sort(found)[::-1])


def comparisons() -> Iterator[Comparison]:
    for m, pairs in ((2000, 4), (3000, 3), (5000, 2))[: sized(3, 1)]:
        for (features, noise), rule, method in product(SAMPLES, BANDWIDTHS, METHODS):
            what = "svds" if method in ("de-sa", "multiview") else "eigsh"
            for draft, name, goal, bar in ((True, "first picture", 2.5, 0.01), (False, "exact", 1.2, 1e-6)):
                of = method, sized(m, 150), features, noise, rule, draft
                yield Comparison(
                    f"cold, {name}: {method}, M {m}, D {features}, noise {noise:g}, {rule}", goal, partial(ours, *of),
                    partial(script, *of), f"numpy and {what}, tol {TOLERANCE:g}, distances included", pairs,
                    tolerance=bar,
                )  # fmt: skip
