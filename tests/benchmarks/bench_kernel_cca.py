"""Kernel CCA of two views against mvlearn's."""

from __future__ import annotations

from collections.abc import Iterator

from comparison import Comparison, Prepared, sized
from views import drag, tori

M, R = sized(1000, 80), 3


def ours() -> Prepared:
    from mvexplorer.engine.api.embedding import embed

    Xs = tori(M)
    return Prepared(lambda: embed(Xs, "kernel-cca", epsilon=drag(0), n_components=R))


def mvlearn() -> Prepared:
    from mvlearn.embed import KMCCA

    Xs = tori(M)
    gamma = {"gamma": 1.0 / (2.0 * drag(0))}
    return Prepared(lambda: KMCCA(R, kernel="rbf", kernel_params=gamma, regs=0.1).fit_transform(Xs))


def comparisons() -> Iterator[Comparison]:
    yield Comparison(f"kernel CCA, two views, M {M}", 2, ours, mvlearn, "mvlearn KMCCA", 3, "older rivals")
