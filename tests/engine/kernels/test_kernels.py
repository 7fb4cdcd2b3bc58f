"""Every kernel and the density normalisation, entry by entry and against naive dense algebra."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import (
    GAUSSIAN,
    check_precomputed,
    gaussian_affinity,
    kernel_kinds,
    laplacian_affinity,
    parse_kernel,
    parse_kernels,
)
from mvexplorer.engine.kernels.neighbours import cross_graph
from mvexplorer.engine.methods import methods
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from mvexplorer.errors import DataError, ParameterError

RNG = np.random.default_rng(5)
X = RNG.standard_normal((30, 4))
EPSILON = 0.7


def made(text, X=X, epsilon=EPSILON):
    K = kernel_of(Stages(MultiView([X]), (0,), (epsilon,), kernels=[parse_kernel(text)]), 0)
    return K if isinstance(K, np.ndarray) else K.toarray()


def to_neighbour(X, k):
    """Distance to the k-th nearest other sample."""
    return np.array([np.sort([np.linalg.norm(x - y) for y in X])[k] for x in X])


def by_hand(text):
    sigma = np.sqrt(EPSILON)
    near = to_neighbour(X, 7), to_neighbour(X, 3)

    def entry(i, j):
        x, y = X[i], X[j]
        squared = np.sum((x - y) ** 2)
        if text == "laplacian":
            return np.exp(-np.abs(x - y).sum() / sigma)
        if text == "laplacian-l2":
            return np.exp(-np.sqrt(squared) / sigma)
        if text == "correlation":
            return np.exp((np.corrcoef(x, y)[0, 1] - 1) / (2 * EPSILON))
        if text == "self-tuning":
            return np.exp(-squared / (near[0][i] * near[0][j]))
        if text == "knn-3" and np.sqrt(squared) > max(near[1][i], near[1][j]) * (1 + 1e-12):
            return 0.0
        return np.exp(-squared / (2 * EPSILON))

    return np.array([[entry(i, j) for j in range(len(X))] for i in range(len(X))])


@pytest.mark.parametrize("text", ["gaussian", "laplacian", "laplacian-l2", "correlation", "self-tuning", "knn-3"])
def test_kernel_by_hand(text):
    np.testing.assert_allclose(made(text), by_hand(text), rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@pytest.mark.parametrize("affinity", [gaussian_affinity, laplacian_affinity])
@pytest.mark.parametrize("epsilon", [5e-324, 1e-100, 1e-45, 1e45, 1e300])
def test_widths_beyond_the_numbers_of_a_precision(epsilon, affinity, precision):
    """Without a warning: samples alone below them, all of them one above."""
    distances = np.array([[0.0, 4.0], [4.0, 0.0]], dtype=precision)
    out = np.empty_like(distances)
    affinity(epsilon)(distances, slice(None), slice(None), out)
    assert out == pytest.approx(np.eye(2) if epsilon < 1.0 else np.ones((2, 2)))


def test_every_kind_is_tried_by_hand():
    assert [k.id for k in kernel_kinds()] == [
        "gaussian", "laplacian", "laplacian-l2", "correlation", "self-tuning", "knn", "landmarks",
        "precomputed",
    ]  # fmt: skip


def test_the_sparse_kernel_is_sparse_and_symmetric():
    stages = Stages(MultiView([RNG.standard_normal((600, 3))]), (0,), (1.0,), kernels=[parse_kernel("knn-10")])
    K = kernel_of(stages, 0)
    assert 600 * 11 <= K.nnz < 600 * 21
    assert abs(K - K.T).max() == 0.0


def test_new_samples_join_those_near_them_and_those_they_are_near():
    rng = np.random.default_rng(0)
    known, new = np.vstack([rng.normal(size=(20, 2)), 9.0 + 5.0 * rng.normal(size=(20, 2))]), rng.normal(size=(5, 2))
    radius, D = np.sort(dense.squared(known), axis=1)[:, 4], dense.squared(new, known)
    own = np.sort(D, axis=1)[:, 3]
    found = cross_graph(D, radius, 4, Task()).toarray() > 0.0
    np.testing.assert_array_equal(found, (own[:, None] >= D) | (radius >= D))
    assert np.any((own[:, None] < D) & (radius >= D))


@pytest.mark.parametrize(
    "text", [k.id for k in kernel_kinds() if k.positive and k.id not in ("landmarks", "precomputed")]
)
def test_positive_kernels_have_no_eigenvalue_below_zero(text):
    for epsilon in (0.05, 1.0, 50.0):
        assert np.linalg.eigvalsh(made(text, epsilon=epsilon)).min() > -1e-12


def test_indefinite_kernels_are_marked_as_such():
    assert np.linalg.eigvalsh(made("knn-3")).min() < -1e-3
    assert {k.id for k in kernel_kinds() if not k.positive} == {"self-tuning", "knn"}


ON_KERNELS = [m for m in methods() if m.requires == "kernels" and not m.shows_given]


@pytest.mark.parametrize("text", ["laplacian", "laplacian-l2", "correlation", "self-tuning-5", "knn-8"])
@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "multiview", "alternating", "kernel-cca"])
def test_any_kernel_in_any_method(text, method):
    """The same as handing the method that kernel as a precomputed one, and exact on the samples themselves."""
    n_views = 1 if method == "single" else 2
    Xs = [RNG.standard_normal((50, 4)) + np.linspace(0, 2, 50)[:, None] for _ in range(n_views)]
    epsilon = (2.0, 3.0)[:n_views]
    e = embed(Xs, method, epsilon=epsilon, kernel=text, n_components=4)
    assert np.isfinite(e.coordinates).all()
    if any(code == "complex" for code, _ in e.warnings):
        return
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-7 * np.abs(e.coordinates).max())
    tables = [made(text, X, eps) for X, eps in zip(Xs, epsilon, strict=True)]
    if all(np.linalg.eigvalsh(K).min() > 0 for K in tables):
        given = embed(tables, method, kernel="precomputed", n_components=4)
        np.testing.assert_allclose(given.coordinates, e.coordinates, rtol=0, atol=1e-7 * np.abs(e.coordinates).max())


def test_views_may_have_kernels_of_their_own():
    Xs, epsilon = dense.views(40, 3)
    e = embed(Xs, "kernel-sum", epsilon=epsilon, kernel="view1:laplacian-l2,view3:self-tuning-4")
    K = [
        made("laplacian-l2", Xs[0], epsilon[0]),
        dense.gaussian(Xs[1], epsilon[1]),
        made("self-tuning-4", Xs[2], 1.0),
    ]
    np.testing.assert_allclose(e.eigenvalues, dense.fused(sum(K)).values[0][:3], atol=1e-9)
    same = embed(Xs, "kernel-sum", epsilon=epsilon, kernel=("laplacian-l2", "gaussian", "self-tuning-4"))
    np.testing.assert_array_equal(same.coordinates, e.coordinates)


def test_rules_count_in_the_kernels_own_distance():
    distances = np.array([[np.abs(x - y).sum() for y in X] for x in X])
    above = distances[np.triu_indices(30, 1)] ** 2
    assert select_epsilon([X], "median", kernel="laplacian")[0] == pytest.approx(np.median(above))
    nearest = np.where(distances > 0, distances, np.inf).min(axis=1).max() ** 2
    assert select_epsilon([X], "max-min", kernel="laplacian")[0] == pytest.approx(nearest)
    correlation = 1 - np.corrcoef(X)
    assert select_epsilon([X], "std", kernel="correlation")[0] == pytest.approx(0.5 * correlation.mean())


# --- density normalisation --------------------------------------------------------------------------------------


def normalised(K, alpha):
    q = K.sum(axis=1)
    return K / np.outer(q, q) ** alpha


@pytest.mark.parametrize("n_samples", [60, 300])
@pytest.mark.parametrize("alpha", [0.5, 1.0])
@pytest.mark.parametrize(
    ("method", "n_views", "eta"),
    [("single", 1, 0), ("kernel-sum", 2, 0), ("multiview", 2, 0), ("multiview", 3, 0), ("multiview", 2, 0.3)],
)
def test_density_normalisation(method, n_views, eta, alpha, n_samples):
    """K / (q qᵗ)^α of the kernel whose walk is taken; for multi-view the whole block matrix."""
    Xs, epsilon = dense.views(n_samples, n_views)
    kernels = [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    K = dense.multiview_kernel(kernels, eta) if method == "multiview" else sum(kernels)
    values, psi = dense.walk(normalised(K, alpha))
    params = {"eta": eta} if method == "multiview" else {}
    e = embed(Xs, method, epsilon=epsilon, alpha=alpha, n_components=3, **params)
    np.testing.assert_allclose(e.eigenvalues, values[:4], atol=1e-8)
    ours = np.vstack(e.view_coordinates) if method == "multiview" else e.coordinates
    theirs = psi[:, 1:4] * values[1:4]
    np.testing.assert_allclose(np.abs(np.sum(ours * theirs, axis=0)), np.sum(theirs**2, axis=0), rtol=1e-6)
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-7 * np.abs(e.coordinates).max())


def test_density_normalisation_forgets_how_densely_a_curve_is_sampled():
    """A half circle sampled unevenly: with α = 1 the first coordinate is that of even sampling, cos of the angle."""
    angle = np.pi * np.sort(np.random.default_rng(0).beta(1, 2.5, 800))
    half = np.column_stack([np.cos(angle), np.sin(angle)])
    found = {a: embed([half], "single", epsilon=0.01, alpha=a, n_components=1).coordinates[:, 0] for a in (0.0, 1.0)}
    fit = {a: abs(np.corrcoef(np.cos(angle), psi)[0, 1]) for a, psi in found.items()}
    assert fit[1.0] > 0.995 > fit[0.0]


# --- alternating diffusion --------------------------------------------------------------------------------------


@pytest.mark.validates("alternating")
@pytest.mark.parametrize("n_samples", [80, 400])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_alternating_diffusion(alpha, n_samples):
    Xs, epsilon = dense.views(n_samples, 2)
    K = [normalised(dense.gaussian(X, e), alpha) for X, e in zip(Xs, epsilon, strict=True)]
    P = [k / k.sum(axis=1, keepdims=True) for k in K]
    values = np.linalg.eigvals(P[0] @ P[1])
    expected = np.sort(np.abs(values))[::-1][:5]
    e = embed(Xs, "alternating", epsilon=epsilon, alpha=alpha, n_components=4, t=2)
    np.testing.assert_allclose(np.abs(e.eigenvalues), expected, atol=1e-9)
    psi = e.coordinates / e.eigenvalues[1:] ** 2
    np.testing.assert_allclose(P[0] @ (P[1] @ psi), psi * e.eigenvalues[1:], atol=1e-7)
    np.testing.assert_allclose(np.mean(psi**2, axis=0), 1.0, rtol=1e-9)


@pytest.mark.validates("alternating")
def test_alternating_diffusion_averages_away_what_only_one_view_knows():
    """A common angle and one of each view's own: the picture is a ring in the common one."""
    rng = np.random.default_rng(3)
    common, own, other = 2 * np.pi * rng.random((3, 1200))
    ring = lambda a: np.column_stack([np.cos(a), np.sin(a)])  # noqa: E731
    Xs = [np.hstack([ring(common), 1.6 * ring(own)]), np.hstack([ring(common), 1.6 * ring(other)])]
    e = embed(Xs, "alternating", epsilon=0.3, n_components=2, t=0)
    inside = ring(common)
    explained = np.linalg.lstsq(inside, e.coordinates, rcond=None)[0]
    assert np.mean((e.coordinates - inside @ explained) ** 2) < 0.1 * np.mean(e.coordinates**2)
    alone = embed(Xs[:1], "single", epsilon=0.3, n_components=2, t=0).coordinates
    left = alone - inside @ np.linalg.lstsq(inside, alone, rcond=None)[0]
    assert np.mean(left**2) > 0.9 * np.mean(alone**2)


def test_complex_eigenvalues_come_as_real_pairs():
    """Kernels of three clusters that a walk passes round in a ring: not symmetric at all."""
    ring = np.roll(np.eye(6), 1, axis=1)
    a = np.eye(6) + 0.9 * (ring + ring.T) / 2
    D = np.diag([1.0, 9.0, 1.0, 4.0, 1.0, 16.0])
    K = [D @ a @ D, np.roll(np.roll(D, 1, 0), 1, 1) @ a @ np.roll(np.roll(D, 1, 0), 1, 1)]
    P = [k / k.sum(axis=1, keepdims=True) for k in K]
    values = np.linalg.eigvals(P[0] @ P[1])
    e = embed(K, "alternating", kernel="precomputed", n_components=4, t=0)
    np.testing.assert_allclose(np.abs(e.eigenvalues), np.sort(np.abs(values))[::-1][:5], atol=1e-9)
    assert ("complex" in dict(e.warnings)) == bool(np.any(np.abs(values.imag) > 1e-9))


# --- kernel CCA ---------------------------------------------------------------------------------------------------


def generalised(first, second, gamma):
    """All correlations of (8) and the vectors (2M, 2M), through numpy's general eigensolver."""
    M = len(first)
    zero, eye = np.zeros((M, M)), np.eye(M)
    A = np.block([[zero, first @ second], [second @ first, zero]])
    R = [(K + gamma * eye) @ (K + gamma * eye) for K in (first, second)]
    values, vectors = np.linalg.eig(np.linalg.solve(np.block([[R[0], zero], [zero, R[1]]]), A))
    order = np.argsort(-values.real)
    return values.real[order], vectors.real[:, order]


@pytest.mark.validates("kernel-cca")
@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_kernel_cca_solves_its_eigenproblem(gamma, centred):
    Xs, epsilon = dense.views(60, 2)
    kernels = [dense.gaussian(X, 4 * e) for X, e in zip(Xs, epsilon, strict=True)]
    H = np.eye(60) - 1 / 60
    if centred:
        kernels = [H @ K @ H for K in kernels]
    values, v = generalised(*kernels, gamma)
    e = embed(Xs, "kernel-cca", epsilon=[4 * x for x in epsilon], gamma=gamma, centred=centred, n_components=3)
    np.testing.assert_allclose(e.eigenvalues, values[:3], rtol=1e-6)
    for k in range(3):
        for K, block, Y in zip(kernels, np.split(v[:, k], 2), e.view_coordinates, strict=True):
            theirs = K @ block
            assert abs(np.corrcoef(theirs, Y[:, k])[0, 1]) > 1 - 1e-6
    np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-6 * np.abs(e.coordinates).max())


@pytest.mark.validates("kernel-cca")
def test_kernel_cca_of_a_view_with_itself_is_kernel_pca():
    """T² has the eigenvectors of the centred kernel, and ρ = (λ / (λ + γ))²; against scikit-learn's kernel PCA."""
    from sklearn.decomposition import KernelPCA

    X = RNG.standard_normal((80, 3))
    pca = KernelPCA(3, kernel="rbf", gamma=1 / (2 * 1.5)).fit(X)
    e = embed([X, X], "kernel-cca", epsilon=1.5, gamma=0.3, centred=True, n_components=3)
    expected = (pca.eigenvalues_ / (pca.eigenvalues_ + 0.3)) ** 2
    np.testing.assert_allclose(e.eigenvalues, expected, rtol=1e-9)
    for k in range(3):
        assert abs(np.corrcoef(pca.fit_transform(X)[:, k], e.view_coordinates[0][:, k])[0, 1]) > 1 - 1e-9


@pytest.mark.validates("kernel-cca")
def test_kernel_cca_of_linear_kernels_is_cca():
    """With K = X Xᵗ and γ -> 0 the correlations are the canonical correlations: QR of both views."""
    rng = np.random.default_rng(8)
    z = rng.standard_normal((100, 1))
    Xs = [np.hstack([z + rng.standard_normal((100, 1)), rng.standard_normal((100, 2))]) for _ in range(2)]
    Xs = [A - A.mean(axis=0) for A in Xs]
    expected = np.linalg.svd(np.linalg.qr(Xs[0])[0].T @ np.linalg.qr(Xs[1])[0])[1]
    # X Xᵗ holds numbers below 0, which no affinity may: one more direction, the constant, makes it one.
    tables = [A @ A.T + 60.0 for A in Xs]
    e = embed(tables, "kernel-cca", kernel="precomputed", gamma=1e-7, centred=True, n_components=3)
    np.testing.assert_allclose(e.eigenvalues, expected, rtol=1e-5)


@pytest.mark.parametrize("centred", [False, True])
def test_cholesky_factors_stand_for_the_kernels(centred):
    Xs, epsilon = dense.views(120, 2)
    epsilon = [30 * x for x in epsilon]
    full = embed(Xs, "kernel-cca", epsilon=epsilon, centred=centred, n_components=3)
    short = embed(Xs, "kernel-cca", epsilon=epsilon, centred=centred, n_components=3, cholesky_rank=100)
    np.testing.assert_allclose(short.eigenvalues, full.eigenvalues, rtol=1e-4)
    rough = embed(Xs, "kernel-cca", epsilon=epsilon, centred=centred, n_components=3, cholesky_rank=4)
    assert np.abs(rough.eigenvalues - full.eigenvalues).max() > 1e-3
    for e in (short, rough):
        np.testing.assert_allclose(e.transform(Xs), e.coordinates, rtol=0, atol=1e-6 * np.abs(e.coordinates).max())


def test_kernel_cca_places_new_samples_where_they_would_have_been():
    Xs, epsilon = dense.views(300, 2)
    epsilon = [10 * x for x in epsilon]
    whole = embed(Xs, "kernel-cca", epsilon=epsilon, gamma=1.0, n_components=2)
    part = embed([X[:280] for X in Xs], "kernel-cca", epsilon=epsilon, gamma=1.0, n_components=2)
    placed = part.transform([X[280:] for X in Xs])
    for ours, theirs in zip(placed.T, whole.coordinates[280:].T, strict=True):
        assert abs(np.corrcoef(ours, theirs)[0, 1]) > 0.98


def test_what_is_doubtful_about_kernel_cca():
    Xs, _ = dense.views(60, 2)
    assert "overfitting" in dict(embed(Xs, "kernel-cca", epsilon=1e-3, gamma=1e-6).warnings)
    assert "clipped" in dict(embed(Xs, "kernel-cca", epsilon="median", kernel="knn-5").warnings)
    assert embed(Xs, "kernel-cca", epsilon="median", gamma=1.0).warnings == ()
    # Indefinite kernels would give correlations above 1.
    assert embed(Xs, "kernel-cca", epsilon="median", kernel="knn-5", gamma=1e-3).eigenvalues.max() <= 1.0


def test_a_rank_above_the_number_of_samples_is_refused():
    Xs, _ = dense.views(20, 2)
    with pytest.raises(ParameterError, match=r"A Cholesky rank of 21 is too large for 20 samples. Give at most 20"):
        embed(Xs, "kernel-cca", cholesky_rank=21)


# --- wrong use ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nonsense", r"There is no kernel “nonsense”. Kernels: gaussian, laplacian"),
        ("gaussian-3", r"There is no kernel “gaussian-3”"),
        ("knn-0", r"The kernel knn cannot have “0” neighbours. Give a whole number from 1"),
        ("knn-x", r"cannot have “x” neighbours"),
        ("landmarks-1", r"The kernel landmarks cannot have “1” landmarks. Give a whole number from 2 to 4000"),
        ("landmarks-4001", r"cannot have “4001” landmarks"),
        ("self-tuning-1.5", r"cannot have “1.5” neighbours"),
        ("view9:knn", r"A kernel is given for view “view9”. The views are view1, view2"),
        (["knn"] * 3, r"There are 3 kernels for 2 views. Give one for each of view1, view2"),
    ],
)
def test_kernels_that_cannot_be_read(given, message):
    with pytest.raises(ParameterError, match=message):
        embed(dense.views(20, 2)[0], "kernel-sum", kernel=given)


def test_texts_of_kernels():
    assert parse_kernels("knn-5", ["a", "b"]) == (parse_kernel("knn-5"),) * 2
    assert parse_kernels({"b": "laplacian"}, ["a", "b"]) == (GAUSSIAN, parse_kernel("laplacian"))
    for kind in kernel_kinds():
        assert parse_kernel(parse_kernel(kind.id).text) == parse_kernel(kind.id)
    assert parse_kernel("self-tuning").neighbours == 7
    assert parse_kernel("knn-12").text == "knn-12"


@pytest.mark.parametrize("text", ["knn-20", "self-tuning-25"])
def test_more_neighbours_than_samples(text):
    message = r"asks for 2[05] neighbours among 20 samples. Give at most 19"
    with pytest.raises(ParameterError, match=message):
        embed(dense.views(20, 2)[0], "kernel-sum", kernel=text, epsilon=1.0)


GOOD = np.array([[1.0, 0.5, 0.2], [0.5, 1.0, 0.4], [0.2, 0.4, 1.0]])


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((3, 2)), r"has shape \(3, 2\) and is no table of affinities between all samples. A precomputed"),
        (GOOD + np.triu(np.ones((3, 3)), 1), r"is no kernel: it is not symmetric. Give \(K \+ Kᵗ\) / 2"),
        (GOOD - 0.3, r"is no affinity: it holds numbers below 0. Give similarities"),
        (np.diag([1.0, 1.0, 0.0]), r"is all 0 for 1 sample. Every sample needs an affinity"),
        (GOOD + 0.9 * (1 - np.eye(3)), r"is no kernel: it has eigenvalues below 0. Add the modulus"),
    ],
)
def test_tables_that_are_no_kernels(K, message):
    with pytest.raises(DataError, match=r"The view “view1” " + message):
        embed([K], "single", kernel="precomputed", n_components=1)


def test_a_table_with_rounding_is_a_kernel():
    check_precomputed(GOOD + 1e-12 * np.triu(np.ones((3, 3)), 1), "x")
    check_precomputed(np.ones((3, 3)), "x")  # of rank one


@pytest.mark.parametrize("method", [m.id for m in methods() if m.requires == "features"])
def test_methods_that_need_features_refuse_a_table_of_affinities(method):
    tables = [GOOD] * 3
    with pytest.raises(ParameterError, match=r"needs features, and view “view1” is a table of affinities. Leave that"):
        embed(tables, method, kernel="precomputed", n_components=1)


def test_correlations_need_features_that_vary():
    with pytest.raises(DataError, match=r"A view with one feature has no correlations between samples. Choose another"):
        embed([np.arange(5.0)[:, None]], "single", kernel="correlation", epsilon=1.0)
    flat = np.vstack([np.ones(4), RNG.standard_normal((5, 4))])
    with pytest.raises(DataError, match=r"One sample has the same value in every feature of the view"):
        embed([flat], "single", kernel="correlation", epsilon=1.0)


def test_numbers_too_large_for_city_blocks():
    with pytest.raises(DataError, match=r"The numbers are too large to be squared"):
        embed([1e200 * X], "single", kernel="laplacian", epsilon=1.0)
