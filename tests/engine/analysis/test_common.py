"""What views share: dependence of kernels by another formula, its size and power, and alignment without bias."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import mvexplorer as mvx
from mvexplorer.compute.jobs.common_job import CommonJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.common import RUNS, InCommon, centred, in_common, unbiased_cka
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.shuffles import order_maker
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method


def gaussian(X):
    squared = cdist(X, X, "sqeuclidean")
    return np.exp(-squared / (2.0 * np.median(squared)))


def shared(Xs, n=RUNS, seed=0):
    m = len(Xs[0])
    order = order_maker("rows", m, np.arange(m), seed)
    return in_common([f"v{i}" for i in range(len(Xs))], [gaussian(X) for X in Xs], order, n)


def ring(angle):
    return np.column_stack([np.cos(angle), np.sin(angle)])


def tori(m, seed):
    """Two doughnuts that share one angle, and each have one of their own."""
    z, e, h = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, (3, m))
    return np.hstack([ring(z), 2.0 * ring(e)]), np.hstack([ring(z), 2.0 * ring(h)])


def test_p_is_that_of_the_trace_formula():
    random = np.random.default_rng(0)
    X = random.normal(size=(25, 2))
    Y = X[:, :1] + 2.0 * random.normal(size=(25, 3))
    K, L, m, n = gaussian(X), gaussian(Y), 25, 39
    H = np.eye(m) - 1.0 / m
    order = order_maker("rows", m, np.arange(m), 7)
    np.testing.assert_allclose(centred(K), H @ K @ H, atol=1e-12)
    real = np.trace(K @ H @ L @ H)
    null = [np.trace(K @ H @ (P := np.eye(m)[order(k)]) @ L @ P.T @ H) for k in range(n)]
    expected = (1 + sum(value >= real for value in null)) / (1 + n)
    assert 0.05 < expected < 0.95
    assert in_common(("x", "y"), (K, L), order, n).pairs[0].p == pytest.approx(expected)


def test_views_that_share_nothing_are_in_doubt_as_often_as_the_level_says():
    ps = []
    for seed in range(100):
        random = np.random.default_rng(seed)
        ps.append(shared([random.normal(size=(24, 2)), random.normal(size=(24, 3))], 39, seed).pairs[0].p)
    assert np.mean(np.array(ps) <= 0.05) <= 0.08
    assert 0.4 < np.mean(ps) < 0.6


def test_neither_are_six_of_them_more_often():
    """Each of six could agree with any of five others by luck: its p counts five times."""
    lucky = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        found = shared([random.normal(size=(20, 2)) for _ in range(6)], 99, seed)
        lucky += "v0" not in found.alone
    assert lucky <= 4


@pytest.mark.parametrize("seed", range(10))
def test_a_shared_angle_is_found_on_tori_and_on_rings(seed):
    angle = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, 60)
    for Xs in (tori(120, seed), (ring(angle), ring(2.0 * angle) + 3.0 * ring(angle))):
        found = shared(Xs, 99, seed)
        assert found.alone == ()
        shuffled = np.random.default_rng(seed + 50).permutation(len(Xs[0]))
        assert shared((Xs[0], Xs[1][shuffled]), 99, seed).pairs[0].p > found.pairs[0].p


def test_alignment_without_bias_is_that_of_the_sums_by_song_and_others():
    random = np.random.default_rng(1)
    K, L = gaussian(random.normal(size=(12, 2))), gaussian(random.normal(size=(12, 2)))

    def hsic(A, B):
        A, B, m = A - np.diag(np.diag(A)), B - np.diag(np.diag(B)), len(A)
        one = np.ones(m)
        terms = np.trace(A @ B), one @ A @ one * (one @ B @ one) / ((m - 1) * (m - 2)), one @ A @ B @ one * 2 / (m - 2)
        return (terms[0] + terms[1] - terms[2]) / (m * (m - 3))

    expected = hsic(K, L) / np.sqrt(hsic(K, K) * hsic(L, L))
    assert unbiased_cka(K, L) == pytest.approx(expected)


def test_alignment_is_nought_by_chance_one_with_itself_and_the_same_in_any_order():
    random = np.random.default_rng(2)
    values = [
        unbiased_cka(gaussian(random.normal(size=(30, 4))), gaussian(random.normal(size=(30, 4)))) for _ in range(200)
    ]
    assert abs(np.mean(values)) < 3.0 * np.std(values) / np.sqrt(200)
    K, L = (gaussian(X) for X in tori(60, 0))
    assert unbiased_cka(K, K) == pytest.approx(1.0)
    assert unbiased_cka(K, 5.0 * K) == pytest.approx(1.0)
    order = random.permutation(60)
    both = np.ix_(order, order)
    assert unbiased_cka(K[both], L[both]) == pytest.approx(unbiased_cka(K, L))


def test_a_view_that_tells_no_samples_apart_shares_nothing():
    found = in_common(
        ("x", "flat"), (gaussian(tori(20, 0)[0]), np.ones((20, 20))), order_maker("rows", 20, np.arange(20), 0), 19
    )
    assert found.pairs[0].p == 1.0
    assert np.isnan(found.pairs[0].cka)
    assert np.isnan(unbiased_cka(np.eye(3), np.eye(3)))


# Of a picture -----------------------------------------------------------------------------------------------------


def of_picture(data, method="kernel-sum", kernel="gaussian", shuffle="rows", subsample=None) -> InCommon:
    epsilon = {} if method in ("pca", "cca") else {"epsilon": 1.0}
    made = plan(get_method(method), data, kernels=[kernel] * data.n_views, params={}, subsample=subsample, **epsilon)
    return CommonJob(Request(data, made), shuffle).run(StageCache(), Task())


@pytest.mark.parametrize(
    ("method", "kernel"),
    [("kernel-sum", "gaussian"), ("multiview", "knn-10"), ("kernel-sum", "self-tuning-7"),
     ("kernel-sum", "landmarks-40"), ("cca", "gaussian")],
)  # fmt: skip
@pytest.mark.parametrize("paired", [True, False])
def test_pictures_of_all_kernels_and_of_none_tell_whether_their_views_share(method, kernel, paired):
    X, Y = tori(150, 3)
    order = np.arange(150) if paired else np.random.default_rng(0).permutation(150)
    found = of_picture(mvx.MultiView({"x": X, "y": Y[order]}), method, kernel)
    assert (found.n, found.alone) == (199, () if paired else ("x", "y"))


def test_the_kernels_are_those_of_the_picture():
    X, Y = tori(40, 1)
    K, L = (np.exp(-cdist(Z, Z, "sqeuclidean") / 2.0) for Z in (X, Y))
    assert of_picture(mvx.MultiView({"x": X, "y": Y})).pairs[0].cka == pytest.approx(unbiased_cka(K, L))


@pytest.mark.parametrize(("subsample", "looked_at"), [(None, 1000), (80, 80)])
def test_of_many_samples_a_thousand_are_looked_at_and_of_a_picture_of_a_part_its_own(subsample, looked_at):
    X, Y = tori(1200, 0)
    Y = Y[np.random.default_rng(5).permutation(1200)]
    rows = np.sort(np.random.default_rng(0).permutation(1200)[:looked_at])
    kernels = [np.exp(-cdist(Z[rows], Z[rows], "sqeuclidean") / 2.0) for Z in (X, Y)]
    bursts = np.repeat(np.arange(240), 5)
    expected = in_common(("x", "y"), kernels, order_maker(bursts, 1200, rows, 0), 199).pairs[0]
    found = of_picture(mvx.MultiView({"x": X, "y": Y}), shuffle=bursts, subsample=subsample).pairs[0]
    assert (found.p, found.cka) == (expected.p, pytest.approx(expected.cka))
    assert 0.05 < found.p < 0.95


def test_samples_in_time_are_shifted_in_as_many_ways_as_there_are():
    data = mvx.MultiView(dict(zip("xy", tori(30, 0), strict=True)))
    assert of_picture(data, shuffle="circular").n == 25
    assert of_picture(data, shuffle=np.repeat(list("abcdef"), 5)).n == 199
