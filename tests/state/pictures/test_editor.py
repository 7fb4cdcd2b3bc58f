"""The editor: every command, what is told of an edit that is wrong, drags, and values that are pinned."""

import inspect

import pytest
from inline import controlled, opened

from mvexplorer.state.document import commands
from mvexplorer.state.pictures import editor
from mvexplorer.state.pictures.editor import Editor

NO_EDITS = {"initial_state", "open_data"}
"""What makes or replaces a document, and so belongs to the library."""


@pytest.fixture
def document():
    return opened()


@pytest.fixture
def made(document):
    return Editor(document, controlled(document))


@pytest.fixture
def told(made):
    seen = []
    made.failed.connect(lambda error: seen.append(error.message))
    made.done.connect(lambda: seen.append("done"))
    made.drag_ended.connect(lambda: seen.append("ended"))
    return seen


def test_every_command_has_a_method():
    source = inspect.getsource(editor)
    names = {n for n, f in inspect.getmembers(commands, inspect.isfunction) if f.__module__ == commands.__name__}
    asked = {name for name in names if not name.startswith("_")} - NO_EDITS
    assert {name for name in asked if f"commands.{name}(" not in source} == set()


def test_an_edit_that_is_wrong_is_told_and_leaves_the_document(made, document, told):
    before = document.state
    assert not made.set_epsilon("v1", "-1")
    assert document.state is before
    assert len(told) == 1
    assert told != ["done"]
    assert made.set_epsilon("v1", "0.5")
    assert document.state.view("v1").epsilon == 0.5  # text of a number is a number
    assert told[1:] == ["done"]


def test_a_drag_is_one_step_of_undo(made, document, told):
    before = document.state
    for value in (0.1, 0.2, 0.3):
        made.set_epsilon("v1", value, interactive=True)
    made.end_drag()
    made.set_epsilon("v1", 0.4, interactive=True)
    assert told[3:] == ["ended", "done"]
    document.undo()
    assert document.state.view("v1").epsilon == 0.3
    document.undo()
    assert document.state == before


def test_what_is_pinned_is_the_present_value(made, document):
    made.set_param("t", 3)
    made.set_scale(2.0)
    alone = made._controller.epsilon("v1")
    for name in ("t", "epsilon:v1", "kernel:v1"):
        assert made.pin("p6", name)
    assert document.state.panel("p6").pins == {
        "t": 3, "epsilon:v1": pytest.approx(2.0 * alone), "kernel:v1": "gaussian",
    }  # fmt: skip
    assert made.set_pin("p6", "epsilon:v1", "2*median")
    assert made.unpin("p6", "t")
    assert set(document.state.panel("p6").pins) == {"epsilon:v1", "kernel:v1"}


@pytest.mark.parametrize(("panel", "name"), [("gone", "t"), ("p6", "epsilon:gone"), ("p6", "kernel:gone")])
def test_pinning_what_has_just_gone_does_nothing(made, document, panel, name):
    before = document.state
    assert not made.pin(panel, name)
    assert document.state is before


def test_nudges(made, document):
    present = made._controller.epsilon("v1")
    made.nudge_epsilon("v1", 1)
    assert document.state.view("v1").epsilon == pytest.approx(1.05 * present)
    made.nudge_epsilon(None, -2)
    assert document.state.epsilon_scale == pytest.approx(1.05**-2)
    made.set_param("eta", 0.99)
    made.nudge_eta(0.02)
    assert document.state.params["eta"] == 1.0
    made.nudge_eta(-0.02)
    assert document.state.params["eta"] == 0.98


def test_panels_and_points(made, document):
    id = made.add_panel("multiview")
    assert document.state.panels[-1].id == id
    made.set_dims(id, 3)
    assert document.state.panel(id).dims == 3
    made.set_all_dims(2)
    assert {p.dims for p in document.state.panels} == {2}
    made.select_all()
    assert len(document.state.selection) == document.data.n_samples
    made.scale_points(100.0)
    assert document.state.point_size == 20.0
    for _ in range(12):
        id = made.add_panel("multiview")
    assert id is None
