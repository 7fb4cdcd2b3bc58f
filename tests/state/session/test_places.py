"""Where a session's data is found: from its folder, where it was, or where the user says; its content decides."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import ChangedDataError, SessionDataError, SessionError
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.state.bench.headless import run_session
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import LOCATED, open_session, save_session
from mvexplorer.state.session.session_file import MINOR, NEWER


def write_table(path: Path, seed: int) -> Path:
    X = np.random.default_rng(seed).normal(size=(12, 2))
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = "\n".join(f"s{i},{a:.5f},{b:.5f}" for i, (a, b) in enumerate(X))
    path.write_text(f"id,one,two\n{rows}\n")
    return path


@pytest.fixture
def project(tmp_path):
    """A session in a folder of its own, with its two tables in another one beside it."""
    folder = tmp_path / "project"
    tables = [write_table(folder / "data" / f"{name}.csv", seed) for seed, name in enumerate(("left", "right"))]
    loaded = load_source([str(t) for t in tables], ReadOptions(names={"right": "after"}))
    state = commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options)
    (folder / "sessions").mkdir()
    save_session(folder / "sessions" / "work.mvx.json", state, loaded.data, "1")
    return folder


def session_in(folder: Path) -> Path:
    return folder / "sessions" / "work.mvx.json"


def sources(opened) -> list[str]:
    return [Path(path).as_posix() for path in opened.state.source]


def test_a_folder_with_session_and_tables_moves_to_another_place(project, tmp_path):
    moved = Path(shutil.move(project, tmp_path / "elsewhere"))
    opened = open_session(session_in(moved))
    assert sources(opened) == [f"{moved}/data/left.csv", f"{moved}/data/right.csv"]
    assert run_session(session_in(moved)).failed == []


def test_the_session_alone_finds_its_tables_where_they_were(project, tmp_path):
    moved = Path(shutil.move(session_in(project), tmp_path / "work.mvx.json"))
    assert sources(open_session(moved)) == [f"{project}/data/left.csv", f"{project}/data/right.csv"]


def test_the_near_place_wins_where_it_holds_the_same_numbers(project, tmp_path):
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    assert sources(open_session(session_in(copy)))[0] == f"{copy}/data/left.csv"


def test_other_numbers_near_the_session_are_told_and_not_taken(project, tmp_path):
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    write_table(copy / "data" / "left.csv", seed=9)
    opened = open_session(session_in(copy))
    assert sources(opened)[0] == f"{project}/data/left.csv"
    [note] = [note for note in opened.notes if getattr(note, "code", "") == LOCATED]
    assert note == f"left.csv near the session is other data: {project}/data/left.csv was opened."


def test_data_that_has_changed_everywhere_is_never_taken_silently(project, tmp_path):
    write_table(project / "data" / "left.csv", seed=9)
    with pytest.raises(ChangedDataError, match=r"The data has changed .* its 12 samples of left, after hold other"):
        open_session(session_in(project))
    assert open_session(session_in(project), accept_changed=True).data.n_samples == 12


def test_scales_that_are_meant_stay_with_a_session_whose_data_is_the_same(project):
    opened = open_session(session_in(project))
    kept = opened.state.with_view("left", kept_scales="none")
    save_session(session_in(project), kept, opened.data, "1")
    assert open_session(session_in(project)).state.view("left").kept_scales == "none"
    write_table(project / "data" / "left.csv", seed=9)
    changed = open_session(session_in(project), accept_changed=True)
    assert changed.state.view("left").kept_scales == ""


def test_data_that_is_gone_is_found_where_the_user_says(project, tmp_path):
    moved = Path(shutil.move(project / "data", tmp_path / "found"))
    with pytest.raises(SessionDataError, match=r"There is no sample or file called .*left\.csv"):
        open_session(session_in(project))
    for place in (moved, moved / "left.csv", moved / "right.csv"):
        opened = open_session(session_in(project), data=place)
        assert sources(opened) == [f"{moved}/left.csv", f"{moved}/right.csv"]
        assert opened.data.view_names == ("left", "after")
        assert [n.code for n in opened.notes if getattr(n, "code", "") == LOCATED]
    # What was found is saved, and needs no second search.
    save_session(session_in(project), opened.state, opened.data, "1")
    assert sources(open_session(session_in(project))) == [f"{moved}/left.csv", f"{moved}/right.csv"]


@pytest.mark.parametrize("chosen", ["file", "folder"])
def test_a_file_of_another_name_is_accepted_by_its_numbers(project, tmp_path, chosen):
    data = project / "data"
    renamed = data / "links.csv"
    (data / "left.csv").rename(renamed)
    write_table(data / "a-decoy.csv", seed=7)
    opened = open_session(session_in(project), data=renamed if chosen == "file" else data)
    assert sources(opened) == [f"{data}/links.csv", f"{data}/right.csv"]
    assert opened.data.view_names == ("left", "after")
    save_session(session_in(project), opened.state, opened.data, "1")
    again = open_session(session_in(project))
    assert (sources(again), again.data.view_names) == (sources(opened), opened.data.view_names)


def test_what_the_user_says_is_checked(project, tmp_path):
    shutil.move(project / "data", tmp_path / "found")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SessionDataError, match=r"In the folder empty there is no left\.csv, right\.csv"):
        open_session(session_in(project), data=tmp_path / "empty")
    with pytest.raises(SessionDataError, match="There is no file or folder"):
        open_session(session_in(project), data=tmp_path / "nowhere")
    other = write_table(tmp_path / "found" / "left.csv", seed=9)
    with pytest.raises(ChangedDataError):
        open_session(session_in(project), data=other)


def test_labels_in_a_file_of_their_own_move_along(tmp_path):
    folder = tmp_path / "project"
    table = write_table(folder / "x.csv", seed=1)
    (folder / "classes.txt").write_text("kind\n" + "a\nb\n" * 6)
    loaded = load_source(str(table), ReadOptions(labels=str(folder / "classes.txt")))
    state = commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options)
    save_session(folder / "s.mvx.json", state, loaded.data, "1")
    moved = Path(shutil.move(folder, tmp_path / "elsewhere"))
    opened = open_session(moved / "s.mvx.json")
    assert opened.data.labels is not None
    assert opened.state.reading.labels == str(moved / "classes.txt")


# Other versions ---------------------------------------------------------------------------------------------


def altered(path: Path, **changes: object) -> Path:
    content = json.loads(path.read_text("utf-8"))
    for key, value in changes.items():
        *above, last = key.split("__")
        inner = content
        for part in above:
            inner = inner[int(part) if part.isdigit() else part]
        inner[last] = value
    path.write_text(json.dumps(content), "utf-8")
    return path


def test_fields_of_a_newer_program_are_left_out_and_told(project):
    path = altered(
        session_in(project), minor=MINOR + 1, program="99.0", sounds=["ping"], state__weather="mild",
        state__panels__1__glow=0.5, state__reading__mood="good",
    )  # fmt: skip
    opened = open_session(path)
    [note] = [note for note in opened.notes if getattr(note, "code", "") == NEWER]
    assert note.startswith("work.mvx.json was saved by a newer mvexplorer (99.0), and this one left out what it does")
    assert all(field in note for field in ("state.weather", "state.panels.1.glow", "1 more")), note
    assert len(opened.state.panels) == 6


@pytest.mark.parametrize("minor", [MINOR, "high"])
def test_an_unknown_field_of_our_own_version_is_a_fault(project, minor):
    with pytest.raises(SessionError, match="is broken at"):
        open_session(altered(session_in(project), minor=minor, sounds=["ping"]))


def test_a_newer_format_says_to_update(project):
    with pytest.raises(SessionError, match=r"has format 2, this program reads format 1\. Update mvexplorer, or"):
        open_session(altered(session_in(project), format=2))
