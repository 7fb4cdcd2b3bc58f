"""Doubly stochastic kernels in a drag: each step begins where the former ones lead to, and is as exact."""

import dense
import dense_ingredients as plain
import numpy as np
import pytest
from dense_ingredients import Form

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import StageKey
from mvexplorer.errors import ComputeError

FORM = {"normalisation": "doubly-stochastic", "n_components": 4}


@pytest.mark.parametrize(
    ("method", "stage"),
    [("single", "scaling"), ("kernel-sum", "scaling"), ("multiview", "scaling"), ("kernel-product", "product scaling")],
)
def test_steps_of_a_drag_begin_where_the_former_ones_lead_to(method, stage):
    Xs, epsilon = dense.views(300, 3)
    data, cache, answers = MultiView(Xs), StageCache(), []
    for factor in 1.03 ** np.arange(6):
        here = {"epsilon": [3.0 * factor * each for each in epsilon], **FORM}
        draft = embed(data, method, interactive=True, start=answers[-2:], memo=cache.memo(Task()), **here)
        answers.append(draft)
        np.testing.assert_allclose(draft.eigenvalues, embed(data, method, **here).eigenvalues, rtol=0, atol=5e-3)
    keys = tuple(data.view_key(i) for i in range(3))
    subject = keys if stage == "product scaling" else keys[0]
    scalings = cache.alike(StageKey(stage, subject, "float32"))
    assert len(scalings) == 6
    products = [each.products for each in sorted(scalings, key=lambda each: float(each.place.sum()))]
    assert products[0] >= 4
    assert max(products[3:]) <= 3


def test_outliers_take_newtons_few_products_at_a_step():
    """Profiles among UCI's digits: dividing by roots of the row sums would take hundreds."""
    data, cache, answers = mvx.load("uci-digits"), StageCache(), []
    view = data.view_index("mor")
    epsilon = np.array(mvx.select_epsilon(data, "median"))
    for factor in 0.97 ** np.arange(9):
        here = {"epsilon": list(factor * epsilon / 9), "view": "mor", **FORM}
        answers.append(embed(data, "single", interactive=True, start=answers[-2:], memo=cache.memo(Task()), **here))
    scalings = cache.alike(StageKey("scaling", data.view_key(view), "float32"))
    products = [each.products for each in sorted(scalings, key=lambda each: -float(each.place.sum()))]
    assert len(products) == 9
    assert max(products) <= 30
    assert max(products[3:]) <= 12


def test_a_draft_of_a_weighted_sum_weighs_the_scaled_kernels():
    Xs, epsilon = dense.views(150, 3)
    weights = (0.2, 3.0, 1.0)
    here = {"epsilon": [4.0 * each for each in epsilon], "view_weights": "0.2,3,1", **FORM}
    draft = embed(MultiView(Xs), "kernel-sum", interactive=True, **here)
    forms = [
        plain.formed(dense.gaussian(X, 4.0 * e), Form(loops=False, scaled=True))
        for X, e in zip(Xs, epsilon, strict=True)
    ]
    W = sum(w * K for w, K in zip(weights, forms, strict=True))
    values = np.sort(np.linalg.eigvals(W / W.sum(axis=1, keepdims=True)).real)[::-1]
    np.testing.assert_allclose(draft.eigenvalues[:4], values[:4], rtol=0, atol=5e-3)


def refusal(data, cache, **params):
    try:
        embed(data, "single", memo=cache.memo(Task()), **params)
    except ComputeError as error:
        return error.message
    return ""


def test_a_sample_that_loses_its_neighbours_is_seen_at_any_step():
    Xs, epsilon = dense.views(120, 2)
    Xs[0][0] += 4.0 * np.sqrt(epsilon[0])
    data, cache = MultiView(Xs), StageCache()
    refused: dict[bool, list[int]] = {True: [], False: []}
    for step in range(12):
        here = {"epsilon": [0.8**step * each for each in epsilon], **FORM}
        for interactive, steps in refused.items():
            sentence = refusal(data, cache, interactive=interactive, **here)
            if sentence:
                assert "no neighbours" in sentence
                steps.append(step)
    assert refused[True] == refused[False] == list(range(refused[False][0], 12))
