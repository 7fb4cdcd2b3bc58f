"""What the program keeps for itself can be read by its user alone; what he exports has his usual permissions."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mvexplorer as mvx
from mvexplorer.failures import FailureListener
from mvexplorer.io.base.guards import READ_LIMIT
from mvexplorer.io.reading.files import read_files
from mvexplorer.io.writing.versions import write_bytes
from mvexplorer.private import HOME_VARIABLE, make_own_folder, user_folder
from mvexplorer.scratch import cache_folder
from mvexplorer.state.bench.remote_window import _next_file
from mvexplorer.state.document.model import DocumentState
from mvexplorer.state.session.kept import KeptFile
from mvexplorer.state.session.session import save_session
from mvexplorer.state.session.settings import Settings, change_settings, log_folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's folder, not yet made, of a user whose files all may read."""
    before = os.umask(0o022)
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "above" / "home"))
    yield tmp_path / "above" / "home"
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def convert(folder: Path, permissions: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy of a file that is larger than memory."""
    monkeypatch.setenv(READ_LIMIT, "0.001")
    source = folder / "large.csv"
    source.write_text("\n".join(",".join(map(str, row)) for row in np.arange(180_000.0).reshape(3000, 60)))
    source.chmod(permissions)
    read_files([source])
    (copy,) = cache_folder().glob("*.npy")
    return copy


def save_work(path: Path) -> None:
    data = mvx.MultiView([np.eye(5), np.eye(5)])
    save_session(path, DocumentState(), data, "1.0")


def keep_everything() -> None:
    """Make each folder, and each file that lies in no folder of its own."""
    change_settings(lambda settings: settings, Settings())
    file = KeptFile()
    save_work(file.path())
    file.release()
    FailureListener(log_folder()).close()
    _next_file()
    make_own_folder(cache_folder())


def test_every_folder_of_the_program_is_its_users_alone(home: Path) -> None:
    keep_everything()
    folders = [path for path in (home.parent, *home.parent.rglob("*")) if path.is_dir()]
    assert {path.name for path in folders} == {"above", "home", "log", "from-python", "converted"}
    assert {path: oct(mode(path)) for path in folders} == dict.fromkeys(folders, oct(0o700))


def test_preferences_and_kept_work_are_their_users_alone_in_a_folder_that_he_left_open(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "settings.json").write_text("{}")
    keep_everything()
    assert mode(home) == 0o755
    found = {path.name: oct(mode(path)) for path in home.glob("*.json")}
    assert found == dict.fromkeys(("settings.json", "last.mvx.json"), oct(0o600))


def test_folders_that_earlier_versions_left_open_are_closed(home: Path) -> None:
    for name in ("log", "from-python", "converted"):
        (home / name).mkdir(parents=True)
    keep_everything()
    assert [oct(mode(home / name)) for name in ("log", "from-python", "converted")] == 3 * [oct(0o700)]


def test_the_usual_folder_is_closed_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    user_folder().mkdir(parents=True)
    change_settings(lambda settings: settings, Settings())
    assert mode(user_folder()) == 0o700


def test_a_folder_that_the_user_linked_elsewhere_stays_as_he_made_it(home: Path, tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    home.mkdir(parents=True)
    (home / "converted").symlink_to(tmp_path / "large disk")
    make_own_folder(cache_folder())
    assert mode(tmp_path / "large disk") == 0o755


@pytest.mark.parametrize(("permissions", "copied"), [(0o600, 0o600), (0o644, 0o600), (0o440, 0o400)])
def test_who_may_not_read_a_file_may_not_read_its_copy(
    permissions: int, copied: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = convert(tmp_path, permissions, monkeypatch)
    assert oct(mode(copy)) == oct(copied)
    assert read_files([tmp_path / "large.csv"]).data.n_samples == 3000  # the copy itself can be read again


def test_what_the_user_saves_elsewhere_has_his_usual_permissions(tmp_path: Path) -> None:
    save_work(tmp_path / "mine.mvx.json")
    write_bytes(tmp_path / "any.csv", b"1")
    assert [mode(tmp_path / name) for name in ("mine.mvx.json", "any.csv")] == [0o644, 0o644]
