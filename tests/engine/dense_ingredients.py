"""Walks without self-loops and doubly stochastic kernels, naively and densely; shares no code with the engine.

Every kernel is an array made from differences, every operator one array, and its whole spectrum comes from LAPACK. The
constant vector is reflected onto the first axis and left out before; samples without affinity are NaN in the answer.
"""

from dataclasses import dataclass
from functools import reduce

import dense
import numpy as np

NEGLIGIBLE = 1e-12
"""A row sum of this part of the largest, and below, is that of a sample without affinity."""


@dataclass(frozen=True)
class Form:
    """What is done with kernels: whether their diagonal stays, whether they are made doubly stochastic, and α."""

    loops: bool = True
    scaled: bool = False
    alpha: float = 0.0

    @property
    def params(self):
        """The parameters of `embed` that ask for it."""
        asked = {"self_loops": self.loops, "normalisation": "doubly-stochastic" if self.scaled else "walk"}
        return {**asked, "alpha": self.alpha} if self.alpha else asked


@dataclass(frozen=True)
class Answer:
    """All eigenvalues (n,), the trivial 1 first, and the vectors of all samples, one block (M, n) per view or one."""

    values: np.ndarray
    blocks: tuple
    own: tuple = ()
    """Each block's eigenvalues, where every view is embedded by itself."""

    def values_of(self, block):
        return self.own[block] if self.own else self.values


# Kernels ----------------------------------------------------------------------------------------------------------


def to_neighbour(D, k):
    """Squared distance of each sample to its k-th nearest other one, those at the same place not counted."""
    return np.array([np.sort(row[row > 0])[k - 1] for row in D])


def kernel(text, X, epsilon):
    """The kernel of one view with its diagonal: gaussian, laplacian, knn-k, self-tuning or precomputed."""
    if text == "precomputed":
        return np.array(X, float)
    if text == "laplacian":
        return np.exp(-np.array([[np.abs(x - y).sum() for y in X] for x in X]) / np.sqrt(epsilon))
    D = dense.squared(X)
    if text == "self-tuning":
        sigma = np.sqrt(to_neighbour(D, 7))
        return np.exp(-D / np.outer(sigma, sigma))
    K = np.exp(-D / (2 * epsilon))
    if text.startswith("knn-"):
        radius = to_neighbour(D, int(text[4:])) * (1 + 1e-9)
        K[np.maximum.outer(radius, radius) < D] = 0
    return K


def kernels(Xs, epsilon, text="gaussian"):
    return [kernel(text, X, e) for X, e in zip(Xs, epsilon, strict=True)]


def joint_neighbours(Xs, epsilon, k):
    """Of the concatenated views: Gaussian at Σ ε on the k nearest."""
    return kernel(f"knn-{k}", np.hstack(Xs), sum(epsilon))


def scaling(K):
    """x > 0 with x_i Σ_j K_ij x_j = 1, where ½ Σ K_ij exp(u_i + u_j) - Σ u_i is least, x = exp u: Newton's method."""
    u = np.full(len(K), -0.5 * np.log(K.sum(axis=1).mean()))

    def objective(u):
        return 0.5 * np.exp(u) @ K @ np.exp(u) - u.sum()

    for _ in range(500):
        W = K * np.exp(np.add.outer(u, u))
        sums = W.sum(axis=1)
        gradient = sums - 1
        if np.abs(gradient).max() < 1e-14:
            break
        step = np.linalg.lstsq(np.diag(sums) + W, -gradient, rcond=None)[0]
        length = min(1.0, 2.0 / np.abs(step).max())
        while np.abs(gradient).max() > 1e-6 and objective(u + length * step) > objective(u):
            length /= 2
        u = u + length * step
    return np.exp(u)


def formed(K, form):
    """K without its diagonal, or W = diag(x) K diag(x), or both."""
    K = K - np.diag(np.diag(K)) if not form.loops else K
    if not form.scaled:
        return K
    x = scaling(K)
    return x[:, None] * K * x


def has_affinity(sums):
    return (sums > 0) & (sums > NEGLIGIBLE * sums.max())


# Walks on one matrix ----------------------------------------------------------------------------------------------


def spread(rows, kept):
    out = np.full((len(kept), rows.shape[1]), np.nan)
    out[kept] = rows
    return out


def walk(A, form):
    """Eigenvalues and right eigenvectors of D^-1 A, ψ_0 = 1 (ψᵀDψ = Tr D), NaN at the rows without affinity."""
    kept = np.ones(len(A), bool) if form.loops else has_affinity(A.sum(axis=1))
    A = A[np.ix_(kept, kept)]
    if form.alpha:
        q = A.sum(axis=1) ** -form.alpha
        A = q[:, None] * A * q
    d = A.sum(axis=1)
    first = np.sqrt(d / d.sum())
    axis = first - np.eye(len(d))[0]  # the reflection along it takes the constant's symmetric form to the first axis
    H = np.eye(len(d)) - (2 / (axis @ axis)) * np.outer(axis, axis) if axis @ axis > 0 else np.eye(len(d))
    rest = (H @ (A / np.sqrt(np.outer(d, d))) @ H)[1:, 1:]
    values, vectors = np.linalg.eigh((rest + rest.T) / 2)
    pi = H[:, 1:] @ vectors[:, ::-1]
    psi = np.column_stack([np.ones(len(d)), pi * np.sqrt(d.sum() / d)[:, None]])
    return np.concatenate([[1.0], values[::-1]]), spread(psi, kept)


def fused(K, form):
    values, psi = walk(K, form)
    return Answer(values, (psi,))


def single(Xs, epsilon, form, weights=None, text="gaussian"):
    return fused(formed(kernel(text, Xs[0], epsilon[0]), form), form)


def mean_one(weights, count):
    w = np.ones(count) if weights is None else np.array(weights, float)
    return w / w.mean()


def concatenation(Xs, epsilon, form, weights=None, text="gaussian"):
    """The Gaussian of features times √w at Σ w ε."""
    w = mean_one(weights, len(Xs))
    side = np.hstack([np.sqrt(wl) * X for wl, X in zip(w, Xs, strict=True)])
    return fused(formed(kernel(text, side, w @ np.array(epsilon)), form), form)


def kernel_product(Xs, epsilon, form, weights=None, text="gaussian"):
    """The finished product of the kernels to the power of their weights, then without diagonal, or scaled."""
    w = mean_one(weights, len(Xs))
    each = (K**wl for K, wl in zip(kernels(Xs, epsilon, text), w, strict=True))
    return fused(formed(reduce(np.multiply, each), form), form)


def kernel_sum(Xs, epsilon, form, weights=None, text="gaussian"):
    """Σ w K^l without its diagonal; of doubly stochastic ones the mean Σ w W^l / Σ w."""
    w = mean_one(weights, len(Xs))
    if form.scaled:
        each = [formed(K, form) for K in kernels(Xs, epsilon, text)]
        return fused(sum(wl * W for wl, W in zip(w, each, strict=True)) / w.sum(), form)
    total = sum(wl * K for wl, K in zip(w, kernels(Xs, epsilon, text), strict=True))
    return fused(formed(total, form), form)


# Walks between views ----------------------------------------------------------------------------------------------


def multiview(Xs, epsilon, form, weights=None, text="gaussian", eta=0.0):
    """K̂ of each view's K^l in this form, blocks w_l w_m K^l K^m; at η = 1 every view by itself."""
    w = mean_one(weights, len(Xs))
    each = [formed(K, form) for K in kernels(Xs, epsilon, text)]
    if eta == 1.0:
        alone = [walk(K @ K, form) for K in each]
        every = np.sort(np.concatenate([v for v, _ in alone]))[::-1]
        return Answer(every, tuple(psi for _, psi in alone), tuple(v for v, _ in alone))
    values, psi = walk(dense.multiview_kernel([wl * K for wl, K in zip(w, each, strict=True)], eta), form)
    return Answer(values, tuple(np.split(psi, len(Xs))))


def de_sa(Xs, epsilon, form, weights=None, text="gaussian"):
    """The multi-view vectors at η = 0: its matrix is the symmetric form of that walk."""
    return multiview(Xs, epsilon, form, None, text)


def on_the_sphere(block, r):
    """de Sa's coordinates: r vectors, the trivial one included, rows of length 1."""
    return block[:, :r] / np.sqrt(np.square(block[:, :r]).sum(axis=1, keepdims=True))


def alternating(Xs, epsilon, form, weights=None, text="gaussian"):
    """P¹P² by descending modulus, without the samples empty in either view, repeated until none is."""
    each = [formed(K, form) for K in kernels(Xs, epsilon, text)]
    kept, before = np.ones(len(Xs[0]), bool), None
    while not form.loops and before != kept.sum():
        before = kept.sum()
        for K in each:
            kept[kept] = has_affinity(K[np.ix_(kept, kept)].sum(axis=1))
    walks = []
    for whole in each:
        K = whole[np.ix_(kept, kept)]
        q = K.sum(axis=1) ** -form.alpha
        K = q[:, None] * K * q
        walks.append(K / K.sum(axis=1, keepdims=True))
    values, vectors = np.linalg.eig(walks[0] @ walks[1])
    order = np.argsort(-np.abs(values), kind="stable")
    values, vectors = values[order], vectors[:, order]
    vectors = vectors / np.sqrt(np.mean(np.abs(vectors) ** 2, axis=0))
    out = np.full((len(kept), len(values)), np.nan, complex)
    out[kept] = vectors
    return Answer(values, (out,))


# Laplacians -------------------------------------------------------------------------------------------------------


def laplacians(Xs, epsilon, form, text="gaussian"):
    """L_l = I - D^-1/2 W D^-1/2, row 0 where a sample is empty in that view, and the samples empty in no view."""
    out, anywhere = [], np.zeros(len(Xs[0]), bool)
    for K in kernels(Xs, epsilon, text):
        W = formed(K, form)
        kept = np.ones(len(W), bool) if form.loops else has_affinity(W.sum(axis=1))
        inner = W[np.ix_(kept, kept)]
        d = inner.sum(axis=1)
        L = np.zeros_like(W)
        L[np.ix_(kept, kept)] = np.eye(len(d)) - inner / np.sqrt(np.outer(d, d))
        out.append(L)
        anywhere |= kept
    return [L[np.ix_(anywhere, anywhere)] for L in out], anywhere


def laplacian_mean(Ls, weights, method, alpha=0.01):
    """The matrix whose bottom eigenvectors are meant, and how its eigenvalues turn into a Laplacian's."""
    w = mean_one(weights, len(Ls)) / len(Ls)
    if method == "laplacian-mean":
        return sum(wi * L for wi, L in zip(w, Ls, strict=True)), np.asarray
    if method == "squared-mean":
        return sum(wi * L.T @ L for wi, L in zip(w, Ls, strict=True)), np.sqrt
    inverse = sum(wi * np.linalg.inv(L + alpha * np.eye(len(L))) for wi, L in zip(w, Ls, strict=True))
    return np.linalg.inv(inverse), lambda v: v - alpha


def jacobi(Ls, weights, sweeps=200):
    """Joint vectors by single rotations from the eigenbasis of Σ w L; mean diagonals ascending, vectors, `off`."""
    w = mean_one(weights, len(Ls))
    V = np.linalg.eigh(sum(wi * L for wi, L in zip(w, Ls, strict=True)))[1]
    A, n, before = [np.sqrt(wi) * V.T @ L @ V for wi, L in zip(w, Ls, strict=True)], len(V), np.inf
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                gaps = np.array([M[p, p] - M[q, q] for M in A])
                twice = np.array([2 * M[p, q] for M in A])
                theta = 0.25 * np.arctan2(2 * gaps @ twice, gaps @ gaps - twice @ twice)
                R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
                for M in (*A, V.T):
                    M[[p, q]] = R.T @ M[[p, q]]
                for M in A:
                    M[:, [p, q]] = M[:, [p, q]] @ R
        off = sum(np.square(M).sum() - np.square(np.diag(M)).sum() for M in A)
        if before - off <= 1e-9 * off:
            break
        before = off
    values = sum(np.sqrt(wi) * np.diag(M) for wi, M in zip(w, A, strict=True)) / w.sum()
    order = np.argsort(values)
    return values[order], V[:, order], off


def linked_factors(Ls, weights, r, penalty=0.01, steps=4000):
    """U (n, r) of ½ Σ ω (|S - UΛUᵀ|² + α|Λ|²) + ½ α|U|², each Λ solved for, U by fixed points from the mean's span."""
    w, n = mean_one(weights, len(Ls)), len(Ls[0])
    Ss = [np.eye(n) - L for L in Ls]
    U = np.linalg.eigh(sum(wi * L for wi, L in zip(w, Ls, strict=True)))[1][:, :r]
    for _ in range(steps):
        G = U.T @ U
        system = np.kron(G, G) + penalty * np.eye(r * r)
        links = [np.linalg.solve(system, (U.T @ S @ U).ravel()).reshape(r, r) for S in Ss]
        right = sum(wi * S @ U @ link for wi, S, link in zip(w, Ss, links, strict=True))
        left = 0.5 * penalty * np.eye(r) + sum(wi * link @ G @ link for wi, link in zip(w, links, strict=True))
        U, before = np.linalg.solve(left, right.T).T, U
        if np.abs(U - before).max() < 1e-13:
            break
    return U
