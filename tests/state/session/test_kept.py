"""Work in progress survives other windows and sudden ends: one file per window, each whole at any moment."""

import json
import os
import random
import signal
import sys
import time

import numpy as np
import pytest

from mvexplorer.engine.core.multiview import MultiView
from mvexplorer.io.base.options import ReadOptions
from mvexplorer.io.writing.versions import file_version, try_lock
from mvexplorer.state.document import commands
from mvexplorer.state.session.kept import KEPT, KeptFile, delete_kept, kept_path, kept_work
from mvexplorer.state.session.kept_picture import KeepPictureJob, picture_path
from mvexplorer.state.session.session import open_session, save_session
from mvexplorer.state.session.settings import HOME_VARIABLE, Settings, change_settings, last_session_path, read_settings

posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
KILLS = 12


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(folder))
    return folder


def write(path, text="work", *, own=False, named=()):
    path.parent.mkdir(exist_ok=True)
    state = {"source": [text], "panels": [], "selections": {"named": [{"name": name} for name in named]}}
    path.write_text(json.dumps({"state": state, "own_work": own}))


def test_the_first_window_keeps_its_work_in_the_usual_place_and_others_beside_it():
    windows = [KeptFile() for _ in range(KEPT + 2)]
    assert windows[0].path() == last_session_path()
    assert len({w.path() for w in windows}) == KEPT + 2
    assert windows[0].path() == last_session_path()
    for w in windows:
        w.release()
    assert KeptFile().path() == last_session_path()


def test_work_left_by_a_window_that_is_gone_is_set_aside():
    for i in range(KEPT + 3):
        window = KeptFile()
        write(window.path(), f"work{i}")
        os.utime(window.path(), (i, i))
        window.release()
    found = kept_work(KEPT)
    assert [work.about.title for work in found] == [f"work{i}" for i in range(KEPT + 2, 2, -1)]
    assert found[0].path == last_session_path()
    assert kept_work(2) == found[:2]


def test_own_work_is_never_replaced_and_what_was_only_seen_is():
    for i in range(3 * KEPT):
        window, own = KeptFile(), i % 3 == 0
        write(window.path(), f"own{i}" if own else f"seen{i}", own=own)
        os.utime(window.path(), (i, i))
        window.release()
    left = [work.about.title for work in kept_work(99)]
    assert [name for name in left if name.startswith("own")] == [f"own{3 * i}" for i in reversed(range(KEPT))]
    assert [name for name in left if name.startswith("seen")] == [
        f"seen{i}" for i in reversed(range(3 * KEPT)) if i % 3
    ][: KEPT - 1 + (left[0].startswith("seen"))]


def test_earlier_work_is_listed_with_its_selections_and_age():
    now = time.time()
    write(last_session_path(), "mine", named=("odd ones", "even ones"))
    os.utime(last_session_path(), (now + 3600,) * 2)  # however long this takes, it is no minute old
    assert kept_work(9)[0].line == "mine, 0 panels, selections odd ones and even ones · just now"
    os.utime(last_session_path(), (now - 3 * 3600,) * 2)
    write(kept_path(2), "other", named=[f"group {i}" for i in range(5)])
    os.utime(kept_path(2), (now + 3600,) * 2)
    assert [work.line for work in kept_work(9)] == [
        "other, 0 panels, selections group 0, group 1, group 2 and 2 more · just now",
        "mine, 0 panels, selections odd ones and even ones · 3 h ago",
    ]


def test_earlier_work_is_deleted_unless_a_window_has_it():
    window = KeptFile()
    write(window.path(), own=True)
    assert not delete_kept(window.path())
    assert window.path().exists()
    path = window.path()
    window.release()
    assert delete_kept(path)
    assert kept_work(9) == []


def test_going_on_with_earlier_work_sets_nothing_aside():
    write(last_session_path(), "first")
    version = file_version(last_session_path())
    window = KeptFile()
    window.continue_with(last_session_path(), version)
    assert window.path() == last_session_path()
    assert [work.about.title for work in kept_work(9)] == ["first"]


def test_work_of_a_living_window_or_changed_since_is_never_taken_over():
    living = KeptFile()
    write(living.path(), "living")
    other = KeptFile()
    other.continue_with(living.path(), file_version(living.path()))
    assert other.path() == kept_path(2)
    living.release()
    third = KeptFile()
    version = file_version(last_session_path())
    write(last_session_path(), "newer")
    third.continue_with(last_session_path(), version)
    assert third.path() == last_session_path()
    assert {work.about.title for work in kept_work(9)} == {"newer"}
    assert not last_session_path().exists()


def test_broken_files_are_not_offered(home):
    home.mkdir()
    last_session_path().write_text("{")
    kept_path(2).mkdir()
    write(kept_path(3), "good")
    assert [work.path for work in kept_work(9)] == [kept_path(3)]


def test_work_on_the_same_data_is_known_by_what_was_read_and_how():
    for number, (reading, part) in enumerate([({}, ""), ({"join": None}, ""), ({"join": "id"}, ""), ({}, "12 of 24")]):
        path = kept_path(number + 1)
        write(path, "mine")
        content = json.loads(path.read_text())
        content["state"].update(reading=reading, part_of=part)
        path.write_text(json.dumps(content))
        os.utime(path, (number, number))
    other, by_id, *same = [work.about.data for work in kept_work(9)]
    assert same[0] == same[1]  # an option that nobody chose is none
    assert len({other, by_id, same[0]}) == 3


# Pictures ---------------------------------------------------------------------------------------------------------


class Painted:
    """A picture that is there, or cannot be painted."""

    def __init__(self, content=None):
        self.content = content

    def png(self):
        if self.content is None:
            raise MemoryError("no room for a picture")
        return self.content


def keep_picture(path, content=None):
    KeepPictureJob(path, Painted(content)).write()


def pictures():
    """What each picture beside the kept files holds."""
    folder = last_session_path().parent
    return {path.name: path.read_bytes() for path in folder.glob("*.png")}


def test_a_picture_moves_with_its_work_and_goes_with_it():
    window = KeptFile()
    write(window.path(), "first", own=True)
    keep_picture(window.path(), b"first")
    window.release()
    window = KeptFile()
    write(window.path(), "second", own=True)
    assert pictures() == {"last-2.mvx.png": b"first"}
    keep_picture(window.path(), b"second")
    window.release()
    assert delete_kept(kept_path(2))
    assert pictures() == {"last.mvx.png": b"second"}
    assert delete_kept(last_session_path())
    assert pictures() == {}


def test_work_without_a_picture_does_not_get_that_of_another_whose_place_it_takes():
    for number in range(1, KEPT + 1):
        write(kept_path(number), f"seen{number}")
        keep_picture(kept_path(number), b"seen")
        os.utime(kept_path(number), (100 - number,) * 2)
    picture_path(last_session_path()).unlink()
    window = KeptFile()
    window.path()  # the first takes the place of the oldest
    assert {work.path: work.about.title for work in kept_work(99)}[kept_path(KEPT)] == "seen1"
    assert sorted(pictures()) == [f"last-{number}.mvx.png" for number in range(2, KEPT)]


@pytest.mark.parametrize("picture", [None, Painted(), Painted(b"")])
def test_what_cannot_be_painted_has_no_picture_and_nobody_is_told(picture):
    write(last_session_path())
    keep_picture(last_session_path(), b"of something else")
    KeepPictureJob(last_session_path(), picture).write()
    assert pictures() == {}
    assert len(kept_work(9)) == 1


# Sudden ends ------------------------------------------------------------------------------------------------------


def child(work):
    """A process that only carries out `work`; its id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return pid


@posix
def test_the_end_of_a_process_frees_its_file_and_the_preferences(home):
    home.mkdir()
    read, write_end = os.pipe()

    def hold():
        window = KeptFile()
        settings_lock = try_lock(home / "settings.json.lock")
        os.write(write_end, b"x" if window.path() == last_session_path() and settings_lock is not None else b"-")
        signal.pause()

    pid = child(hold)
    assert os.read(read, 1) == b"x"
    waiting = KeptFile()
    assert waiting.path() == kept_path(2)
    assert try_lock(home / "settings.json.lock") is None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert KeptFile().path() == last_session_path()
    assert try_lock(home / "settings.json.lock") is not None


@pytest.mark.nightly
@posix
def test_killed_at_any_moment_a_session_is_whole(tmp_path):
    names = tmp_path / "data.npz"
    np.savez(names, a=np.eye(5), b=np.ones((5, 2)))
    data = MultiView({"a": np.eye(5), "b": np.ones((5, 2))})
    state = commands.initial_state(data, (str(names),), None, False)
    path = tmp_path / "s.mvx.json"
    save_session(path, state, data, "1")
    choose = random.Random(0)

    def save_for_ever():
        for i in range(10**9):
            # Of very different lengths, so that half of one over the other would be seen.
            changed = state.model_copy(update={"selection": tuple(range(5)) * (i % 7 * 400), "random_state": i})
            save_session(path, changed, data, "1")

    for _ in range(KILLS):
        pid, saves = child(save_for_ever), choose.randrange(1, 5)
        for _ in range(saves):
            before = path.stat()
            while path.stat().st_ino == before.st_ino and path.stat().st_mtime_ns == before.st_mtime_ns:
                time.sleep(0)
        time.sleep(choose.random() * 0.02)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert open_session(path).state.random_state >= saves - 2  # the first may come unseen


@pytest.mark.nightly
@posix
def test_reading_while_another_window_saves_is_never_torn(tmp_path):
    names = tmp_path / "data.npz"
    np.savez(names, a=np.eye(5))
    data = MultiView({"a": np.eye(5)})
    state = commands.initial_state(data, (str(names),), None, False)
    path = tmp_path / "s.mvx.json"
    save_session(path, state, data, "1")

    def save_often():
        for i in range(60):
            save_session(path, state.model_copy(update={"selection": (0,) * (i % 5 * 900)}), data, "1")

    writers = [child(save_often) for _ in range(2)]
    while writers:
        open_session(path)
        done, _ = os.waitpid(-1, os.WNOHANG)
        writers = [pid for pid in writers if pid != done]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.npz", "s.mvx.json"]


@posix
def test_recent_sources_of_two_processes_are_all_kept():
    def open_some(who):
        own = Settings()
        for i in range(5):
            change_settings(lambda s, i=i: s.with_recent((f"{who}{i}",)), own)

    for pid in [child(lambda who=who: open_some(who)) for who in "ab"]:
        os.waitpid(pid, 0)
    assert {s[0] for s in read_settings()[0].recent} == {f"{who}{i}" for who in "ab" for i in range(5)}


def test_what_another_window_changed_is_left_alone():
    mine = Settings(theme="light")
    change_settings(lambda s: s.model_copy(update={"theme": "dark"}), Settings())
    stored, problem = change_settings(lambda s: s.with_recent(("a.csv",)), mine)
    assert (stored.theme, stored.recent, problem) == ("dark", (("a.csv",),), "")
    assert read_settings()[0] == stored


def test_preferences_that_broke_meanwhile_are_written_anew(home):
    change_settings(lambda s: s, Settings(theme="dark"))
    (home / "settings.json").write_text("{")
    stored, problem = change_settings(lambda s: s.with_recent(("a",)), Settings(theme="light"))
    assert (stored.theme, problem) == ("light", "")
    assert read_settings()[0] == stored


@pytest.mark.parametrize("place", ["a file", "below a file", "no name"])
def test_a_folder_of_the_user_that_cannot_be_used(home, monkeypatch, tmp_path, place):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(HOME_VARIABLE, {"a file": str(tmp_path / "file"), "below a file": str(tmp_path / "file" / "x"),
                                       "no name": "x" * 300}[place])  # fmt: skip
    changed, problem = change_settings(lambda s: s.with_recent(("a",)), Settings())
    assert changed.recent == (("a",),)
    assert problem.startswith("The preferences cannot be kept in ")
    assert kept_work(3) == []
    assert KeptFile().path() == last_session_path()


# Names that are no text ---------------------------------------------------------------------------------------------

NAMES = [b"\xff\xfe-data.npz", b"a\nb.npz", b'say "x".npz', b"file-name-bytes:%FF.npz", b"n" * 246 + b".npz"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
@pytest.mark.parametrize("name", NAMES)
def test_data_and_sessions_of_any_name_open_again(tmp_path, name):
    random_numbers = np.random.default_rng(0).normal(size=(8, 3))
    source = os.fsdecode(os.path.join(os.fsencode(tmp_path), name))
    with open(source, "wb") as file:
        np.savez(file, a=random_numbers)
    data = MultiView({"a": random_numbers})
    state = commands.initial_state(data, (source,), None, False)
    for path in (tmp_path / "s.mvx.json", tmp_path / os.fsdecode(b"\xfe\n.mvx.json")):
        save_session(path, state, data, "1")
        path.read_bytes().decode("utf-8")
        assert open_session(path).state.source == (source,)
    moved = tmp_path.with_name(tmp_path.name + "-moved")
    tmp_path.rename(moved)
    assert open_session(moved / "s.mvx.json").data.n_samples == 8
    reading = ReadOptions(labels=source, roles={f"{source}:a": "view"}, names={"a": source}, transpose=(source,))
    kept = Settings().with_recent((source,)).with_reading((source,), reading)
    change_settings(lambda settings: kept, Settings())
    assert read_settings() == (kept, "")
