"""The curves behind a bandwidth: asked for once, kept while they are true, computed anew when they are not."""

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data, opened

from mvexplorer.compute.jobs import runner
from mvexplorer.compute.jobs.runner import BandwidthSummary
from mvexplorer.engine.api.embedding import select_epsilon
from mvexplorer.engine.bandwidth.curves import growth
from mvexplorer.engine.bandwidth.rules.classes import class_codes, scan_classes
from mvexplorer.engine.bandwidth.table import bandwidth_rules
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.pipeline.stages import Stages, remember_once
from mvexplorer.engine.pipeline.view_kernel import median_of
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.questions import bandwidth_analyser as analyser
from mvexplorer.state.questions.bandwidth_analyser import BandwidthAnalyser

CLASS_RULES = tuple(rule.id for rule in bandwidth_rules() if rule.needs_labels)


class Observed:
    """A document with a controller and an explainer, and what the explainer announced."""

    def __init__(self, document, background=None, **more):
        self.document = document
        self.controller = Controller(
            document, executor=Inline(), background=background or Inline(), cache=CountingCache(), **more
        )
        self.analyser = BandwidthAnalyser(self.controller)
        self.heard = []
        self.analyser.changed.connect(self.heard.append)
        document.reset(document.state, document.data.replace())

    @property
    def cache(self):
        return self.controller.cache

    def of(self, view):
        return self.analyser.of(view)


@pytest.fixture
def make():
    made = []

    def build(document=None, background=None, **more):
        made.append(Observed(document or opened(), background, **more))
        return made[-1]

    yield build
    for seen in made:
        seen.controller.shutdown()


@pytest.fixture
def seen(make):
    return make()


def expected_curves(data, view, kernel="gaussian"):
    stages = Stages(data, (data.view_index(view),), kernels=(parse_kernel(kernel),), memo=remember_once())
    return growth(stages, 0), median_of(stages, 0)


# --- asked for, and known -------------------------------------------------------------------------------------------


def test_nothing_is_computed_before_somebody_asks(seen):
    assert seen.cache.count("growth") == 0
    assert seen.cache.count("connectivity") == 0
    assert seen.of("v1").curves is None
    assert not seen.of("v1").stale


def test_curves_are_those_of_the_engine(seen):
    seen.analyser.ask("v1")
    found = seen.of("v1")
    curves, median = expected_curves(seen.document.data, "v1")
    np.testing.assert_allclose(found.curves.growth.log_sum, curves.log_sum, rtol=1e-12)
    assert found.curves.median == median
    assert found.curves.connectivity.components(np.array([1e6])) == [1]
    assert len(found.curves.growth.within_probability) == len(curves.epsilon)
    assert (found.problem, found.stale, found.curves.unlabelled) == ("", False, "")
    assert seen.heard == ["v1"]
    assert seen.of("v2").curves is None


def test_curves_are_computed_once_and_remembered(seen):
    seen.analyser.ask("v1")
    first = seen.of("v1").curves
    seen.analyser.ask("v1")
    assert seen.of("v1").curves is first
    assert seen.heard == ["v1"]
    assert seen.cache.count("growth") == 1
    again = BandwidthAnalyser(seen.controller)
    again.ask("v1")
    np.testing.assert_array_equal(again.of("v1").curves.growth.row_sums, first.growth.row_sums)
    assert seen.cache.count("growth") == 1
    assert seen.cache.count("connectivity") == 1


def test_the_same_question_is_not_asked_twice_while_it_is_under_way(make, monkeypatch):
    later = Later()
    seen = make(background=later)
    later.run_all()
    runs, run = [], analyser.JOBS["curves"].run

    def asked_meanwhile(*args):
        runs.append(args)
        if len(runs) < 5:
            seen.analyser.ask("v1")
        return run(*args)

    monkeypatch.setattr(analyser.JOBS["curves"], "run", asked_meanwhile)
    for _ in range(3):
        seen.analyser.ask("v1")
        seen.analyser.ask_classes("v1")
    assert len(later.waiting) == 2
    later.run_all()
    assert len(runs) == 1
    assert seen.heard == ["v1", "v1"]
    assert seen.of("v1").curves is not None
    assert seen.of("v1").classes is not None


@pytest.fixture
def many(monkeypatch):
    """Ninety samples are many, and fifty a part of them."""
    monkeypatch.setattr(analyser, "MANY", 80)
    monkeypatch.setattr(runner, "COARSE", 50)


def test_many_samples_show_coarse_curves_first(many, make):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask("v1")
    sizes = []
    while later.waiting:
        later.run_one()
        found = seen.of("v1")
        sizes.append((found.curves.growth.row_sums.shape[1], found.coarse))
    assert sizes == [(50, True), (90, False)]
    curves, median = expected_curves(seen.document.data, "v1")
    np.testing.assert_allclose(seen.of("v1").curves.growth.log_sum, curves.log_sum, rtol=1e-12)
    assert seen.of("v1").curves.median == median
    seen.analyser.ask("v1")
    assert later.waiting == []
    # The next time what was known, marked as stale, is better than a part of the samples.
    commands.set_kernel(seen.document, "v1", "laplacian")
    seen.analyser.ask("v1")
    assert "coarse:v1" not in {task.slot for task in seen.controller.tasks()}
    later.run_all()
    assert not seen.of("v1").coarse
    assert seen.cache.count("growth") == 2  # a part of the samples is not worth remembering


def test_coarse_curves_are_refined_also_after_a_cancel(many, make):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask("v1")
    later.run_one()
    assert seen.of("v1").coarse
    seen.controller.cancel("curves:v1")
    later.run_all()
    seen.analyser.ask("v1")
    later.run_all()
    assert not seen.of("v1").coarse


def test_what_a_slider_moves_changes_no_curve(seen):
    seen.analyser.ask("v1")
    heard, computed = list(seen.heard), seen.cache.count("growth")
    commands.set_epsilon(seen.document, "v1", 0.2)
    commands.set_scale(seen.document, 2.0)
    commands.set_param(seen.document, "t", 3)
    commands.select(seen.document, [1, 2])
    assert not seen.of("v1").stale
    assert seen.heard == heard
    seen.analyser.ask("v1")
    assert seen.cache.count("growth") == computed


# --- stale, and true again ------------------------------------------------------------------------------------------


def test_another_kernel_makes_curves_stale(seen):
    seen.analyser.ask("v1")
    seen.analyser.ask("v2")
    before = seen.of("v1").curves
    seen.heard.clear()
    commands.set_kernel(seen.document, "v1", "laplacian")
    assert seen.of("v1").stale
    assert seen.of("v1").curves is before
    assert not seen.of("v2").stale
    assert seen.heard == ["v1"]
    seen.analyser.ask("v1")
    curves, median = expected_curves(seen.document.data, "v1", "laplacian")
    assert not seen.of("v1").stale
    assert seen.of("v1").curves.median == median
    np.testing.assert_allclose(seen.of("v1").curves.growth.log_sum, curves.log_sum, rtol=1e-12)


def test_preprocessing_makes_curves_stale_and_undo_finds_them_in_the_cache(seen):
    seen.analyser.ask("v1")
    median = seen.of("v1").curves.median
    commands.set_preprocess(seen.document, "v1", "zscore")
    assert seen.of("v1").stale
    seen.analyser.ask("v1")
    assert seen.of("v1").curves.median != median
    assert seen.cache.count("growth") == 2
    seen.document.undo()
    seen.analyser.ask("v1")
    assert (seen.of("v1").curves.median, seen.of("v1").stale) == (median, False)
    assert seen.cache.count("growth") == 2


@pytest.mark.parametrize("order", ["curves first", "classes first"])
def test_class_curves_of_the_former_kernel_are_not_passed_off_as_new(seen, order):
    """Both kinds of curves grow stale together, and each is true again only once it has been computed itself."""
    seen.analyser.ask("v1")
    seen.analyser.ask_classes("v1")
    former = seen.of("v1").classes
    commands.set_kernel(seen.document, "v1", "laplacian")
    if order == "curves first":
        seen.analyser.ask("v1")
        assert seen.of("v1").classes is None or seen.of("v1").stale
        seen.analyser.ask_classes("v1")
    else:
        seen.analyser.ask_classes("v1")
        seen.analyser.ask("v1")
    found = seen.of("v1")
    assert not found.stale
    assert not np.allclose(found.classes.epsilon, former.epsilon)
    assert found.classes.epsilon[0] == pytest.approx(1e-3 * found.curves.median)


@pytest.mark.parametrize(
    "edit", [lambda d: commands.set_kernel(d, "v1", "laplacian"), lambda d: commands.set_preprocess(d, "v1", "zscore")]
)
def test_answers_to_a_former_question_are_not_passed_off_as_new(make, edit):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask("v1")
    seen.analyser.ask_classes("v1")
    edit(seen.document)
    later.run_all()
    assert seen.of("v1").curves is None or seen.of("v1").stale
    assert seen.of("v1").classes is None
    seen.analyser.ask("v1")
    later.run_all()
    kernel = seen.document.state.view("v1").kernel
    assert seen.of("v1").curves.median == expected_curves(seen.document.data, "v1", kernel)[1]


def test_a_new_question_replaces_the_one_under_way(make):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask("v1")
    commands.set_kernel(seen.document, "v1", "laplacian")
    seen.analyser.ask("v1")
    later.run_all()
    assert seen.of("v1").curves.median == expected_curves(seen.document.data, "v1", "laplacian")[1]
    assert not seen.of("v1").stale
    assert seen.cache.count("growth") == 1


def test_other_data_with_the_same_view_names_starts_anew(seen):
    seen.analyser.ask("v1")
    other = circle_data(40, seed=5)
    seen.heard.clear()
    commands.open_data(seen.document, other, commands.initial_state(other, ("other.csv",), None, False))
    assert seen.of("v1").curves is None or seen.of("v1").stale
    assert "v1" in seen.heard  # who shows the curve must learn that it is gone
    seen.analyser.ask("v1")
    assert seen.of("v1").curves.growth.row_sums.shape[1] == 40


# --- classes --------------------------------------------------------------------------------------------------------


def test_class_curves_on_request(seen):
    seen.analyser.ask("v1")
    assert seen.cache.count("class-scan") == 0
    seen.analyser.ask_classes("v1")
    found = seen.of("v1").classes
    assert len(found.epsilon) == len(found.geometric) == len(found.spectral) >= 11
    assert np.isfinite(found.geometric).any()
    seen.analyser.ask_classes("v1")
    assert seen.cache.count("class-scan") == 1
    # The rules of the same name use the same curves.
    seen.analyser.ask_rules("v1", ("class-geometric", "class-spectral"))
    assert seen.cache.count("class-scan") == 1


def test_class_curves_are_refined_where_the_hand_rests(seen):
    seen.analyser.refine_classes("v1", 0.3)
    assert seen.of("v1").classes is None  # nobody has asked for them
    seen.analyser.ask_classes("v1")
    coarse = seen.of("v1").classes
    seen.heard.clear()
    seen.analyser.refine_classes("v1", 0.3)
    found = seen.of("v1").classes
    assert len(found.epsilon) == len(coarse.epsilon) + 1
    assert np.all(np.diff(found.epsilon) > 0)
    assert seen.heard == ["v1"]
    stages = Stages(seen.document.data, (0,), memo=remember_once())
    exact = scan_classes(stages, 0, class_codes(seen.document.data), np.array([0.3]))
    at = int(np.flatnonzero(found.epsilon == 0.3)[0])
    assert found.geometric[at] == pytest.approx(exact.geometric[0], rel=1e-6)
    assert found.spectral[at] == pytest.approx(exact.spectral[0], rel=1e-6)
    np.testing.assert_array_equal(np.delete(found.geometric, at), coarse.geometric)
    seen.analyser.refine_classes("v1", 0.301)  # known well enough
    assert seen.of("v1").classes is found


def test_a_refinement_of_the_former_kernel_is_dropped(make):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask_classes("v1")
    later.run_all()
    seen.analyser.refine_classes("v1", 0.3)
    commands.set_kernel(seen.document, "v1", "laplacian")
    later.run_all()
    found = seen.of("v1").classes
    assert found is None or seen.of("v1").stale
    assert found is None or 0.3 not in found.epsilon


def test_a_dimension_of_the_former_kernel_is_not_passed_off_as_new(make):
    seen = make(opened(circle_data(n_samples=120)))
    seen.analyser.ask("v1")
    seen.analyser.ask_dimension("v1")
    former = seen.of("v1").dimension
    assert former is not None
    commands.set_preprocess(seen.document, "v1", "zscore")
    seen.analyser.ask("v1")
    assert seen.of("v1").dimension is not former or seen.of("v1").stale
    seen.analyser.ask_dimension("v1")
    assert seen.of("v1").dimension is not former


@pytest.mark.parametrize(
    ("labels", "words"),
    [(None, "The data has no labels"), (np.zeros(90), "All labelled samples are of the class"),
     (np.arange(90), "has a single sample")],
)  # fmt: skip
def test_without_classes_there_are_curves_and_a_reason(make, labels, words):
    seen = make(opened(circle_data().replace(labels=labels)))
    seen.analyser.ask("v1")
    curves = seen.of("v1").curves
    assert words in curves.unlabelled
    assert len(curves.growth.within_probability) == 0
    assert np.isfinite(curves.growth.slope).all()
    assert seen.of("v1").problem == ""
    seen.analyser.ask_classes("v1")
    assert words in seen.of("v1").problem
    assert seen.of("v1").curves is curves


# --- rules on request -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.* has no peak")
def test_rules_on_request_join_the_facts(seen):
    before = dict(seen.controller.summaries["v1"].rules)
    assert not set(CLASS_RULES) & set(before)
    told = []
    seen.controller.summary_changed.connect(told.append)
    seen.analyser.ask_rules("v1", CLASS_RULES)
    after = seen.controller.summaries["v1"].rules
    data = seen.document.data
    assert {k: after[k] for k in before} == before
    for rule in CLASS_RULES:
        assert after[rule] == pytest.approx(select_epsilon(data, rule, views=["v1"])[0])
    assert told == ["v1"]
    assert seen.heard == ["v1"]
    commands.set_epsilon(seen.document, "v1", "class-probabilistic")
    assert seen.controller.epsilon("v1") == after["class-probabilistic"]


def test_rules_that_cannot_be_evaluated_say_why(make):
    seen = make(opened(circle_data(labels=False)))
    seen.analyser.ask_rules("v1", ("class-spectral", "median"))
    rules = seen.controller.summaries["v1"].rules
    assert rules["class-spectral"].startswith("The data has no labels, so no class rule applies.")
    assert isinstance(rules["median"], float)


def test_rules_asked_for_other_data_are_dropped(make):
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask_rules("v1", CLASS_RULES)
    commands.set_preprocess(seen.document, "v1", "zscore")
    later.run_all()
    assert not set(CLASS_RULES) & set(seen.controller.summaries["v1"].rules)


def test_rules_asked_for_another_kernel_are_dropped(make):
    """The facts of the new kernel may be there first, where they were waiting already."""
    later = Later()
    seen = make(background=later)
    later.run_all()
    seen.analyser.ask_rules("v1", ("class-probabilistic",))
    commands.set_kernel(seen.document, "v1", "laplacian")
    later.waiting.append(later.waiting.pop(0))
    later.run_all()
    assert isinstance(seen.controller.summaries["v1"], BandwidthSummary)
    assert "class-probabilistic" not in seen.controller.summaries["v1"].rules


# --- errors ---------------------------------------------------------------------------------------------------------


def test_an_error_is_a_sentence_and_goes_with_its_cause(seen):
    commands.set_kernel(seen.document, "v1", "precomputed")
    seen.analyser.ask("v1")
    found = seen.of("v1")
    assert found.curves is None
    assert found.problem.startswith("The view “v1” has shape (90, 2) and is no table of affinities")
    assert seen.heard == ["v1"]
    seen.document.undo()
    seen.analyser.ask("v1")
    assert seen.of("v1").problem == ""
    assert seen.of("v1").curves is not None


def test_an_error_does_not_make_its_listeners_ask_again(make):
    """The window asks whenever curves are stale: it must come to an end where there will be none."""
    later, posted = Later(), []
    seen = make(background=later, post=posted.append)

    def come_to_rest(turns):
        while turns and (later.waiting or posted):
            turns -= 1
            if posted:
                posted.pop(0)()
            else:
                later.run_one()

    seen.analyser.ask("v1")
    come_to_rest(200)
    seen.analyser.changed.connect(lambda view: seen.analyser.ask(view) if seen.of(view).stale else None)
    commands.set_kernel(seen.document, "v1", "precomputed")
    come_to_rest(200)
    assert later.waiting == []
    assert "is no table of affinities" in seen.of("v1").problem


def test_curves_that_the_user_stops_are_not_begun_again_by_who_draws_them(make):
    """The window asks for curves that are stale as soon as it hears of them."""
    later = Later()
    seen = make(background=later)
    seen.analyser.ask("v1")
    later.run_all()
    seen.analyser.changed.connect(lambda view: seen.analyser.ask(view))
    commands.set_kernel(seen.document, "v1", "laplacian")
    seen.controller.cancel("curves:v1")
    later.run_all()
    assert seen.of("v1").stale
    seen.analyser.ask("v1")
    later.run_all()
    assert not seen.of("v1").stale


def test_what_failed_is_computed_by_another_click(seen, monkeypatch):
    """Memory may have been given meanwhile."""
    with monkeypatch.context() as patch:
        patch.setattr(analyser.JOBS["dimension"], "run", lambda *_: 1 / 0)
        seen.analyser.ask_dimension("v1")
    assert seen.of("v1").problem
    seen.analyser.ask_dimension("v1")
    assert seen.of("v1").problem == ""


def test_a_fault_of_the_program_is_told_too(make, monkeypatch, caplog):
    seen = make()

    def broken(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr(analyser.JOBS["curves"], "run", broken)
    seen.analyser.ask("v1")
    assert seen.of("v1").problem.startswith("The computation failed: boom.")
    assert len(caplog.records) == 1


def test_without_data_nothing_is_asked():
    controller = Controller(Document(), executor=Inline(), background=Inline())
    found = BandwidthAnalyser(controller)
    found.ask("")
    found.ask_classes("v1")
    found.ask_rules("v1", ("median",))
    assert found.of("v1").curves is None
    assert controller.tasks() == ()
    controller.shutdown()


def test_curves_from_real_threads():
    document = opened()
    controller = Controller(document)
    found = BandwidthAnalyser(controller)
    document.reset(document.state, document.data.replace())
    found.ask("v1")
    found.ask("v2")
    assert controller.wait_idle(30.0)
    assert found.of("v1").curves is not None
    assert found.of("v2").curves is not None
    controller.shutdown()


@pytest.mark.parametrize("dimension", [0, -3])
def test_weights_for_no_dimension_are_refused(seen, dimension):
    seen.analyser.ask_weights("v1", dimension)
    expected = f"Intrinsic dimension (d̂) cannot be {dimension}. Give a whole number of at least 1."
    assert seen.of("v1").problem == expected
    assert seen.of("v1").scaling is None
