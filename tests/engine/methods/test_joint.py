"""Joint diagonalisation and its relatives against the paper's formulas written down naively, and their bars."""

import dense
import numpy as np
import pytest
from geometry import farthest_points, heat_distances
from reporting import Reporting
from scipy.linalg import expm
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics import roc_auc_score
from sklearn.metrics import roc_curve as sklearn_roc_curve

import mvexplorer.engine.methods.joint
import mvexplorer.engine.methods.laplacians
import mvexplorer.engine.methods.shared_bases  # noqa: F401 - registers
from mvexplorer import datasets
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import joint, shared_bases
from mvexplorer.engine.methods.shared_bases import LinkedFactors, co_regularise, fixed_point
from mvexplorer.engine.metrics import accuracy, roc_auc, roc_curve, spectral_accuracy
from mvexplorer.errors import DataError, ParameterError

FAMILY = ["jade", "laplacian-mean", "squared-mean", "harmonic-mean", "co-regularized", "low-rank"]
MEANS = ["laplacian-mean", "squared-mean", "harmonic-mean"]


def naive_laplacian(X, k=10, edge_weights="self-tuning"):
    """L = I - D^-1/2 W D^-1/2 of the symmetrised kNN graph, sample by sample."""
    D = dense.squared(X)
    n = len(D)
    order = np.argsort(D + np.diag(np.full(n, np.inf)), axis=1)
    joined = np.zeros((n, n), bool)
    for i in range(n):
        joined[i, order[i, :k]] = True
    joined |= joined.T
    if edge_weights == "gaussian":
        W = np.where(joined, np.exp(-D / D[joined].mean()), 0.0)
    else:
        sigma = np.sqrt([D[i, order[i, 6]] for i in range(n)])
        W = np.where(joined, np.exp(-D / np.outer(sigma, sigma)), 0.0)
    degrees = W.sum(axis=1)
    return np.eye(n) - W / np.sqrt(np.outer(degrees, degrees))


def two_laplacians(n_samples=60, n_views=2, k=10):
    return [naive_laplacian(X, k) for X in dense.views(n_samples, n_views)[0]]


def spans_agree(A, B, tolerance):
    P, Q = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return np.linalg.norm(P - Q @ (Q.T @ P), 2) <= tolerance


# --- the means ----------------------------------------------------------------------------------------------------


def naive_mean(method, Ls, weights, alpha=0.01):
    """The matrix whose bottom eigenvectors are meant, and its eigenvalues in units of a Laplacian's."""
    w = np.array(weights) / np.sum(weights)
    if method == "laplacian-mean":
        return sum(wi * L for wi, L in zip(w, Ls, strict=True)), lambda v: v
    if method == "squared-mean":
        return sum(wi * L.T @ L for wi, L in zip(w, Ls, strict=True)), np.sqrt
    inverse = sum(wi * np.linalg.inv(L + alpha * np.eye(len(L))) for wi, L in zip(w, Ls, strict=True))
    return np.linalg.inv(inverse), lambda v: v - alpha


@pytest.mark.validates("laplacian-mean", "squared-mean", "harmonic-mean")
@pytest.mark.parametrize("weights", [None, "1,3,0.5"])
@pytest.mark.parametrize("n_samples", [40, 400])
@pytest.mark.parametrize("method", MEANS)
def test_means(method, n_samples, weights):
    Xs, epsilon = dense.views(n_samples, 3)
    given = [1, 1, 1] if weights is None else [float(w) for w in weights.split(",")]
    matrix, unit = naive_mean(method, [naive_laplacian(X) for X in Xs], given)
    values, vectors = np.linalg.eigh(matrix)
    e = embed(Xs, method, epsilon=epsilon, n_components=4, view_weights=weights)
    np.testing.assert_allclose(e.eigenvalues, unit(values[:5]), rtol=0, atol=1e-8)
    assert np.diff(values[:5]).min() > 1e-4  # simple, so that only signs are open
    np.testing.assert_allclose(np.abs((e.coordinates * vectors[:, :4]).sum(axis=0)), 1.0, atol=1e-8)
    assert np.all(e.coordinates.max(axis=0) >= -e.coordinates.min(axis=0))


@pytest.mark.validates("harmonic-mean")
@pytest.mark.parametrize("alpha", [1e-4, 1.0, 100.0])
def test_harmonic_alpha(alpha):
    Xs, epsilon = dense.views(50, 2)
    Ls = [naive_laplacian(X) for X in Xs]
    e = embed(Xs, "harmonic-mean", epsilon=epsilon, n_components=4, harmonic_alpha=alpha)
    values = np.linalg.eigvalsh(naive_mean("harmonic-mean", Ls, [1, 1], alpha)[0])
    np.testing.assert_allclose(e.eigenvalues, values[:5] - alpha, rtol=0, atol=1e-9)
    if alpha == 100.0:  # a large α makes it the plain mean
        plain = embed(Xs, "laplacian-mean", epsilon=epsilon, n_components=4)
        np.testing.assert_allclose(e.eigenvalues, plain.eigenvalues, rtol=0, atol=2e-3)


@pytest.mark.parametrize("method", ["jade", *MEANS])
def test_of_one_kernel_twice_they_are_its_diffusion_map(method):
    """W = K: the joint vectors are those of I - D^-1/2 K D^-1/2, with eigenvalues 1 - λ."""
    Xs, epsilon = dense.views(80, 1)
    e = embed([Xs[0]] * 2, method, epsilon=epsilon[0], n_components=5, graph="kernel", heat_time=0.0)
    single = embed(Xs, "single", epsilon=epsilon[0], n_components=4)
    # The root of a squared 0 is only good to the root of rounding.
    np.testing.assert_allclose(e.eigenvalues[:5], 1 - single.eigenvalues, atol=1e-7)
    root = np.sqrt(dense.gaussian(Xs[0], epsilon[0]).sum(axis=1))
    for k in range(1, 5):
        expected = root * single.coordinates[:, k - 1]
        cosine = expected @ e.coordinates[:, k] / np.linalg.norm(expected)
        assert abs(cosine) == pytest.approx(1.0, abs=1e-8)


def test_gaussian_edges_and_sparse_kernels():
    Xs, epsilon = dense.views(30, 2)
    e = embed(Xs, "laplacian-mean", epsilon=epsilon, edge_weights="gaussian", graph_neighbours=5, n_components=3)
    expected = np.linalg.eigvalsh(sum(naive_laplacian(X, 5, "gaussian") for X in Xs) / 2)
    np.testing.assert_allclose(e.eigenvalues, expected[:4], atol=1e-10)
    kernels = [np.where(dense.squared(X) < 9 * s, dense.gaussian(X, s), 0.0) for X, s in zip(Xs, epsilon, strict=True)]
    psd = [K @ K for K in kernels]
    for given, kernel in ((psd, "precomputed"), (Xs, "knn-12"), ([Xs[0], psd[1]], ["knn-12", "precomputed"])):
        e = embed(given, "jade", epsilon="median", kernel=kernel, graph="kernel")
        assert np.isfinite(e.coordinates).all()


# --- JADE ---------------------------------------------------------------------------------------------------------


def loop_jade(Ls, sweeps=60):
    """Cyclic Jacobi from the eigenbasis of ΣL, one rotation after another; eigenvalues sorted, with their vectors."""
    V = np.linalg.eigh(sum(Ls))[1]
    A, n = [V.T @ L @ V for L in Ls], len(Ls[0])
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                on = sum((M[p, p] - M[q, q]) ** 2 - 4 * M[p, q] ** 2 for M in A)
                cross = sum(4 * (M[p, p] - M[q, q]) * M[p, q] for M in A)
                theta = 0.25 * np.arctan2(cross, on)
                R = np.array([[np.cos(theta), -np.sin(theta)], [np.sin(theta), np.cos(theta)]])
                for M in A:
                    M[[p, q]] = R.T @ M[[p, q]]
                    M[:, [p, q]] = M[:, [p, q]] @ R
                V[:, [p, q]] = V[:, [p, q]] @ R
    values = np.mean([np.diag(M) for M in A], axis=0)
    order = np.argsort(values)
    off = sum(np.square(M).sum() - np.square(np.diag(M)).sum() for M in A)
    return values[order], V[:, order], off


@pytest.mark.validates("jade")
def test_jade_against_a_plain_loop():
    Xs, epsilon = dense.views(40, 2)
    Ls = [naive_laplacian(X, 5) for X in Xs]
    values, vectors, off = loop_jade(Ls)
    e = embed(Xs, "jade", epsilon=epsilon, n_components=39, graph_neighbours=5)
    V = e.decomposition.blocks[0]
    ours = sum(float(np.square(V.T @ L @ V).sum() - np.square(np.diag(V.T @ L @ V)).sum()) for L in Ls)
    assert ours == pytest.approx(off, rel=1e-3)
    assert np.all(np.diff(e.eigenvalues) >= 0)
    np.testing.assert_allclose(e.eigenvalues[:6], values[:6], atol=1e-4)
    np.testing.assert_allclose(np.abs((V * vectors).sum(axis=0))[:6], 1.0, atol=1e-3)
    np.testing.assert_allclose(e.eigenvalues, np.mean([np.diag(V.T @ L @ V) for L in Ls], axis=0), atol=1e-10)
    total = sum(float(np.square(L).sum()) for L in Ls)
    assert e.info["off_diagonal_share"] == pytest.approx(ours / total, rel=1e-6)


@pytest.mark.validates("jade")
def test_views_that_commute_have_a_joint_eigenbasis():
    """Two rings of the same samples, one with farther neighbours: circulant, so their Laplacians commute."""
    angle = 2 * np.pi * np.arange(50) / 50
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    e = embed([ring, ring], "jade", epsilon=(0.05, 0.2), graph="kernel", n_components=9)
    K = [dense.gaussian(ring, s) for s in (0.05, 0.2)]
    circulant = [1 - np.fft.fft(k[0]).real / k[0].sum() for k in K]
    np.testing.assert_allclose(e.eigenvalues, np.sort(np.mean(circulant, axis=0))[:10], atol=1e-10)
    assert e.info["off_diagonal_share"] < 1e-20
    assert "joint-first" not in dict(e.warnings)


@pytest.mark.validates("jade")
@pytest.mark.parametrize(
    ("data", "params"),
    [
        (datasets.make_touching_rolls(n_samples=150), {"graph_neighbours": 5, "edge_weights": "gaussian"}),
        (datasets.make_circles(), {}),
    ],
    ids=["rolls", "circles"],
)
def test_reduced_is_full(data, params):
    reduced, full = (embed(data, "jade", epsilon=1.0, n_components=9, full=f, **params) for f in (False, True))
    np.testing.assert_allclose(reduced.eigenvalues, full.eigenvalues, rtol=0, atol=1e-3)
    assert full.info != reduced.info


def test_subspace_has_room_for_all_coordinates():
    Xs, epsilon = dense.views(60, 2)
    e = embed(Xs, "jade", epsilon=epsilon, subspace=2, n_components=30)
    assert e.coordinates.shape == (60, 30)
    mean = np.linalg.eigvalsh(sum(two_laplacians()) / 2)
    tiny = embed(Xs, "jade", epsilon=epsilon, subspace=2, n_components=1)
    assert tiny.eigenvalues.sum() == pytest.approx(mean[:2].sum(), abs=1e-9)  # the trace of the subspace


# --- what they have in common -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["jade", *MEANS, "co-regularized"])
def test_a_weight_counts_as_so_many_views(method):
    Xs, _ = dense.views(40 if method == "jade" else 300, 2)
    weighted = embed(Xs, method, epsilon=1.0, n_components=3, view_weights="2,1")
    repeated = embed([Xs[0], Xs[0], Xs[1]], method, epsilon=1.0, n_components=3)
    np.testing.assert_allclose(weighted.coordinates, repeated.coordinates, atol=1e-7)
    np.testing.assert_allclose(weighted.eigenvalues, repeated.eigenvalues, atol=1e-9)
    assert np.abs(weighted.coordinates - embed(Xs, method, epsilon=1.0, n_components=3).coordinates).max() > 1e-4


@pytest.mark.parametrize("method", FAMILY)
def test_weight_zero_leaves_a_view_out(method):
    Xs, _ = dense.views(40, 3)
    weighted = embed(Xs, method, epsilon=1.0, n_components=3, view_weights="3,0,3")
    left_out = embed([Xs[0], Xs[2]], method, epsilon=1.0, n_components=3)
    np.testing.assert_array_equal(weighted.coordinates, left_out.coordinates)


@pytest.mark.parametrize("method", FAMILY)
def test_heat_time_is_only_a_scaling(method):
    Xs, _ = dense.views(60, 2)
    kept = {}

    def memo(key, compute):
        return kept[key] if key in kept else kept.setdefault(key, compute())

    still = embed(Xs, method, epsilon=1.0, n_components=4, memo=memo)
    task = Task()
    heated = embed(Xs, method, epsilon=1.0, n_components=4, heat_time=20.0, memo=memo, task=task)
    assert task.products == 0
    np.testing.assert_allclose(heated.coordinates, still.coordinates * np.exp(-10 * still.eigenvalues[:4]), rtol=1e-12)
    np.testing.assert_allclose(still.coordinates.T @ still.coordinates, np.eye(4), atol=1e-9)


def test_farthest_points_by_loops():
    Y = np.random.default_rng(0).standard_normal((80, 3))
    indices, radii = farthest_points(Y, 10, first=7)
    chosen = [7]
    while len(chosen) < 10:
        chosen.append(max(range(80), key=lambda i: min(np.linalg.norm(Y[i] - Y[c]) for c in chosen)))
    assert indices.tolist() == chosen
    covered = [max(min(np.linalg.norm(y - Y[c]) for c in chosen[: i + 1]) for y in Y) for i in range(10)]
    np.testing.assert_allclose(radii, covered, rtol=1e-10)
    assert sorted(farthest_points(Y, 80)[0]) == list(range(80))
    for n_points in (0, 81):
        with pytest.raises(ParameterError, match=f"{n_points} points cannot be chosen among 80 samples. Give a whole"):
            farthest_points(Y, n_points)


@pytest.mark.parametrize("ties", [False, True])
def test_roc_of_distances_is_that_of_scikit_learn(ties):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 60)
    D = dense.squared(rng.standard_normal((60, 2)) + labels[:, None])
    D = np.round(D, 1) if ties else D
    i, j = np.triu_indices(60, 1)
    alike = labels[i] == labels[j]
    assert roc_auc(D, labels).value == pytest.approx(roc_auc_score(alike, -D[i, j]), abs=1e-12)
    false, true = roc_curve(D, labels.astype(str))
    expected = sklearn_roc_curve(alike, -D[i, j], drop_intermediate=False)
    np.testing.assert_allclose(np.stack([false, true]), np.stack(expected[:2]), atol=1e-12)
    with pytest.raises(DataError, match=r"Every sample is a class of its own. Pairs of the same class"):
        roc_auc(D, np.arange(60))
    with pytest.raises(DataError, match="only one class"):
        roc_auc(D, np.zeros(60))


def test_spectral_accuracy_looks_at_directions_only():
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 3
    V = (np.eye(3)[labels] + 0.05 * rng.standard_normal((90, 3))) * 10 ** rng.uniform(-3, 0, (90, 1))
    V[0] = 0.0  # of no direction at all
    assert accuracy(V, labels, seeds=1).value < 0.7
    assert spectral_accuracy(V, labels, seeds=2, n_init=5).value >= 89 / 90


def test_heat_distances_are_those_of_the_heat_kernel():
    """Σ e^(-tλ)(v_i - v_j)² = h_ii + h_jj - 2 h_ij with the heat kernel h = e^(-tL)."""
    L = naive_laplacian(dense.views(50, 1)[0][0])
    values, vectors = np.linalg.eigh(L)
    for t in (0.5, 10.0):
        h = expm(-t * L)
        expected = np.diag(h)[:, None] + np.diag(h)[None, :] - 2 * h
        np.testing.assert_allclose(heat_distances(vectors, values, t), expected, atol=1e-12)


@pytest.mark.parametrize("method", FAMILY)
class TestMessages:
    def test_number_of_weights(self, method):
        Xs, _ = dense.views(40, 3)
        for weights, count in (("1,2", 2), ("1,1,1,1", 4)):
            message = rf"View weights \(ω\) are {count} numbers for 3 views. Give 3 numbers separated by commas"
            with pytest.raises(ParameterError, match=message):
                embed(Xs, method, epsilon=1.0, view_weights=weights)

    def test_disconnected(self, method):
        Xs, _ = dense.views(60, 3)
        first = np.column_stack([Xs[0], 1e3 * (np.arange(60) % 3)])
        second = np.column_stack([Xs[1], 1e3 * (np.arange(60) % 2)])
        text = dict(embed([first, second, Xs[2]], method, epsilon=1.0).warnings)["disconnected"]
        assert "“view1” into 3 unconnected pieces, “view2” into 2 unconnected pieces: the leading" in text
        assert text.endswith("Take more neighbours to see the geometry inside.")
        text = dict(embed([first, Xs[2]], method, epsilon=(1.0, 1e3), graph="kernel").warnings)["disconnected"]
        assert "“view1” into 3 unconnected pieces: the leading" in text
        assert text.endswith("Enlarge ε to see the geometry inside.")
        weighted = embed([first, second, Xs[2]], method, epsilon=1.0, view_weights="0,1,1")
        assert "apart, “view2” into 2 unconnected pieces: the" in dict(weighted.warnings)["disconnected"]

    def test_fewer_samples_than_neighbours(self, method):
        Xs, _ = dense.views(8, 2)
        text = "Each sample is joined to all 7 others: there are no k = 8 neighbours."
        assert dict(embed(Xs, method, epsilon=1.0, graph_neighbours=8).warnings)["all-neighbours"] == text
        assert "all-neighbours" not in dict(embed(Xs, method, epsilon=1.0, graph_neighbours=7).warnings)
        assert "all-neighbours" not in dict(embed(Xs, method, epsilon=1.0, graph="kernel").warnings)

    def test_the_first_vector(self, method):
        Xs, _ = dense.views(80, 2)
        nulls = []
        for L in two_laplacians(80):
            values, vectors = np.linalg.eigh(L)
            assert values[0] < 1e-12 < values[1]
            nulls.append(vectors[:, 0])
        e = embed(Xs, method, epsilon=1.0)
        angle = np.degrees(max(np.arccos(min(1, abs(null @ e.coordinates[:, 0]))) for null in nulls))
        assert f"up to {angle:.2g}° away" in dict(e.warnings)["joint-first"]
        same = embed([Xs[0], 5 * Xs[0]], method, epsilon=1.0)
        assert "joint-first" not in dict(same.warnings)
        np.testing.assert_allclose(np.abs(same.coordinates[:, 0] @ nulls[0]), 1.0, atol=1e-6)


def test_a_joint_basis_that_still_moves_says_so(monkeypatch):
    def two_sweeps(matrices, task, tolerance):
        return original(matrices, task, 1e-15, 2)

    original = joint.joint_diagonalise
    monkeypatch.setattr(joint, "joint_diagonalise", two_sweeps)
    e = embed(dense.views(60, 2)[0], "jade", epsilon=1.0)
    assert "still changes after 2 sweeps" in dict(e.warnings)["no-convergence"]


@pytest.mark.parametrize("method", ["co-regularized", "low-rank"])
def test_a_shared_basis_that_still_moves_says_so(method, monkeypatch):
    monkeypatch.setattr(shared_bases, "MOST_STEPS", 1)
    e = embed(dense.views(60, 2)[0], method, epsilon=1.0)
    assert "still change after 1 steps" in dict(e.warnings)["no-convergence"]


def test_full_jade_can_be_stopped_and_tells_every_sweep():
    class Impatient(Task):
        def checkpoint(self):
            if self.products >= 500:
                self.cancel()
            super().checkpoint()

    data = datasets.make_circles(n_samples=200)
    task = Impatient()
    with pytest.raises(Cancelled):
        embed(data, "jade", epsilon=1.0, full=True, task=task)
    assert task.products == 500
    reporting = Reporting()
    embed(datasets.make_circles(n_samples=70), "jade", epsilon=1.0, full=True, task=reporting)
    assert len(reporting.reported) > 5
    assert all(0.0 <= f <= 1.0 + 1e-12 for f in reporting.reported)


# --- co-regularisation --------------------------------------------------------------------------------------------


def co_objective(Ls, own, V, strength):
    """(11) as it is printed."""
    pairs = zip(Ls, own, strict=True)
    return sum(np.trace(U.T @ L @ U) - strength * np.trace(U @ U.T @ V @ V.T) for L, U in pairs)


def alternate(Ls, r, strength, rounds):
    """The alternation of Kumar et al. with dense eigenproblems; returns the V_i, V and (11) after every half round."""
    own = [np.linalg.eigh(L)[1][:, :r] for L in Ls]
    objectives = []
    for _ in range(rounds):
        V = np.linalg.eigh(sum(U @ U.T for U in own))[1][:, -r:]
        objectives.append(co_objective(Ls, own, V, strength))
        own = [np.linalg.eigh(L - strength * V @ V.T)[1][:, :r] for L in Ls]
        objectives.append(co_objective(Ls, own, V, strength))
    return own, V, objectives


@pytest.mark.validates("co-regularized")
@pytest.mark.parametrize(
    ("n_samples", "strength"),
    [(50, 0.05), (50, 0.5), *(pytest.param(260, strength, marks=pytest.mark.nightly) for strength in (0.05, 0.5))],
)
def test_co_regularised_fixed_point(n_samples, strength):
    """V_i = bottom of L_i - λVVᵀ and V = top of ΣV_iV_iᵀ at once; no worse than the plain alternation ends."""
    Xs, epsilon = dense.views(n_samples, 3)
    Ls, r = [naive_laplacian(X) for X in Xs], 3
    e = embed(Xs, "co-regularized", epsilon=epsilon, n_components=r, coregularization=strength)
    assert "no-convergence" not in dict(e.warnings)
    V = e.coordinates
    own = [np.linalg.eigh(L - strength * V @ V.T)[1][:, :r] for L in Ls]
    assert spans_agree(V, np.linalg.eigh(sum(U @ U.T for U in own))[1][:, -r:], 1e-6)
    np.testing.assert_allclose(V.T @ (sum(Ls) / 3) @ V, np.diag(e.eigenvalues), atol=1e-9)
    _, plain, objectives = alternate(Ls, r, strength, 400 if n_samples == 50 else 40)
    assert np.diff(objectives).max() <= 1e-10
    ours = co_objective(Ls, own, V, strength)
    assert ours <= objectives[-1] + 1e-9
    assert n_samples != 50 or spans_agree(V, plain, 1e-3)


@pytest.mark.validates("co-regularized")
def test_co_regularised_objective_never_rises():
    Ls = two_laplacians(300, 3)
    found = co_regularise(Ls, np.array([1.0, 2.0, 0.5]), 4, 0.3, Task())
    assert len(found.objectives) > 5
    assert np.diff(found.objectives).max() <= 1e-12 * abs(found.objectives[-1])
    own = [np.linalg.eigh(L - 0.3 * found.point @ found.point.T)[1][:, :4] for L in Ls]
    expected = sum(
        w * co_objective([L], [U], found.point, 0.3) for w, L, U in zip([1.0, 2.0, 0.5], Ls, own, strict=True)
    )
    assert found.objectives[-1] == pytest.approx(expected, rel=1e-10)


def test_a_step_that_raises_the_objective_is_taken_back():
    asked, objectives = [], iter([3.0, 2.0, 5.0, 1.5, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5])

    def step(X):
        asked.append(X)
        return np.array([[0.5], [0.2]]) * X + 0.01 * X**2, next(objectives)

    found = fixed_point(step, np.ones((2, 1)), Task())
    np.testing.assert_array_equal(asked[3], np.array([[0.5], [0.2]]) * asked[1] + 0.01 * asked[1] ** 2)
    assert found.objectives[:3] == [3.0, 2.0, 1.5]
    assert found.converged
    np.testing.assert_allclose(found.point, 0.0, atol=1e-10)


def test_without_co_regularisation_every_view_keeps_its_own():
    Ls = two_laplacians(80)
    e = embed(dense.views(80, 2)[0], "co-regularized", epsilon=1.0, n_components=3, coregularization=0.0)
    projector = sum(U @ U.T for U in (np.linalg.eigh(L)[1][:, :3] for L in Ls))
    assert spans_agree(e.coordinates, np.linalg.eigh(projector)[1][:, -3:], 1e-9)


# --- linked factors -----------------------------------------------------------------------------------------------


def tang_objective(x, Ss, weights, r, alpha):
    """½ Σ ω |S - UΛUᵀ|² + α|Λ|² and ½ α|U|², from U and all Λ laid out in x."""
    n = len(Ss[0])
    U, links = x[: n * r].reshape(n, r), x[n * r :].reshape(len(Ss), r, r)
    value = alpha * np.square(U).sum()
    for S, w, link in zip(Ss, weights, links, strict=True):
        link = (link + link.T) / 2
        value += w * (np.square(S - U @ link @ U.T).sum() + alpha * np.square(link).sum())
    return value / 2


def packed(factors, U):
    return np.concatenate([U.ravel(), *(link.ravel() for link in factors.links(U)[2])])


@pytest.mark.validates("low-rank")
@pytest.mark.parametrize("alpha", [0.01, 0.1])
def test_linked_factors_against_the_printed_objective(alpha):
    """Value, gradient and stationarity by differences of the naive objective; no worse than BFGS on U and all Λ."""
    Ls, weights, r, rng = two_laplacians(25, k=5), np.array([1.5, 0.5]), 3, np.random.default_rng(0)
    Ss = [np.eye(25) - L for L in Ls]
    factors = LinkedFactors(Ls, weights, alpha)
    constant = 0.5 * sum(w * np.square(S).sum() for w, S in zip(weights, Ss, strict=True))
    U = rng.standard_normal((25, r))
    value, gradient = factors.objective(U)
    assert value + constant == pytest.approx(tang_objective(packed(factors, U), Ss, weights, r, alpha), rel=1e-12)
    direction = rng.standard_normal(U.shape)
    slope = (factors.objective(U + 1e-6 * direction)[0] - factors.objective(U - 1e-6 * direction)[0]) / 2e-6
    assert slope == pytest.approx(float((gradient * direction).sum()), rel=1e-6)
    start = np.linalg.eigh(sum(Ls))[1][:, :r]
    found = factors.solve(start, Task())
    assert found.converged
    x = packed(factors, found.point)
    ours = tang_objective(x, Ss, weights, r, alpha)
    for direction in rng.standard_normal((20, len(x))):
        slope = (tang_objective(x + 1e-4 * direction, Ss, weights, r, alpha)
                 - tang_objective(x - 1e-4 * direction, Ss, weights, r, alpha)) / 2e-4  # fmt: skip
        assert abs(slope) <= 1e-5
    theirs = minimize(tang_objective, packed(factors, start), args=(Ss, weights, r, alpha), method="L-BFGS-B",
                      options={"maxfun": 10**6, "maxiter": 5000}).fun  # fmt: skip
    assert ours <= theirs + 1e-6


@pytest.mark.validates("low-rank")
def test_one_factor_has_a_closed_form():
    """S = s uuᵀ: with x = |U|²Λ the best penalty is ½ α·3·(x/2)^(2/3), so that a scalar minimum is left."""
    u, s, alpha = np.linalg.qr(np.random.default_rng(1).standard_normal((30, 1)))[0], 0.8, 0.05
    found = LinkedFactors([np.eye(30) - s * u @ u.T], np.ones(1), alpha).solve(u, Task())
    scalar = minimize_scalar(lambda x: 0.5 * (s - x) ** 2 + 1.5 * alpha * (x / 2) ** (2 / 3), bounds=(0.3, 1),
                             method="bounded", options={"xatol": 1e-12}).fun  # fmt: skip
    assert found.objectives[-1] + 0.5 * s**2 == pytest.approx(scalar, abs=1e-10)


def test_linked_factors_find_the_space_that_explains_all():
    """Weights UΛ_lUᵀ of rank 3 with a Λ of their own each: at a vanishing penalty U is found, from a rough start."""
    rng = np.random.default_rng(2)
    U = np.linalg.qr(rng.standard_normal((60, 3)))[0]
    links = [A + A.T for A in rng.standard_normal((4, 3, 3))]
    factors = LinkedFactors([np.eye(60) - U @ A @ U.T for A in links], np.ones(4), 1e-6)
    found = factors.solve(U + 0.1 * rng.standard_normal(U.shape), Task())
    assert spans_agree(U, found.point, 1e-6)


@pytest.mark.parametrize("n_samples", [60, 300])
def test_low_rank_spans_the_linked_factors(n_samples):
    Xs, epsilon = dense.views(n_samples, 3)
    Ls = [naive_laplacian(X) for X in Xs]
    e = embed(Xs, "low-rank", epsilon=epsilon, n_components=4)
    V, factors = e.coordinates, LinkedFactors(Ls, np.ones(3), 0.01)
    found = factors.solve(np.linalg.eigh(sum(Ls))[1][:, :4], Task())
    assert np.abs(factors.objective(found.point)[1]).max() <= 1e-9
    assert spans_agree(V, found.point, 1e-7)
    np.testing.assert_allclose(V.T @ (sum(Ls) / 3) @ V, np.diag(e.eigenvalues), atol=1e-9)


def test_factors_that_give_way_to_the_penalty_are_told():
    e = embed(dense.views(60, 2)[0], "low-rank", epsilon=1.0, n_components=12, factor_penalty=0.5)
    alive = np.count_nonzero(np.abs(e.coordinates).max(axis=0))
    assert 0 < alive < 12
    assert f"Only {alive} of 12 factors are stronger than the penalty α" in dict(e.warnings)["factors"]
    assert not e.coordinates[:, alive:].any()
    assert np.all(e.eigenvalues[alive:] == max(1.0, e.eigenvalues[alive - 1]))


# --- bars ---------------------------------------------------------------------------------------------------------
