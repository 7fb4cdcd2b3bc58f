"""Notes on pictures: every edit is undone, and a note whose panel, selection or samples are gone stays, undrawn."""

import pytest
from inline import circle_data, opened

from mvexplorer.errors import MVExplorerError, ParameterError
from mvexplorer.state.document import commands, selection_commands
from mvexplorer.state.document import snapshot_commands as snapshots
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.document.notes import note_commands as notes
from mvexplorer.state.document.notes.note import LONGEST_TEXT, Note
from mvexplorer.state.document.notes.targets import absence, drawn_notes, notes_within, target_of
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.state.session.part import part_state

N = 90


@pytest.fixture
def document():
    made = opened(circle_data(n_views=2))
    commands.select(made, (3, 1, 2), "replace", "lasso")
    selection_commands.keep_selection(made, "edge")
    made.reset(made.state, made.data)
    return made


def add(document, text="Here it turns.", panel="p1", selection="", samples=(4, 2)):
    notes.add_note(document, panel, text, (0.1, -0.2), selection, samples)


def drawn(document, panel="p1"):
    return [(each.note.text, each.rows.tolist()) for each in drawn_notes(document.state, panel, N)]


def test_every_edit_of_notes_is_one_step(document):
    empty = document.state
    add(document)
    one = document.state
    assert (document.undo_label, drawn(document)) == ("Add note Here it turns.", [("Here it turns.", [2, 4])])
    notes.change_note(document, 0, "  It turns\nhere. ")
    assert document.state.notes[0].text == "It turns here."
    for k in range(5):
        notes.move_note(document, 0, (0.1 * k, 3.0), interactive=True)
    document.end_merge()
    assert document.state.notes[0].place == (0.4, 1.0)
    assert document.undo_label == "Move note It turns here."
    notes.delete_note(document, 0)
    notes.name_classes(document, True)
    assert (document.state.notes, document.state.class_names) == ((), True)
    for label in ("Show class names on the map", "Delete note It turns here.", "Move note It turns here.",
                  "Change note to It turns here."):  # fmt: skip
        assert document.undo_label == label
        document.undo()
    assert document.state == one
    document.undo()
    assert document.state == empty


def test_what_is_no_note_is_refused(document):
    for text in ("", " \n ", "x" * (LONGEST_TEXT + 1)):
        with pytest.raises(ParameterError):
            add(document, text)
    with pytest.raises(ParameterError, match="nothing for a note to point at"):
        add(document, samples=())
    add(document)
    with pytest.raises(ParameterError):
        notes.change_note(document, 0, "")
    for place in ((float("nan"), 0.0), (2.0, 0.0)):
        with pytest.raises((MVExplorerError, ValueError)):
            Note(text="a", panel="p1", samples=(1,), place=place)


def test_a_note_follows_its_selection_to_another_name_in_snapshots_too(document):
    add(document, selection="edge", samples=())
    snapshots.keep_snapshot(document, "then")
    selection_commands.rename_selection(document, "edge", "rim")
    assert drawn(document) == [("Here it turns.", [1, 2, 3])]
    notes.delete_note(document, 0)
    snapshots.show_snapshot(document, "then")
    assert drawn(document) == [("Here it turns.", [1, 2, 3])]
    while document.undo_label != "Rename selection edge":
        document.undo()
    document.undo()
    assert document.state.selections.names == ("edge",)
    assert drawn(document) == [("Here it turns.", [1, 2, 3])]


def test_a_broken_snapshot_is_no_reason_not_to_rename_a_selection(document):
    snapshots.keep_snapshot(document, "then")
    (kept,) = document.state.snapshots.kept
    broken = kept.model_copy(update={"state": kept.state | {"notes": [7, {"text": 3}]}})
    state = document.state.model_copy(update={"snapshots": Snapshots(kept=(broken,))})
    document.reset(state, document.data)
    selection_commands.rename_selection(document, "edge", "rim")
    assert document.state.snapshots.kept == (broken,)


def test_a_note_without_its_selection_stays_and_says_so(document):
    add(document, selection="edge", samples=())
    selection_commands.delete_selections(document, ["edge"])
    assert drawn(document) == []
    assert absence(document.state, document.state.notes[0], N) == "there is no selection “edge”"
    document.undo()
    assert drawn(document)
    assert absence(document.state, document.state.notes[0], N) == ""


def test_a_note_of_a_closed_panel_waits_for_it_and_no_other_panel_gets_it(document):
    last = document.state.panels[-1].id
    add(document, panel=last)
    commands.close_panel(document, last)
    assert absence(document.state, document.state.notes[0], N) == "its panel is not on show"
    other = commands.add_panel(document, "pca")
    assert other != last
    assert not drawn(document, other)
    document.undo()
    document.undo()
    assert drawn(document, last)


def test_a_note_on_samples_that_are_not_there_stays(document):
    add(document, samples=(3, N + 5))
    assert drawn(document) == [("Here it turns.", [3])]
    add(document, samples=(N + 5,))
    assert len(drawn(document)) == 1
    assert absence(document.state, document.state.notes[1], N) == "its samples are not here"


def test_a_note_points_at_what_is_selected_by_name_or_at_the_kept_sample(document):
    assert target_of(document.state, 7) == {"selection": "edge", "samples": ()}
    commands.select(document, (8, 9))
    assert target_of(document.state, 7) == {"selection": "", "samples": (8, 9)}
    commands.select(document, ())
    assert target_of(document.state, 7) == {"selection": "", "samples": (7,)}
    assert target_of(document.state, None) == {"selection": "", "samples": ()}


def test_a_part_of_the_samples_takes_the_notes_that_point_into_it(document):
    add(document, samples=(2, 40))
    add(document, "on the rim", selection="edge", samples=())
    add(document, "elsewhere", samples=(70,))
    part = part_state(document.state, document.data.take(list(range(2, 50))), range(2, 50), "a part")
    assert [(each.text, each.samples, each.selection) for each in part.notes] == [
        ("Here it turns.", (0, 38), ""), ("on the rim", (), "edge"),
    ]  # fmt: skip
    assert notes_within((), {}) == ()


def test_notes_come_back_from_json(document):
    add(document, "“<b>” & ε\u202e → \U0001f600")
    again = DocumentState.model_validate_json(document.state.model_dump_json())
    assert again == document.state
