"""Null tests and stability of panels: run by run, added to, stopped, marked when their request changes."""

import numpy as np
import pytest
from inline import CountingCache, Inline, Later, circle_data

from mvexplorer.compute.batch.null_testing import null_test
from mvexplorer.state.batches.checks import Checks
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor


class Bench:
    """A document with its controller and checks; what the checks announced."""

    def __init__(self, data, background=None):
        self.document = Document()
        self.cache = CountingCache()
        self.controller = Controller(
            self.document, executor=Inline(), background=background or Inline(), cache=self.cache
        )
        self.editor = Editor(self.document, self.controller)
        self.checks = Checks(self.controller)
        self.document.reset(commands.initial_state(data, ("sample",), None), data)
        self.heard = []
        self.checks.changed.connect(lambda panel: self.heard.append(self.checks.of(panel)))

    def panel(self, method):
        return next(panel.id for panel in self.document.state.panels if panel.method == method)


@pytest.fixture
def bench():
    made = []

    def build(data=None, background=None):
        made.append(Bench(circle_data(n_views=3, labels=False) if data is None else data, background))
        return made[-1]

    yield build
    for each in made:
        each.controller.shutdown()


def test_runs_come_one_by_one_and_more_are_added(bench):
    b = bench()
    id = b.panel("multiview")
    b.checks.null_test(id, "v1", 4)
    found = b.checks.of(id)
    assert (found.null["v1"].n, found.done, found.running, found.problem) == (4, 5, False, "")
    assert {each.null["v1"].n for each in b.heard if each.null} == {1, 2, 3, 4}
    first = found.null["v1"].shuffled
    b.checks.null_test(id, None, 6)
    found = b.checks.of(id)
    assert {view: band.n for view, band in found.null.items()} == {"v1": 6, "v2": 6, "v3": 6}
    assert np.array_equal(found.null["v1"].shuffled[:4], first)
    assert found.shuffle == "rows"
    b.checks.null_test(id, "v1", 1, "circular")
    assert (b.checks.of(id).shuffle, b.checks.of(id).null["v1"].n) == ("circular", 1)


def test_the_window_and_a_script_find_the_same(bench):
    b = bench()
    id = b.panel("multiview")
    b.checks.null_test(id, "v2", 3)
    band = b.checks.of(id).null["v2"]
    e = b.controller.result(id).result.embedding
    (same,) = null_test(b.document.data, "multiview", view="v2", n=3, epsilon=e.epsilon,
                        **{k: v for k, v in e.params.items() if v is not None}).views  # fmt: skip
    assert band.real == pytest.approx(same.real, abs=1e-9)
    assert band.shuffled == pytest.approx(same.shuffled, abs=1e-6)


def test_runs_evaluate_no_kernel_of_their_own(bench):
    b = bench()
    id = b.panel("multiview")
    b.checks.null_test(id, "v2", 1)
    before = b.cache.count("kernel"), b.cache.count("distances"), b.cache.count("neighbours")
    b.checks.null_test(id, "v2", 5)
    assert (b.cache.count("kernel"), b.cache.count("distances"), b.cache.count("neighbours")) == before


def test_another_epsilon_stops_the_runs_and_marks_what_they_found(bench):
    later = Later()
    b = bench(background=later)
    later.run_all()
    id = b.panel("multiview")
    b.checks.null_test(id, "v1", 5)
    for _ in range(4):
        later.run_one()
    assert b.checks.of(id).running
    n = b.checks.of(id).null["v1"].n
    b.editor.set_epsilon("v1", "5")
    later.run_all()
    found = b.checks.of(id)
    assert (found.outdated, found.running, found.null["v1"].n) == (True, False, n)
    b.document.undo()
    assert not b.checks.of(id).outdated
    b.document.redo()
    b.checks.null_test(id, "v1", 2)
    later.run_all()
    found = b.checks.of(id)
    assert (found.outdated, found.null["v1"].n) == (False, 2)


def test_stopping_a_task_stops_its_panel(bench):
    later = Later()
    b = bench(background=later)
    later.run_all()
    id = b.panel("multiview")
    b.checks.null_test(id, "v1", 5)
    b.checks.stability(id)
    slot = next(task.slot for task in b.controller.tasks() if task.slot.startswith("check:"))
    b.controller.cancel(slot)
    later.run_all()
    assert not b.checks.of(id).running
    assert not b.checks.of(id).null


def test_other_samples_and_closed_panels_are_forgotten(bench):
    b = bench()
    one, other = b.panel("multiview"), b.panel("kernel-sum")
    for id in (one, other):
        b.checks.null_test(id, "v1", 1)
    b.editor.close_panel(other)
    assert not b.checks.of(other).null
    data = circle_data(n_samples=50, labels=False)
    b.document.reset(commands.initial_state(data, ("sample",), None), data)
    assert not b.checks.of(one).null


@pytest.mark.parametrize("kind", ["parts", "noise", "views"])
def test_stability_grows_ghost_by_ghost(bench, kind):
    b = bench()
    id = b.panel("multiview")
    b.checks.stability(id, kind, 4)
    found = b.checks.of(id)
    count = 3 if kind == "views" else 4
    assert (len(found.stability[kind].ghosts), found.running, found.problem) == (count, False, "")
    assert len(found.stability[kind].scores) == count
    shown = b.controller.result(id).result.embedding.coordinates
    assert found.stability[kind].spread.shape == (len(shown),)


def test_what_cannot_be_tested_is_said_and_the_rest_goes_on(bench):
    data = circle_data(n_views=3, labels=False)
    data = data.replace(Xs=[*data.Xs[:2], np.ones_like(data.Xs[2])])
    b = bench(data)
    for view in data.view_names:
        b.editor.set_epsilon(view, "1")
    id = b.panel("multiview")
    b.checks.null_test(id, None, 2)
    found = b.checks.of(id)
    assert set(found.null) == {"v1", "v2"}
    assert "All samples are the same in view “v3”" in found.problem
    b.checks.null_test(id, "v9", 2)
    assert "not made of v9" in b.checks.of(id).problem
    b.checks.null_test(id, "v1", 0)
    assert "0 runs says nothing" in b.checks.of(id).problem
    b.checks.null_test(id, "v1", 1, "bursts:place")
    assert "no column called “place”" in b.checks.of(id).problem


def test_a_failed_panel_and_a_view_without_labels_say_why(bench):
    data = circle_data(n_views=2, labels=False).replace(latent={}, columns={})
    b = bench(data)
    id = b.panel("single")
    b.checks.null_test(id)
    assert "nothing to score it against" in b.checks.of(id).problem
    for view in data.view_names[1:]:
        b.editor.enable_view(view, False)
    id = b.panel("multiview")
    b.checks.stability(id)
    assert "needs at least 2 views" in b.checks.of(id).problem
