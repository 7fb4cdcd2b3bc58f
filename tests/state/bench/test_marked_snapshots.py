"""Which two snapshots are compared: the ones marked, else where the user stands and stood."""

import pytest
from desk import Desk
from inline import circle_data

from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands


@pytest.fixture
def desk():
    desk = Desk(keeps=False)
    data = circle_data(n_views=2)
    desk.document.reset(commands.initial_state(data, ("memory",), None), data)
    yield desk
    desk.close()


@pytest.fixture
def walk(desk):
    """Snapshots one to four, and the user at the last."""
    for factor, name in enumerate(("one", "two", "three", "four"), start=1):
        desk.bench.editor.set_scale(float(factor))
        desk.bench.walk.keep()
        desk.bench.editor.rename_snapshot(desk.bench.walk.at, name)
    return desk.bench.walk


def test_without_marks_the_present_one_and_the_one_before_are_compared(walk):
    assert walk.pair == walk.last_two == ("three", "four")
    walk.go("one")
    assert walk.pair == ("four", "one")
    walk.go("one")  # to go where one stands is no step
    assert walk.pair == ("four", "one")


def test_two_that_are_marked_come_first_and_a_talk_leaves_them_out(walk):
    walk.mark("A", "two")
    assert walk.pair == ("two", "four")
    walk.mark("B", "one")
    assert walk.pair == ("two", "one")
    assert walk.last_two == ("three", "four")
    walk.mark("A", "one")  # one has one letter
    assert walk.marks == {"A": "one"}
    walk.mark("A", "one")
    assert walk.marks == {}


def test_one_marked_alone_where_one_stands_is_compared_with_the_one_before(walk):
    walk.mark("A", "four")
    assert walk.pair == ("four", "three")
    walk.mark("A", "four")
    walk.mark("B", "one")
    assert walk.pair == ("three", "one")


def test_the_two_that_were_marked_last_are_a_and_b(walk):
    for name in ("one", "two", "three"):
        walk.mark_next(name)
    assert walk.marks == {"A": "two", "B": "three"}
    walk.mark_next("two")
    assert walk.marks == {"B": "three"}


def test_marks_follow_a_name_and_go_with_a_snapshot(desk, walk):
    walk.mark("A", "two")
    walk.mark("B", "three")
    desk.bench.editor.rename_snapshot("two", "second")
    desk.bench.editor.move_snapshot("second", 0)
    assert walk.marks == {"A": "second", "B": "three"}
    desk.bench.editor.delete_snapshot("second")
    assert walk.marks == {"B": "three"}
    desk.bench.editor.delete_snapshot("four")
    assert walk.pair == ("one", "three")  # nobody stands anywhere: the one before it in the order


def test_where_there_are_no_two_it_is_said(desk, walk):
    for name in ("one", "two", "three"):
        desk.bench.editor.delete_snapshot(name)
    assert walk.pair is None
    with pytest.raises(ParameterError, match="no two snapshots"):
        walk.compare("wipe")
