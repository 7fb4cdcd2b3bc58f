"""A session with snapshots goes to another folder and another process, and makes the same pictures there."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtGui import QImage

from mvexplorer.compute.run.cache import StageCache
from mvexplorer.datasets.loading import load_source
from mvexplorer.engine.core.task import Task
from mvexplorer.state.bench.snapshot_panels import SnapshotsJob
from mvexplorer.state.document import commands
from mvexplorer.state.document import snapshot_commands as snapshots
from mvexplorer.state.document.document import Document
from mvexplorer.state.document.frozen import updated
from mvexplorer.state.document.snapshots import Snapshots
from mvexplorer.state.session.session import save_session
from mvexplorer.ui.app import application
from mvexplorer.ui.export.contact_sheet import ContactSheet, cell_of

SHEET = """
import sys
from pathlib import Path
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.state.bench.snapshot_panels import SnapshotsJob
from mvexplorer.state.session.session import open_session
from mvexplorer.ui.app import application
from mvexplorer.ui.export.contact_sheet import ContactSheet, cell_of
application("light", exported=True)
opened = open_session(sys.argv[1])
job = SnapshotsJob(opened.state, opened.data, opened.state.snapshots.names, fold=cell_of)
ContactSheet("talk", job.run(StageCache(), Task())).write(Path(sys.argv[2]))
"""


@pytest.fixture
def document(tmp_path):
    """A document on a file, with a snapshot at three times the ε and one whose method is gone."""
    random = np.random.default_rng(0)
    np.savez(tmp_path / "data.npz", a=random.normal(size=(24, 3)), b=random.normal(size=(24, 2)))
    loaded = load_source(str(tmp_path / "data.npz"))
    made = Document()
    made.reset(commands.initial_state(loaded.data, loaded.sources, None, reading=loaded.options), loaded.data)
    commands.set_scale(made, 3.0)
    snapshots.keep_snapshot(made, "wide", "All of them are neighbours.")
    snapshots.keep_snapshot(made, "gone")
    wide, gone = made.state.snapshots.kept
    panels = [{**panel, "method": "umap"} for panel in gone.state["panels"]]
    broken = Snapshots(kept=(wide, updated(gone, {"state": {**gone.state, "panels": panels}})))
    made.apply("Break it", lambda state: state.model_copy(update={"snapshots": broken}))
    commands.set_scale(made, 1.0)
    return made


def python(*words):
    """Run Python in a process of its own; returns what it says."""
    ended = subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_a_session_with_snapshots_makes_the_same_pictures_elsewhere(document, tmp_path):
    save_session(tmp_path / "talk.mvx", document.state, document.data, "1.2.3")
    application("light", exported=True)
    job = SnapshotsJob(document.state, document.data, document.state.snapshots.names, fold=cell_of)
    ContactSheet("talk", job.run(StageCache(), Task())).write(tmp_path / "here.png")
    python("-m", "mvexplorer", "run", tmp_path / "talk.mvx", "--export", tmp_path / "first")

    elsewhere = tmp_path / "other" / "place"
    elsewhere.mkdir(parents=True)
    shutil.move(tmp_path / "talk.mvx", elsewhere / "talk.mvx")
    (tmp_path / "data.npz").unlink()
    python("-m", "mvexplorer", "run", elsewhere / "talk.mvx", "--export", tmp_path / "second")
    python("-c", SHEET, elsewhere / "talk.mvx", tmp_path / "there.png")

    assert QImage(str(tmp_path / "first" / "comparison.png")) == QImage(str(tmp_path / "second" / "comparison.png"))
    here, there = (QImage(str(tmp_path / f"{place}.png")) for place in ("here", "there"))
    assert here == there
    records = [json.loads(image.text("mvexplorer"))["snapshots"] for image in (here, there)]
    assert [each["name"] for each in records[1]] == ["wide", "gone"]  # it stays
    assert records[1][0]["note"] == "All of them are neighbours."
    assert "“gone” cannot be shown" in records[1][1]["problem"]
    assert "umap" in records[1][1]["problem"]
