"""A drag between anchors: every panel shows its answer at once, without a job, and the exact one at rest."""

from itertools import pairwise

import numpy as np
import pytest
from inline import CountingCache, Later, circle_data, controlled, opened

from mvexplorer.compute.run.cache import PARTS, PREPARED
from mvexplorer.engine.api.embedding import carry_out
from mvexplorer.engine.api.preparing import EmbedOptions
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.pipeline.stages import remember_once
from mvexplorer.engine.pipeline.steps_that_stay import STEPS_THAT_STAY
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.document import commands, view_weights
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.anchors import Anchors, moved
from mvexplorer.state.pictures.editor import Editor

WALKS = ("single", "kernel-sum", "kernel-product", "concatenation", "multiview", "de-sa", "mgc")
PANELS = tuple(PanelState(id=f"p{i}", method=method) for i, method in enumerate(WALKS))


class Drag:
    """A document at rest, prepared, with a hand on one of its sliders."""

    def __init__(self, panels=PANELS, n_views=2, prepares=True, **changes):
        self.panel_jobs, self.anchor_jobs = Later(), Later()
        self.document = opened(circle_data(n_views=n_views), panels=panels, **changes)
        self.controller = controlled(self.document, self.panel_jobs, CountingCache())
        self.panel_jobs.run_all()
        self.anchors = Anchors(self.controller, executor=self.anchor_jobs)
        if prepares:
            self.rest()

    def rest(self):
        self.document.end_merge()
        self.controller.on_idle()
        self.panel_jobs.run_all()
        self.anchors.rest()
        self.anchor_jobs.run_all()

    def to(self, scale):
        commands.set_scale(self.document, scale, interactive=True)

    def embeddings(self):
        return {id: r.result.embedding for id, r in self.controller.results.items()}

    def exact(self):
        """The answers that belong where the document stands."""
        state, found = self.document.state, {}
        for panel in state.panels:
            request = self.controller.request_for(panel)
            found[panel.id] = carry_out(request.plan, request.data, EmbedOptions(Task(), remember_once()))
        return found


@pytest.fixture(scope="module")
def drag():
    return Drag()


def angle(found, true):
    """The largest angle between the leading plane of one answer and that of another, in the first view."""
    planes = [np.linalg.qr(np.column_stack(e.decomposition.blocks[0].T[:3]))[0] for e in (found, true)]
    return float(np.linalg.norm(planes[0] - planes[1] @ (planes[1].T @ planes[0]), 2))


@pytest.mark.nightly
def test_a_step_between_anchors_is_answered_at_once_in_all_panels_as_exact_answers_are(drag):
    for scale in (1.13, 0.77, 2.9, 1.9, 1.0):
        drag.to(scale)
        assert not drag.panel_jobs.waiting
        shown, exact = drag.embeddings(), drag.exact()
        for panel in PANELS:
            result = drag.controller.result(panel.id)
            assert (result.status, result.draft_text) == ("ready", "draft"), (panel.method, scale)
            assert shown[panel.id].epsilon == pytest.approx(exact[panel.id].epsilon)
            assert np.allclose(shown[panel.id].eigenvalues[:3], exact[panel.id].eigenvalues[:3], atol=1e-3)
            assert angle(shown[panel.id], exact[panel.id]) <= 0.05, (panel.method, scale)
            assert shown[panel.id].coordinates.shape == exact[panel.id].coordinates.shape
            assert shown[panel.id].views == exact[panel.id].views
            assert set(shown[panel.id].info) == set(exact[panel.id].info) - {STEPS_THAT_STAY}


def test_the_epsilon_of_the_pictures_follows_the_hand_without_jumping_back(drag):
    seen = []
    drag.controller.panel_changed.connect(lambda id: seen.append((id, drag.embeddings()[id].epsilon[0])))
    for scale in np.geomspace(0.8, 2.2, 25):
        drag.to(float(scale))
    drag.controller.panel_changed.disconnect()
    for panel in PANELS:
        own = [epsilon for id, epsilon in seen if id == panel.id]
        assert len(own) == 25
        assert all(a < b for a, b in pairwise(own))


def test_once_the_hand_rests_exact_answers_take_the_place_of_the_drafts(drag):
    drag.to(1.31)
    before = {id: r.drawing.points for id, r in drag.controller.results.items()}
    drag.controller.on_idle()
    drag.panel_jobs.run_all()
    for id, result in drag.controller.results.items():
        assert (result.status, result.draft_text) == ("ready", "")
        assert result.result.embedding.decomposition.exact
        assert np.abs(result.drawing.points - before[id]).max() <= 0.05  # of pictures that span -1 to 1


def test_an_exact_answer_that_comes_late_does_not_take_a_step_back(drag):
    """The hand moves on while the answer for its last place is computed: that one is dropped."""
    drag.rest()
    drag.to(1.05)
    drag.controller.on_idle()
    assert drag.panel_jobs.waiting
    drag.to(1.25)
    shown = drag.embeddings()
    drag.panel_jobs.run_all()
    assert drag.embeddings() == shown
    assert all(r.status == "ready" for r in drag.controller.results.values())


def test_undo_returns_to_the_picture_before_the_drag(drag):
    drag.rest()
    scale = drag.document.state.epsilon_scale
    drag.to(1.7)
    drag.document.end_merge()
    drag.document.undo()
    drag.controller.on_idle()
    drag.panel_jobs.run_all()
    assert drag.document.state.epsilon_scale == scale
    exact = drag.exact()
    assert all(np.allclose(e.eigenvalues, exact[id].eigenvalues) for id, e in drag.embeddings().items())


def test_a_panel_that_cannot_be_prepared_follows_by_jobs_and_keeps_nobody_waiting():
    panels = (PanelState(id="a", method="alternating"), PanelState(id="b", method="kernel-sum"))
    drag = Drag(panels)
    for scale in (1.1, 1.2, 1.3):
        drag.to(scale)
        assert drag.controller.result("b").result.prepared
        assert drag.controller.result("a").status == "computing"
    drag.panel_jobs.run_all()
    assert not drag.controller.result("a").result.prepared


def test_hidden_panels_compute_nothing_and_catch_up(drag):
    drag.rest()
    drag.controller.hide(["p1"])
    hidden = drag.controller.result("p1").result
    drag.to(1.45)
    assert drag.controller.result("p1").result is hidden
    drag.controller.hide([])
    drag.rest()
    assert drag.controller.result("p1").result.embedding.epsilon == pytest.approx(drag.exact()["p1"].epsilon)


def test_outside_of_what_is_prepared_steps_are_computed(drag):
    drag.rest()
    drag.to(30.0)
    assert drag.panel_jobs.waiting
    drag.panel_jobs.run_all()
    assert not any(r.result.prepared for r in drag.controller.results.values())
    drag.to(1.0)
    drag.panel_jobs.run_all()


@pytest.mark.parametrize(
    "edit",
    [
        lambda document: commands.set_param(document, "alpha", 0.5),
        lambda document: commands.set_param(document, "n_components", 3),
        lambda document: commands.set_kernel(document, "v1", "laplacian"),
        lambda document: document.reset(document.state, document.data.replace(preprocess=["zscore", "zscore"])),
    ],
)
def test_what_was_prepared_for_another_question_answers_none(edit):
    drag = Drag(PANELS[:2])
    drag.to(1.1)
    assert all(r.result.prepared for r in drag.controller.results.values())
    edit(drag.document)
    drag.panel_jobs.run_all()
    drag.to(1.2)
    answered = [r.result.prepared and r.status == "ready" for r in drag.controller.results.values()]
    assert not all(answered)
    drag.panel_jobs.run_all()
    assert not drag.controller.results["p0"].result.prepared


def test_other_times_of_diffusion_need_nothing_new(drag):
    drag.to(1.0)
    drag.rest()
    made = drag.controller.cache.made[PREPARED]
    commands.set_param(drag.document, "t", 4)
    drag.panel_jobs.run_all()
    drag.to(1.1)
    assert drag.controller.results["p1"].result.prepared
    shown, exact = drag.embeddings()["p1"], drag.exact()["p1"]
    assert np.allclose(np.abs(shown.coordinates[:, 0]), np.abs(exact.coordinates[:, 0]), rtol=0.05, atol=1e-3)
    drag.rest()
    assert drag.controller.cache.made[PREPARED] == made
    commands.set_param(drag.document, "t", 1)
    drag.rest()


@pytest.mark.parametrize("along", ["epsilon:v2", "weight:v1", "eta"])
def test_the_same_holds_along_one_bandwidth_a_weight_and_eta(along):
    panels = (PanelState(id="m", method="multiview"), PanelState(id="s", method="kernel-sum"))
    drag = Drag(panels, prepares=False, n_views=3)

    def move(value):
        if along == "eta":
            commands.set_param(drag.document, "eta", value, interactive=True)
        elif along.startswith("weight"):
            view_weights.set_view_weight(drag.document, "v1", value, interactive=True)
        else:
            commands.set_epsilon(drag.document, "v2", value, interactive=True)
        drag.panel_jobs.run_all()

    first, second = {"eta": (0.3, 0.42), "weight:v1": (1.0, 1.7), "epsilon:v2": (0.5, 0.7)}[along]
    move(1.2 * first)
    move(first)
    assert drag.anchors.along == along
    drag.rest()
    assert drag.anchors.reach
    move(second)
    shown, exact = drag.embeddings(), drag.exact()
    moving = ["m"] if along == "eta" else ["m", "s"]
    for id in moving:
        assert drag.controller.result(id).result.prepared
        assert angle(shown[id], exact[id]) <= 0.05
        assert np.allclose(shown[id].eigenvalues[:3], exact[id].eigenvalues[:3], atol=1e-3)
        assert shown[id].epsilon == pytest.approx(exact[id].epsilon)
        assert moved(drag.document.state, along, second).views == drag.document.state.views
    assert shown["m"].info["within_view_probability"] == pytest.approx(
        exact["m"].info["within_view_probability"], abs=1e-4
    )


def test_where_the_certificate_fails_the_step_is_computed(drag, monkeypatch):
    drag.rest()
    monkeypatch.setattr("mvexplorer.engine.spectral.reduced.CERTAIN", -1.0)
    drag.to(1.19)
    assert drag.panel_jobs.waiting
    drag.panel_jobs.run_all()
    assert not any(r.result.prepared for r in drag.controller.results.values())


def test_nothing_is_prepared_where_the_user_does_not_want_it():
    drag = Drag(PANELS[:1], prepares=False)
    drag.anchors.enabled = False
    drag.anchors.rest()
    assert not drag.anchor_jobs.waiting


def test_nothing_is_prepared_once_nobody_looks():
    drag = Drag(PANELS[:1], prepares=False)
    drag.anchors.rest()
    drag.anchors.stop()
    drag.anchor_jobs.run_all()
    assert not drag.controller.cache.made[PREPARED]


def test_what_is_prepared_takes_its_part_of_the_memory(drag):
    cache = drag.controller.cache
    assert 0 < cache.bytes_by_stage()[PREPARED] <= cache.limit / PARTS[PREPARED]
    assert PARTS[PREPARED] == 5  # of the usual limit 200 MB


def test_methods_alike_are_projected_once(drag):
    """The multi-view walk of two views and de Sa's graph are one pencil."""
    by_method = {
        key.subject[-1][0]: value for key, (value, _) in drag.controller.cache._entries.items() if key.stage == PREPARED
    }
    one, other = by_method["multiview"].interval, by_method["de-sa"].interval
    assert np.array_equal(one.laplacians, other.laplacians)


def test_one_method_at_two_settings_has_two_pencils():
    panels = (
        PanelState(id="data", method="mgc", pins={"density": "data"}),
        PanelState(id="mixture", method="mgc", pins={"density": "mixture"}),
    )
    drag = Drag(panels)
    drag.to(1.13)
    shown, exact = drag.embeddings(), drag.exact()
    for id in ("data", "mixture"):
        assert drag.controller.result(id).result.prepared
        assert np.allclose(shown[id].eigenvalues[:3], exact[id].eigenvalues[:3], atol=1e-3)
        assert angle(shown[id], exact[id]) <= 0.05


def test_small_multiples_show_what_is_prepared_until_the_exact_pictures_come(monkeypatch):
    monkeypatch.setattr("mvexplorer.state.batches.multiples_run.AT_ONCE", np.inf)  # however busy the machine is
    drag = Drag(PANELS[:3])
    editor, multiples = Editor(drag.document, drag.controller), SmallMultiples(drag.controller, workers=1)
    asked = {"columns": "epsilon_scale", "column_values": (0.9, 1.1, 1.6), "rows": "panels"}
    assert editor.change_multiples("Small multiples", shown=True, **asked)
    multiples.refresh()
    assert multiples.missing == multiples.total == 9
    places = [(i, j) for i in range(3) for j in range(3)]
    drafts = {place: multiples.result(*place).drawing.points for place in places}
    assert all(multiples.result(*place).draft_text == "draft" for place in places)
    assert all(result.drawing.points is None for _, result in multiples.each(drafts=False))  # nobody writes drafts
    drag.panel_jobs.run_all()
    assert multiples.missing == 0
    for place in places:
        result = multiples.result(*place)
        assert (result.status, result.draft_text) == ("ready", "")
        assert np.abs(result.drawing.points - drafts[place]).max() <= 0.05
    assert all(result.drawing.points is not None for _, result in multiples.each(drafts=False))


def test_of_questions_asked_before_no_more_is_remembered_than_of_a_few_panels(drag, monkeypatch):
    monkeypatch.setattr("mvexplorer.compute.jobs.prepared.REMEMBERED", 3)
    drag.to(1.0)
    drag.rest()
    for scale in (1.1, 0.95, 1.2):
        drag.to(scale)
    assert len(drag.controller.prepared._last) == 3
    assert all(r.result.prepared for r in drag.controller.results.values())


def test_small_multiples_compute_first_what_nothing_is_drawn_of():
    """What lies between anchors has a draft: the others would be white until the last of those is exact."""
    drag = Drag(PANELS[:2])
    editor, multiples = Editor(drag.document, drag.controller), SmallMultiples(drag.controller, workers=1)
    columns = (0.9, 1.1, 40.0)
    editor.change_multiples(
        "Small multiples", shown=True, columns="epsilon_scale", column_values=columns, rows="panels"
    )
    multiples.refresh()
    while multiples.draft():
        pass
    assert [multiples.result(i, j).draft_text for i in range(2) for j in range(3)] == ["draft", "draft", ""] * 2
    exact = []
    multiples.arrived.connect(lambda i, j: exact.append((i, j)) if multiples.result(i, j).status == "ready" else None)
    drag.panel_jobs.run_all()
    assert multiples.missing == 0
    assert set(exact[:2]) == {(0, 2), (1, 2)}


def test_drafts_of_a_grid_that_is_gone_are_not_drawn(monkeypatch):
    monkeypatch.setattr("mvexplorer.state.batches.multiples_run.AT_ONCE", 0.0)
    drag = Drag(PANELS[:2])
    editor, multiples = Editor(drag.document, drag.controller), SmallMultiples(drag.controller, workers=1)
    editor.change_multiples(
        "Small multiples", shown=True, columns="epsilon_scale", column_values=(0.9, 1.1), rows="panels"
    )
    multiples.refresh()
    assert multiples.draft()
    editor.change_multiples("Close small multiples", shown=False)
    multiples.refresh()
    assert not multiples.draft()
