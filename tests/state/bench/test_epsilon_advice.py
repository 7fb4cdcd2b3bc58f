"""One ε is recommended for each view, by its kernel's verdict and its own picture; all places quote the same."""

from queue import SimpleQueue

import numpy as np
import pytest
from desk import Clock
from doubles import do_until

from mvexplorer.compute.batch.tuning import TuneStep
from mvexplorer.engine.bandwidth.facts import KernelFacts
from mvexplorer.engine.bandwidth.regimes import Regime
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.metrics import Score
from mvexplorer.state.bench import place_words
from mvexplorer.state.bench.epsilon_advice import Advice, judged_in_words, recommended_elsewhere
from mvexplorer.state.bench.library import Library
from mvexplorer.state.bench.next_steps import NextSteps
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.document import commands
from mvexplorer.state.document.commands import initial_state
from mvexplorer.state.session.settings import Settings


def noisy() -> MultiView:
    """A ring in twelve noisy columns, and 25 columns of hardly anything but noise."""
    random = np.random.default_rng(5)
    z = random.uniform(0.0, 1.0, 150)
    ring = np.column_stack([np.cos(6.0 * z), np.sin(6.0 * z)]) @ random.standard_normal((2, 12))
    noise = random.standard_normal((150, 25))
    noise[:, 0] += 3.0 * z
    return MultiView({"assay": ring + 0.6 * random.standard_normal((150, 12)), "noise": noise})


class Bench:
    """A workbench with noisy views at a robust ε, judged once the hand rests."""

    def __init__(self):
        self.inbox = SimpleQueue()
        self.work = Workbench(Settings(), self.inbox.put, keeps_settings=False)
        self.steps = NextSteps(self.work, Library(self.work, Clock()))
        self.document = self.work.document
        state, data = initial_state(noisy(), ("memory",), None), noisy()
        self.document.reset(state.model_copy(update={"panels": state.panels[:1]}), data)
        self.rest()

    def rest(self):
        self.work.verdicts.ask()
        self.steps.ask()
        do_until(lambda: self.work.controller.idle and self.inbox.empty(), self.inbox)

    def move(self, view, epsilon):
        commands.set_epsilon(self.document, view, epsilon)
        self.rest()

    def score(self, view):
        self.work.advice.ask(view)
        self.rest()

    def advice(self, view) -> Advice:
        return self.work.advice.now()[view]

    @property
    def step(self) -> str:
        return next(step.sentence for step in self.steps.steps if step.id == "check")


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.work.controller.shutdown()


def test_the_kernel_alone_recommends_what_is_no_alarm_and_is_silent_within(bench):
    advice = bench.advice("assay")
    assert (advice.here, advice.best, advice.rule, advice.sentence) == (True, None, "robust", "")
    for epsilon, word in ((advice.low / 2.0, "isolated"), (advice.high * 100.0, "flat")):
        bench.move("assay", epsilon)
        assert bench.work.verdicts.of("assay").regime == word
        outside = bench.advice("assay")
        assert not outside.here
        assert outside.sentence == f"Recommended by the kernel: ε {outside.range} (rule robust)."


def test_what_the_own_picture_tells_narrows_the_range_and_never_leaves_it(bench):
    for view in ("assay", "noise"):
        before = bench.advice(view)
        bench.score(view)
        after = bench.advice(view)
        assert after.best is not None
        assert before.low <= after.low < after.high <= before.high


def test_a_wide_view_is_not_sent_away_while_its_own_picture_is_as_good(bench):
    bench.score("assay")
    regime, advice = bench.work.verdicts.of("assay"), bench.advice("assay")
    assert (regime.regime, advice.here, advice.rule) == ("wide", True, "robust")
    words = judged_in_words(regime, advice)
    assert words.endswith(f"No need to move ε for its own picture: {advice.range} is recommended.")
    assert "smaller" not in words


def test_verdict_place_and_step_quote_one_sentence(bench):
    bench.move("assay", bench.advice("assay").low / 2.0)
    bench.score("assay")
    regime, advice = bench.work.verdicts.of("assay"), bench.advice("assay")
    quoted = f"Recommended: ε {advice.range} (rule robust)."
    assert judged_in_words(regime, advice) == f"{regime.sentence} {quoted}"
    assert bench.step.startswith(f"{regime.sentence} {quoted}")
    assert place_words.on_bandwidths(bench.work).endswith(f": assay is isolated. {quoted}")


def test_the_step_is_done_and_still_names_a_better_range(bench):
    bench.score("assay")
    advice = bench.advice("assay")
    bench.move("assay", advice.high * 1.5)
    assert bench.work.verdicts.of("assay").regime == "wide"
    words = f"Recommended for assay: ε {bench.advice('assay').range}."
    assert bench.step.endswith(f"none is isolated or flat. {words}")
    assert place_words.on_bandwidths(bench.work).endswith(words)


def test_an_epsilon_that_was_tuned_is_not_sent_back(bench):
    bench.score("assay")
    tuned = float(f"{bench.advice('assay').high * 1.5:.4g}")
    bench.work.tuner.steps = (TuneStep("assay", 1.0, tuned, None, None, None, "gain", "trust"),)
    bench.move("assay", tuned)
    advice = bench.advice("assay")
    assert (advice.here, advice.tuned, advice.sentence) == (False, True, "Tuned: no need to move ε.")
    assert recommended_elsewhere(bench.work.advice.now()) == ""


def test_a_rule_is_recommended_where_it_is_clear(bench):
    low, high, middle = bench.advice("assay").low, bench.advice("assay").high, bench.advice("assay").value
    bench.move("assay", middle)
    rules = bench.work.controller.summaries["assay"].rules
    for values, expected in (
        ({"robust": middle, "median": middle}, "robust"),
        ({"robust": high * 2.0, "median": middle, "std": low / 2.0}, "median"),
        ({"robust": high * 2.0, "median": middle, "std": middle}, ""),
        ({"robust": "not here", "median": high * 2.0}, ""),
    ):
        rules.clear()
        rules.update(values)
        assert bench.advice("assay").rule == expected
    rules["robust"] = high / 2.0
    assert bench.advice("assay").rule == "robust"
    commands.set_scale(bench.document, 3.0)  # what a rule chooses is multiplied by it
    bench.rest()
    assert bench.advice("assay").rule == ""


def test_a_dominant_view_within_its_range_keeps_the_cure_of_the_verdict():
    facts = KernelFacts("mor", 2.0, 0.5, 0.0, 1, 10.0, 99, 80.0)
    regime = Regime("mor", "local", facts, "Products follow mor alone.", "A larger ε of it evens that out.", 40.0)
    within = Advice(1.0, 20.0, True, Score(0.9, 0.001))
    assert judged_in_words(regime, within) == "Products follow mor alone. A larger ε of it evens that out."
    outside = Advice(4.0, 20.0, False)
    assert judged_in_words(regime, outside) == "Products follow mor alone. Recommended by the kernel: ε 4.00 to 20.0."


def test_of_several_views_elsewhere_one_is_named():
    outside, within = Advice(4.0, 20.0, False), Advice(4.0, 20.0, True)
    assert recommended_elsewhere({"a": within, "b": outside}) == "Recommended for b: ε 4.00 to 20.0."
    each = {"a": outside, "b": outside, "c": outside}
    assert recommended_elsewhere(each) == "Recommended for a: ε 4.00 to 20.0; 2 more views likewise."
