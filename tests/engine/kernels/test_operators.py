"""Products of kernels shared among threads: the same digits as without, whatever the kernel."""

import threading

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

from mvexplorer.compute.run.blocks import BlockExecutor
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels import operators
from mvexplorer.engine.kernels.operators import Float32Kernel, LowRankOperator, ThreadedOperator

N = 300


def symmetric(seed=0):
    X = np.random.default_rng(seed).standard_normal((N, 4))
    return np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))


def sparse():
    half = random_array((N, N), density=0.05, rng=np.random.default_rng(1)).tocsr()
    return csr_array(half + half.T)


def low_rank(root):
    rng = np.random.default_rng(2)
    C = rng.random((N, 20))
    return LowRankOperator(C, C, root=rng.standard_normal((20, 12)) if root else None)


KERNELS = {
    "dense": symmetric, "single precision": lambda: symmetric().astype(np.float32), "sparse": sparse,
    "rounded": lambda: Float32Kernel(symmetric().astype(np.float32)), "low rank": lambda: low_rank(False),
    "rooted": lambda: low_rank(True),
    "low rank, rounded": lambda: LowRankOperator(low_rank(False).left.astype(np.float32), low_rank(False).right),
}  # fmt: skip


def table(kernel):
    return kernel.toarray() if hasattr(kernel, "toarray") else np.asarray(kernel)


@pytest.fixture
def many_parts(monkeypatch):
    """Even small products are worth sharing."""
    monkeypatch.setattr(operators, "THREAD_PRODUCTS", 7 * N)
    monkeypatch.setattr(operators, "THREAD_ENTRIES", 500)
    monkeypatch.setattr(operators, "CONVERTED_ENTRIES", 5 * N)
    monkeypatch.setattr(operators, "STRIP_ROWS", 64)
    monkeypatch.setattr(operators, "TILE_COLUMNS", 50)


@pytest.fixture
def pool():
    pool = BlockExecutor(3)
    yield pool
    pool.shutdown()


@pytest.mark.parametrize("columns", [None, 1, 5])
@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS.keys())
def test_products_on_threads(make, columns, many_parts, pool):
    kernel, shape = make(), (N,) if columns is None else (N, columns)
    V = np.random.default_rng(3).standard_normal(shape)
    alone = ThreadedOperator(kernel, Task()) @ V
    together = ThreadedOperator(kernel, Task(run_all=pool.run_all)) @ V
    assert together.dtype == np.float64
    np.testing.assert_array_equal(together, alone)  # whoever is first, to the last digit
    np.testing.assert_allclose(together, table(kernel).astype(float) @ V, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, operators.FEW_VECTORS])
def test_products_with_few_vectors_read_half_of_a_rounded_kernel(columns, dtype, many_parts):
    K = symmetric().astype(np.float32)
    V = np.random.default_rng(3).standard_normal((N, columns)).astype(dtype)
    squares = np.arange(N) // 64
    half = Float32Kernel(np.where(squares[:, None] > squares, np.float32(np.nan), K), dtype)
    assert (half @ V).dtype == dtype
    np.testing.assert_allclose(half @ V, K.astype(float) @ V, rtol=1e-5, atol=1e-5)
    assert np.isnan(half @ np.hstack([V] * 5)).any(), "of many vectors all is read, in one product"


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS.keys())
def test_row_sums(make, many_parts, pool):
    kernel = make()
    sums = ThreadedOperator(kernel, Task(run_all=pool.run_all)).sum(axis=1)
    np.testing.assert_allclose(sums, table(kernel).astype(float).sum(axis=1), rtol=1e-5)
    with pytest.raises(ValueError, match="row sums"):
        ThreadedOperator(kernel, Task()).sum(axis=0)


def test_threads_do_help(many_parts):
    pool = BlockExecutor(2)
    helpers, both = set(), threading.Barrier(2)

    class Watched(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, out=(), **rest):
            if not helpers:
                both.wait(timeout=300)  # only passed where two threads are at it
            helpers.add(threading.get_ident())
            plain = [np.asarray(i) if isinstance(i, Watched) else i for i in inputs]
            return getattr(ufunc, method)(*plain, out=out, **rest)

    ThreadedOperator(symmetric().view(Watched), Task(run_all=pool.run_all)) @ np.ones((N, 2))
    pool.shutdown()
    assert len(helpers) >= 2


def test_a_sparse_kernel_is_cut_without_being_copied(many_parts):
    kernel = sparse()
    parts = operators._parts(kernel)
    assert len(parts) > 5
    assert [rows.stop for rows, _ in parts[:-1]] == [rows.start for rows, _ in parts[1:]]
    assert all(np.shares_memory(part.data, kernel.data) for _, part in parts)


def test_a_product_nobody_waits_for_stops(many_parts, pool):
    task = Task(run_all=pool.run_all)
    task.cancel()
    with pytest.raises(Cancelled):
        ThreadedOperator(symmetric(), task) @ np.ones((N, 3))
