"""What is played as GIF and numbered PNG: as painted elsewhere, whole or not at all."""

import json
import os
from threading import Event

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from windows import PATIENCE_MS, show_fresh, small_data

from mvexplorer.compute.batch import sweep_path
from mvexplorer.compute.batch.axes import SCALE
from mvexplorer.compute.jobs import jobs
from mvexplorer.compute.jobs.runner import Scores
from mvexplorer.compute.run.cache import StageCache
from mvexplorer.engine.core.task import Task
from mvexplorer.errors import DataError
from mvexplorer.ui.export import frames
from mvexplorer.ui.style import theme
from mvexplorer.ui.widgets import dialogs

VALUES = (0.5, 1.0, 2.0)


@pytest.fixture
def export(window, monkeypatch, qtbot, tmp_path):
    """Plays three values and writes them to a file of this name."""
    monkeypatch.setattr(jobs, "run_scores", lambda *_: Scores())
    bar, asked = window.behaviour.play_bar, []
    bar.open()
    bar.player.choose(SCALE, VALUES)

    def write(name, folder=tmp_path):
        monkeypatch.setattr(dialogs, "choose", lambda *a: asked.append(a[2]) or [".gif", ".png"].index(name[-4:]))
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(folder / name), ""))
        QTest.mouseClick(bar.export, Qt.MouseButton.LeftButton)
        return asked

    yield write
    bar.leave()


def told(window):
    return " ".join(window.banners.texts())


@pytest.mark.nightly
def test_gif(window, export, qtbot, tmp_path):
    before = window.document.state
    (words,) = export("play.gif")
    assert words.startswith("3 pictures of 1,")
    assert "18 embeddings" in words
    path = tmp_path / "play.gif"
    qtbot.waitUntil(lambda: "Saved" in told(window), timeout=PATIENCE_MS)
    with Image.open(path) as found:
        assert (found.n_frames, found.info["loop"]) == (3, 0)
        for frame in range(3):
            found.seek(frame)
            assert found.info["duration"] == window.behaviour.play_bar.duration // 10 * 10
        found.seek(0)
        assert found.width <= 1280
        assert "ε" in found.info["comment"].decode()
    assert window.document.state == before, "exporting is no edit"
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".mvx")]


@pytest.mark.nightly
def test_the_kept_sample_is_ringed_in_every_frame(window, export, qtbot, tmp_path):
    window.editor.keep_sample(7)
    export("ring.png")
    qtbot.waitUntil(lambda: (tmp_path / "ring-3.png").exists() and "Saved" in told(window), timeout=PATIENCE_MS)
    window.editor.keep_sample(None)
    accent = theme.current().color("accent").getRgb()[:3]
    for k in (1, 2, 3):
        with Image.open(tmp_path / f"ring-{k}.png") as found:
            pixels = np.asarray(found.convert("RGB")).astype(int)
        assert (np.abs(pixels - accent).sum(axis=2) < 30).sum() > 6 * 20, "some of each of six rings"


@pytest.mark.nightly
def test_numbered_png_tell_how_they_were_made(window, export, qtbot, tmp_path):
    export("film.png")
    qtbot.waitUntil(lambda: (tmp_path / "film-3.png").exists() and "Saved" in told(window), timeout=PATIENCE_MS)
    used = []
    for k in (1, 2, 3):
        with Image.open(tmp_path / f"film-{k}.png") as found:
            assert found.width <= 1280
            used.append(json.loads(found.text["mvexplorer"])["panels"][0]["views"][0]["epsilon"])
    assert [epsilon / used[1] for epsilon in used] == pytest.approx(VALUES)
    export("film.png")
    qtbot.waitUntil(lambda: "is there already" in told(window), timeout=PATIENCE_MS)


def test_where_it_cannot_be_written_nothing_is_left(window, export, qtbot, tmp_path):
    export("play.gif", tmp_path / "none")
    qtbot.waitUntil(lambda: "cannot be written" in told(window), timeout=PATIENCE_MS)
    assert not (tmp_path / "none").exists()


def test_pictures_that_cannot_all_be_written_are_taken_away(monkeypatch, tmp_path):
    usual, left = frames.writing, [2]

    def full(path):
        left[0] -= 1
        if left[0] < 0:
            raise DataError("The disk is full.", "Make room.")
        return usual(path)

    monkeypatch.setattr(frames, "writing", full)
    job = frames.WriteFramesJob((frames.Frame(b"rgb", {}),) * 3, (1, 1), 100, tmp_path / "a.png")
    with pytest.raises(DataError, match="full"):
        job.run(StageCache(), Task())
    assert not list(tmp_path.glob("a*"))


def test_data_that_goes_ends_it(window, export, qtbot, tmp_path, rest):
    export("play.gif")
    show_fresh(window, small_data(40))
    qtbot.waitUntil(lambda: "was not written" in told(window) or not window.controller.tasks(), timeout=PATIENCE_MS)
    rest(window)
    assert not (tmp_path / "play.gif").exists()


def test_stopping_its_tasks_leaves_nothing(window, export, qtbot, tmp_path, rest, monkeypatch):
    go_on, usual = Event(), sweep_path.run_request

    def held(request, cache, task):  # what other tests have played is known, and would be there before it is stopped
        go_on.wait()
        task.checkpoint()
        return usual(request, cache, task)

    monkeypatch.setattr(sweep_path, "run_request", held)
    export("play.gif")
    window.behaviour.cancel_all()
    go_on.set()
    qtbot.waitUntil(lambda: "It was stopped" in told(window), timeout=PATIENCE_MS)
    rest(window)
    assert not list(tmp_path.glob("play*"))
