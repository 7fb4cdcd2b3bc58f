"""The workers of a Dask cluster: processes that are started here, or a scheduler that runs already.

Nothing in the environment, in Dask's own files or in a session makes a connection: an address is given, or there is
none. Certificates of tls:// addresses are those of Dask's configuration.
"""

from __future__ import annotations

import logging
import os
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import current_process
from ssl import SSLError
from time import monotonic
from typing import TYPE_CHECKING, Any

from mvexplorer.compute.remote.remote import AGAIN, Handle, Threads, Where, Workers, WorkersGone, WorkerState
from mvexplorer.compute.remote.remote_address import Address, allow, parse_address
from mvexplorer.compute.remote.remote_files import without_maps
from mvexplorer.compute.remote.remote_task import (
    dask_setup,
    make_ready,
    packed,
    run_packed,
    shared_versions,
    state_here,
    stop,
    unequal,
    unpacked,
)
from mvexplorer.compute.run.scheduler import Job, user_error
from mvexplorer.engine.api.cost import Estimate
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ComputeError, MVExplorerError, ParameterError
from mvexplorer.version import with_extra
from mvexplorer.wording import counted

if TYPE_CHECKING:
    from distributed import Client, Future

PATIENCE = 10.0
"""Seconds in which a scheduler has to answer at first."""
REPLY, MISSED = 1.2, 2
"""Seconds in which it has to answer later, and how often it may not before it counts as gone."""
TRIES = 4
"""Times that a job begins before it is given up; so often Dask tries by itself as well."""
CERTIFICATES = "They are named in ~/.config/dask/distributed.yaml: ca-file, and cert and key below client."
SETTINGS: dict[str, Any] = {
    # Dask's configuration brings about no connections, and no programs that are fetched and run.
    "scheduler-address": None,
    "distributed.client.security-loader": None,
    **{f"distributed.{who}.preload": [] for who in ("client", "scheduler", "worker", "nanny")},
    # Processes that are started here do not look at what they do a hundred times a second: that is 6 % of their time.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.worker.memory.monitor-interval": "1s",
    # Until `dask_setup` ends them, the pages of processes that are started here tell nothing.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Processes that are started here, also in place of lost ones, do not search the working folder for modules.
    "distributed.nanny.pre-spawn-environ.PYTHONSAFEPATH": "1",
}


class DaskWorkers(Workers):
    """Workers of a Dask cluster: processes to start on this computer, or those of a scheduler to connect to."""

    ahead = 2

    def __init__(self, address: Address) -> None:
        self.title = address.title
        self._sent: dict[str, Future] = {}
        self._data: dict[str, MultiView] = {}
        """The data that was sent: answers come back without it."""
        self._futures: dict[str, dict[int, Future]] = {}
        """Those of each run, by the job's number."""
        self._tries: dict[str, Counter[int]] = {}
        self._missed, self._missed_at, self._seen = 0, 0.0, monotonic()
        self._open = ExitStack()
        try:
            self._client = self._open.enter_context(_connected(address))
            self._check()
        except BaseException:
            self._open.close()
            raise

    def _check(self) -> None:
        """Refuse workers of other versions, and have the others import what they need."""
        for address, other in self._client.run(shared_versions, on_error="return").items():
            if not isinstance(other, tuple):
                raise ComputeError(
                    f"The worker at {address} does not know this mvexplorer.",
                    "Install the same version of mvexplorer on all machines.",
                )
            if other != shared_versions():
                raise unequal(f"The worker at {address}", other, shared_versions())
        self._client.run(make_ready)
        states = self._client.run(state_here)
        self.memory = min(state.limit for state in states.values())
        self.threads = sum(state.threads for state in states.values())
        self._set_addresses(states)

    def _set_addresses(self, addresses: Iterable[str]) -> None:
        self._addresses = sorted(addresses)
        self.processes = len(self._addresses)

    def begin(self, run: Handle, number: int, job: Job) -> None:
        """Submit it, with the data if it is not there yet."""
        need = job.cost(self.memory)
        if need.bytes > self.memory:
            run.ended(self, number, _too_large(job, need, self.memory))
            return
        try:
            self._submit(run, number, job)
        except ComputeError as refused:
            run.ended(self, number, refused)

    def _submit(self, run: Handle, number: int, job: Job) -> None:
        body, data = packed(job)
        with _or_gone(self.title):
            if run.id not in self._futures:
                self._client.subscribe_topic(run.id, lambda event: run.arrived(*_piece_of(event)))
                self._futures[run.id], self._tries[run.id] = {}, Counter()
            self._tries[run.id][number] += 1
            there = {name: self._send(name, each) for name, each in data.items()}
            key = f"{type(job).__name__}-{run.id}-{number}-{self._tries[run.id][number]}"
            addresses = self._addresses  # another run may hear of others meanwhile
            at = None if job.home is None else addresses[job.home % len(addresses)]
            future = self._client.submit(
                run_packed, run.id, number, job.title, body, there, shared_versions(), key=key, pure=False,
                workers=at, allow_other_workers=at is not None,
            )  # fmt: skip
        self._futures[run.id][number] = future
        future.add_done_callback(lambda ended: run.ended(self, number, ended))

    def _send(self, name: str, data: MultiView) -> Future:
        """The data on the workers; it is sent once, and again only where the workers that had it are gone."""
        self._data[name], future = data, self._sent.get(name)
        if future is None or future.status in ("cancelled", "lost", "error"):
            slim = without_maps(data.replace(images=None), self.memory // 2)  # no job computes with pictures
            future = self._sent[name] = self._client.scatter(slim, broadcast=True, hash=False)
        return future

    def answer(self, run: Handle, number: int, ended: Any) -> Any:
        """Fetch it. A job whose worker was lost has begun elsewhere by itself, unless its data was lost as well."""
        from distributed import KilledWorker

        if isinstance(ended, MVExplorerError):
            return ended
        with _or_gone(self.title):
            if ended.status == "finished":
                reply = ended.result(timeout=PATIENCE)
                self._futures[run.id].pop(number, None)  # its worker need not keep it
                return unpacked(reply, self._data)
            problem = ended.exception(timeout=PATIENCE) if ended.status == "error" else None
        if problem is None and self._tries[run.id][number] < TRIES:
            self.look()
            return AGAIN
        return _killed() if problem is None or isinstance(problem, KilledWorker) else user_error(problem)

    def stop(self, run: Handle) -> None:
        """Take back what waits, and flag what runs: Python that runs is not stopped by taking it back."""
        with suppress(WorkersGone), _or_gone(self.title):
            self._client.run(stop, run.id, on_error="ignore")
            self._client.cancel(list(self._futures.get(run.id, {}).values()), force=True)

    def leave(self, run: Handle) -> None:
        """Hear no more of the run, and let go of its answers."""
        if self._futures.pop(run.id, None) is not None:
            del self._tries[run.id]
            with suppress(WorkersGone), _or_gone(self.title):
                self._client.unsubscribe_topic(run.id)
        kept = 3  # a window that changes the data again and again would fill the workers
        while not self._futures and len(self._sent) > kept:
            oldest = next(iter(self._sent))
            del self._sent[oldest], self._data[oldest]

    def look(self) -> None:
        """Ask the scheduler for its workers: it may be gone without a word."""
        if self._client.status != "running":
            raise WorkersGone(_gone(self.title))
        try:
            threads = self._client.sync(self._client.scheduler.ncores, callback_timeout=REPLY)
        except Exception as problem:
            now = monotonic()
            if now - self._missed_at >= REPLY / 2:  # several runs ask at the same time: that is one silence
                self._missed, self._missed_at = self._missed + 1, now
            if self._missed >= MISSED:
                raise WorkersGone(_gone(self.title)) from problem
            return
        self._missed = 0
        alone = 30.0  # seconds in which a worker may start again, after which work goes on here
        if threads:
            self._seen = monotonic()
            self._set_addresses(threads)
        elif monotonic() - self._seen > alone:
            raise WorkersGone(f"{self.title} has no workers any more: the work goes on on this computer.")
        self.threads = max(1, sum(threads.values()))

    def where(self) -> Where:
        """The workers as they tell of themselves."""
        states: dict[str, WorkerState] = {}
        with suppress(WorkersGone), _or_gone(self.title):
            self.look()
            states = self._client.run(state_here, on_error="ignore")
        return Where(self.title, bool(states), tuple(states.values()))

    def close(self) -> None:
        """Let go of the cluster; processes started here end."""
        self._open.close()


def workers_at(where: str | None = None, *, n_jobs: int | None = None, allow_plain_tcp: bool = False) -> Workers:
    """The workers that a user names; DataError, ParameterError or ComputeError where they cannot or must not be used.

    `where` is ``local:4`` for processes on this computer, the address of a scheduler, or its file; None stands for
    threads, of which `n_jobs` is the number. `allow_plain_tcp` allows an address that is neither encrypted nor on this
    computer.
    """
    if n_jobs is not None and n_jobs != -1 and n_jobs < 1:
        raise ParameterError(
            f"{n_jobs} cells cannot be computed at a time.", "Give at least 1, or -1 for all processors."
        )
    if where is None:
        return Threads(n_jobs if n_jobs != -1 else None)
    address = parse_address(where)
    allow(address, allow_plain_tcp)
    return DaskWorkers(address)


@contextmanager
def _connected(address: Address) -> Iterator[Client]:
    """A client of the scheduler; of one that is started here, if the address says so."""
    try:
        import dask
        from distributed import Client, LocalCluster
        from distributed.utils import silence_logging_cmgr
    except ImportError:
        raise ComputeError(
            "Other processes and machines need the library distributed, which is not installed.",
            f"Install it: python -m pip install '{with_extra('cluster')}'",
        ) from None
    usual = {"set_as_default": False, "direct_to_workers": False, "heartbeat_interval": "1s", "name": "mvexplorer"}
    with ExitStack() as opened:
        opened.enter_context(dask.config.set(SETTINGS))
        opened.enter_context(silence_logging_cmgr(logging.CRITICAL))
        there: Any = address.url
        if address.url:
            _check_certificates(address)
        if address.processes:
            with _starting(), _environment_of_workers():
                there = opened.enter_context(LocalCluster(**_local(address.processes)))
        with _reaching(address):
            client = opened.enter_context(Client(there, timeout=PATIENCE, **usual))
            client.wait_for_workers(1, timeout=PATIENCE)
        yield client


def _local(processes: int) -> dict[str, Any]:
    """The settings of processes on this computer: heard by nobody else, not even by its other users."""
    from distributed.security import Security

    return {
        "n_workers": processes,
        "threads_per_worker": 1,
        "processes": True,
        "host": "127.0.0.1",
        "protocol": "tls://",
        "security": Security.temporary(),
        "silence_logs": logging.CRITICAL,
        # Dask's usual port may be another cluster's, of which it would warn.
        "dashboard_address": "127.0.0.1:0",
        "scheduler_kwargs": {"dashboard": False, "preload": [dask_setup.__module__]},
        "preload": [dask_setup.__module__],
    }


@contextmanager
def _starting() -> Iterator[None]:
    """Say in a sentence why processes cannot be started."""
    # A new process reads the script that started it, and may come to this very call.
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(1)
    try:
        yield
    except (RuntimeError, OSError) as problem:
        raise ComputeError(
            f"The processes could not be started: {problem.__cause__ or problem}.",
            "In a script, call this below a line if __name__ == '__main__':, since processes read the script again.",
        ) from None


@contextmanager
def _environment_of_workers() -> Iterator[None]:
    """Start children, also Python's own, without the working folder on their path; take back what is set for them."""
    before = dict(os.environ)
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _reaching(address: Address) -> Iterator[None]:
    """Say in a sentence why a scheduler cannot be used."""
    start = "Start one by “dask scheduler”, with workers by “dask worker”, or check address and firewall."
    try:
        yield
    except TimeoutError:
        raise ComputeError(f"{address.title} has no workers.", "Start some by “dask worker ADDRESS”.") from None
    except OSError as problem:
        if isinstance(problem.__cause__, PermissionError):
            raise ComputeError(f"{address.title} may not be used: {problem}.", start) from None
        if isinstance(problem.__cause__, SSLError):
            raise ComputeError(
                f"The scheduler at {address.title} and this computer do not accept each other's certificates.",
                f"Use those of the same ca-file on both. {CERTIFICATES}",
            ) from None
        raise ComputeError(f"No Dask scheduler answers at {address.title}.", start) from None


def _check_certificates(address: Address) -> None:
    """ComputeError where Dask's configuration lets no connection come about; a client would wait for it in vain."""
    from distributed.security import Security

    try:
        arguments = Security().get_connection_args("client")
    except (OSError, ValueError) as problem:
        raise ComputeError(
            f"The certificates that Dask's configuration names cannot be used: {problem}.", CERTIFICATES
        ) from None
    if address.url.startswith("tls:") and arguments["ssl_context"] is None:
        raise ComputeError(f"{address.title} needs certificates, and Dask's configuration names none.", CERTIFICATES)
    if address.url.startswith("tcp:") and arguments["require_encryption"]:
        raise ComputeError(f"Dask's configuration refuses {address.title}, which is not encrypted.", "Use tls://.")


@contextmanager
def _or_gone(title: str) -> Iterator[None]:
    """WorkersGone in place of what a broken connection raises."""
    from asyncio import CancelledError

    from distributed.client import ClosedClientError

    try:
        yield
    except (OSError, RuntimeError, CancelledError, ClosedClientError) as problem:
        raise WorkersGone(_gone(title)) from problem


def _piece_of(event: tuple[float, tuple[int, bytes]]) -> tuple[int, Any]:
    """The number of a job, and a piece of its answer."""
    number, piece = event[1]
    return number, pickle.loads(piece)


def _gone(title: str) -> str:
    return f"The scheduler at {title} does not answer any more: the work goes on on this computer."


def _killed() -> ComputeError:
    return ComputeError(
        f"The computation ended {counted(TRIES, 'worker')}, probably for want of memory.",
        "Give workers more memory, or keep fewer samples.",
    )


def _too_large(job: Job, need: Estimate, memory: int) -> ComputeError:
    return ComputeError(
        f"{job.title} {need.describe(memory)} on a worker: it does not fit.",
        "Give workers more memory, or keep fewer samples.",
    )
