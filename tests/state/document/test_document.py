"""Undo and redo of every edit, merging of a drag's edits, and when there is something to save."""

import inspect

import numpy as np
import pytest
from inline import N_SAMPLES, circle_data, opened

from mvexplorer.compute.batch.axes import SCALE
from mvexplorer.datasets import make_helix_a
from mvexplorer.engine.api.embedding import embed
from mvexplorer.engine.methods import get_method, methods
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.document.document import UNDO_DEPTH, Document
from mvexplorer.state.document.fresh import DEFAULT_METHODS
from mvexplorer.state.document.model import MAX_PANELS

OTHER = circle_data(50, 3, seed=5)

EDITS = {
    "open_data": lambda d: commands.open_data(d, OTHER, commands.initial_state(OTHER, ("other.csv",), None, True)),
    "set_epsilon": lambda d: commands.set_epsilon(d, "v1", 0.25),
    "set_scale": lambda d: commands.set_scale(d, 3.0),
    "set_epsilons": lambda d: commands.set_epsilons(d, {"v1": 0.25, "v2": 0.5}),
    "set_own_scales": lambda d: commands.set_own_scales(d, {"p1": 0.5, "p3": 2.0}),
    "show_at": lambda d: commands.show_at(d, commands.new_panel("pca", "x"), SCALE, 3.0),
    "use_rule": lambda d: commands.use_rule(d, "p1", ("v1",), "median"),
    "show_views": lambda d: commands.show_views(d, ("v1",), "median/9"),
    "set_kernel": lambda d: commands.set_kernel(d, "v1", "knn-5"),
    "compute_by": lambda d: commands.compute_by(d, "knn-5", 40),
    "apply_weights": lambda d: commands.apply_weights(d, "v1", [1.0] * d.data.Xs[0].shape[1], 0.4),
    "use_as_label": lambda d: commands.use_as_label(d, "weather"),
    "use_sonograms": lambda d: commands.use_sonograms(
        d, d.data.replace(Xs=[2 * X for X in d.data.Xs]), 40.0, "seismic-events"
    ),
    "set_linked": lambda d: commands.set_linked(d, "v2", False),
    "set_param": lambda d: commands.set_param(d, "eta", 0.5),
    "set_preprocess": lambda d: commands.set_preprocess(d, "v1", "zscore"),
    "keep_scales": lambda d: commands.keep_scales(d, ("v1",)),
    "tick_view": lambda d: commands.tick_view(d, "v2", False),
    "tick_all_views": lambda d: commands.tick_all_views(d),
    "show_usual_panels": lambda d: commands.show_usual_panels(d),
    "add_panel": lambda d: commands.add_panel(d, "multiview"),
    "duplicate_panel": lambda d: commands.duplicate_panel(d, "p1"),
    "show_without": lambda d: commands.show_without(d, "p4", "v1"),
    "take_multiple": lambda d: commands.take_multiple(d, d.state.panel("p1"), "Take a picture"),
    "close_panel": lambda d: commands.close_panel(d, "p2"),
    "swap_panels": lambda d: commands.swap_panels(d, "p1", "p3"),
    "set_method": lambda d: commands.set_method(d, "p1", "kernel-sum"),
    "change_panel": lambda d: commands.change_panel(d, "p1", "Show in 3-D", dims=3),
    "change_all_panels": lambda d: commands.change_all_panels(d, "Show all in 3-D", dims=3),
    "pin": lambda d: commands.pin(d, "p1", "t", 4),
    "set_panel": lambda d: commands.set_panel(d, "p1", "multiview", 0.5, {"t": 4, "eta": 0.2}),
    "unpin": lambda d: commands.unpin(d, "p6", "eta"),
    "select": lambda d: commands.select(d, [3, 1]),
    "invert_selection": lambda d: commands.invert_selection(d),
    "colour_by": lambda d: commands.colour_by(d, "column:mass"),
    "isolate": lambda d: commands.isolate(d, ["2"]),
    "style_points": lambda d: commands.style_points(d, point_size=9.0),
}


@pytest.fixture
def document():
    document = opened(circle_data(n_views=3))
    commands.tick_view(document, "v3", False)
    commands.pin(document, "p6", "eta", 0.2)
    document.reset(document.state, document.data)
    return document


def test_every_command_is_tried_here():
    functions = dict(inspect.getmembers(commands, inspect.isfunction))
    own = {name for name, f in functions.items() if f.__module__ == commands.__name__ and not name.startswith("_")}
    edits = {n for n in own if next(iter(inspect.signature(functions[n]).parameters)) == "document"}
    assert edits == set(EDITS)


@pytest.mark.parametrize("name", EDITS)
def test_a_command_is_undone_exactly_and_done_again(document, name):
    before, data = document.state, document.data
    EDITS[name](document)
    after, new_data = document.state, document.data
    assert after != before
    assert document.undo_label
    assert document.redo_label is None
    label = document.undo_label
    document.undo()
    assert document.state == before
    assert document.data is data
    assert (document.undo_label, document.redo_label) == (None, label)
    document.redo()
    assert document.state == after
    assert document.data is new_data
    assert (document.undo_label, document.redo_label) == (label, None)


@pytest.mark.parametrize("name", EDITS)
def test_a_command_says_what_it_did(document, name):
    seen = []
    document.changed.connect(seen.append)
    before, data = document.state, document.data
    EDITS[name](document)
    (change,) = seen
    assert (change.before, change.after) == (before, document.state)
    assert change.data_changed == (document.data is not data)
    assert not change.interactive


SAME_AGAIN = {
    "set_epsilon": lambda d: commands.set_epsilon(d, "v1", "robust"),
    "set_scale": lambda d: commands.set_scale(d, 1.0),
    "set_own_scales": lambda d: commands.set_own_scales(d, {"p1": 1.0}),
    "set_kernel": lambda d: commands.set_kernel(d, "v1", "gaussian"),
    "compute_by": lambda d: commands.compute_by(d, "gaussian", None),
    "set_linked": lambda d: commands.set_linked(d, "v1", True),
    "set_param": lambda d: commands.set_param(d, "t", 1),
    "set_preprocess": lambda d: commands.set_preprocess(d, "v1", "none"),
    "tick_view": lambda d: commands.tick_view(d, "v1", True),
    "swap_panels": lambda d: commands.swap_panels(d, "p1", "p1"),
    "pin": lambda d: commands.pin(d, "p6", "eta", 0.2),
    "set_panel": lambda d: commands.set_panel(d, "p6", "multiview", 1.0, {"eta": 0.2}),
    "unpin": lambda d: commands.unpin(d, "p1", "eta"),
    "select": lambda d: commands.select(d, []),
    "colour_by": lambda d: commands.colour_by(d, "labels"),
    "isolate": lambda d: commands.isolate(d, []),
    "style_points": lambda d: commands.style_points(d, opacity=0.9),
}


@pytest.mark.parametrize("name", SAME_AGAIN)
def test_what_changes_nothing_is_no_step(document, name):
    seen = []
    document.changed.connect(seen.append)
    SAME_AGAIN[name](document)
    assert document.undo_label is None
    assert seen == []
    assert not document.dirty


REFUSED = {
    "epsilon 0": lambda d: commands.set_epsilon(d, "v1", 0.0),
    "epsilon below 0": lambda d: commands.set_epsilon(d, "v1", -1.0),
    "epsilon nan": lambda d: commands.set_epsilon(d, "v1", float("nan")),
    "unknown rule": lambda d: commands.set_epsilon(d, "v1", "magic"),
    "eta above 1": lambda d: commands.set_param(d, "eta", 1.1),
    "eta below 0": lambda d: commands.set_param(d, "eta", -0.1),
    "text for a number": lambda d: commands.set_param(d, "t", "many"),
    "half a step": lambda d: commands.set_param(d, "t", 1.5),
    "too many coordinates": lambda d: commands.set_param(d, "n_components", N_SAMPLES),
    "own factor of 0": lambda d: commands.set_panel(d, "p1", None, 0.0, {}),
    "own factor that is text": lambda d: commands.set_panel(d, "p1", None, "much", {}),
    "factor without an ε": lambda d: commands.set_panel(d, "p1", "pca", 2.0, {}),
    "parameter of another method": lambda d: commands.set_panel(d, "p1", "kernel-sum", None, {"eta": 0.1}),
    "own steps of a walk": lambda d: commands.set_panel(d, "p1", None, None, {"t": 1.5}),
    "unknown method of its own": lambda d: commands.set_panel(d, "p1", "magic", None, {}),
    "too many pinned": lambda d: commands.pin(d, "p1", "n_components", N_SAMPLES),
    "no coordinate": lambda d: commands.set_param(d, "n_components", 0),
    "endless bandwidth": lambda d: commands.set_param(d, "joint_epsilon", float("inf")),
    "scale 0": lambda d: commands.set_scale(d, 0.0),
    "pinned eta": lambda d: commands.pin(d, "p1", "eta", 2.0),
    "pinned epsilon": lambda d: commands.pin(d, "p1", "epsilon:v1", -2.0),
    "unknown method": lambda d: commands.set_method(d, "p1", "magic"),
    "unknown method added": lambda d: commands.add_panel(d, "magic"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_edit_leaves_the_document_as_it_was(document, name):
    before = document.state
    with pytest.raises(ParameterError) as caught:
        REFUSED[name](document)
    assert caught.value.hint
    assert document.state == before
    assert document.undo_label is None


def test_a_tenth_panel_is_refused(document):
    while len(document.state.panels) < MAX_PANELS:
        commands.add_panel(document, "multiview")
    before = document.state
    with pytest.raises(ParameterError, match="already 12 panels"):
        commands.add_panel(document, "multiview")
    with pytest.raises(ParameterError, match="already 12 panels"):
        commands.duplicate_panel(document, "p1")
    assert document.state == before


def test_a_closed_panels_id_is_free_again_and_ids_stay_unique(document):
    commands.close_panel(document, "p2")
    assert commands.add_panel(document, "single") == "p2"
    assert commands.add_panel(document, "single") == "p7"
    assert [p.id for p in document.state.panels] == ["p1", "p3", "p4", "p5", "p6", "p2", "p7"]


def test_a_duplicate_stands_beside_its_original_with_its_pins(document):
    copy = commands.duplicate_panel(document, "p6")
    assert [p.id for p in document.state.panels][-2:] == ["p6", copy]
    assert document.state.panel(copy).pins == {"eta": 0.2}
    first = commands.duplicate_panel(document, "p1")
    assert [p.id for p in document.state.panels][:2] == ["p1", first]


def test_a_change_of_method_keeps_pins_and_dimension(document):
    commands.change_panel(document, "p6", "Show in 3-D", dims=3)
    commands.set_method(document, "p6", "single", "v2")
    panel = document.state.panel("p6")
    assert (panel.method, panel.view, panel.dims, panel.pins) == ("single", "v2", 3, {"eta": 0.2})


def test_a_drag_is_one_step(document):
    before = document.state
    for value in (0.1, 0.2, 0.3):
        commands.set_epsilon(document, "v1", value, interactive=True)
    document.end_merge()
    commands.set_epsilon(document, "v1", 0.4, interactive=True)
    document.end_merge()
    document.undo()
    assert document.state.view("v1").epsilon == 0.3
    document.undo()
    assert document.state == before
    document.redo()
    document.redo()
    assert document.state.view("v1").epsilon == 0.4


def test_a_drag_of_two_views_is_one_step_whichever_of_them_moves(document):
    before = document.state
    for epsilon in ({"v1": 0.1, "v2": 0.3}, {"v2": 0.4}, {"v1": 0.2}):
        commands.set_epsilons(document, epsilon, interactive=True)
    document.end_merge()
    assert (document.state.view("v1").epsilon, document.state.view("v2").epsilon) == (0.2, 0.4)
    document.undo()
    assert document.state == before
    with pytest.raises(ParameterError):
        commands.set_epsilons(document, {"v1": 0.1, "v2": -1.0})
    assert document.state == before


def test_edits_of_different_things_are_steps_of_their_own(document):
    commands.set_epsilon(document, "v1", 0.1, interactive=True)
    commands.set_epsilon(document, "v2", 0.1, interactive=True)
    commands.set_epsilon(document, "v1", 0.2, interactive=True)
    labels = []
    while document.undo_label:
        labels.append(document.undo_label)
        document.undo()
    assert labels == ["ε of v1 to 0.2", "ε of v2 to 0.1", "ε of v1 to 0.1"]


def test_the_history_names_all_steps_and_goes_to_any_of_them(document):
    """One change, whatever lies between, so that only the state that is gone to is computed."""
    start = document.state
    commands.set_param(document, "eta", 0.1, interactive=True)
    commands.set_param(document, "eta", 0.2, interactive=True)
    document.end_merge()
    commands.set_preprocess(document, "v1", "zscore")
    commands.select(document, [1, 2])
    commands.colour_by(document, "feature:v1:1")
    end = document.state
    steps = ("η to 0.2", "Preprocess v1: z-scored", "Select 2 samples", "Colour by feature 2 of v1")
    assert (document.steps, document.position) == (steps, 4)
    seen = []
    document.changed.connect(seen.append)
    document.go_to(1)
    assert document.state.params["eta"] == 0.2
    assert document.data.preprocess[0] == "none"
    assert (document.steps, document.position, document.undo_label) == (steps, 1, "η to 0.2")
    document.go_to(99)
    assert document.state == end
    assert document.data.preprocess[0] == "zscore"
    document.go_to(0)
    assert document.state == start
    assert len(seen) == 3
    document.go_to(0)
    document.go_to(-5)
    assert len(seen) == 3
    commands.set_param(document, "t", 3)
    assert document.steps == ("t to 3",)


def test_it_is_told_when_the_first_steps_are_forgotten(document):
    for i in range(UNDO_DEPTH):
        commands.select(document, [i % 5, 5])
        commands.select(document, [i % 5])
    assert (document.position, document.forgets) == (UNDO_DEPTH, True)
    document.reset(document.state, document.data)
    assert (document.steps, document.forgets) == ((), False)


def test_an_undo_ends_the_drag(document):
    commands.set_scale(document, 2.0, interactive=True)
    document.undo()
    commands.set_scale(document, 3.0, interactive=True)
    commands.set_scale(document, 4.0, interactive=True)
    document.undo()
    assert document.state.epsilon_scale == 1.0
    assert document.redo_label == "Scale all ε by 4"


def test_a_drag_after_an_undo_is_no_part_of_the_edit_before_it(document):
    commands.set_param(document, "t", 3)
    commands.set_scale(document, 2.0, interactive=True)
    document.undo()
    commands.set_scale(document, 3.0, interactive=True)
    document.undo()
    assert (document.state.epsilon_scale, document.state.params["t"]) == (1.0, 3)


def test_a_drag_says_that_the_hand_still_moves(document):
    seen = []
    document.changed.connect(seen.append)
    commands.set_param(document, "eta", 0.1, interactive=True)
    commands.set_param(document, "eta", 0.2)
    assert [c.interactive for c in seen] == [True, False]


def test_a_new_edit_forgets_what_was_undone(document):
    commands.set_scale(document, 2.0)
    document.undo()
    commands.set_param(document, "t", 3)
    assert document.redo_label is None
    document.redo()
    assert document.state.params["t"] == 3


def test_undo_and_redo_with_nothing_to_do_change_nothing(document):
    before = document.state
    document.undo()
    document.redo()
    assert document.state == before


def test_undo_brings_the_former_data_back(document):
    data = document.data
    commands.set_preprocess(document, "v1", "zscore")
    assert document.data.preprocess == ("zscore", "none", "none")
    EDITS["open_data"](document)
    assert document.data is OTHER
    document.undo()
    assert document.data.preprocess == ("zscore", "none", "none")
    document.undo()
    assert document.data is data
    document.redo()
    assert document.data.preprocess == ("zscore", "none", "none")
    document.redo()
    assert document.data is OTHER


def test_the_document_is_dirty_while_it_differs_from_what_was_saved(document):
    assert not document.dirty
    commands.set_param(document, "t", 3)
    assert document.dirty
    document.undo()
    assert not document.dirty
    document.redo()
    document.mark_saved()
    assert not document.dirty
    document.undo()
    assert document.dirty


def test_a_new_document_is_empty_and_clean():
    document = Document()
    assert not document.dirty
    assert document.data is None
    assert document.state.panels == ()
    assert (document.undo_label, document.redo_label) == (None, None)


def test_opening_forgets_the_history(document):
    commands.set_param(document, "t", 3)
    document.undo()
    document.reset(document.state, OTHER)
    assert (document.undo_label, document.redo_label, document.dirty) == (None, None, False)


def test_the_history_has_a_length(document):
    for i in range(UNDO_DEPTH + 20):
        commands.select(document, [i % N_SAMPLES])
    steps = 0
    while document.undo_label:
        document.undo()
        steps += 1
    assert steps == UNDO_DEPTH


def test_fresh_data_opens_with_its_views_and_the_methods_that_fuse_them(document):
    panels = document.state.panels
    assert [p.method for p in panels] == ["single", "single", *DEFAULT_METHODS]
    assert [p.view for p in panels[:2]] == ["v1", "v2"]
    assert document.state.colour == "labels"
    alone = circle_data(n_views=1)
    state = commands.initial_state(alone, ("a.csv",), None, False)
    assert [(p.method, p.view) for p in state.panels] == [("single", "v1")]
    assert commands.initial_state(circle_data(5), ("a.csv",), None, False).params["n_components"] == 3


@pytest.mark.parametrize("method", [m.id for m in methods()])
def test_a_new_panel_starts_with_the_first_coordinate_that_tells_something(method):
    """Column 0, unless that is the trivial one, computed here on two views that differ."""
    found = get_method(method)
    assert commands.new_panel(method, "p1").axes[0] == (1 if found.keeps_trivial else 0)
    if found.shows_given:
        return
    helix = make_helix_a(n_samples=120).Xs
    Xs = [*helix, helix[0] ** 2][: found.max_views or 3]
    drawn = embed(Xs, method, epsilon=2.0, n_components=3)
    columns = np.hstack(drawn.view_coordinates[:1]) if drawn.view_coordinates else drawn.coordinates
    spread = np.abs(columns - columns.mean(axis=0)).max(axis=0) / np.abs(columns).max(axis=0)
    assert spread[0] < 0.9 * spread[1] if found.keeps_trivial else spread[0] > 0.1


def test_an_embedding_at_a_factor_is_one_edit():
    """A panel like the one asked for is used where there is one, whatever its id, and added where there is none."""
    document = opened()
    kinds = [(p.method, p.id) for p in document.state.panels]
    swept = commands.new_panel("multiview", "sweep-multiview")
    assert ("multiview", commands.show_at(document, swept, SCALE, 0.5)) in kinds
    assert document.state.epsilon_scale == 0.5
    added = commands.show_at(document, commands.new_panel("concatenation", "sweep-concatenation"), SCALE, 1e9)
    assert [(p.method, p.id) for p in document.state.panels] == [*kinds, ("concatenation", added)]
    assert added not in {id for _, id in kinds}
    assert document.state.epsilon_scale == commands.SCALE_RANGE[1]
    document.undo()
    assert (len(document.state.panels), document.state.epsilon_scale) == (len(kinds), 0.5)
    assert commands.show_at(document, document.state.panels[0], SCALE, None) == kinds[0][1]
    assert document.state.epsilon_scale == 0.5  # the bandwidth has no effect on it
    pinned = document.state.panels[-1].model_copy(update={"pins": {"t": 3}})
    assert commands.show_at(document, pinned, SCALE, 1.0) not in {id for _, id in kinds}
    assert document.state.panels[-1].pins == {"t": 3}
    while len(document.state.panels) < MAX_PANELS:
        commands.add_panel(document, "pca")
    with pytest.raises(ParameterError, match="already 12 panels"):
        commands.show_at(document, commands.new_panel("de-sa", "x").model_copy(update={"pins": {"t": 5}}), SCALE, 1.0)


def test_a_document_set_aside_comes_back_with_its_history():
    document = opened()
    commands.set_scale(document, 2.0)
    document.end_merge()
    commands.set_scale(document, 3.0)
    document.undo()
    state, data, steps, position = document.state, document.data, document.steps, document.position
    other = make_helix_a(n_samples=50)
    aside = document.set_aside(commands.initial_state(other, ("other",), None), other)
    assert (document.data, document.steps) == (other, ())
    commands.set_scale(document, 5.0)
    document.bring_back(aside)
    assert (document.state, document.data) == (state, data)
    assert (document.steps, document.position) == (steps, position)
    document.redo()
    assert document.state.epsilon_scale == 3.0
    document.undo()
    document.undo()
    assert document.state.epsilon_scale == 1.0
    document.bring_back(aside)
    assert document.state == state
