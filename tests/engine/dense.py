"""Every method once more, naively and densely, straight from the papers; shares no code with the engine.

Kernels are formed entry by entry from differences, K̂ is formed with its products K^l K^m, and the whole spectrum
comes from `numpy.linalg.eigh` of the symmetric form. A solution is (eigenvalues, blocks): all eigenvalues, signed and
descending, and the right eigenvectors ψ (ψ_0 = 1), one block (M, n) per view or a single one.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Solution:
    values: list  # one array per block
    blocks: list

    def coordinates(self, r, t):
        return [v[1 : r + 1] ** t * psi[:, 1 : r + 1] for v, psi in zip(self.values, self.blocks, strict=True)]


def squared(X, Y=None):
    X, Y = np.asarray(X, float), np.asarray(X if Y is None else Y, float)
    return np.array([[((x - y) ** 2).sum() for y in Y] for x in X]) if len(X) < 20 else _squared_rows(X, Y)


def _squared_rows(X, Y):
    return np.stack([((Y - x) ** 2).sum(axis=1) for x in X])


def gaussian(X, epsilon, Y=None):
    return np.exp(-squared(X, Y) / (2 * epsilon))


def walk(K):
    """Eigenvalues and right eigenvectors of D^-1 K, (1)-(3)."""
    d = K.sum(axis=1)
    values, pi = np.linalg.eigh(K / np.sqrt(np.outer(d, d)))
    order = np.argsort(-values)
    psi = pi[:, order] / np.sqrt(d)[:, None] * np.sqrt(d.sum())
    return values[order], psi


def fused(K):
    values, psi = walk(K)
    return Solution([values], [psi])


def single(Xs, epsilon):
    return fused(gaussian(Xs[0], epsilon[0]))


def kernel_sum(Xs, epsilon):
    return fused(sum(gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)))


def kernel_product(Xs, epsilon):
    K = np.ones((len(Xs[0]), len(Xs[0])))
    for X, e in zip(Xs, epsilon, strict=True):
        K = K * gaussian(X, e)
    return fused(K)


def concatenation(Xs, epsilon, joint=None):
    return fused(gaussian(np.hstack(Xs), sum(epsilon) if joint is None else joint))


def multiview_kernel(kernels, eta=0.0):
    """K̂ of (13)-(14), or with η: η (K^l)² on the diagonal, (1-η)/(L-1) K^l K^m off it."""
    n_views = len(kernels)
    rows = [
        [(eta if a == b else (1 - eta) / (n_views - 1)) * (kernels[a] @ kernels[b]) for b in range(n_views)]
        for a in range(n_views)
    ]
    return np.block(rows)


def multiview(Xs, epsilon, eta=0.0):
    kernels = [gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    if eta == 1.0:
        each = [walk(K @ K) for K in kernels]
        return Solution([v for v, _ in each], [psi for _, psi in each])
    values, psi = walk(multiview_kernel(kernels, eta))
    return Solution([values] * len(Xs), np.split(psi, len(Xs)))


def de_sa_matrix(first, second):
    """(9)-(11): D̄ from the row sums of A = [0 W; W^T 0]."""
    W = first @ second
    A = np.block([[np.zeros_like(W), W], [W.T, np.zeros_like(W)]])
    d = A.sum(axis=1)
    return np.diag(d**-0.5) @ A @ np.diag(d**-0.5)


def de_sa(Xs, epsilon):
    """All eigenvalues, and the symmetric vectors (2M, 2M), not normalised by rows."""
    matrix = de_sa_matrix(gaussian(Xs[0], epsilon[0]), gaussian(Xs[1], epsilon[1]))
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def nystrom_multiview(Xs, epsilon, eta, new_Xs, values, blocks):
    """(39)-(43), normalised by the new point's own row sum."""
    n_views = len(Xs)
    kernels = [gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    out = []
    for a in range(n_views):
        rows = gaussian(new_Xs[a], epsilon[a], Xs[a])
        weights = [(eta if a == b else (1 - eta) / (n_views - 1)) * (rows @ kernels[b]) for b in range(n_views)]
        total = sum(w.sum(axis=1) for w in weights)
        out.append(sum(w @ psi for w, psi in zip(weights, blocks, strict=True)) / total[:, None] / values[a])
    return out


def clusters(values, count, gap=1e-5):
    """Runs of indices below `count` whose eigenvalues are closer than `gap`; a run cut off at `count` is left out."""
    runs, run = [], [0]
    for k in range(1, count + 1):
        if k < len(values) and values[k - 1] - values[k] < gap:
            run.append(k)
            continue
        runs.append(run)
        run = [k]
    return [r for r in runs if r[-1] < count]


def views(n_samples, n_views, seed=0):
    """Views of different dimension and scale that share two latent coordinates, and an ε for each."""
    rng = np.random.default_rng(seed)
    z = rng.uniform(-1, 1, (n_samples, 2))
    Xs, epsilon = [], []
    for k in range(n_views):
        scale = 10.0 ** (k % 3 - 1)
        X = np.hstack([z + 0.3 * rng.standard_normal(z.shape), 0.3 * rng.standard_normal((n_samples, k % 3))])
        Xs.append(scale * X)
        epsilon.append((0.25 + 0.05 * k) ** 2 * scale**2)
    return Xs, tuple(epsilon)
