"""Identities of multi-view diffusion maps, to 1e-8 relative; numbers in brackets are the paper's equations."""

import dense
import numpy as np
import pytest
from geometry import cross_view_distance, inner_view_distances, multi_view_distances

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.preparing import EmbedOptions, prepare
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline.solve import decompose
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.errors import DataError, ParameterError

EXACT = 1e-8
FUSED = ["single", "concatenation", "kernel-sum", "kernel-product"]


def assert_close(ours, theirs, tolerance=EXACT):
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance * np.abs(theirs).max())


def all_pairs(Xs, epsilon, method, eta=None):
    """Every eigenpair the engine's operator has: (λ (n,), ψ blocks (M, n)), the trivial one first."""
    chosen = get_method(method)
    params = {"joint_epsilon": None, "n_components": (len(Xs) if chosen.per_view else 1) * len(Xs[0]) - 1}
    two_views = method == "multiview" and len(Xs) == 2 and eta == 0.0
    if two_views:
        params["n_components"] = len(Xs[0]) - 1
    if eta is not None:
        params["eta"] = eta
    d = chosen.solve(Stages(MultiView(Xs), range(len(Xs)), epsilon, params))
    values, blocks = d.eigenvalues, d.blocks
    if two_views:  # the spectrum is ±Σ with vectors (u, v) and (u, -v)
        values = np.concatenate([values, -values])
        blocks = (np.hstack([blocks[0], blocks[0]]), np.hstack([blocks[1], -blocks[1]]))
    return values, blocks


def weighted_distances(P, weights, t):
    """(16)-(17): distances between rows of P^t, weighted by 1 / φ̃_0."""
    rows = np.linalg.matrix_power(P, t)
    return np.array([[(((a - b) ** 2) / weights).sum() for b in rows] for a in rows])


@pytest.mark.validates("concatenation", "kernel-product")
@pytest.mark.parametrize("n_samples", [60, 300])
@pytest.mark.parametrize("n_views", [2, 3])
def test_hadamard_is_concatenation_at_the_same_epsilon(n_samples, n_views):
    rng = np.random.default_rng(0)
    Xs = [rng.standard_normal((n_samples, 2 + k)) for k in range(n_views)]
    product = embed(Xs, "kernel-product", epsilon=2.0, n_components=4)
    joint = embed(Xs, "concatenation", epsilon=2.0, joint_epsilon=2.0, n_components=4)
    assert_close(product.eigenvalues, joint.eigenvalues)
    assert_close(product.coordinates, joint.coordinates)
    other = embed(Xs, "concatenation", epsilon=2.0, n_components=4)  # default ε∘ = Σ ε_l: another graph
    assert np.abs(other.eigenvalues - product.eigenvalues).max() > 0.01


@pytest.mark.validates("single")
@pytest.mark.parametrize("t", [1, 2, 3])
@pytest.mark.parametrize("method", FUSED)
def test_diffusion_distance_is_the_weighted_distance_of_rows(method, t):
    """(3), over all M - 1 pairs."""
    Xs, epsilon = dense.views(40, 1 if method == "single" else 2)
    values, (psi,) = all_pairs(Xs, epsilon, method)
    kernels = [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    K = {
        "single": lambda: kernels[0],
        "kernel-sum": lambda: kernels[0] + kernels[1],
        "kernel-product": lambda: kernels[0] * kernels[1],
        "concatenation": lambda: dense.gaussian(np.hstack(Xs), sum(epsilon)),
    }[method]()
    d = K.sum(axis=1)
    expected = weighted_distances(K / d[:, None], d / d.sum(), t)
    assert_close(inner_view_distances(psi[:, 1:] * values[1:] ** t), expected)


@pytest.mark.validates("multiview")
@pytest.mark.parametrize("t", [1, 2])
@pytest.mark.parametrize(("n_views", "eta"), [(2, 0.0), (2, 0.3), (3, 0.0), (3, 0.3)])
def test_inner_view_distances(n_views, eta, t):
    """(16)-(17) = (18) over all LM - 1 pairs, and (22) is their sum."""
    n_samples = 30
    Xs, epsilon = dense.views(n_samples, n_views)
    values, blocks = all_pairs(Xs, epsilon, "multiview", eta)
    assert len(values) == n_views * n_samples
    K = dense.multiview_kernel([dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)], eta)
    d = K.sum(axis=1)
    expected = weighted_distances(K / d[:, None], d / d.sum(), t)
    order = np.argsort(-values, kind="stable")[1:]
    coordinates = tuple(psi[:, order] * values[order] ** t for psi in blocks)
    within = [expected[i : i + n_samples, i : i + n_samples] for i in range(0, len(d), n_samples)]
    for c, w in zip(coordinates, within, strict=True):
        assert_close(inner_view_distances(c), w)
    assert_close(multi_view_distances(coordinates), sum(within))
    e = embed(Xs, "multiview", epsilon=epsilon, eta=eta, t=t, n_components=3)
    assert_close(e.eigenvalues, values[np.concatenate([[0], order])][:4])
    for ours, c in zip(e.view_coordinates, coordinates, strict=True):
        assert_close(np.abs(ours), np.abs(c[:, :3]))


@pytest.mark.validates("multiview")
@pytest.mark.parametrize("n_samples", [50, 300])
def test_theorem_4(n_samples):
    """A rigidly moved copy: both views get the same coordinates, and the cross-view distance (30) is 0."""
    Xs, epsilon = dense.views(n_samples, 3)
    X, width = Xs[2], epsilon[2]
    rotation = np.linalg.qr(np.random.default_rng(3).standard_normal((X.shape[1], X.shape[1])))[0]
    e = embed([X, X @ rotation.T + 3.0], "multiview", epsilon=width, n_components=4)
    first, second = e.view_coordinates
    assert_close(first, second)
    assert cross_view_distance(first, second) <= EXACT**2 * np.square(first).sum()
    other = embed(Xs[:2], "multiview", epsilon=epsilon[:2], n_components=4)
    assert cross_view_distance(*other.view_coordinates) > 1.0  # noise of its own in every view


def test_the_graph_of_de_sa_and_the_multiview_walk_are_solved_once():
    """Side by side they cost as much as one; at another η or density each is solved by itself."""
    data = MultiView([np.random.default_rng(i).normal(size=(60, 3)) for i in range(2)])
    memo = remember_once()

    def products(method, **params):
        task = Task()
        embed(data, method, epsilon=2.0, n_components=5, task=task, memo=memo, **params)
        return task.products

    assert products("de-sa") > 0
    assert products("multiview") == 0
    assert products("multiview", eta=0.1) > 0
    assert products("multiview", alpha=0.5) > 0


@pytest.mark.validates("de-sa")
def test_de_sa_is_the_symmetric_multiview_matrix():
    Xs, epsilon = dense.views(50, 2)
    first, second = (dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True))
    K = dense.multiview_kernel([first, second])
    d = K.sum(axis=1)
    assert_close(dense.de_sa_matrix(first, second), K / np.sqrt(np.outer(d, d)))
    a, b = (embed(Xs, m, epsilon=epsilon, n_components=5) for m in ("de-sa", "multiview"))
    assert_close(a.eigenvalues, b.eigenvalues)
    # de Sa's rows are ψ's, the trivial 1 included, scaled to length 1.
    psi = embed(Xs, "multiview", epsilon=epsilon, n_components=4, t=0).view_coordinates
    for ours, block in zip(a.view_coordinates, psi, strict=True):
        rows = np.column_stack([np.ones(50), block])
        assert_close(ours, rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert_close(np.linalg.norm(np.vstack(a.view_coordinates), axis=1), np.ones(100))


@pytest.mark.validates("single", "concatenation", "kernel-sum")
@pytest.mark.parametrize("n_samples", [60, 400])
@pytest.mark.parametrize("method", FUSED)
def test_nystrom_on_training_points(method, n_samples):
    Xs, epsilon = dense.views(n_samples, 1 if method == "single" else 3)
    for t in (0, 1, 3):
        e = embed(Xs, method, epsilon=epsilon, n_components=4, t=t)
        for ours, theirs in zip(e.transform(Xs).T, e.coordinates.T, strict=True):
            assert_close(ours, theirs)


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("n_samples", "n_views"), [(60, 2), (60, 3), (400, 2), (300, 3)])
def test_multiview_nystrom_on_training_points(n_samples, n_views, eta):
    Xs, epsilon = dense.views(n_samples, n_views)
    for t in (0, 1, 3):
        e = embed(Xs, "multiview", epsilon=epsilon, n_components=3, eta=eta, t=t)
        for ours, theirs in zip(e.transform(Xs).T, e.coordinates.T, strict=True):
            assert_close(ours, theirs)


@pytest.mark.parametrize("eta", [0.0, 0.3])
@pytest.mark.parametrize("n_views", [2, 3])
def test_nystrom_at_new_points(n_views, eta):
    """The new point's own row sum normalises, with the same weights as the numerator."""
    Xs, epsilon = dense.views(90, n_views)
    known, new = [X[:60] for X in Xs], [X[60:] for X in Xs]
    e = embed(known, "multiview", epsilon=epsilon, n_components=3, eta=eta, t=2)
    psi = embed(known, "multiview", epsilon=epsilon, n_components=3, eta=eta, t=0).view_coordinates
    values = e.eigenvalues[1:]
    expected = dense.nystrom_multiview(known, epsilon, eta, new, [values] * n_views, psi)
    assert_close(e.transform(new), np.hstack([p * values**2 for p in expected]))


def test_transform_uses_the_preprocessing_of_the_known_samples():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3)) * [1, 10, 100] + 5
    data = MultiView([X[:40]], preprocess="zscore")
    e = embed(data, "single", epsilon=2.0)
    mean, scale = X[:40].mean(axis=0), X[:40].std(axis=0)
    expected = embed([(X[:40] - mean) / scale], "single", epsilon=2.0).transform([(X[40:] - mean) / scale])
    assert_close(e.transform([X[40:]]), expected)


def decomposition(Xs, method, epsilon, **params):
    data, chosen = MultiView(Xs), get_method(method)
    planned = plan(chosen, data, None, "gaussian", epsilon, params)
    return decompose(chosen, prepare(planned, data, EmbedOptions(Task())))


@pytest.mark.parametrize("n_samples", [50, 300])
@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("n_views", [2, 3])
def test_psi_is_scaled_to_a_trivial_one(n_views, eta, n_samples):
    """ψ_0 = 1 exactly and ψ^T D ψ = Tr D: columns of equal weight in the stationary distribution."""
    Xs, epsilon = dense.views(n_samples, n_views)
    d = decomposition(Xs, "multiview", epsilon, eta=eta, n_components=3)
    assert all(np.array_equal(psi[:, 0], np.ones(n_samples)) for psi in d.blocks)
    kernels = [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]
    if eta == 1.0:
        for K, psi in zip(kernels, d.blocks, strict=True):
            row_sums = K @ K.sum(axis=1)
            assert_close(psi.T @ (row_sums[:, None] * psi) / row_sums.sum(), np.eye(4))
    else:
        row_sums = dense.multiview_kernel(kernels, eta).sum(axis=1)
        psi = np.vstack(d.blocks)
        assert_close(psi.T @ (row_sums[:, None] * psi) / row_sums.sum(), np.eye(4), 2e-8)


@pytest.mark.parametrize("method", [*FUSED, "multiview"])
def test_signs_are_deterministic(method):
    """The entry of largest modulus of every ψ_k is positive; of the stacked vector where views share one."""
    Xs, epsilon = dense.views(80, 1 if method == "single" else 3)
    e = embed(Xs, method, epsilon=epsilon, n_components=5, t=0)
    psi = np.vstack(e.view_coordinates) if e.view_coordinates else e.coordinates
    assert np.all(psi[np.argmax(np.abs(psi), axis=0), np.arange(5)] > 0)


def test_diffusion_time_only_scales():
    Xs, epsilon = dense.views(60, 3)
    zero = embed(Xs, "multiview", epsilon=epsilon, n_components=4, t=0)
    for t in (1, 2, 7):
        e = embed(Xs, "multiview", epsilon=epsilon, n_components=4, t=t)
        for ours, psi in zip(e.view_coordinates, zero.view_coordinates, strict=True):
            assert_close(ours, psi * e.eigenvalues[1:] ** t)


@pytest.mark.parametrize("t", [0, 1, 2, 5])
@pytest.mark.parametrize("delta", [0.0, 0.05, 0.3, 0.6, 0.95])
@pytest.mark.parametrize("method", ["single", "multiview"])
def test_truncation(method, delta, t):
    """(4): r(δ, t) = max{l : |λ_l|^t > δ |λ_1|^t}; δ = 0 keeps all r."""
    Xs, epsilon = dense.views(60, 1 if method == "single" else 2)
    full = embed(Xs, method, epsilon=epsilon, n_components=8, t=t)
    cut = embed(Xs, method, epsilon=epsilon, n_components=8, t=t, delta=delta)
    values = np.abs(full.eigenvalues)
    r = max(k for k in range(1, 9) if values[k] ** t > delta * values[1] ** t)
    blocks = [e.view_coordinates or (e.coordinates,) for e in (cut, full)]
    for ours, whole in zip(*blocks, strict=True):
        assert ours.shape == (60, r)
        assert_close(ours, whole[:, :r])
    assert cut.transform(Xs).shape == cut.coordinates.shape


def test_eta_one_decouples():
    Xs, epsilon = dense.views(50, 2)
    e = embed(Xs, "multiview", epsilon=epsilon, eta=1.0, n_components=3)
    assert np.sum(e.eigenvalues > 1 - 1e-12) == 2  # the trivial one of each view
    assert "decoupled" in dict(e.warnings)
    assert "disconnected" not in dict(e.warnings)
    assert e.info["within_view_probability"] == 1.0


def test_spectrum_of_two_views_is_plus_and_minus_sigma():
    """Theorem 3: λ = ±σ of the normalised K^1 K^2; the engine's are the positive half, signed and descending."""
    Xs, epsilon = dense.views(40, 2)
    reference = dense.multiview(Xs, epsilon).values[0]
    assert_close(reference, -reference[::-1])
    e = embed(Xs, "multiview", epsilon=epsilon, n_components=20)
    assert np.all(np.diff(e.eigenvalues) <= 0)
    assert np.all(e.eigenvalues >= 0)
    np.testing.assert_allclose(e.eigenvalues, reference[:21], rtol=0, atol=EXACT)


def test_coordinates_below_rounding_are_marked():
    """A constant view leaves one non-zero singular value: the rest is rounding, and the result says so."""
    Xs = [np.ones((40, 2)), np.random.default_rng(0).standard_normal((40, 2))]
    e = embed(Xs, "multiview", epsilon=1.0, n_components=3)
    assert np.isfinite(e.coordinates).all()
    np.testing.assert_allclose(e.eigenvalues, [1, 0, 0, 0], atol=1e-7)
    assert "unresolved" in dict(e.warnings)


def test_de_sa_places_known_samples_where_they_are():
    Xs, epsilon = dense.views(40, 2)
    e = embed(Xs, "de-sa", epsilon=epsilon, n_components=3)
    np.testing.assert_allclose(e.transform([X[5:20] for X in Xs]), e.coordinates[5:20], atol=1e-9)


class TestTransformErrors:
    @pytest.fixture
    def fitted(self):
        Xs, epsilon = dense.views(40, 2)
        return Xs, embed(MultiView(Xs, view_names=["a", "b"]), "multiview", epsilon=epsilon)

    def test_no_extension(self, fitted):
        Xs, _ = fitted
        with pytest.raises(ParameterError, match="Local CCA cannot place new samples"):
            embed(Xs, "local-cca").transform(Xs)

    def test_number_of_views(self, fitted):
        Xs, e = fitted
        with pytest.raises(DataError, match=r"1 view is given. Give 2, in the order a, b"):
            e.transform(Xs[:1])

    def test_number_of_columns(self, fitted):
        Xs, e = fitted
        with pytest.raises(DataError, match=r"“b” have shape .* with 3 columns"):
            e.transform([Xs[0], Xs[1][:, :1]])

    def test_missing_values(self, fitted):
        Xs, e = fitted
        with pytest.raises(DataError, match="missing values"):
            e.transform([np.where(Xs[0] > 0, np.nan, Xs[0]), Xs[1]])

    def test_far_away(self, fitted):
        Xs, e = fitted
        far = [X[:3] + 1e6 for X in Xs]
        with pytest.raises(DataError, match="3 new samples are too far"):
            e.transform(far)
        one = [np.vstack([X[:3], X[:1] + 1e6]) for X in Xs]
        with pytest.raises(DataError, match="1 new sample is too far"):
            e.transform(one)

    def test_missing_view_of_a_mapping(self, fitted):
        Xs, e = fitted
        with pytest.raises(DataError, match="lack view b"):
            e.transform({"a": Xs[0]})

    def test_forms(self, fitted):
        Xs, e = fitted
        expected = e.transform(Xs)
        np.testing.assert_array_equal(e.transform({"b": Xs[1], "a": Xs[0]}), expected)
        np.testing.assert_array_equal(e.transform(MultiView(Xs[::-1], view_names=["b", "a"])), expected)
        np.testing.assert_array_equal(e.transform([X.tolist() for X in Xs]), expected)


@pytest.mark.parametrize(("n_views", "eta"), [(2, 0.7), (2, 0.9), (3, 0.6), (3, 0.9)])
def test_with_eta_coordinates_come_first_that_tell_the_views_apart(n_views, eta):
    """On kernels with equal row sums the eigenvalue is (L p - 1) / (L - 1), L - 1 times, with p = η."""
    angle = np.linspace(0.0, 2.0 * np.pi, 60, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    found = embed([ring] * n_views, "multiview", epsilon=2.0, eta=eta)
    expected = (n_views * eta - 1.0) / (n_views - 1.0)
    np.testing.assert_allclose(found.eigenvalues[1:n_views], expected, atol=1e-9)
    notice = dict(found.warnings)["views-apart"]
    assert notice.level == "info"
    names = "ψ₁" if n_views == 2 else "ψ₁ and ψ₂"
    assert notice.startswith(f"{names} (λ ")
    assert f"a step stays in its view with probability {eta}" in notice
    small = embed([ring] * n_views, "multiview", epsilon=0.05, eta=0.2)
    assert "views-apart" not in dict(small.warnings)
