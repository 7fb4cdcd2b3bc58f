"""The part of a job that runs on a worker in another process: without its data, which the process is sent once.

Everything that a worker calls is a function of this module: what travels is its name, never code.
"""

from __future__ import annotations

import io
import pickle
from collections import deque
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

from mvexplorer.compute.remote.remote import WorkerState
from mvexplorer.compute.remote.remote_files import DataInFiles, whole_data
from mvexplorer.compute.run.cache import DEFAULT_LIMIT, StageCache
from mvexplorer.compute.run.heap import keep_freed_memory
from mvexplorer.compute.run.ledger import Ledger
from mvexplorer.compute.run.scheduler import user_error
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import DEFAULT_MEMORY, Cancelled, Task
from mvexplorer.errors import ComputeError

Versions = tuple[tuple[str, str], ...]
"""The libraries whose versions have to be the same everywhere, with their versions."""


class _Packer(pickle.Pickler):
    """Leaves the data out, and collects it."""

    def __init__(self, file: io.BytesIO, data: dict[str, MultiView]) -> None:
        super().__init__(file, protocol=5)
        self._data = data

    def persistent_id(self, obj: Any) -> str | None:
        """The name under which the data is sent; None for all else."""
        if not isinstance(obj, MultiView):
            return None
        name = name_of(obj)
        self._data[name] = obj
        return name


class _Unpacker(pickle.Unpickler):
    def __init__(self, packed: bytes, data: Mapping[str, MultiView]) -> None:
        super().__init__(io.BytesIO(packed))
        self._data = data

    def persistent_load(self, name: Any) -> MultiView:
        """The data of this name, that has been sent."""
        return self._data[name]


def name_of(data: MultiView) -> str:
    """Changes exactly when anything does on which answers depend: numbers, treatment, labels, names of views."""
    views = ",".join(f"{name}={data.view_key(i)}" for i, name in enumerate(data.view_names))
    return f"data-{data.fingerprint}-{views}-{','.join(data.coordinates)}"


def packed(value: Any) -> tuple[bytes, dict[str, MultiView]]:
    """A job, or an answer, without its data; and the data by name."""
    file = io.BytesIO()
    data: dict[str, MultiView] = {}
    _Packer(file, data).dump(value)
    return file.getvalue(), data


def unpacked(value: bytes, data: Mapping[str, MultiView]) -> Any:
    """The job, or the answer, with its data."""
    return _Unpacker(value, data).load()


def shared_versions() -> Versions:
    """The versions that are the same on all machines, or answers might differ."""
    import numpy as np

    from mvexplorer.version import __version__

    return ("mvexplorer", __version__), ("numpy", np.__version__)


class _Here:
    """The state that this process keeps between jobs."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.cache: StageCache | None = None
        self.running: dict[Task, tuple[str, str]] = {}
        """The run and the title of each job."""
        self.stopped: deque[str] = deque(maxlen=256)
        """Runs that were cancelled: jobs of theirs that are still on their way begin no more."""


HERE = _Here()


def run_packed(
    run: str, number: int, title: str, job: bytes, data: Mapping[str, MultiView | DataInFiles], expected: Versions
) -> bytes | None:
    """The answer to a job, or the error meant for the user, as `packed`: what fails here is no fault of the cluster.

    `number` and `title` are those of the job in `run`, under whose name pieces of the answer are sent; `job` and `data`
    are as `packed` gives them, `expected` the versions of whoever asks.

    Notes
    -----
    Numbers stay in double precision, coordinates too, or answers would not be those of threads: they are few, since
    cells of a sweep have none, and a picture has two or three for each sample.
    """
    if (other := shared_versions()) != expected:
        return packed(unequal("A worker", other, expected))[0]
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")  # one per process, also where nobody saw to that when it was started
    make_ready()  # a worker that joined later is not
    from distributed import get_worker

    worker = get_worker()
    limit = _memory_of(worker)
    task = Task(memory=limit)
    task.hand_over = lambda piece: worker.log_event(run, (number, pickle.dumps(piece)))
    with HERE.lock:
        if HERE.cache is None:
            cache_part = 4  # cached stages take at most 1 / cache_part of a worker's memory
            HERE.cache = StageCache(min(DEFAULT_LIMIT, limit // cache_part), Ledger(limit))
        HERE.running[task] = run, title
    try:
        if run in HERE.stopped:
            return None  # nobody waits for the answer
        there = {name: whole_data(each) for name, each in data.items()}
        return packed(unpacked(job, there).run(HERE.cache, task))[0]
    except Cancelled:
        return None
    except Exception as problem:  # noqa: BLE001 - whoever asked is told
        return packed(user_error(problem))[0]
    finally:
        del HERE.running[task]


def dask_setup(server: Any) -> None:
    """Close the pages that Dask serves without encryption; it calls this as each scheduler and worker starts.

    They would tell all users of this computer the names of tasks and the addresses of workers.
    """
    server.http_server.stop()


@cache
def make_ready() -> None:
    """Import what jobs need: they hear of a cancellation at once, and of nothing while they import for seconds."""
    # imports of jobs; polars first, see `metrics`
    needed = "polars", "scipy.sparse.linalg", "sklearn.cluster", "sklearn.neighbors", "mvexplorer.engine.methods"
    for name in needed:
        import_module(name)
    keep_freed_memory()


def state_here(dask_worker: Any) -> WorkerState:
    """This worker, and what runs on it."""
    taken = int(dask_worker.monitor.recent()["memory"])
    titles = tuple(title for _, title in list(HERE.running.values()))
    return WorkerState(str(dask_worker.name), dask_worker.state.nthreads, taken, _memory_of(dask_worker), titles)


def _memory_of(worker: Any) -> int:
    return int(worker.memory_manager.memory_limit or DEFAULT_MEMORY)


def stop(run: str) -> None:
    """Have the jobs of a run end at their next checkpoint."""
    HERE.stopped.append(run)
    for task, (other, _) in list(HERE.running.items()):
        if other == run:
            task.cancel()


def computed() -> dict[str, int]:
    """The number of times that this process has computed each stage."""
    return {} if HERE.cache is None else dict(HERE.cache.made)


def unequal(who: str, other: Versions, expected: Versions) -> ComputeError:
    """Why a worker of other versions cannot be used."""
    theirs = dict(other)
    name, wanted = next((name, version) for name, version in expected if theirs.get(name) != version)
    return ComputeError(
        f"{who} has {name} {theirs.get(name, 'not at all')} and this computer has {wanted}: answers might differ.",
        "Install the same versions on all machines.",
    )
