"""What the page “Agreement” knows: all panels, the pair, its samples in order, alignments, and what is in the way."""

import numpy as np
import pytest
from inline import Inline, Later, circle_data, opened

from mvexplorer.compute.jobs import jobs, runner
from mvexplorer.engine.analysis.agreement import agreement
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import DataError
from mvexplorer.state.document import commands
from mvexplorer.state.document.model import PanelState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.questions import comparer
from mvexplorer.state.questions.comparer import Comparer, most_changed
from mvexplorer.state.session.session import open_session, save_session

SINGLE, SUM, MULTIVIEW = "p1", "p3", "p6"


class Bench:
    """A document whose panels are computed at once, and compared when told."""

    def __init__(self, document=None, background=None):
        self.document = document or opened()
        self.later = Later()
        self.controller = Controller(self.document, executor=Inline(), background=background or self.later)
        self.editor = Editor(self.document, self.controller)
        self.comparer = Comparer(self.controller, self.editor)
        self.document.reset(self.document.state, self.document.data.replace())
        self.later.run_all()

    def compare(self):
        self.comparer.ask()
        self.later.run_all()

    def coordinates(self, panel):
        return self.controller.result(panel).result.embedding.coordinates


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.controller.shutdown()


def test_all_panels_are_compared_once(bench):
    told = []
    bench.comparer.changed.connect(lambda: told.append(1))
    bench.compare()
    bench.compare()
    assert told == [1]
    found = bench.comparer.agreement
    panels = [p.id for p in bench.document.state.panels]
    assert found.names == tuple(panels)
    expected = agreement([bench.coordinates(id) for id in panels], 15)
    np.testing.assert_allclose(found.matrix, expected.matrix, atol=1e-12)
    assert bench.comparer.pair == (SINGLE, "p2"), "the first two, unless told otherwise"
    bench.editor.compare(SUM, MULTIVIEW)
    np.testing.assert_array_equal(bench.comparer.values, expected.disagreement(2, 5))
    assert not bench.later.waiting, "another pair computes nothing"


def blobs(labels: bool = True) -> MultiView:
    """Three classes that one view does not see, and three see the more clearly the less noise they have."""
    random, classes = np.random.default_rng(0), np.repeat([0, 1, 2], 30)
    centres = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[classes]
    noise = {"clear": 0.5, "blurred": 1.5, "dim": 3.0}
    views = {name: centres + spread * random.normal(size=centres.shape) for name, spread in noise.items()}
    views["blind"] = random.normal(size=centres.shape)
    return MultiView(views, labels=classes if labels else None)


PANELS = ("blind", "clear", "dim", "blurred")


@pytest.fixture
def singles(monkeypatch):
    """Makes benches with a panel of each view, not in the order of their scores."""
    monkeypatch.setattr(jobs, "run_scores", runner.run_scores)
    benches = []

    def make(labels: bool = True) -> Bench:
        panels = [PanelState(id=id, method="single", view=id) for id in PANELS]
        benches.append(made := Bench(opened(blobs(labels), panels=tuple(panels)), Inline()))
        made.controller.on_idle()
        return made

    yield make
    for made in benches:
        made.controller.shutdown()


def test_without_a_choice_the_two_best_are_compared_and_it_is_said(singles):
    bench = singles()
    scores = {id: bench.controller.result(id).scores.nmi.value for id in PANELS}
    assert sorted(scores, key=scores.get) == ["blind", "dim", "blurred", "clear"]
    assert bench.comparer.pair == ("clear", "blurred")
    assert bench.comparer.pair_words == "the two best by NMI"
    bench.editor.compare("blind", "clear")
    assert bench.comparer.pair == ("blind", "clear"), "the user's choice stays"
    assert bench.comparer.pair_words == ""
    commands.close_panel(bench.document, "blind")
    assert bench.comparer.pair == ("clear", "blurred")


def test_the_two_best_stay_the_pair_while_a_score_moves(singles):
    bench = singles()
    assert bench.comparer.pair == ("clear", "blurred")
    commands.set_epsilon(bench.document, "blurred", 1e-5)
    bench.controller.on_idle()
    assert bench.comparer.pair == ("clear", "blurred")
    bench.document.reset(bench.document.state, bench.document.data.replace())
    bench.controller.on_idle()
    assert bench.comparer.pair == ("clear", "dim"), "of data that is opened the best are found anew"


def test_without_labels_the_most_trustworthy_are_compared(singles):
    bench = singles(labels=False)
    values = {id: bench.controller.result(id).scores.free.trustworthiness.value for id in PANELS}
    best = sorted(values, key=values.get)[-2:]
    assert bench.comparer.pair == tuple(id for id in values if id in best)
    assert bench.comparer.pair_words == "the two best by trustworthiness"


def test_a_panel_that_changes_is_compared_anew(bench):
    bench.compare()
    former = bench.comparer.agreement
    commands.set_epsilon(bench.document, "v1", 0.05)
    assert bench.comparer.stale
    assert bench.comparer.agreement is former, "it stands until the new one is there"
    bench.compare()
    assert not bench.comparer.stale
    assert bench.comparer.agreement is not former


def test_nothing_is_compared_while_a_panel_moves(bench):
    commands.set_epsilon(bench.document, "v1", 0.05, interactive=True)
    bench.comparer.ask()
    assert "agreement" not in [task.slot for task in bench.controller.tasks()], "drafts of a drag are not compared"
    bench.controller.end_drag()
    bench.controller.on_idle()
    bench.compare()
    assert bench.comparer.agreement is not None


def test_next_goes_from_the_largest_disagreement_down(bench):
    bench.editor.compare(SUM, MULTIVIEW)
    went = []
    bench.comparer.stepped.connect(went.append)
    bench.comparer.step(1)
    assert went == [], "there is nothing to go through yet"
    bench.later.run_all()
    order = most_changed(bench.comparer.values)
    assert went == [order[0]], "the step is made as soon as it can be"
    for by, place in ((1, 1), (1, 2), (-1, 1), (-1, 0), (-1, 0)):
        bench.comparer.step(by)
        assert bench.document.state.selection == (order[place],)
    assert went[-1] == order[0]
    values = bench.comparer.values[order]
    assert (np.diff(values) <= 0).all()
    assert bench.document.state.selections.origin == "number 1 of what changes between Kernel sum and Multi-view"


def test_brushed_samples_are_those_between_two_shares(bench):
    bench.editor.compare(SUM, MULTIVIEW)
    bench.compare()
    values = bench.comparer.values
    low, high = np.unique(values)[1], np.unique(values)[2]
    rows = bench.comparer.between(low, high)
    np.testing.assert_array_equal(rows, np.flatnonzero((values >= low) & (values <= high)))
    assert bench.comparer.brushed() is None
    bench.editor.select(rows.tolist())
    assert bench.comparer.brushed() == (low, high)
    bench.editor.select(rows[1:].tolist())
    assert bench.comparer.brushed() is None, "a part of what lies between is no stretch"


def test_lines_join_those_that_changed_most(bench):
    bench.editor.compare(SUM, MULTIVIEW)
    bench.compare()
    bench.editor.select(range(40))
    assert not len(bench.comparer.joined(10)), "nobody looks"
    bench.comparer.watch(True)
    rows, values = bench.comparer.joined(10), bench.comparer.values
    assert len(rows) == 10
    assert values[rows].min() >= np.sort(values[:40])[::-1][9]
    bench.editor.change_comparison("No lines", lines=False)
    assert not len(bench.comparer.joined(10))


def test_pictures_are_laid_upon_each_other_as_chosen(bench):
    bench.editor.compare(SUM, MULTIVIEW)
    residuals = {}
    for how in ("none", "sign", "rigid", "similarity"):
        bench.editor.change_comparison("Align", alignment=how)
        residuals[how] = bench.comparer.laid().residual
    assert residuals["rigid"] <= residuals["sign"] + 1e-9 <= residuals["none"] + 2e-9
    bench.editor.change_comparison("Align", alignment="selected")
    bench.editor.select((3, 4))
    with pytest.raises(DataError, match="Two samples are too few to align two pictures by"):
        bench.comparer.laid()
    bench.editor.select(range(10))
    laid = bench.comparer.laid()
    assert laid.moved.shape == (90, 2)
    bench.editor.set_dims(SUM, 3)
    assert bench.comparer.laid().moved.shape == (90, 3), "a flat picture lies in space with the other"


def test_a_panel_that_failed_is_left_out(bench):
    bench.editor.compare(SUM, MULTIVIEW)
    commands.pin(bench.document, MULTIVIEW, "epsilon:v1", "manifold(dimension=2)")
    bench.controller.result(MULTIVIEW).status = "failed"
    bench.compare()
    found = bench.comparer.agreement
    assert np.isnan(found.matrix[5, 0])
    assert found.matrix[2, 0] > 0
    assert bench.comparer.values is None
    assert MULTIVIEW not in bench.comparer.comparable


@pytest.mark.parametrize("left", [0, 1])
def test_fewer_than_two_panels_are_told(bench, left):
    for panel in bench.document.state.panels[left:]:
        commands.close_panel(bench.document, panel.id)
    bench.compare()
    assert ("Two pictures are needed" if left else "two panels") in bench.comparer.problem
    assert bench.comparer.pair is None


def test_few_samples_have_few_neighbours(bench):
    bench.document.reset(bench.document.state, circle_data(12))
    bench.compare()
    assert bench.comparer.agreement.k == 11
    assert bench.comparer.problem == ""


def test_many_samples_wait_for_a_word(bench, monkeypatch):
    monkeypatch.setattr(comparer, "AUTOMATIC", 50)
    bench.compare()
    assert bench.comparer.waits
    assert bench.comparer.agreement is None
    bench.comparer.ask(anyway=True)
    bench.later.run_all()
    assert not bench.comparer.waits
    assert bench.comparer.agreement is not None


def test_a_stopped_comparison_says_so(bench):
    bench.comparer.ask()
    bench.controller.cancel("agreement")
    assert "stopped" in bench.comparer.problem
    bench.compare()
    assert bench.comparer.agreement is None, "it is not begun again by itself"


def test_other_samples_forget_it(bench):
    bench.compare()
    bench.document.reset(bench.document.state, circle_data(40, seed=1))
    assert bench.comparer.agreement is None
    bench.compare()
    assert bench.comparer.agreement.n_samples == 40


def test_the_choices_are_undone_and_saved(bench, tmp_path):
    document = bench.document
    bench.editor.compare(SUM, MULTIVIEW)
    assert document.undo_label == "Compare Kernel sum and Multi-view"
    bench.editor.change_comparison("Compare 7 neighbours", k=7)
    bench.editor.change_comparison("Align: rigid", alignment="rigid")
    bench.editor.change_comparison("No lines between panels", lines=False)
    path = tmp_path / "ring.mvx"
    save_session(path, document.state, document.data, "1")
    kept = document.state.comparison
    assert (kept.pair, kept.k, kept.alignment, kept.lines) == ((SUM, MULTIVIEW), 7, "rigid", False)
    assert open_session(path).state.comparison == kept
    for _ in range(4):
        document.undo()
    assert document.state.comparison.pair is None
    assert document.state.comparison.k == 15


@pytest.mark.parametrize(("field", "value"), [("k", 0), ("k", 201), ("alignment", "by eye")])
def test_an_impossible_choice_is_refused(bench, field, value):
    before = bench.document.state
    with pytest.raises(ValueError, match=field):
        bench.editor.change_comparison("x", **{field: value})
    assert bench.document.state == before
