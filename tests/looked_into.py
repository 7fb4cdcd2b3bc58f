"""Files that nobody wrote, looked into: what tests of the import page show and choose."""

from types import SimpleNamespace

import numpy as np
from psygnal import Signal

from mvexplorer.compute.run.scheduler import Outcome
from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.engine.core.task import Task
from mvexplorer.io.reading.files import Loaded
from mvexplorer.io.reading.inspection import Inspection, Item, ViewReport

FILES = ("/data/genes.csv", "/data/clinic.csv")


def item(name, role="view", view="genes", file=FILES[0], kind="column"):
    return Item(
        file, name, kind, (4,), "float64", role, view if role == "view" else None, ("1", "2"), (1.0, 2.0), 0, ""
    )


def report(name, n=3, prepared="none"):
    return ViewReport(name, (4, n), "float64", prepared, 2.5, 0, 0, 0, 32 * n)


ITEMS = (
    item("wt_a"), item("wt_b"), item("mu_a"), item("kind", "label"), item("who", "id"),
    item("who", "id", file=FILES[1]), item("age", "view", "clinic", FILES[1]), item("site", "colour", file=FILES[1]),
)  # fmt: skip


def data(**more):
    X = np.arange(12.0).reshape(4, 3) ** 1.5
    names = [("wt_a", "wt_b", "mu_a"), ("age",)]
    return MultiView({"genes": X, "clinic": X[:, :1]}, feature_names=names, sample_ids=list("pqrs"), **more)


def found(**changes):
    reports = report("genes"), report("clinic", 1)
    usual = {"files": FILES, "items": ITEMS, "views": reports, "label": "kind", "ids": "who", "n_samples": 4}
    usual |= {"join": "Joined by “who”: 4 samples.", "loaded": Loaded(data(labels=list("abab")), (), FILES)}
    return Inspection(**{**usual, **changes})


class Background:
    """Where the first samples are prepared: at once, or when the test says so."""

    def __init__(self):
        self.at_once, self.jobs = True, []

    def submit(self, slot, job, done, *, title):
        self.jobs.append((job, done))
        if self.at_once:
            self.answer()

    def cancel(self, slot):
        self.jobs.clear()

    def answer(self):
        job, done = self.jobs.pop()
        done(Outcome("import", 1, job.run(None, Task())))


class Reader:
    """A controller that reads when the test says so."""

    tasks_changed = Signal()

    def __init__(self):
        self.jobs, self.cancelled = [], []
        self.background = Background()

    def open(self, job, done):
        self.jobs.append((job, done))

    def cancel(self, slot):
        self.cancelled.append(slot)

    def tasks(self):
        return (SimpleNamespace(slot="open", fraction=0.25),)

    def answer(self, value=None, error=None):
        self.jobs[-1][1](Outcome("open", len(self.jobs), value, error))

    @property
    def asked(self):
        return self.jobs[-1][0].reading.plain
