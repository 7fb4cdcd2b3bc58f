"""The bars of salhov2015’s figures can be missed and reached: a fault or another setting tells."""

import numpy as np
import pytest

from mvexplorer.engine.methods.shared import mgc
from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.salhov2015 import squares
from mvexplorer.experiments.table import find_experiment


def held(id):
    return [bar.holds for bar in run_experiment(find_experiment(id)).outcome.bars]


def test_an_error_in_the_representation_stops_the_fall(monkeypatch):
    true = mgc.representation
    monkeypatch.setattr(mgc, "representation", lambda *of: true(*of) * (1.0 + 1e-5))
    assert held("salhov2015-fig6.2")[3] is False


def test_an_order_that_is_not_followed_is_told(monkeypatch):
    true = mgc.representation
    monkeypatch.setattr(mgc, "representation", lambda X, m, epsilon, order: true(X, m, epsilon, 14 - order))
    assert held("salhov2015-fig6.2")[1] is False


def test_rises_below_rounding_do_not_count():
    assert squares.rises(np.array([1.0, 2.0, 1e-20, 2e-20]), np.full(4, 1e-19)) == 1


@pytest.mark.parametrize(
    ("name", "fault", "missed"),
    [
        ("paper_bound", lambda true: lambda *of: 0.5 * true(*of), 0),
        ("paper_bound", lambda true: lambda norms, m, epsilon, order, nu: true(norms, m, epsilon, 15 - order, nu), 2),
        ("largest_norms", lambda true: lambda *of: 0.5 * true(*of), 0),
    ],
)
def test_a_bound_that_is_too_small_or_does_not_fall_is_told(monkeypatch, name, fault, missed):
    monkeypatch.setattr(mgc, name, fault(getattr(mgc, name)))
    assert held("salhov2015-fig6.3")[missed] is False
