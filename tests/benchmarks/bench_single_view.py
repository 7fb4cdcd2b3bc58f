"""A single view's diffusion map, warm and cold, against the packages that make one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from comparison import Comparison, Prepared, sized
from views import STEPS, drag, squared_distances, tori
from warm import warm_step

M, R = sized(2000, 120), 10
NEW = drag(STEPS - 1)


def warm(draft: bool = True) -> Prepared:
    return warm_step(tori(M)[:1], "single", draft=draft)


def cold() -> Prepared:
    """From the features, nothing remembered."""
    from mvexplorer.engine.api.embedding import embed

    X = tori(M)[0]
    return Prepared(lambda: embed([X], "single", epsilon=NEW, n_components=R), values=lambda found: found.eigenvalues)


def datafold() -> Prepared:
    from datafold.dynfold import DiffusionMaps
    from datafold.pcfold import GaussianKernel

    X = tori(M)[0]

    def work() -> object:
        return DiffusionMaps(GaussianKernel(epsilon=NEW), n_eigenpairs=R + 1, alpha=0).fit(X)

    return Prepared(work, values=lambda found: np.sort(found.eigenvalues_.real)[::-1])


def pydiffmap() -> Prepared:
    """Its kernel is exp(-d²/4ε), its eigenvalues are those of (P - 1)/ε, the constant's left out."""
    from pydiffmap.diffusion_map import DiffusionMap

    X = tori(M)[0]

    def work() -> object:
        return DiffusionMap.from_sklearn(alpha=0.0, k=M, epsilon=NEW / 2.0, n_evecs=R).fit(X)

    return Prepared(work, values=lambda found: [1.0, *(1.0 + NEW / 2.0 * np.sort(found.evals)[::-1])])


def scikit_learn() -> Prepared:
    """Laplacian eigenmaps of the same kernel; its eigenvalues are Rayleigh quotients of what it returns."""
    from sklearn.manifold import SpectralEmbedding

    D = squared_distances(tori(M)[0])

    def work() -> tuple[np.ndarray, np.ndarray]:
        K = np.exp(D / (-2.0 * NEW))
        return K, SpectralEmbedding(R, affinity="precomputed", random_state=0).fit_transform(K)

    def values(found: tuple[np.ndarray, np.ndarray]) -> list[float]:
        # It leaves the diagonal of K out: other vectors, by about one part in the degree, whose square enters here.
        K, psi = found
        quotients = np.einsum("ij,ij->j", psi, K @ psi) / np.einsum("i,ij->j", K.sum(axis=1), psi**2)
        return [1.0, *np.sort(quotients)[::-1]]

    return Prepared(work, values=values)


def comparisons() -> Iterator[Comparison]:
    name = f"one view, warm ε step while the hand drags, M {M}"
    yield Comparison(
        name, 5, warm, datafold, "datafold, its distances included", environment="older rivals", tolerance=1e-3
    )
    yield Comparison(
        name, 30, warm, pydiffmap, "pydiffmap, all neighbours, its distances included", 3, "rivals", tolerance=1e-3
    )
    yield Comparison(
        name, 5, warm, scikit_learn, "scikit-learn SpectralEmbedding, distances given", environment="rivals",
        tolerance=5e-3,
    )  # fmt: skip
    yield Comparison(
        f"one view, warm ε step at rest, M {M}", None, partial(warm, False), datafold,
        "datafold, its distances included", environment="older rivals", tolerance=1e-6,
    )  # fmt: skip
    yield Comparison(
        f"one view, cold, M {M}", 1, cold, datafold, "datafold", environment="older rivals", tolerance=1e-6
    )  # fmt: skip
