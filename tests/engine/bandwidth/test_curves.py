"""The curves behind a bandwidth against dense kernels, one per ε, and graphs, one per ε; and what they cost."""

import math
import tracemalloc

import dense
import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from mvexplorer.engine.bandwidth import curves
from mvexplorer.engine.bandwidth.curves import DECADES, LINK, connectivity, growth, pair_surface, spanning_tree
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.pipeline.stages import Stages, nbytes, remember_once
from mvexplorer.engine.pipeline.view_kernel import median_of


def cloud(n_samples=90, n_features=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n_samples, n_features))


def islands():
    """Three tight groups far apart, and a hermit: pieces, isolated samples and one whole are all seen on the axis."""
    rng = np.random.default_rng(1)
    groups = [centre + 0.3 * rng.standard_normal((n, 2)) for centre, n in ((0, 25), (20, 30), (50, 15))]
    return np.vstack([*groups, [[300.0, 0.0]]])


def twins():
    return np.repeat(cloud(24, 2, 3), 3, axis=0)


CLOUDS = [cloud(), islands(), twins()]
IDS = ["cloud", "islands", "twins"]
each_cloud = pytest.mark.parametrize("X", CLOUDS, ids=IDS)


def stages_of(*Xs, task=None, kernels=(), **more):
    data = MultiView(list(Xs), **more)
    return Stages(data, range(data.n_views), kernels=kernels, memo=remember_once(), task=task)


def kernels_of(X, epsilon):
    D = dense.squared(X)
    return [np.exp(-D / (2 * e)) for e in epsilon]


def dense_slope(X, e):
    """d log S / d log ε, term by term."""
    D = dense.squared(X)
    K = np.exp(-D / (2 * e))
    return (D * K).sum() / (2 * e * K.sum())


def step_probability(X, epsilon, classes):
    """ρ_P of (3.34)-(3.36) with plain loops; samples without a class are walked over, but a step there is no hit."""
    D, M, total = dense.squared(X), len(X), 0.0
    for i in range(M):
        weights = [math.exp(-D[i, j] / (2 * epsilon)) for j in range(M)]
        for j in range(M):
            if i != j and classes[i] == classes[j] and classes[i] >= 0:
                total += weights[j] / sum(weights)
    return total / M


# --- growth -----------------------------------------------------------------------------------------------------


@each_cloud
def test_row_sums_at_every_bandwidth(X):
    found = growth(stages_of(X), 0)
    Ks = kernels_of(X, found.epsilon)
    assert len(found.epsilon) >= 60
    np.testing.assert_allclose(found.row_sums, [K.sum(axis=1) for K in Ks], rtol=1e-9)
    np.testing.assert_allclose(found.log_sum, [np.log(K.sum()) for K in Ks], rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        found.mean_degree, [(K - np.eye(len(X))).sum() / len(X) for K in Ks], rtol=1e-9, atol=1e-12
    )
    assert len(found.within) == len(found.within_probability) == 0


def test_in_many_blocks_of_rows(monkeypatch):
    X = cloud(203)
    classes = np.arange(203) % 3
    expected = growth(stages_of(X), 0, classes)
    monkeypatch.setattr(curves, "BLOCK_BYTES", 1)
    found = growth(stages_of(X), 0, classes)
    np.testing.assert_allclose(found.row_sums, expected.row_sums, rtol=1e-13)
    np.testing.assert_allclose(found.within, expected.within, rtol=1e-12, atol=1e-13)


@each_cloud
def test_the_grid_spans_the_sliders_axis(X):
    stages = stages_of(X)
    x = np.log10(growth(stages, 0).epsilon / median_of(stages, 0))
    assert x[0] <= DECADES[0] + 1e-9
    assert x[-1] == pytest.approx(DECADES[1], abs=1e-9)
    assert np.all(np.diff(x) > 0)
    assert np.diff(x).max() <= 0.1


@pytest.mark.parametrize("n_samples", [3, 8, 200])
def test_asymptotes(monkeypatch, n_samples):
    """log S goes from log M, every sample alone, to 2 log M, all alike (Algorithm 3.1)."""
    monkeypatch.setattr(curves, "DECADES", (-12.0, 10.0))
    found = growth(stages_of(cloud(n_samples)), 0)
    assert found.log_sum[0] == pytest.approx(math.log(n_samples), abs=1e-8)
    assert found.log_sum[-1] == pytest.approx(2 * math.log(n_samples), abs=1e-8)
    assert np.all(np.diff(found.log_sum) >= -1e-12)


@each_cloud
def test_slope_against_its_derivative(X):
    """Differences over a quarter octave: right to a hundredth, and to three at the ends, where they are one-sided."""
    found = growth(stages_of(X), 0)
    error = np.abs(found.slope - [dense_slope(X, e) for e in found.epsilon])
    assert error[1:-1].max() <= 0.01
    assert error.max() <= 0.03


@pytest.mark.parametrize("missing", [0, 20])
def test_within_probability_by_plain_loops(missing):
    X, classes = cloud(60, 2), np.random.default_rng(2).integers(0, 3, 60)
    classes[:missing] = -1
    found = growth(stages_of(X), 0, classes)
    for g in range(0, len(found.epsilon), 9):
        assert found.within_probability[g] == pytest.approx(step_probability(X, found.epsilon[g], classes), abs=1e-9)
    np.testing.assert_array_equal(found.within[:, :missing], 0.0)


def test_each_labelling_has_its_own_curve():
    stages, half = stages_of(cloud(60)), np.arange(60) // 30
    first = growth(stages, 0, half)
    assert growth(stages, 0, half.copy()) is first
    assert not np.allclose(growth(stages, 0, np.arange(60) % 2).within, first.within)
    assert len(growth(stages, 0).within) == 0


@pytest.mark.parametrize("kernel", ["laplacian", "correlation"])
def test_the_distance_is_that_of_the_views_kernel(kernel):
    X = cloud(50, 4)
    D = np.array([[np.abs(x - y).sum() ** 2 for y in X] for x in X]) if kernel == "laplacian" else 1 - np.corrcoef(X)
    found = growth(stages_of(X, kernels=[parse_kernel(kernel)]), 0)
    expected = [np.exp(-D / (2 * e)).sum(axis=1) for e in found.epsilon]
    np.testing.assert_allclose(found.row_sums, expected, rtol=1e-9)


# --- what it costs ------------------------------------------------------------------------------------------------


def test_four_exponentials_per_block_serve_all_bandwidths(monkeypatch):
    stages = stages_of(cloud(200))
    median_of(stages, 0)
    monkeypatch.setattr(curves, "BLOCK_BYTES", 8 * 200 * 64)  # 64 rows
    calls, exp = [], np.exp
    monkeypatch.setattr(np, "exp", lambda x, *args, **more: calls.append(np.size(x)) or exp(x, *args, **more))
    found = growth(stages, 0, np.arange(200) % 4)
    blocks = math.ceil(200 / 64)
    assert len(found.epsilon) >= 60
    assert blocks <= len(calls) <= 4 * blocks
    assert sum(calls) <= 4 * 200 * 200


def test_no_kernel_is_kept(monkeypatch):
    """The memory taken on top of the distances stays far below one kernel, let alone one per bandwidth."""
    n_samples = 1000
    stages = stages_of(cloud(n_samples))
    median_of(stages, 0)
    monkeypatch.setattr(curves, "BLOCK_BYTES", 1 << 16)
    tracemalloc.start()
    try:
        growth(stages, 0, np.arange(n_samples) % 2)
        connectivity(stages, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.8 * 8 * n_samples**2


def test_curves_are_computed_once():
    stages = stages_of(cloud())
    assert growth(stages, 0) is growth(stages, 0)
    assert connectivity(stages, 0) is connectivity(stages, 0)


def test_a_cache_knows_how_large_curves_are():
    stages = stages_of(cloud())
    for found in (growth(stages, 0, np.arange(90) % 2), connectivity(stages, 0)):
        held = sum(value.nbytes for value in vars(found).values())
        assert found.nbytes == held
        assert nbytes(found) >= held


# --- connectivity -------------------------------------------------------------------------------------------------


def graph_at(X, epsilon):
    """Pieces and isolated samples of the graph whose links are affinities of at least LINK."""
    linked = dense.gaussian(X, epsilon) >= LINK
    np.fill_diagonal(linked, False)
    return connected_components(linked, directed=False)[0], np.mean(~linked.any(axis=1))


@each_cloud
def test_components_and_isolated_samples_at_many_bandwidths(X):
    stages = stages_of(X)
    found = connectivity(stages, 0)
    epsilon = median_of(stages, 0) * np.geomspace(1e-6, 1e2, 97)
    expected = [graph_at(X, e) for e in epsilon]
    np.testing.assert_array_equal(found.components(epsilon), [pieces for pieces, _ in expected])
    np.testing.assert_allclose(found.isolated(epsilon), [alone for _, alone in expected], atol=1e-12)
    assert len({pieces for pieces, _ in expected}) >= 5
    assert expected[-1] == (1, 0.0)


def test_a_link_is_an_affinity_of_a_thousandth():
    X = np.array([[0.0], [1.0], [2.0], [12.0]])
    found, just = connectivity(stages_of(X), 0), 0.5 / math.log(1000)  # exp(-1 / 2ε) = 1/1000
    np.testing.assert_array_equal(found.components(just * np.array([0.999, 1.001])), [4, 2])
    np.testing.assert_allclose(found.isolated(just * np.array([0.999, 1.001])), [1.0, 0.25])


@each_cloud
def test_spanning_tree_lengths(X):
    D = dense.squared(X)
    # Where 0 stands for no edge, duplicates need a length: 1 more for all leaves the tree the same.
    expected = np.sort(minimum_spanning_tree(np.triu(D + 1.0, 1)).data) - 1.0
    found = spanning_tree(D)
    np.testing.assert_allclose(found.tree, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.nearest, [np.delete(row, i).min() for i, row in enumerate(D)], atol=1e-12)


# --- pairs --------------------------------------------------------------------------------------------------------


def test_pair_surface_is_the_sum_of_the_product():
    """log S^lm = log Σ_ij (K^l K^m)_ij, products formed; multi-view diffusion maps, Algorithm 1."""
    (X, Y), _ = dense.views(40, 2)
    stages = stages_of(X, Y)
    first, second = growth(stages, 0), growth(stages, 1)
    found = pair_surface(first, second)
    assert found.shape == (len(first.epsilon), len(second.epsilon))
    for a in range(0, len(first.epsilon), 13):
        for b in range(0, len(second.epsilon), 11):
            product = dense.gaussian(X, first.epsilon[a]) @ dense.gaussian(Y, second.epsilon[b])
            assert found[a, b] == pytest.approx(np.log(product.sum()), abs=1e-9)


# --- the task, and odd data -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compute", [growth, connectivity])
def test_progress_and_cancelling(compute, monkeypatch):
    monkeypatch.setattr(curves, "BLOCK_BYTES", 8 * 300 * 50)
    stages, seen = stages_of(cloud(300)), []
    median_of(stages, 0)
    compute(stages.with_task(Task(seen.append)).with_memo(remember_once()), 0)
    assert seen == sorted(seen)
    assert len(seen) >= 4
    task = Task(lambda fraction: task.cancel())
    with pytest.raises(Cancelled):
        compute(stages.with_task(task), 0)


def test_cancelling_between_two_exponentials(monkeypatch):
    """A large block takes a while: nobody has to wait for its end."""
    stages, task, exp, calls = stages_of(cloud(120)), Task(), np.exp, []
    median_of(stages, 0)
    monkeypatch.setattr(np, "exp", lambda *args, **more: calls.append(task.cancel()) or exp(*args, **more))
    with pytest.raises(Cancelled):
        growth(stages.with_task(task), 0)
    assert len(calls) == 1


def test_duplicates_lie_together_at_every_bandwidth():
    found = growth(stages_of(twins()), 0)
    assert found.log_sum[0] == pytest.approx(math.log(72 * 3), abs=1e-6)
    assert found.mean_degree[0] == pytest.approx(2.0, abs=1e-6)
    tree = connectivity(stages_of(twins()), 0)
    assert tree.components(np.array([1e-12]))[0] == 24
    assert tree.isolated(np.array([1e-12]))[0] == 0.0


@pytest.mark.parametrize("value", [0.0, 1e9])
def test_all_samples_at_one_point(value):
    """Nothing grows: curves that are flat, and one piece."""
    stages = stages_of(np.full((30, 2), value))
    found, tree = growth(stages, 0, np.arange(30) % 2), connectivity(stages, 0)
    np.testing.assert_allclose(found.log_sum, 2 * math.log(30))
    np.testing.assert_allclose(found.slope, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.within_probability, 14 / 30)
    assert set(tree.components(found.epsilon)) == {1}
    assert set(tree.isolated(found.epsilon)) == {0.0}


def test_a_far_outlier_and_large_numbers():
    X = np.vstack([cloud(30), [[1e8, 0, 0]]])
    for scale in (1.0, 1e-100, 1e100):
        found, tree = growth(stages_of(scale * X), 0), connectivity(stages_of(scale * X), 0)
        assert np.isfinite(found.log_sum).all()
        assert np.isfinite(found.slope).all()
        assert tree.components(found.epsilon)[-1] == 2
