"""Drafts: one block step from a former answer, close to the exact one, never remembered as it."""

import numpy as np
import pytest

from mvexplorer.datasets.generators import make_coupled_circles
from mvexplorer.engine.embedding import embed
from mvexplorer.engine.registry import methods
from mvexplorer.engine.task import Task

DATA = make_coupled_circles(n_samples=420, random_state=1)
CASES = [
    *((m.id, {}) for m in methods() if m.drafts and m.min_views <= 2),
    ("multiview", {"eta": 0.3}),
    ("multiview", {"eta": 1.0}),
]


def subspace_angle(A, B):
    """Largest principal angle between the column spaces of A and B, in radians."""
    cosines = np.linalg.svd(np.linalg.qr(A)[0].T @ np.linalg.qr(B)[0], compute_uv=False)
    return float(np.arccos(np.clip(cosines.min(), 0.0, 1.0)))


@pytest.mark.parametrize(("method", "extra"), CASES, ids=lambda v: str(v))
def test_a_drag_of_small_steps_stays_close_to_the_exact_answer(method, extra):
    epsilon = 0.3
    former = embed(DATA, method, epsilon=epsilon, n_components=8, t=1, **extra) if method != "de-sa" else embed(
        DATA, method, epsilon=epsilon, n_components=8
    )  # fmt: skip
    options = {"n_components": 8, **extra}
    for _ in range(5):
        epsilon *= 1.03
        former = embed(DATA, method, epsilon=epsilon, start=former.decomposition, **options)
    exact = embed(DATA, method, epsilon=epsilon, **options)
    assert former.eigenvalues == pytest.approx(exact.eigenvalues, abs=2e-3)
    # Ritz values approach from below, except that a product of lengths is taken for two views.
    assert np.all(former.eigenvalues <= exact.eigenvalues + 1e-9)
    for drafted, true in zip(former.decomposition.blocks, exact.decomposition.blocks, strict=True):
        assert subspace_angle(drafted[:, :4], true[:, :4]) < 0.05


def test_a_draft_costs_two_block_products_and_is_not_remembered():
    remembered = {}

    def memo(key, compute):
        if key not in remembered:
            remembered[key] = compute()
        return remembered[key]

    exact = embed(DATA, "multiview", epsilon=0.3, n_components=8, memo=memo)
    known = {key for key in remembered if key[0] == "decomposition"}
    task = Task()
    embed(DATA, "multiview", epsilon=0.31, n_components=8, memo=memo, start=exact.decomposition, task=task)
    assert task.products == 2
    assert {key for key in remembered if key[0] == "decomposition"} == known


def test_a_start_that_does_not_fit_is_ignored():
    fewer = embed(DATA, "kernel-sum", epsilon=0.3, n_components=2)
    other = embed(make_coupled_circles(n_samples=300), "kernel-sum", epsilon=0.3, n_components=8)
    exact = embed(DATA, "kernel-sum", epsilon=0.3, n_components=8)
    for start in (fewer.decomposition, other.decomposition):
        found = embed(DATA, "kernel-sum", epsilon=0.3, n_components=8, start=start)
        assert found.eigenvalues == pytest.approx(exact.eigenvalues, abs=1e-12)
