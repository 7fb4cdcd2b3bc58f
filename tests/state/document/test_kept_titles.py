"""Titles are kept for the states asked about last: none of them outlives a change of what it names."""

from inline import circle_data, opened

from mvexplorer.state.document import commands
from mvexplorer.state.document.model import DocumentState, PanelState, ViewState
from mvexplorer.state.document.titles import panel_title, panel_titles, untitled_pins


def views_state(name):
    panels = tuple(PanelState(id=f"p{i}", method="single", view=name) for i in (1, 2))
    return DocumentState(views=(ViewState(name=name),), panels=panels)


def test_another_method_and_pins_have_titles_of_their_own_and_undo_brings_back_the_former():
    document = opened(circle_data(n_views=2))
    first = dict(panel_titles(document.state))
    commands.set_method(document, "p1", "kernel-sum")
    assert panel_titles(document.state)["p1"].startswith("Kernel sum")
    commands.set_method(document, "p1", "single", "v2")
    commands.duplicate_panel(document, "p1")
    commands.pin(document, "p1", "t", 5)
    assert panel_title(document.state, document.state.panel("p1")) == "Single · v2 · t 5"
    assert untitled_pins(document.state, document.state.panel("p1")) == {}
    commands.unpin(document, "p1", "t")
    assert "t 5" not in panel_title(document.state, document.state.panel("p1"))
    document.go_to(0)
    assert panel_titles(document.state) == first


def test_the_same_panels_over_views_of_other_names_are_called_by_those():
    data = circle_data(n_views=2)
    state, panels = opened(data).state, (PanelState(id="p1", method="single"),)
    renamed = opened(data.replace(view_names=["left", "right"])).state
    for views, shown in ((state.views, "v1"), (renamed.views, "left"), (state.views, "v1")):
        now = state.model_copy(update={"views": views, "panels": panels})
        assert panel_titles(now) == {"p1": f"Single · {shown}"}


def test_states_that_are_gone_leave_no_title_to_those_in_their_place():
    for round in range(40):  # each where one before it was in memory
        assert list(panel_titles(views_state(f"view {round}")).values()) == [
            f"Single · view {round}", f"Single · view {round} (2)"
        ]  # fmt: skip


def test_the_titles_of_a_state_are_made_once_while_few_others_are_asked_about():
    state = views_state("kept")
    titles = panel_titles(state)
    for name in "abc":
        panel_titles(views_state(name))
    assert panel_titles(state) is titles
    for name in "abcd":
        panel_titles(views_state(name))
    assert panel_titles(state) is not titles
    assert panel_titles(state) == titles
