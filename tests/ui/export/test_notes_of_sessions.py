"""A session that went elsewhere is exported without a window with the notes and class names that it was saved with."""

import shutil
from xml.etree import ElementTree

from windows import small_data, state_of

from mvexplorer.state.bench.headless import compute
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.notes.note import Note
from mvexplorer.state.document.selections import NamedSelection, Selections
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.ui.export.render import write_picture
from mvexplorer.ui.export.sheet import computed_sheet


def words_of(state, data, path):
    """The words on a session's picture, as its SVG has them, with their places."""
    write_picture(computed_sheet(compute(state, data), "Small"), path)
    runs = [node for node in ElementTree.parse(path).getroot().iter() if node.tag.endswith("text")]
    return [("".join(run.itertext()).strip(), run.get("x"), run.get("y")) for run in runs]


def test_notes_are_on_the_pictures_of_a_session_elsewhere(app, tmp_path):
    data = small_data()
    notes = [Note(text="closes", panel="p1", samples=(3,)), Note(text="half", panel="p2", selection="mine")]
    selections = Selections(named=(NamedSelection(name="mine", samples=tuple(range(24))),))
    state = updated(state_of(data, 2), {"notes": notes, "selections": selections, "class_names": True})
    save_session(tmp_path / "work.mvx", state, data, "1.2.3")
    (tmp_path / "elsewhere").mkdir()
    shutil.move(tmp_path / "work.mvx", tmp_path / "elsewhere" / "work.mvx")
    opened = open_session(tmp_path / "elsewhere" / "work.mvx")
    before = words_of(state, data, tmp_path / "before.svg")
    after = words_of(opened.state, opened.data, tmp_path / "after.svg")
    written = [each for each in before if each[0] in ("closes", "half", "a", "b", "c")]
    assert [text for text, *_ in written].count("a") >= 2
    assert {"closes", "half"} <= {text for text, *_ in written}
    assert [each for each in after if each in written] == written
