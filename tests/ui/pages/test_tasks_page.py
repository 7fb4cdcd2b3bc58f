"""The list of what is being computed."""

import re

from counted import cost
from gestures import LEFT
from PySide6.QtCore import QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QToolTip
from windows import PATIENCE_MS

from mvexplorer.compute.run.scheduler import Progress
from mvexplorer.state.bench.workbench import Workbench
from mvexplorer.state.session.settings import Settings
from mvexplorer.ui.pages.tasks.tasks import TaskList
from mvexplorer.ui.style import theme


def test_a_task_is_a_sentence_with_its_bar_beside_it_on_a_large_screen(app, qtbot, monkeypatch):
    bench = Workbench(Settings(), keeps_settings=False)
    task = Progress("p3", "panel 3, Kernel sum", running=True, fraction=0.4)
    monkeypatch.setattr(bench.controller, "tasks", lambda: (task,))
    page = TaskList(bench)
    qtbot.addWidget(page)
    page.resize(2560, 300)
    with qtbot.waitExposed(page):
        page.show()
    words, bar = page.rows["p3"].words, page.rows["p3"].bar
    qtbot.waitUntil(bar.isVisible, timeout=PATIENCE_MS)
    assert words.text() == "Panel 3, Kernel sum"
    assert bar.mapTo(page, QPoint()).x() < 800
    bench.controller.shutdown()


def test_the_crosses_follow_the_theme(app, qtbot, monkeypatch):
    bench = Workbench(Settings(), keeps_settings=False)
    task = Progress("p3", "panel 3, Kernel sum", running=True, fraction=0.4)
    monkeypatch.setattr(bench.controller, "tasks", lambda: (task,))
    page = TaskList(bench)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    theme.apply_theme(app, "dark")
    page.apply_theme()
    shown = page.rows["p3"].cross.icon().pixmap(16).toImage()
    assert shown == theme.icon("x").pixmap(16).toImage()
    bench.controller.shutdown()


def test_a_page_that_is_left_lists_nothing_until_it_is_seen_again(app, qtbot, monkeypatch):
    """What ended meanwhile must not stand there: a hidden page follows no task."""
    bench = Workbench(Settings(), keeps_settings=False)
    running = [Progress("sweep", "sweep 3 of 9", running=True, fraction=0.4)]
    monkeypatch.setattr(bench.controller, "tasks", lambda: tuple(running))
    page = TaskList(bench)
    qtbot.addWidget(page)
    with qtbot.waitExposed(page):
        page.show()
    assert set(page.rows) == {"sweep"}
    page.hide()
    running.clear()
    page.refresh()
    assert not page.rows
    running.append(Progress("p1", "panel 1", running=True, fraction=0.1))
    page.show()
    assert set(page.rows) == {"p1"}
    bench.controller.shutdown()


def test_of_many_tasks_the_rows_in_sight_are_there(app, qtbot, monkeypatch):
    bench = Workbench(Settings(), keeps_settings=False)
    page = TaskList(bench)
    qtbot.addWidget(page)
    page.resize(800, 200)
    with qtbot.waitExposed(page):
        page.show()
    counts = []
    for n in (100, 1000):
        tasks = tuple(Progress(f"t{i}", f"task {i}", running=i < 2, fraction=0.4) for i in range(n))
        monkeypatch.setattr(bench.controller, "tasks", lambda tasks=tasks: tasks)
        counts.append(cost(page, page.refresh))
    (few, _), (many, calls) = counts
    assert many == few
    assert calls < 1000  # a row that is not there takes none
    bar = page.findChild(QScrollArea).verticalScrollBar()
    bar.setValue(bar.maximum())
    assert page.rows["t999"].words.text() == "Task 999 (waiting)"
    bench.controller.shutdown()


def test_the_page_says_how_much_memory_is_taken_and_by_what(window, rest):
    label = window.bottom.show_page("tasks").memory
    rest(window)
    assert re.fullmatch(r"Memory: [\d,.]+ [MG]B\. Kept intermediate results: \d+ MB of .*", label.text())
    spot = label.rect().center()
    QApplication.sendEvent(label, QHelpEvent(QHelpEvent.Type.ToolTip, spot, label.mapToGlobal(spot)))
    lines = label.toolTip().splitlines()
    assert all(re.fullmatch(r".+: [\d,.]+ [MG]B", line) for line in lines)
    assert any(line.startswith("Kernels and their products: ") for line in lines)
    assert any(re.fullmatch(r"Pictures on screen: [1-9].*", line) for line in lines)
    assert lines[-1].startswith("In all: ")
    QToolTip.hideText()
    QTest.mouseClick(label, LEFT)
    assert QToolTip.isVisible(), "a click shows it as well"
    assert QToolTip.text().splitlines()[-1].startswith("In all: ")
    QToolTip.hideText()
