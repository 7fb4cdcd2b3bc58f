"""The scores of each view's own picture along its ε, against a loop over `mvx.embed`; and the panels' in one figure."""

import numpy as np
import pytest
from inline import Inline, Later, opened

import mvexplorer as mvx
from mvexplorer.compute.batch.tuning import FACTORS, OwnScale
from mvexplorer.engine.analysis.choosing import Tried
from mvexplorer.engine.metrics import Score
from mvexplorer.state.batches import view_scores
from mvexplorer.state.batches.own_figure import own_figure
from mvexplorer.state.batches.tuner import Tuner
from mvexplorer.state.batches.view_scores import ViewScores, good_range, scores_along
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor


@pytest.fixture
def later():
    return Later()


@pytest.fixture
def controller(later):
    document = opened()
    made = Controller(document, executor=Inline(), background=later)
    document.reset(document.state, document.data)
    later.run_all()
    yield made
    made.shutdown()


def test_a_view_is_scored_by_its_own_neighbours_at_nine_multiples_of_its_median(controller, later):
    scores, told = ViewScores(controller), []
    scores.changed.connect(told.append)
    assert scores.of("v2") is None
    scores.ask("v2")
    scores.ask("v2")
    assert len(later.waiting) == 1
    later.run_all()
    assert told == ["v2"]
    places, values = scores_along(scores.of("v2"))
    np.testing.assert_allclose(10.0**places, FACTORS)
    X = controller.document.data.Xs[controller.document.data.view_index("v2")]
    data = mvx.MultiView([X], view_names=("v2",))
    median = np.median(np.sum((X[:, None] - X[None]) ** 2, axis=2)[np.triu_indices(len(X), 1)])
    for factor, value in zip(FACTORS, values, strict=True):
        made = mvx.embed(data, "single", epsilon=median * factor, n_components=6)
        if np.sum(made.eigenvalues > 0.999) > 1:
            assert np.isnan(value), "torn"
        else:
            assert value == pytest.approx(mvx.label_free(made, data).trustworthiness.value, abs=1e-9)
    assert np.isfinite(values).sum() > 3


def test_of_many_samples_a_part_is_scored(controller, later, monkeypatch):
    monkeypatch.setattr(view_scores, "PART", 40)
    scores = ViewScores(controller)
    scores.ask("v1")
    seen = []
    monkeypatch.setattr(
        view_scores.OwnScaleJob, "run", lambda job, cache, task: seen.append(job.request.data.n_samples)
    )
    later.run_all()
    assert seen == [40]


def test_a_view_without_an_epsilon_or_features_is_not_scored(controller, later):
    scores = ViewScores(controller)
    scores.ask("none of them")
    commands.set_kernel(controller.document, "v1", "self-tuning")
    later.run_all()
    scores.ask("v1")
    assert later.waiting == []
    commands.set_kernel(controller.document, "v1", "gaussian")
    scores.ask("v1")
    later.run_all()
    assert scores.of("v1") is not None
    commands.set_kernel(controller.document, "v1", "laplacian")
    assert scores.of("v1") is None, "of another kernel nothing is known"


def test_an_own_picture_is_as_good_as_far_as_its_score_hardly_falls():
    places, step = (0.1, 1.0, 10.0), 10.0**0.5

    def good(*values, torn=(), spread=0.001):
        each = enumerate(zip(places, values, strict=True))
        tried = [Tried(place, Score(value, spread), k in torn) for k, (place, value) in each]
        found = good_range(OwnScale(1.0, None, None, None, "within", tuple(tried)))
        return None if found is None else (found.low, found.high)

    # A place stands for those nearer to it than to the next.
    assert good(0.9, 0.95, 0.8) == pytest.approx((1.0 / step, step))
    assert good(0.8, 0.945, 0.95) == pytest.approx((1.0 / step, 10.0 * step))
    assert good(0.8, 0.93, 0.95, spread=0.03) == pytest.approx((1.0 / step, 10.0 * step))
    assert good(0.95, 0.9, 0.95)[1] == pytest.approx(0.1 * step)
    # Below the lowest place tried nothing is known against any.
    assert good(0.955, 0.95, 0.951) == pytest.approx((0.0, 10.0 * step))
    # A torn place is never the best, but may be as good.
    assert good(0.9, 0.8, 0.9, torn=(0, 1)) == pytest.approx((step, 10.0 * step))
    assert good(0.9, 0.8, 0.95, torn=(2,)) == pytest.approx((0.0, 0.1 * step))
    assert good(0.95, 0.95, 0.9, torn=(0,)) == pytest.approx((0.0, step))
    assert good(0.9, 0.95, 0.8, torn=(0, 1, 2)) is None


def test_very_few_samples_raise_nothing(controller, later):
    document = controller.document
    document.reset(document.state, document.data.take(np.arange(3)))
    scores = ViewScores(controller)
    scores.ask("v1")
    later.run_all()
    assert scores.of("v1") is None or len(scores.of("v1").tried) == len(FACTORS)


def test_panels_are_scored_without_moving_any_epsilon(controller, later):
    document = controller.document
    tuner = Tuner(controller, Editor(document, controller))
    before, told = document.state, []
    tuner.told.connect(lambda *said: told.append(said))
    tuner.look()
    assert tuner.busy
    later.run_all()
    assert document.state is before
    assert told == []
    own = {panel.id: tuner.own(panel) for panel in document.state.shown}
    own = {id: one for id, one in own.items() if one is not None}
    assert own
    scale = 0.7
    figure = own_figure(own, scale, None)
    for series, one in zip(figure.body.series, own.values(), strict=True):
        tried = one.scale.tried
        np.testing.assert_allclose(series.x, scale * np.array(FACTORS))
        values = [np.nan if each.score is None else each.score.value for each in tried]
        np.testing.assert_array_equal(series.y, values)
        known = [each for each in tried if each.score is not None]
        spread = [each.score.spread or 0.0 for each in known]
        np.testing.assert_allclose(series.band[:, 2] - series.band[:, 1], 2.0 * np.array(spread))
    moved = [scale * one.scale.factor for one in own.values() if one.scale.factor != 1.0]
    assert [mark.x for mark in figure.body.marks] == moved
    assert "labels were not used" in figure.title
    commands.set_scale(document, 0.5)
    assert all(tuner.own(panel) is None for panel in document.state.shown if panel.id in own), "of another ε: nothing"
