"""Kernels for many samples: neighbours, landmarks, single precision, a random part; what they need and how they err."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.approximation import approximation_error
from mvexplorer.engine.api.cost import alternatives, estimate
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels import distances, neighbours
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.operators import Float32Kernel, LowRankOperator
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.pipeline import joint_kernel, stages, view_kernel
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import kernel_of, landmarks_of
from mvexplorer.errors import ComputeError, DataError, ParameterError

RNG = np.random.default_rng(11)
PRODUCTS = ["single", "kernel-sum", "kernel-product", "concatenation", "multiview", "de-sa", "alternating"]
DIFFUSION = [m for m in PRODUCTS if m != "de-sa"]


def sheet(n, n_features=6, seed=0, n_views=2):
    """Views of samples on a sheet, bent into `n_features` dimensions."""
    rng = np.random.default_rng(seed)
    flat = rng.random((n, 2))
    return [np.cos(flat @ rng.standard_normal((2, n_features)) * 2 + i) for i in range(n_views)]


def views_for(method, n):
    return sheet(n, n_views=1 if method == "single" else 2)


def agree(first, second, atol):
    """The same coordinates, but for the sign of each column."""
    signs = np.sign(np.sum(first * second, axis=0))
    np.testing.assert_allclose(first * signs, second, rtol=0, atol=atol * np.abs(second).max())


@pytest.fixture
def all_large(monkeypatch):
    """What is meant for more than 5,000 samples, at once."""
    for module in (distances, stages, view_kernel, joint_kernel):
        monkeypatch.setattr(module, "MANY_SAMPLES", 40)
    for module in (distances, view_kernel, joint_kernel):
        monkeypatch.setattr(module, "FLOAT32_SAMPLES", 40)


# --- neighbours -----------------------------------------------------------------------------------------------------


def graph_by_hand(X, k):
    """Pairs of which one is among the k nearest of the other, at another place; and those at the same place."""
    squared = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    radius = np.array([np.sort(row[row > 0])[:k].max() for row in squared])
    return np.where(squared <= np.maximum(radius[:, None], radius[None]) * (1 + 1e-9), squared, np.nan)


def lattice():
    return np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), axis=2).reshape(-1, 2)


def with_twins():
    X = RNG.standard_normal((120, 3))
    X[40:70] = X[40]
    return X


def with_outlier():
    X = RNG.standard_normal((100, 8))
    X[3] = 1e9
    return X


SAMPLES = {
    "cloud": RNG.standard_normal((150, 12)), "lattice": lattice(), "twins": with_twins(), "outlier": with_outlier(),
    "far": RNG.standard_normal((90, 4)) + 1e6,
    "many": RNG.standard_normal((701, 9)), "many, in clumps": np.repeat(RNG.standard_normal((90, 6)), 8, axis=0),
}  # fmt: skip


@pytest.mark.parametrize("search", ["distances", "blocks", "tree", "products"])
@pytest.mark.parametrize("samples", SAMPLES)
def test_graphs_by_every_search(samples, search):
    X, k, task = SAMPLES[samples], 5, Task()
    if search == "distances":
        graph = neighbours.graph_of_distances(distances.squared_distances(X), k, task)
    elif search == "blocks":
        graph = neighbours.graph_of_blocks(distances.squared_blocks(X), X.shape, k, task)
    else:
        tree = search == "tree"
        find = neighbours._by_tree(X, k, task) if tree else neighbours._by_products(X, k, 32, task)
        graph = neighbours._collect(len(X), 32, find, task)
    expected = graph_by_hand(X, k)
    rows, columns = np.nonzero(np.isfinite(expected))
    found = graph.tocoo()
    np.testing.assert_array_equal(found.coords[0], rows)
    np.testing.assert_array_equal(found.coords[1], columns)
    np.testing.assert_allclose(found.data, expected[rows, columns], rtol=1e-7)
    assert np.all(graph.diagonal() == 0.0)
    assert abs(graph - graph.T).max() == 0.0
    radius = [np.sort(row[row > 0])[:k].max() for row in np.nan_to_num(expected)]
    np.testing.assert_allclose(neighbours.kth_in_graph(graph, k), radius, rtol=1e-7)


def test_a_new_epsilon_only_takes_the_exponentials(monkeypatch):
    searches = []
    real = view_kernel.graph_of_samples
    monkeypatch.setattr(view_kernel, "graph_of_samples", lambda *a: searches.append(1) or real(*a))
    memo, task = remember_once(), Task()
    for epsilon in (0.1, 0.2, 0.3):
        embed(sheet(60), "multiview", kernel="knn-9", epsilon=epsilon, memo=memo, task=task, n_components=2)
    assert len(searches) == 2
    assert task.affinities == 6


def test_all_neighbours_are_the_gaussian():
    Xs = sheet(50)
    for method in DIFFUSION:
        Y = embed(Xs, method, epsilon=0.2, kernel="gaussian", n_components=3)
        e = embed(Xs, method, epsilon=0.2, kernel="knn-49", n_components=3)
        agree(e.coordinates, Y.coordinates, 1e-8)


def test_concatenated_neighbours_are_those_of_the_joined_features():
    Xs = sheet(80)
    alone = embed([np.hstack(Xs)], "single", epsilon=0.3, kernel="knn-8", n_components=3)
    joined = embed(Xs, "concatenation", epsilon=0.2, joint_epsilon=0.3, kernel="knn-8", n_components=3)
    agree(joined.coordinates, alone.coordinates, 1e-8)
    agree(joined.transform(Xs), joined.coordinates, 1e-8)


def test_too_many_twins_for_a_sparse_kernel():
    X = np.vstack([np.zeros((300, 3)), RNG.standard_normal((100, 3))])
    with pytest.raises(ComputeError, match=r"too many samples lie at the same place. Drop the duplicates"):
        neighbours.graph_of_samples(X, 3, Task(memory=1 << 20))


# --- landmarks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PRODUCTS)
def test_all_samples_as_landmarks_are_the_gaussian(method):
    Xs = sheet(60)
    expected = embed(Xs, method, epsilon=0.3, n_components=3)
    found = embed(Xs, method, epsilon=0.3, kernel="landmarks-60", n_components=3)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, atol=1e-6)
    agree(found.coordinates, expected.coordinates, 1e-5)


def test_landmarks_by_hand():
    """K̃ = C W⁻¹ Cᵀ, through numpy's solver."""
    X = sheet(50, n_views=1)[0]
    s = Stages(MultiView([X]), (0,), (1.0,), kernels=[parse_kernel("landmarks-12")], random_state=3)
    chosen = landmarks_of(s, 0)
    assert len(set(chosen)) == 12
    K = dense.gaussian(X, 1.0)
    expected = K[:, chosen] @ np.linalg.solve(K[np.ix_(chosen, chosen)], K[chosen])
    found = kernel_of(s, 0)
    assert isinstance(found, LowRankOperator)
    np.testing.assert_allclose(found.toarray(), expected, atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), expected.sum(axis=1), atol=1e-5)
    V = RNG.standard_normal((50, 4))
    np.testing.assert_allclose(found @ V, expected @ V, atol=1e-5)
    assert found.shape == (50, 50)
    assert np.linalg.eigvalsh(found.toarray()).min() > -1e-10
    assert (found.in_float32() @ V.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("method", DIFFUSION)
def test_known_samples_stay_where_they_are_with_landmarks(method):
    Xs = views_for(method, 300)
    e = embed(Xs, method, epsilon=0.3, kernel="landmarks-80", n_components=3)
    agree(e.transform(Xs), e.coordinates, 1e-5)


def test_few_landmarks_are_near_and_more_are_nearer():
    Xs = sheet(400)
    exact = embed(Xs, "multiview", epsilon=0.5, n_components=4).eigenvalues
    error = [
        np.abs(embed(Xs, "multiview", epsilon=0.5, kernel=f"landmarks-{m}", n_components=4).eigenvalues - exact).max()
        for m in (10, 40, 160)
    ]
    assert error[0] > error[1] > error[2]
    assert error[2] < 1e-4


def test_more_landmarks_keep_the_fewer_and_the_seed_matters():
    data = MultiView(sheet(90))
    of = lambda m, seed=0: set(  # noqa: E731
        landmarks_of(Stages(data, (0,), (1.0,), kernels=[parse_kernel(f"landmarks-{m}")], random_state=seed), 0)
    )
    assert of(10) < of(20)
    assert of(10) != of(10, seed=1)
    memo = remember_once()
    told = {"epsilon": 0.05, "kernel": "landmarks-8", "n_components": 2, "memo": memo}
    first, second = (embed(data, "single", random_state=seed, **told).eigenvalues for seed in (0, 1))
    assert np.abs(first - second).max() > 1e-6


def test_distances_to_landmarks_are_taken_once(monkeypatch):
    shapes = []
    real = view_kernel.all_pairs
    monkeypatch.setattr(view_kernel, "all_pairs", lambda b, shape, *a: shapes.append(shape) or real(b, shape, *a))
    memo, task = remember_once(), Task()
    for epsilon in (0.2, 0.3):
        for method in ("multiview", "kernel-product"):
            embed(sheet(70), method, kernel="landmarks-9", epsilon=epsilon, memo=memo, task=task, n_components=2)
    assert shapes == [(70, 9), (70, 9)]
    assert task.affinities == 2 * (2 + 1)


def test_samples_out_of_reach_of_all_landmarks():
    X = np.vstack([RNG.standard_normal((60, 2)), [[500.0, 0.0], [0.0, 900.0]]])
    with pytest.raises(ComputeError, match=r"\d of 62 samples are out of reach of all 5 landmarks.*Enlarge ε"):
        embed([X], "single", epsilon=1.0, kernel="landmarks-5")


def test_landmarks_in_one_factor_only_are_refused():
    with pytest.raises(ParameterError, match="needs the same landmarks in every view"):
        embed(sheet(40), "kernel-product", epsilon=1.0, kernel=["landmarks-9", "gaussian"])


def test_too_many_landmarks_or_neighbours():
    with pytest.raises(ParameterError, match=r"asks for 41 landmarks among 40 samples. Give at most 40"):
        embed(sheet(40), "multiview", epsilon=1.0, kernel="landmarks-41")
    with pytest.raises(ParameterError, match=r"asks for 40 neighbours among 40 samples. Give at most 39"):
        embed(sheet(40), "multiview", epsilon=1.0, kernel="knn-40")


# --- single precision beyond 5,000 samples --------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "laplacian-l2", "correlation", "self-tuning"])
@pytest.mark.parametrize("method", PRODUCTS)
def test_kernels_from_the_features(method, kernel, all_large, monkeypatch):
    Xs = views_for(method, 120)
    found = embed(Xs, method, epsilon=0.4, kernel=kernel, n_components=3)
    monkeypatch.undo()
    expected = embed(Xs, method, epsilon=0.4, kernel=kernel, n_components=3)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, atol=1e-6)
    agree(found.coordinates, expected.coordinates, 1e-4)
    if method != "de-sa":
        agree(found.transform(Xs), found.coordinates, 1e-4)


def test_a_kernel_from_the_features_is_symmetric_and_holds_half(all_large):
    s = Stages(MultiView([sheet(700)[0]]), (0,), (0.3,))
    K = kernel_of(s, 0)
    assert isinstance(K, Float32Kernel)
    assert K.nbytes == 4 * 700**2
    np.testing.assert_array_equal(K.stored, K.stored.T)
    np.testing.assert_allclose(K.toarray(), dense.gaussian(s.view(0), 0.3), atol=1e-7)
    V = RNG.standard_normal((700, 3))
    np.testing.assert_allclose(K @ V, K.toarray() @ V, rtol=1e-12, atol=1e-13)
    assert kernel_of(s.in_float32(), 0).stored is not None
    assert (kernel_of(s.in_float32(), 0) @ V).dtype == np.float32


def test_no_matrix_of_all_pairs_is_made(monkeypatch, all_large):
    """The largest array made on the way to a sparse or low-rank answer, in entries."""
    largest = []
    monkeypatch.setattr(neighbours, "BLOCK_CANDIDATES", 1 << 16)
    real = np.empty
    monkeypatch.setattr(np, "empty", lambda shape, *a, **k: largest.append(np.prod(shape)) or real(shape, *a, **k))
    for kernel in ("knn-5", "landmarks-10"):
        embed(sheet(2000), "multiview", epsilon=0.3, kernel=kernel, n_components=2)
    assert max(largest) < 2000**2 / 8


def test_rules_look_at_a_part_and_say_so(all_large):
    X = RNG.standard_normal((200, 3))
    rows = np.sort(np.random.default_rng(0).permutation(200)[:40])
    task = Task()
    assert select_epsilon([X], "median", task=task)[0] == pytest.approx(select_epsilon([X[rows]], "median")[0])
    assert "random part of 40 of the 200 samples" in dict(task.warnings)["part"]
    e = embed([X], "single", epsilon="max-min")
    assert "part" in dict(e.warnings)
    assert "part" not in dict(embed([X], "single", epsilon=1.0).warnings)


@pytest.mark.filterwarnings("ignore:Bandwidth rules look at a random part")
def test_the_part_is_scaled_as_all_samples_are(all_large):
    X = RNG.standard_normal((200, 3)) * [1.0, 50.0, 3.0]
    rows = np.sort(np.random.default_rng(0).permutation(200)[:40])
    scored = (X - X.mean(axis=0)) / X.std(axis=0)
    found = select_epsilon(MultiView([X], preprocess="zscore"), "median")
    assert found[0] == pytest.approx(select_epsilon([scored[rows]], "median")[0])


# --- a random part ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", DIFFUSION)
def test_a_random_part_is_extended_to_all_samples(method):
    Xs = views_for(method, 150)
    e = embed(Xs, method, epsilon=0.3, subsample=60, n_components=2, random_state=4)
    rows = np.sort(np.random.default_rng(4).permutation(150)[:60])
    alone = embed([X[rows] for X in Xs], method, epsilon=0.3, n_components=2, random_state=4)
    np.testing.assert_allclose(e.coordinates[rows], alone.coordinates, rtol=0, atol=1e-12)
    np.testing.assert_allclose(e.coordinates, alone.transform(Xs), rtol=0, atol=1e-6 * np.abs(e.coordinates).max())
    assert e.decomposition.blocks[0].shape[0] == 150
    assert e.info["random_part"] == 60
    assert "random part of 60 of the 150 samples" in dict(e.warnings)["random-part"]
    np.testing.assert_allclose(e.transform(Xs), alone.transform(Xs), rtol=0, atol=1e-12)


def test_a_part_as_large_as_the_data_is_the_data():
    Xs = sheet(50)
    e = embed(Xs, "multiview", epsilon=0.3, subsample=50, n_components=2)
    np.testing.assert_array_equal(e.coordinates, embed(Xs, "multiview", epsilon=0.3, n_components=2).coordinates)
    assert "random-part" not in dict(e.warnings)


def test_the_diffusion_time_does_not_place_anew():
    memo, task = remember_once(), Task()
    for t in (1, 2, 3):
        embed(sheet(150), "multiview", epsilon=0.3, subsample=60, n_components=2, t=t, memo=memo, task=task)
    assert task.affinities == 2 + 2


def test_where_no_part_can_stand_for_all():
    Xs = sheet(60)
    with pytest.raises(
        ParameterError, match=r"Local CCA cannot place the samples outside a random part.*Use all samples"
    ):
        embed(Xs, "local-cca", epsilon=1.0, subsample=30)
    with pytest.raises(ParameterError, match=r"too many for 3 samples|too small for 5 coordinates"):
        embed(Xs, "multiview", epsilon=1.0, subsample=1, n_components=5)
    table = dense.gaussian(Xs[0], 1.0)
    with pytest.raises(ParameterError, match="No random part can be taken of a table of affinities"):
        embed([table, table], "multiview", kernel="precomputed", subsample=30)
    far = [np.vstack([X, X[:2] + 1e3]) for X in Xs]
    with pytest.raises(ComputeError, match=r"outside the random part cannot be placed.*Enlarge ε or the part"):
        embed(far, "multiview", epsilon=1e-3, subsample=30, n_components=2, random_state=1)


# --- memory ---------------------------------------------------------------------------------------------------------


def of_kernels(text, n_views=2):
    return [parse_kernel(text)] * n_views


def test_what_twenty_thousand_samples_need():
    multiview = get_method("multiview")
    full = estimate(multiview, 20_000, [50, 50], of_kernels("gaussian"))
    assert 2 * 4 * 20_000**2 <= full.bytes < 3.6e9
    assert "of 4 GB; about" in full.describe()
    assert full.describe().startswith("needs 3 GB")
    for text in ("knn-64", "landmarks-1000"):
        small = estimate(multiview, 20_000, [50, 50], of_kernels(text))
        assert small.bytes < 1e9
        assert small.seconds < 0.3 * full.seconds
    product = estimate(get_method("kernel-product"), 20_000, [50, 50], of_kernels("gaussian"))
    assert product.bytes < 0.6 * full.bytes
    part = estimate(multiview, 20_000, [50, 50], of_kernels("gaussian"), subsample=4000)
    assert part.bytes < 1e9


@pytest.mark.parametrize("method", [m.id for m in methods() if not m.shows_given])
def test_every_method_has_an_estimate_that_grows(method):
    chosen = get_method(method)
    kernels = of_kernels("gaussian", 1 if chosen.max_views == 1 else 2)
    small, large = (estimate(chosen, n, [20] * len(kernels), kernels) for n in (1000, 30_000))
    assert 0 < small.bytes < large.bytes
    assert 0 < small.seconds < large.seconds


def test_what_is_open_to_whom():
    of = lambda method, n=20_000: [  # noqa: E731
        c.kernel or c.subsample for c in alternatives(get_method(method), n, [50, 50], of_kernels("gaussian"))
    ]
    assert of("multiview") == ["knn-64", "landmarks-1000", 4000]
    assert of("jade") == []
    assert of("kernel-cca") == [4000]
    assert of("multiview", 900) == ["knn-64"]


def test_refused_before_any_work():
    X = np.zeros((30_000, 2))
    X[:, 0] = np.arange(30_000)
    task = Task()
    with pytest.raises(DataError) as caught:
        embed([X, X], "multiview", epsilon=1.0, task=task)
    assert "Multi-view of 30,000 samples needs 6.8 GB of 4 GB; about" in caught.value.message
    for choice in ("(knn-64): ", "(landmarks-1000): ", "random part of 4,000 samples: "):
        assert choice in caught.value.hint
    assert task.affinities == 0
    with pytest.raises(DataError, match=r"it does not fit. Take fewer samples, or allow more memory"):
        embed(sheet(60), "multiview", epsilon=1.0, task=Task(memory=1000))
    with pytest.raises(DataError, match=r"needs \d+ MB of 20 MB"):
        embed(sheet(1000), "kernel-cca", epsilon=1.0, task=Task(memory=20 << 20))


@pytest.mark.parametrize("kernel", ["knn-5", "landmarks-20", "gaussian"])
def test_a_cancelled_run_is_not_remembered(kernel):
    from mvexplorer.compute.run.cache import StageCache

    cache = StageCache()
    tasks = []
    tasks.append(Task(lambda fraction: tasks[0].cancel()))
    with pytest.raises(Cancelled):
        embed(sheet(400), "multiview", epsilon=0.3, kernel=kernel, task=tasks[0], memo=cache.memo(tasks[0]))
    assert not any(key.stage == "decomposition" for key in cache._entries)


# --- the error ------------------------------------------------------------------------------------------------------


def test_the_error_against_all_pairs():
    Xs = sheet(600)
    told = {"epsilon": 0.5, "n_components": 3}
    rough = approximation_error(Xs, "multiview", kernel="landmarks-8", **told)
    fine = approximation_error(Xs, "multiview", kernel="landmarks-150", **told)
    assert rough.n_samples == 600
    assert fine.eigenvalue < 1e-4 < rough.eigenvalue
    assert fine.angle < 1e-3 < rough.angle
    exact = embed(Xs, "multiview", **told).eigenvalues
    by_hand = embed(Xs, "multiview", kernel="landmarks-8", **told).eigenvalues
    assert rough.eigenvalue == pytest.approx(np.abs(exact - by_hand).max(), rel=1e-6)
    assert approximation_error(Xs, "multiview", kernel="knn-599", **told).eigenvalue < 1e-7
    assert approximation_error(Xs, "multiview", subsample=300, **told).eigenvalue < 0.1


EVERY_NIGHT = [pytest.mark.nightly, pytest.mark.slow]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("n_samples", "kernel"),
    [
        pytest.param(5_500, "knn-64", marks=EVERY_NIGHT),
        (5_500, "landmarks-200"),
        pytest.param(20_000, "knn-64", marks=EVERY_NIGHT),
        pytest.param(20_000, "landmarks-1000", marks=EVERY_NIGHT),
    ],
)
def test_more_samples_than_are_held_in_pairs(n_samples, kernel):
    e = embed(sheet(n_samples, 50), "multiview", kernel=kernel, n_components=5)
    assert e.coordinates.shape == (n_samples, 10)
    assert np.isfinite(e.coordinates).all()


def test_the_error_of_a_random_part_where_no_bandwidth_matters():
    found = approximation_error(sheet(300), "pca", subsample=100)
    assert 0.0 <= found.eigenvalue < 1.0
    with pytest.raises(ParameterError, match="Nothing stands for all pairs of samples here"):
        approximation_error(sheet(300), "pca", kernel="knn-9")
