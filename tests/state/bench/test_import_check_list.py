"""The check list of a panel: how each line stands as runs come, as the panel changes, and where there is no answer."""

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data, opened

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.state.batches.checks import Checks
from mvexplorer.state.batches.common_structure import CommonStructure
from mvexplorer.state.bench.check_list import CheckList, chance_of
from mvexplorer.state.document import commands
from mvexplorer.state.document.page_commands import choose_checks
from mvexplorer.state.pictures.bends import signs
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions.neighbour_table import NeighbourTable
from mvexplorer.state.questions.verdicts import Verdicts


class Listed:
    """A document of one panel with its check list; what is asked in the background runs when told to."""

    def __init__(self, data=None, method="multiview"):
        self.document = opened(data, panels=(commands.new_panel(method, "p1"),))
        self.later = Later()
        self.controller = Controller(self.document, executor=Inline(), background=self.later, cache=CountingCache())
        self.checks, self.neighbours = Checks(self.controller), NeighbourTable(self.controller)
        self.common, self.verdicts = CommonStructure(self.controller), Verdicts(self.controller)
        self.list = CheckList(self.controller, self.checks, self.common, self.neighbours, self.verdicts)
        self.document.reset(self.document.state, self.document.data.replace())
        self.settle()

    def settle(self):
        """What the window does once the hand rests."""
        self.later.run_all()
        self.controller.on_idle()
        self.verdicts.ask()
        self.later.run_all()

    def line(self, id):
        return next(line for line in self.list.of("p1") if line.id == id)

    def standing(self, id):
        return self.line(id).standing


@pytest.fixture
def listed():
    made = []

    def build(*arguments):
        made.append(Listed(*arguments))
        return made[-1]

    yield build
    for each in made:
        each.controller.shutdown()


def test_a_new_panel_has_four_lines_to_run_and_three_that_are_read_off_its_picture(listed):
    b = listed()
    assert [(line.id, line.standing, line.button) for line in b.list.of("p1")] == [
        ("permutation", "open", "Run 10"),
        ("common", "open", "Run"),
        ("stability", "open", "Run"),
        ("coordinates", "passed", ""),
        ("neighbours", "open", "Run"),
        ("outliers", "passed", ""),
        ("pieces", "passed", ""),
    ]
    assert b.list.conclusion("p1") == "Multi-view: 3 of 7 checks pass; 4 not run."
    assert b.list.of("p9") == ()


def test_a_permutation_test_runs_has_too_few_runs_passes_and_is_past(listed):
    b = listed()
    b.checks.null_test("p1", None, 3)
    assert (b.line("permutation").standing, b.line("permutation").result) == ("running", "0 runs so far")
    assert b.line("permutation").button == "Stop"
    assert b.list.conclusion("p1") == "Multi-view: 3 of 7 checks pass; 1 running; 3 not run."
    b.later.run_all()
    line = b.line("permutation")
    assert (line.standing, line.result) == ("doubtful", "p ≤ .25 (3 runs; smallest possible)")
    assert line.button == "Run 7 more"
    b.checks.null_test("p1", None, 19)
    b.later.run_all()
    line = b.line("permutation")
    assert (line.standing, line.result) == ("passed", "p ≤ .05 (19 runs; smallest possible)")
    assert line.button == "Run 30 more"
    commands.set_scale(b.document, 1.3)
    b.settle()
    line = b.line("permutation")
    assert (line.standing, line.button) == ("stale", "Run 10")
    assert line.result == "for earlier settings: p ≤ .05 (19 runs; smallest possible)"
    assert b.list.conclusion("p1").endswith("1 for earlier settings; 3 not run.")
    b.document.undo()
    b.settle()
    assert b.standing("permutation") == "passed"


def test_stability_runs_passes_and_is_past_and_another_kind_has_a_line_of_its_own(listed):
    b = listed()
    b.checks.stability("p1", "parts", 3)
    assert b.line("stability").result == "0 pictures so far"
    b.later.run_all()
    line = b.line("stability")
    assert (line.standing, line.button) == ("passed", "")
    assert line.result.startswith("median displacement ")
    choose_checks(b.document, kind="noise")
    assert (b.line("stability").name, b.standing("stability")) == ("Stability under noise", "open")
    b.document.undo()
    commands.set_scale(b.document, 1.3)
    b.settle()
    assert b.standing("stability") == "stale"


def test_what_views_share_is_asked_passes_is_past_and_fits_again(listed):
    b = listed()
    b.common.ask("p1")
    assert (b.standing("common"), b.line("common").button) == ("running", "Stop")
    b.later.run_all()
    line = b.line("common")
    assert (line.standing, line.button) == ("passed", "")
    assert line.result.startswith("p ≤ .005 (199 shuffles), CKA .")
    commands.set_scale(b.document, 1.3)
    b.settle()
    line = b.line("common")
    assert (line.standing, line.button) == ("stale", "Run")
    assert line.result.startswith("for earlier settings: p ≤ .005")
    b.document.undo()
    b.settle()
    assert b.standing("common") == "passed"
    choose_checks(b.document, shuffle="circular")
    assert b.standing("common") == "stale"
    b.common.ask("p1")
    commands.set_scale(b.document, 1.3)
    assert b.standing("common") == "stale", "what is about former settings is computed no longer"


def test_views_whose_rows_were_shuffled_share_nothing_without_any_label(listed):
    data = circle_data(labels=False)
    order = np.random.default_rng(0).permutation(data.n_samples)
    b = listed(MultiView([data.Xs[0], data.Xs[1][order]], view_names=["v1", "v2"]))
    b.common.ask("p1")
    b.checks.null_test("p1", None, 10)
    b.later.run_all()
    assert b.standing("permutation") == "passed", "each view is used"
    line = b.line("common")
    assert line.standing == "doubtful"
    assert line.result.startswith("v1 and v2 share nothing beyond chance (p = .")
    assert line.result.endswith("are their rows paired rightly?")


def test_a_picture_of_one_view_shares_with_nothing(listed):
    b = listed(None, "single")
    assert b.standing("common") == "inapplicable"
    b.common.ask("p1")
    assert not b.later.waiting


def test_neighbours_are_compared_passed_and_past(listed):
    b = listed()
    b.neighbours.ask()
    assert (b.standing("neighbours"), b.line("neighbours").button) == ("running", "Stop")
    b.later.run_all()
    line = b.line("neighbours")
    assert (line.standing, line.button) == ("passed", "")
    assert line.result.endswith("kept (17 % by chance)")
    commands.set_scale(b.document, 1.3)
    b.settle()
    line = b.line("neighbours")
    assert (line.standing, line.button) == ("stale", "Run")
    assert line.result.startswith("for earlier settings: ")
    b.document.reset(b.document.state, circle_data(60))
    b.settle()
    assert b.standing("neighbours") == "open"


def test_chance_is_that_of_neighbours_drawn_at_random():
    random = np.random.default_rng(0)
    n, k = 60, 15
    drawn = [len({*random.choice(n - 1, k, False)} & {*random.choice(n - 1, k, False)}) / k for _ in range(4000)]
    assert chance_of(n) == pytest.approx(np.mean(drawn), abs=0.01)


def test_what_cannot_be_asked_does_not_count(listed):
    b = listed(circle_data().replace(coordinates={"umap": np.random.default_rng(0).normal(size=(90, 2))}), "given")
    standings = {line.id: line.standing for line in b.list.of("p1")}
    assert {id for id, standing in standings.items() if standing == "inapplicable"} >= {"permutation", "stability"}
    pca = listed(None, "pca")
    assert pca.standing("pieces") == pca.standing("coordinates") == "inapplicable"
    assert pca.line("pieces").result == "PCA has no graph of the samples"


def clusters(n: int = 60) -> MultiView:
    """Three clusters in a triangle, seen twice."""
    random = np.random.default_rng(1)
    corners = np.repeat(np.array([[0.0, 0.0], [1.0, 0.1], [0.45, 0.9]]), n, axis=0)
    return MultiView({v: corners + 0.05 * random.normal(size=corners.shape) for v in "ab"})


@pytest.mark.parametrize("method", ["multiview", "kernel-sum", "kernel-product"])
def test_three_clusters_in_a_triangle_have_no_harmonic(listed, method):
    b = listed(clusters(), method)
    assert b.standing("coordinates") in ("inapplicable", "passed")
    assert not any("harmonic" in words for words in signs(b.document.state.panel("p1"), b.controller.result("p1")))


def test_a_saturated_kernel_makes_a_sign_and_a_line_in_doubt(listed):
    b = listed()
    for scale in (1e5, 1.0):
        commands.set_scale(b.document, scale)
        b.settle()
        words = signs(b.document.state.panel("p1"), b.controller.result("p1"))
        assert any("nearly alike" in each for each in words) is (scale > 1.0)
        assert (b.standing("pieces") == "doubtful") is (scale > 1.0)
    commands.set_epsilon(b.document, "v2", "1e6")
    b.settle()
    assert any(each.startswith("Flat: v2") for each in signs(b.document.state.panel("p1"), b.controller.result("p1")))
    assert b.line("pieces").concern == "affinities are nearly all alike"


def test_a_far_sample_is_told_by_its_name(listed):
    Xs = [X.copy() for X in circle_data().Xs]
    Xs[0][7] = 40.0
    b = listed(MultiView(Xs, view_names=["v1", "v2"], sample_ids=[f"s{i}" for i in range(90)]))
    assert (b.standing("outliers"), b.line("outliers").result) == ("doubtful", "far from all others in v1: s7")
