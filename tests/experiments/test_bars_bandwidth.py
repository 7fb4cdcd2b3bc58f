"""The bars of bandwidth’s figures can be missed and reached: a fault or another setting tells."""

from dataclasses import replace

import numpy as np
import pytest

from mvexplorer.experiments.bandwidth import manifold, pair, seismic, spirals
from mvexplorer.experiments.measures import rank_correlation, spearman
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import find_experiment


def held(id):
    return [bar.holds for bar in run_experiment(find_experiment(id)).outcome.bars]


def test_a_falling_curve_is_not_correlated_with_a_rising_one():
    rising = np.arange(20.0)
    assert spearman(rising, np.exp(-rising)) == -1.0
    assert rank_correlation(rising, np.exp(-rising)) == 1.0


def test_the_coupling_between_classes_is_flat_only_where_it_does_not_change(monkeypatch):
    data = pair.PAIR.load()
    assert pair.perturbation(data, np.array([1e9]))[0] == pytest.approx(np.sqrt(2 * 100 * 100))
    monkeypatch.setattr(pair, "perturbation", lambda _, axis: np.ones(len(axis)))
    assert held("bandwidth-fig4.8") == [True]


def test_maps_that_do_not_follow_epsilon_are_told(monkeypatch):
    mapped = spirals.mapped
    data = spirals._source(0.02).load(n_samples=200)
    assert spirals.silhouette_claim(spirals._range(data)).holds
    monkeypatch.setattr(spirals, "mapped", lambda data, _, d: mapped(data, 1.0, d))
    assert not spirals.silhouette_claim(spirals._range(data)).holds


def test_in_one_dimension_epsilon_decides_the_accuracy(monkeypatch):
    """So the bar can be reached; in the plane, where the paper draws, it is not."""
    monkeypatch.setattr(spirals, "PLANE", 1)
    influence, _, _ = spirals._peaks(spirals._source(0.02).load(n_samples=200))
    assert influence > 0.3


def unweighed(X, **_):
    return replace(manifold_scaling(X[:, :4], dimension=2), weights=np.ones(X.shape[1]))


manifold_scaling = seismic.manifold_scaling


def test_weights_of_one_leave_the_spoilt_channel_as_it_is(monkeypatch):
    monkeypatch.setattr(seismic, "manifold_scaling", unweighed)
    *_, part = seismic._correlations(62, (0.0, 0))
    assert part == pytest.approx(1.0)
    assert [bar.holds for bar in seismic.seismic_claims(0.7, 0.0, part)] == [True, True, False]


@pytest.mark.nightly
def test_weights_of_one_do_not_suppress_the_noise_of_the_turning_digit(monkeypatch):
    ours, *others = manifold._radius_variances((0.25, 0))
    assert ours / min(others) <= 0.5
    monkeypatch.setattr(manifold, "manifold_scaling", unweighed)
    ours, *others = manifold._radius_variances((0.25, 0))
    assert ours / min(others) > 0.5
