"""The kept sample: a part of the document, what is asked about it, and colouring by distance from it."""

import numpy as np
import pytest
from inline import Inline, Later, opened

import mvexplorer as mvx
from mvexplorer.compute.run.scheduler import Scheduler
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.state.colourings.derived import Derived, coloured_now, derived_groups
from mvexplorer.state.document import commands
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.colouring import in_one, in_panel
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.near_kept import near_kept
from mvexplorer.state.questions import inspector
from mvexplorer.state.questions.inspector import Inspector

SINGLE, MULTIVIEW = "p1", "p6"


class Bench:
    """A document whose panels are computed at once, and the rest when told."""

    def __init__(self):
        self.document, self.later = opened(), Later()
        self.controller = Controller(self.document, executor=Inline(), background=self.later)
        self.editor = Editor(self.document, self.controller)
        self.derived = Derived(self.controller)
        self.inspector = Inspector(self.controller, self.editor)
        self.document.reset(self.document.state, self.document.data.replace())
        self.later.run_all()

    def embedding(self, panel):
        return self.controller.result(panel).result.embedding

    def colouring(self, source):
        self.derived.colouring(source)
        self.later.run_all()
        return self.derived.colouring(source)


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.controller.shutdown()


def test_keeping_is_an_edit_with_a_name(bench):
    editor, document = bench.editor, bench.document
    name = document.data.sample_ids[7]
    assert editor.keep_sample(7)
    assert (document.state.point.kept, document.undo_label) == (7, f"Keep {name}")
    again = DocumentState.model_validate_json(document.state.model_dump_json())
    assert again.point.kept == 7
    editor.keep_sample(10**9)
    assert document.state.point.kept is None
    document.undo()
    assert document.state.point.kept == 7
    editor.change_point("Three steps", steps=3)
    assert document.undo_label == "Three steps"


def test_ringing_its_neighbours_is_an_edit_with_a_name(bench):
    editor, document = bench.editor, bench.document
    editor.keep_sample(7)
    for on, label in ((True, "Ring neighbours within σ"), (False, "Ring no neighbours")):
        assert editor.ring_neighbours(on)
        assert (document.state.point.within, document.undo_label) == (on, label)
        assert editor.ring_neighbours(on)
        document.undo()
        assert document.state.point.within is not on, "the same again is no step"
        document.redo()
        assert document.state.point.within is on


def test_neighbours_are_those_of_each_panels_views(bench):
    bench.editor.keep_sample(7)
    assert not near_kept(bench.controller, bench.inspector.surroundings), "nobody asked"
    bench.editor.ring_neighbours(True)
    state, data = bench.document.state, bench.document.data
    each = near_kept(bench.controller, bench.inspector.surroundings)
    assert set(each) == {panel.id for panel in state.panels}
    rows = {}
    for name in data.view_names:
        X, epsilon = data.Xs[data.view_index(name)], bench.controller.effective_epsilon(name)
        rows[name] = {i for i, x in enumerate(X) if i != 7 and sum((x - X[7]) ** 2) <= epsilon}
    assert set(each[SINGLE].within) == rows[data.view_names[0]]
    assert set(each[MULTIVIEW].within) == set().union(*rows.values())
    commands.tick_view(bench.document, data.view_names[-1], False)
    bench.later.run_all()
    assert set(near_kept(bench.controller, bench.inspector.surroundings)[MULTIVIEW].within) == set().union(
        *(rows[name] for name in data.view_names[:-1])
    )


def test_surroundings_and_walk_of_the_kept_sample(bench):
    bench.editor.focus(MULTIVIEW)
    bench.editor.keep_sample(7)
    found, data = bench.inspector.surroundings, bench.document.data
    assert set(found.views) == set(data.view_names)
    for name, near in found.views.items():
        X, epsilon = data.Xs[data.view_index(name)], bench.controller.effective_epsilon(name)
        squared = np.square(X - X[7]).sum(axis=1)
        assert near.within == np.count_nonzero(squared <= epsilon) - 1
        assert near.degree == pytest.approx(np.exp(-squared / (2 * epsilon)).sum())
        assert near.rows.tolist() == [j for j in np.argsort(squared, kind="stable") if j != 7][:8]
    Y = bench.embedding(MULTIVIEW).coordinates
    squared = np.square(Y - Y[7]).sum(axis=1)
    assert found.panels[MULTIVIEW].rows.tolist() == [j for j in np.argsort(squared, kind="stable") if j != 7][:8]
    assert np.allclose(found.panels[MULTIVIEW].distances.squared, squared)
    assert 0 <= found.panels[MULTIVIEW].cross_rank <= 1
    theirs = mvx.transition_probabilities(bench.embedding(MULTIVIEW), 7)
    assert np.allclose(bench.inspector.steps, theirs.mean(axis=0)), "from all views alike"
    second = bench.inspector.walk_views[1]
    bench.editor.change_point(f"Walk from {second}", start=second)
    bench.later.run_all()
    assert np.allclose(bench.inspector.steps, theirs[1])


def test_nothing_is_computed_twice_nor_while_a_slider_moves(bench):
    bench.editor.keep_sample(7)
    first = bench.inspector.surroundings
    bench.inspector.ask()
    assert bench.inspector.surroundings is first
    bench.editor.set_scale(1.5, interactive=True)
    assert bench.inspector.surroundings is first
    bench.editor.keep_sample(None)
    assert bench.inspector.surroundings is None
    bench.editor.keep_sample(7)
    assert bench.inspector.surroundings is not None, "asked again"


def test_why_there_are_no_neighbours_is_told(bench, monkeypatch):
    """With a million samples the card stayed empty without a word."""
    monkeypatch.setattr(inspector, "cost_of_scores", lambda *_: Estimate(1e15))
    bench.editor.keep_sample(7)
    assert bench.inspector.surroundings is None
    assert "does not fit" in str(bench.inspector.lost)
    monkeypatch.undo()
    bench.editor.keep_sample(3)
    assert bench.inspector.surroundings.sample == 3
    assert bench.inspector.lost is None


def test_the_panels_are_looked_at_one_after_the_other(bench, monkeypatch):
    """So that their neighbours need the memory of the widest, not of all together: a million samples have room."""
    asked = []
    monkeypatch.setattr(inspector, "cost_of_scores", lambda n, r: asked.append(r) or Estimate(0.0))
    bench.editor.keep_sample(7)
    assert asked[-1] == max(r.result.embedding.coordinates.shape[1] for r in bench.controller.results.values())


def test_other_panels_have_other_walks_or_none(bench):
    bench.editor.keep_sample(7)
    bench.editor.focus(SINGLE)
    bench.later.run_all()
    assert bench.inspector.steps.shape[0] == 1
    bench.editor.set_method(SINGLE, "pca")
    bench.later.run_all()
    assert not bench.inspector.has_walk


def test_a_walk_is_told_of_its_own_panel_only_while_another_is_computed(bench):
    bench.editor.keep_sample(7)
    bench.editor.focus(SINGLE)
    bench.later.run_all()
    assert bench.inspector.walk_views != ("V1", "V2")
    bench.editor.focus(MULTIVIEW)
    bench.later.run_all()
    bench.editor.set_scale(1.5, interactive=True)
    bench.editor.focus(SINGLE)
    assert bench.inspector.steps is None, "no walk of the panel that had the focus"
    bench.editor.focus(MULTIVIEW)
    assert len(bench.inspector.steps) == len(bench.inspector.walk_views)


def test_each_picture_by_its_own_walk_with_its_largest_probability_as_unit(bench):
    bench.editor.keep_sample(7)
    found = bench.colouring(f"walks:{MULTIVIEW}:7:steps-2")
    name = bench.document.data.sample_ids[7]
    assert found.title == f"each picture’s own walk, else Multi-view’s, 2 steps after {name}"
    assert in_one(found).title == f"relative probability 2 steps after {name} in Multi-view"
    assert not in_one(found).own
    X, single = bench.document.data.Xs[0], bench.embedding(SINGLE)
    squared = np.square(X[:, None] - X[None]).sum(axis=2)
    K = np.exp(-squared / (2 * single.epsilon[0]))
    P = K / K.sum(axis=1, keepdims=True)
    row = np.linalg.matrix_power(P, 2)[7]
    assert np.allclose(found.own[SINGLE], row / row.max(), atol=1e-6)
    both = mvx.transition_probabilities(bench.embedding(MULTIVIEW), 7, t=2).sum(axis=1).mean(axis=0)
    assert np.allclose(found.values, both / both.max())
    assert np.array_equal(found.own[MULTIVIEW], found.values)
    assert in_panel(found, SINGLE).values is found.own[SINGLE]
    bench.editor.set_method(SINGLE, "pca")
    bench.later.run_all()
    again = bench.colouring(f"walks:{MULTIVIEW}:7:steps-2")
    assert SINGLE not in again.own, "it has no walk: the other panel's stands for it"


def test_colouring_by_distance_and_by_steps(bench):
    bench.editor.keep_sample(7)
    source = f"distance:{MULTIVIEW}:7:distance"
    found, name = bench.colouring(source), bench.document.data.sample_ids[7]
    Y = bench.embedding(MULTIVIEW).coordinates
    assert np.allclose(found.values, np.linalg.norm(Y - Y[7], axis=1))
    assert found.title == f"diffusion distance from {name} in Multi-view"
    view = bench.document.data.view_names[1]
    walked = bench.colouring(f"distance:{MULTIVIEW}:7:steps-2-{view}")
    p = mvx.transition_probabilities(bench.embedding(MULTIVIEW), 7, 2)
    assert np.allclose(walked.values, p[1].sum(axis=0))
    assert walked.title == f"probability 2 steps after {name} of {view} in Multi-view"
    offered = next(g for g in derived_groups(bench.derived.ground) if g.title == "Seen from the kept sample")
    assert source in offered.sources
    assert f"distance:{MULTIVIEW}:7:steps-1" in offered.sources
    commands.colour_by(bench.document, source)
    now = coloured_now(bench.document.state, bench.document.data, bench.controller.result)
    assert np.allclose(now.values, found.values)


@pytest.mark.parametrize(
    "rest", ["p6:7", "p6:x:distance", "p6:7:steps-0", "p6:7:steps-x", "gone:7:distance", "p6:999999:distance", ""]
)
def test_sources_that_name_nothing(bench, rest):
    assert bench.colouring(f"distance:{rest}") is None
    assert source_words(f"distance:{rest}", bench.document.state, bench.document.data)


def test_a_panel_without_a_walk_says_so(bench):
    bench.editor.set_method(SINGLE, "pca")
    source = f"distance:{SINGLE}:7:steps-1"
    assert bench.colouring(source) is None
    assert "no walk" in bench.derived.problem(source).message


def test_samples_spread_from_the_kept_one(bench):
    bench.editor.focus(MULTIVIEW)
    bench.editor.keep_sample(7)
    bench.inspector.spread(5)
    bench.later.run_all()
    found = mvx.farthest_points(bench.embedding(MULTIVIEW).coordinates, 7, 5)
    assert bench.document.state.selection == tuple(sorted(found.tolist()))
    assert bench.document.state.selections.origin.startswith("5 spread from ")
    steps = bench.document.position
    bench.inspector.spread(6)
    bench.later.run_all()
    assert (len(bench.document.state.selection), bench.document.position) == (6, steps), "a drag is one step"


def test_a_walk_that_the_user_stops_says_so_and_no_other_stands_for_it(bench):
    bench.editor.focus(MULTIVIEW)
    bench.editor.keep_sample(7)
    later = bench.inspector._answers._scheduler = Scheduler(Later())
    bench.editor.change_point("Fifty steps", steps=50)
    bench.controller.cancel("point-walk")
    assert bench.inspector.steps is None
    assert "stopped" in str(bench.inspector.problem)
    bench.inspector.ask()
    assert not bench.inspector._answers.waits("walk"), "it is not begun again"
    later.shutdown()
