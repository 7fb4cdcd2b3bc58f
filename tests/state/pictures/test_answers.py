"""Answers: asked once, kept with what they are about, told as stale, replaced, stopped and dropped."""

import numpy as np
import pytest
from doubles import FunctionJob
from inline import Inline, Later, circle_data, opened

from mvexplorer.errors import DataError
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.answers import Answers, Question
from mvexplorer.state.pictures.controller import Controller


class Bench:
    """Answers whose jobs wait until they are told to run."""

    def __init__(self, **options):
        self.document, self.later = opened(), Later()
        self.controller = Controller(self.document, executor=Inline(), background=self.later)
        self.answers, self.told, self.ran = Answers(self.controller, **options), [], []
        self.answers.changed.connect(self.told.append)

    def ask(self, key, *basis, slot=None, value=None, again=False):
        """Ask for the basis in words, or for a value that may be an error."""

        def run(task):
            self.ran.append(key)
            if isinstance(value, Exception):
                raise value
            return "-".join(map(str, basis))

        question = Question(key, basis, FunctionJob(run), slot=slot or f"slot:{key}", make=str.upper)
        return self.answers.ask(question, again=again)


@pytest.fixture
def make():
    made = []

    def bench(**options):
        made.append(Bench(**options))
        return made[-1]

    yield bench
    for bench in made:
        bench.controller.shutdown()


def test_an_answer_is_computed_once_and_kept_with_what_it_is_about(make):
    bench = make()
    assert bench.answers.freshness("a", ("x",)) == "none"
    assert bench.ask("a", "x")
    assert not bench.ask("a", "x"), "it is under way"
    assert bench.answers.waits("a")
    bench.later.run_all()
    assert (bench.answers.of("a").value, bench.answers.of("a").error) == ("X", None)
    assert bench.answers.freshness("a", ("x",)) == "current"
    assert not bench.ask("a", "x"), "it is known"
    assert (bench.ran, bench.told) == (["a"], ["a"])


def test_a_former_answer_stays_and_is_stale_until_the_next_one_comes(make):
    bench = make()
    bench.ask("a", "x")
    bench.later.run_all()
    assert bench.answers.freshness("a", ("y",)) == "stale"
    assert bench.answers.current("a", ("y",)) is None
    bench.ask("a", "y")
    assert bench.answers.of("a").value == "X"
    bench.later.run_all()
    assert bench.answers.current("a", ("y",)).value == "Y"


def test_who_goes_back_has_the_former_answer_and_the_job_of_the_later_one_ends(make):
    bench = make()
    bench.ask("a", "x")
    bench.later.run_all()
    bench.ask("a", "y")
    assert not bench.ask("a", "x")
    assert not bench.answers.waits("a")
    bench.later.run_all()
    assert bench.answers.of("a").value == "X"


def test_of_two_questions_the_latest_is_answered(make):
    bench = make()
    bench.ask("a", "x")
    bench.ask("a", "y")
    bench.later.run_all()
    assert bench.answers.of("a").value == "Y"
    assert bench.told == ["a"]


def test_a_slot_that_two_keys_share_answers_the_latest(make):
    bench = make()
    bench.ask("a", "x", slot="one")
    bench.ask("b", "y", slot="one")
    assert bench.answers.waiting == ("b",)
    bench.later.run_all()
    assert (bench.answers.of("a"), bench.answers.of("b").value) == (None, "Y")


def test_large_things_are_the_same_by_identity_and_plain_ones_by_value(make):
    bench, Y = make(), np.zeros((3, 2))
    bench.ask("a", Y, ("p", 1), {"k": 2})
    bench.later.run_all()
    assert bench.answers.freshness("a", (Y, ("p", 1), {"k": 2})) == "current"
    assert bench.answers.freshness("a", (Y.copy(), ("p", 1), {"k": 2})) == "stale"
    assert bench.answers.freshness("a", (Y, ("p", 2), {"k": 2})) == "stale"
    assert bench.answers.freshness("a", (Y, ("p", 1))) == "stale"


def test_an_error_is_an_answer(make):
    bench = make()
    bench.ask("a", "x", value=DataError("There is none.", "Try another."))
    bench.later.run_all()
    answer = bench.answers.of("a")
    assert (answer.value, str(answer.error)) == (None, "There is none. Try another.")
    assert not bench.ask("a", "x"), "it would fail again"
    assert bench.ask("a", "x", again=True), "unless the user has mended what was wrong"
    bench.later.run_all()
    assert bench.answers.of("a").value == "X"


def test_a_fault_in_what_makes_the_answer_does_not_block_the_question(make):
    bench = make()
    question = Question("a", ("x",), FunctionJob(lambda task: 1), slot="s", make=lambda value: value / 0)
    bench.answers.ask(question)
    with pytest.raises(ZeroDivisionError):
        bench.later.run_all()
    assert not bench.answers.waits("a")
    assert bench.answers.ask(question)


def test_without_a_job_the_answer_is_there_at_once(make):
    bench = make()
    bench.ask("a", "x")
    assert bench.answers.ask(Question("a", ("y",), make=lambda _: "Y"))
    assert bench.answers.of("a").value == "Y"
    bench.later.run_all()
    assert bench.answers.of("a").value == "Y", "the former job has ended"
    bench.answers.ask(Question("a", ("z",), error=DataError("No.")))
    assert str(bench.answers.of("a").error) == "No."


def test_what_the_user_stops_says_so_and_is_not_begun_again(make):
    bench = make(stopped=("It was stopped.", "Change something."))
    bench.ask("a", "x")
    bench.answers.stop("a")
    assert str(bench.answers.of("a").error) == "It was stopped. Change something."
    assert not bench.ask("a", "x")
    assert bench.ask("a", "y")
    bench.later.run_all()
    assert bench.answers.of("a").value == "Y"


def test_what_the_user_stops_leaves_the_former_answer_where_nothing_is_to_be_said(make):
    bench = make()
    bench.ask("a", "x")
    bench.later.run_all()
    bench.ask("a", "y")
    bench.controller.cancel("slot:a")
    assert bench.answers.of("a").value == "X"
    assert not bench.answers.waits("a")
    assert bench.told == ["a", "a"]
    assert bench.ask("a", "y")


def test_what_is_dropped_says_nothing(make):
    bench = make(stopped=("It was stopped.", ""))
    bench.ask("a", "x")
    bench.answers.forget("a")
    bench.later.run_all()
    assert (bench.answers.of("a"), bench.told) == (None, [])


def test_other_numbers_end_jobs_and_other_samples_drop_answers_too(make):
    bench = make()
    bench.ask("a", "x")
    bench.later.run_all()
    bench.ask("b", "y")
    data = bench.document.data
    bench.document.apply("Scale", bench.document.state, data=data.replace(Xs=[2 * X for X in data.Xs]))
    bench.later.run_all()
    assert not bench.answers.waiting
    assert (bench.answers.of("a").value, bench.answers.of("b")) == ("X", None)
    other = circle_data(40, seed=5)
    commands.open_data(bench.document, other, commands.initial_state(other, ("other.csv",), None, False))
    assert bench.answers.of("a") is None


def test_the_oldest_of_too_many_goes(make):
    bench = make(most=2)
    for key in "abc":
        bench.ask(key, "x")
        bench.later.run_all()
    assert [bench.answers.of(key) is not None for key in "abc"] == [False, True, True]
