"""Scores without classes, against explicit loops."""

from itertools import combinations

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine import metrics
from mvexplorer.engine.analysis.label_free import LOOKING, scores_of
from mvexplorer.engine.core.task import Cancelled, Task

RANDOM = np.random.default_rng(11)
VIEWS = {"a": RANDOM.standard_normal((60, 4)), "b": RANDOM.standard_normal((60, 3))}
PICTURE = VIEWS["a"][:, :2] + 0.3 * RANDOM.standard_normal((60, 2))


def order_of(X, i):
    """All other samples, the nearest first."""
    others = [j for j in range(len(X)) if j != i]
    return sorted(others, key=lambda j: (sum((X[i, c] - X[j, c]) ** 2 for c in range(X.shape[1])), j))


def by_loops(Y, X, k):
    """Trustworthiness and neighbours kept of every sample."""
    M, trusted, kept = len(Y), [], []
    for i in range(M):
        near, there = order_of(Y, i)[:k], order_of(X, i)
        penalty = sum(max(0, there.index(j) + 1 - k) for j in near)
        trusted.append(1.0 - 2.0 * penalty / (k * (2 * M - 3 * k - 1)))
        kept.append(len(set(near) & set(there[:k])) / k)
    return np.array(trusted), np.array(kept)


@pytest.mark.parametrize("k", [1, 7, 15])
def test_they_are_those_of_plain_loops(k):
    found = scores_of(PICTURE, [PICTURE], VIEWS, [1.0, 0.9, -0.5, 0.4], k=k)
    each = {name: by_loops(PICTURE, X, k) for name, X in VIEWS.items()}
    trusted = np.mean([trusted for trusted, _ in each.values()], axis=0)
    kept = np.mean([kept for _, kept in each.values()], axis=0)
    assert found.trustworthiness.value == pytest.approx(trusted.mean(), abs=1e-12)
    assert found.trustworthiness.spread == pytest.approx(trusted.std(ddof=1) / 60**0.5, abs=1e-12)
    assert found.neighbours_kept.value == pytest.approx(kept.mean(), abs=1e-12)
    assert found.neighbours_kept.spread == pytest.approx(kept.std(ddof=1) / 60**0.5, abs=1e-12)
    assert dict(found.kept) == pytest.approx({name: kept.mean() for name, (_, kept) in each.items()}, abs=1e-12)
    assert found.gap.value == pytest.approx(0.4)
    assert found.chance == pytest.approx(k / 59)


def test_trustworthiness_is_that_of_the_public_function_on_the_leading_coordinates():
    Y = np.column_stack([PICTURE, RANDOM.standard_normal((60, 6))])
    found = scores_of(Y, [PICTURE], {"a": VIEWS["a"]}, k=9)
    assert found.trustworthiness.value == pytest.approx(
        metrics.trustworthiness(PICTURE, VIEWS["a"], n_neighbors=9).value, abs=1e-12
    )
    assert found.neighbours_kept.value == pytest.approx(by_loops(Y, VIEWS["a"], 9)[1].mean(), abs=1e-12)
    assert found.gap is None


def test_few_samples_have_fewer_neighbours_and_many_are_drawn_from():
    few = scores_of(PICTURE[:7], [PICTURE[:7]], {"a": VIEWS["a"][:7]})
    assert few.chance == pytest.approx(3 / 6)
    X = RANDOM.standard_normal((LOOKING + 500, 3))
    many = scores_of(X, [X], {"a": X})
    assert (many.trustworthiness.value, many.neighbours_kept.value) == (1.0, 1.0)
    assert many.chance == pytest.approx(15 / (LOOKING - 1))


def test_by_chance_they_are_what_they_are_said_to_be():
    X, Y = RANDOM.standard_normal((800, 4)), RANDOM.standard_normal((800, 3))
    found = scores_of(Y, [Y], {"a": X})
    assert abs(found.trustworthiness.value - 0.5) < 0.02
    assert abs(found.neighbours_kept.value - found.chance) < 4 * found.neighbours_kept.spread


def test_it_can_be_stopped():
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        scores_of(PICTURE, [PICTURE], VIEWS, task=task)


def test_the_public_function_prepares_the_views_and_reads_the_walk():
    data = mvx.MultiView(VIEWS, preprocess="zscore")
    panel = mvx.embed(data, "multiview", n_components=9)
    found = mvx.label_free(panel, data, k=7)
    prepared = {name: (X - X.mean(axis=0)) / X.std(axis=0) for name, X in VIEWS.items()}
    blocks = panel.view_coordinates
    assert found == scores_of(panel.coordinates, blocks, prepared, panel.eigenvalues, k=7)
    assert [name for name, _ in mvx.label_free(panel, data, views=["b"]).kept] == ["b"]
    assert mvx.label_free(mvx.embed(data, "pca"), data).gap is None
    with pytest.raises(mvx.errors.DataError, match="at least four samples"):
        mvx.label_free(panel, data, views=[])


def test_neighbours_are_those_by_the_metric_that_is_asked_for():
    data = mvx.MultiView(VIEWS, preprocess="zscore")
    panel = mvx.embed(data, "multiview", n_components=9)
    prepared = {name: (X - X.mean(axis=0)) / X.std(axis=0) for name, X in VIEWS.items()}
    measured = {}
    for name, X in prepared.items():
        centred = X - X.mean(axis=1, keepdims=True) if X.shape[1] >= 3 else X
        measured[name] = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    metric = {name: "correlation" if X.shape[1] >= 3 else "cosine" for name, X in prepared.items()}
    found = mvx.label_free(panel, data, k=7, metric=metric)
    expected = scores_of(panel.coordinates, panel.view_coordinates, measured, panel.eigenvalues, k=7)
    assert found.trustworthiness.value == pytest.approx(expected.trustworthiness.value, abs=1e-12)
    assert found != mvx.label_free(panel, data, k=7)
    with pytest.raises(mvx.errors.ParameterError, match="There is no metric"):
        mvx.label_free(panel, data, metric="manhattan")


def test_of_a_picture_with_blocks_trustworthiness_is_the_mean_and_tables_of_affinities_do_not_count():
    data = mvx.MultiView(VIEWS)
    panel = mvx.embed(data, "multiview", n_components=9)
    each = [metrics.trustworthiness(Y[:, :6], X, n_neighbors=7).value for Y in panel.view_coordinates for X in data.Xs]
    assert mvx.label_free(panel, data, k=7).trustworthiness.value == pytest.approx(np.mean(each), abs=1e-12)
    affinities = np.exp(-0.5 * np.square(VIEWS["a"][:, None] - VIEWS["a"]).sum(axis=2))
    mixed = mvx.MultiView({"a": affinities, "b": VIEWS["b"]})
    joined = mvx.embed(mixed, "kernel-sum", kernel=["precomputed", "gaussian"])
    assert [name for name, _ in mvx.label_free(joined, mixed).kept] == ["b"]


def test_the_views_coordinates_agree_as_far_as_they_share_neighbours():
    blocks = [PICTURE, VIEWS["a"], RANDOM.standard_normal((60, 3))]
    found = scores_of(np.hstack(blocks), blocks, VIEWS, k=7).agreement
    each = [by_loops(first, second, 7)[1] for first, second in combinations(blocks, 2)]
    assert found.value == pytest.approx(np.mean(each), abs=1e-12)
    assert found.spread == pytest.approx(np.mean(each, axis=0).std(ddof=1) / 60**0.5, abs=1e-12)
    assert scores_of(PICTURE, [PICTURE], VIEWS).agreement is None


def test_views_whose_samples_lie_at_one_place_agree_on_nothing():
    """Where ties decide who is near, the samples' numbers would agree."""
    alone = np.zeros((60, 2))
    alone[3] = 1.0
    assert scores_of(PICTURE, [PICTURE, alone], VIEWS).agreement is None
