"""Awkward data through every method: an answer of finite numbers, told where it means nothing, or a sentence."""

from itertools import product

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import ComputeError, DataError, MVExplorerError

SOLVERS = [
    *((m.id, {}) for m in methods() if not m.shows_given),
    ("multiview", {"eta": 0.3}),
    ("multiview", {"eta": 1.0}),
    ("kernel-cca", {"centred": True}),
    ("kernel-cca", {"cholesky_rank": 2}),
    ("jade", {"graph": "kernel"}),
    ("laplacian-mean", {"edge_weights": "gaussian"}),
    ("local-cca", {"local_metric": "older"}),
    ("local-cca", {"middle_points": True}),
    ("mgc", {"density": "mixture"}),
    ("diffusion-representation", {"drawn_by": "mds"}),
]
SCALE_FREE = ["cca", "local-cca", "tensor-cca", "jade", "laplacian-mean", "squared-mean", "harmonic-mean",
              "co-regularized", "low-rank"]  # fmt: skip


def views_of(method, n_samples):
    chosen = get_method(method)
    return dense.views(n_samples, max(chosen.min_views, min(3, chosen.max_views or 3)))


def first(Xs, change):
    return [change(Xs[0]), *Xs[1:]]


def outlier(X):
    X = X.copy()
    X[2] = 1e150
    return X


def answer(ask):
    """What `ask` finds; None where it is refused, by a sentence and what to do."""
    try:
        return ask()
    except MVExplorerError as error:
        refused = error
    assert refused.message.endswith(".")
    assert refused.hint
    return None


AWKWARD = {
    "identical rows": lambda Xs: [np.full_like(X, 1.5) for X in Xs],
    "one constant view": lambda Xs: [*Xs[:-1], np.full_like(Xs[-1], 2.0)],
    "tiny": lambda Xs: [1e-200 * X for X in Xs],
    "one tiny view": lambda Xs: first(Xs, lambda X: 1e-200 * X),
    "smallest numbers": lambda Xs: [5e-324 * np.sign(X) for X in Xs],
    "huge": lambda Xs: [1e200 * X for X in Xs],
    "one huge view": lambda Xs: first(Xs, lambda X: 1e200 * X),
    "an outlier": lambda Xs: first(Xs, outlier),
    "an outlier in all views": lambda Xs: [outlier(X) for X in Xs],
    "fourfold samples": lambda Xs: [X[np.arange(len(X)) // 4] for X in Xs],
    "two points": lambda Xs: [X[np.arange(len(X)) % 2] for X in Xs],
}


def often_and_all():
    """Three samples of each kind for every solver, of 40 every third kind in turn; at night there are all."""
    for (i, (method, params)), (j, data), n_samples in product(enumerate(SOLVERS), enumerate(AWKWARD), (3, 40)):
        name = "-".join([method, *(f"{key}={value}" for key, value in params.items()), str(n_samples), data])
        often = n_samples == 3 or (i + j) % 3 == 0
        yield pytest.param(method, params, n_samples, data, marks=[] if often else [pytest.mark.nightly], id=name)


@pytest.mark.parametrize(("method", "params", "n_samples", "data"), list(often_and_all()))
def test_finite_or_a_sentence(method, params, n_samples, data):
    Xs, epsilon = views_of(method, n_samples)
    Xs = AWKWARD[data](Xs)
    for given in (epsilon, "max-min"):
        found = answer(lambda given=given: embed(Xs, method, epsilon=given, n_components=1, **params))
        if found is None:
            continue
        assert np.isfinite(found.coordinates).all()
        assert np.isfinite(found.eigenvalues).all()
        if data == "identical rows":
            assert {code for code, _ in found.warnings} >= {f"flat-view:{name}" for name in found.views}
        placed = answer(lambda found=found: found.transform(Xs))
        if placed is not None:
            scale = max(1.0, np.abs(found.coordinates).max())
            assert np.abs(placed - found.coordinates).max() <= 1e-5 * scale


def test_a_view_without_differences_is_named():
    Xs, epsilon = dense.views(40, 3)
    told = dict(embed([Xs[0], 0 * Xs[1], 1e-200 * Xs[2]], "kernel-sum", epsilon=epsilon).warnings)
    assert told["flat-view:view2"] == "All samples are the same point in view “view2”: it says nothing of the samples."
    assert told["flat-view:view3"].startswith("The differences are too small to be squared in view “view3”")
    assert not any(code.startswith("flat-view") for code, _ in embed(Xs, "kernel-sum", epsilon=epsilon).warnings)


@pytest.mark.parametrize("method", SCALE_FREE)
def test_methods_that_know_no_units_see_tiny_numbers_as_any_others(method):
    """A power of two rounds nothing: the very same answer, weights, z-scores and new samples included."""
    Xs, _ = views_of(method, 30)
    plain = embed(Xs, method)
    for data in (
        [2.0**-700 * X for X in Xs],
        first(Xs, lambda X: 2.0**-700 * X),
        MultiView([2.0**-700 * X for X in Xs], feature_weights=[np.ones(X.shape[1]) for X in Xs]),
    ):
        found = embed(data, method)
        np.testing.assert_allclose(found.coordinates, plain.coordinates, rtol=0, atol=1e-7)
    if method == "cca":
        placed = embed([2.0**-700 * X for X in Xs], method).transform([2.0**-700 * X[:5] for X in Xs])
        np.testing.assert_allclose(placed, plain.coordinates[:5], rtol=0, atol=1e-9)


def test_components_keep_their_units_and_say_where_these_vanish():
    X = dense.views(40, 1)[0]
    with pytest.raises(DataError, match=r"too small to be squared\. Rescale"):
        embed([1e-200 * X[0]], "pca")
    np.testing.assert_allclose(
        embed([1e-140 * X[0]], "pca").coordinates, 1e-140 * embed(X, "pca").coordinates, rtol=1e-9, atol=1e-152
    )


# --- placing new samples where values vanish ------------------------------------------------------------------------


def canonical(Xs, epsilon, gamma=0.01):
    """Canonical correlations (8) by a dense singular value decomposition."""
    K, L = (dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True))
    n = len(K)
    return np.linalg.svd(K @ np.linalg.inv(K + gamma * np.eye(n)) @ L @ np.linalg.inv(L + gamma * np.eye(n)))[1]


@pytest.mark.parametrize("change", [lambda X: np.ones_like(X), lambda X: 1e-12 * X], ids=["constant", "all alike"])
def test_kernel_cca_says_which_correlations_are_rounding_and_places_nothing_there(change):
    Xs, epsilon = dense.views(40, 2)
    Xs = first(Xs, change)
    rho = canonical(Xs, epsilon)
    assert rho[0] > 0.9
    assert rho[1] < 1e-8
    found = embed(Xs, "kernel-cca", epsilon=epsilon, n_components=3)
    assert "2 of 3 canonical correlations are below 1e-08" in dict(found.warnings)["unresolved"]
    with pytest.raises(
        ComputeError, match=r"Kernel CCA cannot place new samples in coordinates 2 to 3.*n_components=1"
    ):
        found.transform(Xs)
    fewer = embed(Xs, "kernel-cca", epsilon=epsilon, n_components=1)
    assert "unresolved" not in dict(fewer.warnings)
    np.testing.assert_allclose(fewer.transform(Xs), fewer.coordinates, atol=1e-8)


def test_kernel_cca_of_correlations_well_above_rounding_is_placed_as_before():
    Xs, epsilon = dense.views(60, 2)
    found = embed(Xs, "kernel-cca", epsilon=epsilon, n_components=4)
    np.testing.assert_allclose(found.eigenvalues, canonical(Xs, epsilon)[:4], atol=1e-9)
    assert "unresolved" not in dict(found.warnings)
    np.testing.assert_allclose(found.transform(Xs), found.coordinates, atol=1e-7)


@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "concatenation", "alternating", "mgc"])
def test_walks_place_nothing_where_eigenvalues_are_rounding(method):
    """Three different points: the dense spectrum has two values besides 1, the others are 0."""
    Xs, epsilon = views_of(method, 3)
    Xs = [X[np.arange(30) % 3] for X in Xs]
    found = embed(Xs, method, epsilon=epsilon, n_components=4)
    assert np.abs(found.eigenvalues[3:]).max() < 1e-12 < np.abs(found.eigenvalues[:3]).min()
    with pytest.raises(ComputeError, match=r"cannot place new samples in coordinates 3 to 4.*n_components=2"):
        found.transform(Xs)
    fewer = embed(Xs, method, epsilon=epsilon, n_components=2)
    np.testing.assert_allclose(fewer.transform(Xs), fewer.coordinates, atol=1e-7)


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_multi_view_places_nothing_where_eigenvalues_are_rounding(eta):
    Xs, epsilon = dense.views(3, 2)
    Xs = [X[np.arange(30) % 3] for X in Xs]
    count = len([v for v in np.abs(dense.multiview(Xs, epsilon, eta).values[0]) if v > 1e-9])
    found = embed(Xs, "multiview", epsilon=epsilon, n_components=8, eta=eta)
    with pytest.raises(ComputeError, match=r"Multi-view cannot place new samples in coordinates \d to 8"):
        found.transform(Xs)
    assert count < 8
    fewer = embed(Xs, "multiview", epsilon=epsilon, n_components=2, eta=eta)
    np.testing.assert_allclose(fewer.transform(Xs), fewer.coordinates, atol=1e-7)


def test_a_random_part_still_says_what_it_cannot_place():
    Xs, epsilon = dense.views(3, 1)
    found = embed([Xs[0][np.arange(60) % 3]], "single", epsilon=epsilon, n_components=4, subsample=30)
    assert "too weak to be extended" in dict(found.warnings)["unplaced"]


@pytest.mark.parametrize("draft", [False, True])
@pytest.mark.parametrize("epsilon", [1e-100, 1e-45, 1e45, 1e100])
@pytest.mark.parametrize("method", ["single", "kernel-product", "concatenation", "kernel-sum", "multiview"])
def test_a_bandwidth_beyond_single_precision(method, epsilon, draft):
    """Every affinity is 0 or 1 then; drafts are made of numbers that end at 1e38."""
    Xs = np.random.default_rng(0).standard_normal((2, 40, 3))
    assert np.isfinite(embed(list(Xs), method, epsilon=epsilon, interactive=draft).coordinates).all()
