"""The sweep over the bandwidth: one score per curve, factor and resampling, watched, stopped, and told in a table."""

from dataclasses import replace

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data, opened

from mvexplorer.compute.batch import sweep_path
from mvexplorer.compute.batch.sweep_path import coarse_to_fine
from mvexplorer.compute.jobs import jobs, runner
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.engine.hidden_scores import knn_resultant
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.engine.metrics import Score, knn_accuracy
from mvexplorer.errors import ComputeError, MVExplorerError, ParameterError
from mvexplorer.state.batches.sweeper import Sweeper
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.controller import Controller

FACTORS = (0.25, 1.0, 4.0)


def quick_scores(coordinates, labels, task):
    """Numbers that tell embeddings apart, without the seconds k-means would take."""
    spread = float(np.abs(np.diff(np.abs(coordinates), axis=0)).mean())
    return Scores(Score(spread, spread / 10), knn_accuracy(coordinates, labels))


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(jobs, "run_scores", quick_scores)


class Observed:
    """A document with a controller and a sweeper; what the sweeper announced, as (done, running)."""

    def __init__(self, document, executor=None, workers=1):
        self.document = document
        self.controller = Controller(
            document, executor=executor or Inline(), background=Inline(), cache=CountingCache()
        )
        self.sweeper = Sweeper(self.controller, workers)
        self.heard = []
        self.sweeper.changed.connect(lambda: self.heard.append((self.sweeper.done, self.sweeper.running)))
        document.reset(document.state, document.data.replace())

    def titles(self):
        return [curve.title for curve in self.sweeper.curves]

    def curve(self, title):
        (found,) = (curve for curve in self.sweeper.curves if curve.title == title)
        return found


@pytest.fixture
def make():
    made = []

    def build(document=None, executor=None, workers=1):
        made.append(Observed(document or opened(), executor, workers))
        return made[-1]

    yield build
    for seen in made:
        seen.controller.shutdown()


@pytest.fixture
def seen(make):
    return make()


def expected_scores(data, method, factor, **more):
    """Scores of one embedding at robust times a factor, by the engine alone."""
    found = embed(data, method, epsilon=f"{factor}*robust", n_components=4, **more)
    return quick_scores(found.coordinates, data.labels, Task())


# --- the panels on show ---------------------------------------------------------------------------------------------


def test_every_panel_at_every_factor(seen):
    seen.sweeper.start(FACTORS)
    assert seen.titles() == ["Single · v1", "Single · v2", "Kernel sum", "Kernel product", "de Sa", "Multi-view"]
    assert (seen.sweeper.total, seen.sweeper.done, seen.sweeper.running) == (18, 18, False)
    assert seen.sweeper.problems == {}
    data = seen.document.data
    for title, method, more in (("Single · v2", "single", {"view": "v2"}), ("Kernel sum", "kernel-sum", {}),
                                ("Multi-view", "multiview", {})):  # fmt: skip
        curve = seen.curve(title)
        assert (curve.method, curve.flat) == (method, False)
        assert [f for f, _ in curve.values("nmi")] == list(FACTORS)
        for factor in FACTORS:
            expected = expected_scores(data, method, factor, **more)
            assert curve.points[factor, 0] == replace(expected, hidden=curve.points[factor, 0].hidden)
            assert dict(curve.values("knn"))[factor] == expected.knn.value


def test_at_factor_one_the_scores_are_those_of_the_panels(seen):
    commands.set_epsilon(seen.document, "v1", "median/9")
    commands.pin(seen.document, "p6", "epsilon:v2", 0.2)
    seen.controller.on_idle()
    seen.sweeper.start((1.0,))
    panels = seen.document.state.panels
    assert len(seen.sweeper.curves) == len(panels) == 6
    for curve, panel in zip(seen.sweeper.curves, panels, strict=True):
        assert curve.points[1.0, 0] == seen.controller.result(panel.id).scores


def test_the_factor_is_that_of_the_master_slider(seen):
    """The axis of the sweep is the slider's own, wherever that stands when the sweep starts."""
    seen.sweeper.start((0.5, 2.0))
    expected = [curve.points for curve in seen.sweeper.curves]
    commands.set_scale(seen.document, 2.0)
    seen.sweeper.start((0.5, 2.0))
    assert [curve.points for curve in seen.sweeper.curves] == expected
    seen.controller.on_idle()
    assert seen.curve("Kernel sum").points[2.0, 0] == seen.controller.result("p3").scores


def test_the_same_method_twice_gives_two_curves(seen):
    """Duplicate, pin, move: both can be told apart."""
    copy = commands.duplicate_panel(seen.document, "p3")
    commands.pin(seen.document, copy, "t", 8)
    commands.change_panel(seen.document, "p3", "axes", dims=3)
    seen.sweeper.start((1.0, 4.0))
    titles = seen.titles()
    assert len(titles) == len(set(titles)) == 7
    assert sum(title.startswith("Kernel sum") for title in titles) == 2
    assert seen.sweeper.columns[-1] == "title"  # neither method nor views tell their rows apart
    assert {row[-1] for row in seen.sweeper.table()} == set(titles)


@pytest.mark.nightly
def test_any_axis_is_swept_as_its_slider_would(seen):
    """Each point is what the panel shows when that value is set by hand; ε of a view is what it is computed with."""
    commands.set_scale(seen.document, 2.0)
    for axis, values in (("eta", (0.0, 0.5)), ("t", (1, 4)), ("n_components", (2, 5)), ("epsilon:v2", (0.3, 3.0))):
        seen.sweeper.start(values, axis)
        assert seen.sweeper.problems == {}
        assert seen.sweeper.columns[0] == axis
        for value in values:
            for curve in (seen.curve("Multi-view"), seen.curve("Single · v2")):
                state = seen.document.state
                if axis == "epsilon:v2":
                    epsilon = {"v1": "2*robust", "v2": value}
                    params = dict(state.params)
                else:
                    epsilon, params = "2*robust", {**state.params, axis: value}
                own = {p.name: params[p.name] for p in get_method(curve.method).params if p.name in params}
                view = {"view": "v2"} if curve.method == "single" else {}
                found = embed(seen.document.data, curve.method, epsilon=epsilon, **own, **view)
                at = 0 if curve.flat else values.index(value)
                expected = quick_scores(found.coordinates, seen.document.data.labels, Task())
                scored = curve.points[values[at], 0]
                assert (scored.nmi, scored.knn) == (expected.nmi, expected.knn) or curve.flat
    assert not seen.curve("Single · v2").flat
    assert seen.curve("Single · v1").flat


def test_a_method_without_the_parameter_is_one_row_per_value_and_one_computation(seen):
    seen.sweeper.start((0.0, 0.5, 1.0), "eta")
    assert seen.sweeper.total == 5 + 3
    rows = [row for row in seen.sweeper.table() if row[1] == "kernel-sum"]
    assert [row[0] for row in rows] == [0.0, 0.5, 1.0]
    assert len({row[1:] for row in rows}) == 1


def test_what_no_panel_has_cannot_be_swept(seen):
    with pytest.raises(
        ParameterError, match=r"There is nothing to sweep called gamma\. Names of a grid: epsilon_scale"
    ):
        seen.sweeper.start((0.1, 1.0), "gamma")
    commands.set_method(seen.document, "p3", "kernel-cca")
    assert "gamma" in seen.sweeper.axes()
    assert "epsilon:v2" in seen.sweeper.axes()


def test_as_many_paths_as_workers_and_one_beside_panels(make):
    later = Later()
    seen = make(executor=later, workers=3)
    later.run_all()
    seen.sweeper.start(FACTORS)
    assert len(seen.controller.tasks()) == 3
    later.run_one()
    assert (seen.sweeper.done, len(seen.controller.tasks())) == (1, 3)
    commands.set_epsilon(seen.document, "v1", 0.3)  # the panels are asked: no further cell begins beside them
    waiting = [task.slot for task in seen.controller.tasks()]
    for _ in range(3):
        later.run_one()
    assert len([t for t in seen.controller.tasks() if t.slot.startswith("sweep")]) == 1, waiting
    later.run_all()
    assert (seen.sweeper.done, seen.sweeper.running) == (18, False)


def test_cells_start_from_their_neighbours_on_the_way(make):
    """The second half of a path takes fewer products than cold, and the numbers agree."""
    data = circle_data(n_samples=400)
    factors = tuple(np.geomspace(0.5, 4.0, 9).tolist())
    seen = make(opened(data))
    for panel in seen.document.state.panels[1:]:
        commands.close_panel(seen.document, panel.id)
    started = []
    run = sweep_path.run_request

    def counting(request, cache, task):
        result = run(request, cache, task)
        started.append((len(request.start), result.products))
        return result

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep_path, "run_request", counting)
        seen.sweeper.start(factors)
    assert [count for count, _ in started[:3]] == [0, 0, 0]  # the ends and the middle are too far from each other
    assert all(count == 2 for count, _ in started[5:])
    assert np.mean([n for _, n in started[5:]]) < np.mean([n for _, n in started[:3]])
    for factor in factors:
        assert seen.curve("Single · v1").points[factor, 0].knn == expected_scores(data, "single", factor, view="v1").knn


def test_a_method_without_bandwidth_is_computed_once(seen):
    commands.set_method(seen.document, "p3", "pca")
    commands.set_method(seen.document, "p4", "jade")  # its graph of neighbours has no ε, its kernel has
    seen.sweeper.start(FACTORS)
    pca, jade = seen.curve("PCA"), seen.sweeper.curves[3]
    assert (pca.flat, len(pca.points)) == (True, 1)
    assert (jade.flat, len(jade.points)) == (True, 1)
    assert seen.sweeper.total == seen.sweeper.done == 4 * 3 + 2
    commands.set_param(seen.document, "graph", "kernel")
    seen.sweeper.start(FACTORS)
    assert (seen.sweeper.curves[3].flat, len(seen.sweeper.curves[3].points)) == (False, 3)


def test_what_is_known_already_is_not_computed_again(seen):
    seen.sweeper.start(FACTORS)
    kernels = seen.controller.cache.count("kernel")
    seen.sweeper.start(FACTORS)
    assert seen.controller.cache.count("kernel") == kernels
    assert seen.sweeper.done == 18


# --- every method ---------------------------------------------------------------------------------------------------


def test_every_method(make):
    seen = make(opened(circle_data(n_samples=45, n_views=2)))
    commands.tick_view(seen.document, "v2", True)
    seen.sweeper.start((1.0,), every_method=True)
    found = {curve.method for curve in seen.sweeper.curves}
    admitted = {m.id for m in methods() if m.min_views <= 2 and not m.shows_given}
    assert found == admitted
    assert seen.titles()[:2] == ["Single · v1", "Single · v2"]
    assert all(len(curve.points) == 1 or curve.title in seen.sweeper.problems for curve in seen.sweeper.curves)
    too_few = [title for title, text in seen.sweeper.problems.items() if "needs at least 3 views and has 2" in text]
    assert too_few == ["Tensor CCA"]


# --- resamplings ----------------------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_resamplings_give_bands(seen):
    seen.sweeper.start((0.5, 2.0), resamples=3)
    assert seen.sweeper.total == seen.sweeper.done == 6 * 2 * 4
    curve, data = seen.curve("Kernel sum"), seen.document.data
    assert set(curve.points) == {(f, r) for f in (0.5, 2.0) for r in range(4)}
    for resample in (1, 2, 3):
        values = dict(curve.values("knn", resample))
        kept = np.sort(np.random.default_rng(resample - 1).permutation(90)[:72])
        assert values[2.0] == expected_scores(data.take(kept), "kernel-sum", 2.0).knn.value
    band = curve.band("knn")
    assert [f for f, _, _ in band] == [0.5, 2.0]
    for factor, low, high in band:
        drawn = [curve.points[factor, r].knn.value for r in (1, 2, 3)]
        assert (low, high) == (min(drawn), max(drawn))
    assert curve.values("knn") == curve.values("knn", 0)
    assert seen.curve("Multi-view").band("nmi") != band


def test_without_resamplings_there_is_no_band(seen):
    seen.sweeper.start((1.0,))
    assert all(curve.band("nmi") == [] for curve in seen.sweeper.curves)


# --- watching, stopping ---------------------------------------------------------------------------------------------


def test_it_can_be_watched_and_stopped(make):
    later = Later()
    seen = make(executor=later)
    later.run_all()
    seen.sweeper.start(FACTORS)
    assert (seen.sweeper.total, seen.sweeper.done, seen.sweeper.running) == (18, 0, True)
    assert [task.title for task in seen.controller.tasks()] == ["Sweep 1 of 18: Single · v1"]
    for _ in range(4):
        later.run_one()
    assert seen.sweeper.done == 4
    known = seen.sweeper.table()
    assert len(known) == 4
    seen.sweeper.stop()
    assert not seen.sweeper.running
    later.run_all()
    assert (seen.sweeper.done, seen.sweeper.table()) == (4, known)
    assert seen.heard[-1] == (4, False)
    assert seen.controller.tasks() == ()
    # And again from the start.
    seen.sweeper.start((1.0,))
    later.run_all()
    assert (seen.sweeper.done, seen.sweeper.running) == (6, False)


def test_a_new_sweep_replaces_the_one_under_way(make):
    later = Later()
    seen = make(executor=later)
    later.run_all()
    seen.sweeper.start(FACTORS)
    later.run_one()
    seen.sweeper.start((2.0,))
    later.run_all()
    assert (seen.sweeper.total, seen.sweeper.done, seen.sweeper.running) == (6, 6, False)
    assert all(list(curve.points) == [(2.0, 0)] for curve in seen.sweeper.curves)


def test_edits_meanwhile_do_not_disturb_it(make):
    later = Later()
    seen = make(executor=later)
    later.run_all()
    seen.sweeper.start(FACTORS)
    later.run_one()
    commands.set_epsilon(seen.document, "v1", 0.3)
    commands.close_panel(seen.document, "p6")
    later.run_all()
    assert seen.sweeper.done == 18
    assert seen.curve("Multi-view").points[4.0, 0].nmi == expected_scores(seen.document.data, "multiview", 4.0).nmi


@pytest.mark.parametrize(
    "end",
    [
        lambda seen: seen.controller.cancel("sweep"),
        lambda seen: commands.set_preprocess(seen.document, "v1", "zscore"),
    ],
    ids=["cancelled in the task list", "other data"],
)
def test_a_sweep_that_is_cut_short_knows_it(make, end):
    """It is not for ever at "3 of 18"."""
    later = Later()
    seen = make(executor=later)
    later.run_all()
    seen.sweeper.start(FACTORS)
    for _ in range(3):
        later.run_one()
    end(seen)
    later.run_all()
    assert not seen.sweeper.running
    assert len(seen.sweeper.table()) == 3


def test_progress_is_announced_point_by_point(seen):
    seen.sweeper.start((1.0,))
    assert {done for done, _ in seen.heard} >= set(range(1, 7))
    assert seen.heard[-1] == (6, False)


# --- the table, and problems ----------------------------------------------------------------------------------------


def test_the_table_has_one_row_per_score(seen):
    seen.sweeper.start((2.0, 0.5), resamples=1)
    table = seen.sweeper.table()
    assert len(table) == 6 * 2 * 2
    computed = ("epsilon_scale", "method", "views", "epsilon", "resample")
    assert seen.sweeper.columns == (*computed, "nmi", "nmi_sd", "knn", "resultant", "order", "largest_gap")
    assert [row[:3] for row in table[:4]] == [(f, "single", "v1") for _ in (0, 1) for f in (0.5, 2.0)]
    assert [row[4] for row in table[:4]] == [0, 0, 1, 1]
    for factor, method, views, used, resample, nmi, spread, knn, *hidden in table:
        (curve,) = (c for c in seen.sweeper.curves if (c.method, ",".join(c.views)) == (method, views))
        assert used == tuple(curve.epsilon[factor, resample].values())
        scores = curve.points[factor, resample]
        assert (nmi, spread, knn) == (scores.nmi.value, scores.nmi.spread, scores.knn.value)
        ring = scores.hidden.order, scores.hidden.largest_gap
        assert hidden == [scores.hidden.resultant.value, *(score.value for score in ring)]


def test_problems_are_named_and_leave_the_others_alone(seen, monkeypatch):
    commands.set_method(seen.document, "p1", "tensor-cca")  # needs three views
    run = sweep_path.run_request

    def sometimes(request, cache, task):
        if request.method == "de-sa" and request.epsilon[0].factor > 1.0:
            raise ComputeError("It did not converge.", "Enlarge ε.")
        return run(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", sometimes)
    seen.sweeper.start(FACTORS)
    assert set(seen.sweeper.problems) == {"Tensor CCA", "de Sa"}
    assert seen.sweeper.problems["de Sa"] == "It did not converge. Enlarge ε."
    assert seen.sweeper.problems["Tensor CCA"].startswith("Tensor CCA needs at least 3 views and has 2.")
    assert "Tensor CCA" not in seen.titles()
    assert [f for f, _ in seen.curve("de Sa").values("nmi")] == [0.25, 1.0]
    assert len(seen.curve("Multi-view").points) == 3
    assert (seen.sweeper.done, seen.sweeper.running) == (15, False)
    seen.sweeper.start((0.5,))
    assert set(seen.sweeper.problems) == {"Tensor CCA"}


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 13, 15, 16, 60])
def test_from_coarse_to_fine(count):
    order = coarse_to_fine(count)
    assert sorted(order) == list(range(count))
    assert order[:2] == [0, count - 1][:count]
    for done in range(2, count):
        widest = np.diff(sorted(order[:done])).max()
        assert widest <= 4 * (count - 1) / done + 2  # no part is left to the end


@pytest.mark.nightly
def test_a_fifth_of_the_way_every_curve_spans_the_whole_range(make):
    """All methods go forward together, and an answer shows early."""
    later = Later()
    seen = make(executor=later)
    later.run_all()
    factors = tuple(np.geomspace(1 / 30, 30, 15).tolist())
    seen.sweeper.start(factors, resamples=1)
    assert seen.sweeper.total == 6 * 15 * 2
    while seen.sweeper.done < 6 * 15 // 5:
        later.run_one()
    for curve in seen.sweeper.curves:
        assert [f for f, _ in curve.values("nmi")] == [factors[0], factors[7], factors[-1]]
    for _ in range(6 * 15 - seen.sweeper.done):
        later.run_one()
    assert all(len(curve.values("nmi")) == 15 and curve.band("nmi") == [] for curve in seen.sweeper.curves)


def test_each_point_knows_its_bandwidths(seen):
    commands.set_method(seen.document, "p3", "pca")
    seen.sweeper.start(FACTORS)
    data = seen.document.data
    for title, method, more in (("Single · v2", "single", {"view": "v2"}), ("Multi-view", "multiview", {})):
        for factor in FACTORS:
            used = embed(data, method, epsilon=f"{factor}*robust", n_components=4, **more)
            expected = {v: e for v, e in zip(used.views, used.epsilon, strict=True) if not np.isnan(e)}
            assert seen.curve(title).epsilon[factor, 0] == expected
    assert all(used == {} for used in seen.curve("PCA").epsilon.values())


def test_without_classes_a_latent_is_scored(make):
    data = circle_data(labels=False)
    rows = np.random.default_rng(0).permutation(90)[:72]
    seen = make(opened(data))
    seen.sweeper.start((1.0,), resamples=1)
    ring = {"order": "order of angle as drawn", "largest_gap": "largest gap of the ring as drawn"}
    assert seen.sweeper.titles == {"resultant": "k-NN recovery of angle"} | ring
    assert seen.sweeper.columns == ("epsilon_scale", "method", "views", "epsilon", "resample", "resultant", *ring)
    found = embed(data, "kernel-sum", epsilon="robust", n_components=4).coordinates
    expected = knn_resultant(found, data.latent["angle"])
    assert seen.curve("Kernel sum").values("resultant") == [(1.0, expected.value)]
    assert seen.curve("Kernel sum").values("nmi") == []
    part = embed(data.take(np.sort(rows)), "kernel-sum", epsilon="robust", n_components=4).coordinates
    expected = knn_resultant(part, data.latent["angle"][np.sort(rows)])
    assert seen.curve("Kernel sum").values("resultant", 1) == [(1.0, expected.value)]
    assert len(seen.sweeper.table()[0]) == len(seen.sweeper.columns)


def test_the_column_that_colours_is_scored_beside_the_classes(make):
    seen = make()
    commands.colour_by(seen.document, "column:mass")
    seen.sweeper.start((1.0,))
    of_mass = ["R² of mass", "|Spearman| of mass", "order of mass as drawn"]
    assert list(seen.sweeper.titles.values()) == ["NMI", "k-NN accuracy", *of_mass]
    assert all(len(curve.values(id)) == 1 for curve in seen.sweeper.curves for id in seen.sweeper.titles)


@pytest.mark.parametrize(
    "labels", [None, np.zeros(90, dtype=int), np.arange(90), np.linspace(0.0, 1.0, 90)],
    ids=["none", "one class", "all different", "numbers"],
)  # fmt: skip
def test_without_classes_pictures_are_scored_by_their_views(make, labels):
    seen = make(opened(circle_data().replace(labels=labels, latent={})))
    seen.sweeper.start(FACTORS)
    assert list(seen.sweeper.titles) == ["trustworthiness", "neighbours_kept", "agreement", "gap"]
    for curve in seen.sweeper.curves:
        assert all(0.4 < score.value <= 1.0 for _, score in curve.scores("trustworthiness").items())
        assert all(score.spread > 0.0 for _, score in curve.scores("neighbours_kept").items())


def test_how_far_samples_move_with_epsilon_is_swept_where_it_is_asked_for(seen):
    seen.sweeper.start((1.0,), "eta", stability=True)
    assert list(seen.sweeper.titles)[-1] == "stability"
    told = {curve.title: [score.value for score in curve.scores("stability").values()] for curve in seen.sweeper.curves}
    assert all(0.0 < value < 0.5 for (value,) in told.values())
    seen.sweeper.start((1.0,), "eta")
    assert "stability" not in seen.sweeper.titles


def test_a_refused_sweep_leaves_the_last_one_alone(seen):
    seen.sweeper.start((1.0,))
    table = seen.sweeper.table()
    for view in seen.document.state.enabled:
        commands.set_kernel(seen.document, view, "precomputed")
    square = circle_data(labels=False)
    square = MultiView([np.eye(90)] * 2, view_names=square.view_names)
    commands.open_data(seen.document, square, seen.document.state)
    with pytest.raises(MVExplorerError):
        seen.sweeper.start(FACTORS)
    assert seen.sweeper.table() == table


def test_without_panels_there_is_nothing_to_do(seen):
    for panel in seen.document.state.panels:
        commands.close_panel(seen.document, panel.id)
    seen.sweeper.start(FACTORS)
    assert (seen.sweeper.total, seen.sweeper.running) == (0, False)


def test_with_real_threads_and_scores(monkeypatch):
    monkeypatch.setattr(jobs, "run_scores", runner.run_scores)
    document = opened(circle_data(n_samples=45))
    for panel in document.state.panels[1:]:
        commands.close_panel(document, panel.id)
    controlled = Controller(document)
    sweep = Sweeper(controlled)
    document.reset(document.state, document.data.replace())
    sweep.start((0.5, 1.0), resamples=1)
    assert controlled.wait_idle(30.0)
    assert (sweep.done, sweep.running) == (4, False)
    controlled.shutdown()
    found = embed(document.data, "single", view="v1", epsilon="0.5*robust", n_components=4)
    scores = runner.run_scores(found.coordinates, document.data.labels, Task())
    assert sweep.curves[0].points[0.5, 0] == replace(scores, hidden=sweep.curves[0].points[0.5, 0].hidden)


def test_a_second_panel_of_a_method_is_numbered_as_on_its_panel(seen):
    state = seen.document.state
    panels = (commands.new_panel("kernel-sum", "p8"), commands.new_panel("kernel-sum", "p11"))
    seen.document.reset(state.model_copy(update={"panels": panels}), seen.document.data)
    seen.sweeper.start(FACTORS)
    assert seen.titles() == ["Kernel sum", "Kernel sum (2)"]
