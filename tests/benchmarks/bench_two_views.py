"""Two views, one warm step of ε, against what one would write with numpy and scipy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from comparison import Comparison, Limit, Prepared, sized
from views import STEPS, drag, squared_distances, tori
from warm import warm_step

M, K = sized(2000, 120), 11
NEW = drag(STEPS - 1)
DEFAULT, LOOSE = 0.0, 0.01
"""Tolerances of svds: as one calls it, to rounding; and 1e-5 radians, a tenth of what an answer at rest may be off."""


def ours(draft: bool) -> Prepared:
    return warm_step(tori(M), "multiview", draft=draft)


def naive(M: int = M) -> Prepared:
    """The symmetric block matrix of all views, formed and solved in full."""
    first, second = map(squared_distances, tori(M))

    def work(D1: np.ndarray = first, D2: np.ndarray = second) -> np.ndarray:
        product = np.exp(D1 / (-2.0 * NEW)) @ np.exp(D2 / (-2.0 * NEW))
        big = np.block([[np.zeros_like(D1), product], [product.T, np.zeros_like(D1)]])
        scale = 1.0 / np.sqrt(big.sum(axis=1))
        return np.linalg.eigh(big * scale[:, None] * scale[None, :])[0]

    return Prepared(work, lambda: work(first[:200, :200], second[:200, :200]), lambda found: found[::-1][:K])


def implicit(tolerance: float) -> Prepared:
    """Singular values of D_r^-1/2 K¹ K² D_c^-1/2, the product never formed."""
    from scipy.sparse.linalg import LinearOperator, svds

    first, second = map(squared_distances, tori(M))

    def work() -> np.ndarray:
        K1, K2 = np.exp(first / (-2.0 * NEW)), np.exp(second / (-2.0 * NEW))
        rows, columns = 1.0 / np.sqrt(K1 @ K2.sum(axis=1)), 1.0 / np.sqrt(K2 @ K1.sum(axis=1))
        operator = LinearOperator(
            K1.shape, matvec=lambda v: rows * (K1 @ (K2 @ (columns * v.ravel()))),
            rmatvec=lambda u: columns * (K2 @ (K1 @ (rows * u.ravel()))), dtype=np.float64,
        )  # fmt: skip
        return svds(operator, k=K, tol=tolerance)[1]

    return Prepared(work, values=lambda found: np.sort(found)[::-1])


def moving(method: str, n_views: int, what: str) -> Prepared:
    fixed = {"eta": 0.2} if what == "epsilon" else {}
    return warm_step(tori(M, n_views=n_views), method, draft=True, moving=what, **fixed)


def products_of_a_time_step() -> dict[str, float]:
    """Products made when only t moves, on a drag and at rest."""
    from mvexplorer.compute.run.cache import StageCache
    from mvexplorer.engine.api.embedding import embed
    from mvexplorer.engine.core.multiview import MultiView
    from mvexplorer.engine.core.task import Task

    data, cache, first, second = MultiView(tori(sized(500, 120))), StageCache(), Task(), Task()
    before = embed(data, "multiview", epsilon=NEW, t=1, task=first, memo=cache.memo(first))
    embed(data, "multiview", epsilon=NEW, t=2, task=second, memo=cache.memo(second), start=[before], interactive=True)
    assert first.products > 0
    return {"products": float(second.products)}


def comparisons() -> Iterator[Comparison | Limit]:
    for draft, how, naive_goal, bar, rivals in (
        (True, "while the hand drags", 100, 1e-3, {LOOSE: 5}),
        (False, "at rest", 50, 1e-6, {DEFAULT: 3, LOOSE: None}),
    ):
        name = f"two views, warm ε step {how}, M {M}, distances given"
        yield Comparison(
            name, naive_goal, partial(ours, draft), naive, "naive numpy: 2M x 2M eigh", environment="rivals",
            tolerance=bar,
        )  # fmt: skip
        for tolerance, goal in rivals.items():
            as_it_is = "its default tolerance" if tolerance == DEFAULT else f"tol {tolerance:g}"
            yield Comparison(
                name, goal, partial(ours, draft), partial(implicit, tolerance),
                f"scipy svds of the implicit product, {as_it_is}", environment="rivals", tolerance=bar,
            )  # fmt: skip
    for n_views in (2, 3):
        yield Comparison(
            f"warm η step, {n_views} views, M {M}", 1.0, partial(moving, "multiview", n_views, "eta"),
            partial(moving, "multiview", n_views, "epsilon"), "our own ε step at η .2", at_most=True,
        )  # fmt: skip
    yield Limit("t step, no solve", {"products": 0.0}, products_of_a_time_step, 1)
