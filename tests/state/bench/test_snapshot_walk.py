"""The walk through snapshots: where the user stands, and where the next step leads."""

import pytest
from desk import Desk
from inline import circle_data

from mvexplorer.state.document import commands
from mvexplorer.state.document.snapshots import Staging


@pytest.fixture
def desk():
    desk = Desk(keeps=False)
    data = circle_data(n_views=2)
    desk.document.reset(commands.initial_state(data, ("memory",), None), data)
    yield desk
    desk.close()


@pytest.fixture
def walk(desk):
    """Three snapshots of the factors 1, 2 and 3, and the user at the last."""
    for factor in (1.0, 2.0, 3.0):
        desk.bench.editor.set_scale(factor)
        desk.bench.walk.keep()
    return desk.bench.walk


def test_what_was_kept_last_is_where_the_user_stands(walk):
    assert walk.names == ("Snapshot 1", "Snapshot 2", "Snapshot 3")
    assert (walk.at, walk.place) == ("Snapshot 3", 2)


def test_steps_stop_at_both_ends_and_leave_what_was_edited_there(desk, walk):
    walk.go("Snapshot 2")
    assert desk.document.state.epsilon_scale == 2.0
    desk.bench.editor.set_scale(9.0)
    walk.step(1)  # from where the user stood, whatever was edited since
    assert (walk.at, desk.document.state.epsilon_scale) == ("Snapshot 3", 3.0)
    desk.bench.editor.set_scale(9.0)
    walk.step(1)
    assert (walk.at, desk.document.state.epsilon_scale) == ("Snapshot 3", 9.0)
    walk.go_to_place(3)  # there is no fourth
    assert desk.document.state.epsilon_scale == 9.0
    for _ in range(3):
        walk.step(-1)
    assert (walk.at, desk.document.state.epsilon_scale) == ("Snapshot 1", 1.0)


def test_a_step_from_nowhere_leads_to_the_first(desk, walk):
    walk.go("Snapshot 2")
    desk.bench.editor.delete_snapshot("Snapshot 2")
    assert (walk.at, walk.place) == ("", -1)
    walk.step(1)
    assert walk.at == "Snapshot 1"


def test_the_place_follows_a_name_and_an_order(desk, walk):
    seen = []
    walk.changed.connect(lambda: seen.append((walk.at, walk.place)))
    desk.bench.editor.rename_snapshot("Snapshot 3", "ring")
    desk.bench.editor.move_snapshot("ring", 0)
    assert seen == [("ring", 2), ("ring", 0)]


def test_the_staging_is_taken_with_the_state_and_comes_back_with_it(desk):
    walk, returned = desk.bench.walk, []
    walk.staging = lambda: Staging(place="tune", scores={"p1": "NMI .91"})
    desk.library.returned.connect(returned.append)
    walk.keep()
    walk.go("Snapshot 1")
    walk.staging = lambda: Staging(place="views")
    walk.retake("Snapshot 1")
    walk.go("Snapshot 1")
    assert returned == [Staging(place="tune", scores={"p1": "NMI .91"}), Staging(place="views")]


def test_a_step_leads_past_a_snapshot_that_cannot_be_shown(desk, walk):
    kept = desk.document.state.snapshots
    first, second, third = kept.kept
    strange = second.model_copy(update={"state": {**second.state, "later": 1}})
    broken = kept.model_copy(update={"kept": (first, strange, third)})
    desk.document.apply("as opened", lambda state: state.model_copy(update={"snapshots": broken}))
    returned = []
    desk.library.returned.connect(returned.append)
    walk.go("Snapshot 1")
    walk.step(1)
    assert (walk.at, desk.document.state.epsilon_scale, len(returned)) == ("Snapshot 2", 1.0, 1)
    walk.step(1)
    assert (walk.at, desk.document.state.epsilon_scale, len(returned)) == ("Snapshot 3", 3.0, 2)
