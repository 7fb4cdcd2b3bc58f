"""The panels of a document at every ε: the first picture is the session's own, others are exact or certified."""

import numpy as np
import pytest
from live_reader import largest_angle

import mvexplorer as mvx
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.api.live import MovingPicture, StopPictures
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.distances import MANY_SAMPLES
from mvexplorer.errors import ParameterError
from mvexplorer.io.writing.live_block import live_block
from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.export import live_panels as live_module
from mvexplorer.state.export.live_panels import STOPS, LivePanelsJob, can_be_live, expected_bytes
from mvexplorer.state.pictures.requests import request_of

M = 120


@pytest.fixture(scope="module")
def data():
    whole = mvx.load("helix-a")
    return whole.take(np.arange(0, whole.n_samples, whole.n_samples // M)[:M])


def computed(data, *methods, **changes):
    state = commands.initial_state(data, ("memory",), None)
    panels = [updated(commands.new_panel(m, f"p{k}"), changes) for k, m in enumerate(methods)]
    return compute(updated(state, {"panels": panels}), data)


def made(finished, task=None):
    return LivePanelsJob(finished.state, finished.data, finished.results).run(StageCache(), task or Task())


@pytest.fixture(scope="module")
def finished(data):
    return computed(data, "multiview", "alternating")


@pytest.fixture(scope="module")
def live(finished):
    return made(finished)


@pytest.mark.nightly
def test_a_walk_moves_and_what_has_no_symmetric_pencil_has_stops(live):
    assert isinstance(live.panels["p0"].picture, MovingPicture)
    stops = live.panels["p1"].picture
    assert isinstance(stops, StopPictures)
    assert live.range_.start in stops.steps
    assert STOPS <= len(stops.steps) <= STOPS + 1
    assert live.left_out == {}


def test_the_range_has_the_median_and_an_octave_around_the_session(finished, live):
    answer = finished.results["p0"].result.embedding
    for epsilon, median in zip(answer.epsilon, mvx.select_epsilon(finished.data, "median"), strict=True):
        assert live.range_.low <= 1.1 * median / 30 / epsilon
        assert live.range_.high >= 1.8 * median / epsilon
    assert live.range_.low <= 0.51
    assert live.range_.high >= 1.99


def test_both_begin_as_the_session_drew_them(finished, live):
    drawn = finished.results["p0"].drawing.points
    first = live.panels["p0"].picture.at(live.range_.start, live.t)
    size = np.ptp(first, axis=0).max() / 2.0
    np.testing.assert_allclose((first - (first.max(axis=0) + first.min(axis=0)) / 2.0) / size, drawn, atol=0.03)
    stops = live.panels["p1"].picture
    at = stops.steps.index(live.range_.start)
    np.testing.assert_allclose(stops.points[at], finished.results["p1"].drawing.points, atol=1e-9)


@pytest.mark.parametrize("k", [0, 7, 24])
def test_stops_are_exact_answers_turned_onto_each_other(k, finished, live):
    stops = live.panels["p1"].picture
    request = request_of(finished.state, finished.data, finished.state.panels[1])
    factor = live.range_.factor_at(stops.steps[k])
    epsilon = tuple(factor * e for e in finished.results["p1"].result.embedding.epsilon)
    exact = mvx.embed(finished.data, "alternating", epsilon=epsilon, **dict(request.params))
    assert largest_angle(stops.points[k], exact.coordinates[:, :2]) <= 1e-6
    assert np.abs(stops.points[k]).max() <= 1.0 + 1e-12


def test_scores_are_told_over_the_range_and_are_the_sessions_at_its_own_epsilon(finished, live):
    for id, panel in live.panels.items():
        at = panel.scored.index(live.range_.start)
        session = {name: score.value for name, score in finished.results[id].scores.each().items()}
        assert len(panel.scores) == len(session) > 0
        for values, score in zip(panel.scores.values(), session.values(), strict=True):
            assert len(values) == len(panel.scored)
            assert values[at] == pytest.approx(score, abs=0.02)
        assert any(np.nanstd(values) > 0.0 for values in panel.scores.values())


@pytest.mark.parametrize("changes", [{"trim": True}, {"axes": (1, 2, 3)}])
def test_pictures_of_more_than_the_leading_coordinates_have_stops(changes, data):
    found = made(computed(data, "kernel-sum", **changes))
    assert isinstance(found.panels["p0"].picture, StopPictures)


@pytest.mark.nightly
def test_a_panel_in_3_d_moves_in_3_d(data):
    found = made(computed(data, "kernel-sum", dims=3))
    assert found.panels["p0"].picture.frames.shape[2] == 3


def test_it_can_be_stopped(finished):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        made(finished, task)


def test_too_many_samples_are_refused_in_a_sentence(data):
    many = mvx.MultiView([np.zeros((MANY_SAMPLES + 1, 2))])
    state = commands.initial_state(many, ("memory",), None)
    with pytest.raises(ParameterError, match=r"at most 5,000 samples; these are 5,001\. Write a page without"):
        LivePanelsJob(state, many, {}).run(StageCache(), Task())
    assert not can_be_live(state, many)
    few = commands.initial_state(data, ("memory",), None)
    assert can_be_live(updated(few, {"panels": [commands.new_panel("multiview", "p0")]}), data)
    assert not can_be_live(updated(few, {"panels": [commands.new_panel("given", "p0")]}), data)


@pytest.mark.nightly
def test_panels_that_epsilon_does_not_move_stay_as_they_are(data):
    found = made(computed(data, "kernel-sum", "pca"))
    assert [*found.panels] == ["p0"]
    assert found.left_out == {}


@pytest.mark.nightly
def test_the_range_is_in_the_unit_of_each_views_own_distances(data):
    """By correlation distances are at most 2, whatever the features' units."""
    finished = computed(data, "kernel-sum", pins={f"kernel:{v}": "gaussian@correlation" for v in data.view_names})
    answer = finished.results["p0"].result.embedding
    found = made(finished)
    medians = mvx.select_epsilon(data, "median", metric="correlation")
    middle = np.exp(np.mean(np.log(np.array(medians) / answer.epsilon)))
    assert found.range_.high == pytest.approx(max(2.0 * middle, 2.0), rel=0.01)


@pytest.mark.nightly
def test_a_range_in_which_no_matrix_is_positive_has_stops(finished, monkeypatch):
    """As where the graph falls apart between two anchors."""

    def fails(*about, **more):
        raise np.linalg.LinAlgError("Matrix is not positive definite")

    monkeypatch.setattr(live_module, "moving_pictures", fails)
    assert isinstance(made(finished).panels["p0"].picture, StopPictures)


def test_a_panel_that_would_take_far_more_than_stops_has_those_before_its_pictures_are_made(finished, monkeypatch):
    def made_in_vain(*about, **more):
        raise AssertionError("its weight was known")

    asked, is_heavy = [], live_module._is_heavy

    def heavy(columns, frames, points):
        asked.append((is_heavy(columns, frames, points), frames))
        return is_heavy(50 * columns, frames, points)  # as many columns as where a graph is in pieces

    monkeypatch.setattr(live_module, "_is_heavy", heavy)
    monkeypatch.setattr(live_module, "moving_pictures", made_in_vain)
    assert isinstance(made(finished).panels["p0"].picture, StopPictures)
    assert asked == [(False, 0)]


def test_it_stops_in_the_middle(finished):
    told, task = [], Task(lambda share: (told.append(share), task.cancel() if share > 0.2 else None))
    with pytest.raises(Cancelled):
        made(finished, task)
    assert 0.2 < told[-1] < 0.5
    assert told == sorted(told)


def whole(finished, solid=False):
    job = LivePanelsJob(finished.state, finished.data, finished.results, solid=solid, eta=True)
    return job.run(StageCache(), Task())


@pytest.fixture(scope="module")
def three(data):
    """A walk with η, one without, and one known at stops, at two other η and in three dimensions."""
    finished = computed(data, "multiview", "kernel-sum", "alternating")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live_module, "ETAS", (0.0, 0.3, 0.95))
        return finished, whole(finished, solid=True)


def test_three_dimensions_begin_as_two_and_add_the_next_coordinate(three):
    finished, live = three
    for id in ("p0", "p1"):
        panel = live.panels[id]
        assert panel.solid.columns is panel.picture.columns
        flat, solid = (each.at(live.range_.start, live.t) for each in (panel.picture, panel.solid))
        assert largest_angle(solid[:, :2], flat) <= 0.01
        exact = finished.results[id].result.embedding
        third = np.mean(exact.view_coordinates, axis=0) if id == "p0" else exact.coordinates
        assert largest_angle(solid, third[:, :3]) <= 0.02
        assert panel.third.endswith("ψ₃")
    assert live.panels["p2"].solid.points[0].shape == (M, 3)


@pytest.mark.parametrize(("eta", "factor"), [(0.3, 1.0), (0.95, 1.7)])
def test_at_each_eta_the_picture_is_the_embedding_there(eta, factor, three):
    finished, live = three
    panel = live.panels["p0"].etas[eta]
    assert panel.picture.columns is live.panels["p0"].picture.columns
    step = live.range_.step_of(factor)
    assert any(part.certified and part.first <= step <= part.last for part in panel.picture.parts)
    epsilon = tuple(factor * e for e in finished.results["p0"].result.embedding.epsilon)
    exact = mvx.embed(finished.data, "multiview", epsilon=epsilon, eta=eta, n_components=5)
    assert largest_angle(panel.picture.at(step, 1.0), np.mean(exact.view_coordinates, axis=0)[:, :2]) <= 0.05
    assert len(panel.scores) == len(live.panels["p0"].scores) > 0


def test_panels_without_eta_stay_at_theirs(three):
    _, live = three
    assert live.etas == (0.0, 0.3, 0.95)
    assert [*live.panels["p0"].etas] == [*live.etas[1:]]
    assert live.panels["p1"].etas == live.panels["p2"].etas == {}


def test_a_panel_with_an_eta_of_its_own_keeps_it(data, monkeypatch):
    monkeypatch.setattr(live_module, "ETAS", (0.0, 0.5))
    data = data.take(np.arange(0, M, 3))
    state = computed(data, "multiview", "kernel-sum", "multiview").state
    panels = [updated(panel, {"pins": {"eta": 0.25}} if panel.id == "p2" else {}) for panel in state.panels[::2]]
    finished = compute(updated(state, {"panels": panels}), data)
    live = whole(finished)
    assert live.eta == 0.0
    assert [*live.panels["p0"].etas] == [0.5]
    assert live.panels["p2"].etas == {}


def test_the_size_told_before_is_not_passed_by_the_block(three, monkeypatch):
    finished, live = three
    monkeypatch.setattr(live_module, "ETAS", live.etas)
    told = expected_bytes(finished.state, finished.data, solid=True, eta=True)
    assert 0.2 <= len(live_block(live, np.arange(M))) / told <= 1.1
