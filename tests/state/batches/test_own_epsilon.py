"""Each panel at its own factor on every ε: what it asks, what it is called, how it was chosen, and what is written."""

from dataclasses import replace

import numpy as np
import pytest
from inline import circle_data, opened

import mvexplorer as mvx
from mvexplorer.compute.batch.axes import axes
from mvexplorer.compute.batch.tuning import FACTORS, Judge, OwnScale
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.metrics import Score
from mvexplorer.errors import ParameterError
from mvexplorer.state.batches.own_epsilon import OwnEpsilon, own_request
from mvexplorer.state.batches.tuning import judge_of
from mvexplorer.state.bench.headless import compute, each_at_its_own
from mvexplorer.state.document import commands
from mvexplorer.state.document.experiment_commands import turn
from mvexplorer.state.document.model import sharing
from mvexplorer.state.document.multiples_grid import pinned_at
from mvexplorer.state.document.titles import panel_title
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.wording import short_factor


@pytest.fixture
def document():
    """Two views, and the usual panels."""
    return opened(circle_data(n_views=2))


def by_method(document, method):
    return next(panel for panel in document.state.panels if panel.method == method)


def epsilon_of(document, panel_id):
    state = document.state
    found = compute(state.model_copy(update={"panels": (state.panel(panel_id),)}), document.data)
    return found.results[panel_id].result.embedding


def test_a_panels_own_factor_is_on_every_epsilon_of_it_alone(document):
    panel, other = by_method(document, "multiview"), by_method(document, "kernel-sum")
    commands.set_epsilon(document, "v1", 0.5)
    commands.set_linked(document, "v2", False)
    commands.set_scale(document, 4.0)
    commands.pin(document, panel.id, "epsilon:v1", 0.7)
    unlinked = mvx.select_epsilon(document.data)[1]
    commands.set_own_scales(document, {panel.id: 0.1})
    assert epsilon_of(document, panel.id).epsilon == pytest.approx((0.07, 0.1 * unlinked))
    assert epsilon_of(document, other.id).epsilon == pytest.approx((2.0, unlinked))
    commands.set_own_scales(document, {panel.id: 0.1, other.id: 3.0})
    assert epsilon_of(document, other.id).epsilon == pytest.approx((6.0, 3.0 * unlinked))
    document.undo()
    assert document.state.panel(other.id).epsilon_scale == 1.0


def test_one_for_all_views_together_is_scaled_too(document):
    commands.add_panel(document, "concatenation")
    panel = document.state.panels[-1]
    commands.pin(document, panel.id, "joint_epsilon", 2.0)
    commands.set_own_scales(document, {panel.id: 0.25})
    assert epsilon_of(document, panel.id).info["joint_epsilon"] == pytest.approx(0.5)


def test_the_title_says_so_until_one_is_shared_again(document):
    panel = by_method(document, "multiview")
    commands.set_own_scales(document, {panel.id: 0.11})
    assert panel_title(document.state, document.state.panel(panel.id)) == "Multi-view · ε × .11"
    assert panel_title(sharing(document.state), sharing(document.state).panel(panel.id)) == "Multi-view"
    commands.use_rule(document, panel.id, ["v1"], "median")
    assert document.state.panel(panel.id).epsilon_scale == 1.0
    document.undo()
    commands.set_own_scales(document, {panel.id: 1.0})
    assert document.undo_label == "Share one ε"
    assert panel_title(document.state, document.state.panel(panel.id)) == "Multi-view"


@pytest.mark.parametrize("factor", [0.0, -1.0, 1e4, float("nan"), float("inf")])
def test_a_factor_that_makes_no_sense_is_refused(document, factor):
    before = document.state
    with pytest.raises(ParameterError, match="A panel's own factor on ε cannot be"):
        commands.set_own_scales(document, {by_method(document, "multiview").id: factor})
    assert document.state is before


def test_factors_are_short():
    factors = {0.1: ".10", 0.1122: ".11", 0.0316: ".032", 3.162: "3.2", 12.0: "12", 1.0: "1.0"}
    assert {factor: short_factor(factor) for factor in factors} == factors


@pytest.mark.nightly
def test_each_panel_has_the_best_of_nine_factors(document):
    finished = compute(document.state, document.data)
    judge = judge_of(document.state, document.data)
    found = each_at_its_own(finished, judge, Task())
    panels = {panel.id: panel for panel in found.state.panels}
    for id, own in found.own.items():
        scores = {}
        for factor in FACTORS:
            request = request_of(sharing(finished.state), document.data, finished.state.panel(id)).scaled(factor)
            epsilon = [b.given for b in request.epsilon[: request.plan.n_used]]
            params = {k: v for k, v in request.params if v is not None and k != "view"}
            made = mvx.embed(document.data, request.method, views=request.views, epsilon=epsilon, **params)
            if np.sum(made.eigenvalues > 0.999) < 2:
                scores[factor] = mvx.label_free(made, document.data).trustworthiness
        best = max(scores, key=lambda factor: scores[factor].value)
        if 1.0 in scores:
            gains = scores[best].value - scores[1.0].value > max(scores[best].spread, scores[1.0].spread, 0.01)
            assert panels[id].epsilon_scale == (best if gains else 1.0)
            assert own.scale.own.value >= own.scale.shared.value - 1e-9
        else:
            assert panels[id].epsilon_scale == best
        assert found.results[id].checks["own epsilon"][0]["words"] == own.sentence
        known, shared = own.scale.scores.each(), finished.results[id].scores.each()
        assert {name: known[name] for name in ("nmi", "knn", "resultant")}.items() <= shared.items()


def test_what_has_no_epsilon_has_no_own_one(document):
    commands.add_panel(document, "cca")
    assert own_request(document.state, document.data, document.state.panels[-1]) is None
    assert own_request(document.state, None, document.state.panels[0]) is None


JUDGE = Judge("trustworthiness", "trust")
KNOWN = Scores(nmi=Score(0.76, 0.02), knn=Score(0.965))


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (
            OwnScale(0.1, Score(0.807), Score(0.828), 0.003, "gain"),
            "At its own ε, × .10 by trust; labels were not used: .807 at the shared ε, .828 ± .003 here. At the shared "
            "ε, NMI .760 ± .02, k-NN .965.",
        ),
        (
            OwnScale(3.0, Score(0.9), Score(0.8), 0.01, "torn"),
            "At its own ε, × 3.0 by trust; labels were not used: .900 at the shared ε, where an eigenvalue exceeds "
            ".999 as in a graph in pieces, .800 here. At the shared ε, NMI .760 ± .02, k-NN .965.",
        ),
        (
            OwnScale(3.0, None, Score(0.8), 0.01, "torn"),
            "At its own ε, × 3.0 by trust; labels were not used: there is no picture at the shared ε, .800 here.",
        ),
        (
            OwnScale(1.0, Score(0.9), Score(0.9), 0.02, "within"),
            "It stays at the shared ε, as good as the best tried (trust .900 ± .02): no need to move.",
        ),
        (
            OwnScale(1.0, Score(0.9), Score(0.9), None, "within"),
            "It stays at the shared ε: the spread of its trust is not known (.900).",
        ),
        (
            OwnScale(1.0, None, None, None, "nowhere"),
            "It stays at the shared ε: at every factor tried the graph is in pieces, or there is no picture.",
        ),
    ],
)
def test_why_a_panel_has_its_factor_is_a_sentence(scale, expected):
    assert OwnEpsilon(JUDGE, replace(scale, scores=KNOWN)).sentence == expected


def test_labels_are_named_where_they_choose(document):
    judge = judge_of(document.state, document.data, "nmi")
    scale = OwnScale(0.1, Score(0.76, 0.02), Score(0.9, 0.01), 0.02, "gain", scores=KNOWN)
    sentence = OwnEpsilon(judge, scale).sentence
    assert sentence.startswith("At its own ε, × .10 by NMI; labels were used: ")
    assert sentence.endswith("At the shared ε, k-NN .965.")


@pytest.mark.nightly
def test_a_method_without_that_score_keeps_the_shared_epsilon_and_says_why(document):
    finished = compute(document.state, document.data)
    found = each_at_its_own(finished, judge_of(document.state, document.data, "agreement"), Task())
    panel = by_method(document, "kernel-sum")
    assert panel.id not in found.own
    assert found.problems_of_own[panel.id].endswith(
        "has no agreement of the views' coordinates. Choose by another score."
    )
    assert by_method(document, "multiview").id in found.own


def test_another_method_or_another_epsilon_of_all_begins_without_one(document):
    panel = by_method(document, "kernel-sum")
    commands.set_own_scales(document, {panel.id: 0.1})
    commands.set_method(document, panel.id, "kernel-product")
    assert document.state.panel(panel.id).epsilon_scale == 1.0
    commands.set_own_scales(document, {panel.id: 0.1})
    commands.show_views(document, ["v1", "v2"], 4.0)
    assert document.state.panel(panel.id).epsilon_scale == 1.0
    commands.set_own_scales(document, {panel.id: 0.1})
    turn(document, "ε = 3", 3.0, {})
    assert document.state.panel(panel.id).epsilon_scale == 1.0
    commands.set_own_scales(document, {panel.id: 0.1})
    turn(document, "t = 2", None, {"t": 2})
    assert document.state.panel(panel.id).epsilon_scale == 0.1


def test_a_cell_of_small_multiples_has_the_epsilon_that_it_names(document):
    commands.set_own_scales(document, {by_method(document, "kernel-sum").id: 0.1})
    panel = by_method(document, "kernel-sum")
    axis = axes([get_method("kernel-sum")], ["v1", "v2"])["epsilon:v1"]
    cell = pinned_at(document.state, panel, axis, 2.0)
    request = request_of(document.state, document.data, cell)
    assert request.epsilon[0].factor == pytest.approx(2.0)
