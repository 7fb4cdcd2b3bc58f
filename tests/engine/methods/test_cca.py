"""Canonical correlations, whitening and the rank-1 tensor, against eigenproblems and loops written from the papers."""

import numpy as np
import pytest

from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.distances import BLOCK_ROWS
from mvexplorer.engine.methods.shared import cca
from mvexplorer.errors import DataError


def naive_half(X, rank, ridge):
    """(Σ + ridge σ² I)^-1/2 on the leading `rank` eigenvectors of the covariance Σ: (d, q) with its rows' whitening."""
    values, vectors = np.linalg.eigh(np.cov(X.T))
    keep = np.argsort(-values)[: min(rank or len(values), len(X) - 1)]
    return vectors[:, keep] / np.sqrt(values[keep] + ridge * values.max())


def naive_metric(X, Y, kept, rank=None, ridge=0.0):
    """A = P Λ Pᵗ by covariance matrices, one neighbourhood at a time; and all canonical correlations."""
    wx, wy = naive_half(X, rank, ridge), naive_half(Y, rank, ridge)
    cross = np.cov(X.T, Y.T)[: X.shape[1], X.shape[1] :]
    turn, rho, _ = np.linalg.svd(wx.T @ cross @ wy)
    P = wx @ turn[:, :kept]
    return P @ np.diag(rho[:kept] ** 2) @ P.T, rho


def related(n, dx, dy, seed=0):
    """Two views with two noisy common variables."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, 2))
    views = [np.hstack([z + 0.5 * rng.standard_normal((n, 2)), rng.standard_normal((n, 8))]) for _ in range(2)]
    return views[0] @ rng.standard_normal((10, dx)) + 3.0, views[1] @ rng.standard_normal((10, dy)) - 1.0


def both(X, Y, rank=None, ridge=0.0):
    return tuple(cca.whiten(cca.principal(A), rank, ridge) for A in (X, Y))


def test_correlations_solve_the_generalised_eigenproblem():
    X, Y = related(60, 5, 4)
    S = np.cov(X.T, Y.T)
    xx, xy, yy = S[:5, :5], S[:5, 5:], S[5:, 5:]
    gamma = np.linalg.inv(xx) @ xy @ np.linalg.inv(yy) @ xy.T  # (6)
    x, y = both(X, Y)
    turn, rho, back = cca.canonical(x, y)
    np.testing.assert_allclose(rho**2, np.sort(np.linalg.eigvals(gamma).real)[::-1][:4], atol=1e-12)
    P, Q = cca.directions(x, turn), cca.directions(y, back)
    np.testing.assert_allclose(gamma @ P, P * rho**2, atol=1e-12)
    np.testing.assert_allclose(P.T @ xx @ P, np.eye(4), atol=1e-12)
    np.testing.assert_allclose(P.T @ xy @ Q, np.diag(rho), atol=1e-12)


@pytest.mark.parametrize(("rank", "ridge"), [(None, 0.01), (3, 0.0), (3, 0.1)])
@pytest.mark.parametrize(("n", "dx", "dy"), [(8, 20, 12), (8, 4, 20), (40, 5, 3), (8, 7, 8)])
def test_stacks_against_covariances_one_by_one(n, dx, dy, rank, ridge):
    """Both ways to the components: through n x n products (n <= d) and through the samples themselves."""
    pairs = [related(n, dx, dy, seed) for seed in range(6)]
    X, Y = (np.stack(views) for views in zip(*pairs, strict=True))
    x, y = both(X, Y, rank, ridge)
    turn, rho, _ = cca.canonical(x, y)
    for kept in (1, 2):
        B = cca.directions(x, turn[..., :kept] * rho[:, None, :kept])
        for i, (a, b) in enumerate(pairs):
            expected, correlations = naive_metric(a, b, kept, rank, ridge)
            np.testing.assert_allclose(B[i] @ B[i].T, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
            np.testing.assert_allclose(rho[i, :3], correlations[:3], atol=1e-9)


@pytest.mark.parametrize(("n", "d", "forced"), [(8, 7, True), (8, 20, True), (9, 7, False), (40, 7, False)])
def test_too_few_samples_make_every_correlation_one(n, d, forced):
    rng = np.random.default_rng(0)
    x, y = both(rng.standard_normal((10, n, d)), rng.standard_normal((10, n, d)))  # unrelated
    rho = cca.canonical(x, y)[1]
    assert np.all((rho[:, :7] > 1 - 1e-9).all(axis=1) == forced)
    assert np.all(cca.forced(rho, x.rank, y.rank, n) == forced)
    shorter = [cca.Whitened(0.9 * w.samples, w.axes, w.rank) for w in (x, y)]  # as a ridge makes them
    assert not cca.forced(cca.canonical(*shorter)[1], x.rank, y.rank, n).any()
    low = both(rng.standard_normal((10, n, d)), rng.standard_normal((10, n, d)), rank=2)
    assert not cca.forced(cca.canonical(*low)[1], low[0].rank, low[1].rank, n).any()


@pytest.mark.parametrize(("n", "d"), [(8, 20), (30, 6)])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_rounding_is_no_direction(n, d, offset):
    """Two real directions, a third at 1e-6 of the first, and constant columns far from 0."""
    rng = np.random.default_rng(1)
    scores = np.linalg.qr(rng.standard_normal((n, 3)) - 0.0)[0]
    scores -= scores.mean(axis=0)
    axes = np.linalg.qr(rng.standard_normal((d - 2, 3)))[0]
    X = np.column_stack([scores * [1.0, 0.5, 1e-6] @ axes.T, np.full((n, 2), offset)])
    parts = cca.principal(np.stack([X, X[::-1], np.full_like(X, offset)]))
    assert np.count_nonzero(parts.sizes, axis=-1).tolist() == [3, 3, 0]
    exact = np.linalg.svd(X[:, :-2] - X[:, :-2].mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(parts.sizes[0, :3], exact[:3], rtol=1e-9)
    assert cca.whiten(parts).rank.tolist() == [3, 3, 0]
    np.testing.assert_allclose(parts.axes[0].T @ parts.axes[0], np.diag(parts.sizes[0] > 0), atol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(2 * BLOCK_ROWS + 7, 9), (20, 2 * BLOCK_ROWS + 7), (12, 12)])
def test_components_by_blocks(n, d):
    X = np.random.default_rng(2).standard_normal((n, d)) * np.geomspace(1, 1e-3, d)
    X -= X.mean(axis=0)
    exact = np.linalg.svd(X, compute_uv=False)[: min(n - 1, d)]
    task = Task()
    left, sizes, axes = cca.principal_by_blocks(X, task)
    np.testing.assert_allclose(sizes, exact, rtol=1e-9)
    np.testing.assert_allclose(left * sizes @ axes.T, X, atol=1e-12 * np.abs(X).max())
    assert task.products == 2 * -(-max(n, d) // BLOCK_ROWS)


def test_numbers_too_large_to_be_squared():
    with pytest.raises(DataError, match=r"too large to be squared\. Rescale the view"):
        cca.check_squares(np.array([[1.0, -1e151]]))
    cca.check_squares(np.array([[1.0, -1e149]]))


def test_distances_of_a_metric_pair_by_pair():
    rng = np.random.default_rng(3)
    X, B, rows = rng.standard_normal((9, 4)), rng.standard_normal((3, 4, 2)), np.array([5, 0, 7])
    D = cca.metric_distances_from(X, rows, B)
    for c, i in enumerate(rows):
        expected = [(X[i] - x) @ B[c] @ B[c].T @ (X[i] - x) for x in X]
        np.testing.assert_allclose(D[c], expected, rtol=1e-12)
        assert D[c, i] == 0.0
    differences = X[:3] - X[3:6]
    expected = [d @ b @ b.T @ d for d, b in zip(differences, B, strict=True)]
    np.testing.assert_allclose(cca.lengths(differences, B), expected, rtol=1e-12)


# --- the tensor ---------------------------------------------------------------------------------------------------


def naive_rank_one(T, starts, seed=0):
    """Best ρ of alternating least squares on the tensor itself, from many random starts."""
    rng, letters, best = np.random.default_rng(seed), "abcdef"[: T.ndim], 0.0
    for _ in range(starts):
        us = [u / np.linalg.norm(u) for u in (rng.standard_normal(q) for q in T.shape)]
        for _ in range(300):
            for k in range(T.ndim):
                others = [(us[m], letters[m]) for m in range(T.ndim) if m != k]
                u = np.einsum(f"{letters},{','.join(c for _, c in others)}->{letters[k]}", T, *(u for u, _ in others))
                us[k] = u / np.linalg.norm(u)
        best = max(best, float(np.einsum(f"{letters},{','.join(letters)}->", T, *us)))
    return best


@pytest.mark.parametrize("n_views", [3, 4])
def test_rank_one_approximation_of_the_tensor(n_views):
    rng = np.random.default_rng(4)
    stacks = []
    for _ in range(5):
        z = rng.exponential(size=200)
        stacks.append([np.column_stack([z, rng.standard_normal((200, 2))]) for _ in range(n_views)])
    Xs = [np.stack([views[k] for views in stacks]) for k in range(n_views)]
    whitened = [cca.whiten(cca.principal(X)) for X in Xs]
    turns, rho = cca.tensor_turns(whitened)
    for i, views in enumerate(stacks):
        halves = [naive_half(X, None, 0.0) for X in views]
        letters = "abcd"[:n_views]
        rows = ",".join("n" + c for c in letters)
        T = (
            np.einsum(f"{rows}->{letters}", *((X - X.mean(axis=0)) @ h for X, h in zip(views, halves, strict=True)))
            / 200
        )
        assert rho[i] == pytest.approx(naive_rank_one(T, 20), rel=1e-8)
        along = [
            (X - X.mean(axis=0)) @ cca.directions(w, t)[i, :, 0] for X, w, t in zip(views, whitened, turns, strict=True)
        ]
        assert np.mean(np.prod(along, axis=0)) == pytest.approx(rho[i], rel=1e-9)
        assert [a.var(ddof=1) for a in along] == pytest.approx([1.0] * n_views)


def test_three_starts_hardly_ever_miss_the_best_approximation():
    """Pure noise has many maxima; against twenty random starts on the tensors themselves."""
    rng = np.random.default_rng(5)
    views = [rng.standard_normal((100, 40, 4)) for _ in range(3)]
    _, rho = cca.tensor_turns([cca.whiten(cca.principal(X)) for X in views])
    white = [
        np.stack([(x - x.mean(axis=0)) @ naive_half(x, None, 0.0) for x in X]) for X in views
    ]  # fmt: skip
    T = np.einsum("sna,snb,snc->sabc", *white) / 40
    v, w = rng.standard_normal((2, 100, 20, 4))
    for _ in range(400):
        u = np.einsum("sabc,stb,stc->sta", T, v, w, optimize=True)
        u /= np.linalg.norm(u, axis=-1, keepdims=True)
        v = np.einsum("sabc,sta,stc->stb", T, u, w, optimize=True)
        v /= np.linalg.norm(v, axis=-1, keepdims=True)
        w = np.einsum("sabc,sta,stb->stc", T, u, v, optimize=True)
        length = np.linalg.norm(w, axis=-1)
        w /= length[..., None]
    best = length.max(axis=1)
    assert np.all(rho <= best * (1 + 1e-6))
    assert np.mean(rho < best * (1 - 1e-6)) <= 0.03


def tensor_correlation(draw, seed):
    """Smallest correlation, over three views R³ -> R⁵ of (z, two normals), of the direction found with z."""
    rng = np.random.default_rng(seed)
    z = draw(rng)
    mixed = [np.column_stack([z, rng.standard_normal((2000, 2))]) @ rng.standard_normal((3, 5)) for _ in range(3)]
    whitened = [cca.whiten(cca.principal(X)) for X in mixed]
    turns, _ = cca.tensor_turns(whitened)
    found = [X @ cca.directions(w, t)[:, 0] for X, w, t in zip(mixed, whitened, turns, strict=True)]
    return min(abs(np.corrcoef(v, z)[0, 1]) for v in found)


@pytest.mark.validates("tensor-cca")
def test_tensor_cca_finds_a_skewed_common_variable():
    assert min(tensor_correlation(lambda rng: rng.exponential(size=2000), seed) for seed in range(5)) >= 0.98


@pytest.mark.parametrize("draw", [lambda r: r.standard_normal(2000), lambda r: r.uniform(size=2000)])
def test_tensor_cca_misses_a_symmetric_one(draw):
    """Its third moment is 0: what is maximised is noise."""
    assert np.median([tensor_correlation(draw, seed) for seed in range(7)]) <= 0.7
