"""The rule robust: what it is on clean data, with outliers, heavy tails, duplicates, many samples."""

import dense
import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.bandwidth.curves import FEW, spanning_tree
from mvexplorer.engine.bandwidth.survey import evaluate_rules
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.errors import ComputeError


def cloud(n=200, d=3, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def nearest(X):
    D = dense.squared(X)
    return np.array([min(D[i, j] for j in range(len(X)) if j != i and D[i, j] > 0.0) for i in range(len(X))])


def robust(*Xs, **more):
    task = Task()
    chosen = mvx.select_epsilon(MultiView(list(Xs), **more), "robust", task=task)
    return chosen, [text for _, text in task.warnings]


@pytest.mark.validates("rule:robust")
def test_it_is_twice_the_quantile_of_the_distances_to_the_nearest():
    X = cloud()
    (chosen,), said = robust(X)
    assert chosen == pytest.approx(2.0 * np.quantile(nearest(X), 0.99), rel=1e-12)
    assert not said


def test_an_outlier_does_not_decide_it_and_is_named():
    X = cloud(600)
    (clean,), _ = robust(X)
    far = X.copy()
    far[17] = 400.0
    ids = [f"P-{i:04d}" for i in range(len(X))]
    (chosen,), (said,) = robust(far, sample_ids=ids)
    assert mvx.select_epsilon([far], "max-min")[0] > 1e4 * clean
    assert chosen == pytest.approx(clean, rel=0.2)
    assert said == (
        "ε of view1: max-min without the 1 % most isolated samples. Max-min would follow one sample: P-0017."
    )


def test_of_several_outliers_three_are_named_and_more_are_counted():
    X = np.vstack([cloud(400), 100.0 * np.eye(3)])
    assert robust(X)[1][0].endswith("Max-min would follow 3 samples: 400, 401 and 402.")
    X = np.vstack([cloud(600), 100.0 * np.eye(3), -100.0 * np.eye(3)])
    assert robust(X)[1][0].endswith("Max-min would follow 6 samples.")


def test_it_is_held_at_twice_the_median():
    X = np.random.default_rng(0).standard_normal((60, 60))  # in many dimensions all are equally far
    X[:4] *= 6.0
    (chosen,), (said,) = robust(X)
    median = mvx.select_epsilon([X], "median")[0]
    assert np.quantile(nearest(X), 0.99) > median
    assert chosen == pytest.approx(2.0 * median, rel=1e-12)
    assert "held at twice the median" in said


def test_where_samples_stand_alone_it_is_raised_to_the_next_on_a_grid_where_they_do_not():
    fours = [[7.0 * group, 50.0 + 0.1 * one] for group in range(8) for one in range(4)]
    X = np.vstack([cloud(300, 2), fours])
    (chosen,), (said,) = robust(X)
    D = dense.squared(X)
    plain = 2.0 * np.quantile(nearest(X), 0.99)

    def alone(epsilon):
        joined, left = np.exp(-D / (2 * epsilon)) >= 1e-3, set(range(len(X)))
        share = 0
        while left:
            piece, front = set(), [left.pop()]
            while front:
                i = front.pop()
                piece.add(i)
                new = [j for j in left if joined[i, j]]
                left -= set(new)
                front += new
            share += len(piece) if len(piece) < FEW else 0
        return share / len(X)

    tried = plain
    while alone(tried) > 0.05:
        tried *= 10**0.1
    assert chosen == pytest.approx(tried, rel=1e-9)
    assert 1.5 * plain < tried < 2.0 * np.median(D[np.triu_indices(len(X), 1)])
    assert "raised × " in said
    assert "10 % of the samples stood alone" in said


def test_where_they_stand_alone_up_to_twice_the_median_it_is_that():
    X = np.vstack([cloud(300, 2), [[40.0 * group, 500.0 + 0.1 * one] for group in range(8) for one in range(4)]])
    D = dense.squared(X)
    assert robust(X)[0][0] == pytest.approx(2.0 * np.median(D[np.triu_indices(len(X), 1)]), rel=1e-9)


def test_duplicates_do_not_count():
    X = np.repeat(cloud(100), 3, axis=0)
    X[::3] += 1e-9  # not to the bit
    (chosen,), _ = robust(X)
    assert chosen == pytest.approx(robust(cloud(100))[0][0], rel=0.05)


def test_of_many_samples_those_of_a_part_are_compared_with_all(monkeypatch):
    monkeypatch.setattr("mvexplorer.engine.pipeline.stages.MANY_SAMPLES", 100)
    monkeypatch.setattr("mvexplorer.engine.bandwidth.rules.spread.BLOCK_ROWS", 7)
    X = cloud(1500, 2)
    rows = np.sort(np.random.default_rng(0).permutation(1500)[:100])
    D = dense.squared(X)
    D[np.diag_indices(len(X))] = np.inf
    (chosen,), _ = robust(X)
    assert chosen == pytest.approx(2.0 * np.quantile(D[rows].min(axis=1), 0.99), rel=1e-9)
    survey = evaluate_rules(MultiView([X]), ["robust"])
    assert survey["view1"]["robust"].epsilon == pytest.approx(chosen)


def test_a_part_of_a_curve_is_neither_raised_nor_named(monkeypatch):
    """In a part of a curve nearly all stand alone; and its samples have no names of their own."""
    monkeypatch.setattr("mvexplorer.engine.pipeline.stages.MANY_SAMPLES", 60)
    t = np.linspace(0.0, 1.0, 3000)
    (chosen,), said = robust(np.column_stack([t, t**2]))
    assert chosen < 1e-5
    assert not any(text.startswith("ε of") for text in said)


def test_every_sample_is_within_reach_of_a_landmark():
    """A few landmarks lie farther apart than neighbours do: at the ε of all pairs some samples would see none."""
    X, kernel = np.random.default_rng(1).random((900, 2)), "landmarks-5"
    task = Task()
    (plain,), (chosen,) = (mvx.select_epsilon([X], "robust", kernel=k, task=task) for k in ("gaussian", kernel))
    landmarks = X[np.random.default_rng(0).permutation(900)[:5]]
    farthest = max(min(float(np.sum((x - y) ** 2)) for y in landmarks) for x in X)
    least = farthest / (2.0 * np.log(1e5))
    assert plain < least <= chosen < least * 10**0.1
    assert np.log10(chosen / plain) * 10 == pytest.approx(round(np.log10(chosen / plain) * 10), abs=1e-9)
    (said,) = [text for _, text in task.warnings if "landmarks" in text]
    assert said == (f"ε of view1 is raised × {chosen / plain:.1f}, since samples were out of reach of all landmarks.")
    assert np.isfinite(mvx.embed([X], "single", kernel=kernel, n_components=2).coordinates).all()
    (many,) = mvx.select_epsilon([X], "robust", kernel="landmarks-700")
    assert many == plain


def test_a_memory_that_is_shared_tells_kernels_apart():
    X, memo = np.random.default_rng(1).random((900, 2)), remember_once()
    each = [
        mvx.regimes([X], "robust", kernel=kernel, memo=memo)[0].facts.epsilon
        for kernel in ("gaussian", "landmarks-5", "gaussian", "laplacian-l2")
    ]
    alone = [
        mvx.select_epsilon([X], "robust", kernel=k)[0] for k in ("gaussian", "landmarks-5", "gaussian", "laplacian-l2")
    ]
    assert each == pytest.approx(alone)
    assert each[1] > 2.0 * each[0]


def test_a_sample_far_from_all_landmarks_does_not_decide():
    X = cloud(400, 2)
    X[7] = 1e4
    D = dense.squared(X)
    (chosen,) = mvx.select_epsilon([X], "robust", kernel="landmarks-50")
    assert chosen == pytest.approx(2.0 * np.median(D[np.triu_indices(len(X), 1)]), rel=1e-9)
    with pytest.raises(ComputeError, match="1 of 400 samples are out of reach of all 50 landmarks"):
        mvx.embed([X], "single", kernel="landmarks-50", random_state=0)


def test_pieces_of_the_spanning_tree_are_those_of_the_graph():
    X = np.vstack([cloud(40, 2), 50.0 + cloud(30, 2), -70.0 + cloud(3, 2)])
    D = dense.squared(X)
    tree = spanning_tree(D)
    assert np.allclose(D[tuple(tree.ends.T)], tree.tree)
    for reach in (0.05, 0.5, 30.0, 1e5):
        sizes = []
        left = set(range(len(X)))
        while left:
            piece, front = 0, [left.pop()]
            while front:
                i, piece = front.pop(), piece + 1
                new = [j for j in left if D[i, j] <= reach]
                left -= set(new)
                front += new
            sizes.append(piece)
        assert tree.alone(reach) == pytest.approx(sum(size for size in sizes if size < FEW) / len(X))
