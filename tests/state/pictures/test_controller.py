"""From the document to results: what is computed, what is not, and what a panel shows meanwhile."""

import dataclasses
import threading
import tracemalloc

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data, controlled, opened, pair_distances

from mvexplorer.compute.batch.stability_testing import stability
from mvexplorer.compute.jobs import runner
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.analysis.neighbourhood import neighbourhood_preservation
from mvexplorer.engine.api.embedding import embed, select_epsilon
from mvexplorer.engine.bandwidth.table import Bandwidth
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.hidden_scores import first_spearman, knn_r2, knn_resultant, ring_gap, ring_order
from mvexplorer.errors import DataError, MVExplorerError
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.model import DocumentState, PanelState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.drawing import drawn_columns, shown_coordinates, subscript

WAIT = 30.0
SINGLE_1, SINGLE_2, SUM, PRODUCT, DE_SA, MULTIVIEW = "p1", "p2", "p3", "p4", "p5", "p6"
ALL = (SINGLE_1, SINGLE_2, SUM, PRODUCT, DE_SA, MULTIVIEW)


@pytest.fixture
def controller(document):
    controller = controlled(document)
    yield controller
    controller.shutdown()


def results(controller):
    return {id: controller.result(id).result for id in ALL}


def unchanged(before, after):
    return {id for id in ALL if before[id] is after[id]}


def test_a_cache_that_is_given_is_used_although_it_is_empty(document, make):
    cache = StageCache(1 << 20)
    assert make(document, cache=cache).cache is cache


# What is computed -------------------------------------------------------------------------------------------


def test_every_panel_gets_what_the_engine_computes(document, controller):
    for panel in document.state.panels:
        found = controller.result(panel.id)
        assert (found.status, found.error, found.stale) == ("ready", None, False)
        params = {"view": panel.view} if panel.method == "single" else {}
        expected = embed(document.data, panel.method, n_components=4, **params)
        np.testing.assert_allclose(found.result.embedding.coordinates, expected.coordinates, atol=1e-9)
        assert found.result.embedding.epsilon == expected.epsilon
    assert controller.cache.count("kernel") == 2
    assert controller.cache.count("distances") == 2


def test_a_view_that_moves_leaves_other_single_views_alone(document, controller):
    before, kernels = results(controller), controller.cache.count("kernel")
    commands.set_epsilon(document, "v2", 0.3)
    assert unchanged(before, results(controller)) == {SINGLE_1}
    assert controller.cache.count("kernel") == kernels + 1


def test_a_single_view_with_the_rule_that_compares_views_looks_at_all_of_them(document, controller):
    commands.set_epsilon(document, "v1", "multiview")
    expected = select_epsilon(document.data, "multiview")[0]
    assert controller.result(SINGLE_1).result.embedding.epsilon == (expected,)
    assert controller.result(MULTIVIEW).result.embedding.epsilon[0] == expected


def test_a_new_diffusion_time_solves_nothing(document, controller):
    before, computed = results(controller), list(controller.cache.computed)
    commands.set_param(document, "t", 5)
    after = results(controller)
    assert controller.cache.computed == computed
    assert unchanged(before, after) == {DE_SA}  # it has no diffusion time
    assert all(after[id].products == 0 for id in ALL if id != DE_SA)
    for id in (SINGLE_1, MULTIVIEW):
        weights = before[id].embedding.eigenvalues[1:] ** 4
        expected = np.hstack([b * weights for b in before[id].embedding.view_coordinates or (coordinates(before[id]),)])
        np.testing.assert_allclose(coordinates(after[id]), expected, atol=1e-12)


def coordinates(result):
    return result.embedding.coordinates


def test_a_new_within_view_weight_evaluates_no_exponential(document, controller):
    before, computed = results(controller), list(controller.cache.computed)
    commands.set_param(document, "eta", 0.3)
    # One object, under two names, and row sums that also tell how many steps stay.
    assert controller.cache.computed == [*computed, "decomposition", "walk degrees", "draft"]
    assert unchanged(before, results(controller)) == set(ALL) - {MULTIVIEW}
    kernels = controller.cache.count("kernel"), controller.cache.count("product")
    commands.set_epsilon(document, "v1", 0.3)
    assert (controller.cache.count("kernel"), controller.cache.count("product")) == (kernels[0] + 1, kernels[1] + 1)


def test_a_change_that_is_taken_back_is_remembered(document, controller):
    commands.set_epsilon(document, "v1", 0.3)
    computed = list(controller.cache.computed)
    document.undo()
    document.redo()
    assert controller.cache.computed == computed
    assert controller.result(MULTIVIEW).status == "ready"


def test_a_closed_panel_comes_back_as_it_lay(document, controller):
    found = controller.result(MULTIVIEW)
    lay = found.drawing.points * np.array([-1.0, 1.0])[: found.drawing.points.shape[1]]
    found.draw(dataclasses.replace(found.drawing, points=lay))  # as the steps of a drag leave it
    commands.close_panel(document, MULTIVIEW)
    assert MULTIVIEW not in controller.results
    document.undo()
    np.testing.assert_allclose(controller.result(MULTIVIEW).drawing.points, lay, atol=1e-9)
    controller.results.close(MULTIVIEW)
    controller.results.clear()
    assert controller.result(MULTIVIEW).closed_drawing.points is None  # of other samples


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: commands.select(d, [1, 2]),
        lambda d: commands.colour_by(d, "latent:angle"),
        lambda d: commands.style_points(d, opacity=0.4),
        lambda d: commands.swap_panels(d, "p1", "p2"),
        lambda d: commands.change_panel(d, MULTIVIEW, "Other axes", axes=(1, 2, 3)),
        lambda d: commands.change_panel(d, MULTIVIEW, "Show in 3-D", dims=3),
    ],
)
def test_what_concerns_the_picture_alone_computes_nothing(document, controller, edit):
    before, computed = results(controller), list(controller.cache.computed)
    edit(document)
    assert unchanged(before, results(controller)) == set(ALL)
    assert controller.cache.computed == computed


def test_hidden_panels_wait_and_catch_up(document, make):
    controller = make(document, executor=Inline(), background=Inline(), cache=CountingCache())
    controller.hide([SUM, MULTIVIEW])
    assert {id for id in ALL if controller.result(id).result is None} == {SUM, MULTIVIEW}
    commands.set_epsilon(document, "v1", 0.5)
    assert controller.result(SUM).status == "empty"
    controller.hide([SUM])
    assert controller.result(MULTIVIEW).result.embedding.epsilon[0] == 0.5
    commands.set_epsilon(document, "v1", 0.6)
    controller.hide([])
    assert controller.result(SUM).result.embedding.epsilon[0] == 0.6
    assert controller.result(SUM).status == "ready"


def test_pins_overlay_the_shared_values(document, controller):
    commands.pin(document, MULTIVIEW, "eta", 0.4)
    commands.pin(document, MULTIVIEW, "epsilon:v1", 0.7)
    before = results(controller)
    request = before[MULTIVIEW].request
    assert dict(request.params)["eta"] == 0.4
    assert request.epsilon == (Bandwidth(0.7), Bandwidth(1.0, "robust"))
    commands.set_param(document, "eta", 0.9)
    commands.set_epsilon(document, "v1", 0.2)
    commands.set_scale(document, 1.0)
    assert MULTIVIEW in unchanged(before, results(controller))
    commands.unpin(document, MULTIVIEW, "epsilon:v1")
    assert controller.result(MULTIVIEW).result.embedding.epsilon[0] == 0.2


def test_the_master_slider_moves_linked_views_only(document, controller):
    commands.set_epsilon(document, "v1", 0.5)
    commands.set_linked(document, "v2", False)
    commands.pin(document, SUM, "epsilon:v1", 0.7)
    unlinked = select_epsilon(document.data)[1]
    before = results(controller)
    commands.set_scale(document, 4.0)
    assert controller.result(MULTIVIEW).result.embedding.epsilon == (2.0, unlinked)
    assert controller.result(SUM).result.embedding.epsilon == (0.7, unlinked)
    assert unchanged(before, results(controller)) == {SINGLE_2, SUM}
    assert controller.epsilon("v1") == 0.5  # before the master slider


def test_a_panel_offers_its_method_the_ticked_views(make):
    document = opened(circle_data(n_views=3))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    assert controller.result(MULTIVIEW).result.embedding.views == ("v1", "v2", "v3")
    assert controller.result(DE_SA).result.embedding.views == ("v1", "v2")
    commands.tick_view(document, "v1", False)
    assert controller.result(MULTIVIEW).result.embedding.views == ("v2", "v3")
    assert controller.result(DE_SA).result.embedding.views == ("v2", "v3")
    assert controller.result(SINGLE_1).result.embedding.views == ("v1",)
    commands.change_panel(document, DE_SA, "Other pair", pair=("v3", "v2"))
    assert controller.result(DE_SA).result.embedding.views == ("v3", "v2")


# When it cannot be computed ---------------------------------------------------------------------------------


def test_too_few_views_are_refused_before_anything_runs(make):
    executor = Later()
    document = opened()
    controller = make(document, executor=executor, background=Inline())
    commands.tick_view(document, "v2", False)
    executor.run_all()
    ready = [id for id in ALL if controller.result(id).status == "ready"]
    assert ready == [SINGLE_1, SINGLE_2]
    found = controller.result(MULTIVIEW)
    assert (found.status, found.result) == ("failed", None)
    assert found.error.message == "Multi-view needs at least 2 views and has 1."
    assert found.error.hint
    commands.tick_view(document, "v1", False)
    assert controller.result(MULTIVIEW).error.message == "No view is ticked."


def test_without_data_every_panel_says_so(make):
    document = Document()
    controller = make(document, executor=Inline(), background=Inline())
    document.reset(DocumentState(panels=(PanelState(id="p1", method="single"),)), None)
    assert controller.result("p1").error.message == "There is no data."
    assert controller.result("p1").status == "failed"
    assert controller.summaries == {}


def test_a_failure_keeps_the_last_picture_and_says_that_it_is_stale(document, controller):
    before, drawn = results(controller), controller.result(MULTIVIEW).drawing.points
    commands.tick_view(document, "v2", False)
    found = controller.result(MULTIVIEW)
    assert (found.status, found.stale) == ("failed", True)
    assert found.result is before[MULTIVIEW]
    assert found.drawing.points is drawn
    document.undo()
    assert (found.status, found.stale, found.error) == ("ready", False, None)


def test_a_failure_in_the_engine_is_shown_with_what_to_do(make):
    data = circle_data(n_views=2)
    flat = MultiView([data.Xs[0], np.ones((len(data), 2))], view_names=["v1", "v2"])
    document = opened(flat)
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    found = controller.result(MULTIVIEW)
    assert found.status == "failed"
    assert isinstance(found.error, DataError)
    assert "ε as a number" in found.error.hint
    assert controller.result(SINGLE_1).status == "ready"
    commands.set_epsilon(document, "v2", 1.0)
    assert (found.status, found.error) == ("ready", None)
    commands.set_epsilon(document, "v2", "median")
    assert (found.status, found.stale) == ("failed", True)
    assert found.result is not None


def test_a_retry_computes_again(document, controller, monkeypatch):
    def refuse(*args, **kwargs):
        raise DataError("The disk is gone.", "Plug it in.")

    working = runner.carry_out
    monkeypatch.setattr(runner, "carry_out", refuse)
    commands.set_epsilon(document, "v1", 0.3)
    assert controller.result(SUM).status == "failed"
    monkeypatch.setattr(runner, "carry_out", working)
    controller.refresh()
    assert controller.result(SUM).status == "failed"
    controller.retry(SUM)
    assert controller.result(SUM).status == "ready"
    assert controller.result(SUM).result.embedding.epsilon[0] == 0.3


# Order and time ---------------------------------------------------------------------------------------------


def test_only_the_latest_request_is_computed(make):
    executor = Later()
    document = opened()
    controller = make(document, executor=executor, background=Inline())
    seen = []
    for value in (0.1, 0.2, 0.3):
        commands.set_epsilon(document, "v1", value)
    controller.panel_changed.connect(seen.append)
    assert controller.result(SUM).status == "computing"
    executor.run_all()
    assert controller.result(SUM).result.embedding.epsilon[0] == 0.3
    assert seen.count(SUM) == 1


def test_an_answer_that_comes_too_late_is_dropped(make):
    mail = []
    document = opened()
    controller = make(document, mail.append, executor=Inline(), background=Inline())
    commands.set_epsilon(document, "v1", 0.1)
    late = list(mail)
    mail.clear()
    commands.set_epsilon(document, "v1", 0.2)
    for closure in late:
        closure()
    assert controller.result(SUM).result is None
    assert controller.result(SUM).status == "computing"
    for closure in mail:
        closure()
    assert controller.result(SUM).result.embedding.epsilon[0] == 0.2
    assert controller.result(SUM).status == "ready"


def test_an_answer_to_the_last_position_is_shown_while_the_hand_moves_on(make):
    mail = []
    document = opened()
    controller = make(document, mail.append, executor=Inline(), background=Inline())
    commands.set_epsilon(document, "v1", 0.1, interactive=True)
    late = list(mail)
    commands.set_epsilon(document, "v1", 0.2, interactive=True)
    for closure in late:
        closure()
    found = controller.result(SUM)
    assert found.result.embedding.epsilon[0] == 0.1
    assert (found.status, found.stale) == ("computing", True)
    for closure in mail:
        closure()
    assert found.result.embedding.epsilon[0] == 0.2
    assert (found.status, found.stale) == ("ready", False)


def test_answers_for_a_closed_panel_are_dropped(make):
    executor = Later()
    document = opened()
    controller = make(document, executor=executor, background=Inline())
    controller.refresh()
    commands.close_panel(document, SUM)
    executor.run_all()
    assert set(controller.results) == set(ALL) - {SUM}
    assert set(controller.coordinates()) == set(ALL) - {SUM}


def test_a_cancelled_panel_keeps_its_picture_until_it_is_asked_for_again(document, make):
    executor = Later()
    controller = make(document, executor=executor, background=Inline())
    controller.refresh()
    executor.run_all()
    before = controller.result(SUM).result
    commands.set_epsilon(document, "v1", 0.3)
    controller.cancel(SUM)
    executor.run_all()
    found = controller.result(SUM)
    assert (found.status, found.stale) == ("cancelled", True)
    assert found.result is before
    controller.retry(SUM)
    executor.run_all()
    assert found.status == "ready"
    assert found.result is not before


def test_other_data_forgets_every_result(document, controller):
    commands.open_data(document, other := circle_data(40, seed=9), commands.initial_state(other, ("b",), None, False))
    for id in ALL:
        found = controller.result(id)
        assert found.status == "ready"
        assert len(found.drawing.points) == 40
    assert controller.median("v1") == pytest.approx(np.median(pair_distances(other.Xs[0])))


def test_other_preprocessing_keeps_the_picture_until_the_new_one_is_there(make):
    executor = Later()
    document = opened()
    controller = make(document, executor=executor, background=Inline())
    controller.refresh()
    executor.run_all()
    before = results(controller)
    commands.set_preprocess(document, "v1", "zscore")
    assert unchanged(before, results(controller)) == set(ALL)
    assert controller.result(SUM).stale
    executor.run_all()
    assert controller.result(SUM).result.request.data.preprocess == ("zscore", "none")
    assert not controller.result(SUM).stale


# With threads -----------------------------------------------------------------------------------------------


def test_with_threads_the_last_position_of_a_drag_is_what_remains(make):
    document = opened(circle_data(150))
    controller = make(document)
    controller.refresh()
    for value in np.geomspace(0.02, 2.0, 40):
        commands.set_epsilon(document, "v1", float(value), interactive=True)
    controller.end_drag()
    assert controller.wait_idle(WAIT)
    assert controller.tasks() == ()
    fresh = controlled(document)
    for id in ALL:
        found = controller.result(id)
        assert (found.status, found.stale) == ("ready", False)
        expected = fresh.result(id).result.embedding
        assert found.result.embedding.epsilon == expected.epsilon
        np.testing.assert_allclose(found.result.embedding.coordinates, expected.coordinates, atol=1e-6)
    fresh.shutdown()


def test_results_are_posted_to_the_documents_thread(make):
    mail, lock = [], threading.Lock()

    def post(closure):
        with lock:
            mail.append((threading.current_thread(), closure))

    document = opened()
    controller = make(document, post)
    controller.refresh()
    assert controller.wait_idle(WAIT)
    assert all(controller.result(id).result is None for id in ALL)
    assert any(thread is not threading.main_thread() for thread, _ in mail)
    for _, closure in mail:
        closure()
    assert all(controller.result(id).status == "ready" for id in ALL)


def test_nothing_arrives_after_the_end():
    mail = []
    document = opened()
    controller = Controller(document, mail.append)
    controller.refresh()
    controller.shutdown()
    seen = []
    controller.panel_changed.connect(seen.append)
    for closure in mail:
        closure()
    commands.set_epsilon(document, "v1", 0.3)
    assert seen == []


# Drawing ----------------------------------------------------------------------------------------------------


def turned(monkeypatch, turn):
    """From now on embeddings come turned: eigenvectors are only defined up to sign and rotation."""
    working = runner.carry_out

    def turning(*args, **kwargs):
        found = working(*args, **kwargs)
        return dataclasses.replace(found, coordinates=turn(found.coordinates), view_coordinates=())

    monkeypatch.setattr(runner, "carry_out", turning)


def flip(Y):
    return Y * np.array([-1.0, *[1.0] * (Y.shape[1] - 1)])


def rotate(Y):
    c, s = np.cos(0.7), np.sin(0.7)
    return np.column_stack([c * Y[:, 0] - s * Y[:, 1], s * Y[:, 0] + c * Y[:, 1], Y[:, 2:]])


@pytest.mark.parametrize(("turn", "mark"), [(flip, ""), (rotate, "≈ ")])
def test_points_glide_where_only_signs_and_rotation_change(document, controller, monkeypatch, turn, mark):
    before = controller.result(SINGLE_1).drawing.points
    turned(monkeypatch, turn)
    commands.set_epsilon(document, "v1", 1.0001 * controller.epsilon("v1"))
    found = controller.result(SINGLE_1)
    assert found.drawing.axis_names == (f"{mark}ψ₁", f"{mark}ψ₂")
    np.testing.assert_allclose(found.drawing.points, before, atol=5e-3 if turn is flip else 0.4)
    correlation = np.abs([np.corrcoef(found.drawing.points[:, i], before[:, i])[0, 1] for i in (0, 1)])
    assert correlation.min() > 0.999


def test_alignment_can_be_turned_off(document, controller, monkeypatch):
    before = controller.result(SINGLE_1).drawing.points
    controller.align = False
    turned(monkeypatch, flip)
    commands.set_epsilon(document, "v1", 1.0001 * controller.epsilon("v1"))
    found = controller.result(SINGLE_1)
    assert np.corrcoef(found.drawing.points[:, 0], before[:, 0])[0, 1] < -0.999
    assert found.drawing.axis_names == ("ψ₁", "ψ₂")


def test_pictures_at_rest_lie_on_their_own_axes_where_words_speak_of_these(document, controller, monkeypatch):
    before = controller.result(SINGLE_1).drawing.points
    controller.upright = True
    turned(monkeypatch, lambda Y: flip(rotate(Y)))
    commands.set_epsilon(document, "v1", 1.0001 * controller.epsilon("v1"), interactive=True)
    moved = controller.result(SINGLE_1).drawing
    assert moved.axis_names == ("≈ ψ₁", "≈ ψ₂")
    assert np.corrcoef(moved.points[:, 0], before[:, 0])[0, 1] > 0.999
    document.end_merge()
    controller.refresh()
    found = controller.result(SINGLE_1)
    assert found.drawing.axis_names == ("ψ₁", "ψ₂")
    across = np.corrcoef(found.drawing.points[:, 0], found.result.embedding.coordinates[:, 0])[0, 1]
    assert abs(across) > 0.999999
    assert np.corrcoef(found.drawing.points[:, 0], before[:, 0])[0, 1] > 0.0


def test_other_axes_are_not_laid_onto_the_former_ones(document, controller):
    commands.change_panel(document, SINGLE_1, "Other axes", axes=(2, 3, 0))
    found = controller.result(SINGLE_1)
    Y = found.result.embedding.coordinates
    assert found.drawing.axis_names == ("ψ₃", "ψ₄")
    assert np.corrcoef(found.drawing.points[:, 0], Y[:, 2])[0, 1] > 0.999999


def test_what_is_drawn_fills_the_unit_square(controller):
    for id in ALL:
        drawn = controller.result(id).drawing.points
        assert drawn.shape == (len(controller.document.data), 2)
        assert np.ptp(drawn, axis=0).max() == pytest.approx(2.0)
        np.testing.assert_allclose(drawn.max(axis=0) + drawn.min(axis=0), 0.0, atol=1e-12)


def test_too_few_coordinates_are_drawn_all_the_same(document, controller):
    commands.change_all_panels(document, "Show all in 3-D", dims=3)
    commands.set_param(document, "n_components", 1)
    for id in ALL:
        found = controller.result(id)
        assert found.status == "ready"
        assert found.drawing.points.shape == (len(document.data), 3)
        assert np.isfinite(found.drawing.points).all()


def test_a_view_or_all_views_are_shown(document, controller):
    e = controller.result(MULTIVIEW).result.embedding
    Y, names = shown_coordinates(e, "v2")
    np.testing.assert_array_equal(Y, e.view_coordinates[1])
    assert names == ("ψ₁", "ψ₂", "ψ₃", "ψ₄")
    Y, names = shown_coordinates(e, "consensus")
    assert Y.shape[1] == len(names)
    np.testing.assert_array_equal(Y[:, -8:], e.coordinates)
    assert names[-8:] == tuple(f"ψ{k} {v}" for v in ("v1", "v2") for k in "₁₂₃₄")
    Y, names = shown_coordinates(controller.result(SUM).result.embedding, "v2")
    assert Y.shape[1] == len(names) == 4


def test_only_the_drawn_columns_are_joined(controller):
    """Of a million samples all columns of all views took a third of a second, on the window's own thread."""
    e = controller.result(MULTIVIEW).result.embedding
    blocks = tuple(np.tile(Y, (500, 1)) for Y in e.view_coordinates)
    many = dataclasses.replace(e, coordinates=np.hstack(blocks), view_coordinates=blocks)
    for show in ("consensus", "v2"):
        every, names = shown_coordinates(many, show)
        for axes in ([0, 1], [len(names) - 1, 2, len(names) // 2]):
            np.testing.assert_array_equal(drawn_columns(many, show, axes), every[:, axes])
    tracemalloc.start()
    drawn = drawn_columns(many, "consensus", [0, 1])
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * drawn.nbytes


def test_columns_have_plain_names_in_files(controller):
    names = {id: list(controller.result(id).result.embedding.column_names) for id in ALL}
    assert names[SUM] == ["psi1", "psi2", "psi3", "psi4"]
    assert names[MULTIVIEW] == [f"{v}_psi{k}" for v in ("v1", "v2") for k in (1, 2, 3, 4)]
    assert names[DE_SA] == [f"{v}_u{k}" for v in ("v1", "v2") for k in (0, 1, 2, 3)]


def test_subscripts():
    assert subscript(1024) == "₁₀₂₄"


# Scores and rules -------------------------------------------------------------------------------------------


def test_scores_are_computed_when_the_hand_rests_and_not_before(document, controller):
    assert all(controller.result(id).scores is None for id in ALL)
    controller.on_idle()
    scores = {id: controller.result(id).scores for id in ALL}
    assert all(0.0 <= s.nmi.value <= 1.0 and 0.0 <= s.knn.value <= 1.0 for s in scores.values())
    commands.set_epsilon(document, "v2", 0.3)
    assert controller.result(SINGLE_1).scores is scores[SINGLE_1]
    assert controller.result(SUM).scores is None
    controller.on_idle()
    assert controller.result(SINGLE_1).scores is scores[SINGLE_1]
    assert controller.result(SUM).scores is not None


@pytest.mark.parametrize("labels", [None, np.linspace(0, 1, 90), np.zeros(90, dtype=int)])
def test_without_classes_pictures_are_scored_by_the_views_in_use(make, labels):
    document = opened(circle_data().replace(labels=labels, latent={}))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.on_idle()
    for id in ALL:
        scores, embedding = controller.result(id).scores, controller.result(id).result.embedding
        between = ["agreement"] if embedding.view_coordinates else []
        assert [*scores.each()] == ["trustworthiness", "neighbours_kept", *between, "gap"]
        used = [document.data.Xs[document.data.view_index(name)] for name in document.state.enabled]
        kept = [neighbourhood_preservation(embedding.coordinates, X).mean() for X in used]
        assert scores.free.neighbours_kept.value == pytest.approx(np.mean(kept), abs=1e-12)
        assert [name for name, _ in scores.free.kept] == list(document.state.enabled)


def test_scores_by_views_are_those_of_the_views_in_use(make):
    document = opened(circle_data(labels=False).replace(latent={}))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.on_idle()
    assert [name for name, _ in controller.result(SINGLE_1).scores.free.kept] == ["v1", "v2"]
    commands.tick_view(document, "v2", False)
    controller.on_idle()
    assert [name for name, _ in controller.result(SINGLE_1).scores.free.kept] == ["v1"]


def test_scores_by_views_give_way_to_a_hidden_variable_and_come_back(make):
    document = opened(circle_data(labels=False).replace(columns={"mass": np.linspace(0.0, 1.0, 90)}, latent={}))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.on_idle()
    assert "trustworthiness" in controller.result(SUM).scores.each()
    commands.colour_by(document, "column:mass")
    controller.on_idle()
    assert [*controller.result(SUM).scores.each()] == ["r2", "spearman", "order"]
    commands.colour_by(document, "")
    controller.on_idle()
    assert "trustworthiness" in controller.result(SUM).scores.each()


def test_how_far_samples_move_with_epsilon_is_told_once_where_there_are_no_classes(make):
    document = opened(circle_data(labels=False).replace(latent={}))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.ask_nearby()
    controller.on_idle()
    for id in ALL:
        scores, request = controller.result(id).scores, controller.result(id).request
        found = stability(document.data, request.method, views=request.plan.views, epsilon="robust", scale_epsilon=True,
                          score="none", n_components=4)  # fmt: skip
        assert scores.stability.value == pytest.approx(found.number, rel=1e-3)
        assert list(scores.each())[-1] == "stability"
    told = controller.result(SUM).scores.stability
    commands.colour_by(document, "column:mass")
    controller.on_idle()
    assert "stability" not in controller.result(SUM).scores.each()
    commands.colour_by(document, "")
    controller.on_idle()
    assert controller.result(SUM).scores.stability is told
    controller.ask_nearby()
    assert controller.result(SUM).scores.stability is told
    classed = make(opened(circle_data()), executor=Inline(), background=Inline())
    classed.refresh()
    classed.ask_nearby()
    assert classed.result(SUM).scores is None


def test_without_classes_the_hidden_variable_is_scored(make):
    document = opened(circle_data(labels=False))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.on_idle()
    for id in ALL:
        found = controller.result(id)
        assert list(found.scores.each()) == ["resultant", "order", "largest_gap"]
        Y, angle = found.result.embedding.coordinates, document.data.latent["angle"]
        assert found.scores.hidden.resultant == knn_resultant(Y, angle)


def test_what_is_drawn_has_scores_of_its_own_that_follow_the_axes(make):
    document = opened(circle_data(labels=False))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.on_idle()
    before, angle = controller.result(MULTIVIEW).scores.hidden, document.data.latent["angle"]
    commands.change_panel(document, MULTIVIEW, "Other axes", axes=(0, 2, 1))
    controller.on_idle()
    after, found = controller.result(MULTIVIEW).scores.hidden, controller.result(MULTIVIEW).result.embedding
    assert (before.drawn, after.drawn) == (("consensus", (0, 1)), ("consensus", (0, 2)))
    assert after.resultant == before.resultant
    for told, axes in ((before, [0, 1]), (after, [0, 2])):
        drawn = np.mean(found.view_coordinates, axis=0)[:, axes]
        assert (told.order, told.largest_gap) == (ring_order(drawn, angle), ring_gap(drawn))
    commands.change_panel(document, MULTIVIEW, "One view", show="v1")
    controller.on_idle()
    told = controller.result(MULTIVIEW).scores.hidden
    assert told.order == ring_order(found.view_coordinates[0][:, [0, 2]], angle)
    commands.set_param(document, "n_components", 1)
    controller.on_idle()
    told = controller.result(SUM).scores.hidden
    assert (told.order, told.largest_gap) == (None, None)
    assert told.resultant is not None


def test_the_scored_variable_follows_the_colour_and_nothing_else_is_computed_again(document, controller):
    controller.on_idle()
    before = controller.result(SUM).scores
    assert list(before.each()) == ["nmi", "knn", "resultant", "order", "largest_gap"]
    commands.colour_by(document, "column:mass")
    after = controller.result(SUM).scores
    assert after.nmi is before.nmi
    assert after.hidden.variable == "mass"
    Y = controller.result(SUM).result.embedding.coordinates
    assert after.hidden.r2 == knn_r2(Y, document.data.columns["mass"])
    assert after.hidden.spearman == first_spearman(Y, document.data.columns["mass"])
    commands.colour_by(document, "column:weather")  # words: the latent again
    assert controller.result(SUM).scores == before
    controller.on_idle()
    assert controller.result(SUM).scores.nmi is before.nmi


def test_a_variable_nobody_asks_for_any_more_has_no_score(make):
    document = opened(circle_data().replace(latent={}))
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    commands.colour_by(document, "column:mass")
    controller.on_idle()
    assert list(controller.result(SUM).scores.each()) == ["nmi", "knn", "r2", "spearman", "order"]
    commands.colour_by(document, "labels")
    assert list(controller.result(SUM).scores.each()) == ["nmi", "knn"]


def test_no_two_tasks_of_panels_have_one_name(document, make):
    """The same method twice: its place, its view and what is pinned tell the panels apart."""
    later = Later()
    controller = make(document, executor=later, background=Later())
    later.run_all()
    copy = commands.duplicate_panel(document, MULTIVIEW)
    commands.pin(document, copy, "t", 8)
    commands.set_scale(document, 2.0)
    names = [task.title for task in controller.tasks() if task.slot in {p.id for p in document.state.panels}]
    assert len(names) == len(set(names)) >= 6
    assert "panel 7, Multi-view · t 8" in names
    assert "panel 1, Single · v1" in names


def test_a_score_that_comes_too_late_is_dropped(document, make):
    later = Later()
    controller = make(document, executor=Inline(), background=later)
    controller.refresh()
    later.run_all()
    controller.on_idle()
    commands.set_epsilon(document, "v2", 0.3)
    later.run_all()
    assert controller.result(SINGLE_1).scores is not None
    assert controller.result(SUM).scores is None


def test_a_request_says_what_the_user_should_read(document, controller):
    commands.tick_view(document, "v1", False)
    with pytest.raises(MVExplorerError) as caught:
        controller.request_for(document.state.panel(SUM))
    assert caught.value.hint


def test_a_computation_that_costs_less_now_says_so_while_it_waits(document, make):
    later = Later()
    controller = make(document, executor=later, background=Later())
    seen = []
    controller.panel_changed.connect(seen.append)
    controller.refresh()
    before = controller.result(SUM).cost
    seen.clear()
    commands.compute_by(document, "knn-5", None)
    assert controller.result(SUM).cost != before
    assert SUM in seen


def test_where_epsilon_has_no_effect_nothing_is_told_of_it(make):
    document = opened(circle_data(labels=False).replace(latent={}))
    for name in document.data.view_names:
        commands.set_kernel(document, name, "self-tuning-7")
    controller = make(document, executor=Inline(), background=Inline())
    controller.refresh()
    controller.ask_nearby()
    controller.on_idle()
    assert all("stability" not in controller.result(id).scores.each() for id in ALL)
