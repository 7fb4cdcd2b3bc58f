"""What stands beside an open figure: its words, its bars as the panels show them, its run, its knob."""

import time
from threading import Event

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from windows import PATIENCE_MS, show_data, small_data

from mvexplorer.errors import DataError
from mvexplorer.experiments import desk
from mvexplorer.experiments.experiment import Bar
from mvexplorer.experiments.table import find_experiment
from mvexplorer.state.document import commands
from mvexplorer.ui.gallery.beside import BarRows

pytestmark = pytest.mark.panels(3)

RING, NOISE = "lindenbaum2015-fig9", "lindenbaum2015-fig19"


@pytest.fixture
def opened(window, rest, qtbot):
    """Opens a figure in the shared window, and waits until its bars are measured."""

    def open_(id):
        window.gallery.open(id)
        qtbot.waitUntil(lambda: window.document.state.experiment == id, timeout=PATIENCE_MS)
        rest(window)
        qtbot.waitUntil(lambda: bool(window.gallery.desk.now), timeout=PATIENCE_MS)
        return window.gallery.beside

    yield open_
    window.gallery.desk.found.clear()
    window.gallery.desk.said.clear()
    if not window.docks.show_beside:
        window.docks.toggle_beside()


@pytest.fixture
def endless(monkeypatch):
    """Runs that end only when they are stopped; set as soon as one has begun."""
    begun = Event()

    def run(experiment, task):
        begun.set()
        while True:
            task.checkpoint()
            time.sleep(0.002)

    monkeypatch.setattr(desk, "run_experiment", run)
    return begun


def knob(beside, words):
    return next(button for button in beside.knobs.findChildren(QPushButton) if button.text() == words)


@pytest.mark.nightly
def test_it_says_what_the_figure_is_and_measures_what_the_panels_show(opened, window):
    beside = opened(RING)
    experiment = find_experiment(RING)
    assert beside.isVisible()
    assert beside.place.text() == "Figures 8-10 · Multi-view diffusion maps"
    assert (beside.title.text(), beside.caption.text()) == (experiment.title, experiment.caption)
    assert beside.look.text() == experiment.look_for
    assert [text.endswith("holds") for text in beside.live.texts] == [True] * 4
    assert not beside.live_words.isVisible()
    assert "Not run yet" in beside.said.text()


@pytest.mark.nightly
def test_bars_that_one_coordinate_cannot_have_are_missing_for_a_reason(opened, window, rest, qtbot):
    beside = opened(NOISE)
    commands.set_param(window.document, "n_components", 1)
    qtbot.waitUntil(lambda: "need 2 coordinates, and r is 1" in beside.live_words.text(), timeout=PATIENCE_MS)
    assert beside.live_words.isVisible()
    assert not beside.live.texts
    window.document.undo()
    qtbot.waitUntil(lambda: bool(beside.live.texts), timeout=PATIENCE_MS)
    assert not beside.live_words.isVisible()


@pytest.mark.nightly
def test_the_knob_shows_where_a_claim_fails_and_is_one_step_of_undo(opened, window, rest, qtbot):
    """With noise frames the max-min rule loses every picture, and the bars say so as soon as it is chosen."""
    beside = opened(NOISE)
    before = window.document.state
    assert beside.live.texts[0].endswith("holds")
    knob(beside, "ε by max-min").click()
    qtbot.waitUntil(lambda: beside.live.texts[0].endswith("is missed"), timeout=PATIENCE_MS)
    assert {view.epsilon for view in window.document.state.views} == {"max-min"}
    assert window.document.undo_label == "ε by max-min"
    window.document.undo()
    assert window.document.state == before
    qtbot.waitUntil(lambda: beside.live.texts[0].endswith("holds"), timeout=PATIENCE_MS)


def test_a_run_gives_a_verdict_here_and_in_the_gallery(opened, window, qtbot):
    beside = opened(RING)
    beside.run.click()
    qtbot.waitUntil(lambda: bool(beside.verdict.text()), timeout=PATIENCE_MS)
    assert beside.verdict.text() == "✓ Reproduces: 4 of 4 numbers reach what is asked"
    assert len(beside.bars.texts) == 4
    assert beside.run.text() == "Run again"
    assert beside.sum.isVisible()
    assert beside.sum.text() == "✓ Reproduces"
    window.gallery.show()
    assert window.docks.gallery.cards[RING].found.text() == "✓ Reproduces"
    window.gallery.leave()


@pytest.mark.nightly
def test_a_run_is_stopped_and_says_so(opened, window, endless, qtbot):
    beside = opened(RING)
    beside.run.click()
    assert endless.wait(60)
    assert beside.run.text() == "Stop"
    assert beside.bar.isVisible()
    beside.run.click()
    assert beside.said.text() == " ".join(desk.STOPPED)
    assert beside.run.text() == "Run"
    qtbot.waitUntil(lambda: window.controller.background.idle, timeout=PATIENCE_MS)
    assert beside.verdict.text() == ""


@pytest.mark.nightly
def test_a_run_that_fails_says_why_and_can_be_run_again(opened, monkeypatch, qtbot):
    def run(experiment, task):
        raise DataError("The file of the sample is missing.", "Install mvexplorer again.")

    monkeypatch.setattr(desk, "run_experiment", run)
    beside = opened(RING)
    beside.run.click()
    qtbot.waitUntil(lambda: "missing" in beside.said.text(), timeout=PATIENCE_MS)
    assert beside.said.text() == "The file of the sample is missing. Install mvexplorer again."
    monkeypatch.undo()
    beside.run.click()
    qtbot.waitUntil(lambda: bool(beside.verdict.text()), timeout=PATIENCE_MS)
    assert beside.said.text() == ""


@pytest.mark.nightly
def test_other_data_ends_a_run_and_undo_tells_so(opened, window, endless, rest):
    beside = opened(RING)
    beside.run.click()
    assert endless.wait(60)
    show_data(window, small_data(), 3)
    rest(window)
    assert not beside.isVisible()
    assert window.gallery.desk.running == ""
    window.document.undo()
    rest(window)
    assert beside.isVisible()
    assert beside.said.text() == desk.OTHER_DATA


def test_a_window_closes_while_a_figure_is_run(make_window, endless, qtbot):
    window = make_window((1280, 720))
    window.gallery.open(RING)
    qtbot.waitUntil(lambda: window.document.state.experiment == RING, timeout=PATIENCE_MS)
    window.gallery.beside.run.click()
    assert endless.wait(60)
    window.discard()
    assert not window.isVisible()
    assert window.controller.background.wait_idle(60)


def test_a_figure_of_a_newer_version_is_not_known(window, rest):
    window.document.reset(window.document.state.model_copy(update={"experiment": "yair2016-fig99"}), small_data())
    rest(window)
    beside = window.gallery.beside
    assert "does not know the figure" in beside.title.text()
    assert not beside.run.isEnabled()


@pytest.mark.parametrize(
    ("width", "points"),
    [(1280, False), *(pytest.param(*case, marks=pytest.mark.nightly) for case in ((1440, False), (2000, True)))],
)
def test_the_column_leaves_room_for_the_panels(opened, window, qtbot, width, points):
    size = window.size()
    window.resize(width, 900)
    opened(RING)
    assert window.docks.show_points == points
    panels = window.grid.panels.values()
    qtbot.waitUntil(lambda: min(panel.width() for panel in panels) >= 250, timeout=PATIENCE_MS)
    window.docks.toggle_beside()
    qtbot.waitUntil(lambda: not window.gallery.beside.isVisible(), timeout=PATIENCE_MS)
    window.actions_table.actions["Experiment"].trigger()
    qtbot.waitUntil(window.gallery.beside.isVisible, timeout=PATIENCE_MS)
    window.resize(size)


@pytest.mark.nightly
def test_the_column_is_reached_by_keys(opened, window):
    beside = opened(RING)
    beside.cross.setFocus()
    QTest.keyClick(window, Qt.Key.Key_Tab)
    seen = [window.focusWidget()]
    for _ in range(4):
        QTest.keyClick(window, Qt.Key.Key_Tab)
        seen.append(window.focusWidget())
    assert {"ε as printed", "ε / 4", "4 ε", "Run"} <= {w.text() for w in seen if isinstance(w, QPushButton)}


def test_rows_that_go_leave_nothing_behind(app, qtbot):
    """Qt deletes a layout's items with their widgets; Python must not take what comes next for one of them."""
    rows = BarRows()
    qtbot.addWidget(rows)
    rows.show()
    for step in range(60):
        rows.show_bars([Bar(f"claim {k}", float(step), at_least=30.0) for k in range(4)])
        assert len(rows.texts) == 4
        QTest.qWait(0)
        menu = QMenu()
        assert all(isinstance(menu.addMenu(f"{k}").addAction("a"), QAction) for k in range(20))
        menu.deleteLater()
