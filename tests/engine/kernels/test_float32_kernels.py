"""From some thousand samples on, matrices of all pairs are held once, in single precision; answers stay exact."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.kernels.operators import as_array
from mvexplorer.engine.pipeline import joint_kernel, view_kernel
from mvexplorer.engine.pipeline import solve as solve_stage
from mvexplorer.engine.pipeline.stages import Stages, nbytes, remember_once
from mvexplorer.engine.pipeline.view_kernel import kernel_of
from tests.engine.spectral.test_block_lanczos import dense_spectrum, noisy_circles
from tests.engine.spectral.test_davidson import angle

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


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian-l2", "self-tuning-1"])
def test_no_affinity_and_no_product_is_below_the_normal_numbers(kernel):
    """Processors are many times slower with such numbers, which far pairs would have at a small ε."""
    X = np.random.default_rng(0).standard_normal((60, 3)) + np.repeat([0.0, 500.0], 30)[:, None]
    data = mvx.MultiView({"one": X, "two": X[::-1]})
    kernels = [parse_kernel(kernel)] * 2
    stages = Stages(data, (0, 1), epsilon=(0.5, 0.5), kernels=kernels, memo=remember_once())
    exact, K = (as_array(kernel_of(s, 0)) for s in (stages, stages.in_float32()))
    assert K.dtype == np.float32
    assert exact.min() < 1e-40, "these are far apart"
    assert np.abs(K - exact).max() < 1e-6
    assert np.float64(K.min()) ** 2 > np.finfo(np.float32).tiny


def test_probabilities_that_are_not_resolved_are_none(monkeypatch):
    monkeypatch.setattr(view_kernel, "FLOAT32_SAMPLES", 50)
    X = np.linspace(0.0, 200.0, 80)[:, None]
    found = mvx.embed([X, X[::-1], X], "multiview", epsilon=1.0, n_components=1)
    p = mvx.transition_probabilities(found, 40, 2)
    monkeypatch.setattr(view_kernel, "FLOAT32_SAMPLES", 3000)
    exact = mvx.transition_probabilities(mvx.embed([X, X[::-1], X], "multiview", epsilon=1.0, n_components=1), 40, 2)
    assert ((exact > 0.0) & (exact < 1e-20)).any()
    assert (p[exact < 1e-15] == 0.0).all()
    assert np.allclose(p[exact > 1e-13], exact[exact > 1e-13], rtol=1e-3)
