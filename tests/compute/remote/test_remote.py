"""Jobs on the processes of a cluster, on loopback: the answers of threads, data goes once."""

import os
import re
import signal
import socket
from contextlib import nullcontext
from dataclasses import replace
from threading import Event
from time import monotonic

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.compute.batch import null_testing, stability_testing
from mvexplorer.compute.batch.pass_jobs import on_workers
from mvexplorer.compute.batch.sweep_path import Resample, SweepPath
from mvexplorer.compute.jobs.request import Request
from mvexplorer.compute.remote.remote import Threads
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.compute.remote.remote_task import computed, name_of, packed, shared_versions
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.kernels.affinities import parse_kernel
from mvexplorer.engine.methods import get_method
from mvexplorer.engine.pipeline import three_passes
from mvexplorer.engine.pipeline.stages import Stages
from mvexplorer.engine.pipeline.three_passes import in_passes
from mvexplorer.errors import ComputeError, ParameterError
from mvexplorer.io.base import mapping

pytest.importorskip("distributed")
pytestmark = pytest.mark.serial

FACTORS = (0.5, 1.0, 2.0)


def two_views(n=60, width=4):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, width))
    return mvx.MultiView([X, X + rng.normal(size=X.shape)], labels=np.arange(n) % 3)


DATA = two_views()


def path(method="multiview", data=DATA, factors=FACTORS):
    """One method at several ε."""
    made = plan(get_method(method), data, epsilon="median", params={"n_components": 3})
    each = [replace(made, epsilon=tuple(replace(b, factor=f * b.factor) for b in made.epsilon)) for f in factors]
    return SweepPath(tuple(Request(data, one) for one in each), alone=True)


def all_jobs():
    """Two methods, on all samples and on two random parts."""
    return [job for one in map(path, ("kernel-sum", "multiview")) for job in (one, Resample(one, 1), Resample(one, 2))]


def answers(workers, jobs):
    """The answers by number, and the parts that came before."""
    found, parts = {}, []

    def came(number, answer):
        assert number not in found
        found[number] = answer

    handle = workers.run(jobs, came, lambda number, part: parts.append((number, *part)))
    assert handle.wait(60.0)
    assert handle.failed is None
    return found, parts


@pytest.fixture(scope="module")
def trap():
    """A place to which Dask's configuration would have it go."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module")
def cluster(trap):
    """Two processes, although Dask's configuration names a scheduler elsewhere, and programs to fetch and run."""
    import dask

    where = f"127.0.0.1:{trap.getsockname()[1]}"
    programs = {f"distributed.{who}.preload": [f"http://{where}/x.py"] for who in ("client", "scheduler", "worker")}
    with dask.config.set({"scheduler-address": f"tcp://{where}", **programs}), workers_at("local:2") as workers:
        workers.imported = imported(workers)
        yield workers


def imported(workers):
    """The modules of each worker that take long."""

    def modules():
        import sys

        return {name for name in sys.modules if name.partition(".")[0] in {"scipy", "sklearn", "pandas", "polars"}}

    return workers._client.run(modules)


@pytest.fixture(scope="module")
def here():
    """The answers of threads."""
    with Threads(2) as threads:
        return answers(threads, all_jobs())


def test_processes_give_the_answers_of_threads_to_the_last_bit(cluster, here):
    found, parts = answers(cluster, all_jobs())
    assert found == here[0]
    assert all(cell.start is None for cells in found.values() for cell in cells)
    assert sorted(parts) == sorted(here[1])
    assert {(number, place): cell for number, place, cell in parts} == {
        (number, place): cell for number, cells in found.items() for place, cell in enumerate(cells)
    }


def test_a_job_finds_everything_imported(cluster):
    """It would hear of a cancellation only seconds later."""
    answers(cluster, [path("kernel-sum", factors=(f,)) for f in FACTORS])
    for worker, modules in imported(cluster).items():
        assert modules == cluster.imported.get(worker, modules)


def test_drawn_answers_come_back_without_the_data(cluster):
    job = replace(path(factors=(1.0,)), drawn=True)
    ((there,),), ((here,),) = (answers(workers, [job])[0].values() for workers in (cluster, Threads(1)))
    assert there.result.request.data is DATA
    assert np.array_equal(there.result.embedding.coordinates, here.result.embedding.coordinates)


def same_test(one, other):
    assert one.as_list() == other.as_list()
    for a, b in zip(one.views, other.views, strict=True):
        assert (a.words, a.n) == (b.words, b.n)


@pytest.mark.parametrize(("method", "more"), [("multiview", {}), ("single", {"view": "view1", "views": ["view1"]})])
def test_a_null_test_is_the_same(cluster, monkeypatch, method, more):
    monkeypatch.setattr(null_testing, "workers_at", lambda where, **about: nullcontext(cluster))
    given, heard = {"n": 3, "score": "knn", "epsilon": "median", **more}, []
    if method == "single":
        del given["view"]
    here = mvx.null_test(DATA, method, **given)
    same_test(mvx.null_test(DATA, method, cluster="local:2", on_run=heard.append, **given), here)
    assert len(heard) == 3 * len(here.views)
    assert max(band.n for band in heard) == 3
    with pytest.raises(ParameterError, match="uses no view called “nine” here"):
        mvx.null_test(DATA, method, cluster="local:2", **{**given, "view": "nine"})


@pytest.mark.parametrize("kind", [{"n": 3}, {"n": 2, "noise": 0.1}, {"drop_views": True}])
def test_stability_is_the_same(cluster, monkeypatch, kind):
    monkeypatch.setattr(stability_testing, "workers_at", lambda where, **about: nullcontext(cluster))
    three = mvx.MultiView([*DATA.Xs, DATA.Xs[0] ** 2], labels=DATA.labels)
    here, there = (mvx.stability(three, "kernel-sum", cluster=at, **kind) for at in (None, "local:2"))
    assert (there.kind, there.number, there.score_name) == (here.kind, here.number, here.score_name)
    assert [ghost.title for ghost in there.ghosts] == [ghost.title for ghost in here.ghosts]
    assert np.array_equal(there.spread, here.spread, equal_nan=True)
    assert np.array_equal(there.scores, here.scores)


def slow_path(n=600, cells=30):
    """A path that takes seconds, of which a piece comes soon."""
    return path("multiview", two_views(n, 6), tuple(np.geomspace(0.3, 3.0, cells)))


def busy(cluster):
    return [worker for worker in cluster.where().workers if worker.running]


def wait_until(true, seconds=90.0):
    """Ask again and again."""
    pause, end = Event(), monotonic() + seconds
    while not true():
        assert monotonic() < end
        pause.wait(0.02)


def test_data_goes_once_and_distances_are_computed_once_per_worker_and_view(cluster):
    data = two_views(200, 500)
    jobs = [Resample(path(method, data), part) for method in ("kernel-sum", "multiview") for part in (1, 2)]
    assert all(len(packed(job)[0]) < data.Xs[0].nbytes / 20 for job in jobs)
    before = cluster._client.run(computed)
    answers(cluster, [*jobs, path("kernel-sum", data), path("multiview", data)])
    assert sum(name_of(data) == name for name in cluster._sent) == 1
    kernels = 0
    for address, after in cluster._client.run(computed).items():
        # Two views of all samples and of two random parts, by whichever method.
        assert after.get("distances", 0) - before[address].get("distances", 0) <= 2 * 3
        kernels += after.get("kernel", 0) - before[address].get("kernel", 0)
    assert kernels > len(before) * 2 * 3  # many more than distances, on however many of the workers


def test_workers_keep_the_latest_data_only(cluster):
    each = [two_views(20 + n) for n in range(5)]
    for data in each:
        answers(cluster, [path("kernel-sum", data, (1.0,))])
    assert [name_of(data) in cluster._sent for data in each] == [False, False, True, True, True]
    assert set(cluster._data) == set(cluster._sent)
    wait_until(lambda: all(len(keys) <= 3 for keys in cluster._client.has_what().values()))


def test_images_stay_here(cluster):
    data = DATA.replace(images=np.zeros((60, 4, 4), dtype=np.uint8))
    answers(cluster, [path("kernel-sum", data, (1.0,))])
    assert cluster._sent[name_of(data)].result().images is None


def test_each_process_has_one_blas_thread(cluster):
    def threads():
        from threadpoolctl import threadpool_info

        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    answers(cluster, [path("kernel-sum", factors=(f,)) for f in FACTORS])
    assert all(set(each) == {1} for each in cluster._client.run(threads).values())


def test_it_says_where_work_goes(cluster):
    there = cluster.where()
    assert (there.title, there.alive, len(there.workers)) == ("2 processes", True, 2)
    assert all(worker.threads == 1 and 0 < worker.memory < worker.limit for worker in there.workers)
    pieces = Event()
    handle = cluster.run([slow_path()], lambda *found: None, lambda *found: pieces.set())
    assert pieces.wait(60.0)
    assert [worker.running for worker in busy(cluster)] == [("Multi-view",)]
    handle.cancel()
    with Threads(3) as threads:
        assert [worker.threads for worker in threads.where().workers] == [3]


def test_a_killed_worker_costs_nothing_but_time(cluster, here):
    jobs, killed, seen = all_jobs(), [], {}

    def kill(number, piece):
        if not killed:
            pids = {worker.name: pid for worker, pid in zip(cluster.where().workers, pids_of(cluster), strict=True)}
            killed.append(pids[busy(cluster)[0].name])
            os.kill(killed[0], signal.SIGKILL)

    handle = cluster.run([slow_path(cells=6), *jobs], lambda n, found: seen.setdefault(n, []).append(found), kill)
    assert handle.wait(90.0)
    assert (handle.failed, handle.lost, len(killed)) == (None, "", 1)
    assert {n: len(found) for n, found in seen.items()} == dict.fromkeys(range(len(jobs) + 1), 1)
    assert len(seen[0][0]) == 6
    assert {n - 1: found[0] for n, found in seen.items() if n} == here[0]
    wait_until(lambda: len(cluster.where().workers) == 2)


def pids_of(cluster):
    return cluster._client.run(os.getpid).values()


@pytest.mark.nightly
def test_data_lost_with_all_its_workers_is_sent_again(cluster, here):
    answers(cluster, all_jobs()[:1])
    for pid in pids_of(cluster):
        os.kill(pid, signal.SIGKILL)
    found, _ = answers(cluster, all_jobs())
    assert found == here[0]
    wait_until(lambda: len(cluster.where().workers) == 2)


def cancelled(cluster):
    """Seconds from cancelling a run in the middle of a path until nothing runs; the pieces that came later."""
    begun, pieces = Event(), []

    def came(number, piece):
        pieces.append(piece)
        begun.set()

    handle = cluster.run([slow_path() for _ in range(4)], lambda *found: pieces.append(found), came)
    assert begun.wait(60.0)
    start, there = monotonic(), len(pieces)
    handle.cancel()
    assert handle.wait(20.0)
    wait_until(lambda: not busy(cluster))
    return monotonic() - start, pieces[there:]


def test_a_cancelled_run_ends_at_the_next_checkpoint(cluster):
    _, later = cancelled(cluster)
    assert len(later) <= 2  # of 120
    assert answers(cluster, [path()])[0]  # the workers are free for others


@pytest.mark.timing
def test_cancelling_takes_less_than_a_second_on_new_workers():
    """With a cluster of its own: tests of time run last, long after the module's cluster has gone."""
    with workers_at("local:1") as new:
        assert min(cancelled(new)[0] for _ in range(2)) < 1.0


def test_too_little_memory_is_told_before_anything_is_sent(cluster, monkeypatch):
    monkeypatch.setattr(cluster, "memory", 100_000)
    data = two_views(61)
    found, _ = answers(cluster, [path("multiview", data)])
    assert str(found[0]).startswith("Multi-view needs ")
    assert "on a worker: it does not fit. Give workers more memory, or keep fewer samples." in str(found[0])
    assert name_of(data) not in cluster._sent


@pytest.mark.parametrize(("module", "name"), [("mvexplorer.version", "mvexplorer"), ("numpy", "numpy")])
def test_other_versions_are_refused(cluster, monkeypatch, module, name):
    theirs = dict(shared_versions())[name]
    monkeypatch.setattr(f"{module}.__version__", "9.9")
    sentence = (
        f" has {name} {theirs} and this computer has 9.9: answers might differ. Install the same versions on all "
        "machines."
    )
    with pytest.raises(ComputeError, match=r"^The worker at tls://127\.0\.0\.1:\d+" + re.escape(sentence)):
        cluster._check()
    found, _ = answers(cluster, [path()])  # a worker may join later
    assert str(found[0]) == f"A worker{sentence}"


def test_a_failure_on_a_worker_is_told_as_on_a_thread(cluster):
    found, _ = answers(cluster, [replace(path(), hidden="no variable")])
    assert isinstance(found[0], ComputeError)
    assert str(found[0]).startswith("The computation failed: ")


def test_what_a_listener_raises_reaches_whoever_waits(cluster):
    def broken(number, found):
        raise ZeroDivisionError

    handle = cluster.run([path()], broken)
    assert handle.wait(60.0)
    assert isinstance(handle.failed, ZeroDivisionError)


def test_only_this_computer_is_listened_to_and_nobody_else_is_asked(cluster, trap):
    import psutil

    every = [psutil.Process(), *psutil.Process().children(recursive=True)]
    heard = [c for process in every for c in process.net_connections() if c.status == psutil.CONN_LISTEN]
    assert {c.laddr.ip for c in heard} == {"127.0.0.1"}
    with pytest.raises(BlockingIOError):
        trap.accept()


def test_passes_over_very_many_samples_find_the_digits_of_threads(cluster, monkeypatch):
    monkeypatch.setattr(three_passes, "SPAN", 20)
    kernels = [parse_kernel("landmarks-25")] * 2
    stages = Stages(DATA, (0, 1), (9.0, 18.0), {"n_components": 3, "alpha": 1.0}, kernels=kernels)
    form = get_method("multiview").landmark_form(stages)
    here, there = (in_passes(stages, form, carry) for carry in (None, on_workers(cluster, stages)))
    assert np.array_equal(there.eigenvalues, here.eigenvalues)
    assert all(np.array_equal(*blocks) for blocks in zip(there.blocks, here.blocks, strict=True))


@pytest.mark.nightly
def test_an_embedding_by_landmarks_has_the_coordinates_of_threads(cluster, tmp_path, monkeypatch, capsys):
    """The views stay in their files, which the processes open."""
    monkeypatch.setattr(mapping, "MAP_FROM", 0)
    names = [str(tmp_path / f"{name}.npy") for name in ("one", "two")]
    for name, X in zip(names, two_views(400).Xs, strict=True):
        np.save(name, X)
    monkeypatch.setattr(three_passes, "SPAN", 100)
    monkeypatch.setattr("mvexplorer.cli.computing.workers_of", lambda options: nullcontext(cluster))
    sent = set(cluster._sent)
    command = ["embed", *names, "--method", "multiview", "--set", "kernel=landmarks-30", "--set", "epsilon=9"]
    for out, more in (("here", []), ("there", ["--cluster", "local:2"])):
        assert main([*command, "--out", str(tmp_path / f"{out}.npz"), *more]) == 0
    here, there = (np.load(tmp_path / f"{out}.npz")["coordinates"] for out in ("here", "there"))
    assert np.array_equal(there, here)
    assert set(cluster._sent) != sent
    capsys.readouterr()
