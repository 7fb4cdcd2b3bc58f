"""Jobs are data: what comes back from pickle gives the same numbers, with a cache of its own."""

import pickle
from dataclasses import FrozenInstanceError

import pickles
import pytest

from mvexplorer.compute.batch.sweep_path import SweepPath
from mvexplorer.compute.jobs.jobs import EmbedJob
from mvexplorer.compute.jobs.runner import Result
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import SessionError

FILES = {
    "KeepPictureJob",
    "NumbersJob",
    "OpenSessionJob",
    "PaperBundleJob",
    "SaveSessionJob",
    "WriteFramesJob",
    "WriteJob",
}


def run(job):
    return job.run(StageCache(), Task())


def numbers(found):
    """What is computed, without the seconds that it took."""
    return found.embedding.coordinates if isinstance(found, Result) else found


@pytest.mark.parametrize("name", sorted(set(pickles.JOBS) - FILES))
def test_a_copy_gives_the_same_numbers(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one of them writes a file
    job = pickles.JOBS[name]()
    copy = pickle.loads(pickle.dumps(job))
    assert pickles.same(numbers(run(copy)), numbers(run(job)))


def test_a_session_saved_by_a_copy_is_opened_by_a_copy(tmp_path):
    path = tmp_path / "a.mvx.json"
    save, load = pickles.save_job(path), pickles.OpenSessionJob(path)
    written = run(pickle.loads(pickle.dumps(save)))
    version, opened = run(pickle.loads(pickle.dumps(load)))
    assert version == written
    assert opened.state.params == save.state.params
    assert opened.data.fingerprint == save.data.fingerprint
    with pytest.raises(SessionError):
        run(pickles.OpenSessionJob(tmp_path / "none.mvx.json"))


@pytest.mark.parametrize(("make", "name"), [(pickles.page_job, "a.html"), (pickles.script_job, "a.py")])
def test_a_copy_writes_the_same_file(tmp_path, make, name):
    job = make(tmp_path / name)
    first = run(job).read_bytes()
    assert run(pickle.loads(pickle.dumps(job))).read_bytes() == first


def test_a_film_written_by_a_copy_is_the_same(tmp_path):
    job = pickles.frames_job(tmp_path / "a.gif")
    run(job)
    first = (tmp_path / "a.gif").read_bytes()
    run(pickle.loads(pickle.dumps(job)))
    assert (tmp_path / "a.gif").read_bytes() == first


def test_a_picture_of_work_painted_by_a_copy_is_the_same(tmp_path):
    job = pickles.picture_job(tmp_path / "a.mvx.json")
    written = []
    for each in (job, pickle.loads(pickle.dumps(job))):
        run(each)
        written.append((tmp_path / "a.mvx.png").read_bytes())
    assert written[0] == written[1]


def test_a_sweep_scores_what_embedding_gives():
    (found,) = run(SweepPath((pickles.request(),)))
    embedding = run(EmbedJob(pickles.request())).embedding
    assert found.scores == run(pickles.jobs.ScoreJob(embedding, pickles.data().labels))


def test_nobody_changes_a_job():
    for make in pickles.JOBS.values():
        with pytest.raises(FrozenInstanceError):
            make().anything = None


def test_every_kind_has_an_example():
    assert sorted(pickles.JOBS) == pickles.job_classes()
    assert [type(make()).__name__ for make in pickles.JOBS.values()] == list(pickles.JOBS)


def test_numbers_are_written_by_a_copy(tmp_path):
    job = pickle.loads(pickle.dumps(pickles.numbers_job(tmp_path / "a.csv")))
    assert sorted(run(job)) == sorted(job.paths()) == sorted(tmp_path.iterdir())
