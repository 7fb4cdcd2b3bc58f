"""Snapshots: every edit of one is undone, a state comes back with its treatment, and what is gone says so and stays."""

import pytest
from inline import circle_data, opened

from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands, selection_commands
from mvexplorer.state.document import snapshot_commands as snapshots
from mvexplorer.state.document.snapshots import LONGEST_NOTE, Snapshot, Snapshots, Staging


@pytest.fixture
def document():
    return opened(circle_data(n_views=2))


def names(document):
    return document.state.snapshots.names


def test_a_state_comes_back_with_all_that_was_chosen(document):
    commands.set_epsilon(document, "v1", 0.25)
    commands.set_preprocess(document, "v2", "zscore")
    commands.apply_weights(document, "v1", [2.0] * document.data.width(0))
    commands.select(document, (1, 2, 3), "replace", "lasso")
    then, treated = document.state, document.data
    snapshots.keep_snapshot(document, "ring", "It closes here.", Staging(place="tune", scores={"p1": "R² .9"}))
    commands.set_epsilon(document, "v1", 9.0)
    commands.set_preprocess(document, "v2", "none")
    commands.apply_weights(document, "v1", None)
    commands.close_panel(document, "p1")
    commands.select(document, ())
    before = document.state, document.data
    snapshots.show_snapshot(document, "ring")
    now = document.state
    assert now.model_copy(update={"snapshots": then.snapshots}) == then
    assert document.data.fingerprint == treated.fingerprint
    assert document.undo_label == "Show snapshot ring"
    document.undo()
    assert (document.state, document.data) == before


def test_selections_named_later_outlive_a_return(document):
    snapshots.keep_snapshot(document)
    commands.select(document, (4, 5))
    selection_commands.keep_selection(document, "mine")
    snapshots.keep_snapshot(document)
    snapshots.show_snapshot(document, "Snapshot 1")
    assert document.state.selections.names == ("mine",)
    assert document.state.selection == ()
    assert names(document) == ("Snapshot 1", "Snapshot 2")
    later = document.state.snapshots.kept[1].state
    assert not later["snapshots"]["kept"]  # none lies in another
    assert not later["selections"]["named"]  # they are of all states


def test_every_edit_of_snapshots_is_undone(document):
    for name in ("a", "b"):
        snapshots.keep_snapshot(document, name)
    commands.set_scale(document, 2.0)
    edits = [
        lambda: snapshots.keep_snapshot(document),
        lambda: snapshots.rename_snapshot(document, "a", "<b>c</b>"),
        lambda: snapshots.annotate_snapshot(document, "a", "Staging at the left end."),
        lambda: snapshots.retake_snapshot(document, "a"),
        lambda: snapshots.move_snapshot(document, "a", 1),
        lambda: snapshots.delete_snapshot(document, "a"),
        lambda: snapshots.show_snapshot(document, "a"),
    ]
    before = document.state
    for edit in edits:
        edit()
        assert document.state != before
        document.undo()
        assert document.state == before


def test_the_order_and_the_free_names(document):
    for _ in range(3):
        snapshots.keep_snapshot(document)
    snapshots.move_snapshot(document, "Snapshot 3", 0)
    snapshots.delete_snapshot(document, "Snapshot 1")
    snapshots.keep_snapshot(document)
    assert names(document) == ("Snapshot 3", "Snapshot 2", "Snapshot 4")
    snapshots.keep_snapshot(document, "the ring")
    snapshots.keep_snapshot(document)
    assert names(document)[-1] == "Snapshot 5"  # as its card is numbered
    assert [snapshots.is_unnamed(name) for name in ("Snapshot 12", "Snapshot of a ring", "the ring")] == [1, 0, 0]


def test_what_cannot_be_done_to_snapshots_is_said(document):
    snapshots.keep_snapshot(document, "left")
    snapshots.keep_snapshot(document, "right")
    before = document.state
    for edit, words in (
        (lambda: snapshots.keep_snapshot(document, "left"), "already a snapshot called “left”"),
        (lambda: snapshots.rename_snapshot(document, "right", " "), "A snapshot needs a name"),
        (lambda: snapshots.annotate_snapshot(document, "left", "n" * (LONGEST_NOTE + 1)), "2,001 characters"),
    ):
        with pytest.raises(ParameterError, match=words):
            edit()
        assert document.state == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"panels": [{"id": "p1", "method": "umap"}]}, "umap"),
        ({"later": 1}, "later"),
        ({"epsilon_scale": -1}, "epsilon_scale"),
    ],
)
def test_a_snapshot_that_this_program_cannot_show_says_so_and_stays(document, change, words):
    snapshots.keep_snapshot(document, "old")
    (old,) = document.state.snapshots.kept
    strange = Snapshot(name="strange", state={**old.state, **change})
    kept = Snapshots(kept=(strange, old))
    document.apply("as opened", lambda state: state.model_copy(update={"snapshots": kept}))
    commands.set_scale(document, 2.0)
    before = document.state
    with pytest.raises(ParameterError, match="“strange” cannot be shown") as refused:
        snapshots.show_snapshot(document, "strange")
    assert words in refused.value.message
    assert "stays" in refused.value.hint
    assert document.state == before
    snapshots.show_snapshot(document, "old")
    assert document.state.epsilon_scale == 1.0
    assert names(document) == ("strange", "old")


def test_a_snapshot_of_other_data_is_not_shown_over_it(document):
    snapshots.keep_snapshot(document, "here")
    other = circle_data(50, 3, seed=5)
    kept = document.state.snapshots
    fresh = commands.initial_state(other, ("other.csv",), None).model_copy(update={"snapshots": kept})
    commands.open_data(document, other, fresh)
    with pytest.raises(ParameterError, match="is of other data"):
        snapshots.show_snapshot(document, "here")


def test_two_snapshots_have_two_names(document):
    snapshots.keep_snapshot(document, "a")
    (a,) = document.state.snapshots.kept
    with pytest.raises(ValueError, match="same name"):
        Snapshots(kept=(a, a))
