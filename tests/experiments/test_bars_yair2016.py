"""The bars of yair2016’s figures can be missed and reached: a fault or another setting tells."""

import numpy as np
import pytest

from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import find_experiment
from mvexplorer.experiments.yair2016 import icons, metric, pendulums


def held(id):
    return [bar.holds for bar in run_experiment(find_experiment(id)).outcome.bars]


def test_the_metric_at_one_sample_in_place_of_the_middle_point_is_told(monkeypatch):
    monkeypatch.setattr(metric, "hidden", lambda middle: np.full_like(middle, 1.0))
    assert held("yair2016-fig2") == [False, False, False, False]


@pytest.mark.parametrize(("setting", "rank"), [(1, 1), (1, 3), (2, 2), (2, 3)])
def test_few_directions_miss_the_common_icon(setting, rank):
    data = icons._source(setting).load()
    bars = icons.icon_claims(*icons._energies(icons._leading(data, rank)))
    assert not bars[0].holds
    assert not bars[1].holds or rank == 1  # of one direction nothing periodic is left


def test_every_direction_of_local_cca_follows_a_films_own_pendulum():
    *others, ours, every = (pendulums.energy(v) for v in pendulums._leading(pendulums.BESIDE.load()))
    assert all(bar.holds for bar in pendulums.beside(*others, ours))
    assert [bar.holds for bar in pendulums.beside(*others, every)] == [False, True, True, True]
    assert [bar.holds for bar in pendulums.beside(ours, ours, ours, ours)] == [True, False, False, False]
    assert [bar.holds for bar in pendulums.alone(every, ours, ours, ours)] == [True, False, False, False]
