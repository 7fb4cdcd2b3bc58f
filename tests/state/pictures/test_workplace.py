"""Sweeps, null tests and stability on chosen workers: the answers of this computer, and what is lost is done here."""

import pickle
from queue import SimpleQueue
from threading import Event

import numpy as np
import pytest
from doubles import do_until
from inline import circle_data, opened

from mvexplorer.compute.remote.remote import Handle, Where, Workers, WorkersGone, WorkerState
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.compute.run.scheduler import user_error
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import ComputeError
from mvexplorer.state.batches.checks import Checks
from mvexplorer.state.batches.multiples_run import SmallMultiples
from mvexplorer.state.batches.sweeper import Sweeper
from mvexplorer.state.document.model import Multiples
from mvexplorer.state.pictures import controller, workplace
from mvexplorer.state.pictures.controller import Controller

FACTORS = (0.5, 1.0, 2.0)
GONE = "The scheduler at tcp://far:8786 does not answer any more: the work goes on on this computer."


class Far(Workers):
    """Workers that get what survives pickle, and of which no more than so many jobs are had."""

    title, threads = "2 processes", 2

    def __init__(self, jobs=10**6):
        self.left, self.cache, self.titles = jobs, StageCache(), []
        self.closed, self.left_before_closing = False, []

    def begin(self, run, number, job):
        self.look()
        self.left -= 1
        job = pickle.loads(pickle.dumps(job))
        self.titles.append(job.title)
        task = Task()
        task.hand_over = lambda piece: run.arrived(number, piece)
        try:
            run.ended(self, number, job.run(self.cache, task))
        except Exception as problem:
            run.ended(self, number, user_error(problem))

    def look(self):
        if self.left <= 0:
            raise WorkersGone(GONE)

    def answer(self, run, number, ended):
        return ended

    def stop(self, run):
        pass

    def where(self):
        return Where(self.title, True, (WorkerState("one", 1, 1 << 20, 1 << 30, ("Multi-view",)),))

    def leave(self, run):
        self.left_before_closing.append(not self.closed)

    def close(self):
        self.closed = True


class Bench:
    """A document with its controller, a sweeper and checks; what workers post is done when somebody waits."""

    def __init__(self):
        self.mail = SimpleQueue()
        document = opened(circle_data(n_samples=60, n_views=2))
        self.controller = Controller(document, self.mail.put)
        self.document, self.workplace = document, self.controller.workplace
        self.sweeper, self.checks = Sweeper(self.controller, 2), Checks(self.controller)
        self.told = []
        self.workplace.lost.connect(self.told.append)
        document.reset(document.state, document.data.replace())
        self.wait(lambda: self.controller.idle)

    def wait(self, true):
        do_until(lambda: true() and self.mail.empty(), self.mail)

    def use(self, workers):
        self.workplace._take(workers, "far")
        return workers

    def points(self, resamples=1):
        self.sweeper.start(FACTORS, resamples=resamples)
        self.wait(lambda: not self.sweeper.running)
        assert self.sweeper.problems == {}
        return {(c.title, *key): points.each() for c in self.sweeper.curves for key, points in c.points.items()}

    def panel(self, method):
        return next(panel.id for panel in self.document.state.panels if panel.method == method)

    def checked(self, panel):
        self.checks.null_test(panel, None, 3)
        for kind in ("parts", "noise"):
            self.checks.stability(panel, kind, 3)
        self.wait(lambda: not self.checks.of(panel).running)
        found = self.checks.of(panel)
        assert found.problem == ""
        return found


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.controller.shutdown()


def assert_same_points(found, expected):
    assert found.keys() == expected.keys()
    for key, scores in expected.items():
        assert {id: s.value for id, s in found[key].items()} == pytest.approx(
            {id: s.value for id, s in scores.items()}, abs=1e-10
        ), key


def assert_same_checks(found, expected):
    for view, band in expected.null.items():
        assert found.null[view].real == pytest.approx(band.real, abs=1e-10)
        assert sorted(found.null[view].shuffled) == pytest.approx(sorted(band.shuffled), abs=1e-10)
    for kind, known in expected.stability.items():
        ghosts = {ghost.title: ghost for ghost in found.stability[kind].ghosts}
        assert ghosts.keys() == {ghost.title for ghost in known.ghosts}
        for ghost in known.ghosts:
            assert np.allclose(ghosts[ghost.title].coordinates, ghost.coordinates, atol=1e-10, equal_nan=True)
        assert found.stability[kind].number == pytest.approx(known.number, abs=1e-10)
        assert found.stability[kind].score_name == known.score_name


def test_a_sweep_finds_there_what_it_finds_here(bench):
    here = bench.points()
    far = bench.use(Far())
    titles = []
    bench.controller.tasks_changed.connect(lambda: titles.extend(t.title for t in bench.controller.tasks()))
    assert_same_points(bench.points(), here)
    assert len(far.titles) == 2 * len(bench.sweeper.curves)  # whole paths, of all samples and of a random part
    assert "Sweep on 2 processes: 1 of" in " ".join(titles)
    assert bench.controller.tasks() == ()


@pytest.mark.parametrize("jobs", [pytest.param(0, marks=pytest.mark.nightly), 3])
def test_a_sweep_goes_on_here_where_its_workers_are_lost(bench, jobs):
    here = bench.points()
    far = bench.use(Far(jobs))
    arrived = []
    bench.sweeper.changed.connect(lambda: arrived.append(bench.sweeper.done))
    assert_same_points(bench.points(), here)
    assert bench.told == [GONE]
    assert (bench.workplace.workers, bench.workplace.problem, bench.sweeper.done) == (None, GONE, bench.sweeper.total)
    assert sorted(set(arrived)) == list(range(bench.sweeper.total + 1))
    bench.wait(lambda: bench.controller.idle)
    assert far.closed


@pytest.mark.parametrize("jobs", [10**6, 4])
def test_null_tests_and_stability_find_there_what_they_find_here(bench, jobs):
    panel, other = bench.panel("multiview"), bench.panel("single")
    here = bench.checked(panel), bench.checked(other)
    bench.checks._series.clear()
    far = bench.use(Far(jobs))
    assert_same_checks(bench.checked(panel), here[0])
    assert_same_checks(bench.checked(other), here[1])
    assert far.titles[0] == "Permutation test: Multi-view"
    assert bench.told == ([] if jobs > 4 else [GONE])


@pytest.mark.parametrize("jobs", [10**6, 4])
def test_small_multiples_are_made_there_as_they_are_here(bench, jobs):
    def pictures():
        made = SmallMultiples(bench.controller, 2)
        chosen = Multiples(columns="eta", column_values=(0.0, 0.2, 0.4))
        made.ask(bench.document.state.model_copy(update={"multiples": chosen}), agreed=True)
        bench.wait(lambda: not made.running)
        assert made.missing == 0
        return [(panel.method, found) for panel, found in made.each()]

    here, far = pictures(), bench.use(Far(jobs))
    for (method, mine), (other, theirs) in zip(pictures(), here, strict=True):
        assert method == other
        np.testing.assert_allclose(mine.drawing.points, theirs.drawing.points, atol=1e-6)
    assert bench.told == ([] if jobs > 4 else [GONE])
    assert len(far.titles) == (min(jobs, len({id(found.result) for _, found in here})))


def test_runs_asked_for_are_sent_once_and_a_fault_is_told(bench):
    far, panel = bench.use(Far()), bench.panel("multiview")
    bench.checked(panel)
    count = len(far.titles)
    bench.checks.null_test(panel, None, 3)
    assert (len(far.titles), bench.checks.of(panel).running) == (count, False)
    far.begin = lambda run, number, job: run.ended(far, number, ComputeError("It does not fit."))
    bench.checks.null_test(panel, None, 5)
    bench.wait(lambda: not bench.checks.of(panel).running)
    assert bench.checks.of(panel).problem == "It does not fit."
    assert bench.controller.tasks() == ()


def test_what_runs_there_is_stopped_by_its_row(bench):
    far, panel = bench.use(Far()), bench.panel("multiview")
    far.begin = lambda run, number, job: None
    bench.sweeper.start(FACTORS)
    bench.checks.null_test(panel)
    titles = {task.title: task.slot for task in bench.controller.tasks()}
    assert len(titles) == 2
    for slot in titles.values():
        bench.controller.cancel(slot)
    assert not bench.sweeper.running
    assert not bench.checks.of(panel).running
    assert bench.controller.tasks() == ()


@pytest.mark.nightly
def test_going_back_to_this_computer_leaves_nothing_behind(bench):
    here = bench.points()
    far = bench.use(Far())
    far.begin = lambda run, number, job: None
    bench.sweeper.start(FACTORS, resamples=1)
    bench.workplace.choose("")
    bench.wait(lambda: not bench.sweeper.running)
    found = {(c.title, *key): points.each() for c in bench.sweeper.curves for key, points in c.points.items()}
    assert_same_points(found, here)
    assert bench.told == []


def test_closing_waits_for_runs_to_leave_their_workers(bench, monkeypatch):
    monkeypatch.setattr(workplace, "ENDING", 60.0)  # a loaded machine takes its time
    monkeypatch.setattr(controller, "CLOSING", 60.0)
    far = bench.use(Far())
    far.begin = lambda run, number, job: None
    leave = far.leave

    def leave_slowly(run):
        Event().wait(0.3)
        leave(run)

    far.leave = leave_slowly
    bench.sweeper.start(FACTORS)
    bench.controller.shutdown()
    assert (far.closed, far.left_before_closing) == (True, [True])


@pytest.mark.parametrize(
    "moment", ["before it starts", "as it begins", "with answers on their way", "once it has ended"]
)
def test_closing_at_each_step_of_a_runs_life(bench, monkeypatch, moment):
    """Nothing more is taken, and the workers are let go; the run is at hand from before it starts."""
    monkeypatch.setattr(workplace, "ENDING", 0.2)
    monkeypatch.setattr(controller, "CLOSING", 60.0)  # a loaded machine takes its time
    far, begun, go_on = bench.use(Far()), Event(), Event()
    if moment == "before it starts":
        start = Handle.start
        monkeypatch.setattr(Handle, "start", lambda handle: (bench.controller.shutdown(), start(handle)))
    if moment == "as it begins":
        far.begin = lambda run, number, job: (begun.set(), go_on.wait(60))
    bench.sweeper.start(FACTORS)
    if moment == "as it begins":
        assert begun.wait(60)
        go_on.set()
    handles = list(bench.workplace._handles)
    if moment == "with answers on their way":
        do_until(lambda: not bench.mail.empty(), SimpleQueue())
    if moment == "once it has ended":
        assert handles[0].wait(60)
    bench.controller.shutdown()
    done = bench.sweeper.done
    assert all(handle.wait(60) for handle in handles)
    while not bench.mail.empty():
        bench.mail.get()()
    assert (bench.sweeper.done, bench.workplace.tasks(), far.closed) == (done, (), True)


def test_other_data_stops_what_runs_there(bench):
    far, panel = bench.use(Far()), bench.panel("multiview")
    far.begin = lambda run, number, job: None
    bench.sweeper.start(FACTORS)
    bench.checks.null_test(panel)
    bench.document.reset(bench.document.state, circle_data(n_samples=50))
    assert bench.workplace.idle
    assert bench.workplace.workers is far


@pytest.mark.nightly
def test_a_fault_in_sending_is_told_and_the_work_is_done_here(bench):
    here = bench.points()
    far = bench.use(Far())

    def fail(run, number, job):
        raise ValueError("no way")

    far.begin = fail
    assert_same_points(bench.points(), here)
    assert bench.workplace.problem.startswith("The computation failed: no way.")
