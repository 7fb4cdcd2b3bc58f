"""When a scheduler that does not answer counts as gone, whoever asks."""

import pytest

from mvexplorer.compute.remote import remote_dask
from mvexplorer.compute.remote.remote import WorkersGone
from mvexplorer.compute.remote.remote_dask import MISSED, REPLY, DaskWorkers


class Silent:
    """A client of a scheduler that does not answer now."""

    status = "running"
    answers = False

    class scheduler:
        ncores = None

    def sync(self, *_, **__):
        if not self.answers:
            raise TimeoutError
        return {"tcp://127.0.0.1:1": 2}


def test_one_silence_counts_once_however_many_ask(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(remote_dask, "monotonic", lambda: now[0])
    workers = DaskWorkers.__new__(DaskWorkers)
    workers.title, workers._client = "tcp://127.0.0.1:8786", Silent()
    workers._missed, workers._missed_at, workers._seen = 0, 0.0, now[0]
    for _ in range(5 * MISSED):
        workers.look()
    workers._client.answers = True
    workers.look()
    assert workers.threads == 2
    workers._client.answers = False
    for _ in range(MISSED - 1):
        now[0] += REPLY
        workers.look()
    now[0] += REPLY
    with pytest.raises(WorkersGone, match="does not answer any more: the work goes on on this computer"):
        workers.look()
