"""From some thousand samples on, matrices of all pairs are held once, in single precision; answers stay exact."""

import numpy as np
import pytest

from mvexplorer.compute.cache import StageCache
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline import joint_kernel, view_kernel
from mvexplorer.engine.pipeline import solve as solve_stage
from mvexplorer.engine.pipeline.stages import nbytes
from tests.engine.test_block_lanczos import dense_spectrum, noisy_circles
from tests.engine.test_davidson import angle

N, R = 320, 6
METHODS = ("single", "kernel-sum", "kernel-product", "multiview")


@pytest.fixture
def in_single(monkeypatch):
    for module in (view_kernel, joint_kernel):
        monkeypatch.setattr(module, "FLOAT32_SAMPLES", 100)
    monkeypatch.setattr(solve_stage, "WORTH_BOTH", 0)


@pytest.mark.parametrize("method", METHODS)
def test_answers_meet_the_bars_at_rest(in_single, method):
    Xs = noisy_circles(N, n_views=1 if method == "single" else 2)
    values, vectors = dense_spectrum(Xs, 0.5, method)
    found = embed(Xs, method, epsilon=0.5, n_components=R)
    assert found.eigenvalues == pytest.approx(values[: R + 1], abs=1e-6)
    psi = np.vstack(found.decomposition.blocks)
    for j in range(1, R + 1):
        if values[j] - values[j + 1] > 0.01 * values[j]:
            assert angle(psi[:, 1 : j + 1], vectors[:, 1 : j + 1]) < 1e-4


@pytest.mark.parametrize("features", [6, 80])
def test_no_matrix_is_held_twice_or_in_double_precision(in_single, features):
    """Rules, first pictures and rest, as the window asks for them."""
    random = np.random.default_rng(0)
    Xs = [X @ random.standard_normal((6, features)) for X in noisy_circles(N)]
    cache, matrix, held = StageCache(), 4 * N * N, {}

    def memo(key, compute):
        value = cache.memo(task)(key, compute)
        held[key] = nbytes(value)
        return value

    task = Task()
    epsilon = select_epsilon(Xs, "median", memo=memo)
    for method in METHODS[1:]:
        for interactive in (True, False):
            embed(Xs, method, epsilon=epsilon, n_components=R, interactive=interactive, task=task, memo=memo)
    # Two views' kernels, and their product; drafts and exact answers share them.
    assert task.affinities == 3
    assert max(held.values()) == matrix
    large = sorted(key.stage for key, size in held.items() if size > 0.5 * matrix)
    assert large == ["distances", "distances", "kernel", "kernel", "product", "sum"]
