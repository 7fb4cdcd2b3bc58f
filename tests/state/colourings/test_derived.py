"""Colourings that a job computes from the panels: when they are computed, kept, dropped, and what they are called."""

import numpy as np
import pytest
from inline import Later, PanelsFirst, circle_data, opened

from mvexplorer.state.colourings.derived import Derived, coloured_now, derived_groups, find_kind
from mvexplorer.state.document import commands
from mvexplorer.state.document.colour_titles import source_words
from mvexplorer.state.document.page_commands import change_comparison
from mvexplorer.state.pictures.colouring import colour_groups
from mvexplorer.state.pictures.controller import Controller

SUM, MULTIVIEW = "p3", "p6"
SOURCE = f"disagreement:{SUM}:{MULTIVIEW}"


class Bench:
    """A document whose panels are computed at once, and whose derived colourings when told."""

    def __init__(self):
        self.document = opened()
        self.later, self.scores = PanelsFirst(), Later()
        self.controller = Controller(self.document, executor=self.later, background=self.scores)
        self.derived = Derived(self.controller)
        self.told = []
        self.derived.changed.connect(self.told.append)
        self.document.reset(self.document.state, self.document.data.replace())
        self.later.run_all()

    def brute(self, k=15):
        """One minus the share of common neighbours, from all distances."""
        sets = []
        for panel in (SUM, MULTIVIEW):
            Y = self.controller.result(panel).result.embedding.coordinates
            distances = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
            np.fill_diagonal(distances, np.inf)
            sets.append([set(row[:k]) for row in np.argsort(distances, axis=1)])
        return np.array([1 - len(a & b) / k for a, b in zip(*sets, strict=True)])


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.controller.shutdown()


def test_it_comes_from_a_job_and_is_kept(bench):
    assert bench.derived.colouring(SOURCE) is None
    assert bench.derived.colouring(SOURCE) is None
    assert len(bench.later.waiting) == 1, "asking twice computes once"
    bench.later.run_all()
    assert bench.told == [SOURCE]
    found = bench.derived.colouring(SOURCE)
    np.testing.assert_allclose(found.values, bench.brute(), atol=1e-10)
    assert found.title == "disagreement of Kernel sum and Multi-view"
    assert not bench.later.waiting
    assert bench.derived.resolve("labels").classes == ("0", "1", "2")


def test_it_waits_for_no_scores_or_rules(bench):
    assert bench.scores.waiting, "rules wait for their turn"
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    assert bench.derived.colouring(SOURCE) is not None


def test_it_is_computed_anew_when_a_panel_changes(bench):
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    former = bench.derived.colouring(SOURCE)
    commands.set_epsilon(bench.document, "v1", 0.05)
    assert bench.told[-1] == SOURCE
    assert len(bench.told) >= 2
    assert np.array_equal(bench.derived.colouring(SOURCE).values, former.values), "the former one stands meanwhile"
    bench.later.run_all()
    np.testing.assert_allclose(bench.derived.colouring(SOURCE).values, bench.brute(), atol=1e-10)


def test_an_answer_about_former_pictures_is_computed_anew(bench):
    bench.derived.colouring(SOURCE)
    commands.set_epsilon(bench.document, "v1", 0.05)
    bench.later.run_all()
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    np.testing.assert_allclose(bench.derived.colouring(SOURCE).values, bench.brute(), atol=1e-10)


def test_it_waits_while_a_panel_computes(bench):
    bench.controller.result(SUM).status = "computing"
    assert bench.derived.colouring(SOURCE) is None
    assert not bench.later.waiting
    bench.controller.result(SUM).status = "ready"
    bench.controller.panel_changed.emit(SUM)
    assert bench.told == [SOURCE]


@pytest.fixture
def early():
    """Asked for before any panel has a picture, as where a document opens with it."""
    document, later = opened(), Later()
    controller = Controller(document, executor=later, background=Later())
    derived = Derived(controller)
    told = []
    derived.changed.connect(told.append)
    document.reset(document.state, document.data.replace())
    yield derived, later, told
    controller.shutdown()


@pytest.mark.parametrize("source", [SOURCE, f"walks:{MULTIVIEW}:3:steps-1", f"distance:{SUM}:3:distance"])
def test_one_that_is_asked_for_too_early_comes_with_the_panels(early, source):
    derived, later, told = early
    assert derived.colouring(source) is None
    later.run_all()
    assert source in told
    derived.colouring(source)
    later.run_all()
    assert derived.colouring(source) is not None


def test_walks_of_panels_that_come_later_are_joined(early):
    derived, later, _ = early
    source = f"walks:{SUM}:3:steps-1"
    derived.changed.connect(derived.colouring)
    derived.colouring(source)
    later.run_all()
    assert set(derived.colouring(source).own) == {"p1", "p2", "p3", "p4", "p5", "p6"}


@pytest.mark.parametrize("gone", ["failed", "closed"])
def test_without_a_panel_there_is_none(bench, gone):
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    if gone == "closed":
        commands.close_panel(bench.document, SUM)
    else:
        commands.tick_view(bench.document, "v1", False)  # multi-view needs two
    assert bench.derived.colouring(SOURCE) is None
    assert bench.told[-1] == SOURCE


def test_more_neighbours_are_another_question(bench):
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    change_comparison(bench.document, "k", k=5)
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    np.testing.assert_allclose(bench.derived.colouring(SOURCE).values, bench.brute(5), atol=1e-10)


def test_what_the_user_stops_is_not_begun_again(bench):
    bench.derived.colouring(SOURCE)
    bench.controller.cancel(f"derived:{SOURCE}")
    assert "stopped" in str(bench.derived.problem(SOURCE))
    bench.later.run_all()
    assert bench.derived.colouring(SOURCE) is None
    assert not bench.later.waiting
    commands.set_epsilon(bench.document, "v1", 0.05)
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    assert bench.derived.colouring(SOURCE) is not None


def test_other_samples_forget_it(bench):
    bench.derived.colouring(SOURCE)
    bench.later.run_all()
    bench.document.reset(bench.document.state, circle_data(seed=1, n_samples=40))
    assert bench.derived.colouring(SOURCE) is None
    bench.later.run_all()
    assert len(bench.derived.colouring(SOURCE).values) == 40


@pytest.mark.parametrize("source", ["disagreement:p3", "disagreement:p3:p3", "disagreement:p3:gone", "disagreement:"])
def test_what_names_nothing_colours_nothing(bench, source):
    assert bench.derived.colouring(source) is None
    assert not bench.later.waiting


def test_it_is_offered_and_has_words(bench):
    document = bench.document
    groups = colour_groups(document.data, {}, "disagreement sum multi", derived=derived_groups(bench.derived.ground))
    assert [(g.title, [*g.sources]) for g in groups] == [("Disagreement of two panels", [SOURCE])]
    commands.colour_by(document, SOURCE)
    assert document.undo_label == "Colour by disagreement of Kernel sum and Multi-view"
    assert source_words("labels", document.state, document.data) == "label"


def test_it_is_there_without_a_window(bench):
    commands.colour_by(bench.document, SOURCE)
    found = coloured_now(bench.document.state, bench.document.data, bench.controller.result)
    np.testing.assert_allclose(found.values, bench.brute(), atol=1e-10)
    kind, rest = find_kind(SOURCE)
    assert kind.script(bench.document.state, rest, {SUM: "a"}) == ""
