"""Mistakes cost experiments their bars: three for each, found wherever their functions have moved."""

import pytest
from mutants_of_experiments import MISTAKES, bars_held, bars_lost
from mutation import mutated_text

from mvexplorer.experiments.running import run_experiment
from mvexplorer.experiments.table import EXPERIMENTS


@pytest.mark.nightly
def test_every_experiment_has_three_mistakes_that_are_found_once():
    assert sorted(MISTAKES) == sorted(experiment.id for experiment in EXPERIMENTS)
    for mistakes in MISTAKES.values():
        assert len(set(mistakes)) == 3
        for mutant in mistakes:
            path, changed = mutated_text(mutant)
            assert changed != path.read_text("utf-8")


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of mistakes
@pytest.mark.parametrize("experiment", EXPERIMENTS, ids=lambda e: e.id)
def test_one_mistake_at_least_costs_a_bar(experiment):
    held = bars_held(experiment)
    if not held:
        assert run_experiment(experiment).outcome.verdict == "does not"  # it has no bar to lose
        return
    assert any(bars_lost(experiment, mutant, held) for mutant in MISTAKES[experiment.id])
