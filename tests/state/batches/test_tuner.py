"""Tuning in the window's document: steps that are undone one by one, own factors as one, and what is told."""

import numpy as np
import pytest
from inline import Later, opened

import mvexplorer as mvx
from mvexplorer.state.batches.own_epsilon import own_request
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands
from mvexplorer.state.export.record import panel_record
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.requests import request_of
from mvexplorer.state.session.settings import Settings

WIDE = 400.0


def spiral_data():
    rng, s = np.random.default_rng(1), np.linspace(0.2, 1.0, 80)
    spiral = np.c_[s * np.cos(18 * s), s * np.sin(18 * s)] + 0.01 * rng.normal(size=(80, 2))
    views = [np.c_[10 * s, spiral], np.c_[spiral, 0.1 * rng.normal(size=(80, 3))]]
    return mvx.MultiView(views, view_names=("v1", "v2"), labels=np.repeat(["x", "y", "z"], [20, 40, 20]))


@pytest.fixture
def workers():
    """Workers that begin when they are told to."""
    return Later()


@pytest.fixture
def document():
    """Two views of a spiral, at an ε that sees its disc only."""
    document = opened(spiral_data())
    for name in ("v1", "v2"):
        commands.set_epsilon(document, name, WIDE)
    document.reset(document.state, document.data)
    return document


@pytest.fixture
def tuner(document, workers):
    controller = Controller(document, executor=Later(), background=workers)
    made = Tuner(controller, Editor(document, controller))
    made.said, made.errors = [], []
    made.told.connect(lambda text, hint: made.said.append((text, hint)))
    made._editor.failed.connect(lambda error: made.errors.append(error.message))
    yield made
    controller.shutdown()


def panel_of(document, method):
    return next(panel for panel in document.state.panels if panel.method == method)


def focus(tuner, document, method):
    tuner._editor.focus(panel_of(document, method).id)


def test_each_view_is_a_step_of_its_own(tuner, document, workers):
    focus(tuner, document, "multiview")
    start = document.state
    request = request_of(start, document.data, panel_of(document, "multiview"))
    expected = mvx.tune(document.data, "multiview", epsilon=WIDE, **dict(request.params))
    tuner.tune()
    assert tuner.busy
    workers.run_all()
    assert not tuner.busy
    assert [step.epsilon for step in tuner.steps] == [step.epsilon for step in expected]
    state = document.state
    for step in expected:
        assert state.view(step.view).epsilon == pytest.approx(step.epsilon)
    moved = [step for step in expected if step.epsilon != step.former]
    assert len(moved) == 2
    (said, hint) = tuner.said[0]
    assert said.startswith("Multi-view, by trustworthiness; labels were not used: .8")
    assert ", 2 views of 2 moved. v1: ε 400 → " in said
    assert hint == "Undo takes back one view after another."
    document.undo()
    assert document.state.view("v2") == start.view("v2")
    assert document.state.view("v1").epsilon == pytest.approx(expected[0].epsilon)
    document.undo()
    assert document.state == start
    assert document.undo_label is None


def test_steps_are_shown_as_they_come_and_moved_at_the_end(tuner, document, workers):
    focus(tuner, document, "multiview")
    seen = []
    tuner.changed.connect(lambda: seen.append((len(tuner.coming), document.state.view("v1").epsilon)))
    tuner.tune()
    workers.run_all()
    assert [count for count, _ in seen if count] == [1, 2]
    assert all(epsilon == WIDE for count, epsilon in seen if count), "no ε has moved yet"
    assert tuner.coming == ()
    assert [step.view for step in tuner.steps] == ["v1", "v2"]


def test_the_factors_on_epsilon_stay_what_they_are(tuner, document, workers):
    panel = panel_of(document, "kernel-sum")
    commands.set_scale(document, 0.5)
    commands.pin(document, panel.id, "epsilon:v2", 300.0)
    commands.set_own_scales(document, {panel.id: 2.0})
    focus(tuner, document, "kernel-sum")
    tuner.tune()
    workers.run_all()
    first, second = tuner.steps
    state = document.state
    assert state.view("v1").epsilon == pytest.approx(first.epsilon)
    assert state.panel(panel.id).pins["epsilon:v2"] == pytest.approx(second.epsilon / 2.0)
    assert state.view("v2").epsilon == WIDE
    epsilon = [bandwidth.factor for bandwidth in request_of(state, document.data, state.panel(panel.id)).epsilon]
    assert epsilon == pytest.approx([first.epsilon, second.epsilon])


def test_nothing_moves_where_nothing_gains(tuner, document, workers):
    focus(tuner, document, "kernel-sum")
    tuner.tune()
    workers.run_all()
    before = document.state
    tuner.tune()
    workers.run_all()
    text, _ = tuner.said[-1]
    if document.state == before:
        assert text.startswith("Every ε of Kernel sum stays, by trustworthiness; labels were not used. v1 stays at ε ")


@pytest.mark.nightly
def test_what_was_changed_meanwhile_is_not_overwritten(tuner, document, workers):
    focus(tuner, document, "kernel-sum")
    tuner.tune()
    commands.set_epsilon(document, "v1", 3.0)
    state = document.state
    workers.run_all()
    assert document.state is state
    assert tuner.said == [("Something was changed meanwhile: every ε stays.", "Tune again.")]
    tuner.give_own()
    commands.set_scale(document, 0.9)
    state = document.state
    workers.run_all()
    assert document.state is state
    assert tuner.said[-1][0] == "Something was changed meanwhile: no panel was given an ε of its own."


@pytest.mark.parametrize("begin", [Tuner.tune, Tuner.give_own])
def test_it_can_be_stopped(tuner, document, workers, begin):
    focus(tuner, document, "kernel-sum")
    state, seen = document.state, []
    begin(tuner)
    tuner.changed.connect(lambda: seen.append(tuner.busy))
    tuner.stop()
    assert seen[-1] is False
    assert tuner.said == [("Tuning was stopped.", "Start it again.")]
    workers.run_all()
    assert not tuner.busy
    assert document.state is state


def test_a_job_that_is_stopped_in_the_task_list_leaves_the_others(tuner, document, workers):
    tuner.give_own()
    last = tuner._wanted[-1]
    tuner._controller.cancel(f"own-epsilon:{last}")
    workers.run_all()
    assert not tuner.busy
    assert "could not: Tuning was stopped." in tuner.said[-1][0]
    assert document.state.panel(last).epsilon_scale == 1.0


def test_other_data_end_it(tuner, document, workers):
    focus(tuner, document, "kernel-sum")
    tuner.tune()
    data = spiral_data()
    seen = []
    tuner.changed.connect(lambda: seen.append(tuner.busy))
    commands.open_data(document, data, document.state)
    workers.run_all()
    assert seen[-1] is False
    assert tuner.said == []


def test_an_edit_of_the_same_epsilon_before_stays_a_step(tuner, document, workers):
    commands.set_epsilon(document, "v1", 300.0, interactive=True)
    focus(tuner, document, "multiview")
    tuner.tune()
    workers.run_all()
    moved = sum(step.epsilon != step.former for step in tuner.steps)
    for _ in range(moved):
        document.undo()
    assert document.state.view("v1").epsilon == 300.0
    document.undo()
    assert document.state.view("v1").epsilon == WIDE


def test_another_hidden_variable_or_other_views_are_asked_anew(tuner, document, workers):
    data = spiral_data().replace(
        labels=None, latent={"s": np.linspace(0.0, 1.0, 80), "noise": np.random.default_rng(4).normal(size=80)}
    )
    document.reset(document.state.model_copy(update={"colour": "latent:s"}), data)
    tuner.choose_by("r2")
    tuner.give_own()
    workers.run_all()
    first = {panel.id: tuner.own(panel) for panel in document.state.panels}
    tuner.share()
    commands.colour_by(document, "latent:noise")
    tuner.give_own()
    assert tuner.busy
    workers.run_all()
    for panel in document.state.panels:
        if first[panel.id] is not None:
            assert tuner.own(panel).scale.scores.hidden.variable == "noise"
            assert tuner.own(panel).scale.tried != first[panel.id].scale.tried


@pytest.mark.nightly
def test_a_finding_about_a_former_picture_is_not_kept(at_rest):
    document, tuner = at_rest.document, at_rest.tuner
    tuner.give_own()
    at_rest.controller.wait_idle()
    stays = [p.id for p in document.state.panels if tuner.own(p) is not None and p.epsilon_scale == 1.0]
    tuner.share()
    at_rest.controller.wait_idle()
    commands.set_scale(document, 0.2)
    document.end_merge()
    at_rest.controller.wait_idle()
    for id in stays:
        assert "own epsilon" not in at_rest.controller.result(id).checks


def test_a_panel_without_an_epsilon_is_refused_in_a_sentence(tuner, document, workers):
    commands.add_panel(document, "cca")
    focus(tuner, document, "cca")
    tuner.tune()
    assert tuner.errors == ["CCA has no ε of single views to tune."]
    assert not tuner.busy


def test_the_first_panel_is_meant_where_none_has_the_focus(tuner, document):
    tuner._controller.focused = None
    assert tuner.panel.id == document.state.panels[0].id


def test_scores_are_offered_those_without_labels_first(tuner, document):
    assert tuner.score == "trustworthiness"
    assert [*tuner.scores][:3] == ["trustworthiness", "neighbours_kept", "agreement"]
    assert "gap" not in tuner.scores
    tuner.choose_by("nmi")
    assert tuner.score == "nmi"
    document.reset(document.state, mvx.MultiView(spiral_data().Xs, view_names=("v1", "v2")))
    assert tuner.score == "trustworthiness"


@pytest.mark.nightly
def test_own_factors_are_one_step_and_shared_again_by_another(tuner, document, workers):
    start = document.state
    tuner.give_own()
    workers.run_all()
    scales = {panel.id: panel.epsilon_scale for panel in document.state.panels}
    assert any(scale != 1.0 for scale in scales.values())
    assert tuner.differs
    for panel in document.state.panels:
        own = tuner.own(panel)
        assert (own is None) == (own_request(start, document.data, panel) is None)
        if own is not None and own.scale.shared is not None:
            assert own.scale.own.value >= own.scale.shared.value or own.scale.why == "torn"
    moved = sum(scale != 1.0 for scale in scales.values())
    noun = "panel" if moved == 1 else "panels"
    text = tuner.said[-1][0]
    assert text.startswith(f"Each panel at its own ε, by trustworthiness; labels were not used: {moved} {noun} of ")
    tuner.share()
    assert document.state.panels == start.panels
    document.undo()
    assert {panel.id: panel.epsilon_scale for panel in document.state.panels} == scales
    document.undo()
    assert document.state == start


@pytest.fixture
def at_rest(document):
    """A workbench whose panels are computed, with threads of its own."""
    workbench = Workbench(Settings(), keeps_settings=False)
    workbench.document.reset(document.state, document.data)
    workbench.controller.wait_idle()
    yield workbench
    workbench.controller.shutdown()


@pytest.mark.nightly
def test_captions_and_records_say_why(at_rest):
    workbench = at_rest
    document = workbench.document
    workbench.tuner.give_own()
    workbench.controller.wait_idle()
    moved = next(p for p in document.state.panels if p.epsilon_scale != 1.0)
    workbench.controller.wait_idle()
    record = panel_record(document.state, document.data, moved, workbench.controller.result(moved.id))
    (check,) = record["checks"]["own epsilon"]
    assert check["factor"] == moved.epsilon_scale
    assert check["words"].startswith("At its own ε, × ")
    assert check["short"].startswith("shared ε: NMI ")
    assert len(check["tried"]) == 9
    workbench.tuner.share()
    workbench.controller.wait_idle()
    panel = document.state.panel(moved.id)
    record = panel_record(document.state, document.data, panel, workbench.controller.result(moved.id))
    assert "own epsilon" not in record.get("checks", {})
