"""The methods that fuse kernels, against plain dense formulas."""

from functools import cache

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.spectral import eigenpairs as spectral
from mvexplorer.errors import ComputeError

FUSED = {
    "single": dense.single,
    "kernel-sum": dense.kernel_sum,
    "kernel-product": dense.kernel_product,
    "concatenation": dense.concatenation,
}
DENSE, ITERATIVE = 1e-8, 1e-7


def fused_views(method, n_samples, n_views):
    """The product of many kernels is narrow: ε grows with the number of views, so that the graph holds together."""
    Xs, epsilon = dense.views(n_samples, n_views)
    return Xs, tuple(e * n_views for e in epsilon) if method == "kernel-product" else epsilon


@cache
def fused_reference(method, n_samples, n_views):
    return FUSED[method](*fused_views(method, n_samples, n_views))


@cache
def multiview_reference(n_samples, n_views, eta):
    return dense.multiview(*dense.views(n_samples, n_views), eta)


def assert_same_subspaces(blocks, expected, values, t, tolerance):
    """Cluster by cluster of eigenvalues, Y Y^T over all blocks: the same whatever the signs and rotations."""
    Y, Z = np.vstack(blocks), np.vstack(expected)
    assert Y.shape == Z.shape
    runs = [run for run in dense.clusters(values, Y.shape[1] + 1) if 0 not in run]
    assert len(runs) >= 2
    for run in runs:
        columns = np.array(run) - 1
        ours, theirs = Y[:, columns] @ Y[:, columns].T, Z[:, columns] @ Z[:, columns].T
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())


@pytest.mark.validates("single", "concatenation", "kernel-product", "kernel-sum")
@pytest.mark.parametrize("t", [1, 3])
@pytest.mark.parametrize("n_samples", [40, 200, 400])
@pytest.mark.parametrize(
    ("method", "n_views"), [("single", 1), *((m, n) for m in FUSED if m != "single" for n in (2, 3, 6))]
)
def test_fused_methods(method, n_views, n_samples, t):
    Xs, epsilon = fused_views(method, n_samples, n_views)
    reference = fused_reference(method, n_samples, n_views)
    tolerance = DENSE if n_samples <= 200 else ITERATIVE
    e = embed(Xs, method, epsilon=epsilon, n_components=5, t=t)
    np.testing.assert_allclose(e.eigenvalues, reference.values[0][:6], rtol=0, atol=tolerance)
    assert_same_subspaces([e.coordinates], reference.coordinates(5, t), reference.values[0], t, 100 * tolerance)
    assert e.view_coordinates == ()


def test_concatenation_takes_a_joint_epsilon():
    Xs, epsilon = dense.views(60, 3)
    e = embed(Xs, "concatenation", epsilon=epsilon, joint_epsilon=2.5)
    np.testing.assert_allclose(e.eigenvalues, dense.concatenation(Xs, epsilon, 2.5).values[0][:3], atol=1e-10)


@pytest.mark.validates("multiview")
@pytest.mark.parametrize("t", [1, 3])
@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("n_views", "n_samples"),
    [(2, 40), (2, 120), (2, 200), (2, 400), (3, 40), (3, 80), (6, 40)]
    + [pytest.param(*size, marks=pytest.mark.nightly) for size in ((3, 300), (6, 150))],
)
def test_multiview(n_views, n_samples, eta, t):
    Xs, epsilon = dense.views(n_samples, n_views)
    reference = multiview_reference(n_samples, n_views, eta)
    e = embed(Xs, "multiview", epsilon=epsilon, n_components=4, eta=eta, t=t)
    size = n_samples if eta == 1.0 or (eta == 0.0 and n_views == 2) else n_views * n_samples
    tolerance = DENSE if size <= 256 else ITERATIVE
    expected = reference.coordinates(4, t)
    if eta == 1.0:
        values = np.sort(np.concatenate([v[:5] for v in reference.values]))[::-1]
        for ours, theirs, v in zip(e.view_coordinates, expected, reference.values, strict=True):
            assert_same_subspaces([ours], [theirs], v, t, 100 * tolerance)
    else:
        values = reference.values[0][:5]
        assert_same_subspaces(e.view_coordinates, expected, reference.values[0], t, 100 * tolerance)
    np.testing.assert_allclose(e.eigenvalues, values, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(e.coordinates, np.hstack(e.view_coordinates))


@pytest.mark.validates("de-sa")
@pytest.mark.parametrize("n_samples", [40, 200, 400])
def test_de_sa(n_samples):
    Xs, epsilon = dense.views(n_samples, 2)
    values, vectors = dense.de_sa(Xs, epsilon)
    e = embed(Xs, "de-sa", epsilon=epsilon, n_components=4)
    assert np.all(values[:4] - values[1:5] > 1e-3)  # simple, so that only signs are open
    tolerance = DENSE if n_samples <= 200 else ITERATIVE
    np.testing.assert_allclose(e.eigenvalues, values[:5], rtol=0, atol=tolerance)
    leading = vectors[:, :4]
    expected = leading / np.linalg.norm(leading, axis=1, keepdims=True)
    ours = np.vstack(e.view_coordinates)
    signs = np.sign((ours * expected).sum(axis=0))
    np.testing.assert_allclose(ours, expected * signs, rtol=0, atol=100 * tolerance)


@pytest.mark.parametrize("eta", [0.0, 0.3, 0.8])
def test_true_within_view_probability(eta):
    Xs, epsilon = dense.views(50, 3)
    K = dense.multiview_kernel([dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)], eta)
    P = K / K.sum(axis=1, keepdims=True)
    within = np.mean([P[i, 50 * (i // 50) : 50 * (i // 50 + 1)].sum() for i in range(150)])
    e = embed(Xs, "multiview", epsilon=epsilon, eta=eta)
    assert e.info["within_view_probability"] == pytest.approx(within, abs=1e-12)


@pytest.mark.parametrize("n_views", [1, 2, pytest.param(3, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("fraction", [2, 10, pytest.param(4, marks=pytest.mark.nightly)])
def test_repeated_eigenvalues_of_an_even_ring(n_views, fraction):
    """A ring has every eigenvalue twice; a Krylov space from one start vector knows one vector of each."""
    angle = 2 * np.pi * np.arange(400) / 400
    X = np.column_stack((np.cos(angle), np.sin(angle)))
    epsilon = (2 * np.pi / 400 * fraction) ** 2
    method = "multiview" if n_views > 1 else "single"
    reference = dense.multiview([X] * n_views, [epsilon] * n_views) if n_views > 1 else dense.single([X], [epsilon])
    for r in (1, 2, 5):
        e = embed([X] * n_views, method, epsilon=epsilon, n_components=r)
        np.testing.assert_allclose(e.eigenvalues, reference.values[0][: r + 1], rtol=0, atol=1e-9, err_msg=f"r = {r}")


@pytest.mark.parametrize("pieces", [3, 10, 20])
@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_every_piece_of_a_disconnected_graph_is_found(pieces, n_views):
    rng = np.random.default_rng(1)
    piece = np.arange(400) % pieces
    Xs = [0.3 * rng.standard_normal((400, 2)) + 1e3 * piece[:, None] for _ in range(n_views)]
    e = embed(Xs, "multiview" if n_views > 1 else "single", epsilon=1.0, n_components=25)
    assert np.sum(e.eigenvalues > 1 - 1e-9) == pieces
    told, largest = dict(e.warnings)["pieces"], -(-400 // pieces)
    assert told.startswith(f"In pieces of {largest}{' and' if pieces == 2 else ','} ")
    if pieces > 6:
        assert f" samples and {pieces - 5} more: " in told


@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_crowded_eigenvalues(n_views, monkeypatch):
    """Nearly isolated samples: thousands of products would not do, so LAPACK answers, or a sentence where it cannot."""
    Xs, _ = dense.views({1: 500, 2: 400, 3: 200}[n_views], n_views)
    Xs = [X / X.std() for X in Xs]
    epsilon, method = [0.0008] * n_views, "multiview" if n_views > 1 else "single"
    reference = dense.multiview(Xs, epsilon) if n_views > 1 else dense.single(Xs, epsilon)
    task = Task()
    e = embed(Xs, method, epsilon=epsilon, n_components=6, task=task)
    np.testing.assert_allclose(e.eigenvalues, reference.values[0][:7], rtol=0, atol=1e-9)
    assert reference.values[0][6] > 1 - 1e-3
    assert task.products < 600
    monkeypatch.setattr(spectral, "DENSE_LIMIT", 0)
    monkeypatch.setattr(spectral, "RESTARTS", 1)
    with pytest.raises(ComputeError, match=r"nearly all samples are isolated at this ε. Enlarge ε"):
        embed(Xs, method, epsilon=epsilon, n_components=6)
