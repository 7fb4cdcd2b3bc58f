"""Which variable embeddings are scored against, and how the scores are called."""

import numpy as np
import pytest
from inline import circle_data, opened

from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.datasets import (
    make_coupled_circles,
    make_gap_rolls,
    make_gaussian_mixture,
    make_helix_a,
    make_rotated_rolls,
    make_rotating_icons,
)
from mvexplorer.engine.metrics import Score
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.panel_result import best_scores
from mvexplorer.state.pictures.scoring import SCORES, UNLABELLED, available_scores, hidden_variable


def state_of(data, colour=""):
    document = opened(data)
    if colour:
        commands.colour_by(document, colour)
    return document.state


@pytest.mark.parametrize(
    ("make", "name", "angle"),
    [(make_helix_a, "a", True), (make_gap_rolls, "u", False), (make_rotated_rolls, "theta", False),
     (make_coupled_circles, "angle", True), (make_rotating_icons, "t", False)],
)  # fmt: skip
def test_samples_with_a_latent_have_a_variable_to_score(make, name, angle):
    data = make(n_samples=60)
    found = hidden_variable(state_of(data), data)
    assert (found.name, found.angle) == (name, angle)
    np.testing.assert_array_equal(found.values, data.latent[name])


def test_classes_are_no_variable():
    data = make_gaussian_mixture(n_samples=60)
    assert hidden_variable(state_of(data), data) is None
    assert list(available_scores(state_of(data), data)) == ["nmi", "knn"]


def test_the_colour_decides_where_it_is_a_number():
    data = circle_data()
    assert hidden_variable(state_of(data, "column:mass"), data).name == "mass"
    for other in ("labels", "column:weather", "feature:v1:0", "latent:angle"):
        assert hidden_variable(state_of(data, other), data).name == "angle"


@pytest.mark.parametrize("values", [np.full(90, 2.5), np.full(90, np.nan), np.r_[1.5, 2.5, np.full(88, np.nan)]])
def test_what_does_not_vary_is_not_scored(values):
    data = circle_data(labels=False).replace(latent={"flat": values})
    assert hidden_variable(state_of(data), data) is None
    assert list(available_scores(state_of(data), data)) == [*UNLABELLED]


def test_gaps_in_a_variable_are_kept_as_gaps():
    values = np.linspace(0.0, 9.0, 90)
    values[::4] = np.nan
    data = circle_data().replace(columns={"mass": values})
    np.testing.assert_array_equal(hidden_variable(state_of(data, "column:mass"), data).values, values)


def test_names_hold_any_variable():
    for words in SCORES.values():
        named = words.of("a {} of {b}")
        assert words.symbol == named.symbol
        assert named.title.count("a {} of {b}") == words.title.count("{}")
    assert SCORES["r2"].of("a {} of {b}").title == "R² of a {} of {b}"


def test_none_is_best_where_all_look_alike():
    def scored(value: float) -> Scores:
        return Scores(Score(value, 0.01), Score(0.5))

    nobody = {frozenset()}
    assert set(best_scores({"a": scored(0.701), "b": scored(0.704), "c": scored(0.3)}).values()) == nobody
    assert set(best_scores({"a": scored(0.701), "b": scored(0.704)}).values()) == nobody
    assert set(best_scores({"a": scored(0.70), "b": scored(0.71)}).values()) == nobody  # within its spread
    found = best_scores({"a": scored(0.70), "b": scored(0.72), "c": scored(0.3)})
    assert found == {"a": frozenset(), "b": frozenset({"nmi"}), "c": frozenset()}
