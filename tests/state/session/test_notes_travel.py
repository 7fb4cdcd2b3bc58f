"""Notes in session files: they move along with the data, and a session of before has none."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands, selection_commands
from mvexplorer.state.document import snapshot_commands as snapshots
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.notes import note_commands as notes
from mvexplorer.state.document.notes.targets import drawn_notes
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.state.session.session_file import MINOR, parse_session

TEXT = "“</script>” it turns \u202ehere"


@pytest.fixture
def document(tmp_path):
    """A document on files, with a note on a named selection, which a snapshot has elsewhere."""
    random = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", a=random.normal(size=(12, 3)), b=random.normal(size=(12, 2)))
    loaded = load_source(str(tmp_path / "data.npz"))
    made = Document()
    made.reset(commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options), loaded.data)
    commands.select(made, (1, 5))
    selection_commands.keep_selection(made, "edge")
    notes.add_note(made, "p1", TEXT, (0.25, -0.5), "edge", ())
    notes.name_classes(made, True)
    snapshots.keep_snapshot(made, "then")
    notes.move_note(made, 0, (0.0, 0.5))
    return made


@pytest.mark.parametrize("name", ["work.mvx.json", "work.mvx"])
def test_notes_move_with_a_session(document, tmp_path, name):
    save_session(tmp_path / name, document.state, document.data, "1.2.3")
    elsewhere = tmp_path / "other" / "place"
    elsewhere.mkdir(parents=True)
    for file in (name, "data.npz"):
        shutil.move(tmp_path / file, elsewhere / file)
    opened = open_session(elsewhere / name)
    (each,) = drawn_notes(opened.state, "p1", opened.data.n_samples)
    assert (each.note.text, each.rows.tolist(), each.note.place) == (TEXT, [1, 5], (0.0, 0.5))
    assert opened.state.class_names
    again = Document()
    again.reset(opened.state, opened.data)
    snapshots.show_snapshot(again, "then")
    assert again.state.notes[0].place == (0.25, -0.5)


def test_the_first_sessions_have_no_notes(document, tmp_path):
    former = Path(__file__).parents[2] / "data" / "session-1.mvx.json"
    content, notices = parse_session(former.read_bytes(), former.name)
    assert (content.state.notes, content.state.class_names, notices) == ((), False, ())
    save_session(tmp_path / "work.mvx.json", document.state, document.data, "1.2.3")
    assert json.loads((tmp_path / "work.mvx.json").read_text("utf-8"))["minor"] == MINOR >= 6
