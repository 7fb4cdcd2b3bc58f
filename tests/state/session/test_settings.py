"""Preferences: defaults, a broken file set aside, and a folder that cannot be written."""

import os

import pytest
from pydantic import ValidationError

from mvexplorer.private import user_folder
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.session import settings as module
from mvexplorer.state.session.settings import (
    HOME_VARIABLE,
    RECENT,
    Settings,
    last_session_path,
    read_settings,
    write_settings,
)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    monkeypatch.setenv(HOME_VARIABLE, str(folder))
    return folder


def test_the_first_start_has_defaults_and_writes_nothing(home):
    assert read_settings() == (Settings(), "")
    assert 64 <= Settings().memory_mebibytes <= 4096
    assert not Settings().started_before
    assert not home.exists()


def test_preferences_are_kept(home):
    chosen = Settings(theme="dark", animate=False, memory_mebibytes=256).with_recent(("a.csv", "b.csv"))
    assert write_settings(chosen) == ""
    assert read_settings() == (chosen, "")
    assert [p.name for p in home.iterdir()] == ["settings.json"]
    assert write_settings(updated(chosen, {"theme": "light"})) == ""
    assert read_settings()[0].theme == "light"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"theme": "pink"}', b'{"magic": 1}', b"\xff\x00", b"[" * 9999])
def test_a_broken_file_is_set_aside(home, content):
    home.mkdir()
    (home / "settings.json").write_bytes(content)
    found, sentence = read_settings()
    assert found == Settings()
    assert sentence.startswith("The preferences were broken and are kept as ")
    assert (home / "settings.broken.json").read_bytes() == content
    assert read_settings() == (Settings(), "")


def test_preferences_of_former_versions_are_left_out_and_the_others_kept(home):
    home.mkdir()
    (home / "settings.json").write_text('{"theme": "dark", "bandwidth_plot": "reach"}')
    assert read_settings() == (Settings(theme="dark"), "")


def test_preferences_that_cannot_be_read_at_all(home):
    (home / "settings.json").mkdir(parents=True)
    found, sentence = read_settings()
    assert found == Settings()
    assert "defaults are used" in sentence


def test_a_folder_that_cannot_be_written(home):
    home.write_text("a file where the folder should be")
    assert "cannot be kept in" in write_settings(Settings())
    found, sentence = read_settings()
    assert found == Settings()
    assert "\n" not in sentence


def test_recent_sources_are_few_the_latest_first_and_each_once():
    settings = Settings()
    for i in range(RECENT + 5):
        settings = settings.with_recent((f"{i}.csv",))
    settings = settings.with_recent(("7.csv",))
    assert len(settings.recent) == RECENT
    assert settings.recent[:2] == (("7.csv",), (f"{RECENT + 4}.csv",))
    assert len(set(settings.recent)) == RECENT


def test_the_cache_has_bounds():
    for mebibytes in (0, 63, 1 << 21):
        with pytest.raises(ValidationError):
            Settings(memory_mebibytes=mebibytes)


def test_everything_is_kept_in_one_folder(home):
    assert user_folder() == home
    assert last_session_path() == home / "last.mvx.json"


def test_without_the_variable_the_users_own_folder_is_meant(monkeypatch):
    for value in (None, ""):
        if value is None:
            monkeypatch.delenv(HOME_VARIABLE)
        else:
            monkeypatch.setenv(HOME_VARIABLE, value)
        assert module.user_folder().is_absolute()
        assert "mvexplorer" in module.user_folder().name.lower()


def test_preferences_nested_beyond_all_depth_do_not_stop_the_start(home):
    home.mkdir()
    (home / "settings.json").write_text('{"theme": ' + "[" * 100_000)
    settings, problem = read_settings()
    assert settings == Settings()
    assert "were broken and are kept as" in problem


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_preferences_that_are_a_pipe_do_not_stop_the_start(home):
    home.mkdir()
    os.mkfifo(home / "settings.json")
    settings, problem = read_settings()
    assert settings == Settings()
    assert problem


def test_keys_chosen_for_actions_that_had_other_names_are_kept():
    settings = Settings.model_validate({"shortcuts": {"Keep selection": "Ctrl+J", "Undo": "Ctrl+U"}})
    assert settings.shortcuts == {"Save selection": "Ctrl+J", "Undo": "Ctrl+U"}
