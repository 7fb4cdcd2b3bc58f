"""Ingredients side by side: which pictures, in which order, how they are scored, adopted and moved by a drag."""

from itertools import product

import numpy as np
import pytest
from inline import Inline, Later, opened

import mvexplorer as mvx
from mvexplorer.compute.jobs import jobs
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.document import commands
from mvexplorer.state.document.fresh import new_panel
from mvexplorer.state.document.ingredients.grid import AS_IN_THE_PAPER, KERNELS, IngredientMix, offered_to
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.multiples import INGREDIENTS, Multiples
from mvexplorer.state.document.multiples_grid import grid_of
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor

RANDOM = np.random.default_rng(0)
CLASSES = np.repeat([0, 1, 2], 20)
XS = {
    name: RANDOM.standard_normal((60, wide)) + 2.0 * RANDOM.standard_normal((3, wide))[CLASSES]
    for name, wide in (("a", 5), ("b", 8))
}


def three_classes(**views):
    return mvx.MultiView({**XS, **views}, labels=CLASSES)


class Beside:
    """A document with the ingredients of one panel on show."""

    def __init__(self, method="kernel-sum", data=None, executor=None, **changes):
        self.document = opened(data or three_classes())
        panels = (new_panel(method, "p1"), new_panel("single", "p2"))
        self.document.reset(self.document.state.model_copy(update={"panels": panels, **changes}), self.document.data)
        self.controller = Controller(self.document, executor=executor or Inline(), background=Inline())
        self.editor = Editor(self.document, self.controller)
        self.refused = []
        self.editor.failed.connect(lambda error: self.refused.append(str(error)))
        self.multiples = SmallMultiples(self.controller, workers=1)
        self.document.reset(self.document.state, self.document.data.replace())

    def show(self, panel="p1"):
        done = self.editor.compare_ingredients(panel)
        self.multiples.refresh()
        return done

    @property
    def captions(self):
        return self.multiples.grid.captions

    def result(self, caption):
        return self.multiples.result(0, self.captions.index(caption))

    def picture(self, caption):
        return self.multiples.panel(0, self.captions.index(caption))


def captions_of(method, data=None):
    return cells_of(Beside(method, data).document).captions


def cells_of(document):
    return grid_of(document.state.model_copy(update={"multiples": Multiples(rows=INGREDIENTS)}), document.data)


@pytest.fixture
def beside():
    made = Beside()
    yield made
    made.controller.shutdown()


@pytest.fixture
def unscored(monkeypatch):
    """Classes are not scored: ten k-means seeds of 24 pictures are most of the time."""
    monkeypatch.setattr(jobs, "run_scores", lambda *_: Scores())


@pytest.mark.usefixtures("unscored")
def test_all_24_combinations_stand_in_order_of_their_distance_from_the_paper(beside):
    assert beside.show()
    captions = beside.captions
    assert len(captions) == len(set(captions)) == 24
    assert captions[:6] == (
        "as in the paper", "correlation", "10 neighbours", "self-tuning", "without loops", "unit rows",
    )  # fmt: skip
    assert captions[-1] == "correlation · self-tuning · without loops · unit rows"
    differing = [0 if caption == AS_IN_THE_PAPER else caption.count("·") + 1 for caption in captions]
    assert differing == sorted(differing)
    assert max(differing) == 4


def test_each_picture_and_its_scores_are_those_of_embed_and_the_metrics(beside):
    beside.show()
    data = beside.document.data
    m = beside.multiples
    assert m.missing == 0
    for metric, kernel, loops, rows in product(("euclidean", "correlation"), KERNELS, (True, False), (False, True)):
        found = beside.result(IngredientMix(metric, kernel, loops, rows).caption)
        made = mvx.embed(
            data, "kernel-sum", kernel=kernel, metric=metric, self_loops=loops, unit_rows=rows, n_components=4
        )
        np.testing.assert_allclose(np.abs(found.result.embedding.coordinates), np.abs(made.coordinates), atol=1e-6)
        assert found.result.embedding.epsilon == pytest.approx(made.epsilon, nan_ok=True), "by the same rule"
        nmi = mvx.metrics.nmi(made.coordinates, CLASSES)
        assert found.scores.nmi.value == pytest.approx(nmi.value, abs=1e-9)
        free = mvx.label_free(made, data)
        assert found.scores.free.trustworthiness.value == pytest.approx(free.trustworthiness.value, abs=1e-6)
        share = made.info["steps_that_stay"]
        assert found.result.embedding.info["steps_that_stay"] == pytest.approx(share, abs=1e-12)


@pytest.mark.usefixtures("unscored")
def test_neighbours_are_those_by_the_panels_own_metric_in_all_pictures(beside):
    for view in ("a", "b"):
        commands.pin(beside.document, "p1", f"kernel:{view}", "gaussian@correlation")
    beside.show()
    assert beside.multiples.neighbours == (("a", "b"), (("a", "correlation"), ("b", "correlation")))
    for caption in (AS_IN_THE_PAPER, "correlation · unit rows"):
        found = beside.result(caption)
        free = mvx.label_free(found.result.embedding, beside.document.data, metric="correlation")
        plain = mvx.label_free(found.result.embedding, beside.document.data)
        assert found.scores.free.trustworthiness.value == pytest.approx(free.trustworthiness.value, abs=1e-12)
        assert free != plain


@pytest.mark.usefixtures("unscored")
def test_scores_follow_the_panels_metric(beside):
    beside.show()
    before = beside.result("unit rows").scores.free
    for view in ("a", "b"):
        commands.pin(beside.document, "p1", f"kernel:{view}", "gaussian@cosine")
    beside.multiples.refresh()
    assert beside.result("unit rows").scores.free != before


@pytest.mark.usefixtures("unscored")
def test_methods_offer_the_ingredients_they_have():
    assert captions_of("pca") == (AS_IN_THE_PAPER, "unit rows")
    assert not any("unit rows" in caption for caption in captions_of("de-sa"))
    assert len(captions_of("de-sa")) == 12
    assert not any("self-tuning" in caption for caption in captions_of("concatenation"))
    assert len(captions_of("concatenation")) == 16
    assert captions_of("laplacian-mean") == (AS_IN_THE_PAPER, "correlation", "unit rows", "correlation · unit rows")
    assert not any("without loops" in caption for caption in captions_of("kernel-cca"))


@pytest.mark.usefixtures("unscored")
def test_a_method_without_any_is_refused():
    data = three_classes().replace(coordinates={"umap": XS["a"][:, :2]})
    beside = Beside("given", data)
    assert not beside.show()
    assert "has no ingredients to choose from" in beside.refused[0]
    assert not beside.document.state.multiples.shown


@pytest.mark.usefixtures("unscored")
def test_views_with_few_features_stay_euclidean_and_that_is_said():
    beside = Beside(data=three_classes(thin=XS["a"][:, :2]))
    beside.show()
    assert beside.multiples.grid.notes == ("thin stays Euclidean: fewer than 3 features",)
    pins = beside.picture("correlation").pins
    assert (pins["kernel:a"], pins["kernel:thin"]) == ("gaussian@correlation", "gaussian")
    assert beside.result("correlation").error is None
    flat = mvx.MultiView({"x": XS["a"][:, :2], "y": XS["b"][:, :2]}, labels=CLASSES)
    assert not any("correlation" in caption for caption in captions_of("kernel-sum", flat))


@pytest.mark.usefixtures("unscored")
def test_a_constant_row_says_why_there_is_no_picture_and_the_others_come():
    X = XS["a"].copy()
    X[7] = 1.5
    beside = Beside(data=three_classes(a=X))
    beside.show()
    assert "has the same value in every feature" in str(beside.result("correlation").error)
    assert beside.result("unit rows").drawing.points is not None


@pytest.mark.usefixtures("unscored")
def test_tables_of_affinities_and_landmarks_keep_what_they_are():
    K = np.exp(-0.1 * np.square(XS["a"][:, None] - XS["a"]).sum(axis=-1))
    document = Beside(data=three_classes(table=K)).document
    commands.set_kernel(document, "table", "precomputed")
    choices = offered_to(document.state, document.state.panels[0], document.data)
    assert choices.views == ("a", "b")
    for view in ("a", "b"):
        commands.set_kernel(document, view, "landmarks-20")
    choices = offered_to(document.state, document.state.panels[0], document.data)
    assert (choices.kernels, choices.loops) == (("gaussian", "knn-10"), (True,))
    assert choices.notes == ("loops stay: by landmarks they cannot be left out",)
    cells = cells_of(document)
    first, correlation = (cells.panels[0][cells.captions.index(c)].pins for c in (AS_IN_THE_PAPER, "correlation"))
    assert first["kernel:a"] == "landmarks-20"
    assert correlation["kernel:a"] == "landmarks-20@correlation"


@pytest.mark.usefixtures("unscored")
def test_a_panel_that_is_doubly_stochastic_stays_so_and_its_captions_say_it():
    beside = Beside()
    commands.pin(beside.document, "p1", "normalisation", "doubly-stochastic")
    beside.show()
    assert all(caption.endswith(" · doubly stochastic") for caption in beside.captions)


@pytest.mark.usefixtures("unscored")
def test_an_epsilon_that_is_a_number_is_carried_over_as_a_multiple_of_the_rule(beside):
    data = beside.document.data
    robust = {v: float(mvx.embed(data, "single", views=[v]).epsilon[0]) for v in ("a", "b")}
    commands.set_epsilon(beside.document, "a", 0.5 * robust["a"])
    beside.show()
    assert "epsilon:a" not in beside.picture("10 neighbours").pins
    pinned = mvx.embed(data, "single", views=["a"], metric="correlation", epsilon="0.5*robust").epsilon[0]
    assert beside.result("correlation").result.embedding.epsilon[0] == pytest.approx(pinned)


@pytest.mark.usefixtures("unscored")
def test_a_click_adopts_for_the_panel_and_undo_takes_it_back(beside):
    commands.pin(beside.document, "p1", "t", 3)
    beside.show()
    before = beside.document.state
    picture = beside.picture("correlation · 10 neighbours · without loops · unit rows")
    assert beside.editor.adopt_ingredients(picture, "Adopt it")
    state = beside.document.state
    assert state.panel("p1").pins == {
        "t": 3, "kernel:a": "knn-10@correlation", "kernel:b": "knn-10@correlation", "self_loops": False,
        "unit_rows": True,
    }  # fmt: skip
    assert state.panel("p2") == before.panel("p2")
    assert not state.multiples.shown
    assert beside.editor.focused == "p1"
    assert beside.controller.result("p1").result.embedding.params["unit_rows"] is True
    beside.document.undo()
    assert beside.document.state == before


@pytest.mark.usefixtures("unscored")
def test_adopting_everywhere_changes_what_panels_share_and_undo_takes_it_back(beside):
    commands.pin(beside.document, "p2", "unit_rows", False)
    commands.set_scale(beside.document, 2.0)
    robust = float(mvx.embed(beside.document.data, "single", views=["a"]).epsilon[0])
    commands.set_epsilon(beside.document, "a", robust)
    beside.show()
    before = beside.document.state
    found = beside.result("correlation · unit rows").result.embedding
    assert beside.editor.adopt_ingredients(beside.picture("correlation · unit rows"), "Adopt it", everywhere=True)
    state = beside.document.state
    assert [view.kernel for view in state.views] == ["gaussian@correlation"] * 2
    assert (state.params["self_loops"], state.params["unit_rows"]) == (True, True)
    assert not any(panel.pins for panel in state.panels)
    now = beside.controller.result("p1").result.embedding
    assert now.epsilon == pytest.approx(found.epsilon)
    np.testing.assert_allclose(np.abs(now.coordinates), np.abs(found.coordinates), atol=1e-6)
    beside.document.undo()
    assert beside.document.state == before


@pytest.mark.usefixtures("unscored")
def test_the_picture_that_the_panel_is_now_is_marked(beside):
    beside.show()
    assert [beside.multiples.is_present(k) for k in range(24)] == [True] + [False] * 23
    beside.editor.adopt_ingredients(beside.picture("unit rows"), "Adopt it")
    beside.show()
    assert [beside.captions[k] for k in range(24) if beside.multiples.is_present(k)] == ["unit rows"]


@pytest.mark.nightly
@pytest.mark.usefixtures("unscored")
def test_a_drag_drafts_every_picture_and_skips_steps_that_nobody_waits_for(beside):
    beside.show()
    m = beside.multiples
    before = m.result(0, 1).drawing.points
    beside.editor.set_scale(1.5, interactive=True)
    m.refresh(interactive=True)
    assert all(result.status == "computing" for (panel, result) in m.each() if "self-tuning" not in str(panel.pins))
    assert not np.array_equal(m.result(0, 1).drawing.points, before)
    assert m.result(0, 1).scores is None
    assert not [r for _, r in m.each(drafts=False) if r.drawing.points is not None and r.status == "computing"]
    m.refresh()
    assert {result.status for _, result in m.each()} == {"ready"}
    expected = mvx.embed(beside.document.data, "kernel-sum", epsilon="1.5*robust", metric="correlation", n_components=4)
    found = m.result(0, 1).result.embedding
    np.testing.assert_allclose(np.abs(found.coordinates), np.abs(expected.coordinates), atol=1e-6)


@pytest.mark.usefixtures("unscored")
def test_of_steps_that_come_while_drafts_are_made_only_the_last_is_drawn():
    workers = Later()
    beside = Beside(executor=workers)
    workers.run_all()
    beside.show()
    workers.run_all()
    m = beside.multiples
    asked = []
    for scale in (1.1, 1.2, 1.3):
        beside.editor.set_scale(scale, interactive=True)
        m.refresh(interactive=True)
        asked.append(m.panel(0, 0))
    workers.run_all()
    drawn = m.result(0, 0).result.request.epsilon[0]
    assert drawn.factor == pytest.approx(1.3)


@pytest.mark.usefixtures("unscored")
def test_it_is_saved(beside):
    beside.show()
    state = beside.document.state
    again = DocumentState.model_validate_json(state.model_dump_json())
    assert again.multiples == state.multiples
    assert grid_of(again, beside.document.data) == beside.multiples.grid
