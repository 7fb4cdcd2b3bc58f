"""Every ε multiplied for one panel: what is told of its picture, and when nothing is."""

import pytest
from inline import Inline, Later, opened

import mvexplorer as mvx
from mvexplorer.compute.jobs import jobs
from mvexplorer.errors import ComputeError
from mvexplorer.state.document import commands
from mvexplorer.state.pictures.editor import Editor
from mvexplorer.wording import fraction

SUM, PCA = "p3", "p5"


@pytest.fixture
def bench(document, make):
    """A document with its controller and editor, which computes at once, and what the editor told."""
    controller, told = make(document, executor=Inline(), background=Inline()), list[str]()
    editor = Editor(document, controller)
    editor.rescaled.connect(told.append)
    controller.refresh()
    return document, controller, editor, told


def test_the_trustworthiness_before_and_after_is_told(bench):
    document, controller, editor, told = bench
    before = controller.result(SUM).result.embedding
    assert editor.can_rescale(SUM, 3.0)
    assert editor.rescale(SUM, 3.0)
    each = [before, controller.result(SUM).result.embedding]
    was, now = (fraction(mvx.label_free(e, document.data).trustworthiness.value) for e in each)
    assert told == [f"All ε scaled by 3: the trustworthiness of panel 3, Kernel sum changed from {was} to {now}."]
    document.undo()
    assert document.state.epsilon_scale == 1.0
    assert len(told) == 1


def test_it_is_not_offered_where_it_changes_nothing(bench):
    document, _, editor, _ = bench
    assert not editor.can_rescale("p99", 3.0)
    for view in document.state.views:
        commands.set_linked(document, view.name, False)
    assert not editor.can_rescale(SUM, 3.0)
    for view in document.state.views:
        commands.set_linked(document, view.name, True)
    commands.set_scale(document, 500.0)
    assert not editor.can_rescale(SUM, 3.0)
    commands.set_scale(document, 1.0)
    commands.set_method(document, PCA, "pca")
    assert not editor.can_rescale(PCA, 3.0)


def test_another_edit_meanwhile_ends_it(make):
    document, later = opened(), Later()
    controller, told = make(document, executor=later, background=later), list[str]()
    editor = Editor(document, controller)
    editor.rescaled.connect(told.append)
    controller.refresh()
    later.run_all()
    editor.rescale(SUM, 3.0)
    commands.set_scale(document, 5.0)
    later.run_all()
    later.run_all()
    assert (controller.result(SUM).status, told) == ("ready", [])


def test_what_was_undone_is_not_told(make):
    document, later = opened(), Later()
    controller, told = make(document, executor=Inline(), background=later), list[str]()
    editor = Editor(document, controller)
    editor.rescaled.connect(told.append)
    controller.refresh()
    later.run_all()
    editor.rescale(SUM, 3.0)
    document.undo()
    later.run_all()
    assert told == []


def test_why_there_is_nothing_to_tell_is_told(bench, monkeypatch):
    _, _, editor, told = bench

    def fails(*_):
        raise ComputeError("No solution.", "Raise ε.")

    monkeypatch.setattr(jobs, "run_request", fails)
    editor.rescale(SUM, 3.0)
    assert told == ["All ε scaled by 3: panel 3, Kernel sum has no picture there. No solution. Raise ε."]
    assert not editor.can_rescale(SUM, 3.0)  # without a picture there is no before


def test_one_bandwidth_of_all_views_is_not_multiplied(bench):
    document, _, editor, _ = bench
    commands.set_method(document, SUM, "concatenation")
    assert editor.can_rescale(SUM, 3.0)
    commands.set_param(document, "joint_epsilon", 0.5)
    assert not editor.can_rescale(SUM, 3.0)
