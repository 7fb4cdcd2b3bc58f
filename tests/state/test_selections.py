"""Named selections: where they came from in words, how they combine, and what cannot be done to them."""

import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.errors import ParameterError
from mvexplorer.state import commands
from mvexplorer.state import selection_commands as named
from mvexplorer.state.document import Document
from mvexplorer.state.model import DocumentState
from mvexplorer.state.selections import COLOURS, LONGEST, SIGNS, NamedSelection, Selections, combined


@pytest.fixture
def document():
    made = Document()
    data = MultiView({"one": [[float(i), 1.0] for i in range(20)], "two": [[float(i * i)] for i in range(20)]})
    made.reset(commands.initial_state(data, ("memory",), None), data)
    return made


def keep(document, name, samples, origin="lasso in PCA · one"):
    commands.select(document, samples, "replace", origin)
    named.keep_selection(document, name)


def test_the_origin_follows_what_was_picked(document):
    commands.select(document, range(10), "replace", "lasso in Multi-view 2-D")
    commands.select(document, (1, 2), "subtract", "class 3")
    assert document.state.selections.origin == "lasso in Multi-view 2-D, minus class 3"
    commands.select(document, range(5), "intersect")
    assert document.state.selections.origin.endswith(", within 5 samples picked")
    commands.invert_selection(document)
    commands.invert_selection(document)
    assert document.state.selections.origin.startswith("lasso in Multi-view 2-D, minus")
    commands.select(document, (7,), "add", "x" * 900)
    assert len(document.state.selections.origin) <= LONGEST
    document.undo()
    commands.select(document, ())
    assert document.state.selections.origin == ""
    commands.invert_selection(document)
    assert document.state.selections.origin == "all samples"


def test_every_edit_of_named_selections_is_undone(document):
    keep(document, "left", range(8))
    keep(document, "right", range(5, 12))
    before = document.state
    edits = [
        lambda: named.rename_selection(document, "left", "<b>west</b>"),
        lambda: named.recolour_selection(document, "left", 7),
        lambda: named.move_selection(document, "left", 1),
        lambda: named.delete_selections(document, ("left", "right")),
        lambda: named.pick_selection(document, "left"),
        lambda: named.combine_selections(document, ("left", "right"), "union"),
    ]
    for edit in edits:
        edit()
        assert document.state != before
        document.undo()
        assert document.state == before


@pytest.mark.parametrize(
    ("how", "samples"),
    [("union", 12), ("intersection", 3), ("difference", 5), ("symmetric difference", 9)],
)
def test_two_selections_combine(document, how, samples):
    keep(document, "left", range(8))
    keep(document, "right", range(5, 12))
    named.combine_selections(document, ("left", "right"), how)
    made = document.state.selections.named[-1]
    assert len(made.samples) == samples
    assert document.state.selection == made.samples
    assert made.name == made.origin == f"left {SIGNS[how]} right"
    named.combine_selections(document, ("left", "right"), how)
    assert document.state.selections.names[-1] == f"left {SIGNS[how]} right (2)"
    found = {"union": (1, 2, 3), "intersection": (2,), "difference": (1,), "symmetric difference": (1, 3)}
    assert combined((1, 2), (2, 3), how) == found[how]


def test_what_cannot_be_done_is_said_and_changes_nothing(document):
    with pytest.raises(ParameterError, match="Nothing is selected"):
        named.keep_selection(document)
    keep(document, "left", (1, 2))
    keep(document, "right", (3,))
    before = document.state
    for edit, words in (
        (lambda: named.keep_selection(document, "left"), "already a selection called “left”"),
        (lambda: named.rename_selection(document, "right", "left"), "already a selection"),
        (lambda: named.rename_selection(document, "right", " \n "), "needs a name"),
        (lambda: named.rename_selection(document, "right", "n" * 301), "301 characters"),
        (lambda: named.combine_selections(document, ("left", "right"), "intersection"), "No sample is in left ∩ right"),
        (lambda: named.combine_selections(document, ("left",), "union"), "Two selections"),
    ):
        with pytest.raises(ParameterError, match=words):
            edit()
        assert document.state is before
    named.rename_selection(document, "right", "n" * 300)
    named.keep_selection(document)
    named.keep_selection(document)
    assert document.state.selections.names[-2:] == ("Selection", "Selection (2)")


def test_colours_are_given_in_turn_and_an_old_state_has_no_selections(document):
    for i in range(COLOURS + 1):
        keep(document, f"s{i}", (i,))
    assert [each.colour for each in document.state.selections.named] == [*range(COLOURS), 0]
    old = document.state.model_dump()
    del old["selections"]
    assert DocumentState.model_validate(old).selections == Selections()
    twice = NamedSelection(name="a", samples=(3, 1, 3))
    assert twice.samples == (1, 3)
    with pytest.raises(ValueError, match="same name"):
        Selections(named=(twice, twice))
