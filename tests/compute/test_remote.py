"""Jobs on the processes of a cluster, on loopback: the answers of threads, data goes once."""

from dataclasses import replace

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.compute.remote import Threads
from mvexplorer.compute.remote_dask import workers_at
from mvexplorer.compute.request import Request
from mvexplorer.compute.sweep_path import Resample, SweepPath
from mvexplorer.engine.api.plan import plan
from mvexplorer.engine.methods import get_method

pytest.importorskip("distributed")
pytestmark = pytest.mark.xdist_group("cluster")

FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)


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
def cluster():
    """Two processes."""
    with workers_at("local:2") as workers:
        yield workers


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
