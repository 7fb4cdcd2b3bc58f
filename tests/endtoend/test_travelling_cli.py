"""Sessions that travel, on the command line: a folder that moved, data that moved, and a session with its data."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from command import main_in, mvexplorer_in

from mvexplorer.datasets.loading import load_source
from mvexplorer.state.document import commands
from mvexplorer.state.session.session import save_session


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a table, a session about it, and the same session with its data."""
    folder = tmp_path / "project"
    folder.mkdir()
    random = np.random.default_rng(0)
    np.savez(folder / "d.npz", a=random.normal(size=(20, 3)), b=random.normal(size=(20, 2)), label=["x", "y"] * 10)
    loaded = load_source(str(folder / "d.npz"))
    state = commands.initial_state(loaded.data, loaded.sources, None)
    for ending in (".mvx.json", ".mvx"):
        save_session(folder / f"work{ending}", state, loaded.data, "1")
    return folder


@pytest.mark.nightly
def test_a_folder_moves_and_its_session_is_computed(project, tmp_path):
    moved = Path(shutil.move(project, tmp_path / "other place"))
    assert mvexplorer_in(tmp_path, "run", moved / "work.mvx.json").returncode == 0


def test_data_that_moved_is_asked_for_by_name_and_given_by_a_flag(project, tmp_path):
    (tmp_path / "found").mkdir()
    moved = Path(shutil.move(project / "d.npz", tmp_path / "found" / "renamed.npz"))
    lost = main_in(tmp_path, "run", project / "work.mvx.json")
    assert lost.returncode == 2
    assert lost.stderr.count("\n") == 1
    assert "There is no sample or file called" in lost.stderr
    assert "Put it back, or say where it is: --data PATH, its folder or one of its files." in lost.stderr
    for place in (moved, moved.parent):
        found = main_in(tmp_path, "run", project / "work.mvx.json", "--data", place)
        assert (found.returncode, "was found there" in found.stderr) == (0, True)


@pytest.mark.nightly
def test_who_has_only_the_file_with_the_data_has_everything(project, tmp_path):
    alone = Path(shutil.move(project / "work.mvx", tmp_path / "alone.mvx"))
    shutil.rmtree(project)
    table = main_in(tmp_path, "run", alone)
    assert (table.returncode, len(table.stdout.splitlines())) == (0, 7)
    done = main_in(tmp_path, "embed", alone, "--method", "kernel-sum", "--out", tmp_path / "y.npz")
    assert done.returncode == 0
    read = main_in(tmp_path, "import", alone, "--json")
    assert [view["name"] for view in json.loads(read.stdout)["views"]] == ["a", "b"]
    compared = main_in(tmp_path, "compare", alone, "--methods", "kernel-sum", "--out", tmp_path / "c.png")
    assert (compared.returncode, "NMI" in compared.stdout) == (0, True)
    shot = mvexplorer_in(tmp_path, "screenshot", alone, "--out", tmp_path / "s.png")
    assert (shot.returncode, shot.stderr) == (0, "")


def test_a_damaged_one_is_one_sentence(project, tmp_path):
    path = project / "work.mvx"
    path.write_bytes(path.read_bytes()[:300])
    for process, *command in (
        (main_in, "run", path),
        (main_in, "embed", path, "--method", "single"),
        (mvexplorer_in, "screenshot", path, "--out", tmp_path / "s.png"),
    ):
        done = process(tmp_path, *command)
        assert done.returncode == 2
        assert done.stderr == (
            "mvexplorer: “work.mvx” breaks off, or is no session with data. Get a whole copy of it, or save it again.\n"
        )
