"""A drag: approximate answers while the hand moves, exact ones as soon as it lets go."""

from inline import Inline

from mvexplorer.datasets.catalogue import find_sample, open_sample
from mvexplorer.state import commands
from mvexplorer.state.controller import Controller
from mvexplorer.state.document import Document


def opened():
    document = Document()
    controller = Controller(document, executor=Inline(), background=Inline())
    data = open_sample("helix-a")
    commands.open_data(document, data, commands.initial_state(data, ("helix-a",), find_sample("helix-a"), False))
    return document, controller


def drafts(controller):
    return {id: r.result.request.draft for id, r in controller.results.items()}


def test_drafts_follow_the_hand_and_exact_answers_replace_them():
    document, controller = opened()
    assert not any(drafts(controller).values())
    commands.set_scale(document, 1.02, dragging=True)
    assert all(drafts(controller).values())
    drafted = {id: r.result for id, r in controller.results.items()}
    commands.set_scale(document, 1.04, dragging=True)
    controller.hand_let_go()
    assert not any(drafts(controller).values())
    for id, found in controller.results.items():
        assert found.status == "ready"
        assert found.result is not drafted[id]
        assert found.result.embedding.epsilon[0] == 0.36 * 1.04
    controller.shutdown()


def test_resting_without_letting_go_is_enough():
    document, controller = opened()
    commands.set_epsilon(document, "view1", 0.37, dragging=True)
    controller.hand_rests()
    assert not any(drafts(controller).values())
    controller.shutdown()


def test_an_edit_that_is_not_a_drag_is_exact_at_once():
    document, controller = opened()
    commands.set_scale(document, 1.1)
    assert not any(drafts(controller).values())
    document.undo()
    assert not any(drafts(controller).values())
    controller.shutdown()


def test_another_method_has_nothing_to_start_from():
    document, controller = opened()
    panel = document.state.panels[2].id
    commands.set_method(document, panel, "concatenation")
    commands.set_scale(document, 1.01, dragging=True)
    assert controller.result(panel).result.request.draft
    commands.tick_view(document, "view2", False)
    assert not controller.result(document.state.panels[0].id).result.request.draft
    controller.shutdown()
