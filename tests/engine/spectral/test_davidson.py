"""The block solver against dense LAPACK, and its traps: what an iteration can get wrong without noticing."""

from itertools import pairwise

import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import gaussian
from mvexplorer.engine.spectral.davidson import (
    DRAFT_BLOCKS,
    RANDOM,
    SPARE,
    SPARE_AT_REST,
    Stalled,
    block_davidson,
    orthonormal,
)
from mvexplorer.engine.spectral.eigenpairs import Search, leading_eigenpairs
from tests.engine.dense import multiview_kernel

N = 400


def symmetric(values, n=N, seed=0):
    """A symmetric matrix (n, n) with the given leading eigenvalues, the rest 0, and its eigenvectors."""
    basis = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))[0]
    spectrum = np.zeros(n)
    spectrum[: len(values)] = values
    return (basis * spectrum) @ basis.T, basis


def angle(A, B):
    """Largest principal angle, accurate for small ones: through the sine."""
    A, B = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    return float(np.arcsin(min(1.0, np.linalg.norm(A - B @ (B.T @ A), 2))))


def solve(matrix, k, known=None, task=None, **options):
    known = np.empty((len(matrix), 0), dtype=matrix.dtype) if known is None else known
    return block_davidson(lambda V: matrix @ V, known, k, task or Task(), **({"angle": 1e-9} | options))


# Right answers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("k", [1, 2, 10])
def test_leading_pairs_of_a_geometric_spectrum(k, ratio):
    matrix, basis = symmetric(ratio ** np.arange(N))
    found = solve(matrix, k)
    assert found.values[:k] == pytest.approx(ratio ** np.arange(k), abs=1e-12)
    assert angle(found.vectors[:, :k], basis[:, :k]) < 1e-7
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(found.vectors.shape[1]), atol=1e-12)


def test_the_known_vectors_are_left_out():
    matrix, basis = symmetric(0.8 ** np.arange(N))
    found = solve(matrix, 4, known=np.ascontiguousarray(basis[:, :2]))
    assert found.values[:4] == pytest.approx(0.8 ** np.arange(2, 6), abs=1e-12)
    assert np.abs(found.vectors.T @ basis[:, :2]).max() < 1e-12


def test_negative_and_repeated_values():
    values = [0.9, 0.9, 0.9, 0.5, 0.5, -0.95, -0.99]
    matrix, _ = symmetric(values)
    assert solve(matrix, 6).values[:6] == pytest.approx([0.9, 0.9, 0.9, 0.5, 0.5, 0.0], abs=1e-10)


@pytest.mark.parametrize("values", [[0.3, 0.3, 0.29, 0.29, 0.28], [0.3, 0.29, 0.28, 0.28 - 1e-6, 0.28 - 1e-6]])
def test_single_vectors_find_what_one_start_cannot_see(values):
    """Far above the others pairs settle before rounding shows the second one; nor is a near one taken for a twin."""
    spectrum = np.array([1.0, *values, *0.25 * 0.9 ** np.arange(N - 6)])
    search, task = Search(5, sparse=True), Task()
    found, vectors = leading_eigenpairs(lambda V: spectrum[:, None] * V, np.eye(N)[0], search, task)
    assert found == pytest.approx(spectrum[:5], abs=1e-12)
    assert np.linalg.norm(vectors.T @ vectors - np.eye(5)) < 1e-10
    assert np.linalg.norm(spectrum[:, None] * vectors - vectors * found, axis=0).max() < 1e-7


def test_an_eigenvector_that_no_warm_start_knows_of_is_found():
    spectrum = np.array([0.9 * 0.98**i for i in range(N)])
    spectrum[-1] = 0.95
    blind = np.eye(N)[:, :-1]  # of which any warm answer may have carried any number

    def apply(V):
        return spectrum[:, None] * V

    for carried in (5, 17, 19, 30):
        found = block_davidson(apply, np.empty((N, 0)), 5, Task(), angle=1e-5, start=blind[:, :carried])
        assert found.values[0] == pytest.approx(0.95, abs=1e-9)


def test_a_pair_that_the_count_cuts_in_two_still_settles():
    matrix, basis = symmetric([0.9, 0.7, 0.7 - 1e-12, 0.3, 0.2, 0.1])
    found = solve(matrix, 2)
    assert found.values[:2] == pytest.approx([0.9, 0.7], abs=1e-10)
    assert angle(found.vectors[:, 1:2], basis[:, 1:3]) < 1e-6


def test_tiny_eigenvalues_are_resolved_to_the_rounding_of_the_largest():
    values = np.array([1e-3, 1e-5, 1e-7, 1e-9, 1e-11])
    matrix, _ = symmetric(values)
    assert solve(matrix, 4).values[:4] == pytest.approx(values[:4], abs=1e-15)


def test_single_precision_gives_single_vectors_good_to_its_rounding():
    matrix, basis = symmetric(0.7 ** np.arange(N))
    found = solve(matrix.astype(np.float32), 5, angle=1e-3)
    assert found.vectors.dtype == np.float32
    assert found.values[:5] == pytest.approx(0.7 ** np.arange(5), abs=2e-6)
    assert angle(found.vectors[:, :5].astype(float), basis[:, :5]) < 2e-3


@pytest.mark.parametrize("asked", [0.1, 2e-2, 1e-4])
def test_the_answer_is_as_good_as_asked(asked):
    matrix, basis = symmetric(0.93 ** np.arange(N))
    found = solve(matrix, 8, angle=asked)
    for j in range(8):
        assert angle(found.vectors[:, j : j + 1], basis[:, j : j + 1]) < 2.0 * asked


def test_a_warm_start_costs_fewer_products_and_a_perfect_one_a_single_one():
    matrix, basis = symmetric(0.9 ** np.arange(N))
    columns = []

    def counting(V):
        columns.append(V.shape[1])
        return matrix @ V

    nothing = np.empty((N, 0))
    block_davidson(counting, nothing, 6, Task(), angle=1e-9)
    cold = len(columns)
    columns.clear()
    nudged = basis[:, : 6 + SPARE] + 1e-7 * np.random.default_rng(1).standard_normal((N, 6 + SPARE))
    block_davidson(counting, nothing, 6, Task(), angle=1e-9, start=nudged)
    assert len(columns) < cold
    columns.clear()
    block_davidson(counting, nothing, 6, Task(), angle=2e-2, start=basis[:, : 6 + SPARE])
    assert columns == [6 + SPARE]


def test_the_search_beside_a_start_takes_no_product_of_its_own():
    """As at rest after an exact answer nearby: three products in all."""
    matrix, basis = symmetric(0.8 ** np.arange(N))
    columns, carried = [], 6 + RANDOM + SPARE_AT_REST
    start = basis[:, :carried] + 1e-4 * np.random.default_rng(1).standard_normal((N, carried))
    found = block_davidson(
        lambda V: columns.append(V.shape[1]) or matrix @ V, np.empty((N, 0)), 6, Task(), angle=1e-6, start=start
    )
    assert angle(found.vectors[:, :6], basis[:, :6]) < 1e-6
    assert columns[0] == carried
    assert len(columns) == 3


def test_it_stops_between_two_products():
    matrix, _ = symmetric(0.99 ** np.arange(N))
    task, products = Task(), []

    def apply(V):
        products.append(1)
        if len(products) == 3:
            task.cancel()
        return matrix @ V

    with pytest.raises(Cancelled):
        leading_eigenpairs(apply, np.eye(N)[0], Search(5), task)
    assert len(products) == 3


# Traps ----------------------------------------------------------------------------------------------------------


def test_dependent_vectors_never_make_ritz_values_above_the_spectrum():
    # A start of nearly equal columns: a Cholesky factor of their products would be noise of full length.
    matrix, basis = symmetric(0.9 ** np.arange(N))
    for dtype in (np.float64, np.float32):
        eps = np.finfo(dtype).eps
        noise = np.random.default_rng(0).standard_normal((N, 9))
        start = (basis[:, :1] + 3 * eps * noise).astype(dtype)
        found = solve(matrix.astype(dtype), 4, angle=1e-3, start=start)
        assert found.values.max() <= 1.0 + 20 * eps
        assert found.values[:4] == pytest.approx(0.9 ** np.arange(4), abs=1e-4)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_orthonormal_columns_span_what_is_new_and_nothing_else(dtype):
    random, eps = np.random.default_rng(0), np.finfo(dtype).eps
    against = np.linalg.qr(random.standard_normal((N, 5)))[0].astype(dtype)
    new = random.standard_normal((N, 2)).astype(dtype)
    block = np.column_stack([against @ random.standard_normal((5, 3)).astype(dtype), new, new[:, :1] * 1e-4])
    found = orthonormal(block.astype(dtype), [against[:, :2], against[:, 2:]])
    assert found.shape == (N, 2)
    assert np.abs(found.T @ found - np.eye(2)).max() < 30 * eps
    assert np.abs(found.T @ against).max() < 30 * eps
    beyond = new - against @ (against.T @ new)
    assert angle(found.astype(float), beyond.astype(float)) < 1e4 * eps
    assert orthonormal(against[:, :3].copy(), [against]).shape[1] == 0


def test_an_eigenvector_that_the_start_knows_nothing_of_is_found_at_rest():
    # The second largest is missing from the start, exactly: every residual of the others stays orthogonal to it.
    matrix, basis = symmetric([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05])
    start = basis[:, [0, 2, 3, 4, 5, 6, 7, 8]]
    assert solve(matrix, 4, start=start).values[:4] == pytest.approx([0.9, 0.8, 0.7, 0.6], abs=1e-10)


def test_a_draft_that_looks_finds_what_its_start_knows_nothing_of():
    matrix, basis = symmetric([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.05])
    start = basis[:, [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]]

    def drafted(look):
        return block_davidson(
            lambda V: matrix @ V, np.empty((N, 0)), 4, Task(), angle=2e-2, start=start, look=look
        ).values[:4]

    assert drafted(False) == pytest.approx([0.9, 0.7, 0.6, 0.5], abs=1e-6)
    assert drafted(True) == pytest.approx([0.9, 0.8, 0.7, 0.6], abs=1e-3)


def test_a_draft_far_from_settled_is_told_to_be_rough():
    random = np.random.default_rng(0)
    crowded, near = np.diag(np.linspace(0.9, 1.0, N)), symmetric(0.7 ** np.arange(N))
    rough, calm = Task(), Task()
    start = random.standard_normal((N, 12))
    block_davidson(lambda V: crowded @ V, np.empty((N, 0)), 4, rough, angle=2e-2, start=start)
    assert "rough" in dict(rough.warnings)
    block_davidson(lambda V: near[0] @ V, np.empty((N, 0)), 4, calm, angle=2e-2, start=near[1][:, :12])
    assert not calm.warnings


def test_a_halt_with_large_residuals_is_no_answer():
    # An operator that is not the same from product to product never settles: that must be said, not returned.
    random = np.random.default_rng(0)
    matrix, _ = symmetric(0.9 ** np.arange(N))
    with pytest.raises(Stalled):
        block_davidson(
            lambda V: matrix @ V + 0.05 * random.standard_normal(V.shape), np.empty((N, 0)), 5, Task(), angle=1e-9
        )


def test_a_draft_of_crowded_eigenvalues_takes_no_more_than_its_blocks():
    random = np.random.default_rng(0)
    Xs = [random.standard_normal((N, 4)) for _ in range(2)]
    for method in ("multiview", "kernel-product", "single", "alternating"):
        views = ["view1"] if method == "single" else None
        former = embed(Xs, method, views=views, epsilon=0.01)
        task = Task()
        found = embed(Xs, method, views=views, epsilon=0.004, start=[former], interactive=True, task=task)
        assert task.products <= DRAFT_BLOCKS + 1
        assert np.abs(found.eigenvalues).max() <= 1.0 + 1e-5
        assert np.isfinite(found.coordinates).all()


def test_where_blocks_are_slow_single_vectors_take_over():
    values = 1.0 - 1e-5 * np.arange(1, N) ** 2
    matrix, basis = symmetric(np.concatenate([[1.0], values]))
    with pytest.raises(Stalled):
        solve(matrix, 5, known=np.ascontiguousarray(basis[:, :1]))
    found, vectors = leading_eigenpairs(lambda V: matrix @ V, basis[:, 0], Search(6), Task())
    assert found[1:6] == pytest.approx(values[:5], abs=1e-10)
    assert angle(vectors[:, :6], basis[:, :6]) < 1e-5


def test_single_precision_fails_at_large_bandwidths_and_drafts_know():
    # METHODS: on B Bᵀ single precision breaks below σ = .05: there the draft must agree with double precision.
    random = np.random.default_rng(3)
    A = random.standard_normal((N, 3))
    Xs = [A, A + 0.1 * random.standard_normal((N, 3))]
    former = embed(Xs, "multiview", epsilon=40.0, n_components=6)
    draft = embed(Xs, "multiview", epsilon=41.0, n_components=6, start=[former], interactive=True)
    exact = embed(Xs, "multiview", epsilon=41.0, n_components=6)
    assert exact.eigenvalues[-1] < 1e-3
    assert draft.eigenvalues == pytest.approx(exact.eigenvalues, rel=2e-3)
    # The same operator in single precision has no digit of the last value.
    K = [gaussian(np.square(X[:, None] - X[None]).sum(-1), 41.0).astype(np.float32) for X in Xs]
    rows, columns = K[0] @ K[1].sum(axis=1), K[1] @ K[0].sum(axis=1)
    B = K[0] @ K[1] / np.sqrt(rows[:, None] * columns[None, :])
    known = np.sqrt(rows)[:, None] / np.linalg.norm(np.sqrt(rows))
    single = block_davidson(lambda V: B @ (B.T @ V), known, 6, Task(), angle=2e-2)
    assert abs(np.sqrt(max(single.values[5], 0.0)) - exact.eigenvalues[6]) > 0.1 * exact.eigenvalues[6]


# A whole drag at rest against dense float64 -----------------------------------------------------------------------


def clusters(values, gap=1e-6):
    """Slices of eigenvalues no farther apart than `gap` from their neighbours."""
    edges = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(values)) if a - b > gap), len(values)]
    return [slice(a, b) for a, b in pairwise(edges)]


def sweep_data(n_views, n=300):
    random = np.random.default_rng(n_views)
    t = np.sort(random.random(n)) * 2 * np.pi
    ring = np.column_stack([np.cos(t), np.sin(t), 0.5 * np.sin(2 * t)])
    return [ring @ random.standard_normal((3, 3)) + 0.05 * random.standard_normal((n, 3)) for _ in range(n_views)]


@pytest.mark.parametrize("n_views", [1, 3, *(pytest.param(n, marks=pytest.mark.nightly) for n in (2, 6))])
@pytest.mark.parametrize("eta", [0.0, 0.3, pytest.param(1.0, marks=pytest.mark.nightly)])
def test_thirty_steps_at_rest_agree_with_dense_double_precision(n_views, eta):
    if n_views == 1 and eta:
        pytest.skip("a single view has no weight to stay in it")
    if n_views == 1:
        method, extra = "single", {}
    else:
        method, extra = "multiview", {"eta": eta}
    # Samples enough to be iterated, the operator of all views having as many rows as they have samples together.
    Xs, k, former = sweep_data(n_views, 300 if n_views < 3 or eta == 1.0 else 120), 8, []
    D = [np.square(X[:, None] - X[None]).sum(-1) for X in Xs]
    for step, epsilon in enumerate(np.geomspace(0.1, 3.0, 30)):
        found = embed(Xs, method, epsilon=epsilon, n_components=k, start=former[-2:], **extra)
        former.append(found)
        if n_views > 1 and step % 5:  # the dense solver needs a tenth of a second for each
            continue
        kernels = [np.exp(-d / (2 * epsilon)) for d in D]
        blocks = [[K] for K in kernels] if eta == 1.0 else [kernels]
        for b, own in enumerate(blocks):
            if n_views == 1:
                matrix = own[0]
            elif eta == 1.0:
                matrix = own[0] @ own[0]
            else:
                matrix = multiview_kernel(own, eta)
            degrees = matrix.sum(axis=1)
            values, vectors = np.linalg.eigh(matrix / np.sqrt(degrees[:, None] * degrees[None, :]))
            values, vectors = values[::-1][: k + 1], vectors[:, ::-1] / np.sqrt(degrees)[:, None]
            ours = found.decomposition.values_of(b)
            assert np.abs(ours - values).max() < 1e-6
            psi = found.decomposition.blocks[b] if eta == 1.0 else np.vstack(found.decomposition.blocks)
            for part in clusters(values)[:-1]:  # the last cluster may go on beyond what is computed
                assert angle(psi[:, part], vectors[:, part]) < 1e-4
