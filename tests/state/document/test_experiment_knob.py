"""The knob of an experiment: an edit like any other, which is undone exactly."""

from mvexplorer.datasets import make_helix_a
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.experiment_commands import turn


def made() -> Document:
    document, data = Document(), make_helix_a(n_samples=20)
    document.reset(commands.initial_state(data, ("make_helix_a(n_samples=20)",), None), data)
    commands.tick_view(document, "view2", False)
    commands.pin(document, "p6", "eta", 0.2)
    document.reset(document.state, data)
    return document


def test_a_bandwidth_is_given_to_the_views_in_use():
    document = made()
    before = document.state
    commands.set_scale(document, 3.0)
    turn(document, "ε at the median", "median", {})
    assert [(v.epsilon, v.rule) for v in document.state.views] == [("median", "median"), ("robust", "robust")]
    assert document.state.epsilon_scale == 1.0
    assert document.undo_label == "ε at the median"
    document.undo()
    document.undo()
    assert document.state == before


def test_a_number_leaves_the_rule_that_a_double_click_returns_to():
    document = made()
    turn(document, "ε 2", 2.0, {})
    assert (document.state.views[0].epsilon, document.state.views[0].rule) == (2.0, "robust")


def test_a_parameter_is_pinned_where_it_was_and_else_shared():
    document = made()
    turn(document, "η .5, t 4", None, {"eta": 0.5, "t": 4})
    assert document.state.panel("p6").pins == {"eta": 0.5}
    assert (document.state.params["t"], document.state.params["eta"]) == (4, 0.0)
    assert document.state.panel("p5").pins == {}
