"""The document's state: what it refuses, and how panels overlay the shared parameters."""

import pytest
from pydantic import ValidationError

from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import ParameterError
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.model import (
    DocumentState,
    PanelState,
    ViewState,
    default_params,
    panel_params,
    panel_view,
    panel_views,
    param_owners,
    param_sections,
    shared_params,
)

VIEWS = (ViewState(name="a", enabled=False), ViewState(name="b"), ViewState(name="c"))


def state_of(*panels, **changes):
    return DocumentState(views=VIEWS, panels=panels, **changes)


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (ViewState, {"name": "a", "epsilon": None}),
        (ViewState, {"name": "a", "unknown": 1}),
        (PanelState, {"id": "p1", "method": "single", "dims": 4}),
        (PanelState, {"id": "p1", "method": "single", "axes": (0, 1, -1)}),
        (PanelState, {"id": "p1", "method": "single", "axes": (0, 1)}),
        (PanelState, {"id": "p1", "method": "single", "pins": {"magic": 1}}),
        (DocumentState, {"opacity": 1.5}),
        (DocumentState, {"point_size": 0.0}),
        (DocumentState, {"epsilon_scale": 0.0}),
        (DocumentState, {"params": {"magic": 1}}),
        (DocumentState, {"selection": ("one",)}),
        (DocumentState, {"views": (ViewState(name="a"), ViewState(name="a"))}),
        (DocumentState, {"panels": (PanelState(id="p1", method="single"),) * 2}),
    ],
)
def test_values_that_make_no_sense_are_refused(model, fields):
    with pytest.raises(ValidationError):
        model(**fields)


@pytest.mark.parametrize(
    ("model", "fields", "message"),
    [
        (ViewState, {"name": "a", "preprocess": "whiten"}, "no preprocessing called “whiten”"),
        (ViewState, {"name": "a", "epsilon": -1.0}, "bandwidth ε is -1"),
        (ViewState, {"name": "a", "epsilon": "magic"}, "no bandwidth rule called “magic”"),
        (ViewState, {"name": "a", "rule": "magic/2"}, "no bandwidth rule called “magic”"),
        (PanelState, {"id": "p1", "method": "magic"}, "no method called “magic”"),
        (PanelState, {"id": "p1", "method": "single", "pins": {"epsilon:a": 0.0}}, "bandwidth ε"),
        (PanelState, {"id": "p1", "method": "multiview", "pins": {"eta": 7}}, "Give a number from 0 to 1"),
        (DocumentState, {"params": {"t": -1}}, "Diffusion time"),
    ],
)
def test_values_out_of_range_are_refused_in_the_users_words(model, fields, message):
    with pytest.raises(ParameterError) as caught:
        model(**fields)
    assert message in str(caught.value)


def test_states_are_frozen_and_compare_by_value():
    state = state_of()
    with pytest.raises(ValidationError):
        state.colour = "labels"
    assert state == state_of()
    assert state.with_view("a", epsilon=0.5) != state
    assert state.with_view("a", epsilon=0.5).view("b") is state.view("b")


def test_an_update_is_validated():
    with pytest.raises(ValidationError):
        updated(state_of(), {"opacity": 2.0})
    with pytest.raises(ParameterError):
        state_of().with_view("a", epsilon=-1.0)


def test_the_shared_parameters_are_those_of_all_methods():
    expected = {p.name for m in methods() for p in m.params if not (p.of_panel or p.of_views)}
    assert set(default_params()) == expected
    assert default_params()["n_components"] == 12


def test_pins_overlay_the_shared_parameters():
    panel = PanelState(id="p1", method="multiview", pins={"eta": 0.5})
    state = state_of(panel, params={**default_params(), "eta": 0.1, "t": 3})
    values = panel_params(state, panel, get_method("multiview"))
    assert (values["eta"], values["t"]) == (0.5, 3)
    assert set(values) == {p.name for p in get_method("multiview").params}


def test_a_parameter_the_state_does_not_know_takes_its_default():
    panel = PanelState(id="p1", method="multiview")
    values = panel_params(state_of(panel, params={}), panel, get_method("multiview"))
    assert values["eta"] == 0.0


def test_a_single_view_panel_keeps_its_view_while_the_data_has_it():
    assert panel_view(state_of(), PanelState(id="p1", method="single", view="a")) == "a"
    assert panel_view(state_of(), PanelState(id="p1", method="single", view="gone")) == "b"
    assert panel_view(state_of(), PanelState(id="p1", method="single")) == "b"
    assert panel_view(DocumentState(), PanelState(id="p1", method="single")) is None


def test_a_two_view_panel_puts_its_pair_first():
    two = get_method("de-sa")
    assert panel_views(state_of(), PanelState(id="p1", method="de-sa", pair=("c", "b")), two) == ("c", "b")
    assert panel_views(state_of(), PanelState(id="p1", method="de-sa", pair=("a", "b")), two) == ("b", "c")
    assert panel_views(state_of(), PanelState(id="p1", method="de-sa"), two) == ("b", "c")


def test_parameters_of_several_methods_are_listed_once():
    common, own = param_sections(("single", "multiview", "concatenation"))
    assert (common.title, [p.name for p in common.params]) == ("", ["delta", "alpha"])
    assert [p.name for p in shared_params()] == ["eta", "t", "n_components"]
    assert param_owners(("single", "multiview"))["eta"] == ["Multi-view"]
    assert (own.title, [p.name for p in own.params]) == ("Concatenation", ["joint_epsilon"])


def test_parameters_of_two_methods_stand_under_both_names():
    sections = param_sections(("kernel-cca", "kernel-cca"))
    assert [s.title for s in sections] == ["Kernel CCA"]
    assert [p.name for p in sections[0].params] == ["gamma", "centred", "cholesky_rank"]
