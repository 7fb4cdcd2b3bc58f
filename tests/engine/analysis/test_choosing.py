"""The best place by a score: where it gains more than the spread, and never where the picture is torn."""

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.engine.analysis.choosing import HARDLY, BestPlace, Tried, best_place, is_torn
from mvexplorer.engine.metrics import Score


def tried(*scores):
    """Places 1, 2, ... with (value, spread), None where there is no picture, and a third entry where it is torn."""
    return [
        Tried(place, None) if one is None else Tried(place, Score(*one[:2]), torn=len(one) > 2)
        for place, one in enumerate(scores, start=1)
    ]


@pytest.mark.parametrize(
    ("places", "start", "expected"),
    [
        (tried((0.90, 0.01), (0.93, 0.02), (0.95, 0.01)), 0, BestPlace(2, "gain", 0.01)),
        (tried((0.90, 0.01), (0.92, 0.03)), 0, BestPlace(0, "within", 0.03)),
        (tried((0.90, 0.05), (0.93, 0.01)), 0, BestPlace(0, "within", 0.05)),
        (tried((0.90, 0.25), (1.15, 0.25)), 0, BestPlace(0, "within", 0.25)),
        (tried((0.90, 0.01), (0.99, 0.01, "torn"), (0.93, 0.01)), 0, BestPlace(2, "gain", 0.01)),
        (tried((0.99, 0.01, "torn"), (0.70, 0.02), (0.80, 0.03)), 0, BestPlace(2, "torn", 0.03)),
        (tried(None, (0.70, 0.02)), 0, BestPlace(1, "torn", 0.02)),
        (tried((0.5, 0.1, "torn"), None, (float("nan"), 0.1)), 0, BestPlace(0, "nowhere", None)),
        (tried((0.90, None), (0.99, None)), 0, BestPlace(0, "within", None)),
        (tried((0.9, 0.01)), 0, BestPlace(0, "within", 0.01)),
        (tried((0.9, 0.01), (0.8, 0.01), (0.9, 0.01), (0.9, 0.01)), 1, BestPlace(0, "gain", 0.01)),
    ],
)
def test_the_best_place_is_chosen_where_it_gains_more_than_the_spread(places, start, expected):
    assert best_place(places, start) == expected


def test_a_gain_that_nobody_sees_moves_nothing():
    places = tried((0.950, 0.001), (0.954, 0.001), (0.964, 0.001))
    assert best_place(places[:2], 0) == BestPlace(1, "gain", 0.001)
    assert best_place(places[:2], 0, least=HARDLY) == BestPlace(0, "within", 0.001)
    assert best_place(places, 0, least=HARDLY) == BestPlace(2, "gain", 0.001)


def test_of_some_scores_the_lowest_is_best():
    places = tried((0.50, 0.05), (0.20, 0.05), (0.90, 0.05))
    assert best_place(places, 0, lowest=True) == BestPlace(1, "gain", 0.05)
    assert best_place(places, 1, lowest=True) == BestPlace(1, "within", 0.05)


def test_a_walk_in_pieces_is_torn():
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[20:] += 30.0
    data = mvx.MultiView([X, X + 0.1])
    for method in ("single", "kernel-sum", "multiview"):
        assert is_torn(mvx.embed(data, method, epsilon=2.0, n_components=3))
        assert not is_torn(mvx.embed(data, method, epsilon=2000.0, n_components=3))


def test_what_is_no_walk_is_never_torn():
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert not is_torn(mvx.embed(mvx.MultiView([X, X]), "cca", n_components=2))
