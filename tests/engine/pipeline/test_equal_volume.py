"""Weights by equal volume and the share of each view in a step, against plain loops and dense matrices."""

from functools import cache

import numpy as np
import pytest
from engine import dense
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV

import mvexplorer as mvx
from mvexplorer.engine.analysis.views import plan_without
from mvexplorer.engine.api.between import fixed_of, position_of
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.estimator import MultiViewEmbedding
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.api.subsample import subsample_rows
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.neighbours import graph_of_samples
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.view_share import DROWNS, SHARE
from mvexplorer.engine.pipeline.view_weights import (
    EQUAL_VOLUME,
    IN_EFFECT,
    equal_volume,
    of_some,
    weights_in_effect,
    weights_of,
)
from mvexplorer.errors import ParameterError

WEIGHS = ("kernel-sum", "multiview", "laplacian-mean", "squared-mean", "harmonic-mean")


def by_loops(kernels):
    """1/Σ_ij K_l,ij, rescaled to mean 1, entry by entry."""
    raw = []
    for K in kernels:
        volume = 0.0
        for i in range(len(K)):
            for j in range(len(K)):
                volume += K[i, j]
        raw.append(1.0 / volume)
    return np.array(raw) * len(raw) / sum(raw)


def weights_in(e):
    return np.array([e.info[f"{IN_EFFECT}{name}"] for name in e.views])


def shares_in(e):
    return np.array([e.info[f"{SHARE}{name}"] for name in e.views])


def gaussians(Xs, epsilon):
    return [dense.gaussian(X, e) for X, e in zip(Xs, epsilon, strict=True)]


def knn_kernels(Xs, epsilon, k):
    """Gaussians where one of two samples is among the k nearest of the other, and on the diagonal."""
    out = []
    for X, e in zip(Xs, epsilon, strict=True):
        squared = dense.squared(X)
        near = np.zeros_like(squared, bool)
        for i in range(len(X)):
            others = [j for j in np.argsort(squared[i], kind="stable") if j != i][:k]
            near[i, others] = near[others, i] = near[i, i] = True
        out.append(np.where(near, np.exp(-squared / (2 * e)), 0.0))
    return out


def multiview(kernels, w, eta):
    count = len(kernels)
    share = np.full((count, count), (1 - eta) / (count - 1))
    np.fill_diagonal(share, eta)
    return np.block([[share[i, j] * w[i] * w[j] * kernels[i] @ kernels[j] for j in range(count)] for i in range(count)])


def same_up_to_sign(found, expected):
    expected = expected * np.sign((found * expected).sum(axis=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["gaussian", "knn-12"])
@pytest.mark.parametrize(("method", "eta"), [("kernel-sum", None), ("multiview", 0.0), ("multiview", 0.3)])
def test_weights_divide_each_view_by_the_sum_of_its_affinities(method, eta, kernel):
    Xs, epsilon = dense.views(60, 3)
    kernels = gaussians(Xs, epsilon) if kernel == "gaussian" else knn_kernels(Xs, epsilon, 12)
    w = by_loops(kernels)
    params = {} if eta is None else {"eta": eta}
    e = embed(Xs, method, epsilon=epsilon, kernel=kernel, n_components=3, view_weights=EQUAL_VOLUME, **params)
    np.testing.assert_allclose(weights_in(e), w, rtol=1e-12)
    assert w.std() > 0.01
    K = sum(wl * Kl for wl, Kl in zip(w, kernels, strict=True)) if eta is None else multiview(kernels, w, eta)
    values, psi = dense.walk(K)
    np.testing.assert_allclose(e.eigenvalues, values[:4], rtol=0, atol=1e-10)
    found = e.coordinates if eta is None else np.vstack(e.view_coordinates)
    same_up_to_sign(found, values[1:4] * psi[:, 1:4])
    assert e.params["view_weights"] == EQUAL_VOLUME
    assert weights_in_effect(e.params, e.info, e.views) == tuple(weights_in(e))
    if kernel == "gaussian":
        np.testing.assert_allclose(e.transform(Xs), e.coordinates, atol=1e-8)


def laplacian(W):
    d = W.sum(axis=1)
    return np.eye(len(W)) - W / np.sqrt(np.outer(d, d))


def knn_graph(X, k, scale=7):
    """Self-tuning weights where one of two samples is among the k nearest of the other."""
    squared = dense.squared(X)
    order = np.sort(squared + np.diag(np.full(len(X), np.inf)), axis=1)
    near = squared <= np.maximum(order[:, k - 1][:, None], order[:, k - 1][None, :])
    sigma = np.sqrt(order[:, scale - 1])
    W = np.where(near, np.exp(-squared / np.outer(sigma, sigma)), 0.0)
    np.fill_diagonal(W, 0.0)
    return W


@pytest.mark.parametrize("graph", ["knn", "kernel"])
@pytest.mark.parametrize("method", ["laplacian-mean", "squared-mean", "harmonic-mean"])
def test_means_of_laplacians_by_equal_volume(method, graph):
    Xs, epsilon = dense.views(60, 3)
    graphs = [knn_graph(X, 8) for X in Xs] if graph == "knn" else gaussians(Xs, epsilon)
    w = by_loops(graphs)
    each = [laplacian(W) for W in graphs]
    options = {"graph": graph, "graph_neighbours": 8, "view_weights": EQUAL_VOLUME}
    e = embed(Xs, method, epsilon=epsilon, n_components=4, **options)
    if method == "laplacian-mean":
        S = sum(wl * L for wl, L in zip(w, each, strict=True)) / 3
        values = np.linalg.eigvalsh(S)
        np.testing.assert_allclose(shares_in(e), w / 3, rtol=1e-12)
    elif method == "squared-mean":
        values = np.sqrt(np.linalg.eigvalsh(sum(wl * L @ L for wl, L in zip(w, each, strict=True)) / 3).clip(0))
    else:
        alpha = 0.01
        S = sum(wl * np.linalg.inv(L + alpha * np.eye(60)) for wl, L in zip(w, each, strict=True)) / 3
        values = 1.0 / np.linalg.eigvalsh(S)[::-1] - alpha
    np.testing.assert_allclose(weights_in(e), w, rtol=1e-12)
    # The root of an eigenvalue near 0 has half the digits.
    np.testing.assert_allclose(e.eigenvalues[:4], values[:4].clip(0), atol=1e-8 if method == "squared-mean" else 1e-10)


def test_a_sum_is_the_mixture_of_walks():
    """Zhou, Burges (2007): P = Σ_l (w_l π_l(u)/π(u)) P_l with π_l the stationary law of view l, for any w_l."""
    Xs, epsilon = dense.views(60, 3)
    kernels = gaussians(Xs, epsilon)
    e = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, view_weights=EQUAL_VOLUME)
    K = sum(w * Kl for w, Kl in zip(weights_in(e), kernels, strict=True))
    laws = [Kl.sum(axis=1) / Kl.sum() for Kl in kernels]
    walks = [Kl / Kl.sum(axis=1)[:, None] for Kl in kernels]
    law = np.mean(laws, axis=0)
    mixture = sum((p / (3 * law))[:, None] * P for p, P in zip(laws, walks, strict=True))
    np.testing.assert_allclose(K / K.sum(axis=1)[:, None], mixture, rtol=0, atol=1e-14)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("weights", [None, (2.0, 0.5, 1.1), EQUAL_VOLUME])
def test_shares_in_a_sum(weights, alpha):
    Xs, epsilon = dense.views(40, 3)
    kernels = gaussians(Xs, epsilon)
    e = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, alpha=alpha, view_weights=weights)
    w = np.ones(3) if weights is None else by_loops(kernels) if weights == EQUAL_VOLUME else weights
    density = sum(wl * Kl for wl, Kl in zip(w, kernels, strict=True)).sum(axis=1) ** -alpha
    taken = np.zeros(3)
    for i in range(40):
        steps = [sum(w[v] * kernels[v][i, j] * density[j] for j in range(40)) for v in range(3)]
        taken += np.array(steps) / sum(steps) / 40
    np.testing.assert_allclose(shares_in(e), taken, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("eta", [0.0, 0.3])
def test_shares_of_the_multi_view_walk(eta, alpha):
    Xs, epsilon = dense.views(30, 3)
    w = (2.0, 0.5, 1.1)
    e = embed(Xs, "multiview", epsilon=epsilon, n_components=2, eta=eta, alpha=alpha, view_weights=w)
    K = multiview(gaussians(Xs, epsilon), w, eta)
    q = K.sum(axis=1) ** -alpha
    K = q[:, None] * K * q[None, :]
    P = K / K.sum(axis=1)[:, None]
    arrive = [np.mean([P[node, m * 30 : (m + 1) * 30].sum() for node in range(90)]) for m in range(3)]
    np.testing.assert_allclose(shares_in(e), arrive, rtol=1e-11)
    if eta and not alpha:
        stay = np.mean([P[m * 30 : (m + 1) * 30, m * 30 : (m + 1) * 30].sum(axis=1) for m in range(3)])
        assert e.info["within_view_probability"] == pytest.approx(stay)


def test_two_views_that_only_hop_have_no_shares():
    Xs, epsilon = dense.views(30, 2)
    plain = embed(Xs, "multiview", epsilon=epsilon)
    found = embed(Xs, "multiview", epsilon=epsilon, view_weights=EQUAL_VOLUME)
    np.testing.assert_array_equal(found.coordinates, plain.coordinates)
    assert "two views at η = 0" in dict(found.warnings)["weights"]
    assert not [name for name in found.info if name.startswith((SHARE, IN_EFFECT))]


def told(e):
    return dict(e.warnings).get(DROWNS)


def one_big():
    """Three views and their ε, at which the third has affinities between all samples and the others hardly any."""
    Xs, _ = dense.views(60, 3)
    return Xs, (1e-3, 1e-3, 1e4)


def test_a_view_that_drowns_the_others_is_told():
    Xs, epsilon = one_big()
    e = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2)
    held = shares_in(e)[2]
    assert held > 0.8
    assert told(e) == (
        f"view3 holds {100 * held:.0f} % of every step: the other views hardly count. "
        "Use equal-volume view weights, or change its ε."
    )
    assert (told(e).level, told(e).subjects) == ("warning", ("view3",))
    assert told(embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, interactive=True)) is None
    even = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, view_weights=EQUAL_VOLUME)
    assert told(even) is None
    assert shares_in(even).max() < 0.5


def test_a_view_that_takes_all_hops_is_told():
    Xs, epsilon = one_big()
    e = embed(Xs, "multiview", epsilon=epsilon, n_components=2)
    reached = 1.5 * shares_in(e)[2]  # of two thirds, which arrive from the other views
    assert told(e) == (
        f"From the other views {100 * reached:.0f} % of the steps lead to view3: the others hardly count. "
        "Use equal-volume view weights, or change its ε."
    )
    assert told(embed(Xs, "multiview", epsilon=epsilon, n_components=2, view_weights=EQUAL_VOLUME)) is None
    within = embed(Xs, "multiview", epsilon=epsilon, n_components=2, eta=0.5)
    assert told(within).startswith(f"view3 holds {100 * shares_in(within)[2]:.0f} % of every step")


def test_what_helps_where_no_epsilon_or_volume_is_left_to_change():
    Xs, _ = dense.views(40, 2)
    ones = [np.kron(np.eye(20), np.ones((2, 2))), np.ones((40, 40))]
    e = embed(ones, "kernel-sum", kernel="precomputed", n_components=2)
    assert told(e).endswith("Use equal-volume view weights, or choose another kernel.")
    # Few samples hold all of the second view's volume, so that the first one holds the steps of all others.
    K = np.eye(40) * 1e-9
    K[:2, :2] = 1.0
    e = embed([np.ones((40, 40)), K], "kernel-sum", kernel="precomputed", n_components=2, view_weights=EQUAL_VOLUME)
    assert told(e).endswith("Choose another kernel, or leave it out.")
    options = {"epsilon": (1e9, 1e-3), "graph": "kernel", "n_components": 2}
    Xs[1][:, 0] += 0.02 * np.arange(40)
    assert told(embed(Xs, "laplacian-mean", **options, view_weights=(9, 1))) is None
    e = embed(Xs, "laplacian-mean", **options, view_weights=EQUAL_VOLUME)
    assert shares_in(e)[1] > 0.8
    assert told(e) == ("view2 holds 98 % of every step: the other views hardly count. Choose more equal view weights.")


@pytest.mark.parametrize("method", [m.id for m in methods() if "view_weights" in {p.name for p in m.params}])
def test_who_cannot_weigh_by_volume_says_so(method):
    Xs, epsilon = dense.views(30, 3)
    if method in WEIGHS:
        assert embed(Xs, method, epsilon=epsilon, view_weights=f" {EQUAL_VOLUME} ").params["view_weights"]
        return
    title = get_method(method).title
    with pytest.raises(ParameterError, match=f"{title} has no equal-volume view weights.* Give numbers"):
        embed(Xs, method, epsilon=epsilon, view_weights=EQUAL_VOLUME)


def test_who_takes_all_views_alike_refuses_the_word():
    with pytest.raises(ParameterError, match="de Sa has no view weights: all its views count equally"):
        embed(dense.views(30, 2)[0], "de-sa", epsilon=1.0, view_weights=EQUAL_VOLUME)
    with pytest.raises(ParameterError, match=r"cannot be 'equal-volumes'. Give one number above 0 .* or equal-volume"):
        embed(dense.views(30, 2)[0], "kernel-sum", epsilon=1.0, view_weights="equal-volumes")


def test_views_without_affinities_have_no_volume():
    np.testing.assert_allclose(equal_volume([1.0, 3.0], ["a", "b"]), [1.5, 0.5], rtol=1e-15)
    with pytest.raises(ParameterError, match=r"b joins no samples: there is no volume to divide by. Enlarge ε there"):
        equal_volume([1.0, 0.0], ["a", "b"])
    with pytest.raises(ParameterError, match="a and b join no samples"):
        equal_volume([np.nan, -1e-9], ["a", "b"])


def test_equal_views_weigh_exactly_one():
    X, _ = dense.views(40, 1)
    plain = embed(X * 3, "kernel-sum", epsilon=0.5, n_components=2)
    even = embed(X * 3, "kernel-sum", epsilon=0.5, n_components=2, view_weights=EQUAL_VOLUME)
    np.testing.assert_array_equal(weights_in(even), 1.0)
    np.testing.assert_array_equal(even.coordinates, plain.coordinates)


def test_random_parts_and_fewer_views_are_weighed_anew():
    Xs, epsilon = dense.views(120, 3)
    part = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, subsample=40, view_weights=EQUAL_VOLUME)
    rows = subsample_rows(120, 40, 0)
    whole = embed(Xs, "kernel-sum", epsilon=epsilon, n_components=2, view_weights=EQUAL_VOLUME)
    assert np.abs(weights_in(part) - weights_in(whole)).max() > 1e-4
    np.testing.assert_allclose(weights_in(part), by_loops(gaussians([X[rows] for X in Xs], epsilon)), rtol=1e-12)
    data = MultiView(Xs)
    planned = plan(get_method("kernel-sum"), data, epsilon=list(epsilon), params={"view_weights": EQUAL_VOLUME})
    assert plan_without(planned, data, "view2", epsilon).params["view_weights"] == EQUAL_VOLUME
    assert of_some(planned.params, [0, 2])["view_weights"] == EQUAL_VOLUME
    stages = Stages(data, (0, 1, 2), epsilon, {"view_weights": EQUAL_VOLUME})
    np.testing.assert_allclose(weights_of(stages.among([0, 2])), by_loops(gaussians(Xs, epsilon)[::2]), rtol=1e-12)


def test_landmarks_are_weighed_by_the_sums_of_their_kernels():
    Xs, epsilon = dense.views(80, 3)
    scaled = [10 * e for e in epsilon]
    e = embed(Xs, "kernel-sum", epsilon=scaled, kernel="landmarks-25", n_components=2, view_weights=EQUAL_VOLUME)
    rows = np.random.default_rng(0).permutation(80)[:25]
    kernels = []
    for X, eps in zip(Xs, scaled, strict=True):
        C = dense.gaussian(X, eps, X[rows])
        kernels.append(C @ np.linalg.pinv(C[rows], rcond=1e-13, hermitian=True) @ C.T)
    np.testing.assert_allclose(weights_in(e), by_loops(kernels), rtol=1e-6)


def test_answers_by_the_word_and_by_numbers_are_no_anchors_of_each_other():
    data = MultiView(dense.views(40, 3)[0])
    plans = [
        plan(get_method("kernel-sum"), data, epsilon=1.0, params={"view_weights": w})
        for w in (None, EQUAL_VOLUME, "2,1,1")
    ]
    assert len({fixed_of(p) for p in plans}) == 2
    assert [len(position_of(p)) for p in plans] == [7, 5, 7]  # ε, α and weights


def test_a_search_over_weights_takes_the_word():
    digits = mvx.load("uci-digits", views=["mor", "kar", "zer"]).take(np.arange(0, 2000, 20))
    X = np.hstack(digits.Xs)
    sizes = [A.shape[1] for A in digits.Xs]
    model = MultiViewEmbedding("kernel-sum", n_components=4, epsilon="median/9", view_sizes=sizes)
    search = GridSearchCV(model, {"view_weights": [None, EQUAL_VOLUME]}, scoring=_spread, cv=2).fit(X)
    assert len(set(search.cv_results_["mean_test_score"])) == 2


def _spread(model, X, y=None):
    return float(model.transform(X).std())


@cache
def digits():
    return mvx.load("uci-digits").take(np.arange(0, 2000, 4))


def nmi(e):
    """Mean over seeds of k-means on the coordinates, with ten clusters."""
    found = [KMeans(10, n_init=5, random_state=seed).fit_predict(e.coordinates) for seed in range(4)]
    return float(np.mean([normalized_mutual_info_score(digits().labels, labels) for labels in found]))


@pytest.mark.nightly
@pytest.mark.validates("kernel-sum", "multiview")
def test_equal_volume_saves_the_digits_from_the_morphological_view():
    """UCI digits, every fourth sample, six views at a third of the median distance, r 12, t 1."""
    options = {"epsilon": "median/9", "n_components": 12, "t": 1}
    plain = embed(digits(), "kernel-sum", **options)
    even = embed(digits(), "kernel-sum", view_weights=EQUAL_VOLUME, **options)
    np.testing.assert_allclose(weights_in(even), [1.25, 0.82, 1.61, 1.25, 0.80, 0.26], atol=0.01)
    assert even.views[-1] == "mor"
    assert nmi(plain) == pytest.approx(0.73, abs=0.02)
    assert nmi(even) >= 0.87
    assert shares_in(plain)[-1] > 0.4
    assert shares_in(even).max() < 0.2
    several = [embed(digits(), "multiview", view_weights=w, **options) for w in (None, EQUAL_VOLUME)]
    assert nmi(several[1]) >= nmi(several[0]) + 0.02


def test_the_graphs_of_neighbours_are_those_of_the_engine():
    X = dense.views(30, 1)[0][0]
    graph = graph_of_samples(X, 5, Task()).toarray() > 0.0
    assert np.array_equal(graph | np.eye(30, dtype=bool), knn_kernels([X], [1.0], 5)[0] > 0.0)
