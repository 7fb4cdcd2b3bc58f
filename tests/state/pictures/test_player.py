"""Playing a slider: the steps of a drag, one step of undo, stopped by any other edit."""

import pytest
from inline import Inline, opened

from mvexplorer.compute.batch.axes import SCALE, axes
from mvexplorer.engine.methods import methods
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.pictures.controller import Controller
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.state.pictures.player import Player


@pytest.fixture
def player():
    document = opened()
    controller = Controller(document, executor=Inline(), background=Inline())
    made = Player(controller, Editor(document, controller))
    made.document = document
    yield made
    controller.shutdown()


def axis(player, name):
    return axes(methods(), player.document.state.enabled)[name]


def played(player, steps):
    seen = []
    for _ in range(steps):
        player.step()
        seen.append(player.document.state.epsilon_scale)
        if not player.playing:
            break
    return seen


def test_from_the_present_value_to_the_end_and_one_step_of_undo(player):
    player.choose(SCALE, (0.25, 0.5, 1.0, 2.0, 4.0))
    before, steps = player.document.state, player.document.position
    player.start()
    assert played(player, 9) == [2.0, 4.0, 4.0]
    assert not player.playing
    assert player.document.position == steps + 1
    player.document.undo()
    assert player.document.state == before


@pytest.mark.parametrize(
    ("name", "values"),
    [("epsilon_scale", (0.25, 4.0)), ("eta", (0.2, 0.7)), ("epsilon:one", (0.5, 2.0)), ("weight:one", (0.5, 2.0))],
)
def test_going_back_restores_what_was_played_but_nothing_else(player, name, values):
    kind, colon, _ = name.partition(":")
    one = player.document.state.enabled[0]
    offered = axes(methods(), player.document.state.enabled)
    name = next(n for n in offered if n.endswith(one) and kind in n) if colon else name
    before = player.document.state
    player.choose(offered[name], values)
    player.scrub(1)
    player.scrub(0)
    player.document.apply("Select", lambda s: s.model_copy(update={"selection": (1,)}))
    assert player.document.state.model_copy(update={"selection": ()}) != before
    player.go_back()
    assert player.document.state == before.model_copy(update={"selection": (1,)})
    player.go_back()
    assert player.document.undo_label == "Back from the play"


def test_what_another_hand_has_moved_since_stays(player):
    player.choose(SCALE, (0.25, 4.0))
    player.scrub(1)
    player._editor.set_scale(3.0)
    player.go_back()
    assert player.document.state.epsilon_scale == 3.0


def test_what_has_ended_begins_anew(player):
    player.choose(SCALE, (0.5, 1.0))
    player.start()
    assert played(player, 9) == [0.5, 1.0, 1.0]


@pytest.mark.parametrize(("way", "expected"), [("loop", [4.0, 0.5, 1.0, 4.0]), ("to and fro", [4.0, 1.0, 0.5, 1.0])])
def test_ways(player, way, expected):
    player.choose(SCALE, (0.5, 1.0, 4.0))
    player.way = way
    player.start()
    assert played(player, 4) == expected


@pytest.mark.parametrize(("name", "values"), [("eta", (0.0, 0.5)), ("t", (1, 2)), ("epsilon:one", (0.5, 1.0))])
def test_every_slider(player, name, values):
    name = f"epsilon:{player.document.state.enabled[0]}" if ":" in name else name
    player.choose(axis(player, name), values)
    player.scrub(1)
    state = player.document.state
    moved = state.views[0].epsilon if ":" in name else state.params[name]
    assert moved == values[1]


def test_any_other_edit_stops_it(player):
    player.choose(SCALE, (0.5, 1.0, 4.0))
    player.way = "loop"
    player.start()
    player.step()
    player.document.apply("Select", lambda s: s.model_copy(update={"selection": (1,)}))
    assert not player.playing
    player.step()
    assert player.document.state.epsilon_scale == 4.0


def test_data_that_goes_stops_it(player):
    player.choose(SCALE, (0.5, 1.0, 4.0))
    player.start()
    player.document.reset(DocumentState(), None)
    assert not player.playing
    player.start()
    assert not player.playing, "there is nothing to play"


def test_a_play_of_one_value_ends(player):
    player.choose(SCALE, (1.0,))
    player.start()
    played(player, 3)
    for way in ("loop", "to and fro"):
        player.way = way
        player.start()
        assert played(player, 2) == [1.0, 1.0]
        player.stop()
