"""What processes that are started on this computer tell its other users, and what they run."""

import socket

import psutil
import pytest

from mvexplorer.compute.remote.remote_dask import workers_at

pytest.importorskip("distributed")
pytestmark = pytest.mark.serial


def listening():
    """The ports at which this process and its children wait for connections."""
    here = psutil.Process()
    sockets = (each for process in (here, *here.children(recursive=True)) for each in process.net_connections("tcp"))
    return {each.laddr.port for each in sockets if each.status == psutil.CONN_LISTEN}


def said_in_clear(port, path="/"):
    """The answer to a browser that asks without encryption."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as asked:
        asked.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        try:
            return asked.recv(100)
        except ConnectionError:
            return b""


def test_processes_on_this_computer_answer_nobody_in_clear():
    """Dask's pages would tell every user of the computer the names of tasks and the addresses of workers."""
    before = listening()
    with workers_at("local:2") as workers:
        (scheduler,) = {int(workers._client.scheduler.address.rpartition(":")[2])}
        ports = listening() - before
        assert scheduler in ports
        assert len(ports) == 1 + 2 * 2  # a scheduler, and two workers with the process that watches over each
        assert {port: said_in_clear(port) for port in ports} == dict.fromkeys(ports, b"")
