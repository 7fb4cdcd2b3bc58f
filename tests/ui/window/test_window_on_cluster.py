"""The window's sweeps, null tests and stability on processes of this computer, and what happens when they are lost."""

import os
import re
import subprocess
import sys
import threading
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import numpy as np
import pytest
from timed import timed
from windows import PATIENCE_MS

pytest.importorskip("distributed")
pytestmark = pytest.mark.serial


ROOT = Path(__file__).resolve().parents[3]
FACTORS = (0.5, 1.0, 2.0)


@pytest.fixture(autouse=True)
def quick_scores():
    """Scores as ever: those of other processes are, too."""


@pytest.fixture
def tasks(window, qtbot):
    """The page, at rest on this computer before and after."""
    yield window.bottom.show_page("tasks")
    window.sweeper.stop()
    window.controller.workplace.choose("")
    qtbot.waitUntil(lambda: "close" not in {thread.name for thread in threading.enumerate()}, timeout=PATIENCE_MS)
    qtbot.waitUntil(window.at_rest, timeout=PATIENCE_MS)


def connect(qtbot, page, address):
    """Type an address and wait for the workers."""
    pane = page.where
    pane.box.setCurrentIndex(pane.box.count() - 1)
    pane.box.activated.emit(pane.box.currentIndex())
    pane.field.setText(address)
    pane.connect_button.click()
    qtbot.waitUntil(lambda: len(pane._rows) > 0 or pane._workplace.problem != "", timeout=PATIENCE_MS)
    assert pane._workplace.problem == ""


def points(window):
    return {(c.title, *key): found.each() for c in window.sweeper.curves for key, found in c.points.items()}


def swept(window, qtbot):
    window.sweeper.start(FACTORS, resamples=1)
    qtbot.waitUntil(lambda: not window.sweeper.running, timeout=PATIENCE_MS)
    assert window.sweeper.problems == {}
    return points(window)


def checked(window, qtbot, panel):
    checks = window.workbench.checks
    checks.stop(panel)
    checks._series.pop(panel, None)
    checks.null_test(panel, None, 2)
    checks.stability(panel, "parts", 2)
    qtbot.waitUntil(lambda: not checks.of(panel).running, timeout=PATIENCE_MS)
    found = checks.of(panel)
    assert found.problem == ""
    return found


def numbers(scores):
    return {id: score.value for id, score in scores.items()}


@pytest.mark.nightly
@timed
def test_two_processes_find_what_this_computer_finds(window, qtbot, tasks, timed):
    panel = next(p.id for p in window.document.state.panels if p.method == "multiview")
    here, checks = swept(window, qtbot), checked(window, qtbot, panel)
    connect(qtbot, tasks, "local:2")
    assert (len(tasks.where._rows), tasks.where.box.value) == (2, "local:2")
    there = swept(window, qtbot)
    assert there.keys() == here.keys()
    for key, scores in here.items():
        assert numbers(there[key]) == pytest.approx(numbers(scores), abs=1e-10), key
    found = checked(window, qtbot, panel)
    for view, band in checks.null.items():
        assert found.null[view].real == pytest.approx(band.real, abs=1e-10)
        assert sorted(found.null[view].shuffled) == pytest.approx(sorted(band.shuffled), abs=1e-10)
    known, same = checks.stability["parts"], found.stability["parts"]
    assert np.allclose(same.spread, known.spread, atol=1e-10, equal_nan=True)
    assert [ghost.title for ghost in same.ghosts] == [ghost.title for ghost in known.ghosts]

    # A long sweep is stopped by its row: the cross of the task list.
    window.sweeper.start(tuple(np.geomspace(0.2, 5.0, 400)))
    workers = window.controller.workplace.workers
    qtbot.waitUntil(lambda: any(worker.running for worker in workers.where().workers), timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: any(slot.startswith("sweep:sent") for slot in tasks.rows), timeout=PATIENCE_MS)
    (row,) = (row for slot, row in tasks.rows.items() if slot.startswith("sweep:sent"))
    assert re.match(r"Sweep on 2 processes", row.words._words)
    start = monotonic()
    row.cross.click()
    assert not window.sweeper.running
    while any(worker.running for worker in workers.where().workers):
        assert not timed or monotonic() - start < 10.0  # less than a second on an idle machine
    qtbot.waitUntil(window.at_rest, timeout=PATIENCE_MS)
    assert window.controller.workplace.workers is workers


@contextmanager
def process(program, *arguments):
    """One of Dask's programs."""
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *map(str, arguments), "--no-dashboard"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield started
    finally:
        started.kill()
        started.wait()


@pytest.mark.nightly
@timed
def test_a_killed_scheduler_is_told_and_the_sweep_goes_on_here(window, qtbot, tasks, tmp_path, timed):
    here, file = swept(window, qtbot), tmp_path / "scheduler.json"
    with ExitStack() as open_ones:
        arguments = "--host", "127.0.0.1", "--port", 0, "--scheduler-file", file
        scheduler = open_ones.enter_context(process("scheduler", *arguments))
        qtbot.waitUntil(lambda: file.exists() and file.read_text().strip().endswith("}"), timeout=PATIENCE_MS)
        open_ones.enter_context(process("worker", "--scheduler-file", file, "--nthreads", 1, "--no-nanny"))
        connect(qtbot, tasks, str(file))
        assert tasks.where.box.value == str(file)
        window.sweeper.start(FACTORS, resamples=1)
        qtbot.waitUntil(lambda: window.sweeper.done > 0, timeout=PATIENCE_MS)
        assert window.sweeper.running
        scheduler.kill()
        start, there = monotonic(), window.controller.workplace
        qtbot.waitUntil(lambda: there.workers is None, timeout=PATIENCE_MS)
        assert not timed or monotonic() - start < 5.0
    sentence = r"The scheduler at tcp://127\.0\.0\.1:\d+ does not answer any more: the work goes on on this computer\."
    assert re.fullmatch(sentence, tasks.where.words.text())
    assert re.fullmatch(sentence, window.banners.texts()[0])
    qtbot.waitUntil(lambda: not window.sweeper.running, timeout=PATIENCE_MS)
    assert points(window).keys() == here.keys()
    for key, scores in here.items():
        assert numbers(points(window)[key]) == pytest.approx(numbers(scores), abs=1e-10), key
    window.banners.withdraw("workers")
