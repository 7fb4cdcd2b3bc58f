"""Drafts of many samples: a random part is solved, and the others are placed."""

import dense
import numpy as np
import pytest

from mvexplorer.engine.api import plan as planning
from mvexplorer.engine.api.embedding import carry_out, embed, select_epsilon
from mvexplorer.engine.api.plan import drafted_on_part, plan
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import solve
from mvexplorer.engine.pipeline.stages import remember_once

WALKS = ("single", "kernel-product", "kernel-sum", "multiview", "de-sa", "alternating")
M, PART = 3000, 1000
NO_LOOPS = {"n_components": 2, "self_loops": False}


@pytest.fixture(autouse=True)
def first_pictures_too(monkeypatch):
    """So that no former step is needed: first pictures are of a part from 5,001 samples on."""
    monkeypatch.setattr(planning, "MANY_AT_FIRST", M)


@pytest.fixture(scope="module")
def data():
    """Two noisy views of a torus."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(0, 2 * np.pi, (2, M))
    torus = np.column_stack([(3 + np.cos(b)) * np.cos(a), (3 + np.cos(b)) * np.sin(a), np.sin(b)])
    return MultiView([torus @ rng.standard_normal((3, 5)) + 0.1 * rng.standard_normal((M, 5)) for _ in range(2)])


@pytest.fixture(scope="module")
def epsilon(data):
    return tuple(value / 2 for value in select_epsilon(data, "median"))


@pytest.mark.parametrize("method", WALKS)
def test_a_draft_of_many_samples_is_near_the_exact_answer(data, epsilon, method):
    draft = embed(data, method, epsilon=epsilon, n_components=3, interactive=True)
    exact = embed(data, method, epsilon=epsilon, n_components=3)
    assert draft.info["random_part"] == PART
    told = dict(draft.warnings)
    assert told["draft-of-part"].startswith("Solved on a random part of 1,000 of the 3,000 samples")
    assert told["draft-of-part"].level == "info"
    assert "rough" not in told
    assert draft.coordinates.shape == exact.coordinates.shape
    for ours, theirs in zip(_blocks(draft), _blocks(exact), strict=True):
        assert angle_between(ours[:, :2], theirs[:, :2]) < 0.15
    np.testing.assert_allclose(draft.eigenvalues[:3], exact.eigenvalues[:3], atol=0.02)


def angle_between(first, second):
    """Largest principal angle between the columns' spans."""
    overlap = np.linalg.qr(first)[0].T @ np.linalg.qr(second)[0]
    return np.arccos(np.clip(np.linalg.svd(overlap, compute_uv=False).min(), -1, 1))


def _blocks(embedding):
    return embedding.view_coordinates or (embedding.coordinates,)


def test_the_others_are_placed_by_the_formula(data, epsilon):
    """ψ(x) = Σ_j k(x, x_j) ψ_j / (λ Σ_j k(x, x_j)), with loops of nothing but the part's samples."""
    draft = embed(data, "single", view="view1", epsilon=epsilon[0], n_components=3, interactive=True)
    part = np.sort(np.random.default_rng(0).permutation(M)[:PART])
    others = np.setdiff1d(np.arange(M), part)
    X = data.Xs[0]
    K = dense.gaussian(X[part], epsilon[0])
    values, vectors = np.linalg.eigh(K / np.sqrt(np.outer(K.sum(0), K.sum(0))))
    psi = vectors[:, -2] / np.sqrt(K.sum(0))
    rows = np.exp(-dense.squared(X[others], X[part]) / (2 * epsilon[0]))
    expected = np.empty(M)
    expected[part], expected[others] = psi, rows @ psi / rows.sum(1) / values[-2]
    found = draft.coordinates[:, 0]
    assert abs(np.corrcoef(found, expected)[0, 1]) > 1 - 1e-5


@pytest.mark.nightly
def test_a_rule_looks_at_the_samples_that_the_exact_answer_looks_at(data):
    draft = embed(data, "multiview", epsilon="max-min", n_components=2, interactive=True)
    assert draft.epsilon == embed(data, "multiview", epsilon="max-min", n_components=2).epsilon


@pytest.mark.parametrize("method", ["single", "kernel-sum", "kernel-product", "multiview"])
def test_a_sample_far_from_the_part_is_placed_by_those_nearest_to_it(data, method):
    tiny = tuple(value / 1e5 for value in select_epsilon(data, "median"))
    draft = embed(data, method, epsilon=tiny, n_components=2, interactive=True)
    assert draft.info["random_part"] == PART
    assert np.isfinite(draft.coordinates).all()


@pytest.mark.parametrize("kernel", ["knn-30", "self-tuning-7"])
def test_no_part_stands_for_neighbours(data, kernel):
    """Those of a part are farther away, and the kernel is another one."""
    assert parse_kernel(kernel).neighbours
    found = embed(data, "single", view="view1", kernel=kernel, epsilon=1.0, n_components=2, interactive=True)
    assert "random_part" not in found.info


def test_landmarks_are_stood_for_by_a_part(data, epsilon, monkeypatch):
    monkeypatch.setattr(planning, "FIRST_SHARE", np.inf)
    draft = embed(data, "kernel-sum", kernel="landmarks-500", epsilon=epsilon, n_components=2, interactive=True)
    assert draft.info["random_part"] == PART
    assert draft.kernels == ("gaussian", "gaussian")


def test_the_next_step_starts_from_the_last(data, epsilon):
    first = embed(data, "multiview", epsilon=epsilon, n_components=2, interactive=True)
    cold, warm = Task(), Task()
    near = tuple(1.02 * e for e in epsilon)
    embed(data, "multiview", epsilon=near, n_components=2, interactive=True, task=cold)
    embed(data, "multiview", epsilon=near, n_components=2, interactive=True, task=warm, start=[first])
    assert warm.products < cold.products


def test_which_samples_are_known_ones_is_looked_for_once_in_a_drag(data, epsilon, monkeypatch):
    """Without self-loops a part's own samples must not be their own neighbours; every step places the same ones."""
    counted, looked_for = [], solve.twins_of
    monkeypatch.setattr(solve, "twins_of", lambda *a: counted.append(1) or looked_for(*a))
    memo, drafts = remember_once(), []
    for factor in (1.0, 1.1, 1.21):
        step = plan(get_method("multiview"), data, None, "gaussian", [factor * e for e in epsilon], NO_LOOPS)
        drafts.append(carry_out(step, data, EmbedOptions(Task(), memo, interactive=True)))
    assert [draft.info["random_part"] for draft in drafts] == [PART] * 3
    once = len(counted)
    alone = carry_out(step, data, EmbedOptions(Task(), remember_once(), interactive=True))
    assert len(counted) == 2 * once > 0
    np.testing.assert_array_equal(alone.coordinates, drafts[-1].coordinates)


def test_of_very_many_samples_a_smaller_part_is_solved():
    method, line = get_method("multiview"), np.arange(20_000.0)[:, None]
    parts = [drafted_on_part(plan(method, MultiView([line[:n], line[:n]]))) for n in (2999, 3000, 12_000, 20_000)]
    assert [part and part.subsample for part in parts] == [None, 1000, 1000, 600]


@pytest.mark.parametrize(("n_samples", "landmarks", "drafted"), [
    (400_000, 100, False),  # three passes over them take less time than placing all samples by a part of 500
    # So does one product with those that are kept in memory.
    pytest.param(1_000_000, 20, False, marks=pytest.mark.nightly),
    (1_000_000, 500, False),  # these take longer, but a draft would make the user wait half as long again
    (1_000_000, 2000, True),
    (30_000, 1000, True),
])  # fmt: skip
def test_a_first_picture_by_few_landmarks_is_of_all(n_samples, landmarks, drafted):
    line = np.broadcast_to(np.arange(float(n_samples))[:, None], (n_samples, 50))
    made = plan(get_method("multiview"), MultiView([line, line]), kernels=f"landmarks-{landmarks}")
    assert (drafted_on_part(made, cold=True) is not None) == drafted
    assert drafted_on_part(made).subsample >= 500  # while a slider moves


def test_a_first_picture_of_few_thousand_samples_is_of_all(data, epsilon, monkeypatch):
    monkeypatch.undo()
    first = embed(data, "multiview", epsilon=epsilon, n_components=2, interactive=True)
    assert "random_part" not in first.info
    next_step = embed(data, "multiview", epsilon=epsilon, n_components=2, interactive=True, start=[first])
    assert next_step.info["random_part"] == PART
