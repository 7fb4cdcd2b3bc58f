"""Pages below the panels, and what panels say of their state."""

from __future__ import annotations

import numpy as np
import pytest
from gestures import CONTROL, KEY
from PySide6.QtTest import QTest
from windows import PATIENCE_MS

from mvexplorer.state.document import commands


def test_spectra_of_all_panels_with_their_names(window, rest):
    page = window.bottom.pages["spectrum"]
    assert list(page._keys) == [p.id for p in window.document.state.panels]
    assert any(key.text() for key in page._keys.values())
    drawn = [curve.y for curve in page.plot.figure.body.series]
    for panel in window.document.state.panels:
        values = window.controller.result(panel.id).result.embedding.eigenvalues
        assert any(len(y) == len(values) and np.allclose(y, values, atol=1e-5) for y in drawn)
    page.log.setChecked(True)
    rest(window)
    assert window.settings.spectrum_log
    assert page.plot.figure.body.log_y
    window.document.undo()
    commands.close_panel(window.document, "p1")
    rest(window)
    assert "p1" not in page._keys


@pytest.mark.nightly
def test_tasks_are_listed_and_cancelled(make_window, rest, qtbot):
    window = make_window()
    tasks, button = window.bottom.status.popover("tasks").content, window.bottom.status.tasks
    window.library.open_source(("uci-digits",))
    qtbot.waitUntil(window.bottom.status.isVisible, timeout=PATIENCE_MS)
    assert window.bottom.show_page("tasks") is tasks
    qtbot.waitUntil(lambda: len(tasks.rows) >= 2, timeout=PATIENCE_MS)
    assert button.text().startswith("Tasks ")
    assert window.bottom.status.bar.isVisible()
    assert not tasks._nothing.isVisibleTo(tasks)
    QTest.keyClick(window, KEY.Key_Period, CONTROL)
    rest(window)
    assert tasks.rows == {}
    assert tasks._nothing.isVisibleTo(tasks)
    assert not button.isVisible()
    assert not window.bottom.status.bar.isVisible()
    cancelled = [id for id, r in window.controller.results.items() if r.status == "cancelled"]
    assert cancelled
    panel = window.grid.panels[cancelled[0]]
    assert panel._time.text().startswith("cancelled")
    assert panel._again.isVisible()
    assert "of" in tasks.memory.text()


def test_progress_and_staleness_of_a_panel(window, qtbot):
    panel = window.grid.panels["p6"]
    found = window.controller.result("p6")
    found.status = "computing"
    window._panel_changed("p6")
    assert not panel._progress.isVisible()
    assert not panel.canvas.dimmed
    qtbot.waitUntil(panel._progress.isVisible, timeout=PATIENCE_MS)
    assert panel._stop.isVisible()
    qtbot.waitUntil(lambda: panel.canvas.dimmed, timeout=PATIENCE_MS)
    assert "stale" in panel._time.text()
    found.status = "ready"
    window._panel_changed("p6")
    assert not panel.canvas.dimmed
    assert not panel._progress.isVisible()


def test_scores_and_the_best_of_them(window):
    scores = {id: r.scores for id, r in window.controller.results.items()}
    assert all(s is not None for s in scores.values())
    first, second, *_ = sorted((s.knn for s in scores.values()), key=lambda score: -score.value)
    clear = round(first.value, 2) - round(second.value, 2) > first.spread
    for id, panel in window.grid.panels.items():
        assert panel.scores.labels["knn"].text().startswith("k-NN ")
        best = clear and scores[id].knn is first
        assert (panel.scores.labels["knn"].property("role") == "best") == best


def test_panels_tell_screen_readers_what_they_show(window):
    words = window.grid.panels["p6"].accessibleName()
    for part in ("Multi-view", "ready", "NMI", "k-NN", "0 samples selected"):
        assert part in words
