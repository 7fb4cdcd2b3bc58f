"""The panels of snapshots, computed in the background beside the document that keeps them."""

from dataclasses import replace

import numpy as np
import pytest
from desk import Desk

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Cancelled, Task
from mvexplorer.state.bench.snapshot_panels import SnapshotPanels, SnapshotsJob, drawings_of
from mvexplorer.state.document import commands
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.snapshots import Snapshots


@pytest.fixture
def desk():
    desk = Desk(keeps=False)
    yield desk
    desk.close()


def write(path, seed, n=30):
    random = np.random.default_rng(seed)
    np.savez(path, a=random.normal(size=(n, 3)), b=random.normal(size=(n, 2)))
    return path


@pytest.fixture
def three(desk, tmp_path):
    """Snapshots of the factors 1, 3 and 9."""
    desk.open(write(tmp_path / "first.npz", 1))
    for factor in (1.0, 3.0, 9.0):
        desk.bench.editor.set_scale(factor)
        desk.bench.walk.keep()
    desk.rest()
    return desk


def job(desk, *names, **more):
    document = desk.document
    return SnapshotsJob(document.state, document.data, names or document.state.snapshots.names, **more)


def run(job):
    return job.run(StageCache(), Task())


def break_second(desk):
    """Let the second snapshot use a method that is gone."""
    kept = list(desk.document.state.snapshots.kept)
    panels = [{**kept[1].state["panels"][0], "method": "umap"}]
    kept[1] = updated(kept[1], {"state": {**kept[1].state, "panels": panels}})
    after = Snapshots(kept=tuple(kept))
    desk.document.apply("Break it", lambda state: state.model_copy(update={"snapshots": after}))


def test_each_snapshot_shows_its_own_state_and_the_document_stays(three):
    before = three.document.state
    first, _, last = run(job(three))
    assert (first.number, first.snapshot.name, first.problem) == (1, "Snapshot 1", "")
    assert [each.panels.state.epsilon_scale for each in (first, last)] == [1.0, 9.0]
    assert not last.panels.failed
    assert last.panels.results.keys() == {panel.id for panel in before.panels}
    assert all(result.scores is not None for result in last.panels.results.values())
    assert three.document.state is before


def test_pictures_lie_as_a_click_would_show_them(three):
    onto = drawings_of(three.bench.controller.results)
    mirrored = {id: replace(drawing, points=drawing.points * (-1.0, 1.0)) for id, drawing in onto.items()}
    three.library.show_snapshot("Snapshot 1")
    three.rest()
    shown = {id: result.drawing.points for id, result in three.bench.controller.results.items()}
    for former, sign in ((onto, 1.0), (mirrored, -1.0)):
        (first,) = run(job(three, "Snapshot 1", onto=former))
        for id, result in first.panels.results.items():
            np.testing.assert_allclose(result.drawing.points, shown[id] * (sign, 1.0), atol=1e-4)


def test_a_snapshot_whose_method_is_gone_says_so_among_the_others(three):
    break_second(three)
    first, second, last = run(job(three))
    assert second.panels is None
    assert second.number == 2
    assert "“Snapshot 2” cannot be shown" in second.problem
    assert "umap" in second.problem
    assert first.panels.results
    assert last.panels.results


def test_snapshots_of_other_data_open_that_or_say_that_it_is_gone(three, tmp_path):
    three.open(write(tmp_path / "second.npz", 2, n=20))
    three.bench.walk.keep()
    *former, own = run(job(three))
    assert [each.panels.data.n_samples for each in former] == [30, 30, 30]
    assert former[1].panels.data is former[0].panels.data  # read once
    assert own.panels.data is three.document.data
    (tmp_path / "first.npz").unlink()
    *former, own = run(job(three))
    assert all("first.npz" in each.problem and each.panels is None for each in former)
    assert own.panels.results


def test_views_that_a_snapshot_treats_otherwise_are_treated_so(three):
    commands.set_preprocess(three.document, "a", "zscore")
    three.bench.walk.keep()
    commands.set_preprocess(three.document, "a", "none")
    first, *_, last = run(job(three))
    assert [each.panels.data.preprocess[0] for each in (first, last)] == ["none", "zscore"]


def test_what_is_kept_of_a_snapshot_is_chosen(three):
    seen = []
    answer = run(job(three, fold=lambda each: seen.append(type(each)) or each.number))
    assert answer == (1, 2, 3)
    assert seen == [SnapshotPanels] * 3


def test_it_tells_how_far_it_is_and_stops(three):
    steps = []
    task = Task(steps.append)
    with pytest.raises(Cancelled):
        job(three, fold=lambda each: task.cancel()).run(StageCache(), task)
    assert steps == [0.0]
