"""The scheduler: one slot per panel, the latest wins, what nobody waits for stops and is not reported."""

import logging
import threading
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from time import perf_counter

import numpy as np
import pytest
from doubles import FunctionJob
from timed import timed

from mvexplorer.compute.jobs.jobs import RulesJob
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.jobs.runner import run_request, run_scores
from mvexplorer.compute.run import scheduler as module
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import Job, Scheduler
from mvexplorer.engine.analysis.scored import scorable
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.engine.kernels.affinities import GAUSSIAN
from mvexplorer.engine.methods import get_method
from mvexplorer.errors import ComputeError, ParameterError

WAIT = 20.0
"""Seconds after which a test that hangs fails."""


class Inline(Executor):
    """Runs at once, in the caller's thread."""

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


class Gate(Job):
    """A job that says when it has begun and ends when told to, or as soon as it is cancelled."""

    def __init__(self, value=None, stubborn=False):
        self.value, self.stubborn = value, stubborn
        self.begun, self.go_on, self.stopped = threading.Event(), threading.Event(), threading.Event()

    def run(self, cache, task):
        self.begun.set()
        while not self.go_on.wait(0.001):
            if not self.stubborn:
                try:
                    task.checkpoint()
                except Cancelled:
                    self.stopped.set()
                    raise
        return self.value


@pytest.fixture
def pool():
    with ThreadPoolExecutor(4) as executor:
        yield executor


@pytest.fixture
def outcomes():
    return []


@pytest.fixture
def scheduler(pool):
    scheduler = Scheduler(pool)
    yield scheduler
    scheduler.shutdown()


def test_a_job_is_carried_out_and_reported(scheduler, outcomes):
    generation = scheduler.submit("a", FunctionJob(lambda task: 7), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    (outcome,) = outcomes
    assert (outcome.slot, outcome.generation, outcome.value, outcome.error) == ("a", generation, 7, None)
    assert outcome.seconds >= 0
    assert scheduler.idle


def test_jobs_submitted_together_begin_when_the_last_of_them_is_there():
    begun, scheduler = [], Scheduler(Inline())

    def submit(name):
        scheduler.submit(name, FunctionJob(lambda task: begun.append(name)), lambda outcome: None)

    with scheduler.together():
        submit("a")
        with scheduler.together():  # what listens to the first may ask for more
            submit("b")
        assert not begun
        assert not scheduler.idle
    assert begun == ["a", "b"]
    assert scheduler.idle
    submit("c")
    assert begun == ["a", "b", "c"]


def test_jobs_submitted_together_begin_even_after_a_fault():
    begun, scheduler = [], Scheduler(Inline())

    def submit_one_of_two():
        with scheduler.together():
            scheduler.submit("a", FunctionJob(lambda task: begun.append("a")), lambda outcome: None)
            raise KeyError

    with pytest.raises(KeyError):
        submit_one_of_two()
    assert begun == ["a"]


def test_latest_wins(scheduler, outcomes):
    """The running job is stopped, the pending ones replaced: of many submitted only the last is reported."""
    first = Gate(1)
    scheduler.submit("a", first, outcomes.append)
    assert first.begun.wait(WAIT)
    skipped = [Gate(i) for i in range(2, 6)]
    for gate in skipped:
        scheduler.submit("a", gate, outcomes.append)
    last = scheduler.submit("a", FunctionJob(lambda task: "last"), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert first.stopped.is_set()
    assert not any(gate.begun.is_set() for gate in skipped[:-1])
    assert [(o.generation, o.value) for o in outcomes] == [(last, "last")]


def test_superseded_work_that_finishes_all_the_same_is_dropped(scheduler, outcomes):
    stubborn = Gate("old", stubborn=True)
    scheduler.submit("a", stubborn, outcomes.append)
    assert stubborn.begun.wait(WAIT)
    scheduler.submit("a", FunctionJob(lambda task: "new"), outcomes.append)
    stubborn.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert [o.value for o in outcomes] == ["new"]


def test_slots_do_not_disturb_each_other(scheduler, outcomes):
    gates = {slot: Gate(slot) for slot in "abc"}
    for slot, gate in gates.items():
        scheduler.submit(slot, gate, outcomes.append)
    assert all(gate.begun.wait(WAIT) for gate in gates.values())
    assert {p.slot for p in scheduler.tasks()} == set("abc")
    for gate in gates.values():
        gate.go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert sorted(o.value for o in outcomes) == ["a", "b", "c"]


def test_at_most_one_job_per_slot(scheduler, outcomes):
    running, most, lock = [0], [0], threading.Lock()

    def job(task):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        with lock:
            running[0] -= 1
        return True

    for _ in range(200):
        scheduler.submit("a", FunctionJob(job), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert most[0] == 1
    generations = [o.generation for o in outcomes]
    assert generations == sorted(generations)
    assert generations[-1] == 200


def test_generations_grow_over_all_slots(scheduler, outcomes):
    generations = [scheduler.submit(slot, FunctionJob(lambda task: None), outcomes.append) for slot in "abab"]
    assert generations == [1, 2, 3, 4]
    assert scheduler.wait_idle(WAIT)


def test_cancel_is_never_reported(scheduler, outcomes):
    for gate in (Gate(1), Gate(2, stubborn=True)):
        scheduler.submit("a", gate, outcomes.append)
        assert gate.begun.wait(WAIT)
        scheduler.submit("a", FunctionJob(lambda task: "pending"), outcomes.append, interactive=True)
        scheduler.cancel("a")
        gate.go_on.set()
        assert scheduler.wait_idle(WAIT)
    scheduler.cancel("unknown")
    assert outcomes == []
    assert scheduler.tasks() == ()
    scheduler.submit("a", FunctionJob(lambda task: "after"), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert [o.value for o in outcomes] == ["after"]


class TestFollowing:
    """While a hand drags, what began a moment ago may finish; what takes long is stopped."""

    def drag(self, scheduler, outcomes, seconds, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr(module, "perf_counter", lambda: clock[0])
        scheduler.submit("a", FunctionJob(lambda task: "first"), outcomes.append)
        assert scheduler.wait_idle(WAIT)
        running = Gate("running")
        scheduler.submit("a", running, outcomes.append, interactive=True)
        assert running.begun.wait(WAIT)
        clock[0] += seconds
        waiting = Gate("waiting")
        scheduler.submit("a", waiting, outcomes.append, interactive=True)
        last = Gate("last")
        last.go_on.set()
        scheduler.submit("a", last, outcomes.append, interactive=True)
        return running, waiting

    def test_quick_work_is_shown(self, scheduler, outcomes, monkeypatch):
        running, waiting = self.drag(scheduler, outcomes, module.PATIENCE / 2, monkeypatch)
        running.go_on.set()
        assert scheduler.wait_idle(WAIT)
        assert [o.value for o in outcomes] == ["first", "running", "last"]
        assert not running.stopped.is_set()
        assert not waiting.begun.is_set()

    def test_slow_work_is_stopped(self, scheduler, outcomes, monkeypatch):
        running, waiting = self.drag(scheduler, outcomes, module.PATIENCE * 2, monkeypatch)
        waiting.go_on.set()  # it may have begun before the last one came
        assert scheduler.wait_idle(WAIT)
        assert running.stopped.is_set()
        assert [o.value for o in outcomes if o.value != "waiting"] == ["first", "last"]

    def test_the_hand_rests(self, scheduler, outcomes, monkeypatch):
        """A request that does not follow stops quick work, too, and its predecessors are not reported any more."""
        running, _ = self.drag(scheduler, outcomes, module.PATIENCE / 2, monkeypatch)
        scheduler.submit("a", FunctionJob(lambda task: "rest"), outcomes.append)
        assert scheduler.wait_idle(WAIT)
        assert running.stopped.is_set()
        assert [o.value for o in outcomes] == ["first", "rest"]

    def test_the_hand_lets_go(self, scheduler, outcomes, monkeypatch):
        """On release what is superseded stops, quick or not; the last request is answered next."""
        running, _ = self.drag(scheduler, outcomes, module.PATIENCE / 2, monkeypatch)
        scheduler.release()
        assert scheduler.wait_idle(WAIT)
        assert running.stopped.is_set()
        assert [o.value for o in outcomes] == ["first", "last"]
        scheduler.release()
        assert [o.value for o in outcomes] == ["first", "last"]


# --- how jobs end -----------------------------------------------------------------------------------------------------


def test_an_error_is_an_outcome(scheduler, outcomes, caplog):
    def job(task):
        raise ParameterError("No.", "Do this.")

    scheduler.submit("a", FunctionJob(job), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert isinstance(outcomes[0].error, ParameterError)
    assert outcomes[0].value is None
    assert caplog.records == []


def test_every_error_is_told_besides_who_asked(pool, outcomes):
    def job(task):
        raise ParameterError("No.", "Do this.")

    told = []
    scheduler = Scheduler(pool, on_error=told.append)
    scheduler.submit("a", FunctionJob(job), outcomes.append)
    scheduler.submit("b", FunctionJob(lambda task: 1), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert [str(error) for error in told] == ["No. Do this."]
    assert len(outcomes) == 2


def test_an_unexpected_error_is_logged_and_reported(scheduler, outcomes, caplog):
    def job(task):
        raise ZeroDivisionError("a fault")

    with caplog.at_level(logging.ERROR):
        scheduler.submit("a", FunctionJob(job), outcomes.append)
        assert scheduler.wait_idle(WAIT)
    assert isinstance(outcomes[0].error, ComputeError)
    assert "a fault" in str(outcomes[0].error)
    (record,) = caplog.records
    assert record.exc_info[0] is ZeroDivisionError
    scheduler.submit("a", FunctionJob(lambda task: "next"), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert outcomes[-1].value == "next"


def test_out_of_memory_says_what_to_do(scheduler, outcomes):
    def job(task):
        raise MemoryError

    scheduler.submit("a", FunctionJob(job), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert "ran out of memory. Use fewer samples" in str(outcomes[0].error)


def test_a_fault_in_the_receiver_does_not_block_the_slot(scheduler, outcomes):
    def faulty(outcome):
        raise RuntimeError("receiver")

    scheduler.submit("a", FunctionJob(lambda task: 1), faulty)
    assert scheduler.wait_idle(WAIT)
    scheduler.submit("a", FunctionJob(lambda task: 2), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert [o.value for o in outcomes] == [2]


def test_inline_executor(outcomes):
    scheduler = Scheduler(Inline())
    for value in (1, 2, 3):
        scheduler.submit("a", FunctionJob(lambda task, value=value: value), outcomes.append)
        assert scheduler.idle
    assert [o.value for o in outcomes] == [1, 2, 3]
    scheduler.shutdown()


def test_shutdown_reports_nothing(pool, outcomes):
    changes = []
    scheduler = Scheduler(pool, on_change=lambda: changes.append(1))
    gates = [Gate(1), Gate(2)]
    for slot, gate in zip("ab", gates, strict=True):
        scheduler.submit(slot, gate, outcomes.append)
        assert gate.begun.wait(WAIT)
    scheduler.submit("a", FunctionJob(lambda task: "pending"), outcomes.append, interactive=True)
    before = len(changes)
    scheduler.shutdown(WAIT)
    assert all(gate.stopped.is_set() for gate in gates)
    scheduler.submit("c", FunctionJob(lambda task: "late"), outcomes.append)
    assert outcomes == []
    assert len(changes) == before
    assert scheduler.idle


def test_shutdown_silences_what_is_posted_already(pool, outcomes):
    """An event loop runs closures later: those still in its queue at the shutdown do nothing."""
    posted, changes = [], []
    scheduler = Scheduler(pool, post=posted.append, on_change=lambda: changes.append(1))
    scheduler.submit("a", FunctionJob(lambda task: 1), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    scheduler.shutdown(WAIT)
    assert posted
    for closure in posted:
        closure()
    assert outcomes == []
    assert changes == []


def test_changes_are_announced_once_until_the_announcement_is_heard(outcomes):
    """In a step of a drag each panel's job begins and ends: an event loop that is busy hears of all of them at once."""
    posted, heard = [], []
    scheduler = Scheduler(Inline(), post=posted.append, on_change=lambda: heard.append(scheduler.idle))
    for slot in "abc":
        scheduler.submit(slot, FunctionJob(lambda task: 1), outcomes.append)
    assert len(posted) == 1 + 3  # and the three outcomes
    for closure in posted:
        closure()
    assert heard == [True]
    assert len(outcomes) == 3
    scheduler.submit("a", FunctionJob(lambda task: 1), outcomes.append)
    assert len(posted) == 4 + 2
    scheduler.shutdown()


def test_outcomes_go_through_post(pool, outcomes):
    posted = []
    scheduler = Scheduler(pool, post=posted.append)
    scheduler.submit("a", FunctionJob(lambda task: 1), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert outcomes == []
    scheduler.submit("a", FunctionJob(lambda task: 2), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    for closure in posted:
        closure()
    assert [o.value for o in outcomes] == [2]  # the first was superseded before the event loop came round
    scheduler.shutdown()


def test_progress(pool, outcomes, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(module, "monotonic", lambda: clock[0])
    seen = []
    scheduler = Scheduler(pool, on_change=lambda: seen.append(scheduler.tasks()))

    def job(task):
        for step in range(1, 5):
            clock[0] += 2 * module.PROGRESS_INTERVAL
            task.progress(step / 4)

    scheduler.submit("a", FunctionJob(job), outcomes.append, title="a task")
    assert scheduler.wait_idle(WAIT)
    scheduler.shutdown()
    running = [t[0] for t in seen if t and t[0].running]
    assert {p.title for p in running} == {"a task"}
    assert [p.fraction for p in running if p.fraction > 0][:4] == [0.25, 0.5, 0.75, 1.0]


# --- with the engine --------------------------------------------------------------------------------------------------


def views(n_samples=1500, n_views=3):
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, (n_samples, 2))
    return MultiView([z + 0.2 * rng.standard_normal(z.shape) for _ in range(n_views)])


def test_superseded_eigensolve_stops_before_its_end(scheduler, outcomes):
    data = views()
    complete = Task()
    embed(data, epsilon=0.1, n_components=8, task=complete)
    tasks, begun, go_on = [], threading.Event(), threading.Event()

    def job(task):
        tasks.append(task)
        inner = task.checkpoint

        def checkpoint():
            if task.products == 5 and not begun.is_set():
                begun.set()
                assert go_on.wait(WAIT)
            inner()

        task.checkpoint = checkpoint
        return embed(data, epsilon=0.1, n_components=8, task=task)

    scheduler.submit("a", FunctionJob(job), outcomes.append)
    assert begun.wait(WAIT)
    scheduler.submit("a", FunctionJob(lambda task: "new"), outcomes.append)
    go_on.set()
    assert scheduler.wait_idle(WAIT)
    assert [o.value for o in outcomes] == ["new"]
    assert tasks[0].products == 5 < complete.products


def test_run_request():
    data = views(80)
    cache = StageCache()
    names = ("view1", "view3")
    request = Request(data, plan(get_method("multiview"), data, names, epsilon="median/4", params={"eta": 0.2}))
    result = run_request(request, cache, Task())
    expected = embed(data, "multiview", views=("view1", "view3"), epsilon="median/4", eta=0.2)
    np.testing.assert_array_equal(result.embedding.coordinates, expected.coordinates)
    assert result.request == request
    assert result.products > 0
    assert run_request(request, cache, Task()).products == 0
    assert request == Request(**{f: getattr(request, f) for f in request.__dataclass_fields__})
    assert len({request, request}) == 1


def test_run_scores():
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 3
    scores = run_scores(labels[:, None] + 0.01 * rng.standard_normal((60, 2)), labels, Task())
    assert scores.nmi.value == pytest.approx(1, abs=0.3)
    assert scores.nmi.spread is not None
    assert scores.knn.value == 1.0
    broken = np.full((60, 2), np.nan)
    assert 0 <= run_scores(broken, labels, Task()).knn.value <= 1
    stopped = Task()
    stopped.cancel()
    with pytest.raises(Cancelled):
        run_scores(broken, labels, stopped)


def test_scorable():
    assert scorable(np.array(["a", "b", "a", "b"]))
    assert not scorable(None)
    assert not scorable(np.array([1, 1, 1, 1]))
    assert not scorable(np.array([1, 2, 3, 4]))
    assert not scorable(np.array([0.5, 1.5, 0.5, 1.5]))


def test_run_bandwidth_summary():
    data = views(60)
    kernels = {0: GAUSSIAN, 1: GAUSSIAN}
    facts = RulesJob(data, kernels, 1, ("median", "std", "multiview")).run(StageCache(), Task())
    assert facts.rules["median"] == facts.median
    assert all(isinstance(v, float) for v in facts.rules.values())
    alone = RulesJob(data, {1: GAUSSIAN}, 1, ("multiview",)).run(StageCache(), Task())
    assert "compares two views" in alone.rules["multiview"]


# --- what cannot be stopped, and what breaks off ----------------------------------------------------------------------


@pytest.mark.parametrize("end", [SystemExit(3), KeyboardInterrupt()], ids=["exit", "interrupt"])
def test_a_job_that_would_end_the_program_is_told_as_a_fault(scheduler, outcomes, caplog, end):
    def job(task):
        raise end

    with caplog.at_level(logging.ERROR):
        scheduler.submit("a", FunctionJob(job), outcomes.append)
        assert scheduler.wait_idle(WAIT)
    (outcome,) = outcomes
    assert isinstance(outcome.error, ComputeError)
    assert type(end).__name__ in outcome.error.message
    assert "please report it" in outcome.error.hint
    for _ in range(8):  # more than there are workers: all of them are alive
        scheduler.submit("a", FunctionJob(lambda task: "next"), outcomes.append)
        assert scheduler.wait_idle(WAIT)
    assert outcomes[-1].value == "next"


def test_without_workers_ctrl_c_is_meant_for_the_program(outcomes):
    class Here(Executor):
        def submit(self, fn, /, *args, **kwargs):
            fn(*args, **kwargs)

    def job(task):
        raise KeyboardInterrupt

    scheduler = Scheduler(Here())
    with pytest.raises(KeyboardInterrupt):
        scheduler.submit("a", FunctionJob(job), outcomes.append)
    assert outcomes == []


def test_abandoned_work_holds_nothing_up(outcomes):
    """Every worker is inside a call that cannot be stopped: what comes next begins all the same."""
    scheduler = Scheduler(ThreadPoolExecutor(2), renew=lambda: ThreadPoolExecutor(2))
    stuck = [Gate("old", stubborn=True) for _ in range(2)]
    waiting = Gate("never")
    for slot, gate in zip("abc", (*stuck, waiting), strict=True):
        scheduler.submit(slot, gate, outcomes.append)
    assert all(gate.begun.wait(WAIT) for gate in stuck)
    scheduler.abandon()
    assert scheduler.tasks() == ()
    for slot in "abc":
        scheduler.submit(slot, FunctionJob(lambda task, slot=slot: f"new {slot}"), outcomes.append)
    assert scheduler.wait_idle(WAIT)
    assert sorted(o.value for o in outcomes) == ["new a", "new b", "new c"]
    assert not waiting.begun.is_set()
    for gate in stuck:
        gate.go_on.set()
    scheduler.shutdown(WAIT)
    assert len(outcomes) == 3


def test_shutdown_waits_for_abandoned_work_too():
    scheduler = Scheduler(ThreadPoolExecutor(1), renew=lambda: ThreadPoolExecutor(1))
    gate = Gate(stubborn=True)
    scheduler.submit("a", gate, lambda outcome: None)
    assert gate.begun.wait(WAIT)
    scheduler.abandon()
    scheduler.shutdown(0.05)
    assert scheduler._abandoned[0].running is not None
    gate.go_on.set()
    scheduler.shutdown(WAIT)
    assert scheduler._abandoned[0].running is None


@timed
def test_shutdown_waits_for_nothing_that_has_not_begun(outcomes, timed):
    class Idle(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return Future()

    scheduler = Scheduler(Idle())
    scheduler.submit("a", FunctionJob(lambda task: 1), outcomes.append)
    before = perf_counter()
    scheduler.shutdown(WAIT)
    assert not timed or perf_counter() - before < WAIT / 2


def test_the_task_list_shows_what_a_job_says(scheduler):
    class Saying(Gate):
        def run(self, cache, task):
            task.say("“a.csv” takes 5 GB as numbers.")
            return super().run(cache, task)

    job = Saying()
    scheduler.submit("open", job, lambda outcome: None, title="Opening")
    assert job.begun.wait(WAIT)
    assert [task.title for task in scheduler.tasks()] == ["“a.csv” takes 5 GB as numbers."]
    job.go_on.set()
