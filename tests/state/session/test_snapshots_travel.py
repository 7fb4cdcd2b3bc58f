"""Snapshots in session files: they move along with the data, beside it or with it inside, and show the same."""

import json
import os
import shutil

import numpy as np
import pytest

from mvexplorer.datasets.loading import load_source
from mvexplorer.errors import ParameterError
from mvexplorer.state.document import commands
from mvexplorer.state.document import snapshot_commands as snapshots
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.snapshots import Staging
from mvexplorer.state.session.session import open_session, save_session

STAGING = Staging(
    cameras={"p1": ((0, -1, 0), (1, 0, 0), (0, 0, 1))}, place="tune", scores={"p1": "NMI .9"}, picture="iVBO"
)


@pytest.fixture
def document(tmp_path):
    """A document on files, with a snapshot at three times the ε."""
    random = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", a=random.normal(size=(12, 3)), b=random.normal(size=(12, 2)))
    loaded = load_source(str(tmp_path / "data.npz"))
    made = Document()
    made.reset(commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options), loaded.data)
    commands.set_scale(made, 3.0)
    snapshots.keep_snapshot(made, "wide", "All of them are neighbours.", STAGING)
    commands.set_scale(made, 1.0)
    return made


def shown(opened):
    """The document of an opened session, at its snapshot."""
    again = Document()
    again.reset(opened.state, opened.data)
    (kept,) = opened.state.snapshots.kept
    assert (kept.name, kept.note, kept.staging) == ("wide", "All of them are neighbours.", STAGING)
    snapshots.show_snapshot(again, "wide")
    return again.state


@pytest.mark.parametrize("name", ["work.mvx.json", "work.mvx"])
def test_snapshots_move_with_a_session(document, tmp_path, name):
    save_session(tmp_path / name, document.state, document.data, "1.2.3")
    elsewhere = tmp_path / "other" / "place"
    elsewhere.mkdir(parents=True)
    for file in (name, "data.npz"):
        shutil.move(tmp_path / file, elsewhere / file)
    for _ in range(2):  # and once more, saved from there
        opened = open_session(elsewhere / name)
        assert opened.state.epsilon_scale == 1.0
        assert shown(opened).epsilon_scale == 3.0
        save_session(elsewhere / name, opened.state, opened.data, "1.2.3")


def test_snapshots_follow_data_that_the_user_found_under_another_name(document, tmp_path):
    path = tmp_path / "work.mvx.json"
    save_session(path, document.state, document.data, "1.2.3")
    os.rename(tmp_path / "data.npz", tmp_path / "renamed.npz")
    assert shown(open_session(path, data=tmp_path / "renamed.npz")).epsilon_scale == 3.0


def test_a_broken_snapshot_does_not_keep_a_session_from_opening(document, tmp_path):
    path = tmp_path / "work.mvx.json"
    save_session(path, document.state, document.data, "1.2.3")
    content = json.loads(path.read_text("utf-8"))
    content["state"]["snapshots"]["kept"][0]["state"]["panels"][0]["method"] = "umap"
    path.write_text(json.dumps(content), "utf-8")
    opened = open_session(path)
    assert opened.state.snapshots.names == ("wide",)
    with pytest.raises(ParameterError, match=r"“wide” cannot be shown: .*umap"):
        shown(opened)
    save_session(path, opened.state, opened.data, "1.2.3")
    assert json.loads(path.read_text("utf-8"))["state"]["snapshots"] == content["state"]["snapshots"]
