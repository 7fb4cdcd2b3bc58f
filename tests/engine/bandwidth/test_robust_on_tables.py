"""The rule robust on sixty tables as people have them: nobody is left alone, and joined pictures lose nothing."""

import numpy as np
import pytest
from sixty_tables import KINDS, table, tables

import mvexplorer as mvx
from mvexplorer import metrics


def told(one, rule):
    """How well the kernel sum of a table and its clean view tells the classes, or the place along a curve."""
    found = mvx.embed({"table": one.X, "clean": one.clean}, "kernel-sum", epsilon=rule, n_components=3)
    score = metrics.knn_r2 if one.is_curve else metrics.knn_accuracy
    return score(found.coordinates[:, :3], one.truth, n_neighbors=10).value


@pytest.mark.nightly
def test_nobody_is_left_alone_and_joined_pictures_are_as_good_as_by_max_min():
    words, robust, max_min = [], [], []
    for one in tables():
        words.append(mvx.regimes({"table": one.X, "clean": one.clean})[0].regime)
        robust.append(told(one, "robust"))
        max_min.append(told(one, "max-min"))
    assert len(words) == 60
    assert words.count("isolated") <= 2
    assert np.mean(robust) >= 0.95
    assert np.mean(robust) >= np.mean(max_min) - 0.01


@pytest.mark.parametrize("seed", range(10))
def test_of_a_table_with_outliers_its_samples_are_named(seed):
    one = table("outliers", seed)
    far = np.argsort(-np.square(one.X).sum(axis=1))[: 1 + seed % 3]
    regime = mvx.regimes({"table": one.X, "clean": one.clean})[0]
    assert set(regime.facts.far) == set(far.tolist())
    assert "far from all others: max-min follows" in regime.sentence
    assert regime.facts.names == tuple(str(i) for i in sorted(far))


def test_kinds_and_shapes_are_as_they_are_said_to_be():
    every = list(tables())
    assert {one.kind for one in every} == set(KINDS)
    assert {len(one.X) for one in every} == {100, 120, 150, 200, 250, 300, 400, 500, 700, 1000}
    assert max(one.X.shape[1] for one in every) >= 2000
    unequal = table("unequal", 0)
    counts = np.bincount(unequal.truth)
    assert counts.max() / counts.min() > 19
    assert (table("counts", 1).X >= 0).all()
    assert np.array_equal(table("mixed", 3).X, table("mixed", 3).X)
