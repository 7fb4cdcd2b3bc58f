"""Every experiment in its quick form, against what the papers' mathematics is known to give."""

import pytest

from mvexplorer.errors import ParameterError
from mvexplorer.experiments.experiment import Bar, Outcome
from mvexplorer.experiments.repetitions import Run
from mvexplorer.experiments.running import run
from mvexplorer.experiments.table import EXPERIMENTS, find_experiment

EXPECTED = {
    "lindenbaum2015-eq24": "does not",
    "lindenbaum2015-fig22": "in part",
    "lindenbaum2015-fig24": "in part",
    "lindenbaum2015-fig26": "in part",
    "lindenbaum2015-table1": "in part",
    "lindenbaum2015-table3": "in part",
    "yair2016-fig10": "in part",
    "yair2016-fig12": "in part",
    "bandwidth-fig4.7": "in part",
    "bandwidth-fig4.12": "does not",
    "bandwidth-fig5.4": "does not",
    "eynard2012-fig2": "does not",
    "eynard2012-table1-circles": "in part",
    "eynard2012-fig8": "in part",
}
"""Verdicts of those that are known not to reproduce as printed."""


@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_verdict(experiment):
    found = run(experiment)
    missed = [(b.what, b.value, b.asked) for b in found.outcome.bars if not b.holds]
    assert found.outcome.verdict == EXPECTED.get(experiment.id, "reproduces"), missed
    assert found.outcome.figures
    assert found.outcome.verdict == "reproduces" or experiment.why


@pytest.mark.nightly
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_verdict_in_full(experiment, tmp_path):
    found = run(experiment, full=True, folder=tmp_path)
    assert found.outcome.verdict == EXPECTED.get(experiment.id, "reproduces")


def test_ids_are_unique():
    assert len({e.id for e in EXPERIMENTS}) == len(EXPERIMENTS)


def test_the_verdict_comes_from_the_bars_alone():
    good, bad, none = Bar("a", 1.0, at_least=0.5), Bar("b", 1.0, at_most=0.5), Bar("c", float("nan"), at_least=0.0)
    assert Outcome((good,)).verdict == "reproduces"
    assert Outcome((good, bad)).verdict == "in part"
    assert Outcome((bad, none)).verdict == "does not"


def test_an_unknown_id_names_the_nearest():
    with pytest.raises(ParameterError, match="lindenbaum2015-fig5"):
        find_experiment("lindenbaum-fig5")


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path):
    done = []

    def compute(cell):
        if cell == 3 and len(done) == 3:
            raise KeyboardInterrupt
        done.append(cell)
        return float(cell)

    notes = tmp_path / "notes.json"
    with pytest.raises(KeyboardInterrupt):
        Run(True, notes=notes).each("cells", range(5), compute)
    done.append("again")
    assert Run(True, notes=notes).each("cells", range(5), compute) == [0, 1, 2, 3, 4]
    assert done == [0, 1, 2, "again", 3, 4]
