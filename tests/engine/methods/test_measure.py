"""The measure-based kernel and the diffusion representation as methods, held to naive dense versions of the paper."""

import dense
import numpy as np
import pytest
from scipy.stats import multivariate_normal

import mvexplorer.engine.methods  # the others first, so that they keep their order
import mvexplorer.engine.methods.representation  # noqa: F401 - registers both methods of the family
from mvexplorer.datasets.catalogue import open_sample
from mvexplorer.datasets.clusters import make_two_squares
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.methods.measure import ball_of, mixture_of
from mvexplorer.engine.methods.shared import mgc
from mvexplorer.engine.methods.shared.mixture import Mixture
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.errors import DataError, ParameterError

KERNEL, CLOSED = "mgc", "diffusion-representation"
BY_MIXTURE = {"density": "mixture"}
BY_MDS = {"drawn_by": "mds"}
VARIANTS = [
    (KERNEL, {}), (KERNEL, BY_MIXTURE), (KERNEL, BY_MIXTURE | {"tied": True, "alpha": 1.0}),
    (CLOSED, {}), (CLOSED, BY_MDS), (CLOSED, {"order": 14, "mixture_components": 2}),
]  # fmt: skip


def view(n_samples=120, n_features=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * 0.5 ** np.arange(n_features)
    return 3 * (X + np.outer(rng.random(n_samples) < 0.4, [3.0] + [1.0] * (n_features - 1))) + 7


def fitted(X, n_components, tied=True, m=3):
    """The unit ball of the data, and the mixture fitted to them there."""
    stages = Stages(MultiView([X]), (0,), (1.0,), {"measure_dimensions": m})
    ball = ball_of(stages)
    return ball, mixture_of(stages, ball, n_components, tied)


def in_data_units(X, n_components, tied, m=3):
    """The samples' m leading principal coordinates, the mixture there, and the axes."""
    ball, found = fitted(X, n_components, tied, m)
    mixture = Mixture(found.weights, ball.radius * found.means, ball.radius**2 * found.covariances, tied)
    return (X - X.mean(axis=0)) @ ball.axes, mixture, ball.axes


def g(x, mean, covariance):
    return multivariate_normal(mean, covariance).pdf(x)


def printed_kernel(Z, mixture, epsilon):
    """(3.3) as printed, entry by entry."""
    eye, K = np.eye(Z.shape[1]), np.zeros((len(Z), len(Z)))
    for a, theta, S in zip(mixture.weights, mixture.means, mixture.covariances, strict=True):
        inner = np.linalg.inv(epsilon * eye + 4 * S)
        D = np.linalg.inv(eye / epsilon + inner)
        for i, x in enumerate(Z):
            c = D @ (x / epsilon + inner @ (2 * theta - x))
            K[i] += a * g(x, theta, epsilon / 2 * eye + S) * g(Z, c, D)
    return K


def assert_is_walk(e, K, r=4, tolerance=1e-7):
    """Eigenvalues and coordinates are those of D^-1 K."""
    values, psi = dense.walk(K)
    assert np.abs(np.diff(values[: r + 2])).min() > 1e-4  # each coordinate is determined
    np.testing.assert_allclose(e.eigenvalues, values[: r + 1], atol=1e-8)
    expected = values[1 : r + 1] * psi[:, 1 : r + 1]
    expected *= np.sign((expected * e.coordinates).sum(axis=0))
    np.testing.assert_allclose(e.coordinates, expected, atol=tolerance * np.abs(expected).max())


# --- the measure-based kernel -----------------------------------------------------------------------------------


@pytest.mark.validates("mgc")
@pytest.mark.parametrize("n_samples", [120, 400])
def test_with_the_samples_as_density(n_samples):
    """(2.5) summed over the samples as r is K Kᵗ, K the Gaussian kernel of variance ε/2."""
    X, epsilon = view(n_samples, 3), 4.0
    half = dense.gaussian(X, epsilon / 2)
    assert_is_walk(embed([X], KERNEL, epsilon=epsilon, n_components=4), half @ half.T)


@pytest.mark.validates("mgc")
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("n_samples", [120, 400])
def test_with_a_mixture_as_density(n_samples, tied):
    X, epsilon = view(n_samples), 6.0
    Z, mixture, _ = in_data_units(X, 3, tied)
    K = printed_kernel(Z, mixture, epsilon)
    given = {"density": "mixture", "mixture_components": 3, "tied": tied}
    e = embed([X], KERNEL, epsilon=epsilon, n_components=4, **given)
    assert_is_walk(e, K)
    d = K.sum(axis=1)
    e = embed([X], KERNEL, epsilon=epsilon, n_components=4, alpha=1.0, **given)
    assert_is_walk(e, K / np.outer(d, d))


def test_the_density_is_flat_where_the_mixture_does_not_see():
    """In four dimensions with a mixture in two: the printed kernel there, a plain Gaussian across."""
    X, epsilon = view(150, 4), 6.0
    Z, mixture, axes = in_data_units(X, 2, False, m=2)
    centred = X - X.mean(axis=0)
    across = centred - Z @ axes.T
    K = printed_kernel(Z, mixture, epsilon) * dense.gaussian(across, epsilon)
    given = {"density": "mixture", "mixture_components": 2, "measure_dimensions": 2}
    e = embed([X], KERNEL, epsilon=epsilon, n_components=4, **given)
    assert_is_walk(e, K)
    assert e.info["measure_dimensions"] == 2
    assert e.info["variance_share"] == pytest.approx((Z**2).sum() / (centred**2).sum())


@pytest.mark.parametrize(("method", "params"), VARIANTS)
@pytest.mark.parametrize("n_samples", [120, 300])
def test_training_points_are_placed_where_they_are(method, params, n_samples):
    X = view(n_samples, 3)
    e = embed([X], method, epsilon=8.0, n_components=3, **params)
    assert e.eigenvalues[-1] > 1e-3 * e.eigenvalues[0]
    tolerance = 1e-10 if method == CLOSED else 1e-6
    np.testing.assert_allclose(e.transform([X]), e.coordinates, atol=tolerance * np.abs(e.coordinates).max())


def test_far_samples_cannot_join_the_walk():
    e = embed([view()], KERNEL, epsilon=8.0)
    with pytest.raises(DataError, match="1 new sample is too far from all known ones"):
        e.transform([np.full((1, 2), 1e4)])


# --- the diffusion representation -------------------------------------------------------------------------------


def printed_distances(Z, mixture, epsilon):
    """d of (3.6) from W of (3.5) (with c_i(z) and a_i) and ν of (3.4), entry by entry."""
    n = len(mixture.weights)
    S, eye = mixture.covariances[0], np.eye(Z.shape[1])
    inner = np.linalg.inv(epsilon * eye + 4 * S)
    D = np.linalg.inv(eye / epsilon + inner)
    c = np.array([[D @ (x / epsilon + inner @ (2 * t - x)) for t in mixture.means] for x in Z])
    h = np.array([[a * g(x, t, epsilon / 2 * eye + S) for a, t in zip(mixture.weights, mixture.means, strict=True)]
                  for x in Z])  # fmt: skip
    W = np.zeros((len(Z), len(Z)))
    for j in range(n):
        for i in range(n):
            W += np.outer(h[:, j], h[:, i]) * [[g(x, z, 2 * D) for z in c[:, i]] for x in c[:, j]]
    nu = h.sum(axis=1)
    N = W / np.outer(nu, nu)
    own = np.diag(N)
    return np.sqrt(np.maximum(own[:, None] + own - 2 * N, 0))


def pairwise(Y, Z=None):
    return np.sqrt(dense.squared(Y, Z))


@pytest.fixture(scope="module")
def closed():
    """Data, new samples, and their exact diffusion distances, the new ones first, in the unit ball at ε = .5 there."""
    X = view(40, 2)
    new = np.vstack([X[:3] + 0.5, X.mean(axis=0, keepdims=True)])
    ball, mixture = fitted(X, 3)
    return X, new, 0.5 * ball.radius**2, printed_distances(ball.place(np.vstack([new, X])), mixture, 0.5)


@pytest.mark.validates("diffusion-representation")
@pytest.mark.parametrize(
    "params", [pytest.param({"order": 14}, marks=pytest.mark.nightly), BY_MDS, {"tolerance": 1e-3}]
)
def test_coordinates_keep_diffusion_distances(closed, params):
    X, _, epsilon, d = closed
    d = d[4:, 4:]
    e = embed([X], CLOSED, epsilon=epsilon, n_components=20, mixture_components=3, **params)
    off = np.abs(pairwise(e.coordinates) - d).max()
    assert off <= (1e-3 if "tolerance" in params else 1e-6 * d.max())
    assert "truncated" not in dict(e.warnings)
    np.testing.assert_allclose(e.eigenvalues, e.coordinates.var(axis=0), atol=1e-12)
    np.testing.assert_allclose(e.coordinates.mean(axis=0), 0, atol=1e-8)
    assert np.all(np.diff(e.eigenvalues) <= 0)


@pytest.mark.parametrize("params", [{"order": 14}, BY_MDS])
def test_new_samples_keep_their_distances(closed, params):
    """Exact as well: their distances to the samples known are those of (3.6), though nothing was fitted to them."""
    X, new, epsilon, d = closed
    d = d[:4, 4:]
    e = embed([X], CLOSED, epsilon=epsilon, n_components=20, mixture_components=3, **params)
    np.testing.assert_allclose(pairwise(e.transform([new]), e.coordinates), d, atol=1e-5 * d.max())


@pytest.mark.validates("diffusion-representation")
@pytest.mark.parametrize("epsilon", [0.5, 0.05])
@pytest.mark.parametrize("n_samples", [150, 1000])
def test_scaling_is_exact_and_components_agree(n_samples, epsilon):
    """Two squares in the ball: 20 coordinates to 1e-6 of max d, first ones correlated by .95 or more."""
    X = make_two_squares(n_samples=n_samples).Xs[0]
    ball, mixture = fitted(X, 2)
    given = {"epsilon": epsilon * ball.radius**2, "n_components": 20, "mixture_components": 2}
    exact = embed([X], CLOSED, **given, **BY_MDS)
    d = np.sqrt(mgc.diffusion_distances(ball.place(X)[:150], mixture, epsilon))
    np.testing.assert_allclose(pairwise(exact.coordinates[:150]), d, atol=1e-6 * d.max())
    truncated = embed([X], CLOSED, **given)
    assert abs(np.corrcoef(truncated.coordinates[:, 0], exact.coordinates[:, 0])[0, 1]) >= 0.95
    assert (truncated.info["order"] < 14) == (epsilon == 0.5)


def test_scaling_many_samples_is_that_of_eigh():
    """At a small ε nothing is of low rank, and the iteration must find what LAPACK finds."""
    X = view(400, 2)
    e = embed([X], CLOSED, epsilon=0.3, n_components=6, **BY_MDS)
    ball, mixture = fitted(X, 4)
    D2 = mgc.diffusion_distances(ball.place(X), mixture, ball.epsilon(0.3))
    J = np.eye(400) - 1 / 400
    values = np.linalg.eigvalsh(-0.5 * J @ D2 @ J)[::-1][:6]
    np.testing.assert_allclose(e.eigenvalues, values / 400, rtol=1e-7)


def test_named_numbers(closed):
    X, _, epsilon, d = closed
    d = d[4:, 4:]
    e = embed([X], CLOSED, epsilon=epsilon, n_components=20, mixture_components=3, order=3)
    info = e.info
    assert (info["order"], info["features"], info["measure_dimensions"]) == (3, 10, 2)
    worst = np.abs(pairwise(e.coordinates) - d).max()
    assert 0 < worst <= info["distance_error"] <= info["distance_bound"] * (1 + 1e-9)
    assert info["paper_bound"] > info["distance_bound"] ** 2 / 4
    assert info["variance_share"] == pytest.approx(1)


# --- doubts -----------------------------------------------------------------------------------------------------


def test_doubt_about_truncation():
    X = make_two_squares(n_samples=300).Xs[0]
    doubts = dict(embed([X], CLOSED, epsilon=0.05).warnings)
    assert "At order 14" in doubts["truncated"]
    assert "more than the tolerance 0.05. Enlarge ε, or draw by mds, which is exact" in doubts["truncated"]
    doubts = dict(embed([X], CLOSED, epsilon=3.0, order=1, tolerance=1e-6).warnings)
    assert "At order 1" in doubts["truncated"]
    assert "1e-06. Raise the order, enlarge ε, or draw by mds" in doubts["truncated"]
    error = embed([X], CLOSED, epsilon=3.0, order=3).info["distance_error"]
    for tolerance, doubtful in ((1.01 * error, False), (0.99 * error, True)):
        found = embed([X], CLOSED, epsilon=3.0, order=3, tolerance=tolerance)
        assert ("truncated" in dict(found.warnings)) == doubtful
    assert "truncated" not in dict(embed([X], CLOSED, epsilon=0.05, **BY_MDS).warnings)
    assert "truncated" not in dict(embed([X], CLOSED, epsilon=10.0).warnings)


def test_doubt_about_outliers():
    X = np.vstack([np.random.default_rng(0).normal(size=(100, 2)), [[60.0, 0.0]]])
    doubts = dict(embed([X], CLOSED, epsilon=1.0, mixture_components=1).warnings)
    assert "At 1 sample the stationary density is below 0.001" in doubts["low-density"]
    assert "low-density" not in dict(embed([X[:100]], CLOSED, epsilon=1.0, mixture_components=1).warnings)


def test_doubts_about_dimensions():
    X = np.random.default_rng(0).normal(size=(80, 9))
    for method, params, start in (
        (CLOSED, {}, "The representation lives in"),
        (KERNEL, BY_MIXTURE, "The mixture sees"),
    ):
        doubts = dict(embed([X], method, epsilon=5.0, **params).warnings)
        assert doubts["reduced"].startswith(start)
        assert "first 3 principal coordinates" in doubts["reduced"]
        assert "reduced" not in dict(embed([X], method, epsilon=5.0, measure_dimensions=9, **params).warnings)
    e = embed([X], CLOSED, epsilon=50.0, measure_dimensions=1, order=2, n_components=5)
    assert dict(e.warnings)["rank"].startswith("Only 3 of the 5 coordinates vary, the others are 0")
    assert "first principal coordinate of the view" in dict(e.warnings)["reduced"]
    assert np.all(e.coordinates[:, 3:] == 0)
    assert np.all(e.transform([X])[:, 3:] == 0)


# --- wrong use --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "params"), [(CLOSED, {}), (CLOSED, BY_MDS), (KERNEL, BY_MIXTURE)])
def test_more_gaussians_than_samples(method, params):
    asked_for = []

    def memo(key, compute):
        asked_for.append(key.stage)
        return compute()

    message = "A mixture of 21 Gaussians is too many for 20 samples. Give at most 20"
    with pytest.raises(ParameterError, match=message) as caught:
        embed([view(20)], method, epsilon=1.0, mixture_components=21, memo=memo, **params)
    assert caught.value.hint
    assert asked_for == ["decomposition"]  # refused before anything else is computed
    assert np.isfinite(embed([view(20)], method, epsilon=1.0, mixture_components=20, **params).coordinates).all()


def test_the_samples_as_density_need_no_mixture():
    """More Gaussians than samples are refused where a mixture is fitted, and here none is."""
    found = embed([view(20)], KERNEL, epsilon=1.0, mixture_components=21)
    np.testing.assert_array_equal(found.coordinates, embed([view(20)], KERNEL, epsilon=1.0).coordinates)


def test_orders_that_take_too_many_features():
    X = np.random.default_rng(0).normal(size=(50, 8))
    message = (
        r"Order 5 in 8 dimensions takes 1,287 features, more than 1,001. "
        r"Give an order of at most 4, or fewer dimensions of the density"
    )
    with pytest.raises(ParameterError, match=message):
        embed([X], CLOSED, epsilon=1.0, measure_dimensions=8, order=5)
    assert embed([X], CLOSED, epsilon=50.0, measure_dimensions=8, order=4).info["features"] == 495
    assert embed([X], CLOSED, epsilon=1e-3, measure_dimensions=8).info["order"] == 4
    embed([X], CLOSED, epsilon=1.0, measure_dimensions=8, order=5, **BY_MDS)


@pytest.mark.parametrize("drawn_by", ["pca", "mds"])
def test_numbers_too_large(drawn_by):
    with pytest.raises(DataError, match="too large to be squared"):
        embed([1e200 * view(20)], CLOSED, epsilon=1.0, drawn_by=drawn_by)


# --- all variants, what the generic checks ask of defaults ------------------------------------------------------


@pytest.mark.parametrize(("method", "params"), VARIANTS)
def test_samples_may_come_in_any_order(method, params):
    for seed in range(3):
        Xs, epsilon = dense.views(300, 1, seed)
        order = np.random.default_rng(1).permutation(300)
        e = embed(Xs, method, epsilon=epsilon, **params)
        moved = embed([Xs[0][order]], method, epsilon=epsilon, **params)
        tolerance = 1e-7 * np.abs(e.coordinates).max()
        np.testing.assert_allclose(moved.coordinates, e.coordinates[order], rtol=0, atol=tolerance)


@pytest.mark.parametrize(("method", "params"), VARIANTS)
def test_awkward_data(method, params):
    X = view(40, 2)
    usual = embed([X], method, epsilon=5.0, **params).coordinates
    twins = embed([np.vstack([X, X])], method, epsilon=5.0, **params).coordinates
    np.testing.assert_allclose(twins[:40], twins[40:], atol=1e-6 * np.abs(twins).max())
    padded = embed([np.column_stack([X, np.full(40, 1e6)])], method, epsilon=5.0, **params).coordinates
    np.testing.assert_allclose(padded, usual, atol=1e-7 * np.abs(usual).max())
    smaller = embed([1e-16 * X], method, epsilon=5e-32, **params).coordinates
    np.testing.assert_allclose(smaller, usual, atol=1e-7 * np.abs(usual).max())
    assert np.isfinite(embed([np.full((40, 2), 0.1)], method, epsilon=5.0, **params).coordinates).all()
    for n in (3, 4, 5):
        r = n - 2 if get_method(method).first_component else n - 1
        few = {k: v for k, v in params.items() if k != "mixture_components"}
        for epsilon in (1e-3, 5.0):
            assert np.isfinite(embed([X[:n]], method, epsilon=epsilon, n_components=r, **few).coordinates).all()
    for epsilon in (5e-324, 1e300):
        assert np.isfinite(embed([X], method, epsilon=epsilon, **params).coordinates).all()


def test_an_outlier_far_from_the_mixture():
    """Its density underflows; it is set apart, and nothing breaks."""
    X = np.vstack([view(1800), [[1e5, 0.0]]])
    e = embed([X], KERNEL, epsilon=5.0, n_components=3, mixture_components=1, **BY_MIXTURE)
    assert np.isfinite(e.coordinates).all()
    assert "disconnected" in dict(e.warnings)


@pytest.mark.parametrize(("method", "params"), VARIANTS)
def test_stops_half_way(method, params):
    class Impatient(Task):
        def __init__(self, limit):
            super().__init__()
            self.limit, self.calls = limit, 0

        def checkpoint(self):
            self.calls += 1
            if self.calls == self.limit:
                self.cancel()
            super().checkpoint()

    Xs, epsilon = dense.views(600, 1)
    complete = Impatient(-1)
    embed(Xs, method, epsilon=epsilon, task=complete, **params)
    task = Impatient(complete.calls // 2)
    with pytest.raises(Cancelled):
        embed(Xs, method, epsilon=epsilon, task=task, **params)
    assert task.calls == complete.calls // 2


@pytest.mark.parametrize(("method", "params"), VARIANTS)
def test_uci_digits(method, params):
    """High-dimensional views work, and tell digits apart far better than chance (.1)."""
    from mvexplorer.engine.metrics import knn_accuracy

    data = open_sample("uci-digits").take(np.arange(0, 2000, 4))
    e = embed(data, method, views=["pix"], epsilon="median/9", n_components=3, **params)
    assert knn_accuracy(e.coordinates, data.labels).value > 0.5
