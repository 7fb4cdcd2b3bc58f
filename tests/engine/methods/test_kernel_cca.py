"""Kernel CCA where correlations crowd at 1 and where they do not, against a dense solver of its formula."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.task import Task


@pytest.mark.parametrize(("gamma", "crowded"), [(1e-3, True), (1e-2, True), (30.0, False)])
@pytest.mark.parametrize("centred", [False, True])
def test_correlations_against_a_dense_solver(gamma, crowded, centred):
    rng = np.random.default_rng(0)
    a = rng.uniform(0.0, 2.0 * np.pi, 400)
    Xs = [np.column_stack([np.cos(a), np.sin(a), np.sin(k * a)]) + 0.05 * rng.standard_normal((400, 3)) for k in (2, 3)]
    task = Task()
    found = embed(
        Xs, "kernel-cca", epsilon=0.05, gamma=gamma, centred=centred, n_components=4, task=task
    )  # fmt: skip
    both = np.eye(400)
    for X in Xs:
        K = np.exp(-dense.squared(X) / 0.1)
        K = K - centred * (K.mean(axis=0) + K.mean(axis=0)[:, None] - K.mean())
        both = both @ (K @ np.linalg.inv(K + gamma * np.eye(400)))
    expected = np.linalg.svd(both, compute_uv=False)
    assert (expected[3] > 0.99) == crowded
    np.testing.assert_allclose(found.eigenvalues, expected[:4], atol=1e-9)
    assert task.products <= 40
