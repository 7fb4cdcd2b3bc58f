"""A scheduler and workers that were started by hand, in processes of their own, and what may be wrong with them."""

import csv
import os
import re
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np
import pytest
from timed import timed

import mvexplorer as mvx
from mvexplorer.cli import main
from mvexplorer.compute.remote import remote_dask
from mvexplorer.compute.remote.remote_dask import workers_at
from mvexplorer.errors import ComputeError
from mvexplorer.state.batches.grid_sweep import GridSweep

pytest.importorskip("distributed")
pytestmark = pytest.mark.serial

ROOT = Path(__file__).resolve().parents[3]


@contextmanager
def process(program, *arguments, path=ROOT):
    """One of Dask's programs."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *map(str, arguments), "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(path)}
    started = subprocess.Popen(command, cwd=path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@contextmanager
def started(folder, *more):
    """A scheduler on loopback, at a port that is free."""
    file = folder / "scheduler.json"
    place = "--host", "tls://127.0.0.1" if more else "127.0.0.1", "--port", 0, "--scheduler-file", file
    with process("scheduler", *place, *more) as scheduler:
        end, pause = monotonic() + 60.0, Event()
        while not (file.exists() and file.read_text().strip().endswith("}")):
            assert monotonic() < end
            pause.wait(0.05)
        yield scheduler, file


@contextmanager
def worker(file, *more, path=ROOT):
    with process("worker", "--scheduler-file", file, "--nthreads", 1, "--no-nanny", *more, path=path) as one:
        yield one


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The file of a scheduler without workers."""
    with started(tmp_path_factory.mktemp("scheduler")) as (_, file):
        yield file


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))


@pytest.mark.nightly
def test_the_command_line_uses_a_scheduler_file(file, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["sweep", "circles", "--method", "multiview,jade", "--grid", "eta=0:1:3"]
    with worker(file):
        assert main([*command, "--out", "there.csv", "--cluster", str(file)]) == 0
    assert main([*command, "--out", "here.csv"]) == 0
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert capsys.readouterr().err == "there.csv: 6 rows, 11 columns\nhere.csv: 6 rows, 11 columns\n"


def test_a_scheduler_without_workers(file, monkeypatch):
    monkeypatch.setattr(remote_dask, "PATIENCE", 0.5)
    with pytest.raises(ComputeError, match=r"^tcp://127\.0\.0\.1:\d+ has no workers\. Start some by “dask worker"):
        workers_at(str(file))


def test_a_worker_without_this_program(file, tmp_path):
    (tmp_path / "mvexplorer").mkdir()
    (tmp_path / "mvexplorer" / "__init__.py").touch()
    sentence = "does not know this mvexplorer. Install the same version of mvexplorer on all machines."
    with worker(file, path=tmp_path), pytest.raises(ComputeError, match=rf"^The worker at tcp://\S+ {sentence}"):
        workers_at(str(file))


@pytest.mark.parametrize(
    ("address", "sentence"),
    [("tcp://127.0.0.1:1", "No Dask scheduler answers at tcp://127.0.0.1:1. Start one by “dask scheduler”"),
     ("tls://127.0.0.1:1", "tls://127.0.0.1:1 needs certificates, and Dask's configuration names none. They are")],
)  # fmt: skip
def test_nobody_answers(monkeypatch, address, sentence):
    monkeypatch.setattr(remote_dask, "PATIENCE", 0.5)
    with pytest.raises(ComputeError, match=re.escape(sentence)):
        workers_at(address)


def certificates(folder):
    """A new certificate in files: arguments for Dask's programs, and the same as a client's configuration."""
    from distributed.security import Security

    made = Security.temporary()
    files = {"ca-file": made.tls_ca_file, "cert": made.tls_client_cert, "key": made.tls_client_key}
    for name, text in files.items():
        (folder / name).write_text(text)
    arguments = [each for name in files for each in (f"--tls-{name}", folder / name)]
    where = {name: str(folder / name) for name in files}
    return arguments, {f"distributed.comm.tls.{'' if name == 'ca-file' else 'client.'}{name}": path
                       for name, path in where.items()}  # fmt: skip


@pytest.mark.nightly
def test_a_scheduler_with_certificates(tmp_path, monkeypatch, capsys):
    import dask

    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours").mkdir()
    (tmp_path / "others").mkdir()
    (arguments, ours), (_, others) = certificates(tmp_path / "ours"), certificates(tmp_path / "others")
    command = ["sweep", "circles", "--method", "kernel-sum", "--grid", "t=1:2:2", "--out", "there.csv"]
    with started(tmp_path, *arguments) as (_, file), worker(file, *arguments):
        with dask.config.set(ours):
            assert main([*command, "--cluster", str(file)]) == 0
        with dask.config.set(others), pytest.raises(ComputeError, match="do not accept each other's certificates"):
            workers_at(str(file))
    assert capsys.readouterr().err == "there.csv: 2 rows, 11 columns\n"


@timed
@pytest.mark.parametrize(
    ("address", "settings", "sentence"),
    [("tls://127.0.0.1:1", {"tls.ca-file": "/no/file", "tls.client.cert": "/no/file"},
      "The certificates that Dask's configuration names cannot be used: [Errno 2] No such file or directory. They are"),
     ("tcp://127.0.0.1:1", {"require-encryption": True},
      "Dask's configuration refuses tcp://127.0.0.1:1, which is not encrypted. Use tls://.")],
)  # fmt: skip
def test_certificates_that_lead_nowhere_are_told_at_once(address, settings, sentence, timed):
    import dask

    begun = monotonic()
    with (
        dask.config.set({f"distributed.comm.{name}": value for name, value in settings.items()}),
        pytest.raises(ComputeError, match="^" + re.escape(sentence)),
    ):
        workers_at(address)
    assert not timed or monotonic() - begun < remote_dask.PATIENCE


@timed
def test_work_goes_on_here_when_the_scheduler_is_gone(tmp_path, monkeypatch, capsys, timed):
    monkeypatch.chdir(tmp_path)
    killed, arrived = [], GridSweep._arrived
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 5))
    np.savez("data.npz", one=X, two=X + rng.normal(size=X.shape), labels=np.arange(150) % 3)
    command = ["sweep", "data.npz", "--method", "multiview", "--grid", "epsilon_scale=0.5:2:6:log", "--score", "knn"]

    def kill(self, number, piece):
        if not killed:
            scheduler.kill()
            killed.append(monotonic())
        arrived(self, number, piece)

    with started(tmp_path) as (scheduler, file), worker(file), monkeypatch.context() as patch:
        patch.setattr(GridSweep, "_arrived", kill)
        said = []
        patch.setattr("mvexplorer.cli.sweeping.note", lambda text: said.append((monotonic(), text)))
        assert main([*command, "--out", "there.csv", "--cluster", str(file)]) == 0
    assert [re.sub(r":\d+ ", ":0 ", text) for _, text in said] == [
        "The scheduler at tcp://127.0.0.1:0 does not answer any more: the work goes on on this computer."
    ]
    assert not timed or said[0][0] - killed[0] < 5.0
    assert main([*command, "--out", "here.csv"]) == 0
    there, here = (list(csv.reader(Path(name).read_text().splitlines())) for name in ("there.csv", "here.csv"))
    assert there == here
    capsys.readouterr()


def test_a_script_is_told_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr(remote_dask, "PATIENCE", 0.5)
    data = mvx.MultiView([np.eye(6), np.eye(6)[::-1]], labels=list("ababab"))
    with pytest.raises(ComputeError, match="No Dask scheduler answers at tcp://"):
        mvx.sweep(data, "multiview", {"eta": [0.0]}, cluster="tcp://127.0.0.1:1")


@pytest.mark.nightly
def test_a_script_without_a_guard_is_told_what_to_add(tmp_path):
    script = tmp_path / "script.py"
    call = 'mvx.sweep(mvx.load("circles"), "multiview", {"eta": [0.0]}, cluster="local:1")'
    script.write_text(f"import mvexplorer as mvx\n{call}\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 1
    assert ended.stderr.count("Traceback") == 1
    assert "call this below a line if __name__ == '__main__':, since processes read" in ended.stderr.splitlines()[-1]
